"""The Garrison box and the unrest in Carthage's lands beyond the map, five players (19, 20)."""

from __future__ import annotations

from collections.abc import Iterable

from foedus.games.sword_of_rome.battle import AUTOMATIC, force_ratio, losses, own_losses
from foedus.games.sword_of_rome.carthage import place
from foedus.games.sword_of_rome.commands import AttackUnrest, PlayCard, RaiseUnrest, SpendOnUnrest
from foedus.games.sword_of_rome.events import UnitsRemoved, UnrestChanged, UnrestFought
from foedus.games.sword_of_rome.frames import Activation, Campaign, Marching, Spoils
from foedus.games.sword_of_rome.hands import lay_down
from foedus.games.sword_of_rome.leaders import displace, tactics
from foedus.games.sword_of_rome.state import CAR, S_CAR, State
from foedus.games.sword_of_rome.support import spend_spoil
from foedus.kernel.flow import Action, carries_out
from foedus.kernel.rules import Facts, effect, facts, forbids
from foedus.kernel.unknown import NONE, UNKNOWN, Unknown

MOST = 10


def garrison(state: State) -> int:
    """CU of Carthage in the Garrison box."""
    box = place(state, "garrison")
    return state.force(CAR, box).outside if box != NONE else 0


@effect("f19.5", otherwise=MOST)
def limit(state: State) -> int:
    """How high unrest may be raised: 10, less the CU in the Garrison box."""
    return max(0, MOST - garrison(state))


def level(state: State) -> int:
    """The level of unrest. Raises `Unknown`."""
    if state.unrest == UNKNOWN:
        raise Unknown("unrest", (), ())
    return state.unrest


@effect("f19.8", otherwise=0)
def points_lost(state: State, seat: int) -> int:
    """Victory points that Carthage loses in the Scoring Phase: one for every three levels of unrest."""
    return level(state) // 3 if state.world.players == 5 and seat == S_CAR else 0


# raising it by an activation card


@forbids("f19.4", act=RaiseUnrest)
def who_raises_unrest(state: State, act: RaiseUnrest) -> Facts | None:
    """Five players, while active, by a card of any deck but the Carthaginian, once a round."""
    if state.world.players != 5 or state.controller[act.power] == S_CAR:
        return facts(power=act.power)
    frame = state.frames[-1] if state.frames else None
    between = isinstance(frame, Activation) or (frame is None and state.sketched)
    if not between or not state.is_active(act.power):
        return facts(variant="not_now", power=act.power)
    if state.activated > 0 and state.activated >> CAR & 1:
        return facts(variant="again", power=act.power)
    return None


@forbids("f19.5", act=RaiseUnrest)
def not_above_the_limit(state: State, act: RaiseUnrest) -> Facts | None:
    """Nor higher than the garrison lets it rise."""
    return facts(power=act.power, count=limit(state)) if level(state) >= limit(state) else None


def entail_raise(state: State, command: RaiseUnrest) -> Iterable[tuple[State, object]]:
    """Raising it, and the card it takes."""
    yield state, command
    yield state, PlayCard(command.power, command.card, "activation" if command.card >= 0 else "")


@carries_out(RaiseUnrest)
def raise_unrest(action: Action, command: RaiseUnrest) -> None:
    """One level; the marker lies on the round track until the next round. The one card play is not used up."""
    state: State = action.state
    if command.card >= 0:
        lay_down(action, state.controller[command.power], command.card, "event")
    action.emit(UnrestChanged(state.unrest + 1, "f19.4", True))


# battles won and lost on the map


@forbids("f19.6", act=SpendOnUnrest)
def what_a_battle_does_to_unrest(state: State, act: SpendOnUnrest) -> Facts | None:
    """Points of a won battle: Carthage lowers unrest by them."""
    spoils = _spoils(state, act)
    if spoils is None:
        return facts(power=act.power)
    if act.power == CAR:
        return facts(variant="none", power=act.power) if not level(state) else None
    return None


@forbids("f19.7", act=SpendOnUnrest)
def who_beat_carthage_raises_unrest(state: State, act: SpendOnUnrest) -> Facts | None:
    """Who has beaten Carthage raises it, within the limit."""
    spoils = _spoils(state, act)
    if spoils is None or act.power == CAR:
        return None
    if CAR not in (spoils.loser, spoils.other):
        return facts(power=act.power)
    return facts(variant="limit", power=act.power, count=limit(state)) if level(state) >= limit(state) else None


def _spoils(state: State, act: SpendOnUnrest) -> Spoils | None:
    frame = state.frames[-1] if state.frames else None
    if state.world.players == 5 and isinstance(frame, Spoils) and frame.winner == act.power and frame.points > 0:
        return frame
    return None


@carries_out(SpendOnUnrest)
def spend_on_unrest(action: Action, command: SpendOnUnrest) -> None:
    """One level for one point."""
    lower = command.power == CAR
    action.emit(UnrestChanged(action.state.unrest + (-1 if lower else 1), "f19.6" if lower else "f19.7"))
    spend_spoil(action)


# attacking it


@forbids("f19.9", act=AttackUnrest)
def who_attacks_unrest(state: State, act: AttackUnrest) -> Facts | None:
    """Five players: an activated army of Carthage in the Garrison box, with a movement point left."""
    frame = state.frames[-1] if state.frames else None
    if state.world.players != 5 or act.power != CAR:
        return facts(power=act.power)
    if not isinstance(frame, Marching) or frame.power != CAR or frame.at != place(state, "garrison"):
        return facts(variant="box", power=act.power)
    if frame.fought or frame.halted or frame.stage or frame.points < 1:
        return facts(variant="over", power=act.power)
    return None if level(state) else facts(variant="none", power=act.power)


@forbids("f19.11", act=AttackUnrest)
def no_units_twice(state: State, act: AttackUnrest) -> Facts | None:
    """A Campaign allows two attacks, with different leaders and no CU in both."""
    frame = state.frames[-1] if state.frames else None
    campaign = next((one for one in reversed(state.frames) if isinstance(one, Campaign)), None)
    if not isinstance(frame, Marching) or campaign is None or not campaign.struck:
        return None
    fresh = garrison(state) - campaign.struck
    return facts(power=act.power, count=max(0, fresh)) if frame.count > fresh else None


@effect("f19.3", otherwise=1)
def friendly_ground(state: State) -> int:
    """Neither side has the bonus for friendly ground in a fight against unrest."""
    return 0


@carries_out(AttackUnrest)
def attack_unrest(action: Action, command: AttackUnrest) -> None:
    """A battle against tactics 0 and as many CU as the level; what it is worth must go on the unrest (facts 20.10)."""
    state: State = action.state
    march: Marching = state.frames[-1]  # type: ignore[assignment]
    count, size = march.count, level(state)
    action.change(halted=True, points=march.points - 1)
    bonus = penalty = 0
    if count > size:
        bonus = force_ratio(state, count, size)
    elif size > count:
        penalty = force_ratio(state, size, count)
    if bonus == AUTOMATIC:
        action.emit(UnrestFought(march.leader, count, size, 0, 0, True, 0, size))
        action.emit(UnrestChanged(0, "f19.9"))
    elif penalty == AUTOMATIC:
        _lost(action, march, size, 0, 0, count)
    else:
        ours, theirs = action.roll("battle, attacker", 3), action.roll("battle, defender", 3)
        total = sum(ours) + bonus + tactics(state, march.leader) + friendly_ground(state)
        against = sum(theirs) + penalty
        if total > against:
            inflicted = losses(state, ours, count, True) + own_losses(state, theirs)
            points = (inflicted + 1) // 2
            lost = min(count, losses(state, theirs, size, False))
            action.emit(UnrestFought(march.leader, count, size, total, against, True, lost, points))
            _remove(action, march, lost)
            action.emit(UnrestChanged(max(0, size - won_points(state, points, size)), "f19.10"))
        else:
            _lost(action, march, size, total, against, losses(state, theirs, size, True) + own_losses(state, ours))
    lost = garrison(state) - garrison(action.state)
    action.change(count=count - lost)
    _note_campaign(action, count - lost)


@effect("f19.10", otherwise=0)
def won_points(state: State, points: int, size: int) -> int:
    """All support gained must lower (or raise) the unrest; what is left over is lost."""
    return points


def _lost(action: Action, march: Marching, size: int, total: int, against: int, inflicted: int) -> None:
    lost = min(march.count, inflicted)
    points = (lost + 1) // 2
    action.emit(UnrestFought(march.leader, march.count, size, total, against, False, lost, points))
    _remove(action, march, lost)
    after = min(max(size, limit(action.state)), size + won_points(action.state, points, size))
    if after != size:
        action.emit(UnrestChanged(after, "f19.10"))


def _remove(action: Action, march: Marching, lost: int) -> None:
    """Carthage's losses come out of the Garrison box."""
    if lost:
        action.emit(UnitsRemoved(CAR, march.at, lost, 0, "f19.10"))
        displace(action, CAR, march.at)


def _note_campaign(action: Action, fought: int) -> None:
    """In a Campaign: so many CU in the box have fought and are left of those that did."""
    frames = action.state.frames
    if len(frames) > 1 and isinstance(frames[-2], Campaign):
        march, campaign = frames[-1], frames[-2]
        action.pop()
        action.change(struck=campaign.struck + fought)
        action.push(march)
