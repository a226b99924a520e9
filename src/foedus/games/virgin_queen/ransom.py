"""Ransom of leaders, the second segment of the Diplomacy Phase (ransom.*)."""

from __future__ import annotations

from collections.abc import Iterable

from foedus.games.virgin_queen.commands import Consent, DoneRansoming, Ransom, RefuseConsent
from foedus.games.virgin_queen.events import CaptiveReturned
from foedus.games.virgin_queen.frames import AskingCaptor, Ransoming
from foedus.games.virgin_queen.placing import capital_possible, ransom_places
from foedus.games.virgin_queen.powers import acting_powers
from foedus.games.virgin_queen.state import PHASES, RANSOM, UNTOLD, State
from foedus.games.virgin_queen.terms import draw_at_random, drawable
from foedus.kernel.flow import Action, Decision, Flow, Group, carries_out
from foedus.kernel.rules import Facts, effect, facts, forbids, permits
from foedus.kernel.unknown import NONE, UNKNOWN, Unknown


@effect("ransom.M2", otherwise=True)
def home_cards_are_drawn(state: State) -> bool:
    """Ruling `ransom_home_cards`: are home cards in the draw (facts 7.8)?"""
    return state.ruling("ransom_home_cards") == "yes"


# when and whom


@forbids("ransom.8", act=Ransom, wide=True)
def only_in_the_segment(state: State, act: Ransom) -> Facts | None:
    """Nobody is ransomed outside the second segment."""
    if state.phase == UNKNOWN:
        raise Unknown("phase", (), tuple(range(len(PHASES))))
    if state.phase != RANSOM:
        return facts(power=act.power, phase=state.phase)
    return None


@forbids("ransom.M5", act=(Ransom, DoneRansoming), wide=True)
def in_order(state: State, act: Ransom | DoneRansoming) -> Facts | None:
    """Ruling `ransom_order`: one power after another, in Impulse Order."""
    frame = state.frames[-1] if state.frames else None
    if isinstance(frame, Ransoming):
        now = _whose_turn(state, frame)
        if act.power in now:
            return None
        return facts(power=act.power, active=now[0]) if now else facts(variant="over", power=act.power)
    if isinstance(act, DoneRansoming) or (state.frames and state.phase == RANSOM and not state.sketched):
        return facts(variant="over", power=act.power)
    return None


@forbids("ransom.7", act=Ransom)
def only_a_captive(state: State, act: Ransom) -> Facts | None:
    """Only one who is captive is ransomed, and by his own power."""
    leader = state.world.leaders[act.leader]
    if leader.power != act.power:
        return facts(variant="not_own", power=act.power, leader=act.leader, owner=leader.power)
    if state.captor[act.leader] == NONE:
        return facts(power=act.power, leader=act.leader)
    return None


@forbids("ransom.9", act=Ransom)
def no_naval_leader(state: State, act: Ransom) -> Facts | None:
    """The segment is for army leaders."""
    if not state.world.leaders[act.leader].army:
        return facts(power=act.power, leader=act.leader)
    return None


@forbids("ransom.M1", act=Ransom)
def not_without_a_card(state: State, act: Ransom) -> Facts | None:
    """Ruling `ransom_without_card`: without a card that can be drawn there is no price to pay."""
    if state.ruling("ransom_without_card") == "refused" and not drawable(state, act.power, home_cards_are_drawn(state)):
        return facts(power=act.power, leader=act.leader)
    return None


@forbids("ransom.M4", act=Ransom)
def a_place_to_come_home_to(state: State, act: Ransom) -> Facts | None:
    """Ruling `ransom_place`: the capital if possible, else a home key space of the owner's choice, else refused."""
    if capital_possible(state, act.power):
        capital = state.world.capital[act.power]
        if act.space not in (NONE, capital):
            return facts(variant="capital", power=act.power, space=act.space, city=capital)
        return None
    places = ransom_places(state, act.power)
    if not places:
        return facts(power=act.power, leader=act.leader)
    if act.space == NONE:
        return facts(variant="choose", power=act.power, spaces=places) if len(places) > 1 else None
    if act.space not in places:
        return facts(variant="not_there", power=act.power, space=act.space, spaces=places)
    return None


@permits("ransom.2", act=Ransom)
def a_leader_not_agreed_on(state: State, act: Ransom) -> Facts | None:
    """A power may get back a leader whose return was not agreed."""
    return facts(power=act.power, leader=act.leader, captor=state.captor[act.leader])


@permits("ransom.5", act=Ransom)
def any_number(state: State, act: Ransom) -> Facts | None:
    """Any number of leaders may be ransomed in the segment."""
    held = [
        leader
        for leader in state.world.leaders_of[act.power]
        if state.captor[leader] != NONE and state.world.leaders[leader].army
    ]
    return facts(power=act.power, leaders=tuple(held)) if len(held) > 1 else None


@permits("ransom.6", act=DoneRansoming)
def nobody_must(state: State, act: DoneRansoming) -> Facts | None:
    """A leader may stay captive without limit."""
    for leader in state.world.leaders_of[act.power]:
        if state.captor[leader] != NONE:
            return facts(power=act.power, leader=leader)
    return None


# how


@effect("ransom.3", otherwise=False)
def a_card_is_the_price(state: State) -> bool:
    """The captor takes one card at random for each leader."""
    return True


@effect("ransom.4", otherwise=NONE)
def place_of_return(state: State, power: int, named: int) -> int:
    """The capital if possible, else the home key space that was named, or the only one."""
    if capital_possible(state, power):
        return state.world.capital[power]
    return named if named != NONE else ransom_places(state, power)[0]


@effect("ransom.M3", otherwise=True)
def captor_is_not_asked(state: State) -> bool:
    """Ruling `captor_consent`: the right is the owner's, or the captor may refuse."""
    return state.ruling("captor_consent") == "not_asked"


@carries_out(Ransom)
def ransom(action: Action, command: Ransom) -> None:
    """The captor is paid, and the leader comes home; where the table says so, the captor is asked first."""
    state: State = action.state
    captor = state.captor[command.leader]
    if not captor_is_not_asked(state) and state.frames:
        action.push(AskingCaptor(command.power, captor, command.leader, command.space))
        return
    pay_and_return(action, command.power, captor, command.leader, command.space)


def pay_and_return(action: Action, power: int, captor: int, leader: int, space: int) -> None:
    """One card at random for the captor; the leader stands at home."""
    state: State = action.state
    drawn = home_cards_are_drawn(state)
    if a_card_is_the_price(state) and (state.hands[power] == UNTOLD or drawable(state, power, drawn)):
        draw_at_random(action, power, captor, "ransom.3", drawn)
    action.emit(CaptiveReturned(leader, captor, place_of_return(action.state, power, space), "ransom.2"))


@carries_out(DoneRansoming)
def done(action: Action, command: DoneRansoming) -> None:
    """The next power may ransom."""
    frame = action.state.frames[-1]
    action.change(waiting=tuple(power for power in frame.waiting if power != command.power))


# the captor is asked


@forbids("ransom.M3", act=(Consent, RefuseConsent), wide=True)
def only_the_captor_is_asked(state: State, act: Consent | RefuseConsent) -> Facts | None:
    """Nobody consents to what was not asked of him."""
    frame = state.frames[-1] if state.frames else None
    if isinstance(frame, AskingCaptor) and frame.captor == act.power and act.to == frame.power:
        return None
    return facts(power=act.power, to=act.to)


@carries_out(Consent)
def consent(action: Action, command: Consent) -> None:
    """The leader is given back for a card."""
    action.change(answered=True, agreed=True)


@carries_out(RefuseConsent)
def refuse(action: Action, command: RefuseConsent) -> None:
    """The leader stays captive."""
    action.change(answered=True)


def _asking_awaits(state: State, frame: AskingCaptor) -> tuple[Decision, ...]:
    if frame.answered:
        return ()
    told = facts(power=frame.captor, to=frame.power, leader=frame.leader)
    return (Decision(state.seat_of(frame.captor), frame.captor, "captor", "ransom.M3", told),)


def _asking_candidates(state: State, frame: AskingCaptor, seat: int) -> Iterable[Group]:
    if state.seat_of(frame.captor) == seat and not frame.answered:
        yield Consent, frame.captor, (Consent(frame.captor, frame.power),)
        yield RefuseConsent, frame.captor, (RefuseConsent(frame.captor, frame.power),)


def _asking_proceed(action: Action, frame: AskingCaptor) -> None:
    action.pop()
    if frame.agreed:
        pay_and_return(action, frame.power, frame.captor, frame.leader, frame.space)


ASKING = Flow(AskingCaptor, _asking_awaits, _asking_candidates, _asking_proceed)


# the segment


@effect("ransom.M5", otherwise=False)
def goes_by_impulse_order(state: State) -> bool:
    """Ruling `ransom_order`."""
    return state.ruling("ransom_order") == "impulse_order"


@effect("ransom.1", otherwise=())
def who_may_ransom(state: State) -> tuple[int, ...]:
    """The powers with a leader held captive by another, in order: the second segment is theirs."""
    order = acting_powers(state)
    if not goes_by_impulse_order(state):
        order = order[::-1]
    leaders = state.world.leaders
    held = {leaders[leader].power for leader, captor in enumerate(state.captor) if captor >= 0 and leaders[leader].army}
    return tuple(power for power in order if power in held)


def open_segment(action: Action) -> None:
    """The powers that have captured leaders are asked, in order."""
    waiting = who_may_ransom(action.state)
    if waiting:
        action.push(Ransoming(waiting))


def _whose_turn(state: State, frame: Ransoming) -> tuple[int, ...]:
    """The power that may ransom now, if any: the first of those waiting who still have somebody to ransom."""
    return tuple(power for power in frame.waiting if _captives(state, power))[:1]


def _awaits(state: State, frame: Ransoming) -> tuple[Decision, ...]:
    return tuple(
        Decision(state.seat_of(power), power, "ransom", "ransom.1", facts(power=power))
        for power in _whose_turn(state, frame)
    )


def _captives(state: State, power: int) -> list[int]:
    return [
        leader
        for leader in state.world.leaders_of[power]
        if state.captor[leader] != NONE and state.world.leaders[leader].army
    ]


def _candidates(state: State, frame: Ransoming, seat: int) -> Iterable[Group]:
    for power in _whose_turn(state, frame):
        if state.seat_of(power) != seat:
            continue
        places = (NONE,) if capital_possible(state, power) else (NONE, *ransom_places(state, power))
        yield Ransom, power, [Ransom(power, leader, space) for leader in _captives(state, power) for space in places]
        yield DoneRansoming, power, (DoneRansoming(power),)


def _proceed(action: Action, frame: Ransoming) -> None:
    action.pop()


RANSOMING = Flow(Ransoming, _awaits, _candidates, _proceed)
