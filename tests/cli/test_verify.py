"""`foedus verify`: a record holds, or what was changed is named with its line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from foedus.kernel.record import fingerprint

from .conftest import Typed

GAME = "sword_of_rome"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The lines of a game that was played to its end."""
    from foedus.cli.hotseat import play

    path = tmp_path_factory.mktemp("games") / "whole.jsonl"
    play(GAME, 4, 5, str(path), None, "ROM,ES,GRE,GAL", (), "en")
    return path.read_text(encoding="utf-8").splitlines()


def chained(lines: list[str]) -> list[str]:
    """The lines with the chain made anew, as a forger would."""
    made = [lines[0]]
    for line in lines[1:]:
        data = json.loads(line)
        data["prev"] = fingerprint(made[-1])
        made.append(json.dumps(data, separators=(",", ":"), ensure_ascii=False))
    return made


def events_of(line: str) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = json.loads(line).get("events", [])
    return events


def find(lines: list[str], wanted: Any) -> int:
    return next(i for i, line in enumerate(lines) if any(wanted(event) for event in events_of(line)))


def change(lines: list[str], at: int, wanted: Any, work: Any) -> list[str]:
    data = json.loads(lines[at])
    event = next(event for event in data["events"] if wanted(event))
    work(event)
    return [*lines[:at], json.dumps(data, separators=(",", ":"), ensure_ascii=False), *lines[at + 1 :]]


def die(event: dict[str, Any]) -> bool:
    return bool(event["do"] == "Rolled" and event["sides"] == 6)


def pick(event: dict[str, Any]) -> bool:
    return bool(event["do"] == "Rolled" and event["sides"] == 0 and event["count"] > 1)


def turn_die(event: dict[str, Any]) -> None:
    event["result"][0] = event["result"][0] % 6 + 1


def turn_pick(event: dict[str, Any]) -> None:
    event["result"][0] = (event["result"][0] + 1) % event["count"]


def verify(typed: Typed, tmp_path: Path, lines: list[str], *arguments: str) -> Any:
    path = tmp_path / "game.jsonl"
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return typed(["verify", path, *arguments])


def test_a_whole_game_holds(typed: Typed, tmp_path: Path, whole: list[str]) -> None:
    ran = verify(typed, tmp_path, whole)
    assert ran.status == 0, ran.out[:2000]
    assert f"lines chained: {len(whole) - 1}\n" in ran.out
    assert ran.out.endswith("the record holds\n")
    assert verify(typed, tmp_path, whole, "--dice-only", "--lang", "ru").out.endswith("запись верна\n")


@pytest.mark.parametrize("forge", [False, True])
def test_a_changed_die_is_named(typed: Typed, tmp_path: Path, whole: list[str], forge: bool) -> None:
    at = find(whole, die)
    lines = change(whole, at, die, turn_die)
    ran = verify(typed, tmp_path, chained(lines) if forge else lines)
    assert ran.status == 1
    assert f"line {at + 1}: draw " in ran.out
    assert "recomputed" in ran.out
    assert (f"line {at + 1}: changed" in ran.out) != forge


def test_a_changed_card_is_named(typed: Typed, tmp_path: Path, whole: list[str]) -> None:
    if not any(pick(event) for line in whole for event in events_of(line)):
        pytest.skip("no card was drawn in this game")
    at = find(whole, pick)
    ran = verify(typed, tmp_path, chained(change(whole, at, pick, turn_pick)))
    assert ran.status == 1
    assert f"line {at + 1}: draw " in ran.out
    assert "picked" in ran.out


def test_a_changed_effect_is_named(typed: Typed, tmp_path: Path, whole: list[str]) -> None:
    """Somebody changes what followed from the dice, and makes the chain anew."""

    def allied(event: dict[str, Any]) -> bool:
        return bool(event["do"] == "AllianceMade")

    def other(event: dict[str, Any]) -> None:
        event["round"] = event["round"] % 5 + 1

    at = find(whole, allied)
    ran = verify(typed, tmp_path, chained(change(whole, at, allied, other)))
    assert ran.status == 1
    assert f"line {at + 1}: event " in ran.out


def test_a_changed_line_is_named(typed: Typed, tmp_path: Path, whole: list[str]) -> None:
    data = json.loads(whole[40])
    data["time"] = "1999-01-01T00:00:00Z"
    ran = verify(typed, tmp_path, [*whole[:40], json.dumps(data), *whole[41:]])
    assert ran.status == 1
    assert "line 41: changed" in ran.out


def test_a_missing_line_is_named(typed: Typed, tmp_path: Path, whole: list[str]) -> None:
    ran = verify(typed, tmp_path, [*whole[:40], *whole[41:]], "--dice-only")
    assert ran.status == 1
    assert "line 41: batch 39 is missing before this line" in ran.out


def test_moved_lines_are_named(typed: Typed, tmp_path: Path, whole: list[str]) -> None:
    ran = verify(typed, tmp_path, [*whole[:40], whole[41], whole[40], *whole[42:]])
    assert ran.status == 1
    assert "line 41: it was written after line 42, not after line 40" in ran.out


def test_a_line_in_between_is_named(typed: Typed, tmp_path: Path, whole: list[str]) -> None:
    ran = verify(typed, tmp_path, [*whole[:40], whole[39], *whole[40:]])
    assert ran.status == 1
    assert "line 41: " in ran.out


def test_a_header_that_was_changed_is_named(typed: Typed, tmp_path: Path, whole: list[str]) -> None:
    data = json.loads(whole[0])
    data["numbers"]["ROM"] += 1
    ran = verify(typed, tmp_path, [json.dumps(data), *whole[1:]])
    assert ran.status == 1
    assert "line 1: changed" in ran.out
    assert "recomputed" in ran.out


def test_another_secret_is_refused(typed: Typed, tmp_path: Path, whole: list[str]) -> None:
    end = json.loads(whole[-1])
    end["published"]["secret"] = "ab" * 32
    ran = verify(typed, tmp_path, [*whole[:-1], json.dumps(end)])
    assert ran.status == 1
    assert f"line {len(whole)}: this is not the secret" in ran.out


def test_a_secret_may_come_from_a_file(typed: Typed, tmp_path: Path, whole: list[str]) -> None:
    ran = verify(typed, tmp_path, whole[:-1])
    assert ran.status == 1
    assert "not published yet" in ran.out
    secret = tmp_path / "secret"
    secret.write_text(json.loads(whole[-1])["published"]["secret"])
    assert verify(typed, tmp_path, whole[:-1], "--secret", str(secret)).status == 0
    secret.write_text("nonsense")
    assert verify(typed, tmp_path, whole[:-1], "--secret", str(secret)).status == 2


def test_nothing_may_come_after_the_end(typed: Typed, tmp_path: Path, whole: list[str]) -> None:
    ran = verify(typed, tmp_path, [*whole, whole[-2]])
    assert ran.status == 1
    assert "nothing may come after it" in ran.out


def test_rubbish_is_named(typed: Typed, tmp_path: Path, whole: list[str]) -> None:
    for lines in (["rubbish"], ['{"foedus":1,"game":"chess"}'], [whole[0], "[]"], [whole[0], '{"n":1}']):
        ran = verify(typed, tmp_path, lines)
        assert ran.status == 1
        assert "line " in ran.out
    assert typed(["verify", tmp_path / "nowhere.jsonl"]).status == 2


def test_told_dice_are_listed_as_told(typed: Typed, tmp_path: Path) -> None:
    rolled = {"do": "Rolled", "purpose": "battle", "counter": 0, "sides": 6, "count": 2, "result": [6, 4], "told": True}
    header = {"foedus": 1, "game": GAME, "players": 4, "sketch": {"players": 4}}
    lines = [json.dumps(header), json.dumps({"n": 1, "events": [rolled]})]
    ran = verify(typed, tmp_path, chained(lines))
    assert ran.status == 0
    assert "line 2: told by the players, not rolled: 6 4 (battle)" in ran.out
    rolled["told"] = False
    ran = verify(typed, tmp_path, chained([lines[0], json.dumps({"n": 1, "events": [rolled]})]))
    assert ran.status == 1
    assert "committed to no secret" in ran.out
