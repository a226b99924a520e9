"""Whole games played at random: one step at a time, with what was done and what happened."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any

from foedus.games.sword_of_rome.game import GAME
from foedus.games.sword_of_rome.state import OVER, State
from foedus.kernel.dice import FastDice
from foedus.kernel.referee import Referee, make_referee
from foedus.kernel.values import Command, Event

MOST_STEPS = 12_000
"""More than any game of nine turns should take."""


@cache
def referee_for(players: int) -> Referee:
    """The referee for so many players on the usual board."""
    return make_referee(GAME, players)


@dataclass(frozen=True)
class Step:
    """One command of one seat: the state before and after it, what the seat could choose, and the events."""

    before: State
    seat: int
    choices: list[Command]
    command: Command | None
    events: tuple[Event, ...]
    after: State


WARLIKE = {
    "ProposeAlliance": 0.1,
    "BreakAlliance": 0.02,
    "WithdrawOffer": 0.2,
    "PlaceMinor": 0.3,
    "Pass": 0.3,
    "Halt": 0.5,
    "Step": 4.0,
    "Besiege": 5.0,
    "Subjugate": 5.0,
    "Intercept": 3.0,
    "Activate": 3.0,
    "Discard": 0.3,
}
"""How often a warlike player thinks of some kinds of command, beside 1 for all others."""


def pick(random: Random, choices: list[Command], warlike: bool = False) -> Command:
    """At random: first what kind of command, then which, so that no kind drowns the others."""
    kinds: dict[str, list[Command]] = {}
    for command in choices:
        kinds.setdefault(type(command).__name__, []).append(command)
    names = sorted(kinds)
    weights = [WARLIKE.get(name, 1.0) if warlike else 1.0 for name in names]
    return random.choice(kinds[random.choices(names, weights)[0]])


def play(players: int, seed: int, rulings: dict[str, str] | None = None) -> Iterator[Step]:
    """A whole game; the first step is the start, with no command. Stops when the game is over.

    With odd seeds all are warlike, with even ones they choose whatever comes.
    """
    referee = referee_for(players)
    random = Random(seed)
    dice = FastDice(seed)
    begun = referee.start(rulings, dice)
    state: Any = begun.state
    yield Step(state, -1, [], None, begun.events, state)
    for _ in range(MOST_STEPS):
        if state.phase == OVER:
            return
        awaited = sorted({decision.seat for decision in referee.awaiting(state)})
        assert awaited, f"nobody is awaited: {state.frames}"
        seat = random.choice(awaited)
        if state.offers and random.random() < 0.3:
            others = [one for one in state.seats if one not in awaited and referee.choices(state, one)]
            seat = random.choice(others) if others else seat
        choices = referee.choices(state, seat)
        assert choices, f"a dead end for seat {seat}: {state.frames}"
        command = pick(random, choices, seed % 2 == 1)
        outcome = referee.carry_out(state, command, dice)
        yield Step(state, seat, choices, command, outcome.events, outcome.state)
        state = outcome.state
    raise AssertionError(f"the game does not end: turn {state.turn}, round {state.round}, {state.frames}")
