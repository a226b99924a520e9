"""Small boards and positions for the oracles: four places, every graph of alliances, built straight as states."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from msgspec.structs import replace

import foedus.games.sword_of_rome.state as s
from foedus.boards import build_board
from foedus.games.sword_of_rome.board import SWORD_OF_ROME_SCHEMA
from foedus.games.sword_of_rome.game import GAME
from foedus.games.sword_of_rome.sketch import blank
from foedus.games.sword_of_rome.state import IND, POWERS, State
from foedus.kernel.referee import Referee, make_referee
from foedus.kernel.unknown import NONE

PLACES = ("prima", "secunda", "tertia", "quarta")
KINDS = ("city", "space", "tribe", "city")


@cache
def small_referee(homes: tuple[str | None, ...], players: int = 4) -> Referee:
    """A referee on a board of four places in a ring: a city, a space, a tribe, another city, with these homes."""
    places: list[dict[str, Any]] = []
    for index, (name, kind, home) in enumerate(zip(PLACES, KINDS, homes, strict=True)):
        place: dict[str, Any] = {
            "id": name,
            "name": name.title(),
            "ru": name.title(),
            "lon": 12 + index,
            "lat": 41 + index % 2,
            "kind": kind,
        }
        if kind == "city":
            place["loyalty"] = 2
        if kind == "tribe":
            place["factor"] = 2
        if home is not None:
            place["home"] = home
            place["reinforce"] = 1
        places.append(place)
    data = {
        "id": "four",
        "title": "Four places",
        "title_ru": "Четыре места",
        "powers": [{"id": code, "name": code, "ru": code} for code in dict.fromkeys(homes) if code is not None],
        "places": places,
        "ways": [{"a": PLACES[i], "b": PLACES[(i + 1) % 4], "kind": "rough" if i == 2 else "clear"} for i in range(4)],
    }
    return make_referee(GAME, players, build_board(data, SWORD_OF_ROME_SCHEMA))


def empty(referee: Referee) -> State:
    """A position outside any step of which all is known: nobody stands anywhere, nobody is allied by treaty."""
    world = referee.world
    state = blank(world, world.rulebook.defaults)
    count = len(world.board.spaces)
    owner = (IND,) * count
    loyalty = tuple(1 if kind == "city" else 0 for kind in world.kinds)
    return replace(
        state,
        turn=1,
        round=1,
        phase=s.ACTION,
        active=NONE,
        vp=tuple(6 if seat in world.seats else -1 for seat in range(len(s.SEATS))),
        unsure=(0,) * len(POWERS),
        owner=owner,
        loyalty=loyalty,
        besieged_by=(NONE,) * count,
        siege_points=(0,) * count,
        forces=((),) * count,
        support=s.count_support(world.kinds, owner, loyalty),
    )


def pairs(powers: Sequence[int]) -> list[frozenset[int]]:
    """Every pair of the powers."""
    return [frozenset(pair) for pair in itertools.combinations(powers, 2)]


def graphs(powers: Sequence[int]) -> Iterator[frozenset[frozenset[int]]]:
    """Every graph of alliances among the powers."""
    every = pairs(powers)
    for size in range(len(every) + 1):
        for chosen in itertools.combinations(every, size):
            yield frozenset(chosen)


def allied(state: State, graph: Iterable[frozenset[int]]) -> State:
    """The state with these alliances: formal ones between powers of players, others as while an army moves."""
    formal, allies = list(state.formal), list(state.allies)
    pacts = []
    for pair in graph:
        a, b = sorted(pair)
        allies[a] |= 1 << b
        allies[b] |= 1 << a
        if NONE not in (state.controller[a], state.controller[b]):
            formal[a] |= 1 << b
            formal[b] |= 1 << a
            pacts.append(s.Pact(a, b, 1, 1))
    pacts.sort(key=lambda pact: (pact.a, pact.b))
    return replace(state, formal=tuple(formal), allies=tuple(allies), pacts=tuple(pacts))


def put(values: tuple[Any, ...], index: int, value: Any) -> tuple[Any, ...]:
    """The tuple with one value changed."""
    return (*values[:index], value, *values[index + 1 :])


def owned(state: State, space: int, owner: int) -> State:
    """The state with a space of that owner."""
    owners = put(state.owner, space, owner)
    return replace(state, owner=owners, support=s.count_support(state.kinds, owners, state.loyalty))


def standing(state: State, space: int, troops: Mapping[int, tuple[int, int, int, int]]) -> State:
    """The state with troops in a space: by power CU outside, CU inside, leaders outside, leaders inside."""
    leader_at, inside = list(state.leader_at), state.leader_inside
    forces = []
    for power in sorted(troops):
        outside, within, leaders, leaders_within = troops[power]
        if outside or within:
            forces.append(s.Force(power, outside, within))
        own = state.world.leaders_of[power]
        for number, leader in enumerate(own[: leaders + leaders_within]):
            leader_at[leader] = space
            if number >= leaders:
                inside |= 1 << leader
    return replace(
        state, forces=put(state.forces, space, tuple(forces)), leader_at=tuple(leader_at), leader_inside=inside
    )


def besieged(state: State, space: int, power: int) -> State:
    """The state with a siege of the space."""
    besieged_by = put(state.besieged_by, space, power)
    return replace(
        state,
        besieged_by=besieged_by,
        siege_points=put(state.siege_points, space, 0),
        besieging=s.count_besieging(state.owner, besieged_by),
    )


def with_alliances(state: State, other: State) -> State:
    """The state with the alliances of another."""
    return replace(state, formal=other.formal, allies=other.allies, pacts=other.pacts)
