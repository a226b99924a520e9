"""Movement by sea, the treaty of Rome and Carthage, and Carthage as a player (9.6, 17 to 20)."""

from __future__ import annotations

from collections.abc import Iterable

from foedus.games.sword_of_rome.alliances import begin_alliance, end_alliance, is_friendly
from foedus.games.sword_of_rome.commands import (
    Activate,
    ActivateNPP,
    EndMovement,
    Hinder,
    PlayCard,
    PlayEvent,
    Sail,
    SailAct,
    StayPut,
)
from foedus.games.sword_of_rome.events import (
    CardPlayed,
    LeaderMoved,
    SeaMoved,
    TreatyChanged,
    UnitsMoved,
    UnitsRemoved,
)
from foedus.games.sword_of_rome.frames import Hindering
from foedus.games.sword_of_rome.movement import (
    _fights,
    activate,
    entail_leader,
    movement_points,
)
from foedus.games.sword_of_rome.sieges import check_siege
from foedus.games.sword_of_rome.state import CAR, ETR, GRE, ROM, S_CAR, TREATY, State
from foedus.kernel.flow import Action, Decision, Flow, Group, carries_out
from foedus.kernel.rules import Facts, effect, facts, forbids, permits
from foedus.kernel.unknown import NONE, UNKNOWN

AFRICAN_PORTS = ("carthago", "kerkouane")


def capacity(state: State, power: int, card: int, start: int, to: int) -> int:
    """CU that a power's ships carry (facts 9.7)."""
    five = state.world.players == 5
    value = state.world.cards[card].value if card >= 0 else 3
    board = state.world.board
    ends = (board.spaces[start].id, board.spaces[to].id)
    if power == CAR:
        return {1: 3, 2: 6, 3: 10}[value] if five else 10
    if power == GRE:
        great = "syracusae" in ends or (five and "lilybaeum" in ends)
        if not great:
            return 3
        if five and state.owner[board.index["lilybaeum"]] == GRE:
            return 10
        return 6 if value == 3 else 3
    if power == ROM:
        return 10 if state.treaty == TREATY and value == 3 else 3
    return 3 if power == ETR else 0


@forbids("f9.7", act=SailAct)
def from_port_to_port(state: State, act: SailAct) -> Facts | None:
    """Only from port to port, for those who have ships, so many CU at once."""
    ports = state.world.board.ports
    for space in (act.start, act.to):
        if not ports[space]:
            return facts(variant="no_port", power=act.power, space=space)
    if act.start == act.to:
        return facts(variant="same_port", power=act.power, space=act.to)
    most = capacity(state, act.power, act.card, act.start, act.to)
    if not most:
        return facts(variant="no_ships", power=act.power)
    if act.count > most:
        return facts(variant="count", power=act.power, count=most)
    board = state.world.board
    for space in (act.start, act.to):
        if state.besieged_by[space] not in (NONE, UNKNOWN, act.power) and state.owner_of(space) == act.power:
            return facts(variant="besieged", power=act.power, space=space)
        if board.spaces[space].id in AFRICAN_PORTS and act.power != CAR and state.world.players != 5:
            if not (act.power == GRE and board.spaces[space].id == "kerkouane" and state.force(GRE, space).outside):
                return facts(variant="africa", power=act.power, space=space)
        if board.spaces[space].id == "garrison" and act.power != CAR:
            return facts(variant="garrison", power=act.power, space=space)
    return None


def entail_sail(state: State, command: Sail) -> Iterable[tuple[State, object]]:
    """Activating the leader, sailing, and ending at the port (or fighting there)."""
    power = command.power
    yield state, command
    yield from entail_leader(state, Activate(power, command.leader, command.start, command.count, command.card))
    yield state, SailAct(power, command.start, command.to, command.count, command.card)
    fights = list(_fights(state, power, command.to))
    yield from fights
    if not fights:
        yield state, EndMovement(power, command.to)


@carries_out(Sail)
def sail(action: Action, command: Sail) -> None:
    """The fleet puts to sea; Carthage may hinder it (five players), or a roll is needed."""
    power = command.power
    activate(action, Activate(power, command.leader, command.start, command.count, command.card))
    left = movement_points(action.state, power, command.card) - int(action.state.world.tables["movement"]["sea"])
    action.change(points=left, sea=True)
    state: State = action.state
    if state.world.players == 5 and power != CAR and may_hinder(state, power):
        action.push(Hindering(power, command.leader, command.count, command.start, command.to, command.card))
        return
    resolve_sea(action, command, needs_roll(state, power, command.to), 0)


def may_hinder(state: State, power: int) -> bool:
    """Is Carthage asked at all? Not about an ally's ships (15.2.4)."""
    return hinders_anyone_but_allies(state) is False or not state.are_allied(CAR, power)


@effect("15.2.4", otherwise=False)
def hinders_anyone_but_allies(state: State) -> bool:
    """Carthage is not asked about an ally's ships."""
    return True


def needs_roll(state: State, power: int, to: int) -> bool:
    """Facts 9.8: to a Carthaginian port, and every Greek move under the treaty."""
    if state.world.players == 5 or power == CAR:
        return False
    return state.owner_of(to) == CAR or (power == GRE and state.treaty == TREATY)


def resolve_sea(action: Action, command: Sail, roll: bool, worse: int) -> None:
    """Sail, roll if one must, and land."""
    state: State = action.state
    power, start, to, count = command.power, command.start, command.to, command.count
    how = "free"
    if roll:
        table = state.world.tables["naval"]
        (die,) = action.roll("naval movement", 1)
        die += worse
        if is_friendly(state, power, to):
            die -= int(table["friendly_port"])
        how = "success" if die <= int(table["success"]) else "back" if die <= int(table["back"]) else "attrition"
    action.emit(SeaMoved(power, start, to, how))
    if how == "back":
        action.change(halted=True)
        return
    if how == "attrition":
        lost = min(count, int(state.world.tables["naval"]["attrition"]))
        action.emit(UnitsRemoved(power, start, lost, 0, "f9.8"))
        count -= lost
    if count:
        action.emit(UnitsMoved(power, start, to, count))
        action.emit(LeaderMoved(command.leader, to))
        check_siege(action, start)
        action.change(at=to, came=start, count=count, stage=2, moved=1)
    else:
        action.change(halted=True, count=0)


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
    yield state, PlayCard(command.power, command.card)


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
        action.emit(CardPlayed(S_CAR, command.card, "hinder"))
    frame = state.frames[-1] if state.frames else None
    if isinstance(frame, Hindering):
        action.pop()
        move = Sail(frame.power, frame.leader, frame.count, frame.start, frame.to, frame.card)
        resolve_sea(action, move, True, value - 1)


def _hindering_awaits(state: State, frame: Hindering) -> tuple[Decision, ...]:
    if frame.answered:
        return ()
    return (Decision(state.controller[CAR], CAR, "hinder", "f9.9", facts(power=CAR, target=frame.power)),)


def _hindering_candidates(state: State, frame: Hindering, seat: int) -> Iterable[Group]:
    if seat != S_CAR:
        return
    hand = state.hands[S_CAR] if len(state.hands) > S_CAR else ()
    yield Hinder, CAR, [Hinder(CAR, frame.power, card) for card in dict.fromkeys(hand) if card != UNKNOWN]
    yield StayPut, CAR, (StayPut(CAR),)


def _hindering_proceed(action: Action, frame: Hindering) -> None:
    action.pop()
    move = Sail(frame.power, frame.leader, frame.count, frame.start, frame.to, frame.card)
    resolve_sea(action, move, False, 0)


HINDERING = Flow(Hindering, _hindering_awaits, _hindering_candidates, _hindering_proceed)


# 18 the treaty


@forbids("18.0", act=ActivateNPP)
def only_rome_activates_carthage(state: State, act: ActivateNPP) -> Facts | None:
    """Facts 18.3: under the treaty only Rome activates Carthage."""
    if act.npp == CAR and state.treaty == TREATY and act.power != ROM:
        return facts(power=act.power, npp=act.npp)
    return None


@forbids("f18.1", act=PlayEvent)
def who_signs_the_treaty(state: State, act: PlayEvent) -> Facts | None:
    """Rome plays Carthage Signs Treaty once the envoys have come; not with five players, not after it ended."""
    if act.effect != "treaty":
        return None
    if act.power != ROM or state.world.players == 5 or state.treaty != 1:
        return facts(power=act.power)
    if state.formal[ROM] >> GRE & 1 and state.ruling("treaty_over_greek_alliance") == "break_first":
        return facts(variant="greeks", power=act.power)
    return None


@effect("18.0", otherwise=False)
def treaty_makes_allies(state: State) -> bool:
    """Facts 18.2: Rome and Carthage are allies under section 15."""
    return True


def sign_treaty(action: Action) -> None:
    """The marker is turned: Rome and Carthage are allied."""
    if action.state.formal[ROM] >> GRE & 1:
        end_alliance(action, ROM, GRE, "lapsed", NONE)
    allied = treaty_makes_allies(action.state)
    action.emit(TreatyChanged(TREATY, ROM, CAR, allied))
    if allied:
        begin_alliance(action, ROM, CAR)
