"""How a table is run: taking back, what needs the consent of all, and reports to paste elsewhere."""

from __future__ import annotations

from typing import Any, get_args

from litestar import Response, get, post
from litestar.exceptions import NotFoundException
from litestar.params import FromPath
from litestar.response import Redirect

from foedus.kernel.notation import NotationError
from foedus.table import clocks, consent, report, standing
from foedus.table.live import TableState
from foedus.web.access import Act, allow
from foedus.web.pages.site import AnyRequest, form_of, page
from foedus.web.pages.table import Seen, common_of, seen, show
from foedus.web.problems import problem_of
from foedus.web.site import id_of, table_for

_KINDS: tuple[consent.What, ...] = ("undo", "correct", "ruling", "end")
_DECISIONS: tuple[clocks.Decide, ...] = get_args(clocks.Decide)


async def _acting(request: AnyRequest, id: str) -> tuple[Seen, dict[str, str], int]:
    form = await form_of(request)
    found = await seen(request, id, form.get("seat") or "-")
    person = id_of(request)
    allow(found.live, person, Act.PLAY, found.viewer)
    return found, form, person or 0


@post("/tables/{id:str}/undo")
async def undo(request: AnyRequest, id: FromPath[str]) -> Response[Any]:
    """A seat takes its own last command back; where the others must agree, they are asked."""
    found, form, person = await _acting(request, id)
    try:
        if form.get("ask"):
            await consent.prepared(found.live, None)
            await found.live.do(consent.propose(found.viewer, person, "undo"))
        else:
            await found.live.do(consent.undo(found.viewer, person))
    except TableState as error:
        return await show(
            request, found, faults=[problem_of(error, found.language).title], may_ask=error.code == "needs_consent"
        )
    return Redirect(found.at() + "#now", status_code=303)


@post("/tables/{id:str}/propose")
async def propose(request: AnyRequest, id: FromPath[str]) -> Response[Any]:
    """A seat proposes what needs the consent of all: a correction, a ruling, an early end."""
    found, form, person = await _acting(request, id)
    what = next((one for one in _KINDS if one == form.get("what")), None)
    if what is None:
        raise NotFoundException("what")
    text = form.get("text", "").strip()[:2000]
    if what == "ruling":
        text = f"{form.get('ruling', '')[:80]} {form.get('option', '')[:80]}".strip()
    try:
        await found.live.do(consent.propose(found.viewer, person, what, text))
    except (TableState, *consent.FAULTS) as error:
        from foedus.web.pages.tables import host_page

        problem = problem_of(error, found.language)
        return await host_page(request, found, typed=form, faults={what: [problem.detail or problem.title]})
    return Redirect(found.at("host") + "#proposals", status_code=303)


@post("/tables/{id:str}/vote")
async def vote(request: AnyRequest, id: FromPath[str]) -> Response[Any]:
    """A seat agrees to a proposal, or refuses it."""
    found, form, person = await _acting(request, id)
    number = form.get("id", "")
    if not (number.isascii() and number.isdigit() and len(number) < 9):
        raise NotFoundException("id")
    await consent.prepared(found.live, None)
    await found.live.do(consent.answer(found.viewer, person, int(number), form.get("yes") == "1"))
    return Redirect(found.at() + "#now", status_code=303)


@post("/tables/{id:str}/standing")
async def set_standing(request: AnyRequest, id: FromPath[str]) -> Response[Any]:
    """A seat says beforehand what it does when its time is over."""
    found, form, person = await _acting(request, id)
    lines = [line.strip()[: standing.MAX_LINE] for line in form.get("lines", "").split("\n") if line.strip()]
    try:
        await found.live.do(standing.set_standing(found.viewer, person, lines[: standing.MOST], found.language))
    except (TableState, NotationError) as error:
        problem = problem_of(error, found.language)
        return await show(request, found, standing_fault=problem.detail or problem.title, standing_typed=form["lines"])
    return Redirect(found.at() + "#standing", status_code=303)


@post("/tables/{id:str}/clock")
async def decide_clock(request: AnyRequest, id: FromPath[str]) -> Response[Any]:
    """The host decides on a clock: more time, or those who are awaited pass, or do what they said beforehand."""
    live = await table_for(request, id, Act.HOST)
    form = await form_of(request)
    do = next((one for one in _DECISIONS if one == form.get("do")), None)
    if do is None:
        raise NotFoundException("do")
    try:
        await live.do(clocks.decide(form.get("clock", "")[:80], do))
    except TableState as error:
        found = await seen(request, id)
        return await show(request, found, faults=[problem_of(error, found.language).title])
    return Redirect(f"/tables/{live.id}#now", status_code=303)


@get("/tables/{id:str}/report")
async def show_report(request: AnyRequest, id: FromPath[str]) -> Response[Any]:
    """The status sheet and what has happened, as text and as BBCode to paste elsewhere: by what the viewer may know, so
    that spectators' reports can be shown to anybody."""
    found = await seen(request, id, request.query_params.get("seat", "-"))
    common = await common_of(request, found)
    if not found.begun:
        return Redirect(found.at(), status_code=303)
    live, viewer, language = found.live, found.viewer, found.language
    turn: report.Turn = "last" if request.query_params.get("turn") == "last" else "now"
    return page(
        request,
        "report.html",
        **common,
        turn=turn,
        text=await report.report(live, viewer, language, "text", turn),
        bbcode=await report.report(live, viewer, language, "bbcode", turn),
    )


ROUTES = (undo, propose, vote, set_standing, decide_clock, show_report)
