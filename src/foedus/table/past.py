"""What a viewer knew at an earlier line of its own: the time machine over a record.

It costs the same wherever one looks: the nearest position that was written down whole, and the batches after it.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from foedus.table.live import LiveTable, TableState, journal_from, newest_snapshot, read_header
from foedus.table.store import schema as s


async def view_at(live: LiveTable, viewer: str, line: int) -> Any:
    """The position after the line `line` of a viewer, as that viewer may know it.

    Raises `TableState` before the game begins and for a line that there is not, and `StoreDown`.
    """
    seat = live.seat_index(viewer)
    if live.journal is None:
        raise TableState("not_begun")
    if not 0 <= line <= live.heads.get(viewer, 0):
        raise TableState("no_such_line")
    if line == live.heads[viewer]:
        return live.view(viewer)
    header = read_header(live.info.header)
    of, record = s.lines.c, s.batches.c

    def work(connection: Connection) -> Any:
        told = (
            sa.select(of.batch)
            .where(of.table == live.id, of.viewer == viewer, of.number <= line, of.batch.is_not(None))
            .order_by(of.number.desc())
            .limit(1)
        )
        batch = connection.execute(told).scalar()
        if batch is None:
            if header.sketch is None:
                raise TableState("not_begun")
            batch = -1  # how the ledger began
        snapshot = newest_snapshot(connection, live.id, batch)
        since = -1 if snapshot is None else int(snapshot["number"])
        rows = connection.execute(
            sa.select(record.line)
            .where(record.table == live.id, record.number > since, record.number <= batch)
            .order_by(record.number)
        )
        return snapshot, [text for (text,) in rows]

    snapshot, lines = await live.store.read(work)
    journal = journal_from(live.referee, header, snapshot, lines)
    return live.referee.view(journal.state, seat)


__all__ = ["view_at"]
