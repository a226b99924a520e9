"""Loans on small seas, against a restatement by somebody who has not read the engine."""

from __future__ import annotations

from dataclasses import replace as with_fields
from random import Random

import pytest
from msgspec.structs import replace

import foedus.games.virgin_queen.state as s
from foedus.boards.board import Board, Link, Sea, Space
from foedus.games.virgin_queen import commands as c
from foedus.games.virgin_queen.board import VIRGIN_QUEEN_SCHEMA
from foedus.games.virgin_queen.game import GAME
from foedus.games.virgin_queen.loans import destination
from foedus.games.virgin_queen.sketch import blank
from foedus.games.virgin_queen.state import MAJORS, MINORS, NEGOTIATION, POWERS, Fleet, State, pair
from foedus.kernel.referee import Referee
from foedus.kernel.unknown import NONE
from foedus.kernel.verdict import REFUSED
from oracles import restated_vq_loans as restated

TOLD = (
    "loan.2",
    "loan.3",
    "loan.4",
    "loan.10",
    "loan.11",
    "loan.13",
    "loan.14",
    "loan.M3",
    "loan.M4",
    "loan.M6",
    "loan.M7",
)
KINDS = ("squadron", "galley", "corsair", "patrol", "armada")
ADMIRAL = next(i for i, leader in enumerate(GAME.make_world(6).leaders) if leader.id == "santa_cruz")


def sea_of(random: Random) -> tuple[Board, restated.Sea]:
    """Up to five zones, joined at random by open water or by a port space only, and up to six ports."""
    zones = [f"z{i}" for i in range(random.randint(1, 5))]
    touches: dict[str, set[str]] = {zone: set() for zone in zones}
    open_water, through = set(), {}
    spaces: list[Space] = []

    def port(name: str, *where: str) -> None:
        spaces.append(
            Space(name, {"en": name, "ru": name}, "fortified", 0.0, 0.0, "IND", None, walled=True, ports=tuple(where))
        )

    for i, one in enumerate(zones):
        for other in zones[i + 1 :]:
            kind = random.random()
            if kind < 0.45:
                touches[one].add(other)
                touches[other].add(one)
                open_water.add(frozenset((one, other)))
            elif kind < 0.6:
                name = f"strait_{one}_{other}"
                port(name, one, other)
                through[frozenset((one, other))] = name
    for i in range(max(2, len(zones)) + random.randint(0, 2)):
        port(f"p{i}", zones[i] if i < len(zones) else random.choice(zones))
    seas = tuple(
        Sea(zone, {"en": zone, "ru": zone}, 0.0, 0.0, tuple(sorted(touches[zone])), kind="zone") for zone in zones
    )
    links = tuple(Link(i, i + 1, 0) for i in range(len(spaces) - 1))
    board = Board("small", {"en": "small"}, VIRGIN_QUEEN_SCHEMA, (0, 0, 1, 1), tuple(spaces), links, seas, {}, {})
    coast = {space.id: frozenset(space.ports) for space in spaces}
    return board, restated.Sea(frozenset(open_water), through, coast)


RULINGS = {
    "loan_direction": ("both", "powers", "players"),
    "loan_from_sea": ("refused", "allowed"),
    "loan_passed_on": ("no", "yes"),
    "loan_and_minor_allies": ("no", "units", "ports", "both"),
    "loan_besieged_port": ("counts", "barred"),
}
NAMES = {"no": "neither", "barred": "does_not_count"}
"""Where the restatement has another word for an option of two rulings."""


def chosen(random: Random) -> dict[str, str]:
    return {name: options[0] if random.random() < 0.5 else random.choice(options) for name, options in RULINGS.items()}


def position(random: Random) -> tuple[Referee, State, restated.World, c.Lend, restated.Loan]:
    """A loan that somebody may try, on a sea of its own, in both wordings."""
    board, sea = sea_of(random)
    players = random.choice((6, 4, 2))
    world = GAME.make_world(players, board)
    referee = Referee(GAME, world, {})
    rulings = chosen(random)
    state = blank(world, world.rulebook.choose(rulings))
    owner = tuple(random.choice((*MAJORS, s.PAP, s.VEN, s.IND)) for _ in board.spaces)
    patrons = {minor: random.choice([None, *MAJORS]) for minor in MINORS}
    ally = [NONE] * len(POWERS)
    for minor, patron in patrons.items():
        ally[minor] = NONE if patron is None else patron
    for great in world.inactive:
        ally[great] = NONE
    played = [power for power in MAJORS if world.controller[power] != NONE]
    lender, receiver = random.sample(played, 2)
    if random.random() < 0.5:
        lender = s.SPA
    if lender == receiver:
        receiver = s.FRA
    allies = (0,) * len(POWERS)
    if random.random() < 0.8:
        allies = pair(allies, lender, receiver, True)
    besieged = [random.random() < 0.2 for _ in board.spaces]
    places = [*range(len(board.spaces)), *(len(board.spaces) + i for i in range(len(board.seas)))]
    place = random.choice(places[: len(board.spaces)] if random.random() < 0.8 else places)
    kind = random.choice((0, 0, 0, 1, 2, 3, 4))
    unit_owner, held_by = lender, None
    source = random.random()
    if source < 0.15:
        unit_owner = random.choice([m for m in MINORS if patrons[m] == lender] or [lender])
    elif source < 0.3:
        others = [power for power in MAJORS if power not in (lender, receiver)]
        unit_owner, held_by = random.choice(others), POWERS[lender]
    fleets: list[tuple[Fleet, ...]] = [() for _ in places]
    holder = lender if held_by is not None else unit_owner
    fleets[place] = (Fleet(unit_owner, kind, 2, holder),)
    lent: list[tuple[int, int]] = []
    if random.random() < 0.4:
        one, other = random.sample(played, 2)
        lent.append(random.choice([(receiver, lender), (lender, receiver), (one, other)]))
    leader, leader_at = NONE, [NONE] * len(world.leaders)
    if random.random() < 0.3 and lender == s.SPA:
        leader = ADMIRAL
        leader_at[ADMIRAL] = place if random.random() < 0.6 else random.choice(places)
    state = replace(
        state,
        phase=NEGOTIATION if random.random() < 0.9 else s.ACTION,
        turn=2,
        owner=owner,
        minor_ally=tuple(ally),
        allies=allies,
        unsure=(0,) * len(POWERS),
        wars=(0,) * len(POWERS),
        unsure_wars=(0,) * len(POWERS),
        besieged_by=tuple(s.OTT if one else NONE for one in besieged),
        fleets=tuple(fleets),
        lent=tuple(lent),
        leader_at=tuple(leader_at),
        leader_holder=tuple(card.power for card in world.leaders),
    )
    names = [space.id for space in board.spaces] + [sea_.id for sea_ in board.seas]
    units = [restated.Unit("units", KINDS[kind], POWERS[unit_owner], names[place], held_by)]
    if leader != NONE:
        units.append(restated.Unit("leader", restated.LEADER, "SPA", names[leader_at[leader]]))
    told = {name: NAMES.get(option, option) if name in RULINGS else option for name, option in rulings.items()}
    told["loan_passed_on"] = rulings["loan_passed_on"]
    codes = {power: power for power in POWERS[:-1]}
    seats = world.names["seat"]
    for power, seat in enumerate(world.controller):
        if seat >= 0:
            codes[POWERS[power]] = seats[seat]
    there = restated.World(
        sea,
        {space.id: POWERS[owner[i]] for i, space in enumerate(board.spaces)},
        frozenset({frozenset((POWERS[lender], POWERS[receiver]))}) if any(allies) else frozenset(),
        codes,
        {POWERS[m]: POWERS[p] for m, p in patrons.items() if p is not None},
        frozenset(space.id for i, space in enumerate(board.spaces) if besieged[i]),
        tuple(
            restated.Loan(POWERS[a], POWERS[b], (restated.Unit("x", "squadron", POWERS[a], names[0]),)) for a, b in lent
        ),
        told,
    )
    moment = "announcement" if state.phase == NEGOTIATION else "later"
    loan = restated.Loan(POWERS[lender], POWERS[receiver], tuple(units), moment)
    return referee, state, there, c.Lend(lender, receiver, 1, kind, place, leader), loan


@pytest.mark.parametrize("seed", range(4))
def test_loans(seed: int) -> None:
    random = Random(seed)
    for number in range(700):
        referee, state, world, command, loan = position(random)
        verdict = referee.judge(state, command)
        told = {clause for clause in verdict.clauses if clause in TOLD} if verdict.kind == REFUSED else set()
        told = {"loan.10" if clause == "loan.11" else clause for clause in told}
        if "loan.M3" in told:
            told -= {"loan.10"}  # the restatement asks for no way of what may not be lent from the sea
        elsewhere = [unit for unit in loan.units if unit.place != loan.units[0].place]
        together = with_fields(loan, units=tuple(unit for unit in loan.units if unit not in elsewhere))
        wanted = set(restated.loan_forbidden(world, together)) | ({"loan.14"} if elsewhere else set())
        assert told == wanted, (number, command, loan, world, verdict.clauses)


@pytest.mark.parametrize("seed", range(2))
def test_the_nearest_ports(seed: int) -> None:
    random = Random(100 + seed)
    for _ in range(700):
        _, state, world, command, loan = position(random)
        allowed = {**world.rulings, "loan_from_sea": "allowed"}
        wanted = restated.nearest(with_fields(world, rulings=allowed), loan.units[0].place, loan.receiver)
        at = replace(state, rulings=with_option(state, "loan_from_sea", "allowed"))
        found = destination(at, command)
        names = state.world.names["place"]
        got = (None, frozenset()) if found is None else (found.distance, frozenset(names[port] for port in found.ports))
        assert got == wanted, (command, world)
        if found is not None and found.zones:
            assert len(found.zones) == found.distance


def with_option(state: State, name: str, option: str) -> tuple[int, ...]:
    where, index = state.world.rulebook.option(name, option)
    return s.put(state.rulings, where, index)
