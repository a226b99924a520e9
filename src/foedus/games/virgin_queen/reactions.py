"""When a formation comes: enemies intercept, avoid battle, withdraw inside or stand (facts 12.2 to 12.4)."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from foedus.games.virgin_queen.battle import decider, formation, teller, why_not_inside, withdraw_inside
from foedus.games.virgin_queen.commands import AvoidBattle, Intercept, NoIntercept, Stand, WithdrawInside
from foedus.games.virgin_queen.events import AvoidRolled, InterceptionRolled, UnitsMoved
from foedus.games.virgin_queen.frames import Attacked, Intercepting, Interceptions, Moving, Telling
from foedus.games.virgin_queen.ground import (
    best_rating,
    decides,
    entering,
    formations,
    hostile,
    is_outside,
    refuges,
    same_side,
    standing,
    together,
    units_in,
    whole,
)
from foedus.games.virgin_queen.state import State, unit_masks
from foedus.kernel.flow import Action, Decision, Flow, Group, carries_out
from foedus.kernel.rules import Facts, effect, excepts, facts, forbids, permits
from foedus.kernel.unknown import NONE
from foedus.kernel.values import Command, bits

# interception


@effect("f12.2", otherwise=False)
def may_be_intercepted(state: State) -> bool:
    """Enemies beside the space that is entered are asked."""
    return True


@forbids("f12.2", act=Intercept)
def a_stack_beside(state: State, act: Intercept) -> Facts | None:
    """An enemy stack beside the space that is entered, while it is asked; not out of a siege that holds it inside."""
    frame = state.frames[-1] if state.frames else None
    if isinstance(frame, Interceptions):
        if not frame.missing() >> act.power & 1 or frame.space != act.space:
            return facts(variant="not_now", power=act.power)
    elif frame is not None and not state.sketched:
        return facts(variant="not_now", power=act.power)
    if not state.world.board.adjacent[act.start] >> act.space & 1:
        return facts(power=act.power, space=act.space)
    if not is_outside(state, act.power, act.start):
        return facts(variant="besieged", power=act.power, space=act.start)
    return None


@forbids("f8.19", act=Intercept)
def only_an_enemy(state: State, act: Intercept) -> Facts | None:
    """One intercepts only those with whom one is at war."""
    frame = state.frames[-1] if state.frames else None
    if isinstance(frame, Interceptions) and not hostile(state, act.power, frame.power):
        return facts(variant="intercept", power=act.power, target=frame.power, space=act.space)
    return None


@forbids("f12.2", act=Intercept)
def not_among_others(state: State, act: Intercept) -> Facts | None:
    """Not where units of others than friends stand, nor into a siege that is not one's own."""
    besieger = state.besieged_by[act.space]
    if besieger >= 0:
        own = same_side(state, act.power, besieger)
        return None if own else facts(variant="siege", power=act.power, space=act.space)
    for power in standing(state, act.space):
        if not together(state, act.power, power):
            return facts(variant="others", power=act.power, space=act.space, other=power)
    return None


@forbids("f12.2", act=NoIntercept, wide=True)
def only_who_is_asked(state: State, act: NoIntercept) -> Facts | None:
    """Nobody else answers."""
    frame = state.frames[-1] if state.frames else None
    if isinstance(frame, Interceptions) and frame.missing() >> act.power & 1:
        return None
    return facts(variant="not_now", power=act.power)


def entail_intercept(state: State, command: Intercept) -> Iterable[tuple[State, Command]]:
    """Intercepting, and entering the space."""
    yield state, command
    yield from entering(state, command.power, command.space)


@carries_out(Intercept)
def intercept(action: Action, command: Intercept) -> None:
    """On a sketch: the formation tries. In a game answers are sealed, and tried once all are in."""
    action.push(Intercepting(command.power, NONE, command.space, (command,)))


def interceptions(state: State, power: int, space: int) -> list[Intercept]:
    """The interceptions that are listed for a power: from each space beside, the formations of `formations`."""
    beside = state.world.board.adjacent[space] & unit_masks(state)[power]
    return [
        Intercept(power, start, space, *units) for start in bits(beside) for units in formations(state, power, start)
    ]


def ask_interceptions(action: Action, frame: Moving) -> None:
    """All powers that could intercept, by what everybody sees, are asked at once."""
    state: State = action.state
    if not may_be_intercepted(state):
        return
    beside = state.world.board.adjacent[frame.to]
    asked = 0
    for power, spaces in enumerate(unit_masks(state)[:-1]):
        if not spaces & beside or same_side(state, power, frame.power) or not hostile(state, power, frame.power):
            continue
        if decides(state, power) == NONE:
            continue
        window = Interceptions(1 << power, (), frame.power, frame.start, frame.to)
        trial = replace(state, frames=(*state.frames, window))
        if any(state.world.referee.permitted(trial, one) for one in interceptions(state, power, frame.to)):
            asked |= 1 << power
    if asked:
        action.push(Interceptions(asked, (), frame.power, frame.start, frame.to))


def _window_awaits(state: State, frame: Interceptions) -> tuple[Decision, ...]:
    return tuple(
        Decision(
            decides(state, power),
            power,
            "intercept",
            "f12.2",
            facts(power=power, target=frame.power, space=frame.space),
        )
        for power in bits(frame.missing())
    )


def _window_candidates(state: State, frame: Interceptions, seat: int) -> Iterable[Group]:
    for power in bits(frame.missing()):
        if decides(state, power) == seat:
            yield Intercept, power, interceptions(state, power, frame.space)
            yield NoIntercept, power, (NoIntercept(power),)


def _window_proceed(action: Action, frame: Interceptions) -> None:
    action.pop()
    tries = sorted(
        (one.command for one in frame.answers if isinstance(one.command, Intercept)), key=lambda one: one.power
    )
    if tries:
        action.push(Intercepting(frame.power, frame.start, frame.space, tuple(tries)))


WINDOW = Flow(Interceptions, _window_awaits, _window_candidates, _window_proceed)


@carries_out(NoIntercept)
def no_interception(action: Action, command: NoIntercept) -> None:
    """Answers are sealed by the kernel; nothing else comes of it."""


def _trying_awaits(state: State, frame: Intercepting) -> tuple[Decision, ...]:
    return ()


def _trying_candidates(state: State, frame: Intercepting, seat: int) -> Iterable[Group]:
    return ()


def _trying_proceed(action: Action, frame: Intercepting) -> None:
    """One after another in Impulse Order, until one succeeds: two powers never intercept together (ally.11)."""
    if not frame.tries:
        action.pop()
        return
    one = frame.tries[0]
    assert isinstance(one, Intercept)
    found = attempt(action, "interception", one.power, one.leaders, frame.told, one.space, "f12.2")
    if found is None:
        return
    total, success = found
    action.emit(InterceptionRolled(one.power, one.start, one.space, total, success))
    if not success:
        action.change(tries=frame.tries[1:], told=())
        return
    units = (one.regulars, one.mercenaries, one.cavalry)
    action.emit(UnitsMoved(one.power, one.start, one.space, *units, one.leaders, "f12.2"))
    action.pop()
    if action.state.frames and isinstance(action.state.frames[-1], Moving):
        action.change(intercepted=True)


TRYING = Flow(Intercepting, _trying_awaits, _trying_candidates, _trying_proceed)


@effect("f12.3", otherwise=0)
def number_to_reach(state: State, what: str) -> int:
    """Ruling `interception_number`: 9 or more with two dice and the battle rating of one leader."""
    return int(state.world.tables["dice"][what])


def attempt(
    action: Action,
    what: str,
    power: int,
    leaders: Iterable[int],
    told: tuple[int, ...],
    space: int,
    clause: str,
) -> tuple[int, bool] | None:
    """An interception or an avoided battle: the total and whether it succeeds. None: the table has still to tell."""
    state: State = action.state
    if state.ruling("interception_number") == "told":
        if not told:
            other = next((one.power for one in reversed(state.frames) if isinstance(one, Moving)), power)
            action.push(Telling(teller(state, power, other), what, 1, clause, space, by=power))
            return None
        return 0, bool(told[0])
    dice = action.roll(what, 2)
    total = sum(dice) + best_rating(state, leaders)
    return total, total >= number_to_reach(state, "intercept" if what == "interception" else "avoid")


# avoiding battle


def ask_to_avoid(action: Action, frame: Moving) -> bool:
    """Ask the next power of the defending formation whether it avoids battle; False once all were asked.

    Nobody is asked who has nowhere to go, or whom nobody plays.
    """
    state: State = action.state
    for power in formation(state, frame.power, frame.to):
        if frame.asked >> power & 1:
            continue
        action.change(asked=frame.asked | 1 << power)
        if decides(state, power) != NONE and refuges(state, power, frame.to, frame.start):
            action.push(Attacked(power, frame.power, frame.to, frame.start))
        return True
    return False


def ask_to_withdraw(action: Action, frame: Moving) -> None:
    """Ask the one who decides for those left whether they withdraw into the fortification."""
    state: State = action.state
    powers = formation(state, frame.power, frame.to)
    if not powers or why_not_inside(state, powers, frame.to) is not None:
        return
    power = decider(state, powers, frame.to)
    if decides(state, power) == NONE and state.ruling("unplayed_defence") == "stand":
        return
    action.push(Attacked(power, frame.power, frame.to, frame.start, inside=True))


def _attacked_awaits(state: State, frame: Attacked) -> tuple[Decision, ...]:
    seat = decides(state, frame.power)
    if frame.answered or frame.to != NONE or seat == NONE:
        return ()
    told = facts(power=frame.power, target=frame.attacker, space=frame.space)
    return (Decision(seat, frame.power, "inside" if frame.inside else "avoid", "f12.4", told),)


def _attacked_candidates(state: State, frame: Attacked, seat: int) -> Iterable[Group]:
    power = frame.power
    if frame.answered or decides(state, power) != seat:
        return
    if frame.inside:
        yield WithdrawInside, power, (WithdrawInside(power),)
    else:
        ways = refuges(state, power, frame.space, frame.came)
        yield AvoidBattle, power, [AvoidBattle(power, to, how) for to in ways for how in ("all", "units", "leaders")]
    yield Stand, power, (Stand(power),)


def _attacked_proceed(action: Action, frame: Attacked) -> None:
    """Units that nobody plays go inside (ruling `unplayed_defence`). Who avoids rolls for himself (defend.6)."""
    state: State = action.state
    if frame.inside and not frame.answered:
        withdraw_inside.function(action, WithdrawInside(frame.power))
        return
    if frame.to == NONE:
        action.pop()
        return
    regulars, mercenaries, cavalry, leaders = whole(state, frame.power, frame.space)
    found = attempt(action, "avoiding", frame.power, leaders, frame.told, frame.space, "f12.3")
    if found is None:
        return
    total, success = found
    joint = len(formation(state, frame.attacker, frame.space)) > 1
    action.emit(AvoidRolled(frame.power, frame.space, total, success, "defend.6" if joint else "f12.3"))
    action.pop()
    if success:
        units = (0, 0, 0) if frame.how == "leaders" else (regulars, mercenaries, cavalry)
        going = () if frame.how == "units" else leaders
        action.emit(UnitsMoved(frame.power, frame.space, frame.to, *units, going, "f12.3"))
    if not each_rolls_for_itself(state) and isinstance(action.state.frames[-1], Moving):
        action.change(asked=(1 << len(state.wars)) - 1)


ATTACKED = Flow(Attacked, _attacked_awaits, _attacked_candidates, _attacked_proceed)


@effect("defend.6", otherwise=False)
def each_rolls_for_itself(state: State) -> bool:
    """Each power makes its own roll to avoid battle; if one gets away the other may still stand."""
    return True


@forbids("f12.3", act=(AvoidBattle, Stand), wide=True)
def only_who_is_attacked(state: State, act: AvoidBattle | Stand) -> Facts | None:
    """Asked is each power that defends; on a sketch anybody may be meant."""
    frame = state.frames[-1] if state.frames else None
    if isinstance(frame, Attacked):
        if frame.power == act.power and not frame.answered and not (frame.inside and isinstance(act, AvoidBattle)):
            return None
        return facts(variant="not_now", power=act.power)
    if state.sketched and not state.frames and isinstance(act, AvoidBattle):
        return None
    return facts(variant="not_now", power=act.power)


@forbids("f12.3", act=AvoidBattle)
def to_a_friendly_space(state: State, act: AvoidBattle) -> Facts | None:
    """To an adjacent friendly space without enemies, not the one the enemy came from."""
    frame = state.frames[-1] if state.frames else None
    if not isinstance(frame, Attacked):
        return None
    if act.to == frame.came:
        return facts(variant="came", power=act.power, space=act.to)
    if act.to not in refuges(state, act.power, frame.space, frame.came):
        return facts(power=act.power, space=act.to)
    return None


def _allies_beside(state: State, act: AvoidBattle) -> tuple[int, ...]:
    """The powers of other sides that defend in the space together with the one that is asked."""
    frame = state.frames[-1] if state.frames else None
    if not isinstance(frame, Attacked):
        return ()
    return tuple(
        power
        for power in formation(state, frame.attacker, frame.space)
        if not same_side(state, power, act.power) and units_in(state, frame.space, (power,))
    )


@forbids("defend.1", act=AvoidBattle)
def units_and_leaders_stay_together(state: State, act: AvoidBattle) -> Facts | None:
    """They form one formation: neither units nor leaders leave it alone, but for defend.2."""
    return None if act.how == "all" else facts(power=act.power)


@excepts("defend.2", to="defend.1", act=AvoidBattle)
def either_takes_units_or_leaders_away(state: State, act: AvoidBattle) -> Facts | None:
    """Of two powers in a stack either may withdraw its units, its leaders, or both."""
    allies = _allies_beside(state, act)
    frame = state.frames[-1] if state.frames else None
    if not allies or not isinstance(frame, Attacked) or act.how not in ("units", "leaders"):
        return None
    regulars, mercenaries, cavalry, leaders = whole(state, act.power, frame.space)
    if not leaders or not regulars + mercenaries + cavalry:
        return None
    return facts(power=act.power, space=frame.space, ally=allies)


@permits("defend.2", act=AvoidBattle)
def either_may_withdraw(state: State, act: AvoidBattle) -> Facts | None:
    """Cited where an ally defends in the space too."""
    allies = _allies_beside(state, act)
    frame = state.frames[-1] if state.frames else None
    if allies and isinstance(frame, Attacked):
        return facts(power=act.power, space=frame.space, ally=allies)
    return None


@carries_out(AvoidBattle)
def avoid_battle(action: Action, command: AvoidBattle) -> None:
    """The power tries to get away."""
    action.change(to=command.to, how=command.how)


@carries_out(Stand)
def stand(action: Action, command: Stand) -> None:
    """It stays."""
    action.change(answered=True)
