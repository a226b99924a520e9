"""How many sequences of commands there are from fixed positions of Virgin Queen, kept as numbers.

A number that changes says that a rule has changed, whether that was meant or not: find the command that came or went,
and only then write the new number down (`PYTHONPATH=tests python tests/virgin_queen/test_counts.py` prints them all).
"""

from __future__ import annotations

import pytest

from counting import count, settled
from foedus.games.virgin_queen.game import GAME
from foedus.kernel.referee import make_referee

HOME = """
elsewhere = "home"
turn = 2
running = true
alliances = []
events = []
treasures = {}
minor_allies = { PAP = "SPA", SCO = "FRA", IRE = "none", POR = "none", VEN = "none" }
"""

POSITIONS: dict[str, tuple[int, str]] = {
    "the last word of a negotiation": (
        2,
        HOME
        + """
phase = "negotiation"
wars = ["FRA-SPA"]
hands = { OTT = 0, SPA = 0, ENG = 0, FRA = 0, HRE = 0, PRO = 0 }
done = ["OTT", "SPA", "HRE", "PRO"]
""",
    ),
    "a draft": (
        2,
        HOME
        + """
phase = "negotiation"
wars = []
hands = { OTT = 0, SPA = 1, ENG = 0, FRA = 1, HRE = 0, PRO = 0 }
done = ["OTT", "ENG", "HRE", "PRO", "SPA"]
agreements = [{ by = "FRA", with = ["SPA"], terms = ["FRA allies with SPA"], status = "draft" }]
[spaces]
Cadiz = { ships = ["SPA 2 squadrons, Santa Cruz"] }
""",
    ),
    "an agreement to sign": (
        3,
        HOME
        + """
phase = "negotiation"
wars = []
hands = { OTT = 0, SPA = 0, ENG = 0, FRA = 0, HRE = 0, PRO = 0 }
done = ["OTT", "ENG", "HRE", "PRO", "FRA"]
agreements = [{ by = "FRA", with = ["SPA"], terms = ["FRA allies with SPA"], status = "offered" }]
""",
    ),
    "ransom": (
        4,
        HOME
        + """
phase = "ransom"
wars = ["FRA-SPA"]
captives = { Guise = "SPA", Alba = "FRA" }
hands = { OTT = [], SPA = ["muster"], ENG = [], FRA = ["prizes"], HRE = [], PRO = [] }
""",
    ),
    "war": (
        4,
        HOME
        + """
phase = "war"
wars = ["OTT-SPA"]
hands = { OTT = ["muster"], SPA = ["veterans"], ENG = ["printing"], FRA = ["reiters"], HRE = [], PRO = [] }
""",
    ),
    "an impulse": (
        3,
        HOME
        + """
phase = "action"
active = "HRE"
wars = ["OTT-HRE"]
hands = { OTT = [], SPA = [], ENG = [], FRA = [], HRE = [], PRO = ["muster"] }
[spaces]
"La Rochelle" = { owner = "PRO", units = ["PRO 2 regulars, Coligny"] }
""",
    ),
    "spring": (
        3,
        HOME
        + """
phase = "spring"
wars = []
hands = { OTT = [], SPA = [], ENG = [], FRA = [], HRE = [], PRO = [] }
[spaces]
Paris = { owner = "FRA", units = ["FRA 2 regulars, Guise"] }
London = { owner = "ENG", units = ["ENG 1 regulars"] }
""",
    ),
}
"""How deep to count, and the position."""

COUNTS: dict[str, int] = {
    "the last word of a negotiation": 1682,
    "a draft": 504,
    "an agreement to sign": 15102,
    "ransom": 7,
    "war": 42,
    "an impulse": 47,
    "spring": 483,
}


def counted(name: str) -> int:
    depth, sketch = POSITIONS[name]
    referee = make_referee(GAME, 6)
    return count(referee, settled(referee, sketch), depth)


@pytest.mark.parametrize("name", POSITIONS)
def test_sequences(name: str) -> None:
    assert counted(name) == COUNTS[name]


if __name__ == "__main__":
    for name in POSITIONS:
        print(f'    "{name}": {counted(name)},')
