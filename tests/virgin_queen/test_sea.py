"""The sea: units are conserved, a naval move is one step for all, interceptions stay sealed, lists are whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import product
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

import foedus.games.virgin_queen.state as s
from foedus.games.virgin_queen import commands as c
from foedus.games.virgin_queen import events as e
from foedus.games.virgin_queen import frames as f
from foedus.games.virgin_queen.game import GAME
from foedus.games.virgin_queen.notation import NOTATION
from foedus.games.virgin_queen.state import State
from foedus.kernel.desk import rule
from foedus.kernel.dice import FastDice
from foedus.kernel.notation import NotationError
from foedus.kernel.referee import Referee, make_referee
from foedus.kernel.unknown import NONE
from foedus.kernel.values import Command, Event

from .whole_play import referee_for

AT_SEA: dict[str, Any] = {
    "turn": 2,
    "phase": "action",
    "elsewhere": "home",
    "wars": ["OTT-SPA", "OTT-FRA", "ENG-SPA"],
    "alliances": ["SPA-FRA"],
    "minor_allies": {"PAP": "SPA", "SCO": "FRA", "IRE": "none", "POR": "none", "VEN": "SPA"},
    "spaces": {
        "Marseille": {"ships": ["FRA 2 galleys, French admiral", "SPA 1 galleys lent to FRA"]},
        "Barcelona": {"ships": ["SPA 2 galleys, Santa Cruz", "FRA 1 galleys lent to SPA"]},
        "Naples": {"ships": ["SPA 2 galleys"]},
        "Venice": {"ships": ["VEN 2 galleys"]},
        "Tunis": {"ships": ["OTT 3 galleys, Dragut"]},
        "Algiers": {"ships": ["OTT 2 corsairs, Uluch Ali"]},
        "Lepanto": {"ships": ["OTT 2 galleys", "OTT 1 corsairs"]},
        "Cadiz": {"ships": ["SPA 2 squadrons"]},
        "Plymouth": {"ships": ["ENG 2 squadrons, English admiral"]},
        "Brest": {"ships": ["FRA 2 squadrons"]},
    },
    "seas": {"Gulf of Lion": {"ships": ["FRA 1 galleys"]}, "Barbary Coast": {"ships": ["OTT 1 galleys"]}},
}
STEPS = (f.Sailing, f.SeaInterceptions, f.SeaBattle, f.Telling)


def position(**changes: Any) -> tuple[Referee, State]:
    """The referee for six and the position above with other keys, in a game that goes on."""
    referee = referee_for(6)
    state: State = referee.sketch({**AT_SEA, **changes})
    return referee, replace(state, sketched=False)


def fleets(state: State) -> Counter[tuple[int, int]]:
    """Naval units by owner and kind."""
    found: Counter[tuple[int, int]] = Counter()
    for row in state.fleets:
        for fleet in row:
            found[fleet.owner, fleet.kind] += fleet.count
    return found


def spending(state: State, power: int, left: int) -> State:
    """The position while the power spends command points."""
    return replace(
        state, active=power, frames=(f.TurnFrame(True), f.Acting(power, True), f.Spending(power, left)), impulse=1
    )


def check_events(before: State, events: tuple[Event, ...]) -> State:
    """Units come and go only where an event says so, under their owner's marker; a loan is not ended by it."""
    state = before
    for event in events:
        after = event.apply(state)
        change: Counter[tuple[int, int]] = Counter()
        if isinstance(event, e.ShipsChanged):
            assert event.count < 0
            change[event.owner, event.fleet] = event.count
        if isinstance(event, e.ShipsMoved):
            assert event.count > 0
            assert event.to in state.world.sea_ways[event.start] or event.why == "f16.3"
        old, new = fleets(state), fleets(after)
        assert all(new[key] - old[key] == change[key] for key in {*old, *new}), event
        for place, row in enumerate(after.fleets):
            assert all(fleet.count > 0 for fleet in row)
            assert not row or after.world.is_zone(place) or after.world.ports >> place & 1
        state = after
    return state


def sea_play(referee: Referee, state: State, seed: int, steps: int) -> Iterator[tuple[State, Command, Any]]:
    """Naval moves at random, great power by great power."""
    random, dice = Random(seed), FastDice(seed)
    at = state
    for _ in range(steps):
        if not isinstance(at.frames[-1] if at.frames else None, STEPS):
            at = spending(at, random.choice((s.OTT, s.SPA, s.ENG, s.FRA)), 1)
        seat = random.choice([decision.seat for decision in referee.awaiting(at)])
        choices = referee.choices(at, seat)
        sea = [one for one in choices if isinstance(one, (c.BeginSailing, c.Sail, c.InterceptAtSea))]
        command = random.choice(sea if sea and random.random() < 0.7 else choices)
        if isinstance(command, c.BeginSailing) or isinstance(at.frames[-1], STEPS):
            outcome = referee.act(at, command, dice, seat)
            yield at, command, outcome
            at = outcome.state


RULINGS: tuple[dict[str, str], ...] = (
    {},
    {"naval_dice": "told", "naval_interception": "told", "naval_retreat": "told"},
    {"naval_losses": "one_hit_a_unit", "naval_retreat": "port_or_zone", "naval_leaders": "lost"},
    {"naval_dice": "one_a_unit", "naval_port_attack": "never"},
)


@pytest.mark.parametrize("rulings", RULINGS)
@given(seed=st.integers(0, 2**32))
@settings(max_examples=4, deadline=None, derandomize=True)
def test_units_are_conserved_by_owner_through_loans_and_battles(rulings: dict[str, str], seed: int) -> None:
    referee, state = position(rulings=rulings)
    fought = 0
    for before, _, outcome in sea_play(referee, state, seed, 120):
        assert check_events(before, outcome.events) == outcome.state
        fought += sum(isinstance(event, e.BattleFought) for event in outcome.events)
        kept = {(fleet.owner, fleet.holder) for row in outcome.state.fleets for fleet in row}
        assert kept <= {(fleet.owner, fleet.holder) for row in state.fleets for fleet in row}
    assert fought


@given(seed=st.integers(0, 2**32))
@settings(max_examples=8, deadline=None, derandomize=True)
def test_all_that_is_named_moves_one_step_at_once(seed: int) -> None:
    referee, state = position()
    ended = 0
    for before, command, outcome in sea_play(referee, state, seed, 120):
        frame: Any = before.frames[-1]
        if isinstance(command, c.Sail):
            assert outcome.state.fleets == before.fleets  # named only
        if not isinstance(command, c.EndSailing):
            continue
        ended += 1
        wanted = Counter({(p, x.owner, x.holder, x.kind): x.count for p, row in enumerate(before.fleets) for x in row})
        for start, to, unit in frame.moved:
            assert to in before.world.sea_ways[start]
            if before.world.is_zone(to):
                assert before.world.board.seas[before.world.zone(to)].kind == "zone"
            wanted[start, unit.owner, unit.holder, unit.kind] -= unit.count
            wanted[to, unit.owner, unit.holder, unit.kind] += unit.count
            named = sum(
                one.count
                for place, _, one in frame.moved
                if place == start and (one.owner, one.holder, one.kind) == (unit.owner, unit.holder, unit.kind)
            )
            there = before.fleets[start]
            assert named <= sum(
                x.count for x in there if (x.owner, x.holder, x.kind) == (unit.owner, unit.holder, unit.kind)
            )
        at = before
        moves = 0
        for event in outcome.events:
            at = event.apply(at)
            moves += isinstance(event, e.ShipsMoved)
            if moves == len(frame.moved):
                break
        assert +wanted == Counter(
            {(p, x.owner, x.holder, x.kind): x.count for p, row in enumerate(at.fleets) for x in row}
        )
    assert ended


def restated_dice(state: State, power: int, place: int, defends: bool) -> int:
    """Two dice for each unit, one for a corsair, the best rating of a naval leader, one for a defender in port."""
    side = [one for one in s.EVERY if one == power or state.minor_ally[one] == power]
    there = [fleet for fleet in state.fleets[place] if fleet.holder in side]
    assert there
    ratings = [
        card.battle
        for leader, card in enumerate(state.world.leaders)
        if card.kind == "naval" and state.leader_at[leader] == place and state.leader_holder[leader] in side
    ]
    dice = sum(fleet.count * (1 if fleet.kind == s.CORSAIR else 2) for fleet in there) + max(ratings, default=0)
    return dice + (1 if defends and not state.world.is_zone(place) else 0)


@given(seed=st.integers(0, 2**32))
@settings(max_examples=8, deadline=None, derandomize=True)
def test_battles_are_rolled_as_restated_and_part_the_enemies(seed: int) -> None:
    referee, state = position()
    fought, mover, zones = 0, NONE, set[int]()
    for before, command, outcome in sea_play(referee, state, seed, 120):
        frame: Any = before.frames[-1]
        if isinstance(command, c.EndSailing):
            mover, zones = command.power, {to for _, to, _ in frame.moved if before.world.is_zone(to)}
        at = before
        for event in outcome.events:
            if isinstance(event, e.BattleFought):
                fought += 1
                defender = event.defenders.bit_length() - 1
                assert at.wars[event.attacker] >> defender & 1
                assert len(event.attacker_dice) == restated_dice(at, event.attacker, event.place, False)
                assert len(event.defender_dice) == restated_dice(at, defender, event.place, True)
                assert event.hits_on_defender == sum(die >= 5 for die in event.attacker_dice)
                assert event.hits_on_attacker == sum(die >= 5 for die in event.defender_dice)
                assert event.attacker_wins == (event.hits_on_defender > event.hits_on_attacker)
            at = event.apply(at)
        if isinstance(at.frames[-1], STEPS):
            continue
        for zone in zones:  # where it came to an end, the mover has beaten his enemies or is gone
            sides = {at.acting(fleet.holder) for fleet in at.fleets[zone]}
            assert mover not in sides or not any(at.at_war(mover, other) for other in sides), zone
        for leader, card in enumerate(at.world.leaders):
            place = at.leader_at[leader]
            if card.kind == "naval" and place >= at.world.spaces:
                assert any(at.acting(x.holder) == at.acting(at.leader_holder[leader]) for x in at.fleets[place])
    assert fought


# sealed answers


def interception() -> tuple[Referee, State]:
    """A Spanish fleet has come to the Tyrrhenian Sea; the Ottomans and France are asked."""
    referee, state = position(
        wars=["OTT-SPA", "FRA-SPA"],
        alliances=[],
        minor_allies={"PAP": "none", "SCO": "none", "IRE": "none", "POR": "none", "VEN": "none"},
        spaces={"Naples": {"ships": ["SPA 2 galleys"]}},
        seas={"Gulf of Lion": {"ships": ["FRA 2 galleys"]}, "Barbary Coast": {"ships": ["OTT 2 galleys"]}},
    )
    state = spending(state, s.SPA, 2)
    names = referee.names
    for line in ("SPA begins sailing", "SPA sails 2 galleys from Naples to Tyrrhenian Sea", "SPA sails no more"):
        state = referee.act(state, NOTATION.read(line, names), seat=s.S_SPA).state
    return referee, state


def seen(referee: Referee, state: State, events: tuple[Event, ...], before: State, seat: int | None) -> bytes:
    """All that a seat learns of what has happened."""
    shown = [referee.codec.encode(event) for event in referee.view_events(before, events, seat)]
    return msgspec.json.encode([referee.codec.encode(referee.view(state, seat)), shown])


def test_an_interception_is_sealed_until_all_have_answered() -> None:
    referee, state = interception()
    assert {decision.power for decision in referee.awaiting(state)} == {s.OTT, s.FRA}
    zone = referee.world.names["place"].index("Tyrrhenian Sea")
    coast = referee.world.names["place"].index("Barbary Coast")
    outcomes = [
        referee.act(state, command, seat=s.S_OTT)
        for command in (c.InterceptAtSea(s.OTT, coast, zone), c.LetPass(s.OTT))
    ]
    for seat in (s.S_SPA, s.S_FRA, s.S_ENG, None):
        told = {seen(referee, one.state, one.events, state, seat) for one in outcomes}
        assert len(told) == 1
        for one in outcomes:
            assert {decision.power for decision in referee.awaiting(one.state)} == {s.FRA}
    own = {seen(referee, one.state, one.events, state, s.S_OTT) for one in outcomes}
    assert len(own) == 2
    assert not referee.judge(outcomes[0].state, c.LetPass(s.OTT)).allowed  # nobody answers twice
    lists = [referee.choices(one.state, s.S_FRA) for one in outcomes]
    assert lists[0] == lists[1]


def test_all_who_intercept_come_and_fight() -> None:
    referee, state = interception()
    zone = referee.world.names["place"].index("Tyrrhenian Sea")
    lion = referee.world.names["place"].index("Gulf of Lion")
    coast = referee.world.names["place"].index("Barbary Coast")
    state = referee.act(state, c.InterceptAtSea(s.FRA, lion, zone), seat=s.S_FRA).state
    for seed in range(40):
        outcome = referee.act(state, c.InterceptAtSea(s.OTT, coast, zone), FastDice(seed), s.S_OTT)
        rolled = [event for event in outcome.events if isinstance(event, e.InterceptionRolled)]
        assert [event.power for event in rolled] == [s.OTT, s.FRA]  # in Impulse Order
        fights = [event for event in outcome.events if isinstance(event, e.BattleFought)]
        came = [event.power for event in rolled if event.success]
        assert [event.defenders for event in fights] == [1 << power for power in came[: len(fights)]]
        assert bool(fights) == bool(came)


# lists and judgements


def naming(power: int, **changes: Any) -> tuple[Referee, State]:
    """The power is naming what sails."""
    referee, state = position(**changes)
    state = spending(state, power, 1)
    return referee, referee.act(state, c.BeginSailing(power), seat=state.seat_of(power)).state


@pytest.mark.parametrize("power", [s.OTT, s.SPA, s.ENG, s.FRA])
@pytest.mark.parametrize("named", [0, 2])
def test_the_list_is_what_is_allowed(power: int, named: int) -> None:
    """All units of a kind or one, to every place: what is listed is allowed, and nothing else of these is."""
    referee, state = naming(power)
    seat, random = state.seat_of(power), Random(named)
    for _ in range(named):
        sails = [one for one in referee.choices(state, seat) if isinstance(one, c.Sail)]
        if sails:
            state = referee.act(state, random.choice(sails), seat=seat).state
    listed = referee.choices(state, seat)
    assert len(listed) == len(set(listed)) < 200
    assert c.EndSailing(power) in listed
    assert all(referee.judge(state, one).allowed for one in listed)
    plain = {one for one in listed if isinstance(one, c.Sail) and not one.leaders}
    allowed: dict[tuple[int, ...], list[c.Sail]] = {}
    world = state.world
    starts = [place for place, row in enumerate(state.fleets) if row]
    sides = {s.OTT: (s.OTT,), s.SPA: (s.SPA, s.PAP, s.VEN, s.POR), s.ENG: (s.ENG,), s.FRA: (s.FRA, s.SCO, s.OTT)}
    owners = (NONE, s.OTT, s.SPA, s.FRA, s.VEN)
    for who, start in product(sides[power], starts):
        far = next(place for place in range(world.places) if place not in world.sea_ways[start])
        for to, kind, count, owner in product((*world.sea_ways[start], far), range(3), range(1, 5), owners):
            command = c.Sail(who, start, to, count, kind, owner)
            if referee.judge(state, command).allowed:
                allowed.setdefault((who, start, to, kind, owner), []).append(command)
    for key, commands in allowed.items():
        counts = sorted(one.count for one in commands)
        assert counts == list(range(1, counts[-1] + 1))
        if key[4] == NONE or not any(other[:4] == key[:4] and other[4] == NONE for other in allowed):
            assert {commands[0], commands[-1]} <= plain, key
    every = {command for commands in allowed.values() for command in commands}
    assert plain <= every


def test_what_others_do_is_refused_while_units_are_named() -> None:
    referee, state = naming(s.SPA)
    zone = referee.world.names["place"].index("Gulf of Lion")
    port = referee.world.names["place"].index("Marseille")
    for command in (
        c.EndSailing(s.FRA),
        c.EndSailing(s.VEN),
        c.BeginSailing(s.SPA),
        c.Sail(s.FRA, port, zone, 1, s.GALLEY),
        c.Sail(s.SPA, port, zone, 1, s.GALLEY),
        c.InterceptAtSea(s.OTT, zone, zone),
        c.LetPass(s.OTT),
        c.RetreatAtSea(s.SPA, zone),
        c.LoseShip(s.SPA, s.GALLEY, s.SPA),
    ):
        assert not referee.judge(state, command).allowed, command


# paying, and responses


def test_a_naval_move_costs_command_points() -> None:
    referee, state = position()
    state = spending(state, s.SPA, 3)
    after = referee.act(state, c.BeginSailing(s.SPA), seat=s.S_SPA).state
    assert after.frames[-2] == f.Spending(s.SPA, 2)
    assert referee.act(after, c.EndSailing(s.SPA), seat=s.S_SPA).state.frames[-1] == f.Spending(s.SPA, 2)
    dear = make_referee(GAME, 6, options={"tables": {"costs": {"sail": 2}}})
    state = spending(replace(dear.sketch(AT_SEA), sketched=False), s.SPA, 1)
    assert dear.judge(state, c.BeginSailing(s.SPA)).clauses == ("f11.4",)
    assert c.BeginSailing(s.SPA) not in dear.choices(state, s.S_SPA)
    assert dear.judge(state, c.BeginSailing(s.FRA)).clauses == ("f11.4",)
    assert c.BeginSailing(s.SPA) in dear.choices(spending(state, s.SPA, 2), s.S_SPA)


def test_a_response_turns_the_fleet_back() -> None:
    referee, state = position()
    storms = next(i for i, card in enumerate(referee.world.cards) if card.kind == "response")
    hands = tuple((storms,) if power == s.OTT else () for power in range(len(s.POWERS)))
    state = spending(replace(state, hands=hands, dealt=True), s.SPA, 1)
    start = state
    for line in (
        "SPA begins sailing",
        "SPA sails 2 galleys from Barcelona to Gulf of Lion with Santa Cruz",
        "VEN sails 2 galleys from Venice to Adriatic Sea",
        "SPA sails no more",
    ):
        state = referee.act(state, NOTATION.read(line, referee.names), seat=s.S_SPA).state
    assert state.fleets != start.fleets
    assert [decision.power for decision in referee.awaiting(state)] == [s.OTT]
    spoiled = referee.act(state, c.Respond(s.OTT, storms), seat=s.S_OTT).state
    assert spoiled.fleets == start.fleets
    assert spoiled.leader_at == start.leader_at
    assert not any(isinstance(frame, f.Sailing) for frame in spoiled.frames)
    passed = referee.act(state, c.NoResponse(s.OTT), seat=s.S_OTT).state
    assert passed.fleets == state.fleets


# words


REFUSED = (
    "SPA sails 5 galleys from Barcelona to Gulf of Lion",
    "SPA sails 0 galleys from Barcelona to Gulf of Lion",
    "SPA sails 1 galleys from Barcelona to Adriatic Sea",
    "SPA sails 1 squadrons from Cadiz to Mid-Atlantic",
    "SPA sails 1 galleys from Marseille to Gulf of Lion",
    "SPA sails 1 galleys from Barcelona to Gulf of Lion with Alba",
    "SPA sails 1 galleys from Naples to Tyrrhenian Sea with Santa Cruz",
    "SPA intercepts at sea in Gulf of Lion from Cadiz",
    "SPA intercepts at sea in Gulf of Lion from Genoa",
    "SPA intercepts at sea in Gulf of Lion from Barcelona",
    "SPA sails no more",
    "HRE begins sailing",
    "SPA lets the fleet pass",
    "SPA loses galleys of FRA",
    "SPA retreats at sea to Barcelona",
    "SPA winters at Naples from Tyrrhenian Sea",
    "OTT sails 1 galleys from Barbary Coast to Malta",
    "OTT sails 1 galleys from Barbary Coast to Cartagena",
)


@pytest.mark.parametrize("line", REFUSED)
def test_a_refusal_says_why_in_both_languages(line: str) -> None:
    referee = referee_for(6)
    state = referee.sketch(AT_SEA)
    command = NOTATION.read(line, referee.names)
    assert NOTATION.read(NOTATION.write(command, referee.world.names), referee.names) == command
    said = [rule(referee, state, command, language, line).text for language in ("en", "ru")]
    assert said[0].startswith("Refused"), said
    assert said[1].startswith("Нельзя"), said
    for text in said:
        assert "{" not in text, text
        assert "variant" not in text, text


@pytest.mark.parametrize(
    "line",
    [
        "SPA sails 1 galleys from Nowhere to Gulf of Lion",
        "SPA sails 1 elephants from Barcelona to Gulf of Lion",
        "SPA sails galleys from Barcelona",
    ],
)
def test_nonsense_is_named(line: str) -> None:
    with pytest.raises(NotationError):
        NOTATION.read(line, referee_for(6).names)
