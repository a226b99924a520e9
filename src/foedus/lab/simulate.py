"""Whole games played by bots, one after the other, and what happened in them.

Nothing here reads a clock or writes; the callers do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from random import Random
from typing import Any, NamedTuple, get_args, get_origin, get_type_hints

import msgspec

from foedus.bots.players import Bot, RandomBot, bot_of
from foedus.kernel.codec import kind_of_field
from foedus.kernel.desk import Speaker
from foedus.kernel.dice import FastDice
from foedus.kernel.notation import Notation
from foedus.kernel.referee import Referee
from foedus.kernel.values import Command, Event
from foedus.kernel.verdict import Verdict

MAX_STEPS = 20_000
"""After so many steps a game is broken off."""
SAMPLE = 20
"""Every so many steps a command that is not among the choices is judged, and one that is."""
SAMPLE_RULINGS = 400
"""Every so many steps it is worked out which rulings decided."""
MAX_SEED = 2**63


@dataclass(frozen=True)
class Fault:
    """Something that must not happen: where, and how to see it again."""

    seed: int
    step: int
    what: str
    command: str = ""

    def __str__(self) -> str:
        after = f" at '{self.command}'" if self.command else ""
        return f"seed {self.seed}, step {self.step}{after}: {self.what}"


@dataclass
class Report:
    """What happened in one game. `ended`: "over", "limit" (broken off), "stuck" (nobody could act) or "fault"."""

    seed: int
    ended: str = "fault"
    steps: int = 0
    turns: int = 0
    winners: tuple[str, ...] = ()
    tallies: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    granted: Counter[str] = field(default_factory=Counter)
    happened: Counter[str] = field(default_factory=Counter)
    decided: Counter[str] = field(default_factory=Counter)
    rulings: Counter[str] = field(default_factory=Counter)
    commands: Counter[str] = field(default_factory=Counter)
    most_choices: int = 0
    fault: Fault | None = None


class Simulation:
    """One game played by bots. `step` makes one command; `run` plays to the end. Never raises for a fault of the game:
    the report tells it, with the seed and the step. With `every` each command that is chosen is judged, else a sample.
    """

    def __init__(
        self,
        referee: Referee,
        seed: int,
        bots: Sequence[Bot] | None = None,
        *,
        max_steps: int = MAX_STEPS,
        rulings: dict[str, str] | None = None,
        style: str = "plain",
        every: bool = False,
    ) -> None:
        self.referee = referee
        self.report = Report(seed)
        self.max_steps = max_steps
        self.every = every
        self.seats = range(len(referee.world.names.get("seat", ())))
        self.bots = bots if bots is not None else players_of(referee, seed, style)
        self.dice = FastDice(seed)
        self.state: Any = None
        self._chosen: dict[str, str] = rulings or {}
        self._sample = Random(f"sample {seed}")
        self._command: Command | None = None
        self._tags = referee.game.tallies
        self._plain_bots = all(isinstance(bot, RandomBot) for bot in self.bots)

    def run(self, watch: Callable[[int], Any] = lambda step: None) -> Report:
        """Play to the end; `watch` is called now and then with the number of steps so far."""
        report = self.report
        try:
            self.begin()
            while not report_ended(report):
                self.step()
                if not report.steps % 64:
                    watch(report.steps)
        except Exception as error:
            self._blame(error)
        self._close()
        return report

    def begin(self) -> None:
        """The game begins."""
        outcome = self.referee.start(self._chosen, self.dice)
        self.state = outcome.state
        self.report.ended = ""
        self._note(outcome.events)

    def step(self) -> None:
        """One command, or the end."""
        report, referee, state = self.report, self.referee, self.state
        self._command = None
        awaited = [one for one in referee.awaiting(state) if one.seat >= 0]
        if not awaited:
            report.ended = "over" if referee.awaiting(state) else "stuck"
            if self._winners():
                report.ended = "over"
            return
        if report.steps >= self.max_steps:
            report.ended = "limit"
            return
        report.decided.update(one.clause for one in awaited if one.clause)
        command = self._beside({one.seat for one in awaited}) or self._awaited(awaited)
        if command is None:
            report.ended = "fault"
            who = ", ".join(str(referee.world.names["seat"][one.seat]) for one in awaited)
            report.fault = Fault(report.seed, report.steps, f"{who} must decide ({awaited[0].what}) and has no choice")
            return
        self._command = command
        outcome = referee.carry_out(state, command, self.dice)
        report.steps += 1
        report.commands[type(command).__name__] += 1
        self.state = outcome.state
        self._note(outcome.events)

    def _view(self, seat: int) -> Any:
        return self.state if self._plain_bots else self.referee.view(self.state, seat)

    def _beside(self, awaited: set[int]) -> Command | None:
        """An answer to what waits beside the flow, of a seat that is not awaited."""
        if not getattr(self.state, "offers", ()):
            return None
        for seat in self.seats:
            if seat not in awaited:
                choices = self.referee.choices(self.state, seat)
                if choices:
                    answer: Command | None = self.bots[seat].answers(self._view(seat), seat, choices)
                    if answer is not None:
                        return answer
        return None

    def _awaited(self, awaited: Sequence[Any]) -> Command | None:
        for decision in awaited:
            choices = self.referee.choices(self.state, decision.seat)
            self.report.most_choices = max(self.report.most_choices, len(choices))
            if choices:
                command: Command = self.bots[decision.seat].choose(self._view(decision.seat), decision.seat, choices)
                if not self.report.steps % SAMPLE:
                    self._judge(command, decision.seat, choices)
                elif self.every:
                    self._judge_chosen(command)
                return command
        return None

    def _judge_chosen(self, command: Command) -> Verdict:
        self._command = command
        verdict = self.referee.judge(self.state, command)
        if not verdict.allowed:
            raise AssertionError(f"a choice that is {verdict.kind} by {', '.join(verdict.clauses)}")
        self.report.granted.update(verdict.clauses)
        return verdict

    def _judge(self, command: Command, seat: int, choices: Sequence[Command]) -> None:
        """Judge what was chosen, and something that is not among the choices."""
        report, referee, state = self.report, self.referee, self.state
        verdict = self._judge_chosen(command)
        if not report.steps % SAMPLE_RULINGS:
            report.rulings.update(name for name, _ in verdict.rulings)
        frame = state.frames[-1]
        allowed = set(choices)
        others = [
            one
            for _, _, group in referee.game.flows[type(frame)].candidates(state, frame, seat)
            for one in group
            if one not in allowed
        ]
        for _ in range(3):
            self._command = made_up(referee, self._sample)
            verdict = referee.judge(state, self._command)
            (report.granted if verdict.allowed else report.refused).update(verdict.clauses)
        for _ in range(3 if others else 0):
            self._command = others[int(self._sample.random() * len(others))]
            verdict = referee.judge(state, self._command)
            if verdict.allowed:
                raise AssertionError("it is allowed and was not among the choices")
            report.refused.update(verdict.clauses)
        self._command = command

    def _note(self, events: Sequence[Event]) -> None:
        report = self.report
        for event in events:
            name = type(event).__name__
            how = getattr(event, "how", "")
            for tag in (name, f"{name}/{how}"):
                if tag in self._tags:
                    report.tallies[tag] += 1
            why = getattr(event, "why", "")
            if why:
                report.happened[why] += 1

    def _winners(self) -> Sequence[int]:
        winners = self.referee.game.winners
        return winners(self.state) if winners is not None else ()

    def _blame(self, error: Exception) -> None:
        report = self.report
        report.ended = "fault"
        said = ""
        if self._command is not None:
            try:
                said = Speaker(self.referee, "en").notation(self._command)
            except Exception:
                said = repr(self._command)
        text = str(error)
        what = f"{type(error).__name__}: {text[:300]}" if text else type(error).__name__
        report.fault = Fault(report.seed, report.steps, what, said)

    def _close(self) -> None:
        report = self.report
        report.turns = max(0, int(getattr(self.state, "turn", 0)))
        if report.ended != "over":
            return
        try:
            seats = self.referee.world.names["seat"]
            report.winners = tuple(str(seats[seat]) for seat in self._winners())
        except Exception as error:
            self._blame(error)


class Shape(NamedTuple):
    """One field of a command: its kind, and whether it holds many, text, or must be given."""

    name: str
    kind: str
    many: bool
    text: bool
    required: bool


@cache
def shape_of(command: type[Command]) -> tuple[Shape, ...]:
    """The fields of a command."""
    hints = get_type_hints(command, include_extras=True)
    found = []
    for one in msgspec.structs.fields(command):
        annotation = hints[one.name]
        many = get_origin(annotation) is tuple
        kind = kind_of_field(get_args(annotation)[0] if many else annotation) or ""
        found.append(Shape(one.name, kind, many, annotation is str, one.required))
    return tuple(found)


def made_up(referee: Referee, random: Random) -> Command:
    """Some command or other, whether it makes sense or not, by the kinds of its fields."""
    commands = [one for one in referee.game.commands if one in referee.game.handlers] or list(referee.game.commands)
    kind = commands[int(random.random() * len(commands))]
    values: dict[str, Any] = {}
    for one in shape_of(kind):
        names = referee.world.names.get(one.kind)
        if not one.required and random.random() < 0.3:
            continue
        if names and one.many:
            values[one.name] = tuple(int(random.random() * len(names)) for _ in range(1 + int(random.random() * 3)))
        elif names:
            values[one.name] = int(random.random() * len(names))
        elif one.text:
            said = texts_of(referee.game.notation, kind, one.name)
            values[one.name] = said[int(random.random() * len(said))] if said else ""
        elif one.required or not one.many:
            values[one.name] = (1,) if one.many else int(random.random() * 4)
    command: Command = kind(**values)
    return command


@cache
def texts_of(notation: Notation, command: type[Command], name: str) -> tuple[str, ...]:
    """What the notation can say in a field that is text, as far as its own words stand for it."""
    told = (dict(one.fixed).get(name) for one in notation.patterns if one.command is command)
    return tuple(dict.fromkeys(text for text in told if isinstance(text, str)))


def report_ended(report: Report) -> bool:
    """Is the game of the report at its end?"""
    return bool(report.ended)


def players_of(referee: Referee, seed: int, style: str = "plain") -> tuple[RandomBot, ...]:
    """A random player of a style for each seat of one game. Raises `ValueError` for a style that there is not."""
    seats = len(referee.world.names.get("seat", ()))
    if style == "plain":
        return (RandomBot(seed),) * seats
    return tuple(bot_of(style, seed * 64 + seat, referee.game.sorts) for seat in range(seats))


def mixed_rulings(referee: Referee, seed: int) -> dict[str, str]:
    """Some points settled otherwise than by default, by the seed."""
    random = Random(f"rulings {seed}")
    return {one.name: random.choice(one.options) for one in referee.game.rulebook.rulings if random.random() < 0.3}


def simulate(referee: Referee, seed: int, *, max_steps: int = MAX_STEPS) -> Report:
    """One whole game of random players."""
    return Simulation(referee, seed, max_steps=max_steps).run()
