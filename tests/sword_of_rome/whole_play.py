"""Whole games played at random: one step at a time, with what was done and what happened."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any

from foedus.games.sword_of_rome.game import GAME
from foedus.games.sword_of_rome.standing import ANSWERS
from foedus.games.sword_of_rome.state import OVER, State
from foedus.kernel.dice import FastDice
from foedus.kernel.referee import Referee, make_referee
from foedus.kernel.standing import ClearStanding, SetStanding
from foedus.kernel.unknown import NONE
from foedus.kernel.values import Command, Event
from foedus.lab.simulate import players_of

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


@dataclass(frozen=True)
class Plan:
    """How a game is to be played: everything hangs on it, so that a fault can be found again and made small."""

    players: int
    seed: int = 0
    style: str = "plain"
    rulings: tuple[tuple[str, str], ...] = ()
    steps: int = MOST_STEPS
    """after so many steps it is broken off"""
    beforehand: float = 0.0
    """how often somebody says an answer beforehand"""


def play(plan: Plan) -> Iterator[Step]:
    """A game by a plan; the first step is the start, with no command. Stops when the game is over or broken off."""
    referee = referee_for(plan.players)
    random = Random(plan.seed)
    dice = FastDice(plan.seed)
    bots = players_of(referee, plan.seed, plan.style)
    begun = referee.start(dict(plan.rulings), dice)
    state: Any = begun.state
    yield Step(state, -1, [], None, begun.events, state)
    for _ in range(plan.steps):
        if state.phase == OVER:
            return
        if random.random() < plan.beforehand:
            seat, said = beforehand(referee, random, state)
            if said is not None:
                outcome = referee.act(state, said, dice, seat)
                yield Step(state, seat, [], said, outcome.events, outcome.state)
                state = outcome.state
                continue
        awaited = sorted({decision.seat for decision in referee.awaiting(state)})
        assert awaited, f"nobody is awaited: {state.frames}"
        seat = random.choice(awaited)
        if state.offers and random.random() < 0.3:
            others = [one for one in state.seats if one not in awaited and referee.choices(state, one)]
            seat = random.choice(others) if others else seat
        choices = referee.choices(state, seat)
        assert choices, f"a dead end for seat {seat}: {state.frames}"
        command = bots[seat].choose(referee.view(state, seat), seat, choices)
        outcome = referee.carry_out(state, command, dice)
        yield Step(state, seat, choices, command, outcome.events, outcome.state)
        state = outcome.state
    if plan.steps >= MOST_STEPS:
        raise AssertionError(f"the game does not end: turn {state.turn}, round {state.round}, {state.frames}")


def beforehand(referee: Referee, random: Random, state: State) -> tuple[int, Command | None]:
    """Something that a seat may say beforehand just now, or nothing."""
    seat = random.choice(state.seats)
    power = random.choice(state.powers_of(seat))
    others = [NONE, *state.world.powers]
    which = random.randrange(4)
    said: Command = SetStanding(
        power,
        random.choice(ANSWERS),
        random.choice((NONE, *range(len(state.owner)))),
        random.choice(others) if which == 0 else NONE,
        random.choice(others) if which == 1 else NONE,
        *((random.choice(others), random.choice(others)) if which == 2 else ()),
    )
    if random.random() < 0.3:
        said = ClearStanding(power)
    return seat, said if referee.judge_for(state, said, seat).allowed else None
