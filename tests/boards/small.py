"""A small schema and a small good board, for tests that break it in one place."""

import tomllib
from pathlib import Path
from typing import Any

from foedus.boards import BoardSchema, NumberRule

SCHEMA = BoardSchema(
    kinds=("space", "city", "tribe", "box"),
    ways=("clear", "rough", "strait"),
    powers=("ROM", "ETR", "CAR", "TRA"),
    numbers=(
        NumberRule("loyalty", 0, 3, required=frozenset({"city"}), allowed=frozenset({"city"})),
        NumberRule("factor", 1, 6, required=frozenset({"tribe"}), allowed=frozenset({"tribe"})),
        NumberRule("reinforce", 1, 9),
        NumberRule("victory", 1, 1),
    ),
    boxes=frozenset({"box"}),
    walled=frozenset({"city"}),
    roads=("appia",),
    flags=("capital",),
    players=(2, 3, 4, 5),
    reinforce="reinforce",
)

TOML = Path(__file__).with_name("small.toml").read_text(encoding="utf-8")


def small() -> dict[str, Any]:
    """The values of the small board, fresh each time."""
    return tomllib.loads(TOML)
