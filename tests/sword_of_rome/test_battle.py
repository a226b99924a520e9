"""The facts' own examples of battles, sieges and plunder that need no position."""

from __future__ import annotations

import pytest

from foedus.games.sword_of_rome.battle import AUTOMATIC, force_ratio, losses, own_losses, points_won, shared_losses
from foedus.games.sword_of_rome.frames import Attacked
from foedus.games.sword_of_rome.game import GAME
from foedus.games.sword_of_rome.plunder import track_after
from foedus.games.sword_of_rome.sieges import siege_result
from foedus.games.sword_of_rome.state import ETR, GAL, ROM, TRA, State
from foedus.kernel.referee import make_referee

REFEREE = make_referee(GAME, 4)
NOBODY: State = REFEREE.sketch({"elsewhere": "home", "alliances": []})


@pytest.mark.parametrize(
    ("larger", "smaller", "bonus"), [(8, 4, 3), (10, 5, 3), (4, 2, 3), (2, 1, 3), (6, 4, 1), (4, 4, 0)]
)
def test_the_force_ratios_of_the_examples(larger: int, smaller: int, bonus: int) -> None:
    assert force_ratio(NOBODY, larger, smaller) == bonus


def test_a_great_enough_ratio_wins_by_itself_and_more_is_never_worse() -> None:
    assert force_ratio(NOBODY, 20, 1) == AUTOMATIC
    ratios = [force_ratio(NOBODY, size, 5) for size in range(5, 40)]
    assert ratios == sorted(ratios)


@pytest.mark.parametrize(
    ("dice", "size", "winner", "lost"),
    [
        ((6, 4, 4), 5, True, 4),
        ((6, 5, 4), 3, True, 5),
        ((6, 5, 4), 2, True, 4),
        ((6, 5, 4), 1, True, 2),
        ((6, 5, 4), 3, False, 3),
        ((6, 5, 4), 2, False, 2),
        ((6, 5, 4), 1, False, 1),
        ((3, 2, 1), 9, True, 0),
    ],
)
def test_what_the_dice_cost_the_other_side(dice: tuple[int, ...], size: int, winner: bool, lost: int) -> None:
    assert losses(NOBODY, dice, size, winner) == lost


def test_the_example_that_adds_up_only_with_the_losers_own_ones() -> None:
    """Derived: 1, 1, 2 against 6, 4, 4 is six lost."""
    assert losses(NOBODY, (6, 4, 4), 5, True) + own_losses(NOBODY, (1, 1, 2)) == 6


@pytest.mark.parametrize(("lost", "points"), [(0, 0), (1, 1), (2, 1), (3, 2), (6, 3), (7, 4)])
def test_half_the_losses_rounded_up(lost: int, points: int) -> None:
    assert points_won(NOBODY, lost) == points


@pytest.mark.parametrize(
    ("own", "flank", "lost", "shared"),
    [(4, 3, 5, (3, 2)), (4, 3, 4, (2, 2)), (1, 5, 4, (1, 3)), (5, 1, 4, (3, 1)), (2, 2, 9, (2, 2)), (4, 0, 3, (3, 0))],
)
def test_losses_are_shared_with_the_flank(own: int, flank: int, lost: int, shared: tuple[int, int]) -> None:
    frame = Attacked(GAL, ROM, 0, 1, own, flank=ETR, flank_count=flank)
    assert shared_losses(frame, own, lost) == shared


@pytest.mark.parametrize(("total", "some", "lost"), [(3, False, 1), (5, False, 0), (7, True, 1), (10, True, 0)])
def test_the_siege_rolls_of_the_examples(total: int, some: bool, lost: int) -> None:
    points, cost = siege_result(NOBODY, total)
    assert (points > 0, cost) == (some, lost)


def test_the_plunder_track_fills_both_ways() -> None:
    full = int(NOBODY.world.tables["plunder"]["track"])
    assert full > int(NOBODY.world.tables["plunder"]["looting"])
    state = REFEREE.sketch({"elsewhere": "home", "alliances": [], "plunder": {"GAL": full - 1}})
    assert track_after(state, GAL) == (0, 1)
    assert track_after(state, TRA) == (full - 2, 0)
    state = REFEREE.sketch({"elsewhere": "home", "alliances": [], "plunder": {"TRA": full - 1}})
    assert track_after(state, TRA) == (0, -1)
    assert track_after(state, GAL) == (2 - full, 0)
