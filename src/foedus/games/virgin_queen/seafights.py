"""Naval battles (facts 15): who fights at sea, dice, losses, retreats, and what becomes of naval leaders.

The facts say only that interceptions and further steps follow a naval move; the numbers rest on the sister game, as
rulings of the table (`naval_dice`, `naval_losses`, `naval_retreat`, `naval_leaders`).
"""

from __future__ import annotations

from collections.abc import Iterable

from foedus.games.virgin_queen.alliances import is_friendly
from foedus.games.virgin_queen.battle import hits_are_told, teller
from foedus.games.virgin_queen.commands import LoseShip, RetreatAtSea
from foedus.games.virgin_queen.events import BattleFought, LeaderLost, LeaderMoved, ShipsChanged, ShipsMoved
from foedus.games.virgin_queen.frames import SeaBattle, Telling
from foedus.games.virgin_queen.loans import serves
from foedus.games.virgin_queen.powers import side_of
from foedus.games.virgin_queen.state import CORSAIR, EVERY, Fleet, State
from foedus.kernel.flow import Action, Decision, Flow, Group, carries_out
from foedus.kernel.rules import Facts, facts, forbids
from foedus.kernel.unknown import NONE

# who is where


def is_ocean(state: State, place: int) -> bool:
    """Is the place an ocean zone? They are out of play here."""
    world = state.world
    return world.is_zone(place) and world.board.seas[world.zone(place)].kind == "ocean"


def beside(state: State, place: int) -> tuple[int, ...]:
    """The places beside a port or a sea zone to which naval units could go: ocean zones are left out."""
    return tuple(other for other in state.world.sea_ways[place] if not is_ocean(state, other))


def fleets_of(state: State, power: int, place: int) -> tuple[Fleet, ...]:
    """The naval units in a place that are a power's now: its own, lent to it, and its minor allies'.

    Raises `Unknown`.
    """
    here = state.ships(place)
    if not here:
        return ()
    side = side_of(state, power)
    return tuple(fleet for fleet in here if serves(state, fleet) in side)


def enemies_at(state: State, power: int, place: int) -> tuple[int, ...]:
    """The powers at war with a power that have naval units in a place, in Impulse Order. Raises `Unknown`."""
    here = state.ships(place)
    if not here:
        return ()
    heads = {state.acting(serves(state, fleet)) for fleet in here}
    return tuple(head for head in EVERY if head in heads and head != power and state.at_war(power, head))


def naval_leaders(state: State, power: int, place: int) -> tuple[int, ...]:
    """The naval leaders in a place that serve a power or its minor allies."""
    side = side_of(state, power)
    leaders = state.world.leaders
    return tuple(
        leader
        for leader in state.leaders_in(place)
        if leaders[leader].kind == "naval" and state.leader_holder[leader] in side
    )


def best_rating(state: State, power: int, place: int) -> int:
    """The battle rating of the best naval leader of a power in a place; 0 without one."""
    return max((state.world.leaders[leader].battle for leader in naval_leaders(state, power, place)), default=0)


def is_harbour(state: State, power: int, place: int) -> bool:
    """Is the place a port that is friendly to the power (ruling `friendly_scope`)? Raises `Unknown`."""
    return not state.world.is_zone(place) and is_friendly(state, power, place, "port")


def nearest_harbours(state: State, power: int, place: int) -> tuple[int, ...]:
    """The friendly ports that are nearest by sea zones, the place itself if it is one; none if no way leads to one."""
    if is_harbour(state, power, place):
        return (place,)
    edge, seen = [place], {place}
    while edge:
        after = dict.fromkeys(other for here in edge for other in beside(state, here) if other not in seen)
        seen.update(after)
        found = tuple(sorted(port for port in after if is_harbour(state, power, port)))
        if found:
            return found
        edge = [other for other in after if state.world.is_zone(other)]
    return ()


def move_all(action: Action, power: int, start: int, to: int, why: str = "f15.1") -> None:
    """All naval units and naval leaders of a power in a place go to another."""
    leaders = naval_leaders(action.state, power, start)
    for fleet in fleets_of(action.state, power, start):
        values = (fleet.owner, fleet.holder, fleet.kind, fleet.count, start, to)
        action.emit(ShipsMoved(*values, leaders, why))
        leaders = ()


def settle_leaders(action: Action, place: int) -> None:
    """Naval leaders who are left without units at sea, or in a port that is not friendly (ruling `naval_leaders`)."""
    state: State = action.state
    for leader in state.leaders_in(place):
        power = state.leader_holder[leader]
        if state.world.leaders[leader].kind != "naval" or is_harbour(action.state, power, place):
            continue
        if fleets_of(action.state, state.acting(power), place):
            continue
        ports = nearest_harbours(action.state, power, place)
        if ports and state.ruling("naval_leaders") == "nearest_port":
            action.emit(LeaderMoved(leader, ports[0], "f15.1"))
        else:
            action.emit(LeaderLost(leader, "f15.1"))


def leave_port(action: Action, port: int) -> None:
    """An enemy has taken the port: naval units there, and naval leaders, leave it (ruling `fleets_in_lost_port`).

    They go to the nearest friendly port; without a way to one they are lost.
    """
    state: State = action.state
    if not state.world.ports >> port & 1 or state.ruling("fleets_in_lost_port") == "stay":
        return
    for power in dict.fromkeys(state.acting(serves(state, fleet)) for fleet in state.fleets[port]):
        if not state.at_war(power, state.owner[port]):
            continue
        ports = nearest_harbours(state, power, port)
        if ports:
            move_all(action, power, port, ports[0])
        else:
            sink_all(action, power, port)
    settle_leaders(action, port)


# dice


def dice_of(state: State, power: int, place: int, defends: bool) -> int:
    """How many dice a power rolls in a naval battle (ruling `naval_dice`)."""
    sea = state.world.tables["sea"]
    simple = state.ruling("naval_dice") == "one_a_unit"
    dice = best_rating(state, power, place)
    for fleet in fleets_of(state, power, place):
        each = 1 if simple else int(sea["corsair_dice"] if fleet.kind == CORSAIR else sea["dice"])
        dice += each * fleet.count
    if defends and not simple and not state.world.is_zone(place):
        dice += int(sea["port_dice"])
    return dice


def strength(state: State, kind: int) -> int:
    """How many hits remove a naval unit of a kind (ruling `naval_losses`)."""
    if state.ruling("naval_losses") == "one_hit_a_unit":
        return 1
    sea = state.world.tables["sea"]
    return int(sea["corsair_hits"] if kind == CORSAIR else sea["hits"])


def total_strength(state: State, power: int, place: int) -> int:
    """How many hits remove all naval units of a power in a place."""
    return sum(fleet.count * strength(state, fleet.kind) for fleet in fleets_of(state, power, place))


def _hits(action: Action, purpose: str, count: int) -> tuple[tuple[int, ...], int]:
    """The dice of one side and its hits."""
    dice = action.roll(purpose, count)
    return dice, sum(die >= int(action.state.world.tables["dice"]["hit"]) for die in dice)


def _fight(action: Action, frame: SeaBattle) -> None:
    """Both sides roll at once, or the table tells the hits; more hits win, equal ones the defender's."""
    state: State = action.state
    attacker, defender, place = frame.attacker, frame.defender, frame.place
    dice: tuple[int, ...] = ()
    others: tuple[int, ...] = ()
    if hits_are_told(state, "naval_dice"):
        if len(frame.told) < 2:
            by, other, what = (
                (defender, attacker, "sea_defence_hits") if frame.told else (attacker, defender, "sea_attack_hits")
            )
            most = total_strength(state, other, place)
            action.push(Telling(teller(state, attacker, defender), what, most, "f15.1", by=by))
            return
        hits, taken = frame.told
    else:
        dice, hits = _hits(action, "naval battle, attacker", dice_of(state, attacker, place, False))
        others, taken = _hits(action, "naval battle, defender", dice_of(state, defender, place, True))
    wins = hits > taken
    action.emit(
        BattleFought("sea", attacker, 1 << defender, place, dice, others, taken, hits, wins, "f15.1"),
    )
    action.change(stage=1, hits_on_attacker=taken, hits_on_defender=hits, attacker_wins=wins)


# losses


def _losing(frame: SeaBattle) -> tuple[int, int]:
    """The side that takes losses now, and its hits; the attacker first."""
    if frame.hits_on_attacker:
        return frame.attacker, frame.hits_on_attacker
    return frame.defender, frame.hits_on_defender


def losses(state: State, power: int, place: int, hits: int) -> tuple[tuple[int, int], ...]:
    """The units, by kind and owner, of which one could be taken for so many hits; all if the hits remove them all."""
    return tuple(
        dict.fromkeys(
            (fleet.kind, fleet.owner) for fleet in fleets_of(state, power, place) if strength(state, fleet.kind) <= hits
        )
    )


def _choosing(state: State, frame: SeaBattle) -> tuple[tuple[int, int], ...]:
    """The units between which the side that takes losses must choose; none if there is nothing to choose."""
    power, hits = _losing(frame)
    if not hits or state.seat_of(power) == NONE or hits >= total_strength(state, power, frame.place):
        return ()
    found = losses(state, power, frame.place, hits)
    return found if len(found) > 1 else ()


def _lose(action: Action, frame: SeaBattle, kind: int, owner: int) -> None:
    """One unit is gone, whoever it is owed to (ruling `loaned_unit_lost`), and its hits are spent."""
    state: State = action.state
    power, hits = _losing(frame)
    fleet = next(one for one in fleets_of(state, power, frame.place) if (one.kind, one.owner) == (kind, owner))
    action.emit(ShipsChanged(frame.place, owner, kind, -1, fleet.holder, "f15.1"))
    _spend(action, frame, hits - strength(state, kind))


def _spend(action: Action, frame: SeaBattle, left: int) -> None:
    if frame.hits_on_attacker:
        action.change(hits_on_attacker=left)
    else:
        action.change(hits_on_defender=left)


def _take_losses(action: Action, frame: SeaBattle) -> None:
    """What needs no choice: all are lost, or units of one kind and owner, or a hit is left that removes nothing."""
    state: State = action.state
    power, hits = _losing(frame)
    if not hits:
        action.change(stage=2)
        return
    found = losses(state, power, frame.place, hits)
    if hits >= total_strength(state, power, frame.place):
        sink_all(action, power, frame.place)
        _spend(action, frame, 0)
    elif found:
        _lose(action, frame, *found[0])
    else:
        _spend(action, frame, 0)


def sink_all(action: Action, power: int, place: int, why: str = "f15.1") -> None:
    """All naval units of a power in a place are lost."""
    for fleet in fleets_of(action.state, power, place):
        action.emit(ShipsChanged(place, fleet.owner, fleet.kind, -fleet.count, fleet.holder, why))


# the retreat


def retreat_ways(state: State, power: int, place: int) -> tuple[int, ...]:
    """Where beaten naval units may go from a sea zone (ruling `naval_retreat`)."""
    near = beside(state, place)
    if state.ruling("naval_retreat") == "told":
        return near
    free = [other for other in near if not enemies_at(state, power, other)]
    ports = tuple(other for other in free if is_harbour(state, power, other))
    zones = tuple(other for other in free if state.world.is_zone(other))
    if ports and state.ruling("naval_retreat") == "port_first":
        return ports
    return (*ports, *zones)


def _leaving(state: State, frame: SeaBattle) -> tuple[int, tuple[int, ...]]:
    """Who must leave the place after the battle, and where to; NONE if nobody must."""
    if not state.world.is_zone(frame.place):  # nobody stays in an enemy's port, and nobody is driven out of his own
        there = fleets_of(state, frame.attacker, frame.place)
        return (frame.attacker, frame.back) if there else (NONE, ())
    loser, winner = (frame.defender, frame.attacker) if frame.attacker_wins else (frame.attacker, frame.defender)
    if not fleets_of(state, loser, frame.place) or not fleets_of(state, winner, frame.place):
        return NONE, ()
    return loser, retreat_ways(state, loser, frame.place)


def _retreat(action: Action, frame: SeaBattle) -> None:
    """Who must leave goes where alone he can; without a way he is lost."""
    power, ways = _leaving(action.state, frame)
    if power != NONE and ways:
        move_all(action, power, frame.place, ways[0])
    elif power != NONE:
        sink_all(action, power, frame.place)
    action.change(stage=3)


# the flow


def _awaits(state: State, frame: SeaBattle) -> tuple[Decision, ...]:
    if frame.stage == 1 and _choosing(state, frame):
        power, hits = _losing(frame)
        told = facts(power=power, zone=frame.place, left=hits)
        return (Decision(state.seat_of(power), power, "lose_ship", "f15.1", told),)
    if frame.stage == 2:
        power, ways = _leaving(state, frame)
        if len(ways) > 1 and state.seat_of(power) != NONE:
            told = facts(power=power, zone=frame.place)
            return (Decision(state.seat_of(power), power, "retreat_at_sea", "f15.1", told),)
    return ()


def _candidates(state: State, frame: SeaBattle, seat: int) -> Iterable[Group]:
    if frame.stage == 1:
        power, _ = _losing(frame)
        if state.seat_of(power) == seat:
            yield LoseShip, power, [LoseShip(power, kind, owner) for kind, owner in _choosing(state, frame)]
    elif frame.stage == 2:
        power, ways = _leaving(state, frame)
        if power != NONE and state.seat_of(power) == seat:
            yield RetreatAtSea, power, [RetreatAtSea(power, to) for to in ways]


def _proceed(action: Action, frame: SeaBattle) -> None:
    if frame.stage == 0:
        _fight(action, frame)
    elif frame.stage == 1:
        _take_losses(action, frame)
    elif frame.stage == 2:
        _retreat(action, frame)
    else:
        action.pop()
        settle_leaders(action, frame.place)


SEA_BATTLE = Flow(SeaBattle, _awaits, _candidates, _proceed)


@forbids("f15.1", act=LoseShip)
def only_a_loss_that_is_due(state: State, act: LoseShip) -> Facts | None:
    """Who takes losses in a naval battle says which units, of those that the hits can remove."""
    frame = state.frames[-1] if state.frames else None
    if not isinstance(frame, SeaBattle) or frame.stage != 1 or _losing(frame)[0] != act.power:
        return facts(variant="no_loss", power=act.power)
    if (act.fleet, act.owner) in losses(state, act.power, frame.place, _losing(frame)[1]):
        return None
    return facts(variant="loss", power=act.power, fleet=act.fleet, owner=act.owner, place=frame.place)


@carries_out(LoseShip)
def lose_ship(action: Action, command: LoseShip) -> None:
    """The unit is gone."""
    frame = action.state.frames[-1]
    assert isinstance(frame, SeaBattle)
    _lose(action, frame, command.fleet, command.owner)


@forbids("f15.1", act=RetreatAtSea)
def only_after_a_battle_that_was_lost(state: State, act: RetreatAtSea) -> Facts | None:
    """Who must leave after a naval battle goes to one of the places that are open to him."""
    frame = state.frames[-1] if state.frames else None
    if not isinstance(frame, SeaBattle) or frame.stage != 2:
        return facts(variant="no_retreat", power=act.power)
    power, ways = _leaving(state, frame)
    if power != act.power:
        return facts(variant="no_retreat", power=act.power)
    return None if act.to in ways else facts(variant="retreat", power=act.power, place=act.to)


@carries_out(RetreatAtSea)
def retreat_at_sea(action: Action, command: RetreatAtSea) -> None:
    """They go there."""
    frame = action.state.frames[-1]
    assert isinstance(frame, SeaBattle)
    move_all(action, command.power, frame.place, command.to)
    action.change(stage=3)
