"""Verdicts: allowed, refused, or depends, with every reason."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from foedus.kernel.rules import Facts
from foedus.kernel.values import Command, Event

ALLOWED, REFUSED, DEPENDS = "allowed", "refused", "depends"


class Reason:
    """A clause and the facts that made it bite (or permit)."""

    __slots__ = ("clause", "facts")

    def __init__(self, clause: str, facts: Facts) -> None:
        self.clause = clause
        self.facts = facts

    def __repr__(self) -> str:
        return f"Reason({self.clause!r}, {self.facts!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reason) and (self.clause, self.facts) == (other.clause, other.facts)

    def __hash__(self) -> int:
        return hash((self.clause, self.facts))


@dataclass(frozen=True)
class Open:
    """A question that decides whether a clause bites, and the answers with which it does."""

    clause: str
    what: str
    subject: tuple[tuple[str, int], ...]
    options: tuple[int, ...]
    biting: tuple[int, ...]
    facts: Facts = ()


@dataclass(frozen=True)
class Consequences:
    """What follows if the command is carried out: the events of a trial act, and what cut them short.

    `until` is "" when the trial ran to its end, "dice" when chance must speak, "unknown" when the position does not
    say enough (`needs` then says what: a purpose of dice, or a question), "moment" when it does not say what step is
    under way.
    """

    events: tuple[Event, ...]
    until: str = ""
    needs: Any = None


@dataclass(frozen=True)
class Remedy:
    """Something that, done or come about first, turns the verdict: commands, or a change named by the game."""

    commands: tuple[Command, ...] = ()
    change: str = ""
    facts: Facts = ()


class Verdict:
    """What the referee says of one command.

    `reasons`: the clauses that forbid it (refused), or that permit it expressly (allowed); `open`: what it depends
    on. `rulings` (names and options that decided it), `follows` and `remedies` are worked out when first read.
    """

    __slots__ = ("__dict__", "_later", "command", "kind", "open", "reasons")

    def __init__(
        self,
        kind: str,
        command: Command,
        reasons: tuple[Reason, ...],
        open_: tuple[Open, ...],
        later: Callable[[str, Verdict], Any],
    ) -> None:
        self.kind = kind
        self.command = command
        self.reasons = reasons
        self.open = open_
        self._later = later

    @property
    def allowed(self) -> bool:
        """Is the command allowed?"""
        return self.kind == ALLOWED

    @property
    def clauses(self) -> tuple[str, ...]:
        """The ids of the clauses cited, in order, each once."""
        cited = [reason.clause for reason in self.reasons] + [question.clause for question in self.open]
        return tuple(dict.fromkeys(cited))

    @cached_property
    def rulings(self) -> tuple[tuple[str, str], ...]:
        """The rulings, each with its option in force, without which the verdict or what follows would be another."""
        found: tuple[tuple[str, str], ...] = self._later("rulings", self)
        return found

    @cached_property
    def follows(self) -> Consequences | None:
        """What follows if it is carried out; None unless it is allowed."""
        found: Consequences | None = self._later("follows", self)
        return found

    @cached_property
    def remedies(self) -> tuple[Remedy, ...]:
        """What would have to change; each was tried and turns the verdict to allowed."""
        found: tuple[Remedy, ...] = self._later("remedies", self)
        return found

    def __repr__(self) -> str:
        return f"Verdict({self.kind}, {', '.join(self.clauses) or 'no clause'})"


class NotYours(Exception):
    """A seat sent a command for a power for which another seat decides now (or nobody does)."""

    def __init__(self, command: Command, seat: int, decides: int) -> None:
        self.command = command
        self.seat = seat
        self.decides = decides
        super().__init__(f"seat {seat} does not decide for the power {command.power} now; seat {decides} does")


class Refused(Exception):
    """A command was not carried out: its verdict is refused or depends."""

    def __init__(self, verdict: Verdict) -> None:
        self.verdict = verdict
        super().__init__(f"{verdict.kind}: {', '.join(verdict.clauses)}")
