"""Bringing a database to the newest form (`foedus db upgrade`). Alembic is loaded only if there is something to do."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import URL, Connection
from sqlalchemy.exc import DBAPIError, OperationalError

from foedus.table.store.engine import StoreError, sync_engine

NEWEST: Final = "0001"
"""The newest revision among the migrations."""
_HERE: Final = Path(__file__).parent


def revision(connection: Connection) -> str | None:
    """The revision of a database; None for an empty one."""
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    found = connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar()
    return str(found) if found is not None else None


def config(connection: Connection | None = None) -> Any:
    """The settings of Alembic for the migrations in this package."""
    from alembic.config import Config

    found = Config()
    found.set_main_option("script_location", str(_HERE / "migrations"))
    found.attributes["connection"] = connection
    return found


def upgrade(url: URL) -> tuple[str | None, str]:
    """Bring a database to the newest form; gives the revisions before and after. Raises `StoreError`."""
    engine = sync_engine(url)
    try:
        if url.get_backend_name() == "sqlite" and url.database:
            Path(url.database).parent.mkdir(parents=True, exist_ok=True)
        with engine.begin() as connection:
            before = revision(connection)
            if before == NEWEST:
                return before, before
            if connection.dialect.name == "postgresql":  # two workers may start at once
                connection.execute(sa.text("SELECT pg_advisory_xact_lock(4242424242)"))
                before = revision(connection)
            if before != NEWEST:
                _run(connection, before)
        return before, NEWEST
    except (OperationalError, OSError) as error:
        raise StoreError(f"the database cannot be opened: {getattr(error, 'orig', error)}") from error
    except DBAPIError as error:
        raise StoreError(f"the database cannot be upgraded: {error.orig}") from error
    finally:
        engine.dispose()


def _run(connection: Connection, before: str | None) -> None:
    from alembic import command
    from alembic.util.exc import CommandError

    try:
        command.upgrade(config(connection), "head")
    except CommandError as error:
        raise StoreError(f"the database has the form {before}, which this program does not know: {error}") from error


__all__ = ["NEWEST", "config", "revision", "upgrade"]
