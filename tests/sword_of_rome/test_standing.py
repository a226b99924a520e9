"""Standing answers: given at once, and nobody else can tell them from answers that were asked for."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from foedus.games.sword_of_rome.game import GAME
from foedus.games.sword_of_rome.standing import ANSWERS, TOPICS
from foedus.games.sword_of_rome.state import SEATS, State
from foedus.kernel.dice import ToldDice
from foedus.kernel.referee import make_referee
from foedus.kernel.standing import STANDING_EVENTS, StandingUsed
from foedus.kernel.values import Event

REFEREE = make_referee(GAME, 4)
ROM, ES, GRE, GAL = (SEATS.index(code) for code in ("ROM", "ES", "GRE", "GAL"))
MARCH = "ETR marches ETR A with 4 from Tarquinii to Sutrium"


def position(*standing: str) -> State:
    state: State = REFEREE.sketch(
        {
            "players": 4,
            "elsewhere": "home",
            "alliances": [],
            "active": "ES",
            "vp": {"ROM": 6, "ES": 6, "GRE": 6, "GAL": 6},
            "spaces": {"Roma": {"forces": ["ROM 4 Camillus"]}, "Tarquinii": {"forces": ["ETR 4 A"]}},
            "standing": list(standing),
        }
    )
    return state


def done(state: State, *lines: str, dice: tuple[int, ...] = ()) -> tuple[State, list[Event]]:
    told = ToldDice(list(dice))
    events: list[Event] = []
    for line in lines:
        outcome = REFEREE.act(state, GAME.notation.read(line, REFEREE.names), told)
        state = outcome.state
        events += outcome.events
    return state, events


def plain(value: Any) -> bytes:
    return msgspec.json.encode(REFEREE.codec.encode(value))


@pytest.mark.parametrize(
    ("standing", "answer", "dice"),
    [
        ("ROM never intercepts", "ROM stays put", ()),
        ("ROM never intercepts against ETR", "ROM stays put", ()),
        ("ROM always intercepts from Roma", "ROM intercepts ETR at Sutrium from Roma", (6,)),
        ("ROM always intercepts from Roma in home of ROM", "ROM intercepts ETR at Sutrium from Roma", (6,)),
    ],
)
def test_it_looks_like_an_answer_that_was_asked_for(standing: str, answer: str, dice: tuple[int, ...]) -> None:
    before, asked = position(standing), position()
    at_once, given = done(before, MARCH, dice=dice)
    later, waited = done(asked, MARCH, answer, dice=dice)
    assert any(isinstance(event, StandingUsed) for event in given)
    for seat in (ES, GRE, GAL, None):
        seen = [plain(event) for event in REFEREE.view_events(before, given, seat)]
        assert seen == [plain(event) for event in REFEREE.view_events(asked, waited, seat)]
        assert plain(REFEREE.view(before, seat)) == plain(REFEREE.view(asked, seat))
        assert plain(REFEREE.view(at_once, seat)) == plain(REFEREE.view(later, seat))
    own = REFEREE.view_events(before, given, ROM)
    assert [event for event in own if isinstance(event, STANDING_EVENTS)]
    assert REFEREE.view(before, ROM).standing == before.standing


def test_setting_and_taking_back_reaches_nobody_else() -> None:
    state = position()
    told, events = done(state, "ROM never intercepts against GAL", "ROM takes back standing answers")
    assert told == state
    assert len(events) == 2
    for seat in (ES, GRE, GAL, None):
        assert REFEREE.view_events(state, events, seat) == []
    assert REFEREE.view_events(state, events, ROM) == events


def test_what_it_does_not_cover_is_asked() -> None:
    for standing in ("ROM never intercepts against GAL", "ROM never intercepts in home of ETR", "ROM never responds"):
        state, _ = done(position(standing), MARCH)
        assert [one.what for one in REFEREE.awaiting(state)] == ["intercept"], standing


def test_the_newest_answer_is_given_and_takes_the_place_of_one_like_it() -> None:
    state, _ = done(position("ROM never intercepts"), "ROM always intercepts from Roma", "ROM never intercepts")
    assert [one.answer for one in state.standing] == ["never_intercept", "always_intercept"]
    state, events = done(state, MARCH)
    assert not any(type(event).__name__ == "Intercepted" for event in events)


def test_one_given_while_it_is_asked_answers_at_once() -> None:
    state, _ = done(position(), MARCH)
    assert REFEREE.awaiting(state)[0].seat == ROM
    state, _ = done(state, "ROM never intercepts")
    assert [one.seat for one in REFEREE.awaiting(state)] == [ES]


def test_a_sketch_says_it_both_ways_and_json_keeps_it() -> None:
    state = position("GRE never responds", "ROM never intercepts until GAL enters home of ROM")
    data = GAME.write_sketch(state)
    assert data["standing"] == ["GRE never responds", "ROM never intercepts until GAL enters home of ROM"]
    assert REFEREE.sketch(data).standing == state.standing
    assert REFEREE.codec.decode(msgspec.json.decode(plain(state)), State) == state


def test_every_answer_has_a_decision_that_it_answers() -> None:
    assert {answer.partition("_")[2] for answer in ANSWERS} == set(TOPICS.values())
