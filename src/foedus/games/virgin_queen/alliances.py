"""Alliances of great powers for one turn: made, what they give and forbid, how they end; and what is friendly."""

from __future__ import annotations

from typing import Final

from foedus.games.virgin_queen.commands import (
    Ally,
    Deploy,
    EndAlliance,
    Enter,
    JoinForces,
    Move,
    MoveOn,
    Retreat,
)
from foedus.games.virgin_queen.events import AllianceEnded, AllianceMade, UnitsMoved, WarBegan
from foedus.games.virgin_queen.frames import Negotiating
from foedus.games.virgin_queen.placing import home_of, leaders_going
from foedus.games.virgin_queen.state import (
    EVERY,
    FRA,
    IND,
    MAJORS,
    MINORS,
    NEGOTIATION,
    PRO,
    RANSOM,
    SPA,
    State,
    applies,
)
from foedus.kernel.flow import Action, carries_out
from foedus.kernel.rules import Facts, effect, facts, forbids, permits
from foedus.kernel.unknown import UNKNOWN, Unknown
from foedus.kernel.values import bits

MOVING: Final = ("move", "retreat")
"""Uses of a friendly space that friendly.2 names."""
LAND: Final = (*MOVING, "spring")
"""Uses of a friendly space by land units that move."""
OWN: Final = ("build", "control")
"""Uses that ask for a space of one's own, unless the table rules otherwise."""


def now_negotiating(state: State) -> bool:
    """Is the negotiation segment under way, and its announcement still to come? Raises `Unknown`."""
    if state.phase == UNKNOWN:
        raise Unknown("phase", (), (NEGOTIATION, RANSOM))
    if state.phase != NEGOTIATION:
        return False
    return not state.frames or any(isinstance(frame, Negotiating) for frame in state.frames)


# who may ally


@forbids("ally.1", act=Ally)
def an_alliance_joins_two_powers(state: State, act: Ally) -> Facts | None:
    """It takes two powers, and one alliance is enough."""
    if act.power == act.to:
        return facts(power=act.power)
    if IND in (act.power, act.to):
        return facts(variant="independent", power=act.power)
    if state.allies[act.power] >> act.to & 1:
        return facts(variant="already", power=act.power, ally=act.to)
    return None


@forbids("ally.8", act=Ally)
def no_alliance_with_a_minor_power(state: State, act: Ally) -> Facts | None:
    """Alliances join great powers; a minor power comes to a side by influence and events."""
    for power in (act.power, act.to):
        if power in MINORS:
            return facts(power=act.power, to=act.to, target=power)
    return None


@forbids("ally.5", act=Ally)
def no_alliance_in_war(state: State, act: Ally) -> Facts | None:
    """At the moment when it would be made."""
    if _two(act) and state.at_war(act.power, act.to):
        return facts(power=act.power, to=act.to)
    return None


@forbids("ally.6", act=Ally)
def never_spain_with_the_protestants(state: State, act: Ally) -> Facts | None:
    """Whatever happens."""
    if {act.power, act.to} == {SPA, PRO}:
        return facts(power=act.power, to=act.to)
    return None


@forbids("ally.7", act=Ally)
def france_not_with_both(state: State, act: Ally) -> Facts | None:
    """France with Spain or with the Protestants, not with both in one turn."""
    if FRA not in (act.power, act.to):
        return None
    other = act.to if act.power == FRA else act.power
    if other not in (SPA, PRO):
        return None
    third = PRO if other == SPA else SPA
    if state.are_allied(FRA, third):
        return facts(power=act.power, to=act.to, ally=third)
    return None


@forbids("ally.13", act=Ally)
def no_alliance_later(state: State, act: Ally) -> Facts | None:
    """Alliances are made in the negotiation segment and announced at its end; none comes later in the turn."""
    return None if now_negotiating(state) else facts(power=act.power, to=act.to, phase=state.phase)


@forbids("ally.M1", act=Ally)
def no_alliance_right_after_a_peace(state: State, act: Ally) -> Facts | None:
    """Ruling `peace_then_alliance`, where a table chose to refuse."""
    if state.ruling("peace_then_alliance") == "refused" and state.peaces[act.power] >> act.to & 1:
        return facts(power=act.power, to=act.to)
    return None


@permits("ally.3", act=Ally)
def several_alliances(state: State, act: Ally) -> Facts | None:
    """Cited where one of the two has another ally already."""
    for power in (act.power, act.to):
        if state.allies[power]:
            return facts(power=power, ally=bits(state.allies[power]))
    return None


@permits("ally.4", act=Ally)
def allies_of_one_need_not_be_allied(state: State, act: Ally) -> Facts | None:
    """Cited where an ally of the one is not an ally of the other."""
    for power, other in ((act.power, act.to), (act.to, act.power)):
        for third in bits(state.allies[power] & ~state.allies[other]):
            if third != other:
                return facts(power=other, to=third, ally=power)
    return None


@permits("ally.14", act=Ally)
def france_with_one_of_them(state: State, act: Ally) -> Facts | None:
    """France may have Spain, or the Protestants, for an ally."""
    if FRA in (act.power, act.to) and {act.power, act.to} & {SPA, PRO}:
        return facts(power=act.power, to=act.to)
    return None


def _two(act: Ally) -> bool:
    return act.power != act.to and IND not in (act.power, act.to)


# what making one does


@effect("ally.9", otherwise=False)
def marker_is_laid(state: State) -> bool:
    """The Allied marker in the cell of the two powers is the alliance."""
    return True


@effect("ally.4", otherwise=False)
def passes_on_to_nobody(state: State) -> bool:
    """An alliance joins its two powers and nobody else."""
    return True


@effect("ally.12", otherwise=False)
def makes_no_war(state: State) -> bool:
    """An alliance brings nobody into the wars of his ally."""
    return True


def make_alliance(action: Action, a: int, b: int) -> None:
    """The two powers are allied for this turn, and nothing else changes."""
    state: State = action.state
    if not marker_is_laid(state):
        return
    pairs = [(a, b)]
    if not passes_on_to_nobody(state):
        pairs += [(a, third) for third in bits(state.allies[b]) if third != a]
    for one, two in pairs:
        action.emit(AllianceMade(min(one, two), max(one, two)))
    if not makes_no_war(state):
        for one, two in ((a, b), (b, a)):
            for enemy in bits(state.wars[two] & ~state.wars[one]):
                action.emit(WarBegan(min(one, enemy), max(one, enemy), one, "ally.12"))


# how it ends


@effect("ally.10", otherwise=False)
def alliances_end_with_the_turn(state: State) -> bool:
    """Every alliance is over at the end of the turn; the next turn may make it anew."""
    return True


def end_alliances(action: Action) -> None:
    """The end of the turn takes every Allied marker away."""
    state: State = action.state
    if not alliances_end_with_the_turn(state):
        return
    for a in MAJORS:
        for b in bits(state.allies[a]):
            if a < b:
                action.emit(AllianceEnded(a, b))


@forbids("ally.M2", act=EndAlliance)
def no_end_before_the_turn_is_over(state: State, act: EndAlliance) -> Facts | None:
    """Ruling `end_alliance_early`."""
    if not state.allies[act.power] >> act.ally & 1:
        return None  # ally.13 speaks of it
    return facts(power=act.power, ally=act.ally) if state.ruling("end_alliance_early") == "no" else None


@forbids("ally.13", act=EndAlliance)
def only_an_alliance_that_is_there(state: State, act: EndAlliance) -> Facts | None:
    """What was not announced is no alliance, and cannot be ended."""
    if state.allies[act.power] >> act.ally & 1:
        return None
    if state.unsure[act.power] >> act.ally & 1:
        raise Unknown("allied", (("power", min(act.power, act.ally)), ("ally", max(act.power, act.ally))), (0, 1))
    return facts(variant="unannounced", power=act.power, to=act.ally)


@carries_out(EndAlliance)
def end_alliance(action: Action, command: EndAlliance) -> None:
    """Where the table lets it: the marker is taken away, and nobody pays anything."""
    a, b = sorted((command.power, command.ally))
    action.emit(AllianceEnded(a, b, "early", command.power, "ally.M2"))


def left_with_allies(state: State) -> tuple[tuple[int, int], ...]:
    """Land units that stand in a space of another great power: (whose they are, the space), as far as known."""
    found = []
    for space, forces in enumerate(state.land):
        owner = state.owner[space]
        if owner in MAJORS:
            found += [(force.power, space) for force in forces if force.power in MAJORS and force.power != owner]
    return tuple(found)


@effect("ally.M3", otherwise=False)
def guests_leave_at_once(state: State) -> bool:
    """Ruling `units_left_with_ally`: the rule of winter takes them home with all others, or they leave before it."""
    return state.ruling("units_left_with_ally") == "home_at_once"


def send_guests_home(action: Action) -> None:
    """Where the table rules so, land units leave an ally's spaces when the alliance ends. Before `end_alliances`."""
    state: State = action.state
    if not guests_leave_at_once(state):
        return
    for power, space in left_with_allies(state):
        to = home_of(state, power, space)
        if to is not None and state.are_allied(power, state.owner[space]):
            force = state.force(power, space)
            leaders = leaders_going(state, power, space)
            moved = (force.regulars, force.mercenaries, force.cavalry)
            action.emit(UnitsMoved(power, space, to, *moved, leaders, "ally.M3"))


# friendly spaces


@effect("friendly.1", otherwise=False)
def allies_spaces_are_friendly(state: State) -> bool:
    """Spaces of either ally are friendly to both."""
    return True


@effect("friendly.M1", otherwise="moving_and_retreating")
def friendly_scope(state: State) -> str:
    """Ruling `friendly_scope`: for which rules an ally's space is friendly."""
    return state.ruling("friendly_scope")


def is_friendly(state: State, power: int, space: int, for_: str = "move") -> bool:
    """Is a space friendly to a power, for what it would do there?

    `for_`: move, retreat, spring (Spring Deployment), port (naval units), build, control. One's own spaces are, and
    for all but building and control those of a minor power on one's side; an ally's by the ruling `friendly_scope`.
    Raises `Unknown`.
    """
    owner = state.owner_of(space)
    if owner == power:
        return True
    if owner == IND:
        return False
    if for_ not in OWN and state.acting(owner) == state.acting(power):
        return True
    if power in MINORS:
        power = state.acting(power)
    if not allies_spaces_are_friendly(state) or not state.are_allied(power, owner):
        return False
    scope = friendly_scope(state)
    if for_ in MOVING and not applies(state, "friendly.2"):
        return False
    return scope == "every_rule" or for_ in LAND or (scope == "moving_and_retreating" and for_ not in OWN)


@permits("friendly.2", act=(Enter, Move, MoveOn, Retreat, Deploy))
def an_allys_space_may_be_entered(state: State, act: Enter | Move | MoveOn | Retreat | Deploy) -> Facts | None:
    """Cited where land units go into a space of an ally."""
    space = act.space if isinstance(act, Enter) else act.to
    owner = state.owner_of(space)
    if owner in EVERY and owner != act.power and state.are_allied(act.power, owner):
        found = facts(power=act.power, ally=owner, space=space)
        return (("variant", "retreat"), *found) if isinstance(act, Retreat) else found
    return None


# what allies may not do together


@forbids("ally.11", act=JoinForces)
def allies_do_nothing_by_land_together(state: State, act: JoinForces) -> Facts | None:
    """Land units of two powers never move, besiege, assault, intercept or avoid battle together."""
    if act.power == act.ally or state.acting(act.power) == state.acting(act.ally):
        return None
    return facts(variant=act.how, power=act.power, ally=act.ally)
