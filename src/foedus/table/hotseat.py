"""Several people at one keyboard: whose turn it is to look, what that seat may do, and taking back. No I/O.

A seat sees its own view only. What waits beside the game's flow, such as an offer, is put to the seat that may answer
before the game goes on; it may leave it waiting (`later`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from foedus.kernel import desk
from foedus.kernel.dice import Dice
from foedus.kernel.flow import Corrected, Decision
from foedus.kernel.values import Command, Event
from foedus.table import acting
from foedus.table.acting import NotAllowed
from foedus.table.journal import NOBODY, Entry, Journal


@dataclass(frozen=True)
class Turn:
    """Whose turn it is to decide: the decisions awaited of the seat; none if something waits beside the flow."""

    seat: int
    decisions: tuple[Decision, ...]

    @property
    def beside(self) -> bool:
        """Is it only asked about what waits beside the flow, and may leave it?"""
        return not self.decisions


class HotSeat:
    """A game with all seats at one keyboard."""

    def __init__(self, journal: Journal, dice: Dice) -> None:
        self.journal = journal
        self.referee = journal.referee
        self.dice = dice
        self.seats = range(len(self.referee.world.names.get("seat", ())))
        self._left: dict[int, frozenset[Command]] = {}
        self._unseen: dict[int, list[Event]] = {seat: [] for seat in self.seats}

    def begin(self) -> None:
        """Start the game: only for a journal without batches."""
        outcome = self.referee.start(dict(self.journal.header.rulings), self.dice)
        self._happened(self.journal.note(outcome.state, outcome.events))

    @property
    def state(self) -> Any:
        """The position, as nobody may see it."""
        return self.journal.state

    def view(self, seat: int) -> Any:
        """The position as a seat may see it."""
        return self.referee.view(self.state, seat)

    @property
    def turn(self) -> Turn | None:
        """Who must look now, and why; None when the game is over."""
        state = self.state
        awaited = [one for one in self.referee.awaiting(state) if one.seat >= 0]
        if not awaited:
            return None
        asked = {one.seat for one in awaited}
        if getattr(state, "offers", ()):
            for seat in self.seats:
                if seat in asked:
                    continue
                choices = frozenset(self.referee.choices(state, seat))
                if choices - self._left.get(seat, frozenset()):
                    return Turn(seat, ())
        seat = awaited[0].seat
        return Turn(seat, tuple(one for one in awaited if one.seat == seat))

    def choices(self, seat: int) -> list[Command]:
        """What the seat may do now."""
        return self.referee.choices(self.state, seat)

    def rule(self, seat: int, command: Command, language: str = "en", line: str = "") -> desk.Ruling:
        """The ruling on a command by what the seat may know."""
        return acting.rule(self.referee, self.state, seat, command, language, line)

    def ask(self, seat: int, line: str, language: str = "en") -> desk.Said:
        """The desk's answer to a line by what the seat may know. Raises `NotationError`."""
        return acting.ask(self.referee, self.state, seat, line, language)

    def act(self, seat: int, command: Command, language: str = "en", line: str = "") -> list[Event]:
        """The seat does it; the events as it may see them. Raises `NotAllowed` or `NotYours`: nothing has changed."""
        entry = acting.act(self.journal, self.dice, seat, command, language, line)
        self._look(seat)
        self._happened(entry)
        return self.unseen(seat)

    def later(self, seat: int) -> None:
        """The seat leaves what waits beside the flow."""
        self._look(seat)

    def _look(self, seat: int) -> None:
        self._left[seat] = frozenset(self.referee.choices(self.state, seat))

    def _happened(self, entry: Entry) -> None:
        for seat in self.seats:
            self._unseen[seat] += self.referee.view_events(entry.before, entry.events, seat)

    def unseen(self, seat: int) -> list[Event]:
        """What has happened since the seat last looked, as it may see it; it has looked then."""
        found, self._unseen[seat] = self._unseen[seat], []
        return found

    # taking back

    @property
    def last(self) -> Entry | None:
        """What would be taken back, None if nothing can be: the start of the game stays."""
        entries = self.journal.entries
        return entries[-1] if entries and entries[-1].command is not None else None

    def is_free(self, seat: int) -> bool:
        """May the seat take the last command back by itself: its own, nothing rolled, drawn or revealed by it?"""
        last = self.last
        return last is not None and last.seat == seat and not acting.has_shown(self.referee, last, self.seats)

    def consent_of(self, seat: int) -> tuple[int, ...]:
        """The seats that must agree if the seat wants to take back: none if it is free to."""
        if self.is_free(seat):
            return ()
        return tuple(one for one in self.playing if one != seat)

    @property
    def playing(self) -> tuple[int, ...]:
        """The seats in the game."""
        return acting.playing(self.referee)

    def undo(self, seat: int, agreed: Sequence[int] = ()) -> Entry:
        """Take the last command back. Raises `PermissionError` naming who has not agreed, `LookupError` for nothing."""
        last = self.last
        if last is None:
            raise LookupError("nothing can be taken back")
        missing = [one for one in self.consent_of(seat) if one not in agreed]
        if missing:
            raise PermissionError(", ".join(self.journal.seat_name(one) for one in missing))
        before = self.state
        self.journal.take_back(seat)
        self._left.clear()
        event = Corrected("undo", (), max(0, last.number - 1))
        for one in self.seats:
            if self.referee.view_events(last.before, last.events, one):  # else it never knew of it
                self._unseen[one] += self.referee.view_events(before, (event,), one)
        return last

    def knows(self, seat: int, entry: Entry) -> bool:
        """Has the seat seen all of what was done, so that it may be named to it?"""
        return self.referee.view_events(entry.before, entry.events, seat) == list(entry.events)


__all__ = ["NOBODY", "HotSeat", "NotAllowed", "Turn"]
