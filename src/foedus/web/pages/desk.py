"""The ruling desk: a position in a few clicks, a question, an answer; the address is the question."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from litestar import Response, get
from litestar.params import FromPath, FromQuery
from litestar.response import Redirect
from markupsafe import Markup

from foedus.kernel import desk
from foedus.kernel.dice import NeedDice
from foedus.kernel.faults import said
from foedus.kernel.game import Game
from foedus.kernel.notation import NotationError
from foedus.kernel.referee import Referee
from foedus.kernel.unknown import Unknown
from foedus.kernel.words import capital
from foedus.web.pages.asking import Position, Question, Unclear, packed, position_of, read_question
from foedus.web.pages.clauses import clause_link, linked
from foedus.web.pages.games import game_named, games, plain_referee, players_of, title_of, usual_players
from foedus.web.pages.maps import board_map, spaces_of
from foedus.web.pages.site import SECURITY_HEADERS, AnyRequest, language_of, page
from foedus.web.pages.toml import write_toml

_BLANK_ROWS = 2
_LONG = 1500


@dataclass(frozen=True)
class Answered:
    """An answer as the page says it; `kind` is "allowed", "refused", "depends", or "answer" for a question's."""

    kind: str
    head: str
    reasons: tuple[tuple[Markup, str], ...] = ()
    lines: tuple[tuple[int, Markup], ...] = ()
    """of a question's answer: how far each line is set in, and its words"""
    follows: tuple[Markup, ...] = ()
    remedies: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = ()
    rulings: tuple[tuple[Markup, str, tuple[tuple[str, str], ...]], ...] = ()
    assumed: tuple[str, ...] = ()
    free: bool = False
    """no rule speaks against it"""


def address(game: Game, pairs: Iterable[tuple[str, str]]) -> str:
    """The address of a question; a long one is packed."""
    told = list(pairs)
    found = urlencode(told)
    if len(found) > _LONG:
        found = urlencode({"z": packed(told)})
    return f"/desk/{game.id}?{found}" if found else f"/desk/{game.id}"


def answered(question: Question, position: Position, language: str) -> Answered:
    """The desk's answer to the line of a question. Raises `NotationError`."""
    said_ = desk.ask(position.referee, position.state, question.line, language)
    game = question.game
    if said_.ruling is None:
        lines = (said_.text or "").split("\n")
        rows = tuple(
            ((len(one) - len(one.lstrip())) // 2, linked(game, one.strip(), language)) for one in lines[1:] if one
        )
        return Answered("answer" if said_.ok else "depends", lines[0], lines=rows)
    return said_ruling(question, said_.ruling, language)


def said_ruling(question: Question, ruling: desk.Ruling, language: str) -> Answered:
    """A ruling as the page says it, with links that ask on from here."""
    game, data = question.game, ruling.data
    rulings = []
    for one in data["rulings"]:
        book = game.rulebook.ruling(one["name"])
        others = tuple(
            (book.words[option][language], address(game, question.pairs(**{f"ruling.{one['name']}": option})))
            for option in book.options
            if option != one["option"]
        )
        rulings.append((clause_link(game, one["clause"], language), one["text"], others))
    remedies = tuple(
        (
            one["text"],
            tuple((command, address(game, question.pairs(ask=command))) for command in one["commands"]),
        )
        for one in data["remedies"]
    )
    return Answered(
        data["verdict"],
        ruling.text.split("\n", 1)[0],
        reasons=tuple((clause_link(game, one["clause"], language), one["text"]) for one in data["reasons"]),
        follows=tuple(linked(game, one, language) for one in data["follows"]),
        remedies=remedies,
        rulings=tuple(rulings),
        assumed=tuple(one["text"] for one in data["assumed"]),
        free=data["verdict"] == "allowed" and not data["reasons"],
    )


@dataclass
class Form:
    """What the form offers to choose from."""

    players: tuple[int, ...]
    usual: int | None
    bases: tuple[str, ...]
    moment: list[tuple[str, list[tuple[str, str]]]]
    seats: list[tuple[str, str]]
    """those who have points: (name in an address, name to read)"""
    pairs: dict[str, list[tuple[str, str, str, str]]] = field(default_factory=dict)
    """by key: (value, first power, second power, what is said of the box) of each pair that may be told"""
    powers: list[tuple[str, str]] = field(default_factory=list)
    spaces: list[tuple[str, str]] = field(default_factory=list)


def form_for(game: Game, players: int | None, language: str) -> Form:
    """The form of a game with so many players."""
    referee = plain_referee(game, players)
    speaker = desk.Speaker(referee, language)
    names = referee.world.names
    seats = list(getattr(referee.world, "seats", range(len(names.get("seat", ())))))
    told = [(str(names["seat"][seat]), capital(speaker.value("seat", seat))) for seat in seats]

    def options(kind: str) -> list[tuple[str, str]]:
        if kind == "seat":
            return told
        return [(str(name), capital(speaker.value(kind, index))) for index, name in enumerate(names.get(kind, ()))]

    form = Form(
        players_of(game.id),
        usual_players(game),
        tuple(game.form.bases(referee.world)),
        [(key, options(kind)) for key, kind in game.form.moment],
        told,
    )
    if game.shown is not None:
        shown = game.shown(referee.sketch({} if players is None else {"players": players}))
        form.powers = [(str(names["power"][power]), capital(speaker.value("power", power))) for power in shown.powers]
        form.spaces = spaces_of(shown, language)
        cells = []
        for a, b in shown.unsure:
            one, two = str(names["power"][a]), str(names["power"][b])
            label = f"{capital(speaker.value('power', a))} – {speaker.value('power', b)}"
            cells.append((f"{one}-{two}", one, two, label))
        form.pairs = dict.fromkeys(game.form.pairs, cells)
    return form


def _matrix(form: Form, key: str, question: Question) -> tuple[list[str], list[tuple[str, list[Any]]]]:
    """The pairs as half a table: the columns, and for each row its cells (value, label, ticked) or None."""
    cells = form.pairs[key]
    told = {frozenset(pair.split("-")) for pair in question.pairs_told.get(key, ())}
    by_pair = {(one, two): (value, label) for value, one, two, label in cells}
    order = list(dict.fromkeys([one for _, one, _, _ in cells] + [two for _, _, two, _ in cells]))
    rows = []
    for index, row in enumerate(order[1:], 1):
        found: list[Any] = []
        for column in order[:index]:
            cell = by_pair.get((column, row)) or by_pair.get((row, column))
            found.append((*cell, frozenset((column, row)) in told) if cell else None)
        rows.append((row, found))
    return order[:-1], rows


@get("/desk", name="desk", sync_to_thread=False)
def choose_desk(request: AnyRequest) -> Response[Any]:
    """Which game's desk: the only one, if there is one game only."""
    known = games()
    language = language_of(request)
    if len(known) == 1:
        return Redirect(f"/desk/{known[0].id}", status_code=303)
    return page(request, "choose.html", known=[(one.id, title_of(one.id, language)) for one in known], where="desk")


@get("/desk/{game_id:str}", sync_to_thread=True)
def show_desk(request: AnyRequest, game_id: FromPath[str]) -> Response[Any]:
    """The desk of a game: the form, and the answer to what the address asks."""
    game = game_named(game_id)
    language = language_of(request)
    question = read_question(game, request.query_params.multi_items())
    if not question.tidy:
        kept = [("lang", request.query_params["lang"])] if "lang" in request.query_params else []
        return Redirect(address(game, [*question.pairs(), *kept]) + "#answer", status_code=303)
    faults: dict[str, Any] = {}
    answer = position = board = None
    try:
        position = position_of(question, language)
    except Unclear as error:
        faults = dict(error.faults)
    if position is not None and question.known:
        try:
            answer = answered(question, position, language)
        except NotationError as error:
            faults["ask"] = [said(error, language)]
        except Unknown as unknown:
            asked = desk.Speaker(position.referee, language).question(unknown.what, unknown.subject)
            answer = Answered("depends", desk.Speaker(position.referee, language).ui("depends_on", question=asked))
        except NeedDice as need:
            faults["ask"] = [str(need)]
    players = int(question.players) if question.players.isdigit() else None
    form = form_for(game, players if players in players_of(game.id) else None, language)
    if position is not None:
        board = board_map(
            position.referee,
            position.state,
            language,
            links=lambda index, name: address(game, [*question.pairs(), ("add", name)]) + "#places",
        )
    rows = [*question.rows, *([[""] * (len(game.form.place) + 1)] * _BLANK_ROWS)]
    return page(
        request,
        "desk.html",
        200 if not faults else 422,
        game=game,
        title=title_of(game.id, language),
        games=[(one.id, title_of(one.id, language)) for one in games()],
        question=question,
        form=form,
        faults=faults,
        answer=answer,
        position=position,
        map=board,
        rows=rows,
        matrices={key: _matrix(form, key, question) for key in form.pairs},
        examples=_examples(question, position, language),
        toml=_as_toml(game, position),
        zoom=_zoom(request),
        href=address(game, question.pairs()),
        rulings=game.rulebook.rulings,
    )


def _zoom(request: AnyRequest) -> int:
    told = request.query_params.get("zoom", "")
    return int(told) if told in ("1", "2", "3") else 0


def _examples(question: Question, position: Position | None, language: str) -> list[tuple[str, str]]:
    lines = getattr(question.game.questions, "examples", None)
    if lines is None or position is None:
        return []
    return [
        (line, address(question.game, question.pairs(ask=line)) + "#answer")
        for line in lines(position.referee.world, language)
    ]


def _as_toml(game: Game, position: Position | None) -> str:
    return write_toml(game.write_sketch(position.state)) if position is not None else ""


@get("/desk/{game_id:str}/complete", sync_to_thread=True)
def complete(
    game_id: FromPath[str], line: FromQuery[str] = "", players: FromQuery[str] = ""
) -> Response[dict[str, list[str]]]:
    """How a line that was begun could go on: {"lines": [...]}, whole lines up to their next word."""
    game = game_named(game_id)
    count = int(players) if players.isdigit() else None
    referee: Referee = plain_referee(game, count if count in players_of(game.id) else None)
    lines = game.notation.completions(line[:500], referee.names)
    headers = {**SECURITY_HEADERS, "Cache-Control": "public, max-age=600"}
    return Response({"lines": lines}, headers=headers)


ROUTES = (choose_desk, show_desk, complete)
