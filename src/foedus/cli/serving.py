"""`foedus serve` and what belongs to running a server."""

from __future__ import annotations

import asyncio
import gc
import os
import socket
import sys
import tempfile
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec.structs import replace

from foedus.cli.output import say
from foedus.cli.reading import MAX_RECORD, InputError, read_text
from foedus.table.store.engine import StoreError, store_url

if TYPE_CHECKING:
    from foedus.table.tables import Tables

T = TypeVar("T")


def run_server(address: str, host: str, port: int, workers: int, url: str, logs: str, notices: str = "") -> None:
    """Run a server until it is told to stop."""
    if logs not in ("json", "text", "none"):
        raise InputError(f"--logs: json, text or none, not '{logs[:40]}'")
    try:
        sqlite = store_url(address).get_backend_name() == "sqlite"
    except StoreError as error:
        raise InputError(f"--db: {error}") from error
    if workers > 1 and sqlite:
        raise InputError("--workers: more than one needs PostgreSQL; give its address by --db postgresql://...")
    if url and not url.startswith(("http://", "https://")):
        raise InputError(f"--url: https://... is needed, not '{url[:80]}'")

    gc.disable()  # what is loaded now stays: looking through it again and again only makes the start slow
    import uvicorn

    from foedus.web.app import create_app, prepare
    from foedus.web.settings import Settings, to_environment

    settings = Settings(db=address, url=url, logs=logs)
    if notices:
        settings = replace(settings, notices=tuple(one.strip().lower() for one in notices.split(",") if one.strip()))
    listening = _listen(host, port)
    shown = url or f"http://{'127.0.0.1' if host in ('0.0.0.0', '::') else host}:{listening.getsockname()[1]}"
    options: dict[str, Any] = {
        "log_level": "warning",
        "access_log": False,
        "server_header": False,
        "timeout_graceful_shutdown": 3,
        "proxy_headers": bool(url),
    }
    try:
        if workers > 1:
            # where the workers count together what /metrics tells; named before they are started
            os.environ.setdefault("PROMETHEUS_MULTIPROC_DIR", tempfile.mkdtemp(prefix="foedus-metrics-"))
            prepare(settings)
            to_environment(settings)
            config = uvicorn.Config("foedus.web.app:create_app", factory=True, workers=workers, **options)
        else:
            config = uvicorn.Config(create_app(settings), **options)
    except StoreError as error:
        raise InputError(f"--db: {error}") from error
    gc.freeze()
    gc.enable()
    say(f"Foedus: {shown}")
    sys.stdout.flush()
    with suppress(KeyboardInterrupt):
        if workers > 1:
            from uvicorn.supervisors import Multiprocess

            Multiprocess(config, sockets=[listening]).run()
        else:
            uvicorn.Server(config).run(sockets=[listening])


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # named as TCP: only then does asyncio send small answers at once
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except OSError as error:
        listening.close()
        raise InputError(f"--host, --port: cannot listen at {host}:{port}: {error.strerror or error}") from error
    listening.listen(2048)
    listening.set_inheritable(True)
    return listening


def upgrade_database(address: str) -> None:
    """Bring a database to the newest form and say from where to where."""
    from foedus.table.store.upgrade import upgrade

    try:
        before, after = upgrade(store_url(address))
    except StoreError as error:
        raise InputError(f"--db: {error}") from error
    say(f"{after}: up to date" if before == after else f"{before or 'empty'} -> {after}")


def make_backup(address: str, file: str) -> None:
    """Write a backup and say how much is in it."""
    from foedus.table.store.backup import backup

    try:
        rows = backup(store_url(address), Path(file))
    except StoreError as error:
        raise InputError(str(error)) from error
    say(f"{file}: {rows} rows")


def restore_backup(address: str, file: str) -> None:
    """Fill an empty database from a backup and say how much was in it."""
    from foedus.table.store.backup import restore
    from foedus.table.store.upgrade import upgrade

    try:
        upgrade(store_url(address))
        rows = restore(store_url(address), Path(file))
    except StoreError as error:
        raise InputError(str(error)) from error
    say(f"{rows} rows")


def print_record(address: str, table: str) -> None:
    """Print the record of a table."""
    from foedus.table.archive import whole

    async def work(tables: Tables) -> list[str]:
        return await whole(await tables.open(table))

    for line in _at(address, work):
        say(line)


def import_file(address: str, file: str, title: str, watch: bool) -> None:
    """Make a table of a record in a file and print its id."""
    from foedus.table.archive import imported

    text = read_text(file, MAX_RECORD)

    async def work(tables: Tables) -> str:
        live = await imported(tables, text.split("\n"), None, title=title, spectators=watch)
        return live.id

    say(_at(address, work))


def _at(address: str, work: Callable[[Tables], Awaitable[T]]) -> T:
    """Do something with the tables of a database."""
    from foedus.kernel.game import UnknownGame
    from foedus.kernel.record import RecordError
    from foedus.table.live import NoSuchTable
    from foedus.table.store.engine import Store, StoreDown
    from foedus.table.store.upgrade import upgrade
    from foedus.table.tables import SpecError, Tables

    async def run() -> T:
        store = Store(store_url(address))
        try:
            return await work(Tables(store))
        finally:
            await store.close()

    try:
        upgrade(store_url(address))
        return asyncio.run(run())
    except NoSuchTable as error:
        raise InputError(f"there is no table '{str(error)[:40]}'") from error
    except (StoreError, StoreDown, RecordError, SpecError, UnknownGame) as error:
        raise InputError(str(error)) from error
