"""What an alliance forbids, restated from rules 15.2.2, 15.2.3 and 15.3 as plainly as possible.

`ruling` gives every clause that forbids a command. An empty set says only that none of 15.2.2a to g,
15.2.3a, 15.2.3n, 15.3a and 15.3n forbids it; whether the command is otherwise a legal move is not
judged here. The rulings are the default ones.
"""

from __future__ import annotations

from dataclasses import dataclass

INDEPENDENT = "IND"

Command = tuple[str, ...]


@dataclass(frozen=True)
class Troops:
    """What one power has in one place, outside and inside the walls."""

    power: str
    outside: int = 0
    inside: int = 0
    leaders_outside: int = 0
    leaders_inside: int = 0


@dataclass(frozen=True)
class Place:
    """One location; `besieger` is whoever holds a siege or subjugation marker on it."""

    name: str
    kind: str  # "space", "city" or "tribe"
    home: str | None
    owner: str
    troops: tuple[Troops, ...] = ()
    besieger: str | None = None


@dataclass(frozen=True)
class World:
    """The places by name, and the pairs of powers in alliance."""

    places: dict[str, Place]
    alliances: frozenset[frozenset[str]]
    powers: tuple[str, ...]


def allied(world: World, one: str, other: str) -> bool:
    # 15.1.2b: an alliance joins exactly two powers, so a power is not its own ally.
    if one == other:
        return False
    # An independent place belongs to no power, and 15.1.n joins powers only.
    if INDEPENDENT in (one, other):
        return False
    pair = frozenset({one, other})
    # 15.1.M1 etruscans_and_samnites (default): these two are allied for good.
    if pair == frozenset({"ETR", "SAM"}):
        return True
    # 15.1.n and 15.1.2d: the very pair of powers counts; the player's other power does not.
    return pair in world.alliances


def owner_is_ally(world: World, power: str, place: Place) -> bool:
    # 15.2: what an ally controls is friendly; 15.2.2 protects what belongs to the ally.
    return allied(world, power, place.owner)


def in_allied_home(world: World, power: str, place: Place) -> bool:
    # 15.2.3a: the home region of the allied power itself, whoever holds the place.
    return place.home is not None and allied(world, power, place.home)


def conceded(power: str, place: Place) -> frozenset[str]:
    # 15.2.3n: only for one's own home; called only where a clause of 15.2.2 has found an ally in possession.
    if place.home == power:
        return frozenset({"15.2.3n"})
    return frozenset()


def has_anything(troops: Troops) -> bool:
    # 15.3a: CU or leaders, even leaders alone; inside or outside, it is the same location.
    return troops.outside > 0 or troops.inside > 0 or troops.leaders_outside > 0 or troops.leaders_inside > 0


def has_anything_inside(troops: Troops) -> bool:
    # 15.3n: the ally's CU inside. 15.3.M2 relief_with_leader_inside (default): leaders alone too.
    return troops.inside > 0 or troops.leaders_inside > 0


def attack(world: World, power: str, target: str, place: Place) -> frozenset[str]:
    # 15.2.2a: no battle with an ally's army.
    if allied(world, power, target):
        return frozenset({"15.2.2a"})
    # 15.3n speaks of an enemy who besieges: the target must hold the siege marker. Anyone else standing
    # outside is no besieger.
    if place.besieger != target or target == power:
        return frozenset()
    # 15.3n speaks of a city (a tribe has no inside), and of a city of one's ally (one's own is 15.3p at most).
    if place.kind != "city" or not owner_is_ally(world, power, place):
        return frozenset()
    # 15.3n: "the ally" who is inside is the ally whose city it is.
    for troops in place.troops:
        if troops.power == place.owner and has_anything_inside(troops):
            return frozenset({"15.3n"})
    # 15.3p: with nothing of the ally's inside the attack is open.
    return frozenset()


def intercept(world: World, power: str, target: str) -> frozenset[str]:
    # 15.2.2b: no interception of an ally's army, wherever it is.
    if allied(world, power, target):
        return frozenset({"15.2.2b"})
    return frozenset()


def besiege(world: World, power: str, place: Place) -> frozenset[str]:
    # 15.2.2c: an allied city. 15.2.3n on top if it is the actor's own home.
    if place.kind == "city" and owner_is_ally(world, power, place):
        return frozenset({"15.2.2c"}) | conceded(power, place)
    # 15.2.3c, and 15.2.3.M1 independent_city_in_allied_home (default): in the home region of an ally a city
    # that a third power holds, or nobody, may be besieged; 15.2.3a bars keeping it, not the siege.
    return frozenset()


def subjugate(world: World, power: str, place: Place) -> frozenset[str]:
    # 15.2.2d: an allied tribe. 15.2.3n on top if it is the actor's own home.
    if place.kind == "tribe" and owner_is_ally(world, power, place):
        return frozenset({"15.2.2d"}) | conceded(power, place)
    # As with a siege: 15.2.3a bars taking control, and that is a command of its own here.
    return frozenset()


def remove_marker(world: World, power: str, place: Place) -> frozenset[str]:
    # 15.2.2e: the control marker of an ally, on whatever kind of place. 15.2.3n on top at home.
    if owner_is_ally(world, power, place):
        return frozenset({"15.2.2e"}) | conceded(power, place)
    # 15.2.3b: an enemy's marker may be removed, in the home region of an ally too.
    return frozenset()


def remove_units(world: World, power: str, target: str) -> frozenset[str]:
    # 15.2.2f: an ally's CU; whose place they stand in makes no difference.
    if allied(world, power, target):
        return frozenset({"15.2.2f"})
    return frozenset()


def remove_support(world: World, power: str, place: Place) -> frozenset[str]:
    # 15.2.2g: an ally's support, on whatever kind of place. 15.2.3n on top at home.
    if owner_is_ally(world, power, place):
        return frozenset({"15.2.2g"}) | conceded(power, place)
    return frozenset()


def dispossess(world: World, power: str, place: Place) -> frozenset[str]:
    # What becomes of an ally when his place goes to someone else.
    if not owner_is_ally(world, power, place):
        return frozenset()
    # 15.2.2g: a city is held by support, and that would be removed.
    if place.kind == "city":
        return frozenset({"15.2.2g"}) | conceded(power, place)
    # 15.2.2e: a space or a tribe is held by a control marker, and that would be removed.
    return frozenset({"15.2.2e"}) | conceded(power, place)


def take_control(world: World, power: str, place: Place) -> frozenset[str]:
    # What a power holds already it does not take: 15.2.3a speaks of taking, and of nothing given up.
    if place.owner == power:
        return frozenset()
    # 15.2.2e or 15.2.2g, with 15.2.3n at home: the holder is an ally.
    forbidding = dispossess(world, power, place)
    # 15.2.3a: the region is the home of an ally; it does not matter whether he, another ally, an enemy or
    # nobody holds the place.
    if in_allied_home(world, power, place):
        forbidding = forbidding | {"15.2.3a"}
    return forbidding


def liberate(world: World, power: str, place: Place) -> frozenset[str]:
    # 15.2.3c: from an enemy a conquered city may be freed. 15.2.3d: it goes to its home power, so this is
    # no taking of control and 15.2.3a is silent.
    # 15.2.2g (15.2.2e on a space or a tribe): if the holder is an ally too, he would lose it, and nothing in
    # 15.2.3c lifts 15.2.2. 15.2.3n on top if it is the actor's own home: that is regaining, not freeing.
    return dispossess(world, power, place)


def end_movement(world: World, power: str, place: Place) -> frozenset[str]:
    # 15.3a: whatever an ally has there, outside or inside, bars the end of a movement. Enemies there mean
    # battle or siege, which is not stacking; one's own troops are no other power's.
    for troops in place.troops:
        if allied(world, power, troops.power) and has_anything(troops):
            return frozenset({"15.3a"})
    return frozenset()


def ruling(world: World, command: Command) -> frozenset[str]:
    """Every clause of 15.2.2, 15.2.3 and 15.3 that forbids the command."""
    if command[0] in ("attack", "intercept", "remove_units"):
        name, power, target, where = command
        place = world.places[where]
        if name == "attack":
            return attack(world, power, target, place)
        if name == "intercept":
            return intercept(world, power, target)
        return remove_units(world, power, target)
    name, power, where = command
    place = world.places[where]
    if name == "besiege":
        return besiege(world, power, place)
    if name == "subjugate":
        return subjugate(world, power, place)
    if name == "remove_marker":
        return remove_marker(world, power, place)
    if name == "remove_support":
        return remove_support(world, power, place)
    if name == "take_control":
        return take_control(world, power, place)
    if name == "liberate":
        return liberate(world, power, place)
    if name == "end_movement":
        return end_movement(world, power, place)
    if name == "pass_through":
        # 15.3b: always open as far as allies go.
        return frozenset()
    raise ValueError(f"no such command: {name}")
