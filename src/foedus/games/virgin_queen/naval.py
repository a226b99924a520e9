"""Naval movement (facts 15): what moves, all at once; interceptions; what comes home in winter.

A lent unit is in every way the receiver's (loan.7): what counts is whom it serves now, not whose marker it is. Fleets
of minor allies move in the naval move of their great power, each under its own name.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from foedus.games.virgin_queen.actions import spend
from foedus.games.virgin_queen.cards import open_response
from foedus.games.virgin_queen.commands import BeginSailing, EndSailing, Harbour, InterceptAtSea, LetPass, Sail
from foedus.games.virgin_queen.events import InterceptionRolled, LeaderMoved, ShipsChanged, ShipsMoved
from foedus.games.virgin_queen.frames import Sailing, SeaBattle, SeaInterceptions, Spending, Telling, WinterReturn
from foedus.games.virgin_queen.loans import serves
from foedus.games.virgin_queen.powers import impulse_order, side_of
from foedus.games.virgin_queen.seafights import (
    beside,
    best_rating,
    enemies_at,
    fleets_of,
    is_harbour,
    is_ocean,
    move_all,
    naval_leaders,
    nearest_harbours,
    settle_leaders,
)
from foedus.games.virgin_queen.state import IND, Fleet, State, mask
from foedus.kernel.flow import Action, Decision, Flow, Group, Kept, carries_out
from foedus.kernel.rules import Facts, effect, facts, forbids
from foedus.kernel.unknown import NONE, UNKNOWN, Unknown
from foedus.kernel.values import bits

MOST = 190
"""So many ways to sail are listed at the most; any other may be typed."""


def _sailing(state: State) -> Sailing | None:
    """The naval move whose units are being named now."""
    frame = state.frames[-1] if state.frames else None
    return frame if isinstance(frame, Sailing) and frame.stage == 0 else None


def _named(frame: Sailing | None, start: int, fleet: Fleet) -> int:
    """How many units of a fleet in a place are named already in this naval move."""
    if frame is None:
        return 0
    key = (fleet.owner, fleet.holder, fleet.kind)
    return sum(
        one.count for place, _, one in frame.moved if place == start and (one.owner, one.holder, one.kind) == key
    )


def _fleet(state: State, act: Sail) -> Fleet | None:
    """The units that a command means: of the power's own first, else the only ones; None if there are none.

    Raises `Unknown`.
    """
    found = [f for f in state.ships(act.start) if f.kind == act.fleet and serves(state, f) == act.power]
    if act.owner != NONE:
        found = [fleet for fleet in found if fleet.owner == act.owner]
    else:
        found = [fleet for fleet in found if fleet.owner == act.power] or found
    return found[0] if len(found) == 1 else None


# what a naval move costs, and when it is made


@forbids("f11.4", act=BeginSailing)
def a_naval_move_costs_points(state: State, act: BeginSailing) -> Facts | None:
    """In a game it is paid with the command points of the card that was played for them."""
    if not state.frames:
        return None
    frame, cost = state.frames[-1], int(state.world.tables["costs"]["sail"])
    if not isinstance(frame, Spending) or frame.power != act.power:
        return facts(variant="not_now", power=act.power)
    left = frame.left
    return facts(power=act.power, cost=cost, left=left) if left < cost else None


@forbids("f15.1", act=BeginSailing)
def somebody_must_sail(state: State, act: BeginSailing) -> Facts | None:
    """A power without naval units, its own, lent to it or its minor allies', has nothing to move."""
    if not state.frames and any(row and row[0].owner == UNKNOWN for row in state.fleets):
        return None  # a sketch does not say what lies everywhere
    if any(row and fleets_of(state, act.power, place) for place, row in enumerate(state.fleets)):
        return None
    return facts(variant="none", power=act.power)


@forbids("f15.1", act=(Sail, EndSailing))
def only_in_a_naval_move(state: State, act: Sail | EndSailing) -> Facts | None:
    """Units are named while the naval move of one's side is being made; its great power ends the naming."""
    if not state.frames:
        return facts(variant="not_now", power=act.power) if isinstance(act, EndSailing) else None
    frame = _sailing(state)
    if frame is not None:
        if act.power == frame.power or (isinstance(act, Sail) and act.power in side_of(state, frame.power)):
            return None
    return facts(variant="not_now", power=act.power)


# which units, and where to


@forbids("f15.1", act=Sail)
def one_step_to_a_place_beside(state: State, act: Sail) -> Facts | None:
    """Each unit goes to one adjacent place; ocean zones are outside this game's scope."""
    if is_ocean(state, act.to) or is_ocean(state, act.start):
        return facts(variant="ocean", power=act.power, place=act.to if is_ocean(state, act.to) else act.start)
    if act.to in state.world.sea_ways[act.start]:
        return None
    return facts(power=act.power, place=act.to)


@forbids("f15.1", act=Sail)
def units_that_are_there(state: State, act: Sail) -> Facts | None:
    """Units of that kind which are the power's now and are not named yet in this naval move."""
    if act.count < 1:
        return facts(variant="none_named", power=act.power)
    fleet = _fleet(state, act)
    if fleet is None:
        there = [f for f in state.ships(act.start) if f.kind == act.fleet and serves(state, f) == act.power]
        if len(there) > 1 and act.owner == NONE:
            return facts(variant="whose", power=act.power, fleet=act.fleet, place=act.start)
        if _lent_out(state, act):
            return None  # loan.7 says why
        return facts(variant="units", power=act.power, fleet=act.fleet, place=act.start, count=0)
    named = _named(_sailing(state), act.start, fleet)
    if act.count <= fleet.count - named:
        return None
    if named and act.count <= fleet.count:
        return facts(variant="again", power=act.power, fleet=act.fleet, place=act.start, count=fleet.count - named)
    if _lent_out(state, act):
        return None
    return facts(variant="units", power=act.power, fleet=act.fleet, place=act.start, count=fleet.count - named)


def _lent_out(state: State, act: Sail) -> Fleet | None:
    """Units of the power's own in the place that serve somebody else this turn."""
    if act.owner not in (NONE, act.power):
        return None
    for fleet in state.ships(act.start):
        if fleet.kind == act.fleet and fleet.owner == act.power and serves(state, fleet) != act.power:
            return fleet
    return None


@forbids("loan.7", act=Sail)
def what_is_lent_is_the_receivers(state: State, act: Sail) -> Facts | None:
    """The owner does not move units that he has lent: they move as the receiver's own."""
    fleet, lent = _fleet(state, act), _lent_out(state, act)
    if act.count < 1 or lent is None or (fleet is not None and act.count <= fleet.count):
        return None
    return facts(power=act.power, to=lent.holder)


@forbids("f15.1", act=Sail)
def leaders_who_go_along(state: State, act: Sail) -> Facts | None:
    """Naval leaders that serve the power and are in the place with the units, each once in a naval move."""
    frame = _sailing(state)
    for leader in act.leaders:
        if state.world.leaders[leader].kind != "naval":
            return facts(variant="no_admiral", power=act.power, leader=leader)
        if state.leader_at[leader] == UNKNOWN:
            raise Unknown("leader_place", (("leader", leader),), ())
        if state.leader_at[leader] != act.start or state.leader_holder[leader] != act.power:
            return facts(variant="leader", power=act.power, leader=leader, place=act.start)
        gone = frame is not None and any(one == leader for one, _, _ in frame.led)
        if gone or act.leaders.count(leader) > 1:
            return facts(variant="leader_again", power=act.power, leader=leader)
    return None


@forbids("f15.1", act=Sail)
def only_into_ports_that_are_open(state: State, act: Sail) -> Facts | None:
    """A port must be friendly; one of an enemy may be attacked by ruling `naval_port_attack`."""
    if state.world.is_zone(act.to) or act.to not in state.world.sea_ways[act.start]:
        return None
    if is_harbour(state, act.power, act.to) or _of_an_ally(state, act):
        return None
    owner = state.owner_of(act.to)
    if owner == IND or not state.at_war(act.power, owner):
        return facts(variant="port", power=act.power, place=act.to, owner=owner)
    if state.ruling("naval_port_attack") == "never":
        return facts(variant="enemy_port", power=act.power, place=act.to, owner=owner)
    return None if enemies_at(state, act.power, act.to) else facts(variant="empty_port", power=act.power, place=act.to)


@forbids("friendly.M1", act=Sail)
def ports_of_an_ally(state: State, act: Sail) -> Facts | None:
    """Ruling `friendly_scope`: are an ally's ports friendly to naval units?"""
    if state.world.is_zone(act.to) or act.to not in state.world.sea_ways[act.start]:
        return None
    if _of_an_ally(state, act) and not is_harbour(state, act.power, act.to):
        return facts(power=act.power, space=act.to, ally=state.owner_of(act.to))
    return None


def _of_an_ally(state: State, act: Sail) -> bool:
    owner = state.owner_of(act.to)
    return owner not in (IND, act.power) and state.are_allied(state.acting(act.power), owner)


# naming


@carries_out(BeginSailing)
def begin_sailing(action: Action, command: BeginSailing) -> None:
    """The point is paid; units are named."""
    if action.state.frames:
        spend(action, int(action.state.world.tables["costs"]["sail"]))
    action.push(Sailing(command.power))


@carries_out(Sail)
def sail(action: Action, command: Sail) -> None:
    """The units are named; they go when all are. On the desk, with no naval move under way, they go at once."""
    state: State = action.state
    fleet = _fleet(state, command)
    assert fleet is not None
    frame = _sailing(state)
    if frame is None:
        values = (fleet.owner, fleet.holder, fleet.kind, command.count, command.start, command.to)
        action.emit(ShipsMoved(*values, command.leaders, "f15.1"))
        return
    part = Fleet(fleet.owner, fleet.kind, command.count, fleet.holder)
    led = tuple((leader, command.start, command.to) for leader in command.leaders)
    action.change(moved=(*frame.moved, (command.start, command.to, part)), led=(*frame.led, *led))


@carries_out(EndSailing)
def end_sailing(action: Action, command: EndSailing) -> None:
    """All move at once. Who comes into a sea zone where none of his own lay may be intercepted there."""
    state: State = action.state
    frame = _sailing(state)
    assert frame is not None
    if not frame.moved:
        action.pop()
        return
    zones = dict.fromkeys(to for _, to, _ in frame.moved if state.world.is_zone(to))
    arrived = tuple(zone for zone in zones if not joins_its_own(state, frame, zone))
    _move(action, frame, False)
    action.change(stage=1, arrived=arrived)
    open_response(action, command.power, command)


@effect("f15.1", otherwise=True)
def joins_its_own(state: State, frame: Sailing, zone: int) -> bool:
    """Do units of the side stay in the sea zone, so that those who come join them and are not intercepted?"""
    there = sum(fleet.count for fleet in fleets_of(state, frame.power, zone))
    return there > sum(fleet.count for start, _, fleet in frame.moved if start == zone)


def _move(action: Action, frame: Sailing, back: bool) -> None:
    """What was named goes, or comes back."""
    led = list(frame.led)
    for start, to, fleet in frame.moved:
        leaders = tuple(leader for leader, here, there in led if (here, there) == (start, to))
        led = [one for one in led if one[0] not in leaders]
        ends = (to, start) if back else (start, to)
        action.emit(ShipsMoved(fleet.owner, fleet.holder, fleet.kind, fleet.count, *ends, leaders, "f15.1"))


def _sails(state: State, frame: Sailing, power: int, detail: int) -> list[Sail]:
    """What a power of the side may still name: all units of a kind with their leaders, without them, and one."""
    gone = {leader for leader, _, _ in frame.led}
    found = []
    for start, row in enumerate(state.fleets):
        fleets = [fleet for fleet in row if serves(state, fleet) == power]
        if not fleets:
            continue
        ways = [to for to in beside(state, start) if state.world.is_zone(to) or _open(state, power, to)]
        here = naval_leaders(state, power, start)
        leaders = tuple(one for one in here if one not in gone and state.leader_holder[one] == power)
        for fleet in fleets:
            left = fleet.count - _named(frame, start, fleet)
            if left < 1:
                continue
            owners = {one.owner for one in fleets if one.kind == fleet.kind}
            owner = NONE if len(owners) == 1 or fleet.owner == power else fleet.owner
            for to in ways:
                found.append(Sail(power, start, to, left, fleet.kind, owner, leaders))
                if detail > 0 and leaders:
                    found.append(Sail(power, start, to, left, fleet.kind, owner))
                if detail > 1 and left > 1:
                    found.append(Sail(power, start, to, 1, fleet.kind, owner))
    return found


def _open(state: State, power: int, port: int) -> bool:
    """Could the port be open to the power? A quick look, which the rules sift."""
    return is_harbour(state, power, port) or bool(state.fleets[port])


def _sailing_awaits(state: State, frame: Sailing) -> tuple[Decision, ...]:
    if frame.stage:
        return ()
    return (Decision(state.seat_of(frame.power), frame.power, "sail", "f15.1", facts(power=frame.power)),)


def _sailing_candidates(state: State, frame: Sailing, seat: int) -> Iterable[Group]:
    if frame.stage or state.seat_of(frame.power) != seat:
        return
    side = side_of(state, frame.power)
    for detail in (2, 1, 0):
        rows = [(power, _sails(state, frame, power, detail)) for power in side]
        if sum(len(found) for _, found in rows) <= MOST:
            break
    for power, found in rows:
        yield Sail, power, found
    yield EndSailing, frame.power, (EndSailing(frame.power),)


def _sailing_proceed(action: Action, frame: Sailing) -> None:
    """After the responses interceptions, zone by zone, then battles, place by place."""
    state: State = action.state
    if frame.stage == 1:
        if frame.spoiled:  # as on land: the move does not come about
            action.pop()
            _move(action, frame, True)
        else:
            action.change(stage=2)
    elif frame.stage == 2:
        if frame.trying:
            _intercept(action, frame)
            return
        if not frame.arrived:
            action.change(stage=3)
            return
        zone = frame.arrived[0]
        asked = mask(power for power in impulse_order(state) if interceptors(state, power, zone, frame))
        action.change(arrived=frame.arrived[1:])
        if asked and fleets_of(state, frame.power, zone):
            action.push(SeaInterceptions(asked, (), frame.power, zone))
    else:
        battle = _next_battle(state, frame)
        if battle is not None:
            action.push(battle)
            return
        action.pop()
        for place in dict.fromkeys(place for start, to, _ in frame.moved for place in (start, to)):
            settle_leaders(action, place)


SAILING = Flow(Sailing, _sailing_awaits, _sailing_candidates, _sailing_proceed)


@effect("f15.1", otherwise=None)
def _next_battle(state: State, frame: Sailing) -> SeaBattle | None:
    """A battle with the first of the enemies whose fleet lies where units of this naval move have come.

    In a port that is friendly to both nobody fights.
    """
    for place in sorted({to for _, to, _ in frame.moved}):
        if not fleets_of(state, frame.power, place) or is_harbour(state, frame.power, place):
            continue
        for enemy in enemies_at(state, frame.power, place):
            if fleets_of(state, enemy, place):
                back = tuple(dict.fromkeys(start for start, to, _ in frame.moved if to == place))
                return SeaBattle(frame.power, enemy, place, () if state.world.is_zone(place) else back)
    return None


# interception


@effect("f15.1", otherwise=())
def interceptors(state: State, power: int, zone: int, frame: Sailing) -> tuple[int, ...]:
    """The places from which a power may intercept a fleet in a sea zone: beside it, with naval units, at war.

    A fleet tries once in a naval move, and not from where units of this move have come.
    """
    if power == frame.power or state.seat_of(power) == NONE or not state.at_war(power, frame.power):
        return ()
    met = {to for _, to, _ in frame.moved}
    return tuple(
        start
        for start in beside(state, zone)
        if start not in met and (power, start) not in frame.tried and fleets_of(state, power, start)
    )


def _move_of(state: State) -> tuple[SeaInterceptions, Sailing] | None:
    """The interceptions that are being asked for, and the naval move below."""
    if len(state.frames) > 1:
        top, below = state.frames[-1], state.frames[-2]
        if isinstance(top, SeaInterceptions) and isinstance(below, Sailing):
            return top, below
    return None


@forbids("f15.1", act=(InterceptAtSea, LetPass))
def only_who_is_asked_intercepts(state: State, act: InterceptAtSea | LetPass) -> Facts | None:
    """In a game: an enemy fleet has come into the zone, and the power has not answered yet."""
    if not state.frames and isinstance(act, InterceptAtSea):
        return None
    found = _move_of(state)
    if found is None or not found[0].missing() >> act.power & 1:
        return facts(variant="not_asked", power=act.power)
    if isinstance(act, InterceptAtSea) and act.zone != found[0].zone:
        return facts(variant="not_there", power=act.power, zone=act.zone)
    return None


@forbids("f15.1", act=InterceptAtSea)
def only_enemies_beside_intercept(state: State, act: InterceptAtSea) -> Facts | None:
    """By naval units of one's own, lent ones among them, in a place beside, against a fleet of an enemy."""
    if not state.world.is_zone(act.zone) or act.zone not in beside(state, act.start):
        return facts(variant="far", power=act.power, zone=act.zone, place=act.start)
    if not fleets_of(state, act.power, act.start):
        return facts(variant="no_fleet", power=act.power, place=act.start)
    found = _move_of(state)
    if found is None:
        return None if enemies_at(state, act.power, act.zone) else facts(variant="no_enemy", power=act.power)
    if act.start not in interceptors(state, act.power, act.zone, found[1]):
        return facts(variant="tried", power=act.power, place=act.start)
    return None


def _window_awaits(state: State, frame: SeaInterceptions) -> tuple[Decision, ...]:
    return tuple(
        Decision(
            state.seat_of(power),
            power,
            "intercept_at_sea",
            "f15.1",
            facts(power=power, target=frame.power, zone=frame.zone),
        )
        for power in bits(frame.missing())
    )


def _window_candidates(state: State, frame: SeaInterceptions, seat: int) -> Iterable[Group]:
    below = state.frames[-2]
    assert isinstance(below, Sailing)
    for power in bits(frame.missing()):
        if state.seat_of(power) == seat:
            starts = interceptors(state, power, frame.zone, below)
            yield InterceptAtSea, power, [InterceptAtSea(power, start, frame.zone) for start in starts]
            yield LetPass, power, (LetPass(power),)


def _window_proceed(action: Action, frame: SeaInterceptions) -> None:
    """All have answered: those who intercept try it in Impulse Order."""
    action.pop()
    answers = {answer.power: answer.command for answer in frame.answers}
    order = [answers[power] for power in impulse_order(action.state) if power in answers]
    action.change(trying=tuple((one.power, one.start, one.zone) for one in order if isinstance(one, InterceptAtSea)))


WINDOW = Flow(SeaInterceptions, _window_awaits, _window_candidates, _window_proceed)


def _intercept(action: Action, frame: Sailing) -> None:
    """The first of those that intercept tries it; by ruling `naval_interception` the table tells how it ends."""
    power, start, zone = frame.trying[0]
    told = action.state.ruling("naval_interception") == "told"
    if told and not frame.told:
        action.push(Telling(power, "sea_interception", 1, "f15.1", by=power))
        return
    total, success = (0, bool(frame.told[0])) if told else _attempt(action, power, start)
    action.change(trying=frame.trying[1:], tried=(*frame.tried, (power, start)), told=())
    _come(action, InterceptionRolled(power, start, zone, total, success, "f15.1"))


def _attempt(action: Action, power: int, start: int) -> tuple[int, bool]:
    """Two dice and the best rating of a naval leader, nine or more: the total, and whether it succeeds."""
    total = sum(action.roll("naval interception", 2)) + best_rating(action.state, power, start)
    return total, total >= int(action.state.world.tables["dice"]["intercept"])


def _come(action: Action, rolled: InterceptionRolled) -> None:
    """What was rolled is told, and the fleet comes if it succeeded."""
    action.emit(rolled)
    if rolled.success:
        move_all(action, rolled.power, rolled.start, rolled.space)


@carries_out(InterceptAtSea)
def intercept_at_sea(action: Action, command: InterceptAtSea) -> None:
    """On the desk, with no naval move under way, it is rolled for at once."""
    total, success = _attempt(action, command.power, command.start)
    _come(action, InterceptionRolled(command.power, command.start, command.zone, total, success, "f15.1"))


@carries_out(LetPass)
def let_pass(action: Action, command: LetPass) -> None:
    """Nothing happens; in a game the answer is sealed with the others."""


# what command points may be spent on


def candidates(state: State, power: int, left: int) -> Iterable[Kept]:
    """A naval move, if the points are enough for one."""
    if left >= int(state.world.tables["costs"]["sail"]):
        yield Kept(("sail", power), (state.rulings, state.fleets, state.minor_ally), _begin, (power,))


def _begin(power: int) -> Iterable[Group]:
    yield BeginSailing, power, (BeginSailing(power),)


# winter


@effect("f16.3", otherwise=False)
def fleets_go_to_port(state: State) -> bool:
    """In winter naval units go to ports (ruling `winter_ports`)."""
    return True


def winter(action: Action) -> None:
    """Naval units at sea, or in a port that is not friendly, go to the nearest friendly one; naval leaders too.

    Pushes the frame in which this happens. To be called after alliances have ended, and before the frames in which
    owners say where lent units go are pushed, so that these have come home first.
    """
    if fleets_go_to_port(action.state):
        action.push(WinterReturn())


class Homeless(NamedTuple):
    """Naval units that lie in no friendly port: where, whom they serve, the ports that are nearest."""

    place: int
    power: int
    ports: tuple[int, ...]


def _homeless(state: State) -> Homeless | None:
    """The first who must still go to a port; who can reach none stays, or is lost, by ruling `winter_ports`."""
    for place, row in enumerate(state.fleets):
        for power in dict.fromkeys(serves(state, fleet) for fleet in row):
            ports = nearest_harbours(state, power, place)
            if place not in ports and (ports or state.ruling("winter_ports") == "lost"):
                return Homeless(place, power, ports)
    return None


def _winter_awaits(state: State, frame: WinterReturn) -> tuple[Decision, ...]:
    found = _homeless(state)
    if found is None or len(found.ports) < 2 or state.seat_of(found.power) == NONE:
        return ()
    why = facts(power=found.power, place=found.place, spaces=found.ports)
    return (Decision(state.seat_of(found.power), found.power, "harbour", "f16.3", why),)


def _winter_candidates(state: State, frame: WinterReturn, seat: int) -> Iterable[Group]:
    found = _homeless(state)
    if found is not None and state.seat_of(found.power) == seat:
        yield Harbour, found.power, [Harbour(found.power, found.place, port) for port in found.ports]


def _winter_proceed(action: Action, frame: WinterReturn) -> None:
    """What needs no choice; at last naval leaders."""
    found = _homeless(action.state)
    if found is None:
        action.pop()
        _winter_leaders(action)
    else:
        _go_home(action, found, found.ports[0] if found.ports else NONE)


WINTER = Flow(WinterReturn, _winter_awaits, _winter_candidates, _winter_proceed)


@forbids("f16.3", act=Harbour)
def one_of_the_nearest_ports(state: State, act: Harbour) -> Facts | None:
    """In winter, and only a friendly port that is as near as any other."""
    frame = state.frames[-1] if state.frames else None
    found = _homeless(state) if isinstance(frame, WinterReturn) else None
    if found is None or (found.power, found.place) != (act.power, act.start):
        return facts(variant="not_now", power=act.power)
    return None if act.to in found.ports else facts(variant="port", power=act.power, space=act.to)


@carries_out(Harbour)
def harbour(action: Action, command: Harbour) -> None:
    """The units go there."""
    found = _homeless(action.state)
    assert found is not None
    _go_home(action, found, command.to)


def _go_home(action: Action, found: Homeless, to: int) -> None:
    """All units in the place that serve the power, with its naval leaders there; NONE: they are lost."""
    state: State = action.state
    here = state.leaders_in(found.place, found.power)
    leaders = tuple(leader for leader in here if state.world.leaders[leader].kind == "naval")
    for fleet in state.fleets[found.place]:
        if serves(state, fleet) != found.power:
            continue
        if to == NONE:
            values = (found.place, fleet.owner, fleet.kind, -fleet.count, fleet.holder)
            action.emit(ShipsChanged(*values, "f16.3"))
        else:
            moved = (fleet.owner, fleet.holder, fleet.kind, fleet.count, found.place, to)
            action.emit(ShipsMoved(*moved, leaders, "f16.3"))
            leaders = ()


def _winter_leaders(action: Action) -> None:
    """Naval leaders without a friendly port go to one; those who were lost for the turn come back."""
    state: State = action.state
    for leader, card in enumerate(state.world.leaders):
        at, power = state.leader_at[leader], state.leader_holder[leader]
        if card.kind != "naval" or state.captor[leader] != NONE:
            continue
        if at == NONE and not state.lost_leaders >> leader & 1:
            continue
        if at != NONE and state.world.ports >> at & 1 and is_harbour(state, power, at):
            continue
        to = _home_port(state, power)
        if at != NONE and state.world.is_zone(at):
            if fleets_of(state, state.acting(power), at):
                continue  # they stay at sea together (ruling `winter_ports`)
            to = (*nearest_harbours(state, power, at), to)[0]
        if to != at:
            action.emit(LeaderMoved(leader, to, "f16.3"))


def _home_port(state: State, power: int) -> int:
    """The port that a power controls with the most of its naval units, home ports first; NONE without any."""
    ports = [port for port in bits(state.world.ports) if state.owner[port] == power]

    def worth(port: int) -> tuple[int, bool]:
        return sum(fleet.count for fleet in fleets_of(state, power, port)), state.world.home[port] == power

    return max(ports, key=worth, default=NONE)
