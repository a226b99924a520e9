"""Checking a record when the secret of its dice is known: the chain of its lines, every draw, and what the rules make
of each command.

Nobody who verifies has to trust the table: `audit` recomputes everything and names the line of whatever does not hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final

import msgspec

from foedus.kernel import record
from foedus.kernel.dice import Roll, verify, verify_commitment
from foedus.kernel.flow import Corrected, Rolled
from foedus.kernel.game import Game
from foedus.kernel.record import Record, RecordError, Step, fingerprint
from foedus.kernel.values import Event

CHAIN, DRAWS, RULES, SECRET, READ = "chain", "draws", "rules", "secret", "read"
_MOST_FAULTS: Final = 50


@dataclass(frozen=True)
class Fault:
    """Something in a record that does not hold: its line (0: the record as a whole), what was checked, a sentence."""

    line: int
    what: str
    text: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.text}" if self.line else self.text


@dataclass
class Audit:
    """What was found. `told` are the draws that people told (line and draw), which nobody can recompute."""

    faults: list[Fault] = field(default_factory=list)
    told: list[tuple[int, Rolled]] = field(default_factory=list)
    batches: int = 0
    draws: int = 0
    chained: int = 0
    published: bool = False

    def fault(self, line: int, what: str, text: str) -> None:
        """Note a fault."""
        if len(self.faults) < _MOST_FAULTS:
            self.faults.append(Fault(line, what, text))


def audit(
    lines: Sequence[str], find: Callable[[str], Game], *, secret: bytes | None = None, rules: bool = True
) -> Audit:
    """Check a record, line by line. `secret` is that of the dice, where the record does not publish it.

    `find` gives the game of a name. With `rules` each command is carried out anew with the recorded draws and must
    bring about the recorded events. Never raises for what a record holds.
    """
    found = Audit()
    chain(lines, found)
    try:
        read = record.read_record(lines)
    except RecordError as error:
        found.fault(error.line, READ, str(error).partition(": ")[2])
        return found
    draws: list[tuple[int, Rolled]] = []
    try:
        game = find(read.header.game)
        referee, state = record.open_record(game, read)
        for step in record.steps(referee, state, read):
            found.batches += 1
            draws += [(step.batch.at, event) for event in step.events if isinstance(event, Rolled)]
            if rules:
                _by_rules(referee, step, found)
    except RecordError as error:
        found.fault(error.line, READ, str(error).partition(": ")[2])
    except LookupError as error:
        found.fault(1, READ, str(error))
        return found
    found.told = [(line, draw) for line, draw in draws if draw.told]
    _dice(read, draws, secret, found)
    found.faults.sort(key=lambda fault: fault.line)
    return found


# the chain


def chain(lines: Sequence[str], found: Audit) -> None:
    """Check that each line says the fingerprint of the one before it, and that the batches are numbered on."""
    rows = [(number, line) for number, line in enumerate(lines, 1) if line.strip()]
    prints = {fingerprint(line): number for number, line in rows}
    due = -1
    for (before, earlier), (number, line) in pairwise(rows):
        try:
            data = msgspec.json.decode(line)
        except (msgspec.MsgspecError, UnicodeError, RecursionError):
            return
        if not isinstance(data, dict):
            return
        n = data.get("n")
        gap = ""
        if isinstance(n, int) and not isinstance(n, bool):
            if due >= 0 and n > due:
                gap = f"batch {due} is missing" if n == due + 1 else f"batches {due} to {n - 1} are missing"
            due = n + 1
        prev = data.get("prev")
        if not isinstance(prev, str):
            if found.chained:
                found.fault(number, CHAIN, "it does not say which line it was written after")
            elif gap:
                found.fault(number, CHAIN, f"{gap} before this line")
            continue
        found.chained += 1
        if prev == fingerprint(earlier):
            continue
        elsewhere = prints.get(prev)
        if elsewhere is not None:
            found.fault(number, CHAIN, f"it was written after line {elsewhere}, not after line {before}")
        elif gap:
            found.fault(number, CHAIN, f"{gap} before this line")
        else:
            found.fault(before, CHAIN, f"changed, or lines after it are missing: line {number} does not follow it")


# the dice


def _dice(read: Record, draws: Iterable[tuple[int, Rolled]], secret: bytes | None, found: Audit) -> None:
    real = [(line, draw) for line, draw in draws if not draw.told]
    found.draws = len(real)
    header = read.header
    if read.secret:
        secret = bytes.fromhex(read.secret)
        found.published = True
    if not header.commitment:
        if real:
            found.fault(1, SECRET, "the record has dice but committed to no secret: they cannot be recomputed")
        return
    if secret is None:
        found.fault(0, SECRET, "the secret of the dice is not published yet: the dice cannot be recomputed")
        return
    if not verify_commitment(secret, header.commitment):
        found.fault(read.end, SECRET, "this is not the secret that the header committed to")
        return
    rolls = [_roll(draw) for _, draw in real]
    try:
        wrong = verify(secret, header.numbers, rolls)
    except (TypeError, ValueError) as error:
        found.fault(1, SECRET, str(error))
        return
    for one in wrong:
        line, draw = real[one.place - 1]
        if one.kind == "result" and draw.sides == 0:
            recorded = " ".join(map(str, draw.result))
            text = f"draw {draw.counter} ({draw.purpose!r}): picked {recorded}, recomputed {one.expected[0] - 1}"
        else:
            text = str(one)
        found.fault(line, DRAWS, text)


def _roll(draw: Rolled) -> Roll:
    if draw.sides == 0:
        picked = draw.result[0] if len(draw.result) == 1 else -2
        return Roll.of_pick(draw.purpose, draw.counter, draw.count, picked)
    return Roll(draw.purpose, draw.counter, draw.sides, draw.count, draw.result)


# the rules


class WrongDraw(Exception):
    """The rules ask for another draw than the record has."""


class Recorded:
    """Dice that give again what was drawn in one batch."""

    def __init__(self, draws: Sequence[Rolled]) -> None:
        self._draws = list(draws)
        self._at = 0

    def _next(self, purpose: str, count: int, sides: int) -> Rolled:
        if self._at >= len(self._draws):
            raise WrongDraw(f"the rules ask for a draw that the record lacks ({purpose!r})")
        draw = self._draws[self._at]
        if (draw.purpose, draw.count, draw.sides) != (purpose, count, sides):
            raise WrongDraw(f"the rules ask for {purpose!r} where the record has {draw.purpose!r}")
        self._at += 1
        return draw

    def roll(self, purpose: str, count: int, sides: int = 6) -> tuple[int, ...]:
        """The faces that were recorded."""
        return self._next(purpose, count, sides).result

    def pick(self, purpose: str, count: int) -> int:
        """The pick that was recorded."""
        return self._next(purpose, count, 0).result[0]

    @property
    def counter(self) -> int:
        """The number of the next draw, as recorded."""
        return self._draws[self._at].counter if self._at < len(self._draws) else 0

    @property
    def told(self) -> bool:
        """Whether the last draw was told."""
        return bool(self._at) and self._draws[self._at - 1].told


def _by_rules(referee: Any, step: Step, found: Audit) -> None:
    """Carry the command out anew; the start of the game likewise."""
    line = step.batch.at
    if any(isinstance(event, Corrected) for event in step.events):
        return  # what a table says of itself follows from no rule
    dice = Recorded([event for event in step.events if isinstance(event, Rolled)])
    try:
        if step.command is None:
            if step.batch.number != 0 or not step.events:
                return
            outcome, _ = referee.carry_as_far(step.before, None, dice)
        elif not step.events:
            return  # only noted
        else:
            verdict = referee.judge(step.before, step.command)
            if not verdict.allowed:
                clauses = ", ".join(verdict.clauses)
                found.fault(line, RULES, f"the command is {verdict.kind} by today's rules ({clauses})")
                return
            outcome, stopped = referee.carry_as_far(step.before, step.command, dice)
            if isinstance(stopped, WrongDraw):
                raise stopped
    except WrongDraw as error:
        found.fault(line, RULES, str(error))
        return
    except Exception as error:
        found.fault(line, RULES, f"it cannot be carried out by today's rules: {type(error).__name__}: {error}"[:300])
        return
    wrong = _first_difference(outcome.events, step.events)
    if wrong is not None:
        found.fault(line, RULES, wrong)


def _first_difference(made: Sequence[Event], recorded: Sequence[Event]) -> str | None:
    for number, (one, other) in enumerate(zip(made, recorded, strict=False), 1):
        if one != other:
            same = type(one) is type(other)
            what = type(other).__name__ if same else f"{type(other).__name__} where the rules give {type(one).__name__}"
            return f"event {number} is not what the rules make of it: {what}"
    if len(made) != len(recorded):
        less = "fewer" if len(recorded) < len(made) else "more"
        return f"it has {less} events ({len(recorded)}) than the rules make of it ({len(made)})"
    return None
