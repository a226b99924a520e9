"""Decks in files: cards written as TOML or as a CSV table, read row by row with every fault and its line.

What a card may say is each game's own matter; this is what reading any deck needs.
"""

from __future__ import annotations

import csv
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from foedus.kernel.rulebook import did_you_mean

MOST_ROWS = 1000
MOST_CHARACTERS = 1_000_000
CARD_ID = re.compile(r"^[a-z0-9][a-z0-9_]{0,39}$")
_SPLIT = re.compile(r"[\s;+,]+")


class DeckError(ValueError):
    """A deck cannot be used; `faults` says why, one sentence each with its place."""

    def __init__(self, faults: Iterable[str]) -> None:
        self.faults = tuple(faults)
        super().__init__("\n".join(self.faults))


@dataclass(frozen=True)
class Row:
    """One card as it was written, and where."""

    data: Mapping[str, Any]
    line: int | None
    number: int


@dataclass(frozen=True)
class Columns:
    """What a card of a game may say: its keys; which of them are lists, numbers with their limits."""

    keys: tuple[str, ...]
    lists: tuple[str, ...]
    numbers: Mapping[str, tuple[int, int]]


class DeckCheck:
    """Collects the faults of one deck, and reads what cards of any game say in one way."""

    def __init__(self, file: str, columns: Columns, taken: Iterable[str] = ()) -> None:
        self.file = file
        self.columns = columns
        self.taken = frozenset(taken)
        self.faults: list[str] = []

    def add(self, message: str, row: Row | None = None, line: int | None = None) -> None:
        """A fault, with its line if it is known and the card it is about."""
        at = row.line if row is not None else line
        place = self.file if at is None else f"{self.file}:{at}"
        if row is not None:
            name = row.data.get("id")
            place += f": card {name}" if isinstance(name, str) and name else f": card number {row.number}"
        self.faults.append(f"{place}: {message}")

    def unknown(self, what: str, word: object, known: Iterable[str], row: Row | None = None) -> None:
        """A name that is not known, with the nearest ones that are."""
        said = str(word)[:60]
        known = tuple(known)
        near = did_you_mean(said, known) or f"; there is: {', '.join(known)}"
        self.add(f"unknown {what} '{said}'{near}", row)

    # rows

    def rows_of_toml(self, text: str, file_keys: tuple[str, ...]) -> tuple[Mapping[str, Any], list[Row]]:
        """The data of a deck in TOML, and its rows. Raises `DeckError` where it cannot be read at all."""
        if len(text) > MOST_CHARACTERS:
            raise DeckError((f"{self.file}: too long for a deck",))
        try:
            data = tomllib.loads(text)
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            raise DeckError((f"{self.file}: not TOML: {error}",)) from None
        return data, self.rows_of_data(data, file_keys, text)

    def rows_of_data(self, data: Mapping[str, Any], file_keys: tuple[str, ...], text: str = "") -> list[Row]:
        """The rows of a deck as data; `text` is its source, for the lines."""
        for key in data:
            if key not in file_keys:
                self.unknown("key", key, file_keys)
        told = data.get("cards", [])
        if not isinstance(told, list) or not told:
            self.add("cards: a list of cards is needed")
            told = []
        lines = _lines(text)
        rows = []
        for number, one in enumerate(told, 1):
            if not isinstance(one, dict):
                self.add(f"card number {number}: a table is needed, such as {{ id = ..., effect = ..., value = ... }}")
                continue
            rows.append(Row(one, next(lines(str(one.get("id", ""))), None), number))
        return rows

    def rows_of_csv(self, text: str) -> list[Row]:
        """The rows of a CSV table: a heading line of keys, then a card a line; lists with spaces between.

        Raises `DeckError` where it is too long to be read.
        """
        if len(text) > MOST_CHARACTERS:
            raise DeckError((f"{self.file}: too long for a deck",))
        first = text.split("\n", 1)[0]
        reader = csv.reader(
            (f"{one}\n" for one in text.split("\n")), delimiter=";" if first.count(";") > first.count(",") else ","
        )
        rows = []
        try:
            heading = [one.strip() for one in next(reader, [])]
            for key in heading:
                if key not in self.columns.keys:
                    self.unknown("column", key, self.columns.keys)
            start = reader.line_num + 1
            for number, cells in enumerate(reader, 1):
                line, start = start, reader.line_num + 1
                if not any(cell.strip() for cell in cells):
                    continue
                if len(cells) > len(heading):
                    self.add(f"{len(cells)} cells, but the heading has {len(heading)}", line=line)
                pairs = zip(heading, cells, strict=False)
                data = {key: self._cell(key, cell.strip()) for key, cell in pairs if cell.strip()}
                known = {key: value for key, value in data.items() if key in self.columns.keys}
                rows.append(Row(known, line, number))
        except csv.Error as error:
            self.add(f"not a CSV table: {error}", line=reader.line_num)
        if not rows:
            self.add("there is no card in it")
        return rows

    def _cell(self, key: str, cell: str) -> Any:
        if key in self.columns.lists:
            parts = [part for part in _SPLIT.split(cell) if part]
            return [int(part) if key == "players" and part.isdigit() else part for part in parts]
        return int(cell) if key in self.columns.numbers and re.fullmatch(r"\d{1,6}", cell) else cell

    def once(self, rows: Iterable[Row]) -> Iterator[Row]:
        """The rows, at most so many, with a fault for every id that stands twice or is taken."""
        rows = list(rows)
        if len(rows) > MOST_ROWS:
            self.add(f"at most {MOST_ROWS} different cards, not {len(rows)}")
            rows = rows[:MOST_ROWS]
        seen: dict[str, Row] = {}
        for row in rows:
            yield row
            name = row.data.get("id")
            if isinstance(name, str) and name in seen:
                where = f" (line {seen[name].line})" if seen[name].line is not None else ""
                self.add(f"the id is used twice{where}; for several copies say copies = 2", row)
            elif isinstance(name, str):
                seen[name] = row
                if name in self.taken:
                    self.add("the id is taken by a card of another deck", row)

    # what a card says

    def keys(self, row: Row) -> None:
        """Faults for keys that a card cannot have."""
        for key in row.data:
            if key not in self.columns.keys:
                self.unknown("key", key, self.columns.keys, row)

    def id(self, row: Row) -> str:
        """The card's id."""
        name = row.data.get("id")
        if not isinstance(name, str) or not CARD_ID.match(name):
            self.add(f"id: small letters, digits and _ are needed, not '{str(name)[:60]}'", row)
        return str(name)

    def numbers(self, row: Row, needed: tuple[str, ...] = ("value",)) -> dict[str, int]:
        """The card's numbers, within their limits; 1 where one is left out that may be."""
        found = {}
        for key, (low, high) in self.columns.numbers.items():
            value = row.data.get(key, 1)
            if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
                self.add(f"{key}: a whole number from {low} to {high} is needed, not '{str(value)[:40]}'", row)
                value = 1
            elif key in needed and key not in row.data:
                self.add(f"{key}: a whole number from {low} to {high} is needed", row)
            found[key] = value
        return found

    def words(self, row: Row, key: str) -> list[Any]:
        """The list of a card under a key."""
        value = row.data.get(key, [])
        if not isinstance(value, list) or len(value) > 20:
            self.add(f"{key}: a list is needed, not '{str(value)[:40]}'", row)
            return []
        if len(set(map(str, value))) != len(value):
            self.add(f"{key}: something stands twice", row)
        return value

    def said(self, row: Row) -> tuple[tuple[str, str], ...]:
        """The card's names by language; its id where it has none."""
        for key in ("en", "ru"):
            value = row.data.get(key)
            if key in row.data and (not isinstance(value, str) or not value.strip() or len(value) > 120):
                self.add(f"{key}: a name of at most 120 letters is needed", row)
        english = str(row.data.get("en") or row.data.get("id"))
        return (("en", english), ("ru", str(row.data.get("ru") or english)))


def _lines(text: str) -> Any:
    """A function that gives the lines on which ids stand, each looked for from the one before."""
    places: dict[str, list[int]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        for match in re.finditer(r"(?<![\w-])id\s*=\s*([\"'])([^\"'\n]*)\1", line):
            places.setdefault(match[2], []).append(number)
    found = {name: iter(numbers) for name, numbers in places.items()}
    return lambda name: found.get(name, iter(()))
