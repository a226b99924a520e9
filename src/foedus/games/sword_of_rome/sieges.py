"""Siege and subjugation (13): begun, rolled for, lifted, and what falls to whom."""

from __future__ import annotations

from foedus.games.sword_of_rome.alliances import fall, places_fall
from foedus.games.sword_of_rome.commands import (
    ActivateNPP,
    Besiege,
    Liberate,
    PlaceSupport,
    PlaceUnits,
    PlayEvent,
    Subjugate,
)
from foedus.games.sword_of_rome.events import (
    SiegeLifted,
    SiegeRolled,
    SiegeSet,
    UnitsRemoved,
)
from foedus.games.sword_of_rome.frames import Marching, Surrendering
from foedus.games.sword_of_rome.ground import known_absent
from foedus.games.sword_of_rome.leaders import displace
from foedus.games.sword_of_rome.state import CAR, CITY, GAL, IND, TRA, TRIBE, State
from foedus.kernel.flow import Action, carries_out
from foedus.kernel.rules import Facts, effect, facts, forbids
from foedus.kernel.unknown import NONE, UNKNOWN


@forbids("f13.1", act=(Besiege, Liberate))
def only_an_enemy_city_is_besieged(state: State, act: Besiege | Liberate) -> Facts | None:
    """A city of another power, or an independent one, before which one's army stands."""
    if state.kinds[act.space] != CITY:
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
    if state.kinds[act.space] != TRIBE:
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
    press_siege(action, command.power, command.space)


@carries_out(Liberate)
def liberate(action: Action, command: Liberate) -> None:
    """The same; the city falls to the ally whose home it is."""
    press_siege(action, command.power, command.space)


@carries_out(Subjugate)
def subjugate(action: Action, command: Subjugate) -> None:
    """The same of a tribe."""
    press_siege(action, command.power, command.space)


def may_press(state: State, power: int, space: int) -> bool:
    """Could an event press a siege there: by a leader with three CU or more, if nobody has rolled there this round?"""
    if state.besieged_by[space] != power or state.rolled_siege >> space & 1 or not state.known_troops(space):
        return False
    least = int(state.world.tables["movement"]["minimum_siege"])
    return state.force(power, space).outside >= least and bool(state.leaders_in(space, power))


def press_siege(action: Action, power: int, space: int) -> None:
    """Lay the siege, or roll for it if it stands."""
    state: State = action.state
    if state.besieger(space) != power:
        action.emit(SiegeSet(space, power, 0, "f13.1"))
        return
    frame = state.frames[-1] if state.frames else None
    action.emit(SiegeRolled(space))
    falls = roll_siege(action, power, space)
    if isinstance(frame, Marching):
        action.change(halted=True, count=min(frame.count, action.state.force(power, space).outside))
    if falls:
        fall(action, power, space)


@effect("f13.2", otherwise=0)
def gallic_siege(state: State, power: int, space: int) -> int:
    """Gauls have -1 on siege rolls, not on subjugation."""
    return -1 if power in (GAL, TRA) and state.kinds[space] == CITY else 0


@effect("f13.6", otherwise=(0, 0))
def siege_result(state: State, total: int) -> tuple[int, int]:
    """The points that a roll brings and the CU it costs, by the siege table (provisional)."""
    points, lost = state.world.tables["siege"]["rolls"][str(min(12, max(2, total)))]
    return int(points), int(lost)


def roll_siege(action: Action, power: int, space: int) -> bool:
    """2d6 on the siege table. Does the place fall by it?"""
    state: State = action.state
    total = sum(action.roll("siege", 2)) + gallic_siege(state, power, space)
    points, lost = siege_result(state, total)
    lost = min(lost, state.force(power, space).outside)
    if points:
        action.emit(SiegeSet(space, power, state.points_of(space) + points, "f13.6"))
    if lost:
        action.emit(UnitsRemoved(power, space, lost, 0, "f13.6"))
        displace(action, power, space)
    if not action.state.force(power, space).outside and action.state.known_troops(space):
        check_siege(action, space)  # whoever loses his last CU by the roll has nobody to take the place
        return False
    return action.state.siege_points[space] >= resistance(action.state, space) and places_fall(state)


@effect("f13.7", otherwise=True)
def garrison_resists(state: State) -> bool:
    """Do CU inside strengthen a city against a siege? They do not."""
    return False


def resistance(state: State, space: int) -> int:
    """The points at which a place falls: a city's loyalty, a tribe's factor."""
    if state.kinds[space] != CITY:
        return int(state.world.board.spaces[space].numbers.get("factor", 1))
    inside = sum(force.inside for force in state.troops(space)) if garrison_resists(state) else 0
    return state.loyalty_of(space) + inside


@effect("f13.4", otherwise=False)
def sieges_end_with_the_besiegers(state: State) -> bool:
    """A siege ends the instant no CU of the besieger remain; one or two keep it up."""
    return True


def check_siege(action: Action, space: int) -> None:
    """Facts 13.4: a siege is lifted the instant no CU of the besieger remain."""
    state: State = action.state
    besieger = state.besieged_by[space]
    if besieger in (NONE, UNKNOWN):
        return
    forces = state.forces[space]
    if forces and forces[0].power == UNKNOWN:
        return
    if not any(force.power == besieger and force.outside for force in forces) and sieges_end_with_the_besiegers(state):
        action.emit(SiegeLifted(space, "f13.4"))


@effect("f13.1", otherwise=False)
def sieges_begin(state: State) -> bool:
    """An army that ends an action there, or wins a battle there, lays a marker of 0."""
    return True


def begin_siege(action: Action, power: int, space: int) -> None:
    """Facts 13.1: an army that ends an action outside an enemy city or in an enemy tribe lays a marker of 0."""
    state: State = action.state
    owner = state.owner_of(space)
    kind = state.kinds[space]
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
    if state.besieged_by[space] != power and state.force(power, space).outside and sieges_begin(state):
        action.emit(SiegeSet(space, power, 0, "f13.1"))


@forbids("f13.3", act=(PlaceSupport, PlaceUnits, ActivateNPP, PlayEvent))
def the_besieged_gain_nothing(state: State, act: PlaceSupport | PlaceUnits | ActivateNPP | PlayEvent) -> Facts | None:
    """Neither reinforcements nor loyalty come into a besieged city."""
    if act.space == NONE or state.kinds[act.space] != CITY:
        return None
    power = act.power
    if isinstance(act, ActivateNPP):
        if act.action != "units":
            return None  # support is judged as such
        power = act.npp
    elif isinstance(act, PlayEvent):
        power = act.target
        if act.effect not in ("loyalty", "reinforce") or state.owner_of(act.space) != power:
            return None
    elif isinstance(act, PlaceSupport):
        power = act.power if act.on_behalf == NONE else act.on_behalf
        if state.owner_of(act.space) != power:
            return None
    besieger = state.besieger(act.space)
    if besieger in (NONE, power):
        return None
    loyalty = isinstance(act, PlaceSupport) or (isinstance(act, PlayEvent) and act.effect == "loyalty")
    variant = "" if loyalty else "units"
    told = facts(power=act.power, space=act.space, besieger=besieger)
    return (("variant", variant), *told) if variant else told
