"""What the desk takes for granted, and what might turn a refusal (each is tried before it is shown)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from foedus.games.virgin_queen.commands import (
    TERMS,
    Ally,
    DeclareWar,
    DoneDeclaring,
    MakePeace,
    PayCard,
    Promise,
    Ransom,
)
from foedus.games.virgin_queen.declarations import is_paid_here
from foedus.games.virgin_queen.state import (
    FRA,
    MAJORS,
    NEGOTIATION,
    RANSOM,
    SEBASTIAN,
    UNTOLD,
    WAR,
    State,
    pair,
    put,
)
from foedus.kernel.rules import Facts, facts
from foedus.kernel.unknown import NONE, UNKNOWN
from foedus.kernel.values import Command
from foedus.kernel.verdict import Remedy


def time_of(command: Command) -> int:
    """The segment that a command belongs to, or NONE."""
    if isinstance(command, TERMS) and not isinstance(command, Promise):
        return NEGOTIATION
    if isinstance(command, Ransom):
        return RANSOM
    return WAR if isinstance(command, (DeclareWar, DoneDeclaring, PayCard)) else NONE


def assumptions(state: State, command: Command) -> tuple[State, Sequence[tuple[str, Facts]]]:
    """The state with what the desk takes for granted of a command, and what that is."""
    phase = time_of(command)
    told: list[tuple[str, Facts]] = []
    if state.sketched and phase != NONE and state.phase == UNKNOWN:
        state = replace(state, phase=phase)
        told.append(("phase", facts(phase=phase)))
    if state.sketched and isinstance(command, DeclareWar) and command.power in MAJORS:
        paid = is_paid_here(state, command.power, command.to)
        if paid and state.hands[command.power] == UNTOLD:
            cards = state.world.cards
            best = max(range(len(cards)), key=lambda card: cards[card].value)
            state = replace(state, hands=put(state.hands, command.power, (best, best)))
            told.append(("payment", facts(power=command.power)))
    return state, tuple(told)


def remedies(state: State, command: Command, clause: str, found: Mapping[str, Any]) -> Iterable[Remedy]:
    """Changes that may turn a refusal by this clause."""
    power, to = command.power, getattr(command, "to", NONE)
    phase = time_of(command)
    if clause in ("ally.13", "loan.3", "ransom.8", "dow.1", "f2.1") and phase != NONE:
        yield Remedy((), "phase", facts(phase=phase))
    if clause == "ally.5" and _may(state, MakePeace(power, to)):
        yield Remedy((), "peace", facts(power=power, target=to))
    if clause == "ally.7" and "ally" in found:
        yield Remedy((), "unallied", facts(power=FRA, ally=found["ally"]))
    if clause == "dow.M1":
        yield Remedy((), "unallied", facts(power=power, ally=to))
    if clause == "loan.13" and _may(state, Ally(power, to)):
        yield Remedy((), "allied", facts(power=power, to=to))
    if clause == "f8.12":
        yield Remedy((), "sebastian", facts(flag=SEBASTIAN))
    if clause == "f8.9" and "ally" in found:
        yield Remedy((), "patron", facts(power=power, to=to, ally=found["ally"]))


def _may(state: State, term: Command) -> bool:
    """Could the term itself be carried out in this position?"""
    found: bool = state.world.referee.permitted(replace(state, frames=()), term)
    return found


def change(state: State, remedy: Remedy) -> State:
    """The state with a change that no command makes."""
    found = dict(remedy.facts)
    if remedy.change == "phase":
        return replace(state, phase=found["phase"])
    if remedy.change == "peace":
        a, b = found["power"], found["target"]
        wars, unsure = pair(state.wars, a, b, False), pair(state.unsure_wars, a, b, False)
        return replace(state, wars=wars, unsure_wars=unsure, peaces=pair(state.peaces, a, b, True))
    if remedy.change == "unallied":
        return replace(state, allies=pair(state.allies, found["power"], found["ally"], False))
    if remedy.change == "allied":
        return replace(state, allies=pair(state.allies, found["power"], found["to"], True))
    if remedy.change == "sebastian":
        return replace(state, flags=state.flags | 1 << found["flag"])
    if remedy.change == "patron":
        return replace(state, minor_ally=put(state.minor_ally, found["to"], NONE))
    raise KeyError(remedy.change)
