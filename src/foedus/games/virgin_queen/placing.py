"""Where leaders and units are put that come back, are given or must leave: capitals, home keys, the nearest space."""

from __future__ import annotations

from collections.abc import Callable

from foedus.games.virgin_queen.board import chart
from foedus.games.virgin_queen.state import MAJORS, POWERS, State, applies
from foedus.kernel.unknown import NONE
from foedus.kernel.values import bits


def can_take(state: State, power: int, space: int) -> bool:
    """Can the space take a leader of its power (ruling `ransom_place`): under its control, and not besieged?

    Raises `Unknown`.
    """
    if state.owner_of(space) != power:
        return False
    return state.ruling("ransom_place") == "controlled" or state.besieger(space) == NONE


def capital_possible(state: State, power: int) -> bool:
    """Can the capital of a power take its leader? Raises `Unknown`."""
    capital = state.world.capital[power]
    return capital != NONE and can_take(state, power, capital)


def ransom_places(state: State, power: int) -> tuple[int, ...]:
    """Where a leader of the power may be put (ransom.4): his capital if possible, else a home key space of his power.

    Several: the owner chooses. None: there is no place. Raises `Unknown`.
    """
    capital = state.world.capital[power]
    prefers = applies(state, "ransom.4")
    if prefers and capital_possible(state, power):
        return (capital,)
    keys = chart(state.world.board).home_keys.get(POWERS[power], 0)
    return tuple(space for space in bits(keys) if not (prefers and space == capital) and can_take(state, power, space))


def nearest_spaces(state: State, start: int, fits: Callable[[int], bool]) -> tuple[int, ...]:
    """The spaces that fit, nearest to `start` by ways over land (itself left out); none if no way leads to one."""
    beside = state.world.board.adjacent
    seen = 1 << start
    edge = beside[start] & ~seen
    while edge:
        found = tuple(space for space in bits(edge) if fits(space))
        if found:
            return found
        seen |= edge
        further = 0
        for space in bits(edge):
            further |= beside[space]
        edge = further & ~seen
    return ()


def home_of(state: State, power: int, start: int) -> int | None:
    """Where land units of a power go that must leave a space: its capital if possible, else its nearest own space.

    Of spaces equally near the first by the board; where no way leads home, any space that it controls. None if there
    is none. Raises `Unknown`.
    """
    if capital_possible(state, power) and state.world.capital[power] != start:
        return state.world.capital[power]

    def own(space: int) -> bool:
        return state.owner[space] == power and state.besieged_by[space] < 0

    near = nearest_spaces(state, start, own)
    if near:
        return near[0]
    return next((space for space in range(state.world.spaces) if space != start and own(space)), None)


def leaders_going(state: State, power: int, space: int) -> tuple[int, ...]:
    """The army leaders of a power in a space, who go with its land units."""
    return tuple(leader for leader in state.leaders_in(space, power) if state.world.leaders[leader].army)


def partners(state: State) -> tuple[int, ...]:
    """The great powers that somebody decides for now, in Impulse Order. Raises `Unknown`."""
    return tuple(power for power in MAJORS if state.seat_of(power) != NONE)
