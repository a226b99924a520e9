"""Interception, avoiding battle, and who may do either (10, 11)."""

from __future__ import annotations

from collections.abc import Iterable

from foedus.games.sword_of_rome.alliances import is_friendly, may_pass
from foedus.games.sword_of_rome.battle import fight
from foedus.games.sword_of_rome.commands import (
    AcceptBattle,
    AskPassage,
    AvoidBattle,
    AvoidBySea,
    ComeOut,
    EndElsewhere,
    GoInside,
    HoldFast,
    Intercept,
    LetGo,
    OrderInterception,
    PlayCard,
    RefuseBattle,
    StayPut,
)
from foedus.games.sword_of_rome.events import (
    Avoided,
    Intercepted,
    LeaderMoved,
    PromiseMarked,
    PutOutside,
    Refused,
    UnitsMoved,
)
from foedus.games.sword_of_rome.frames import (
    Attacked,
    Carrying,
    Challenged,
    Gates,
    Hindering,
    Intercepting,
    Interceptions,
    Marching,
)
from foedus.games.sword_of_rome.ground import CLEAR, enemy_outside, known_absent, march_under_way, way_kind
from foedus.games.sword_of_rome.hands import answering_cards, lay_down
from foedus.games.sword_of_rome.leaders import best_leader, commander, displace, tactics
from foedus.games.sword_of_rome.neutrals import (
    asked,
    end_passing_alliance,
    lasts_through_the_battle,
    must_name,
    names_for,
    seat_deciding,
)
from foedus.games.sword_of_rome.powers import power_rank
from foedus.games.sword_of_rome.sea import capacity, flee_by_sea, passages
from foedus.games.sword_of_rome.sieges import begin_siege, check_siege
from foedus.games.sword_of_rome.state import CAR, CITY, IND, State, still_allowed
from foedus.kernel.flow import Action, Decision, Flow, Group, carries_out
from foedus.kernel.rules import Facts, effect, facts, forbids, permits
from foedus.kernel.unknown import NONE
from foedus.kernel.values import Frame, bits

# 9.3 out of the city


@effect("f9.3", otherwise=False)
def city_is_asked_first(state: State) -> bool:
    """Before all other reactions it is said who comes out of a city and who goes inside."""
    return True


def ask_the_city(action: Action, frame: Marching) -> None:
    """An army has entered a space with an unbesieged city: its enemies who could come out or go inside are asked."""
    state: State = action.state
    space = frame.at
    if state.kinds[space] != CITY or state.besieged_by[space] >= 0 or not state.known_troops(space):
        return
    for force in reversed(state.troops(space)):
        power = force.power
        if power == frame.power or may_pass(state, frame.power, power) or not city_is_asked_first(state):
            continue
        gates = Gates(power, frame.power, space)
        if (force.inside and state.owner_of(space) == power) or _may_shelter(_with_frame(state, gates), power, space):
            action.push(gates)


def _may_shelter(state: State, power: int, space: int) -> bool:
    return bool(state.force(power, space).outside) and still_allowed(state, GoInside(power, space, 1))


def _gates_awaits(state: State, frame: Gates) -> tuple[Decision, ...]:
    if frame.answered:
        return ()
    why = facts(power=frame.power, target=frame.target, space=frame.space)
    return asked(state, frame.power, "gates", "f9.3", why)


def _gates_candidates(state: State, frame: Gates, seat: int) -> Iterable[Group]:
    power, space = frame.power, frame.space
    if frame.answered or seat_deciding(state, power) != seat:
        return
    if must_name(state, power):
        yield from names_for(state, power, seat)
        return
    yield ComeOut, power, [ComeOut(power, space, count) for count in range(1, state.force(power, space).inside + 1)]
    yield GoInside, power, [GoInside(power, space, count) for count in (1, 2, 3)]
    yield StayPut, power, (StayPut(power),)


def _gates_proceed(action: Action, frame: Gates) -> None:
    action.pop()


GATES = Flow(Gates, _gates_awaits, _gates_candidates, _gates_proceed)


@forbids("f9.3", act=ComeOut)
def who_comes_out(state: State, act: ComeOut) -> Facts | None:
    """CU that are inside, when an enemy army has come."""
    frame = state.frames[-1] if state.frames else None
    if isinstance(frame, Gates) and (frame.power, frame.space) == (act.power, act.space) and not frame.answered:
        if 1 <= act.count <= state.force(act.power, act.space).inside:
            return None
    return facts(variant="out", power=act.power, space=act.space, count=act.count)


@carries_out(ComeOut)
def come_out(action: Action, command: ComeOut) -> None:
    """The CU stand outside, with the commander, and with all leaders if nobody stays inside."""
    state: State = action.state
    power, space = command.power, command.space
    leaders = [one for one in state.leaders_in(space, power) if state.leader_inside >> one & 1]
    first = commander(state, power, space, True)
    action.emit(PutOutside(power, space, command.count, "f9.3"))
    stays = bool(action.state.force(power, space).inside)
    for leader in leaders:
        if not stays or leader == first:
            action.emit(LeaderMoved(leader, space))
    action.change(answered=True)


# 10 interception


def mustered(state: State, power: int, start: int, leader: int = NONE) -> tuple[int, int]:
    """Who would lead an interception from a space, and how many CU may go with him (0 if nobody may).

    The commander may take all, ten at the most; a subordinate leaves him at least one (facts 10.3). Troops inside a
    city may go while no enemy stands outside.
    """
    if leader == NONE:
        leader = commander(state, power, start)
        if leader == NONE or not state.force(power, start).outside:
            leader = commander(state, power, start, True)
    if leader == NONE or state.leader_at[leader] != start or state.world.leaders[leader].power != power:
        return NONE, 0
    inside = bool(state.leader_inside >> leader & 1)
    force = state.force(power, start)
    count = force.inside if inside else force.outside
    if leader != commander(state, power, start, inside) and leaves_the_commander_one(state):
        count -= 1
    return leader, max(0, min(count, int(state.world.tables["movement"]["army"])))


@effect("f10.3", otherwise=False)
def leaves_the_commander_one(state: State) -> bool:
    """A subordinate who leaves to intercept leaves the commander at least one CU."""
    return True


@forbids("f10.1", act=Intercept)
def only_an_army_beside(state: State, act: Intercept) -> Facts | None:
    """An army (leader and CU) in a space beside the one that is entered."""
    if act.start == NONE:
        return None
    if way_kind(state, act.power, act.start, act.space) == NONE:
        return facts(variant="way", power=act.power, start=act.start, space=act.space)
    if not state.known_troops(act.start):
        return None
    if mustered(state, act.power, act.start, act.leader)[0] == NONE or known_absent(state, act.power, act.start):
        return facts(variant="no_army", power=act.power, start=act.start)
    return None


@forbids("f10.2", act=Intercept)
def not_over_rough_ways_nor_out_of_a_siege(state: State, act: Intercept) -> Facts | None:
    """Not across rough ways or straits, not from inside a city with enemy CU outside, not against a flanking force."""
    if act.start != NONE:
        if way_kind(state, act.power, act.start, act.space) not in (CLEAR, NONE):
            return facts(variant="way", power=act.power, start=act.start, space=act.space)
        if state.known_troops(act.start) and enemy_outside(state, act.power, act.start) != NONE:
            leader = mustered(state, act.power, act.start, act.leader)[0]
            if leader != NONE and state.leader_inside >> leader & 1:
                return facts(variant="besieged", power=act.power, start=act.start)
    march = march_under_way(state)
    if march is not None and march.flanking != NONE and state.force(act.power, march.flanking).outside:
        return facts(variant="flank", power=act.power)
    return None


@forbids("f10.3", act=Intercept)
def how_many_intercept(state: State, act: Intercept) -> Facts | None:
    """Part of an army may go; a subordinate leaves the commander one CU; one attempt from each space."""
    if act.start == NONE:
        return None
    frame = state.frames[-1] if state.frames else None
    if isinstance(frame, Intercepting) and any(one[:2] == (act.power, act.start) for one in frame.declared):
        return facts(variant="twice", power=act.power, start=act.start)
    if not state.known_troops(act.start):
        return None
    leader, most = mustered(state, act.power, act.start, act.leader)
    if leader == NONE:
        return None
    if not most:
        if leader == commander(state, act.power, act.start, bool(state.leader_inside >> leader & 1)):
            return None
        return facts(variant="commander", power=act.power, leader=leader, start=act.start)
    return facts(variant="count", power=act.power, start=act.start, count=most) if act.count > most else None


@forbids("f10.1", act=Intercept, wide=False)
def only_while_it_is_asked(state: State, act: Intercept) -> Facts | None:
    """In play: when an army enters the space and this power is asked."""
    frame = state.frames[-1] if state.frames else None
    if isinstance(frame, (Interceptions, Intercepting)):
        if isinstance(frame, Interceptions):
            now = bool(frame.missing() >> act.power & 1)
        else:
            now = frame.trying == act.power and not frame.ready
        if now and (frame.target, frame.space) == (act.target, act.space) and (act.start != NONE or state.sketched):
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
    march = march_under_way(state)
    moving = march.count if march is not None and march.at == act.space and march.power == act.target else None
    for force in state.troops(act.space):
        if force.power == act.power:
            continue
        if force.power == act.target and (moving is None or force.outside <= moving):
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


def interceptions(state: State, target: int, space: int, power: int = NONE) -> list[Intercept]:
    """Every interception that armies beside the space could try, by what all can see: whole armies and parts."""
    found = []
    for way in state.world.board.neighbours[space]:
        for force in state.troops(way.to):
            if force.power == target or power not in (NONE, force.power):
                continue
            first, most = mustered(state, force.power, way.to)
            if first == NONE or not most:
                continue
            found.append(Intercept(force.power, target, space, way.to))
            if power == NONE:
                continue
            found += [Intercept(power, target, space, way.to, NONE, count) for count in range(most - 1, 0, -1)]
            for leader in state.leaders_in(way.to, power):
                most = mustered(state, power, way.to, leader)[1] if leader != first else 0
                if most:
                    found.append(Intercept(power, target, space, way.to, leader))
                    parts = range(most - 1, 0, -1)
                    found += [Intercept(power, target, space, way.to, leader, count) for count in parts]
    return found


@effect("f9.6", otherwise=False)
def flank_may_be_intercepted(state: State) -> bool:
    """The flanking force may be intercepted on its way, though not by the engaged enemy (facts 10.2)."""
    return True


def ask_interceptions(action: Action, frame: Marching) -> None:
    """Powers that may intercept, by public knowledge, are asked all at once; ties of 16.1 are settled first."""
    state: State = action.state
    if frame.flanking != NONE and not flank_may_be_intercepted(state):
        return
    may = 0
    for command in interceptions(state, frame.power, frame.at):
        if may >> command.power & 1 or seat_deciding(state, command.power) == NONE:
            continue
        if way_kind(state, command.power, command.start, command.space) != CLEAR:
            continue
        if state.are_allied(command.power, command.target):
            continue
        trial = Interceptions(1 << command.power, (), frame.power, frame.at, frame.came, frame.count)
        if _may_intercept(_with_frame(state, trial), command):
            may |= 1 << command.power
    if may:
        action.push(Interceptions(may, (), frame.power, frame.at, frame.came, frame.count))


def _may_intercept(state: State, command: Intercept) -> bool:
    return all(still_allowed(one, act) for one, act in entail_intercept(state, command))


def _with_frame(state: State, frame: Frame) -> State:
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
        yield Intercept, power, interceptions(state, frame.target, frame.space, power)
        yield StayPut, power, (StayPut(power),)


def _window_proceed(action: Action, frame: Interceptions) -> None:
    """All have answered: the armies declared are known; one power tries, by the order of the winner of the tie."""
    action.pop()
    tries = [answer.command for answer in frame.answers if isinstance(answer.command, Intercept)]
    if tries:
        declared = tuple(_declared(action.state, command) for command in tries)
        action.push(Intercepting(frame.target, frame.space, frame.came, frame.count, declared))


def _declared(state: State, command: Intercept) -> tuple[int, int, int, int]:
    leader, most = mustered(state, command.power, command.start, command.leader)
    return command.power, command.start, leader, min(command.count or most, most)


def _rivals(frame: Intercepting) -> tuple[int, ...]:
    """The powers that would intercept, the winner of the tie (4.4) first."""
    return tuple(sorted({one[0] for one in frame.declared}, key=power_rank))


def _more(state: State, frame: Intercepting) -> list[Intercept]:
    """The further armies that the power which tries could declare."""
    taken = {one[1] for one in frame.declared if one[0] == frame.trying}
    every = interceptions(state, frame.target, frame.space, frame.trying)
    return [one for one in every if one.start not in taken and _may_intercept(state, one)]


@effect("f10.3", otherwise=False)
def winner_of_the_tie_orders(state: State) -> bool:
    """The winner of the tie by 4.4 says which of the competing powers tries first."""
    return True


def _intercepting_awaits(state: State, frame: Intercepting) -> tuple[Decision, ...]:
    rivals = _rivals(frame)
    if frame.trying == NONE:
        if len(rivals) < 2 or not winner_of_the_tie_orders(state):
            return ()
        return asked(state, rivals[0], "order_interception", "f10.3", facts(power=rivals[0], others=rivals))
    if frame.ready or not _more(state, frame):
        return ()
    why = facts(power=frame.trying, target=frame.target, space=frame.space)
    return asked(state, frame.trying, "more_interceptions", "f10.3", why)


def _intercepting_candidates(state: State, frame: Intercepting, seat: int) -> Iterable[Group]:
    rivals = _rivals(frame)
    power = rivals[0] if frame.trying == NONE else frame.trying
    if seat_deciding(state, power) != seat:
        return
    if must_name(state, power):
        yield from names_for(state, power, seat)
        return
    if frame.trying == NONE:
        yield OrderInterception, power, [OrderInterception(power, one) for one in rivals]
    elif not frame.ready:
        yield Intercept, power, _more(state, frame)
        yield StayPut, power, (StayPut(power),)


def _intercepting_proceed(action: Action, frame: Intercepting) -> None:
    """The armies of one power roll; if any comes through, the others have no turn."""
    if not frame.declared:
        action.pop()
    elif frame.trying == NONE:
        action.change(trying=_rivals(frame)[0])
    elif not frame.ready:
        action.change(ready=True)
    else:
        action.pop()
        came = [one for one in frame.declared if one[0] == frame.trying and _try_interception(action, frame, one)]
        if came:
            march: Marching = action.state.frames[-1]
            action.change(stage=0, fought=True)
            action.push(Challenged(march.power, frame.trying, frame.space, march.came))
            return
        left = tuple(one for one in frame.declared if one[0] != frame.trying)
        if left:
            action.push(Intercepting(frame.target, frame.space, frame.came, frame.count, left))


INTERCEPTING = Flow(Intercepting, _intercepting_awaits, _intercepting_candidates, _intercepting_proceed)


@forbids("f10.3", act=OrderInterception)
def only_the_winner_of_the_tie_orders(state: State, act: OrderInterception) -> Facts | None:
    """The winner of the tie, of those who have declared an interception."""
    frame = state.frames[-1] if state.frames else None
    if isinstance(frame, Intercepting) and frame.trying == NONE:
        rivals = _rivals(frame)
        if act.power == rivals[0] and act.first in rivals:
            return None
    return facts(variant="order", power=act.power)


@carries_out(OrderInterception)
def order_interception(action: Action, command: OrderInterception) -> None:
    """That power tries first."""
    action.change(trying=command.first)


@effect("f10.3", otherwise=0)
def worse_on_enemy_ground(state: State, power: int, space: int) -> int:
    """One is added to the die if the enemy controls the space and none of one's CU is there (facts 15.38)."""
    if state.owner_of(space) == IND and state.ruling("interception_on_independent_ground") == "free":
        return 0
    return 1 if not is_friendly(state, power, space) and known_absent(state, power, space) else 0


def _try_interception(action: Action, frame: Intercepting, declared: tuple[int, int, int, int]) -> bool:
    state: State = action.state
    power, start, leader, count = declared
    space, target = frame.space, frame.target
    _mark_promises(action, power, target)
    (die,) = action.roll("interception", 1)
    die += worse_on_enemy_ground(state, power, space)
    success = die <= tactics(state, leader)
    action.emit(Intercepted(power, target, space, start, success))
    if not success:
        march: Marching = action.state.frames[-1]
        action.change(failed=march.failed | 1 << leader)
        return False
    inside = bool(state.leader_inside >> leader & 1)
    if inside:
        action.emit(PutOutside(power, start, count, "f10.1"))
    group = [one for one in state.leaders_in(start, power) if bool(state.leader_inside >> one & 1) == inside]
    action.emit(UnitsMoved(power, start, space, count))
    left = action.state.force(power, start)
    if left.inside if inside else left.outside:
        group = [leader]  # those who stay have CU with them
    for one in group:
        action.emit(LeaderMoved(one, space))
    check_siege(action, start)
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
    if isinstance(frame, Intercepting) and frame.trying == act.power and not frame.ready:
        return None
    if isinstance(frame, Gates) and frame.power == act.power and not frame.answered:
        return None
    if isinstance(frame, Attacked) and frame.power == act.power and not frame.answered and frame.away == NONE:
        return None
    if isinstance(frame, (Hindering, Carrying)) and act.power == CAR and not frame.answered:
        return None
    return facts(variant="not_now", power=act.power)


@carries_out(StayPut)
def stay(action: Action, command: StayPut) -> None:
    """The army stands and fights, or no more armies are declared."""
    if isinstance(action.state.frames[-1], Intercepting):
        action.change(ready=True)
    else:
        action.change(answered=True)


@carries_out(Intercept)
def intercept(action: Action, command: Intercept) -> None:
    """One more army of the power that tries; on a sketch the attempt is noted, and the die decides."""
    frame = action.state.frames[-1] if action.state.frames else None
    if isinstance(frame, Intercepting):
        action.change(declared=(*frame.declared, _declared(action.state, command)))
        return
    _mark_promises(action, command.power, command.target)
    leader = best_leader(action.state, command.power, command.start) if command.start != NONE else NONE
    (die,) = action.roll("interception", 1)
    success = die <= tactics(action.state, leader)
    action.emit(Intercepted(command.power, command.target, command.space, command.start, success))


# 10.4 refusing


def _can_refuse(state: State, frame: Challenged) -> bool:
    if frame.came == NONE:
        return False
    return still_allowed(state, EndElsewhere(frame.power, frame.came, "refuse"))


def _challenged_awaits(state: State, frame: Challenged) -> tuple[Decision, ...]:
    if frame.stage == 0 and _can_refuse(state, frame):
        why = facts(power=frame.power, other=frame.interceptor, space=frame.space)
        return asked(state, frame.power, "refuse", "f10.4", why)
    if frame.stage == 1:
        why = facts(power=frame.interceptor, other=frame.power, space=frame.space)
        return asked(state, frame.interceptor, "let_go", "f10.4", why)
    return ()


def _challenged_candidates(state: State, frame: Challenged, seat: int) -> Iterable[Group]:
    power = frame.power if frame.stage == 0 else frame.interceptor
    if frame.stage > 1 or seat_deciding(state, power) != seat:
        return
    if must_name(state, power):
        yield from names_for(state, power, seat)
    elif frame.stage == 0:
        yield RefuseBattle, power, (RefuseBattle(power),)
        yield AcceptBattle, power, (AcceptBattle(power),)
    else:
        yield LetGo, power, (LetGo(power),)
        yield HoldFast, power, (HoldFast(power),)


def _challenged_proceed(action: Action, frame: Challenged) -> None:
    """The army goes back and stops, or it attacks."""
    action.pop()
    march: Marching = action.state.frames[-1]
    if frame.stage == 3:
        success = frame.agreed
        if not success:
            (die,) = action.roll("refusing battle", 1)
            success = die <= tactics(action.state, march.leader)
        action.emit(Refused(frame.power, frame.interceptor, frame.space, success))
        if success:
            action.emit(UnitsMoved(frame.power, frame.space, frame.came, march.count))
            for leader in (march.leader, *bits(march.company)):
                action.emit(LeaderMoved(leader, frame.came))
            action.change(fought=False, halted=True, at=frame.came, came=NONE)
            begin_siege(action, frame.interceptor, frame.space)
            return
    attack = Attacked(
        frame.interceptor,
        march.power,
        frame.space,
        march.came,
        march.count,
        march.leader,
        intercepted=True,
        answered=True,
    )
    action.push(attack)


CHALLENGED = Flow(Challenged, _challenged_awaits, _challenged_candidates, _challenged_proceed)


@permits("f10.4", act=RefuseBattle)
def an_intercepted_army_may_refuse(state: State, act: RefuseBattle) -> Facts | None:
    """With the interceptor's consent, or on a die not above its tactics."""
    return facts(power=act.power)


@forbids("f10.4", act=(RefuseBattle, AcceptBattle))
def only_an_intercepted_army_refuses(state: State, act: RefuseBattle | AcceptBattle) -> Facts | None:
    """It must just have been intercepted, and have a space to go back to."""
    frame = state.frames[-1] if state.frames else None
    if not isinstance(frame, Challenged) or frame.power != act.power or frame.stage:
        return facts(power=act.power)
    if isinstance(act, RefuseBattle) and (frame.came == NONE or enemy_outside(state, act.power, frame.came) != NONE):
        return facts(variant="nowhere", power=act.power, space=frame.space)
    return None


def entail_refuse(state: State, command: RefuseBattle) -> Iterable[tuple[State, object]]:
    """Refusing, and ending in the space whence one came."""
    yield state, command
    frame = state.frames[-1] if state.frames else None
    if isinstance(frame, Challenged) and frame.came != NONE:
        yield state, EndElsewhere(command.power, frame.came, "refuse")


@carries_out(RefuseBattle)
def refuse_battle(action: Action, command: RefuseBattle) -> None:
    """The interceptor is asked whether he lets it go."""
    action.change(stage=1)


@carries_out(AcceptBattle)
def accept_battle(action: Action, command: AcceptBattle) -> None:
    """The army attacks."""
    action.change(stage=2)


@forbids("f10.4", act=(LetGo, HoldFast))
def only_who_is_asked_lets_go(state: State, act: LetGo | HoldFast) -> Facts | None:
    """An enemy must be refusing or avoiding battle."""
    frame = state.frames[-1] if state.frames else None
    if isinstance(frame, Challenged) and frame.stage == 1 and frame.interceptor == act.power:
        return None
    if isinstance(frame, Attacked) and frame.away != NONE and not frame.answered and frame.attacker == act.power:
        return None
    return facts(variant="let_go", power=act.power)


@carries_out(LetGo)
def let_go(action: Action, command: LetGo) -> None:
    """He gets away with no roll."""
    _decide_escape(action, True)


@carries_out(HoldFast)
def hold_fast(action: Action, command: HoldFast) -> None:
    """The die decides."""
    _decide_escape(action, False)


def _decide_escape(action: Action, agreed: bool) -> None:
    frame = action.state.frames[-1]
    if isinstance(frame, Challenged):
        action.change(stage=3, agreed=agreed)
    elif isinstance(frame, Attacked):
        _slip_away(action, frame.power, frame.space, frame.away, agreed, frame.by_sea)


# 11 avoiding battle


@forbids("f10.5", act=(AvoidBattle, AvoidBySea))
def not_after_a_failed_interception(state: State, act: AvoidBattle | AvoidBySea) -> Facts | None:
    """Who has failed to intercept an army does not avoid it in the same action."""
    march = march_under_way(state)
    if march is None or not state.known_troops(act.start):
        return None
    leader = best_leader(state, act.power, act.start)
    if leader != NONE and march.failed >> leader & 1:
        return facts(power=act.power, start=act.start, leader=leader)
    return None


@forbids("f11.1", act=(AvoidBattle, AvoidBySea))
def when_battle_is_avoided(state: State, act: AvoidBattle | AvoidBySea) -> Facts | None:
    """An army with a leader that is attacked and has not tried yet."""
    frame = state.frames[-1] if state.frames else None
    if isinstance(frame, Attacked):
        if frame.power != act.power or frame.space != act.start:
            return facts(variant="not_attacked", power=act.power, start=act.start)
        if frame.answered or frame.tried or frame.away != NONE:
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
    """A space beside, over a clear way, with no enemy CU, marker, city or tribe in it; not from inside a city."""
    frame = state.frames[-1] if state.frames else None
    if way_kind(state, act.power, act.start, act.to) not in (CLEAR, NONE):
        return facts(variant="way", power=act.power, to_space=act.to)
    if state.known_troops(act.start):
        force = state.force(act.power, act.start)
        if force.inside and not force.outside:
            return facts(variant="inside", power=act.power, start=act.start)
    came = frame.came if isinstance(frame, Attacked) else NONE
    if act.to == came:
        return facts(variant="came", power=act.power, to_space=act.to)
    if enemy_outside(state, act.power, act.to) != NONE:
        return facts(variant="units", power=act.power, to_space=act.to)
    owner = state.owner_of(act.to)
    hostile = owner != IND and not is_friendly(state, act.power, act.to)
    if hostile or (owner == IND and state.kinds[act.to] in (CITY, "tribe")):
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
    clear = (way.to for way in ways if way_kind(state, power, start, way.to) == CLEAR)
    return tuple(space for space in clear if state.may_enter(space))


def _occupied_by_ally(state: State, power: int, space: int) -> bool:
    return any(force.power != power and state.are_allied(power, force.power) for force in state.troops(space))


def open_spaces(state: State, power: int, start: int) -> tuple[int, ...]:
    """The spaces beside to which an army may slip away without passing an ally."""
    frame = state.frames[-1] if state.frames else None
    came = frame.came if isinstance(frame, Attacked) else NONE
    found = []
    for space in _beside(state, power, start):
        owner = state.owner_of(space)
        empty = owner == IND and state.kinds[space] not in (CITY, "tribe")
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
    """The attacker is asked whether he agrees; else a roll of the leader's tactics or less decides."""
    frame = action.state.frames[-1] if action.state.frames else None
    if isinstance(frame, Attacked):
        action.change(away=command.to)
    else:
        _slip_away(action, command.power, command.start, command.to, False)


def _slip_away(action: Action, power: int, start: int, to: int, agreed: bool, by_sea: bool = False) -> None:
    """A roll of the leader's tactics or less, or none if the attacker agrees; else the defender fights with -1."""
    state: State = action.state
    leader = best_leader(state, power, start)
    success = agreed
    if not agreed:
        (die,) = action.roll("avoiding battle", 1)
        success = die <= tactics(state, leader)
    if success and by_sea:
        success = flee_by_sea(action, power, start, to)
    action.emit(Avoided(power, start, to, success))
    left = action.state.force(power, start).outside
    if success and left:
        action.emit(UnitsMoved(power, start, to, left))
        for one in state.leaders_in(start, power):
            if not state.leader_inside >> one & 1:
                action.emit(LeaderMoved(one, to))
    elif success:
        displace(action, power, start)
    if success:
        check_siege(action, start)
    frames = action.state.frames
    if frames and isinstance(frames[-1], Attacked):
        action.change(tried=not success, answered=True)


# 11.3 avoiding by sea


@permits("f11.3", act=AvoidBySea)
def away_by_sea(state: State, act: AvoidBySea) -> Facts | None:
    """From a port to another friendly port."""
    return facts(power=act.power, start=act.start, to_space=act.to)


@forbids("f11.3", act=AvoidBySea)
def how_battle_is_avoided_by_sea(state: State, act: AvoidBySea) -> Facts | None:
    """From a port to a friendly one free of enemy CU, with the cards and ships of naval movement (facts 9.7)."""
    frame = state.frames[-1] if state.frames else None
    if not isinstance(frame, Attacked) and not state.sketched:
        return facts(variant="not_now", power=act.power)
    ports = state.world.board.ports
    if not ports[act.start] or not ports[act.to] or act.start == act.to or not is_friendly(state, act.power, act.to):
        return facts(variant="port", power=act.power, start=act.start, to_space=act.to)
    if enemy_outside(state, act.power, act.to) != NONE or state.besieged_by[act.to] >= 0:
        return facts(variant="units", power=act.power, to_space=act.to)
    most = capacity(state, act.power, act.card, act.start, act.to)
    if not most:
        return facts(variant="ships", power=act.power)
    free = sails_without_a_card(state, act.power)
    if act.card == NONE and not free and not state.sketched:
        return facts(variant="card", power=act.power)
    if act.card != NONE and free:
        return facts(variant="free", power=act.power)
    if state.known_troops(act.start) and state.force(act.power, act.start).outside > most:
        return facts(variant="count", power=act.power, count=most)
    return None


def sails_without_a_card(state: State, power: int) -> bool:
    """With two to four players Carthage needs no card (facts 11.3)."""
    return power == CAR and state.world.players != 5


def entail_avoid_by_sea(state: State, command: AvoidBySea) -> Iterable[tuple[State, object]]:
    """Slipping away, the card, and ending in the other port."""
    yield state, command
    if command.card != NONE:
        yield state, PlayCard(command.power, command.card, "", True)
    yield state, EndElsewhere(command.power, command.to, "avoid")


@carries_out(AvoidBySea)
def avoid_by_sea(action: Action, command: AvoidBySea) -> None:
    """The card is played, and the attacker is asked whether he agrees."""
    state: State = action.state
    seat = state.controller[command.power]
    if command.card >= 0 and seat != NONE:
        lay_down(action, seat, command.card, "value")
    frame = state.frames[-1] if state.frames else None
    if isinstance(frame, Attacked):
        action.change(away=command.to, by_sea=True)
    else:
        _slip_away(action, command.power, command.start, command.to, False, True)


def ways_by_sea(state: State, power: int, start: int) -> list[AvoidBySea]:
    """Every friendly port to which an attacked army could sail, with each card that could carry it."""
    if not state.world.board.ports[start]:
        return []
    seat = state.controller[power]
    cards = [NONE] if sails_without_a_card(state, power) else answering_cards(state, seat)
    ports = bits(state.world.board.port_mask)
    return [AvoidBySea(power, start, port, card) for port in ports if port != start for card in cards]


# the answer to an attack


def avoidances(state: State, power: int, start: int) -> list[AvoidBattle]:
    """Every way by land on which an attacked army might slip away."""
    places = dict.fromkeys((*_beside(state, power, start), *_beyond_allies(state, power, start)))
    return [AvoidBattle(power, start, to) for to in places]


def _attacked_awaits(state: State, frame: Attacked) -> tuple[Decision, ...]:
    if frame.answered:
        return ()
    if frame.away != NONE:
        why = facts(power=frame.attacker, other=frame.power, space=frame.space)
        return asked(state, frame.attacker, "let_go", "f11.1", why)
    why = facts(power=frame.power, attacker=frame.attacker, space=frame.space)
    return asked(state, frame.power, "stand", "f11.1", why)


def _attacked_candidates(state: State, frame: Attacked, seat: int) -> Iterable[Group]:
    away = frame.away != NONE
    power, space = frame.attacker if away else frame.power, frame.space
    if frame.answered or seat_deciding(state, power) != seat:
        return
    if must_name(state, power):
        yield from names_for(state, power, seat)
        return
    if away:
        yield LetGo, power, (LetGo(power),)
        yield HoldFast, power, (HoldFast(power),)
        return
    yield AvoidBattle, power, avoidances(state, power, space)
    yield AvoidBySea, power, ways_by_sea(state, power, space)
    yield AskPassage, power, passages(state, power, space)
    yield StayPut, power, (StayPut(power),)


def _attacked_proceed(action: Action, frame: Attacked) -> None:
    action.pop()
    state: State = action.state
    if state.force(frame.power, frame.space).outside and state.force(frame.attacker, frame.space).outside:
        if not lasts_through_the_battle(state):
            end_passing_alliance(action, frame.attacker)
        fight(action, frame)
    elif state.frames and isinstance(state.frames[-1], Marching):
        gone = frame.away != NONE and not frame.tried
        action.change(fought=False, avoided=gone and pursuit_takes_a_roll(state))


@effect("f11.4", otherwise=False)
def pursuit_takes_a_roll(state: State) -> bool:
    """After the enemy has avoided battle the attacker goes on only on a die not above his tactics."""
    return True


ATTACKED = Flow(Attacked, _attacked_awaits, _attacked_candidates, _attacked_proceed)
