"""The installed games and their referees, kept for as long as the site runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Any

from litestar.exceptions import NotFoundException

from foedus.kernel import game as registry
from foedus.kernel.cases import Case, cases_of, referee_for
from foedus.kernel.game import Game
from foedus.kernel.referee import Referee
from foedus.web.pages.site import texts


def game_named(name: str) -> Game:
    """The installed game of that id. Raises `NotFoundException`."""
    if name not in registry.known_games():
        raise NotFoundException(name[:80])
    return registry.find_game(name)


def games() -> list[Game]:
    """Every installed game."""
    return [registry.find_game(name) for name in registry.known_games()]


def title_of(game: str, language: str) -> str:
    """The name of a game as people know it."""
    row = texts().get(f"game.{game}")
    return row[language] if row else game.replace("_", " ").title()


@lru_cache(maxsize=64)
def _referee(game: str, players: int | None) -> Referee:
    return referee_for(registry.find_game(game), {} if players is None else {"players": players})


def plain_referee(game: Game, players: int | None = None) -> Referee:
    """A referee on the game's usual board; the same one for the same number of players. Raises `ValueError`."""
    return _referee(game.id, players)


def referee_of(game: Game, position: Mapping[str, Any]) -> Referee:
    """The referee for what a position says. Raises `ValueError` for nonsense."""
    special = [key for key in ("board", "deck", "tables") if key in position]
    players = position.get("players")
    if special or not (players is None or (isinstance(players, int) and not isinstance(players, bool))):
        return referee_for(game, position)
    return plain_referee(game, players)


@cache
def players_of(game: str) -> tuple[int, ...]:
    """With how many players the game is played."""
    referee = _referee(game, None)
    board = getattr(referee.world, "board", None)
    return tuple(board.schema.players) if board is not None else ()


def usual_players(game: Game) -> int | None:
    """With how many players the game is played if nobody says otherwise."""
    found = getattr(plain_referee(game).world, "players", None)
    return int(found) if found is not None else None


@cache
def cases_by_clause(game: str) -> Mapping[str, Sequence[Case]]:
    """The test cases of a game by the clause that is their own; a case of a situation stands under ""."""
    found: dict[str, list[Case]] = {}
    for case in cases_of(registry.find_game(game)):
        for clause in case.clauses or ("",):
            found.setdefault(clause, []).append(case)
    return found


__all__ = [
    "cases_by_clause",
    "game_named",
    "games",
    "plain_referee",
    "players_of",
    "referee_of",
    "title_of",
    "usual_players",
]
