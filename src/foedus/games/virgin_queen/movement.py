"""Moves on land, what they come to, Spring Deployment, and the way home in winter (facts 12.1, 16.2, 16.3)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import Any, Final

from foedus.games.virgin_queen.actions import left_to_spend, spend
from foedus.games.virgin_queen.alliances import is_friendly
from foedus.games.virgin_queen.battle import (
    ORDER_OF_LOSSES,
    begin_battle,
    fate_of_leaders,
    formation,
    go_home,
)
from foedus.games.virgin_queen.cards import open_response
from foedus.games.virgin_queen.commands import Deploy, Intercept, Move, MoveOn
from foedus.games.virgin_queen.events import (
    LeaderCaptured,
    SiegeEnded,
    UnitsChanged,
    UnitsMoved,
)
from foedus.games.virgin_queen.frames import Deploying, GoingOn, Moving, Spending
from foedus.games.virgin_queen.ground import (
    Formation,
    army_leaders,
    decides,
    enemies_in,
    entering,
    formations,
    friendly_path,
    hostile,
    is_outside,
    known,
    move_cost,
    other_units,
    same_side,
    side_units,
    stacks,
    standing,
    units_in,
    whole,
)
from foedus.games.virgin_queen.placing import home_of
from foedus.games.virgin_queen.powers import side_of
from foedus.games.virgin_queen.reactions import ask_interceptions, ask_to_avoid, ask_to_withdraw
from foedus.games.virgin_queen.sieges import begin_siege, check_sieges
from foedus.games.virgin_queen.state import EVERY, State, kept
from foedus.kernel.flow import Action, Decision, Flow, Group, Kept, carries_out
from foedus.kernel.rules import Facts, effect, facts, forbids
from foedus.kernel.unknown import NONE
from foedus.kernel.values import Command, bits

LISTED: Final = 150
"""How many moves at most are listed at once; others may be typed."""


# moving


@forbids("f12.1", act=Move)
def to_a_space_beside(state: State, act: Move) -> Facts | None:
    """To an adjacent space, for 1 CP, or 2 CP over a mountain pass, in one's own impulse."""
    cost = move_cost(state, act.start, act.to)
    if cost is None:
        return facts(power=act.power, space=act.to)
    if not state.frames or state.sketched:
        return None
    left = left_to_spend(state, act.power)
    if left == NONE:
        return facts(variant="move_now", power=act.power)
    return facts(variant="cp", power=act.power, space=act.to, count=cost) if left < cost else None


@forbids("f14.4", act=(Move, Deploy))
def not_out_of_a_siege(state: State, act: Move | Deploy) -> Facts | None:
    """Who is besieged stays inside until the siege is broken."""
    if is_outside(state, act.power, act.start):
        return None
    return facts(variant="inside", power=act.power, space=act.start)


@forbids("f14.1", act=(Move, Intercept))
def enough_stay_before_the_walls(state: State, act: Move | Intercept) -> Facts | None:
    """Part of a besieger may leave only if more units stay than there are defenders."""
    besieger = state.besieged_by[act.start]
    if besieger < 0 or not same_side(state, act.power, besieger) or not known(state, act.start):
        return None
    stay = side_units(state, act.start, act.power) - act.regulars - act.mercenaries - act.cavalry
    if stay <= 0 or stay > other_units(state, act.start, act.power):
        return None
    return facts(variant="leave", power=act.power, space=act.start)


def entail_move(state: State, command: Move) -> Iterable[tuple[State, Command]]:
    """Moving, entering the space, and fighting a besieger who stands there."""
    yield state, command
    yield from entering(state, command.power, command.to)


@carries_out(Move)
def move(action: Action, command: Move) -> None:
    """The formation sets out; its points are paid, whatever comes of it."""
    state: State = action.state
    state.forces(command.start)
    if state.frames and isinstance(state.frames[-1], Spending):
        spend(action, move_cost(state, command.start, command.to) or 0)
    units = (command.regulars, command.mercenaries, command.cavalry)
    action.push(Moving(command.power, command.start, command.to, *units, command.leaders))


def _awaits(state: State, frame: Moving) -> tuple[Decision, ...]:
    return ()


def _candidates(state: State, frame: Moving, seat: int) -> Iterable[Group]:
    return ()


def _proceed(action: Action, frame: Moving) -> None:
    state: State = action.state
    if frame.stage == 0:
        action.change(stage=1)
        if not state.sketched:
            open_response(action, frame.power, _command(frame))
    elif frame.stage == 1:
        if frame.spoiled:
            action.pop()
            return
        state.forces(frame.to)
        action.change(stage=2)
        ask_interceptions(action, action.state.frames[-1])
    elif frame.stage == 2:
        units = (frame.regulars, frame.mercenaries, frame.cavalry)
        action.emit(UnitsMoved(frame.power, frame.start, frame.to, *units, frame.leaders, "f12.1"))
        action.change(stage=5 if frame.intercepted else 3)
    elif frame.stage == 3:
        if not ask_to_avoid(action, frame):
            action.change(stage=4)
    elif frame.stage == 4:
        action.change(stage=5)
        ask_to_withdraw(action, action.state.frames[-1])
    elif frame.stage == 5:
        action.change(stage=6)
        powers = formation(state, frame.power, frame.to)
        if units_in(state, frame.to, powers):
            units = (frame.regulars, frame.mercenaries, frame.cavalry)
            begin_battle(action, frame.power, powers, frame.to, frame.start, units, frame.leaders)
    else:
        _afterwards(action, frame)


MOVING = Flow(Moving, _awaits, _candidates, _proceed)


def _command(frame: Moving) -> Move:
    return Move(frame.power, frame.start, frame.to, frame.regulars, frame.mercenaries, frame.cavalry, frame.leaders)


def _afterwards(action: Action, frame: Moving) -> None:
    """The formation besieges, or goes on if enemies are inside that it does not outnumber; other sieges may be over."""
    action.pop()
    units = frame.regulars + frame.mercenaries + frame.cavalry
    if not frame.beaten and units:
        _take_stray_leaders(action, frame.power, frame.to)
        began = begin_siege(action, frame.power, frame.to)
        state: State = action.state
        besieger = state.besieged_by[frame.to]
        if not began and (besieger < 0 or not same_side(state, besieger, frame.power)):
            if enemies_in(state, frame.power, frame.to) and not _relieved(state, frame):
                _go_on(action, frame)
    check_sieges(action)


def _relieved(state: State, frame: Moving) -> bool:
    """Has the formation come into a besieged space that is its friends'?"""
    return state.besieged_by[frame.to] >= 0


def _go_on(action: Action, frame: Moving) -> None:
    units = (frame.regulars, frame.mercenaries, frame.cavalry)
    action.push(GoingOn(frame.power, frame.to, frame.start, *units, frame.leaders))


def _take_stray_leaders(action: Action, power: int, space: int) -> None:
    """Enemy leaders without land units in an open space that a formation enters are captured (facts 13.4)."""
    state: State = action.state
    if state.world.fortified >> space & 1:
        return
    for other in standing(state, space):
        if hostile(state, power, other) and not units_in(state, space, (other,)):
            for leader in army_leaders(state, space, other):
                if fate_of_leaders(state) == "captured":
                    action.emit(LeaderCaptured(leader, state.acting(power)))
                else:
                    go_home(action, leader, "f13.4")


# going on, or falling back


def _points(state: State) -> int:
    """The command points left below a formation that goes on."""
    return next((one.left for one in reversed(state.frames) if isinstance(one, Spending)), 0)


@forbids("f12.1", act=MoveOn)
def on_or_back(state: State, act: MoveOn) -> Facts | None:
    """Back where it came from, or on to an adjacent space for the points that a move there costs."""
    frame = state.frames[-1] if state.frames else None
    if not isinstance(frame, GoingOn) or frame.power != act.power:
        return facts(variant="move_now", power=act.power)
    if act.to == frame.came:
        return None
    cost = move_cost(state, frame.space, act.to)
    if cost is None:
        return facts(power=act.power, space=act.to)
    return facts(variant="cp", power=act.power, space=act.to, count=cost) if _points(state) < cost else None


def entail_move_on(state: State, command: MoveOn) -> Iterable[tuple[State, Command]]:
    """Going on entails entering the next space; falling back nothing."""
    yield state, command
    frame = state.frames[-1] if state.frames else None
    if isinstance(frame, GoingOn) and command.to != frame.came:
        yield from entering(state, command.power, command.to)


@carries_out(MoveOn)
def move_on(action: Action, command: MoveOn) -> None:
    """The whole formation moves again, or goes back."""
    frame: GoingOn = action.state.frames[-1]
    action.pop()
    units = (frame.regulars, frame.mercenaries, frame.cavalry)
    if command.to == frame.came:
        action.emit(UnitsMoved(frame.power, frame.space, frame.came, *units, frame.leaders, "f12.4"))
        check_sieges(action)
        return
    spend(action, move_cost(action.state, frame.space, command.to) or 0)
    action.push(Moving(frame.power, frame.space, command.to, *units, frame.leaders))


def _going_awaits(state: State, frame: GoingOn) -> tuple[Decision, ...]:
    told = facts(power=frame.power, space=frame.space, came=frame.came, left=_points(state))
    return (Decision(decides(state, frame.power), frame.power, "go_on", "f12.4", told),)


def _going_candidates(state: State, frame: GoingOn, seat: int) -> Iterable[Group]:
    if decides(state, frame.power) == seat:
        ways = [to for to in bits(state.world.board.adjacent[frame.space]) if to != frame.came]
        yield MoveOn, frame.power, [MoveOn(frame.power, to) for to in (frame.came, *ways)]


def _going_proceed(action: Action, frame: GoingOn) -> None:
    raise AssertionError("who goes on is awaited until he says where")


GOING_ON = Flow(GoingOn, _going_awaits, _going_candidates, _going_proceed)


# lists


def candidates(state: State, power: int, left: int) -> Iterable[Kept]:
    """The moves that are listed for a great power and the minor ones that serve it, with so many points left.

    From each space where they have units to each beside it that can be paid for: as many units as may go with all
    leaders there, then, as far as the list has room, as many without leaders, half of them, and one. Other numbers may
    be typed, and are judged alike.
    """
    ways, here = _ways(state, left), armies(state)
    rows: list[tuple[int, int, list[Formation], list[int]]] = []
    count = 0
    for one in side_of(state, power):
        for start in stacks(state, one):
            if ways[start] and is_outside(state, one, start):
                parts = _formations(state, one, start, here.get(start, ()))
                if parts:
                    count += len(ways[start])
                    rows.append((one, start, parts, [len(ways[start])]))
    for at in range(1, 4):
        for _, start, parts, most in rows:
            if at < len(parts):
                most.append(min(len(ways[start]), max(LISTED - count, 0)))
                count += most[-1]
    ties, land, besieged = ties_of(state), state.land, state.besieged_by
    around: dict[int, tuple[Any, ...]] = kept(state, "around", (state.owner, besieged), dict)
    for one, start, parts, most in rows:
        beside = around.get(start)
        if beside is None:
            spaces = bits(state.world.board.adjacent[start])
            beside = around[start] = (besieged[start], *[(state.owner[to], besieged[to]) for to in spaces])
        walls = tuple([land[to] for to in ways[start] if besieged[to] != NONE])
        key = (ties, beside, walls, land[start], here.get(start), ways[start], *most)
        yield Kept(("move", one, start, len(ways[start])), key, _moves, (one, start, ways[start], parts, most))


def _moves(power: int, start: int, ways: tuple[int, ...], parts: list[Formation], most: list[int]) -> Iterable[Group]:
    """The moves from a space: of each formation to so many of the spaces beside it."""
    shown = zip(parts, most, strict=True)
    yield Move, power, [Move(power, start, to, *part) for part, count in shown for to in ways[:count]]


def _ways(state: State, left: int) -> tuple[tuple[int, ...], ...]:
    """From each space the spaces beside it to which so many points lead."""
    costs = state.world.tables["costs"]
    left = min(left, max(int(costs["pass"]), int(costs["move"])))
    cache = state.world.cache
    found: tuple[tuple[int, ...], ...] | None = cache.get(("ways", left))
    if found is None:
        found = tuple(
            tuple(to for to in bits(beside) if (move_cost(state, start, to) or left + 1) <= left)
            for start, beside in enumerate(state.world.board.adjacent)
        )
        cache["ways", left] = found
    return found


def _formations(state: State, power: int, space: int, here: tuple[tuple[int, int], ...]) -> list[Formation]:
    """`formations`, as long as nobody comes or goes those of the last time. `here`: the leaders that stand there."""
    cache = state.world.cache
    name, key = ("formations", power, space), (state.rulings, state.land[space], here)
    last: tuple[Any, list[Formation]] | None = cache.get(name)
    if last is None or last[0] != key:
        last = cache[name] = (key, formations(state, power, space))
    return last[1]


def armies(state: State) -> dict[int, tuple[tuple[int, int], ...]]:
    """By place the leaders that stand there and whom each serves."""

    def make() -> dict[int, tuple[tuple[int, int], ...]]:
        found: dict[int, tuple[tuple[int, int], ...]] = {}
        for leader, at in enumerate(state.leader_at):
            found[at] = (*found.get(at, ()), (leader, state.leader_holder[leader]))
        return found

    return kept(state, "armies", (state.leader_at, state.leader_holder), make)


ties_of: Final[Callable[[State], tuple[Any, ...]]] = attrgetter(
    *("rulings", "wars", "unsure_wars", "allies", "unsure", "minor_ally", "sketched")
)
"""What says who may enter whose spaces."""


# spring deployment


@forbids("f16.2", act=Deploy)
def from_the_capital_along_friendly_spaces(state: State, act: Deploy) -> Facts | None:
    """One formation from the capital along friendly spaces to a friendly one (ruling `spring_move`)."""
    frame = state.frames[-1] if state.frames else None
    if isinstance(frame, Deploying):
        if frame.waiting[:1] != (act.power,):
            return facts(variant="not_now", power=act.power)
    elif state.frames and not state.sketched:
        return facts(variant="not_now", power=act.power)
    if act.start == act.to:
        return facts(power=act.power, space=act.to)
    if state.ruling("spring_move") == "told":
        return None
    if act.start != state.world.capital[act.power]:
        return facts(variant="capital", power=act.power, space=act.start)
    if act.to not in _goals(state, act.power, act.start):
        return facts(power=act.power, space=act.to)
    return None


def _goals(state: State, power: int, start: int) -> dict[int, int]:
    """The spaces to which friendly ones lead in spring, and how far each is."""
    read = (*ties_of(state), state.owner, state.land)
    return kept(
        state, f"spring {power} {start}", read, lambda: friendly_path(state, power, start, lambda at: True, "spring")
    )


@carries_out(Deploy)
def deploy(action: Action, command: Deploy) -> None:
    """The formation is there; the next power deploys."""
    action.state.forces(command.start)
    units = (command.regulars, command.mercenaries, command.cavalry)
    action.emit(UnitsMoved(command.power, command.start, command.to, *units, command.leaders, "f16.2"))
    frame = action.state.frames[-1] if action.state.frames else None
    if isinstance(frame, Deploying):
        action.change(waiting=frame.waiting[1:])


def deploy_candidates(state: State, power: int) -> Iterable[Group]:
    """The deployments that are listed for a power; others may be typed, as with moves."""
    capital = state.world.capital[power]
    if capital == NONE:
        return
    parts = formations(state, power, capital)
    goals = _goals(state, power, capital)
    found = [Deploy(power, capital, to, *units) for units in parts for to in goals]
    yield Deploy, power, found[:LISTED]


# winter


@effect("f16.3", otherwise=False)
def units_go_home(state: State) -> bool:
    """In winter units in the field go to fortified friendly spaces, or to the capital."""
    return True


def winter(action: Action) -> None:
    """All sieges end; units in the field go to the nearest fortified friendly space along friendly ones.

    Who can reach none loses half his units, rounded up (ruling `winter_attrition`), mercenaries first; the rest goes to
    the capital or the nearest space of its own. Leaders go with their units, or home. Of spaces equally near it is the
    first by the board. To be called when alliances have ended.
    """
    if not units_go_home(action.state):
        return
    for space, besieger in enumerate(action.state.besieged_by):
        if besieger >= 0:
            action.emit(SiegeEnded(space, "f16.3"))
    state: State = action.state
    leaving = [
        (power, space, _way_home(state, power, space))
        for power in EVERY
        for space in stacks(state, power)
        if not _winters(state, power, space)
    ]
    units = {(power, space): whole(state, power, space) for power, space, _ in leaving}
    for power, space, to in leaving:
        _send_home(action, power, space, to, units[power, space])
    for leader, card in enumerate(state.world.leaders):
        at = action.state.leader_at[leader]
        if card.army and 0 <= at < state.world.spaces:
            power = action.state.leader_holder[leader]
            if not _winters(action.state, power, at) and not units_in(action.state, at, (power,)):
                go_home(action, leader, "f16.3")


def _winters(state: State, power: int, space: int) -> bool:
    """May units of the power stay there over the winter?"""
    return bool(state.world.fortified >> space & 1) and is_friendly(state, power, space)


def _way_home(state: State, power: int, space: int) -> int:
    """The nearest fortified friendly space to which a path leads, NONE if there is none."""
    found = friendly_path(state, power, space, lambda at: _winters(state, power, at), "move")
    return min(found, key=lambda at: (found[at], at)) if found else NONE


def _send_home(action: Action, power: int, space: int, to: int, units: Formation) -> None:
    """A stack goes to its winter quarters; with no way there it loses its share first."""
    goal: int | None = to
    counts, leaders = list(units[:3]), units[3]
    if to == NONE:
        lost = _frozen(action.state, counts)
        if any(lost):
            action.emit(UnitsChanged(space, power, -lost[0], -lost[1], -lost[2], "f16.3"))
        counts = [count - gone for count, gone in zip(counts, lost, strict=True)]
        goal = home_of(action.state, power, space)
    if goal is not None:
        regulars, mercenaries, cavalry = counts
        action.emit(UnitsMoved(power, space, goal, regulars, mercenaries, cavalry, leaders, "f16.3"))


def _frozen(state: State, counts: Sequence[int]) -> list[int]:
    """What of each kind is lost: half the units, rounded up, mercenaries first."""
    lost = [0, 0, 0]
    left = 0 if state.ruling("winter_attrition") == "none" else (sum(counts) + 1) // 2
    for kind in ORDER_OF_LOSSES:
        lost[kind] = min(left, counts[kind])
        left -= lost[kind]
    return lost
