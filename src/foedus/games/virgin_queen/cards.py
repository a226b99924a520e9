"""Power cards (facts 11.5 to 11.8): hands, the draw, cards as events, and responses."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import attrgetter
from typing import Any

from foedus.games.virgin_queen.commands import (
    Execute,
    NoResponse,
    PlayEvent,
    PlayForPoints,
    Respond,
    Spare,
)
from foedus.games.virgin_queen.events import (
    CardPlayed,
    CardsDealt,
    DeckShuffled,
    FlagSet,
    ShipsChanged,
    TreasureChanged,
    UnitsChanged,
    UnrestChanged,
    WarEnded,
)
from foedus.games.virgin_queen.frames import Acting, EventChoice, Responding, Spending
from foedus.games.virgin_queen.powers import (
    add_influence,
    courted,
    keys_held,
    playing_powers,
    resolve_status,
)
from foedus.games.virgin_queen.state import (
    ENG,
    GALLEY,
    HRE,
    MAJORS,
    MARY_CAPTURED,
    MARY_EXECUTED,
    MINORS,
    OTT,
    PAPAL_BULL,
    POR,
    POWERS,
    SCO,
    SEBASTIAN,
    SQUADRON,
    UNTOLD,
    VEN,
    CardFace,
    State,
    kept,
    owner_masks,
    unit_masks,
)
from foedus.kernel.flow import Action, Decision, Flow, Group, Kept, carries_out
from foedus.kernel.rules import Facts, effect, facts, forbids
from foedus.kernel.unknown import NONE
from foedus.kernel.values import Command, bits

DRAW = "draw: "
"""How the purpose of a draw from the deck begins; the power that draws stands behind it, and only it may know."""
STATUS_OF = {"sebastian": POR, "scottish_lords": SCO, "german_intervention": HRE, "sublime_porte": OTT}
"""Whose status an event settles."""
TARGETS = {"embassy": "minor", "influence": "courted", "mutiny": "power", "revolt": "power", "truce": "power"}
PLACES = ("troops", "hirelings", "shipyard", "mutiny", "revolt")
"""Effects that need a space."""
MEDITERRANEAN = (OTT, VEN)
"""The powers whose new naval units are galleys (facts D4)."""


# the draw


def ordinary(state: State, card: CardFace) -> bool:
    """Is the card in the deck with this number of players by this turn (facts 17.2, 17.3)?"""
    if card.home != NONE or card.turn > max(1, state.turn):
        return False
    return belongs_to(state, card)


@effect("f17.2", otherwise=True)
def belongs_to(state: State, card: CardFace) -> bool:
    """With fewer than six players some cards are taken out, others put in (facts 17.2, 17.3)."""
    return not card.players or state.world.players in card.players


def remaining(state: State, drawn: Iterable[int] = ()) -> list[int]:
    """The cards still in the deck: in nobody's hand, not discarded, not out of the game."""
    gone = {*state.discards, *state.removed, *drawn}
    for hand in state.hands:
        gone.update(hand)
    return [i for i, card in enumerate(state.world.cards) if i not in gone and ordinary(state, card)]


def home_cards(state: State, power: int) -> tuple[int, ...]:
    """The home cards of a power; none of a great power that nobody plays (facts 17.2)."""
    if state.controller[power] == NONE:
        return ()
    return tuple(
        i
        for i, card in enumerate(state.world.cards)
        if card.home == power and i not in state.hands[power] and i not in state.removed
    )


@effect("f11.5", otherwise=0)
def hand_size(state: State, power: int) -> int:
    """Ruling `hand_size`: four to six cards, more with more keys (facts 11.5)."""
    game = state.world.tables["game"]
    if state.ruling("hand_size") == "four":
        return int(game["cards"])
    more = keys_held(state, power).bit_count() // int(game["keys_per_card"])
    return min(int(game["most_cards"]), int(game["cards"]) + more)


@effect("f11.6", otherwise=False)
def cards_are_dealt(state: State) -> bool:
    """The Card Draw Phase deals new cards."""
    return True


def draw_cards(action: Action) -> None:
    """Every power with a player takes up its home cards and draws new ones, each by a hidden draw."""
    state: State = action.state
    if not state.dealt or not cards_are_dealt(state):
        return
    for power in playing_powers(state):
        drawn = list(home_cards(state, power))
        for _ in range(hand_size(action.state, power)):
            left = remaining(action.state, drawn)
            if not left and action.state.discards:
                action.emit(DeckShuffled())
                left = remaining(action.state, drawn)
            if not left:
                break
            drawn.append(left[action.pick(f"{DRAW}{POWERS[power]}", len(left))])
        if drawn:
            action.emit(CardsDealt(power, tuple(drawn)))


def lay_down(action: Action, power: int, card: int, how: str) -> None:
    """The card leaves the hand: discarded, or out of the game if it says so and was played as an event."""
    face = action.state.world.cards[card]
    gone = face.remove and how in ("event", "response")
    action.emit(CardPlayed(power, card, how, gone, face.home != NONE))


# playing one


def its_impulse(state: State, power: int) -> bool:
    """Is it the power's impulse, with its card still to be played?"""
    frame = state.frames[-1] if state.frames else None
    return isinstance(frame, Acting) and frame.power == power and not frame.played


@forbids("f1.9", act=(PlayForPoints, PlayEvent), wide=True)
def one_card_an_impulse(state: State, act: PlayForPoints | PlayEvent) -> Facts | None:
    """One card in one's own impulse."""
    return None if its_impulse(state, act.power) else facts(power=act.power, active=state.active)


@forbids("f11.8", act=(PlayForPoints, PlayEvent))
def a_card_in_hand(state: State, act: PlayForPoints | PlayEvent) -> Facts | None:
    """One plays what one holds; a mandatory event is played as an event, a response only as one."""
    if act.card not in state.hand_of(act.power):
        return facts(variant="not_held", power=act.power, card=act.card)
    face = state.world.cards[act.card]
    if isinstance(act, PlayForPoints):
        return facts(variant="mandatory", power=act.power, card=act.card) if face.kind == "mandatory" else None
    if face.kind == "response":
        return facts(variant="response", power=act.power, card=act.card)
    if face.effect == "none":
        return facts(variant="no_event", power=act.power, card=act.card)
    if face.powers and act.power not in face.powers:
        return facts(variant="not_yours", power=act.power, card=act.card)
    return None


@forbids("f11.8", act=PlayEvent)
def what_the_event_falls_on(state: State, act: PlayEvent) -> Facts | None:
    """An event needs the target and the space that its card speaks of."""
    if not 0 <= act.card < len(state.world.cards):
        return None
    face = state.world.cards[act.card]
    wanted = TARGETS.get(face.effect)
    if (wanted is None) != (act.target == NONE):
        return facts(variant="target", power=act.power, card=act.card)
    if wanted is not None and act.target not in targets(state, act.power, face.effect):
        return facts(variant="wrong_target", power=act.power, card=act.card, target=act.target)
    if (face.effect in PLACES) != (act.space != NONE):
        return facts(variant="space", power=act.power, card=act.card)
    if act.space != NONE and act.space not in places(state, act.power, face, act.target):
        return facts(variant="wrong_space", power=act.power, card=act.card, space=act.space)
    return None


_READ: dict[str, Callable[[State], tuple[Any, ...]]] = {
    **dict.fromkeys(("troops", "hirelings", "shipyard"), attrgetter("owner", "unrest", "besieged_by")),
    "mutiny": attrgetter("rulings", "land"),
    "revolt": attrgetter("owner", "unrest", "besieged_by", "land"),
    "truce": attrgetter("rulings", "wars"),
    "embassy": attrgetter("rulings", "influence"),
}
"""By effect the parts of a position on which it hangs whom and where an event may fall; other effects hang on none."""


def card_plays(state: State, power: int, card: int) -> Kept:
    """What a power may do with a card of its hand in its impulse: play it for points, or as an event."""
    read = _READ.get(state.world.cards[card].effect)
    return Kept(("card", power, card), () if read is None else read(state), _plays, (state, power, card))


def _plays(state: State, power: int, card: int) -> Iterable[Group]:
    yield PlayForPoints, power, (PlayForPoints(power, card),)
    yield PlayEvent, power, event_candidates(state, power, card)


def targets(state: State, power: int, effect_: str) -> tuple[int, ...]:
    """Whom an event of a power may fall on."""
    wanted = TARGETS.get(effect_)
    if wanted == "minor":
        return tuple(minor for minor in MINORS if any(state.influence[minor]))
    if wanted == "courted":
        return courted(state)
    if effect_ == "truce":
        return tuple(other for other in MAJORS if state.wars[power] >> other & 1)
    return tuple(other for other in MAJORS if other != power)


def places(state: State, power: int, face: CardFace, target: int) -> tuple[int, ...]:
    """The spaces where an event of a power may fall."""
    name = f"places {face.effect} {power} {target}"
    return kept(state, name, _READ[face.effect](state), lambda: _places(state, power, face, target))


def _places(state: State, power: int, face: CardFace, target: int) -> tuple[int, ...]:
    world = state.world
    free = [space for space in range(world.spaces) if state.besieged_by[space] == NONE]
    if face.effect == "mutiny":
        return tuple(
            space
            for space in bits(unit_masks(state)[target])
            if any(force.power == target and force.mercenaries > 0 for force in state.land[space])
        )
    if face.effect == "revolt":
        quiet = (s for s in free if world.home[s] == target and state.owner[s] == target and not state.land[s])
        return tuple(space for space in quiet if not state.unrest >> space & 1)
    owned = owner_masks(state)[power]
    mine = [space for space in free if owned >> space & 1 and not state.unrest >> space & 1]
    if face.effect == "troops":
        return tuple(space for space in mine if world.home[space] == power)
    if face.effect == "shipyard":
        return tuple(space for space in mine if world.ports >> space & 1)
    return tuple(mine)


def event_candidates(state: State, power: int, card: int) -> list[PlayEvent]:
    """Every way in which a power could play a card as an event."""
    face = state.world.cards[card]
    found = []
    for target in targets(state, power, face.effect) if face.effect in TARGETS else (NONE,):
        if face.effect in PLACES:
            found += [PlayEvent(power, card, target, space) for space in places(state, power, face, target)]
        else:
            found.append(PlayEvent(power, card, target))
    return found


@carries_out(PlayForPoints)
def play_for_points(action: Action, command: PlayForPoints) -> None:
    """Its command points may be spent."""
    lay_down(action, command.power, command.card, "points")
    action.change(played=True)
    action.push(Spending(command.power, action.state.world.cards[command.card].value))


@carries_out(PlayEvent)
def play_event(action: Action, command: PlayEvent) -> None:
    """What the card says happens."""
    face = action.state.world.cards[command.card]
    lay_down(action, command.power, command.card, "event")
    action.change(played=True)
    EVENT_WORK[face.effect](action, command, face)


def _status(action: Action, command: PlayEvent, face: CardFace) -> None:
    if face.effect == "sebastian":
        action.emit(FlagSet(1 << SEBASTIAN, "f8.12"))
    resolve_status(action, STATUS_OF[face.effect])
    if face.effect == "scottish_lords" and not action.state.has(MARY_CAPTURED):
        (die,) = action.roll("capture of Mary of Scots", 1)
        if die >= 4:
            action.emit(FlagSet(1 << MARY_CAPTURED, "f8.22"))


def _bull(action: Action, command: PlayEvent, face: CardFace) -> None:
    action.emit(FlagSet(1 << PAPAL_BULL, "f8.21"))


def _assassination(action: Action, command: PlayEvent, face: CardFace) -> None:
    state: State = action.state
    if state.has(MARY_CAPTURED) and not state.has(MARY_EXECUTED) and state.seat_of(ENG) != NONE:
        action.push(EventChoice(ENG, command.card, "execute"))


def _embassy(action: Action, command: PlayEvent, face: CardFace) -> None:
    resolve_status(action, command.target)


def _influence(action: Action, command: PlayEvent, face: CardFace) -> None:
    add_influence(action, command.target, command.power, face.amount)


def _troops(action: Action, command: PlayEvent, face: CardFace) -> None:
    action.emit(UnitsChanged(command.space, command.power, regulars=face.amount, why="f11.8"))


def _hirelings(action: Action, command: PlayEvent, face: CardFace) -> None:
    if command.power == OTT:  # no mercenaries serve the Sultan (facts 3.17): his horsemen come
        action.emit(UnitsChanged(command.space, command.power, cavalry=face.amount, why="f11.8"))
    else:
        action.emit(UnitsChanged(command.space, command.power, mercenaries=face.amount, why="f11.8"))


def _shipyard(action: Action, command: PlayEvent, face: CardFace) -> None:
    kind = new_ships(command.power)
    action.emit(ShipsChanged(command.space, command.power, kind, face.amount, command.power, "f11.8"))


def new_ships(power: int) -> int:
    """What a power builds: galleys in the Mediterranean, squadrons elsewhere (facts D4)."""
    return GALLEY if power in MEDITERRANEAN else SQUADRON


def _mutiny(action: Action, command: PlayEvent, face: CardFace) -> None:
    state: State = action.state
    held = state.force(command.target, command.space).mercenaries
    lost = min(held, face.amount)
    action.emit(UnitsChanged(command.space, command.target, mercenaries=-lost, why="f11.8"))


def _revolt(action: Action, command: PlayEvent, face: CardFace) -> None:
    action.emit(UnrestChanged(action.state.unrest | 1 << command.space, "f16.1"))


def _treasure(action: Action, command: PlayEvent, face: CardFace) -> None:
    held = action.state.treasures[command.power]
    action.emit(TreasureChanged(command.power, held + face.amount, "f11.7"))


def _truce(action: Action, command: PlayEvent, face: CardFace) -> None:
    action.emit(WarEnded(command.power, command.target, False, "f2.3"))


EVENT_WORK = {
    "sebastian": _status,
    "scottish_lords": _status,
    "german_intervention": _status,
    "sublime_porte": _status,
    "papal_bull": _bull,
    "assassination": _assassination,
    "embassy": _embassy,
    "influence": _influence,
    "troops": _troops,
    "hirelings": _hirelings,
    "shipyard": _shipyard,
    "mutiny": _mutiny,
    "revolt": _revolt,
    "treasure": _treasure,
    "truce": _truce,
}


# Mary of Scots


@forbids("f8.23", act=(Execute, Spare))
def only_when_asked(state: State, act: Execute | Spare) -> Facts | None:
    """England chooses, after an attempt on Elizabeth, while Mary of Scots is held."""
    frame = state.frames[-1] if state.frames else None
    if isinstance(frame, EventChoice) and frame.what == "execute" and frame.power == act.power:
        return None
    return facts(power=act.power)


@carries_out(Execute)
def execute(action: Action, command: Execute) -> None:
    """Mary of Scots is dead: war between England and Spain becomes cheaper."""
    action.emit(FlagSet(1 << MARY_EXECUTED, "f8.23"))
    action.change(left=0)


@carries_out(Spare)
def spare(action: Action, command: Spare) -> None:
    """She lives."""
    action.change(left=0)


def _choice_awaits(state: State, frame: EventChoice) -> tuple[Decision, ...]:
    if not frame.left:
        return ()
    return (Decision(state.seat_of(frame.power), frame.power, "execute", "f8.23", facts(power=frame.power)),)


def _choice_candidates(state: State, frame: EventChoice, seat: int) -> Iterable[Group]:
    if state.seat_of(frame.power) == seat:
        yield Execute, frame.power, (Execute(frame.power),)
        yield Spare, frame.power, (Spare(frame.power),)


def _choice_proceed(action: Action, frame: EventChoice) -> None:
    action.pop()


EVENT_CHOICE = Flow(EventChoice, _choice_awaits, _choice_candidates, _choice_proceed)


# responses


def may_respond(state: State, power: int) -> tuple[int, ...]:
    """Who may hold a response card by public knowledge: every other power with cards, while one is not yet seen."""
    if not state.dealt:
        return ()
    seen = {*state.discards, *state.removed}
    cards = state.world.cards
    unseen = any(card.kind == "response" and i not in seen and ordinary(state, card) for i, card in enumerate(cards))
    if not unseen:
        return ()
    return tuple(
        other
        for other in playing_powers(state)
        if state.controller[other] != state.seat_of(power) and state.hands[other] not in ((), UNTOLD)
    )


def open_response(action: Action, power: int, command: Command) -> bool:
    """Ask who may hold a response card whether he plays it against what was just begun; False if nobody could.

    The frame below learns of a response by its field `spoiled`.
    """
    waiting = may_respond(action.state, power)
    if waiting:
        action.push(Responding(power, command, waiting))
    return bool(waiting)


@forbids("f12.1", act=(Respond, NoResponse))
def only_who_is_asked(state: State, act: Respond | NoResponse) -> Facts | None:
    """One after another, each in his turn; the card is one that answers."""
    frame = state.frames[-1] if state.frames else None
    if not isinstance(frame, Responding) or frame.waiting[:1] != (act.power,):
        return facts(variant="not_now", power=act.power)
    if isinstance(act, Respond):
        if act.card not in state.hand_of(act.power):
            return facts(variant="not_held", power=act.power, card=act.card)
        if state.world.cards[act.card].kind != "response":
            return facts(variant="no_response", power=act.power, card=act.card)
    return None


@carries_out(Respond)
def respond(action: Action, command: Respond) -> None:
    """The card is played; nobody else is asked."""
    lay_down(action, command.power, command.card, "response")
    action.change(waiting=(), by=command.power)


@carries_out(NoResponse)
def no_response(action: Action, command: NoResponse) -> None:
    """The next one is asked."""
    frame: Responding = action.state.frames[-1]
    action.change(waiting=frame.waiting[1:])


def _responding_awaits(state: State, frame: Responding) -> tuple[Decision, ...]:
    if not frame.waiting:
        return ()
    power = frame.waiting[0]
    return (Decision(state.seat_of(power), power, "respond", "f12.1", facts(power=power, active=frame.power)),)


def _responding_candidates(state: State, frame: Responding, seat: int) -> Iterable[Group]:
    if not frame.waiting or state.seat_of(frame.waiting[0]) != seat:
        return
    power = frame.waiting[0]
    cards = state.world.cards
    fitting = [card for card in dict.fromkeys(state.hands[power]) if card >= 0 and cards[card].kind == "response"]
    yield Respond, power, [Respond(power, card) for card in fitting]
    yield NoResponse, power, (NoResponse(power),)


def _responding_proceed(action: Action, frame: Responding) -> None:
    action.pop()
    if frame.by != NONE:
        action.change(spoiled=True)


RESPONDING = Flow(Responding, _responding_awaits, _responding_candidates, _responding_proceed)
