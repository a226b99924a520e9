"""Structured logs: one line a request, with the form of its address but neither its words nor whose it is."""

from __future__ import annotations

import logging
import sys
import time
from typing import Any, Final

import structlog
from litestar.enums import ScopeType
from litestar.types import ASGIApp, Message, Receive, Scope, Send

_log = structlog.get_logger("foedus.web")
_QUIET: Final = ("/api/health", "/metrics")


def configure(form: str) -> None:
    """Set up the logs: `json`, `text`, or `none`."""
    level = logging.CRITICAL if form == "none" else logging.INFO
    renderer: Any = (
        structlog.processors.JSONRenderer() if form == "json" else structlog.dev.ConsoleRenderer(colors=False)
    )
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
    for name in ("uvicorn.access", "litestar", "sqlalchemy"):
        logging.getLogger(name).setLevel(logging.WARNING)


class LogMiddleware:
    """Writes the line of each request when it is answered."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on and time it."""
        if scope["type"] != ScopeType.HTTP or scope["path"] in _QUIET:
            await self.app(scope, receive, send)
            return
        started = time.perf_counter()
        status = 0

        async def noting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, noting)
        finally:
            _log.info(
                "request",
                method=scope["method"],
                route=scope.get("path_template", ""),
                status=status,
                ms=round(1000 * (time.perf_counter() - started), 1),
            )


__all__ = ["LogMiddleware", "configure"]
