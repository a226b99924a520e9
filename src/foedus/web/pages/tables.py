"""The tables: a list of one's own, making one, the page before the game begins, and what its host does."""

from __future__ import annotations

import asyncio
import tomllib
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import msgspec
from litestar import Response, get, post
from litestar.params import FromPath
from litestar.response import Redirect

from foedus.boards import BoardError
from foedus.kernel.faults import Fault, said
from foedus.kernel.game import UnknownGame, find_game
from foedus.table import seats, tables
from foedus.table.live import LEDGER, TableState
from foedus.table.tables import Spec, SpecError, TableSettings
from foedus.web.access import Act, Forbidden
from foedus.web.pages import toml
from foedus.web.pages.games import games, players_of, title_of, usual_players
from foedus.web.pages.maps import BoardMap, board_map
from foedus.web.pages.site import AnyRequest, files_of, form_of, language_of, page, tell
from foedus.web.pages.table import Seen, common_of, seen
from foedus.web.pages.times import moment
from foedus.web.problems import problem_of
from foedus.web.site import id_of, site_of, table_for

_CONSENTS = ("consent", "host", "anyone")
_SECRETS = ("allowed", "limited", "forbidden")
MAX_FILE: Final = 400_000
"""The most bytes of a board or deck."""


@get("/tables")
async def list_tables(request: AnyRequest) -> Response[Any]:
    """One's own tables, and those that anybody may watch."""
    site, person = site_of(request), id_of(request)
    own = await site.tables.listed(person) if person is not None else []
    open_ = [one for one in await site.tables.listed(None) if one.id not in {table.id for table in own}]
    language = language_of(request)
    titles = {game.id: title_of(game.id, language) for game in games()}
    return page(request, "tables-list.html", own=own, open_=open_[:50], titles=titles)


def _new(
    request: AnyRequest, typed: dict[str, str], faults: dict[str, list[str]], preview: BoardMap | None = None
) -> Response[Any]:
    language = language_of(request)
    known = [(one.id, title_of(one.id, language), players_of(one.id), usual_players(one)) for one in games()]
    game = next((one for one in games() if one.id == typed.get("game")), games()[0])
    return page(
        request,
        "table-new.html",
        422 if faults else 200,
        known=known,
        counts=sorted({count for _, _, counts, _ in known for count in counts}),
        typed=typed,
        faults=faults,
        rulings=game.rulebook.rulings,
        consents=_CONSENTS,
        preview=preview,
    )


@get("/tables/new", sync_to_thread=False)
def show_new(request: AnyRequest) -> Response[Any]:
    """The form to make a table."""
    if id_of(request) is None:
        return Redirect("/sign-in?next=%2Ftables%2Fnew", status_code=303)
    return _new(request, dict(request.query_params), {})


@post("/tables/new")
async def make_table(request: AnyRequest) -> Response[Any]:
    """Make a table, or only look at its board; whoever makes it is its host."""
    person = id_of(request)
    if person is None:
        raise Forbidden("signed_out")
    typed = await form_of(request)
    language = language_of(request)
    try:
        await _take_files(request, typed)
        spec = _spec(typed, language)
        if typed.get("look"):
            preview = await asyncio.to_thread(_preview, spec, language)
            return _new(request, typed, {}, preview)
        live = await site_of(request).tables.create(spec, person)
    except SpecError as error:
        return _new(request, typed, {error.field: [said(error, language)]})
    except BoardError as error:
        return _new(request, typed, {"board": [str(fault) for fault in error.faults[:20]]})
    except UnknownGame as error:
        return _new(request, typed, {"game": [said(error, language)]})
    except TableState as error:
        return _new(request, typed, {"": [problem_of(error, language).title]})
    return Redirect(f"/tables/{live.id}", status_code=303)


def _spec(typed: dict[str, str], language: str) -> Spec:
    """The table that the form asks for. Raises `SpecError`."""
    players, consent = typed.get("players", ""), typed.get("corrections", "consent")
    ledger = typed.get("kind") == LEDGER
    return Spec(
        game=typed.get("game", ""),
        kind="ledger" if ledger else "full",
        title=typed.get("title", "").strip()[:400] or title_of(typed.get("game", ""), language),
        players=int(players) if players.isascii() and players.isdigit() and len(players) < 3 else None,
        board=_data(typed, "board"),
        deck=_data(typed, "deck"),
        rulings={key.removeprefix("ruling."): one for key, one in typed.items() if key.startswith("ruling.") and one},
        sketch=typed.get("sketch", "").strip() if ledger else "",
        settings=TableSettings(
            spectators=bool(typed.get("spectators")),
            corrections=msgspec.convert(consent if consent in _CONSENTS else "consent", tables.Consent),
        ),
    )


def _data(typed: dict[str, str], field: str) -> str | dict[str, Any] | None:
    """A board or a deck of one's own, as TOML or by the name of one that the game has. Raises `SpecError`."""
    text = typed.get(field, "").strip()
    if not text:
        return None
    if len(text.split()) == 1 and "=" not in text and "[" not in text:
        return text
    try:
        return tomllib.loads(text[:MAX_FILE])
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise SpecError(field, Fault("not_toml", why=str(error)[:300])) from error


async def _take_files(request: AnyRequest, typed: dict[str, str]) -> None:
    """Files that were sent go into the fields of the form as TOML, so that they are kept. Raises `SpecError`,
    `BoardError`."""
    files = await files_of(request)
    for field in ("board", "deck"):
        if f"{field}_file" in files:
            name, content = files[f"{field}_file"]
            typed[field] = await asyncio.to_thread(_read_file, typed.get("game", ""), field, name, content)


def _read_file(game_id: str, field: str, name: str, content: bytes) -> str:
    game = find_game(game_id)
    ending = Path(name).suffix.lower()
    if ending not in (".toml", ".csv"):
        raise SpecError(field, f"{name}: .toml or .csv is needed")
    if len(content) > MAX_FILE:
        raise SpecError(field, Fault("too_long", limit=MAX_FILE))
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SpecError(field, f"{name}: is not UTF-8 text") from error
    if ending == ".toml" and field == "board":
        return text
    with TemporaryDirectory() as folder:
        file = Path(folder) / f"{field}{ending}"
        file.write_text(text, encoding="utf-8")
        read = game.read_board if field == "board" else game.read_deck
        if read is None:
            raise SpecError(field, f"{name}: this game takes none of one's own")
        try:
            data = read(str(file))
            return data if isinstance(data, str) else toml.write_toml(data)
        except BoardError:
            raise
        except ValueError as error:
            raise SpecError(field, str(error).replace(folder, "")[:2000]) from error


def _preview(spec: Spec, language: str) -> BoardMap | None:
    """The board of a table that is not made yet, with everybody at home. Raises `SpecError`, `UnknownGame`."""
    _, _, referee = tables.header_of(spec)
    home = referee.game.form.bases(referee.world).get("home", {})
    start = {"players": spec.players} if spec.players is not None else {}
    return board_map(referee, referee.sketch({**start, **home}), language)


async def waiting_page(request: AnyRequest, found: Seen, common: dict[str, Any]) -> Response[Any]:
    """A table before its game begins: who sits where, and what the host may do."""
    vacant = [name for name, seat in found.live.seats.items() if seat.holder is None]
    return page(request, "waiting.html", **common, vacant=vacant)


@post("/tables/{id:str}/begin")
async def begin_game(request: AnyRequest, id: FromPath[str]) -> Response[Any]:
    """The host lets the game begin."""
    live = await table_for(request, id, Act.HOST)
    people = await site_of(request).people.names(seat.holder for seat in live.seats.values())
    names = {name: people[seat.holder] for name, seat in live.seats.items() if seat.holder in people}
    await live.do(tables.begin(names))
    return Redirect(f"/tables/{live.id}", status_code=303)


@get("/tables/{id:str}/host")
async def show_host(request: AnyRequest, id: FromPath[str]) -> Response[Any]:
    """How the table is run, for all to see; what needs consent; and what only the host does."""
    return await host_page(request, await seen(request, id))


async def host_page(
    request: AnyRequest,
    found: Seen,
    typed: dict[str, str] | None = None,
    faults: dict[str, list[str]] | None = None,
    link: str = "",
    link_says: str = "",
) -> Response[Any]:
    """The page of how a table is run, with what was typed and what was wrong with it; `link` is an invitation's."""
    from foedus.web.pages.seating import AT_ENDS

    common = await common_of(request, found)
    person, now = id_of(request), found.live.clock()
    waiting = await seats.open_invitations(found.live.store, found.id, now) if person is not None else []
    live, book = found.live, found.live.referee.game.rulebook
    header = msgspec.json.decode(live.info.header)
    chosen = header.get("rulings", {})
    rulings = {one.name: chosen.get(one.name, one.default) for one in book.rulings}
    if found.begun:
        view = live.view(found.viewer)
        rulings = {one.name: one.options[view.rulings[index]] for index, one in enumerate(book.rulings)}
    return page(
        request,
        "host.html",
        422 if faults else 200,
        **common,
        rulings=[(one, rulings[one.name]) for one in book.rulings],
        settings=[
            (tell(f"host.{key}", found.language), tell(f"host.{key}_{value}".lower(), found.language))
            for key, value in (
                ("spectators", bool(live.info.settings.get("spectators"))),
                (
                    "corrections",
                    str(live.info.settings.get("corrections") or ("anyone" if found.ledger else "consent")),
                ),
            )
        ],
        commitment=str(header.get("commitment", "")),
        vacant=[name for name, seat in live.seats.items() if seat.holder is None],
        typed={**_as_typed(live.info.title, live.info.settings), **(typed or {})},
        faults=faults or {},
        link=link,
        link_says=link_says,
        invitations=[
            (one.id, tell(f"seat.to_{one.what}", found.language, seat=found.seat_said(one.seat)), moment(one.expires))
            for one in waiting
            if person in (one.by, live.info.host)
        ],
        at_ends=AT_ENDS,
        secrets=_SECRETS,
        keeps=[
            name for name, seat in live.seats.items() if person is not None and person in (seat.holder, live.info.host)
        ],
        substitutes=[
            name
            for name, seat in live.seats.items()
            if seat.substitute is not None and seat.acting_for(now) == seat.substitute
        ],
    )


def _as_typed(title: str, settings: dict[str, Any]) -> dict[str, str]:
    """The settings of a table as they stand in the form."""
    talks, clocks = settings.get("talks", {}), settings.get("clocks", {})
    hours = {key: f"{clocks[key] / 3600:.4g}" for key in ("decision", "phase", "segment", "warn") if clocks.get(key)}
    numbers = {key: str(talks[key]) for key in ("minutes", "messages") if talks.get(key) is not None}
    return {
        "title": title,
        "spectators": "1" if settings.get("spectators") else "",
        "secret": talks.get("secret", "allowed"),
        "at_end": clocks.get("at_end", "remind"),
        **hours,
        **numbers,
    }


ROUTES = (list_tables, show_new, make_table, begin_game, show_host)
