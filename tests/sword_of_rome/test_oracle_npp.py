"""Who decides for a non-player power: the engine against the restatement of 16.1.

All orders of victory points with their ties, all graphs of alliances among the powers of the four seats, every moment
and active seat by the default rulings; every mixture of the other options, the treaty, and other numbers of players on
samples.
"""

from __future__ import annotations

import dataclasses
import itertools
import random
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

import foedus.games.sword_of_rome.state as s
from foedus.games.sword_of_rome.neutrals import decider
from foedus.games.sword_of_rome.state import CAR, ETR, GAL, GRE, POWERS, ROM, SAM, SEATS, State
from foedus.kernel.unknown import NONE
from oracles.restated_npp import RULINGS, Question, deciders
from sword_of_rome import worlds

Graph = frozenset[frozenset[int]]
PAIR = frozenset({ETR, SAM})
DEFAULTS = {name: options[0] for name, options in RULINGS.items()}


def weak_orders(count: int) -> list[tuple[int, ...]]:
    """Every order with ties of so many seats, as points from 0 up without gaps."""
    every = itertools.product(range(count), repeat=count)
    return [order for order in every if set(order) == set(range(max(order) + 1))]


def codes(graph: Graph) -> frozenset[frozenset[str]]:
    return frozenset(frozenset(POWERS[power] for power in pair) for pair in graph)


class Table:
    """Positions of one number of players, and the same questions in the restatement's words."""

    def __init__(self, players: int) -> None:
        self.players = players
        self.referee = worlds.small_referee(("ROM", "ETR", "GRE", "SAM"), players)
        self.world = self.referee.world
        self.base = worlds.empty(self.referee)
        self.seats: tuple[int, ...] = self.world.seats
        self.npps: tuple[int, ...] = self.world.npps
        self.powers = tuple(power for power in range(s.IND) if self.world.controller[power] != NONE)
        self.names = {SEATS[seat]: tuple(POWERS[p] for p in self.base.powers_of(seat)) for seat in self.seats}
        self.pairs = [pair for pair in worlds.pairs(self.powers) if pair != PAIR]

    def points(self, state: State, order: Sequence[int]) -> State:
        vp = [-1] * len(SEATS)
        for seat, value in zip(self.seats, order, strict=True):
            vp[seat] = value
        return replace(state, vp=tuple(vp))

    def told(
        self, order: Sequence[int], graph: frozenset[frozenset[str]], npp: int, moment: tuple[str, int]
    ) -> Question:
        what, seat = moment
        name = None if seat == NONE else SEATS[seat]
        return Question(
            self.players,
            self.names,
            {SEATS[one]: value for one, value in zip(self.seats, order, strict=True)},
            graph,
            None if what == "turn_end" else name,
            POWERS[npp],
            what,
            name if what == "activated" else None,
        )

    def moments(self) -> Iterator[tuple[str, int]]:
        yield "turn_end", NONE
        for seat in (NONE, *self.seats):
            yield "inactive", seat
        for seat in self.seats:
            yield "activated", seat

    @staticmethod
    def at(state: State, npp: int, moment: tuple[str, int]) -> State:
        what, seat = moment
        if what == "turn_end":
            return replace(state, phase=s.SURRENDER, active=NONE)
        if what == "inactive":
            return replace(state, phase=s.ACTION, active=seat)
        return replace(state, phase=s.ACTION, active=seat, acting_npp=npp, activator=seat)


def answer(state: State, npp: int) -> tuple[str, frozenset[str], str]:
    found = decider(state, npp)
    if found.seat == NONE:
        return "", frozenset(), found.clause
    among = found.among or (found.seat,)
    return SEATS[found.seat], frozenset(SEATS[seat] for seat in among), found.clause


def agree(table: Table, state: State, npp: int, question: Question) -> None:
    found, wanted = answer(state, npp), deciders(question)
    assert found == wanted, (found, wanted, question)


def test_every_order_and_every_graph_of_four_seats() -> None:
    table = Table(4)
    orders = weak_orders(4)
    assert len(orders) == 75
    graphs = [g for g in worlds.graphs(table.powers) if PAIR not in g]
    assert len(graphs) == 512
    moments = [one for one in table.moments() if one[0] != "activated"]
    ranked = [table.points(table.base, order) for order in orders]
    for graph in graphs:
        bound, said = worlds.allied(table.base, graph), codes(graph)
        for npp in table.npps:
            for moment in moments:
                at = table.at(bound, npp, moment)
                for order, points in zip(orders, ranked, strict=True):
                    state = replace(at, vp=points.vp)
                    agree(table, state, npp, table.told(order, said, npp, moment))


def mixtures() -> list[dict[str, str]]:
    """Every mixture of the options of the rulings of 16.1."""
    return [dict(zip(RULINGS, chosen, strict=True)) for chosen in itertools.product(*RULINGS.values())]


def ruled(state: State, chosen: dict[str, str]) -> State:
    return replace(state, rulings=state.world.rulebook.choose(chosen))


def sample(players: int, count: int, seed: int, chosen: list[dict[str, str]]) -> None:
    """So many random questions under each mixture of rulings, in every moment, with and without the treaty."""
    table = Table(players)
    rng = random.Random(seed)
    moments = list(table.moments())
    for rulings in chosen:
        base = ruled(table.base, rulings)
        for _ in range(count):
            density = rng.random()
            graph = frozenset(pair for pair in table.pairs if rng.random() < density)
            order = [rng.randrange(4) for _ in table.seats]
            npp = rng.choice(table.npps)
            moment = rng.choice(moments)
            state = table.at(table.points(worlds.allied(base, graph), order), npp, moment)
            said = codes(graph)
            treaty = players != 5 and rng.random() < 0.25
            passing = players != 5 and not treaty and rng.random() < 0.25
            if treaty or passing:
                allies = list(state.allies)
                allies[ROM] |= 1 << CAR
                allies[CAR] |= 1 << ROM
                state = replace(state, treaty=s.TREATY if treaty else s.NO_TREATY, allies=tuple(allies))
                said |= {frozenset({"ROM", "CAR"})}
            question = replace_question(table.told(order, said, npp, moment), treaty, rulings)
            agree(table, state, npp, question)


def replace_question(question: Question, treaty: bool, rulings: dict[str, str]) -> Question:
    return dataclasses.replace(question, treaty=treaty, rulings=rulings)


def test_every_mixture_of_rulings_with_four_players() -> None:
    sample(4, 300, 16, mixtures())


def test_every_mixture_of_rulings_with_five_players() -> None:
    sample(5, 200, 161, mixtures())


def test_two_and_three_players() -> None:
    sample(2, 40, 162, mixtures())
    sample(3, 40, 163, mixtures())


def test_each_option_by_itself_on_every_graph() -> None:
    table = Table(4)
    rng = random.Random(164)
    graphs = [g for g in worlds.graphs(table.powers) if PAIR not in g]
    moments = list(table.moments())
    for name, options in RULINGS.items():
        base = ruled(table.base, {name: options[1]})
        for graph in graphs:
            bound, said = worlds.allied(base, graph), codes(graph)
            for npp in table.npps:
                order = [rng.randrange(4) for _ in table.seats]
                for moment in moments:
                    question = table.told(order, said, npp, moment)
                    state = table.at(table.points(bound, order), npp, moment)
                    agree(table, state, npp, replace_question(question, False, {name: options[1]}))


def test_the_options_are_those_of_the_rulebook() -> None:
    rulebook = Table(4).world.rulebook
    told = {ruling.name: ruling for ruling in rulebook.rulings}
    for name, options in RULINGS.items():
        assert set(told[name].options) == set(options)
        assert told[name].options[rulebook.defaults[rulebook.ruling_index[name]]] == options[0]


def test_five_seats_by_the_defaults() -> None:
    table = Table(5)
    rng = random.Random(165)
    moments = [one for one in table.moments() if one[0] != "activated"]
    for order in weak_orders(5):
        for _ in range(3):
            density = rng.random()
            graph = frozenset(pair for pair in table.pairs if rng.random() < density)
            bound, said = table.points(worlds.allied(table.base, graph), order), codes(graph)
            for npp in table.npps:
                for moment in moments:
                    agree(table, table.at(bound, npp, moment), npp, table.told(order, said, npp, moment))


def test_the_graph_that_matters_is_of_players() -> None:
    # an alliance of the Etruscans and Samnites with each other makes nobody's ally of their player
    table = Table(4)
    state = table.at(table.points(worlds.allied(table.base, [PAIR]), (1, 0, 2, 3)), s.VOL, ("inactive", s.S_GAL))
    assert answer(state, s.VOL) == ("ES", frozenset({"ES"}), "16.1.b")
    assert {GAL, GRE, ROM} <= set(table.powers)
