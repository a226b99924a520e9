"""The tables of the store.

A *viewer* is the name of a seat, or "" for the spectators. Moments are seconds since 1970. The lines of a record stand
in `batches` and are only ever added; what each viewer may know of them stands in `lines`, numbered for each viewer by
itself, together with whatever else reaches that viewer (talks, seats, clocks).
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa

NAMING: Final = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}

metadata: Final = sa.MetaData(naming_convention=NAMING)

Moment = sa.Double
"""Seconds since 1970."""

_OF_TABLE: Final = "tables.id"


def _table_key() -> sa.Column[str]:
    return sa.Column("table", sa.String(32), sa.ForeignKey(_OF_TABLE, ondelete="CASCADE"), primary_key=True)


# people

people: Final = sa.Table(
    "people",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("name", sa.String(80), nullable=False),
    sa.Column("key", sa.String(240), nullable=False, unique=True),  # the name as it is compared
    sa.Column("password", sa.String(200), nullable=False),
    sa.Column("language", sa.String(8), nullable=False, server_default="en"),
    sa.Column("created", Moment, nullable=False),
    sa.Column("settings", sa.JSON, nullable=False),
    sa.Column("notified", sa.Boolean, nullable=False, default=False),  # has an address for notices
)

sessions: Final = sa.Table(
    "sessions",
    metadata,
    sa.Column("key", sa.String(64), primary_key=True),  # SHA-256 of the token
    sa.Column("person", sa.ForeignKey("people.id", ondelete="CASCADE"), nullable=False, index=True),
    sa.Column("created", Moment, nullable=False),
    sa.Column("expires", Moment, nullable=False, index=True),
)

# tables

tables: Final = sa.Table(
    "tables",
    metadata,
    sa.Column("id", sa.String(32), primary_key=True),
    sa.Column("title", sa.String(200), nullable=False),
    sa.Column("game", sa.String(80), nullable=False),
    sa.Column("kind", sa.String(16), nullable=False),  # full, ledger
    sa.Column("host", sa.ForeignKey("people.id"), nullable=True, index=True),
    sa.Column("status", sa.String(16), nullable=False),  # waiting, playing, over
    sa.Column("created", Moment, nullable=False),
    sa.Column("header", sa.Text, nullable=False),  # the first line of the record; final when it is playing
    sa.Column("settings", sa.JSON, nullable=False),
)

heads: Final = sa.Table(  # how far a table has come: the only row that changes with each command
    "heads",
    metadata,
    _table_key(),
    sa.Column("version", sa.BigInteger, nullable=False),  # counts every write
    sa.Column("batch", sa.BigInteger, nullable=False),  # the last batch; -1 before the first
    sa.Column("prev", sa.String(64), nullable=False),  # fingerprint of the last line of the record
    sa.Column("draws", sa.BigInteger, nullable=False),
    sa.Column("lines", sa.Text, nullable=False),  # JSON: the last line's number for each viewer
    sa.Column("beside", sa.Text, nullable=False),  # JSON: what waits outside the record, as dice told to a ledger
)

secrets: Final = sa.Table(  # by itself, so that no export can take it along
    "secrets",
    metadata,
    _table_key(),
    sa.Column("secret", sa.LargeBinary, nullable=False),
)

seats: Final = sa.Table(
    "seats",
    metadata,
    _table_key(),
    sa.Column("seat", sa.String(40), primary_key=True),
    sa.Column("holder", sa.ForeignKey("people.id"), nullable=True, index=True),
    sa.Column("substitute", sa.ForeignKey("people.id"), nullable=True, index=True),
    sa.Column("substitute_until", Moment, nullable=True),
    sa.Column("number", sa.String(80), nullable=True),  # what the seat adds to the dice, in digits
    sa.Column("since", Moment, nullable=True),  # when the holder sat down
    sa.Column("standing", sa.JSON, nullable=False),  # standing answers
)

invitations: Final = sa.Table(
    "invitations",
    metadata,
    sa.Column("key", sa.String(64), primary_key=True),  # SHA-256 of the token in the link
    sa.Column("table", sa.ForeignKey(_OF_TABLE, ondelete="CASCADE"), nullable=False, index=True),
    sa.Column("what", sa.String(16), nullable=False),  # seat, substitute, host
    sa.Column("seat", sa.String(40), nullable=False),  # "" for host
    sa.Column("days", sa.Integer, nullable=True),  # how long a substitute sits; null: until he is told to leave
    sa.Column("by", sa.ForeignKey("people.id"), nullable=False),
    sa.Column("created", Moment, nullable=False),
    sa.Column("expires", Moment, nullable=False),
    sa.Column("used_by", sa.ForeignKey("people.id"), nullable=True),
    sa.Column("used", Moment, nullable=True),
)

batches: Final = sa.Table(
    "batches",
    metadata,
    _table_key(),
    sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("line", sa.Text, nullable=False),
)

snapshots: Final = sa.Table(
    "snapshots",
    metadata,
    _table_key(),
    sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("made_by", sa.String(40), nullable=False),  # the version of the program
    sa.Column("prev", sa.String(64), nullable=False),  # fingerprint of the line of that batch
    sa.Column("draws", sa.BigInteger, nullable=False),
    sa.Column("marks", sa.Text, nullable=False),  # JSON: the last line's number for each viewer
    sa.Column("state", sa.Text, nullable=False),
)

lines: Final = sa.Table(
    "lines",
    metadata,
    _table_key(),
    sa.Column("viewer", sa.String(40), primary_key=True),
    sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("batch", sa.BigInteger, nullable=True),  # of the record; never shown
    sa.Column("data", sa.Text, nullable=False),  # JSON, as it is sent
)

idempotency: Final = sa.Table(
    "idempotency",
    metadata,
    _table_key(),
    sa.Column("viewer", sa.String(40), primary_key=True),
    sa.Column("key", sa.String(128), primary_key=True),
    sa.Column("request", sa.String(64), nullable=False),  # fingerprint of what was asked
    sa.Column("answer", sa.Text, nullable=False),
    sa.Column("made", Moment, nullable=False, index=True),
)

# talks

messages: Final = sa.Table(  # a channel is the set of its seats: bit n is the game's seat n; 0 is the whole table
    "messages",
    metadata,
    _table_key(),
    sa.Column("channel", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("seat", sa.String(40), nullable=False),
    sa.Column("time", Moment, nullable=False),
    sa.Column("text", sa.Text, nullable=False),
)

read_marks: Final = sa.Table(
    "read_marks",
    metadata,
    _table_key(),
    sa.Column("channel", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("seat", sa.String(40), primary_key=True),
    sa.Column("number", sa.Integer, nullable=False),
)

# clocks, notices, settings

clocks: Final = sa.Table(  # when something is due at a table; what it is stands beside its head
    "clocks",
    metadata,
    _table_key(),
    sa.Column("due", Moment, nullable=False, index=True),
)

notices: Final = sa.Table(
    "notices",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("person", sa.ForeignKey("people.id", ondelete="CASCADE"), nullable=False, index=True),
    sa.Column("table", sa.ForeignKey(_OF_TABLE, ondelete="CASCADE"), nullable=True),
    sa.Column("kind", sa.String(40), nullable=False),
    sa.Column("seat", sa.String(40), nullable=False),
    sa.Column("made", Moment, nullable=False),
    sa.Column("due", Moment, nullable=False, index=True),
    sa.Column("sent", Moment, nullable=True),
    sa.Column("tries", sa.Integer, nullable=False, server_default="0"),
)

settings: Final = sa.Table(  # of the whole site
    "settings",
    metadata,
    sa.Column("name", sa.String(80), primary_key=True),
    sa.Column("value", sa.JSON, nullable=False),
)
