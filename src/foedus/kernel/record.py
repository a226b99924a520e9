"""Records: the events of a game in order, as JSON Lines; the only truth, from which the game is rebuilt.

The first line is the header, each further one a batch: what one command (or the start of the game) brought about.

    {"foedus": 1, "game": "...", "versions": {"events": 1}, "players": 4, "board": ..., "options": {...},
     "rulings": {"name": "option"}, "seats": {"ROM": "Anna"}, "commitment": "...", "sketch": {...}}
    {"n": 1, "time": "...", "by": "ROM", "line": "ROM breaks ETR", "command": {"do": ...}, "events": [{"do": ...}]}

At a table with dice of its own the header also has `numbers`, what each seat added to the dice ({"ROM": 17}), each
further line `prev`, the fingerprint of the line before it (`fingerprint`), so that a changed, missing or moved line
shows, and the last line publishes the secret of the dice when the game is over:

    {"published": {"secret": "..."}, "prev": "..."}

`board` is the board's name or the board itself, `options` likewise for decks and tables; `sketch` is the position a
game began from, where it did not begin at the game's start. Keys that say nothing are left out. `time` comes from
outside; nothing here reads a clock, and nothing here reads or writes files.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from foedus.kernel.codec import CodecError
from foedus.kernel.game import Game
from foedus.kernel.referee import Referee, make_referee
from foedus.kernel.values import Command, Event
from foedus.kernel.verdict import Verdict

FORMAT: Final = 1
EVENTS_VERSION: Final = 1
MAX_LINE: Final = 1_000_000
"""The most characters of one line."""
MAX_BATCHES: Final = 1_000_000


class RecordError(ValueError):
    """A record cannot be read or applied; the message names the line."""

    def __init__(self, line: int, message: str) -> None:
        self.line = line
        super().__init__(f"line {line}: {message}")


@dataclass(frozen=True)
class Header:
    """What a record says before its first batch."""

    game: str
    players: int | None = None
    board: Any = None
    options: Mapping[str, Any] = field(default_factory=dict)
    rulings: Mapping[str, str] = field(default_factory=dict)
    seats: Mapping[str, str] = field(default_factory=dict)
    commitment: str = ""
    sketch: Mapping[str, Any] | None = None
    events: int = EVENTS_VERSION
    numbers: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Batch:
    """One line of a record, as plain data: its number, who acted, the command and its events.

    `by` is a seat's name, "" for the start of the game; `at` is the line of the file it was read from.
    """

    number: int
    events: tuple[Mapping[str, Any], ...]
    by: str = ""
    line: str = ""
    command: Mapping[str, Any] | None = None
    time: str = ""
    at: int = 0
    prev: str = ""


@dataclass(frozen=True)
class Record:
    """A header and its batches; `secret` is that of the dice in hex digits, once it is published (on line `end`)."""

    header: Header
    batches: tuple[Batch, ...] = ()
    secret: str = ""
    end: int = 0


@dataclass(frozen=True)
class Step:
    """One batch with its meaning: the state before and after it, its command and its events."""

    batch: Batch
    before: Any
    after: Any
    command: Command | None
    events: tuple[Event, ...]


# writing


def _line(data: Mapping[str, Any]) -> str:
    return msgspec.json.encode(data).decode()


def fingerprint(line: str) -> str:
    """What the next line says of this one: the first 32 hex digits of its SHA-256, without its end of line."""
    return hashlib.sha256(line.encode("utf-8", "replace")).hexdigest()[:32]


def write_end(secret: bytes, prev: str) -> str:
    """The last line of a record, which publishes the secret of the dice."""
    return _line({"published": {"secret": secret.hex()}, "prev": prev})


def write_header(header: Header) -> str:
    """The first line of a record, without its end of line."""
    data: dict[str, Any] = {"foedus": FORMAT, "game": header.game, "versions": {"events": header.events}}
    for key in ("players", "board", "options", "rulings", "seats", "commitment", "numbers", "sketch"):
        value = getattr(header, key)
        if value is not None and (key == "sketch" or value not in ({}, "")):
            data[key] = value
    return _line(data)


def write_batch(
    referee: Referee,
    number: int,
    events: Iterable[Event],
    *,
    command: Command | None = None,
    by: str = "",
    line: str = "",
    time: str = "",
    prev: str = "",
) -> str:
    """One further line of a record, without its end of line; `prev` is the fingerprint of the line before."""
    codec = referee.codec
    data: dict[str, Any] = {"n": number}
    if time:
        data["time"] = time
    if by:
        data["by"] = by
    if line:
        data["line"] = line
    if command is not None:
        data["command"] = codec.encode(command)
    data["events"] = [codec.encode(event) for event in events]
    if prev:
        data["prev"] = prev
    return _line(data)


# reading


_HEADER_KEYS: Final = (
    "foedus",
    "game",
    "versions",
    "players",
    "board",
    "options",
    "rulings",
    "seats",
    "commitment",
    "numbers",
    "sketch",
)
_BATCH_KEYS: Final = ("n", "time", "by", "line", "command", "events", "prev")


def _parse(number: int, text: str) -> dict[str, Any]:
    if len(text) > MAX_LINE:
        raise RecordError(number, f"the line is longer than {MAX_LINE} characters")
    try:
        data = msgspec.json.decode(text)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise RecordError(number, f"this is not JSON: {str(error)[:200]}") from None
    if not isinstance(data, dict):
        raise RecordError(number, "an object in braces is needed")
    return data


def _keys(number: int, data: Mapping[str, Any], known: Iterable[str]) -> None:
    for key in data:
        if key not in known:
            raise RecordError(number, f"unknown key {key[:80]!r}; known are {', '.join(known)}")


def _of(number: int, data: Mapping[str, Any], key: str, wanted: type, default: Any) -> Any:
    value = data.get(key, default)
    if value is not default and (not isinstance(value, wanted) or isinstance(value, bool)):
        name = {dict: "an object", str: "a text", int: "a whole number", list: "a list"}[wanted]
        raise RecordError(number, f"'{key}' must be {name}")
    return value


def _header(number: int, data: Mapping[str, Any]) -> Header:
    if "foedus" not in data or "game" not in data:
        raise RecordError(number, "a record begins with a header that has the keys 'foedus' and 'game'")
    _keys(number, data, _HEADER_KEYS)
    if data["foedus"] != FORMAT:
        raise RecordError(number, f"this record has the format {str(data['foedus'])[:20]!r}; known is {FORMAT}")
    versions = _of(number, data, "versions", dict, {})
    events = versions.get("events", EVENTS_VERSION)
    if events != EVENTS_VERSION:
        raise RecordError(number, f"its events have the version {str(events)[:20]!r}; known is {EVENTS_VERSION}")
    for key in ("rulings", "seats"):
        for name, value in _of(number, data, key, dict, {}).items():
            if not isinstance(value, str):
                raise RecordError(number, f"'{key}.{name[:80]}' must be a text")
    for name, value in _of(number, data, "numbers", dict, {}).items():
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise RecordError(number, f"'numbers.{name[:80]}' must be a whole number from 0")
    return Header(
        _of(number, data, "game", str, ""),
        _of(number, data, "players", int, None),
        data.get("board"),
        _of(number, data, "options", dict, {}),
        data.get("rulings", {}),
        data.get("seats", {}),
        _of(number, data, "commitment", str, ""),
        _of(number, data, "sketch", dict, None),
        EVENTS_VERSION,
        data.get("numbers", {}),
    )


def _batch(number: int, data: Mapping[str, Any]) -> Batch:
    _keys(number, data, _BATCH_KEYS)
    if "events" not in data or "n" not in data:
        raise RecordError(number, "a batch needs the keys 'n' and 'events'")
    events = _of(number, data, "events", list, ())
    if not all(isinstance(event, dict) for event in events):
        raise RecordError(number, "'events' must hold objects")
    return Batch(
        _of(number, data, "n", int, 0),
        tuple(events),
        _of(number, data, "by", str, ""),
        _of(number, data, "line", str, ""),
        _of(number, data, "command", dict, None),
        _of(number, data, "time", str, ""),
        number,
        _of(number, data, "prev", str, ""),
    )


def _end(number: int, data: Mapping[str, Any]) -> str:
    _keys(number, data, ("published", "prev"))
    published = _of(number, data, "published", dict, {})
    _keys(number, published, ("secret",))
    secret: str = _of(number, published, "secret", str, "")
    if len(secret) != 64 or any(digit not in "0123456789abcdef" for digit in secret):
        raise RecordError(number, "'published.secret' must be 64 hex digits")
    return secret


def read_record(lines: Iterable[str]) -> Record:
    """The record in these lines; empty lines are passed over. Raises `RecordError`, which names the line."""
    header: Header | None = None
    batches: list[Batch] = []
    secret, end = "", 0
    number = 0
    for number, text in enumerate(lines, 1):
        if not text.strip():
            continue
        data = _parse(number, text)
        if header is None:
            header = _header(number, data)
            continue
        if end:
            raise RecordError(number, f"line {end} has published the secret of the dice; nothing may come after it")
        if "published" in data:
            secret, end = _end(number, data), number
            continue
        batch = _batch(number, data)
        if batches and batch.number <= batches[-1].number:
            raise RecordError(number, f"batch {batch.number} comes after batch {batches[-1].number}")
        if len(batches) >= MAX_BATCHES:
            raise RecordError(number, f"more than {MAX_BATCHES} batches")
        batches.append(batch)
    if header is None:
        raise RecordError(max(number, 1), "the record is empty")
    return Record(header, tuple(batches), secret, end)


# applying


def open_record(game: Game, record: Record, referee: Referee | None = None) -> tuple[Referee, Any]:
    """The referee of a record's game (or the one given, which must be of its kind), and the state before its first
    batch. Raises `RecordError`."""
    header = record.header
    if header.game != game.id:
        raise RecordError(1, f"the record is of the game '{header.game[:80]}', not of '{game.id}'")
    try:
        if referee is None:
            referee = make_referee(game, header.players, header.board, header.options)
        if header.sketch is not None:
            sketch = dict(header.sketch)
            if header.rulings:
                sketch["rulings"] = {**sketch.get("rulings", {}), **header.rulings}
            return referee, referee.sketch(sketch)
        return referee, game.start(referee.world, game.rulebook.choose(header.rulings))
    except (ValueError, LookupError, TypeError) as error:
        raise RecordError(1, str(error)) from error


def steps(referee: Referee, state: Any, record: Record) -> Iterator[Step]:
    """The batches one after the other, applied only: never judged, never rolled. Raises `RecordError`."""
    codec = referee.codec
    for batch in record.batches:
        try:
            command = codec.decode(batch.command, Command) if batch.command is not None else None
            events = tuple(codec.decode(event, Event) for event in batch.events)
        except CodecError as error:
            raise RecordError(batch.at, str(error)) from error
        after = state
        for event in events:
            try:
                after = event.apply(after)
            except (LookupError, TypeError, ValueError, AttributeError) as error:
                name = type(event).__name__
                raise RecordError(batch.at, f"the event {name} cannot have happened here: {error}") from error
        yield Step(batch, state, after, command, events)
        state = after


def replay(game: Game, record: Record) -> tuple[Referee, Any]:
    """The referee of a record and the state after its last batch. Raises `RecordError`."""
    referee, state = open_record(game, record)
    for step in steps(referee, state, record):
        state = step.after
    return referee, state


def judge(referee: Referee, step: Step) -> Verdict | None:
    """The verdict of today's rules on the command of a batch; None where it has none."""
    return referee.judge(step.before, step.command) if step.command is not None else None


__all__ = [
    "Batch",
    "Header",
    "Record",
    "RecordError",
    "Step",
    "fingerprint",
    "judge",
    "open_record",
    "read_record",
    "replay",
    "steps",
    "write_batch",
    "write_end",
    "write_header",
]
