"""`foedus sim`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from foedus.boards import write_toml
from foedus.games.sword_of_rome.board import load_board

from .conftest import Run, Typed


def test_games_are_played_and_counted(run: Run) -> None:
    ran = run("sim", "caravans", "--games", "2", "--seed", "3")
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.startswith("caravans, ")
    assert "2 games of random players, seeds 3 to 4\n" in ran.out
    assert "steps a second" in ran.out


def test_as_json_and_the_same_each_time(run: Run) -> None:
    first, second = (json.loads(run("sim", "caravans", "--games", "2", "--json").out) for _ in range(2))
    for data in (first, second):
        assert data.pop("seconds") >= 0
        data.pop("steps_per_second")
    assert first == second
    assert first["games"] == 2
    assert not first["faults"]


def test_games_broken_off_say_so(run: Run) -> None:
    ran = run("sim", "caravans", "--games", "1", "--steps", "2")
    assert "1 broken off after 2 steps" in ran.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("chess",), "unknown game 'chess'"),
        (("caravans", "--games", "0"), "--games"),
        (("caravans", "--seed", "-1"), "--seed"),
        (("caravans", "--steps", "0"), "--steps"),
        (("caravans", "--style", "warm"), "--style: one of plain, warlike"),
        (("caravans", "--rulings", "none"), "--rulings: one of default, mixed"),
    ],
)
def test_wrong_input(run: Run, arguments: tuple[str, ...], message: str) -> None:
    ran = run("sim", *arguments)
    assert ran.status == 2
    assert message in ran.err


def test_the_sword_of_rome(typed: Typed) -> None:
    ran = typed(["sim", "sword_of_rome", "--players", "4", "--games", "1", "--steps", "200"])
    assert ran.status == 0
    assert "alliances made" in ran.out
    assert typed(["sim", "sword_of_rome", "--players", "7"]).status == 2


@pytest.mark.parametrize("style", ["warlike", "diplomatic", "curious", "mixed"])
def test_styles(run: Run, style: str) -> None:
    first, second = (
        json.loads(run("sim", "caravans", "--games", "3", "--style", style, "--rulings", "mixed", "--json").out)
        for _ in range(2)
    )
    assert not first["faults"]
    assert first["style"] == style
    assert first["commands"] == second["commands"]
    assert any("bit" in row or "done" in row for row in first["clauses"].values())


def test_an_owner_brings_board_deck_and_tables(typed: Typed, tmp_path: Path) -> None:
    board = tmp_path / "mine.toml"
    board.write_text(write_toml(load_board()).replace('"Velitrae"', '"Veliterna"'), encoding="utf-8")
    tables = tmp_path / "numbers.toml"
    tables.write_text("[movement]\ninside = 4\n", encoding="utf-8")
    own = ["--board", str(board), "--tables", str(tables), "--deck", "plain"]
    ran = typed(["sim", "sword_of_rome", "--players", "5", "--games", "1", "--steps", "150", *own])
    assert (ran.status, ran.err) == (0, "")
    saved = tmp_path / "game.jsonl"
    played = typed(["play", "sword_of_rome", "--seed", "1", "--save", str(saved), *own], "quit\n")
    assert played.status == 0
    header = json.loads(saved.read_text(encoding="utf-8").split("\n")[0])
    assert header["options"] == {"deck": "plain", "tables": {"movement": {"inside": 4}}}
    assert any(place["name"] == "Veliterna" for place in header["board"]["places"])
    assert typed(["replay", str(saved)]).status == 0


@pytest.mark.parametrize("command", ["sim", "play"])
def test_what_an_owner_brings_must_be_good(typed: Typed, tmp_path: Path, command: str) -> None:
    tables = tmp_path / "numbers.toml"
    tables.write_text("[movement]\ninsid = 4\n", encoding="utf-8")
    ran = typed([command, "sword_of_rome", "--tables", str(tables)])
    assert ran.status == 2
    assert "tables.movement: there is no 'insid'; did you mean inside?" in ran.err
    ran = typed([command, "sword_of_rome", "--board", str(tmp_path / "none.toml")])
    assert ran.status == 2
    assert "none.toml" in ran.err
