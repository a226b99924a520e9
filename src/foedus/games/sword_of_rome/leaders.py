"""Leaders (8): who commands, who is displaced, and the Roman consuls."""

from __future__ import annotations

from foedus.games.sword_of_rome.events import CommandTaken, ConsulsDrawn, LeaderDisplaced
from foedus.games.sword_of_rome.ground import enemy_outside
from foedus.games.sword_of_rome.state import CITY, ROM, State
from foedus.kernel.flow import Action
from foedus.kernel.rules import effect
from foedus.kernel.unknown import NONE

CONSULS = 2
"""How many consuls are drawn each Reinforcement Phase (facts 8.3)."""


# 8.2 one commander


@effect("f8.2", otherwise=False)
def one_commands(state: State) -> bool:
    """An army has one commander: whoever took command, and a named leader before any minor one."""
    return True


def commander(state: State, power: int, space: int, inside: bool = False) -> int:
    """The leader who commands a power's army in a space, outside its city (or, with `inside`, in it); or NONE."""
    leaders = [leader for leader in state.leaders_in(space, power) if bool(state.leader_inside >> leader & 1) == inside]
    if len(leaders) < 2:
        return leaders[0] if leaders else NONE
    cards = state.world.leaders
    if not one_commands(state):
        return max(leaders, key=lambda leader: (cards[leader].tactics, -leader))
    return max(
        leaders,
        key=lambda one: (cards[one].named, state.commanders >> one & 1, cards[one].tactics, -one),
    )


def best_leader(state: State, power: int, space: int, outside: bool = True) -> int:
    """The leader who leads a power's troops in a space in battle and in reactions (outside the city), or NONE."""
    found = commander(state, power, space)
    return commander(state, power, space, True) if found == NONE and not outside else found


def take_command(action: Action, leader: int) -> None:
    """The leader commands the army with which he stands, unless a named leader stands above a minor one (f8.2)."""
    state: State = action.state
    space = state.leader_at[leader]
    if space < 0:
        return
    power = state.world.leaders[leader].power
    others = [one for one in state.leaders_in(space, power) if one != leader]
    if not others or not one_commands(state):
        return
    if not state.world.leaders[leader].named and any(state.world.leaders[one].named for one in others):
        return
    action.emit(CommandTaken(leader, space))


def who_commands_after(state: State, leader: int) -> int:
    """Who commands where a leader ends his movement: he, or the best of those there (`command_when_armies_meet`)."""
    if state.ruling("command_when_armies_meet") == "arriving":
        return leader
    cards = state.world.leaders
    there = state.leaders_in(state.leader_at[leader], cards[leader].power)
    outside = [one for one in there if not state.leader_inside >> one & 1]
    return max(outside, key=lambda one: (cards[one].named, cards[one].tactics, -one), default=leader)


def tactics(state: State, leader: int) -> int:
    """A leader's tactics; 0 for nobody."""
    return state.world.leaders[leader].tactics if leader >= 0 else 0


# 8.3 consuls


def is_consul(state: State, leader: int) -> bool:
    """Facts 8.3: every named Roman leader but the Dictator is a consul."""
    card = state.world.leaders[leader]
    return card.named and card.power == ROM and card.id != "dictator"


@effect("f8.3", otherwise=False)
def consuls_change(state: State) -> bool:
    """Each Reinforcement Phase the consuls go back to the pool and two are drawn."""
    return True


def consul_left_alone(state: State, power: int, space: int, going: int, leaving: int) -> int:
    """The consul who would stay in a space without a Roman CU when so many CU and these leaders (mask) go; or NONE."""
    if power != ROM or not state.known_troops(space):
        return NONE
    force = state.force(power, space)
    if force.outside + force.inside > going:
        return NONE
    for leader in state.leaders_in(space, power):
        if not leaving >> leader & 1 and is_consul(state, leader):
            return leader
    return NONE


def draw_consuls(action: Action) -> None:
    """All consuls go back to the pool, two are drawn by the dice and wait to be placed with Roman CU (facts 8.3)."""
    state: State = action.state
    if not consuls_change(state):
        return
    lost = max(state.lost, 0)
    pool = [one for one in state.world.leaders_of[ROM] if is_consul(state, one) and not lost >> one & 1]
    mask = sum(1 << one for one in pool)
    drawn = 0
    left = list(pool)
    for _ in range(min(CONSULS, len(pool))):
        drawn |= 1 << left.pop(action.pick("consul", len(left)))
    if mask:
        action.emit(ConsulsDrawn(ROM, mask, drawn))


# 8.6 displaced leaders


@effect("f8.6", otherwise=False)
def leaders_are_displaced(state: State) -> bool:
    """A leader without his CU is displaced."""
    return True


def displace(action: Action, power: int, space: int) -> None:
    """Facts 8.6: leaders whose CU outside are all lost are displaced."""
    state: State = action.state
    if state.force(power, space).outside or not leaders_are_displaced(state):
        return
    for leader in state.leaders_in(space, power):
        if not state.leader_inside >> leader & 1:
            action.emit(LeaderDisplaced(leader))


def displace_all_lone(action: Action) -> None:
    """Facts 8.6 for the whole map: CU may also have come by retreats, interceptions and placements."""
    state: State = action.state
    forces = state.forces
    suspect = {
        at
        for at, power in zip(state.leader_at, state.world.leader_powers, strict=True)
        if at >= 0 and forces[at] and forces[at][0].power != power
    }
    for space in sorted(suspect):
        displace_lone(action, space)


def displace_lone(action: Action, space: int) -> None:
    """Facts 8.6: leaders alone with enemy CU are displaced, unless it is a walled city of their own."""
    state: State = action.state
    if not state.known_troops(space) or not leaders_are_displaced(state):
        return
    for leader in state.leaders_in(space):
        power = state.world.leaders[leader].power
        force = state.force(power, space)
        if force.outside or force.inside:
            continue
        if state.kinds[space] == CITY and state.owner[space] == power:
            continue
        if enemy_outside(state, power, space) != NONE:
            action.emit(LeaderDisplaced(leader))
