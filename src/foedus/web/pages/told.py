"""The lines of a table as people read them: sentences and dice."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import msgspec
from markupsafe import Markup, escape

from foedus.kernel.desk import Speaker
from foedus.kernel.notation import fold
from foedus.kernel.values import Command
from foedus.kernel.words import capital
from foedus.table.live import LiveTable
from foedus.web.pages.clauses import said_event
from foedus.web.pages.site import tell, texts

_SNAPSHOT: Final = 50
_MOST_KEPT: Final = 400
_AT_ONCE: Final = 500


class Told(NamedTuple):
    """One line of a viewer as it is shown."""

    number: int
    time: str
    by: str
    """the code of the seat that acted"""
    who: str
    line: str
    """the command in words, or what was typed"""
    said: tuple[Markup, ...]
    dice: tuple[int, ...]
    what: str
    text: str
    """all of it, folded, for a search"""


def told(live: LiveTable, data: str, language: str) -> Told:
    """A line as people read it."""
    game = live.referee.game
    line: dict[str, Any] = msgspec.json.decode(data)
    what = str(line.get("what", ""))
    by = str(line.get("by", "") or line.get("seat", "") or "")
    events = line.get("events", ())
    said: list[Markup] = [said_event(game, one, language) for one in line.get("said", {}).get(language, ())]
    if what != "events":
        said = [_other(live, what, line, language)]
    dice = tuple(
        int(die)
        for event in events
        if event.get("do") == "Rolled" and event.get("sides")
        for die in event.get("result", ())
        if isinstance(die, int) and die >= 0
    )
    who = seat_name(live, by, language) if by else ""
    typed = str(line.get("line", ""))
    done = ""
    if line.get("command") is not None:
        command: Command = live.referee.codec.decode(line["command"], Command)
        done = capital(Speaker(live.referee, language).command(command, typed).rstrip("."))
    plain = " ".join([who, typed, done, *(one.striptags() for one in said)])
    return Told(int(line["n"]), str(line.get("time", "")), by, who, done or typed, tuple(said), dice, what, fold(plain))


def _other(live: LiveTable, what: str, line: Mapping[str, Any], language: str) -> Markup:
    """A line that tells of something beside the game, such as a seat that was taken."""
    facts = {key: str(value) for key, value in line.items() if isinstance(value, (str, int, float))}
    if "seat" in line:
        facts["seat"] = seat_name(live, str(line["seat"]), language)
    if isinstance(line.get("winners"), list):
        facts["winners"] = ", ".join(seat_name(live, str(one), language) for one in line["winners"]) or "–"
    key = next((one for one in (f"line.{what}_{line.get('how')}", f"line.{what}") if one in texts()), "")
    if not key:
        return escape(what.replace("_", " "))
    try:
        return escape(tell(key, language, **facts))
    except ValueError:  # words for facts that this line does not have
        return escape(what.replace("_", " "))


def seat_said(live: LiveTable, seat: str, language: str) -> str:
    """A seat in words, within a sentence."""
    names = list(live.referee.world.names.get("seat", ()))
    return Speaker(live.referee, language).value("seat", names.index(seat)) if seat in names else seat


def seat_name(live: LiveTable, seat: str, language: str) -> str:
    """A seat in words, with a capital."""
    return capital(seat_said(live, seat, language))


__all__ = ["Told", "seat_name", "seat_said", "told"]
