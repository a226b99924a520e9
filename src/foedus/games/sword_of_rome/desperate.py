"""Desperate Times (7.14): two a player, outside deck and hand."""

from __future__ import annotations

from collections.abc import Iterable

from foedus.games.sword_of_rome.commands import (
    ActivateNPP,
    BreakAlliance,
    DesperateFor,
    KeepDesperate,
    PlaceMinor,
    PlayCard,
    ProposeAlliance,
    UseDesperate,
)
from foedus.games.sword_of_rome.events import (
    ActivationBegan,
    CardFetched,
    CardPlayed,
    CardsDrawn,
    DesperateTimes,
    DesperateWaived,
)
from foedus.games.sword_of_rome.frames import Activation, DesperateUse, DesperateWindow, LastDesperate, Swapping
from foedus.games.sword_of_rome.hands import hand_of, pile_of, remaining
from foedus.games.sword_of_rome.powers import fewest, seat_rank
from foedus.games.sword_of_rome.state import State
from foedus.kernel.flow import Action, Decision, Flow, Group, carries_out
from foedus.kernel.rules import Facts, effect, facts, forbids
from foedus.kernel.unknown import NONE, UNKNOWN

USES = ("value", "swap", "event")


def left(state: State, seat: int) -> int:
    """How many Desperate Times a seat has left."""
    return state.desperate[seat] if 0 <= seat < len(state.desperate) else 0


@effect("f7.14", otherwise=())
def may_use(state: State) -> tuple[int, ...]:
    """The players who have any left and have not said that they will use none this turn."""
    if not state.desperate:
        return ()
    return tuple(seat for seat in state.seats if left(state, seat) > 0 and not state.waived >> seat & 1)


def open_desperate_window(action: Action, seat: int) -> bool:
    """Before a player becomes active: ask all who could use Desperate Times; False if nobody could."""
    seats = may_use(action.state)
    if seats:
        asked = sum(1 << action.state.powers_of(one)[0] for one in seats)
        action.push(DesperateWindow(asked, (), seat))
    return bool(seats)


def open_last_window(action: Action) -> bool:
    """After the last round: each who could, in descending order of points; False if nobody could."""
    state: State = action.state
    seats = tuple(sorted(may_use(state), key=lambda seat: (-state.vp[seat], seat_rank(seat))))
    if seats:
        action.push(LastDesperate(seats))
    return bool(seats)


def _window_awaits(state: State, frame: DesperateWindow) -> tuple[Decision, ...]:
    missing = frame.missing()
    return tuple(
        Decision(seat, power, "desperate", "f7.14", facts(seat=seat))
        for seat in state.seats
        for power in state.powers_of(seat)[:1]
        if missing >> power & 1
    )


def _window_candidates(state: State, frame: DesperateWindow, seat: int) -> Iterable[Group]:
    powers = state.powers_of(seat)[:1]
    if powers and frame.missing() >> powers[0] & 1:
        yield from _to_use_or_not(powers[0])


def _to_use_or_not(power: int) -> Iterable[Group]:
    yield UseDesperate, power, (UseDesperate(power),)
    yield KeepDesperate, power, (KeepDesperate(power), KeepDesperate(power, 1))


def _window_proceed(action: Action, frame: DesperateWindow) -> None:
    """All have answered: of several who want it, the one with the fewest points uses his."""
    action.pop()
    state: State = action.state
    wanted = []
    for answer in frame.answers:
        if isinstance(answer.command, UseDesperate):
            wanted.append(answer.seat)
        elif isinstance(answer.command, KeepDesperate) and answer.command.turn:
            action.emit(DesperateWaived(answer.seat))
    if wanted:
        action.push(DesperateUse(fewest(state, wanted)[0]))


DESPERATE_WINDOW = Flow(DesperateWindow, _window_awaits, _window_candidates, _window_proceed)


def _last_awaits(state: State, frame: LastDesperate) -> tuple[Decision, ...]:
    if not frame.seats:
        return ()
    seat = frame.seats[0]
    return (Decision(seat, state.powers_of(seat)[0], "desperate", "f7.14", facts(seat=seat)),)


def _last_candidates(state: State, frame: LastDesperate, seat: int) -> Iterable[Group]:
    if frame.seats[:1] == (seat,):
        power = state.powers_of(seat)[0]
        yield UseDesperate, power, (UseDesperate(power),)
        yield KeepDesperate, power, (KeepDesperate(power),)


def _last_proceed(action: Action, frame: LastDesperate) -> None:
    action.pop()


LAST_DESPERATE = Flow(LastDesperate, _last_awaits, _last_candidates, _last_proceed)


@forbids("f7.14", act=(UseDesperate, KeepDesperate))
def only_while_it_is_asked(state: State, act: UseDesperate | KeepDesperate) -> Facts | None:
    """Just before a player becomes active, or after the last round; by one who has any left."""
    frame = state.frames[-1] if state.frames else None
    seat = state.controller[act.power]
    if not left(state, seat) and seat != NONE:
        return facts(power=act.power)
    if isinstance(frame, DesperateWindow) and frame.missing() >> act.power & 1:
        return None
    if isinstance(frame, LastDesperate) and frame.seats[:1] == (seat,):
        if not (isinstance(act, KeepDesperate) and act.turn):
            return None
    return facts(variant="not_now", power=act.power)


@carries_out(UseDesperate)
def use_desperate(action: Action, command: UseDesperate) -> None:
    """After the last round: it is used at once."""
    frame: LastDesperate = action.state.frames[-1]
    action.change(seats=frame.seats[1:])
    action.push(DesperateUse(frame.seats[0]))


@carries_out(KeepDesperate)
def keep_desperate(action: Action, command: KeepDesperate) -> None:
    """After the last round: the next one is asked."""
    frame: LastDesperate = action.state.frames[-1]
    action.change(seats=frame.seats[1:])


def fetchable(state: State, seat: int) -> tuple[int, ...]:
    """The named events that a seat may fetch: those that its deck or its discards hold."""
    held = dict.fromkeys((*remaining(state, seat), *pile_of(state, seat)))
    in_hand = hand_of(state, seat)
    return tuple(card for card in held if state.world.cards[card].named and (UNKNOWN not in in_hand or state.dealt))


def three(state: State) -> int:
    """The card that stands for one of value 3, or NONE on a table without it."""
    return next((i for i, card in enumerate(state.world.cards) if card.effect == "desperate"), NONE)


def _use_awaits(state: State, frame: DesperateUse) -> tuple[Decision, ...]:
    power = state.powers_of(frame.seat)[0]
    return (Decision(frame.seat, power, "desperate_for", "f7.14", facts(seat=frame.seat)),)


def _use_candidates(state: State, frame: DesperateUse, seat: int) -> Iterable[Group]:
    if frame.seat == seat:
        power = state.powers_of(seat)[0]
        cards = fetchable(state, seat)
        events = [DesperateFor(power, "event", card) for card in cards]
        yield DesperateFor, power, [DesperateFor(power, "value"), DesperateFor(power, "swap"), *events]


def _use_proceed(action: Action, frame: DesperateUse) -> None:
    action.pop()


DESPERATE_USE = Flow(DesperateUse, _use_awaits, _use_candidates, _use_proceed)


@forbids("f7.14", act=DesperateFor)
def what_desperate_times_do(state: State, act: DesperateFor) -> Facts | None:
    """A card of value 3, a swap, or a named event out of the deck or the discards."""
    frame = state.frames[-1] if state.frames else None
    seat = state.controller[act.power]
    if not isinstance(frame, DesperateUse) or frame.seat != seat:
        return facts(variant="not_now", power=act.power)
    if act.what not in USES:
        return facts(variant="what", power=act.power)
    if act.what == "event" and act.card not in fetchable(state, seat):
        return facts(variant="fetch", power=act.power, card=act.card)
    return None


@carries_out(DesperateFor)
def desperate_for(action: Action, command: DesperateFor) -> None:
    """It is used: the player swaps cards, or is active for one card only."""
    state: State = action.state
    seat = state.controller[command.power]
    action.pop()
    action.emit(DesperateTimes(seat, command.what, left(state, seat) - 1))
    if command.what == "swap":
        action.push(Swapping(seat))
        return
    card = command.card if command.what == "event" else three(state)
    if command.what == "event":
        action.emit(CardFetched(seat, card))
    action.emit(CardsDrawn(seat, (card,)))
    action.emit(ActivationBegan(seat))
    action.push(Activation(seat, only=card, desperate=command.what))


def put_back(action: Action, frame: Activation) -> None:
    """Desperate Times are over: their card, if it was not played, leaves the hand."""
    if frame.desperate and frame.only in hand_of(action.state, frame.seat) and not frame.played:
        gone = frame.desperate == "value"
        action.emit(CardPlayed(frame.seat, frame.only, "unused", gone))


def _only(state: State) -> Activation | None:
    frame = state.frames[-1] if state.frames else None
    return frame if isinstance(frame, Activation) and frame.desperate else None


@forbids("f7.14", act=(ProposeAlliance, BreakAlliance, PlaceMinor), wide=True)
def nothing_but_the_card(state: State, act: ProposeAlliance | BreakAlliance | PlaceMinor) -> Facts | None:
    """In Desperate Times a player does what their card does, and nothing else."""
    frame = _only(state)
    return facts(variant="only", power=act.power) if frame and frame.seat == state.controller[act.power] else None


@forbids("f7.14", act=PlayCard)
def only_that_card(state: State, act: PlayCard) -> Facts | None:
    """The card of value 3, or the event that was fetched."""
    frame = _only(state)
    if frame is None or frame.seat != state.controller[act.power] or act.card == frame.only:
        return None
    return facts(variant="only", power=act.power)


@forbids("f7.14", act=ActivateNPP)
def one_activation(state: State, act: ActivateNPP) -> Facts | None:
    """It may be an activation event, if that was fetched; it is the one action."""
    frame = _only(state)
    if frame is None or frame.seat != state.controller[act.power] or not frame.played:
        return None
    return facts(variant="only", power=act.power)
