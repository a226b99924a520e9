"""The API: JSON in and out, problems as problem+json. Its description is at /api/schema/openapi.json."""

from __future__ import annotations

from typing import Any

from litestar import Router

from foedus.web.api import clocks, desk, notices, people, reports, seats, tables, talks
from foedus.web.problems import answer


def api_routes() -> list[Any]:
    """The handlers of the API."""
    handlers = [
        *people.ROUTES,
        *tables.ROUTES,
        *seats.ROUTES,
        *talks.ROUTES,
        *clocks.ROUTES,
        *notices.ROUTES,
        *reports.ROUTES,
        *desk.ROUTES,
    ]
    return [Router(path="/api", route_handlers=handlers, exception_handlers={Exception: answer})]


__all__ = ["api_routes"]
