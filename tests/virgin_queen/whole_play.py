"""Whole games of Virgin Queen played at random: one step at a time, with what was done and what happened."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any

from foedus.games.virgin_queen.game import GAME
from foedus.games.virgin_queen.state import OVER, State
from foedus.kernel.dice import FastDice
from foedus.kernel.referee import Referee, make_referee
from foedus.kernel.values import Command, Event

MOST_STEPS = 12_000
"""More than any game of seven turns should take."""


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
    command: Command
    events: tuple[Event, ...]
    after: State


TALKATIVE = {
    "DoneNegotiating": 0.25,
    "Discard": 0.15,
    "Decline": 0.3,
    "Withdraw": 0.15,
    "DropTerm": 0.2,
    "Sign": 4.0,
    "AddTerm": 3.0,
    "OfferDraft": 1.5,
    "Lend": 3.0,
}
"""How often a talkative player thinks of some kinds of command, beside 1 for all others."""
WARLIKE = {"DeclareWar": 3.0, "DoneDeclaring": 0.3, "Move": 4.0, "Assault": 5.0, "EndImpulse": 0.2, "Pass": 0.4}


def pick(random: Random, choices: list[Command], weights: dict[str, float]) -> Command:
    """At random: first what kind of command, then which, so that no kind drowns the others."""
    kinds: dict[str, list[Command]] = {}
    for command in choices:
        kinds.setdefault(type(command).__name__, []).append(command)
    names = sorted(kinds)
    return random.choice(kinds[random.choices(names, [weights.get(name, 1.0) for name in names])[0]])


def play(
    players: int, seed: int, rulings: dict[str, str] | None = None, most: int = MOST_STEPS
) -> Iterator[Step | State]:
    """A whole game: first the position at the start, then its steps, at most so many.

    By the seed the players are talkative, warlike, both or neither.
    """
    referee = referee_for(players)
    random = Random(seed)
    dice = FastDice(seed)
    state: Any = referee.start(rulings, dice).state
    yield state
    weights = {**(TALKATIVE if seed & 1 else {}), **(WARLIKE if seed & 2 else {})}
    for _ in range(most):
        if state.phase == OVER:
            return
        awaited = sorted({decision.seat for decision in referee.awaiting(state)})
        assert awaited, f"nobody is awaited: {state.frames}"
        seat = random.choice(awaited)
        choices = referee.choices(state, seat)
        assert choices, f"a dead end for seat {seat}: {state.frames}"
        command = pick(random, choices, weights)
        outcome = referee.carry_out(state, command, dice)
        yield Step(state, seat, choices, command, outcome.events, outcome.state)
        state = outcome.state
