"""What people around a table must know of a game beside its rules: how far the turn has come, whom an event touches,
and which commands do nothing.

Clocks, the limits of talks and notices are built on it; a game without it is played all the same, with clocks for
decisions alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from foedus.kernel.values import Command, Event

NewsKind = Literal["offer", "broken", "lapsing", "renewed", "war"]


class Stage(NamedTuple):
    """How far the turn has come, as everybody may know it; stages are told apart by their values alone.

    `segment` is the stretch for which limits on talks count. `negotiating`: is it the segment of negotiations? None for
    a game that has none. `apart`: may powers talk away from the table now, by the rules and rulings?
    """

    turn: int
    phase: tuple[int, ...]
    segment: tuple[int, ...]
    negotiating: bool | None = None
    apart: bool = True


class News(NamedTuple):
    """An event touches a seat: an offer came to it, an alliance of its was broken, lapses soon or was renewed, war came
    upon it."""

    kind: NewsKind
    seat: int


@dataclass(frozen=True)
class AtTable:
    """`stage(state)`; `news(state, event)`: whom an event touches, with the state before it; `idle`: the commands that
    pass or say no, those to be taken first at the front."""

    stage: Callable[[Any], Stage]
    news: Callable[[Any, Event], Iterable[News]]
    idle: tuple[type[Command], ...]


__all__ = ["AtTable", "News", "NewsKind", "Stage"]
