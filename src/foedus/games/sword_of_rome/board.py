"""The Sword of Rome's boards: what one may contain, and the built-in one."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from os import PathLike
from typing import Any

from foedus import boards
from foedus.boards import (
    Board,
    BoardError,
    BoardSchema,
    Coast,
    Fault,
    NumberRule,
    build_board,
    parse_board,
    read_board,
)

SWORD_OF_ROME_SCHEMA = BoardSchema(
    kinds=("space", "city", "tribe", "box"),
    ways=("clear", "rough", "strait"),
    powers=("ROM", "GAL", "GRE", "ETR", "SAM", "CAR", "VOL", "TRA"),
    numbers=(
        NumberRule("loyalty", 0, 3, required=frozenset({"city"}), allowed=frozenset({"city"})),
        NumberRule("factor", 1, 6, required=frozenset({"tribe"}), allowed=frozenset({"tribe"})),
        NumberRule("reinforce", 1, 9),
        NumberRule("victory", 1, 1, allowed=frozenset({"space", "city", "tribe"})),
    ),
    boxes=frozenset({"box"}),
    walled=frozenset({"city"}),
    roads=("appia",),
    labels=(("region", "regions"), ("people", "peoples")),
    players=(2, 3, 4, 5),
    reinforce="reinforce",
)
"""What a board of The Sword of Rome may contain."""

BUILT_IN = ("italy-386",)
"""Names of the boards that come with the game."""


def load_board(source: str | PathLike[str] | Mapping[str, Any] = "italy-386") -> Board:
    """A built-in board by its name, a board in the user's files by its path (see `foedus.boards.read_board`), or one
    given as the data of such a file.

    A built-in board is loaded once; the same object is given every time. Raises BoardError if the board is wrong or
    there is none.
    """
    if isinstance(source, str) and source in BUILT_IN:
        return _built_in(source)
    if isinstance(source, Mapping):
        return build_board(source, SWORD_OF_ROME_SCHEMA)
    return read_board(source, SWORD_OF_ROME_SCHEMA)


def load_coast(name: str = "italy-386") -> Coast | None:
    """The coast lines of a built-in board, for drawing only; None for any other board."""
    return boards.load_coast("foedus.games.sword_of_rome", name) if name in BUILT_IN else None


@cache
def _built_in(name: str) -> Board:
    file = files("foedus.games.sword_of_rome") / "boards" / f"{name}.toml"
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        fault = Fault("file", f"the built-in board cannot be read: {error.strerror}", file=f"{name}.toml")
        raise BoardError([fault]) from error
    return parse_board(text, SWORD_OF_ROME_SCHEMA, f"{name}.toml")
