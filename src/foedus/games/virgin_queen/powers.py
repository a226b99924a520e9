"""The powers (facts 9, 11, 17): who decides for whom, the order they act in, keys held, influence and status."""

from __future__ import annotations

from foedus.games.virgin_queen.events import (
    AllianceEnded,
    HandDiscarded,
    InfluenceChanged,
    StatusChanged,
    StatusRolled,
    UnitsMoved,
    WarEnded,
)
from foedus.games.virgin_queen.placing import home_of, leaders_going
from foedus.games.virgin_queen.state import IND, MAJORS, MINORS, POWERS, UNTOLD, State, owner_masks
from foedus.games.virgin_queen.terms import lift_siege
from foedus.kernel.flow import Action
from foedus.kernel.rules import effect
from foedus.kernel.unknown import NONE
from foedus.kernel.values import bits


@effect("f1.8", otherwise=MAJORS[::-1])
def impulse_order(state: State) -> tuple[int, ...]:
    """The great powers in Impulse Order (facts 1.8)."""
    return MAJORS


def acting_powers(state: State) -> tuple[int, ...]:
    """The great powers that somebody decides for, in Impulse Order (facts 17)."""
    key = ("acting powers", state.controller, state.minor_ally, state.off)
    found: tuple[int, ...] | None = state.world.cache.get(key)
    if found is None:
        found = tuple(power for power in impulse_order(state) if state.seat_of(power) != NONE)
        state.world.cache[key] = found
    return found


def playing_powers(state: State) -> tuple[int, ...]:
    """The great powers with a player of their own, in Impulse Order."""
    return tuple(power for power in impulse_order(state) if state.controller[power] != NONE)


def minors_of(state: State, power: int) -> tuple[int, ...]:
    """The minor powers that are allied with a great power, as far as known (facts 9.2)."""
    allies = state.minor_ally
    return tuple([minor for minor in MINORS if allies[minor] == power]) if power in allies else ()


@effect("f9.3", otherwise=())
def serving(state: State, power: int) -> tuple[int, ...]:
    """The powers whose forces serve a great power: its minor allies (facts 9.3)."""
    return minors_of(state, power)


def side_of(state: State, power: int) -> tuple[int, ...]:
    """A great power and the minor powers whose forces serve it."""
    return (power, *serving(state, power))


def keys_held(state: State, power: int) -> int:
    """The key spaces (mask) that count for a great power: its own, and those of its minor allies (facts 9.3)."""
    owners = owner_masks(state)
    found = owners[power]
    for minor in serving(state, power):
        found |= owners[minor]
    return found & state.world.keys


def resolve_status(action: Action, power: int) -> None:
    """Facts 9.6: everybody with influence there rolls a die and adds it; the highest gains the power."""
    state: State = action.state
    rivals = [by for by in playing_powers(state) if state.influence[power][by] > 0 and by != power]
    while rivals:
        dice = action.roll(f"status of {POWERS[power]}", len(rivals))
        totals = [(by, die + action.state.influence[power][by]) for by, die in zip(rivals, dice, strict=True)]
        action.emit(StatusRolled(power, tuple(totals)))
        best = max(total for _, total in totals)
        rivals = [by for by, total in totals if total == best]
        if len(rivals) == 1 or not ties_are_rolled_again(action.state):
            break
    if len(rivals) != 1:
        return
    change_status(action, power, rivals[0])


@effect("f9.6", otherwise=False)
def ties_are_rolled_again(state: State) -> bool:
    """Ruling `status_tie`: those who are equal roll again, or nobody gains the power."""
    return state.ruling("status_tie") == "reroll"


@effect("f9.2", otherwise=False)
def one_ally_at_a_time(state: State) -> bool:
    """A minor power is allied with one great power at a time: the former ally loses it."""
    return True


def change_status(action: Action, power: int, patron: int) -> None:
    """The power changes sides; influence there is spent (facts 9.6, 9.7)."""
    state: State = action.state
    if state.minor_ally[power] == patron:
        return
    if state.minor_ally[power] not in (NONE, patron) and not one_ally_at_a_time(state):
        return
    hand = state.hands[power]
    if power in MAJORS and hand and hand != UNTOLD:
        action.emit(HandDiscarded(power, hand))  # whoever decides for it next shall not look into its hand
    former = state.minor_ally[power]
    action.emit(StatusChanged(power, patron))
    if patron != NONE and action.state.wars[power] >> patron & 1:
        action.emit(WarEnded(min(power, patron), max(power, patron), False, "f9.2"))
    if state.ruling("minor_changes_hands") == "units_and_spaces":
        _make_room(action, power, former)
    if alliances_end_with_the_controller(state):
        for other in bits(action.state.allies[power]):
            action.emit(AllianceEnded(min(power, other), max(power, other), "early", NONE, "ally.M4"))


def _make_room(action: Action, power: int, former: int) -> None:
    """Ruling `minor_changes_hands`: sieges without a war are over, and guests of the former ally and at his go home."""
    for space in range(action.state.world.spaces):
        state: State = action.state
        besieger, owner = state.besieged_by[space], state.owner[space]
        if besieger >= 0 <= owner and power in (besieger, owner) and owner != IND and not state.at_war(besieger, owner):
            lift_siege(action, space, "f9.12")
        if former == NONE or power in MAJORS:
            continue
        for guest, host in ((former, power), (power, former)):
            if owner == host and state.present(space, guest):
                _send_home(action, guest, space)


def _send_home(action: Action, power: int, space: int) -> None:
    to = home_of(action.state, power, space)
    if to is not None:
        force, leaders = action.state.force(power, space), leaders_going(action.state, power, space)
        moved = (force.regulars, force.mercenaries, force.cavalry)
        action.emit(UnitsMoved(power, space, to, *moved, leaders, "f9.12"))


@effect("ally.M4", otherwise=False)
def alliances_end_with_the_controller(state: State) -> bool:
    """Ruling `controller_changes`: an alliance joins powers and stays, or ends when another player decides for one."""
    return state.ruling("controller_changes") == "ends"


def add_influence(action: Action, power: int, by: int, points: int) -> None:
    """Facts 9.4, 9.5: influence is kept on a track for each minor and inactive power."""
    action.emit(InfluenceChanged(power, by, action.state.influence[power][by] + points))


def courted(state: State) -> tuple[int, ...]:
    """The powers with which influence can be had: minor powers, and great ones that no player plays (facts 9.4)."""
    return (*MINORS, *state.world.inactive)


def powers_in(mask: int) -> tuple[int, ...]:
    """The powers of a mask, without the independents."""
    return tuple(power for power in bits(mask) if power != IND)
