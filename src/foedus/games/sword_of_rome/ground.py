"""The ground under an army: ways, and who stands where (2, 9)."""

from __future__ import annotations

from foedus.games.sword_of_rome.alliances import may_pass
from foedus.games.sword_of_rome.state import SAM, State
from foedus.kernel.unknown import NONE, UNKNOWN

CLEAR, ROUGH, STRAIT = 0, 1, 2


SAMNITE_CLEAR = ("bovianum", "aufidena")


def way_kind(state: State, power: int, start: int, to: int) -> int:
    """The kind of the way between two spaces for a power's army, or NONE if there is none.

    For Samnite armies every way of Bovianum and of Aufidena counts as clear (facts 9.2).
    """
    board = state.world.board
    for way in board.neighbours[start]:
        if way.to == to:
            ends = (board.spaces[start].id, board.spaces[to].id)
            if power == SAM and any(end in SAMNITE_CLEAR for end in ends):
                return CLEAR
            return way.kind
    return NONE


def enemy_outside(state: State, power: int, space: int) -> int:
    """A power with CU outside in the space that this power's troops do not pass (15.2.e4); NONE if there is none."""
    for force in state.troops(space):
        if force.power != power and force.outside and not may_pass(state, power, force.power):
            return force.power
    return NONE


def known_absent(state: State, power: int, space: int) -> bool:
    """Is it known that the power has no CU in the space? What nobody told is presupposed to be there."""
    forces = state.forces[space]
    if forces and forces[0].power == UNKNOWN:
        return False
    return not any(force.power == power for force in forces)
