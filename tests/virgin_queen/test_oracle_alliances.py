"""Who may ally, and who may declare war on whom, against a restatement by somebody who has not read the engine."""

from __future__ import annotations

from functools import cache
from itertools import combinations
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

import foedus.games.virgin_queen.state as s
from foedus.games.virgin_queen import commands as c
from foedus.games.virgin_queen.declarations import cost_of_war
from foedus.games.virgin_queen.state import EVERY, MAJORS, MINORS, NEGOTIATION, POWERS, WAR, State, pair
from foedus.kernel.unknown import NONE
from foedus.kernel.verdict import ALLOWED, REFUSED
from oracles import restated_vq_alliances as restated

from .whole_play import referee_for

PAIRS = tuple(combinations(MAJORS, 2))
TOLD = ("ally.5", "ally.6", "ally.7", "ally.8", "ally.13")
DECLARED = ("f8.8", "f8.9", "f8.10", "f8.11", "f8.12", "f8.14", "dow.M1")


@cache
def ground() -> State:
    """The six-player game in the negotiations of turn 2, with no wars, no alliances, no minor allies."""
    referee = referee_for(6)
    found: State = referee.sketch(
        {
            "scenario": "campaign",
            "turn": 2,
            "phase": "negotiation",
            "wars": [],
            "minor_allies": {POWERS[minor]: "none" for minor in MINORS},
            "hands": {},
        }
    )
    return replace(found, rulings=found.rulings)


def masks(pairs: Any) -> tuple[int, ...]:
    found = (0,) * len(POWERS)
    for a, b in pairs:
        found = pair(found, a, b, True)
    return found


def named(pairs: Any) -> frozenset[frozenset[str]]:
    return frozenset(frozenset((POWERS[a], POWERS[b])) for a, b in pairs)


def with_rulings(state: State, **chosen: str) -> State:
    for name, option in chosen.items():
        where, index = state.world.rulebook.option(name, option)
        state = replace(state, rulings=s.put(state.rulings, where, index))
    return state


def test_alliances_over_every_war_graph() -> None:
    """All 32,768 graphs of wars between the six great powers, and all 15 pairs."""
    referee, state = referee_for(6), ground()
    for graph in range(1 << len(PAIRS)):
        wars = masks(one for i, one in enumerate(PAIRS) if graph >> i & 1)
        at = replace(state, wars=wars)
        for a, b in PAIRS:
            barred = bool(wars[a] >> b & 1) or {a, b} == {s.SPA, s.PRO}
            assert referee.permitted(at, c.Ally(a, b)) != barred
        if graph % 61 == 0:
            world = restated.World(wars=named(one for i, one in enumerate(PAIRS) if graph >> i & 1))
            for a, b in PAIRS:
                verdict = referee.judge(at, c.Ally(b, a))
                told = {clause for clause in verdict.clauses if clause in TOLD} if verdict.kind == REFUSED else set()
                assert told == restated.alliance_forbidden(world, POWERS[a], POWERS[b]), (POWERS[a], POWERS[b])


@pytest.mark.parametrize("peace_then_alliance", ["allowed", "refused"])
def test_alliances_with_alliances_peaces_and_minor_powers(peace_then_alliance: str) -> None:
    referee, random = referee_for(6), Random(15)
    state = with_rulings(ground(), peace_then_alliance=peace_then_alliance)
    for _ in range(1500):
        wars, allied, ended = [], [], []
        for one in PAIRS:
            kind = random.random()
            if kind < 0.2:
                wars.append(one)
            elif kind < 0.35 and set(one) != {s.SPA, s.PRO}:
                allied.append(one)
            elif kind < 0.5:
                ended.append(one)
        if (s.SPA, s.FRA) in allied and (s.FRA, s.PRO) in allied:
            allied.remove((s.FRA, s.PRO))
        at = replace(state, wars=masks(wars), allies=masks(allied), peaces=masks(ended))
        world = restated.World(
            wars=named(wars),
            alliances=named(allied),
            ended=named(ended),
            rulings={"peace_then_alliance": peace_then_alliance},
        )
        a, b = random.sample(EVERY, 2)
        verdict = referee.judge(at, c.Ally(a, b))
        told = {"ally.5" if clause == "ally.M1" else clause for clause in verdict.clauses}
        told = {clause for clause in told if clause in TOLD} if verdict.kind == REFUSED else set()
        assert told == restated.alliance_forbidden(world, POWERS[a], POWERS[b]), (POWERS[a], POWERS[b], wars, ended)


def declared_world(random: Random, war_on_ally: str) -> tuple[State, restated.World]:
    """A position in the third segment, and the same in the words of the restatement."""
    state = with_rulings(ground(), war_on_ally=war_on_ally, payment_of_war="told")
    wars, allied, ended = [], [], []
    for one in PAIRS:
        kind = random.random()
        if kind < 0.25:
            wars.append(one)
        elif kind < 0.4 and set(one) != {s.SPA, s.PRO}:
            allied.append(one)
        elif kind < 0.5:
            ended.append(one)
    patrons = {minor: random.choice([None, *MAJORS]) for minor in MINORS}
    flags = random.randrange(16)
    ally = list(state.minor_ally)
    for minor, patron in patrons.items():
        ally[minor] = NONE if patron is None else patron
    at = replace(
        state,
        phase=WAR,
        wars=masks(wars),
        allies=masks(allied),
        peaces=masks(ended),
        minor_ally=tuple(ally),
        flags=flags,
    )
    world = restated.World(
        wars=named(wars),
        alliances=named(allied),
        ended=named(ended),
        announcing=False,
        minor_allies={POWERS[m]: None if p is None else POWERS[p] for m, p in patrons.items()},
        cells={frozenset(("SPA", "HRE")): "4"},
        king_sebastian_dead=bool(flags >> s.SEBASTIAN & 1),
        papal_bull=bool(flags >> s.PAPAL_BULL & 1),
        mary_captured=bool(flags >> s.MARY_CAPTURED & 1),
        mary_executed=bool(flags >> s.MARY_EXECUTED & 1),
        rulings={"war_on_ally": war_on_ally, "england_spain_floor": "1"},
    )
    return at, world


@pytest.mark.parametrize("war_on_ally", ["no", "yes"])
def test_declarations_of_war(war_on_ally: str) -> None:
    referee, random = referee_for(6), Random(8)
    for _ in range(1500):
        state, world = declared_world(random, war_on_ally)
        a = random.choice(MAJORS)
        b = random.choice([power for power in EVERY if power != a])
        verdict = referee.judge(state, c.DeclareWar(a, b))
        told = {clause for clause in verdict.clauses if clause in DECLARED} if verdict.kind == REFUSED else set()
        wanted = set(restated.declaration_forbidden(world, POWERS[a], POWERS[b]))
        if "dow.M1" in wanted:
            wanted.discard("f8.10")  # the same statement: cited by the id of the ruling that can open it
        assert told == wanted, (POWERS[a], POWERS[b], verdict.clauses)
        assert verdict.kind == (REFUSED if wanted else ALLOWED), (POWERS[a], POWERS[b], verdict.clauses)


def test_the_price_of_a_war_between_england_and_spain() -> None:
    random = Random(9)
    for _ in range(200):
        state, world = declared_world(random, "no")
        for a, b in ((s.ENG, s.SPA), (s.SPA, s.ENG), (s.SPA, s.HRE)):
            wanted, _ = restated.declaration_cost(world, POWERS[a], POWERS[b])
            assert cost_of_war(state, a, b) == wanted
            one_way = with_rulings(state, war_cost_both_ways="spain_on_england_only")
            only = restated.World(**{**world.__dict__, "rulings": {**world.rulings, "england_spain_directions": "SPA"}})
            assert cost_of_war(one_way, a, b) == restated.declaration_cost(only, POWERS[a], POWERS[b])[0]


def test_the_phase_of_an_alliance() -> None:
    """ally.13: in every other phase an alliance is refused, whoever makes it."""
    referee = referee_for(6)
    for phase in range(len(s.PHASES)):
        state = replace(ground(), phase=phase)
        verdict = referee.judge(state, c.Ally(s.OTT, s.FRA))
        assert ("ally.13" in verdict.clauses) == (phase != NEGOTIATION)
