"""What must hold whatever is played: random games and random positions, told by their seeds.

`EFFORT` times as many positions are played where more time is at hand.
"""

from __future__ import annotations

import os
import random
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

import msgspec
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

import foedus.games.sword_of_rome.state as s
from foedus.games.sword_of_rome import commands as c
from foedus.games.sword_of_rome import events as e
from foedus.games.sword_of_rome import frames as f
from foedus.games.sword_of_rome.alliances import allied_troops_in
from foedus.games.sword_of_rome.game import GAME
from foedus.games.sword_of_rome.neutrals import allowed_end
from foedus.games.sword_of_rome.sketch import write_sketch
from foedus.games.sword_of_rome.state import IND, POWERS, State
from foedus.games.sword_of_rome.support import most_loyalty
from foedus.kernel.dice import FastDice, NoDice
from foedus.kernel.flow import FramePopped, Sealed
from foedus.kernel.referee import Referee
from foedus.kernel.unknown import NONE, UNKNOWN
from foedus.kernel.values import Command, Event, Frame, bits
from sword_of_rome import play as p
from sword_of_rome.universe import ANSWERS, OFFERS, PARTS, Universe

EFFORT = int(os.environ.get("FOEDUS_EFFORT", "1"))
SEEDS = st.integers(0, 1_000_000)
PLAYERS = st.sampled_from((2, 3, 4, 5))


def examples(count: int) -> settings:
    return settings(
        max_examples=count * EFFORT,
        deadline=None,
        derandomize=True,
        database=None,
        phases=(Phase.explicit, Phase.generate),  # a seed does not shrink
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )


# what holds of every position


def kept(state: State) -> None:
    """Counters agree with what they count, and nothing is what it may not be."""
    world = state.world
    for power in range(len(POWERS)):
        assert not state.allies[power] >> power & 1, "a power allied with itself"
        for other in range(len(POWERS)):
            assert state.allies[power] >> other & 1 == state.allies[other] >> power & 1
        assert state.formal[power] & ~state.allies[power] == 0
    assert state.formal == s.masks_of(state.pacts)
    assert len({(pact.a, pact.b) for pact in state.pacts}) == len(state.pacts)
    assert all(pact.a < pact.b for pact in state.pacts)
    assert state.besieging == s.count_besieging(state.owner, state.besieged_by)
    support = s.count_support(state.kinds, state.owner, state.loyalty)
    assert state.support == support or UNKNOWN in support
    for space, forces in enumerate(state.forces):
        if not state.known_troops(space):
            continue
        powers = [force.power for force in forces]
        assert powers == sorted(set(powers)), "one force a power, in order"
        for force in forces:
            assert force.outside >= 0
            assert force.inside >= 0
            assert force.outside or force.inside
            assert not force.inside or state.kinds[space] == s.CITY
        besieger = state.besieged_by[space]
        if besieger >= 0:
            assert state.owner[space] != besieger
    for space, owner in enumerate(state.owner):
        assert owner == UNKNOWN or 0 <= owner < len(POWERS)
        loyalty = state.loyalty[space]
        if state.kinds[space] == s.CITY and owner not in (UNKNOWN, IND) and loyalty != UNKNOWN:
            assert 0 <= loyalty <= max(most_loyalty(owner), world.board.spaces[space].numbers.get("loyalty", 0))
    for leader in range(len(state.leader_at)):
        if state.leader_inside >> leader & 1:
            assert state.leader_at[leader] >= 0
            assert state.kinds[state.leader_at[leader]] == s.CITY
    expected = _all_alliances(state)
    assert state.allies == expected, (state.allies, expected)
    for seat in world.seats:
        assert -1 <= state.vp[seat] <= 12
    assert all(state.controller[npp] == NONE for npp in world.npps)


def _all_alliances(state: State) -> tuple[int, ...]:
    """The alliances of every kind: formal, the standing pair, the treaty, the passing one of 16.1.2, who was bribed."""
    masks = list(state.formal)

    def join(a: int, b: int) -> None:
        masks[a] |= 1 << b
        masks[b] |= 1 << a

    if state.ruling("etruscans_and_samnites") == "allied_for_good":
        join(s.ETR, s.SAM)
    if state.treaty == s.TREATY:
        join(s.ROM, s.CAR)
    npp = state.acting_npp
    if npp != NONE and state.allies[npp] & ~state.formal[npp]:
        moving = [frame for frame in state.frames if isinstance(frame, f.Marching) and frame.power == npp]
        for power in state.powers_of(state.activator):
            if moving and state.allies[npp] >> power & 1:
                join(npp, power)
    for power in bits(state.bribed):
        join(s.ETR, power)
    return tuple(masks)


def moved_well(turn: p.Turn) -> None:
    """No movement ends on an ally or beyond a limit, and no place in an ally's home is taken."""
    state: State = turn.before
    for event in turn.outcome.events:
        if isinstance(event, e.ControlChanged) and event.owner != IND:
            home = state.world.home[event.space]
            taken = state.owner[event.space] != event.owner
            if taken and home not in (IND, event.owner):
                assert not state.are_allied(event.owner, home), (event, turn.command)
        if isinstance(event, FramePopped):
            march = state.frames[-1]
            # an army that a new alliance catches on its way stays where it is (15.3.M3)
            if isinstance(march, f.Marching) and march.moved and not isinstance(turn.command, c.AcceptAlliance):
                ended_well(state, march)
        state = event.apply(state)


def ended_well(state: State, march: f.Marching) -> None:
    """The army, if it stands, stands where 15.3a, 16.2 and 16.3 let it.

    Whom an interception stops on his way through ends there, within his limits or not: he could not choose.
    """
    power, at = march.power, march.at
    if not state.force(power, at).outside:
        return
    assert allied_troops_in(state, power, at) == NONE, "a movement ended on an ally"
    if state.is_npp(power) and not march.fought:
        assert not allowed_end(state, power, at), "a movement ended beyond the limits"


# games


@examples(150)
@given(PLAYERS, SEEDS)
def test_play_goes_on_and_keeps_its_counters(players: int, seed: int) -> None:
    referee = p.referee_for(players)
    state = p.position(players, seed)
    kept(state)
    for turn in p.play(referee, state, seed, 60):
        kept(turn.state)
        moved_well(turn)


@examples(30)
@given(PLAYERS, SEEDS)
def test_alliances_are_renewed_or_gone_when_the_turn_ends(players: int, seed: int) -> None:
    referee = p.referee_for(players)
    state = p.position(players, seed - seed % 5)
    waiting: set[tuple[int, int]] | None = None
    for turn in p.play(referee, state, seed, 250):
        for event in turn.outcome.events:
            if isinstance(event, (e.AllianceRenewed, e.AllianceEnded)) and waiting is not None:
                waiting.discard((min(event.a, event.b), max(event.a, event.b)))
            if isinstance(event, e.PhaseBegan):
                assert not waiting, "an alliance went on unasked"
                waiting = None
            state = event.apply(state)
            if isinstance(event, e.PhaseBegan) and event.phase == s.ALLIANCES:
                waiting = {(pact.a, pact.b) for pact in state.pacts}


def weight(value: Any, seen: set[int]) -> int:
    """The memory that a value takes, all its parts counted once, without the world."""
    if id(value) in seen or isinstance(value, s.World):
        return 0
    seen.add(id(value))
    total = sys.getsizeof(value)
    if isinstance(value, tuple):
        total += sum(weight(one, seen) for one in value)
    elif isinstance(value, msgspec.Struct):
        total += sum(weight(getattr(value, name), seen) for name in value.__struct_fields__)
    return total


@examples(8)
@given(PLAYERS, SEEDS)
def test_a_state_is_small(players: int, seed: int) -> None:
    state = p.position(players, seed)
    for turn in p.play(p.referee_for(players), state, seed, 120):
        state = turn.state
    assert weight(state, set()) < 20_000


@examples(60)
@given(PLAYERS, SEEDS)
def test_replay_gives_the_same(players: int, seed: int) -> None:
    referee = p.referee_for(players)
    state = start = p.position(players, seed)
    events: list[Event] = []
    for turn in p.play(referee, start, seed, 50):
        assert turn.before == state
        state = turn.state
        events.extend(turn.outcome.events)
    assert referee.replay(start, events) == state


@examples(60)
@given(PLAYERS, SEEDS)
def test_judging_changes_nothing_and_all_choices_are_allowed(players: int, seed: int) -> None:
    referee = p.referee_for(players)
    rng = random.Random(seed)
    for turn in p.play(referee, p.position(players, seed), seed, 40):
        state = turn.before
        copy = replace(state)
        for command in rng.sample(turn.choices, min(12, len(turn.choices))):
            verdict = referee.judge(state, command)
            assert verdict.allowed, (command, verdict)
            assert referee.permitted(state, command)
            assert referee.judge(state, command).reasons == verdict.reasons
        assert state == copy


@examples(50)
@given(PLAYERS, SEEDS)
def test_every_choice_can_be_carried_out(players: int, seed: int) -> None:
    referee = p.referee_for(players)
    rng = random.Random(seed)
    for number, turn in enumerate(p.play(referee, p.position(players, seed), seed, 40)):
        if number % 4 == 0:
            for command in rng.sample(turn.choices, min(25, len(turn.choices))):
                after = referee.act(turn.before, command, FastDice(seed)).state
                kept(after)


@examples(80)
@given(PLAYERS, SEEDS)
def test_what_is_redacted_first_or_last_is_the_same(players: int, seed: int) -> None:
    referee = p.referee_for(players)
    eyes: tuple[int | None, ...] = (None, *referee.world.seats)
    for turn in p.play(referee, p.position(players, seed), seed, 30):
        for seat in eyes:
            seen = referee.view_events(turn.before, turn.outcome.events, seat)
            shown = referee.replay(referee.view(turn.before, seat), seen)
            assert shown == referee.view(turn.state, seat), (turn.command, seat)
            assert referee.view(shown, seat) == shown


@examples(60)
@given(PLAYERS, SEEDS)
def test_a_seat_judges_its_own_choices_by_what_it_sees(players: int, seed: int) -> None:
    referee = p.referee_for(players)
    rng = random.Random(seed)
    for turn in p.play(referee, p.position(players, seed), seed, 30):
        seat = turn.seat
        view = referee.view(turn.before, seat)
        assert referee.choices(view, seat) == list(turn.choices)
        for command in rng.sample(turn.choices, min(6, len(turn.choices))):
            whole, seen = referee.judge(turn.before, command), referee.judge(view, command)
            assert (whole.kind, whole.clauses) == (seen.kind, seen.clauses)


@examples(60)
@given(PLAYERS, SEEDS)
def test_what_others_hold_in_hand_shows_nowhere(players: int, seed: int) -> None:
    referee = p.referee_for(players)
    rng = random.Random(seed)
    for turn in p.play(referee, p.position(players, seed), seed, 30):
        state = turn.before
        if not any(state.hands):
            continue
        whose = rng.choice(referee.world.seats)
        other = tuple(sorted(rng.randrange(len(state.world.cards)) for _ in state.hands[whose]))
        changed = replace(state, hands=(*state.hands[:whose], other, *state.hands[whose + 1 :]))
        assert referee.awaiting(changed) == referee.awaiting(state)
        for seat in (None, *referee.world.seats):
            if seat == whose:
                continue
            assert referee.view(changed, seat) == referee.view(state, seat)
            if seat is not None:
                assert referee.choices(changed, seat) == referee.choices(state, seat)


COMMON: frozenset[type] = frozenset(
    {
        f.TurnFrame,
        f.Activation,
        f.PayingBreak,
        f.Marching,
        f.Interceptions,
        f.Attacked,
        f.Spoils,
        f.Campaign,
        f.NPPAction,
        f.Renewal,
        f.Surrendering,
        f.Reinforcing,
        f.Supporting,
        c.Activate,
        c.ActivateNPP,
        c.AcceptAlliance,
        c.AvoidBattle,
        c.BreakAlliance,
        c.Flank,
        c.Halt,
        c.Intercept,
        c.LetLapse,
        c.NameDecider,
        c.RenewAlliance,
        c.RemoveSupport,
        c.SailOn,
        c.Step,
        c.Surrender,
        e.AllianceRenewed,
        e.AttritionChecked,
        e.Avoided,
        e.Fought,
        e.Intercepted,
        e.LeaderDisplaced,
        e.PassedThrough,
        e.PassingAlliance,
        e.PutOutside,
        e.SeaMoved,
        e.SiegeSet,
        e.SiegeLifted,
        e.TurnBegan,
        e.UnitsRemoved,
    }
)


def test_random_play_reaches_what_the_rules_speak_of() -> None:
    seen = Counter[type]()
    for seed in range(120):
        players = 2 + seed // 5 % 4
        for turn in p.play(p.referee_for(players), p.position(players, seed), seed, 80):
            seen[type(turn.command)] += 1
            seen.update(type(frame) for frame in turn.before.frames)
            seen.update(type(event) for event in turn.outcome.events)
        if set(seen) >= COMMON:
            return
    assert not COMMON - set(seen), sorted(one.__name__ for one in COMMON - set(seen))


@examples(80)
@given(PLAYERS, SEEDS)
def test_everything_is_written_and_read_again(players: int, seed: int) -> None:
    referee = p.referee_for(players)
    codec, names = referee.codec, referee.names
    spelled = referee.world.names
    for turn in p.play(referee, p.position(players, seed), seed, 30):
        assert codec.decode(codec.encode(turn.command), Command) == turn.command
        for event in turn.outcome.events:
            assert codec.decode(msgspec.json.decode(msgspec.json.encode(codec.encode(event))), Event) == event
        for frame in turn.state.frames:
            assert codec.decode(codec.encode(frame), Frame) == frame
        line = GAME.notation.write(turn.command, spelled)
        assert GAME.notation.read(line, names) == turn.command, line


@examples(24)
@given(PLAYERS, SEEDS)
def test_whole_states_are_written_and_read_again(players: int, seed: int) -> None:
    referee = p.referee_for(players)
    for number, turn in enumerate(p.play(referee, p.position(players, seed), seed, 30)):
        if number % 7 == 0:
            data = msgspec.json.decode(msgspec.json.encode(referee.codec.encode(turn.state)))
            assert referee.codec.decode(data, State) == turn.state


@examples(150)
@given(PLAYERS, SEEDS)
def test_sketches_are_written_and_read_again(players: int, seed: int) -> None:
    referee = p.referee_for(players)
    _, state = p.sketched(referee, random.Random(seed))
    data = write_sketch(state)
    again = referee.sketch(data)
    assert again == state
    assert write_sketch(again) == data


@examples(40)
@given(PLAYERS, SEEDS)
def test_consequences_happen(players: int, seed: int) -> None:
    referee = p.referee_for(players)
    rng = random.Random(seed)
    for number, turn in enumerate(p.play(referee, p.position(players, seed), seed, 40)):
        if number % 3:
            continue
        for command in rng.sample(turn.choices, min(8, len(turn.choices))):
            follows = referee.judge(turn.before, command).follows
            assert follows is not None
            outcome = referee.carry_out(turn.before, command, FastDice(seed))
            assert outcome.events[: len(follows.events)] == follows.events
            if follows.until == "":
                whole = not isinstance(outcome.events[0], Sealed)
                assert len(outcome.events) == len(follows.events) or not whole


@examples(40)
@given(PLAYERS, SEEDS)
def test_remedies_turn_the_verdict(players: int, seed: int) -> None:
    referee = p.referee_for(players)
    rng = random.Random(seed)
    found = 0
    for number, turn in enumerate(p.play(referee, p.position(players, seed), seed, 30)):
        if number % 5:
            continue
        for command in asked(turn.before, rng):
            verdict = referee.judge(turn.before, command)
            for remedy in verdict.remedies:
                found += 1
                state = GAME.change(turn.before, remedy) if remedy.change else turn.before
                for one in remedy.commands:
                    state = GAME.settle(referee.act(state, one, NoDice()).state)
                assert referee.judge(state, command).allowed, (command, remedy)


def asked(state: State, rng: random.Random) -> Iterator[Command]:
    """What people ask the desk about, of any power."""
    occupied = [space for space, forces in enumerate(state.forces) if forces] or [0]
    for _ in range(6):
        a, b = rng.sample(range(IND), 2)
        space = rng.choice(occupied)
        yield c.Attack(a, b, space)
        yield c.Besiege(a, space)
        yield c.ProposeAlliance(a, b)
        yield c.BreakAlliance(a, b)
        yield c.RemoveUnits(a, b, space)
        yield c.EndMovement(a, space)
        yield c.PlayEvent(a, "remove_units", b, space)


# choices and judge over an independent universe


def agree(referee: Referee, state: State, rng: random.Random) -> None:
    """What is offered is what is allowed, for every seat."""
    offered: set[Command] = set()
    for seat in referee.world.seats:
        choices = referee.choices(state, seat)
        assert len(set(choices)) == len(choices), "a choice stands twice"
        for command in choices:
            assert referee.judge(state, command).allowed, command
            assert GAME.seat_for(state, command) == seat, command
            assert type(command) in (*ANSWERS[type(state.frames[-1])], *OFFERS), command
        offered |= set(choices)
    universe = Universe(state, rng)
    for command in universe.answers():
        if command not in offered:
            assert not referee.judge(state, command).allowed, command
    for kind in PARTS:
        for command in parts(kind, state, rng):
            assert not referee.judge(state, command).allowed, command


def parts(kind: type, state: State, rng: random.Random) -> Iterator[Command]:
    for _ in range(20):
        a, b, space = rng.randrange(IND), rng.randrange(IND), rng.randrange(len(state.owner))
        yield kind(a, b, space) if kind in (c.Attack, c.RemoveUnits, c.JoinForces) else kind(a, space)


@examples(30)
@given(PLAYERS, SEEDS)
@example(4, 17)
def test_choices_are_what_is_allowed(players: int, seed: int) -> None:
    referee = p.referee_for(players)
    rng = random.Random(seed)
    state = replace(p.position(players, seed), sketched=False)
    seen: set[type] = set()
    for turn in p.play(referee, state, seed, 60):
        kind = type(turn.before.frames[-1])
        if kind not in seen:
            seen.add(kind)
            agree(referee, turn.before, rng)
