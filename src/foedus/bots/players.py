"""What a bot is, and one that plays at random."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any, Protocol

from foedus.kernel.values import Command


class Bot(Protocol):
    """A player that is a program: it chooses among the commands that are allowed."""

    def choose(self, view: Any, seat: int, choices: Sequence[Command]) -> Command:
        """One of `choices`, which is never empty. `view` is what the seat may know; a bot sees no more."""
        ...

    def answers(self, view: Any, seat: int, choices: Sequence[Command]) -> Command | None:
        """One of `choices` that answers what waits beside the flow, or None to let it wait."""
        ...


class RandomBot:
    """Chooses at random: first what kind of command, then which, so that no kind drowns the others."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)

    def choose(self, view: Any, seat: int, choices: Sequence[Command]) -> Command:
        """One of `choices`."""
        kinds: dict[type, list[Command]] = {}
        for command in choices:
            kinds.setdefault(type(command), []).append(command)
        of_kind = list(kinds.values())
        found = of_kind[int(self._random.random() * len(of_kind))]
        return found[int(self._random.random() * len(found))]

    def answers(self, view: Any, seat: int, choices: Sequence[Command]) -> Command | None:
        """Mostly an answer, now and then none."""
        return self.choose(view, seat, choices) if self._random.random() < 0.8 else None
