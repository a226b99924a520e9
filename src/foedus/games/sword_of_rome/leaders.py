"""Leaders (8): who commands, and who is displaced."""

from __future__ import annotations

from foedus.games.sword_of_rome.events import LeaderDisplaced
from foedus.games.sword_of_rome.state import State
from foedus.kernel.flow import Action
from foedus.kernel.unknown import NONE


def best_leader(state: State, power: int, space: int, outside: bool = True) -> int:
    """The leader of a power in a space with the best tactics (outside the city), or NONE."""
    leaders = [
        leader for leader in state.leaders_in(space, power) if not (outside and state.leader_inside >> leader & 1)
    ]
    return max(leaders, key=lambda leader: (state.world.leaders[leader].tactics, -leader), default=NONE)


def tactics(state: State, leader: int) -> int:
    """A leader's tactics; 0 for nobody."""
    return state.world.leaders[leader].tactics if leader >= 0 else 0


def displace(action: Action, power: int, space: int) -> None:
    """Facts 8.6: leaders whose CU outside are all lost are displaced."""
    state: State = action.state
    if state.force(power, space).outside:
        return
    for leader in state.leaders_in(space, power):
        if not state.leader_inside >> leader & 1:
            action.emit(LeaderDisplaced(leader))
