"""The application: everything put together, and nothing else."""

from __future__ import annotations

import gc
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

import sqlalchemy as sa
from litestar import Litestar, Request, Response, get
from litestar.config.compression import CompressionConfig
from litestar.config.csrf import CSRFConfig
from litestar.datastructures import State
from litestar.middleware import DefineMiddleware
from litestar.middleware.rate_limit import RateLimitConfig
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.plugins import PluginProtocol
from litestar.plugins.core import MsgspecDIPlugin

from foedus.table.live import VERSION
from foedus.table.store import schema as s
from foedus.table.store.engine import Store, store_url, sync_engine
from foedus.table.store.upgrade import upgrade
from foedus.web import logs, problems
from foedus.web.api import api_routes
from foedus.web.pages import page_routes, wrong
from foedus.web.settings import Settings, from_environment
from foedus.web.signing_in import SessionMiddleware
from foedus.web.site import AnyRequest, Site, site_of

_STREAM: Final = "/stream$"
"""Streams pass by what would look at each of their pieces."""


def prepare(settings: Settings) -> str:
    """Bring the database to its newest form; gives the site's own secret, for the tokens of forms. Raises
    `StoreError`."""
    url = store_url(settings.db)
    upgrade(url)
    engine = sync_engine(url)
    try:
        with engine.begin() as connection:
            of = s.settings.c
            found = connection.execute(sa.select(of.value).where(of.name == "secret")).scalar()
            if found is None:
                if connection.dialect.name == "postgresql":
                    connection.execute(sa.text("SELECT pg_advisory_xact_lock(4242424243)"))
                    found = connection.execute(sa.select(of.value).where(of.name == "secret")).scalar()
            if found is None:
                found = secrets.token_hex(32)
                connection.execute(sa.insert(s.settings).values(name="secret", value=found))
            return str(found)
    finally:
        engine.dispose()


@get("/api/health", operation_id="health")
async def health(request: AnyRequest) -> Response[dict[str, Any]]:
    """Is the server well, and its database?"""
    await site_of(request).store.read(lambda connection: connection.execute(sa.text("SELECT 1")).scalar())
    return Response({"ok": True, "version": VERSION}, headers={"Cache-Control": "no-store"})


def _who(request: Request[Any, Any, Any]) -> str:
    """Whom the limit of requests counts: a person, else an address."""
    person = request.scope.get("user")
    if person is not None:
        return f"person {person.id}"
    return request.client.host if request.client is not None else ""


async def _counts(request: Request[Any, Any, Any]) -> bool:
    """Reading is free; writing is counted."""
    return request.method not in ("GET", "HEAD", "OPTIONS")


def _failed(request: AnyRequest, error: Exception) -> Response[Any]:
    if request.url.path.startswith("/api/"):
        return problems.answer(request, error)
    return wrong(request, error)


class _App(Litestar):
    """Litestar for msgspec alone."""

    @staticmethod
    def _get_default_plugins(plugins: list[PluginProtocol]) -> list[PluginProtocol]:
        # the usual ones also load pydantic and attrs where another package has brought them: a good part of the start
        return [*plugins, MsgspecDIPlugin()]


def create_app(settings: Settings | None = None) -> Litestar:
    """The application of a server. Raises `StoreError` where the database cannot be used."""
    settings = settings or from_environment()
    logs.configure(settings.logs)
    secret = prepare(settings)
    site = Site(settings, Store(store_url(settings.db)))

    @asynccontextmanager
    async def running(app: Litestar) -> AsyncIterator[None]:
        # what is loaded by now stays, and what a request makes is gone with it: looking through everything again and
        # again would only hold up whoever waits for a line
        gc.freeze()
        gc.set_threshold(100_000, 50, 100)
        async with site.running():
            yield

    middleware: list[Any] = [logs.LogMiddleware] if settings.logs != "none" else []
    routes: list[Any] = [health, *api_routes(), *page_routes()]
    if settings.metrics:
        from litestar.plugins.prometheus import PrometheusConfig, PrometheusController

        middleware.append(
            PrometheusConfig("foedus", prefix="foedus", group_path=True, exclude=["^/metrics", _STREAM]).middleware
        )
        routes.append(PrometheusController)
    middleware.append(DefineMiddleware(SessionMiddleware, exclude=["^/static/", "^/metrics"]))
    if settings.rate:
        limit = RateLimitConfig(("minute", settings.rate), identifier_for_request=_who, check_throttle_handler=_counts)
        middleware.append(limit.middleware)
    return _App(
        route_handlers=routes,
        middleware=middleware,
        lifespan=[running],
        state=State({"site": site}),
        csrf_config=CSRFConfig(secret=secret, cookie_secure=settings.secure, exclude=[_STREAM]),
        compression_config=CompressionConfig(backend="gzip", minimum_size=1500, exclude=[_STREAM]),
        exception_handlers={Exception: _failed},
        request_max_body_size=settings.max_body,
        openapi_config=OpenAPIConfig(
            title="Foedus", version=VERSION, path="/api/schema", render_plugins=[JsonRenderPlugin(path="/openapi.json")]
        ),
        logging_config=None,
        debug=False,
    )


__all__ = ["create_app", "prepare"]
