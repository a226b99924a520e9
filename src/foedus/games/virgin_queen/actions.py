"""The Action Phase's command points: what they are spent on besides moving and fighting (facts 1.9, 11.4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from foedus.games.virgin_queen.alliances import is_friendly
from foedus.games.virgin_queen.cards import new_ships
from foedus.games.virgin_queen.commands import (
    AddInfluence,
    Build,
    BuildShip,
    EndImpulse,
    SpendTreasure,
    TakeControl,
)
from foedus.games.virgin_queen.events import (
    ControlChanged,
    ShipsChanged,
    TreasureChanged,
    UnitsChanged,
    UnrestChanged,
)
from foedus.games.virgin_queen.frames import Spending
from foedus.games.virgin_queen.powers import add_influence, courted, side_of
from foedus.games.virgin_queen.seafights import leave_port
from foedus.games.virgin_queen.state import (
    CAVALRY,
    CORSAIR,
    IND,
    LAND_KINDS,
    MAJORS,
    MERCENARY,
    OTT,
    REGULAR,
    State,
    owner_masks,
    unit_masks,
)
from foedus.kernel.flow import Action, Group, Kept, carries_out
from foedus.kernel.rules import Facts, facts, forbids
from foedus.kernel.unknown import NONE
from foedus.kernel.values import Command, bits

COSTS = {REGULAR: "regular", MERCENARY: "mercenary", CAVALRY: "cavalry"}
SHIP_COSTS = ("squadron", "galley", "corsair")


def left_to_spend(state: State, power: int) -> int:
    """The command points a power has left in its impulse; NONE where it spends none now."""
    frame = state.frames[-1] if state.frames else None
    if isinstance(frame, Spending) and (power == frame.power or power in side_of(state, frame.power)):
        return frame.left
    return NONE


def spend(action: Action, cost: int) -> None:
    """Take command points off what is left."""
    action.change(left=action.state.frames[-1].left - cost)


def cost_of(state: State, command: Command) -> int:
    """The command points of an action that is no move."""
    costs = state.world.tables["costs"]
    if isinstance(command, Build):
        return int(costs[COSTS[command.unit]])
    if isinstance(command, BuildShip):
        return int(costs[SHIP_COSTS[command.fleet]]) if command.fleet < len(SHIP_COSTS) else 0
    return int(costs["influence" if isinstance(command, AddInfluence) else "control"])


ACTIONS = (Build, BuildShip, AddInfluence, TakeControl)


@forbids("f11.4", act=ACTIONS)
def points_are_needed(state: State, act: Command) -> Facts | None:
    """In a game an action is paid with the command points of the card that was played for them."""
    if not state.frames:
        return None
    left, cost = left_to_spend(state, act.power), cost_of(state, act)
    if left == NONE:
        return facts(variant="not_now", power=act.power)
    return facts(power=act.power, cost=cost, left=left) if left < cost else None


@forbids("f11.4", act=(EndImpulse, SpendTreasure))
def while_points_are_spent(state: State, act: EndImpulse | SpendTreasure) -> Facts | None:
    """Only while one spends command points."""
    frame = state.frames[-1] if state.frames else None
    if isinstance(frame, Spending) and frame.power == act.power:
        return None
    return facts(variant="not_now", power=act.power)


@forbids("f11.7", act=SpendTreasure)
def one_treasure_an_impulse(state: State, act: SpendTreasure) -> Facts | None:
    """A treasure gives an additional command point, one in an impulse."""
    frame = state.frames[-1] if state.frames else None
    if state.treasures[act.power] <= 0:
        return facts(variant="none", power=act.power)
    return facts(power=act.power) if isinstance(frame, Spending) and frame.treasure else None


@forbids("f16.1", act=(Build, BuildShip))
def built_in_ones_own_space(state: State, act: Build | BuildShip) -> Facts | None:
    """In a space of one's own, at home for regulars, not in unrest and not besieged; `friendly_scope` may widen it."""
    owner = state.owner_of(act.space)
    if owner != act.power and not is_friendly(state, act.power, act.space, "build"):
        return facts(variant="not_own", power=act.power, space=act.space, owner=owner)
    if state.unrest >> act.space & 1:
        return facts(variant="unrest", power=act.power, space=act.space)
    if state.besieger(act.space) != NONE:
        return facts(variant="besieged", power=act.power, space=act.space)
    if isinstance(act, BuildShip):
        if not state.world.ports >> act.space & 1:
            return facts(variant="no_port", power=act.power, space=act.space)
        allowed = {new_ships(act.power)} | ({CORSAIR} if act.power == OTT else set())
        return None if act.fleet in allowed else facts(variant="ship", power=act.power, fleet=act.fleet)
    if act.unit == REGULAR and state.world.home[act.space] != act.power:
        return facts(variant="not_home", power=act.power, space=act.space)
    if (act.unit == CAVALRY) != (act.power == OTT and act.unit != REGULAR):
        return facts(variant="unit", power=act.power, unit=act.unit)
    return None


@forbids("f16.1", act=TakeControl)
def control_of_a_space(state: State, act: TakeControl) -> Facts | None:
    """An unfortified space with units of one's own and no enemy's; one's own in unrest becomes quiet again."""
    owner = state.owner_of(act.space)
    if owner == act.power and not state.unrest >> act.space & 1:
        return facts(variant="already", power=act.power, space=act.space)
    if owner != act.power and state.world.fortified >> act.space & 1:
        return facts(variant="fortified", power=act.power, space=act.space)
    forces = state.forces(act.space)
    if not any(force.power == act.power for force in forces):
        return facts(variant="no_units", power=act.power, space=act.space)
    if any(force.power not in side_of(state, act.power) for force in forces):
        return facts(variant="others", power=act.power, space=act.space)
    if owner not in (act.power, IND) and not state.at_war(act.power, owner):
        return facts(variant="peace", power=act.power, space=act.space, owner=owner)
    return None


@forbids("f9.4", act=AddInfluence)
def influence_where_it_can_be_had(state: State, act: AddInfluence) -> Facts | None:
    """With minor powers, and great ones that nobody plays."""
    if act.to not in courted(state) or act.power not in MAJORS or act.power == act.to:
        return facts(power=act.power, to=act.to)
    return None


@forbids("f9.5", act=AddInfluence)
def how_influence_is_gained(state: State, act: AddInfluence) -> Facts | None:
    """Rulings `influence_gained` and `influence_limit`: by command points, and up to what."""
    if act.to not in courted(state) or act.power not in MAJORS:
        return None
    if state.ruling("influence_gained") == "by_events":
        return facts(variant="by_events", power=act.power, to=act.to)
    limit = 10 if state.ruling("influence_limit") == "ten" else 1000
    if state.influence[act.to][act.power] >= limit:
        return facts(variant="limit", power=act.power, to=act.to, limit=limit)
    return None


@carries_out(Build)
def build(action: Action, command: Build) -> None:
    """A land unit is raised."""
    if action.state.frames:
        spend(action, cost_of(action.state, command))
    change = {LAND_KINDS[command.unit]: 1}
    action.emit(UnitsChanged(command.space, command.power, **change, why="f16.1"))


@carries_out(BuildShip)
def build_ship(action: Action, command: BuildShip) -> None:
    """A naval unit is built."""
    if action.state.frames:
        spend(action, cost_of(action.state, command))
    action.emit(ShipsChanged(command.space, command.power, command.fleet, 1, command.power, "f16.1"))


@carries_out(AddInfluence)
def influence(action: Action, command: AddInfluence) -> None:
    """A point of influence."""
    if action.state.frames:
        spend(action, cost_of(action.state, command))
    add_influence(action, command.to, command.power, 1)


@carries_out(TakeControl)
def take_control(action: Action, command: TakeControl) -> None:
    """The marker is laid; unrest ends."""
    if action.state.frames:
        spend(action, cost_of(action.state, command))
    if action.state.owner[command.space] != command.power:
        action.emit(ControlChanged(command.space, command.power, "f16.1"))
        leave_port(action, command.space)
    if action.state.unrest >> command.space & 1:
        action.emit(UnrestChanged(action.state.unrest & ~(1 << command.space), "f16.1"))


@carries_out(SpendTreasure)
def spend_treasure(action: Action, command: SpendTreasure) -> None:
    """One command point more."""
    action.emit(TreasureChanged(command.power, action.state.treasures[command.power] - 1, "f11.7"))
    action.change(left=action.state.frames[-1].left + 1, treasure=True)


@carries_out(EndImpulse)
def end_impulse(action: Action, command: EndImpulse) -> None:
    """What is left is lost."""
    action.pop()


def candidates(state: State, power: int, left: int) -> Iterable[Kept | Group]:
    """What command points could be spent on, moving and fighting left out."""
    costs = state.world.tables["costs"]
    frame, treasure = state.frames[-1], state.treasures[power] > 0
    spent = isinstance(frame, Spending) and frame.treasure
    yield Kept(("purse", power), (treasure, spent), _purse, (power, treasure))
    if left >= int(costs["influence"]):
        yield Kept(("court", power), (state.rulings, state.influence), _court, (state, power))
    if left >= int(costs["control"]):
        standing = unit_masks(state)[power] & ~(owner_masks(state)[power] & ~state.unrest)
        yield TakeControl, power, [TakeControl(power, space) for space in bits(standing)]
    read = (state.rulings, state.owner, state.unrest, state.besieged_by, state.allies, state.unsure, state.minor_ally)
    yield Kept(("build", power), (*read, min(left, _dearest(costs))), _building, (state, power, left))


def _dearest(costs: Mapping[str, int]) -> int:
    """From so many points on more of them do not matter to what may be built."""
    return max(int(costs[name]) for name in (*COSTS.values(), *SHIP_COSTS))


def _purse(power: int, treasure: bool) -> Iterable[Group]:
    yield EndImpulse, power, (EndImpulse(power),)
    if treasure:
        yield SpendTreasure, power, (SpendTreasure(power),)


def _court(state: State, power: int) -> Iterable[Group]:
    yield AddInfluence, power, [AddInfluence(power, to) for to in courted(state)]


def _building(state: State, power: int, left: int) -> Iterable[Group]:
    """Land and naval units in spaces of the power's own."""
    costs = state.world.tables["costs"]
    owned = owner_masks(state)[power]
    home = [space for space in bits(owned) if state.world.home[space] == power]
    keys = bits(owned & state.world.fortified)
    if left >= int(costs["regular"]):
        yield Build, power, [Build(power, REGULAR, space) for space in home if state.world.fortified >> space & 1]
    hired = CAVALRY if power == OTT else MERCENARY
    if left >= int(costs[COSTS[hired]]):
        yield Build, power, [Build(power, hired, space) for space in keys if state.world.keys >> space & 1]
    ports = [space for space in keys if state.world.ports >> space & 1]
    for kind in (new_ships(power), CORSAIR) if power == OTT else (new_ships(power),):
        if left >= int(costs[SHIP_COSTS[kind]]):
            yield BuildShip, power, [BuildShip(power, kind, space) for space in ports]
