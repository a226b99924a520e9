"""Records: written, read back, applied; and whatever may be wrong with a line."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from foedus.kernel import record
from foedus.kernel.record import Header, RecordError, read_record, write_batch, write_header

from . import desk_game, toy
from .desk_game import played

GAME = desk_game.GAME


def test_replay_gives_the_state_that_was_played() -> None:
    lines, state = played()
    referee, again = record.replay(GAME, read_record(lines))
    assert referee.game is GAME
    assert referee.codec.encode(again) == referee.codec.encode(state)


def test_every_command_is_judged_as_it_was() -> None:
    lines, _ = played()
    found = read_record(lines)
    referee, state = record.open_record(GAME, found)
    verdicts = [record.judge(referee, step) for step in record.steps(referee, state, found)]
    assert verdicts[0] is None
    assert all(verdict is not None and verdict.allowed for verdict in verdicts[1:])


def test_lines_are_plain_json_and_say_only_what_they_have() -> None:
    lines, _ = played(2)
    header, start, first = map(json.loads, lines[:3])
    assert header == {
        "foedus": 1,
        "game": "caravans",
        "versions": {"events": 1},
        "players": 3,
        "rulings": {"far_end": "ignored"},
        "seats": {"SA": "Anna"},
        "commitment": "abc",
    }
    assert set(start) == {"n", "events"}
    assert set(first) == {"n", "time", "by", "line", "command", "events"}
    assert first["command"]["power"] in toy.POWERS
    assert all("\n" not in line for line in lines)


def test_a_record_may_begin_with_a_sketch() -> None:
    referee = desk_game.referee()
    state = referee.sketch(desk_game.POSITION)
    command = toy.Propose(0, 2)
    outcome = referee.act(state, command)
    header = Header(GAME.id, sketch=dict(desk_game.POSITION), rulings={"far_end": "binds"})
    lines = [write_header(header), "", write_batch(referee, 1, outcome.events, command=command)]
    found = read_record(lines)
    assert found.header.sketch == desk_game.POSITION
    _, again = record.replay(GAME, found)
    assert again.offers == outcome.state.offers
    assert again.ruling("far_end") == "binds"


HEAD = '{"foedus":1,"game":"caravans"}'


@pytest.mark.parametrize(
    ("lines", "line", "message"),
    [
        ([], 1, "the record is empty"),
        (["", ""], 2, "the record is empty"),
        (["rubbish"], 1, "this is not JSON"),
        (["[1]"], 1, "an object in braces"),
        (["{}"], 1, "begins with a header"),
        (['{"foedus":2,"game":"x"}'], 1, "known is 1"),
        (['{"foedus":1,"game":7}'], 1, "'game' must be a text"),
        (['{"foedus":1,"game":"x","players":true}'], 1, "'players' must be a whole number"),
        (['{"foedus":1,"game":"x","rulings":{"a":1}}'], 1, "'rulings.a' must be a text"),
        (['{"foedus":1,"game":"x","versions":{"events":9}}'], 1, "the version '9'; known is 1"),
        (['{"foedus":1,"game":"x","secret":1}'], 1, "unknown key 'secret'"),
        ([HEAD, "{}"], 2, "needs the keys 'n' and 'events'"),
        ([HEAD, '{"n":1,"events":[],"who":1}'], 2, "unknown key 'who'"),
        ([HEAD, '{"n":"1","events":[]}'], 2, "'n' must be a whole number"),
        ([HEAD, '{"n":1,"events":[3]}'], 2, "'events' must hold objects"),
        ([HEAD, '{"n":1,"events":{}}'], 2, "'events' must be a list"),
        ([HEAD, '{"n":2,"events":[]}', '{"n":2,"events":[]}'], 3, "batch 2 comes after batch 2"),
        ([HEAD, "[" * 100_000], 2, "this is not JSON"),
        ([HEAD, '"\ud800"'], 2, "this is not JSON"),
        ([HEAD, " " * 10 + "x" * 1_000_001], 2, "longer than 1000000 characters"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(lines: Sequence[str], line: int, message: str) -> None:
    with pytest.raises(RecordError, match=message) as caught:
        read_record(lines)
    assert caught.value.line == line


def test_too_many_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record, "MAX_BATCHES", 1)
    with pytest.raises(RecordError, match="more than 1 batches"):
        read_record([HEAD, '{"n":1,"events":[]}', '{"n":2,"events":[]}'])


@pytest.mark.parametrize(
    ("batch", "message"),
    [
        ({"events": [{"do": "Exploded"}]}, "unknown event 'Exploded'"),
        ({"events": [{"do": "Allied", "a": "AMB"}]}, "'b' is missing"),
        ({"events": [{"do": "Allied", "a": "AMB", "b": "ROM"}]}, "unknown power 'ROM'"),
        ({"events": [], "command": {"do": "Dance"}}, "unknown command 'Dance'"),
        ({"events": [{"do": "FrameChanged", "frame": {"do": "Caravan", "asked": [], "answers": 3}}]}, "a list"),
        ({"events": [{"do": "Paid", "power": None, "gold": 1}] * 3 + [{"do": "RulingChanged"}]}, "'ruling'"),
        ({"events": [{"do": "RulingChanged", "ruling": 99, "option": 0}]}, "cannot have happened here"),
    ],
)
def test_what_cannot_be_applied_is_told_with_its_line(batch: dict[str, Any], message: str) -> None:
    found = read_record([HEAD, "", json.dumps({"n": 1, **batch})])
    with pytest.raises(RecordError, match=message) as caught:
        record.replay(GAME, found)
    assert caught.value.line == 3


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ({"game": "other"}, "of the game 'other', not of 'caravans'"),
        ({"rulings": {"nonsense": "x"}}, "unknown ruling"),
        ({"sketch": {"nonsense": 1}}, "unknown key 'nonsense'"),
        ({"sketch": {"active": "ROM"}}, "ROM"),
    ],
)
def test_what_cannot_begin(header: dict[str, Any], message: str) -> None:
    found = read_record([json.dumps({"foedus": 1, "game": "caravans", **header})])
    with pytest.raises(RecordError, match=message) as caught:
        record.open_record(GAME, found)
    assert caught.value.line == 1
