"""Whole games at random, two to six players: what must hold at every step, whatever is played."""

from __future__ import annotations

from collections import Counter
from typing import Any

import msgspec
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

import foedus.games.virgin_queen.state as s
from foedus.games.virgin_queen import commands as c
from foedus.games.virgin_queen import events as e
from foedus.games.virgin_queen.game import GAME
from foedus.games.virgin_queen.state import MAJORS, State
from foedus.kernel.referee import Referee
from foedus.kernel.unknown import NONE, UNKNOWN
from foedus.kernel.values import Event, bits

from .whole_play import Step, play, referee_for

MOST_CHOICES = 250
UNLISTED = (
    c.AddTerm,
    c.Draft,
    c.Talk,
    c.Move,
    c.Deploy,
    c.Intercept,
    c.Sail,
    c.Sign,
    *c.TERMS,
)
"""Commands of which lists name some and people may type more: terms, partners, and so many units of a formation."""


def ships(state: State) -> Counter[tuple[int, int]]:
    """Naval units by owner and kind, whoever holds them."""
    found: Counter[tuple[int, int]] = Counter()
    for fleets in state.fleets:
        for fleet in fleets:
            found[fleet.owner, fleet.kind] += fleet.count
    return found


def land(state: State) -> Counter[int]:
    """Land units by power."""
    found: Counter[int] = Counter()
    for forces in state.land:
        for force in forces:
            found[force.power] += force.units
    return found


def check_units(before: State, event: Event, after: State) -> None:
    """Units come and go only by events that say so: loans and moves change nobody's number."""
    if before.fleets is not after.fleets:
        change: Counter[tuple[int, int]] = Counter()
        if isinstance(event, e.ShipsChanged):
            change[event.owner, event.fleet] = event.count
        if isinstance(event, e.LoanReturned) and event.to < 0:
            change[event.owner, event.fleet] = -event.count
        old, new = ships(before), ships(after)
        for key in {*old, *new}:
            assert new[key] - old[key] == change[key], event
        assert all(fleet.count > 0 for fleets in after.fleets for fleet in fleets), event
    if before.land is not after.land:
        grown: Counter[int] = Counter()
        if isinstance(event, e.UnitsChanged):
            grown[event.power] = event.regulars + event.mercenaries + event.cavalry
        if isinstance(event, e.MercenariesGiven):
            grown[event.giver], grown[event.taker] = -event.count, event.count
        was, now = land(before), land(after)
        for power in {*was, *now}:
            assert now[power] - was[power] == grown[power], event
        for forces in after.land:
            for force in forces:
                assert min(force.regulars, force.mercenaries, force.cavalry) >= 0, event
                assert force.units > 0, event


def check_relations(state: State) -> None:
    """ally.5, ally.6, ally.7: never allied and at war, never Spain with the Protestants, France with one of them."""
    for a in range(s.IND):
        assert not state.wars[a] >> a & 1
        for b in range(s.IND):
            assert state.wars[a] >> b & 1 == state.wars[b] >> a & 1
            assert state.allies[a] >> b & 1 == state.allies[b] >> a & 1
        assert not state.allies[a] & state.wars[a], (s.POWERS[a], state.frames)
        if state.allies[a]:
            assert a in MAJORS
    assert not state.allies[s.SPA] >> s.PRO & 1
    assert not (state.allies[s.FRA] >> s.SPA & 1 and state.allies[s.FRA] >> s.PRO & 1)
    if state.phase == s.DRAW or (state.phase < s.NEGOTIATION and state.phase >= 0):
        assert not any(state.allies)
        assert all(fleet.owner == fleet.holder for fleets in state.fleets for fleet in fleets)


def check_people(state: State) -> None:
    """A captive is held by one power, not his own, and stands nowhere; a leader stands where his side has a place."""
    for leader, card in enumerate(state.world.leaders):
        captor, at = state.captor[leader], state.leader_at[leader]
        if captor != NONE:
            assert captor != card.power
            assert at < 0
        if at >= 0:
            assert not card.army or not state.world.is_zone(at)


def check_cards(state: State) -> None:
    """No card is in two places."""
    seen = Counter([*state.discards, *state.removed, *(card for hand in state.hands for card in hand)])
    assert max(seen.values(), default=1) == 1


def check_sieges(state: State) -> None:
    """Who besieges stands there, in a fortified space that is not his."""
    for space, power in enumerate(state.besieged_by):
        if power >= 0:
            assert state.world.fortified >> space & 1
            assert state.owner[space] != power


def data(referee: Referee, value: Any) -> bytes:
    return msgspec.json.encode(referee.codec.encode(value))


def other_secrets(state: State, seat: int | None) -> State:
    """The same state but for what a seat may not know: other hands, and the agreements it has no part in."""
    count = len(state.world.cards)
    hands = tuple(
        hand if state.seat_of(power) == seat else tuple((card + 1) % count for card in hand)
        for power, hand in enumerate(state.hands)
    )
    offers = tuple(
        one for one in state.offers if seat is not None and any(state.seat_of(power) == seat for power in parties(one))
    )
    offers = tuple(one for one in offers if one.status != "draft" or state.seat_of(one.by) == seat)
    return replace(state, hands=hands, offers=offers)


def parties(one: s.Agreement) -> tuple[int, ...]:
    return bits(one.parties)


def check_views(referee: Referee, step: Step) -> None:
    """Redacting what happens and applying it is the same as applying it and looking; secrets leave no trace."""
    for seat in (*step.before.world.seats, None):
        view = referee.view(step.before, seat)
        shown = referee.view_events(step.before, step.events, seat)
        assert referee.replay(view, shown) == referee.view(step.after, seat), (seat, step.command, shown)
        for power, hand in enumerate(view.hands):
            assert view.seat_of(power) == seat or set(hand) <= {UNKNOWN}
        other = other_secrets(step.after, seat)
        assert data(referee, referee.view(other, seat)) == data(referee, referee.view(step.after, seat))


def check_choices(referee: Referee, step: Step, pool: list[Any]) -> None:
    """What is listed is allowed, and of commands seen before nothing else that lists name wholly is."""
    state = step.before
    listed = {seat: set(referee.choices(state, seat)) for seat in state.world.seats}
    for seat, commands in listed.items():
        for command in sorted(commands, key=repr)[:: max(1, len(commands) // 25)]:
            verdict = referee.judge(state, command)
            assert verdict.allowed, (seat, command, verdict.clauses)
            own = referee.judge_for(state, command, seat)
            assert own.allowed, (seat, command, own.clauses)
    for command in pool:
        if isinstance(command, UNLISTED):
            continue
        verdict = referee.judge(state, command)
        seat = GAME.seat_for(state, command)
        assert verdict.allowed == (seat >= 0 and command in listed.get(seat, ())), (command, verdict.clauses)


def check_codec(referee: Referee, step: Step) -> None:
    for value, base in ((step.after, State), *((event, Event) for event in step.events)):
        plain = msgspec.json.decode(data(referee, value))
        assert referee.codec.decode(plain, base) == value


@given(players=st.integers(2, 6), seed=st.integers(0, 2**32))
@settings(max_examples=12, deadline=None, derandomize=True, phases=(Phase.explicit, Phase.generate))
def test_a_whole_game(players: int, seed: int) -> None:
    referee = referee_for(players)
    steps = play(players, seed)
    first: Any = next(steps)
    state: Any = first
    events: list[Event] = []
    pool: list[Any] = []
    for number, step in enumerate(steps):
        assert isinstance(step, Step)
        assert len(step.choices) <= MOST_CHOICES, (len(step.choices), step.before.frames[-1])
        at = step.before
        for event in step.events:
            after = event.apply(at)
            check_units(at, event, after)
            at = after
        assert at == step.after
        check_relations(at)
        check_people(at)
        check_cards(at)
        check_sieges(at)
        if number % 41 == 0:
            check_choices(referee, step, pool)
            check_codec(referee, step)
        if number % 11 == 0 or len(step.events) > 6:
            check_views(referee, step)
        pool = [*pool[-40:], step.command, step.choices[len(step.choices) // 2]]
        events += step.events
        state = at
    assert state.phase == s.OVER
    assert state.winners
    assert referee.replay(first, events) == state
