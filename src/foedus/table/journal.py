"""The running record of a table: what was done, line by line, each chained to the one before; and taking back.

Taking back is written down like everything else: an event that puts things where they stood. The lines before it stay,
and so do the draws in them. Nothing here reads a clock or writes a file: `clock` and `sink` come from outside.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from foedus.kernel import record
from foedus.kernel.flow import Corrected, Rolled, differences
from foedus.kernel.game import Game
from foedus.kernel.record import Header, RecordError
from foedus.kernel.referee import Referee
from foedus.kernel.values import Command, Event

NOBODY = -1


@dataclass(frozen=True)
class Entry:
    """One batch that still counts: its number, who acted (`NOBODY`: the table), the states around it, what happened."""

    number: int
    seat: int
    before: Any
    after: Any
    events: tuple[Event, ...]
    command: Command | None = None
    line: str = ""


class Journal:
    """A record as it is written. `entries` are the batches that count, `lines` all there are."""

    def __init__(
        self,
        referee: Referee,
        header: Header,
        state: Any,
        *,
        clock: Callable[[], str] = lambda: "",
        sink: Callable[[str], None] = lambda line: None,
    ) -> None:
        self.referee = referee
        self.header = header
        self.first = state
        self.lines = [record.write_header(header)]
        self.entries: list[Entry] = []
        self.draws = 0
        """how many draws the table's own dice have made"""
        self.closed = False
        self._clock = clock
        self._sink = sink
        self._number = 0 if header.sketch is None else 1
        self._sink(self.lines[0])

    @classmethod
    def load(
        cls,
        game: Game,
        lines: Sequence[str],
        *,
        clock: Callable[[], str] = lambda: "",
        sink: Callable[[str], None] = lambda line: None,
    ) -> Journal:
        """The journal of a record. Raises `RecordError`, which names the line."""
        read = record.read_record(lines)
        referee, state = record.open_record(game, read)
        journal = cls(referee, read.header, state, clock=clock)
        journal.lines = [line for line in lines if line.strip()]
        seats = {name: index for index, name in enumerate(referee.world.names.get("seat", ()))}
        for step in record.steps(referee, state, read):
            batch = step.batch
            seat = seats.get(batch.by, NOBODY)
            journal._number = batch.number + 1
            journal._take(Entry(batch.number, seat, step.before, step.after, step.events, step.command, batch.line))
        journal.closed = bool(read.secret)
        journal._sink = sink
        return journal

    def _take(self, entry: Entry) -> None:
        self.draws += sum(isinstance(event, Rolled) and not event.told for event in entry.events)
        back = next((event.back for event in entry.events if isinstance(event, Corrected) and event.back >= 0), None)
        if back is None:
            self.entries.append(entry)
        else:
            while self.entries and self.entries[-1].number > back:
                self.entries.pop()

    @property
    def state(self) -> Any:
        """The position now."""
        return self.entries[-1].after if self.entries else self.first

    def seat_name(self, seat: int) -> str:
        """The name of a seat in the record; "" for the table."""
        names = self.referee.world.names.get("seat", ())
        return str(names[seat]) if 0 <= seat < len(names) else ""

    def note(
        self, after: Any, events: Iterable[Event], *, command: Command | None = None, seat: int = NOBODY, line: str = ""
    ) -> Entry:
        """Write down what has happened."""
        if self.closed:
            raise RecordError(len(self.lines), "the secret of the dice is published; nothing may come after it")
        entry = Entry(self._number, seat, self.state, after, tuple(events), command, line)
        self._write(
            record.write_batch(
                self.referee,
                entry.number,
                entry.events,
                command=command,
                by=self.seat_name(seat),
                line=line,
                time=self._clock(),
                prev=record.fingerprint(self.lines[-1]),
            )
        )
        self._number += 1
        self._take(entry)
        return entry

    def take_back(self, seat: int = NOBODY, line: str = "undo") -> Entry:
        """Take back the last batch that counts; what was taken back is given. Raises `IndexError` if there is none.

        The start of the game (batch 0 of a record without a sketch) cannot be taken back.
        """
        last = self.entries[-1]
        back = self.entries[-2].number if len(self.entries) > 1 else max(0, self.entries[0].number - 1)
        event = Corrected(line, differences(last.after, last.before), back)
        self.note(last.before, (event,), seat=seat, line=line)
        return last

    def publish(self, secret: bytes) -> None:
        """Publish the secret of the dice: the record is closed."""
        self._write(record.write_end(secret, record.fingerprint(self.lines[-1])))
        self.closed = True

    def _write(self, line: str) -> None:
        self.lines.append(line)
        self._sink(line)
