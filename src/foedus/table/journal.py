"""The running record of a table: what was done, line by line, each chained to the one before; and taking back.

Taking back is written down like everything else: an event that puts things where they stood. The lines before it stay,
and so do the draws in them. Nothing here reads a clock or writes a file: `clock` and `sink` come from outside.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
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
        self.watch: Callable[[Entry], None] = lambda entry: None
        """told of every batch that is written down"""
        self.clock = clock
        self.number = 0 if header.sketch is None else 1
        """the number of the next batch"""
        self.prev = record.fingerprint(self.lines[0])
        """the fingerprint of the last line"""
        self._sink = sink
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
            journal.number = batch.number + 1
            journal._take(Entry(batch.number, seat, step.before, step.after, step.events, step.command, batch.line))
        journal.prev = record.fingerprint(journal.lines[-1])
        journal.closed = bool(read.secret)
        journal._sink = sink
        return journal

    @classmethod
    def resume(
        cls,
        referee: Referee,
        header: Header,
        state: Any,
        number: int,
        prev: str,
        draws: int,
        *,
        clock: Callable[[], str] = lambda: "",
    ) -> Journal:
        """A journal from the middle: `state` is that after the batch before `number`, `prev` the fingerprint of its
        line, `draws` how many draws were made up to it. It holds no lines and no entries of before."""
        journal = cls(referee, header, state, clock=clock)
        journal.lines = []
        journal.number, journal.prev, journal.draws = number, prev, draws
        return journal

    def take_on(self, lines: Sequence[str]) -> list[Entry]:
        """Take over further lines of the record, applied only; gives their batches. Raises `RecordError`."""
        if not lines:
            return []
        read = record.read_record([record.write_header(self.header), *lines])
        seats = {name: index for index, name in enumerate(self.referee.world.names.get("seat", ()))}
        found = []
        for step in record.steps(self.referee, self.state, read):
            batch = step.batch
            seat = seats.get(batch.by, NOBODY)
            entry = Entry(batch.number, seat, step.before, step.after, step.events, step.command, batch.line)
            self.number = batch.number + 1
            self._take(entry)
            found.append(entry)
        self.prev = record.fingerprint(lines[-1])
        if read.secret:
            self.closed = True
            self.number += 1
        return found

    def fork(self) -> Journal:
        """A journal that goes on from here by itself, with no lines yet; this one stays as it is."""
        other = object.__new__(Journal)
        other.__dict__.update(self.__dict__)
        other.entries, other.lines = list(self.entries), []
        other.watch, other._sink = (lambda entry: None), (lambda line: None)
        return other

    def _take(self, entry: Entry) -> None:
        self.draws += sum(isinstance(event, Rolled) and not event.told for event in entry.events)
        said = next((event for event in entry.events if isinstance(event, Corrected)), None)
        if said is not None and said.back >= 0:
            while self.entries and self.entries[-1].number > said.back:
                self.entries.pop()
        elif said is not None and said.dropped:
            self._drop(said.dropped)
        else:
            self.entries.append(entry)
        if not self.entries:
            self.first = entry.after

    def _drop(self, numbers: Sequence[int]) -> None:
        """These batches count no more; those after them stand as if they had never been."""
        at = next((i for i, entry in enumerate(self.entries) if entry.number in numbers), None)
        if at is None:  # from before the entries that are held
            self.entries.clear()
            return
        state, rest = self.entries[at].before, self.entries[at:]
        del self.entries[at:]
        for entry in rest:
            if entry.number not in numbers:
                after = self.referee.replay(state, entry.events)
                self.entries.append(replace(entry, before=state, after=after))
                state = after

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
        entry = Entry(self.number, seat, self.state, after, tuple(events), command, line)
        self._write(
            record.write_batch(
                self.referee,
                entry.number,
                entry.events,
                command=command,
                by=self.seat_name(seat),
                line=line,
                time=self.clock(),
                prev=self.prev,
            )
        )
        self.number += 1
        self._take(entry)
        self.watch(entry)
        return entry

    def take_back(self, seat: int = NOBODY, line: str = "undo", *, since: int | None = None) -> Entry:
        """Take back the last batch that counts, or all of them since the batch `since`; the first of them is given.

        Raises `IndexError` if there is none. The start of the game (batch 0 of a record without a sketch) cannot be
        taken back.
        """
        at = len(self.entries) - 1
        if since is not None:
            at = next(i for i, entry in enumerate([*self.entries, None]) if entry is None or entry.number >= since)
        first = self.entries[at]
        back = self.entries[at - 1].number if at > 0 else max(0, first.number - 1)
        event = Corrected(line, differences(self.state, first.before), back)
        self.note(first.before, (event,), seat=seat, line=line)
        return first

    def drop(self, entry: Entry, seat: int, line: str = "undo") -> None:
        """Take back one batch that counts, out of the midst of later ones, which go on counting.

        Raises `LookupError` if it does not count, or if one of the later ones cannot stand without it.
        """
        at = self.entries.index(entry) if entry in self.entries else -1
        if at < 0:
            raise LookupError(f"batch {entry.number} does not count")
        state = entry.before
        for later in self.entries[at + 1 :]:
            if later.command is None or not self.referee.judge(state, later.command).allowed:
                raise LookupError(f"batch {later.number} stands on it")
            outcome = self.referee.carry_out(state, later.command)
            if outcome.events != later.events:
                raise LookupError(f"batch {later.number} stands on it")
            state = outcome.state
        event = Corrected(line, differences(self.state, state), dropped=(entry.number,))
        self.note(state, (event,), seat=seat, line=line)

    def publish(self, secret: bytes) -> None:
        """Publish the secret of the dice: the record is closed."""
        self._write(record.write_end(secret, self.prev))
        self.number += 1
        self.closed = True

    def _write(self, line: str) -> None:
        self.lines.append(line)
        self.prev = record.fingerprint(line)
        self._sink(line)
