"""How many sequences of commands there are from fixed positions, kept as numbers.

A sequence ends early where dice are needed or nobody is awaited any more. A number that changes says that a rule has
changed, whether that was meant or not: find the command that came or went, and only then write the new number down
(`PYTHONPATH=tests python tests/sword_of_rome/test_counts.py` prints them all).
"""

from __future__ import annotations

import pytest

from counting import count, settled
from foedus.games.sword_of_rome.game import GAME
from foedus.games.sword_of_rome.state import State
from foedus.kernel.referee import Referee, make_referee

HOME = 'elsewhere = "home"\nturn = 2\nvp = { ROM = 7, ES = 6, GRE = 5, GAL = 4 }\n'

POSITIONS = {
    "talks": HOME + 'active = "ROM"\nalliances = ["ROM-GRE", "GAL-SAM"]\n',
    "an offer of two powers": HOME + 'active = "ES"\nalliances = []\noffers = ["ETR-ROM"]\n',
    "renewal": HOME + 'phase = "alliances"\nalliances = ["ROM-GRE", "ROM-ETR", "GRE-GAL"]\n',
    "a march": HOME
    + """
active = "ROM"
alliances = ["ROM-ETR"]
hands = { ROM = ["one"] }
[spaces]
Narnia = { forces = ["ROM 2 A"] }
Caere = { forces = ["ETR 2 A"] }
""",
    "an interception": HOME
    + """
active = "GAL"
alliances = []
hands = { GAL = ["two"] }
[spaces]
Perusia = { forces = ["ETR 4 A"] }
Sutrium = { forces = ["ROM 4 Camillus"] }
Spoletium = { owner = "GAL", forces = ["GAL 1 A"] }
""",
    "a campaign": HOME
    + """
active = "ROM"
alliances = ["ROM-ETR"]
hands = { ROM = ["campaign"] }
[spaces]
Narnia = { forces = ["ROM 1 Camillus"] }
Clusium = { forces = ["ETR 1 A"] }
Spoletium = { forces = ["GAL 1 A"] }
""",
    "an activation": HOME
    + """
active = "GAL"
alliances = []
hands = { GAL = ["activation"] }
[spaces]
Antium = { forces = ["VOL 2 A"] }
""",
    "support": HOME
    + """
active = "GRE"
alliances = []
hands = { GRE = ["two"] }
[spaces]
Syracusae = { forces = ["GRE 1"] }
Spoletium = { owner = "GAL", forces = ["GRE 1"] }
""",
    "surrender": HOME
    + """
phase = "surrender"
alliances = []
[spaces]
Perusia = { forces = ["ROM 2 Camillus"] }
Volsinii = { forces = ["ROM 1"] }
Sentinum = { forces = ["GAL 3 A"] }
""",
    "Greek leaders": HOME.replace("GRE = 5", "GRE = 9")
    + """
phase = "reinforcement"
alliances = []
rulings = { npp_order = "transalpine_volsci_carthage" }
[spaces]
Carthago = { owner = "IND" }
Antium = { owner = "IND" }
"Transalpine Gaul" = { owner = "IND" }
Tarentum = { forces = ["GRE 2 Dionysius"] }
""",
    "the first player": """
elsewhere = "home"
phase = "first_player"
alliances = []
vp = { ROM = 4, ES = 6, GRE = 4, GAL = 4 }
""",
}

DEPTH = 4
COUNTS: dict[str, int] = {
    "talks": 2473,
    "an offer of two powers": 7817,
    "renewal": 60,
    "a march": 5161,
    "an interception": 6236,
    "a campaign": 10397,
    "an activation": 5265,
    "support": 20967,
    "surrender": 109,
    "Greek leaders": 5657,
    "the first player": 480,
}


def position(name: str) -> tuple[Referee, State]:
    """One of the positions, played on until somebody is awaited."""
    referee = make_referee(GAME, 4)
    return referee, settled(referee, POSITIONS[name])


@pytest.mark.parametrize("name", POSITIONS)
def test_sequences(name: str) -> None:
    assert count(*position(name), DEPTH) == COUNTS[name]


if __name__ == "__main__":
    for name in POSITIONS:
        print(f'    "{name}": {count(*position(name), DEPTH)},')
