"""Who plays, the order of victory points, and ties (4)."""

from __future__ import annotations

from collections.abc import Iterable

from foedus.games.sword_of_rome.state import MER, SEAT_TIE_ORDER, TIE_ORDER, State


def seat_rank(seat: int) -> int:
    """The place of a seat in the order that settles ties (4.4); 0 wins every tie."""
    return SEAT_TIE_ORDER.index(seat)


def power_rank(power: int) -> int:
    """The place of a power in the order that settles ties (4.4)."""
    return TIE_ORDER.index(power) if power in TIE_ORDER else len(TIE_ORDER)


def fewest(state: State, seats: Iterable[int]) -> tuple[int, ...]:
    """The seats with the fewest victory points, the winner of the tie (4.4) first. Raises `Unknown`."""
    pool = sorted(set(seats), key=seat_rank)
    if len(pool) < 2:
        return tuple(pool)
    points = {seat: state.vp_of(seat) for seat in pool}
    least = min(points.values())
    return tuple(seat for seat in pool if points[seat] == least)


def descending(state: State, powers: Iterable[int]) -> tuple[int, ...]:
    """Powers of players in descending order of victory points (facts 5.2), ties by 4.4. Raises `Unknown`."""
    return tuple(sorted(powers, key=lambda power: (-state.vp_of(state.controller[power]), power_rank(power))))


def npps_in_order(state: State) -> tuple[int, ...]:
    """The non-player powers in the order of the ruling `npp_order`."""
    powers = tuple(p for p in state.world.npps if state.is_npp(p))
    if state.ruling("npp_order") == "carthage_volsci_transalpine":
        return powers
    return (*(p for p in reversed(powers) if p != MER), *(p for p in powers if p == MER))
