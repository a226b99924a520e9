"""Virgin Queen's boards: what one may contain, the built-in one, and what the rules read off it."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from os import PathLike
from typing import Any, NamedTuple

from foedus import boards
from foedus.boards import Board, BoardError, BoardSchema, Coast, Fault, build_board, check_file, parse_board, read_board
from foedus.kernel.values import bits

VIRGIN_QUEEN_SCHEMA = BoardSchema(
    kinds=("unfortified", "fortified", "key"),
    ways=("clear", "pass", "strait"),
    powers=("OTT", "SPA", "ENG", "FRA", "HRE", "PRO", "IRE", "PAP", "POR", "SCO", "VEN"),
    walled=frozenset({"fortified", "key"}),
    flags=("capital",),
    seats=(("capital", frozenset({"key"})),),
    players=(2, 3, 4, 5, 6),
    sea_kinds=("zone", "ocean"),
)
"""What a board of Virgin Queen may contain. Powers stand in Impulse Order, so that their index is their number."""

BUILT_IN = ("europe-1559",)
"""Names of the boards that come with the game."""

WAY_COST = (1, 2, 1)
"""Command points for a move over a way of each kind of the schema: 2 over a mountain pass, else 1 (facts 12.1)."""


def load_board(source: str | PathLike[str] | Mapping[str, Any] = "europe-1559") -> Board:
    """A built-in board by its name, a board in the user's files by its path (see `foedus.boards.read_board`), or one
    given as the data of such a file.

    A built-in board is loaded once; the same object is given every time. Raises BoardError if the board is wrong or
    there is none.
    """
    if isinstance(source, str) and source in BUILT_IN:
        return _built_in(source)
    if isinstance(source, Mapping):
        return build_board(source, VIRGIN_QUEEN_SCHEMA)
    return read_board(source, VIRGIN_QUEEN_SCHEMA)


def check_board(path: str | PathLike[str]) -> list[str]:
    """The faults of a board file, one a line; none if it can be played on."""
    return [str(fault) for fault in check_file(path, VIRGIN_QUEEN_SCHEMA)]


def load_coast(name: str = "europe-1559") -> Coast | None:
    """The coast lines of a built-in board, for drawing only; None for any other board."""
    return boards.load_coast("foedus.games.virgin_queen", name) if name in BUILT_IN else None


@cache
def _built_in(name: str) -> Board:
    file = files("foedus.games.virgin_queen") / "boards" / f"{name}.toml"
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        fault = Fault("file", f"the built-in board cannot be read: {error.strerror}", file=f"{name}.toml")
        raise BoardError([fault]) from error
    return parse_board(text, VIRGIN_QUEEN_SCHEMA, f"{name}.toml")


class Passage(NamedTuple):
    """A port space in which two seas meet that meet nowhere else, such as Gibraltar: the port and the two seas
    (indexes, a < b). No path of sea zones leads through it."""

    port: int
    a: int
    b: int


@dataclass(frozen=True, slots=True)
class Chart:
    """What the rules ask of a board again and again. Spaces and seas by index, in bit masks as the board has them.

    keys, fortified  bit masks of spaces; every key is fortified
    zones, oceans    bit masks of seas: sea zones and ocean zones
    zones_of         bit mask of the sea zones a port touches, by space (0: no port)
    ports_of         bit mask of the port spaces that touch a sea, by sea
    meets            bit mask of the sea zones that a sea meets on the open water, by sea; ocean zones are left out, so
                     that a path over these masks from zone to zone is one of sea zones only (facts 5.7)
    passages         where two seas meet in a port space and nowhere else
    capitals         code of a power -> its capital; no entry for a power that has none
    home_keys        code of a power -> bit mask of its home keys
    """

    keys: int
    fortified: int
    zones: int
    oceans: int
    zones_of: tuple[int, ...]
    ports_of: tuple[int, ...]
    meets: tuple[int, ...]
    passages: tuple[Passage, ...]
    capitals: dict[str, int]
    home_keys: dict[str, int]


@lru_cache(maxsize=64)
def chart(board: Board) -> Chart:
    """The chart of a board; the same object every time for one board."""
    zones = sum(1 << i for i, sea in enumerate(board.seas) if sea.kind == "zone")
    keys = board.kind_masks["key"]
    return Chart(
        keys=keys,
        fortified=sum(1 << i for i, space in enumerate(board.spaces) if space.walled),
        zones=zones,
        oceans=(1 << len(board.seas)) - 1 & ~zones,
        zones_of=tuple(mask & zones for mask in board.ports),
        ports_of=board.sea_ports,
        meets=tuple(mask & zones for mask in board.sea_beside),
        passages=tuple(_passages(board)),
        capitals={
            space.home: i for i, space in enumerate(board.spaces) if space.home is not None and "capital" in space.flags
        },
        home_keys={power: board.homes.get(power, 0) & keys for power in board.schema.powers},
    )


def _passages(board: Board) -> list[Passage]:
    return [
        Passage(port, a, b)
        for port in bits(board.port_mask)
        for a in bits(board.ports[port])
        for b in bits(board.ports[port] & ~board.sea_beside[a] & -1 << a + 1)
    ]


def way_cost(board: Board, a: int, b: int) -> int | None:
    """Command points for a move from one space to the next, or None if no way leads there."""
    return next((WAY_COST[way.kind] for way in board.neighbours[a] if way.to == b), None)
