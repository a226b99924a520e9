"""What an owner of a game brings in files of his own: a deck, a board, tables of numbers."""

from __future__ import annotations

from typing import Any

from foedus.cli.reading import InputError, read_text, read_toml
from foedus.kernel.game import Game


def options_of(game: Game, deck: str | None, tables: str | None) -> dict[str, Any]:
    """The options of a game: deck and tables themselves, so that its record needs no other file."""
    options: dict[str, Any] = {}
    if deck is not None:
        if game.read_deck is None:
            raise InputError(f"the game '{game.id}' has no decks")
        options["deck"] = game.read_deck(deck)
    if tables is not None:
        options["tables"] = read_toml(read_text(tables), tables)
    return options


def board_of(game: Game, board: str | None) -> Any:
    """A board's name as it is, or the board in a file as data."""
    if board is None or not board.casefold().endswith((".toml", ".csv")):
        return board
    if game.read_board is None:
        raise InputError(f"the game '{game.id}' has no boards to read")
    return game.read_board(board)
