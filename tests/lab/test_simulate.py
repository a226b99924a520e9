"""Whole games played by bots: never a crash, a report of everything, the same for the same seed."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from foedus.bots.players import RandomBot
from foedus.kernel.game import find_game
from foedus.kernel.referee import Referee, make_referee
from foedus.kernel.unknown import UNKNOWN
from foedus.kernel.values import Command
from foedus.lab.simulate import Simulation, made_up, simulate
from foedus.lab.summary import Summary
from kernel import desk_game, toy

TALLIES = {"Allied": {"en": "pacts", "ru": "договоров"}, "OfferGone/accepted": {"en": "accepted", "ru": "принято"}}
CARAVANS = replace(desk_game.GAME, tallies=TALLIES, winners=lambda state: (1,) if not state.frames else ())


def caravans() -> Referee:
    return make_referee(CARAVANS)


def test_a_game_is_played_to_its_end() -> None:
    report = simulate(caravans(), 4)
    assert (report.ended, report.fault, report.winners) == ("over", None, ("SB",))
    assert report.steps > 5
    assert sum(report.commands.values()) == report.steps
    assert report.tallies["OfferGone/accepted"] == report.tallies["Allied"]


def test_the_same_seed_is_the_same_game() -> None:
    assert simulate(caravans(), 4) == simulate(caravans(), 4)
    assert simulate(caravans(), 4) != simulate(caravans(), 5)


def test_a_game_may_be_broken_off() -> None:
    report = simulate(caravans(), 4, max_steps=3)
    assert (report.ended, report.steps, report.winners) == ("limit", 3, ())


def test_a_fault_is_told_with_seed_and_step() -> None:
    def broken(action: Any, command: Any) -> None:
        raise ZeroDivisionError("of gold")

    game = replace(CARAVANS, handlers={**CARAVANS.handlers, toy.Rest: broken})
    reports = [simulate(make_referee(game), seed) for seed in range(6)]
    faults = [report.fault for report in reports if report.fault is not None]
    assert faults
    fault = faults[0]
    assert "ZeroDivisionError: of gold" in str(fault)
    assert str(fault).startswith(f"seed {fault.seed}, step {fault.step} at '")
    assert "rests" in fault.command
    summary = Summary(game, 3, 0, 100, reports)
    assert f"foedus sim caravans --players 3 --games 1 --seed {fault.seed}" in summary.text()
    assert summary.data["faults"][0]["seed"] == fault.seed


def test_a_dead_end_is_a_fault() -> None:
    game = replace(CARAVANS, flows={**CARAVANS.flows, toy.Turn: replace(CARAVANS.flows[toy.Turn], candidates=_none)})
    report = simulate(make_referee(game), 1)
    assert report.ended == "fault"
    assert report.fault is not None
    assert "has no choice" in report.fault.what


def _none(state: Any, frame: Any, seat: int) -> tuple[()]:
    return ()


def test_a_choice_that_is_not_allowed_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    referee = caravans()
    wrong = toy.Propose(0, 0)
    monkeypatch.setattr(referee, "choices", lambda state, seat: [wrong])
    report = Simulation(referee, 1).run()
    assert report.fault is not None
    assert "a choice that is refused" in report.fault.what


def test_bots_see_their_view_and_choose_among_the_choices() -> None:
    seen = []

    class Watching:
        def choose(self, view: Any, seat: int, choices: Any) -> Command:
            hidden = [card for power, card in enumerate(view.cards) if toy.SEAT_OF[power] != seat]
            seen.append((seat, hidden, view.shown))
            command: Command = choices[-1]
            return command

        def answers(self, view: Any, seat: int, choices: Any) -> Command | None:
            return None

    report = Simulation(caravans(), 2, (Watching(), Watching(), Watching()), max_steps=40).run()
    assert report.fault is None
    assert seen
    assert all(card == UNKNOWN for _, hidden, shown in seen if not shown for card in hidden)


def test_a_random_bot_is_random_and_repeatable() -> None:
    choices = [toy.Rest(0), toy.Propose(0, 1), toy.Propose(0, 2)]
    bot, again = RandomBot(1), RandomBot(1)
    chosen = [bot.choose(None, 0, choices) for _ in range(40)]
    assert chosen == [again.choose(None, 0, choices) for _ in range(40)]
    assert set(chosen) == set(choices)


def test_made_up_commands_can_be_judged() -> None:
    referee = make_referee(find_game("sword_of_rome"), 4)
    state = referee.sketch({"players": 4, "scenario": "four-players", "active": "ROM", "elsewhere": "home"})
    random = Random(1)
    kinds = set()
    for _ in range(400):
        command = made_up(referee, random)
        kinds.add(referee.judge(state, command).kind)
    assert "refused" in kinds


def test_a_summary_adds_up() -> None:
    reports = [simulate(caravans(), seed) for seed in range(3)]
    summary = Summary(CARAVANS, 3, 0, 20_000, reports, 0.5)
    data = summary.data
    assert data["games"] == 3
    assert data["winners"] == {"SB": 3}
    assert data["steps"]["all"] == sum(report.steps for report in reports)
    assert data["tallies"]["pacts"] == sum(report.tallies["Allied"] for report in reports)
    assert set(data["silent"]).isdisjoint(data["clauses"])
    text = summary.text()
    assert "3 played to the end" in text
    assert "steps a second" in text
    assert "доиграно" in summary.text("ru")
    assert Summary(CARAVANS, 3, 0, 1).text()


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_the_sword_of_rome_is_played_for_a_while(players: int) -> None:
    report = simulate(make_referee(find_game("sword_of_rome"), players), 11, max_steps=150)
    assert report.fault is None, str(report.fault)
    assert report.steps
