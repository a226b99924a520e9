"""Defence by allied powers in one space, against a restatement by somebody who has not read the engine."""

from __future__ import annotations

from functools import cache
from itertools import combinations, permutations, product
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

import foedus.games.virgin_queen.state as s
from foedus.games.virgin_queen import events as e
from foedus.games.virgin_queen.battle import decider, formation, share_losses
from foedus.games.virgin_queen.state import MAJORS, MINORS, POWERS, Force, State, pair
from foedus.kernel.dice import NeedDice, ToldDice
from foedus.kernel.flow import Action
from oracles import restated_vq_defence as restated

from .whole_play import referee_for

CODES = POWERS[: len(MAJORS)]
LED = {s.OTT: "Ottoman commander", s.SPA: "Alba", s.ENG: "Leicester", s.FRA: "Guise", s.HRE: "Imperial commander"}


@cache
def ground() -> State:
    """A position without wars, alliances and minor allies."""
    found: State = referee_for(6).sketch(
        {
            "turn": 2,
            "phase": "action",
            "elsewhere": "home",
            "wars": [],
            "alliances": [],
            "minor_allies": {POWERS[minor]: "none" for minor in MINORS},
        }
    )
    return found


@cache
def raab() -> int:
    return ground().world.names["space"].index("Raab")


def with_rulings(state: State, **chosen: str) -> State:
    for name, option in chosen.items():
        where, index = state.world.rulebook.option(name, option)
        state = replace(state, rulings=s.put(state.rulings, where, index))
    return state


def joined(pairs: Any) -> tuple[int, ...]:
    found = (0,) * len(POWERS)
    for a, b in pairs:
        found = pair(found, a, b, True)
    return found


def named(pairs: Any) -> frozenset[frozenset[str]]:
    return frozenset(frozenset((POWERS[a], POWERS[b])) for a, b in pairs)


Stacks = dict[int, tuple[int, bool]]
"""By power its units in the space, and whether its army leader stands there."""


def both(attacker: int, stacks: Stacks, wars: Any, allies: Any, owner: int, **rulings: str) -> tuple[State, Any]:
    """The same position for the engine and for the restatement."""
    state = with_rulings(ground(), **{key: value for key, value in rulings.items() if key != "restated"})
    names = state.world.leader_names
    leader_at = list(state.leader_at)
    told = []
    for power, (units, led) in stacks.items():
        if led:
            leader_at[names.index(LED[power])] = raab()
        told.append(restated.Stack(POWERS[power], units, (LED[power],) if led else ()))
    state = replace(
        state,
        wars=joined(wars),
        allies=joined(allies),
        owner=s.put(state.owner, raab(), owner),
        land=s.put(
            state.land, raab(), tuple(Force(power, units) for power, (units, _) in sorted(stacks.items()) if units)
        ),
        leader_at=tuple(leader_at),
    )
    ruling = {"defend_three": rulings["restated"]} if "restated" in rulings else {}
    attack = restated.Attack(POWERS[attacker], tuple(told), named(wars), named(allies), POWERS[owner], ruling)
    return state, attack


def graphs(powers: tuple[int, ...], random: Random | None = None) -> Any:
    """Every way in which pairs of these powers can be at war, allied or neither; a sample of them with `random`."""
    pairs = tuple(combinations(powers, 2))
    for kinds in product("wa-", repeat=len(pairs)):
        if random is not None and random.random() > 0.04:
            continue
        yield (
            [one for one, kind in zip(pairs, kinds, strict=True) if kind == "w"],
            [one for one, kind in zip(pairs, kinds, strict=True) if kind == "a"],
        )


RULINGS: tuple[dict[str, str], ...] = ({}, {"defend_three": "everyone", "restated": "everybody"})


@pytest.mark.parametrize("rulings", RULINGS)
def test_who_defends_with_two_in_the_space(rulings: dict[str, str]) -> None:
    """Every war and alliance between an attacker and two defenders, units and leaders there or not."""
    for attacker, a, b in permutations((s.OTT, s.ENG, s.HRE), 3):
        for wars, allies in graphs((attacker, a, b)):
            for stacks in ({a: (2, False), b: (1, True)}, {a: (3, True), b: (0, True)}, {a: (1, False)}):
                state, attack = both(attacker, stacks, wars, allies, s.HRE, **rulings)
                told = tuple(POWERS[power] for power in formation(state, attacker, raab()))
                assert told == restated.formation(attack), (POWERS[attacker], wars, allies, stacks)


@pytest.mark.parametrize("rulings", RULINGS)
def test_who_defends_with_three_or_four_in_the_space(rulings: dict[str, str]) -> None:
    random = Random(7)
    powers = (s.OTT, s.ENG, s.FRA, s.HRE)
    cases: list[tuple[tuple[int, ...], Any]] = [(powers, graph) for graph in graphs(powers)]
    cases += [((*powers, s.SPA), graph) for graph in graphs((*powers, s.SPA), random)]
    for who, (wars, allies) in cases:
        attacker, *defenders = who
        stacks: Stacks = {power: (random.randint(0, 4), random.random() < 0.3) for power in defenders}
        owner = random.choice(who)
        state, attack = both(attacker, stacks, wars, allies, owner, **rulings)
        found = formation(state, attacker, raab())
        assert tuple(POWERS[power] for power in found) == restated.formation(attack)
        if found:
            assert POWERS[decider(state, found, raab())] == restated.decider(attack)


@pytest.mark.parametrize("sides", [2, 3, 4])
def test_losses_are_as_even_as_can_be(sides: int) -> None:
    """All numbers of hits on up to four units a side, all dice: a die for each odd loss, as the restatement reads it.

    With two sides there is one odd loss at most, and the default ruling says the same.
    """
    powers = (s.SPA, s.ENG, s.FRA, s.HRE)[:sides]
    random = Random(sides)
    for units in product(range(5 if sides < 4 else 3), repeat=sides):
        for hits in range(sum(units) + 2):
            dice = tuple(random.randint(1, 6) for _ in range(20))
            strengths = {POWERS[power]: count for power, count in zip(powers, units, strict=True)}
            wanted = restated.losses(strengths, hits, dice)
            for ruling in ("per_loss", "per_battle") if sides == 2 else ("per_loss",):
                state = with_rulings(ground(), odd_loss_die=ruling)
                action = Action(state, ToldDice(dice))
                lost = share_losses(action, raab(), dict(zip(powers, units, strict=True)), hits)
                assert {POWERS[power]: count for power, count in lost.items()} == wanted, (units, hits, dice)


@pytest.mark.parametrize("die", range(1, 7))
def test_every_face_of_the_die(die: int) -> None:
    for units in ((1, 1), (2, 3), (4, 4)):
        action = Action(ground(), ToldDice((die,)))
        lost = share_losses(action, raab(), {s.ENG: units[0], s.HRE: units[1]}, 1)
        assert lost == ({s.ENG: 1, s.HRE: 0} if die <= 3 else {s.ENG: 0, s.HRE: 1})
        assert [event.loser for event in action.events if isinstance(event, e.OddLoss)] == [
            s.ENG if die <= 3 else s.HRE
        ]


def test_no_die_is_rolled_without_an_odd_loss() -> None:
    with pytest.raises(NeedDice):
        share_losses(Action(ground(), ToldDice()), raab(), {s.ENG: 2, s.HRE: 2}, 3)
    assert share_losses(Action(ground(), ToldDice()), raab(), {s.ENG: 2, s.HRE: 2}, 2) == {s.ENG: 1, s.HRE: 1}
