"""`foedus sim`."""

from __future__ import annotations

import json

import pytest

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
