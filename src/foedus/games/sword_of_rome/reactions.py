"""Interception, avoiding battle, and who may do either (10, 11)."""

from __future__ import annotations

from collections.abc import Iterable

from foedus.games.sword_of_rome.alliances import is_friendly
from foedus.games.sword_of_rome.battle import fight
from foedus.games.sword_of_rome.commands import (
    AvoidBattle,
    EndElsewhere,
    GoInside,
    Intercept,
    StayPut,
)
from foedus.games.sword_of_rome.events import Avoided, Intercepted, LeaderMoved, PromiseMarked, UnitsMoved
from foedus.games.sword_of_rome.frames import Attacked, Hindering, Interceptions, Marching
from foedus.games.sword_of_rome.ground import CLEAR, enemy_outside, known_absent, way_kind
from foedus.games.sword_of_rome.leaders import best_leader, tactics
from foedus.games.sword_of_rome.neutrals import (
    asked,
    end_passing_alliance,
    lasts_through_the_battle,
    must_name,
    names_for,
    seat_deciding,
)
from foedus.games.sword_of_rome.powers import power_rank
from foedus.games.sword_of_rome.sieges import check_siege
from foedus.games.sword_of_rome.state import CAR, CITY, IND, State, still_allowed
from foedus.kernel.flow import Action, Decision, Flow, Group, carries_out
from foedus.kernel.rules import Facts, facts, forbids
from foedus.kernel.unknown import NONE
from foedus.kernel.values import bits

# 10 interception


@forbids("f10.1", act=Intercept)
def only_an_army_beside(state: State, act: Intercept) -> Facts | None:
    """An army (leader and CU outside) in a space beside the one that is entered, over a clear way."""
    if act.start == NONE:
        return None
    if way_kind(state, act.power, act.start, act.space) != CLEAR:
        return facts(variant="way", power=act.power, start=act.start, space=act.space)
    if not state.known_troops(act.start):
        return None
    if not state.force(act.power, act.start).outside or best_leader(state, act.power, act.start) == NONE:
        return facts(variant="no_army", power=act.power, start=act.start)
    return None


@forbids("f10.1", act=Intercept, wide=False)
def only_while_it_is_asked(state: State, act: Intercept) -> Facts | None:
    """In play: when an army enters the space and this power is asked."""
    frame = state.frames[-1] if state.frames else None
    if isinstance(frame, Interceptions):
        asked_now = frame.missing() >> act.power & 1 and (frame.target, frame.space) == (act.target, act.space)
        if asked_now and (act.start != NONE or state.sketched):
            return None
        return facts(variant="not_now", power=act.power)
    return None if state.sketched else facts(variant="not_now", power=act.power)


def _open_city_of_a_friend(state: State, act: Intercept, inside: int) -> bool:
    """Are those inside a city friends of the moving army, and not besieged? Whom it comes to besiege does not count."""
    return state.are_allied(act.target, inside) and state.besieger(act.space) == NONE


@forbids("f15.30", act=Intercept)
def not_where_others_stand(state: State, act: Intercept) -> Facts | None:
    """Facts 15.30: not into a space that holds CU of an ally or an enemy (besieged ones do not count)."""
    if not state.known_troops(act.space):
        return None
    for force in state.troops(act.space):
        if force.power in (act.power, act.target):
            continue
        if not force.outside and not _open_city_of_a_friend(state, act, force.power):
            continue
        if state.are_allied(act.power, force.power):
            return facts(variant="ally", power=act.power, ally=force.power, space=act.space)
        return facts(power=act.power, other=force.power, space=act.space)
    return None


def entail_intercept(state: State, command: Intercept) -> Iterable[tuple[State, object]]:
    """Intercepting, and ending in the space."""
    yield state, command
    yield state, EndElsewhere(command.power, command.space, "intercept")


def interceptions(state: State, target: int, space: int) -> list[Intercept]:
    """Every interception that armies beside the space could try, by what all can see."""
    found = []
    for way in state.world.board.neighbours[space]:
        for force in state.troops(way.to):
            if force.power != target and force.outside and best_leader(state, force.power, way.to) != NONE:
                found.append(Intercept(force.power, target, space, way.to))
    return found


def ask_interceptions(action: Action, frame: Marching) -> None:
    """Powers that may intercept, by public knowledge, are asked all at once; ties of 16.1 are settled first."""
    state: State = action.state
    may = 0
    for command in interceptions(state, frame.power, frame.at):
        if may >> command.power & 1 or seat_deciding(state, command.power) == NONE:
            continue
        if way_kind(state, command.power, command.start, command.space) != CLEAR:
            continue
        if state.are_allied(command.power, command.target):
            continue
        trial = Interceptions(1 << command.power, (), frame.power, frame.at, frame.came, frame.count)
        at = _with_frame(state, trial)
        if all(still_allowed(one, act) for one, act in entail_intercept(at, command)):
            may |= 1 << command.power
    if may:
        action.push(Interceptions(may, (), frame.power, frame.at, frame.came, frame.count))


def _with_frame(state: State, frame: Interceptions) -> State:
    from msgspec.structs import replace

    return replace(state, frames=(*state.frames, frame))


def _window_awaits(state: State, frame: Interceptions) -> tuple[Decision, ...]:
    return tuple(
        decision
        for power in bits(frame.missing())
        for decision in asked(
            state, power, "intercept", "f10.1", facts(power=power, target=frame.target, space=frame.space)
        )
    )


def window_names(state: State, seat: int) -> Iterable[Group]:
    """While powers are asked for interceptions: the names that the winner of a tie must give first (4.4)."""
    frame = state.frames[-1] if state.frames else None
    if not isinstance(frame, Interceptions):
        return
    for power in bits(frame.missing()):
        yield from names_for(state, power, seat)


def _window_candidates(state: State, frame: Interceptions, seat: int) -> Iterable[Group]:
    for power in bits(frame.missing()):
        if seat_deciding(state, power) != seat:
            continue
        if must_name(state, power):
            continue  # the name is given beside the flow: it is no sealed answer
        commands = [c for c in interceptions(state, frame.target, frame.space) if c.power == power]
        yield Intercept, power, commands
        yield StayPut, power, (StayPut(power),)


def _window_proceed(action: Action, frame: Interceptions) -> None:
    """All have answered: one power intercepts, the first by 4.4; each army rolls once."""
    action.pop()
    tries = [answer.command for answer in frame.answers if isinstance(answer.command, Intercept)]
    if not tries:
        return
    power = min({command.power for command in tries}, key=power_rank)
    for command in tries:
        if command.power == power and _try_interception(action, frame, command):
            return


def _try_interception(action: Action, frame: Interceptions, command: Intercept) -> bool:
    state: State = action.state
    power, start, space = command.power, command.start, command.space
    leader = best_leader(state, power, start)
    _mark_promises(action, power, command.target)
    (die,) = action.roll("interception", 1)
    owner = state.owner_of(space)
    if not is_friendly(state, power, space) and owner != IND and known_absent(state, power, space):
        die += 1
    success = die <= tactics(state, leader)
    action.emit(Intercepted(power, command.target, space, start, success))
    if not success:
        return False
    most = int(state.world.tables["movement"]["army"])
    action.emit(UnitsMoved(power, start, space, min(most, state.force(power, start).outside)))
    action.emit(LeaderMoved(leader, space))
    check_siege(action, start)
    march: Marching = action.state.frames[-1]
    action.change(stage=0, fought=True)
    action.push(
        Attacked(power, march.power, space, march.came, march.count, march.leader, intercepted=True, answered=True)
    )
    return True


def _mark_promises(action: Action, power: int, target: int) -> None:
    for promise in action.state.promises:
        if promise.by == power and promise.to == target and promise.kept == "open":
            action.emit(PromiseMarked(power, target, promise.text, "broken"))


WINDOW = Flow(Interceptions, _window_awaits, _window_candidates, _window_proceed)


@forbids("f10.1", act=StayPut)
def only_who_is_asked_stays(state: State, act: StayPut) -> Facts | None:
    """Somebody must ask."""
    frame = state.frames[-1] if state.frames else None
    if isinstance(frame, Interceptions) and frame.missing() >> act.power & 1:
        return None
    if isinstance(frame, Attacked) and frame.power == act.power and not frame.answered:
        return None
    if isinstance(frame, Hindering) and act.power == CAR and not frame.answered:
        return None
    return facts(variant="not_now", power=act.power)


@carries_out(StayPut)
def stay(action: Action, command: StayPut) -> None:
    """The army stands and fights."""
    action.change(answered=True)


@carries_out(Intercept)
def intercept(action: Action, command: Intercept) -> None:
    """On a sketch: the attempt is noted; the die decides."""
    _mark_promises(action, command.power, command.target)
    leader = best_leader(action.state, command.power, command.start) if command.start != NONE else NONE
    (die,) = action.roll("interception", 1)
    success = die <= tactics(action.state, leader)
    action.emit(Intercepted(command.power, command.target, command.space, command.start, success))


# 11 avoiding battle


@forbids("f11.1", act=AvoidBattle)
def when_battle_is_avoided(state: State, act: AvoidBattle) -> Facts | None:
    """An army with a leader that is attacked and has not tried yet."""
    frame = state.frames[-1] if state.frames else None
    if isinstance(frame, Attacked):
        if frame.power != act.power or frame.space != act.start:
            return facts(variant="not_attacked", power=act.power, start=act.start)
        if frame.answered or frame.tried:
            return facts(variant="answered", power=act.power, start=act.start)
    elif not state.sketched:
        return facts(variant="not_attacked", power=act.power, start=act.start)
    if state.known_troops(act.start):
        if best_leader(state, act.power, act.start) == NONE:
            return facts(variant="no_leader", power=act.power, start=act.start)
        if state.force(act.power, act.start).outside > int(state.world.tables["movement"]["army"]):
            return facts(variant="large", power=act.power, start=act.start)
    return None


@forbids("f11.2", act=AvoidBattle)
def where_battle_is_avoided_to(state: State, act: AvoidBattle) -> Facts | None:
    """A space beside, over a clear way, with no enemy CU, marker, city or tribe in it."""
    frame = state.frames[-1] if state.frames else None
    came = frame.came if isinstance(frame, Attacked) else NONE
    if act.to == came:
        return facts(variant="came", power=act.power, to_space=act.to)
    if enemy_outside(state, act.power, act.to) != NONE:
        return facts(variant="units", power=act.power, to_space=act.to)
    owner = state.owner_of(act.to)
    hostile = owner != IND and not is_friendly(state, act.power, act.to)
    if hostile or (owner == IND and state.world.kinds[act.to] in (CITY, "tribe")):
        return facts(variant="hostile", power=act.power, to_space=act.to, owner=owner)
    return None


@forbids("f15.31", act=AvoidBattle)
def past_an_ally_only_if_one_must(state: State, act: AvoidBattle) -> Facts | None:
    """Beside, or through an ally-occupied space when no other way is open (facts 15.31)."""
    if act.to in _beside(state, act.power, act.start):
        return None
    if act.to not in _beyond_allies(state, act.power, act.start):
        return facts(variant="far", power=act.power, start=act.start, to_space=act.to)
    if not open_spaces(state, act.power, act.start):
        return None
    return facts(power=act.power, start=act.start, to_space=act.to)


def _beside(state: State, power: int, start: int) -> tuple[int, ...]:
    ways = state.world.board.neighbours[start]
    return tuple(way.to for way in ways if way_kind(state, power, start, way.to) == CLEAR)


def _occupied_by_ally(state: State, power: int, space: int) -> bool:
    return any(force.power != power and state.are_allied(power, force.power) for force in state.troops(space))


def open_spaces(state: State, power: int, start: int) -> tuple[int, ...]:
    """The spaces beside to which an army may slip away without passing an ally."""
    frame = state.frames[-1] if state.frames else None
    came = frame.came if isinstance(frame, Attacked) else NONE
    found = []
    for space in _beside(state, power, start):
        owner = state.owner_of(space)
        empty = owner == IND and state.world.kinds[space] not in (CITY, "tribe")
        if space == came or _occupied_by_ally(state, power, space):
            continue
        if enemy_outside(state, power, space) == NONE and (empty or is_friendly(state, power, space)):
            found.append(space)
    return tuple(found)


def _beyond_allies(state: State, power: int, start: int) -> tuple[int, ...]:
    most = int(state.world.tables["movement"]["retreat"])
    found: list[int] = []
    edge, seen = [start], {start}
    for _ in range(most):
        after = []
        for here in edge:
            for space in _beside(state, power, here):
                if space in seen:
                    continue
                seen.add(space)
                if _occupied_by_ally(state, power, space):
                    after.append(space)
                elif here != start:
                    found.append(space)
        edge = after
    return tuple(found)


def entail_avoid(state: State, command: AvoidBattle) -> Iterable[tuple[State, object]]:
    """Slipping away, and ending in the other space."""
    yield state, command
    yield state, EndElsewhere(command.power, command.to, "avoid")


@carries_out(AvoidBattle)
def avoid(action: Action, command: AvoidBattle) -> None:
    """A roll of the leader's tactics or less; else the defender fights with -1."""
    state: State = action.state
    power, start, to = command.power, command.start, command.to
    leader = best_leader(state, power, start)
    (die,) = action.roll("avoiding battle", 1)
    success = die <= tactics(state, leader)
    action.emit(Avoided(power, start, to, success))
    if success:
        action.emit(UnitsMoved(power, start, to, state.force(power, start).outside))
        for one in state.leaders_in(start, power):
            if not state.leader_inside >> one & 1:
                action.emit(LeaderMoved(one, to))
        check_siege(action, start)
    frames = action.state.frames
    if frames and isinstance(frames[-1], Attacked):
        action.change(tried=not success, answered=True)


def _attacked_awaits(state: State, frame: Attacked) -> tuple[Decision, ...]:
    if frame.answered:
        return ()
    why = facts(power=frame.power, attacker=frame.attacker, space=frame.space)
    return asked(state, frame.power, "stand", "f11.1", why)


def _attacked_candidates(state: State, frame: Attacked, seat: int) -> Iterable[Group]:
    if frame.answered or seat_deciding(state, frame.power) != seat:
        return
    power, space = frame.power, frame.space
    if must_name(state, power):
        yield from names_for(state, power, seat)
        return
    places = dict.fromkeys((*_beside(state, power, space), *_beyond_allies(state, power, space)))
    yield AvoidBattle, power, [AvoidBattle(power, space, to) for to in places]
    yield GoInside, power, [GoInside(power, space, count) for count in (1, 2, 3)]
    yield StayPut, power, (StayPut(power),)


def _attacked_proceed(action: Action, frame: Attacked) -> None:
    action.pop()
    state: State = action.state
    if state.force(frame.power, frame.space).outside and state.force(frame.attacker, frame.space).outside:
        if not lasts_through_the_battle(state):
            end_passing_alliance(action, frame.attacker)
        fight(action, frame)
    elif state.frames and isinstance(state.frames[-1], Marching):
        action.change(fought=False, halted=True)


ATTACKED = Flow(Attacked, _attacked_awaits, _attacked_candidates, _attacked_proceed)
