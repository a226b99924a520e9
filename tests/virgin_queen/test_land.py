"""War on land: joint defence by hand examples, captives, sieges; random fights conserve units, lists are whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
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
from foedus.games.virgin_queen.battle import share_losses
from foedus.games.virgin_queen.game import GAME
from foedus.games.virgin_queen.ground import formations, most_units
from foedus.games.virgin_queen.movement import LISTED, candidates, winter
from foedus.games.virgin_queen.sieges import check_sieges as check_all_sieges
from foedus.games.virgin_queen.state import POWERS, State
from foedus.kernel.dice import FastDice, ToldDice
from foedus.kernel.flow import Action
from foedus.kernel.referee import Referee
from foedus.kernel.unknown import NONE
from foedus.kernel.values import Command, Event

from .whole_play import referee_for

HUNGARY: dict[str, Any] = {
    "turn": 2,
    "phase": "action",
    "elsewhere": "home",
    "wars": ["OTT-HRE"],
    "alliances": ["ENG-HRE"],
    "minor_allies": {"PAP": "SPA", "SCO": "FRA", "IRE": "none", "POR": "none", "VEN": "none"},
}


def position(spaces: dict[str, Any], **changes: Any) -> tuple[Referee, State]:
    """The referee for six and a war in Hungary with these spaces."""
    referee = referee_for(6)
    return referee, referee.sketch({**HUNGARY, **changes, "spaces": spaces})


def space_named(state: State, name: str) -> int:
    return state.world.names["space"].index(name)


def units(state: State, name: str) -> dict[str, int]:
    return {POWERS[force.power]: force.units for force in state.land[space_named(state, name)]}


# joint defence, by hand


@pytest.mark.parametrize(
    ("sides", "hits", "dice", "lost"),
    [
        ({s.ENG: 3, s.HRE: 2}, 3, (1,), {s.ENG: 2, s.HRE: 1}),  # 1 each, the third by die: 1 to 3 England
        ({s.ENG: 3, s.HRE: 2}, 3, (3,), {s.ENG: 2, s.HRE: 1}),
        ({s.ENG: 3, s.HRE: 2}, 3, (4,), {s.ENG: 1, s.HRE: 2}),  # 4 to 6 the Empire
        ({s.ENG: 3, s.HRE: 2}, 4, (), {s.ENG: 2, s.HRE: 2}),
        ({s.ENG: 1, s.HRE: 4}, 4, (), {s.ENG: 1, s.HRE: 3}),  # England has nothing left: the rest falls on the Empire
        ({s.ENG: 1, s.HRE: 4}, 9, (), {s.ENG: 1, s.HRE: 4}),
        ({s.ENG: 0, s.HRE: 4}, 1, (), {s.ENG: 0, s.HRE: 1}),  # leaders alone lose no unit
        ({s.ENG: 2, s.HRE: 2}, 1, (6,), {s.ENG: 0, s.HRE: 1}),
        ({s.ENG: 2, s.HRE: 2}, 0, (), {s.ENG: 0, s.HRE: 0}),
        ({s.ENG: 2, s.FRA: 2, s.HRE: 2}, 4, (5,), {s.ENG: 1, s.FRA: 1, s.HRE: 2}),
        ({s.ENG: 2, s.FRA: 2, s.HRE: 2}, 5, (6,), {s.ENG: 2, s.FRA: 1, s.HRE: 2}),  # the die names one, then the next
        ({s.SPA: 2, s.ENG: 2, s.FRA: 2, s.HRE: 2}, 1, (5, 6, 2), {s.SPA: 0, s.ENG: 1, s.FRA: 0, s.HRE: 0}),
    ],
)
def test_losses_are_shared(sides: dict[int, int], hits: int, dice: tuple[int, ...], lost: dict[int, int]) -> None:
    _, state = position({})
    told = ToldDice(dice)
    action = Action(state, told)
    assert share_losses(action, 0, sides, hits) == lost
    assert not told.unused()
    odd = [event for event in action.events if isinstance(event, e.OddLoss)]
    assert bool(odd) == bool(dice)


def test_all_allied_units_and_the_best_leader_roll() -> None:
    """England 3 with Leicester (0), the Empire 2 with its commander (1): 5 units, 1 for him, 1 for the defender."""
    referee, state = position(
        {"Agram": {"units": ["OTT 4 regulars", "ENG 3 regulars, Leicester", "HRE 2 regulars, Imperial commander"]}}
    )
    dice = ToldDice((1,) * (4 + 7))
    outcome = referee.act(state, c.Attack(s.OTT, s.HRE, space_named(state, "Agram")), dice)
    fought = next(event for event in outcome.events if isinstance(event, e.BattleFought))
    assert len(fought.attacker_dice) == 4
    assert len(fought.defender_dice) == 7
    assert fought.defenders == 1 << s.ENG | 1 << s.HRE
    assert not fought.attacker_wins
    assert not dice.unused()
    assert not outcome.state.wars[s.ENG] >> s.OTT & 1


def test_without_an_alliance_there_is_no_joint_defence() -> None:
    referee, state = position(
        {"Agram": {"units": ["OTT 4 regulars", "ENG 3 regulars", "HRE 2 regulars"]}}, alliances=[]
    )
    outcome = referee.act(state, c.Attack(s.OTT, s.HRE, space_named(state, "Agram")), ToldDice((1,) * (4 + 3)))
    fought = next(event for event in outcome.events if isinstance(event, e.BattleFought))
    assert fought.defenders == 1 << s.HRE


def test_an_alliance_with_both_sides_defends() -> None:
    """England is allied with the Ottomans too: its units add to the defence all the same (defend.5)."""
    referee, state = position(
        {"Agram": {"units": ["OTT 4 regulars", "ENG 3 regulars", "HRE 2 regulars"]}}, alliances=["ENG-HRE", "OTT-ENG"]
    )
    outcome = referee.act(state, c.Attack(s.OTT, s.HRE, space_named(state, "Agram")), ToldDice((1,) * (4 + 6)))
    fought = next(event for event in outcome.events if isinstance(event, e.BattleFought))
    assert fought.defenders == 1 << s.ENG | 1 << s.HRE


# captives and leaders


def test_a_captive_is_held_by_one_power_and_stands_nowhere() -> None:
    referee, state = position({"Agram": {"units": ["OTT 3 regulars", "HRE 1 regulars, Imperial commander"]}})
    outcome = referee.act(state, c.Attack(s.OTT, s.HRE, space_named(state, "Agram")), ToldDice((6, 1, 1, 1, 1, 1)))
    leader = outcome.state.world.leader_names.index("Imperial commander")
    assert outcome.state.captor[leader] == s.OTT
    assert outcome.state.leader_at[leader] == NONE


def test_the_captor_of_a_minor_power_is_its_ally() -> None:
    """Papal units take a French leader: he is on Spain's power card."""
    referee, state = position(
        {"Avignon": {"units": ["PAP 3 regulars", "FRA 1 regulars, Guise"]}}, wars=["SPA-FRA"], alliances=[]
    )
    outcome = referee.act(state, c.Attack(s.PAP, s.FRA, space_named(state, "Avignon")), ToldDice((6, 1, 1, 1, 1, 1, 1)))
    assert outcome.state.captor[outcome.state.world.leader_names.index("Guise")] == s.SPA


def test_a_siege_is_over_when_the_besieged_power_joins_the_besieger() -> None:
    """Scotland comes to England's side while England stands before Edinburgh."""
    _, state = position(
        {"Edinburgh": {"siege": "ENG", "units": ["ENG 3 regulars", "SCO 2 regulars"]}}, wars=["ENG-FRA"], alliances=[]
    )
    edinburgh = space_named(state, "Edinburgh")
    action = Action(state, ToldDice())
    check_all_sieges(action)
    assert action.state.besieged_by[edinburgh] == s.ENG
    action.emit(e.StatusChanged(s.SCO, s.ENG))
    check_all_sieges(action)
    assert action.state.besieged_by[edinburgh] == NONE
    assert units(action.state, "Edinburgh") == {"ENG": 3, "SCO": 2}


# sizes and lists


def test_more_than_is_listed_may_be_typed() -> None:
    referee, state = position({"Vienna": {"units": ["HRE 6 regulars, 2 mercenaries, Imperial commander"]}, "Raab": {}})
    vienna, raab = space_named(state, "Vienna"), space_named(state, "Raab")
    parts = candidates(state, s.HRE, 5)
    listed = [one for part in parts for _, _, moves in part.groups(*part.arguments) for one in moves]
    leader = state.world.leader_names.index("Imperial commander")
    typed = c.Move(s.HRE, vienna, raab, 3, 1, 0, (leader,))
    assert typed not in listed
    assert referee.judge(state, typed).allowed
    assert all(referee.judge(state, one).allowed for one in listed)


def test_lists_of_moves_stay_small() -> None:
    """Forty stacks: every start and goal is listed at least once, and not many more."""
    names = referee_for(6).world.names["space"]
    _, state = position({name: {"units": ["FRA 5 regulars, 3 mercenaries"]} for name in names[13:53]})
    parts = candidates(state, s.FRA, 9)
    listed = [one for part in parts for _, _, moves in part.groups(*part.arguments) for one in moves]
    assert isinstance(listed[0], c.Move)
    ways = {(one.start, one.to) for one in listed if isinstance(one, c.Move)}
    assert len(listed) <= max(LISTED, len(ways))
    assert len(listed) == len(set(listed))


@given(st.integers(0, 9), st.integers(0, 5), st.integers(0, 5), st.booleans())
def test_listed_formations_may_go(regulars: int, mercenaries: int, cavalry: int, led: bool) -> None:
    kinds = (f"{regulars} regulars", f"{mercenaries} mercenaries", f"{cavalry} cavalry")
    told = [*(kind for kind in kinds if kind[0] != "0"), *(("Ottoman commander",) if led else ())]
    _, state = position({"Istanbul": {"units": [f"OTT {', '.join(told)}"] if told else []}})
    found = formations(state, s.OTT, space_named(state, "Istanbul"))
    assert bool(found) == bool(regulars + mercenaries + cavalry)
    for some, hired, horse, leaders in found:
        assert 0 <= some <= regulars
        assert 0 <= hired <= mercenaries
        assert 0 <= horse <= cavalry
        most = most_units(state, leaders)
        assert most is not None
        assert 1 <= some + hired + horse <= most


# interceptions stay sealed


def test_interceptions_stay_sealed_until_all_are_in() -> None:
    referee, state = position(
        {
            "Belgrade": {"units": ["OTT 3 regulars"]},
            "Graz": {"units": ["HRE 2 regulars"]},
            "Sziget": {"units": ["ENG 2 regulars"]},
        },
        wars=["OTT-HRE", "OTT-ENG"],
    )
    belgrade, agram = space_named(state, "Belgrade"), space_named(state, "Agram")
    state = referee.act(state, c.Move(s.OTT, belgrade, agram, 3)).state
    assert {decision.power for decision in referee.awaiting(state)} == {s.ENG, s.HRE}
    try_it = c.Intercept(s.ENG, space_named(state, "Sziget"), agram, 2)
    sealed = referee.act(state, try_it, None, s.S_ENG).state
    declined = referee.act(state, c.NoIntercept(s.ENG), None, s.S_ENG).state
    for seat in (None, s.S_OTT, s.S_HRE, s.S_FRA):
        assert referee.view(sealed, seat) == referee.view(declined, seat)
    assert referee.view(sealed, s.S_ENG) != referee.view(declined, s.S_ENG)


# random fights


POOL = ("OTT", "SPA", "ENG", "FRA", "HRE", "PAP", "VEN")
SPACES = ("Vienna", "Raab", "Sziget", "Agram", "Graz", "Buda", "Belgrade", "Trieste", "Venice", "Verona")
LED = {"OTT": "Ottoman commander", "SPA": "Alba", "ENG": "Leicester", "FRA": "Guise", "HRE": "Imperial commander"}
SWITCHES = {
    "defend_three": ("linked", "everyone"),
    "odd_loss_die": ("per_battle", "per_loss"),
    "defend_decides": ("controller", "more_units"),
    "captor_in_joint_defeat": ("whole_formation", "each_power"),
    "interception_number": ("nine", "told"),
    "withdrawal_limit": ("four", "told"),
    "land_dice": ("units_and_leader", "told"),
    "both_wiped_out": ("more_dice_keeps_one", "both_lost"),
    "retreat_space": ("sister_game", "told"),
    "capture_of_leaders": ("all_units_lost", "told"),
    "assault_conditions": ("full", "earlier_siege"),
    "assault_dice": ("halved_while_defended", "told"),
    "acts_at_peace": ("refused", "passage"),
}


def random_position(random: Random) -> tuple[Referee, State]:
    """Stacks of several powers in ten spaces, wars and alliances at random, the Ottomans with points to spend."""
    led = dict(LED)
    spaces: dict[str, Any] = {}
    for name in SPACES:
        told = []
        for power in random.sample(POOL, random.choice((0, 1, 1, 2, 3))):
            kinds = [f"{random.randint(1, 3)} regulars"]
            if random.random() < 0.4:
                kinds.append(f"{random.randint(1, 2)} mercenaries")
            if power in led and random.random() < 0.5:
                kinds.append(led.pop(power))
            told.append(f"{power} {', '.join(kinds)}")
        spaces[name] = {"owner": random.choice(POOL), "units": told}
    pairs = [f"{a}-{b}" for i, a in enumerate(POOL[:5]) for b in POOL[i + 1 : 5]]
    random.shuffle(pairs)
    cut = random.randint(0, 6)
    referee, state = position(
        spaces,
        wars=pairs[:cut],
        alliances=pairs[cut : cut + random.randint(0, 4)],
        minor_allies={"PAP": random.choice(("SPA", "none")), "VEN": random.choice(("HRE", "none")), "SCO": "none"},
        rulings={name: random.choice(options) for name, options in SWITCHES.items() if random.random() < 0.5},
    )
    state = replace(state, sketched=False, impulse=3, hands=((),) * len(POWERS))
    state = replace(state, besieged_by=sieges(state, random))
    besiegers = {state.acting(power) for power in state.besieged_by if power >= 0} & set(s.MAJORS)
    acting = random.choice(sorted(besiegers) or (s.OTT, s.SPA, s.FRA, s.HRE))
    return referee, replace(state, frames=(f.Spending(acting, 12),))


def sieges(state: State, random: Random) -> tuple[int, ...]:
    """Who besieges which space: mostly whoever can."""
    found = [NONE] * state.world.spaces
    for space, forces in enumerate(state.land):
        for force in forces:
            side = sum(one.units for one in forces if state.acting(one.power) == state.acting(force.power))
            more = 2 * side > sum(one.units for one in forces)
            walls = bool(state.world.fortified >> space & 1)
            if walls and more and state.at_war(force.power, state.owner[space]) and random.random() < 0.7:
                found[space] = force.power
    return tuple(found)


PEACEFUL = (c.EndImpulse, c.NoIntercept, c.BeginSailing, c.AddInfluence, c.Build, c.BuildShip)
Fight = tuple[Referee, State, int, list[Command], Command, tuple[Event, ...], State]


def fights(seed: int, most: int = 60) -> Iterator[Fight]:
    """Random moves, assaults and all that they lead to: each step with what could be chosen."""
    random, dice = Random(seed), FastDice(seed)
    referee, state = random_position(random)
    for _ in range(most):
        awaited = referee.awaiting(state)
        if not awaited:
            return
        seat = random.choice(awaited).seat
        choices = referee.choices(state, seat)
        fighting = [one for one in choices if not isinstance(one, PEACEFUL)]
        weighed = [one for one in fighting if isinstance(one, c.Assault)] or fighting
        if random.random() < 0.5:
            weighed = fighting
        command = random.choice(weighed or choices)
        outcome = referee.act(state, command, dice, seat)
        yield referee, state, seat, choices, command, outcome.events, outcome.state
        state = outcome.state


def total(state: State) -> Counter[int]:
    """Land units by power."""
    found: Counter[int] = Counter()
    for forces in state.land:
        for force in forces:
            found[force.power] += force.units
    return found


@settings(max_examples=60)
@given(st.integers(0, 10**6))
def test_random_fights(seed: int) -> None:
    """Units go only where events say, nobody is in two places, sieges hold, replay equals play."""
    for referee, before, _, _, command, events, after in fights(seed):
        counted = Counter(total(before))
        for event in events:
            if isinstance(event, e.UnitsChanged):
                counted[event.power] += event.regulars + event.mercenaries + event.cavalry
        assert +counted == total(after), command
        for leader, captor in enumerate(after.captor):
            assert captor == NONE or after.leader_at[leader] == NONE
        for forces in after.land:
            assert all(
                force.units > 0 and min(force.regulars, force.mercenaries, force.cavalry) >= 0 for force in forces
            )
            assert len({force.power for force in forces}) == len(forces)
        assert referee.replay(before, events) == after
        if after.frames and isinstance(after.frames[-1], f.Spending):
            check_sieges(after)


def check_sieges(state: State) -> None:
    """Every besieger stands before an enemy's walls with more units than are inside."""
    for space, besieger in enumerate(state.besieged_by):
        if besieger < 0:
            continue
        own = sum(force.units for force in state.land[space] if state.acting(force.power) == state.acting(besieger))
        rest = sum(force.units for force in state.land[space] if state.acting(force.power) != state.acting(besieger))
        assert own > rest
        assert state.world.fortified >> space & 1
        assert state.owner[space] == s.IND or state.at_war(besieger, state.owner[space])


def universe(state: State, random: Random) -> list[Command]:
    """Answers of every kind, by every power, most of which nobody could give now."""
    found: list[Command] = []
    near = random.sample(range(state.world.spaces), 6) + [space_named(state, name) for name in SPACES]
    for power in (s.OTT, s.SPA, s.ENG, s.FRA, s.HRE, s.PAP, s.VEN):
        found += [c.WithdrawInside(power), c.Stand(power), c.NoIntercept(power)]
        found += [c.Lose(power, kind) for kind in range(3)]
        found += [c.Tell(power, count) for count in range(-1, 4)]
        for to in near:
            found += [c.Retreat(power, to), c.MoveOn(power, to), c.Assault(power, to)]
            found += [c.AvoidBattle(power, to, how) for how in ("all", "units", "leaders", "none")]
    return found


@settings(max_examples=25)
@given(st.integers(0, 10**6))
def test_choices_are_what_is_allowed(seed: int) -> None:
    random = Random(seed)
    for referee, state, seat, choices, _, _, _ in fights(seed, 30):
        listed = set(choices)
        for one in choices:
            assert referee.judge(state, one).allowed, one
        for command in universe(state, random):
            if state.seat_of(command.power) == seat:
                assert (command in listed) == referee.judge(state, command).allowed, command


@settings(max_examples=20)
@given(st.integers(0, 10**6))
def test_steps_go_through_the_codec(seed: int) -> None:
    """What is under way, and what has happened, is plain data."""
    for referee, _, _, _, command, events, after in fights(seed, 20):
        codec = referee.codec
        assert codec.decode(msgspec.json.decode(msgspec.json.encode(codec.encode(after))), State) == after
        assert codec.decode(codec.encode(command), Command) == command
        for event in events:
            assert codec.decode(codec.encode(event), Event) == event


@settings(max_examples=30)
@given(st.integers(0, 10**6))
def test_after_winter_nobody_is_in_the_field(seed: int) -> None:
    """Who has a fortified space to go to stands in one; nobody besieges; half of what cannot go home is lost."""
    _, state = random_position(Random(seed))
    state = replace(state, allies=(0,) * len(POWERS))
    action = Action(state, FastDice(0))
    winter(action)
    after: State = action.state
    assert max(after.besieged_by) < 0
    for space, forces in enumerate(after.land):
        for force in forces:
            fortified = bool(after.world.fortified >> space & 1)
            if not (fortified and after.acting(after.owner[space]) == after.acting(force.power)):
                lost = [one for one in action.events if isinstance(one, e.UnitsChanged) and one.power == force.power]
                assert lost, (POWERS[force.power], after.world.names["space"][space])
    for event in action.events:
        if isinstance(event, e.UnitsChanged):
            before = next(one for one in state.land[event.space] if one.power == event.power).units
            assert -(event.regulars + event.mercenaries + event.cavalry) == (before + 1) // 2


def test_every_command_of_land_is_written_and_read() -> None:
    referee, state = position({})
    graz, leader = space_named(state, "Graz"), state.world.leader_names.index("Alba")
    for command in (
        c.Move(s.SPA, graz, 0, 2, 1, 0, (leader,)),
        c.AvoidBattle(s.SPA, graz, "units"),
        c.AvoidBattle(s.SPA, graz, "leaders"),
        c.AvoidBattle(s.SPA, graz),
        c.Tell(s.SPA, 2),
        c.Lose(s.SPA, s.CAVALRY),
        c.Intercept(s.SPA, graz, 0, 1),
    ):
        line = GAME.notation.write(command, state.world.names)
        assert GAME.notation.read(line, referee.names) == command
