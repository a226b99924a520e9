"""Decks in files: reads them from TOML or a CSV table and tells every fault at once, each with its line.

A deck of one's own may replace ours; `docs/decks.md` says how it is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import Any

from foedus.boards.text import FileFault, read_text
from foedus.games.virgin_queen.state import MAJORS, POWERS, CardFace
from foedus.kernel.decks import Columns, DeckCheck, DeckError, Row
from foedus.kernel.unknown import NONE

COLUMNS = Columns(
    ("id", "effect", "value", "amount", "powers", "players", "marks", "home", "turn", "en", "ru"),
    ("powers", "players", "marks"),
    {"value": (0, 6), "amount": (1, 6), "turn": (1, 7)},
)
KINDS = ("mandatory", "response", "home")
"""Marks that make a card something else than an ordinary event."""
MARKS = (*KINDS, "remove")
FILE_KEYS = ("id", "cards")
GAMES = (2, 3, 4, 5, 6)
FEWEST = 40
"""Ordinary cards that a deck needs, so that six hands can be dealt in the first turn."""


def read_deck(path: str | PathLike[str], catalogue: Mapping[str, Any]) -> tuple[CardFace, ...]:
    """The cards of a deck in a file, TOML or CSV by its ending. Raises `DeckError` with every fault."""
    try:
        name, text = read_text(path)
    except FileFault as fault:
        raise DeckError((str(fault),)) from None
    if name.casefold().endswith(".csv"):
        check = DeckCheck(name, COLUMNS)
        return _finish(check, catalogue, check.rows_of_csv(text))
    return cards_of_toml(text, catalogue, name)


def cards_of_toml(text: str, catalogue: Mapping[str, Any], file: str = "deck") -> tuple[CardFace, ...]:
    """The cards of a deck in TOML. Raises `DeckError` with every fault."""
    check = DeckCheck(file, COLUMNS)
    _, rows = check.rows_of_toml(text, FILE_KEYS)
    return _finish(check, catalogue, rows)


def cards_of(data: Mapping[str, Any], catalogue: Mapping[str, Any], file: str = "deck") -> tuple[CardFace, ...]:
    """The cards of a deck as data: `cards`, a list of tables. Raises `DeckError`."""
    check = DeckCheck(file, COLUMNS)
    return _finish(check, catalogue, check.rows_of_data(data, FILE_KEYS))


def check_deck(path: str | PathLike[str], catalogue: Mapping[str, Any]) -> list[str]:
    """The faults of a deck in a file, one a line; none if it can be played with."""
    try:
        read_deck(path, catalogue)
    except DeckError as error:
        return list(error.faults)
    return []


def deck_data(cards: Iterable[CardFace], catalogue: Mapping[str, Any]) -> dict[str, Any]:
    """Cards as the data of a deck, to be written into a record: the reverse of `cards_of`."""
    rows = []
    for card in cards:
        row: dict[str, Any] = {"id": card.id, "effect": card.effect, "value": card.value}
        if "amount" in catalogue[card.effect]["keys"] and card.amount != 1:
            row["amount"] = card.amount
        if card.powers:
            row["powers"] = [POWERS[power] for power in card.powers]
        if card.players:
            row["players"] = list(card.players)
        if card.home != NONE:
            row["home"] = POWERS[card.home]
        marks = [mark for mark in (card.kind,) if mark in KINDS] + ["remove"] * card.remove
        if marks:
            row["marks"] = marks
        if card.turn != 1:
            row["turn"] = card.turn
        rows.append({**row, **dict(card.said)})
    return {"cards": rows}


def _finish(check: DeckCheck, catalogue: Mapping[str, Any], rows: Sequence[Row]) -> tuple[CardFace, ...]:
    found = (_card(check, catalogue, row) for row in check.once(rows))
    cards = tuple(card for card in found if card is not None)
    if not check.faults:
        for players in GAMES:
            ordinary = sum(
                1 for card in cards if card.home == NONE and card.turn == 1 and players in (card.players or GAMES)
            )
            if ordinary < FEWEST:
                check.add(f"{ordinary} cards for the first turn with {players} players; at least {FEWEST} are needed")
    if check.faults:
        raise DeckError(check.faults)
    return cards


def _card(check: DeckCheck, catalogue: Mapping[str, Any], row: Row) -> CardFace | None:
    """One card, or None if something is wrong with it."""
    before = len(check.faults)
    check.keys(row)
    name = check.id(row)
    effect = row.data.get("effect")
    if effect not in catalogue:
        check.unknown("effect", effect if effect is not None else "", catalogue, row)
    numbers = check.numbers(row)
    lists = {key: check.words(row, key) for key in COLUMNS.lists}
    great = POWERS[: len(MAJORS)]
    for key, names in (("powers", great), ("marks", MARKS)):
        for word in lists[key]:
            if word not in names:
                check.unknown("mark" if key == "marks" else "power", word, names, row)
    for word in lists["players"]:
        if word not in GAMES:
            check.add(f"players: 2, 3, 4, 5 or 6, not '{str(word)[:20]}'", row)
    kinds = [mark for mark in lists["marks"] if mark in KINDS]
    if len(kinds) > 1:
        check.add(f"a card is one of {', '.join(kinds)}, not all of them", row)
    home = row.data.get("home")
    if home is not None and home not in great:
        check.unknown("power", home, great, row)
    if (home is not None) != ("home" in kinds):
        check.add("a home card has the mark home and says whose it is: home = ...", row)
    if effect in catalogue:
        facts = catalogue[str(effect)]
        if "amount" in row.data and "amount" not in facts["keys"]:
            check.add(f"a card of the effect {effect} has no amount", row)
        if ("response" in kinds) != (facts["when"] == "response"):
            check.add(
                f"the effect {effect} is played {facts['when']}; say so by the mark response, or take it away", row
            )
    names_said = check.said(row)
    if len(check.faults) > before:
        return None
    return CardFace(
        name,
        str(effect),
        numbers["value"],
        kinds[0] if kinds else "event",
        POWERS.index(str(home)) if home is not None else NONE,
        numbers["amount"],
        tuple(POWERS.index(word) for word in lists["powers"]),
        tuple(lists["players"]),
        numbers["turn"],
        "remove" in lists["marks"],
        names_said,
    )
