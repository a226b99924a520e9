"""Who plays, the order of victory points, and ties (4)."""

from __future__ import annotations

from collections.abc import Iterable

from foedus.games.sword_of_rome.state import (
    MER,
    S_ES,
    S_GAL,
    S_GRE,
    S_ROM,
    SEAT_TIE_ORDER,
    SEATS,
    TIE_ORDER,
    State,
)
from foedus.kernel.rules import effect


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


# the first player (facts 5)


def clockwise(state: State) -> tuple[int, ...]:
    """All seats in the order round the map; the table is provisional."""
    return tuple(SEATS.index(name) for name in state.world.tables["seating"]["clockwise"])


def order_from(state: State, first: int) -> tuple[int, ...]:
    """The seats in play clockwise from the first player."""
    round_ = [seat for seat in clockwise(state) if seat in state.seats]
    at = round_.index(first)
    return (*round_[at:], *round_[:at])


@effect("f5.0", otherwise=())
def who_may_name(state: State) -> tuple[int, ...]:
    """The first player is named by the player with the fewest points; several if they are tied. Raises `Unknown`."""
    return fewest(state, state.seats)


# victory (4)

LEAST, MOST = 0, 12
PAIRS = ((S_GRE, S_GAL), (S_ROM, S_ES))
"""Two players: whose seats belong to one person; the first pair wins a tie (facts 4.4)."""


@effect("f4.1", otherwise=(-99, 99))
def limits_of_points(state: State) -> tuple[int, int]:
    """Victory points stay from 0 to 12."""
    return LEAST, MOST


def persons(state: State) -> tuple[tuple[int, ...], ...]:
    """The seats of each person: with two players two each, else one."""
    return PAIRS if state.world.players == 2 else tuple((seat,) for seat in state.world.seats)


def last_turn(state: State) -> int:
    """The number of the last turn (ruling `game_length`)."""
    turns: int = state.world.tables["turns"][state.ruling("game_length")]
    return turns


def level_of_victory(state: State) -> int:
    """The victory points that win at once in this turn; the table is provisional."""
    levels = state.world.tables["victory"]["automatic"]
    return int(levels[min(max(state.turn, 1), len(levels)) - 1])


def _ranked(state: State, seats: Iterable[int]) -> tuple[int, ...]:
    """Seats from first to last: those in play by their points, ties by 4.4; then those who are out."""
    return tuple(sorted(seats, key=lambda seat: (state.out >> seat & 1, -state.vp_of(seat), seat_rank(seat))))


def _in_pairs(state: State, pairs: Iterable[tuple[int, ...]]) -> tuple[int, ...]:
    return tuple(seat for pair in pairs for seat in _ranked(state, pair))


@effect("f4.3", otherwise=())
def winners_at_once(state: State) -> tuple[int, ...]:
    """After scoring: whoever has reached the level of the turn; of several the one with the most points."""
    level = level_of_victory(state)
    if state.world.players == 2 and state.ruling("two_player_automatic") == "average":
        reached = [pair for pair in PAIRS if sum(state.vp_of(seat) for seat in pair) >= 2 * level]
        return max(reached, key=lambda pair: sum(state.vp_of(seat) for seat in pair), default=())
    best = next((seat for seat in _ranked(state, state.seats) if state.vp_of(seat) >= level), None)
    return () if best is None else next(pair for pair in persons(state) if best in pair)


@effect("f4.4", otherwise=())
def winners_at_the_end(state: State) -> tuple[int, ...]:
    """The most points, ties by 4.4; of two players the most points of two powers, a tie to the Gauls and Greeks."""
    if state.world.players == 2:
        return max(PAIRS, key=lambda pair: sum(state.vp_of(seat) for seat in pair))
    return _ranked(state, state.seats)[:1]


def all_out(state: State) -> tuple[int, ...]:
    """Who wins if all go out at once: the one with the most points."""
    best = sorted(state.world.seats, key=lambda seat: (-state.vp_of(seat), seat_rank(seat)))[0]
    return next(pair for pair in persons(state) if best in pair)


def ranking(state: State, winners: tuple[int, ...]) -> tuple[int, ...]:
    """All players from first to last, the winners in front."""
    if state.world.players == 2:
        return _in_pairs(state, sorted(PAIRS, key=lambda pair: pair != winners))
    rest = _ranked(state, state.world.seats)
    return (*winners, *(seat for seat in rest if seat not in winners))
