"""Cards in hand, played for their value or as events (6, 7)."""

from __future__ import annotations

from collections.abc import Iterable

from foedus.games.sword_of_rome.alliances import lose_point
from foedus.games.sword_of_rome.carthage import sign_treaty
from foedus.games.sword_of_rome.commands import (
    ActivateNPP,
    Done,
    PlaceSupport,
    PlayCard,
    PlayEvent,
    PlayValue,
    RemoveMarker,
)
from foedus.games.sword_of_rome.events import (
    CardPlayed,
    ControlChanged,
    EventPlayed,
    SiegeSet,
    UnitsAdded,
    UnitsRemoved,
)
from foedus.games.sword_of_rome.frames import Activation, Campaign, Supporting
from foedus.games.sword_of_rome.neutrals import asked, placing_support, seat_deciding
from foedus.games.sword_of_rome.state import BOX, CAR, CITY, S_ROM, TREATY, TRIBE, State
from foedus.games.sword_of_rome.support import most_loyalty
from foedus.kernel.flow import Action, Decision, Flow, Group, carries_out
from foedus.kernel.rules import Facts, facts, forbids
from foedus.kernel.unknown import NONE, UNKNOWN

EFFECTS = (
    "harm",
    "help",
    "loyalty",
    "remove_units",
    "remove_support",
    "remove_marker",
    "besiege",
    "battle",
    "campaign",
    "treaty",
)


@forbids("f5.1", act=(PlayEvent, PlayValue))
def one_card_while_active(state: State, act: PlayEvent | PlayValue) -> Facts | None:
    """Cards are played while active, one in an activation (activations of NPPs besides)."""
    frame = state.frames[-1] if state.frames else None
    if frame is None and state.sketched:
        return None if state.is_active(act.power) else facts(variant="inactive", power=act.power)
    if not isinstance(frame, Activation) or frame.seat != state.controller[act.power]:
        return facts(variant="card", power=act.power)
    return facts(variant="played", power=act.power) if frame.played else None


@forbids("f7.4", act=PlayEvent)
def what_the_event_does(state: State, act: PlayEvent) -> Facts | None:
    """The effect must be one that the card has."""
    if act.effect not in EFFECTS or not _has_target(state, act):
        return facts(variant="unknown_effect", power=act.power, effect=act.effect)
    if act.space == NONE and act.effect in IN_A_PLACE and not state.sketched:
        return facts(variant="no_place", power=act.power)
    if act.effect == "loyalty" and act.space != NONE:
        if state.world.kinds[act.space] != CITY or state.owner_of(act.space) != act.target:
            return facts(variant="no_city", power=act.power, target=act.target, space=act.space)
        if state.loyalty_of(act.space) >= most_loyalty(act.target):
            return facts(variant="full", power=act.power, space=act.space)
    if act.effect == "remove_units" and act.space != NONE and state.known_troops(act.space):
        force = state.force(act.target, act.space)
        if not force.outside and not force.inside:
            return facts(variant="no_units", power=act.power, target=act.target, space=act.space)
    if act.effect in ("remove_support", "remove_marker", "besiege") and act.space != NONE:
        if state.owner_of(act.space) != act.target:
            return facts(variant="not_his", power=act.power, target=act.target, space=act.space)
    return None


IN_A_PLACE = ("loyalty", "remove_units", "remove_support", "remove_marker", "besiege")
"""Effects that happen in a space."""


def _has_target(state: State, act: PlayEvent) -> bool:
    """Can the effect fall on that power, and there? Tribes have no support to lose (facts 7.12)."""
    if act.effect in ("campaign", "treaty"):
        return act.target == act.power
    if act.effect in ("remove_support", "remove_marker") and act.space != NONE:
        if state.world.kinds[act.space] in (TRIBE, BOX):
            return False
    return act.target in state.world.powers


def entail_event(state: State, command: PlayEvent) -> Iterable[tuple[State, object]]:
    """The event, and the card it is on."""
    yield state, command
    yield state, PlayCard(command.power, command.card, command.effect if command.card >= 0 else "")


def entail_value(state: State, command: PlayValue) -> Iterable[tuple[State, object]]:
    """The play, and the card."""
    yield state, command
    yield state, PlayCard(command.power, command.card)


def entail_activation(state: State, command: ActivateNPP) -> Iterable[tuple[State, object]]:
    """The activation, the card, and the support that is placed.

    Under the treaty any Roman card of value 3 serves for Carthage (facts 18.3).
    """
    yield state, command
    needs = "activation"
    if command.card >= 0 and command.npp == CAR and state.treaty == TREATY and state.controller[command.power] == S_ROM:
        needs = "" if state.world.cards[command.card].value == 3 else needs
    yield state, PlayCard(command.power, command.card, needs if command.card >= 0 else "")
    if command.action == "support" and command.space != NONE:
        yield placing_support(state, command), PlaceSupport(command.npp, command.space)


@carries_out(PlayEvent)
def play_event(action: Action, command: PlayEvent) -> None:
    """The card is played and its effect happens."""
    state: State = action.state
    seat = state.controller[command.power]
    if command.card >= 0:
        action.emit(CardPlayed(seat, command.card, "event"))
    frame = state.frames[-1] if state.frames else None
    if isinstance(frame, Activation):
        action.change(played=True)
    action.emit(EventPlayed(seat, command.effect, command.target, command.space))
    space, target = command.space, command.target
    if command.effect == "campaign":
        action.push(Campaign(seat, 2))
    elif command.effect == "treaty":
        sign_treaty(action)
    elif space == NONE:
        return
    elif command.effect == "loyalty":
        action.emit(ControlChanged(space, target, state.loyalty_of(space) + 1, "f7.4", state.loyalty_of(space)))
    elif command.effect in ("remove_support", "remove_marker"):
        lose_point(action, space, "f7.4")
    elif command.effect == "remove_units":
        outside = 1 if state.force(target, space).outside else 0
        action.emit(UnitsRemoved(target, space, outside, 1 - outside, "f7.4"))
    elif command.effect == "besiege":
        action.emit(SiegeSet(space, command.power, 0, "f7.4"))


@forbids("f7.4", act=PlayValue)
def what_a_value_gives(state: State, act: PlayValue) -> Facts | None:
    """Support up to the value, or one CU for a value of 3 where one's leader or CU stand unbesieged."""
    if act.action == "support":
        return None
    if act.action != "units":
        return facts(variant="unknown_effect", power=act.power, effect=act.action)
    if act.card >= 0 and state.world.cards[act.card].value < 3:
        return facts(variant="value", power=act.power, card=act.card)
    if act.space == NONE and not state.sketched:
        return facts(variant="no_place", power=act.power)
    if act.space != NONE and state.known_troops(act.space):
        if not state.force(act.power, act.space).outside:
            return facts(variant="no_own_units", power=act.power, space=act.space)
        if not state.leaders_in(act.space, act.power):
            return facts(variant="no_leader", power=act.power, space=act.space)
    return None


@carries_out(PlayValue)
def play_value(action: Action, command: PlayValue) -> None:
    """The card is played for its value."""
    state: State = action.state
    seat = state.controller[command.power]
    if command.card >= 0:
        action.emit(CardPlayed(seat, command.card, "value"))
    if state.frames and isinstance(state.frames[-1], Activation):
        action.change(played=True)
    if command.action == "units":
        action.emit(UnitsAdded(command.power, command.space, 1, "f7.4"))
    elif state.frames:
        value = state.world.cards[command.card].value if command.card >= 0 else 1
        action.push(Supporting(seat, value))


def _supporting_awaits(state: State, frame: Supporting) -> tuple[Decision, ...]:
    if frame.left < 1:
        return ()
    if frame.npp != NONE:
        return asked(state, frame.npp, "support", "f7.4", facts(power=frame.npp, points=frame.left))
    power = state.powers_of(frame.seat)[0]
    return (Decision(frame.seat, power, "support", "f7.4", facts(power=power, points=frame.left)),)


def _supporting_candidates(state: State, frame: Supporting, seat: int) -> Iterable[Group]:
    if frame.left < 1 or seat != (frame.seat if frame.npp == NONE else seat_deciding(state, frame.npp)):
        return
    powers = state.powers_of(seat) if frame.npp == NONE else (frame.npp,)
    for power in powers:
        mine = [s for s, owner in enumerate(state.owner) if owner == power]
        standing = [
            s
            for s, forces in enumerate(state.forces)
            if state.owner[s] != power and any(force.power == power for force in forces)
        ]
        yield PlaceSupport, power, [PlaceSupport(power, space) for space in (*mine, *standing)]
        yield RemoveMarker, power, [RemoveMarker(power, space) for space in standing]
    yield Done, powers[0], (Done(powers[0]),)


def _supporting_proceed(action: Action, frame: Supporting) -> None:
    action.pop()


SUPPORTING = Flow(Supporting, _supporting_awaits, _supporting_candidates, _supporting_proceed)


def card_choices(state: State, seat: int) -> list[int]:
    """The different cards of a seat's hand that are known."""
    hand = state.hands[seat] if seat < len(state.hands) else ()
    return [card for card in dict.fromkeys(hand) if card != UNKNOWN]


def event_candidates(state: State, seat: int, card: int) -> list[PlayEvent]:
    """Every target that the event of a card could have."""
    effect_name = state.world.cards[card].effect
    if effect_name not in EFFECTS:
        return []
    found = []
    for power in state.powers_of(seat):
        if effect_name in ("campaign", "treaty"):
            found.append(PlayEvent(power, effect_name, power, NONE, card))
            continue
        for target in state.world.powers:
            if effect_name in ("harm", "help"):
                found.append(PlayEvent(power, effect_name, target, NONE, card))
            elif effect_name == "remove_units":
                for space, forces in enumerate(state.forces):
                    if any(force.power == target for force in forces):
                        found.append(PlayEvent(power, effect_name, target, space, card))
            else:
                for space, owner in enumerate(state.owner):
                    if owner == target:
                        found.append(PlayEvent(power, effect_name, target, space, card))
    return found
