"""Talks: what seats say to each other."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from litestar import get, post, put
from litestar.params import FromPath, JSONBody, QueryParameter
from litestar.status_codes import HTTP_200_OK

from foedus.table import talks
from foedus.web.api.tables import KeyHeader, SeatName, acting_seat, keyed
from foedus.web.site import AnyRequest, id_of, site_of, table_seen

Seat = Annotated[str, msgspec.Meta(max_length=40)]


class Opened(msgspec.Struct, forbid_unknown_fields=True):
    """A channel as a seat opens it: `others` are the other seats."""

    others: Annotated[list[Seat], msgspec.Meta(min_length=1, max_length=40)]
    seat: Seat = ""


class Words(msgspec.Struct, forbid_unknown_fields=True):
    """Something that is said."""

    text: Annotated[str, msgspec.Meta(min_length=1, max_length=talks.MAX_TEXT)]
    seat: Seat = ""


class Read(msgspec.Struct, forbid_unknown_fields=True):
    """Up to which message of a channel a seat has read."""

    number: Annotated[int, msgspec.Meta(ge=0, le=2**31 - 1)]
    seat: Seat = ""


@get("/tables/{id:str}/talks", operation_id="list_talks")
async def list_talks(request: AnyRequest, id: FromPath[str], seat: SeatName = None) -> dict[str, Any]:
    """The channels of a seat, how much was said and read there, and what the house rule on secret talks says to it now.
    Channel 0 is the whole table; spectators hear that alone."""
    live, viewer = await table_seen(request, id, seat)
    return await talks.channels(live, viewer, live.clock())


@post("/tables/{id:str}/talks", operation_id="open_talk", status_code=HTTP_200_OK)
async def open_talk(request: AnyRequest, id: FromPath[str], data: JSONBody[Opened]) -> dict[str, Any]:
    """Open a channel with other seats; only they hear of it."""
    live = await site_of(request).tables.open(id)
    person = id_of(request)
    seat = acting_seat(live, person, data.seat)
    return await live.do(talks.open_channel(seat, person or 0, data.others))


@get("/tables/{id:str}/talks/{channel:int}", operation_id="list_messages")
async def list_messages(
    request: AnyRequest,
    id: FromPath[str],
    channel: FromPath[int],
    seat: SeatName = None,
    before: Annotated[int | None, QueryParameter(ge=1, le=2**31 - 1)] = None,
    most: Annotated[int, QueryParameter(ge=1, le=500)] = 100,
) -> dict[str, Any]:
    """The last messages of a channel, or those before a number."""
    live, viewer = await table_seen(request, id, seat)
    return {"channel": channel, "messages": await talks.messages(live, viewer, channel, before, most)}


@post("/tables/{id:str}/talks/{channel:int}", operation_id="say", status_code=HTTP_200_OK)
async def say(
    request: AnyRequest, id: FromPath[str], channel: FromPath[int], data: JSONBody[Words], key: KeyHeader = None
) -> dict[str, Any]:
    """Say something in a channel. With an Idempotency-Key it is said once, however often it is sent."""
    live = await site_of(request).tables.open(id)
    person = id_of(request)
    seat = acting_seat(live, person, data.seat)
    operation = talks.say(seat, person or 0, channel, data.text)
    return await live.do(operation, keyed(key, seat, f"say {channel}", data.text))


@put("/tables/{id:str}/talks/{channel:int}/read", operation_id="mark_read")
async def mark_read(
    request: AnyRequest, id: FromPath[str], channel: FromPath[int], data: JSONBody[Read]
) -> dict[str, Any]:
    """A seat has read up to a message; nobody else is told."""
    live = await site_of(request).tables.open(id)
    person = id_of(request)
    seat = acting_seat(live, person, data.seat)
    return await live.do(talks.mark_read(seat, person or 0, channel, data.number))


ROUTES = [list_talks, open_talk, list_messages, say, mark_read]
