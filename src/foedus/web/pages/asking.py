"""A question to the desk as it stands in an address: a position in a few facts, what was done since, and a line.

The address and the form say the same; `Question.pairs` writes the shortest that says all of it. Of a place:
`at=Tarquinii|ETR|1|GAL 5 Brennus; ETR 3 inside|GAL`, by the columns of the game's form. A question too long for an
address that people send each other is packed into its part `z`.
"""

from __future__ import annotations

import base64
import tomllib
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode

from foedus.kernel import desk
from foedus.kernel.cases import merged
from foedus.kernel.dice import NeedDice, ToldDice, WrongDice
from foedus.kernel.faults import Fault, fault_of, said
from foedus.kernel.flow import Action
from foedus.kernel.game import Game
from foedus.kernel.notation import NotationError
from foedus.kernel.referee import Referee
from foedus.kernel.rulebook import RulebookError
from foedus.kernel.sketch import SketchError
from foedus.kernel.unknown import Unknown
from foedus.web.pages.games import referee_of, usual_players
from foedus.web.pages.toml import write_toml

MAX_ROWS: Final = 120
MAX_FIRST: Final = 60
MAX_TEXT: Final = 20_000
MAX_QUESTION: Final = 60_000
Pairs = list[tuple[str, str]]


@dataclass
class Question:
    """What was asked, as typed: nothing here is checked yet."""

    game: Game
    players: str = ""
    base: str = ""
    moment: dict[str, str] = field(default_factory=dict)
    numbers: dict[str, str] = field(default_factory=dict)
    points: dict[str, str] = field(default_factory=dict)
    pairs_told: dict[str, list[str]] = field(default_factory=dict)
    none_told: set[str] = field(default_factory=set)
    rows: list[list[str]] = field(default_factory=list)
    """places: the name, then what is told by the columns of the form"""
    rulings: dict[str, str] = field(default_factory=dict)
    more: str = ""
    first: str = ""
    line: str = ""
    tidy: bool = True
    """the address says it in the shortest way already"""

    @property
    def known(self) -> bool:
        """Is anything asked?"""
        return bool(self.line.strip())

    def pairs(self, **instead: str) -> Pairs:
        """The question as parts of an address; `instead` has other values for "ask" or a ruling ("ruling.NAME")."""
        form = self.game.form
        found: Pairs = []

        def put(key: str, value: str) -> None:
            if value.strip():
                found.append((key, value.strip()))

        put("players", self.players)
        put("base", self.base)
        for key, _ in form.moment:
            put(key, self.moment.get(key, ""))
        for key in form.numbers:
            put(key, self.numbers.get(key, ""))
        for name, value in self.points.items():
            put(f"{form.points}.{name}", value)
        for key in form.pairs:
            for pair in self.pairs_told.get(key, ()):
                put(key, pair)
            if key in self.none_told and not self.pairs_told.get(key):
                put(f"{key}.none", "1")
        for row in self.rows:
            if row[0].strip():
                found.append(("at", "|".join(one.strip().replace("|", " ") for one in row).rstrip("|")))
        for name, option in self.rulings.items():
            put(f"ruling.{name}", option)
        for key, value in instead.items():
            if key.startswith("ruling."):
                found = [pair for pair in found if pair[0] != key]
                put(key, value)
        put("more", self.more)
        put("first", instead.get("first", self.first))
        put("ask", instead.get("ask", self.line))
        return found


def read_question(game: Game, query: Iterable[tuple[str, str]]) -> Question:
    """The question in an address, or in a form that was sent."""
    found = Question(game)
    form = game.form
    pairs = [one for key, value in query for one in (unpacked(value) if key == "z" else [(key, value)])]
    columns: dict[str, list[str]] = {key: [] for key in ("place", *dict(form.place))}
    for key, raw in pairs:
        value = raw[:MAX_TEXT].replace("\r\n", "\n").replace("\x00", "")
        head, _, tail = key.partition(".")
        if not value.strip():
            if key not in ("lang", "zoom", "ask") and not key.startswith("row."):
                found.tidy = False
        if key == "players":
            found.players = value.strip()
        elif key == "base":
            found.base = value.strip()
        elif key in dict(form.moment):
            found.moment[key] = value.strip()
        elif key in form.numbers:
            found.numbers[key] = value.strip()
        elif head == form.points and tail:
            found.points[tail] = value.strip()
        elif key in form.pairs:
            if value.strip() and value not in found.pairs_told.setdefault(key, []):
                found.pairs_told[key].append(value.strip())
        elif head in form.pairs and tail == "none":
            found.none_told.add(head)
        elif key == "at":
            parts = [*value.split("|"), *([""] * len(form.place))]
            found.rows.append([one.strip() for one in parts[: len(form.place) + 1]])
        elif key == "add":
            found.rows.append([value.strip(), *([""] * len(form.place))])
        elif head == "row" and tail in columns:
            found.tidy = False
            columns[tail].append(value)
        elif head == "ruling" and tail and value.strip():
            found.rulings[tail] = value.strip()
        elif key == "more":
            found.more = value
        elif key == "first":
            found.first = value
        elif key == "ask":
            found.line = value.strip()
    for index, name in enumerate(columns["place"]):
        told = [columns[key][index] if index < len(columns[key]) else "" for key, _ in form.place]
        if name.strip() or any(one.strip() for one in told):
            found.rows.append([name.strip(), *(one.strip() for one in told)])
    found.rows = _once(found.rows)[:MAX_ROWS]
    return found


def packed(pairs: Pairs) -> str:
    """A long question in one part of an address: compressed, for links only."""
    return base64.urlsafe_b64encode(zlib.compress(urlencode(pairs).encode(), 9)).decode().rstrip("=")


def unpacked(text: str) -> Pairs:
    """What `packed` made it from; nothing for what it did not make."""
    try:
        packet = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        told = zlib.decompressobj().decompress(packet, MAX_QUESTION)
        return parse_qsl(told.decode(), max_num_fields=1000)
    except (ValueError, zlib.error):
        return []


def _once(rows: Sequence[list[str]]) -> list[list[str]]:
    """Every place once: what is told of it later holds; an empty row says nothing new."""
    by_name: dict[str, list[str]] = {}
    for row in rows:
        old = by_name.get(row[0])
        if old is None or any(row[1:]):
            by_name[row[0]] = row
    return list(by_name.values())


class Unclear(Exception):
    """A question cannot be understood: faults by field ("" for the position as a whole), ready to be read."""

    def __init__(self, faults: Mapping[str, Sequence[str]]) -> None:
        self.faults = faults
        super().__init__("; ".join(one for found in faults.values() for one in found))


def _number(text: str) -> Any:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 7 else text


def sketch_of(question: Question, bases: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The sketch that the form says. Raises `Unclear` for TOML that cannot be read."""
    game, form = question.game, question.game.form
    data: dict[str, Any] = {"game": game.id}
    if question.players:
        data["players"] = _number(question.players)
    data.update(bases.get(question.base, {}))
    for key, value in question.moment.items():
        if value:
            data[key] = value
    for key, value in question.numbers.items():
        if value:
            data[key] = _number(value)
    points = {name: _number(value) for name, value in question.points.items() if value}
    if points:
        data[form.points] = points
    for key in form.pairs:
        told = question.pairs_told.get(key, [])
        if told or key in question.none_told:
            data[key] = told
    placed = {row[0]: _place(form.place, row[1:]) for row in question.rows if row[0]}
    spaces = {name: facts for name, facts in placed.items() if facts}
    if spaces:
        data["spaces"] = spaces
    if question.rulings:
        data["rulings"] = dict(question.rulings)
    if question.more.strip():
        try:
            data = merged(data, tomllib.loads(question.more))
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            raise Unclear({"more": [Fault("not_toml", why=str(error)[:300])]}) from None
    return data


def _place(columns: Sequence[tuple[str, str]], told: Sequence[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for (key, kind), text in zip(columns, told, strict=False):
        if not text:
            continue
        value: Any = _number(text) if kind == "number" else text
        if kind == "list":
            none = text.casefold() in ("none", "нет", "никого", "0", "-")
            value = [] if none else [one.strip() for one in text.split(";") if one.strip()]
        head, _, inner = key.partition(".")
        if inner:
            found[head] = "none" if text == "none" else {**found.get(head, {}), inner: value}
        else:
            found[head] = value
    return found


def question_of(game: Game, sketch: Mapping[str, Any], line: str = "", first: str = "") -> Question:
    """The question that puts a line in the position of a sketch: what the form cannot say goes to its TOML."""
    form = game.form
    found = Question(game, line=line, first=first)
    left = {key: value for key, value in sketch.items() if key != "game"}
    if isinstance(left.get("players"), int):
        found.players = str(left.pop("players"))
    if left.get("elsewhere") == "home":
        found.base = "home"
        del left["elsewhere"]
    elif "scenario" in left:
        found.base = "setup"
        del left["scenario"]
    for key, _ in form.moment:
        if isinstance(left.get(key), str):
            found.moment[key] = str(left.pop(key))
    for key in form.numbers:
        if isinstance(left.get(key), int):
            found.numbers[key] = str(left.pop(key))
    points = left.get(form.points)
    if isinstance(points, Mapping) and all(isinstance(one, int) for one in points.values()):
        found.points = {str(name): str(value) for name, value in points.items()}
        del left[form.points]
    for key in form.pairs:
        told = left.get(key)
        if isinstance(told, list) and all(isinstance(one, str) for one in told):
            found.pairs_told[key] = list(told)
            if not told:
                found.none_told.add(key)
            del left[key]
    rulings = left.get("rulings")
    if isinstance(rulings, Mapping):
        found.rulings = {str(name): str(option) for name, option in rulings.items()}
        del left["rulings"]
    spaces = left.pop("spaces", {})
    rest = {}
    for name, told in spaces.items():
        row = _row(form.place, told) if isinstance(told, Mapping) else None
        if row is None:
            rest[name] = told
        else:
            found.rows.append([str(name), *row])
    if rest:
        left["spaces"] = rest
    found.more = write_toml(left).strip() if left else ""
    return found


def question_about(referee: Referee, state: Any) -> Question | None:
    """The question that begins from a position as a spectator may know it, as short as it goes: only what differs from
    the usual positions of the form. None if the position cannot stand by itself, as in the middle of a battle."""
    game = referee.game
    whole = game.write_sketch(referee.view(state, None))
    told = {key: value for key, value in whole.items() if key not in game.form.unsaid}
    try:
        referee.sketch(told)
    except (SketchError, ValueError, LookupError):
        return None
    best = question_of(game, told)
    for name, base in game.form.bases(referee.world).items():
        start = {"players": told["players"]} if "players" in told else {}
        usual = game.write_sketch(referee.sketch({**start, **base}))
        places = usual.get("spaces", {})
        if not (set(usual) <= set(told) and set(places) <= set(told.get("spaces", {}))):
            continue
        differs = {key: value for key, value in told.items() if key in start or usual.get(key) != value}
        changed = {place: facts for place, facts in told.get("spaces", {}).items() if places.get(place) != facts}
        found = question_of(game, {**differs, "spaces": changed} if changed else differs)
        found.base = name
        try:
            again = referee.sketch(sketch_of(found, game.form.bases(referee.world)))
        except (SketchError, Unclear):
            continue
        if game.write_sketch(again) == told and len(found.pairs()) < len(best.pairs()):
            best = found
    return best


def _row(columns: Sequence[tuple[str, str]], told: Mapping[str, Any]) -> list[str] | None:
    """What is told of a place by the columns of the form; None if they cannot say all of it."""
    left = {key: dict(value) if isinstance(value, Mapping) else value for key, value in told.items()}
    row = []
    for key, kind in columns:
        head, _, inner = key.partition(".")
        value = left.get(head)
        if value is None:
            row.append("")
            continue
        if inner:
            if value == "none":
                row.append("none")
                del left[head]
            elif isinstance(value, dict) and set(value) == {inner}:
                row.append(str(value[inner]))
                del left[head]
            else:
                return None
            continue
        if kind == "list":
            if not isinstance(value, list) or any(";" in str(one) for one in value):
                return None
            row.append("; ".join(map(str, value)) or "none")
        else:
            row.append(str(value))
        del left[head]
    return None if left else row


# answering


@dataclass
class Position:
    """The position of a question, as far as it could be understood."""

    referee: Referee
    state: Any
    happened: list[tuple[str, list[str]]] = field(default_factory=list)
    """what was done first, line by line, and what happened"""


def position_of(question: Question, language: str) -> Position:
    """The position of a question once what was done first is done. Raises `Unclear` with the faults by field."""
    try:
        bases = question.game.form.bases(referee_of(question.game, _players(question)).world)
        data = sketch_of(question, bases)
        referee = referee_of(question.game, data)
        state = referee.sketch(data, question.more)
    except SketchError as error:
        raise Unclear(_by_field(question, error.faults, language)) from error
    except (ValueError, LookupError, TypeError) as error:
        place = "players" if "players" in str(error) else ""
        raise Unclear({place: [said(error, language)]}) from error
    position = Position(referee, state)
    _do_first(position, question.first, language)
    return position


def _players(question: Question) -> dict[str, Any]:
    if question.players:
        return {"players": _number(question.players)}
    usual = usual_players(question.game)
    return {} if usual is None else {"players": usual}


def _by_field(question: Question, faults: Iterable[str], language: str) -> dict[str, list[str]]:
    """Which field each fault belongs to: the one that it names, else the one that holds the word it quotes."""
    form = question.game.form
    found: dict[str, list[str]] = {}
    plain = [key for key, _ in form.moment] + [*form.numbers, *form.pairs, form.points, "rulings", "players"]
    for fault in faults:
        inner = fault.facts.get("fault", fault) if isinstance(fault, Fault) and fault.key == "line" else fault
        text = str(inner)
        word = str(inner.facts.get("word", "")) if isinstance(inner, Fault) else ""
        start = text.split(":", 1)[0].split()
        named = start[0] if start and ":" in text else ""
        row = next((i for i, one in enumerate(question.rows) if _touches(one, text, word)), None)
        if named in plain:
            place = named
        elif row is not None:
            place = f"row{row}"
        elif question.more.strip() and (word and word in question.more):
            place = "more"
        else:
            place = next((key for key, value in question.moment.items() if word and value == word), "")
        found.setdefault(place, []).append(said(inner if place != "more" else fault, language))
    return found


def _touches(row: Sequence[str], text: str, word: str) -> bool:
    name = row[0]
    if name and (text.startswith((f"{name}:", f"{name} ")) or f" {name}" in text):
        return True
    return bool(word) and any(word in one for one in row)


def _do_first(position: Position, lines: str, language: str) -> None:
    """Carry out what was done before the question, line by line."""
    told = [one.strip() for one in lines.split("\n") if one.strip()]
    if len(told) > MAX_FIRST:
        raise Unclear({"first": [Fault("number", what="lines", low=0, high=MAX_FIRST, word=str(len(told)))]})
    dice = ToldDice()
    for number, line in enumerate(told, 1):
        try:
            _do(position, line, dice, language)
        except Unclear as error:
            faults = [f"{line}: {one}" for one in error.faults[""]]
            raise Unclear({"first": faults}) from None
        except NeedDice as need:
            purpose = desk.Speaker(position.referee, language).purpose(need.purpose)
            fault = Fault("need_dice", purpose=purpose, dice=need.count, sides=need.sides, have=need.have)
            raise Unclear({"first": [said(Fault("line", number=number, fault=fault), language)]}) from None
        except Unknown as unknown:
            question = desk.Speaker(position.referee, language).question(unknown.what, unknown.subject)
            fault = Fault("line", number=number, fault=Fault("not_said", question=question))
            raise Unclear({"first": [said(fault, language)]}) from None
        except (NotationError, WrongDice, RulebookError) as error:
            fault = Fault("line", number=number, fault=fault_of(error))
            raise Unclear({"first": [said(fault, language)]}) from None


def _do(position: Position, line: str, dice: ToldDice, language: str) -> None:
    referee, state = position.referee, position.state
    speaker = desk.Speaker(referee, language)
    word, _, rest = line.partition(" ")
    if word in ("dice", "picks"):
        numbers = rest.replace(",", " ").split()
        if not all(one.isascii() and one.isdigit() and len(one) < 7 for one in numbers):
            raise WrongDice(f"'{rest[:80]}': whole numbers are needed")
        (dice.tell if word == "dice" else dice.tell_picks)([int(one) for one in numbers])
        return
    if word == "ruling":
        name, _, option = rest.replace("=", " ").partition(" ")
        position.state = referee.game.rewind(state, referee.game.rulebook.option(name, option.strip()))
        return
    if line == "go":
        action = Action(state, dice)
        referee.settle(action)
        position.state = action.state
        position.happened.append((line, desk.said_events(speaker, action.events)))
        return
    asked = desk.read_line(referee, line, language)
    if asked.command is None:
        return
    ruling = desk.rule(referee, state, asked.command, language, line)
    if not ruling.verdict.allowed:
        reasons = [one["text"] for one in ruling.data["reasons"]]
        raise Unclear({"": reasons or [speaker.ui(ruling.verdict.kind, command=line)]})
    try:
        outcome = referee.carry_out(ruling.state, asked.command, dice)
    except LookupError:
        raise Unclear({"": [speaker.ui("until_moment")]}) from None
    position.state = outcome.state
    position.happened.append((line, desk.said_events(speaker, outcome.events)))


__all__ = [
    "Position",
    "Question",
    "Unclear",
    "position_of",
    "question_about",
    "question_of",
    "read_question",
    "sketch_of",
]
