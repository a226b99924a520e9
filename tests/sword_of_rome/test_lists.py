"""Lists of choices are kept in parts while nothing that they hang on changes: kept or new, they must be the same."""

from __future__ import annotations

from random import Random

import pytest
from msgspec.structs import replace

from foedus.bots.players import RandomBot
from foedus.games.sword_of_rome.game import GAME
from foedus.games.sword_of_rome.state import State
from foedus.kernel.dice import FastDice
from foedus.kernel.referee import Referee, make_referee
from foedus.kernel.values import Command

STEPS = 700
TABLES: tuple[tuple[int, dict[str, str]], ...] = (
    (4, {}),
    (4, {"npp_alliances": "allowed", "sharing_when_allied": "refused", "activator_powers": "one_power"}),
    (5, {"minor_leaders_moved": "refused", "support_short": "pay_what_is_left"}),
    (3, {"card_reach": "any", "stacking_outside_movement": "free", "etruscans_and_samnites": "separate"}),
    (2, {"fallback_among": "all", "active_player_as_decider": "allowed"}),
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
@pytest.mark.parametrize("seed", [1, 2])
def test_what_is_kept_is_what_would_be_found_anew(players: int, told: dict[str, str], seed: int) -> None:
    referee, second = make_referee(GAME, players), make_referee(GAME, players)
    random, dice, bot = Random(seed), FastDice(seed), RandomBot(seed)
    state = referee.start(chosen(told), dice).state
    shown = 0
    for _ in range(STEPS):
        seats = sorted({one.seat for one in referee.awaiting(state) if one.seat >= 0})
        if not seats:
            state = referee.start(chosen(told), dice).state
            continue
        for asked in state.seats:
            listed = referee.choices(state, asked)
            assert listed == anew(state, asked, second)
            view = referee.view(state, asked)
            assert referee.choices(view, asked) == listed  # a view comes between two lists and must not stay
            shown += len(listed)
        seat = random.choice(seats)
        if state.offers and random.random() < 0.3:
            seat = random.choice(state.seats)
        choices = referee.choices(state, seat) or referee.choices(state, seats[0])
        command = bot.choose(state, seat, choices) if random.random() < 0.5 else random.choice(choices)
        state = referee.carry_out(state, command, dice).state
    assert shown > STEPS


RARE = {
    "treaty": range(4),
    "fallen": range(2),
    "duoviri": range(2),
    "appian_way": range(2),
    "out": (0, 1, 4, 8),
    "unrest": (0, 3, 10),
    "plunder": (-1, 0, 2),
}
"""Values that random games seldom come to."""
FIELDS = tuple(name for name in State.__struct_fields__ if name not in ("world", "frames"))


@pytest.mark.parametrize(("players", "told"), TABLES)
def test_whatever_part_of_a_position_changes_the_choices_are_found_anew(players: int, told: dict[str, str]) -> None:
    """Every field of a position is put in the place of the same field at another moment, one at a time."""
    referee, second = make_referee(GAME, players), make_referee(GAME, players)
    random, dice, bot = Random(players), FastDice(players), RandomBot(players)
    state = referee.start(chosen(told), dice).state
    moments: list[State] = []
    changed = 0
    for step in range(2000):
        seats = sorted({one.seat for one in referee.awaiting(state) if one.seat >= 0})
        if not seats:
            state = referee.start(chosen(told), dice).state
            continue
        seat = random.choice(seats)
        if moments and not step % 40:
            for name in FIELDS:
                referee.choices(state, seat)
                value = random.choice(RARE[name]) if name in RARE else getattr(random.choice(moments), name)
                other = replace(state, **{name: value})
                try:
                    expected = anew(other, seat, second)
                except Exception:  # such a position cannot be: a siege by nobody, an alliance without its marker
                    continue
                assert referee.choices(other, seat) == expected, name
                changed += expected != referee.choices(state, seat)
        if not step % 20:
            moments.append(state)
        command = bot.choose(state, seat, referee.choices(state, seat))
        state = referee.carry_out(state, command, dice).state
    assert changed > 50


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_a_random_command_is_one_of_the_choices(players: int) -> None:
    referee = make_referee(GAME, players)
    random, dice = Random(players), FastDice(players)
    state = referee.start(dice=dice).state
    fewest = []
    for _ in range(1500):
        seats = sorted({one.seat for one in referee.awaiting(state) if one.seat >= 0})
        if not seats:
            break
        for seat in state.seats:
            choices = referee.choices(state, seat)
            command = referee.pick(state, seat, random.random)
            assert (command is None) == (not choices)
            assert command is None or command in choices
            if 1 < len(choices) < 5:
                fewest.append((state, seat, choices))
        command = referee.pick(state, random.choice(seats), random.random)
        assert command is not None
        state = referee.carry_out(state, command, dice).state
    for state, seat, choices in random.sample(fewest, 30):
        drawn = [referee.pick(state, seat, random.random) for _ in range(150)]
        assert all(one in drawn for one in choices)
