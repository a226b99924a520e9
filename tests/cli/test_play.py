"""`foedus play`: several people at one keyboard, with their lines typed ahead."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from foedus.kernel import game as games
from kernel import desk_game

from .conftest import Typed, _Point

WON = replace(desk_game.GAME, winners=lambda state: (1,))


@pytest.fixture(autouse=True)
def _caravans(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(games, "known_games", lambda: {"caravans": _Point(WON)})


PLAY = ("play", "caravans", "--seed", "7")


def test_who_is_awaited_and_what_may_be_done(typed: Typed) -> None:
    ran = typed(PLAY, "")
    assert ran.status == 0
    assert "The dice are committed to: " in ran.out
    assert "to the keyboard, the others look away. Press Enter." in ran.out
    assert "It is for Amber to act." in ran.out
    assert re.search(r"^ +1  AMB ", ran.out, re.MULTILINE)
    assert ran.out.rstrip().endswith("SA>")


def test_a_number_a_line_a_question(typed: Typed) -> None:
    ran = typed(
        PLAY,
        "",  # the screen
        "? AMB sends salt, salt to LAK",
        "?",
        "? nonsense",
        "whose turn is it",
        "99",
        "BIR rests",
        "AMB dances",
        "AMB offers BIR a pact",
        "",  # the screen: Birch is asked first
        "later",
        "",
        "AMB rests",
        "quit",
    )
    assert "Refused: " in ran.out
    assert "A number, or a line of notation, is done." in ran.out
    assert "It is the turn of AMB." in ran.out
    assert "There is no such choice." in ran.out
    assert "SB may answer what was offered, or type 'later'." in ran.out
    assert "Traceback" not in ran.out + ran.err


def test_the_screen_between_seats_shows_nothing_of_the_other_hand(typed: Typed) -> None:
    ran = typed(PLAY, "", "AMB offers BIR a pact", "", "status")
    before, _, after = ran.out.partition("SB to the keyboard")
    assert "SA to the keyboard" in before
    assert "BIR accepts AMB" in after


def test_long_lists_come_in_pages(typed: Typed) -> None:
    ran = typed(PLAY, "", "more", "more", "list", "/silk to BIR", "/nonsense", "quit")
    assert "There is no such choice." in ran.out
    assert "  1 to 20 of " in ran.out
    assert "  21 to " in ran.out


def test_taking_back(typed: Typed) -> None:
    ran = typed(
        PLAY,
        "",
        "undo",
        "AMB offers BIR a pact",
        "",
        "BIR declines AMB",
        "",
        "undo",
        "n",
        "undo",
        "y",
        "y",
        "",
        "BIR accepts AMB",
        "quit",
    )
    assert "Nothing can be taken back." in ran.out
    assert "SB: may 'BIR declines AMB' be taken back? [y/n]" in ran.out
    assert "LN: may 'what was done last' be taken back? [y/n]" in ran.out  # the offer was none of its business
    assert "SB does not agree: it stands." in ran.out
    assert "Taken back: BIR declines AMB" in ran.out
    assert "Amber and Birch have a pact now." in ran.out


def test_ones_own_offer_is_taken_back_without_asking(typed: Typed, tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    ran = typed([*PLAY, "--save", path], "", "AMB offers BIR a pact", "", "later", "", "undo", "quit")
    assert "[y/n]" not in ran.out
    assert "Taken back: AMB offers BIR a pact" in ran.out
    last = json.loads(path.read_text(encoding="utf-8").splitlines()[-1])
    assert last["events"][0]["do"] == "Corrected"
    assert last["events"][0]["back"] == 0


def test_numbers_are_asked_of_every_seat_once(typed: Typed, tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    ran = typed(["play", "caravans", "--save", path], "17", "many", "4", "", "", "quit")
    assert "SA: a number of your own for the dice" in ran.out
    assert "A whole number from 0 is needed." in ran.out
    header = json.loads(path.read_text(encoding="utf-8").splitlines()[0])
    assert (header["numbers"]["SA"], header["numbers"]["SB"]) == (17, 4)
    assert header["numbers"]["LN"] >= 0


def test_saved_loaded_and_gone_on_with(typed: Typed, tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    ran = typed(PLAY, "", "save", f"save {path}", "AMB rests", "quit")
    assert "Where to?" in ran.out
    assert f"To go on: foedus play caravans --load {path}" in ran.out
    secret = Path(f"{path}.secret")
    assert secret.stat().st_mode & 0o077 == 0
    assert secret.read_text().strip() not in path.read_text(encoding="utf-8")
    lines = len(path.read_text(encoding="utf-8").splitlines())
    ran = typed(["play", "caravans", "--load", path, "--bots", "SA,SB,LN"])
    assert "The game is over." in ran.out
    assert "Won: SB." in ran.out
    after = path.read_text(encoding="utf-8").splitlines()
    assert len(after) > lines
    assert not secret.exists()
    ran = typed(["verify", path])
    assert ran.status == 0, ran.out
    assert typed(["play", "caravans", "--load", path]).status == 2


def test_the_draws_after_loading_are_those_without(typed: Typed, tmp_path: Path) -> None:
    one, two = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    typed([*PLAY, "--save", one], "", "AMB rests", "", "BIR rests", "quit")
    typed([*PLAY, "--save", two], "", "AMB rests", "quit")
    typed(["play", "caravans", "--load", two], "", "BIR rests", "quit")

    def happened(path: Path) -> list[object]:
        return [json.loads(line).get("events") for line in path.read_text(encoding="utf-8").splitlines()]

    assert happened(one) == happened(two)


def test_all_may_agree_to_end(typed: Typed, tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    ran = typed([*PLAY, "--save", path], "", "end", "y", "n", "end", "y", "y")
    assert "shall the game end here" in ran.out
    assert "published" in ran.out
    assert typed(["verify", path]).status == 0


def test_bots_play_their_seats(typed: Typed) -> None:
    ran = typed([*PLAY, "--bots", "SB,LN"], "AMB rests", "quit")
    assert "to the keyboard" not in ran.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("play", "chess"), "unknown game 'chess'"),
        (("play", "caravans", "--load", "nowhere.jsonl"), "nowhere.jsonl: cannot be read"),
        (("play", "caravans", "--seed", "1", "--bots", "XX"), "unknown seat 'XX'"),
        (("play", "caravans", "--seed", "1", "--ruling", "nonsense=1"), "--ruling"),
        (("play", "caravans", "--seed", "1", "--ruling", "nonsense"), "NAME=OPTION"),
        (("play", "caravans", "--sketch", "night.toml"), "--sketch: is for a ledger"),
    ],
)
def test_wrong_input(typed: Typed, arguments: tuple[str, ...], message: str) -> None:
    ran = typed(arguments)
    assert ran.status == 2
    assert message in ran.err


def test_a_file_that_is_there_is_not_overwritten(typed: Typed, tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    path.write_text("mine\n")
    ran = typed([*PLAY, "--save", path])
    assert ran.status == 2
    assert "exists already" in ran.err
    assert path.read_text() == "mine\n"


def test_a_wrong_secret_is_refused(typed: Typed, tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    typed([*PLAY, "--save", path], "", "quit")
    Path(f"{path}.secret").write_text("ab" * 32)
    assert "is not the secret" in typed(["play", "caravans", "--load", path]).err
    Path(f"{path}.secret").unlink()
    assert typed(["play", "caravans", "--load", path]).status == 2


def test_in_russian(typed: Typed) -> None:
    ran = typed([*PLAY, "--lang", "ru"], "", "help", "status", "quit")
    assert "Нажмите Enter" in ran.out
    assert "Номер или строка нотации" in ran.out
