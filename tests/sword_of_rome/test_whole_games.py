"""Whole games at random, two to five players: what must hold at every step, whatever is played."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterable
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

import foedus.games.sword_of_rome.state as s
from foedus.bots.players import STYLES
from foedus.games.sword_of_rome import commands as c
from foedus.games.sword_of_rome import events as e
from foedus.games.sword_of_rome.frames import Activation, TurnFrame
from foedus.games.sword_of_rome.game import GAME
from foedus.games.sword_of_rome.neutrals import decider
from foedus.games.sword_of_rome.state import POWERS, SEATS, State
from foedus.kernel.referee import Referee
from foedus.kernel.standing import STANDING_COMMANDS
from foedus.kernel.unknown import NONE
from foedus.kernel.values import Event
from oracles.restated_npp import RULINGS, Question, deciders

from .whole_play import MOST_STEPS, Plan, Step, play, referee_for

MOST_CHOICES = 250
EXAMPLES = 5
SHRINKING = 60.0
"""For so many seconds a game that failed is made smaller; whole games are slow to play again."""
FAILED: dict[Plan, float] = {}
FREE = (c.Talk, c.MakePromise, c.BreakPromise, c.March, *STANDING_COMMANDS)
"""Commands that may be given but are not listed: words, what is said beforehand, and whole marches that the steps of
`Activate` say as well."""
BOOK = GAME.rulebook.rulings


def plans(players: int) -> st.SearchStrategy[Plan]:
    """Games of so many players, the plainest first: random players of every style, rulings of every kind."""
    rulings = st.lists(st.sampled_from(range(len(BOOK))), max_size=6, unique=True).flatmap(
        lambda which: st.tuples(
            *(st.tuples(st.just(BOOK[one].name), st.sampled_from(BOOK[one].options)) for one in which)
        )
    )
    return st.builds(
        Plan,
        st.just(players),
        seed=st.integers(0, 2**32 - 1),
        style=st.sampled_from(STYLES),
        rulings=rulings,
        steps=st.one_of(st.integers(50, 2500), st.just(MOST_STEPS)),
        beforehand=st.sampled_from((0.0, 0.02, 0.2)),
    )


# units


def totals(state: State) -> dict[int, int]:
    """The CU of each power, wherever they stand."""
    found: dict[int, int] = {}
    for forces in state.forces:
        for force in forces:
            found[force.power] = found.get(force.power, 0) + force.outside + force.inside
    return found


def told_change(event: Event) -> dict[int, int] | None:
    """By how much an event says that the CU of powers change; None if it says so in words of its own."""
    if isinstance(event, e.UnitsAdded):
        return {event.power: event.count}
    if isinstance(event, e.UnitsRemoved):
        return {event.power: -event.outside - event.inside}
    return None if isinstance(event, e.CarthageFell) else {}


def check_units(before: State, event: Event, after: State) -> None:
    if before.forces is after.forces:
        return
    change = told_change(event)
    if change is None:
        return
    old, new = totals(before), totals(after)
    for power in {*old, *new}:
        assert new.get(power, 0) - old.get(power, 0) == change.get(power, 0), (event, POWERS[power])


# cards


def check_cards(state: State) -> None:
    """Hands, discards and what is out of the game are cards of the player's own deck, none of them twice."""
    for seat in state.world.seats:
        deck = Counter(state.world.decks[seat])
        seen = [*state.hands[seat]] if seat < len(state.hands) else []
        for pile in (state.discards, state.removed):
            seen += pile[seat] if seat < len(pile) else ()
        seen = [card for card in seen if state.world.cards[card].effect != "desperate"]
        assert Counter(seen) <= deck, SEATS[seat]


# spaces


def check_spaces(state: State) -> None:
    world = state.world
    assert len(state.owner) == len(world.board.spaces)
    for space, owner in enumerate(state.owner):
        assert 0 <= owner <= s.IND
        if not world.may_exist(world.board.spaces[space]):
            assert owner == s.IND
            assert not state.forces[space]
            assert space not in state.leader_at
        loyalty = state.loyalty[space]
        name = world.board.spaces[space].id
        if state.kinds[space] != s.CITY:
            assert loyalty == 0, (name, loyalty)
        elif world.board.spaces[space].number("loyalty", world.players) or state.colonies >> space & 1:
            most = 1 if owner in (s.IND, s.GAL, s.TRA) else 3
            assert 1 <= loyalty <= most, (name, POWERS[owner], loyalty)
    assert state.support == s.count_support(state.kinds, state.owner, state.loyalty)
    assert all(0 <= state.vp[seat] <= 12 for seat in world.seats)


def check_control(before: State, event: Event) -> None:
    """15.2.3a: nobody gains control in the home region of an ally."""
    if not isinstance(event, e.ControlChanged) or event.owner in (s.IND, before.owner[event.space]):
        return
    home = before.world.home[event.space]
    if home not in (s.IND, event.owner):
        assert not before.allies[event.owner] >> home & 1, (event, POWERS[home])


# where troops stand


def at_rest(state: State) -> bool:
    """Is no army under way?"""
    return all(isinstance(frame, (TurnFrame, Activation)) for frame in state.frames)


def may_end(state: State, power: int, space: int) -> bool:
    """16.3, restated: may the movement of a non-player power end there?"""
    place = state.world.board.spaces[space]
    if power == s.CAR and state.world.players != 5:
        return place.region in ("africa", "sicily")
    if power == s.VOL:
        return place.home in ("ROM", "VOL")
    if power == s.TRA:
        return place.home in ("GAL", "TRA")
    return power != s.MER or place.id in ("carthago", "kerkouane")


def standing(state: State) -> set[tuple[int, int]]:
    """(power, space) wherever a power has CU outside."""
    return {(f.power, space) for space, forces in enumerate(state.forces) for f in forces if f.outside}


class Watch:
    """Looks at every event of a game."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.shared: set[int] = set()
        self.since: list[Event] = []
        self.rested = standing(state)
        self.renewed: set[tuple[int, int]] | None = None

    def see(self, events: Iterable[Event]) -> None:
        """Apply the events one by one and check each."""
        for event in events:
            before, after = self.state, event.apply(self.state)
            check_units(before, event, after)
            check_control(before, event)
            self._lapses(before, event)
            if isinstance(event, e.Sharing):
                self.shared |= set(event.spaces)
            if isinstance(event, e.UnitsAdded) and before.ruling("stacking_outside_movement") == "movement_only":
                self.shared.add(event.space)
            if isinstance(event, e.PutOutside):
                self.shared.add(event.space)  # 15.5b: an alliance over, the guests stand before the walls
            self.since.append(event)
            self.state = after
        check_spaces(self.state)
        check_cards(self.state)
        if at_rest(self.state):
            self._stand()

    def _lapses(self, state: State, event: Event) -> None:
        """15.4a: what was not renewed in its phase is over when the next begins."""
        if isinstance(event, (e.AllianceRenewed, e.AllianceMade)) and self.renewed is not None:
            self.renewed.add((min(event.a, event.b), max(event.a, event.b)))
        if isinstance(event, e.PhaseBegan):
            if self.renewed is not None:
                assert {(pact.a, pact.b) for pact in state.pacts} <= self.renewed
            self.renewed = set() if event.phase == s.ALLIANCES else None

    def _stand(self) -> None:
        """15.3, 16.2 and 16.3: nobody has ended where he may not."""
        now = standing(self.state)
        for space in {space for _, space in now}:
            together = sorted(power for power, at in now if at == space)
            if len(together) < 2:
                self.shared.discard(space)
            else:
                assert space in self.shared, (self.state.world.board.spaces[space].id, together, self.since[-12:])
        retreated = any(isinstance(event, e.Fought) for event in self.since)
        for power, space in now - self.rested:
            if self.state.controller[power] == NONE and not retreated:
                assert may_end(self.state, power, space), (POWERS[power], self.state.world.board.spaces[space].id)
        self.rested, self.since = now, []


# who decides


def question(state: State, npp: int) -> Question:
    """The question of 16.1 in the words of its restatement."""
    moment = "activated" if state.acting_npp == npp else "turn_end" if state.phase in s.TURN_END else "inactive"
    pairs = [(pact.a, pact.b) for pact in state.pacts]
    for a, b in ((s.ETR, s.SAM), (s.ROM, s.CAR)):  # of a bribe one is an ally for a march only
        if state.allies[a] >> b & 1:
            pairs.append((a, b))
    return Question(
        players=state.world.players,
        seats={SEATS[seat]: tuple(POWERS[power] for power in state.powers_of(seat)) for seat in state.seats},
        vp={SEATS[seat]: state.vp[seat] for seat in state.seats},
        alliances=frozenset(frozenset((POWERS[a], POWERS[b])) for a, b in pairs),
        active=SEATS[state.active] if state.active >= 0 else None,
        npp=POWERS[npp],
        moment=moment,
        activator=SEATS[state.activator] if state.activator >= 0 else None,
        treaty=state.treaty == s.TREATY,
        rulings={name: state.ruling(name) for name in RULINGS},
    )


def check_deciders(state: State) -> None:
    for npp in state.world.npps:
        seat, among, clause = deciders(question(state, npp))
        found = decider(state, npp)
        assert found.clause == clause
        if not seat:
            assert found.seat == NONE
            continue
        if found.among or state.named[npp] == NONE:
            assert SEATS[found.seat] == seat
            assert {SEATS[one] for one in found.among or (found.seat,)} == set(among)
        else:
            assert SEATS[found.seat] in among


# choices, views, codec


def check_choices(referee: Referee, step: Step, pool: dict[Any, None]) -> None:
    """What is listed is allowed, and of commands seen before nothing else is."""
    state = step.before
    listed: dict[int, set[Any]] = {seat: set(referee.choices(state, seat)) for seat in state.seats}
    for seat, commands in listed.items():
        for command in sorted(commands, key=repr)[:40]:
            assert referee.judge(state, command).allowed, (seat, command)
    for command in list(pool):
        if isinstance(command, FREE):
            continue
        verdict = referee.judge(state, command)
        seat = GAME.seat_for(state, command)
        assert verdict.allowed == (seat >= 0 and command in listed.get(seat, ())), (
            seat,
            command,
            verdict.kind,
            verdict.clauses,
            state.frames[1:],
        )


def check_views(referee: Referee, step: Step) -> None:
    """Redacting what happens and applying it is the same as applying it and looking; other hands leave no trace."""
    for seat in (*step.before.seats, None):
        view = referee.view(step.before, seat)
        shown = referee.view_events(step.before, step.events, seat)
        assert referee.replay(view, shown) == referee.view(step.after, seat)
        hands = tuple(
            hand if owner == seat else tuple((card + 1) % len(step.after.world.cards) for card in hand)
            for owner, hand in enumerate(step.after.hands)
        )
        said = tuple(one for one in step.after.standing if step.after.controller[one.power] == seat)
        other = replace(step.after, hands=hands, standing=said)
        assert data(referee, referee.view(other, seat)) == data(referee, referee.view(step.after, seat))


def data(referee: Referee, value: Any) -> bytes:
    return msgspec.json.encode(referee.codec.encode(value))


def check_codec(referee: Referee, step: Step) -> None:
    for value, base in ((step.after, State), *((event, Event) for event in step.events)):
        plain = msgspec.json.decode(data(referee, value))
        assert referee.codec.decode(plain, base) == value


@pytest.mark.parametrize("players", [2, 3, 4, 5])
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=bool(os.environ.get("CI")),
    suppress_health_check=(HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.differing_executors),
)
@given(told=st.data())
def test_a_whole_game(players: int, told: st.DataObject) -> None:
    plan = told.draw(plans(players))
    failed = [when for one, when in FAILED.items() if one.players == players]
    assume(plan in FAILED or not failed or time.monotonic() < min(failed) + SHRINKING)
    try:
        check_game(plan)
    except Exception:
        FAILED.setdefault(plan, time.monotonic())
        raise


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_a_plain_game_to_its_end(players: int) -> None:
    check_game(Plan(players))


def check_game(plan: Plan) -> None:
    referee = referee_for(plan.players)
    watch: Watch | None = None
    events: list[Event] = []
    first: Any = None
    pool: dict[Any, None] = {}
    last: Any = None
    for number, step in enumerate(play(plan)):
        if watch is None:
            first = last = step.after
            watch = Watch(first)
            continue
        assert len(step.choices) <= MOST_CHOICES, (len(step.choices), step.before.frames[-1])
        watch.see(step.events)
        events += step.events
        last = step.after
        assert watch.state == last
        if number % 5 == 0:
            check_deciders(step.before)
        if number % 37 == 0:
            check_choices(referee, step, pool)
        if number % 37 == 0 or isinstance(step.command, STANDING_COMMANDS):
            check_views(referee, step)
            check_codec(referee, step)
        for command in (step.command, *step.choices[:: max(1, len(step.choices) // 3)]):
            pool.pop(command, None)
            pool[command] = None
        while len(pool) > 120:
            del pool[next(iter(pool))]
    assert referee.replay(first, events) == last
    if last.phase != s.OVER:
        assert plan.steps < MOST_STEPS
        return
    assert last.winners
    assert sorted(last.ranking) == sorted(last.world.seats)
    assert last.ranking[0] in last.winners
    (decision,) = referee.awaiting(last)
    assert decision.what == "over"
