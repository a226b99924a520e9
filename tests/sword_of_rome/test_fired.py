"""Every clause that can fire in a whole game does: a few games show most of them, and the table says what of the rest.

`SELDOM` is what a long run of whole games showed of the rest. `NEVER` says why a clause has not fired in that run: each
can, but random players hardly ever come to it. All of them have cases of their own (`test_cases.py`).
"""

from __future__ import annotations

import pytest

from foedus.games.sword_of_rome.game import GAME
from foedus.kernel.referee import make_referee
from foedus.lab.fired import counting
from foedus.lab.simulate import Simulation, mixed_rulings

SELDOM: dict[str, float] = {
    "15.1.1n": 62.5,
    "15.1.2d": 99.2,
    "15.1.2x": 4.2,
    "15.1.M1": 177.2,
    "15.1.2.M1": 19.7,
    "15.1.2.M2": 84.6,
    "15.2.e1": 82.6,
    "15.2.e2": 3.1,
    "15.2.e3": 208.1,
    "15.2.M1": 4.2,
    "15.2.1b": 150.2,
    "15.2.1.M1": 372.6,
    "15.2.2a": 239.8,
    "15.2.2b": 237.5,
    "15.2.2c": 230.5,
    "15.2.2h": 143.6,
    "15.2.3b": 13.1,
    "15.2.3d": 145.6,
    "15.2.3n": 11.2,
    "15.2.3.M1": 47.1,
    "15.3n": 2.3,
    "15.3d": 393.4,
    "15.3.M3": 60.6,
    "15.4.M2": 0.4,
    "15.4.M3": 176.8,
    "15.5b": 0.4,
    "15.5c": 0.4,
    "15.5.M5": 0.4,
    "15.5.M6": 162.9,
    "16.1.h": 76.1,
    "16.1.M1": 89.6,
    "16.1.1d": 76.1,
    "16.1.1x": 162.2,
    "16.1.1.M2": 100.8,
    "16.1.2.M1": 71.8,
    "16.2": 42.9,
    "18.0": 50.2,
    "f2.2": 330.1,
    "f2.3": 106.2,
    "f4.3": 7.3,
    "f9.8": 357.5,
    "f10.2": 116.2,
    "f10.5": 278.8,
    "f12.7": 433.2,
    "f13.2": 204.6,
    "f14.1": 356.4,
    "f15.2": 412.7,
    "f15.30": 363.7,
    "f15.34": 2.3,
    "f16.15": 174.9,
    "f16.21": 67.2,
    "f16.22": 150.2,
    "f16.23": 35.5,
    "f16.25": 30.1,
    "f17.2": 49.8,
    "f17.3": 252.9,
    "f17.4": 296.9,
    "f17.5": 45.9,
    "f17.6": 27.4,
    "f18.3": 42.9,
    "f18.5": 7.3,
    "f18.6": 20.8,
    "f18.7": 49.4,
    "f18.8": 17.0,
    "f18.10": 1.9,
    "f19.3": 190.0,
    "f19.10": 198.1,
    "f19.11": 0.4,
    "f21.2": 405.0,
}
"""In how many of a thousand games it fires: 2,550 games, 500 and more for each number of players, of every style, half
of them under rulings of all kinds, every fifth with the plain deck."""

NEVER: dict[str, str] = {
    "15.2.2d": "an army must stop in a tribe that its ally has subjugated, and be ordered to subjugate it again",
    "15.2.3c": "an army must besiege, at an ally's home, a city that a third power has taken there",
    "15.3p": "an army must come upon the besieger of an ally's city in which nobody is left",
    "15.3.M2": "the same with nobody but a leader inside, at a table that has chosen to refuse it",
    "15.5.M4": "an alliance must end while a leader stands inside the ally's city, where the table has him displaced",
}
"""What has fired in none of them, and why."""

GAMES = [(players, seed) for players in (2, 3, 4, 5) for seed in range(3)]
CLAIMED = [clause for clause in GAME.rulebook.clauses if clause in GAME.rules.claims]


@pytest.fixture(scope="module")
def fired() -> set[str]:
    """The clauses that fire in a few games of random players of every style, most under rulings of all kinds."""
    found: set[str] = set()
    with counting(GAME) as (game, counts):
        for players, seed in GAMES:
            referee = make_referee(game, players, None, {"deck": "plain"} if seed == 2 else {})
            rulings = mixed_rulings(referee, seed) if seed else None
            report = Simulation(referee, seed, rulings=rulings, style="mixed", every=True).run()
            assert report.fault is None
            assert report.ended == "over"
            for one in (report.happened, report.decided, report.granted, report.refused):
                found |= set(one)
        found |= set(counts.bit) | set(counts.done)
    return found


def test_what_can_fire_fires(fired: set[str]) -> None:
    assert [clause for clause in CLAIMED if clause not in fired and clause not in SELDOM and clause not in NEVER] == []


def test_the_table_is_of_clauses_that_are_claimed(fired: set[str]) -> None:
    assert set(SELDOM) <= set(CLAIMED)
    assert set(NEVER) <= set(CLAIMED)
    assert not set(SELDOM) & set(NEVER)
    assert not [clause for clause in NEVER if clause in fired], "it can fire after all: strike it from the table"
