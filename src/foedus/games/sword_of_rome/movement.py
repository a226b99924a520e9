"""Leaders and movement by land (8, 9), with Campaign cards (9.5)."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from foedus.games.sword_of_rome.alliances import (
    allied_troops_in,
    extra_cost_of_passing,
    is_friendly,
    may_pass,
    shut_in_with_an_ally,
)
from foedus.games.sword_of_rome.battle import end_bribe, with_flank
from foedus.games.sword_of_rome.carthage import check_carthago
from foedus.games.sword_of_rome.commands import (
    Activate,
    AskPassage,
    Attack,
    AttackUnrest,
    Besiege,
    Consent,
    Done,
    Drop,
    EndMovement,
    EnterSpace,
    Flank,
    FoundColony,
    GoInside,
    Halt,
    LeaveLeader,
    LeaveSpace,
    Liberate,
    March,
    PassThrough,
    PickUp,
    PlayCard,
    Pursue,
    Raid,
    RefuseConsent,
    SailAct,
    SailOn,
    SendUnits,
    SetOut,
    Sortie,
    Step,
    Subjugate,
    TakeLeader,
    UseLeader,
)
from foedus.games.sword_of_rome.events import (
    LeaderMoved,
    PassedThrough,
    Pursued,
    PutInside,
    PutOutside,
    UnitsMoved,
)
from foedus.games.sword_of_rome.frames import (
    Activation,
    AskConsent,
    Attacked,
    Campaign,
    FlankSize,
    Gates,
    Marching,
    Mustering,
    NPPAction,
)
from foedus.games.sword_of_rome.ground import (
    CLEAR,
    ROUGH,
    enemy_outside,
    held_by_enemies,
    known_absent,
    on_the_road,
    way_kind,
    ways_of,
)
from foedus.games.sword_of_rome.hands import desperate_card, desperate_times_serve, lay_down, open_window
from foedus.games.sword_of_rome.leaders import (
    commander,
    consul_left_alone,
    displace_all_lone,
    displace_lone,
    tactics,
    take_command,
    who_commands_after,
)
from foedus.games.sword_of_rome.neutrals import (
    activation_value,
    activations,
    allowed_end,
    asked,
    begin_passing_alliance,
    end_passing_alliance,
    must_name,
    names_for,
    seat_deciding,
    sorties,
)
from foedus.games.sword_of_rome.reactions import ask_interceptions, ask_the_city
from foedus.games.sword_of_rome.sieges import begin_siege, check_siege
from foedus.games.sword_of_rome.state import (
    BOX,
    CAR,
    CITY,
    GAL,
    IND,
    ROM,
    TRA,
    TRIBE,
    State,
    kept,
    outside_masks,
    still_allowed,
)
from foedus.kernel.dice import NoDice
from foedus.kernel.flow import Action, Decision, Flow, Group, carries_out
from foedus.kernel.rules import Facts, effect, facts, forbids, permits
from foedus.kernel.unknown import NONE, UNKNOWN
from foedus.kernel.values import bits


def step_cost(state: State, power: int, start: int, to: int, road: bool = False) -> int:
    """Movement points from a space to the next (facts 9.2); `road`: the last step was along the Appian Way.

    Once it is built any stretch of it costs one point, however far along it the army goes (facts 2.2 and 21).
    """
    clear, rough, strait = _costs(state)
    if on_the_road(state, power, start, to):
        return 0 if road else clear
    kind = way_kind(state, power, start, to)
    cost = clear if kind == CLEAR else rough if kind == ROUGH else strait
    extra = extra_cost_of_passing(state)
    if extra and allied_troops_in(state, power, to) != NONE:
        cost += extra
    return cost


def _costs(state: State) -> tuple[int, int, int]:
    """The movement points that clear, rough and strait ways cost."""
    cache = state.world.cache
    found: tuple[int, int, int] | None = cache.get("costs")
    if found is None:
        table = state.world.tables["movement"]
        found = cache["costs"] = int(table["clear"]), int(table["rough"]), int(table["strait"])
    return found


def movement_points(state: State, power: int, card: int) -> int:
    """The movement points of an activated army (facts 9.2)."""
    table = state.world.tables["movement"]
    if power == TRA:
        return int(table["transalpine"])
    campaign = state.frames[-1] if state.frames else None
    if card == NONE and isinstance(campaign, Campaign):
        card = campaign.card
    if power == GAL and card >= 0:
        return int(table["gauls"][str(state.world.cards[card].value)])
    return int(table["points"])


# activating a leader


@forbids("f8.1", act=UseLeader)
def leader_and_units_are_there(state: State, act: UseLeader) -> Facts | None:
    """A leader moves with CU that stand with him, at most ten."""
    if state.world.leaders[act.leader].power != act.power:
        return facts(variant="whose", power=act.power, leader=act.leader)
    at = state.leader_at[act.leader]
    if at not in (UNKNOWN, act.space):
        return facts(variant="where", power=act.power, leader=act.leader, space=act.space)
    if not 1 <= act.count <= int(state.world.tables["movement"]["army"]):
        return facts(variant="count", power=act.power, count=act.count)
    forces = state.forces[act.space]
    if forces and forces[0].power == UNKNOWN:
        return None
    force = state.force(act.power, act.space)
    if act.count > force.outside + force.inside:
        return facts(power=act.power, space=act.space, count=force.outside + force.inside)
    return None


@forbids("f9.7", act=UseLeader)
def not_out_of_a_siege(state: State, act: UseLeader) -> Facts | None:
    """An army inside a besieged city does not march away."""
    if state.kinds[act.space] != CITY or state.besieged_by[act.space] in (NONE, UNKNOWN):
        return None
    if state.force(act.power, act.space).inside and state.besieged_by[act.space] != act.power:
        return facts(variant="besieged", power=act.power, space=act.space)
    return None


@forbids("f7.4", act=PlayCard)
def the_card_is_in_hand(state: State, act: PlayCard) -> Facts | None:
    """The card must be in the player's hand, and do what it is played for."""
    seat = state.controller[act.power]
    if seat == NONE:
        return None
    if act.card == NONE:
        campaign = bool(state.frames) and isinstance(state.frames[-1], Campaign)
        return None if campaign or state.sketched else facts(variant="no_card", power=act.power)
    hand = state.hands[seat] if seat < len(state.hands) else ()
    if act.answer and act.card == desperate_card(state) and desperate_times_serve(state, seat):
        return None
    if act.card not in hand:
        if UNKNOWN in hand or (state.sketched and not hand):
            return None
        return facts(variant="not_in_hand", power=act.power, card=act.card)
    if act.needs and state.world.cards[act.card].effect != act.needs:
        return facts(variant="effect", power=act.power, card=act.card)
    return None


@forbids("f5.1", act=Activate)
def when_a_leader_is_activated(state: State, act: Activate) -> Facts | None:
    """While active, by the one card of the activation, a Campaign, or as the action of an activated NPP."""
    frame = state.frames[-1] if state.frames else None
    if frame is None:
        return None if state.sketched else facts(variant="leader", power=act.power)
    if isinstance(frame, NPPAction):
        if frame.npp != act.power:
            return facts(variant="leader", power=act.power)
        if act.card != NONE:
            return facts(variant="by_event", power=act.power, card=act.card)
        return facts(variant="acted", power=act.power) if frame.begun else None
    if isinstance(frame, Campaign):
        if frame.left < 1 or state.controller[act.power] != frame.seat:
            return facts(variant="leader", power=act.power)
        if act.card != NONE:
            return facts(variant="by_event", power=act.power, card=act.card)
        return None
    if not isinstance(frame, Activation) or frame.seat != state.controller[act.power]:
        return facts(variant="leader", power=act.power)
    if frame.played:
        return facts(variant="played", power=act.power)
    if act.card == NONE and not state.sketched:
        return facts(variant="no_card", power=act.power)
    return None


@forbids("f9.5", act=(Activate, Flank))
def no_commander_twice(state: State, act: Activate | Flank) -> Facts | None:
    """In a campaign no commander acts twice."""
    frame = state.frames[-1] if state.frames else None
    if not isinstance(frame, Campaign):
        return None
    leader = act.leader if isinstance(act, Activate) else commander(state, act.ally, act.start)
    if leader != NONE and frame.used >> leader & 1:
        return facts(variant="twice", power=act.power, leader=leader)
    return None


@effect("f9.5", otherwise=99)
def points_for_units_used_twice(state: State, power: int) -> int:
    """CU that move twice in a campaign stay within four movement points in all, Gauls within five."""
    table = state.world.tables["movement"]
    return int(table["gauls"]["3"] if power == GAL else table["points"])


def points_spent_before(state: State, power: int, space: int, count: int, taken: int = 0) -> int:
    """The movement points that CU have used in this campaign, if some of them must go with so many from a space.

    CU that have not moved go first; `taken` of those that stand there go already.
    """
    for frame in reversed(state.frames):
        if isinstance(frame, Campaign):
            here = [one for one in frame.trail if one[0] == space]
            force = state.force(power, space)
            fresh = force.outside + force.inside - sum(one[1] for one in here) - taken
            return max((one[2] for one in here), default=0) if count > max(0, fresh) else 0
    return 0


@forbids("f8.1", act=Activate)
def the_card_is_worth_his_initiative(state: State, act: Activate) -> Facts | None:
    """A card's value must be the leader's initiative or more."""
    needed = state.world.leaders[act.leader].initiative
    frame = state.frames[-1] if state.frames else None
    if isinstance(frame, NPPAction):
        return None if activation_value(state, frame.card) >= needed else _initiative(state, act, needed)
    if act.card >= 0 and state.world.cards[act.card].value < needed:
        return _initiative(state, act, needed)
    return None


def _initiative(state: State, act: Activate, needed: int) -> Facts:
    return facts(variant="initiative", power=act.power, leader=act.leader, count=needed)


@forbids("f8.1", act=Flank)
def the_campaign_is_worth_the_initiative_on_the_flank(state: State, act: Flank) -> Facts | None:
    """The general of a flanking force counts for nothing in the battle, but he is activated like any other."""
    frame = state.frames[-1] if state.frames else None
    leader = commander(state, act.ally, act.start)
    if not isinstance(frame, Campaign) or frame.card < 0 or leader == NONE:
        return None
    needed = state.world.leaders[leader].initiative
    if state.world.cards[frame.card].value >= needed:
        return None
    return facts(variant="initiative", power=act.ally, leader=leader, count=needed)


def entail_activate(state: State, command: Activate) -> Iterable[tuple[State, object]]:
    """The acts of activating a leader and standing ready to march, with one CU where it is not said how many."""
    power, leader, space, card, count = command.power, command.leader, command.space, command.card, command.count or 1
    yield state, command
    yield state, UseLeader(power, leader, space, count)
    yield state, PlayCard(power, card)
    yield state, SetOut(power, leader, space, count, card)


def entail_leader(state: State, command: Activate) -> Iterable[tuple[State, object]]:
    """The acts of activating a leader, by land or sea."""
    yield state, command
    yield state, UseLeader(command.power, command.leader, command.space, command.count)
    yield state, PlayCard(command.power, command.card)


@carries_out(Activate)
def activate(action: Action, command: Activate) -> None:
    """The card is played and the army stands ready to march."""
    state: State = action.state
    frame = state.frames[-1] if state.frames else None
    power, space, count = command.power, command.space, command.count
    if isinstance(frame, Activation):
        if command.card >= 0:
            lay_down(action, frame.seat, command.card, "value")
        action.change(played=True)
    elif isinstance(frame, NPPAction):
        action.change(begun=True)
    elif isinstance(frame, Campaign):
        action.change(left=frame.left - 1, used=frame.used | 1 << command.leader)
    force = state.force(power, space)
    if not count and force.outside + force.inside > 1:
        action.push(Mustering(power, command.leader, space, command.card))
    else:
        _set_out(action, replace(command, count=count or 1))


def _set_out(action: Action, command: Activate) -> None:
    """The army stands ready to march."""
    state: State = action.state
    power, space, count = command.power, command.space, command.count
    force = state.force(power, space)
    if force.outside < count and force.inside:
        action.emit(PutOutside(power, space, count - force.outside, "f9.1"))
    if state.leader_inside >> command.leader & 1 or state.leader_at[command.leader] != space:
        action.emit(LeaderMoved(command.leader, space))
    points = movement_points(state, power, command.card)
    spent = points_spent_before(action.state, power, space, count)
    if spent:
        points = max(0, min(points, points_for_units_used_twice(state, power) - spent))
    action.push(Marching(power, command.leader, count, space, NONE, points, card=command.card, spent=spent))
    take_command(action, command.leader)
    if state.is_npp(power):
        begin_passing_alliance(action, power)


# on the way


def marching(state: State) -> Marching | None:
    """The army under way on top."""
    return state.frames[-1] if state.frames and isinstance(state.frames[-1], Marching) else None


@forbids("f9.2", act=EnterSpace)
def the_way_and_its_cost(state: State, act: EnterSpace) -> Facts | None:
    """There must be a way, and points enough for it."""
    if way_kind(state, act.power, act.start, act.space) == NONE:
        return facts(variant="no_way", power=act.power, start=act.start, space=act.space)
    if act.points < 0:
        return facts(power=act.power, start=act.start, space=act.space)
    if not state.may_enter(act.space):
        return facts(variant="absent", power=act.power, space=act.space)
    return None


@forbids("15.3a", act=EnterSpace)
def never_into_a_dead_end(state: State, act: EnterSpace) -> Facts | None:
    """A march enters allied ground only if a legal place to end is still in reach."""
    if state.is_npp(act.power):
        return None
    ally = allied_troops_in(state, act.power, act.space)
    if ally == NONE:
        ally = shut_in_with_an_ally(state, act.power, act.space)
    if ally == NONE or legal_end_in_reach(state, act.power, act.space, act.points):
        return None
    if enemy_outside(state, act.power, act.space) != NONE:
        return None  # a battle: 15.3a and 15.3n speak of it as an attack
    return facts(variant="dead_end", power=act.power, ally=ally, space=act.space)


@forbids("16.3", act=EnterSpace)
def npps_never_into_a_dead_end(state: State, act: EnterSpace) -> Facts | None:
    """A non-player power's march must keep a place in reach where it may end; Carthage never enters Italy."""
    if not state.is_npp(act.power):
        return None
    rule = allowed_end(state, act.power, act.space)
    if rule != "f16.16" and legal_end_in_reach(state, act.power, act.space, act.points):
        return None
    if rule == "f16.16":
        return facts(variant="f16.16", power=act.power, space=act.space)
    return facts(variant="dead_end", power=act.power, space=act.space)


@forbids("15.3a", act=SetOut)
def never_out_of_a_dead_end(state: State, act: SetOut) -> Facts | None:
    """An army that shares its space with an ally's sets out only if it can go somewhere, or press a siege there."""
    if state.is_npp(act.power) or not _stuck_at(state, act):
        return None
    ally = allied_troops_in(state, act.power, act.space)
    if ally == NONE and state.known_troops(act.space):
        ally = shut_in_with_an_ally(state, act.power, act.space)
    return facts(variant="stuck", power=act.power, ally=ally, space=act.space)


@forbids("16.3", act=SetOut)
def npps_never_out_of_a_dead_end(state: State, act: SetOut) -> Facts | None:
    """The army of a non-player power sets out only if a place where it may end is in reach (16.2, 16.3)."""
    if not state.is_npp(act.power) or not _stuck_at(state, act):
        return None
    return facts(variant="stuck", power=act.power, space=act.space)


def _stuck_at(state: State, act: SetOut) -> bool:
    if not state.frames or not state.known_troops(act.space) or ends_legally(state, act.power, act.space):
        return False
    trial = Action(state, NoDice())
    activate(trial, Activate(act.power, act.leader, act.space, act.count, act.card))
    return stuck(trial.state, trial.state.frames[-1], (*ON_THE_WAY, AskPassage))  # Carthage may say no


def stuck(state: State, frame: Marching, idle: tuple[type, ...] = ()) -> bool:
    """Has an army under way, free to go on, nothing that would bring it to a legal end?"""
    if ends_legally(state, frame.power, frame.at):
        return False
    return not any(
        still_allowed(state, command)
        for kind, _, commands in _orders(state, frame)
        if kind not in (idle or ON_THE_WAY)
        for command in commands
    )


ON_THE_WAY = (PickUp, Drop, TakeLeader, LeaveLeader, Raid)
"""What an army does on its way without getting on."""


def ends_legally(state: State, power: int, space: int) -> bool:
    """May a movement of the power end there (15.3a, 16.2, 16.3)?"""
    if allied_troops_in(state, power, space) != NONE:
        return False
    if not state.is_npp(power) and shut_in_with_an_ally(state, power, space) != NONE:
        return False
    return not state.is_npp(power) or not allowed_end(state, power, space)


def legal_end_in_reach(state: State, power: int, space: int, points: int) -> bool:
    """Is there, from a space just entered with so many points left, a place where the movement may end?"""
    best = {space: points}
    queue = [space]
    while queue:
        here = queue.pop()
        if ends_legally(state, power, here):
            return True
        if enemy_outside(state, power, here) != NONE:
            continue  # the movement ends here, in battle
        for way in state.world.board.neighbours[here]:
            left = best[here] - step_cost(state, power, here, way.to)
            if left >= 0 and left > best.get(way.to, -1) and state.may_enter(way.to):
                if state.kinds[way.to] == BOX:
                    continue
                best[way.to] = left
                queue.append(way.to)
    return False


def entail_step(state: State, command: Step) -> Iterable[tuple[State, object]]:
    """Entering the space, and fighting whoever stands outside in it."""
    yield state, command
    frame = marching(state)
    if frame is None:
        return
    power = command.power
    left = frame.points
    if way_kind(state, power, frame.at, command.to) != NONE:
        left -= step_cost(state, power, frame.at, command.to, frame.road)
    yield state, LeaveSpace(power, frame.leader, frame.at, frame.count, frame.company)
    yield state, EnterSpace(power, command.to, frame.at, frame.count, left)
    yield from _fights(state, power, command.to)


def _fights(state: State, power: int, space: int) -> Iterable[tuple[State, object]]:
    enemy = enemy_outside(state, power, space)
    if enemy != NONE:
        yield state, Attack(power, enemy, space)


@forbids("f9.1", act=(Step, Halt), wide=True)
def only_an_army_under_way(state: State, act: Step | Halt) -> Facts | None:
    """There must be an army of that power under way, free to go on."""
    frame = marching(state)
    if frame is None or frame.power != act.power:
        return facts(variant="nobody", power=act.power)
    if frame.fought or frame.halted or frame.stage:
        return facts(variant="over", power=act.power)
    if isinstance(act, Step) and state.kinds[frame.at] != BOX and not _all_count(state, frame):
        return facts(variant="nobody", power=act.power)
    return None


def _all_count(state: State, frame: Marching) -> bool:
    return state.force(frame.power, frame.at).outside >= frame.count > 0


def entail_halt(state: State, command: Halt) -> Iterable[tuple[State, object]]:
    """Ending the movement where the army stands."""
    yield state, command
    frame = marching(state)
    if frame is not None:
        yield state, EndMovement(command.power, frame.at)


def entail_leaving(state: State, command: Drop | LeaveLeader) -> Iterable[tuple[State, object]]:
    """What is left on the way ends its movement there."""
    yield state, command
    frame = marching(state)
    if frame is not None:
        yield state, EndMovement(command.power, frame.at)


def entail_march(state: State, command: March) -> Iterable[tuple[State, object]]:
    """All steps of the way and its end, as if nobody reacted."""
    power = command.power
    yield from entail_leader(state, Activate(power, command.leader, command.start, command.count, command.card))
    here, left = command.start, movement_points(state, power, command.card)
    at = npp_moves(state, power)
    road = False
    if command.path:
        yield at, LeaveSpace(power, command.leader, here, command.count)
    for index, to in enumerate(command.path):
        if way_kind(state, power, here, to) != NONE:
            left -= step_cost(at, power, here, to, road)
            road = on_the_road(at, power, here, to)
        yield at, EnterSpace(power, to, here, command.count, left)
        fights = list(_fights(at, power, to))
        yield from fights
        if fights:
            if index + 1 < len(command.path):
                yield at, PassThrough(power, to)
            return
        here = to
    yield at, EndMovement(power, here)


def npp_moves(state: State, power: int) -> State:
    """The state as it is while a non-player power's army moves."""
    if not state.is_npp(power) or state.acting_npp != power:
        return state
    trial = Action(state, NoDice())
    begin_passing_alliance(trial, power)
    moved: State = trial.state
    return moved


@forbids("f8.3", act=(LeaveSpace, SailAct))
def no_consul_without_a_unit(state: State, act: LeaveSpace | SailAct) -> Facts | None:
    """No consul stays behind without a Roman CU; an army that flees by sea takes all along."""
    if act.power != ROM:
        return None
    if isinstance(act, SailAct) and act.leader == NONE:
        return None
    space = act.space if isinstance(act, LeaveSpace) else act.start
    frame = marching(state)
    company = act.company if isinstance(act, LeaveSpace) else frame.company if frame is not None else 0
    going = company | (1 << act.leader if act.leader != NONE else 0)
    leader = consul_left_alone(state, act.power, space, act.count, going)
    return None if leader == NONE else facts(power=act.power, leader=leader, space=space)


@forbids("f11.4", act=(Step, SailOn), wide=True)
def pursuit_comes_first(state: State, act: Step | SailOn) -> Facts | None:
    """After the enemy has avoided battle nobody goes on without a roll."""
    frame = marching(state)
    return facts(power=act.power) if frame is not None and frame.avoided and frame.power == act.power else None


@forbids("f11.4", act=Pursue)
def only_after_the_enemy_has_avoided(state: State, act: Pursue) -> Facts | None:
    """There must be somebody who has avoided battle."""
    frame = marching(state)
    ready = frame is not None and frame.power == act.power and frame.avoided and not frame.halted and not frame.fought
    return None if ready else facts(variant="nobody", power=act.power)


@carries_out(Pursue)
def pursue(action: Action, command: Pursue) -> None:
    """A die not above the leader's tactics lets the army go on."""
    frame: Marching = action.state.frames[-1]
    (die,) = action.roll("pursuit", 1)
    success = die <= tactics(action.state, frame.leader)
    action.emit(Pursued(frame.power, frame.at, success))
    action.change(avoided=False, halted=not success)


# taking up and leaving CU and leaders on the way (8.2, 9.1)


@forbids("f9.1", act=(PickUp, Drop, TakeLeader, LeaveLeader), wide=True)
def only_on_the_way(state: State, act: PickUp | Drop | TakeLeader | LeaveLeader) -> Facts | None:
    """An army of that power is under way, free to go on; CU are taken up or left once in a space."""
    frame = marching(state)
    if frame is None or frame.power != act.power:
        return facts(variant="nobody", power=act.power)
    if frame.fought or frame.halted or frame.stage or frame.flanking != NONE:
        return facts(variant="over", power=act.power)
    if isinstance(act, (PickUp, Drop)):
        if not frame.moved:
            return facts(variant="set_out", power=act.power)
        if frame.shifted:
            return facts(variant="shifted", power=act.power, space=frame.at)
    return None


@forbids("f9.1", act=(PickUp, Drop))
def how_many_join_or_stay(state: State, act: PickUp | Drop) -> Facts | None:
    """Ten CU at the most go with a leader, and one at the least."""
    frame = marching(state)
    if frame is None:
        return None
    if isinstance(act, Drop):
        if 1 <= act.count < frame.count:
            return None
        return facts(variant="leave", power=act.power, space=frame.at, count=act.count)
    others = state.force(frame.power, frame.at).outside - frame.count
    if 1 <= act.count <= min(others, int(state.world.tables["movement"]["army"]) - frame.count):
        return None
    return facts(variant="take", power=act.power, space=frame.at, count=act.count)


def entail_drop(state: State, command: Drop) -> Iterable[tuple[State, object]]:
    """Leaving CU behind, whose movement ends there."""
    yield state, command
    frame = marching(state)
    if frame is not None:
        yield state, EndMovement(command.power, frame.at)


def entail_left_behind(state: State, command: Drop | LeaveLeader) -> Iterable[tuple[State, object]]:
    """Leaving CU or a leader on the way: their movement ends there."""
    yield state, command
    frame = marching(state)
    if frame is not None:
        yield state, EndMovement(command.power, frame.at)


@carries_out(PickUp)
def pick_up(action: Action, command: PickUp) -> None:
    """The CU go on with the army."""
    state: State = action.state
    frame: Marching = state.frames[-1]  # type: ignore[assignment]
    spent = points_spent_before(state, frame.power, frame.at, command.count, frame.count)
    points = frame.points
    if spent:
        points = max(0, min(points, points_for_units_used_twice(state, frame.power) - spent))
    action.change(count=frame.count + command.count, shifted=True, points=points, spent=max(frame.spent, spent))


@carries_out(Drop)
def drop(action: Action, command: Drop) -> None:
    """The CU stay where they are."""
    frame: Marching = action.state.frames[-1]
    dropped = (*frame.dropped, (frame.at, command.count, frame.spent))
    action.change(count=frame.count - command.count, shifted=True, dropped=dropped)


@forbids("f8.2", act=TakeLeader)
def who_goes_along(state: State, act: TakeLeader) -> Facts | None:
    """A leader who stands with the army; no named leader under a minor one."""
    frame = marching(state)
    if frame is None:
        return None
    mask = 1 << act.leader
    there = state.leader_at[act.leader] == frame.at and state.world.leaders[act.leader].power == act.power
    if not there or state.leader_inside & mask or act.leader == frame.leader or (frame.company | frame.turned) & mask:
        return facts(variant="absent", power=act.power, leader=act.leader)
    if state.world.leaders[act.leader].named and not state.world.leaders[frame.leader].named:
        return facts(leader=act.leader)
    return None


@forbids("f8.2", act=LeaveLeader)
def who_stays_behind(state: State, act: LeaveLeader) -> Facts | None:
    """A leader who goes along and was not taken along in this very space."""
    frame = marching(state)
    if frame is None:
        return None
    if frame.company >> act.leader & 1 and not frame.turned >> act.leader & 1:
        return None
    return facts(variant="not_along", power=act.power, leader=act.leader)


@forbids("f8.3", act=LeaveLeader)
def no_consul_is_left_alone(state: State, act: LeaveLeader) -> Facts | None:
    """A consul who stays needs a Roman CU that stays with him."""
    frame = marching(state)
    if frame is None:
        return None
    going = (frame.company | 1 << frame.leader) & ~(1 << act.leader)
    leader = consul_left_alone(state, frame.power, frame.at, frame.count, going)
    return None if leader == NONE else facts(power=act.power, leader=leader, space=frame.at)


@carries_out(TakeLeader)
def take_leader(action: Action, command: TakeLeader) -> None:
    """He goes along as a subordinate."""
    frame: Marching = action.state.frames[-1]
    action.change(company=frame.company | 1 << command.leader, turned=frame.turned | 1 << command.leader)


@carries_out(LeaveLeader)
def leave_leader(action: Action, command: LeaveLeader) -> None:
    """He stays."""
    frame: Marching = action.state.frames[-1]
    action.change(company=frame.company & ~(1 << command.leader), turned=frame.turned | 1 << command.leader)


@forbids("f8.2", act=(Besiege, Liberate, Subjugate))
def no_siege_under_a_minor_leader(state: State, act: Besiege | Liberate | Subjugate) -> Facts | None:
    """Where a named leader stands a minor one does not command, and so does not press the siege."""
    frame = marching(state)
    if frame is None or frame.power != act.power or frame.at != act.space:
        return None
    if state.world.leaders[frame.leader].named:
        return None
    above = [one for one in state.leaders_in(act.space, act.power) if state.world.leaders[one].named]
    if not any(not state.leader_inside >> one & 1 for one in above):
        return None
    return facts(variant="siege", power=act.power, leader=frame.leader, space=act.space)


@carries_out(March)
def march(action: Action, command: March) -> None:
    """Activate, then go by plan; whoever may react is asked on the way."""
    activate(action, Activate(command.power, command.leader, command.start, command.count, command.card))
    action.change(plan=command.path, planned=True)


@carries_out(Step)
def step(action: Action, command: Step) -> None:
    """The army enters the space."""
    state: State = action.state
    frame: Marching = state.frames[-1]  # type: ignore[assignment]
    power, start, to = frame.power, frame.at, command.to
    cost = step_cost(state, power, start, to, frame.road)
    end_bribe(action)
    action.emit(UnitsMoved(power, start, to, frame.count))
    for leader in (frame.leader, *bits(frame.company)):
        action.emit(LeaderMoved(leader, to))
    check_siege(action, start)
    action.change(
        at=to,
        came=start,
        points=frame.points - cost,
        spent=frame.spent + cost,
        stage=1,
        moved=frame.moved + 1,
        sea=False,
        plan=frame.plan[1:],
        road=on_the_road(state, power, start, to),
        shifted=False,
        turned=0,
    )


@carries_out(Halt)
def halt(action: Action, command: Halt) -> None:
    """The movement ends."""
    action.change(halted=True)


@carries_out(EndMovement)
def end_movement(action: Action, command: EndMovement) -> None:
    """On a sketch: what ending a movement there brings."""
    begin_siege(action, command.power, command.space)


def _march_awaits(state: State, frame: Marching) -> tuple[Decision, ...]:
    if frame.stage or frame.fought or frame.halted or frame.planned or stuck(state, frame):
        return ()
    return asked(state, frame.power, "march", "f9.1", facts(power=frame.power, space=frame.at, points=frame.points))


def _march_candidates(state: State, frame: Marching, seat: int) -> Iterable[Group]:
    if seat_deciding(state, frame.power) != seat:
        return
    if must_name(state, frame.power):
        yield from names_for(state, frame.power, seat)
    else:
        yield from _orders(state, frame)


def _orders(state: State, frame: Marching) -> Iterable[Group]:
    power = frame.power
    yield Step, power, [Step(power, way.to) for way in state.world.board.neighbours[frame.at]]
    yield Halt, power, (Halt(power),)
    if frame.avoided:
        yield Pursue, power, (Pursue(power),)
    others = state.force(power, frame.at).outside - frame.count
    if frame.moved and not frame.shifted:
        yield PickUp, power, [PickUp(power, count) for count in range(1, others + 1)]
        yield Drop, power, [Drop(power, count) for count in range(1, frame.count)]
    along = frame.company | 1 << frame.leader
    leaders = [leader for leader in state.leaders_in(frame.at, power) if not along >> leader & 1]
    yield TakeLeader, power, [TakeLeader(power, leader) for leader in leaders]
    yield LeaveLeader, power, [LeaveLeader(power, leader) for leader in bits(frame.company)]
    if state.world.board.ports[frame.at] and frame.points >= int(state.world.tables["movement"]["sea"]):
        ports = [port for port in bits(state.world.board.port_mask) if port != frame.at]
        yield SailOn, power, [SailOn(power, port) for port in ports]
        if state.world.players == 5 and power != CAR and state.are_allied(power, CAR):
            yield AskPassage, power, [AskPassage(power, port) for port in ports]
    if state.world.players == 5 and power == CAR and state.kinds[frame.at] == BOX:
        yield AttackUnrest, power, (AttackUnrest(power),)
    if not frame.moved:
        kind = state.kinds[frame.at]
        if kind == CITY:
            yield Besiege, power, (Besiege(power, frame.at),)
            yield Liberate, power, (Liberate(power, frame.at),)
        elif kind == TRIBE:
            yield Subjugate, power, (Subjugate(power, frame.at),)
        if power == ROM:
            yield FoundColony, power, (FoundColony(power, frame.at),)
    if power in (GAL, TRA):
        yield Raid, power, (Raid(power, frame.at),)


def _march_proceed(action: Action, frame: Marching) -> None:
    state: State = action.state
    if frame.stage == 1 and not frame.gates:
        action.change(gates=True)
        ask_the_city(action, frame)
        return
    if frame.stage == 1:
        action.change(stage=2)
        ask_interceptions(action, frame)
        return
    if frame.stage == 2:
        _meet(action, frame)
        return
    if frame.fought or frame.halted:
        _finish_march(action, frame)
        return
    if frame.flanking != NONE and not frame.plan:
        action.change(planned=False, halted=True)
        return
    if frame.avoided and frame.planned and frame.plan:
        action.change(planned=False, plan=())  # the pursuit takes a roll
        return
    if not frame.plan:  # the way is at its end, or there is nothing that the army may do
        action.change(planned=False, halted=not frame.planned or ends_legally(state, frame.power, frame.at))
        return
    command = Step(frame.power, frame.plan[0])
    if all(_clear(act_state, act) for act_state, act in entail_step(state, command)):
        step(action, command)
    else:
        action.change(planned=False, plan=())


def _clear(state: State, act: object) -> bool:
    """Is a planned step still allowed after what happened on the way?"""
    return still_allowed(state, act)


def _meet(action: Action, frame: Marching) -> None:
    """Whoever stands in the space: enemies outside are fought, allies are passed, lone leaders are displaced."""
    state: State = action.state
    power, space = frame.power, frame.at
    mine = state.force(power, space).outside
    if mine < frame.count or not mine:
        action.change(stage=0, halted=True, count=min(frame.count, mine))
        return
    action.change(stage=0, gates=False)
    enemy = enemy_outside(state, power, space)
    if enemy != NONE:
        action.change(fought=True)
        attack_kind = Attacked(enemy, power, space, frame.came, frame.count, frame.leader)
        action.push(with_flank(action.state, attack_kind))
        return
    for force in state.troops(space):
        if force.power != power and may_pass(state, power, force.power):
            action.emit(PassedThrough(power, force.power, space))
    displace_lone(action, space)


def _finish_march(action: Action, frame: Marching) -> None:
    power = frame.power
    end_bribe(action)
    if not action.state.known_troops(frame.at) or action.state.force(power, frame.at).outside:
        begin_siege(action, power, frame.at)
    for left in frame.dropped:
        begin_siege(action, power, left[0])
    for space, besieger in enumerate(action.state.besieged_by):
        if besieger >= 0:
            check_siege(action, space)
    if action.state.leader_at[frame.leader] == frame.at:
        take_command(action, who_commands_after(action.state, frame.leader))
    action.pop()
    _note_in_campaign(action, frame)
    if action.state.is_npp(power):
        end_passing_alliance(action, power)
    check_carthago(action)
    displace_all_lone(action)


def _note_in_campaign(action: Action, frame: Marching) -> None:
    """The campaign remembers where CU have come to, by how many points, and where the flanking force stands."""
    state: State = action.state
    campaign = state.frames[-1] if state.frames else None
    if not isinstance(campaign, Campaign):
        return
    count = min(frame.count, state.force(frame.power, frame.at).outside)
    if frame.founded:
        action.change(used=campaign.used & ~(1 << frame.leader))  # he may act once more (facts 9.5)
    trail = (*campaign.trail, *frame.dropped, *(((frame.at, count, frame.spent),) if count and frame.spent else ()))
    if trail != campaign.trail:
        action.change(trail=trail)
    if frame.flanking != NONE and count and way_kind(state, frame.power, frame.at, frame.flanking) != NONE:
        action.change(flank=frame.power, flank_space=frame.at, flank_count=count, flank_battle=frame.flanking)


MARCHING = Flow(Marching, _march_awaits, _march_candidates, _march_proceed)


# inside and outside a city (9.3)


@forbids("f9.3", act=GoInside)
def three_units_inside(state: State, act: GoInside) -> Facts | None:
    """At most three CU inside a city of one's own or a friendly one (ruling `ally_city_limit` for a guest's)."""
    if state.kinds[act.space] != CITY:
        return facts(variant="kind", power=act.power, space=act.space)
    if not is_friendly(state, act.power, act.space):
        return facts(variant="not_ally", power=act.power, owner=state.owner_of(act.space), space=act.space)
    if known_absent(state, act.power, act.space):
        return facts(variant="no_units", power=act.power, space=act.space)
    forces = state.forces[act.space]
    if forces and forces[0].power == UNKNOWN:
        return None
    own = state.force(act.power, act.space)
    inside = own.inside if state.ruling("ally_city_limit") == "three_each" else sum(f.inside for f in forces)
    most = int(state.world.tables["movement"]["inside"])
    if inside + act.count > most:
        return facts(power=act.power, space=act.space, count=most)
    if act.count > own.outside or act.count < 1:
        return facts(variant="no_units", power=act.power, space=act.space)
    return None


@forbids("f21.2", act=GoInside)
def the_way_is_barred(state: State, act: GoInside) -> Facts | None:
    """A response has barred the way into the city, for this attack."""
    frame = state.frames[-1] if state.frames else None
    barred = isinstance(frame, Gates) and frame.barred and frame.space == act.space
    return facts(power=act.power, space=act.space) if barred else None


@effect("f21.2", otherwise=False)
def cities_can_be_barred(state: State) -> bool:
    """Whoever goes inside when he is attacked may be stopped by a response."""
    return True


@carries_out(GoInside)
def go_inside(action: Action, command: GoInside) -> None:
    """The CU go inside, unless somebody bars the way."""
    state: State = action.state
    frame = state.frames[-1] if state.frames else None
    if isinstance(frame, Gates) and cities_can_be_barred(state):
        if open_window(action, "city", seat_deciding(state, command.power), command):
            return
    enter_city(action, command)


def enter_city(action: Action, command: GoInside) -> None:
    """The CU stand inside, and leaders with the last of them."""
    state: State = action.state
    action.emit(PutInside(command.power, command.space, command.count))
    if not action.state.force(command.power, command.space).outside:
        for leader in state.leaders_in(command.space, command.power):
            action.emit(LeaderMoved(leader, command.space, True))
    frame = action.state.frames[-1] if action.state.frames else None
    if isinstance(frame, Gates):
        action.change(answered=True)


# Campaign (9.5)


@forbids("9.5.6", act=Flank)
def how_a_flanking_force_stands(state: State, act: Flank) -> Facts | None:
    """It reaches a space beside the battle by another way than the primary army's, and stays there."""
    if way_kind(state, act.ally, act.to, act.battle) == NONE:
        return facts(variant="not_beside", power=act.power, ally=act.ally, space=act.battle, start=act.to)
    if state.known_troops(act.battle) and enemy_outside(state, act.power, act.battle) in (NONE, act.ally):
        return facts(variant="no_enemy", power=act.power, space=act.battle)
    frame = state.frames[-1] if state.frames else None
    if isinstance(frame, Campaign):
        if frame.flank != NONE or frame.left < 1:
            return facts(variant="used", power=act.power, ally=act.ally)
    elif any(isinstance(one, Campaign) for one in state.frames):
        return facts(variant="under_way", power=act.power, ally=act.ally)
    elif state.frames or not state.sketched:
        return facts(variant="no_campaign", power=act.power, ally=act.ally)
    if known_absent(state, act.ally, act.start):
        return facts(variant="no_units", power=act.power, ally=act.ally, start=act.start)
    forces = state.forces[act.start]
    if not (forces and forces[0].power == UNKNOWN):
        force = state.force(act.ally, act.start)
        if act.count < 0 or act.count > force.outside or not force.outside or commander(state, act.ally, act.start) < 0:
            return facts(variant="no_units", power=act.power, ally=act.ally, start=act.start)
    if act.to != act.start and enemy_outside(state, act.ally, act.to) != NONE:
        return None  # 15.3a says why not
    if act.to not in within_reach(state, act.ally, act.start, movement_points(state, act.ally, NONE)):
        return facts(variant="too_far", power=act.power, ally=act.ally, start=act.start)
    return None


@forbids("f15.33", act=Flank)
def whose_army_flanks(state: State, act: Flank) -> Facts | None:
    """Facts 15.33: one's own army or an ally's; treaty Carthage stays within its limits (16.3)."""
    if act.ally != act.power and not state.are_allied(act.power, act.ally):
        return facts(power=act.power, ally=act.ally)
    if act.ally != act.power and state.is_npp(act.ally):
        rule = allowed_end(state, act.ally, act.to)
        if rule:
            return facts(variant="limits", power=act.power, ally=act.ally, space=act.to)
    return None


@forbids("15.3a", act=Flank)
def a_flanking_force_does_not_stack(state: State, act: Flank) -> Facts | None:
    """Where it stays nobody else stands."""
    other = allied_troops_in(state, act.ally, act.to)
    if other == NONE and act.to != act.start:
        other = enemy_outside(state, act.ally, act.to)
    return None if other == NONE else facts(variant="flank", power=act.ally, ally=other, space=act.to)


def within_reach(state: State, power: int, start: int, points: int) -> dict[int, int]:
    """The spaces that an army reaches past no enemy, each with the movement points of the cheapest way."""
    key = (state.forces, state.allies, state.unsure, state.appian_way, state.rulings)
    return kept(state, ("reach", power, start, points), key, lambda: _find_reach(state, power, start, points))


def _find_reach(state: State, power: int, start: int, points: int) -> dict[int, int]:
    ways, existing, costs = ways_of(state, power), state.world.existing, _costs(state)
    plain = not state.appian_way and not extra_cost_of_passing(state)
    enemies = NONE if outside_masks(state)[-1] else held_by_enemies(state, power)
    best = {start: 0}
    queue = [start]
    while queue:
        here = queue.pop(0)
        so_far = best[here]
        for to, kind in ways[here].items():
            if enemies >> to & 1 if enemies != NONE else enemy_outside(state, power, to) != NONE:
                continue
            cost = so_far + (costs[kind] if plain and kind in (CLEAR, ROUGH) else step_cost(state, power, here, to))
            if cost <= points and cost < best.get(to, 99) and existing[to]:
                best[to] = cost
                queue.append(to)
    return best


@carries_out(Flank)
def flank(action: Action, command: Flank) -> None:
    """One's own army goes at once; an ally is asked for his consent, treaty Carthage always gives it."""
    if command.count == 0:
        action.push(FlankSize(command.power, command.ally, command.start, command.to, command.battle))
        return
    if command.ally == command.power or action.state.is_npp(command.ally):
        bring_flank(action, command.ally, command.start, command.to, command.count, command.battle)
        return
    action.push(AskConsent(command.power, command.ally, command.start, command.to, command.count, command.battle))


def _muster_awaits(state: State, frame: Mustering) -> tuple[Decision, ...]:
    if frame.answered:
        return ()
    return asked(state, frame.power, "muster", "f9.1", facts(power=frame.power, leader=frame.leader, space=frame.space))


def _muster_candidates(state: State, frame: Mustering, seat: int) -> Iterable[Group]:
    if seat_deciding(state, frame.power) == seat and not frame.answered:
        if must_name(state, frame.power):
            yield from names_for(state, frame.power, seat)
            return
        force = state.force(frame.power, frame.space)
        most = min(force.outside + force.inside, int(state.world.tables["movement"]["army"]))
        yield SendUnits, frame.power, [SendUnits(frame.power, count) for count in range(most, 0, -1)]


def _muster_proceed(action: Action, frame: Mustering) -> None:
    action.pop()


MUSTERING = Flow(Mustering, _muster_awaits, _muster_candidates, _muster_proceed)


def _flank_size_awaits(state: State, frame: FlankSize) -> tuple[Decision, ...]:
    if frame.answered:
        return ()
    why = facts(power=frame.power, ally=frame.ally, start=frame.start)
    return (Decision(state.controller[frame.power], frame.power, "flank_size", "f9.6", why),)


def _flank_size_candidates(state: State, frame: FlankSize, seat: int) -> Iterable[Group]:
    if seat == state.controller[frame.power] and not frame.answered:
        most = min(state.force(frame.ally, frame.start).outside, int(state.world.tables["movement"]["army"]))
        yield SendUnits, frame.power, [SendUnits(frame.power, count) for count in range(most, 0, -1)]


def _flank_size_proceed(action: Action, frame: FlankSize) -> None:
    action.pop()


FLANK_SIZE = Flow(FlankSize, _flank_size_awaits, _flank_size_candidates, _flank_size_proceed)


@forbids("f9.1", act=SendUnits)
def how_many_set_out(state: State, act: SendUnits) -> Facts | None:
    """One CU at the least, ten at the most, and no more than stand there."""
    frame = state.frames[-1] if state.frames else None
    most = int(state.world.tables["movement"]["army"])
    if isinstance(frame, FlankSize) and frame.power == act.power and not frame.answered:
        if 1 <= act.count <= min(state.force(frame.ally, frame.start).outside, most):
            return None
    if isinstance(frame, Mustering) and frame.power == act.power and not frame.answered:
        force = state.force(frame.power, frame.space)
        if 1 <= act.count <= min(force.outside + force.inside, most):
            return None
    return facts(variant="size", power=act.power, count=act.count)


def entail_send(state: State, command: SendUnits) -> Iterable[tuple[State, object]]:
    """Saying how many, and bringing the flanking force of that size."""
    yield state, command
    frame = state.frames[-1] if state.frames else None
    if isinstance(frame, Mustering):
        yield state, UseLeader(frame.power, frame.leader, frame.space, command.count)
    if isinstance(frame, FlankSize):
        yield _below(state), Flank(frame.power, frame.ally, frame.start, frame.to, max(1, command.count), frame.battle)


def _below(state: State) -> State:
    return replace(state, frames=state.frames[:-1])


@carries_out(SendUnits)
def send_units(action: Action, command: SendUnits) -> None:
    """The army sets out; the flanking force goes, or its owner is asked."""
    frame: FlankSize | Mustering = action.state.frames[-1]
    action.pop()
    if isinstance(frame, Mustering):
        _set_out(action, Activate(frame.power, frame.leader, frame.space, command.count, frame.card))
        return
    flank.function(action, Flank(frame.power, frame.ally, frame.start, frame.to, command.count, frame.battle))


def bring_flank(action: Action, power: int, start: int, to: int, count: int, battle: int) -> None:
    """The flanking force stands beside the battle to come."""
    state: State = action.state
    if start != to:
        leader = commander(state, power, start)
        if isinstance(state.frames[-1] if state.frames else None, Campaign) and leader != NONE:
            _march_to_the_flank(action, power, leader, start, to, count, battle)
            return
        action.emit(UnitsMoved(power, start, to, count))
        if leader != NONE:
            action.emit(LeaderMoved(leader, to))
        check_siege(action, start)
    frame = action.state.frames[-1] if action.state.frames else None
    if isinstance(frame, Campaign):
        leader = commander(state, power, to)
        used = frame.used | (1 << leader if leader != NONE else 0)
        action.change(
            flank=power, flank_space=to, flank_count=count, flank_battle=battle, left=frame.left - 1, used=used
        )


def _march_to_the_flank(action: Action, power: int, leader: int, start: int, to: int, count: int, battle: int) -> None:
    """It goes the cheapest way, where it may be intercepted (facts 9.6), and stays beside the battle."""
    state: State = action.state
    frame: Campaign = state.frames[-1]  # type: ignore[assignment]
    points = movement_points(state, power, NONE)
    action.change(left=frame.left - 1, used=frame.used | 1 << leader)
    path = cheapest_way(state, power, start, to, points)
    action.push(Marching(power, leader, count, start, NONE, points, plan=path, planned=True, flanking=battle))


def cheapest_way(state: State, power: int, start: int, to: int, points: int) -> tuple[int, ...]:
    """The spaces of the cheapest way past no enemy, without the first."""
    best = within_reach(state, power, start, points)
    path = [to]
    while path[-1] != start:
        here = path[-1]
        before = [
            space
            for space in best
            if space != here
            and way_kind(state, power, space, here) != NONE
            and best[space] + step_cost(state, power, space, here) == best.get(here, -1)
        ]
        if not before:
            return (to,)
        path.append(min(before, key=lambda space: (best[space], space)))
    return tuple(reversed(path[:-1]))


@forbids("f8.3", act=Flank)
def no_consul_stays_behind_a_flank(state: State, act: Flank) -> Facts | None:
    """The flanking force leaves no other consul without a Roman CU."""
    leader = commander(state, act.ally, act.start) if act.start != act.to else NONE
    count = max(1, act.count)
    left = consul_left_alone(state, act.ally, act.start, count, 1 << leader) if leader != NONE else NONE
    return None if left == NONE else facts(power=act.ally, leader=left, space=act.start)


def _consent_awaits(state: State, frame: AskConsent) -> tuple[Decision, ...]:
    if frame.answer:
        return ()
    why = facts(power=frame.ally, by=frame.asking, space=frame.battle)
    return asked(state, frame.ally, "consent", "f15.33", why)


def _consent_candidates(state: State, frame: AskConsent, seat: int) -> Iterable[Group]:
    if seat_deciding(state, frame.ally) == seat:
        yield Consent, frame.ally, (Consent(frame.ally, frame.asking),)
        yield RefuseConsent, frame.ally, (RefuseConsent(frame.ally, frame.asking),)


def _consent_proceed(action: Action, frame: AskConsent) -> None:
    action.pop()
    if frame.answer == "yes":
        bring_flank(action, frame.ally, frame.start, frame.to, frame.count, frame.battle)


CONSENT = Flow(AskConsent, _consent_awaits, _consent_candidates, _consent_proceed)


@forbids("f15.33", act=(Consent, RefuseConsent))
def only_an_asked_ally_consents(state: State, act: Consent | RefuseConsent) -> Facts | None:
    """The ally must have been asked."""
    frame = state.frames[-1] if state.frames else None
    if isinstance(frame, AskConsent) and (frame.ally, frame.asking) == (act.power, act.ally):
        return None
    return facts(variant="not_asked", power=act.power, ally=act.ally)


@permits("f15.33", act=RefuseConsent)
def refusing_breaks_nothing(state: State, act: RefuseConsent) -> Facts | None:
    """Refusal does not break the alliance."""
    return facts(variant="refuse", power=act.power, ally=act.ally)


@carries_out(Consent)
def consent(action: Action, command: Consent) -> None:
    """The ally's army comes."""
    action.change(answer="yes")


@carries_out(RefuseConsent)
def refuse_consent(action: Action, command: RefuseConsent) -> None:
    """It does not; the alliance stays."""
    action.change(answer="no")


def _campaign_awaits(state: State, frame: Campaign) -> tuple[Decision, ...]:
    if frame.left < 1:
        return ()
    power = state.powers_of(frame.seat)[0]
    return (Decision(frame.seat, power, "campaign", "f9.5", facts(power=power, left=frame.left)),)


def _campaign_candidates(state: State, frame: Campaign, seat: int) -> Iterable[Group]:
    if seat != frame.seat or frame.left < 1:
        return
    for power in state.powers_of(seat):
        yield Activate, power, activations(state, power)
        yield Sortie, power, sorties(state, power)
        yield Flank, power, flanks(state, power)
    powers = state.powers_of(seat)
    for power in powers:
        yield Done, power, (Done(power),)


def flanks(state: State, power: int) -> list[Flank]:
    """Every army of one's own or of an ally's that reaches a space beside an enemy army."""
    board = state.world.board
    found: list[Flank] = []
    enemies: dict[int, int] = {}
    for ally in range(IND):
        if ally != power and not state.are_allied(power, ally):
            continue
        for start in bits(outside_masks(state)[ally]):
            if not state.leaders_in(start, ally):
                continue
            for to in within_reach(state, ally, start, movement_points(state, ally, NONE)):
                for way in board.neighbours[to]:
                    battle = way.to
                    if battle not in enemies:
                        enemies[battle] = enemy_outside(state, power, battle)
                    if enemies[battle] not in (NONE, ally):
                        found.append(Flank(power, ally, start, to, 0, battle))
    return found


def _campaign_proceed(action: Action, frame: Campaign) -> None:
    action.pop()


CAMPAIGN = Flow(Campaign, _campaign_awaits, _campaign_candidates, _campaign_proceed)
