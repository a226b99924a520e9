"""What a seat may do with a game and what it is told of it: doing a command, taking it back, the words of a refusal.

One way for the keyboard and for the server. Nothing here waits, writes files or reads a clock.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from foedus.kernel import desk
from foedus.kernel.dice import Dice
from foedus.kernel.flow import Rolled
from foedus.kernel.referee import Referee
from foedus.kernel.unknown import UNKNOWN
from foedus.kernel.values import Command
from foedus.table.journal import Entry, Journal


class NotAllowed(Exception):
    """A command cannot be given now; `ruling` says why, as far as the seat may know."""

    def __init__(self, ruling: desk.Ruling) -> None:
        self.ruling = ruling
        super().__init__(ruling.verdict.kind)


def rule(
    referee: Referee, state: Any, seat: int | None, command: Command, language: str = "en", line: str = ""
) -> desk.Ruling:
    """The ruling on a command by what the seat (None: a spectator) may know."""
    view = referee.view(state, seat)
    return desk.Ruling(referee, view, referee.judge(view, command), language, (), line)


def ask(referee: Referee, state: Any, seat: int | None, line: str, language: str = "en") -> desk.Said:
    """The desk's answer to a line by what the seat may know. Raises `NotationError`."""
    asked = desk.read_line(referee, line, language)
    if asked.command is None:
        return desk.ask(referee, referee.view(state, seat), asked, language)
    return desk.Said(asked, rule(referee, state, seat, asked.command, language, line))


def act(journal: Journal, dice: Dice, seat: int, command: Command, language: str = "en", line: str = "") -> Entry:
    """The seat does it and it is written down. Raises `NotAllowed` or `NotYours`: nothing has changed then."""
    referee = journal.referee
    if not referee.judge(journal.state, command).allowed:
        raise NotAllowed(rule(referee, journal.state, seat, command, language, line))
    outcome = referee.act(journal.state, command, dice, seat)
    said = line or desk.Speaker(referee, "en").notation(command)
    return journal.note(outcome.state, outcome.events, command=command, seat=seat, line=said)


def has_shown(referee: Referee, entry: Entry, seats: Iterable[int]) -> bool:
    """Did it roll or draw anything, or show another of the seats something that was hidden from it?"""
    if any(isinstance(event, Rolled) for event in entry.events):
        return True
    for seat in seats:
        if seat == entry.seat:
            continue
        before, after = referee.view(entry.before, seat), referee.view(entry.after, seat)
        if hidden_parts(after) < hidden_parts(before):
            return True
    return False


def hidden_parts(value: Any) -> int:
    """How many parts of a view its reader may not know."""
    if value is None:
        return 1
    if isinstance(value, int):
        return 1 if value == UNKNOWN else 0
    if isinstance(value, tuple):
        return sum(map(hidden_parts, value))
    if isinstance(value, msgspec.Struct):
        return sum(hidden_parts(getattr(value, name)) for name in type(value).__struct_fields__ if name != "world")
    return 0


def playing(referee: Referee) -> tuple[int, ...]:
    """The seats in the game."""
    told = getattr(referee.world, "seats", None)
    return tuple(told) if told is not None else tuple(range(len(referee.world.names.get("seat", ()))))


__all__ = ["NotAllowed", "act", "ask", "has_shown", "hidden_parts", "playing", "rule"]
