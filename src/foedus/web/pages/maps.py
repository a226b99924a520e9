"""The board on a page: the picture, its legend, and the same as a list."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from foedus.kernel.desk import Speaker
from foedus.kernel.referee import Referee
from foedus.kernel.shown import Piece, Place, Shown
from foedus.kernel.unknown import NONE, UNKNOWN
from foedus.kernel.words import capital
from foedus.web.drawing import Said, coast_of, draw, graph, swatch
from foedus.web.pages.site import tell


@dataclass(frozen=True)
class BoardMap:
    """A board ready for a template: its picture, legend, list, and graph of the bonds; all None without a board."""

    svg: Markup
    legend: tuple[tuple[Markup, str], ...]
    listed: tuple[tuple[str, str], ...]
    """(place, what stands there) of each place of which something is known"""
    graph: Markup
    bonds: tuple[tuple[str, str, str], ...]
    """(name, name, what joins them) of each bond"""
    title: str
    source: str
    """whose data the coast is, to be named beside the picture"""


def board_map(
    referee: Referee,
    state: Any,
    language: str,
    *,
    links: Callable[[int, str], str] | None = None,
    lit: Mapping[int, str] | None = None,
    why: Mapping[int, str] | None = None,
    alone: bool = False,
) -> BoardMap | None:
    """The board of a state, or None where the game does not show one.

    `links(space, name)` is where a space leads; `lit` spaces stand out; `why`: sentences to add to what is said of a
    space, such as why it cannot be chosen.
    """
    show = referee.game.shown
    if show is None:
        return None
    shown = show(state)
    speaker = Speaker(referee, language)
    board = shown.board
    letters = {power: str(referee.world.names["power"][power]) for power in shown.powers}
    names = {power: speaker.value("power", power) for power in shown.powers}
    sentences, listed = [], []
    for index, (space, place) in enumerate(zip(board.spaces, shown.places, strict=True)):
        facts = _facts(speaker, place, language)
        more = (why or {}).get(index, "")
        name = space.name(language)
        sentences.append(f"{name}: {'; '.join(facts)}{'. ' + more if more else ''}" if facts or more else name)
        if place.there and (facts or more) and not _blank(place):
            listed.append((name, capital("; ".join([*facts, *([more] if more else [])]))))
    seas = []
    for index, sea in enumerate(board.seas):
        name = sea.names.get(language) or sea.names["en"]
        pieces = shown.seas[index] if index < len(shown.seas) else ()
        facts = [_piece(speaker, one, language) for one in pieces]
        more = (why or {}).get(len(board.spaces) + index, "")
        seas.append(f"{name}: {'; '.join(facts)}{'. ' + more if more else ''}" if facts or more else name)
        if facts or more:
            listed.append((name, capital("; ".join([*facts, *([more] if more else [])]))))
    title = tell("site.board", language, title=board.title.get(language) or board.title["en"])
    coast = coast_of(referee.game.id, board.id)
    svg = draw(
        shown,
        Said(letters, sentences, title, seas),
        language,
        coast=coast,
        links=_links(board, shown, links),
        lit=lit,
        alone=alone,
    )
    bonds = tuple(
        (capital(names.get(one.a, "?")), names.get(one.b, "?"), _bond(speaker, one, language)) for one in shown.bonds
    )
    said = [_bond(speaker, one, language) for one in shown.bonds]
    picture = graph(shown, letters, {p: capital(n) for p, n in names.items()}, said, tell("site.alliances", language))
    return BoardMap(
        Markup(svg),
        tuple((Markup(swatch(shown.inks[power], letters[power])), capital(names[power])) for power in shown.powers),
        tuple(listed),
        Markup(picture),
        bonds,
        title,
        coast.source if coast is not None else "",
    )


def _links(board: Any, shown: Shown, links: Callable[[int, str], str] | None) -> dict[int, str] | None:
    """Where spaces lead, and behind them seas."""
    if links is None:
        return None
    found = {i: links(i, space.name("en")) for i, space in enumerate(board.spaces) if shown.places[i].there}
    first = len(board.spaces)
    return found | {first + i: links(first + i, sea.names["en"]) for i, sea in enumerate(board.seas)}


def _blank(place: Place) -> bool:
    return place.owner == UNKNOWN and not place.pieces and not place.marks


def _bond(speaker: Speaker, bond: Any, language: str) -> str:
    said = speaker.say(f"shown/{bond.what}", {"a": bond.a, "b": bond.b, "turn": bond.turn})
    if bond.turn >= 0:
        said += " · " + tell("table.since_turn", language, turn=bond.turn)
    return said + (f" ({bond.clause})" if bond.clause else "")


def _facts(speaker: Speaker, place: Place, language: str) -> list[str]:
    """What is said of a space, in short sentences."""
    if not place.there:
        return []
    if place.owner == UNKNOWN:
        found = [tell("site.held_unknown", language)]
    elif place.owner == NONE:
        found = []
    else:
        found = [tell("site.held_by", language, power=speaker.value("power", place.owner))]
    found += [_piece(speaker, piece, language) for piece in place.pieces]
    found += [speaker.say(f"shown/{mark.what}", {"power": mark.power, "count": mark.number}) for mark in place.marks]
    return found


def _piece(speaker: Speaker, piece: Piece, language: str) -> str:
    """Units in words."""
    power = speaker.value("power", piece.power)
    if piece.number == UNKNOWN:
        said = f"{power}, {tell('site.troops_unknown', language)}"
    elif piece.number or not piece.leaders:
        key = f"shown/{piece.what}"
        inside = f"{key}/inside"
        key = inside if piece.inside and inside in speaker.words.templates else key
        said = speaker.say(key, {"power": piece.power, "count": piece.number})
    else:
        said = power
    return f"{said} ({speaker.value('leader', piece.leaders)})" if piece.leaders else said


def spaces_of(shown: Shown, language: str) -> list[tuple[str, str]]:
    """The places there are: (name in English, name in the language), by the latter."""
    found = [
        (space.name("en"), space.name(language))
        for space, place in zip(shown.board.spaces, shown.places, strict=True)
        if place.there
    ]
    return sorted(found, key=lambda one: one[1])


__all__ = ["BoardMap", "board_map", "spaces_of"]
