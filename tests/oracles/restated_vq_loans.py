"""Naval loans of Virgin Queen, restated as plainly as possible.

How the way of a loaned unit is read:

* A way is a row of sea zones, each next to the one before it by open water. Its length is the number of zones in it
  (loan.6: each zone crossed counts as one space). The two ports at its ends are not counted and are not on it.
* Two ports on one zone: that zone is crossed, so the way is 1 long.
* A port on two zones may be left into either and reached from either. It never joins them: a link that exists only
  through a port space is no link (loan.11), whoever controls that port, and even for a unit that starts there,
  which simply has two zones to start in.
* A unit that stands already in a port of the receiver has nothing to cross: 0 long, and that port is the nearest.
* Zones that hold other powers' fleets are crossed freely: the unit is put down, not moved (f15.2).

The readings that are rulings, by name:

`loan_direction` (loan.M5): `powers`, `players` or `both` (refused if either refuses).
    With one player for both powers the players' reading finds no two players and refuses nothing.
`loan_from_sea` (loan.M3): `refused` or `allowed`. Allowed: the zone where the unit is counts as crossed, so that
    it has the same way as from a port on that zone alone.
`loan_passed_on` (loan.M4): `no` or `yes`.
`loan_and_minor_allies` (loan.M6): `neither`, `units`, `ports` or `both`: whether the units of the lender's minor
    allies may be lent, and whether the ports of the receiver's minor allies count as his.
`loan_besieged_port` (loan.M7): `counts` or `does_not_count`. In the second a besieged port is no goal, and no
    start either (the id is then loan.M7).
"""

from __future__ import annotations

from dataclasses import dataclass, field

NOT_LENT = ("corsair", "patrol", "armada")
LENT = ("squadron", "galley")
LEADER = "naval_leader"

DEFAULTS: dict[str, str] = {
    "loan_direction": "both",
    "loan_from_sea": "refused",
    "loan_passed_on": "no",
    "loan_and_minor_allies": "neither",
    "loan_besieged_port": "counts",
}

Pair = frozenset[str]


@dataclass(frozen=True)
class Sea:
    """Zones that meet by open water, zones that meet only at a port, and the zones each port lies on."""

    open_water: frozenset[Pair]
    through_port: dict[Pair, str]
    ports: dict[str, frozenset[str]]

    def zones(self) -> frozenset[str]:
        found: set[str] = set()
        for link in self.open_water:
            found |= link
        for link in self.through_port:
            found |= link
        for coast in self.ports.values():
            found |= coast
        return frozenset(found)


@dataclass(frozen=True)
class Unit:
    """One naval unit or leader. `held_by` is the receiver of the loan it is on, None when it is on none."""

    name: str
    kind: str
    owner: str
    place: str
    held_by: str | None = None


@dataclass(frozen=True)
class Loan:
    """What one power lends to another; `moment` is `announcement` or anything else."""

    lender: str
    receiver: str
    units: tuple[Unit, ...]
    moment: str = "announcement"


@dataclass(frozen=True)
class World:
    """`controls` gives each port its controller, `players` each power its player, `minor_allies` each minor its ally.

    `alliances` are those of this turn, `loans` those already made this turn.
    """

    sea: Sea
    controls: dict[str, str]
    alliances: frozenset[Pair] = frozenset()
    players: dict[str, str] = field(default_factory=dict)
    minor_allies: dict[str, str] = field(default_factory=dict)
    besieged: frozenset[str] = frozenset()
    loans: tuple[Loan, ...] = ()
    rulings: dict[str, str] = field(default_factory=dict)


def rule(world: World, name: str) -> str:
    return world.rulings.get(name, DEFAULTS[name])


def length(sea: Sea, start: frozenset[str], goal: frozenset[str]) -> int | None:
    """The fewest zones of a way that begins in a start zone and ends in a goal zone; None without a way."""
    reached = start
    count = 1
    while not reached & goal:
        further = set(reached)
        for link in sea.open_water:  # loan.11: never sea.through_port
            if link & reached:
                further |= link
        if further == reached:
            return None
        reached = frozenset(further)
        count = count + 1
    return count


def start_zones(sea: Sea, place: str) -> frozenset[str]:
    # loan.10: from the port where the unit is; loan.M3 for one at sea.
    if place in sea.ports:
        return sea.ports[place]
    if place in sea.zones():
        return frozenset({place})
    raise ValueError(f"no such port or zone: {place}")


def receivers_ports(world: World, receiver: str) -> frozenset[str]:
    # loan.6: ports the receiver controls.
    found: set[str] = set()
    for port, controller in world.controls.items():
        mine = controller == receiver
        if not mine and rule(world, "loan_and_minor_allies") in ("ports", "both"):
            mine = world.minor_allies.get(controller) == receiver
        if mine and port in world.besieged and rule(world, "loan_besieged_port") == "does_not_count":
            mine = False
        if mine:
            found.add(port)
    return frozenset(found)


def distances(world: World, place: str, receiver: str) -> dict[str, int]:
    """The length of the way to each port of the receiver that can be reached."""
    found: dict[str, int] = {}
    for port in receivers_ports(world, receiver):
        if port == place:
            found[port] = 0
            continue
        way = length(world.sea, start_zones(world.sea, place), world.sea.ports[port])
        if way is not None:
            found[port] = way
    return found


def nearest(world: World, place: str, receiver: str) -> tuple[int | None, frozenset[str]]:
    """The length of the shortest way, and every port of the receiver that near; (None, nothing) without a way."""
    found = distances(world, place, receiver)
    if not found:
        return None, frozenset()
    least = min(found.values())
    # loan.M1: all that tie, for the receiver to choose from.
    return least, frozenset(port for port, way in found.items() if way == least)


def against(world: World, earlier: Loan, lender: str, receiver: str) -> bool:
    """Does a loan from lender to receiver make the second direction beside the earlier one (loan.4)."""
    powers = earlier.lender == receiver and earlier.receiver == lender
    one, other = world.players.get(lender, lender), world.players.get(receiver, receiver)
    came_from = world.players.get(earlier.lender, earlier.lender)
    went_to = world.players.get(earlier.receiver, earlier.receiver)
    players = one != other and came_from == other and went_to == one
    ruling = rule(world, "loan_direction")
    if ruling == "powers":
        return powers
    if ruling == "players":
        return players
    return powers or players


def loan_forbidden(world: World, loan: Loan) -> frozenset[str]:
    """Every clause that forbids the loan as a whole."""
    if loan.lender == loan.receiver:
        raise ValueError(f"{loan.lender} lends to itself")
    if not loan.units:
        raise ValueError("nothing is lent")
    forbidding: set[str] = set()
    # loan.13.
    if frozenset({loan.lender, loan.receiver}) not in world.alliances:
        forbidding.add("loan.13")
    # loan.3.
    if loan.moment != "announcement":
        forbidding.add("loan.3")
    # loan.4.
    for earlier in world.loans:
        if against(world, earlier, loan.lender, loan.receiver):
            forbidding.add("loan.4")
    for unit in loan.units:
        forbidding |= unit_forbidden(world, loan, unit)
    return frozenset(forbidding)


def unit_forbidden(world: World, loan: Loan, unit: Unit) -> frozenset[str]:
    """The clauses that forbid this one unit of the loan to go."""
    if unit.kind not in (*NOT_LENT, *LENT, LEADER):
        raise ValueError(f"no such naval kind: {unit.kind}")
    forbidding: set[str] = set()
    # loan.2.
    if unit.kind in NOT_LENT:
        forbidding.add("loan.2")
    # Whose it is. On loan to the lender: loan.M4. A unit that is on loan to a third power is not the lender's to give.
    if unit.held_by is not None:
        if unit.held_by != loan.lender:
            raise ValueError(f"{unit.name} is on loan to {unit.held_by}, not with {loan.lender}")
        if rule(world, "loan_passed_on") == "no":
            forbidding.add("loan.M4")
    elif unit.owner != loan.lender:
        if world.minor_allies.get(unit.owner) != loan.lender:
            raise ValueError(f"{unit.name} is not a unit of {loan.lender}")
        if rule(world, "loan_and_minor_allies") not in ("units", "both"):
            forbidding.add("loan.M6")
    # loan.14: a leader goes only with units of the same place in the same loan.
    if unit.kind == LEADER and not [
        other for other in loan.units if other.kind != LEADER and other.place == unit.place
    ]:
        forbidding.add("loan.14")
    # The way.
    if unit.place not in world.sea.ports and rule(world, "loan_from_sea") == "refused":
        start_zones(world.sea, unit.place)
        forbidding.add("loan.M3")
        return frozenset(forbidding)
    if unit.place in world.besieged and rule(world, "loan_besieged_port") == "does_not_count":
        forbidding.add("loan.M7")
    if nearest(world, unit.place, loan.receiver)[0] is None:
        forbidding.add("loan.10")
    return frozenset(forbidding)
