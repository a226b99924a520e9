"""The front page: what this is, three doors, a living picture of a board."""

from __future__ import annotations

from typing import Any

from litestar import Response, get

from foedus.web.pages.games import title_of
from foedus.web.pages.maps import board_map
from foedus.web.pages.samples import samples
from foedus.web.pages.site import AnyRequest, language_of, page


@get("/", sync_to_thread=True)
def show_front(request: AnyRequest) -> Response[Any]:
    """The front page."""
    language = language_of(request)
    known = list(samples().values())
    running = next((one for one in known if one.running and one.game.shown is not None), None)
    board, line = None, 0
    if running is not None:
        line = running.length() - 1
        board = board_map(running.referee, running.state(line), language)
    return page(
        request,
        "front.html",
        running=running,
        line=line,
        map=board,
        title=title_of(running.game.id, language) if running is not None else "",
        titles=[title_of(game, language) for game in dict.fromkeys(one.game.id for one in known)],
    )


ROUTES = (show_front,)
