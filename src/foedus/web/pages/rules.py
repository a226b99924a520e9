"""The rules: every clause of every installed game, its rulings, and its test cases as positions to play."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from litestar import Response, get
from litestar.exceptions import NotFoundException
from litestar.params import FromPath
from litestar.response import Redirect
from markupsafe import Markup, escape

from foedus.kernel import game as registry
from foedus.kernel.cases import Case
from foedus.kernel.game import Game
from foedus.kernel.notation import fold
from foedus.kernel.rulebook import LANGUAGES, Clause
from foedus.web.pages.asking import question_of
from foedus.web.pages.clauses import linked
from foedus.web.pages.desk import address
from foedus.web.pages.games import cases_by_clause, game_named, games, title_of
from foedus.web.pages.site import AnyRequest, language_of, page, tell
from foedus.web.pages.toml import write_toml

_DOES = ("do", "dice", "picks", "go", "ruling")


@dataclass(frozen=True)
class Step:
    """One line of a case: the line, where it can be played (""), and whether it is only what is expected."""

    text: str
    word: str
    href: str


@dataclass(frozen=True)
class Shown:
    """A case as a page shows it."""

    id: str
    title: str
    position: str
    steps: tuple[Step, ...]


@lru_cache(maxsize=4096)
def _shown(game_id: str, case_id: str) -> Shown:
    game = registry.find_game(game_id)
    case = next(one for found in cases_by_clause(game_id).values() for one in found if one.id == case_id)
    done: list[str] = []
    steps = []
    for line in case.lines:
        text = f"{line.word} {line.rest}".strip()
        href = ""
        if line.word in ("ask", "do"):
            href = address(game, question_of(game, case.position, line.rest, "\n".join(done)).pairs()) + "#answer"
        if line.word in _DOES:
            done.append(line.rest if line.word == "do" else text)
        steps.append(Step(text, line.word, href))
    return Shown(", ".join(case.ids), case.title, write_toml(case.position).strip(), tuple(steps))


def chapter_of(clause: str) -> str:
    """The section of the rules a clause stands in: "15" of 15.2.2a, "f9" of f9.3, "agree" of agree.1."""
    return clause.split(".")[0]


def _chapter(name: str, language: str) -> str:
    if name.isdigit():
        return tell("rules.section", language, number=name)
    if re.fullmatch(r"f\d+", name):
        return tell("rules.facts", language, number=name[1:])
    return name.replace("_", " ").capitalize()


def search_clauses(game: Game, words: str, language: str) -> list[Clause]:
    """The clauses in which every word stands: in the id, title, text, or the words of a ruling, in any language."""
    wanted = fold(words[:200]).split()
    texts = _searchable(game.id)
    return [clause for clause in game.rulebook.clauses.values() if all(word in texts[clause.id] for word in wanted)]


@lru_cache(maxsize=8)
def _searchable(game_id: str) -> Mapping[str, str]:
    game = registry.find_game(game_id)
    found = {
        clause.id: " ".join([clause.id, *clause.title.values(), *clause.text.values()])
        for clause in game.rulebook.clauses.values()
    }
    for ruling in game.rulebook.rulings:
        found[ruling.clause] += " ".join([ruling.name, *ruling.question.values()])
    return {clause: fold(text) for clause, text in found.items()}


def marked(text: str, words: str) -> Markup:
    """The text with the words that were looked for marked in it."""
    wanted = [re.escape(word) for word in words[:200].split() if word]
    if not wanted:
        return escape(text)
    parts = re.split(f"({'|'.join(wanted)})", text, flags=re.IGNORECASE)
    return Markup("").join(
        Markup("<mark>{}</mark>").format(part) if index % 2 else escape(part) for index, part in enumerate(parts)
    )


@get("/rules", sync_to_thread=False)
def choose_rules(request: AnyRequest) -> Response[Any]:
    """Which game's rules."""
    known = games()
    language = language_of(request)
    if len(known) == 1:
        return Redirect(f"/rules/{known[0].id}", status_code=303)
    return page(request, "choose.html", known=[(one.id, title_of(one.id, language)) for one in known], where="rules")


@get("/rules/{game_id:str}", sync_to_thread=True)
def show_rules(request: AnyRequest, game_id: FromPath[str]) -> Response[Any]:
    """The clauses of a game, or those that say what was looked for."""
    game = game_named(game_id)
    language = language_of(request)
    words = request.query_params.get("q", "").strip()[:200]
    found = search_clauses(game, words, language)
    counts = {clause: len(cases) for clause, cases in cases_by_clause(game.id).items()}
    chapters: dict[str, list[Any]] = {}
    for clause in found:
        row = (clause, marked(clause.title[language], words), marked(clause.text[language], words))
        if words and not any("<mark>" in one for one in row[1:]):
            # it was found in another language: that is what should be seen
            other = next((one for one in LANGUAGES if one != language), language)
            row = (clause, row[1], row[2] + " / " + marked(clause.text[other], words))
        chapters.setdefault(chapter_of(clause.id), []).append((*row, counts.get(clause.id, 0)))
    return page(
        request,
        "rules.html",
        game=game,
        title=title_of(game.id, language),
        games=[(one.id, title_of(one.id, language)) for one in games()],
        words=words,
        count=len(found),
        chapters=[(name, _chapter(name, language), rows) for name, rows in chapters.items()],
        situations=len(cases_by_clause(game.id).get("", ())),
    )


@get("/rules/{game_id:str}/rulings", sync_to_thread=False)
def show_rulings(request: AnyRequest, game_id: FromPath[str]) -> Response[Any]:
    """What the rules leave open, the options and the default of each."""
    game = game_named(game_id)
    language = language_of(request)
    rows = [(one, linked(game, one.reason[language], language)) for one in game.rulebook.rulings]
    return page(request, "rulings.html", game=game, title=title_of(game.id, language), rows=rows)


@get("/rules/{game_id:str}/situations", sync_to_thread=True)
def show_situations(request: AnyRequest, game_id: FromPath[str]) -> Response[Any]:
    """The cases that show a situation rather than one clause."""
    game = game_named(game_id)
    language = language_of(request)
    cases = _cases(game, cases_by_clause(game.id).get("", ()))
    return page(request, "situations.html", game=game, title=title_of(game.id, language), cases=cases)


def _cases(game: Game, cases: Sequence[Case]) -> list[Shown]:
    return [_shown(game.id, case.id) for case in cases]


@get("/rules/{game_id:str}/{clause_id:str}", sync_to_thread=True)
def show_clause(request: AnyRequest, game_id: FromPath[str], clause_id: FromPath[str]) -> Response[Any]:
    """One clause in both languages, with its rulings and its cases."""
    game = game_named(game_id)
    language = language_of(request)
    book = game.rulebook
    clause = book.clauses.get(clause_id)
    if clause is None:
        raise NotFoundException(clause_id[:80])
    order = list(book.clauses)
    at = order.index(clause_id)
    return page(
        request,
        "clause.html",
        game=game,
        title=title_of(game.id, language),
        clause=clause,
        text=linked(game, clause.text[language], language),
        others_said=[(one, clause.title[one], clause.text[one]) for one in LANGUAGES if one != language],
        rulings=[one for one in book.rulings if one.clause == clause_id],
        cases=_cases(game, cases_by_clause(game.id).get(clause_id, ())),
        before=order[at - 1] if at else "",
        after=order[at + 1] if at + 1 < len(order) else "",
    )


ROUTES = (choose_rules, show_rules, show_rulings, show_situations, show_clause)
