"""Battles, losses, retreats and what they are worth (12)."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from foedus.games.sword_of_rome.alliances import is_friendly
from foedus.games.sword_of_rome.commands import (
    Attack,
    Done,
    EndElsewhere,
    PlaceSupport,
    RemoveMarker,
    RemoveSupport,
    Retreat,
)
from foedus.games.sword_of_rome.events import (
    Fought,
    LeaderMoved,
    PromiseMarked,
    PutInside,
    UnitsMoved,
    UnitsRemoved,
)
from foedus.games.sword_of_rome.frames import Attacked, Campaign, Marching, Retreating, Spoils
from foedus.games.sword_of_rome.ground import CLEAR, enemy_outside, known_absent, way_kind
from foedus.games.sword_of_rome.leaders import best_leader, displace, tactics
from foedus.games.sword_of_rome.neutrals import asked, must_name, names_for, seat_deciding
from foedus.games.sword_of_rome.sieges import begin_siege, check_siege
from foedus.games.sword_of_rome.state import CITY, IND, State, still_allowed
from foedus.kernel.flow import Action, Decision, Flow, FramePopped, FramePushed, Group, carries_out
from foedus.kernel.rules import Facts, effect, excepts, facts, forbids
from foedus.kernel.unknown import NONE, UNKNOWN, Unknown

Modifiers = tuple[tuple[str, int], ...]


@carries_out(Attack)
def attack(action: Action, command: Attack) -> None:
    """On a sketch: the battle in that space. In play battles come about by marching."""
    for promise in action.state.promises:
        if promise.by == command.power and promise.to == command.target and promise.kept == "open":
            action.emit(PromiseMarked(command.power, command.target, promise.text, "broken"))
    if command.space == NONE or not action.state.known_troops(command.space):
        return
    state: State = action.state
    count = state.force(command.power, command.space).outside
    if not count or not state.force(command.target, command.space).outside:
        return
    leader = best_leader(state, command.power, command.space)
    frame = Attacked(command.target, command.power, command.space, NONE, count, leader, answered=True)
    fight(action, with_flank(state, frame))


@forbids("f9.4", act=Attack)
def nobody_fights_himself(state: State, act: Attack) -> Facts | None:
    """One's own troops are no enemy, and independents have no army."""
    if act.power == act.target:
        return facts(variant="itself", power=act.power)
    if act.target == IND:
        return facts(variant="nobody", power=act.power)
    return None


@forbids("f9.4", act=Attack)
def there_must_be_an_enemy(state: State, act: Attack) -> Facts | None:
    """In the space named, if it is known who stands there."""
    if act.space == NONE or not state.known_troops(act.space) or act.target == IND:
        return None
    if not state.force(act.target, act.space).outside:
        return facts(variant="absent", power=act.power, target=act.target, space=act.space)
    return None


@effect("9.5.6", otherwise=0)
def flank_bonus(state: State) -> int:
    """A flanking force adds one to the roll, and half its CU to the army's size (facts 9.6)."""
    return 1


def with_flank(state: State, attacked: Attacked) -> Attacked:
    """The battle with the flanking force that a Campaign brought beside it."""
    for frame in reversed(state.frames):
        if isinstance(frame, Campaign) and frame.flank_battle == attacked.space and frame.flank != NONE:
            if frame.flank_space == attacked.came:
                break  # it must come by another way (facts 9.6)
            return replace(attacked, flank=frame.flank, flank_space=frame.flank_space, flank_count=frame.flank_count)
    return attacked


# 12.2 modifiers


@effect("15.2.e2", otherwise=0)
def on_allied_ground(state: State, power: int, space: int) -> int:
    """An army in ally-controlled territory has +1; each side is judged by itself."""
    owner = state.owner_of(space)
    return 1 if owner not in (power, IND) and is_friendly(state, power, space) else 0


def force_ratio(state: State, larger: int, smaller: int) -> int:
    """The bonus of the larger army, or 99 for an automatic victory (facts 12.3, provisional)."""
    table = state.world.tables["force_ratio"]
    percent = 100 * larger // max(1, smaller)
    if percent >= int(table["automatic"]):
        return 99
    return max(int(bonus) for least, bonus in table["steps"] if percent >= int(least))


def modifiers(state: State, frame: Attacked, attacking: bool, size: int, other: int) -> Modifiers:
    """The modifiers of one side, each with the clause it comes from."""
    power = frame.attacker if attacking else frame.power
    space = frame.space
    mine = _tactics(state, frame, attacking)
    theirs = _tactics(state, frame, not attacking)
    found: list[tuple[str, int]] = []
    if size > other:
        found.append(("f12.3", force_ratio(state, size, other)))
    if mine > theirs:
        found.append(("f12.2", mine - theirs))
    if state.owner_of(space) == power:
        found.append(("f12.2", 1))
    found.append(("15.2.e2", on_allied_ground(state, power, space)))
    if attacking:
        if frame.flank != NONE:
            found.append(("9.5.6", flank_bonus(state)))
        if frame.came != NONE and way_kind(state, power, frame.came, space) not in (CLEAR, NONE):
            found.append(("f12.2", -2))
    else:
        if frame.intercepted:
            found.append(("f10.4", 1))
        if frame.tried:
            found.append(("f11.1", -1))
    return tuple((clause, value) for clause, value in found if value)


def _tactics(state: State, frame: Attacked, attacking: bool) -> int:
    power = frame.attacker if attacking else frame.power
    leader = frame.leader if attacking and frame.leader >= 0 else best_leader(state, power, frame.space)
    return tactics(state, leader)


def losses(dice: tuple[int, ...], size: int, winner: bool) -> int:
    """CU that a side's unmodified dice cost the other (facts 12.4); `size` is that of the side that rolled."""
    total = 0
    for die in dice:
        if die == 6:
            total += 2 if winner else 1
        elif die == 5 and size >= 2:
            total += 2 if winner else 1
        elif die == 4 and size >= 3:
            total += 1
    return total


def fight(action: Action, frame: Attacked) -> None:
    """One battle: rolls, losses, and what follows."""
    state: State = action.state
    attacker, defender, space = frame.attacker, frame.power, frame.space
    strength = state.force(attacker, space).outside
    own = min(frame.count, strength) or strength
    flank = (frame.flank_count + 1) // 2 if frame.flank != NONE and flank_bonus(state) else 0
    attack_size, defence_size = own + flank, state.force(defender, space).outside
    attack_mods = modifiers(state, frame, True, attack_size, defence_size)
    defence_mods = modifiers(state, frame, False, defence_size, attack_size)
    if any(value == 99 for _, value in (*attack_mods, *defence_mods)):
        wins = any(value == 99 for _, value in attack_mods)
        lost = (0, defence_size) if wins else (own, 0)
        _after(action, frame, wins, 0, 0, attack_mods, defence_mods, lost, own)
        return
    attack_dice = action.roll("battle, attacker", 3)
    defence_dice = action.roll("battle, defender", 3)
    total = sum(attack_dice) + sum(value for _, value in attack_mods)
    against = sum(defence_dice) + sum(value for _, value in defence_mods)
    wins = total > against
    winner_dice, loser_dice = (attack_dice, defence_dice) if wins else (defence_dice, attack_dice)
    winner_size, loser_size = (attack_size, defence_size) if wins else (defence_size, attack_size)
    loser_lost = losses(winner_dice, winner_size, True) + loser_dice.count(1)
    winner_lost = losses(loser_dice, loser_size, False)
    lost = (winner_lost, loser_lost) if wins else (loser_lost, winner_lost)
    _after(action, frame, wins, total, against, attack_mods, defence_mods, lost, own)


def _after(
    action: Action,
    frame: Attacked,
    wins: bool,
    total: int,
    against: int,
    attack_mods: Modifiers,
    defence_mods: Modifiers,
    lost: tuple[int, int],
    own: int,
) -> None:
    state: State = action.state
    attacker, defender, space = frame.attacker, frame.power, frame.space
    defence_size = state.force(defender, space).outside
    attack_lost, defence_lost = lost
    flank_lost = 0
    if frame.flank != NONE and attack_lost:
        flank_lost = min(attack_lost // 2, frame.flank_count)  # shared evenly, the odd one to the primary army
    primary_lost = min(own, attack_lost - flank_lost)
    defence_lost = min(defence_size, defence_lost)
    winner, loser = (attacker, defender) if wins else (defender, attacker)
    action.emit(
        Fought(
            attacker,
            defender,
            space,
            total,
            against,
            attack_mods,
            defence_mods,
            winner,
            primary_lost + flank_lost,
            defence_lost,
            frame.flank,
        )
    )
    for power, where, count in (
        (attacker, space, primary_lost),
        (frame.flank, frame.flank_space, flank_lost),
        (defender, space, defence_lost),
    ):
        if count:
            action.emit(UnitsRemoved(power, where, count, 0, "f12.4"))
            displace(action, power, where)
    count = defence_lost if wins else primary_lost + flank_lost
    points = (count + 1) // 2
    if points:
        action.push(Spoils(winner, loser, points))
    if action.state.force(loser, space).outside:
        action.push(Retreating(loser, winner, space, frame.came, not wins, count))
    if not wins and frame.flank != NONE and action.state.force(frame.flank, frame.flank_space).outside:
        action.push(Retreating(frame.flank, winner, frame.flank_space, NONE, False, 0))
    check_siege(action, space)
    if wins and not action.state.force(defender, space).outside and _no_spoils(action.state):
        begin_siege(action, attacker, space)


def _no_spoils(state: State) -> bool:
    return not (state.frames and isinstance(state.frames[-1], (Spoils, Retreating)))


# 12.5 retreat


def retreat_goals(state: State, frame: Retreating, wanted: int = NONE) -> tuple[int, ...]:
    """The nearest legal ends of a retreat (facts 12.5): friendly ground, an ally's included, or own larger force.

    Only clear ways, at most four spaces; an attacker goes first to where he came from, a defender never there; no end
    on another power's CU. The space itself stands for going into one's own city. Of the space `wanted` only the
    distance and the shelter count: other rules say whether one may end there.
    """
    power = frame.power
    own = state.force(power, frame.space)
    goals = []
    inside = int(state.world.tables["movement"]["inside"])
    if (
        not frame.attacker
        and state.world.kinds[frame.space] == CITY
        and state.owner_of(frame.space) == power
        and own.outside + own.inside <= inside
    ):
        goals.append(frame.space)
    most = int(state.world.tables["movement"]["retreat"])
    seen = {frame.space}
    edge = [frame.space]
    for step in range(most):
        after = []
        for here in edge:
            for way in state.world.board.neighbours[here]:
                to = way.to
                if to in seen or way_kind(state, power, here, to) != CLEAR:
                    continue
                if not frame.attacker and to == frame.came:
                    continue
                if frame.attacker and step == 0 and frame.came != NONE and to != frame.came:
                    continue
                if enemy_outside(state, power, to) != NONE:
                    continue
                seen.add(to)
                after.append(to)
        found = [
            to
            for to in after
            if shelter(state, power, to, own.outside)
            and (to == wanted or still_allowed(state, EndElsewhere(power, to, "retreat")))
        ]
        if found:
            return (*goals, *sorted(found))
        edge = after
    return tuple(goals)


@effect("15.2.e1", otherwise=False)
def allied_ground_shelters(state: State, power: int, owner: int) -> bool:
    """Beaten troops may end a retreat in ally-controlled territory."""
    return owner != IND and state.are_allied(power, owner)


def shelter(state: State, power: int, space: int, count: int) -> bool:
    """Does a space end a retreat: friendly-controlled, or with own CU that outnumber the retreating?"""
    owner = state.owner_of(space)
    if owner == power or allied_ground_shelters(state, power, owner):
        return True
    return state.force(power, space).outside > count


@forbids("f12.5", act=Retreat)
def where_a_retreat_goes(state: State, act: Retreat) -> Facts | None:
    """To one of the nearest legal spaces."""
    frame = state.frames[-1] if state.frames else None
    if isinstance(frame, Retreating):
        if (frame.power, frame.space) != (act.power, act.start) or frame.done:
            return facts(variant="not_now", power=act.power)
        return None if act.to in retreat_goals(state, frame) else facts(power=act.power, to_space=act.to)
    if not state.sketched:
        return facts(variant="not_now", power=act.power)
    if known_absent(state, act.power, act.start):
        return facts(variant="nobody", power=act.power, space=act.start)
    if enemy_outside(state, act.power, act.to) != NONE:
        return facts(variant="units", power=act.power, to_space=act.to)
    owner = state.owner_of(act.to)
    goals = _goals_told(state, act)
    if goals is not None:
        own = owner == act.power or state.force(act.power, act.to).outside
        return None if act.to in goals and own else facts(power=act.power, to_space=act.to)
    if owner == act.power or not state.known_troops(act.to) or state.force(act.power, act.to).outside:
        return None
    return facts(power=act.power, to_space=act.to)


def _goals_told(state: State, act: Retreat) -> tuple[int, ...] | None:
    """The ends of a retreat that a position is asked for, from wherever the enemy came; None if it tells too little."""
    if not state.known_troops(act.start) or not state.known_troops(act.to):
        return None
    try:
        return retreat_goals(state, Retreating(act.power, NONE, act.start, NONE, False, 0), act.to)
    except Unknown:
        return None


@excepts("15.2.e1", to="f12.5", act=Retreat)
def a_retreat_into_allied_ground(state: State, act: Retreat) -> Facts | None:
    """An ally's ground is a legal end."""
    if state.frames and isinstance(state.frames[-1], Retreating):
        return None
    if known_absent(state, act.power, act.start):
        return None
    owner = state.owner_of(act.to)
    goals = _goals_told(state, act)
    if goals is not None and act.to not in goals:
        return None
    if enemy_outside(state, act.power, act.to) == NONE and allied_ground_shelters(state, act.power, owner):
        return facts(power=act.power, ally=owner, space=act.to)
    return None


def entail_retreat(state: State, command: Retreat) -> Iterable[tuple[State, object]]:
    """Retreating, and ending there."""
    yield state, command
    yield state, EndElsewhere(command.power, command.to, "retreat")


def _retreat_awaits(state: State, frame: Retreating) -> tuple[Decision, ...]:
    if frame.done:
        return ()
    goals = retreat_goals(state, frame)
    if len(goals) < 2:
        return ()
    return asked(state, frame.power, "retreat", "f12.5", facts(power=frame.power, spaces=goals))


def _retreat_candidates(state: State, frame: Retreating, seat: int) -> Iterable[Group]:
    if seat_deciding(state, frame.power) != seat:
        return
    if must_name(state, frame.power):
        yield from names_for(state, frame.power, seat)
        return
    goals = retreat_goals(state, frame)
    yield Retreat, frame.power, [Retreat(frame.power, frame.space, to) for to in goals]


def _retreat_proceed(action: Action, frame: Retreating) -> None:
    if frame.done:
        action.pop()
        return
    goals = retreat_goals(action.state, frame)
    if goals:
        carry_retreat(action, frame.power, frame.space, goals[0])
    else:
        lost = action.state.force(frame.power, frame.space).outside
        action.emit(UnitsRemoved(frame.power, frame.space, lost, 0, "f12.7"))
        displace(action, frame.power, frame.space)
        check_siege(action, frame.space)
        _add_spoils(action, lost)
    action.change(done=True)


RETREATING = Flow(Retreating, _retreat_awaits, _retreat_candidates, _retreat_proceed)


def _add_spoils(action: Action, lost: int) -> None:
    """Facts 12.8: CU lost in the retreat count as well."""
    if not lost:
        return
    frame: Retreating = action.state.frames[-1]
    total = frame.lost + lost
    action.emit(FramePopped())
    if action.state.frames and isinstance(action.state.frames[-1], Spoils):
        action.change(points=(total + 1) // 2)
    else:
        action.push(Spoils(frame.winner, frame.power, (total + 1) // 2))
    action.emit(FramePushed(frame))


@carries_out(Retreat)
def retreat(action: Action, command: Retreat) -> None:
    """The army goes there, and pays for enemy ground on the way."""
    carry_retreat(action, command.power, command.start, command.to)
    if action.state.frames and isinstance(action.state.frames[-1], Retreating):
        action.change(done=True)


def carry_retreat(action: Action, power: int, start: int, to: int) -> None:
    """Move the beaten army; one CU is lost for each space entered that an enemy controls (facts 12.7)."""
    state: State = action.state
    if start == to:
        action.emit(PutInside(power, start, state.force(power, start).outside, "f12.6"))
        for leader in state.leaders_in(start, power):
            action.emit(LeaderMoved(leader, start, True))
        return
    route = _route(state, power, start, to)
    lost = sum(1 for space in route if _hostile_ground(state, power, space))
    count = state.force(power, start).outside
    lost = min(lost, count)
    if lost:
        action.emit(UnitsRemoved(power, start, lost, 0, "f12.7"))
    if count > lost:
        action.emit(UnitsMoved(power, start, to, count - lost))
        for leader in state.leaders_in(start, power):
            if not state.leader_inside >> leader & 1:
                action.emit(LeaderMoved(leader, to))
    else:
        displace(action, power, start)
    check_siege(action, start)
    if action.state.frames and isinstance(action.state.frames[-1], Retreating):
        _add_spoils(action, lost)


def _route(state: State, power: int, start: int, to: int) -> tuple[int, ...]:
    blocked = sum(
        1 << space
        for space in range(len(state.owner))
        if space not in (start, to) and state.known_troops(space) and enemy_outside(state, power, space) != NONE
    )
    kinds = 1 << CLEAR
    route = state.world.board.route(start, to, kinds, blocked) or state.world.board.route(start, to)
    return (route or (start, to))[1:]


def _hostile_ground(state: State, power: int, space: int) -> bool:
    owner = state.owner[space]
    if owner in (UNKNOWN, power):
        return False
    if owner == IND:
        return state.world.kinds[space] in (CITY, "tribe")
    return not is_friendly(state, power, space)


# 12.8 political consequences


def _spoils_awaits(state: State, frame: Spoils) -> tuple[Decision, ...]:
    if frame.points < 1:
        return ()
    why = facts(power=frame.winner, loser=frame.loser, points=frame.points)
    return asked(state, frame.winner, "spoils", "f12.8", why)


def _spoils_candidates(state: State, frame: Spoils, seat: int) -> Iterable[Group]:
    if frame.points < 1 or seat_deciding(state, frame.winner) != seat:
        return
    winner, loser = frame.winner, frame.loser
    if must_name(state, winner):
        yield from names_for(state, winner, seat)
        return
    theirs = [space for space, owner in enumerate(state.owner) if owner == loser]
    kinds = state.world.kinds
    yield RemoveMarker, winner, [RemoveMarker(winner, s, "battle") for s in theirs if kinds[s] != CITY]
    yield RemoveSupport, winner, [RemoveSupport(winner, s, "battle") for s in theirs if kinds[s] == CITY]
    mine = [
        space
        for space, owner in enumerate(state.owner)
        if (kinds[space] == CITY if owner == winner else any(one.power == winner for one in state.forces[space]))
    ]
    yield PlaceSupport, winner, [PlaceSupport(winner, s, by="battle") for s in mine]
    yield Done, winner, (Done(winner),)


def _spoils_proceed(action: Action, frame: Spoils) -> None:
    action.pop()
    state: State = action.state
    if state.frames and isinstance(state.frames[-1], Marching):
        march = state.frames[-1]
        if march.power == frame.winner and state.force(march.power, march.at).outside:
            begin_siege(action, march.power, march.at)


SPOILS = Flow(Spoils, _spoils_awaits, _spoils_candidates, _spoils_proceed)


@forbids("f12.8", act=(RemoveSupport, RemoveMarker, PlaceSupport))
def spoils_only_after_a_battle(state: State, act: RemoveSupport | RemoveMarker | PlaceSupport) -> Facts | None:
    """What a battle brings is taken right after it, from the loser."""
    if act.by != "battle" and (state.sketched or not isinstance(act, RemoveSupport)):
        return None
    frame = state.frames[-1] if state.frames else None
    if frame is None and state.sketched:
        return None
    if not isinstance(frame, Spoils) or frame.winner != act.power or frame.points < 1 or act.by != "battle":
        return facts(power=act.power)
    if not isinstance(act, PlaceSupport) and state.owner_of(act.space) != frame.loser:
        return facts(variant="loser", power=act.power, loser=frame.loser)
    return None
