"""Cards in hand, played for their value or as events (6, 7)."""

from __future__ import annotations

from collections.abc import Iterable

from foedus.games.sword_of_rome.alliances import lose_point
from foedus.games.sword_of_rome.battle import BATTLE_EFFECTS
from foedus.games.sword_of_rome.carthage import (
    any_card_of_three_serves,
    begin_revolt,
    build_ships,
    envoys_come,
    land_agathocles,
    revolt_places,
    sign_treaty,
)
from foedus.games.sword_of_rome.commands import (
    ActivateNPP,
    BeginEvent,
    Done,
    GoInside,
    PlaceSupport,
    PlayCard,
    PlayEvent,
    PlayValue,
    RemoveMarker,
)
from foedus.games.sword_of_rome.events import (
    ControlChanged,
    EventCancelled,
    EventPlayed,
    NPPDone,
    RoadBuilt,
    SiegeSet,
    UnitsAdded,
    UnitsRemoved,
    VPChanged,
)
from foedus.games.sword_of_rome.frames import Activation, Aiming, Campaign, NPPAction, Responding, Supporting
from foedus.games.sword_of_rome.hands import (
    RESPONSES,
    lay_down,
    open_window,
    responding_awaits,
    responding_candidates,
)
from foedus.games.sword_of_rome.leaders import displace
from foedus.games.sword_of_rome.movement import enter_city
from foedus.games.sword_of_rome.neutrals import asked, must_name, names_for, placing_support, seat_deciding
from foedus.games.sword_of_rome.sieges import check_siege, may_press, press_siege
from foedus.games.sword_of_rome.state import (
    BOX,
    CITY,
    GAL,
    IND,
    MER,
    ROM,
    TRIBE,
    CardFace,
    State,
    owner_masks,
    unit_masks,
)
from foedus.games.sword_of_rome.support import most_loyalty
from foedus.kernel.flow import Action, Decision, Flow, Group, carries_out
from foedus.kernel.rules import Facts, facts, forbids
from foedus.kernel.unknown import NONE, UNKNOWN
from foedus.kernel.values import bits

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
    "envoys",
    "duoviri",
    "appian_way",
    "agathocles",
    "insurrection",
    "glory",
    "reinforce",
    "press_siege",
)
FOR_ONESELF = ("campaign", "treaty", "envoys", "duoviri", "appian_way", "agathocles", "glory")
"""Effects that fall on the power that plays them, with no place to be chosen."""
AIMED = ("loyalty", "remove_units", "remove_support", "remove_marker", "reinforce", "press_siege", "insurrection")
"""Effects whose place is said after the card was played."""


@forbids("f5.1", act=(PlayEvent, PlayValue, BeginEvent))
def one_card_while_active(state: State, act: PlayEvent | PlayValue | BeginEvent) -> Facts | None:
    """Cards are played while active, one in an activation (activations of NPPs besides)."""
    frame = state.frames[-1] if state.frames else None
    if frame is None and state.sketched:
        return None if state.is_active(act.power) else facts(variant="inactive", power=act.power)
    if isinstance(frame, Aiming) and isinstance(act, PlayEvent):
        fits = frame.seat == state.controller[act.power] and frame.effect == act.effect and act.card == NONE
        return None if fits and frame.left > 0 else facts(variant="aim", power=act.power)
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
        if state.kinds[act.space] != CITY or state.owner_of(act.space) != act.target:
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


IN_A_PLACE = ("besiege", *AIMED)
"""Effects that happen in a space."""


def _has_target(state: State, act: PlayEvent) -> bool:
    """Can the effect fall on that power, and there? Tribes have no support to lose (facts 7.12)."""
    if act.effect in FOR_ONESELF:
        return act.target == act.power
    if act.effect == "insurrection":
        return act.target == MER
    if act.effect == "press_siege" and act.target == IND:
        return True
    if act.effect in ("remove_support", "loyalty") and act.space != NONE and state.kinds[act.space] == CITY:
        rated = state.world.board.spaces[act.space].number("loyalty", state.world.players)
        if not rated and not state.colonies >> act.space & 1:
            return False  # Carthago (facts 17.2)
    if act.effect in ("remove_support", "remove_marker") and act.space != NONE:
        if state.kinds[act.space] in (TRIBE, BOX) or (act.effect == "remove_marker" and state.kinds[act.space] == CITY):
            return False
    return act.target in state.world.powers


def entail_event(state: State, command: PlayEvent) -> Iterable[tuple[State, object]]:
    """The event, and the card it is on."""
    yield state, command
    if state.frames and isinstance(state.frames[-1], Aiming):
        return  # the card is played already
    yield state, PlayCard(command.power, command.card, command.effect if command.card >= 0 else "")


def entail_begin_event(state: State, command: BeginEvent) -> Iterable[tuple[State, object]]:
    """Playing the card as an event."""
    yield state, command
    yield state, PlayCard(command.power, command.card)


@forbids("f7.5", act=BeginEvent)
def what_is_an_event(state: State, act: BeginEvent) -> Facts | None:
    """A response is played when what it answers happens; other cards have no event that is aimed."""
    face = state.world.cards[act.card]
    if face.effect in (*RESPONSES.values(), *BATTLE_EFFECTS):
        return facts(variant="response", power=act.power, card=act.card)
    return None if face.effect in AIMED else facts(variant="no_event", power=act.power, card=act.card)


@carries_out(BeginEvent)
def begin_event(action: Action, command: BeginEvent) -> None:
    """The card is laid down; whoever may responds; then it is aimed."""
    state: State = action.state
    seat = state.controller[command.power]
    lay_down(action, seat, command.card, "event")
    action.change(played=True)
    effect = state.world.cards[command.card].effect
    event = PlayEvent(command.power, effect, NONE, NONE, command.card)
    if not open_window(action, "event", seat, event):
        _happen(action, event)


def face_of(state: State, act: PlayEvent) -> CardFace | None:
    """The card whose event it is: played with it, or before; None if it is not told."""
    if act.card >= 0:
        return state.world.cards[act.card]
    frame = state.frames[-1] if state.frames else None
    return state.world.cards[frame.card] if isinstance(frame, Aiming) and frame.card >= 0 else None


@forbids("f7.4", act=PlayEvent)
def whom_the_card_may_hit(state: State, act: PlayEvent) -> Facts | None:
    """A card of somebody's deck says whom its event falls on: powers that it names, one's own, or another's."""
    face = face_of(state, act)
    if face is None or face.seat == NONE or act.target == NONE or act.effect not in AIMED[:-1]:
        return None
    if may_hit(state, face, act.effect, act.power, act.target):
        return None
    return facts(variant="whom", power=act.power, target=act.target)


def may_hit(state: State, face: CardFace, effect_name: str, power: int, target: int) -> bool:
    """May the event of a card of somebody's deck that a power plays fall on the target?"""
    own = state.controller[target] == state.controller[power]
    helps = effect_name in ("loyalty", "reinforce")
    if (target not in face.powers) if face.powers else own != helps:
        return False
    return not (helps and own and target != power)


@forbids("f7.12", act=PlayEvent)
def what_support_an_event_may_take(state: State, act: PlayEvent) -> Facts | None:
    """Cards of a deck take support as rules do: no marker that its owner's CU guard, no loyalty below the garrison."""
    face = face_of(state, act)
    if act.effect not in ("remove_support", "remove_marker") or act.space == NONE or face is None or face.seat == NONE:
        return None
    if act.target == IND or state.owner_of(act.space) != act.target or not state.known_troops(act.space):
        return None
    force = state.force(act.target, act.space)
    if state.kinds[act.space] == CITY:
        if act.effect == "remove_support" and force.inside >= state.loyalty_of(act.space):
            return facts(variant="garrison", power=act.power, owner=act.target, space=act.space)
        return None
    return facts(power=act.power, owner=act.target, space=act.space) if force.outside else None


@forbids("f7.4", act=PlayEvent)
def when_the_event_can_be(state: State, act: PlayEvent) -> Facts | None:
    """The special events: who may play them, and once."""
    if act.effect in ("duoviri", "appian_way"):
        done = state.duoviri if act.effect == "duoviri" else state.appian_way
        if act.power != ROM or done:
            return facts(variant="unknown_effect", power=act.power, effect=act.effect)
    if act.effect == "glory" and act.power != GAL:
        return facts(variant="unknown_effect", power=act.power, effect=act.effect)
    if act.effect == "press_siege" and act.space != NONE and not may_press(state, act.power, act.space):
        return facts(variant="no_siege", power=act.power, space=act.space)
    if act.effect == "press_siege" and act.space != NONE and state.owner_of(act.space) != act.target:
        return facts(variant="not_his", power=act.power, target=act.target, space=act.space)
    if act.effect == "reinforce" and act.space != NONE and state.known_troops(act.space):
        if not state.force(act.target, act.space).outside:
            return facts(variant="no_units_of", power=act.power, target=act.target, space=act.space)
    return None


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
    if command.card >= 0 and any_card_of_three_serves(state, state.controller[command.power], command.npp):
        needs = "" if state.world.cards[command.card].value == 3 else needs
    yield state, PlayCard(command.power, command.card, needs if command.card >= 0 else "")
    if command.action == "support" and command.space != NONE:
        yield placing_support(state, command), PlaceSupport(command.npp, command.space)


@carries_out(PlayEvent)
def play_event(action: Action, command: PlayEvent) -> None:
    """The card is played, whoever may responds, and its effect happens."""
    state: State = action.state
    seat = state.controller[command.power]
    frame = state.frames[-1] if state.frames else None
    if isinstance(frame, Aiming):
        action.change(left=frame.left - 1)
        _take_effect(action, command, seat)
        return
    lay_down(action, seat, command.card, "event")
    if isinstance(frame, Activation):
        action.change(played=True)
    if not open_window(action, "event", seat, command):
        _happen(action, command)


def _happen(action: Action, command: PlayEvent) -> None:
    """An event that nobody cancelled: where its place was not said yet, or some of it is left, that is asked."""
    state: State = action.state
    seat = state.controller[command.power]
    amount = state.world.cards[command.card].amount if command.card >= 0 else 1
    aimed = command.effect in AIMED and bool(state.frames) and command.card >= 0
    if aimed and command.space == NONE:
        action.push(Aiming(seat, command.effect, command.card, amount))
        return
    if aimed and amount > 1:
        action.push(Aiming(seat, command.effect, command.card, amount - 1))
    _take_effect(action, command, seat)


def _take_effect(action: Action, command: PlayEvent, seat: int) -> None:
    state: State = action.state
    action.emit(EventPlayed(seat, command.effect, command.target, command.space))
    space, target = command.space, command.target
    simple = {
        "treaty": sign_treaty,
        "envoys": envoys_come,
        "duoviri": build_ships,
        "agathocles": land_agathocles,
    }.get(command.effect)
    if simple is not None:
        simple(action)
    elif command.effect == "campaign":
        action.push(Campaign(seat, 2, card=command.card))
    elif command.effect == "appian_way":
        action.emit(RoadBuilt())
    elif command.effect == "glory":
        gain = state.world.cards[command.card].amount if command.card >= 0 else 1
        action.emit(VPChanged(seat, min(12, state.vp[seat] + gain), "f7.4"))
    elif space == NONE:
        return
    elif command.effect == "insurrection":
        begin_revolt(action, space)
    elif command.effect == "press_siege":
        press_siege(action, command.power, space)
    elif command.effect == "loyalty":
        action.emit(ControlChanged(space, target, state.loyalty_of(space) + 1, "f7.4", state.loyalty_of(space)))
    elif command.effect == "reinforce":
        action.emit(UnitsAdded(target, space, 1, "f7.4"))
    elif command.effect in ("remove_support", "remove_marker"):
        lose_point(action, space, "f7.4")
    elif command.effect == "remove_units":
        outside = 1 if state.force(target, space).outside else 0
        action.emit(UnitsRemoved(target, space, outside, 1 - outside, "f7.4"))
        if not state.sketched or state.known_troops(space):
            displace(action, target, space)
            check_siege(action, space)
    elif command.effect == "besiege":
        action.emit(SiegeSet(space, command.power, 0, "f7.4"))


def _aiming_awaits(state: State, frame: Aiming) -> tuple[Decision, ...]:
    if frame.left < 1:
        return ()
    power = state.powers_of(frame.seat)[0]
    return (Decision(frame.seat, power, "aim", "f7.4", facts(seat=frame.seat, card=frame.card, left=frame.left)),)


def _aiming_candidates(state: State, frame: Aiming, seat: int) -> Iterable[Group]:
    if seat != frame.seat or frame.left < 1:
        return
    powers = state.powers_of(seat)
    face = state.world.cards[frame.card] if frame.card >= 0 else None
    yield PlayEvent, powers[0], targets(state, seat, frame.effect, NONE, face)
    for power in powers:
        yield Done, power, (Done(power),)


def _aiming_proceed(action: Action, frame: Aiming) -> None:
    action.pop()


AIMING = Flow(Aiming, _aiming_awaits, _aiming_candidates, _aiming_proceed)


def _responding_proceed(action: Action, frame: Responding) -> None:
    """What was answered fails, or goes on."""
    action.pop()
    if frame.by == NONE:
        if isinstance(frame.command, PlayEvent):
            _happen(action, frame.command)
        elif isinstance(frame.command, GoInside):
            enter_city(action, frame.command)
        return
    action.emit(EventCancelled(frame.by, frame.seat, frame.trigger))
    top = action.state.frames[-1] if action.state.frames else None
    if frame.trigger == "sea":
        action.change(stopped=True)
    elif frame.trigger == "city":
        action.change(barred=True)
    elif frame.trigger == "activation" and isinstance(top, NPPAction):
        action.emit(NPPDone(top.npp))
        action.pop()


RESPONDING = Flow(Responding, responding_awaits, responding_candidates, _responding_proceed)


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
    lay_down(action, seat, command.card, "value")
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
    if frame.npp != NONE and must_name(state, frame.npp):
        yield from names_for(state, frame.npp, seat)
        return
    powers = state.powers_of(seat) if frame.npp == NONE else (frame.npp,)
    for power in powers:
        own = owner_masks(state)[power]
        mine = [space for space in bits(own) if state.kinds[space] == CITY]
        standing = bits(unit_masks(state)[power] & ~own)
        yield PlaceSupport, power, [PlaceSupport(power, space) for space in (*mine, *standing)]
        yield RemoveMarker, power, [RemoveMarker(power, space) for space in standing]
    for power in powers:
        yield Done, power, (Done(power),)


def _supporting_proceed(action: Action, frame: Supporting) -> None:
    action.pop()


SUPPORTING = Flow(Supporting, _supporting_awaits, _supporting_candidates, _supporting_proceed)


def card_choices(state: State, seat: int) -> list[int]:
    """The different cards of a seat's hand that are known."""
    hand = state.hands[seat] if seat < len(state.hands) else ()
    return [card for card in dict.fromkeys(hand) if card != UNKNOWN]


def targets(state: State, seat: int, effect_name: str, card: int, face: CardFace | None = None) -> list[PlayEvent]:
    """Every target and place that an effect could have; `face`: the card of somebody's deck that it is on."""
    bound = face if face is not None and face.seat != NONE and effect_name in AIMED[:-1] else None
    found = []
    for power in state.powers_of(seat):
        if effect_name == "insurrection":
            found += [PlayEvent(power, effect_name, MER, space, card) for space in revolt_places(state)]
            continue
        if effect_name == "press_siege":
            pressed = [space for space, besieger in enumerate(state.besieged_by) if besieger == power]
            found += [PlayEvent(power, effect_name, state.owner[space], space, card) for space in pressed]
            continue
        for target in state.world.powers:
            if bound is not None and not may_hit(state, bound, effect_name, power, target):
                continue
            if effect_name in ("harm", "help"):
                found.append(PlayEvent(power, effect_name, target, NONE, card))
                continue
            masks = unit_masks if effect_name in ("remove_units", "reinforce") else owner_masks
            found += [PlayEvent(power, effect_name, target, space, card) for space in bits(masks(state)[target])]
    return found


def event_candidates(state: State, seat: int, card: int) -> list[PlayEvent]:
    """Every way to play the event of a card that is not aimed afterwards; for those that are: `begin_candidates`."""
    effect_name = state.world.cards[card].effect
    if effect_name not in EFFECTS or effect_name in AIMED:
        return []
    if effect_name in FOR_ONESELF:
        return [PlayEvent(power, effect_name, power, NONE, card) for power in state.powers_of(seat)]
    return targets(state, seat, effect_name, card)


def begin_candidates(state: State, seat: int, card: int) -> tuple[BeginEvent, ...]:
    """Playing a card whose event is aimed afterwards."""
    if state.world.cards[card].effect not in AIMED:
        return ()
    return (BeginEvent(state.powers_of(seat)[0], card),)
