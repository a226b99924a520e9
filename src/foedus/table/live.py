"""A table as it is held in memory while it is used, and the one way in which anything at it is changed.

Whatever changes a table is an *operation*: a plain function that is given a `Draft`, the table as it would be, and
says on it what happens. The operations of a table are carried out one after the other; those that wait are written
together. What they say is durable before anybody hears of it; one that raises leaves nothing behind.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version as package_version
from typing import Any, Final, Generic, TypeVar

import msgspec
import sqlalchemy as sa
from msgspec.structs import replace
from sqlalchemy.engine import Connection, RowMapping
from sqlalchemy.exc import IntegrityError

from foedus.kernel import record
from foedus.kernel.codec import CodecError
from foedus.kernel.dice import CommittedDice, Dice, ToldDice
from foedus.kernel.game import find_game
from foedus.kernel.record import Header
from foedus.kernel.referee import Referee, make_referee
from foedus.table.acting import playing
from foedus.table.journal import Entry, Journal
from foedus.table.store import schema as s
from foedus.table.store.engine import Statements, Store, StoreDown
from foedus.table.telling import SPECTATOR, Teller, body_of, numbered

T = TypeVar("T")
Operation = Callable[["Draft"], T]

FULL, LEDGER = "full", "ledger"
WAITING, PLAYING, OVER = "waiting", "playing", "over"

SNAPSHOT_EVERY: Final = 64
"""After so many batches the position is written down whole."""
_KEEP: Final = 8
"""A table is opened with at least so many batches that its last commands can be taken back."""
_MOST_ENTRIES: Final = 64
_MOST_TAIL: Final = 256
_MOST_ANSWERS: Final = 256
_MOST_TRIES: Final = 5
CHANNEL: Final = "foedus"
"""The channel on which PostgreSQL tells that a table has changed: its id and version, nothing else."""


class NoSuchTable(LookupError):
    """There is no table of that id."""


class TableState(ValueError):
    """Something that cannot be done with the table as it is; `code` names why, for people it is said by the web."""

    def __init__(self, code: str, **facts: Any) -> None:
        self.code = code
        self.facts = facts
        super().__init__(code if not facts else f"{code}: {', '.join(f'{k} {v}' for k, v in facts.items())}")


class KeyUsed(ValueError):
    """An idempotency key was used before, for something else."""


class _Conflict(Exception):
    """Somebody else has written the table meanwhile."""


class Info(msgspec.Struct, frozen=True):
    """What a table is."""

    id: str
    title: str
    game: str
    kind: str
    host: int | None
    status: str
    created: float
    header: str
    settings: dict[str, Any]


class Seat(msgspec.Struct, frozen=True):
    """Who sits on a seat. `number` is what it adds to the dice, in digits."""

    name: str
    holder: int | None = None
    substitute: int | None = None
    substitute_until: float | None = None
    number: str | None = None
    since: float | None = None
    standing: dict[str, Any] = msgspec.field(default_factory=dict)

    def acting_for(self, now: float) -> int | None:
        """The person who acts for the seat now."""
        if self.substitute is not None and (self.substitute_until is None or now < self.substitute_until):
            return self.substitute
        return self.holder


class Line(msgspec.Struct, frozen=True, gc=False):
    """One line of a viewer: its number and its JSON."""

    number: int
    data: str


# referees are shared: a world is large, and many tables play on the same


_referees: OrderedDict[str, Referee] = OrderedDict()


def referee_of(header: Header) -> Referee:
    """The referee of a record's header. Raises `ValueError` or `LookupError` for what is wrong in it."""
    key = msgspec.json.encode([header.game, header.players, header.board, header.options]).decode()
    found = _referees.get(key)
    if found is None:
        found = make_referee(find_game(header.game), header.players, header.board, header.options)
        _referees[key] = found
        while len(_referees) > 32:
            _referees.popitem(last=False)
    _referees.move_to_end(key)
    return found


def read_header(line: str) -> Header:
    """The header in the first line of a record."""
    return record.read_record([line]).header


def iso(moment: float) -> str:
    """A moment as records have it."""
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def digest(text: str) -> str:
    """A fingerprint of 64 hex digits."""
    return hashlib.sha256(text.encode()).hexdigest()


def seats_of(referee: Referee) -> dict[str, int]:
    """The seats in the game by name."""
    names = referee.world.names.get("seat", ())
    return {str(names[seat]): seat for seat in playing(referee)}


class Draft:
    """A table as it would be once what is being done is done.

    An operation reads and changes it: `journal` (None until the game begins) takes batches by `note`, `take_back` and
    `publish` of its own; `tell` gives viewers lines; `sit` and `describe` change seats and the table itself; `also`
    adds whatever else must be written with it. Nothing of it is kept if the operation raises.
    """

    def __init__(self, live: LiveTable, now: float) -> None:
        self.live = live
        self.now = now
        self.info = live.info
        self.seats = dict(live.seats)
        self.heads = dict(live.heads)
        self.beside = dict(live.beside)
        self.journal = self._journal(live.journal)
        self.marks: dict[int, dict[str, int]] = {}
        self.undone: tuple[Entry, ...] = ()
        """set before taking back: what is taken back"""
        self.new_lines: list[tuple[str, int, int | None, str]] = []
        self.happened: list[Entry] = []
        """the batches that the operation has written"""
        self.record: list[tuple[int, str]] = []
        self.snapshots: list[dict[str, Any]] = []
        self.keyed: list[tuple[str, str, str, str]] = []
        self.works: list[Callable[[Connection], object]] = []
        self.rows: list[tuple[sa.Table, dict[str, Any]]] = []
        self.touched = False

    def _journal(self, journal: Journal | None) -> Journal | None:
        if journal is None:
            return None
        found = journal.fork()
        found.clock = lambda: iso(self.now)
        found.watch = self._happened
        found._sink = self._written
        return found

    # what operations use

    @property
    def referee(self) -> Referee:
        """The referee of the table."""
        return self.live.referee

    @property
    def game(self) -> Journal:
        """The journal of a game that has begun. Raises `TableState`."""
        if self.journal is None or self.info.status == WAITING:
            raise TableState("not_begun")
        return self.journal

    @property
    def playing(self) -> Journal:
        """The journal of a game that is going on. Raises `TableState`."""
        if self.info.status == OVER:
            raise TableState("over")
        return self.game

    @property
    def state(self) -> Any:
        """The position."""
        return self.game.state

    def dice(self) -> Dice:
        """The dice of the table: its own, or those that were told."""
        journal = self.game
        if self.info.kind == LEDGER:
            told = self.beside.get("told", {})
            return ToldDice(told.get("dice", ()), told.get("picks", ()))
        secret = self.live.secret
        if secret is None:
            raise TableState("no_dice")
        return CommittedDice(secret, journal.header.numbers, journal.draws)

    def begin(self, journal: Journal) -> None:
        """The game begins with this journal."""
        self.journal = journal
        journal.clock = lambda: iso(self.now)
        journal.watch = self._happened
        journal._sink = self._written

    def tell(self, viewers: str | Iterable[str], data: Mapping[str, Any]) -> None:
        """Give viewers a line: a name of a seat, "" for spectators, or several. Put the kind under "what"."""
        body = body_of({"what": data["what"], "time": iso(self.now), **data})
        for viewer in (viewers,) if isinstance(viewers, str) else viewers:
            self._line(viewer, body, None)

    def tell_all(self, data: Mapping[str, Any]) -> None:
        """Give every viewer a line."""
        self.tell(self.live.viewers, data)

    def sit(self, seat: Seat) -> None:
        """Change who sits on a seat."""
        if seat.name not in self.seats:
            raise TableState("no_such_seat", seat=seat.name)
        self.seats[seat.name] = seat
        self.touched = True

    def describe(self, **changes: Any) -> None:
        """Change what the table is: `title`, `status`, `settings`, `header`, `host`."""
        self.info = replace(self.info, **changes)
        self.touched = True

    def also(self, work: Callable[[Connection], object]) -> None:
        """Write something else together with it."""
        self.works.append(work)
        self.touched = True

    def insert(self, table: sa.Table, row: dict[str, Any]) -> None:
        """Add a row to a table of the store together with it; rows of several operations are written at once."""
        self.rows.append((table, row))
        self.touched = True

    def put_beside(self, **values: Any) -> None:
        """Keep something that waits outside the record; None drops it."""
        for name, value in values.items():
            if value is None:
                self.beside.pop(name, None)
            else:
                self.beside[name] = value
        self.touched = True

    # what it makes of them

    def _written(self, line: str) -> None:
        assert self.journal is not None
        self.record.append((self.journal.number, line))  # written before the journal counts on
        self.touched = True

    def _happened(self, entry: Entry) -> None:
        for viewer, data in self.live.teller.tell(entry, iso(self.now), self._back, self.undone):
            self._line(viewer, body_of(data), entry.number)
        self.marks[entry.number] = dict(self.heads)
        self.happened.append(entry)

    def _back(self, viewer: str, batch: int) -> int:
        for marks in (self.marks, self.live.marks):
            known = max((number for number in marks if number <= batch), default=None)
            if known is not None:
                return marks[known].get(viewer, 0)
        return 0

    def _line(self, viewer: str, body: str, batch: int | None) -> None:
        number = self.heads[viewer] + 1
        self.heads[viewer] = number
        self.new_lines.append((viewer, number, batch, numbered(number, body)))
        self.touched = True

    def _mark(self) -> tuple[Any, ...]:
        return (
            self.info,
            dict(self.seats),
            dict(self.heads),
            dict(self.beside),
            self.journal,
            dict(self.marks),
            len(self.new_lines),
            len(self.record),
            len(self.works),
            len(self.rows),
            self.touched,
        )

    def _restore(self, mark: tuple[Any, ...]) -> None:
        self.info, self.seats, self.heads, self.beside, self.journal, self.marks = mark[:6]
        del self.new_lines[mark[6] :], self.record[mark[7] :], self.works[mark[8] :], self.rows[mark[9] :]
        self.touched = mark[10]
        self.undone = ()

    def attempt(self, operation: Operation[T]) -> T:
        """Do an operation whole or not at all."""
        mark = self._mark()
        self.journal = self._journal(self.journal)
        self.happened = []
        try:
            result = operation(self)
            if self.happened or self.info is not mark[0] or self.seats != mark[1]:
                for keeper in self.live.keepers:
                    keeper(self)
        except BaseException:
            self._restore(mark)
            raise
        self.undone = ()
        self._snapshot(self.record[mark[7] :])
        return result

    def _snapshot(self, written: Sequence[tuple[int, str]]) -> None:
        """Write the position down whole if enough has happened since the last time."""
        journal = self.journal
        if journal is None or not written or journal.closed:
            return
        last = journal.number - 1
        if last // SNAPSHOT_EVERY <= (written[0][0] - 1) // SNAPSHOT_EVERY:
            return
        self.snapshots.append(
            {
                "table": self.info.id,
                "number": last,
                "made_by": VERSION,
                "prev": journal.prev,
                "draws": journal.draws,
                "marks": msgspec.json.encode(self.heads).decode(),
                "state": msgspec.json.encode(self.referee.codec.encode(journal.state)).decode(),
            }
        )

    def _statements(self) -> Statements:
        """The rows that are added, and how far the table has come then."""
        table, live, journal = self.info.id, self.live, self.journal
        move = {
            "of": table,
            "before": live.version,
            "version": live.version + 1,
            "batch": -1 if journal is None else journal.number - 1,
            "prev": "" if journal is None else journal.prev,
            "draws": 0 if journal is None else journal.draws,
            "lines": msgspec.json.encode(self.heads).decode(),
            "beside": msgspec.json.encode(self.beside).decode(),
        }
        rows: dict[sa.Table, list[dict[str, Any]]] = {}
        if self.record:
            rows[s.batches] = [{"table": table, "number": n, "line": line} for n, line in self.record]
        if self.new_lines:
            rows[s.lines] = [
                {"table": table, "viewer": viewer, "number": number, "batch": batch, "data": data}
                for viewer, number, batch, data in self.new_lines
            ]
        if self.keyed:
            rows[s.idempotency] = [
                {"table": table, "viewer": v, "key": key, "request": request, "answer": answer, "made": self.now}
                for v, key, request, answer in self.keyed
            ]
        if self.snapshots:
            rows[s.snapshots] = list(self.snapshots)
        for to, row in self.rows:
            rows.setdefault(to, []).append(row)
        return [(_MOVE, [move], True), *((_insert(to), added, False) for to, added in rows.items())]

    @property
    def joint(self) -> Statements | None:
        """All there is to write, if it can be written together with what other tables write."""
        if self.works or self.info != self.live.info or self.seats != self.live.seats:
            return None
        return self._statements()

    def write(self, connection: Connection) -> None:
        """Write it all. Raises `_Conflict` where somebody else has written the table meanwhile."""
        table, live = self.info.id, self.live
        for statement, rows, counted in self._statements():
            found = connection.execute(statement, rows[0] if len(rows) == 1 else rows)
            if counted and found.rowcount != len(rows):
                raise _Conflict
        if self.info != live.info:
            values = {name: getattr(self.info, name) for name in ("title", "host", "status", "header", "settings")}
            connection.execute(sa.update(s.tables).where(s.tables.c.id == table).values(**values))
        for name, seat in self.seats.items():
            if seat != live.seats[name]:
                connection.execute(
                    sa.update(s.seats)
                    .where(s.seats.c.table == table, s.seats.c.seat == name)
                    .values(
                        holder=seat.holder,
                        substitute=seat.substitute,
                        substitute_until=seat.substitute_until,
                        number=seat.number,
                        since=seat.since,
                        standing=seat.standing,
                    )
                )
        for work in self.works:
            work(connection)
        if connection.dialect.name == "postgresql":
            connection.execute(_NOTIFY, {"channel": CHANNEL, "told": f"{table} {live.version + 1}"})


VERSION: Final = package_version("foedus")

_MOVE: Final = (
    sa.update(s.heads)
    .where(s.heads.c.table == sa.bindparam("of"), s.heads.c.version == sa.bindparam("before"))
    .values({name: sa.bindparam(name) for name in ("version", "batch", "prev", "draws", "lines", "beside")})
)
_insert: Final = cache(sa.insert)
_NOTIFY: Final = sa.text("SELECT pg_notify(:channel, :told)")


@dataclass(frozen=True)
class Key:
    """An idempotency key: who uses it, and the fingerprint of what is asked."""

    viewer: str
    key: str
    request: str


@dataclass
class _Op(Generic[T]):
    operation: Operation[T]
    key: Key | None
    done: asyncio.Future[T]


@dataclass
class _Loaded:
    """What is read from the store when a table is opened."""

    info: Info
    seats: dict[str, Seat]
    head: RowMapping
    secret: bytes | None
    snapshot: RowMapping | None
    lines: list[str]
    marks: dict[int, dict[str, int]] = field(default_factory=dict)


class LiveTable:
    """One table in memory: what is committed, the tails of its viewers' lines, and the queue of operations."""

    def __init__(
        self,
        store: Store,
        id: str,
        clock: Callable[[], float],
        watchers: Sequence[Callable[[LiveTable, Draft], None]] = (),
        keepers: Sequence[Callable[[Draft], None]] = (),
    ) -> None:
        self.store = store
        self.id = id
        self.clock = clock
        self.version = -1
        self.info: Info
        self.seats: dict[str, Seat] = {}
        self.referee: Referee
        self.teller: Teller
        self.journal: Journal | None = None
        self.heads: dict[str, int] = {}
        self.beside: dict[str, Any] = {}
        self.marks: dict[int, dict[str, int]] = {}
        self.secret: bytes | None = None
        self.readers = 0
        """how many streams are open on it"""
        self.keepers = keepers
        self._watchers = watchers
        self._tails: dict[str, deque[Line]] = {}
        self._bells: dict[str, asyncio.Event] = {}
        self._answers: OrderedDict[tuple[str, str], tuple[str, str]] = OrderedDict()
        self._ops: list[_Op[Any]] = []
        self._draining: asyncio.Task[None] | None = None
        self._lock = asyncio.Lock()
        self._stale = True

    # reading

    @property
    def state(self) -> Any:
        """The position. Raises `TableState` before the game begins."""
        if self.journal is None:
            raise TableState("not_begun")
        return self.journal.state

    @property
    def viewers(self) -> tuple[str, ...]:
        """Everybody who has lines: the seats, and "" for spectators."""
        return tuple(self.teller.viewers)

    def seat_index(self, viewer: str) -> int | None:
        """The number of a seat in the game; None for spectators. Raises `TableState` for no such seat."""
        if viewer not in self.teller.viewers:
            raise TableState("no_such_seat", seat=viewer)
        return self.teller.viewers[viewer]

    def view(self, viewer: str) -> Any:
        """The position as a viewer may know it."""
        return self.referee.view(self.state, self.seat_index(viewer))

    @property
    def busy(self) -> bool:
        """Is anything being done or anybody listening?"""
        return bool(self.readers or self._ops or (self._draining is not None and not self._draining.done()))

    def bell(self, viewer: str) -> asyncio.Event:
        """An event that is set when the viewer gets a further line. Take it before reading the lines."""
        return self._bells.setdefault(viewer, asyncio.Event())

    async def lines(self, viewer: str, since: int, most: int = 500) -> list[Line]:
        """The lines of a viewer after the number `since`, at most so many. Raises `StoreDown`."""
        head = self.heads.get(viewer, 0)
        if since >= head:
            return []
        tail = self._tails.get(viewer)
        if tail and tail[0].number <= since + 1 and tail[-1].number == head:
            skip = since + 1 - tail[0].number
            return [tail[i] for i in range(skip, min(len(tail), skip + most))]

        def work(connection: Connection) -> list[Line]:
            of = s.lines.c
            rows = connection.execute(
                sa.select(of.number, of.data)
                .where(of.table == self.id, of.viewer == viewer, of.number > since, of.number <= head)
                .order_by(of.number)
                .limit(most)
            )
            return [Line(number, data) for number, data in rows]

        return await self.store.read(work)

    # loading

    async def fresh(self) -> None:
        """Make sure that what is held here is what was last committed anywhere. Raises `StoreDown`, `NoSuchTable`."""
        if self._stale:
            async with self._lock:
                if self._stale:
                    await self._reload()
        elif not self.store.sqlite:
            version = await self.store.read(
                lambda c: c.execute(sa.select(s.heads.c.version).where(s.heads.c.table == self.id)).scalar()
            )
            if version is None:
                raise NoSuchTable(self.id)
            if version != self.version:
                await self.refresh(version)

    async def refresh(self, version: int) -> None:
        """Take over what other workers have written, up to that version at least."""
        if version <= self.version and not self._stale:
            return
        async with self._lock:
            if self._stale:
                await self._reload()
            elif version > self.version:
                await self.store.read(self._catch_up)
        self._ring(self.viewers)

    async def deepen(self) -> None:
        """Hold every batch that counts, so that anything can be taken back."""
        async with self._lock:
            loaded = await self.store.read(lambda connection: self._load(connection, deep=True))
            self._take(loaded)

    async def _reload(self) -> None:
        self._take(await self.store.read(self._load))
        self._stale = False

    def _load(self, connection: Connection, deep: bool = False) -> _Loaded:
        row = connection.execute(sa.select(s.tables).where(s.tables.c.id == self.id)).mappings().first()
        if row is None:
            raise NoSuchTable(self.id)
        info = Info(**row)
        seats = _read_seats(connection, self.id)
        head = connection.execute(sa.select(s.heads).where(s.heads.c.table == self.id)).mappings().one()
        secret = connection.execute(sa.select(s.secrets.c.secret).where(s.secrets.c.table == self.id)).scalar()
        snapshot = None
        if not deep:
            snapshot = newest_snapshot(connection, self.id, int(head["batch"]) - _KEEP)
        since = -1 if snapshot is None else int(snapshot["number"])
        rows = connection.execute(
            sa.select(s.batches.c.line)
            .where(s.batches.c.table == self.id, s.batches.c.number > since)
            .order_by(s.batches.c.number)
        )
        found = _Loaded(info, seats, head, secret, snapshot, [line for (line,) in rows])
        start = msgspec.json.decode(snapshot["marks"]) if snapshot is not None else dict.fromkeys(seats, 0)
        found.marks = _read_marks(connection, self.id, since, {SPECTATOR: 0, **start})
        return found

    def _take(self, loaded: _Loaded) -> None:
        """Hold what was read."""
        header = read_header(loaded.info.header)
        referee = referee_of(header)
        journal = None
        if loaded.info.status != WAITING:
            journal = journal_from(referee, header, loaded.snapshot, loaded.lines)
        self.info, self.seats, self.referee = loaded.info, loaded.seats, referee
        self.teller = Teller(referee, seats_of(referee), open=loaded.info.kind == LEDGER)
        self.journal = journal
        self.version = int(loaded.head["version"])
        self.heads = msgspec.json.decode(loaded.head["lines"])
        self.beside = msgspec.json.decode(loaded.head["beside"])
        self.marks = loaded.marks
        self.secret = bytes(loaded.secret) if loaded.secret is not None else None

    def _catch_up(self, connection: Connection) -> None:
        """Take over what others have written since."""
        head = connection.execute(sa.select(s.heads).where(s.heads.c.table == self.id)).mappings().first()
        if head is None:
            raise NoSuchTable(self.id)
        if head["version"] == self.version:
            return
        row = connection.execute(sa.select(s.tables).where(s.tables.c.id == self.id)).mappings().one()
        info = Info(**row)
        if info.status != self.info.status or info.header != self.info.header or self.journal is None:
            self._take(self._load(connection))
            return
        journal = self.journal.fork()
        since = journal.number - 1
        if head["batch"] > since:
            rows = connection.execute(
                sa.select(s.batches.c.line)
                .where(s.batches.c.table == self.id, s.batches.c.number > since)
                .order_by(s.batches.c.number)
            )
            journal.take_on([line for (line,) in rows])
            self.marks.update(_read_marks(connection, self.id, since, self.heads))
        self.info, self.seats, self.journal = info, _read_seats(connection, self.id), journal
        self.version = int(head["version"])
        self.heads = msgspec.json.decode(head["lines"])
        self.beside = msgspec.json.decode(head["beside"])
        self._trim()

    def _trim(self) -> None:
        if self.journal is not None:
            del self.journal.entries[:-_MOST_ENTRIES]
            entries = self.journal.entries
            first = entries[0].number if entries else self.journal.number
            for number in sorted(number for number in self.marks if number < first)[:-1]:
                del self.marks[number]
        while len(self._answers) > _MOST_ANSWERS:
            self._answers.popitem(last=False)

    # doing

    async def do(self, operation: Operation[T], key: Key | None = None) -> T:
        """Do an operation; durable when this returns. It is done even if whoever asked goes away.

        With a key it is done once: asked again, it gives the same answer, which must then be plain data. Raises
        whatever the operation raises, `KeyUsed`, and `StoreDown`: nothing is known to be done then, and with the same
        key it may be asked again.
        """
        op = _Op(operation, key, asyncio.get_running_loop().create_future())
        self._ops.append(op)
        if self._draining is None or self._draining.done():
            self._draining = asyncio.create_task(self._drain())
        return await asyncio.shield(op.done)

    async def _drain(self) -> None:
        while self._ops:
            ops, self._ops = self._ops, []
            async with self._lock:
                await self._all(ops)

    async def _all(self, ops: list[_Op[Any]]) -> None:
        try:
            await self._together(ops)
        except Exception as error:
            if len(ops) > 1 and not isinstance(error, StoreDown):
                for op in ops:  # one of them may be at fault for all
                    if not op.done.done():
                        await self._all([op])
                return
            for op in ops:
                _fail(op, error)
        except BaseException as error:
            self._stale = True
            for op in ops:
                _fail(op, error)
            raise

    async def _together(self, ops: list[_Op[Any]]) -> None:
        for tries in range(_MOST_TRIES):
            if self._stale:
                await self._reload()
                await self._recall(ops)
            try:
                if self.store.sqlite:
                    draft, results = await self._try(ops)
                    if draft.touched:
                        await self.store.write(draft.write, draft.joint)
                else:
                    async with self.store.transaction() as connection:
                        await self.store.lock(connection, self.id)
                        before = self.version
                        await connection.run_sync(self._catch_up)
                        if self.version != before:
                            await self._recall(ops)
                            self._ring(self.viewers)
                        draft, results = await self._try(ops)
                        if draft.touched:
                            await connection.run_sync(draft.write)
            except (_Conflict, IntegrityError) as error:
                self._stale = True
                if isinstance(error, IntegrityError) and (len(ops) > 1 or tries > 1):
                    raise
                last: Exception = error
                continue
            except Exception:
                self._stale = True  # whether it was written is not known
                raise
            self._commit(draft)
            for op, result, failed in results:
                if failed is not None:
                    _fail(op, failed)
                elif not op.done.done():
                    op.done.set_result(result)
            return
        raise last

    async def _try(self, ops: Sequence[_Op[Any]]) -> tuple[Draft, list[tuple[_Op[Any], Any, Exception | None]]]:
        draft = Draft(self, self.clock())
        results: list[tuple[_Op[Any], Any, Exception | None]] = []
        answers: dict[tuple[str, str], tuple[str, str]] = {}
        for op in ops:
            key = op.key
            try:
                if key is not None:
                    known = answers.get((key.viewer, key.key)) or self._answers.get((key.viewer, key.key))
                    if known is not None:
                        results.append((op, _again(key, known), None))
                        continue
                result = draft.attempt(op.operation)
            except Exception as error:
                if key is not None and await self._recall([op]):
                    results.append(self._replayed(op, key))
                else:
                    results.append((op, None, error))
                continue
            if key is not None:
                answer = msgspec.json.encode(result).decode()
                answers[key.viewer, key.key] = (key.request, answer)
                draft.keyed.append((key.viewer, key.key, key.request, answer))
                draft.touched = True
            results.append((op, result, None))
        return draft, results

    def _replayed(self, op: _Op[Any], key: Key) -> tuple[_Op[Any], Any, Exception | None]:
        try:
            return op, _again(key, self._answers[key.viewer, key.key]), None
        except KeyUsed as error:
            return op, None, error

    async def _recall(self, ops: Sequence[_Op[Any]]) -> bool:
        """Remember the answers that were given to these before; were there any?"""
        keys = [op.key for op in ops if op.key is not None]
        if not keys:
            return False
        of = s.idempotency.c

        def work(connection: Connection) -> list[Any]:
            return list(
                connection.execute(
                    sa.select(of.viewer, of.key, of.request, of.answer).where(
                        of.table == self.id, of.key.in_([key.key for key in keys])
                    )
                )
            )

        found = False
        for viewer, key, request, answer in await self.store.read(work):
            self._answers[viewer, key] = (request, answer)
            found = found or any((one.viewer, one.key) == (viewer, key) for one in keys)
        return found

    def _commit(self, draft: Draft) -> None:
        """It is written: hold it and let the viewers know."""
        if not draft.touched:
            return
        self.version += 1
        self.info, self.seats, self.journal = draft.info, draft.seats, draft.journal
        self.heads, self.beside = draft.heads, draft.beside
        self.marks.update(draft.marks)
        for viewer, key, request, answer in draft.keyed:
            self._answers[viewer, key] = (request, answer)
        rung: dict[str, None] = {}
        for viewer, number, _, data in draft.new_lines:
            tail = self._tails.get(viewer)
            if tail is None:
                tail = self._tails[viewer] = deque(maxlen=_MOST_TAIL)
            if tail and tail[-1].number != number - 1:
                tail.clear()
            tail.append(Line(number, data))
            rung[viewer] = None
        self._trim()
        self._ring(rung)
        for watcher in self._watchers:
            watcher(self, draft)

    def _ring(self, viewers: Iterable[str]) -> None:
        for viewer in viewers:
            bell = self._bells.pop(viewer, None)
            if bell is not None:
                bell.set()


def _fail(op: _Op[Any], error: BaseException) -> None:
    if not op.done.done():
        op.done.set_exception(error)
        op.done.exception()  # whoever asked may have gone


def _again(key: Key, known: tuple[str, str]) -> Any:
    request, answer = known
    if request != key.request:
        raise KeyUsed(key.key)
    return msgspec.json.decode(answer)


def _read_seats(connection: Connection, table: str) -> dict[str, Seat]:
    rows = connection.execute(sa.select(s.seats).where(s.seats.c.table == table)).mappings()
    return {
        row["seat"]: Seat(
            row["seat"],
            row["holder"],
            row["substitute"],
            row["substitute_until"],
            row["number"],
            row["since"],
            row["standing"],
        )
        for row in rows
    }


def _read_marks(connection: Connection, table: str, since: int, start: Mapping[str, int]) -> dict[int, dict[str, int]]:
    """For each batch after `since` of which somebody was told, the last line's number of each viewer after it."""
    of = s.lines.c
    told: list[tuple[int, str, int]] = []
    for viewer, number in start.items():  # by viewer, as the lines are ordered: else all of them would be read
        rows = connection.execute(
            sa.select(of.batch, of.number).where(of.table == table, of.viewer == viewer, of.number > number)
        )
        told += [(batch, viewer, line) for batch, line in rows if batch is not None and batch > since]
    found: dict[int, dict[str, int]] = {}
    now = dict(start)
    for batch, viewer, line in sorted(told):
        now[viewer] = line
        found[batch] = dict(now)
    return found


def newest_snapshot(connection: Connection, table: str, most: int) -> RowMapping | None:
    """The newest position of a table that was written down whole by this version, up to the batch `most`."""
    of = s.snapshots.c
    query = (
        sa.select(s.snapshots)
        .where(of.table == table, of.number <= most, of.made_by == VERSION)
        .order_by(of.number.desc())
        .limit(1)
    )
    return connection.execute(query).mappings().first()


def journal_from(referee: Referee, header: Header, snapshot: RowMapping | None, lines: Sequence[str]) -> Journal:
    """The journal of a record from a position that was written down whole, or its start, and the lines after it."""
    if snapshot is not None:
        try:
            state = referee.codec.decode(msgspec.json.decode(snapshot["state"]), referee.game.state_type)
        except CodecError as error:
            raise RuntimeError(
                f"table {snapshot['table']}: snapshot {snapshot['number']} is spoilt: {error}"
            ) from error
        journal = Journal.resume(referee, header, state, snapshot["number"] + 1, snapshot["prev"], snapshot["draws"])
    else:
        _, state = record.open_record(referee.game, record.Record(header), referee)
        journal = Journal(referee, header, state)
        journal.lines = []
    journal.take_on(lines)
    return journal


__all__ = [
    "CHANNEL",
    "FULL",
    "LEDGER",
    "OVER",
    "PLAYING",
    "WAITING",
    "Draft",
    "Info",
    "Key",
    "KeyUsed",
    "Line",
    "LiveTable",
    "NoSuchTable",
    "Operation",
    "Seat",
    "TableState",
    "digest",
    "iso",
    "journal_from",
    "newest_snapshot",
    "read_header",
    "referee_of",
    "seats_of",
]
