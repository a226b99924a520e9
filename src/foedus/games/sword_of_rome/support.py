"""Control markers, loyalty and support (7.3)."""

from __future__ import annotations

from foedus.games.sword_of_rome.alliances import lose_point, put_outside
from foedus.games.sword_of_rome.commands import (
    PlaceSupport,
    RemoveMarker,
    RemoveSupport,
    RemoveUnits,
    TakeControl,
)
from foedus.games.sword_of_rome.events import ControlChanged, SiegeLifted, UnitsRemoved
from foedus.games.sword_of_rome.frames import Spoils, Supporting
from foedus.games.sword_of_rome.ground import known_absent
from foedus.games.sword_of_rome.state import BOX, CITY, GAL, IND, TRA, TRIBE, State, owner_masks
from foedus.kernel.flow import Action, carries_out
from foedus.kernel.rules import Facts, effect, excepts, facts, forbids
from foedus.kernel.unknown import NONE, UNKNOWN

MOST_LOYALTY = 3
MOST_GALLIC_LOYALTY = 1


def most_loyalty(power: int) -> int:
    """The highest loyalty of a power's cities (facts 7.10)."""
    return MOST_GALLIC_LOYALTY if power in (GAL, TRA) else MOST_LOYALTY


def beneficiary(act: PlaceSupport) -> int:
    """The power for which a point is placed."""
    return act.power if act.on_behalf == NONE else act.on_behalf


@forbids("f7.10", act=PlaceSupport)
def where_support_is_placed(state: State, act: PlaceSupport) -> Facts | None:
    """A point of loyalty in an own unbesieged city, or a marker for an enemy's where one has CU."""
    power = beneficiary(act)
    if power != act.power and act.by != "battle":
        return None  # 15.2.n
    owner = state.owner_of(act.space)
    if state.kinds[act.space] == CITY:
        if owner != power:
            return facts(variant="city", power=power, space=act.space, owner=owner)
        if state.loyalty_of(act.space) >= most_loyalty(power):
            return facts(variant="full", power=power, space=act.space, loyalty=state.loyalty[act.space])
        return None
    if state.kinds[act.space] == BOX or (state.kinds[act.space] == TRIBE and owner == IND):
        return facts(variant="kind", power=power, space=act.space)
    if owner == power:
        return facts(variant="own", power=power, space=act.space)
    if known_absent(state, power, act.space):
        return facts(variant="no_units", power=power, space=act.space)
    return None


@excepts("f7.13", to="f7.10", act=PlaceSupport)
def more_after_a_victory(state: State, act: PlaceSupport) -> Facts | None:
    """What is independent in the winner's home; for an ally also the loser's markers beside that ally's ground.

    The winner himself replaces the loser's markers by removing them.
    """
    if act.by != "battle" or state.kinds[act.space] in (TRIBE, BOX):
        return None
    power, space = beneficiary(act), act.space
    frame = state.frames[-1] if state.frames else None
    owner = state.owner_of(space)
    if not free_of_enemies(state, power, space):
        return None
    if owner == IND:
        return facts(power=power, space=space) if state.world.home[space] == power else None
    losers = (frame.loser, frame.other) if isinstance(frame, Spoils) and power != act.power else ()
    if owner not in losers or state.kinds[space] == CITY or not beside_own(state, power, space):
        return None
    return facts(variant="replace", power=power, loser=owner, space=space)


def free_of_enemies(state: State, power: int, space: int) -> bool:
    """Does no enemy of the power have CU in the space?"""
    if not state.known_troops(space):
        return True
    return not any(force.power != power and not state.are_allied(power, force.power) for force in state.troops(space))


@effect("f7.13", otherwise=False)
def beside_own(state: State, power: int, space: int) -> bool:
    """Did the winning power itself hold a space beside it when the battle began?"""
    frame = state.frames[-1] if state.frames else None
    if isinstance(frame, Spoils) and frame.space != NONE:
        held = frame.ally_held if power == frame.ally else frame.held
    else:
        held = owner_masks(state)[power]
    return bool(state.world.board.beside[space] & held)


@forbids("f7.12", act=(PlaceSupport, RemoveMarker))
def tribes_are_not_touched(state: State, act: PlaceSupport | RemoveMarker) -> Facts | None:
    """Tribes are not affected by support: the marker on a subjugated one stays for good."""
    if state.kinds[act.space] != TRIBE or state.owner_of(act.space) in (IND, act.power):
        return None
    return facts(variant="tribe", power=act.power, space=act.space)


@forbids("f7.12", act=(PlaceSupport, RemoveMarker))
def owners_with_units_keep_their_marker(state: State, act: PlaceSupport | RemoveMarker) -> Facts | None:
    """Another's marker goes only where its owner has no friendly CU."""
    if state.kinds[act.space] == CITY:
        return None
    owner = state.owner_of(act.space)
    if owner in (IND, act.power) or known_absent(state, owner, act.space):
        return None
    if state.force(owner, act.space).outside:
        return facts(power=act.power, owner=owner, space=act.space)
    return None


@forbids("7.3.1", act=RemoveMarker)
def which_marker_is_removed(state: State, act: RemoveMarker) -> Facts | None:
    """Facts 7.10 to 7.12: an enemy's marker, in a space that holds one's own CU (or by a battle or an event)."""
    if state.kinds[act.space] in (CITY, BOX):
        return facts(variant="kind", power=act.power, space=act.space)
    owner = state.owner_of(act.space)
    if owner in (IND, act.power):
        return facts(variant="nobody", power=act.power, space=act.space)
    if act.by == "card" and known_absent(state, act.power, act.space):
        return facts(power=act.power, space=act.space)
    return None


@forbids("f7.12", act=RemoveSupport)
def what_loyalty_can_be_taken(state: State, act: RemoveSupport) -> Facts | None:
    """Only another's city has loyalty to take, and never below the number of CU inside."""
    owner = state.owner_of(act.space)
    if state.kinds[act.space] != CITY or owner in (IND, act.power):
        return facts(variant="nothing", power=act.power, space=act.space)
    if known_absent(state, owner, act.space):
        return None
    if state.force(owner, act.space).inside >= state.loyalty_of(act.space):
        return facts(variant="garrison", power=act.power, owner=owner, space=act.space)
    return None


@forbids("f7.12", act=RemoveUnits)
def only_units_that_are_there(state: State, act: RemoveUnits) -> Facts | None:
    """There must be CU of that power."""
    if known_absent(state, act.owner, act.space):
        return facts(variant="no_units", power=act.power, owner=act.owner, space=act.space)
    return None


@forbids("f7.10", act=TakeControl)
def what_taking_control_needs(state: State, act: TakeControl) -> Facts | None:
    """One's own CU in the space; a city is taken by siege."""
    if state.owner_of(act.space) == act.power:
        return facts(variant="own", power=act.power, space=act.space)
    if known_absent(state, act.power, act.space):
        return facts(variant="no_units", power=act.power, space=act.space)
    return None


@effect("7.3.1", otherwise=True)
def removal_needs_replacing(state: State) -> bool:
    """Does one's own marker have to take the place of the removed one? Not in an ally's home (facts 15.17)."""
    return False


@effect("15.2.3b", otherwise=False)
def removed_only(state: State, power: int, space: int) -> bool:
    """In an ally's home region an enemy marker is removed, and one's own does not take its place."""
    home = state.world.home[space]
    return home not in (IND, power) and state.are_allied(power, home)


@carries_out(PlaceSupport)
def place_support(action: Action, command: PlaceSupport) -> None:
    """One point."""
    spend_spoil(action)
    add_point(action, beneficiary(command), command.space, "f7.13" if command.by == "battle" else "f7.10")


@carries_out(RemoveMarker)
def remove_marker(action: Action, command: RemoveMarker) -> None:
    """The enemy's marker goes; by a card one's own takes its place, but not in an ally's home region."""
    state: State = action.state
    only = removed_only(state, command.power, command.space)
    owner = IND if only and not removal_needs_replacing(state) else command.power
    if command.by == "battle" and not only and not _replaces(state, command.power, command.space):
        owner = IND
    why = "15.2.3b" if only else "7.3.1"
    spend_spoil(action)
    action.emit(ControlChanged(command.space, owner, state.loyalty[command.space], why))


@carries_out(RemoveSupport)
def remove_support(action: Action, command: RemoveSupport) -> None:
    """A point of loyalty goes; the winner of a battle takes a city that he brings to 0 beside his own ground."""
    state: State = action.state
    space = command.space
    won = command.by == "battle" and state.loyalty_of(space) == 1 and state.besieged_by[space] in (NONE, UNKNOWN)
    takes = won and beside_own(state, command.power, space) and not _in_an_allys_home(state, command.power, space)
    spend_spoil(action)
    if takes:
        put_outside(action, space, "f7.13")
        action.emit(ControlChanged(space, command.power, 1, "f7.13"))
    else:
        lose_point(action, space, "f7.12")


def _replaces(state: State, power: int, space: int) -> bool:
    """Does the winner's own marker take the place of the loser's (facts 7.10, 7.13)?"""
    if not free_of_enemies(state, power, space):
        return False
    return state.force(power, space).outside > 0 or beside_own(state, power, space)


def _in_an_allys_home(state: State, power: int, space: int) -> bool:
    home = state.world.home[space]
    return home not in (IND, power) and state.are_allied(power, home)


@carries_out(RemoveUnits)
def remove_units(action: Action, command: RemoveUnits) -> None:
    """A CU goes."""
    force = action.state.force(command.owner, command.space)
    outside = 1 if force.outside else 0
    action.emit(UnitsRemoved(command.owner, command.space, outside, 1 - outside, "f7.12"))


@carries_out(TakeControl)
def take_control(action: Action, command: TakeControl) -> None:
    """The power's marker stands there, or its loyalty of 1."""
    state: State = action.state
    loyalty = 1 if state.kinds[command.space] == CITY else state.loyalty[command.space]
    action.emit(ControlChanged(command.space, command.power, loyalty, "f7.10"))


def add_point(action: Action, power: int, space: int, why: str) -> None:
    """One point of support of a power in a space: loyalty, or its marker for another's."""
    state: State = action.state
    if state.owner_of(space) == power:
        action.emit(ControlChanged(space, power, state.loyalty_of(space) + 1, why, state.loyalty_of(space)))
    else:
        loyalty = 1 if state.kinds[space] == CITY else state.loyalty[space]
        if state.besieged_by[space] == power:
            action.emit(SiegeLifted(space, "f13.4"))
        action.emit(ControlChanged(space, power, loyalty, why))


def spend_spoil(action: Action) -> None:
    """One point of what was won in battle, or of the card's value, is spent."""
    frames = action.state.frames
    if frames and isinstance(frames[-1], Spoils):
        action.change(points=frames[-1].points - 1)
    elif frames and isinstance(frames[-1], Supporting):
        action.change(left=frames[-1].left - 1)


@forbids("f7.4", act=(PlaceSupport, RemoveMarker))
def support_comes_by_a_card(state: State, act: PlaceSupport | RemoveMarker) -> Facts | None:
    """In play a card's value, so many points, or a battle."""
    if act.by in ("battle", "raid", "plunder") or (state.sketched and not state.frames):
        return None  # f12.8, f14.2 and f14.4 say when
    frame = state.frames[-1] if state.frames else None
    if isinstance(frame, Supporting):
        own = act.power == frame.npp if frame.npp != NONE else state.controller[act.power] == frame.seat
        return None if own and frame.left > 0 else facts(variant="no_card_played", power=act.power)
    if state.sketched and act.by != "value":
        return None
    return facts(variant="no_card_played", power=act.power)
