"""Voyages (9.7 to 9.9): armies put to sea and land; with five players Carthage hinders them or carries an ally's."""

from __future__ import annotations

from collections.abc import Iterable

from foedus.games.sword_of_rome.alliances import allied_troops_in, is_friendly
from foedus.games.sword_of_rome.battle import retreat
from foedus.games.sword_of_rome.commands import (
    Activate,
    AskPassage,
    AvoidBySea,
    Carry,
    EndElsewhere,
    EndMovement,
    Hinder,
    Land,
    PlayCard,
    Retreat,
    Sail,
    SailAct,
    SailOn,
    StayPut,
)
from foedus.games.sword_of_rome.events import LeaderMoved, SeaMoved, UnitsMoved, UnitsRemoved
from foedus.games.sword_of_rome.frames import AtSea, Attacked, Carrying, Hindering, Marching, Retreating
from foedus.games.sword_of_rome.ground import enemy_outside
from foedus.games.sword_of_rome.hands import answering_cards, lay_down, open_window
from foedus.games.sword_of_rome.leaders import displace
from foedus.games.sword_of_rome.movement import (
    _fights,
    activate,
    entail_leader,
    legal_end_in_reach,
    marching,
)
from foedus.games.sword_of_rome.neutrals import allowed_end, seat_deciding
from foedus.games.sword_of_rome.reactions import not_after_a_failed_interception, when_battle_is_avoided
from foedus.games.sword_of_rome.sea import may_hinder, naval_combat, needs_roll
from foedus.games.sword_of_rome.sieges import check_siege
from foedus.games.sword_of_rome.state import CAR, S_CAR, State
from foedus.kernel.flow import Action, Decision, Flow, Group, carries_out
from foedus.kernel.rules import Facts, facts, forbids, permits
from foedus.kernel.unknown import NONE
from foedus.kernel.values import bits


@forbids("f9.2", act=Land)
def points_for_the_sea(state: State, act: Land) -> Facts | None:
    """The way by sea costs three movement points."""
    return facts(variant="sea", power=act.power, space=act.space) if act.points < 0 else None


@forbids("15.3a", act=Land)
def never_ashore_in_a_dead_end(state: State, act: Land) -> Facts | None:
    """An army comes ashore among an ally's only if a legal place to end is still in reach."""
    ally = allied_troops_in(state, act.power, act.space)
    if state.is_npp(act.power) or ally == NONE or legal_end_in_reach(state, act.power, act.space, act.points):
        return None
    return facts(variant="dead_end", power=act.power, ally=ally, space=act.space)


@forbids("16.3", act=Land)
def npps_never_ashore_in_a_dead_end(state: State, act: Land) -> Facts | None:
    """A non-player power's army comes ashore only where it may end, or can still reach such a place."""
    if not state.is_npp(act.power) or legal_end_in_reach(state, act.power, act.space, act.points):
        return None
    rule = allowed_end(state, act.power, act.space)
    return facts(variant=rule or "dead_end", power=act.power, space=act.space)


def entail_sail(state: State, command: Sail) -> Iterable[tuple[State, object]]:
    """Activating the leader, sailing, and ending at the port (or fighting there)."""
    power = command.power
    yield state, command
    yield from entail_leader(state, Activate(power, command.leader, command.start, command.count, command.card))
    yield state, SailAct(power, command.start, command.to, command.count, command.card, command.leader)
    fights = list(_fights(state, power, command.to))
    yield from fights
    if not fights:
        yield state, EndMovement(power, command.to)


@carries_out(Sail)
def sail(action: Action, command: Sail) -> None:
    """Activate, then put to sea."""
    activate(action, Activate(command.power, command.leader, command.start, command.count, command.card))
    put_to_sea(action, command.to)


@forbids("f9.1", act=(SailOn, AskPassage))
def only_an_army_under_way_sails(state: State, act: SailOn | AskPassage) -> Facts | None:
    """There must be an army of that power under way, free to go on."""
    if isinstance(act, AskPassage) and fleeing(state) is not None:
        return None
    frame = marching(state)
    if frame is None or frame.power != act.power:
        return facts(variant="nobody", power=act.power)
    if frame.fought or frame.halted or frame.stage or (frame.avoided and isinstance(act, AskPassage)):
        return facts(variant="over", power=act.power)
    return None


def entail_sail_on(state: State, command: SailOn) -> Iterable[tuple[State, object]]:
    """Sailing on from where the army stands, coming ashore, and fighting whoever stands there."""
    yield state, command
    yield from _voyage(state, command.power, command.to, NONE)


def _voyage(state: State, power: int, to: int, carrier: int, card: int = NONE) -> Iterable[tuple[State, object]]:
    frame = marching(state)
    if frame is None:
        return
    used = card if carrier != NONE else frame.card
    if frame.moved:
        yield state, EndMovement(power, frame.at)  # a storm or the foe at sea may hold it there
    yield state, SailAct(power, frame.at, to, frame.count, used, frame.leader, carrier)
    yield state, Land(power, to, frame.points - int(state.world.tables["movement"]["sea"]))
    yield from _fights(state, power, to)


@carries_out(SailOn)
def sail_on(action: Action, command: SailOn) -> None:
    """The army under way puts to sea."""
    put_to_sea(action, command.to)


def put_to_sea(action: Action, to: int, carried: bool = False) -> None:
    """The army under way embarks; with five players Carthage may hinder it, unless it is its own or an ally's."""
    state: State = action.state
    frame: Marching = state.frames[-1]  # type: ignore[assignment]
    cost = int(state.world.tables["movement"]["sea"])
    action.change(points=frame.points - cost, spent=frame.spent + cost, sea=True)
    power, start = frame.power, frame.at
    roll = needs_roll(state, power, to)
    action.push(AtSea(power, frame.leader, frame.count, start, to, frame.card, roll=roll, carried=carried))
    if may_be_hindered(state, power) and not carried and may_hinder(state, power):
        action.push(Hindering(power, frame.leader, frame.count, start, to, frame.card))


def may_be_hindered(state: State, power: int) -> bool:
    """Five players, somebody else's ships, and a Carthage that is still in the game."""
    return state.world.players == 5 and power != CAR and S_CAR in state.seats


def _at_sea_awaits(state: State, frame: AtSea) -> tuple[Decision, ...]:
    return ()


def _nothing(state: State, frame: AtSea, seat: int) -> Iterable[Group]:
    return ()


def _at_sea_proceed(action: Action, frame: AtSea) -> None:
    """The fleet is stopped by a storm, fights its way, or sails free; then it lands."""
    if not frame.asked:
        action.change(asked=True)
        move = Sail(frame.power, frame.leader, frame.count, frame.start, frame.to, frame.card)
        if open_window(action, "sea", seat_deciding(action.state, frame.power), move):
            return
        frame = action.state.frames[-1]
    action.pop()
    power, start, to = frame.power, frame.start, frame.to
    how = "storm" if frame.stopped else "free"
    if frame.roll and not frame.stopped:
        (die,) = action.roll("naval movement", 1)
        how = naval_combat(action.state, power, to, die + frame.worse)
    action.emit(SeaMoved(power, start, to, how, _clause(frame)))
    if frame.home:
        if how == "free":
            _go_ashore(action, frame, frame.count)
        return
    if how in ("back", "storm"):
        action.change(halted=True)
        return
    count = frame.count
    if how == "attrition":
        lost = min(count, int(action.state.world.tables["naval"]["attrition"]))
        action.emit(UnitsRemoved(power, start, lost, 0, "f9.8"))
        count -= lost
    if count:
        march: Marching = action.state.frames[-1]
        _go_ashore(action, frame, count, bits(march.company))
        moved = march.moved + 1
        action.change(at=to, came=start, count=count, stage=1, moved=moved, road=False, shifted=False, turned=0)
    else:
        displace(action, power, start)
        check_siege(action, start)
        action.change(halted=True, count=0)


def _clause(frame: AtSea) -> str:
    """By which rule the fleet sails so."""
    if frame.home:
        return "f17.5"
    return "f15.36" if frame.carried else "f9.8" if frame.roll else "f9.7"


def _go_ashore(action: Action, frame: AtSea, count: int, company: tuple[int, ...] = ()) -> None:
    action.emit(UnitsMoved(frame.power, frame.start, frame.to, count))
    for leader in (frame.leader, *company):
        action.emit(LeaderMoved(leader, frame.to))
    check_siege(action, frame.start)


AT_SEA = Flow(AtSea, _at_sea_awaits, _nothing, _at_sea_proceed)


# five players: hindering


@forbids("f9.9", act=Hinder)
def only_carthage_hinders(state: State, act: Hinder) -> Facts | None:
    """Facts 9.9: only Carthage, as a player, hinders others' naval movement, with a card."""
    if act.power != CAR or state.world.players != 5:
        return facts(variant="carthage", power=act.power)
    if act.target == CAR:
        return facts(variant="itself", power=act.power)
    frame = state.frames[-1] if state.frames else None
    if isinstance(frame, Hindering):
        return None if frame.power == act.target and not frame.answered else facts(variant="not_now", power=act.power)
    return None if state.sketched else facts(variant="not_now", power=act.power)


def entail_hinder(state: State, command: Hinder) -> Iterable[tuple[State, object]]:
    """Hindering, and the card it takes."""
    yield state, command
    yield state, PlayCard(command.power, command.card, "", True)


@permits("15.2.4", act=Hinder)
def hindering_a_stranger(state: State, act: Hinder) -> Facts | None:
    """Cited where there is no alliance in the way."""
    if act.power == CAR and not state.are_allied(CAR, act.target):
        return facts(power=act.power, target=act.target)
    return None


@carries_out(Hinder)
def hinder(action: Action, command: Hinder) -> None:
    """The card forces the roll; each point beyond the first makes it worse."""
    state: State = action.state
    value = state.world.cards[command.card].value if command.card >= 0 else 1
    if command.card >= 0:
        lay_down(action, S_CAR, command.card, "hinder")
    if state.frames and isinstance(state.frames[-1], Hindering):
        action.pop()
        action.change(roll=True, worse=value - 1)


def _hindering_awaits(state: State, frame: Hindering) -> tuple[Decision, ...]:
    if frame.answered:
        return ()
    return (Decision(state.controller[CAR], CAR, "hinder", "f9.9", facts(power=CAR, target=frame.power)),)


def _carthaginian_hand(state: State) -> list[int]:
    return answering_cards(state, S_CAR)


def _hindering_candidates(state: State, frame: Hindering, seat: int) -> Iterable[Group]:
    if seat != state.controller[CAR]:
        return
    yield Hinder, CAR, [Hinder(CAR, frame.power, card) for card in _carthaginian_hand(state)]
    yield StayPut, CAR, (StayPut(CAR),)


def _hindering_proceed(action: Action, frame: Hindering) -> None:
    action.pop()


HINDERING = Flow(Hindering, _hindering_awaits, _hindering_candidates, _hindering_proceed)


# five players: Carthage carries an ally's army (15.36)


def fleeing(state: State) -> Attacked | Retreating | None:
    """The step on top in which an attacked army may slip away, or a beaten one retreats."""
    frame = state.frames[-1] if state.frames else None
    return frame if isinstance(frame, (Attacked, Retreating)) else None


@forbids("f15.36", act=AskPassage)
def only_an_ally_asks(state: State, act: AskPassage) -> Facts | None:
    """Five players: an ally of Carthage asks it to carry his army, once a movement, an attack or a retreat."""
    if not may_be_hindered(state, act.power) or not state.are_allied(act.power, CAR):
        return facts(power=act.power)
    frame, away = marching(state), fleeing(state)
    if (frame is not None and frame.asked) or (away is not None and away.ferried):
        return facts(variant="again", power=act.power)
    if away is None:
        return None
    if away.power != act.power:
        return facts(variant="not_his", power=act.power)
    if not is_friendly(state, act.power, act.to) or not harbour_is_free(state, act.power, act.to):
        return facts(variant="port", power=act.power, space=act.to)
    if isinstance(away, Retreating):
        return facts(variant="not_his", power=act.power) if away.done or away.sortie else None
    slipping = AvoidBySea(act.power, away.space, act.to)
    barred = when_battle_is_avoided(state, slipping) or not_after_a_failed_interception(state, slipping)
    return facts(variant="not_his", power=act.power) if barred else None


def harbour_is_free(state: State, power: int, space: int) -> bool:
    """No enemy CU in the port, and no siege."""
    return enemy_outside(state, power, space) == NONE and state.besieged_by[space] < 0


def entail_passage(state: State, command: AskPassage) -> Iterable[tuple[State, object]]:
    """Asking, and the voyage as it would be with Carthage's best card."""
    yield state, command
    away = fleeing(state)
    if away is None:
        yield from _voyage(state, command.power, command.to, CAR)
        return
    yield state, SailAct(away.power, away.space, command.to, _all_of(state, away), NONE, NONE, CAR)
    how = "retreat" if isinstance(away, Retreating) else "avoid"
    yield state, EndElsewhere(command.power, command.to, how)


def _all_of(state: State, frame: Attacked | Retreating) -> int:
    return state.force(frame.power, frame.space).outside


@carries_out(AskPassage)
def ask_passage(action: Action, command: AskPassage) -> None:
    """Carthage is asked."""
    if fleeing(action.state) is not None:
        action.change(ferried=True)
    else:
        action.change(asked=True)
    action.push(Carrying(command.power, command.to))


@forbids("f15.36", act=Carry)
def only_carthage_carries(state: State, act: Carry) -> Facts | None:
    """Carthage, when an ally has asked it."""
    frame = state.frames[-1] if state.frames else None
    if isinstance(frame, Carrying) and act.power == CAR and frame.power == act.target and not frame.answered:
        return None
    return facts(variant="not_asked", power=act.power, target=act.target)


def entail_carry(state: State, command: Carry) -> Iterable[tuple[State, object]]:
    """Carrying, the card it takes, and the voyage with as many CU as that card carries."""
    yield state, command
    yield state, PlayCard(command.power, command.card, "", True)
    frame = state.frames[-1] if state.frames else None
    below = state.frames[-2] if len(state.frames) > 1 else None
    if isinstance(frame, Carrying) and isinstance(below, Marching):
        yield state, SailAct(below.power, below.at, frame.to, below.count, command.card, below.leader, CAR)
    elif isinstance(frame, Carrying) and isinstance(below, (Attacked, Retreating)):
        count = _all_of(state, below)
        yield state, SailAct(below.power, below.space, frame.to, count, command.card, NONE, CAR)


@carries_out(Carry)
def carry(action: Action, command: Carry) -> None:
    """The card is played and the ally's army embarks; Carthage does not hinder what it carries."""
    frame: Carrying = action.state.frames[-1]
    if command.card >= 0:
        lay_down(action, S_CAR, command.card, "carry")
    action.pop()
    away = fleeing(action.state)
    if isinstance(away, Retreating):
        retreat(action, Retreat(away.power, away.space, frame.to, 1))
    elif away is not None:
        action.change(away=frame.to, by_sea=True)
    else:
        put_to_sea(action, frame.to, carried=True)


def _carrying_awaits(state: State, frame: Carrying) -> tuple[Decision, ...]:
    if frame.answered:
        return ()
    why = facts(power=CAR, target=frame.power, space=frame.to)
    return (Decision(state.controller[CAR], CAR, "carry", "f15.36", why),)


def _carrying_candidates(state: State, frame: Carrying, seat: int) -> Iterable[Group]:
    if seat != state.controller[CAR] or frame.answered:
        return
    yield Carry, CAR, [Carry(CAR, frame.power, card) for card in _carthaginian_hand(state)]
    yield StayPut, CAR, (StayPut(CAR),)


def _carrying_proceed(action: Action, frame: Carrying) -> None:
    action.pop()


CARRYING = Flow(Carrying, _carrying_awaits, _carrying_candidates, _carrying_proceed)
