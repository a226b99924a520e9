"""Backups: all rows of a database as lines of JSON, packed; the same for SQLite and PostgreSQL, and from one to the
other. A backup holds the secrets of the dice and the hashes of the passwords: keep it as you keep the database."""

from __future__ import annotations

import base64
import gzip
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import msgspec
import sqlalchemy as sa
from sqlalchemy.engine import URL, Connection
from sqlalchemy.exc import DBAPIError

from foedus.table.store.engine import StoreError, sync_engine
from foedus.table.store.schema import metadata
from foedus.table.store.upgrade import NEWEST, revision

FORMAT: Final = 1
_AT_ONCE: Final = 500


def backup(url: URL, path: Path) -> int:
    """Write a backup of one moment, while the server may run; gives the number of rows. Raises `StoreError`."""
    engine = sync_engine(url)
    part = path.with_name(path.name + ".part")
    try:
        with engine.connect() as connection:
            if url.get_backend_name() == "sqlite":
                connection = connection.execution_options(foedus_reads=True)
            else:
                connection = connection.execution_options(isolation_level="REPEATABLE READ")
            found = revision(connection)
            if found != NEWEST:
                raise StoreError(f"the database has the form {found}; bring it to {NEWEST} first (foedus db upgrade)")
            rows = 0
            with open(part, "xb", opener=_private) as file, gzip.GzipFile(fileobj=file, mode="wb", mtime=0) as packed:
                packed.write(msgspec.json.encode({"foedus backup": FORMAT, "form": found}) + b"\n")
                for line in _lines(connection):
                    packed.write(line)
                    rows += 1
                packed.write(msgspec.json.encode({"rows": rows}) + b"\n")
                packed.flush()
                file.flush()
                os.fsync(file.fileno())
        os.replace(part, path)
        return rows
    except FileExistsError as error:
        raise StoreError(f"{part}: is there already; another backup is being made, or one was broken off") from error
    except (DBAPIError, OSError) as error:
        part.unlink(missing_ok=True)
        raise StoreError(f"no backup was made: {getattr(error, 'orig', error)}") from error
    finally:
        engine.dispose()


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _lines(connection: Connection) -> Iterator[bytes]:
    for table in metadata.sorted_tables:
        for row in connection.execute(sa.select(table)).mappings():
            values = {str(key): _packed(value) for key, value in row.items()}
            yield msgspec.json.encode([str(table.name), values]) + b"\n"


def _packed(value: Any) -> Any:
    return {"bytes": base64.b64encode(bytes(value)).decode()} if isinstance(value, (bytes, memoryview)) else value


def restore(url: URL, path: Path) -> int:
    """Fill an empty database of the newest form from a backup; gives the number of rows. Raises `StoreError`: nothing
    is kept then."""
    engine = sync_engine(url)
    try:
        with engine.begin() as connection, gzip.open(path, "rb") as file:
            for table in metadata.sorted_tables:
                # the site's own secret stands in every database that a server has opened
                if table.name != "settings" and connection.execute(sa.select(table).limit(1)).first() is not None:
                    raise StoreError(f"the database is not empty: it has rows in '{table.name}'")
            connection.execute(sa.delete(metadata.tables["settings"]))
            rows = _fill(connection, file)
            if connection.dialect.name == "postgresql":
                _count_on(connection)
            return rows
    except (OSError, EOFError, msgspec.MsgspecError) as error:
        raise StoreError(f"{path}: is no backup, or not whole: {error}") from error
    except DBAPIError as error:
        raise StoreError(f"the backup cannot be restored: {error.orig}") from error
    finally:
        engine.dispose()


def _fill(connection: Connection, file: Any) -> int:
    head = msgspec.json.decode(file.readline())
    if not isinstance(head, dict) or head.get("foedus backup") != FORMAT:
        raise StoreError("this is no backup of Foedus")
    if head.get("form") != NEWEST:
        raise StoreError(f"the backup has the form {head.get('form')}; this program knows {NEWEST}")
    waiting, name = list[dict[str, Any]](), ""
    binary = {
        table.name: [column.name for column in table.columns if isinstance(column.type, sa.LargeBinary)]
        for table in metadata.sorted_tables
    }

    def put() -> None:
        if waiting:
            connection.execute(sa.insert(metadata.tables[name]), waiting)
            waiting.clear()

    for rows, line in enumerate(file):
        data = msgspec.json.decode(line)
        if isinstance(data, dict):
            put()
            if data.get("rows") != rows or file.read(1):
                raise StoreError("the backup is not whole")
            return rows
        table, values = data
        if table != name or len(waiting) >= _AT_ONCE:
            put()
            name = table
        if name not in metadata.tables:
            raise StoreError(f"the backup has an unknown table '{str(name)[:40]}'")
        for column in binary[name]:
            values[column] = base64.b64decode(values[column]["bytes"])
        waiting.append(values)
    raise StoreError("the backup is not whole: its end is missing")


def _count_on(connection: Connection) -> None:
    """New rows are numbered after those that came in."""
    for table in metadata.sorted_tables:
        key = table.autoincrement_column
        if key is not None:
            name = f'"{table.name}"'
            connection.execute(
                sa.text(
                    f"SELECT setval(pg_get_serial_sequence('{name}', '{key.name}'), "
                    f"(SELECT coalesce(max({key.name}), 0) + 1 FROM {name}), false)"
                )
            )


__all__ = ["backup", "restore"]
