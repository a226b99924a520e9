"""Write docs/rulings.md from the rulebooks, so that the page and the program cannot differ.

.venv/bin/python tools/write_rulings.py
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

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


GAMES = Path(__file__).parent.parent / "src" / "foedus" / "games"
TITLES = {"sword_of_rome": "The Sword of Rome", "virgin_queen": "Virgin Queen"}
EXAMPLES = {"sword_of_rome": "movement.inside = 4", "virgin_queen": "formation.inside = 5"}
MARKED = {
    "sword_of_rome": "The loyalty, factor and victory spaces of the board are marked likewise in "
    "`boards/italy-386.toml`, set-ups in `scenarios/`.",
    "virgin_queen": "Which spaces are keys, fortified or somebody's home is this project's choice on the whole of "
    "`boards/europe-1559.toml`, and so is what stands where in `scenarios/campaign.toml`.",
}
PROVISIONAL = """
## Provisional numbers of {title}

The published tables are not known here. What the rules act on stands in `src/foedus/games/{game}/tables.toml`, and each
value that is this project's is marked `provisional`; all of them are listed below, with the reasoning of the file. An
owner of the game can replace any but the leaders: in a sketch (`tables.{example}`), or in a TOML file of the same form
with what differs, by `foedus play --tables FILE` and `foedus sim --tables FILE`. {marked} None of them is the published
number, and no verdict on who may ally depends on one.
"""


def _reasons(text: str) -> dict[str, str]:
    """The comments that stand at the head of each section of the tables."""
    found: dict[str, str] = {}
    section = ""
    head = False
    for line in text.split("\n"):
        if line.startswith("["):
            section, head = line.strip("[] "), True
        elif line.startswith("#") and head:
            found[section] = f"{found.get(section, '')} {line.strip('# ')}".strip()
        else:
            head = False
    return found


def _marked(rows: Mapping[str, Any], marks: list[str]) -> str:
    inner = {key: value for row in rows.values() if isinstance(row, dict) for key, value in row.items()}
    known = {**inner, **rows}
    return ", ".join(f"{mark} = {known[mark]}" if mark in known else mark for mark in marks)


def provisional(game: str) -> str:
    """The values of a game's tables that are this project's own."""
    text = (GAMES / game / "tables.toml").read_text(encoding="utf-8")
    reasons = _reasons(text)
    parts = []
    for section, rows in tomllib.loads(text).items():
        said = []
        if "provisional" in rows:
            said.append(_marked(rows, rows["provisional"]))
        for name, row in rows.items():
            if isinstance(row, dict) and "provisional" in row:
                said.append(f"{name}: {_marked(row, row['provisional'])}")
        if said:
            reason = f" {reasons[section]}" if section in reasons else ""
            parts.append(f"- `{section}`:{reason} — {'; '.join(said)}")
    return (
        PROVISIONAL.format(title=TITLES[game], game=game, example=EXAMPLES[game], marked=MARKED[game])
        + "\n"
        + "\n".join(parts)
        + "\n"
    )


def page() -> str:
    """The whole page."""
    games = sorted(known_games())
    return HEAD + "".join(table(find_game(name)) for name in games) + "".join(provisional(name) for name in games)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
