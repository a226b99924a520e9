"""Naval units lent to an ally for one turn: which, how they get to his port, and how they come back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from msgspec.structs import replace

from foedus.games.virgin_queen.alliances import now_negotiating
from foedus.games.virgin_queen.board import chart
from foedus.games.virgin_queen.commands import Lend, PlaceLoan, Sail
from foedus.games.virgin_queen.events import (
    LeaderReturned,
    Lent,
    LoanPlaced,
    LoanReturned,
    ShipsChanged,
)
from foedus.games.virgin_queen.frames import PlacingLoan
from foedus.games.virgin_queen.state import (
    ARMADA,
    CORSAIR,
    IND,
    MINORS,
    PATROL,
    POWERS,
    Fleet,
    State,
    applies,
)
from foedus.kernel.flow import Action, Decision, Flow, Group, carries_out
from foedus.kernel.rules import Facts, effect, facts, forbids, permits
from foedus.kernel.unknown import NONE, UNKNOWN, Unknown
from foedus.kernel.values import bits

NEVER: Final = {CORSAIR: "corsair", PATROL: "patrol", ARMADA: "armada"}
"""Kinds that are never lent (loan.2), and by which words that is said."""


# ways over the sea


class Voyage(NamedTuple):
    """Ports equally near: how many sea zones are crossed on the way, and the zones (by the board) of one such way."""

    ports: tuple[int, ...]
    distance: int
    zones: tuple[int, ...]


def _waves(state: State, place: int, through_ports: bool) -> Iterator[tuple[int, dict[int, int]]]:
    """The sea zones in the order of their distance from a place: how far, and each new zone with the one before it."""
    world = state.world
    sea = chart(world.board)
    first = 1 << world.zone(place) if world.is_zone(place) else sea.zones_of[place]
    wave = dict.fromkeys(bits(first), NONE)
    seen, distance = first, 1
    while wave:
        yield distance, wave
        after: dict[int, int] = {}
        for zone in wave:
            beside = sea.meets[zone]
            if through_ports:
                for port in bits(sea.ports_of[zone]):
                    beside |= sea.zones_of[port]
            for other in bits(beside & ~seen):
                after[other] = zone
                seen |= 1 << other
        wave = after
        distance += 1


def _is_goal(state: State, power: int, port: int) -> bool:
    """Does the port count as one of the power's for a loan (rulings of loan.M6 and loan.M7)? Raises `Unknown`."""
    owner = state.owner_of(port)
    if owner != power:
        counts = state.ruling("loan_and_minor_allies") in ("ports", "both")
        if not (counts and owner in MINORS and state.patron_of(owner) == power):
            return False
    return state.ruling("loan_besieged_port") == "counts" or state.besieger(port) == NONE


def voyage(state: State, place: int, power: int, through_ports: bool = False) -> Voyage | None:
    """The nearest ports of a power from a port or a sea zone (loan.6); None if no way of sea zones leads to one.

    Each sea zone crossed counts one. The way is one of sea zones only (loan.11): two seas that meet in a port space
    and nowhere else, as at Gibraltar, are not joined by it, unless `through_ports`. Raises `Unknown`.
    """
    world = state.world
    if not world.is_zone(place) and _is_goal(state, power, place):
        return Voyage((place,), 0, ())
    before: dict[int, int] = {}
    sea = chart(world.board)
    for distance, wave in _waves(state, place, through_ports):
        before.update(wave)
        found: dict[int, int] = {}
        for zone in wave:
            for port in bits(sea.ports_of[zone]):
                if port not in found and _is_goal(state, power, port):
                    found[port] = zone
        if found:
            ports = tuple(sorted(found))
            way = [found[ports[0]]]
            while before[way[0]] != NONE:
                way.insert(0, before[way[0]])
            return Voyage(ports, distance, tuple(way))
    return None


def _reaches(state: State, place: int, power: int, through_ports: bool) -> bool:
    """Does a way lead from the place to any port of the power? Asks only what it must know. Raises `Unknown`."""
    world = state.world
    sea = chart(world.board)
    reached = 0 if world.is_zone(place) else 1 << place
    for _, wave in _waves(state, place, through_ports):
        for zone in wave:
            reached |= sea.ports_of[zone]
    first: Unknown | None = None
    for port in bits(reached):
        try:
            if _is_goal(state, power, port):
                return True
        except Unknown as unknown:
            first = first or unknown
    if first is not None:
        raise first
    return False


def destination(state: State, act: Lend) -> Voyage | None:
    """Where lent units go: the nearest ports of the receiver, how far, and one way. None if none. Raises `Unknown`."""
    return voyage(state, act.port, act.to, not applies(state, "loan.11"))


# which units


class Part(NamedTuple):
    """Naval units that a power can lend: whose, whom they serve now, how many."""

    owner: int
    holder: int
    many: int


def _parts(state: State, act: Lend, minors: bool, passed_on: bool) -> tuple[Part, ...]:
    """The units of that kind in that port that the power could lend: its own first. Raises `Unknown`."""
    own, others, borrowed = [], [], []
    for fleet in state.ships(act.port):
        if fleet.kind != act.fleet:
            continue
        part = Part(fleet.owner, fleet.holder, fleet.count)
        if fleet.owner == fleet.holder == act.power:
            own.append(part)
        elif fleet.holder == act.power:
            borrowed.append(part)
        elif fleet.owner == fleet.holder and fleet.owner in MINORS and state.patron_of(fleet.owner) == act.power:
            others.append(part)
    return (*own, *(others if minors else ()), *(borrowed if passed_on else ()))


def _allowed_parts(state: State, act: Lend) -> tuple[Part, ...]:
    minors = state.ruling("loan_and_minor_allies") in ("units", "both")
    return _parts(state, act, minors, state.ruling("loan_passed_on") == "yes")


def _enough(parts: Iterable[Part], count: int) -> bool:
    return sum(part.many for part in parts) >= count


# what may not be lent


@forbids("loan.1", act=Lend)
def units_must_be_there(state: State, act: Lend) -> Facts | None:
    """Units of that kind, so many of them, in that place."""
    if act.count < 1:
        return None  # changes nothing: agree.1
    parts = _parts(state, act, True, True)
    if _enough(parts, act.count):
        return None
    if parts:
        many = sum(part.many for part in parts)
        return facts(variant="fewer", power=act.power, to=act.to, port=act.port, fleet=act.fleet, count=many)
    for fleet in state.ships(act.port):
        if fleet.kind == act.fleet and fleet.holder != act.power:
            return facts(variant="owner", power=act.power, to=act.to, port=act.port)
    return facts(power=act.power, to=act.to, port=act.port)


@forbids("loan.2", act=Lend)
def not_corsairs_patrols_or_the_armada(state: State, act: Lend) -> Facts | None:
    """Three kinds are never lent."""
    if act.fleet in NEVER:
        return facts(variant=NEVER[act.fleet], power=act.power, to=act.to)
    return None


@forbids("loan.3", act=Lend)
def only_with_the_announcement(state: State, act: Lend) -> Facts | None:
    """A loan is announced at the same moment as the alliance; none comes later."""
    return None if now_negotiating(state) else facts(power=act.power, to=act.to)


@effect("loan.M5", otherwise="both")
def direction_rule(state: State) -> str:
    """Ruling `loan_direction`: does loan.4 speak of powers, of players, or of both?"""
    return state.ruling("loan_direction")


@forbids("loan.4", act=Lend)
def one_direction_only(state: State, act: Lend) -> Facts | None:
    """Loans between two powers, and between two players, go one way in a turn (ruling `loan_direction`)."""
    rule = direction_rule(state)
    if rule != "players":
        for owner, holder in state.lent:
            if state.acting(owner) == act.to and holder == act.power:
                return facts(power=act.power, to=act.to)
    if rule == "powers" or not state.lent:
        return None
    mine, yours = state.seat_of(act.power), state.seat_of(act.to)
    if mine == yours or NONE in (mine, yours):
        return None
    for owner, holder in state.lent:
        if state.seat_of(owner) == yours and state.seat_of(holder) == mine:
            return facts(variant="players", power=act.power, to=act.to)
    return None


@forbids("loan.13", act=Lend)
def only_to_an_ally_of_this_turn(state: State, act: Lend) -> Facts | None:
    """The receiver is an ally by an alliance of this turn; a minor power's side is none."""
    if act.power == act.to or IND in (act.power, act.to):
        return None
    giver = state.acting(act.power)
    if state.allies[giver] >> act.to & 1:
        return None
    if state.unsure[giver] >> act.to & 1:
        raise Unknown("allied", (("power", min(giver, act.to)), ("ally", max(giver, act.to))), (0, 1))
    return facts(power=act.power, to=act.to)


@forbids("loan.10", act=Lend)
def only_over_the_sea(state: State, act: Lend) -> Facts | None:
    """A way of sea zones must lead from the place to a port of the receiver; nothing leads there at all."""
    if _reaches(state, act.port, act.to, True):
        return None
    return facts(power=act.power, to=act.to, port=act.port)


@forbids("loan.11", act=Lend)
def not_through_a_port_space(state: State, act: Lend) -> Facts | None:
    """Where every way passes through a port space, such as Gibraltar, there is none."""
    if not _reaches(state, act.port, act.to, False) and _reaches(state, act.port, act.to, True):
        return facts(power=act.power, to=act.to, port=act.port)
    return None


@forbids("loan.6", act=Lend)
def the_port_named_is_a_nearest_one(state: State, act: Lend) -> Facts | None:
    """A loan that names its port names one of the nearest."""
    if act.goal == NONE:
        return None
    way = destination(state, act)
    if way is None or act.goal in way.ports:
        return None
    return facts(variant="goal", power=act.power, to=act.to, space=act.goal)


@forbids("loan.14", act=Lend)
def a_leader_goes_with_his_units(state: State, act: Lend) -> Facts | None:
    """A naval leader of the giver, in the same port as the units that are lent."""
    if act.leader == NONE:
        return None
    leader = state.world.leaders[act.leader]
    if leader.kind != "naval":
        return facts(variant="army", power=act.power, to=act.to, leader=act.leader)
    at = state.leader_at[act.leader]
    if at == UNKNOWN:
        raise Unknown("leader_place", (("leader", act.leader),), ())
    serves = state.leader_holder[act.leader]
    if at == act.port and (serves == act.power or (leader.power == serves and state.acting(serves) == act.power)):
        return None
    return facts(power=act.power, to=act.to, leader=act.leader)


@forbids("loan.M3", act=Lend)
def not_from_the_sea(state: State, act: Lend) -> Facts | None:
    """Ruling `loan_from_sea`."""
    if state.ruling("loan_from_sea") == "refused" and state.world.is_zone(act.port):
        return facts(power=act.power, to=act.to, port=act.port)
    return None


@forbids("loan.M4", act=Lend)
def what_is_lent_is_not_lent_on(state: State, act: Lend) -> Facts | None:
    """Ruling `loan_passed_on`."""
    if state.ruling("loan_passed_on") == "yes" or _enough(_parts(state, act, True, False), act.count):
        return None
    if _enough(_parts(state, act, True, True), act.count):
        return facts(power=act.power, to=act.to)
    if act.leader != NONE and state.leader_holder[act.leader] != state.world.leaders[act.leader].power:
        return facts(power=act.power, to=act.to)
    return None


@forbids("loan.M6", act=Lend)
def not_the_units_of_a_minor_ally(state: State, act: Lend) -> Facts | None:
    """Ruling `loan_and_minor_allies`."""
    if state.ruling("loan_and_minor_allies") in ("units", "both"):
        return None
    if act.power in MINORS:
        return facts(power=state.acting(act.power), to=act.to, ally=act.power)
    for fleet in state.ships(act.port):
        serves = fleet.kind == act.fleet and fleet.owner in MINORS and fleet.holder == fleet.owner
        if serves and state.patron_of(fleet.owner) == act.power:
            if not _enough(_parts(state, act, False, True), act.count) and _enough(
                _parts(state, act, True, True), act.count
            ):
                return facts(power=act.power, to=act.to, ally=fleet.owner)
    return None


@forbids("loan.M7", act=Lend)
def not_from_a_port_under_siege(state: State, act: Lend) -> Facts | None:
    """Ruling `loan_besieged_port`."""
    if state.ruling("loan_besieged_port") == "counts" or state.world.is_zone(act.port):
        return None
    if state.besieger(act.port) != NONE:
        return facts(power=act.power, to=act.to, port=act.port)
    return None


@permits("loan.1", act=Lend)
def units_may_be_lent_to_an_ally(state: State, act: Lend) -> Facts | None:
    """For one turn."""
    return facts(power=act.power, to=act.to)


@permits("loan.8", act=Lend)
def a_part_of_the_stack(state: State, act: Lend) -> Facts | None:
    """Cited where others stay behind."""
    total = sum(fleet.count for fleet in state.ships(act.port) if fleet.holder == act.power)
    return facts(power=act.power, port=act.port) if act.count < total else None


@permits("loan.9", act=Lend)
def a_leader_may_go_along(state: State, act: Lend) -> Facts | None:
    """Cited where a naval leader is lent."""
    return facts(power=act.power, leader=act.leader, port=act.port) if act.leader != NONE else None


@permits("loan.7", act=Sail)
def lent_units_are_the_receivers(state: State, act: Sail) -> Facts | None:
    """Cited where a power moves units that were lent to it; it means its own where it does not say whose."""
    there = [fleet for fleet in state.ships(act.start) if fleet.kind == act.fleet and fleet.holder == act.power]
    if act.owner == NONE and any(fleet.owner == act.power for fleet in there):
        return None
    for fleet in there:
        if fleet.owner != act.power and act.owner in (NONE, fleet.owner):
            return facts(power=act.power, ally=fleet.owner)
    return None


# lending


@effect("loan.5", otherwise=False)
def carries_the_marker(state: State) -> bool:
    """The receiver's Loaned marker makes a lent unit his."""
    return True


@effect("loan.6", otherwise=False)
def goes_to_the_nearest_port(state: State) -> bool:
    """Lent units are moved to the receiver's nearest port."""
    return True


@effect("loan.7", otherwise=False)
def counts_as_the_receivers(state: State) -> bool:
    """A lent unit is in every way one of the receiver's."""
    return True


def serves(state: State, fleet: Fleet) -> int:
    """The power that naval units move, fight, retreat and intercept for: their holder (loan.7)."""
    return fleet.holder if counts_as_the_receivers(state) else fleet.owner


@effect("loan.M1", otherwise="receiver")
def who_breaks_a_tie(state: State) -> str:
    """Ruling `nearest_port_tie`."""
    return state.ruling("nearest_port_tie")


def lend(action: Action, act: Lend) -> tuple[PlacingLoan, ...]:
    """The units carry the marker and go to the nearest port (loan.5, loan.6); the frames ask where several are near.

    Until it is answered they lie in the first of these ports. By the ruling `nearest_port_tie` a die may decide.
    """
    state: State = action.state
    way = destination(state, act)
    ports = way.ports if way is not None and goes_to_the_nearest_port(state) else (act.port,)
    rule = who_breaks_a_tie(state)
    if act.goal in ports:
        ports = (act.goal,)
    left, leader = act.count, act.leader
    frames = []
    for part in _allowed_parts(state, act):
        count = min(left, part.many)
        if count < 1:
            break
        holder = act.to if carries_the_marker(state) else part.owner
        giver = NONE if part.holder == part.owner else part.holder
        choosing = len(ports) if len(ports) > 1 else 0
        where = (act.port, ports[0], leader, "loan.5", giver, choosing)
        action.emit(Lent(part.owner, holder, act.fleet, count, *where))
        if len(ports) > 1:
            chooser = act.to if rule == "receiver" else act.power
            placing = PlacingLoan(chooser, part.owner, act.fleet, count, ports[0], ports, leader, holder=holder)
            frames.append(replace(placing, by_die=rule == "die"))
        left -= count
        leader = NONE
    return tuple(frames)


# coming back


@effect("loan.12", otherwise=False)
def lent_units_come_back(state: State) -> bool:
    """After the turn the units are their owner's again."""
    return True


@effect("loan.M2", otherwise="nearest_port")
def where_they_return(state: State) -> str:
    """Ruling `loan_return`."""
    return state.ruling("loan_return")


def home_ports(state: State, owner: int, place: int) -> tuple[int, ...]:
    """Where lent units in a place can return to: their owner's nearest ports (loan.M2).

    Without a way of sea zones the nearest over any water, else any port that he controls; none if he has none.
    """
    for through_ports in (False, True):
        way = _own_voyage(state, place, owner, through_ports)
        if way:
            return way
    return tuple(port for port in bits(state.world.ports) if state.owner[port] == owner)


def _own_voyage(state: State, place: int, owner: int, through_ports: bool) -> tuple[int, ...]:
    world = state.world
    if not world.is_zone(place) and state.owner[place] == owner:
        return (place,)
    sea = chart(world.board)
    for _, wave in _waves(state, place, through_ports):
        near = 0
        for zone in wave:
            near |= sea.ports_of[zone]
        found = tuple(port for port in bits(near) if state.owner[port] == owner)
        if found:
            return found
    return ()


def return_loans(action: Action) -> tuple[PlacingLoan, ...]:
    """Winter: every lent unit and leader goes back to his owner (loan.12, loan.M2).

    Gives the frames to push, which ask the owner where ports are equally near.
    """
    state: State = action.state
    if not lent_units_come_back(state):
        return ()
    if state.ruling("loaned_unit_lost") == "receiver_replaces":
        _replace_lost(action)
    frames: list[PlacingLoan] = []
    gone: dict[tuple[int, int], int] = {}
    remembered = _remembered(state)
    for place in range(state.world.places):
        for fleet in state.fleets[place]:
            if fleet.owner != fleet.holder and fleet.owner >= 0:
                _return_fleet(action, place, fleet, remembered, frames, gone)
    asked = {(frame.owner, frame.port): i for i, frame in reversed(list(enumerate(frames)))}
    state = action.state
    for leader, holder in enumerate(state.leader_holder):
        owner = state.world.leaders[leader].power
        if holder == owner:
            continue
        at = state.leader_at[leader]
        if at < 0:
            action.emit(LeaderReturned(leader, at))
            continue
        with_units = asked.get((owner, at))
        if (owner, at) in gone:
            action.emit(LeaderReturned(leader, gone[owner, at]))
        elif with_units is not None and frames[with_units].leader == NONE:
            frames[with_units] = replace(frames[with_units], leader=leader)
        else:
            ports = home_ports(state, owner, at)
            action.emit(LeaderReturned(leader, ports[0] if ports else NONE))
    return tuple(frames)


def _remembered(state: State) -> dict[tuple[int, int, int], list[list[int]]]:
    """By owner, holder and kind the ports that units were lent from, each with how many."""
    found: dict[tuple[int, int, int], list[list[int]]] = {}
    if where_they_return(state) == "port_of_loan":
        for loan in state.loans:
            if not state.world.is_zone(loan.port):
                found.setdefault((loan.owner, loan.holder, loan.fleet), []).append([loan.port, loan.count])
    return found


def _return_fleet(
    action: Action,
    place: int,
    fleet: Fleet,
    remembered: dict[tuple[int, int, int], list[list[int]]],
    frames: list[PlacingLoan],
    gone: dict[tuple[int, int], int],
) -> None:
    """The units of one stack go back: to the port they were lent from where that is the ruling, else to the nearest.

    `gone` notes by owner and place where units have gone, for a leader who goes with them.
    """
    state: State = action.state
    left = fleet.count
    for row in remembered.get((fleet.owner, fleet.holder, fleet.kind), ()):
        count = min(left, row[1])
        if count and state.owner[row[0]] == fleet.owner:
            action.emit(LoanReturned(fleet.owner, fleet.holder, fleet.kind, count, place, row[0]))
            gone.setdefault((fleet.owner, place), row[0])
            row[1] -= count
            left -= count
    if not left:
        return
    ports = home_ports(state, fleet.owner, place)
    if len(ports) > 1:
        frames.append(PlacingLoan(fleet.owner, fleet.owner, fleet.kind, left, place, ports, NONE, True, fleet.holder))
        return
    to = ports[0] if ports else NONE
    action.emit(LoanReturned(fleet.owner, fleet.holder, fleet.kind, left, place, to))
    gone.setdefault((fleet.owner, place), to)


def _replace_lost(action: Action) -> None:
    """Ruling `loaned_unit_lost`: the receiver makes good what was lost, with units of its own if it has any."""
    state: State = action.state
    lent: dict[tuple[int, int, int], int] = {}
    for loan in state.loans:
        key = (loan.owner, loan.holder, loan.fleet)
        lent[key] = lent.get(key, 0) + loan.count
    for (owner, holder, kind), count in lent.items():
        there = (fleet for row in action.state.fleets for fleet in row)
        still = sum(f.count for f in there if (f.owner, f.holder, f.kind) == (owner, holder, kind))
        lost = count - still
        for place in range(state.world.places):
            for fleet in action.state.fleets[place]:
                if lost > 0 and fleet.owner == fleet.holder == holder and fleet.kind == kind:
                    given = min(lost, fleet.count)
                    ports = home_ports(action.state, owner, place)
                    if ports:
                        action.emit(ShipsChanged(place, holder, kind, -given, holder, "loan.12"))
                        action.emit(ShipsChanged(ports[0], owner, kind, given, owner, "loan.12"))
                        lost -= given


# choosing a port


def still_to_place(state: State, frames: Iterable[PlacingLoan]) -> tuple[PlacingLoan, ...]:
    """The choices that are still to be made: for units, and a leader, that still lie where they were put at first.

    Some may have been lent on in the same announcement (ruling `loan_passed_on`).
    """
    found = []
    for frame in frames:
        for fleet in state.fleets[frame.port]:
            if (fleet.owner, fleet.holder, fleet.kind) == (frame.owner, frame.holder, frame.fleet):
                there = frame.leader >= 0 and state.leader_at[frame.leader] == frame.port
                leader = frame.leader if there and state.leader_holder[frame.leader] == frame.holder else NONE
                found.append(replace(frame, count=min(frame.count, fleet.count), leader=leader))
    return tuple(found)


def _placing_awaits(state: State, frame: PlacingLoan) -> tuple[Decision, ...]:
    if frame.by_die:
        return ()
    seat = state.seat_of(frame.power)
    if seat == NONE:
        return ()
    clause = "loan.M2" if frame.home else "loan.M1"
    return (Decision(seat, frame.power, "loan_home" if frame.home else "loan_port", clause, facts(spaces=frame.ports)),)


def _placing_candidates(state: State, frame: PlacingLoan, seat: int) -> Iterable[Group]:
    if seat == state.seat_of(frame.power):
        yield PlaceLoan, frame.power, [PlaceLoan(frame.power, port) for port in frame.ports]


def _placing_proceed(action: Action, frame: PlacingLoan) -> None:
    """A die decides, or nobody decides for the power: then the first port by the board takes the units."""
    pick = action.pick(f"port {POWERS[frame.owner]} {POWERS[frame.holder]}", len(frame.ports)) if frame.by_die else 0
    _place(action, frame, frame.ports[pick])


PLACING = Flow(PlacingLoan, _placing_awaits, _placing_candidates, _placing_proceed)


@forbids("loan.6", act=PlaceLoan)
def one_of_the_nearest_ports(state: State, act: PlaceLoan) -> Facts | None:
    """Only where borrowed units wait for a port, and one of those that are equally near."""
    frame = state.frames[-1] if state.frames else None
    if not isinstance(frame, PlacingLoan) or frame.power != act.power:
        return facts(variant="none", power=act.power)
    if act.space not in frame.ports:
        return facts(variant="place", power=act.power, space=act.space)
    return None


@carries_out(PlaceLoan)
def place_loan(action: Action, command: PlaceLoan) -> None:
    """The units lie in the port that was chosen."""
    frame = action.state.frames[-1]
    assert isinstance(frame, PlacingLoan)
    _place(action, frame, command.space)


def _place(action: Action, frame: PlacingLoan, space: int) -> None:
    if frame.home:
        action.emit(LoanReturned(frame.owner, frame.holder, frame.fleet, frame.count, frame.port, space))
        if frame.leader != NONE:
            action.emit(LeaderReturned(frame.leader, space))
    else:
        values = (frame.owner, frame.holder, frame.fleet, frame.count, frame.port, space, frame.leader)
        action.emit(LoanPlaced(*values))
    action.pop()
