"""What the desk takes for granted, and what might turn a refusal (each is tried before it is shown)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from foedus.games.sword_of_rome.alliances import PRICE, payers, support_of
from foedus.games.sword_of_rome.commands import (
    ActivateNPP,
    BreakAlliance,
    Pass,
    PayPoint,
    PlayEvent,
    PlayValue,
    ProposeAlliance,
    WithdrawOffer,
)
from foedus.games.sword_of_rome.events import AllianceEnded
from foedus.games.sword_of_rome.frames import Activation, PayingBreak, TurnFrame
from foedus.games.sword_of_rome.state import ACTION, IND, State
from foedus.kernel.rules import Facts, facts
from foedus.kernel.unknown import NONE, UNKNOWN, Unknown
from foedus.kernel.values import Command
from foedus.kernel.verdict import Remedy

ONLY_WHILE_ACTIVE = (ProposeAlliance, BreakAlliance, ActivateNPP, PlayEvent, PlayValue, Pass)
"""Commands that only the active player may give: the desk assumes that he is, where nothing is said."""


def make_active(state: State, seat: int) -> State:
    """The state with that player active."""
    if any(isinstance(frame, Activation) for frame in state.frames):
        frames: tuple[Any, ...] = (state.frames[0], Activation(seat))
    else:
        frames = (TurnFrame(()), Activation(seat)) if state.sketched else state.frames
    return replace(state, active=seat, phase=ACTION, frames=frames)


def assumptions(state: State, command: Command) -> tuple[State, Sequence[tuple[str, Facts]]]:
    """The state with what the desk takes for granted of a command, and what that is."""
    if state.sketched and isinstance(command, ONLY_WHILE_ACTIVE) and state.active == UNKNOWN:
        seat = state.controller[command.power]
        if seat != NONE and state.phase in (UNKNOWN, ACTION):
            frames = state.frames if state.frames else ()
            if isinstance(command, Pass) and not frames:
                after = state.order[state.order.index(seat) + 1 :]
                frames = (TurnFrame(after), Activation(seat))  # only an activation can be ended
            state = replace(state, active=seat, phase=ACTION, frames=frames)
            return state, (("active", facts(seat=seat)),)
    return state, ()


def remedies(state: State, command: Command, clause: str, found: Mapping[str, Any]) -> Iterable[Remedy]:
    """Changes that may turn a refusal by this clause."""
    power = found.get("power")
    ally = found.get("ally")
    if power is not None and ally is not None and 0 <= power < IND and 0 <= ally < IND:
        for one in _breakers(state, command, power, ally):
            breaking = (BreakAlliance(one, power + ally - one),)
            told = facts(seat=state.controller[one], power=one, ally=power + ally - one)
            active = state.active == state.controller[one]
            if state.ruling("support_short") == "refused" and not _support_is_known(state, one):
                yield Remedy(breaking, "pay" if active else "break_and_pay", told)
            elif active:
                yield Remedy(breaking)
            else:
                yield Remedy(breaking, "break", told)
        yield Remedy((), "lapse", facts(power=min(power, ally), ally=max(power, ally)))
    if clause in ("15.1", "15.5d", "16.1.1i", "f5.1"):
        seat = state.controller[command.power]
        if seat not in (NONE, UNKNOWN) and seat != state.active:
            yield Remedy((), "active", facts(seat=seat))
        elif isinstance(state.frames[-1] if state.frames else None, PayingBreak):
            yield Remedy((), "paid", ())
        elif seat == state.active and not isinstance(state.frames[-1] if state.frames else None, Activation):
            yield Remedy((), "over", ())
    if clause == "16.1.1d":
        yield Remedy((), "round", ())
    if clause == "15.1.2b" and found.get("variant") == "offered":
        yield Remedy((WithdrawOffer(found["power"], found["to"]),))


def _breakers(state: State, command: Command, power: int, ally: int) -> list[int]:
    """Which of the two could break the alliance: the one who acts, if he is active."""
    seat = state.controller[command.power]
    return [one for one in (power, ally) if state.controller[one] == seat != NONE]


def _support_is_known(state: State, power: int) -> bool:
    """Does the position say whether the price of a break can be paid?"""
    try:
        support_of(state, payers(state, power))
    except Unknown:
        return False
    return True


def change(state: State, remedy: Remedy) -> State:
    """The state with a change that no command makes."""
    found = dict(remedy.facts)
    if remedy.change == "lapse":
        a, b = found["power"], found["ally"]
        if not state.formal[a] >> b & 1:
            return state
        ended: State = AllianceEnded(a, b, "lapsed").apply(state)
        return ended
    if remedy.change in ("pay", "break_and_pay"):
        state = replace(state, support=(PRICE,) * len(state.support))  # let three points be at hand
    if remedy.change in ("active", "break", "break_and_pay"):
        return make_active(state, found["seat"])
    if remedy.change == "pay":
        return state
    if remedy.change == "paid":
        return settle(state)
    if remedy.change == "over":
        return replace(state, frames=_down_to_the_activation(state))
    if remedy.change == "round":
        return replace(state, activated=0)
    raise KeyError(remedy.change)


def _down_to_the_activation(state: State) -> tuple[Any, ...]:
    """The frames without what is under way in the activation."""
    at = next((place for place, frame in enumerate(state.frames) if isinstance(frame, Activation)), None)
    return state.frames if at is None else state.frames[: at + 1]


def settle(state: State) -> State:
    """The state once the points of a broken alliance have been paid, wherever the rules take them first."""
    referee = state.world.referee
    while state.frames and isinstance(frame := state.frames[-1], PayingBreak):
        paying = (PayPoint(frame.power, s) for s in range(len(state.owner)) if state.owner[s] != UNKNOWN)
        allowed = next((one for one in paying if referee.judge(state, one).allowed), None)
        if allowed is None:
            return replace(state, frames=state.frames[:-1])  # of places unknown: let them be paid there
        state = referee.carry_out(state, allowed).state
    return state
