"""Decks in files: reads them from TOML or a CSV table and tells every fault at once, each with its line.

A deck of one's own may replace ours; `docs/decks.md` says how it is written.
"""

from __future__ import annotations

import csv
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

from foedus.boards.text import FileFault, read_text
from foedus.games.sword_of_rome.state import IND, POWERS, SEATS, CardFace
from foedus.kernel.rulebook import did_you_mean
from foedus.kernel.unknown import NONE

KEYS = ("id", "effect", "value", "copies", "amount", "reach", "powers", "players", "marks", "seat", "en", "ru")
MARKS = ("reshuffle", "remove", "named")
LISTS = ("reach", "powers", "players", "marks")
NUMBERS = {"value": (1, 3), "copies": (1, 20), "amount": (1, 3)}
FILE_KEYS = ("id", "seat", "cards")
GAMES = (2, 3, 4, 5)
LARGEST_HAND = 8
MOST_ROWS = 1000
MOST_CHARACTERS = 1_000_000
_ID = re.compile(r"^[a-z0-9][a-z0-9_]{0,39}$")
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


class _Check:
    """Collects the faults of one file."""

    def __init__(self, file: str, catalogue: Mapping[str, Any], taken: Iterable[str]) -> None:
        self.file = file
        self.catalogue = catalogue
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


def read_deck(
    path: str | PathLike[str], catalogue: Mapping[str, Any], taken: Iterable[str] = ()
) -> tuple[CardFace, ...]:
    """The cards of a deck in a file, TOML or CSV by its ending. Raises `DeckError` with every fault.

    `taken` are ids of other cards, which may not be used again.
    """
    try:
        name, text = read_text(path)
    except FileFault as fault:
        raise DeckError((str(fault),)) from None
    if name.casefold().endswith(".csv"):
        return cards_of_csv(text, catalogue, name, taken)
    return cards_of_toml(text, catalogue, name, taken)


def cards_of_toml(
    text: str, catalogue: Mapping[str, Any], file: str = "deck", taken: Iterable[str] = ()
) -> tuple[CardFace, ...]:
    """The cards of a deck in TOML. Raises `DeckError` with every fault."""
    if len(text) > MOST_CHARACTERS:
        raise DeckError((f"{file}: too long for a deck",))
    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise DeckError((f"{file}: not TOML: {error}",)) from None
    return cards_of(data, catalogue, file, taken, text)


def cards_of(
    data: Mapping[str, Any],
    catalogue: Mapping[str, Any],
    file: str = "deck",
    taken: Iterable[str] = (),
    text: str = "",
) -> tuple[CardFace, ...]:
    """The cards of a deck as data: `seat` for all, and `cards`, a list of tables. Raises `DeckError`."""
    check = _Check(file, catalogue, taken)
    for key in data:
        if key not in FILE_KEYS:
            check.unknown("key", key, FILE_KEYS)
    told = data.get("cards", [])
    if not isinstance(told, list) or not told:
        check.add("cards: a list of cards is needed")
        told = []
    lines = _lines(text)
    rows = []
    for number, one in enumerate(told, 1):
        if not isinstance(one, dict):
            check.add(f"card number {number}: a table is needed, such as {{ id = ..., effect = ..., value = ... }}")
            continue
        rows.append(Row(one, next(lines(str(one.get("id", ""))), None), number))
    return _finish(check, rows, data.get("seat"))


def cards_of_csv(
    text: str, catalogue: Mapping[str, Any], file: str = "deck.csv", taken: Iterable[str] = ()
) -> tuple[CardFace, ...]:
    """The cards of a deck in a CSV table: a heading line of keys, then a card a line; lists with spaces between.

    Raises `DeckError` with every fault.
    """
    if len(text) > MOST_CHARACTERS:
        raise DeckError((f"{file}: too long for a deck",))
    check = _Check(file, catalogue, taken)
    first = text.split("\n", 1)[0]
    reader = csv.reader(
        (f"{one}\n" for one in text.split("\n")), delimiter=";" if first.count(";") > first.count(",") else ","
    )
    rows = []
    try:
        heading = [one.strip() for one in next(reader, [])]
        for key in heading:
            if key not in KEYS:
                check.unknown("column", key, KEYS)
        start = reader.line_num + 1
        for number, cells in enumerate(reader, 1):
            line, start = start, reader.line_num + 1
            if not any(cell.strip() for cell in cells):
                continue
            if len(cells) > len(heading):
                check.add(f"{len(cells)} cells, but the heading has {len(heading)}", line=line)
            data = {key: _cell(key, cell.strip()) for key, cell in zip(heading, cells, strict=False) if cell.strip()}
            rows.append(Row({key: value for key, value in data.items() if key in KEYS}, line, number))
    except csv.Error as error:
        check.add(f"not a CSV table: {error}", line=reader.line_num)
    if not rows:
        check.add("there is no card in it")
    return _finish(check, rows, None)


def _cell(key: str, cell: str) -> Any:
    if key in LISTS:
        parts = [part for part in _SPLIT.split(cell) if part]
        return [int(part) if key == "players" and part.isdigit() else part for part in parts]
    return int(cell) if key in NUMBERS and re.fullmatch(r"\d{1,6}", cell) else cell


def _lines(text: str) -> Any:
    """A function that gives the lines on which ids stand, each looked for from the one before."""
    places: dict[str, list[int]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        for match in re.finditer(r"(?<![\w-])id\s*=\s*([\"'])([^\"'\n]*)\1", line):
            places.setdefault(match[2], []).append(number)
    found = {name: iter(numbers) for name, numbers in places.items()}
    return lambda name: found.get(name, iter(()))


def _finish(check: _Check, rows: Sequence[Row], seat: object) -> tuple[CardFace, ...]:
    default = NONE
    if seat is not None:
        if seat in SEATS:
            default = SEATS.index(str(seat))
        else:
            check.unknown("seat", seat, SEATS)
    if len(rows) > MOST_ROWS:
        check.add(f"at most {MOST_ROWS} different cards, not {len(rows)}")
        rows = rows[:MOST_ROWS]
    seen: dict[str, Row] = {}
    cards = []
    for row in rows:
        card = _card(check, row, default, seat is not None)
        name = row.data.get("id")
        if isinstance(name, str) and name in seen:
            where = f" (line {seen[name].line})" if seen[name].line is not None else ""
            check.add(f"the id is used twice{where}; for several copies say copies = 2", row)
        elif isinstance(name, str):
            seen[name] = row
            if name in check.taken:
                check.add("the id is taken by a card of another deck", row)
        if card is not None:
            cards.append(card)
    for faults in _sizes(cards) if not check.faults else ():
        check.add(faults)
    if check.faults:
        raise DeckError(check.faults)
    return tuple(cards)


def _sizes(cards: Sequence[CardFace]) -> Iterator[str]:
    """A deck must be enough for a hand, whatever the number of players."""
    for seat in sorted({card.seat for card in cards}):
        for players in GAMES:
            if (SEATS[seat] == "CAR" and players != 5) or (SEATS[seat] == "GAL" and players == 3):
                continue
            count = sum(card.copies for card in cards if card.seat == seat and players in (card.players or GAMES))
            if count < LARGEST_HAND:
                yield (
                    f"the deck of {SEATS[seat]} has {count} cards with {players} players; "
                    f"a hand needs at least {LARGEST_HAND}"
                )


def _card(check: _Check, row: Row, seat: int, told: bool) -> CardFace | None:
    """One card, or None if something is wrong with it."""
    before = len(check.faults)
    data = row.data
    for key in data:
        if key not in KEYS:
            check.unknown("key", key, KEYS, row)
    name = data.get("id")
    if not isinstance(name, str) or not _ID.match(name):
        check.add(f"id: small letters, digits and _ are needed, not '{str(name)[:60]}'", row)
    effect = data.get("effect")
    known = [one for one, facts in check.catalogue.items() if not facts.get("desk")]
    if effect not in known:
        check.unknown("effect", effect if effect is not None else "", known, row)
    facts = check.catalogue.get(str(effect), {}) if effect in known else None
    numbers = {}
    for key, (low, high) in NUMBERS.items():
        value = data.get(key, 1)
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            check.add(f"{key}: a whole number from {low} to {high} is needed, not '{str(value)[:40]}'", row)
            value = 1
        elif key == "value" and key not in data:
            check.add(f"value: a whole number from {low} to {high} is needed", row)
        numbers[key] = value
    lists = {key: _words(check, row, key) for key in LISTS}
    for key, names in (("reach", ("CAR", "VOL", "TRA", "MER")), ("powers", POWERS[:IND]), ("marks", MARKS)):
        for word in lists[key]:
            if word not in names:
                check.unknown("mark" if key == "marks" else "power", word, names, row)
    for word in lists["players"]:
        if word not in GAMES:
            check.add(f"players: 2, 3, 4 or 5, not '{str(word)[:20]}'", row)
    if "seat" in data:
        if data["seat"] in SEATS:
            seat = SEATS.index(str(data["seat"]))
        else:
            check.unknown("seat", data["seat"], SEATS, row)
    elif not told:
        check.add(f"seat: whose card is it? One of {', '.join(SEATS)}", row)
    if facts is not None:
        for key in ("reach", "powers", "amount"):
            if key in data and key not in facts["keys"]:
                check.add(f"a card of the effect {effect} has no {key}", row)
        if "reach" in facts["keys"] and not lists["reach"]:
            check.add("reach: which non-player powers does it reach?", row)
        if seat != NONE and SEATS[seat] not in facts.get("seats", SEATS):
            check.add(f"the effect {effect} is only for {', '.join(facts['seats'])}", row)
        allowed = facts.get("players", GAMES)
        wrong = [str(one) for one in lists["players"] or GAMES if one not in allowed]
        if wrong:
            said = ", ".join(map(str, allowed))
            check.add(f"the effect {effect} is for {said} players only; say players = [{said}]", row)
    for key in ("en", "ru"):
        if key in data and (not isinstance(data[key], str) or not data[key].strip() or len(data[key]) > 120):
            check.add(f"{key}: a name of at most 120 letters is needed", row)
    if len(check.faults) > before:
        return None
    english = str(data.get("en") or name)
    return CardFace(
        str(name),
        str(effect),
        numbers["value"],
        seat,
        numbers["copies"],
        numbers["amount"],
        tuple(POWERS.index(word) for word in lists["reach"]),
        tuple(POWERS.index(word) for word in lists["powers"]),
        tuple(lists["players"]),
        "reshuffle" in lists["marks"],
        "remove" in lists["marks"],
        "named" in lists["marks"],
        (("en", english), ("ru", str(data.get("ru") or english))),
    )


def _words(check: _Check, row: Row, key: str) -> list[Any]:
    """The list of a card under a key."""
    value = row.data.get(key, [])
    if not isinstance(value, list) or len(value) > 20:
        check.add(f"{key}: a list is needed, not '{str(value)[:40]}'", row)
        return []
    if len(set(map(str, value))) != len(value):
        check.add(f"{key}: something stands twice", row)
    return value


def deck_data(cards: Iterable[CardFace], catalogue: Mapping[str, Any]) -> dict[str, Any]:
    """Cards as the data of a deck, to be written into a record: the reverse of `cards_of`."""
    rows = []
    for card in cards:
        row: dict[str, Any] = {"id": card.id, "seat": SEATS[card.seat], "effect": card.effect, "value": card.value}
        if card.copies != 1:
            row["copies"] = card.copies
        if "amount" in catalogue[card.effect]["keys"] and card.amount != 1:
            row["amount"] = card.amount
        for key, powers in (("reach", card.reach), ("powers", card.powers)):
            if powers:
                row[key] = [POWERS[power] for power in powers]
        if card.players:
            row["players"] = list(card.players)
        marks = [mark for mark, on in zip(MARKS, (card.reshuffle, card.remove, card.named), strict=True) if on]
        if marks:
            row["marks"] = marks
        rows.append({**row, **dict(card.said)})
    return {"cards": rows}


def check_deck(path: str | PathLike[str], catalogue: Mapping[str, Any], taken: Iterable[str] = ()) -> list[str]:
    """The faults of a deck in a file, one a line; none if it can be played with."""
    try:
        read_deck(path, catalogue, taken)
    except DeckError as error:
        return list(error.faults)
    return []
