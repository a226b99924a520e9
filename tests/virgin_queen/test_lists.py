"""Lists of choices are kept in parts while nothing that they hang on changes: kept or new, they must be the same."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from foedus.games.virgin_queen.game import GAME
from foedus.games.virgin_queen.state import State
from foedus.kernel.dice import FastDice
from foedus.kernel.referee import Referee, make_referee
from foedus.kernel.values import Command

from .whole_play import TALKATIVE, WARLIKE, pick

TABLES: tuple[tuple[int, dict[str, str]], ...] = (
    (6, {}),
    (6, {"friendly_scope": "every_rule", "acts_at_peace": "passage", "formation_size": "told"}),
    (4, {"minor_as_party": "refused", "activated_as_party": "refused"}),
    (2, {}),
)


def chosen(told: dict[str, str]) -> dict[str, str]:
    """The rulings as far as the rulebook has such options, else another than the default."""
    found = {}
    for name, option in told.items():
        ruling = GAME.rulebook.ruling(name)
        others = [one for one in ruling.options if one != ruling.default]
        found[name] = option if option in ruling.options else others[0]
    return found


def anew(state: State, seat: int, second: Referee) -> list[Command]:
    """The choices as they are where nothing was kept."""
    second.world.cache.clear()
    fresh = Referee(GAME, second.world, second.names)
    return fresh.choices(replace(state, world=second.world), seat)


@pytest.mark.parametrize(("players", "told"), TABLES)
def test_what_is_kept_is_what_would_be_found_anew(players: int, told: dict[str, str]) -> None:
    referee, second = make_referee(GAME, players), make_referee(GAME, players)
    random, dice = Random(players), FastDice(players)
    state: Any = referee.start(chosen(told), dice).state
    shown = 0
    for step in range(900):
        seats = sorted({one.seat for one in referee.awaiting(state) if one.seat >= 0})
        if not seats:
            break
        seat = random.choice(seats)
        choices = referee.choices(state, seat)
        if step % 3 == 0:
            assert choices == anew(state, seat, second)
            view = referee.view(state, seat)
            assert referee.choices(view, seat) == choices  # a view comes between two lists and must not stay
            shown += len(choices)
        drawn = referee.pick(state, seat, random.random)
        assert drawn in choices
        command = drawn if random.random() < 0.3 else pick(random, choices, {**TALKATIVE, **WARLIKE})
        state = referee.carry_out(state, command, dice).state
    assert shown > 900


FIELDS = tuple(name for name in State.__struct_fields__ if name not in ("world", "frames"))


@pytest.mark.parametrize(("players", "told"), TABLES)
def test_whatever_part_of_a_position_changes_the_choices_are_found_anew(players: int, told: dict[str, str]) -> None:
    """Every field of a position is put in the place of the same field at another moment, one at a time."""
    referee, second = make_referee(GAME, players), make_referee(GAME, players)
    random, dice = Random(players), FastDice(players)
    state: Any = referee.start(chosen(told), dice).state
    moments: list[State] = []
    changed = 0
    for step in range(1500):
        seats = sorted({one.seat for one in referee.awaiting(state) if one.seat >= 0})
        if not seats:
            break
        seat = random.choice(seats)
        if moments and not step % 30:
            for name in FIELDS:
                usual = referee.choices(state, seat)
                other = replace(state, **{name: getattr(random.choice(moments), name)})
                try:
                    expected = anew(other, seat, second)
                except Exception:  # such a position cannot be: a siege by nobody, a loan of no units
                    continue
                assert referee.choices(other, seat) == expected, name
                changed += expected != usual
        if not step % 20:
            moments.append(state)
        command = pick(random, referee.choices(state, seat), {**TALKATIVE, **WARLIKE})
        state = referee.carry_out(state, command, dice).state
    assert changed > 50
