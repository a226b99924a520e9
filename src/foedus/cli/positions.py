"""Positions from files: a sketch, a script or a record, whatever the file holds."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from foedus.cli.reading import MAX_RECORD, STDIN, InputError, beside, read_text, read_toml
from foedus.kernel import game as games
from foedus.kernel.cases import referee_for
from foedus.kernel.faults import Fault, at, fault_of
from foedus.kernel.game import Game, UnknownGame
from foedus.kernel.referee import Referee

_COMMENT = re.compile(r'\s+#[^"]*$')


def game_named(name: str | None, data: Mapping[str, Any], place: str) -> Game:
    """The game named by the caller or by the data; the only one installed if neither names one."""
    said = data.get("game")
    if said is not None and not isinstance(said, str):
        raise InputError(f"{place}: 'game' must be a text")
    if name is None and said is None:
        known = list(games.known_games())
        if len(known) != 1:
            raise InputError(f"{place}: which game? name it by --game or the key 'game'; {', '.join(known)}")
        name = known[0]
    if name is not None and said is not None and name != said:
        raise InputError(Fault("other_game", place=place, said=said[:80], name=name[:80]))
    try:
        return games.find_game(name or str(said))
    except UnknownGame as error:
        raise InputError(fault_of(error)) from None


def sketched(game: Game, data: Mapping[str, Any], text: str, place: str) -> tuple[Referee, Any]:
    """The referee and the state of a sketch. `text` is its source, for line numbers."""
    try:
        referee = referee_for(game, data)
        return referee, referee.sketch(data, text)
    except ValueError as error:
        raise InputError(at(place, error) if place else Fault("the_position", fault=fault_of(error))) from error


@dataclass(frozen=True)
class Script:
    """A script in notation: where it starts, and its lines with their numbers."""

    position: Mapping[str, Any] = field(default_factory=dict)
    source: str = ""
    lines: tuple[tuple[int, str], ...] = ()


def read_script(text: str, path: str) -> Script:
    """A script. It may begin with `position` and lines of TOML up to an empty line, or with `sketch FILE`."""
    rows = text.split("\n")
    at, position, source, begun = 0, dict[str, Any](), "", False
    lines: list[tuple[int, str]] = []
    while at < len(rows):
        row = rows[at].strip()
        if row == "position":
            if begun:
                raise InputError(f"{path}: line {at + 1}: the position must come first, and once")
            begun, first = True, at + 1
            at += 1
            while at < len(rows) and rows[at].strip():
                at += 1
            toml = "\n".join(rows[first:at])
            position = read_toml(toml, path, first + 1)
            source = "\n" * first + toml
        elif row.split()[:1] == ["sketch"]:
            if begun:
                raise InputError(f"{path}: line {at + 1}: the sketch must come first, and once")
            name = row[len("sketch") :].strip().strip('"')
            if not name:
                raise InputError(f"{path}: line {at + 1}: 'sketch' needs the name of a file")
            begun, file = True, beside(path, name)
            source = read_text(file)
            position = read_toml(source, file)
        elif row and not row.startswith("#"):
            begun = True
            lines.append((at + 1, _COMMENT.sub("", row)))
        at += 1
    return Script(position, source, tuple(lines))


def kind_of_file(path: str, text: str) -> str:
    """What a file holds, by its name, else by how it begins: "record", "script" or "sketch"."""
    for ending, kind in ((".jsonl", "record"), (".foedus", "script"), (".toml", "sketch")):
        if path.lower().endswith(ending):
            return kind
    start = text.lstrip()
    if start.startswith("{"):
        return "record"
    return "script" if re.match(r"(#.*\n|\s)*(position|sketch\s)", text) else "sketch"


def limit_for(path: str) -> int:
    """How much of a file is read at most."""
    from foedus.cli.reading import MAX_TEXT

    return MAX_RECORD if path == STDIN or path.lower().endswith(".jsonl") else MAX_TEXT
