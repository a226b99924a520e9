"""A table: the board, who is awaited and why, what a seat may do, its hand, the record; and diplomacy."""

from __future__ import annotations

import asyncio
import secrets
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode

from litestar import Response, get, post
from litestar.exceptions import NotFoundException
from litestar.params import FromPath, FromQuery
from litestar.response import Redirect
from markupsafe import Markup

from foedus.kernel.codec import CodecError
from foedus.kernel.desk import Speaker
from foedus.kernel.dice import WrongDice
from foedus.kernel.faults import said
from foedus.kernel.notation import NotationError, fold
from foedus.kernel.rulebook import RulebookError
from foedus.kernel.sketch import SketchError
from foedus.kernel.unknown import Unknown
from foedus.kernel.values import Command
from foedus.kernel.verdict import NotYours
from foedus.kernel.words import capital
from foedus.table import acting, clocks, consent, past, standing, tables
from foedus.table.acting import NotAllowed
from foedus.table.ledger import LedgerError
from foedus.table.live import LEDGER, OVER, WAITING, LiveTable, TableState, iso
from foedus.web.access import Act, allow, seats_for
from foedus.web.api.tables import keyed
from foedus.web.pages.asking import Question
from foedus.web.pages.choosing import MOST_SHOWN, Choices, choices_of, dealings
from foedus.web.pages.clauses import clause_link, linked
from foedus.web.pages.desk import Answered, said_ruling
from foedus.web.pages.games import title_of
from foedus.web.pages.maps import board_map
from foedus.web.pages.samples import desk_link
from foedus.web.pages.site import AnyRequest, form_of, language_of, page, tell
from foedus.web.pages.times import moment
from foedus.web.pages.told import Told, seat_name, seat_said, told
from foedus.web.problems import problem_of
from foedus.web.site import id_of, site_of, table_seen

_LINES = 30
_WINDOW = 60
_WRONG = (
    NotationError,
    CodecError,
    LedgerError,
    WrongDice,
    RulebookError,
    SketchError,
    TableState,
    NotYours,
)
"""What may be wrong with a line that somebody typed: told beside it."""


@dataclass
class Seen:
    """A table as one viewer sees it; what every page of the table needs."""

    live: LiveTable
    viewer: str
    language: str
    mine: list[str]
    acts: bool
    """may whoever looks act for this seat"""
    hosting: bool
    names: dict[str, str] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """The table's id."""
        return self.live.id

    @property
    def told(self) -> str:
        """The viewer as it stands in an address."""
        return self.viewer or "-"

    @property
    def begun(self) -> bool:
        """Has the game begun?"""
        return self.live.info.status != WAITING

    @property
    def over(self) -> bool:
        """Is the game over?"""
        return self.live.info.status == OVER

    @property
    def ledger(self) -> bool:
        """Is it a ledger?"""
        return self.live.info.kind == LEDGER

    def at(self, page_: str = "", **query: Any) -> str:
        """The address of one of the table's pages for this viewer."""
        path = f"/tables/{quote(self.id)}" + (f"/{page_}" if page_ else "")
        plain = self.told == (self.mine[0] if self.mine else "-") and len(self.mine) < 2
        pairs = {**({} if plain else {"seat": self.told}), **query}
        kept = {key: value for key, value in pairs.items() if value not in ("", None)}
        return f"{path}?{urlencode(kept)}" if kept else path

    def seat_name(self, seat: str) -> str:
        """A seat in words, with a capital."""
        return seat_name(self.live, seat, self.language)

    def seat_said(self, seat: str) -> str:
        """A seat in words, within a sentence."""
        return seat_said(self.live, seat, self.language)


async def seen(request: AnyRequest, id: str, seat: str | None = None) -> Seen:
    """A table as whoever asks sees it. Raises `NoSuchTable`, `Forbidden`."""
    told_seat = seat if seat is not None else request.query_params.get("seat")
    live, viewer = await table_seen(request, id, (told_seat or "")[:40] or None)
    person = id_of(request)
    if not told_seat and viewer:
        viewer = _awaited_seat(live, viewer, seats_for(live, person, Act.PLAY))
    return Seen(
        live,
        viewer,
        language_of(request),
        seats_for(live, person, Act.LOOK),
        bool(viewer) and viewer in seats_for(live, person, Act.PLAY),
        person is not None and live.info.host == person,
    )


def _awaited_seat(live: LiveTable, viewer: str, own: list[str]) -> str:
    """Of several seats that somebody holds the one that is awaited, as far as the first of them may know."""
    if live.info.status == WAITING or len(own) < 2:
        return viewer
    try:
        decisions = live.referee.awaiting(live.view(viewer))
    except Unknown:
        return viewer
    awaited_ = {one.seat for one in decisions}
    return next((name for name in own if live.seat_index(name) in awaited_), viewer)


async def common_of(request: AnyRequest, found: Seen) -> dict[str, Any]:
    """What the head of every page of a table needs."""
    live = found.live
    people = await site_of(request).people.names(
        one for seat in live.seats.values() for one in (seat.holder, seat.substitute)
    )
    now = live.clock()
    seats = [
        (name, found.seat_name(name), people.get(seat.acting_for(now) or 0, ""), name in found.mine)
        for name, seat in live.seats.items()
    ]
    return {
        "table": found,
        "info": live.info,
        "title": live.info.title,
        "game_title": title_of(live.info.game, found.language),
        "seats": seats,
        "n": live.heads.get(found.viewer, 0),
        "stream": f"/api/tables/{quote(found.id)}/stream?{urlencode({'seat': found.told})}",
        "key": secrets.token_urlsafe(12),
        "proposals": _proposals(found),
        "clocks": _clocks(found),
    }


def _clocks(found: Seen) -> list[dict[str, Any]]:
    """The deadlines that run; `due` is "" where the host is to decide."""
    rows = []
    for one in clocks.shown(found.live):
        seat = found.seat_said(one["seat"]) if one["seat"] else ""
        said_ = tell(f"clock.{one['what']}", found.language, seat=seat)
        due = one["due"]
        rows.append(
            {"clock": one["clock"], "said": said_, "due": moment(due) if due else "", "iso": iso(due) if due else ""}
        )
    return rows


def _proposals(found: Seen) -> list[dict[str, Any]]:
    """The proposals that wait for consent, and whether the viewer is still asked."""
    rows = []
    for one in consent.open_proposals(found.live):
        what = tell(f"proposal.{one['what']}", found.language, text=str(one["text"]))
        asked = found.acts and found.viewer not in one["agreed"]
        agreed = ", ".join(found.seat_said(seat) for seat in one["agreed"])
        rows.append({"id": one["id"], "by": found.seat_name(one["by"]), "what": what, "asked": asked, "agreed": agreed})
    return rows


def _position(found: Seen, find: str) -> dict[str, Any]:
    """What the table page shows of the position; slow enough for a thread."""
    live, language = found.live, found.language
    referee, view = live.referee, live.view(found.viewer)
    seat = live.seat_index(found.viewer)
    speaker = Speaker(referee, language)
    choices = Choices()
    if seat is not None and found.acts and not found.ledger and not found.over:
        choices = choices_of(referee, view, seat, language)
    allowed = [one for one in choices.allowed if _has(live, one, find, language)]
    board = board_map(
        referee,
        view,
        language,
        links=(lambda _, name: found.at(find=name) + "#choices") if choices.allowed else None,
        lit=choices.by_space(),
        why=choices.why(),
    )
    return {
        "map": board,
        "awaited": awaited(found, view, speaker),
        "choices": allowed[:MOST_SHOWN],
        "choice_count": len(allowed),
        "barred": [(one, clause_link(referee.game, one.clause, language)) for one in choices.barred],
        "hand": _hand(found, view, seat, speaker),
        "sheet": status_of(found, view),
        "ask_elsewhere": desk_link(referee, live.state),
    }


def _has(live: LiveTable, choice: Any, find: str, language: str) -> bool:
    """Do all the words that are looked for stand in a choice, or in the places it names?"""
    wanted = fold(find).split()
    if not wanted:
        return True
    text = fold(f"{choice.line} {choice.text} {_places(live, choice, language)}")
    return all(word in text for word in wanted)


def _places(live: LiveTable, choice: Any, language: str) -> str:
    world, speaker = live.referee.world, Speaker(live.referee, language)
    kind = "place" if "place" in world.names else "space"
    names = world.names.get(kind, ())
    return " ".join(f"{names[one]} {speaker.value(kind, one)}" for one in choice.spaces)


def awaited(found: Seen, view: Any, speaker: Speaker) -> list[tuple[Markup, bool]]:
    """Who must decide what and why, and whether that is the viewer."""
    referee = found.live.referee
    try:
        decisions = referee.awaiting(view)
    except Unknown:
        return []
    own = found.live.seat_index(found.viewer)
    asked: dict[tuple[str, str], list[int]] = {}
    for one in decisions:
        text = speaker.decision(one)
        if text:
            asked.setdefault((text, one.clause), []).append(one.seat)
    rows = []
    for (text, clause), seats in asked.items():
        why = linked(referee.game, text, found.language)
        if clause and clause not in text:
            why += Markup(" ({})").format(clause_link(referee.game, clause, found.language))
        names = [speaker.value("seat", seat) for seat in seats if seat >= 0]
        if names and not all(name.casefold() in text.casefold() for name in names):
            why = Markup("{}: {}").format(capital(", ".join(names)), why)
        rows.append((why, own is not None and own in seats))
    return rows


def _hand(found: Seen, view: Any, seat: int | None, speaker: Speaker) -> list[tuple[str, str]]:
    hand = found.live.referee.game.hand
    if seat is None or hand is None or found.ledger:
        return []
    return [(capital(speaker.value(kind, index)), note) for kind, index, note in hand(view, seat)]


def status_of(found: Seen, view: Any) -> list[tuple[str, list[Markup]]]:
    """The status sheet of the game, with links to clauses."""
    game = found.live.referee.game
    if game.status is None:
        return []
    return [
        (heading, [linked(game, one, found.language) for one in lines])
        for heading, lines in game.status(view, found.language)
    ]


async def last_lines(found: Seen, most: int = _LINES) -> list[Told]:
    """The last lines of the viewer, the newest first."""
    live = found.live
    head = live.heads.get(found.viewer, 0)
    lines = await live.lines(found.viewer, max(0, head - most), most)
    return [told(live, one.data, found.language) for one in reversed(lines)]


async def show(
    request: AnyRequest,
    found: Seen,
    *,
    line: str = "",
    faults: list[str] | None = None,
    answer: Answered | None = None,
    result: str = "",
    fine: bool = True,
    may_ask: bool = False,
    standing_fault: str = "",
    standing_typed: str | None = None,
) -> Response[Any]:
    """The page of a table, after a line that somebody typed: what was wrong with it, or what the referee says of it."""
    common = await common_of(request, found)
    if not found.begun:
        from foedus.web.pages.tables import waiting_page

        return await waiting_page(request, found, common)
    find = request.query_params.get("find", "")[:100]
    shown = await asyncio.to_thread(_position, found, find)
    return page(
        request,
        "table.html",
        422 if faults or standing_fault else 200,
        **common,
        **shown,
        find=find,
        lines=await last_lines(found),
        line=line,
        faults=faults or [],
        answer=answer,
        result=[linked(found.live.referee.game, one, found.language) for one in result.split("\n") if one.strip()],
        fine=fine,
        may_ask=may_ask,
        standing=standing_typed if standing_typed is not None else _standing(found),
        standing_fault=standing_fault,
        undoable=found.acts and not found.over and _has_line(found),
        zoom=int(request.query_params["zoom"]) if request.query_params.get("zoom") in ("1", "2", "3") else 0,
    )


def _standing(found: Seen) -> str | None:
    """What the seat has said beforehand; None where it cannot."""
    if not found.acts or found.ledger or found.over:
        return None
    return "\n".join(standing.standing_of(found.live, found.viewer))


def _has_line(found: Seen) -> bool:
    """Is there anything that the seat might take back?"""
    journal = found.live.journal
    index = found.live.seat_index(found.viewer)
    return journal is not None and any(one.seat == index or found.ledger for one in journal.entries)


@get("/tables/{id:str}")
async def show_table(request: AnyRequest, id: FromPath[str]) -> Response[Any]:
    """A table as whoever asks may see it."""
    return await show(request, await seen(request, id))


@post("/tables/{id:str}/command")
async def give_command(request: AnyRequest, id: FromPath[str]) -> Response[Any]:
    """A seat does something, or only asks about it: `line`, `seat`; `ask` for the ruling only."""
    form = await form_of(request)
    found = await seen(request, id, form.get("seat", "-"))
    line = form.get("line", "").strip()[:4000]
    language = found.language
    if not line:
        return await show(request, found, faults=[tell("table.empty_line", language)])
    if form.get("ask"):
        return await _answer(request, found, line)
    allow(found.live, id_of(request), Act.PLAY, found.viewer)
    operation = tables.submit(found.viewer, id_of(request) or 0, line, language)
    try:
        done = await found.live.do(operation, keyed(form.get("key", "")[:100], found.viewer, "command", line))
    except NotAllowed as error:
        if error.ruling.verdict.allowed:  # what stands against it is not for this seat to know
            return await show(request, found, line=line, faults=[problem_of(error, language).title])
        refused = said_ruling(Question(found.live.referee.game, line=line), error.ruling, language)
        return await show(request, found, line=line, answer=refused, faults=[tell("table.refused", language)])
    except _WRONG as error:
        problem = problem_of(error, language)
        return await show(request, found, line=line, faults=[problem.detail or problem.title])
    if found.ledger:
        fine = bool(done.get("done"))
        return await show(request, found, line="" if fine else line, result=_said(done, language), fine=fine)
    return Redirect(found.at() + "#now", status_code=303)


def _said(done: dict[str, Any], language: str) -> str:
    """What the ledger answered to a line."""
    text = str(done.get("text", ""))
    if done.get("open"):
        text += "\n" + tell("table.still_open", language, what=str(done["open"]))
    if done.get("only_noted"):
        text += "\n" + tell("table.only_noted", language)
    return text or tell("table.done", language)


async def _answer(request: AnyRequest, found: Seen, line: str) -> Response[Any]:
    try:
        answer = await asyncio.to_thread(_asked, found, line)
    except NotationError as error:
        return await show(request, found, line=line, faults=[said(error, found.language)])
    return await show(request, found, line=line, answer=answer)


def _asked(found: Seen, line: str) -> Answered:
    """The ruling on a line by what the viewer may know."""
    live, language = found.live, found.language
    game = live.referee.game
    asked = acting.ask(live.referee, live.state, live.seat_index(found.viewer), line, language)
    if asked.ruling is not None:
        return said_ruling(Question(game, line=line), asked.ruling, language)
    head, *rest = (asked.text or "").split("\n")
    rows = tuple(((len(one) - len(one.lstrip())) // 2, linked(game, one.strip(), language)) for one in rest if one)
    return Answered("answer" if asked.ok else "depends", head, lines=rows)


@get("/tables/{id:str}/consider")
async def consider(request: AnyRequest, id: FromPath[str]) -> Response[Any]:
    """Every consequence of a grave step, before the last word."""
    found = await seen(request, id)
    line = request.query_params.get("line", "").strip()[:500]
    if not found.begun or not line:
        raise NotFoundException("line")
    try:
        answer = await asyncio.to_thread(_asked, found, line)
    except NotationError as error:
        return await show(request, found, line=line, faults=[said(error, found.language)])
    common = await common_of(request, found)
    return page(request, "consider.html", **common, line=line, answer=answer)


@get("/tables/{id:str}/diplomacy")
async def show_diplomacy(request: AnyRequest, id: FromPath[str]) -> Response[Any]:
    """Who is bound to whom, what may be said to whom, and what waits for an answer."""
    found = await seen(request, id)
    common = await common_of(request, found)
    if not found.begun:
        return Redirect(found.at(), status_code=303)
    find = request.query_params.get("find", "")[:100]
    shown = await asyncio.to_thread(_diplomacy, found, find)
    return page(request, "diplomacy.html", **common, **shown, find=find)


def _diplomacy(found: Seen, find: str) -> dict[str, Any]:
    live, language = found.live, found.language
    referee, view = live.referee, live.view(found.viewer)
    game = referee.game
    seat = live.seat_index(found.viewer)
    speaker = Speaker(referee, language)
    rows: list[tuple[str, list[Any]]] = []
    answers = []
    if seat is not None and found.acts and not found.over:
        for power, dealt in dealings(referee, view, seat, language).items():
            told_rows = [(one, clause_link(game, one.clause, language) if one.clause else "") for one in dealt]
            rows.append((capital(speaker.value("power", power)), told_rows))
        diplomatic = [one for one in choices_of(referee, view, seat, language).allowed if one.diplomatic]
        answers = [one for one in diplomatic if _has(live, one, find, language)]
    return {
        "map": board_map(referee, view, language),
        "awaited": awaited(found, view, speaker),
        "dealings": rows,
        "answers": answers[:MOST_SHOWN],
        "answer_count": len(answers),
        "offers": _offers(found, view, speaker),
        "sheet": status_of(found, view),
    }


@dataclass(frozen=True)
class OfferShown:
    """An offer or agreement as it is shown: its heading, its status, and what each term says."""

    heading: str
    status: str
    terms: tuple[str, ...]


def _offers(found: Seen, view: Any, speaker: Speaker) -> list[OfferShown]:
    """What waits for an answer, or was agreed, as far as the viewer may know."""
    show_ = found.live.referee.game.shown
    if show_ is None:
        return []
    return [
        OfferShown(
            tell(
                "dip.offer",
                found.language,
                by=capital(speaker.value("power", one.by)),
                to=speaker.value("power", one.to),
                version=one.version,
            ),
            tell(f"dip.status_{one.status}", found.language),
            tuple(capital(speaker.command(term).rstrip(".")) for term in one.terms),
        )
        for one in show_(view).offers
    ]


@get("/tables/{id:str}/record")
async def show_record(request: AnyRequest, id: FromPath[str]) -> Response[Any]:
    """The record with filters, and the position after any of its lines."""
    found = await seen(request, id)
    common = await common_of(request, found)
    live, language, query = found.live, found.language, request.query_params
    head = live.heads.get(found.viewer, 0)
    number = query.get("at", "")
    at = min(int(number), head) if number.isascii() and number.isdigit() and len(number) < 9 else head
    who, words, show = query.get("who", "")[:20], query.get("q", "").strip()[:200], query.get("show", "")
    lines = await _all_lines(found)
    chosen = [one for one in lines if _wanted(one, who, words, show)]
    before = [one.number for one in chosen if one.number < at]
    after = [one.number for one in chosen if one.number > at]
    here = next((i for i, one in enumerate(chosen) if one.number >= at), max(len(chosen) - 1, 0))
    first = max(0, min(here - _WINDOW // 3, len(chosen) - _WINDOW))
    kept = {"who": who, "q": words, "show": show}
    shown: dict[str, Any] = {"map": None, "sheet": []}
    if found.begun:
        with suppress(TableState):  # before the game began there was no position
            view = await past.view_at(live, found.viewer, at)
            shown = await asyncio.to_thread(
                lambda: {"map": board_map(live.referee, view, language), "sheet": status_of(found, view)}
            )
    return page(
        request,
        "record.html",
        **common,
        **shown,
        at=at,
        head=head,
        lines=chosen[first : first + _WINDOW],
        count=len(chosen),
        before=before[-1] if before else None,
        after=after[0] if after else None,
        who=who,
        words=words,
        show=show,
        to=lambda n: found.at("record", **kept, at=n) + "#now",
    )


async def _all_lines(found: Seen) -> list[Told]:
    live, language = found.live, found.language
    lines: list[Told] = []
    at = 0
    while some := await live.lines(found.viewer, at, 500):
        at = some[-1].number
        lines += await asyncio.to_thread(
            lambda data: [told(live, one, language) for one in data], [one.data for one in some]
        )
    return lines


def _wanted(one: Told, who: str, words: str, show: str) -> bool:
    if who and one.by != who:
        return False
    if show == "dice" and not one.dice:
        return False
    if show == "game" and one.what != "events":
        return False
    return all(word in one.text for word in fold(words).split())


@get("/tables/{id:str}/complete")
async def complete(request: AnyRequest, id: FromPath[str], line: FromQuery[str] = "") -> Response[dict[str, list[str]]]:
    """How a line that was begun could go on."""
    found = await seen(request, id)
    referee = found.live.referee
    return Response({"lines": referee.game.notation.completions(line[:500], referee.names)})


__all__ = ["ROUTES", "Command", "Seen", "common_of", "seen", "show", "status_of"]
ROUTES = (show_table, give_command, consider, show_diplomacy, show_record, complete)
