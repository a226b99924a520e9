"""Records that leave a table and records that become one.

As long as a game goes on nobody gets more of its record than he may know: a viewer's record has its own lines, in the
same form, and gives the viewer's view when it is replayed. The secret of the dice is in no record before the end.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Iterable, Sequence
from typing import Any, Final

import msgspec
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from foedus.kernel import record
from foedus.kernel.flow import Corrected
from foedus.kernel.game import find_game
from foedus.kernel.record import RecordError
from foedus.table.journal import Entry, Journal
from foedus.table.live import (
    FULL,
    LEDGER,
    OVER,
    PLAYING,
    SNAPSHOT_EVERY,
    VERSION,
    LiveTable,
    read_header,
    seats_of,
)
from foedus.table.store import schema as s
from foedus.table.tables import MAX_TITLE, SpecError, Tables, checked_name, checked_position
from foedus.table.telling import SPECTATOR, Teller, body_of, numbered

MAX_RECORD: Final = 20_000_000
"""The most bytes of a record that is imported."""
_BATCH_KEYS: Final = ("time", "by", "line", "command", "events")


async def exported(live: LiveTable, viewer: str) -> list[str]:
    """The record of a table as lines: all of it once the game is over, else what the viewer may know."""
    if live.info.status == OVER:
        return await whole(live)
    lines, since = [live.info.header], 0
    first = number = 0 if read_header(live.info.header).sketch is None else 1
    batches: list[tuple[int, int]] = []
    """the numbers of the viewer's lines and of the batches that they become"""
    while found := await live.lines(viewer, since):
        since = found[-1].number
        for line in found:
            data = msgspec.json.decode(line.data)
            if data["what"] != "events":
                continue
            batch = {"n": number, **{key: data[key] for key in _BATCH_KEYS if key in data}}
            for event in batch["events"]:
                if event.get("do") == "Corrected":
                    _renumber(event, batches, first)
            batch["prev"] = record.fingerprint(lines[-1])
            lines.append(msgspec.json.encode(batch).decode())
            batches.append((line.number, number))
            number += 1
    return lines


def _renumber(event: dict[str, Any], batches: Sequence[tuple[int, int]], first: int) -> None:
    """What is taken back, by the numbers of a viewer's record instead of its lines."""
    if event.get("back", -1) >= 0:
        event["back"] = max((batch for line, batch in batches if line <= event["back"]), default=max(0, first - 1))
    if event.get("dropped"):
        event["dropped"] = [batch for line, batch in batches if line in event["dropped"]]


async def whole(live: LiveTable) -> list[str]:
    """The record as it stands, hidden parts and all, without the secret: for the one who runs the server."""
    of = s.batches.c
    query = sa.select(of.line).where(of.table == live.id).order_by(of.number)
    return [live.info.header, *await live.store.read(lambda c: [line for (line,) in c.execute(query)])]


class _Read:
    """A record made ready to be written as a table."""

    def __init__(self, id: str, lines: Sequence[str]) -> None:
        lines = [line for line in lines if line.strip()]
        read = record.read_record(lines)
        header = read.header
        for told in (header.board, header.options.get("deck")):
            checked_name(told, "record")
        if header.sketch is not None:
            checked_position(header.sketch)
        game = find_game(header.game)
        referee, state = record.open_record(game, read)
        self.seats = seats_of(referee)
        self.header, self.game = header, game.id
        self.kind = FULL if header.commitment or header.sketch is None else LEDGER
        self.status = PLAYING if self.kind == LEDGER and not read.secret else OVER
        self.heads = dict.fromkeys([*self.seats, SPECTATOR], 0)
        self.rows: list[dict[str, Any]] = []
        self.batches: list[dict[str, Any]] = []
        self.snapshots: list[dict[str, Any]] = []
        self.id = id
        self.first = lines[0]
        teller = Teller(referee, self.seats, open=self.kind == LEDGER)
        journal = Journal(referee, header, state)
        marks: dict[int, dict[str, int]] = {}

        def back(viewer: str, batch: int) -> int:
            known = max((number for number in marks if number <= batch), default=None)
            return marks[known][viewer] if known is not None else 0

        due = 0 if header.sketch is None else 1
        for line, batch in zip(lines[1:], read.batches, strict=False):
            if batch.number != due:
                raise RecordError(batch.at, f"batch {due} is missing; a record is imported whole")
            before = list(journal.entries)
            entry = journal.take_on([line])[0]
            undone = _undone(before, entry)
            for viewer, data in teller.tell(entry, batch.time, back, undone):
                self.heads[viewer] += 1
                number = self.heads[viewer]
                told = {"table": id, "viewer": viewer, "number": number, "batch": entry.number}
                self.rows.append({**told, "data": numbered(number, body_of(data))})
            marks[entry.number] = dict(self.heads)
            self.batches.append({"table": id, "number": entry.number, "line": line})
            if entry.number and not entry.number % SNAPSHOT_EVERY:
                self.snapshots.append(self._snapshot(journal, entry.number))
            due += 1
        if read.secret:
            self.batches.append({"table": id, "number": due, "line": lines[-1]})
            journal.take_on([lines[-1]])
        if self.status == OVER:
            self._end(journal, read.secret)
        self.batch = self.batches[-1]["number"] if self.batches else due - 1
        self.prev, self.draws = record.fingerprint(lines[-1]), journal.draws

    def _snapshot(self, journal: Journal, number: int) -> dict[str, Any]:
        return {
            "table": self.id,
            "number": number,
            "made_by": VERSION,
            "prev": journal.prev,
            "draws": journal.draws,
            "marks": msgspec.json.encode(self.heads).decode(),
            "state": msgspec.json.encode(journal.referee.codec.encode(journal.state)).decode(),
        }

    def _end(self, journal: Journal, secret: str) -> None:
        winners = journal.referee.game.winners
        won = [journal.seat_name(seat) for seat in winners(journal.state)] if winners is not None else []
        told: dict[str, Any] = {"what": "over", "winners": won}
        if secret:
            told["secret"] = secret
        for viewer in self.heads:
            self.heads[viewer] += 1
            number = self.heads[viewer]
            line = {"table": self.id, "viewer": viewer, "number": number, "batch": None}
            self.rows.append({**line, "data": numbered(number, body_of(told))})


def _undone(entries: Sequence[Entry], entry: Entry) -> tuple[Entry, ...]:
    said = next((event for event in entry.events if isinstance(event, Corrected)), None)
    if said is None:
        return ()
    if said.back >= 0:
        return tuple(one for one in entries if one.number > said.back)
    return tuple(one for one in entries if one.number in said.dropped)


async def imported(
    tables: Tables, lines: Iterable[str], host: int | None, *, title: str = "", spectators: bool = False
) -> LiveTable:
    """A table from a record: a ledger goes on; a game with dice of its own can only be looked at, since its secret
    stays where it was played. Raises `RecordError`, `SpecError` and `UnknownGame`."""
    id = secrets.token_urlsafe(9)
    text = list(lines)
    if sum(map(len, text)) > MAX_RECORD:
        raise SpecError("record", f"the record is longer than {MAX_RECORD} characters")
    read = await asyncio.to_thread(_Read, id, text)
    usual = "anyone" if read.kind == LEDGER else "consent"
    settings = {"spectators": spectators, "corrections": usual, "rulings": usual, "talks": {}, "clocks": {}}

    def work(connection: Connection) -> None:
        tables.may_host(connection, host)
        connection.execute(
            sa.insert(s.tables).values(
                id=id,
                title=title.strip()[:MAX_TITLE] or read.game.replace("_", " ").title(),
                game=read.game,
                kind=read.kind,
                host=host,
                status=read.status,
                created=tables.clock(),
                header=read.first,
                settings=settings,
            )
        )
        connection.execute(
            sa.insert(s.heads).values(
                table=id,
                version=0,
                batch=read.batch,
                prev=read.prev,
                draws=read.draws,
                lines=msgspec.json.encode(read.heads).decode(),
                beside="{}",
            )
        )
        connection.execute(sa.insert(s.seats), [{"table": id, "seat": name, "standing": {}} for name in read.seats])
        for table, rows in ((s.batches, read.batches), (s.lines, read.rows), (s.snapshots, read.snapshots)):
            if rows:
                connection.execute(sa.insert(table), rows)

    await tables.store.write(work)
    return await tables.open(id)


__all__ = ["MAX_RECORD", "exported", "imported", "whole"]
