"""Decks in files: reads them from TOML or a CSV table and tells every fault at once, each with its line.

A deck of one's own may replace ours; `docs/decks.md` says how it is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any

from foedus.boards.text import FileFault, read_text
from foedus.games.sword_of_rome.state import IND, POWERS, SEATS, CardFace
from foedus.kernel.decks import Columns, DeckCheck, DeckError, Row
from foedus.kernel.unknown import NONE

MARKS = ("reshuffle", "remove", "named")
COLUMNS = Columns(
    ("id", "effect", "value", "copies", "amount", "reach", "powers", "players", "marks", "seat", "en", "ru"),
    ("reach", "powers", "players", "marks"),
    {"value": (1, 3), "copies": (1, 20), "amount": (1, 3)},
)
FILE_KEYS = ("id", "seat", "cards")
GAMES = (2, 3, 4, 5)
LARGEST_HAND = 8


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
    check = DeckCheck(file, COLUMNS, taken)
    data, rows = check.rows_of_toml(text, FILE_KEYS)
    return _finish(check, catalogue, rows, data.get("seat"))


def cards_of(
    data: Mapping[str, Any], catalogue: Mapping[str, Any], file: str = "deck", taken: Iterable[str] = ()
) -> tuple[CardFace, ...]:
    """The cards of a deck as data: `seat` for all, and `cards`, a list of tables. Raises `DeckError`."""
    check = DeckCheck(file, COLUMNS, taken)
    return _finish(check, catalogue, check.rows_of_data(data, FILE_KEYS), data.get("seat"))


def cards_of_csv(
    text: str, catalogue: Mapping[str, Any], file: str = "deck.csv", taken: Iterable[str] = ()
) -> tuple[CardFace, ...]:
    """The cards of a deck in a CSV table: a heading line of keys, then a card a line; lists with spaces between.

    Raises `DeckError` with every fault.
    """
    check = DeckCheck(file, COLUMNS, taken)
    return _finish(check, catalogue, check.rows_of_csv(text), None)


def _finish(check: DeckCheck, catalogue: Mapping[str, Any], rows: Sequence[Row], seat: object) -> tuple[CardFace, ...]:
    default = NONE
    if seat is not None:
        if seat in SEATS:
            default = SEATS.index(str(seat))
        else:
            check.unknown("seat", seat, SEATS)
    cards = []
    for row in check.once(rows):
        card = _card(check, catalogue, row, default, seat is not None)
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


def _card(check: DeckCheck, catalogue: Mapping[str, Any], row: Row, seat: int, told: bool) -> CardFace | None:
    """One card, or None if something is wrong with it."""
    before = len(check.faults)
    data = row.data
    check.keys(row)
    name = check.id(row)
    effect = data.get("effect")
    known = [one for one, facts in catalogue.items() if not facts.get("desk")]
    if effect not in known:
        check.unknown("effect", effect if effect is not None else "", known, row)
    facts = catalogue.get(str(effect), {}) if effect in known else None
    numbers = check.numbers(row)
    lists = {key: check.words(row, key) for key in COLUMNS.lists}
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
    spoken = check.said(row)
    if len(check.faults) > before:
        return None
    return CardFace(
        name,
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
        spoken,
    )


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
