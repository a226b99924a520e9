"""How a position is shown: what stands where and who is bound to whom, as plain values for pictures and for lists.

A game makes a `Shown` of a state (`Game.shown`); whoever draws needs to know nothing else of the game. Everything a
person reads of it is said by the game's words: a piece or mark of the kind X by `shown/X` (`shown/X/inside` inside a
city), a bond by `shown/X` with the facts `a`, `b` and `turn`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from foedus.kernel.unknown import NONE
from foedus.kernel.values import Command


class Piece(NamedTuple):
    """Units of one power in one space, drawn as one counter.

    `what` is their kind; `number` how many, UNKNOWN if nobody knows; `leaders` who stands with them, by small integers
    of the kind "leader"; `inside`: within the walls; `afloat`: ships, drawn with round ends.
    """

    power: int
    what: str
    number: int
    leaders: tuple[int, ...] = ()
    inside: bool = False
    afloat: bool = False


class Mark(NamedTuple):
    """Something else on a space, such as a siege: `short` is what the picture has room for (one to three signs)."""

    what: str
    short: str
    power: int = NONE
    number: int = 0


class Place(NamedTuple):
    """One space: who holds it (UNKNOWN, NONE), what stands there; `there`: it exists with so many players."""

    owner: int
    pieces: tuple[Piece, ...] = ()
    marks: tuple[Mark, ...] = ()
    there: bool = True


class Bond(NamedTuple):
    """What joins or parts two powers: `what` ("allied", "war" ...), since which turn (UNKNOWN), and by which clause."""

    a: int
    b: int
    what: str
    turn: int
    clause: str = ""


class Offered(NamedTuple):
    """Something that was offered and is not settled, or that was agreed: by whom and to whom, which version, and its
    terms. `status` is a key of the pages' words: "offered", "draft", "signed", "announced"."""

    by: int
    to: tuple[int, ...]
    version: int = 1
    terms: tuple[Command, ...] = ()
    status: str = "offered"


class Shown(NamedTuple):
    """A position as it is drawn.

    `board` is a `foedus.boards.Board`; `places` go by its spaces. `powers` are those to show, in the order of a legend;
    `inks` the name of the ink each of them has (`foedus.web.inks`), by power. `bonds` are those that are known.
    `unsure` are the pairs of powers of which it is not known whether a bond joins them. `offers` are what waits for an
    answer, as far as the reader of the state may know; `seas` are the ships in each sea of the board, by its seas.
    """

    board: Any
    powers: tuple[int, ...]
    inks: dict[int, str]
    places: tuple[Place, ...]
    bonds: tuple[Bond, ...] = ()
    unsure: tuple[tuple[int, int], ...] = ()
    offers: tuple[Offered, ...] = ()
    seas: tuple[tuple[Piece, ...], ...] = ()


__all__ = ["Bond", "Mark", "Offered", "Piece", "Place", "Shown"]
