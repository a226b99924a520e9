"""Tables: making them, playing at them, looking at them, following them."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from litestar import Response, get, post, put
from litestar.params import FromPath, FromQuery, HeaderParameter, JSONBody, QueryParameter
from litestar.response import Stream
from litestar.status_codes import HTTP_200_OK

from foedus.table import archive, consent, past, tables
from foedus.table.live import Info, Key, LiveTable, digest
from foedus.table.tables import Spec
from foedus.web.access import Act, Forbidden, allow, seats_for, viewer_for
from foedus.web.problems import language_asked
from foedus.web.site import AnyRequest, id_of, site_of, table_for, table_seen
from foedus.web.streams import MEDIA, stream

MAX_COMMAND = 4_000

SeatName = Annotated[str | None, QueryParameter(name="seat", max_length=40, description="A seat; '-' for spectators.")]
KeyHeader = Annotated[str | None, HeaderParameter(name="Idempotency-Key", max_length=128, required=False)]


class Told(msgspec.Struct, forbid_unknown_fields=True):
    """A command: a line of notation, or a command as data. `seen` is the number of the last line that was known."""

    command: Annotated[str, msgspec.Meta(max_length=MAX_COMMAND)] | dict[str, Any]
    seat: Annotated[str, msgspec.Meta(max_length=40)] = ""
    seen: int | None = None


class Question(msgspec.Struct, forbid_unknown_fields=True):
    """A command or question that is only asked about."""

    line: Annotated[str, msgspec.Meta(max_length=MAX_COMMAND)]
    seat: Annotated[str, msgspec.Meta(max_length=40)] = ""


class Number(msgspec.Struct, forbid_unknown_fields=True):
    """What a seat adds to the dice, in digits."""

    number: Annotated[str, msgspec.Meta(pattern="^[0-9]{1,77}$")]


class Proposal(msgspec.Struct, forbid_unknown_fields=True):
    """What needs consent: `undo` (all since one's own line), `correct` (how things stand, in the words of a sketch),
    `ruling` (NAME OPTION), `end` (here, unfinished)."""

    what: consent.What
    text: Annotated[str, msgspec.Meta(max_length=MAX_COMMAND)] = ""
    line: int | None = None
    seat: Annotated[str, msgspec.Meta(max_length=40)] = ""


class Vote(msgspec.Struct, forbid_unknown_fields=True):
    """An answer to a proposal."""

    yes: bool
    seat: Annotated[str, msgspec.Meta(max_length=40)] = ""


class Undo(msgspec.Struct, forbid_unknown_fields=True):
    """Taking back one's own last command."""

    seat: Annotated[str, msgspec.Meta(max_length=40)] = ""


class Imported(msgspec.Struct, forbid_unknown_fields=True):
    """A record that becomes a table."""

    record: Annotated[str, msgspec.Meta(max_length=archive.MAX_RECORD)]
    title: Annotated[str, msgspec.Meta(max_length=200)] = ""
    spectators: bool = False


def summary(info: Info) -> dict[str, Any]:
    """What a table is, in short."""
    return {
        "id": info.id,
        "title": info.title,
        "game": info.game,
        "kind": info.kind,
        "status": info.status,
        "created": info.created,
        "settings": info.settings,
    }


async def described(request: AnyRequest, live: LiveTable) -> dict[str, Any]:
    """A table as whoever asks may know it: what it is, who sits where, which seats are his."""
    person = id_of(request)
    now = live.clock()
    names = await site_of(request).people.names(
        [live.info.host, *(one for seat in live.seats.values() for one in (seat.holder, seat.substitute))]
    )
    header = msgspec.json.decode(live.info.header)
    return {
        **summary(live.info),
        "host": names.get(live.info.host or 0),
        "players": header.get("players"),
        "rulings": header.get("rulings", {}),
        "commitment": header.get("commitment", ""),
        "seats": [
            {
                "seat": seat.name,
                "holder": names.get(seat.holder or 0),
                "substitute": names.get(seat.substitute or 0) if seat.acting_for(now) == seat.substitute else None,
                "number": seat.number is not None,
            }
            for seat in live.seats.values()
        ],
        "proposals": consent.open_proposals(live),
        "yours": seats_for(live, person, Act.LOOK),
        "playing": seats_for(live, person, Act.PLAY),
        "hosting": person is not None and live.info.host == person,
    }


@post("/tables", operation_id="make_table")
async def make_table(request: AnyRequest, data: JSONBody[Spec]) -> dict[str, Any]:
    """Make a table; whoever makes it is its host."""
    person = id_of(request)
    if person is None:
        raise Forbidden("signed_out")
    live = await site_of(request).tables.create(data, person)
    return await described(request, live)


@get("/tables", operation_id="list_tables")
async def list_tables(request: AnyRequest, watchable: FromQuery[bool] = False) -> dict[str, Any]:
    """One's own tables, or those that anybody may watch."""
    person = id_of(request)
    if person is None and not watchable:
        raise Forbidden("signed_out")
    found = await site_of(request).tables.listed(None if watchable else person)
    return {"tables": [summary(one) for one in found]}


@get("/tables/{id:str}", operation_id="see_table")
async def see_table(request: AnyRequest, id: FromPath[str]) -> dict[str, Any]:
    """What a table is and who sits where."""
    return await described(request, await table_for(request, id, Act.KNOW))


@put("/tables/{id:str}/seats/{seat:str}/number", operation_id="give_number")
async def give_number(
    request: AnyRequest, id: FromPath[str], seat: FromPath[str], data: JSONBody[Number]
) -> dict[str, Any]:
    """Give the number that the seat adds to the dice."""
    live = await table_for(request, id, Act.PLAY, seat)
    await live.do(tables.give_number(seat, id_of(request) or 0, int(data.number)))
    return await described(request, live)


@post("/tables/{id:str}/begin", operation_id="begin_game", status_code=HTTP_200_OK)
async def begin_game(request: AnyRequest, id: FromPath[str]) -> dict[str, Any]:
    """The host lets the game begin."""
    live = await table_for(request, id, Act.HOST)
    people = await site_of(request).people.names(seat.holder for seat in live.seats.values())
    names = {name: people[seat.holder] for name, seat in live.seats.items() if seat.holder in people}
    await live.do(tables.begin(names))
    return await described(request, live)


def acting_seat(live: LiveTable, person: int | None, told: str) -> str:
    """The seat that somebody acts for: the one named, else the only one there is. Raises `Forbidden`, `NoSuchTable`."""
    if not told:
        own = seats_for(live, person, Act.PLAY)
        told = own[0] if len(own) == 1 else ""
    allow(live, person, Act.PLAY, told)
    return told


@post("/tables/{id:str}/commands", operation_id="command", status_code=HTTP_200_OK)
async def command(
    request: AnyRequest, id: FromPath[str], data: JSONBody[Told], key: KeyHeader = None
) -> dict[str, Any]:
    """Give a command in the name of a seat; answers what that seat is told of it. With an Idempotency-Key it is done
    once, however often it is sent."""
    live = await site_of(request).tables.open(id)
    person = id_of(request)
    seat = acting_seat(live, person, data.seat)
    operation = tables.submit(seat, person or 0, data.command, language_asked(request), data.seen)
    return await live.do(operation, keyed(key, seat, "command", data.command))


@post("/tables/{id:str}/undo", operation_id="undo", status_code=HTTP_200_OK)
async def undo(request: AnyRequest, id: FromPath[str], data: JSONBody[Undo], key: KeyHeader = None) -> dict[str, Any]:
    """Take back one's own last command, while nothing was rolled, drawn, shown or done since."""
    live = await site_of(request).tables.open(id)
    person = id_of(request)
    seat = acting_seat(live, person, data.seat)
    return await live.do(consent.undo(seat, person or 0), keyed(key, seat, "undo", ""))


@post("/tables/{id:str}/proposals", operation_id="propose", status_code=HTTP_200_OK)
async def propose(
    request: AnyRequest, id: FromPath[str], data: JSONBody[Proposal], key: KeyHeader = None
) -> dict[str, Any]:
    """Propose what needs the consent of the others."""
    live = await site_of(request).tables.open(id)
    person = id_of(request)
    seat = acting_seat(live, person, data.seat)
    if data.what == "undo":
        await consent.prepared(live, data.line)
    operation = consent.propose(seat, person or 0, data.what, data.text, data.line)
    return await live.do(operation, keyed(key, seat, "propose", data))


@post("/tables/{id:str}/proposals/{number:int}", operation_id="vote", status_code=HTTP_200_OK)
async def vote(
    request: AnyRequest, id: FromPath[str], number: FromPath[int], data: JSONBody[Vote], key: KeyHeader = None
) -> dict[str, Any]:
    """Agree to a proposal, or refuse it."""
    live = await site_of(request).tables.open(id)
    person = id_of(request)
    seat = acting_seat(live, person, data.seat)
    for one in live.beside.get("proposals", ()):
        if one["id"] == number and one["what"] == "undo":
            await consent.prepared(live, None)
    return await live.do(
        consent.answer(seat, person or 0, number, data.yes), keyed(key, seat, f"vote {number}", data.yes)
    )


@get("/tables/{id:str}/record", operation_id="export_record", media_type="application/jsonl")
async def export_record(request: AnyRequest, id: FromPath[str], seat: SeatName = None) -> Response[bytes]:
    """The record of the table: all of it once the game is over, else what a seat or a spectator may know."""
    live, viewer = await table_seen(request, id, seat)
    lines = await archive.exported(live, viewer)
    headers = {"Content-Disposition": f'attachment; filename="{live.info.game}-{live.id}.jsonl"'}
    body = "".join(f"{line}\n" for line in lines).encode()
    return Response(body, media_type="application/jsonl", headers=headers)


@post("/tables/import", operation_id="import_record", request_max_body_size=archive.MAX_RECORD + 1_000_000)
async def import_record(request: AnyRequest, data: JSONBody[Imported]) -> dict[str, Any]:
    """Make a table of a record: a ledger goes on, a game that was played can be looked at."""
    person = id_of(request)
    if person is None:
        raise Forbidden("signed_out")
    live = await archive.imported(
        site_of(request).tables, data.record.split("\n"), person, title=data.title, spectators=data.spectators
    )
    return await described(request, live)


def keyed(key: str | None, viewer: str, what: str, asked: Any) -> Key | None:
    """The idempotency key of a request, if it has one."""
    if not key:
        return None
    return Key(viewer, key, digest(f"{what} {msgspec.json.encode(asked).decode()}"))


@post("/tables/{id:str}/ask", operation_id="ask_at_table", status_code=HTTP_200_OK)
async def ask_at_table(request: AnyRequest, id: FromPath[str], data: JSONBody[Question]) -> dict[str, Any]:
    """What the referee says of a command or question, by what the seat may know. Nothing is done."""
    live, viewer = await table_seen(request, id, data.seat or None)
    return tables.answer(live, viewer, data.line, language_asked(request))


@get("/tables/{id:str}/view", operation_id="view_table")
async def view_table(
    request: AnyRequest,
    id: FromPath[str],
    seat: SeatName = None,
    at: Annotated[int | None, QueryParameter(ge=0, le=2**53)] = None,
) -> dict[str, Any]:
    """The position as a seat or a spectator may know it, and who is awaited; or as it was after the line `at`."""
    live, viewer = await table_seen(request, id, seat)
    view = None if at is None else await past.view_at(live, viewer, at)
    return tables.seen_position(live, viewer, language_asked(request), view=view, line=at)


@get("/tables/{id:str}/choices", operation_id="list_choices")
async def list_choices(
    request: AnyRequest,
    id: FromPath[str],
    seat: SeatName = None,
    find: Annotated[str, QueryParameter(max_length=200)] = "",
    first: Annotated[int, QueryParameter(ge=0, le=100_000)] = 0,
    most: Annotated[int, QueryParameter(ge=1, le=500)] = 100,
) -> dict[str, Any]:
    """What a seat may do now."""
    live, viewer = await table_seen(request, id, seat)
    return tables.seen_choices(live, viewer, language_asked(request), find, first, most)


@get("/tables/{id:str}/lines", operation_id="list_lines")
async def list_lines(
    request: AnyRequest,
    id: FromPath[str],
    seat: SeatName = None,
    since: Annotated[int, QueryParameter(ge=0, le=2**53)] = 0,
    most: Annotated[int, QueryParameter(ge=1, le=500)] = 200,
) -> Response[bytes]:
    """What has happened after the line with the number `since`, as a seat or a spectator may know it."""
    live, viewer = await table_seen(request, id, seat)
    found = await live.lines(viewer, since, most)
    body = f'{{"n":{live.heads[viewer]},"lines":[{",".join(line.data for line in found)}]}}'
    return Response(body.encode(), media_type="application/json")


@get("/tables/{id:str}/stream", operation_id="follow_table", media_type="text/event-stream")
async def follow_table(
    request: AnyRequest,
    id: FromPath[str],
    seat: SeatName = None,
    since: Annotated[int, QueryParameter(ge=0, le=2**53)] = 0,
    last: Annotated[str | None, HeaderParameter(name="Last-Event-ID", max_length=20, required=False)] = None,
) -> Stream:
    """The same as a stream of server-sent events that goes on; it is resumed by `Last-Event-ID`."""
    live, viewer = await table_seen(request, id, seat)
    if last is not None and last.isascii() and last.isdigit():
        since = int(last)
    person = id_of(request)
    told = viewer or "-"
    events = stream(live, viewer, since, site_of(request).settings.heartbeat, lambda: viewer_for(live, person, told))
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return Stream(events, media_type=MEDIA, headers=headers)


ROUTES = [
    make_table,
    list_tables,
    see_table,
    give_number,
    begin_game,
    command,
    undo,
    propose,
    vote,
    export_record,
    import_record,
    ask_at_table,
    view_table,
    list_choices,
    list_lines,
    follow_table,
]
