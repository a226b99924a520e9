"""The pages: server-rendered HTML that works without scripts, livened up by small modules where scripts run.

No rule stands here: what may be done and why comes from the kernel, what a game is called and how it looks from the
game. `page_routes()` is what the site includes.
"""

from __future__ import annotations

from typing import Any

from litestar import Router
from litestar.static_files import create_static_files_router

from foedus.web.pages import desk, front, people, rules, running, samples, seating, table, tables, talking
from foedus.web.pages.site import STATIC, version, wrong


def page_routes() -> list[Any]:
    """The handlers of every page and of the static files."""
    static = create_static_files_router(
        path=f"/static/{version()}",
        directories=[STATIC],
        name="static",
        cache_control=None,
        after_request=_keep,
        include_in_schema=False,
    )
    routes = [
        *front.ROUTES,
        *desk.ROUTES,
        *rules.ROUTES,
        *samples.ROUTES,
        *people.ROUTES,
        *tables.ROUTES,
        *table.ROUTES,
        *running.ROUTES,
        *seating.ROUTES,
        *talking.ROUTES,
    ]
    pages = Router(path="/", route_handlers=routes, include_in_schema=False, exception_handlers={Exception: wrong})
    return [pages, static]


def _keep(response: Any) -> Any:
    """Static files have their fingerprint in their address: they may be kept for good."""
    response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
    response.headers["X-Content-Type-Options"] = "nosniff"
    return response


__all__ = ["page_routes", "wrong"]
