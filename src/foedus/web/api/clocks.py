"""Clocks and what a seat says beforehand for their end."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from litestar import get, post, put
from litestar.params import FromPath, JSONBody
from litestar.status_codes import HTTP_200_OK

from foedus.table import clocks, standing
from foedus.table.settings import Seconds
from foedus.web.access import Act
from foedus.web.problems import language_asked
from foedus.web.site import AnyRequest, id_of, table_for


class Decided(msgspec.Struct, forbid_unknown_fields=True):
    """What the host decides on a clock: more time (`extend`, by `seconds` from now), or that those who are awaited
    `pass`, or do what they said beforehand (`standing`)."""

    clock: Annotated[str, msgspec.Meta(max_length=80)]
    do: clocks.Decide
    seconds: Seconds | None = None


class Beforehand(msgspec.Struct, forbid_unknown_fields=True):
    """What a seat says beforehand: commands, of which the first that is allowed is done; `pass` passes or says no."""

    lines: Annotated[
        list[Annotated[str, msgspec.Meta(max_length=standing.MAX_LINE)]], msgspec.Meta(max_length=standing.MOST)
    ]


@get("/tables/{id:str}/clocks", operation_id="list_clocks")
async def list_clocks(request: AnyRequest, id: FromPath[str]) -> dict[str, Any]:
    """The deadlines that run; `due` is null where the host is to decide."""
    live = await table_for(request, id, Act.WATCH)
    return {"now": live.clock(), "clocks": clocks.shown(live)}


@post("/tables/{id:str}/clocks", operation_id="decide_clock", status_code=HTTP_200_OK)
async def decide_clock(request: AnyRequest, id: FromPath[str], data: JSONBody[Decided]) -> dict[str, Any]:
    """The host decides on a clock."""
    live = await table_for(request, id, Act.HOST)
    await live.do(clocks.decide(data.clock, data.do, data.seconds))
    return {"now": live.clock(), "clocks": clocks.shown(live)}


@get("/tables/{id:str}/seats/{seat:str}/standing", operation_id="see_standing")
async def see_standing(request: AnyRequest, id: FromPath[str], seat: FromPath[str]) -> dict[str, Any]:
    """What a seat has said beforehand; only the seat itself may know."""
    live = await table_for(request, id, Act.LOOK, seat)
    return {"seat": seat, "lines": standing.standing_of(live, seat)}


@put("/tables/{id:str}/seats/{seat:str}/standing", operation_id="set_standing")
async def set_standing(
    request: AnyRequest, id: FromPath[str], seat: FromPath[str], data: JSONBody[Beforehand]
) -> dict[str, Any]:
    """Say beforehand what the seat does when its time is over; nothing takes it back."""
    live = await table_for(request, id, Act.PLAY, seat)
    return await live.do(standing.set_standing(seat, id_of(request) or 0, data.lines, language_asked(request)))


ROUTES = [list_clocks, decide_clock, see_standing, set_standing]
