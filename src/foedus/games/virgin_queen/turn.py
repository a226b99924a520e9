"""The turn (facts 1): its phases and segments, spring deployment, impulses, winter, and who has won."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from foedus.games.virgin_queen import actions, declarations, movement, naval, ransom, sieges
from foedus.games.virgin_queen.alliances import end_alliances, send_guests_home
from foedus.games.virgin_queen.cards import card_plays, draw_cards
from foedus.games.virgin_queen.commands import Pass, StayHome
from foedus.games.virgin_queen.events import (
    Activated,
    GameEnded,
    LeaderMoved,
    Passed,
    PhaseBegan,
    PointsChanged,
    TurnBegan,
)
from foedus.games.virgin_queen.frames import Acting, Deploying, Negotiating, Spending, TurnFrame
from foedus.games.virgin_queen.loans import return_loans
from foedus.games.virgin_queen.powers import acting_powers, impulse_order, keys_held
from foedus.games.virgin_queen.state import (
    ACTION,
    DRAW,
    MAJORS,
    NEGOTIATION,
    OVER,
    RANSOM,
    SCORING,
    SETUP,
    SPRING,
    WAR,
    WINTER,
    State,
)
from foedus.kernel.flow import Action, Decision, Flow, Group, Kept, carries_out, spread
from foedus.kernel.rules import Facts, effect, facts, forbids, permits
from foedus.kernel.unknown import NONE
from foedus.kernel.values import bits

# the phases


@effect("f1.5", otherwise=(DRAW, SPRING, ACTION, WINTER, SCORING))
def phases(state: State) -> tuple[int, ...]:
    """The phases of a turn, the three segments of the Diplomacy Phase among them (facts 1.4 to 1.6, 2.1)."""
    return (DRAW, NEGOTIATION, RANSOM, WAR, SPRING, ACTION, WINTER, SCORING)


def _awaits(state: State, frame: TurnFrame) -> tuple[Decision, ...]:
    return (Decision(NONE, NONE, "over"),) if state.phase == OVER else ()


def _nothing(state: State, frame: TurnFrame, seat: int) -> Iterable[Group]:
    return ()


def _proceed(action: Action, frame: TurnFrame) -> None:
    state: State = action.state
    if state.phase == SETUP:
        action.emit(TurnBegan(1))
        return
    if not frame.begun:
        action.change(begun=True)
        PHASE_WORK[state.phase](action)
        return
    if state.phase == ACTION:
        following = next_impulse(state)
        if following != NONE:
            action.emit(Activated(following))
            action.push(Acting(following))
            return
    action.change(begun=False)
    order = phases(state)
    at = order.index(state.phase)
    if at + 1 < len(order):
        action.emit(PhaseBegan(order[at + 1]))
    elif not decide_the_game(action):
        action.emit(TurnBegan(state.turn + 1))


TURN = Flow(TurnFrame, _awaits, _nothing, _proceed)


def _talk(action: Action) -> None:
    action.push(Negotiating())


def _spring(action: Action) -> None:
    waiting = tuple(power for power in acting_powers(action.state) if may_deploy(action.state, power))
    if waiting:
        action.push(Deploying(waiting))


def _act(action: Action) -> None:
    """The impulses follow one by one."""


def _winter(action: Action) -> None:
    send_guests_home(action)
    end_alliances(action)
    movement.winter(action)
    lent = return_loans(action)
    naval.winter(action)
    for frame in reversed(lent):
        action.push(frame)
    for leader in bits(action.state.lost_leaders):
        card = action.state.world.leaders[leader]
        home = action.state.world.capital[card.power]
        if card.kind != "naval" and home != NONE and action.state.captor[leader] == NONE:
            action.emit(LeaderMoved(leader, home, "f11.6"))


def _score(action: Action) -> None:
    state: State = action.state
    for power in MAJORS:
        points = keys_held(state, power).bit_count()
        if points != action.state.vp[power]:
            action.emit(PointsChanged(power, points, "f11.9"))


PHASE_WORK: dict[int, Callable[[Action], None]] = {
    DRAW: draw_cards,
    NEGOTIATION: _talk,
    RANSOM: ransom.open_segment,
    WAR: declarations.open_segment,
    SPRING: _spring,
    ACTION: _act,
    WINTER: _winter,
    SCORING: _score,
}


# spring deployment


@effect("f16.2", otherwise=False)
def may_deploy(state: State, power: int) -> bool:
    """Ruling `spring_move`: a power with units in its capital, if it has one, may move one formation from there."""
    capital = state.world.capital[power]
    return capital != NONE and any(force.power == power for force in state.land[capital])


@forbids("f16.2", act=StayHome, wide=True)
def while_asked_to_deploy(state: State, act: StayHome) -> Facts | None:
    """In Impulse Order, each in his turn."""
    frame = state.frames[-1] if state.frames else None
    if isinstance(frame, Deploying) and frame.waiting[:1] == (act.power,):
        return None
    return facts(variant="not_now", power=act.power)


@carries_out(StayHome)
def stay_home(action: Action, command: StayHome) -> None:
    """The next power deploys."""
    frame: Deploying = action.state.frames[-1]
    action.change(waiting=frame.waiting[1:])


def _deploying_awaits(state: State, frame: Deploying) -> tuple[Decision, ...]:
    if not frame.waiting:
        return ()
    power = frame.waiting[0]
    return (Decision(state.seat_of(power), power, "deploy", "f16.2", facts(power=power)),)


def _deploying_candidates(state: State, frame: Deploying, seat: int) -> Iterable[Group]:
    if frame.waiting and state.seat_of(frame.waiting[0]) == seat:
        power = frame.waiting[0]
        yield StayHome, power, (StayHome(power),)
        yield from movement.deploy_candidates(state, power)


def _deploying_proceed(action: Action, frame: Deploying) -> None:
    action.pop()


DEPLOYING = Flow(Deploying, _deploying_awaits, _deploying_candidates, _deploying_proceed)


# impulses


def next_impulse(state: State) -> int:
    """The power whose impulse is next, in Impulse Order; NONE once all have passed in a row (facts 1.9)."""
    order = acting_powers(state)
    if not order or all(state.passed >> power & 1 for power in order):
        return NONE
    every = impulse_order(state)
    start = every.index(state.active) + 1 if state.active in every else 0
    for power in (*every[start:], *every[:start]):
        if power in order and not (passing_is_final(state) and state.passed >> power & 1):
            return power
    return NONE


@effect("f1.9", otherwise=False)
def passing_is_final(state: State) -> bool:
    """Ruling `action_phase_end`: who has passed plays no more, or the phase ends when all pass in a row."""
    return state.ruling("action_phase_end") == "pass_is_final"


@forbids("f1.9", act=Pass, wide=True)
def only_in_ones_own_impulse(state: State, act: Pass) -> Facts | None:
    """One passes in one's own impulse."""
    frame = state.frames[-1] if state.frames else None
    if isinstance(frame, Acting) and frame.power == act.power and not frame.played:
        return None
    return facts(power=act.power, active=state.active)


@permits("f1.9", act=Pass)
def nobody_must_play(state: State, act: Pass) -> Facts | None:
    """A power plays one card or passes."""
    return facts(power=act.power)


@carries_out(Pass)
def pass_the_impulse(action: Action, command: Pass) -> None:
    """The next power has its impulse."""
    action.change(played=True)
    action.emit(Passed(command.power))


def _acting_awaits(state: State, frame: Acting) -> tuple[Decision, ...]:
    if frame.played:
        return ()
    return (Decision(state.seat_of(frame.power), frame.power, "impulse", "f1.9", facts(power=frame.power)),)


def _acting_parts(state: State, frame: Acting, seat: int) -> Iterable[Kept | Group]:
    power = frame.power
    if frame.played or state.seat_of(power) != seat:
        return
    yield Pass, power, (Pass(power),)
    for card in dict.fromkeys(card for card in state.hands[power] if card >= 0):
        yield card_plays(state, power, card)


def _acting_proceed(action: Action, frame: Acting) -> None:
    state: State = action.state
    if state.passed and not state.passed >> frame.power & 1 and not passing_is_final(state):
        action.emit(Passed(frame.power, False))
    action.pop()
    sieges.check_sieges(action)


ACTING = Flow(Acting, _acting_awaits, spread(_acting_parts), _acting_proceed, _acting_parts)


def _spending_awaits(state: State, frame: Spending) -> tuple[Decision, ...]:
    if frame.left <= 0:
        return ()
    told = facts(power=frame.power, left=frame.left)
    return (Decision(state.seat_of(frame.power), frame.power, "spend", "f11.4", told),)


def _spending_parts(state: State, frame: Spending, seat: int) -> Iterable[Kept | Group]:
    if frame.left > 0 and state.seat_of(frame.power) == seat:
        yield from actions.candidates(state, frame.power, frame.left)
        yield from movement.candidates(state, frame.power, frame.left)
        yield from sieges.candidates(state, frame.power, frame.left)
        yield from naval.candidates(state, frame.power, frame.left)


def _spending_proceed(action: Action, frame: Spending) -> None:
    action.pop()


SPENDING = Flow(Spending, _spending_awaits, spread(_spending_parts), _spending_proceed, _spending_parts)


# the end


def decide_the_game(action: Action) -> bool:
    """Who has won, once somebody holds enough keys or the last turn is over (facts 1.7, 11.9)."""
    state: State = action.state
    game = state.world.tables["game"]
    gained = {
        power: state.vp[power] - state.world.start_keys[power] for power in MAJORS if state.controller[power] != NONE
    }
    best = max(gained.values())
    enough = best >= int(game["more_keys_to_win"])
    if not (enough and keys_may_win(state)) and not is_last_turn(state):
        return False
    seats = dict.fromkeys(state.controller[power] for power, more in gained.items() if more == best)
    action.emit(GameEnded(tuple(seats), "keys" if enough else "turns", "f11.9"))
    return True


@effect("f11.9", otherwise=False)
def keys_may_win(state: State) -> bool:
    """A power may win before the last turn: here by keys alone (facts 11.9)."""
    return True


@effect("f1.7", otherwise=False)
def is_last_turn(state: State) -> bool:
    """The campaign has seven turns."""
    return state.turn >= int(state.world.tables["game"]["turns"])
