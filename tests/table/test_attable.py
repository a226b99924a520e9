"""Whom the events of the games touch, and how far the turn has come: what clocks, talks and notices build on."""

from __future__ import annotations

import random

import pytest

from foedus.kernel.attable import AtTable, News
from foedus.kernel.dice import FastDice
from foedus.kernel.flow import Decision
from foedus.kernel.game import Game, find_game
from foedus.kernel.referee import Referee, make_referee
from foedus.kernel.values import Command, Event

GAMES = (("sword_of_rome", 4), ("virgin_queen", 6))


def at_table(game: Game) -> AtTable:
    assert game.at_table is not None
    return game.at_table


def power(referee: Referee, code: str) -> int:
    return list(referee.world.names["power"]).index(code)


def seat(referee: Referee, code: str) -> int:
    return list(referee.world.names["seat"]).index(code)


def test_alliances_of_rome() -> None:
    from foedus.games.sword_of_rome import events as e
    from foedus.games.sword_of_rome.state import ACTION, ATTRITION, SCORING

    referee = make_referee(find_game("sword_of_rome"), 4, None, {})
    state = referee.start({}, FastDice(1)).state
    news = at_table(referee.game).news
    rom, gre, etr = (power(referee, one) for one in ("ROM", "GRE", "ETR"))
    state = e.AllianceMade(rom, etr, 1, 1).apply(state)
    both = [News("renewed", seat(referee, one)) for one in ("ROM", "ES")]
    assert sorted(news(state, e.AllianceRenewed(rom, etr))) == sorted(both)
    assert list(news(state, e.AllianceEnded(rom, etr, "broken", rom))) == [News("broken", seat(referee, "ES"))]
    assert list(news(state, e.AllianceEnded(rom, etr, "lapsed"))) == []
    # soon: when the rounds are over, and never for those who are in no alliance
    state = e.PhaseBegan(ACTION).apply(state)
    soon = {News("lapsing", seat(referee, one)) for one in ("ROM", "ES")}
    assert set(news(state, e.PhaseBegan(ATTRITION))) == soon
    assert list(news(e.PhaseBegan(ATTRITION).apply(state), e.PhaseBegan(SCORING))) == []
    assert list(news(state, e.AllianceMade(rom, gre, 1, 1))) == []


def test_alliances_and_wars_of_virgin_queen() -> None:
    from foedus.games.virgin_queen import events as e
    from foedus.games.virgin_queen.state import NEGOTIATION, WINTER

    referee = make_referee(find_game("virgin_queen"), 6, None, {})
    state = referee.start({}, FastDice(1)).state
    news, stage = at_table(referee.game).news, at_table(referee.game).stage
    fra, hre, ott, spa = (power(referee, one) for one in ("FRA", "HRE", "OTT", "SPA"))
    state = e.AllianceMade(fra, hre).apply(state)
    assert list(news(state, e.AllianceEnded(fra, hre, "early", fra))) == [News("broken", seat(referee, "HRE"))]
    assert list(news(state, e.AllianceEnded(fra, hre))) == []
    assert list(news(state, e.WarBegan(fra, spa, fra))) == [News("war", seat(referee, "SPA"))]
    assert {one.seat for one in news(state, e.WarBegan(ott, spa))} == {seat(referee, "OTT"), seat(referee, "SPA")}
    assert set(news(state, e.PhaseBegan(WINTER))) == {News("lapsing", seat(referee, one)) for one in ("FRA", "HRE")}
    for rule, apart in (("allowed", (True, True)), ("limited", (True, False)), ("forbidden", (False, False))):
        state = referee.start({"secret_talks": rule}, FastDice(1)).state
        found = [stage(e.PhaseBegan(phase).apply(state)) for phase in (NEGOTIATION, WINTER)]
        assert tuple(one.apart for one in found) == apart
        assert [one.negotiating for one in found] == [True, False]


@pytest.mark.parametrize(("name", "players"), GAMES)
def test_stages_only_go_on_and_offers_touch_whom_they_are_made_to(name: str, players: int) -> None:
    """Through a part of a random game: the stage is the same for everybody, news goes to seats that play, and an offer
    is news to nobody who may not know of it."""
    referee = make_referee(find_game(name), players, None, {})
    told = at_table(referee.game)
    rng, dice = random.Random(5), FastDice(5)
    state = referee.start({}, dice).state
    turns, kinds = [told.stage(state).turn], set()
    for _ in range(250):
        awaited = [one for one in referee.awaiting(state) if one.seat >= 0]
        if not awaited:
            break
        decision: Decision = rng.choice(awaited)
        command: Command = rng.choice(referee.choices(state, decision.seat))
        outcome = referee.act(state, command, dice, decision.seat)
        before: list[Event] = list(outcome.events)
        now = state
        for event in before:
            for one in told.news(now, event):
                kinds.add(one.kind)
                assert referee.view_events(now, [event], one.seat), f"{event} is told to {one}"
            now = event.apply(now)
        state = outcome.state
        turns.append(told.stage(state).turn)
        assert told.stage(state) == told.stage(referee.view(state, None))
    assert turns == sorted(turns)
    assert "offer" in kinds
