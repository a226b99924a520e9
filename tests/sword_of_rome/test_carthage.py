"""Carthage and the sea: what ships carry, what a die does, who is lost first, and how far unrest may rise."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from foedus.games.sword_of_rome.carthage import mercenaries_to_leave, mercenary_reinforcement
from foedus.games.sword_of_rome.events import UnitsMoved, UnitsRemoved
from foedus.games.sword_of_rome.game import GAME
from foedus.games.sword_of_rome.sea import capacity, naval_combat
from foedus.games.sword_of_rome.state import CAR, ETR, GAL, GRE, ROM, S_CAR, State
from foedus.games.sword_of_rome.unrest import limit, points_lost
from foedus.kernel.referee import Referee, make_referee
from foedus.kernel.unknown import NONE


@cache
def referee(players: int) -> Referee:
    return make_referee(GAME, players)


def position(players: int, **told: Any) -> State:
    state: State = referee(players).sketch({"elsewhere": "home", "alliances": [], **told})
    return state


def space(name: str) -> int:
    return int(referee(5).world.board.index[name])


def card(name: str) -> int:
    return [face.id for face in referee(5).world.cards].index(name)


@pytest.mark.parametrize(
    ("players", "power", "by", "start", "to", "most"),
    [
        (4, GRE, "two", "tarentum", "neapolis", 3),
        (4, GRE, "two", "syracusae", "neapolis", 3),
        (4, GRE, "three", "neapolis", "syracusae", 6),
        (4, GRE, "three", "tarentum", "neapolis", 3),
        (4, ETR, "three", "pisae", "populonium", 0),
        (4, ETR, "transport", "pisae", "populonium", 3),
        (4, ROM, "three", "roma", "neapolis", 0),
        (4, GAL, "three", "genua", "pisae", 0),
        (4, CAR, "one", "lilybaeum", "carthago", 10),
        (5, CAR, "one", "lilybaeum", "carthago", 3),
        (5, CAR, "two", "lilybaeum", "carthago", 6),
        (5, CAR, "three", "lilybaeum", "carthago", 10),
    ],
)
def test_what_ships_carry(players: int, power: int, by: str, start: str, to: str, most: int) -> None:
    assert capacity(position(players), power, card(by), space(start), space(to)) == most


def test_the_ships_of_rome() -> None:
    ways = (card("three"), space("roma"), space("neapolis"))
    assert capacity(position(4, duoviri=True), ROM, *ways) == 3
    assert capacity(position(4, treaty="signed"), ROM, *ways) == 10
    assert capacity(position(4, duoviri=True), ROM, card("two"), *ways[1:]) == 0


def test_carthage_carries_an_ally_by_its_own_card() -> None:
    assert capacity(position(5), ROM, card("two"), space("roma"), space("neapolis"), CAR) == 6


@pytest.mark.parametrize("die", range(1, 7))
def test_a_die_of_the_naval_combat_table(die: int) -> None:
    state = position(4)
    at_sea = ["success", "success", "back", "back", "attrition", "attrition"]
    assert naval_combat(state, GRE, space("lilybaeum"), die) == at_sea[die - 1]
    assert naval_combat(state, GRE, space("tarentum"), die) == at_sea[max(0, die - 3)]


def test_militia_is_lost_last_and_mercenaries_first() -> None:
    at = space("carthago")
    four = position(4, spaces={"Carthago": {"forces": ["CAR 6 Hamilcar"]}}, levies={"Carthago": 4})
    assert UnitsRemoved(CAR, at, 2, 0, "f12.4").apply(four).levies == ((at, 4),)
    assert UnitsRemoved(CAR, at, 3, 0, "f12.4").apply(four).levies == ((at, 3),)
    five = position(5, spaces={"Carthago": {"forces": ["CAR 6 Hanno"]}}, levies={"Carthago": 4})
    assert UnitsRemoved(CAR, at, 3, 0, "f12.4").apply(five).levies == ((at, 1),)
    moved = UnitsMoved(CAR, at, space("kerkouane"), 5).apply(five)
    assert dict(moved.levies) == {space("kerkouane"): 4}


@pytest.mark.parametrize(("hired", "leaving"), [(1, 1), (2, 1), (3, 2), (6, 3)])
def test_half_of_the_mercenaries_leave(hired: int, leaving: int) -> None:
    state = position(5, spaces={"Carthago": {"forces": ["CAR 9"]}}, levies={"Carthago": hired})
    assert mercenaries_to_leave(state) == leaving
    assert mercenary_reinforcement(state, CAR) == 2


@pytest.mark.parametrize(("level", "points"), [(0, 0), (2, 0), (3, 1), (5, 1), (6, 2), (9, 3), (10, 3)])
def test_points_that_unrest_costs(level: int, points: int) -> None:
    assert points_lost(position(5, unrest=level), S_CAR) == points


@pytest.mark.parametrize("count", [0, 4, 10, 12])
def test_the_garrison_limits_unrest(count: int) -> None:
    state = position(5, spaces={"Garrison": {"forces": [f"CAR {count} Hanno"] if count else []}})
    assert limit(state) == max(0, 10 - count)


def test_the_set_up_for_five_can_be_read_and_written() -> None:
    state = position(5, scenario="five-players", unrest=2, levies={"Carthago": 2})
    again = referee(5).sketch({k: v for k, v in GAME.write_sketch(state).items() if k != "game"})
    assert (again.levies, again.unrest, again.forces, again.vp) == (state.levies, 2, state.forces, state.vp)
    assert all(points == 6 for points in state.vp)
    assert NONE not in [state.controller[CAR]]
