"""Decks, hands and discards, the Draw Phase, and windows for responses (6)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from foedus.games.sword_of_rome.commands import Discard, KeepCards, NoResponse, PlayCard, Respond
from foedus.games.sword_of_rome.events import CardPlayed, CardsDiscarded, CardsDrawn, DeckShuffled, DesperateTimes
from foedus.games.sword_of_rome.frames import Drawing, Responding, Swapping
from foedus.games.sword_of_rome.state import CAR, S_CAR, S_GAL, S_ROM, SEATS, State
from foedus.kernel.flow import Action, Decision, Flow, Group, carries_out
from foedus.kernel.rules import Facts, effect, facts, forbids
from foedus.kernel.unknown import NONE, UNKNOWN
from foedus.kernel.values import Command

DRAWS = tuple(f"draw, {code}" for code in SEATS)
"""What a card is picked for, by seat: only that seat may see which it is."""

RESPONSES = {"event": "cancel", "activation": "mistrust", "sea": "storms", "city": "bar_city"}
"""The effect of the cards that answer what was played or begun."""


def hand_of(state: State, seat: int) -> tuple[int, ...]:
    """The cards a seat holds, as far as they are known; those that are not are UNKNOWN."""
    return state.hands[seat] if 0 <= seat < len(state.hands) else ()


def pile_of(state: State, seat: int) -> tuple[int, ...]:
    """The open discards of a seat."""
    return state.discards[seat] if 0 <= seat < len(state.discards) else ()


def out_of_the_game(state: State, seat: int) -> tuple[int, ...]:
    """The cards of a seat that are out of the game."""
    return state.removed[seat] if 0 <= seat < len(state.removed) else ()


def remaining(state: State, seat: int, drawn: Iterable[int] = ()) -> list[int]:
    """What is left in a seat's deck: all of it but the hand, the discards, what is out of the game, and `drawn`."""
    gone = Counter((*hand_of(state, seat), *pile_of(state, seat), *out_of_the_game(state, seat), *drawn))
    left = []
    for card in state.world.decks[seat]:
        if gone[card] > 0:
            gone[card] -= 1
        else:
            left.append(card)
    return left


@effect("f7.1", otherwise=7)
def hand_size(state: State, seat: int) -> int:
    """Seven cards, eight for Rome with three or more players; Carthage's by its Sicilian ports and its unrest."""
    table = state.world.tables["hands"]
    if seat == S_ROM and state.world.players >= 3:
        return int(table["ROM"])
    if seat == S_CAR:
        board = state.world.board
        ports = sum(
            1
            for space, owner in enumerate(state.owner)
            if owner == CAR and board.ports[space] and (board.spaces[space].region or "").casefold() == "sicily"
        )
        return max(0, int(table["CAR"]) + ports - cards_lost_to_unrest(state))
    return int(table["cards"])


@effect("f19.8", otherwise=0)
def cards_lost_to_unrest(state: State) -> int:
    """One card for every two levels of unrest, looked at when cards are drawn."""
    return max(0, state.unrest) // 2


@effect("f7.2", otherwise=False)
def keeps_nothing(state: State, seat: int) -> bool:
    """With four or five players the Gallic player discards all that he has not played."""
    return seat == S_GAL and state.world.players >= 4


@effect("f7.3", otherwise=False)
def shuffles_anew(state: State, seat: int) -> bool:
    """A card marked for it came to the discards: the deck is shuffled in the next draw."""
    return bool(state.reshuffle >> seat & 1)


@effect("f7.3", otherwise=False)
def empty_decks_are_shuffled(state: State) -> bool:
    """A deck that has run out takes the discards back."""
    return True


@effect("f7.6", otherwise=False)
def leaves_the_game(state: State, card: int, how: str) -> bool:
    """A card so marked is out of the game once its event was played, a response too."""
    face = state.world.cards[card]
    return face.effect == "desperate" or (face.remove and how in ("event", "response"))


def desperate_card(state: State) -> int:
    """The card that stands for Desperate Times, or NONE in a world without it."""
    cache = state.world.cache
    found: int | None = cache.get("desperate card")
    if found is None:
        cards = state.world.cards
        found = cache["desperate card"] = next((i for i, card in enumerate(cards) if card.effect == "desperate"), NONE)
    return found


@effect("f7.14", otherwise=False)
def desperate_times_serve(state: State, seat: int) -> bool:
    """For bribes, retreats by sea, mercenaries and hindering, Desperate Times count as a card of value 3."""
    return 0 <= seat < len(state.desperate) and state.desperate[seat] > 0


def answering_cards(state: State, seat: int) -> list[int]:
    """The different cards that a seat could give up for a bribe, ships or mercenaries: its hand, Desperate Times."""
    found = [card for card in dict.fromkeys(hand_of(state, seat)) if card != UNKNOWN]
    if desperate_times_serve(state, seat) and desperate_card(state) not in found:
        found.append(desperate_card(state))
    return found


def has_answers(state: State, seat: int) -> bool:
    """Has a seat any card for that, by what all can see?"""
    return bool(hand_of(state, seat)) or desperate_times_serve(state, seat)


def lay_down(action: Action, seat: int, card: int, how: str, gone: bool = False) -> None:
    """A card is played (or used up) in some way: it goes to the discards or out of the game."""
    if card < 0:
        return
    state: State = action.state
    face = state.world.cards[card]
    if face.effect == "desperate" and card not in hand_of(state, seat) and desperate_times_serve(state, seat):
        action.emit(DesperateTimes(seat, "answer", state.desperate[seat] - 1))
        return
    gone = gone or leaves_the_game(state, card, how)
    action.emit(CardPlayed(seat, card, how, gone, face.reshuffle))


@effect("f7.3", otherwise=False)
def marks_count_unplayed(state: State) -> bool:
    """Ruling `reshuffle_mark`: does a mark also count when its card is discarded unplayed?"""
    return state.ruling("reshuffle_mark") == "also_unplayed"


def discard(action: Action, seat: int, cards: tuple[int, ...], why: str) -> None:
    """Cards are laid down unplayed."""
    if not cards:
        return
    state: State = action.state
    marked = any(card >= 0 and state.world.cards[card].reshuffle for card in cards)
    action.emit(CardsDiscarded(seat, cards, why, marked and marks_count_unplayed(state)))


def draw(action: Action, seat: int, count: int) -> None:
    """A seat draws so many cards, lazily: each is picked from what is left just then."""
    drawn: list[int] = []
    left = remaining(action.state, seat) if count > 0 else []
    while len(drawn) < count:
        if not left:
            if not pile_of(action.state, seat) or not empty_decks_are_shuffled(action.state):
                break
            action.emit(DeckShuffled(seat))
            left = remaining(action.state, seat, drawn)
            continue
        card = left[action.pick(DRAWS[seat], len(left))]
        drawn.append(card)
        left.remove(card)
    if drawn:
        action.emit(CardsDrawn(seat, tuple(drawn)))


# the Draw Phase


def draw_cards(action: Action) -> None:
    """The Draw Cards Phase (facts 5, 6); where the table holds the cards itself, nothing is drawn here."""
    if action.state.dealt:
        action.push(Drawing(action.state.seats))


def _drawing_awaits(state: State, frame: Drawing) -> tuple[Decision, ...]:
    if not frame.seats or frame.settled:
        return ()
    seat = frame.seats[0]
    if not hand_of(state, seat) or keeps_nothing(state, seat):
        return ()
    return (Decision(seat, state.powers_of(seat)[0], "keep_cards", "f7.2", facts(seat=seat)),)


def _drawing_candidates(state: State, frame: Drawing, seat: int) -> Iterable[Group]:
    if frame.seats[:1] == (seat,) and not frame.settled:
        yield from _unplayed(state, seat)


def _unplayed(state: State, seat: int) -> Iterable[Group]:
    power = state.powers_of(seat)[0]
    yield Discard, power, [Discard(power, card) for card in dict.fromkeys(hand_of(state, seat)) if card != UNKNOWN]
    yield KeepCards, power, (KeepCards(power),)


def _drawing_proceed(action: Action, frame: Drawing) -> None:
    if not frame.seats:
        action.pop()
        return
    state: State = action.state
    seat = frame.seats[0]
    if keeps_nothing(state, seat):
        discard(action, seat, hand_of(state, seat), "f7.2")
    if shuffles_anew(state, seat):
        action.emit(DeckShuffled(seat))
    draw(action, seat, hand_size(state, seat) - len(hand_of(action.state, seat)))
    action.change(seats=frame.seats[1:], settled=False)


DRAWING = Flow(Drawing, _drawing_awaits, _drawing_candidates, _drawing_proceed)


def _swapping_awaits(state: State, frame: Swapping) -> tuple[Decision, ...]:
    if frame.done or not hand_of(state, frame.seat):
        return ()
    return (Decision(frame.seat, state.powers_of(frame.seat)[0], "swap", "f7.14", facts(seat=frame.seat)),)


def _swapping_candidates(state: State, frame: Swapping, seat: int) -> Iterable[Group]:
    if frame.seat == seat and not frame.done:
        yield from _unplayed(state, seat)


def _swapping_proceed(action: Action, frame: Swapping) -> None:
    action.pop()
    draw(action, frame.seat, frame.count)


SWAPPING = Flow(Swapping, _swapping_awaits, _swapping_candidates, _swapping_proceed)


def _laying_down(state: State, power: int) -> bool:
    """Is the power's player asked which cards he lays down?"""
    frame = state.frames[-1] if state.frames else None
    seat = state.controller[power]
    if isinstance(frame, Drawing):
        return frame.seats[:1] == (seat,) and not frame.settled
    return isinstance(frame, Swapping) and frame.seat == seat and not frame.done


@forbids("f7.2", act=(Discard, KeepCards))
def when_cards_are_discarded(state: State, act: Discard | KeepCards) -> Facts | None:
    """In the Draw Phase, each player in his turn, or when Desperate Times swap cards."""
    return None if _laying_down(state, act.power) else facts(variant="not_now", power=act.power)


@forbids("f7.2", act=Discard)
def only_cards_in_hand(state: State, act: Discard) -> Facts | None:
    """One discards what one holds."""
    hand = hand_of(state, state.controller[act.power])
    return None if act.card in hand or UNKNOWN in hand else facts(power=act.power, card=act.card)


@carries_out(Discard)
def discard_one(action: Action, command: Discard) -> None:
    """The card is laid down; a swap counts it."""
    frame = action.state.frames[-1]
    discard(action, action.state.controller[command.power], (command.card,), "f7.2")
    if isinstance(frame, Swapping):
        action.change(count=frame.count + 1)


@carries_out(KeepCards)
def keep_cards(action: Action, command: KeepCards) -> None:
    """The rest stays in hand."""
    if isinstance(action.state.frames[-1], Swapping):
        action.change(done=True)
    else:
        action.change(settled=True)


# responses


def clockwise(state: State) -> tuple[int, ...]:
    """The seats in the order in which responses are played: the active player first, then clockwise."""
    order = tuple(seat for seat in state.order if seat in state.seats)
    if state.active in order:
        at = order.index(state.active)
        order = order[at:] + order[:at]
    return order


def may_hold(state: State, seat: int, wanted: str) -> bool:
    """Could a seat answer by a card of that effect, by what all know? Its holder must not be asked alone.

    He could if he has cards and not every such card of his deck lies open. Where hands are told and not dealt, he is
    asked if he was told to hold one, or a card that nobody knows.
    """
    hand = hand_of(state, seat)
    if not hand:
        return False
    cards = state.world.cards
    if not state.dealt:
        return any(card == UNKNOWN or cards[card].effect == wanted for card in hand)
    open_ = (*pile_of(state, seat), *out_of_the_game(state, seat))
    shown = sum(1 for card in open_ if cards[card].effect == wanted)
    return sum(1 for card in state.world.decks[seat] if cards[card].effect == wanted) > shown


@effect("f7.5", otherwise=())
def asked_for_responses(state: State, trigger: str, seat: int) -> tuple[int, ...]:
    """Who may answer what `seat` played or began: every other player who could, the active one first."""
    return tuple(one for one in clockwise(state) if one != seat and may_hold(state, one, RESPONSES[trigger]))


def open_window(action: Action, trigger: str, seat: int, command: Command) -> bool:
    """Ask for responses to what was just done; False if nobody could have any."""
    waiting = asked_for_responses(action.state, trigger, seat)
    if waiting:
        action.push(Responding(trigger, seat, waiting, command))
    return bool(waiting)


@forbids("f7.5", act=(Respond, NoResponse))
def only_while_it_is_asked(state: State, act: Respond | NoResponse) -> Facts | None:
    """One after the other, each in his turn."""
    frame = state.frames[-1] if state.frames else None
    if isinstance(frame, Responding) and frame.waiting[:1] == (state.controller[act.power],):
        return None
    return facts(variant="not_now", power=act.power)


@forbids("f7.5", act=Respond)
def a_response_that_fits(state: State, act: Respond) -> Facts | None:
    """The card must be one that answers this."""
    frame = state.frames[-1] if state.frames else None
    if isinstance(frame, Responding) and state.world.cards[act.card].effect != RESPONSES[frame.trigger]:
        return facts(power=act.power, card=act.card)
    return None


def entail_respond(state: State, command: Respond) -> Iterable[tuple[State, object]]:
    """Responding, and the card."""
    yield state, command
    yield state, PlayCard(command.power, command.card)


@carries_out(Respond)
def respond(action: Action, command: Respond) -> None:
    """The card is played; nobody else is asked."""
    seat = action.state.controller[command.power]
    lay_down(action, seat, command.card, "response")
    action.change(waiting=(), by=seat)


@carries_out(NoResponse)
def no_response(action: Action, command: NoResponse) -> None:
    """The next one is asked."""
    frame: Responding = action.state.frames[-1]
    action.change(waiting=frame.waiting[1:])


def responding_awaits(state: State, frame: Responding) -> tuple[Decision, ...]:
    """The first of those who are still to be asked."""
    if not frame.waiting:
        return ()
    seat = frame.waiting[0]
    return (Decision(seat, state.powers_of(seat)[0], "respond", "f7.5", facts(seat=seat, active=frame.seat)),)


def responding_candidates(state: State, frame: Responding, seat: int) -> Iterable[Group]:
    """The cards of the hand that fit, and none."""
    if frame.waiting[:1] != (seat,):
        return
    power = state.powers_of(seat)[0]
    wanted = RESPONSES[frame.trigger]
    fitting = [card for card in dict.fromkeys(hand_of(state, seat)) if card != UNKNOWN]
    yield Respond, power, [Respond(power, card) for card in fitting if state.world.cards[card].effect == wanted]
    yield NoResponse, power, (NoResponse(power),)
