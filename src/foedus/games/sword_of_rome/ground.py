"""The ground under an army: ways, and who stands where (2, 9)."""

from __future__ import annotations

from foedus.games.sword_of_rome.alliances import may_pass
from foedus.games.sword_of_rome.commands import EnterSpace
from foedus.games.sword_of_rome.frames import Marching
from foedus.games.sword_of_rome.state import BOX, ROM, SAM, State, outside_masks
from foedus.kernel.rules import Facts, effect, facts, forbids
from foedus.kernel.unknown import NONE, UNKNOWN

CLEAR, ROUGH, STRAIT = 0, 1, 2
APPIAN_WAY = "appia"


SAMNITE_CLEAR = ("bovianum", "aufidena")


def way_kind(state: State, power: int, start: int, to: int) -> int:
    """The kind of the way between two spaces for a power's army, or NONE if there is none.

    For Samnite armies every way of Bovianum and of Aufidena counts as clear (facts 9.2).
    """
    return ways_of(state, power)[start].get(to, NONE)


def ways_of(state: State, power: int) -> tuple[dict[int, int], ...]:
    """For each space the spaces beside it, with the kinds of the ways for a power's army; see `way_kind`."""
    cache = state.world.cache
    name = "samnite ways" if power == SAM else "ways"
    found: tuple[dict[int, int], ...] | None = cache.get(name)
    if found is None:
        board = state.world.board
        clear = [power == SAM and space.id in SAMNITE_CLEAR for space in board.spaces]
        tables: list[dict[int, int]] = []
        for here, around in enumerate(board.neighbours):
            table: dict[int, int] = {}
            for way in around:
                table.setdefault(way.to, CLEAR if clear[here] or clear[way.to] else way.kind)
            tables.append(table)
        found = cache[name] = tuple(tables)
    return found


@effect("f2.2", otherwise=False)
def road_is_built(state: State) -> bool:
    """The Appian Way is an ordinary clear way until its event."""
    return bool(state.appian_way)


def on_the_road(state: State, power: int, start: int, to: int) -> bool:
    """Is the way between two spaces a stretch of the Appian Way, built and open to the power (`appian_way_users`)?"""
    if (
        not state.appian_way
        or not road_is_built(state)
        or (power != ROM and state.ruling("appian_way_users") == "romans")
    ):
        return False
    return any(way.to == to and way.road == APPIAN_WAY for way in state.world.board.neighbours[start])


@forbids("f2.3", act=EnterSpace)
def nothing_returns_beyond_the_alps(state: State, act: EnterSpace) -> Facts | None:
    """No way on the map leads into a box; from the Transalpine one a single way leads out."""
    if state.kinds[act.space] == BOX:
        return facts(power=act.power, space=act.space)
    return None


def march_under_way(state: State) -> Marching | None:
    """The army on its way, whatever has interrupted it; None if there is none."""
    for frame in reversed(state.frames):
        if isinstance(frame, Marching):
            return frame
    return None


def enemy_outside(state: State, power: int, space: int) -> int:
    """A power with CU outside in the space that this power's troops do not pass (15.2.e4); NONE if there is none."""
    if not state.forces[space]:
        return NONE
    for force in state.troops(space):
        if force.power != power and force.outside and not may_pass(state, power, force.power):
            return force.power
    return NONE


def held_by_enemies(state: State, power: int) -> int:
    """The spaces (mask) where `enemy_outside` finds an enemy. Raises `Unknown` where a space's troops are unknown."""
    masks = outside_masks(state)
    if masks[-1]:
        return sum(1 << space for space in range(len(state.forces)) if enemy_outside(state, power, space) != NONE)
    found = 0
    for other, mask in enumerate(masks):
        if mask and other != power and not may_pass(state, power, other):
            found |= mask
    return found


def known_absent(state: State, power: int, space: int) -> bool:
    """Is it known that the power has no CU in the space? What nobody told is presupposed to be there."""
    forces = state.forces[space]
    if forces and forces[0].power == UNKNOWN:
        return False
    return not any(force.power == power for force in forces)
