"""The report of a turn, to paste elsewhere."""

from __future__ import annotations

from typing import Annotated

from litestar import Response, get
from litestar.params import FromPath, QueryParameter

from foedus.table import report
from foedus.web.api.tables import SeatName
from foedus.web.problems import language_asked
from foedus.web.site import AnyRequest, table_seen


@get("/tables/{id:str}/report", operation_id="report_turn", media_type="text/plain")
async def report_turn(
    request: AnyRequest,
    id: FromPath[str],
    seat: SeatName = None,
    form: Annotated[report.Form, QueryParameter(description="Plain text, or BBCode for forums.")] = "text",
    turn: Annotated[report.Turn, QueryParameter(description="This turn, or the last one.")] = "now",
) -> Response[str]:
    """How things stand and what has happened in a turn, by what a seat or a spectator may know."""
    live, viewer = await table_seen(request, id, seat)
    text = await report.report(live, viewer, language_asked(request), form, turn)
    return Response(text, media_type="text/plain")


ROUTES = [report_turn]
