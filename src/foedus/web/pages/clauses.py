"""Clauses named in sentences become links to the clause."""

from __future__ import annotations

import re
from functools import cache
from typing import Final
from urllib.parse import quote

from markupsafe import Markup, escape

from foedus.kernel import game as registry
from foedus.kernel.game import Game
from foedus.web.pages.site import tell

MAX: Final = 100_000


@cache
def _ids(game: str) -> re.Pattern[str]:
    ids = sorted(registry.find_game(game).rulebook.clauses, key=len, reverse=True)
    # a number alone ("15") is more often a number than a clause
    named = "|".join(re.escape(one) for one in ids if not one.isdigit())
    return re.compile(rf"(?<![\w.])(?:{named})(?![\w])(?!\.\d)")


def clause_link(game: Game, clause: str, language: str, text: str = "") -> Markup:
    """A link to a clause, with its title for whoever points at it; the id alone where there is no such clause."""
    found = game.rulebook.clauses.get(clause)
    if found is None:
        return escape(text or clause)
    title = tell("rules.clause_title", language, clause=clause, title=found.title[language])
    return Markup('<a class="clause" href="/rules/{}/{}" title="{}">{}</a>').format(
        game.id, quote(clause), title, text or clause
    )


def linked(game: Game, text: str, language: str) -> Markup:
    """The text, escaped, with every id of a clause in it as a link."""
    text = text[:MAX]
    parts, at = [], 0
    for match in _ids(game.id).finditer(text):
        parts += [escape(text[at : match.start()]), clause_link(game, match[0], language)]
        at = match.end()
    return Markup("").join([*parts, escape(text[at:])])


_DICE: Final = re.compile(r"^([^\d:]+: )(\d[\d ]*)(?= \()")


def said_event(game: Game, text: str, language: str) -> Markup:
    """A sentence that tells of an event: clauses as links, dice as they fell in boxes."""
    match = _DICE.match(text)
    if match is None:
        return linked(game, text, language)
    boxes = Markup("").join(Markup('<span class="dice">{}</span>').format(die) for die in match[2].split())
    return escape(match[1]) + boxes + linked(game, text[match.end() :], language)


__all__ = ["clause_link", "linked", "said_event"]
