"""Boards: a map of spaces, ways, ports and seas is loaded, checked and asked for distances. It knows no game.

A game says what its boards may contain by a `BoardSchema`; `read_board` and `build_board` then give a `Board` or raise
`BoardError`, and `check_file` and `check_board` give every fault at once. See docs/boards.md for the file.
"""

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from foedus.boards.board import Board, Link, Names, Sea, Space, Way
from foedus.boards.check import judge
from foedus.boards.coast import Coast, load_coast
from foedus.boards.faults import BoardError, Fault
from foedus.boards.schema import BoardSchema, NumberRule
from foedus.boards.source import Source, data_source, parse_source, read_source
from foedus.boards.write import write_csv, write_head, write_toml

__all__ = [
    "Board",
    "BoardError",
    "BoardSchema",
    "Coast",
    "Fault",
    "Link",
    "Names",
    "NumberRule",
    "Sea",
    "Space",
    "Way",
    "build_board",
    "check_board",
    "check_file",
    "load_coast",
    "parse_board",
    "read_board",
    "write_csv",
    "write_head",
    "write_toml",
]


def read_board(path: str | PathLike[str], schema: BoardSchema) -> Board:
    """The board in a `.toml` file, in a folder with spaces.csv and ways.csv, or in a spaces.csv beside a ways.csv.

    Raises BoardError with every fault found, also when the file cannot be read.
    """
    return _board(read_source(Path(path), schema), schema)


def parse_board(text: str, schema: BoardSchema, file: str = "board") -> Board:
    """The board in the text of a TOML file; `file` is the name faults give. Raises BoardError."""
    return _board(parse_source(text, schema, file), schema)


def build_board(data: Mapping[str, Any], schema: BoardSchema, file: str = "board") -> Board:
    """The board from the values of a TOML file, as `Board.data` gives them. Raises BoardError."""
    return _board(data_source(data, schema, file), schema)


def check_board(
    data: Mapping[str, Any], schema: BoardSchema, file: str = "board", text: str | None = None
) -> list[Fault]:
    """Every fault of a board given as values, none if it is good; with the file's text, faults name their lines."""
    return judge(data_source(data, schema, file, text), schema)[1]


def check_file(path: str | PathLike[str], schema: BoardSchema) -> list[Fault]:
    """Every fault of a board in files, as `read_board` reads them. Empty if it is good."""
    return judge(read_source(Path(path), schema), schema)[1]


def _board(source: Source, schema: BoardSchema) -> Board:
    board, faults = judge(source, schema)
    if board is None:
        raise BoardError(faults or [Fault("empty", "is not a board", file=source.file)])
    return board
