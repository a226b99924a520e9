"""How many sequences of commands there are from a position, for any game; one ends early where dice are needed."""

from __future__ import annotations

import tomllib
from typing import Any

from foedus.kernel.dice import NeedDice, NoDice
from foedus.kernel.flow import Action
from foedus.kernel.referee import Referee


def settled(referee: Referee, sketch: str) -> Any:
    """The position of a sketch, played on until somebody is awaited."""
    action = Action(referee.sketch(tomllib.loads(sketch)), NoDice())
    referee.settle(action)
    return action.state


def count(referee: Referee, state: Any, depth: int) -> int:
    """The sequences of so many commands, by whoever may give them."""
    if depth == 0:
        return 1
    found = 0
    for seat in referee.world.seats:
        for command in referee.choices(state, seat):
            try:
                after = referee.carry_out(state, command).state
            except NeedDice:
                found += 1
            else:
                found += count(referee, after, depth - 1)
    return found or 1
