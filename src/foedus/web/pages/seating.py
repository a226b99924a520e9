"""Who sits where: invitations by link, substitutes, leaving; and what the host changes about a table."""

from __future__ import annotations

from typing import Any, get_args

import msgspec
from litestar import Response, get, post
from litestar.exceptions import NotFoundException
from litestar.params import FromPath
from litestar.response import Redirect

from foedus.table import hosting, seats
from foedus.table.live import TableState
from foedus.table.settings import AtEnd, ClockSettings, TalkSettings
from foedus.web.access import Act
from foedus.web.api.seats import link_to, person_asking
from foedus.web.pages.games import title_of
from foedus.web.pages.site import AnyRequest, form_of, language_of, page, tell
from foedus.web.pages.table import seen
from foedus.web.pages.tables import host_page
from foedus.web.pages.told import seat_name, seat_said
from foedus.web.problems import problem_of
from foedus.web.site import id_of, site_of, table_for

_HOUR = 3600


@post("/tables/{id:str}/take")
async def take_seat(request: AnyRequest, id: FromPath[str]) -> Response[Any]:
    """The host sits down on a vacant seat."""
    live = await table_for(request, id, Act.HOST)
    await live.do(seats.take((await form_of(request)).get("seat", "")[:40], person_asking(request)))
    return Redirect(f"/tables/{live.id}", status_code=303)


@post("/tables/{id:str}/leave")
async def leave_seat(request: AnyRequest, id: FromPath[str]) -> Response[Any]:
    """The holder leaves the seat, or the host makes it vacant; or a substitute's time is over."""
    form = await form_of(request)
    seat = form.get("seat", "")[:40]
    if form.get("substitute"):
        live = await table_for(request, id, Act.STEP_BACK, seat)
        await live.do(seats.end_substitute(seat))
    else:
        live = await table_for(request, id, Act.KEEP, seat)
        await live.do(seats.leave(seat))
    return Redirect(f"/tables/{live.id}/host", status_code=303)


@post("/tables/{id:str}/invite")
async def invite(request: AnyRequest, id: FromPath[str]) -> Response[Any]:
    """Make an invitation; its link is shown this once."""
    form = await form_of(request)
    what = next((one for one in get_args(seats.What) if one == form.get("what")), None)
    if what is None:
        raise NotFoundException("what")
    seat, days = form.get("seat", "")[:40], form.get("days", "")
    live = await table_for(request, id, Act.HOST if what == "host" else Act.KEEP, seat)
    count = min(int(days), seats.MAX_DAYS) if days.isascii() and days.isdigit() and 0 < int(days) < 10_000 else None
    found = await seen(request, id)
    try:
        token, operation = seats.invite(what, seat, person_asking(request), days=count)
        await live.do(operation)
    except TableState as error:
        return await host_page(request, found, faults={"invite": [problem_of(error, found.language).title]})
    name = seat_name(live, seat, found.language) if seat else ""
    return await host_page(
        request,
        found,
        link=link_to(request, token),
        link_says=tell(f"seat.link_{what}", found.language, seat=name),
    )


@post("/tables/{id:str}/revoke")
async def revoke(request: AnyRequest, id: FromPath[str]) -> Response[Any]:
    """An invitation is void."""
    live = await table_for(request, id, Act.KNOW)
    await live.do(seats.revoke((await form_of(request)).get("id", "")[:40], person_asking(request)))
    return Redirect(f"/tables/{live.id}/host", status_code=303)


@get("/join/{token:str}")
async def show_invitation(request: AnyRequest, token: FromPath[str]) -> Response[Any]:
    """To what one is invited."""
    site, language = site_of(request), language_of(request)
    found = await seats.find(site.store, token[:100])
    live = await site.tables.open(found.table)
    by = await site.people.names([found.by])
    return page(
        request,
        "join.html",
        token=token[:100],
        invited=tell(f"seat.to_{found.what}", language, seat=seat_said(live, found.seat, language)),
        days=found.days,
        title=live.info.title,
        game_title=title_of(live.info.game, language),
        by=by.get(found.by, ""),
        open_=found.used is None and live.clock() < found.expires,
        signed_in=id_of(request) is not None,
    )


@post("/join/{token:str}")
async def accept(request: AnyRequest, token: FromPath[str]) -> Response[Any]:
    """Follow an invitation; it can be used once."""
    site, person = site_of(request), person_asking(request)
    found = await seats.find(site.store, token[:100])
    live = await site.tables.open(found.table)
    await live.do(seats.accept(found, person))
    return Redirect(f"/tables/{live.id}", status_code=303)


@post("/tables/{id:str}/settings")
async def change_settings(request: AnyRequest, id: FromPath[str]) -> Response[Any]:
    """The host changes the title, whether anybody may watch, the house rule on talks, the clocks."""
    live = await table_for(request, id, Act.HOST)
    form = {"spectators": "", **await form_of(request)}
    found = await seen(request, id)
    try:
        asked = hosting.Change(
            title=form.get("title", "")[:400],
            spectators=bool(form.get("spectators")),
            talks=msgspec.convert(
                {
                    "secret": form.get("secret", "allowed"),
                    "minutes": _whole(form, "minutes"),
                    "messages": _whole(form, "messages"),
                },
                TalkSettings,
            ),
            clocks=msgspec.convert(
                {
                    **{one: _seconds(form, one) for one in ("decision", "phase", "segment", "warn")},
                    "at_end": form.get("at_end", "remind"),
                },
                ClockSettings,
            ),
        )
        await live.do(hosting.change(person_asking(request), asked))
    except _NotNumber as error:
        fault = tell("host.number", found.language, most=error.most)
        return await host_page(request, found, typed=form, faults={error.field: [fault]})
    except msgspec.ValidationError as error:
        return await host_page(request, found, typed=form, faults={"settings": [str(error)]})
    except TableState as error:
        return await host_page(
            request, found, typed=form, faults={"settings": [problem_of(error, found.language).title]}
        )
    return Redirect(f"/tables/{live.id}/host", status_code=303)


class _NotNumber(ValueError):
    def __init__(self, field: str, most: int) -> None:
        self.field, self.most = field, most
        super().__init__(field)


def _whole(form: dict[str, str], field: str, most: int = 100_000) -> int | None:
    """A whole number of a form; None if nothing was typed. Raises `_NotNumber`."""
    text = form.get(field, "").strip()
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 7 and int(text) <= most):
        raise _NotNumber(field, most)
    return int(text)


def _seconds(form: dict[str, str], field: str) -> int | None:
    """Hours of a form, with a fraction if one likes, as seconds. Raises `_NotNumber`."""
    text = form.get(field, "").strip().replace(",", ".")
    if not text:
        return None
    most = 366 * 24
    try:
        hours = float(text) if len(text) < 12 else -1.0
    except ValueError:
        hours = -1.0
    if not 0 < hours <= most:
        raise _NotNumber(field, most)
    return max(1, round(hours * _HOUR))


AT_ENDS: tuple[str, ...] = get_args(AtEnd)
ROUTES = (take_seat, leave_seat, invite, revoke, show_invitation, accept, change_settings)
