"""The ground of war on land: who stands on whose side, who stands outside a siege, ways, sizes and lines.

A power and the minor powers that serve it are one *side*. Two sides are *together* if they are allied this turn.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from foedus.games.virgin_queen.alliances import is_friendly
from foedus.games.virgin_queen.board import way_cost
from foedus.games.virgin_queen.commands import Attack, Deploy, Enter, Intercept, Move
from foedus.games.virgin_queen.state import EVERY, IND, Force, State, applies, unit_masks
from foedus.kernel.rules import Facts, effect, excepts, facts, forbids
from foedus.kernel.unknown import NONE, UNKNOWN
from foedus.kernel.values import Command, bits
from foedus.kernel.verdict import Reason

Formation = tuple[int, int, int, tuple[int, ...]]
"""Regulars, mercenaries, cavalry, and the leaders with them."""


# sides


def same_side(state: State, a: int, b: int) -> bool:
    """Is it one power, or a great power and a minor one that serves it, or two that serve the same (facts 9.3)?

    Raises `Unknown`.
    """
    if a == b or IND in (a, b):
        return a == b
    return serves(state) and state.acting(a) == state.acting(b)


@effect("f9.3", otherwise=False)
def serves(state: State) -> bool:
    """A minor power and its great ally fight as one."""
    return True


def together(state: State, a: int, b: int) -> bool:
    """Are the two on one side, or on sides that are allied? Raises `Unknown`."""
    if same_side(state, a, b):
        return True
    return IND not in (a, b) and state.are_allied(state.acting(a), state.acting(b))


def hostile(state: State, a: int, b: int) -> bool:
    """Are the two at war? Independent spaces are at war with nobody. Raises `Unknown`."""
    return IND not in (a, b) and not same_side(state, a, b) and state.at_war(a, b)


def decides(state: State, power: int) -> int:
    """The seat that decides for a power; NONE for one that nobody plays."""
    return state.seat_of(power)


# who stands where


def known(state: State, space: int) -> bool:
    """Is it known who stands in a space?"""
    forces = state.land[space]
    return not forces or forces[0].power != UNKNOWN


def is_outside(state: State, power: int, space: int) -> bool:
    """Do units of the power stand outside? In a space without a siege all do, else those of the besieger's side."""
    besieger = state.besieged_by[space]
    return besieger < 0 or same_side(state, power, besieger)


def army_leaders(state: State, space: int, power: int) -> tuple[int, ...]:
    """The army leaders in a space that serve a power."""
    leaders = state.world.leaders
    return tuple(leader for leader in state.leaders_in(space, power) if leaders[leader].army)


def standing(state: State, space: int) -> tuple[int, ...]:
    """The powers with land units or army leaders in a space, in Impulse Order, as far as known."""
    found = {force.power for force in state.land[space] if force.power != UNKNOWN}
    if space in state.leader_at:
        leaders = state.world.leaders
        found |= {
            state.leader_holder[leader]
            for leader, at in enumerate(state.leader_at)
            if at == space and leaders[leader].army
        }
    return tuple(sorted(found))


def units_in(state: State, space: int, powers: Iterable[int]) -> int:
    """How many land units these powers have in a space."""
    chosen = set(powers)
    return sum(force.units for force in state.land[space] if force.power in chosen)


def side_units(state: State, space: int, power: int) -> int:
    """How many land units the power's side has in a space."""
    return sum(force.units for force in state.land[space] if same_side(state, force.power, power))


def other_units(state: State, space: int, power: int) -> int:
    """How many land units of other sides than the power's stand in a space."""
    return sum(force.units for force in state.land[space] if not same_side(state, force.power, power))


def enemies_in(state: State, power: int, space: int) -> bool:
    """Do land units of a power with which this one is at war stand in a space, as far as known?"""
    return any(force.power != UNKNOWN and hostile(state, power, force.power) for force in state.land[space])


def whole(state: State, power: int, space: int) -> Formation:
    """All that a power has in a space."""
    force = state.force(power, space) if known(state, space) else Force(power)
    return force.regulars, force.mercenaries, force.cavalry, army_leaders(state, space, power)


# leaders and sizes


def best_rating(state: State, leaders: Iterable[int]) -> int:
    """The best battle rating among leaders, 0 without any."""
    return max((state.world.leaders[leader].battle for leader in leaders), default=0)


def most_units(state: State, leaders: Collection[int]) -> int | None:
    """How many units a formation with these leaders may have (facts 12.5); None: the table watches that itself."""
    if not applies(state, "f12.5") or state.ruling("formation_size") == "told":
        return None
    least = int(state.world.tables["formation"]["without_leader"])
    if not leaders:
        return least
    ratings = sorted((state.world.leaders[leader].command for leader in leaders), reverse=True)
    return max(least, sum(ratings[:2]))


def formations(state: State, power: int, space: int) -> list[Formation]:
    """The formations that are listed for a power in a space: as many as may go with all leaders, as many without, half
    of them, one unit. Others of its units may be named too."""
    regulars, mercenaries, cavalry, leaders = whole(state, power, space)
    units = regulars + mercenaries + cavalry
    if not units:
        return []

    def take(count: int, who: tuple[int, ...]) -> Formation:
        limit = most_units(state, who)
        count = min(count, units if limit is None else limit)
        some = min(regulars, count)
        horse = min(cavalry, count - some)
        return some, min(mercenaries, count - some - horse), horse, who

    found = [take(units, leaders), take(units, ()), take((units + 1) // 2, leaders), take(1, ())]
    return list(dict.fromkeys(found))


# guards of every formation that is named


FORMING = (Move, Intercept, Deploy)


@forbids("f12.1", act=FORMING)
def a_formation_that_is_there(state: State, act: Move | Intercept | Deploy) -> Facts | None:
    """Land units of the power in the space, one at least, and army leaders that stand with them."""
    if not known(state, act.start):
        return None
    force = state.force(act.power, act.start)
    counts = (act.regulars, act.mercenaries, act.cavalry)
    held = (force.regulars, force.mercenaries, force.cavalry)
    if min(counts) < 0 or sum(counts) == 0 or any(count > most for count, most in zip(counts, held, strict=True)):
        return facts(variant="units", power=act.power, space=act.start)
    here = state.leaders_in(act.start)
    for leader in act.leaders:
        if leader not in here or not state.world.leaders[leader].army or act.leaders.count(leader) > 1:
            return facts(variant="leader", power=act.power, leader=leader, space=act.start)
    return None


@forbids("ally.11", act=FORMING)
def no_leader_of_another_power(state: State, act: Move | Intercept | Deploy) -> Facts | None:
    """A formation is of one power: land units and leaders of two never move or intercept together."""
    for leader in act.leaders:
        holder = state.leader_holder[leader]
        if not same_side(state, act.power, holder):
            return facts(variant="intercept" if isinstance(act, Intercept) else "move", power=act.power, ally=holder)
    return None


@forbids("f12.5", act=FORMING)
def not_too_many(state: State, act: Move | Intercept | Deploy) -> Facts | None:
    """Four units without a leader, else the command rating of one or two (ruling `formation_size`)."""
    most = most_units(state, act.leaders)
    if most is None or act.regulars + act.mercenaries + act.cavalry <= most:
        return None
    return facts(power=act.power, count=most)


# entering


@forbids("f8.19", act=Enter)
def only_where_there_is_war_or_friendship(state: State, act: Enter) -> Facts | None:
    """Not into a space of a power that is neither oneself, nor an ally, nor an enemy (ruling `acts_at_peace`)."""
    if state.ruling("acts_at_peace") == "passage":
        return None
    owner = state.owner_of(act.space)
    if is_friendly(state, act.power, act.space, "move") or hostile(state, act.power, owner):
        return None
    return facts(power=act.power, space=act.space, target=owner)


@excepts("f8.13", to="f8.19", act=Enter)
def independent_spaces_are_open(state: State, act: Enter) -> Facts | None:
    """Independent spaces are no powers: one may go there, and besiege them, without a declaration."""
    return facts(power=act.power, space=act.space) if state.owner_of(act.space) == IND else None


@forbids("ally.11", act=Enter)
def not_into_an_allys_siege(state: State, act: Enter) -> Facts | None:
    """Two powers never besiege together."""
    besieger = state.besieged_by[act.space]
    if besieger < 0 or same_side(state, act.power, besieger) or not together(state, act.power, besieger):
        return None
    return facts(variant="besiege", power=act.power, ally=besieger)


def entering(state: State, power: int, space: int) -> Iterable[tuple[State, Command]]:
    """The acts that coming into a space entails: entering it, and fighting a besieger who stands there."""
    yield state, Enter(power, space)
    besieger = state.besieged_by[space]
    if besieger >= 0 and not same_side(state, power, besieger) and not together(state, power, besieger):
        yield state, Attack(power, besieger, space)


def only_by_moves(state: State, command: Command) -> Reason | None:
    """In a running game nobody enters, fights or besieges but by moving: such acts are for the desk."""
    if not state.frames or state.sketched:
        return None
    return Reason("f12.1", facts(variant="by_moves", power=command.power))


# ways


def move_cost(state: State, start: int, to: int) -> int | None:
    """The command points of a move from a space to the next, None where no way leads there (facts 12.1)."""
    cache = state.world.cache
    found: dict[int, int] | None = cache.get(("move costs", start))
    if found is None:
        costs, board = state.world.tables["costs"], state.world.board
        found = {}
        for space in bits(board.adjacent[start]):
            found[space] = int(costs["pass"] if (way_cost(board, start, space) or 0) > 1 else costs["move"])
        cache["move costs", start] = found
    return found.get(to)


def friendly_path(state: State, power: int, start: int, fits: Callable[[int], bool], for_: str) -> dict[int, int]:
    """The spaces that fit, by how many ways a path of friendly spaces without enemies leads there from `start`.

    The start itself is left out; it need not be friendly.
    """
    beside = state.world.board.adjacent
    found: dict[int, int] = {}
    seen = 1 << start
    edge = 1 << start
    distance = 0
    while edge:
        distance += 1
        following = 0
        for space in bits(edge):
            following |= beside[space]
        edge = 0
        for space in bits(following & ~seen):
            seen |= 1 << space
            if is_friendly(state, power, space, for_) and not enemies_in(state, power, space):
                edge |= 1 << space
                if fits(space):
                    found[space] = distance
    return found


def has_line(state: State, power: int, space: int) -> bool:
    """Has a power a line of communication to a space?

    Friendly spaces without enemies, from a fortified one that its side controls and that is not besieged.
    """

    def base(at: int) -> bool:
        return (
            bool(state.world.fortified >> at & 1)
            and state.besieged_by[at] < 0
            and state.owner[at] in EVERY
            and same_side(state, state.owner[at], power)
        )

    return base(space) or bool(friendly_path(state, power, space, base, "move"))


def refuges(state: State, power: int, space: int, came: int = NONE) -> tuple[int, ...]:
    """The spaces beside one where a power's units may go from a battle: friendly, without enemies, not `came`."""
    return tuple(
        to
        for to in bits(state.world.board.adjacent[space])
        if to != came
        and is_friendly(state, power, to, "retreat")
        and not enemies_in(state, power, to)
        and state.besieged_by[to] < 0
    )


def stacks(state: State, power: int) -> tuple[int, ...]:
    """The spaces where a power has land units."""
    return bits(unit_masks(state)[power])
