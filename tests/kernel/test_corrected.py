"""Corrections and taking back: what they change and who sees what of it; and going on as far as is known."""

from __future__ import annotations

import json

import pytest
from msgspec.structs import replace as put

from foedus.kernel.codec import CodecError
from foedus.kernel.desk import Speaker
from foedus.kernel.dice import NeedDice, ToldDice, WrongDice
from foedus.kernel.flow import Corrected, differences
from foedus.kernel.unknown import UNKNOWN
from foedus.kernel.values import Event

from . import desk_game, toy
from .toy import A, B, L

REFEREE = desk_game.referee()
STATE = REFEREE.sketch(desk_game.POSITION)


def test_differences_lead_from_one_state_to_the_other() -> None:
    after = put(STATE, gold=(7, 1, 2, 0), turn=3, frames=(toy.Turn(),), pacts=(0, 0, 0, 0))
    changes = differences(STATE, after)
    assert ("gold", 0, 7) in changes
    assert ("turn", -1, 3) in changes
    assert Corrected("set", changes).apply(STATE) == after
    assert Corrected("undo", differences(after, STATE)).apply(after) == STATE
    assert differences(STATE, STATE) == ()


def test_it_is_written_with_names() -> None:
    event = Corrected("set", differences(STATE, put(STATE, gold=(7, 1, 2, 0), active=B)))
    data = REFEREE.codec.encode(event)
    assert data == {"do": "Corrected", "line": "set", "changes": [["active", None, "BIR"], ["gold", 0, 7]]}
    assert REFEREE.codec.decode(json.loads(json.dumps(data)), Event) == event


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (["world", None, 1], "unknown field 'world'"),
        (["golf", None, 1], "did you mean gold"),
        (["turn", 1, 1], "turn has no places"),
        (["gold", -1, 1], "the index"),
        (["gold", True, 1], "the index"),
        (["gold", 0], "a field, an index and a value"),
        (["active", None, "ABM"], "unknown power 'ABM'"),
        ("gold", "a field, an index and a value"),
    ],
)
def test_what_is_wrong_with_one_is_named(change: object, message: str) -> None:
    with pytest.raises(CodecError, match=message):
        REFEREE.codec.decode({"do": "Corrected", "line": "", "changes": [change]}, Event)


def test_it_is_seen_as_the_views_differ() -> None:
    """Redacting the event and applying it gives the same as applying it and taking the view."""
    after = put(STATE, cards=(toy.SHIELD, toy.SPEAR, toy.SPEAR, toy.SHIELD), gold=(9, 9, 9, 9))
    event = Corrected("set", differences(STATE, after))
    for seat in (None, 0, 1, 2):
        (seen,) = REFEREE.view_events(STATE, [event], seat)
        assert seen.apply(REFEREE.view(STATE, seat)) == REFEREE.view(after, seat)
    (seen,) = REFEREE.view_events(STATE, [event], 0)
    assert isinstance(seen, Corrected)
    assert all(value in (toy.SHIELD, UNKNOWN) for name, _, value in seen.changes if name == "cards")


def test_it_is_said() -> None:
    speaker = Speaker(REFEREE, "en")
    assert speaker.event(Corrected("set gold 7", ())) == "The table says: set gold 7."
    assert speaker.event(Corrected("undo", (), 4)) == "Taken back: all after line 4."


# as far as is known


def test_a_command_is_carried_out_and_what_follows_stops_where_dice_are_wanted() -> None:
    state = put(STATE, frames=(toy.Turn(),), pacts=(0, 0, 0, 0))
    outcome, stopped = REFEREE.carry_as_far(state, toy.Send(A, L, (0,)))
    assert stopped is None
    state = outcome.state
    for command in (toy.Ambush(B, A), toy.Wait(L), toy.Wait(toy.N)):
        if REFEREE.judge(state, command).allowed:
            outcome, stopped = REFEREE.carry_as_far(state, command)
            state = outcome.state
    assert REFEREE.replay(state, ()) == state


def test_dice_that_a_step_did_not_use_up_are_given_back() -> None:
    state = put(STATE, frames=(toy.Duel(A, B),))
    dice = ToldDice()
    with pytest.raises(NeedDice):
        REFEREE.carry_as_far(state, toy.Fight(B), dice)
    dice.tell([9])
    with pytest.raises(WrongDice):
        REFEREE.carry_as_far(state, toy.Fight(B), dice)
    assert dice.unused().dice == (9,)
