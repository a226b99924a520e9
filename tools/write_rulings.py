"""Write docs/rulings.md from the rulebooks, so that the page and the program cannot differ.

.venv/bin/python tools/write_rulings.py
"""

from __future__ import annotations

from pathlib import Path

from foedus.kernel.game import Game, find_game, known_games

PAGE = Path(__file__).parent.parent / "docs" / "rulings.md"

HEAD = """# The rulings

Where the rules leave a point open, Foedus does not guess in silence: the point has a name, a default with its
reason, and other options. A table chooses in a sketch (`rulings = { half_ally = "ignored" }`) or when it begins, may
change its mind in mid-game, and every verdict lists the rulings without which it would be another.

This page is written from the program's own rulebooks by `tools/write_rulings.py`; a test holds the two together.
"""


def table(game: Game) -> str:
    """The rulings of one game."""
    parts = [f"\n## {game.id}\n"]
    for ruling in game.rulebook.rulings:
        parts.append(f"### `{ruling.name}` ({ruling.clause})\n")
        parts.append(f"{ruling.question['en']}\n")
        for option in ruling.options:
            mark = " (default)" if option == ruling.default else ""
            parts.append(f"- `{option}`{mark}: {ruling.words[option]['en']}")
        parts.append(f"\nWhy the default: {ruling.reason['en']}\n")
    return "\n".join(parts)


PROVISIONAL = """
## Provisional numbers of The Sword of Rome

The published tables are not known here. What the rules act on stands in
`src/foedus/games/sword_of_rome/tables.toml`, each value that is this project's marked `provisional`: tactics and
initiative of most leaders, the steps of the force ratio table but 2:1 and 6:4, automatic victory, the attrition
table, most results of the siege table, and the CU lost by naval attrition. The loyalty, factor and victory spaces of
the board are marked likewise in `boards/italy-386.toml`. None of them is the published number, and no verdict of the
rules on alliances depends on one.
"""


def page() -> str:
    """The whole page."""
    return HEAD + "".join(table(find_game(name)) for name in sorted(known_games())) + PROVISIONAL


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
