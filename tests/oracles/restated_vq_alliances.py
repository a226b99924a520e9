"""Alliances, friendly spaces and declarations of war of Virgin Queen, restated as plainly as possible.

Clause ids are those of the clause list (`ally.5`, `dow.M1`); an id such as `f8.9` is a numbered fact. A set of
ids names everything that forbids an act; an empty set says only that nothing restated here forbids it.

Where the text can be read in two ways the reading is an entry of `rulings`:

`peace_then_alliance` (ally.M1): `allowed` or `refused`. `allowed` looks at the wars of the very moment, so a war
    whose end has taken effect bars nothing and one whose end has been signed but not yet taken effect still bars.
    `refused`: a war ended in this segment bars as if it still went on, and the id is ally.5 all the same.
`war_on_ally` (dow.M1): `no` or `yes`. `yes` opens the alliances of this turn only. A minor power that is
    one's ally stays closed by f8.10, since the question is about an ally announced in this phase.
`own_minor_ally`: war on a minor power that is the declarer's own ally. `ally` gives f8.10 only, since f8.9 sends the
    declarer to the minor's great ally and that is himself; `both` gives f8.9 as well.
`england_spain_floor` (f8.24): the least the cost may come to. Default 0: nothing is paid below nothing.
`england_spain_directions` (f8.25): `both`, or the one power (`ENG` or `SPA`) whose declaration gets cheaper.
`minor_spaces`: to whom the spaces of a minor ally are friendly. `its_ally` (f9.3: they serve its great ally),
    `its_allys_allies` (they count as controlled by the great ally, so friendly.1 passes them on), or `nobody`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

MAJOR = ("OTT", "SPA", "ENG", "FRA", "HRE", "PRO")  # in Impulse Order
MINOR = ("IRE", "PAP", "POR", "SCO", "VEN")
INDEPENDENT = "IND"

NO_WAR_CELLS = ("N/A", "possible ally", "ally only")

DEFAULTS: dict[str, str] = {
    "peace_then_alliance": "allowed",
    "war_on_ally": "no",
    "own_minor_ally": "ally",
    "england_spain_floor": "0",
    "england_spain_directions": "both",
    "minor_spaces": "its_ally",
}

Pair = frozenset[str]


def pair(one: str, other: str) -> Pair:
    for power in (one, other):
        if power not in MAJOR and power not in MINOR:
            raise ValueError(f"no such power: {power}")
    if one == other:
        raise ValueError(f"not two powers: {one} and {other}")
    return frozenset({one, other})


@dataclass(frozen=True)
class World:
    """The relations of one moment.

    `wars` are those of this very moment. `ended` are the wars ended by agreement in this Diplomacy Phase, as far as
    their end has taken effect; they are no longer in `wars`. `alliances` are those announced this turn.
    `minor_allies` gives each minor power its great ally, or None. `cells` holds the text of a pair's box on the
    display: a number, or one of the texts that exclude war; a pair not named there has a cost nobody knows.
    """

    wars: frozenset[Pair] = frozenset()
    ended: frozenset[Pair] = frozenset()
    alliances: frozenset[Pair] = frozenset()
    announcing: bool = True
    minor_allies: dict[str, str | None] = field(default_factory=dict)
    cells: dict[Pair, str] = field(default_factory=dict)
    king_sebastian_dead: bool = False
    papal_bull: bool = False
    mary_captured: bool = False
    mary_executed: bool = False
    rulings: dict[str, str] = field(default_factory=dict)


def rule(world: World, name: str) -> str:
    return world.rulings.get(name, DEFAULTS[name])


def great_ally(world: World, minor: str) -> str | None:
    # f9.2: a minor power has one great ally at a time, or none.
    return world.minor_allies.get(minor)


def allied(world: World, one: str, other: str) -> bool:
    # ally.1, ally.4: the very pair; an alliance passes on to nobody.
    if one in MAJOR and other in MAJOR:
        return pair(one, other) in world.alliances
    # f9.2: the standing tie of a minor power with its great ally.
    if one in MINOR and other in MAJOR:
        return great_ally(world, one) == other
    if other in MINOR and one in MAJOR:
        return great_ally(world, other) == one
    return False


def at_war(world: World, one: str, other: str) -> bool:
    if one == other:
        return False
    if pair(one, other) in world.wars:
        return True
    # f8.16: a minor power shares the wars of its great ally, and of nobody else (ally.12 bars the rest).
    if one in MINOR:
        ally = great_ally(world, one)
        return ally is not None and at_war(world, ally, other)
    if other in MINOR:
        return at_war(world, other, one)
    return False


# Alliances


def alliance_forbidden(world: World, one: str, other: str) -> frozenset[str]:
    """Every clause that forbids an alliance of the two at this moment."""
    both = pair(one, other)
    forbidding: set[str] = set()
    # ally.8: great powers only.
    if one in MINOR or other in MINOR:
        forbidding.add("ally.8")
    # ally.5: at war at this moment.
    if at_war(world, one, other):
        forbidding.add("ally.5")
    # ally.M1.
    if both in world.ended and rule(world, "peace_then_alliance") == "refused":
        forbidding.add("ally.5")
    # ally.6.
    if both == pair("SPA", "PRO"):
        forbidding.add("ally.6")
    # ally.7: the same turn is what counts, so `alliances` must hold an alliance of this turn even if it is over.
    if both == pair("FRA", "SPA") and pair("FRA", "PRO") in world.alliances:
        forbidding.add("ally.7")
    if both == pair("FRA", "PRO") and pair("FRA", "SPA") in world.alliances:
        forbidding.add("ally.7")
    # ally.13: at the announcement, or not this turn.
    if not world.announcing:
        forbidding.add("ally.13")
    return frozenset(forbidding)


def announce(world: World, terms: tuple[tuple[str, str, str], ...]) -> tuple[World, tuple[frozenset[str], ...]]:
    """Peaces and alliances taking effect one by one in the given order; what forbids each.

    A term is ("peace" or "alliance", power, power). A peace where no war is gets f3.3. The caller sorts the terms:
    by terms_take_effect (agree.M1) the peaces come first.
    """
    answers: list[frozenset[str]] = []
    for kind, one, other in terms:
        both = pair(one, other)
        if kind == "peace":
            if both in world.wars:
                answers.append(frozenset())
                world = changed(world, wars=world.wars - {both}, ended=world.ended | {both})
            else:
                answers.append(frozenset({"f3.3"}))
        elif kind == "alliance":
            forbidding = alliance_forbidden(world, one, other)
            answers.append(forbidding)
            if not forbidding:
                world = changed(world, alliances=world.alliances | {both})
        else:
            raise ValueError(f"no such term: {kind}")
    return world, tuple(answers)


def changed(
    world: World,
    *,
    wars: frozenset[Pair] | None = None,
    ended: frozenset[Pair] | None = None,
    alliances: frozenset[Pair] | None = None,
) -> World:
    return World(
        wars=world.wars if wars is None else wars,
        ended=world.ended if ended is None else ended,
        alliances=world.alliances if alliances is None else alliances,
        announcing=world.announcing,
        minor_allies=world.minor_allies,
        cells=world.cells,
        king_sebastian_dead=world.king_sebastian_dead,
        papal_bull=world.papal_bull,
        mary_captured=world.mary_captured,
        mary_executed=world.mary_executed,
        rulings=world.rulings,
    )


def end_of_turn(world: World) -> World:
    # ally.10: every alliance is over. The wars stay (f8.15), and what was ended is past.
    return changed(world, alliances=frozenset(), ended=frozenset())


def together_forbidden(powers: frozenset[str]) -> frozenset[str]:
    """What forbids land units of these powers to move, besiege, assault, intercept or avoid battle as one."""
    # ally.11: of two great powers, whether or not they are allied and whoever plays them. The units of a minor
    # ally serve their great ally (f9.3), so a minor power makes no second power here.
    if len([power for power in powers if power in MAJOR]) > 1:
        return frozenset({"ally.11"})
    return frozenset()


# Friendly spaces


def friendly(world: World, power: str, controller: str) -> frozenset[str]:
    """Why a space of the controller is friendly to the power: `own`, friendly.1 or f9.3; empty if it is not."""
    if controller == power:
        return frozenset({"own"})
    # Nobody's ally (f8.13: an independent space belongs to no power).
    if controller == INDEPENDENT:
        return frozenset()
    if controller in MAJOR and power in MAJOR:
        # friendly.1.
        if allied(world, power, controller):
            return frozenset({"friendly.1"})
        return frozenset()
    if controller in MINOR and power in MAJOR:
        ally = great_ally(world, controller)
        if ally is None or rule(world, "minor_spaces") == "nobody":
            return frozenset()
        if ally == power:
            return frozenset({"f9.3"})
        if rule(world, "minor_spaces") == "its_allys_allies" and allied(world, power, ally):
            return frozenset({"f9.3", "friendly.1"})
        return frozenset()
    raise ValueError(f"not restated: land units of {power} and spaces of {controller}")


def entering(world: World, power: str, controller: str) -> tuple[bool, frozenset[str]]:
    """May land units of the power come into a space of the controller by movement, and by which ids."""
    reasons = friendly(world, power, controller)
    # friendly.2: what is friendly by an alliance may be entered.
    if "friendly.1" in reasons:
        return True, frozenset({"friendly.2"})
    if reasons:
        return True, reasons
    # f8.13: independent spaces need no declaration.
    if controller == INDEPENDENT:
        return True, frozenset({"f8.13"})
    # f8.19: an enemy's space may be entered; it is an attack, not a friend's passage.
    if at_war(world, power, controller):
        return True, frozenset({"f8.19"})
    # f8.19 says "its ally" of any power, so a minor ally stays open even where its spaces are not friendly.
    if allied(world, power, controller):
        return True, frozenset({"f8.19"})
    return False, frozenset({"f8.19"})


def retreating(world: World, power: str, controller: str) -> tuple[bool, frozenset[str]]:
    """May they retreat there: only where it is friendly (f13.3, friendly.2)."""
    reasons = friendly(world, power, controller)
    if "friendly.1" in reasons:
        return True, frozenset({"friendly.2"})
    if reasons:
        return True, reasons
    return False, frozenset({"f13.3"})


# Declarations of war


def declaration_forbidden(world: World, declarer: str, target: str) -> frozenset[str]:
    """Everything that forbids the great power to declare war on the other power at this moment."""
    if declarer not in MAJOR:
        raise ValueError(f"not a great power: {declarer}")
    both = pair(declarer, target)
    forbidding: set[str] = set()
    # f8.8.
    if world.cells.get(both) in NO_WAR_CELLS:
        forbidding.add("f8.8")
    if target in MINOR:
        ally = great_ally(world, target)
        if ally == declarer:
            # f8.10, in any ruling: see own_minor_ally and war_on_ally above.
            forbidding.add("f8.10")
            if rule(world, "own_minor_ally") == "both":
                forbidding.add("f8.9")
        elif ally is not None:
            # f8.9: on the great ally instead.
            forbidding.add("f8.9")
    elif allied(world, declarer, target) and rule(world, "war_on_ally") == "no":
        forbidding.add("f8.10")
        forbidding.add("dow.M1")
    # f8.11.
    if both in world.ended:
        forbidding.add("f8.11")
    # f8.12.
    if target == "POR" and not world.king_sebastian_dead:
        forbidding.add("f8.12")
    # f8.14; by f8.16 that covers a minor power whose great ally is an enemy already.
    if at_war(world, declarer, target):
        forbidding.add("f8.14")
    return frozenset(forbidding)


def declare_all(
    world: World, wanted: dict[str, tuple[str, ...]]
) -> tuple[World, dict[tuple[str, str], frozenset[str]]]:
    """The whole segment: each power's targets, in Impulse Order (dow.3); what forbade each declaration.

    Paying is left out. A war declared the other way round earlier in the segment is f8.14 for the later power.
    """
    answers: dict[tuple[str, str], frozenset[str]] = {}
    for declarer in MAJOR:
        for target in wanted.get(declarer, ()):
            forbidding = declaration_forbidden(world, declarer, target)
            answers[declarer, target] = forbidding
            if not forbidding:
                # ally.12, f8.17: this pair and no other.
                world = changed(world, wars=world.wars | {pair(declarer, target)})
    return world, answers


def declaration_cost(world: World, declarer: str, target: str) -> tuple[int | None, frozenset[str]]:
    """Command points a declaration costs and the facts that made it so; None where the cost is not known."""
    both = pair(declarer, target)
    if both != pair("ENG", "SPA"):
        cell = world.cells.get(both)
        if cell is None or cell in NO_WAR_CELLS:
            return None, frozenset()
        # f8.3: the number in the box.
        return int(cell), frozenset({"f8.3"})
    # f8.20: from 5 down, whatever the box says.
    cost = 5
    facts = {"f8.20"}
    if rule(world, "england_spain_directions") not in ("both", declarer):
        return cost, frozenset(facts)
    if world.papal_bull:
        cost = cost - 2
        facts.add("f8.21")
    if world.mary_captured:
        cost = cost - 2
        facts.add("f8.22")
    if world.mary_executed:
        # f8.23 comes on top of f8.22: nothing says that it takes the other's place.
        cost = cost - 3
        facts.add("f8.23")
    floor = int(rule(world, "england_spain_floor"))
    if cost < floor:
        cost = floor
        facts.add("f8.24")
    return cost, frozenset(facts)
