"""Counting what fires, and random players of several styles."""

from __future__ import annotations

from collections import Counter

import pytest

from foedus.bots.players import STYLES, CuriousBot, TemperedBot, bot_of
from foedus.games.sword_of_rome import commands as c
from foedus.games.sword_of_rome.game import GAME
from foedus.kernel.referee import make_referee
from foedus.kernel.values import Command
from foedus.lab.fired import counting
from foedus.lab.simulate import Simulation, mixed_rulings, players_of

CHOICES: list[Command] = [
    c.Pass(0),
    c.ProposeAlliance(0, 1),
    c.ProposeAlliance(0, 3),
    *(c.Step(0, space) for space in range(20)),
]


def test_rules_count_while_they_are_counted_and_not_after() -> None:
    before = [effect.function for effect in GAME.rules.effects]
    with counting(GAME) as (game, fired):
        report = Simulation(make_referee(game, 4), 3, max_steps=200).run()
        assert report.fault is None
        assert fired.done["f7.1"]  # how many cards a hand holds: no event says so
        assert fired.bit["f5.1"]
    assert [effect.function for effect in GAME.rules.effects] == before
    told = Counter(fired.done)
    Simulation(make_referee(GAME, 4), 4, max_steps=50).run()
    assert fired.done == told


def test_a_game_goes_the_same_way_whether_it_is_counted_or_not() -> None:
    plain = Simulation(make_referee(GAME, 3), 8, max_steps=300, style="mixed").run()
    with counting(GAME) as (game, _):
        counted = Simulation(make_referee(game, 3), 8, max_steps=300, style="mixed").run()
    assert counted == plain


def test_a_temper_shows() -> None:
    def chosen(style: str) -> Counter[str]:
        bot = bot_of(style, 1, GAME.sorts)
        return Counter(type(bot.choose(None, 0, CHOICES)).__name__ for _ in range(600))

    warlike, diplomatic = chosen("warlike"), chosen("diplomatic")
    assert warlike["Step"] > 5 * warlike["ProposeAlliance"]
    assert diplomatic["ProposeAlliance"] > 3 * diplomatic["Step"]
    assert set(chosen("plain")) == {"Pass", "ProposeAlliance", "Step"}


def test_a_curious_player_comes_to_what_he_has_not_done() -> None:
    bot = CuriousBot(1)
    chosen = [bot.choose(None, 0, CHOICES[:1] * 50 + CHOICES[1:]) for _ in range(30)]
    kinds = Counter(type(one).__name__ for one in chosen)
    assert max(kinds.values()) - min(kinds.values()) <= 8
    rare = [c.Intercept(0, 1, 2, 3), c.Intercept(0, 1, 2)]
    assert set(map(repr, (bot.choose(None, 0, rare) for _ in range(12)))) == set(map(repr, rare))


def test_every_style_is_somebody() -> None:
    referee = make_referee(GAME, 5)
    for style in STYLES:
        assert len(players_of(referee, 1, style)) == 5
    mixed = {type(bot) for seed in range(20) for bot in players_of(referee, seed, "mixed")}
    assert {TemperedBot, CuriousBot} <= mixed
    with pytest.raises(ValueError, match="unknown style 'angry'"):
        bot_of("angry", 1, {})


def test_mixed_rulings_are_rulings() -> None:
    referee = make_referee(GAME, 4)
    chosen = mixed_rulings(referee, 5)
    assert chosen == mixed_rulings(referee, 5) != mixed_rulings(referee, 6)
    assert chosen
    GAME.rulebook.choose(chosen)
