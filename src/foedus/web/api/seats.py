"""Seats: who sits where, invitations, substitutes; and what the host changes about a table."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from litestar import delete, get, patch, post
from litestar.params import FromPath, JSONBody
from litestar.status_codes import HTTP_200_OK

from foedus.table import hosting, seats
from foedus.table.seats import Invitation
from foedus.web.access import Act, Forbidden
from foedus.web.api.tables import described
from foedus.web.site import AnyRequest, id_of, site_of, table_for

Token = Annotated[str, msgspec.Meta(max_length=100)]


class Invited(msgspec.Struct, forbid_unknown_fields=True):
    """An invitation as it is asked for: to a `seat`, to be its `substitute` (for some `days`), or to be the `host`.
    It is good for `valid` days."""

    what: seats.What = "seat"
    seat: Annotated[str, msgspec.Meta(max_length=40)] = ""
    days: Annotated[int, msgspec.Meta(ge=1, le=seats.MAX_DAYS)] | None = None
    valid: Annotated[int, msgspec.Meta(ge=1, le=60)] = 14


def person_asking(request: AnyRequest) -> int:
    """The id of who is signed in. Raises `Forbidden`."""
    person = id_of(request)
    if person is None:
        raise Forbidden("signed_out")
    return person


def link_to(request: AnyRequest, token: str) -> str:
    """The address of an invitation."""
    base = site_of(request).settings.url or str(request.base_url)
    return f"{base.rstrip('/')}/join/{token}"


def as_data(one: Invitation) -> dict[str, Any]:
    """An invitation in a list."""
    found = {"id": one.id, "what": one.what, "seat": one.seat, "created": one.created, "expires": one.expires}
    return found if one.days is None else {**found, "days": one.days}


@patch("/tables/{id:str}", operation_id="change_table")
async def change_table(request: AnyRequest, id: FromPath[str], data: JSONBody[hosting.Change]) -> dict[str, Any]:
    """The host changes the title, whether anybody may watch, the house rule on talks, the clocks."""
    live = await table_for(request, id, Act.HOST)
    await live.do(hosting.change(person_asking(request), data))
    return await described(request, live)


@post("/tables/{id:str}/seats/{seat:str}", operation_id="take_seat", status_code=HTTP_200_OK)
async def take_seat(request: AnyRequest, id: FromPath[str], seat: FromPath[str]) -> dict[str, Any]:
    """The host sits down on a vacant seat."""
    live = await table_for(request, id, Act.HOST)
    await live.do(seats.take(seat, person_asking(request)))
    return await described(request, live)


@delete("/tables/{id:str}/seats/{seat:str}", operation_id="leave_seat", status_code=HTTP_200_OK)
async def leave_seat(request: AnyRequest, id: FromPath[str], seat: FromPath[str]) -> dict[str, Any]:
    """The holder leaves the seat, or the host makes it vacant. What is the seat's own stays with it."""
    live = await table_for(request, id, Act.KEEP, seat)
    await live.do(seats.leave(seat))
    return {"seat": seat, "holder": None}


@delete("/tables/{id:str}/seats/{seat:str}/substitute", operation_id="end_substitute", status_code=HTTP_200_OK)
async def end_substitute(request: AnyRequest, id: FromPath[str], seat: FromPath[str]) -> dict[str, Any]:
    """The substitute's time is over."""
    live = await table_for(request, id, Act.STEP_BACK, seat)
    await live.do(seats.end_substitute(seat))
    return {"seat": seat, "substitute": None}


@post("/tables/{id:str}/invitations", operation_id="invite")
async def invite(request: AnyRequest, id: FromPath[str], data: JSONBody[Invited]) -> dict[str, Any]:
    """Make an invitation; its link is shown this once. The host invites to vacant seats; a holder hands his seat over
    or calls a substitute."""
    if data.what == "host":
        live = await table_for(request, id, Act.HOST)
    else:
        live = await table_for(request, id, Act.KEEP, data.seat)
    token, operation = seats.invite(data.what, data.seat, person_asking(request), days=data.days, valid=data.valid)
    return {"id": await live.do(operation), "token": token, "link": link_to(request, token)}


@get("/tables/{id:str}/invitations", operation_id="list_invitations")
async def list_invitations(request: AnyRequest, id: FromPath[str]) -> dict[str, Any]:
    """The invitations that are open: one's own, for the host all."""
    live = await table_for(request, id, Act.KNOW)
    person = person_asking(request)
    found = await seats.open_invitations(live.store, live.id, live.clock())
    return {"invitations": [as_data(one) for one in found if person in (one.by, live.info.host)]}


@delete("/tables/{id:str}/invitations/{invitation:str}", operation_id="revoke_invitation", status_code=HTTP_200_OK)
async def revoke_invitation(request: AnyRequest, id: FromPath[str], invitation: FromPath[str]) -> dict[str, Any]:
    """An invitation is void."""
    live = await table_for(request, id, Act.KNOW)
    await live.do(seats.revoke(invitation, person_asking(request)))
    return {"id": invitation}


@get("/invitations/{token:str}", operation_id="see_invitation")
async def see_invitation(request: AnyRequest, token: FromPath[str]) -> dict[str, Any]:
    """To what one is invited, for whoever has the link."""
    site = site_of(request)
    found = await seats.find(site.store, token[:100])
    live = await site.tables.open(found.table)
    by = await site.people.names([found.by])
    return {
        **as_data(found),
        "table": {"id": live.id, "title": live.info.title, "game": live.info.game},
        "by": by.get(found.by),
        "open": found.used is None and live.clock() < found.expires,
    }


@post("/invitations/{token:str}", operation_id="accept_invitation", status_code=HTTP_200_OK)
async def accept_invitation(request: AnyRequest, token: FromPath[str]) -> dict[str, Any]:
    """Follow an invitation; it can be used once."""
    site, person = site_of(request), person_asking(request)
    found = await seats.find(site.store, token[:100])
    live = await site.tables.open(found.table)
    await live.do(seats.accept(found, person))
    return await described(request, live)


ROUTES = [
    change_table,
    take_seat,
    leave_seat,
    end_substitute,
    invite,
    list_invitations,
    revoke_invitation,
    see_invitation,
    accept_invitation,
]
