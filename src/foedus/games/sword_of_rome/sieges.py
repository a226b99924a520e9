"""Siege and subjugation (13): begun, rolled for, lifted, and what falls to whom."""

from __future__ import annotations

from foedus.games.sword_of_rome.alliances import freed_for
from foedus.games.sword_of_rome.commands import Besiege, Liberate, Subjugate
from foedus.games.sword_of_rome.events import (
    ControlChanged,
    LeaderDisplaced,
    SiegeLifted,
    SiegeRolled,
    SiegeSet,
    UnitsRemoved,
)
from foedus.games.sword_of_rome.frames import Marching, Surrendering
from foedus.games.sword_of_rome.ground import known_absent
from foedus.games.sword_of_rome.state import CAR, CITY, GAL, IND, TRA, TRIBE, State
from foedus.kernel.flow import Action, carries_out
from foedus.kernel.rules import Facts, effect, facts, forbids
from foedus.kernel.unknown import NONE, UNKNOWN


@forbids("f13.1", act=(Besiege, Liberate))
def only_an_enemy_city_is_besieged(state: State, act: Besiege | Liberate) -> Facts | None:
    """A city of another power, or an independent one, before which one's army stands."""
    if state.world.kinds[act.space] != CITY:
        return facts(variant="kind", power=act.power, space=act.space)
    if state.owner_of(act.space) == act.power:
        return facts(variant="own", power=act.power, space=act.space)
    if known_absent(state, act.power, act.space):
        return facts(variant="no_army", power=act.power, space=act.space)
    return None


@forbids("f17.2", act=(Besiege, Liberate))
def carthago_is_not_converted(state: State, act: Besiege | Liberate) -> Facts | None:
    """Two to four players: Carthago has no loyalty and cannot be converted."""
    if state.world.players != 5 and state.world.board.spaces[act.space].id == "carthago":
        return facts(power=act.power, space=act.space)
    return None


@forbids("f13.1", act=Subjugate)
def only_a_free_tribe_is_subjugated(state: State, act: Subjugate) -> Facts | None:
    """A tribal space that is nobody's yet, where one's army stands."""
    if state.world.kinds[act.space] != TRIBE:
        return facts(variant="no_tribe", power=act.power, space=act.space)
    if state.owner_of(act.space) == act.power:
        return facts(variant="own", power=act.power, space=act.space)
    if known_absent(state, act.power, act.space):
        return facts(variant="no_army", power=act.power, space=act.space)
    return None


@forbids("f13.1", act=(Besiege, Liberate, Subjugate))
def one_roll_with_three_units(state: State, act: Besiege | Liberate | Subjugate) -> Facts | None:
    """In play a commander with three CU or more rolls instead of moving, once a space and round."""
    frame = state.frames[-1] if state.frames else None
    if frame is None or (state.sketched and not isinstance(frame, (Marching, Surrendering))):
        return None
    if isinstance(frame, Marching):
        ready = frame.power == act.power and frame.at == act.space and not frame.moved
        ready = ready and not frame.fought and not frame.halted
        count = frame.count
    elif isinstance(frame, Surrendering):
        ready = frame.powers[:1] == (act.power,) and bool(state.leaders_in(act.space, act.power))
        count = state.force(act.power, act.space).outside
    else:
        return facts(variant="not_now", power=act.power, space=act.space)
    if not ready:
        return facts(variant="not_now", power=act.power, space=act.space)
    if state.besieger(act.space) != act.power:
        return facts(variant="not_begun", power=act.power, space=act.space)
    if count < int(state.world.tables["movement"]["minimum_siege"]):
        return facts(variant="few", power=act.power, space=act.space, count=count)
    if state.rolled_siege >> act.space & 1:
        return facts(variant="rolled", power=act.power, space=act.space)
    return None


@carries_out(Besiege)
def besiege(action: Action, command: Besiege) -> None:
    """Lay the siege, or roll for it if it stands."""
    _press(action, command.power, command.space)


@carries_out(Liberate)
def liberate(action: Action, command: Liberate) -> None:
    """The same; the city falls to the ally whose home it is."""
    _press(action, command.power, command.space)


@carries_out(Subjugate)
def subjugate(action: Action, command: Subjugate) -> None:
    """The same of a tribe."""
    _press(action, command.power, command.space)


def _press(action: Action, power: int, space: int) -> None:
    state: State = action.state
    if state.besieger(space) != power:
        action.emit(SiegeSet(space, power, 0, "f13.1"))
        return
    frame = state.frames[-1] if state.frames else None
    action.emit(SiegeRolled(space))
    roll_siege(action, power, space)
    if isinstance(frame, Marching) and action.state.frames and isinstance(action.state.frames[-1], Marching):
        action.change(halted=True, count=min(frame.count, action.state.force(power, space).outside))


def roll_siege(action: Action, power: int, space: int) -> None:
    """2d6 on the siege table; Gauls have -1 on sieges (facts 13.2)."""
    state: State = action.state
    total = sum(action.roll("siege", 2))
    if power in (GAL, TRA) and state.world.kinds[space] == CITY:
        total = max(2, total - 1)
    points, lost = state.world.tables["siege"]["rolls"][str(total)]
    lost = min(int(lost), state.force(power, space).outside)
    if lost:
        action.emit(UnitsRemoved(power, space, lost, 0, "f13.6"))
    if points:
        action.emit(SiegeSet(space, power, state.points_of(space) + int(points), "f13.6"))
    if (
        action.state.siege_points[space] >= _resistance(action.state, space)
        and action.state.besieged_by[space] == power
    ):
        convert(action, power, space)
    check_siege(action, space)


def _resistance(state: State, space: int) -> int:
    if state.world.kinds[space] == CITY:
        return state.loyalty_of(space)
    return int(state.world.board.spaces[space].numbers.get("factor", 1))


@effect("13.5", otherwise=False)
def falls_to_the_ally_at_home(state: State) -> bool:
    """Facts 13.5 and 15.18: in an ally's home region a city falls to the ally."""
    return True


def convert(action: Action, power: int, space: int) -> None:
    """The place falls: its garrison is lost, and it is the besieger's, or the ally's whose home it is (13.5)."""
    state: State = action.state
    for force in state.troops(space):
        if force.inside and force.power != power:
            action.emit(UnitsRemoved(force.power, space, 0, force.inside, "13.5"))
    for leader in state.leaders_in(space):
        if state.world.leaders[leader].power != power and state.leader_inside >> leader & 1:
            action.emit(LeaderDisplaced(leader))
    action.emit(SiegeLifted(space, "13.5"))
    ally = freed_for(state, power, space) if falls_to_the_ally_at_home(state) else None
    owner, why = (power, "13.5") if ally is None else (ally, "15.2.3d")
    action.emit(ControlChanged(space, owner, 1 if state.world.kinds[space] == CITY else state.loyalty[space], why))


def check_siege(action: Action, space: int) -> None:
    """Facts 13.4: a siege is lifted the instant no CU of the besieger remain."""
    state: State = action.state
    besieger = state.besieged_by[space]
    if besieger in (NONE, UNKNOWN):
        return
    forces = state.forces[space]
    if forces and forces[0].power == UNKNOWN:
        return
    if not any(force.power == besieger and force.outside for force in forces):
        action.emit(SiegeLifted(space, "f13.4"))


def begin_siege(action: Action, power: int, space: int) -> None:
    """Facts 13.1: an army that ends an action outside an enemy city or in an enemy tribe lays a marker of 0."""
    state: State = action.state
    owner = state.owner_of(space)
    kind = state.world.kinds[space]
    if kind not in (CITY, TRIBE) or owner == power or (kind == TRIBE and owner != IND):
        return
    if owner != IND and state.are_allied(power, owner):
        return
    if state.world.players != 5 and owner == CAR and state.world.board.spaces[space].id == "carthago":
        return
    home = state.world.home[space]
    if owner == IND and home not in (IND, power) and state.are_allied(power, home):
        if state.ruling("independent_city_in_allied_home") == "refused" and kind == CITY:
            return
    if state.besieged_by[space] != power and state.force(power, space).outside:
        action.emit(SiegeSet(space, power, 0, "f13.1"))
