"""What a running server holds: the store, the tables, the people, the settings."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import structlog
from litestar import Request

from foedus.table import clocks, notices, report, talks
from foedus.table.live import LiveTable
from foedus.table.notices import Notices
from foedus.table.people import People, Person
from foedus.table.store.engine import Store, StoreDown
from foedus.table.tables import Tables
from foedus.web.access import Act, allow, viewer_for
from foedus.web.settings import Settings

_log = structlog.get_logger("foedus.web")

AnyRequest = Request[Any, Any, Any]


class Site:
    """One process of a server."""

    def __init__(self, settings: Settings, store: Store) -> None:
        self.settings = settings
        self.store = store
        self.tables = Tables(store)
        self.people = People(store)
        self.notices = Notices(self.tables, schemes=settings.notices, url=settings.url)
        self.tables.keepers += [talks.keep_segment, clocks.keep, notices.keep, report.keep_turns]

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """While the server runs."""
        await self.tables.start()
        works: list[Callable[[], Awaitable[object]]] = [lambda: clocks.tick(self.tables), self.notices.dispatch]
        tasks = [asyncio.create_task(self._again_and_again(work)) for work in works if self.settings.tick]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await self.tables.stop()
            await self.store.close()

    async def _again_and_again(self, work: Callable[[], Awaitable[object]]) -> None:
        while True:
            await asyncio.sleep(self.settings.tick)
            try:
                await work()
            except StoreDown:
                continue  # it comes back
            except Exception as error:  # one table at fault must not stop the clocks of the others
                _log.error("tick failed", kind=type(error).__name__)


def site_of(request: AnyRequest) -> Site:
    """The site that a request came to."""
    site: Site = request.app.state["site"]
    return site


def person_of(request: AnyRequest) -> Person | None:
    """Who is signed in."""
    person: Person | None = request.scope.get("user")
    return person


def id_of(request: AnyRequest) -> int | None:
    """The id of who is signed in."""
    person = person_of(request)
    return person.id if person is not None else None


def place_of(request: AnyRequest) -> str:
    """The address that a request came from."""
    return request.client.host if request.client is not None else ""


async def table_for(request: AnyRequest, id: str, act: Act, seat: str = "") -> LiveTable:
    """A table, if whoever asks may do that with it. Raises `NoSuchTable`, `Forbidden`, `StoreDown`."""
    live = await site_of(request).tables.open(id)
    allow(live, id_of(request), act, seat)
    return live


async def table_seen(request: AnyRequest, id: str, seat: str | None) -> tuple[LiveTable, str]:
    """A table and as whom whoever asks looks at it. Raises `NoSuchTable`, `Forbidden`, `StoreDown`."""
    live = await site_of(request).tables.open(id)
    return live, viewer_for(live, id_of(request), seat)


__all__ = ["AnyRequest", "Site", "id_of", "person_of", "place_of", "site_of", "table_for", "table_seen"]
