"""Engines for SQLite and PostgreSQL, and the one way in which anything is read or written.

What is to be read or written is a plain function that takes a SQLAlchemy `Connection`; the store runs it where it may
block, inside one transaction. SQLite has room for one writer, so whatever waits to be written there is gathered and
made durable together, each with a savepoint of its own.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

import sqlalchemy as sa
from sqlalchemy.engine import URL, Connection, Engine, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError, InterfaceError, OperationalError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.sql import Executable

T = TypeVar("T")
Work = Callable[[Connection], T]
Statements = Sequence[tuple[Executable, list[dict[str, Any]], bool]]
"""Statements, each with its rows and whether each row must change one row of the database."""

_MOST_TOGETHER: Final = 256
"""How many writes are made durable together at most."""
_BUSY: Final = 10.0
"""Seconds to wait for another process that writes the same SQLite file."""


class StoreError(Exception):
    """The store cannot be used as asked; the message says why, for the one who runs the server."""


class StoreDown(Exception):
    """The store cannot be reached or written just now; nothing was done, or at least nothing is known to be done."""


def store_url(told: str) -> URL:
    """The address of a store: a URL, or the path of an SQLite file. Raises `StoreError`."""
    if "://" not in told:
        return URL.create("sqlite+aiosqlite", database=str(Path(told).expanduser()))
    try:
        url = make_url(told)
    except ArgumentError as error:
        raise StoreError(f"'{told.split('://')[0]}://...' is no address of a database") from error
    backend = url.get_backend_name()
    if backend == "sqlite":
        if not url.database or url.database == ":memory:":
            raise StoreError("an SQLite database needs a file")
        return url.set(drivername="sqlite+aiosqlite")
    if backend in ("postgresql", "postgres"):
        return url.set(drivername="postgresql+psycopg")
    raise StoreError(f"'{backend}' is not supported; SQLite and PostgreSQL are")


def _pragmas(connection: Any, record: Any) -> None:
    cursor = connection.cursor()
    for pragma in (
        "journal_mode=WAL",
        "foreign_keys=ON",
        "synchronous=FULL",
        f"busy_timeout={int(_BUSY * 1000)}",
    ):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def sync_engine(url: URL) -> Engine:
    """An engine that blocks, for commands, migrations and the writer of SQLite."""
    if url.get_backend_name() == "sqlite":
        engine = sa.create_engine(url.set(drivername="sqlite+pysqlite"), connect_args={"check_same_thread": False})
        sa.event.listen(engine, "connect", _own_transactions)
        sa.event.listen(engine, "begin", _begin_immediate)
        return engine
    return sa.create_engine(url)


def _own_transactions(connection: Any, record: Any) -> None:
    # sqlite3 would begin transactions by itself, and only before some statements
    connection.isolation_level = None
    _pragmas(connection, record)


def _begin_immediate(connection: Connection) -> None:
    reads = connection.get_execution_options().get("foedus_reads")
    connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")


@dataclass
class _Unit(Generic[T]):
    work: Work[T]
    done: asyncio.Future[T]
    joint: Statements | None = None


class _Apart(Exception):
    """What was to be written together has to be written one by one."""


class Store:
    """Where everything is kept. Open with `open_store`, close with `close`."""

    def __init__(self, url: URL) -> None:
        self.url = url
        self.sqlite = url.get_backend_name() == "sqlite"
        if self.sqlite:
            self.engine: AsyncEngine = create_async_engine(url, pool_size=4, max_overflow=4)
            sa.event.listen(self.engine.sync_engine, "connect", _pragmas)
            self._writer: Engine | None = sync_engine(url)
            self._thread = ThreadPoolExecutor(1, "foedus-store")
            # the writer's thread asks for the interpreter several times a write and would wait 5 ms each time
            sys.setswitchinterval(0.001)
        else:
            self.engine = create_async_engine(
                url, pool_size=8, max_overflow=8, pool_pre_ping=True, connect_args={"prepare_threshold": 5}
            )
            self._writer = None
        self._units: list[_Unit[Any]] = []
        self._writing: asyncio.Task[None] | None = None

    async def close(self) -> None:
        """Finish what is being written and let go of the database."""
        if self._writing is not None:
            with suppress(asyncio.CancelledError):
                await self._writing
        await self.engine.dispose()
        if self._writer is not None:
            self._thread.shutdown()
            self._writer.dispose()

    async def read(self, work: Work[T]) -> T:
        """Run something that only reads. Raises `StoreDown`."""
        try:
            async with self.engine.connect() as connection:
                return await connection.run_sync(work)
        except (OperationalError, InterfaceError) as error:
            raise StoreDown(str(error.orig)) from error
        except DBAPIError as error:
            if error.connection_invalidated:
                raise StoreDown(str(error.orig)) from error
            raise
        except OSError as error:
            raise StoreDown(str(error)) from error

    async def write(self, work: Work[T], joint: Statements | None = None) -> T:
        """Run something that writes, durable when this returns. Raises `StoreDown`, or whatever `work` raises: nothing
        of it is kept then.

        `joint` is the same as plain statements, if it can be said so: those of many are then run at once.
        """
        if self._writer is None:
            async with self.transaction() as connection:
                return await connection.run_sync(work)
        unit = _Unit(work, asyncio.get_running_loop().create_future(), joint)
        self._units.append(unit)
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write_all())
        return await asyncio.shield(unit.done)

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[AsyncConnection]:
        """A transaction of one's own, on PostgreSQL. Raises `StoreDown` when the database goes away."""
        try:
            async with self.engine.begin() as connection:
                yield connection
        except (OperationalError, InterfaceError) as error:
            raise StoreDown(str(error.orig)) from error
        except DBAPIError as error:
            if error.connection_invalidated:
                raise StoreDown(str(error.orig)) from error
            raise
        except OSError as error:
            raise StoreDown(str(error)) from error

    async def lock(self, connection: AsyncConnection, name: str) -> None:
        """Wait for the only right to write under that name, held until the transaction ends. On PostgreSQL."""
        number = int.from_bytes(blake2b(name.encode(), digest_size=8).digest(), "big", signed=True)
        await connection.execute(sa.text("SELECT pg_advisory_xact_lock(:number)"), {"number": number})

    async def _write_all(self) -> None:
        loop = asyncio.get_running_loop()
        while self._units:
            units, self._units = self._units[:_MOST_TOGETHER], self._units[_MOST_TOGETHER:]
            await loop.run_in_executor(self._thread, self._write_together, units, loop)

    def _write_together(self, units: list[_Unit[Any]], loop: asyncio.AbstractEventLoop) -> None:
        """In the writer's thread: all of them in one transaction, each whole or not at all."""
        assert self._writer is not None
        results: list[tuple[_Unit[Any], Any, BaseException | None]] = []
        all_ = units
        try:
            with self._writer.begin() as connection:
                together = [unit for unit in units if unit.joint is not None]
                if len(together) > 1 and _all_at_once(connection, together):
                    results += [(unit, None, None) for unit in together]
                    units = [unit for unit in units if unit.joint is None]
                for unit in units:
                    try:
                        with connection.begin_nested():
                            results.append((unit, unit.work(connection), None))
                    except OperationalError:
                        raise
                    except Exception as error:
                        results.append((unit, None, error))
        except (OperationalError, DBAPIError, OSError) as error:
            down = StoreDown(str(getattr(error, "orig", error)))
            results = [(unit, None, down) for unit in all_]
        except BaseException as error:
            results = [(unit, None, error) for unit in all_]
        loop.call_soon_threadsafe(_settle, results)


def _all_at_once(connection: Connection, units: Sequence[_Unit[Any]]) -> bool:
    """Run the statements of all of them, each kind once; False if they have to be run one by one after all."""
    gathered: dict[Executable, tuple[list[dict[str, Any]], bool]] = {}
    for unit in units:
        for statement, rows, counted in unit.joint or ():
            gathered.setdefault(statement, ([], counted))[0].extend(rows)
    try:
        with connection.begin_nested():
            for statement, (rows, counted) in gathered.items():
                found = connection.execute(statement, rows)
                if counted and found.rowcount != len(rows):
                    raise _Apart
    except (_Apart, IntegrityError):
        return False
    return True


def _settle(results: list[tuple[_Unit[Any], Any, BaseException | None]]) -> None:
    for unit, value, error in results:
        if unit.done.done():
            continue
        if error is None:
            unit.done.set_result(value)
        else:
            unit.done.set_exception(error)
            unit.done.exception()  # its reader may have gone


async def open_store(told: str) -> Store:
    """The store at an address, which must be up to date (`foedus.table.store.upgrade`). Raises `StoreError`."""
    return Store(store_url(told))


__all__ = ["Statements", "Store", "StoreDown", "StoreError", "Work", "open_store", "store_url", "sync_engine"]
