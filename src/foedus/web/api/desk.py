"""The ruling desk: no account, no table, nothing kept. A position in a few facts, and what is asked about it."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

import msgspec
from litestar import get, post
from litestar.params import JSONBody
from litestar.status_codes import HTTP_200_OK

from foedus.kernel import desk, game
from foedus.kernel.cases import referee_for
from foedus.kernel.notation import NotationError
from foedus.table.tables import SpecError, checked_position, read_position
from foedus.web.problems import language_asked, problem_of
from foedus.web.site import AnyRequest

MOST_LINES = 20


class Asked(msgspec.Struct, forbid_unknown_fields=True):
    """A position, as TOML or as data, and the commands or questions about it."""

    game: Annotated[str, msgspec.Meta(max_length=80)]
    lines: Annotated[list[Annotated[str, msgspec.Meta(max_length=1000)]], msgspec.Meta(min_length=1, max_length=20)]
    sketch: str | dict[str, Any] = ""


def _answers(asked: Asked, language: str) -> list[dict[str, Any]]:
    found = game.find_game(asked.game)
    if isinstance(asked.sketch, str):
        text, data = asked.sketch, read_position(asked.sketch)
    else:
        text, data = "", asked.sketch
        checked_position(data)
    try:
        referee = referee_for(found, data)
        state = referee.sketch(data, text)
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise SpecError("sketch", error) from error
    answers = []
    for line in asked.lines:
        try:
            said = desk.ask(referee, state, line, language)
            answers.append({"line": line, "ok": said.ok, "text": said.text, "data": said.data})
        except NotationError as error:
            answers.append({"line": line, "ok": False, "problem": msgspec.to_builtins(problem_of(error, language))})
    return answers


@post("/desk", operation_id="ask_desk", status_code=HTTP_200_OK)
async def ask_desk(request: AnyRequest, data: JSONBody[Asked]) -> dict[str, Any]:
    """Rule on commands and answer questions in a position, "what if ..." among them."""
    return {"answers": await asyncio.to_thread(_answers, data, language_asked(request))}


@get("/games", operation_id="list_games")
async def list_games() -> dict[str, Any]:
    """The games that are installed."""
    return {"games": list(game.known_games())}


ROUTES = [ask_desk, list_games]
