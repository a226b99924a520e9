"""Test cases of a game as plain text that players can read and write, and what they cover.

    # a comment
    position rome-night                       a position that cases may start from: TOML, as in a sketch
        players = 4
        alliances = ["ROM-ETR", "ROM-GAL"]

    case 15.2.2c.1, C44  An ally's city may not be besieged
        from rome-night                       first the named position, then what differs
        active = "ROM"
        spaces.Tarquinii = { owner = "ETR", forces = ["ROM 5 Camillus"] }
      ask ROM besieges Tarquinii
        refused 15.2.2c
      do ROM breaks ETR paying Roma 2, Capua 1
        events AllianceEnded a=ROM b=ETR how=broken, ControlChanged space=Roma

A case has one or more ids. An id made of a clause and a number (`15.2.2c.1`) makes the case one of that clause's own.
The lines of a case are worked off in order. `docs/cases.md` lists them all; in short:

    ask LINE                    judge a command, or put a question; nothing changes
    do LINE                     judge it and carry it out; it must be allowed unless `refused` or `depends` follows
    go                          let the game go on by itself until somebody must decide, as when a phase begins
    dice 6 4 4, picks 0         told for the next `do`
    ruling NAME OPTION          from here on the table rules so

    refused C ...               the last verdict is refused, by exactly these clauses
    allowed [C ...]             it is allowed, and cites at least these
    depends [C ...]             it depends, through exactly these (if any are named)
    rulings NAME[=OPTION] ...   at least these rulings decided it
    assumed KEY ...             exactly this was taken for granted
    remedy LINE                 it names this command as one that would turn it
    until dice, unknown, moment, end
                                what cut the consequences short
    follows EVENT k=v ...       such an event is among what would follow, or has happened
    events EVENT k=v, EVENT     these are, in this order
    never EVENT k=v ...         no such event is
    answered, says TEXT         the question could be answered; the answer's text holds this

    awaits WHO WHAT             a seat or power is awaited for that; `awaits nobody`
    decides NPP SEAT [CLAUSE]   who decides for a non-player power, and by which clause
    anything else               an assertion of the game's own, such as `allied GRE ROM`
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from foedus.kernel.desk import Asked, Speaker, assume, facts_of, read_line
from foedus.kernel.dice import NeedDice, ToldDice
from foedus.kernel.flow import KERNEL_EVENTS, Action
from foedus.kernel.game import Game
from foedus.kernel.notation import NotationError, fold
from foedus.kernel.referee import Referee, make_referee
from foedus.kernel.rulebook import did_you_mean
from foedus.kernel.values import Command, Event
from foedus.kernel.verdict import ALLOWED, DEPENDS, REFUSED, Verdict

MAX_CASES: Final = 5_000
MAX_LINES: Final = 200_000
MAX_POSITION: Final = 400
"""The most lines of TOML that one position may have."""

_CASE = re.compile(r"case\s+([^\s,]+(?:\s*,\s*[^\s,]+)*)(?:\s+(.*))?$")
_NAME = re.compile(r"[\w.-]+$")
_KEY = re.compile(r"""\s*(?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*\s*=""")
_OWN = re.compile(r"(.+)\.(\d+)$")
_WORD = re.compile(r'[^\s"=]+="[^"]*"|"[^"]*"|\S+')
_NOBODY = ("nobody", "nothing", "nowhere", "none")


class CaseError(ValueError):
    """A file of cases cannot be read; the message names the line."""

    def __init__(self, line: int, message: str) -> None:
        self.line = line
        super().__init__(f"line {line}: {message}")


@dataclass(frozen=True)
class Line:
    """One line of a case: its number in the file, its first word, and the rest."""

    number: int
    word: str
    rest: str


@dataclass(frozen=True)
class Case:
    """One case: its ids, the position it starts from, and its lines.

    `source` is the TOML of the position on its own lines of the file, so that errors in it name the right ones.
    """

    ids: tuple[str, ...]
    title: str
    line: int
    position: Mapping[str, Any]
    lines: tuple[Line, ...]
    source: str = ""

    @property
    def id(self) -> str:
        """The first id."""
        return self.ids[0]

    @property
    def clauses(self) -> tuple[str, ...]:
        """The clauses whose own case this is."""
        return tuple(match.group(1) for one in self.ids if (match := _OWN.match(one)))


# reading


def merged(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """`base` with the values of `over` in their places, tables within tables likewise."""
    result = dict(base)
    for key, value in over.items():
        old = result.get(key)
        result[key] = merged(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return result


def _position(first: int, lines: Sequence[str]) -> dict[str, Any]:
    try:
        return tomllib.loads("\n".join(lines))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        message = str(error) or "nested too deeply"
        found = re.search(r" \(at line (\d+), column \d+\)", message)
        number = first + int(found.group(1)) - 1 if found else first + len(lines) - 1
        message = re.sub(r" \(at (line \d+, column \d+|end of document)\)", "", message)
        raise CaseError(number, f"the position is not TOML: {message}") from None


def _complete(lines: Sequence[str]) -> bool:
    try:
        tomllib.loads("\n".join(lines))
    except (tomllib.TOMLDecodeError, RecursionError):
        return False
    return True


class _Reader:
    def __init__(self, text: str) -> None:
        self.lines = text.split("\n")
        if len(self.lines) > MAX_LINES:
            raise CaseError(MAX_LINES, f"more than {MAX_LINES} lines")
        self.at = 0
        self.positions: dict[str, dict[str, Any]] = {}
        self.cases: list[Case] = []
        self.ids: dict[str, int] = {}

    def blank(self) -> bool:
        stripped = self.lines[self.at].strip()
        return not stripped or stripped.startswith("#")

    def starts_block(self) -> bool:
        line = self.lines[self.at]
        return line.startswith(("case ", "position ")) or line.rstrip() in ("case", "position")

    def read(self) -> list[Case]:
        while self.at < len(self.lines):
            line = self.lines[self.at].rstrip()
            if self.blank():
                self.at += 1
            elif line.startswith("position"):
                self.read_position(line)
            elif line.startswith("case"):
                self.read_case(line)
            else:
                word = line.split()[0][:80]
                raise CaseError(self.at + 1, f"'{word}' stands outside a case; expected 'case' or 'position'")
        return self.cases

    def read_position(self, line: str) -> None:
        number = self.at + 1
        name = line[len("position") :].strip()
        if not _NAME.match(name):
            raise CaseError(number, "a position needs one name, such as 'position rome-night'")
        if name in self.positions:
            raise CaseError(number, f"the position '{name}' is given twice")
        self.at += 1
        base = self.read_from()
        first, lines = self.read_toml()
        if self.at < len(self.lines) and not self.starts_block():
            raise CaseError(self.at + 1, f"the position '{name}' has only TOML, no '{self.lines[self.at].split()[0]}'")
        self.positions[name] = merged(base, _position(first, lines))

    def read_from(self) -> dict[str, Any]:
        """The positions named by `from` lines, merged in their order."""
        base: dict[str, Any] = {}
        while self.at < len(self.lines):
            words = self.lines[self.at].replace(",", " ").split()
            if self.blank():
                self.at += 1
            elif words[0] == "from" and not _KEY.match(self.lines[self.at]) and not self.starts_block():
                for name in words[1:]:
                    if name not in self.positions:
                        raise CaseError(
                            self.at + 1,
                            f"no position '{name[:80]}' was given above{did_you_mean(name, self.positions)}",
                        )
                    base = merged(base, self.positions[name])
                self.at += 1
            else:
                break
        return base

    def read_toml(self) -> tuple[int, list[str]]:
        """The lines of TOML from here on: up to one that is no TOML where a value has just ended."""
        first, lines = self.at + 1, list[str]()
        start, whole = 0, True
        while self.at < len(self.lines) and len(lines) <= MAX_POSITION and not self.starts_block():
            line = self.lines[self.at]
            if whole and not self.blank():
                if not _KEY.match(line) and not line.lstrip().startswith("["):
                    break
                start = len(lines)
            elif not whole and line.split()[:1] and line.split()[0] in _STEPS:
                break  # an open bracket: the error is told when the position is read
            lines.append(line)
            self.at += 1
            if not (whole and not lines[-1].strip()):
                whole = _complete(lines[start:])
        return first, lines

    def read_case(self, line: str) -> None:
        number = self.at + 1
        match = _CASE.match(line)
        if match is None:
            raise CaseError(number, "a case needs an id, such as 'case 15.2.2c.1  What it shows'")
        ids = tuple(one.strip() for one in match.group(1).split(","))
        for one in ids:
            if one in self.ids:
                raise CaseError(number, f"the id '{one[:80]}' was used in line {self.ids[one]}")
            self.ids[one] = number
        self.at += 1
        base = self.read_from()
        first, toml = self.read_toml()
        position = merged(base, _position(first, toml))
        steps = []
        while self.at < len(self.lines) and not self.starts_block():
            if not self.blank():
                word, _, rest = self.lines[self.at].strip().partition(" ")
                steps.append(Line(self.at + 1, word, rest.strip()))
            self.at += 1
        if not steps:
            raise CaseError(number, f"the case {ids[0]} asks nothing")
        if len(self.cases) >= MAX_CASES:
            raise CaseError(number, f"more than {MAX_CASES} cases")
        source = "\n" * (first - 1) + "\n".join(toml)
        self.cases.append(Case(ids, (match.group(2) or "").strip(), number, position, tuple(steps), source))


def read_cases(text: str) -> list[Case]:
    """The cases in a file. Raises `CaseError`, which names the line."""
    return _Reader(text).read()


def cases_of(game: Game) -> list[Case]:
    """The cases that come with a game."""
    return read_cases(game.cases() if callable(game.cases) else game.cases)


# running


@dataclass(frozen=True)
class Judged:
    """A verdict that was given in a case."""

    command: type[Command]
    kind: str
    clauses: tuple[str, ...]


@dataclass
class Result:
    """How a case went: what failed (nothing: it passes), and the verdicts given on the way."""

    failures: list[str] = field(default_factory=list)
    judged: list[Judged] = field(default_factory=list)


class Runner:
    """Runs cases of one game; keeps what they can share."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self._referees: dict[Any, Referee] = {}

    def referee(self, position: Mapping[str, Any], knocked_out: frozenset[str] = frozenset()) -> Referee:
        """The referee for a position: its players, its board, its other options."""
        key = (repr([position.get(name) for name in ("players", "board", "deck", "tables")]), knocked_out)
        if key not in self._referees:
            plain = (key[0], frozenset[str]())
            if plain not in self._referees:
                self._referees[plain] = referee_for(self.game, position)
            if knocked_out:
                base = self._referees[plain]
                self._referees[key] = Referee(self.game, base.world, base.names, knocked_out)
                if len(self._referees) > 40:
                    self._referees = {kept: one for kept, one in self._referees.items() if not kept[1] or kept == key}
        return self._referees[key]

    def run(
        self,
        case: Case,
        knocked_out: frozenset[str] = frozenset(),
        rulings: Mapping[str, str] | None = None,
    ) -> Result:
        """Run one case, with clauses knocked out and rulings put in the place of its own."""
        result = Result()
        position: Mapping[str, Any] = case.position
        if rulings:
            position = merged(position, {"rulings": dict(rulings)})
        for clause in case.clauses:
            if clause not in self.game.rulebook.clauses:
                near = did_you_mean(clause, self.game.rulebook.clauses)
                result.failures.append(f"line {case.line}: no clause '{clause}' is known{near}")
        line = case.line
        try:
            referee = self.referee(position, knocked_out)
            state = referee.sketch(position, case.source)
            run = _Run(referee, state, result, frozenset(rulings or ()))
            for step in case.lines:
                line = step.number
                run.step(step)
                if run.stopped:
                    break
            else:
                run.close()
        except Exception as error:
            result.failures.append(f"line {line}: {type(error).__name__}: {error}")
        return result


def referee_for(game: Game, position: Mapping[str, Any], knocked_out: Iterable[str] = ()) -> Referee:
    """A referee for what a position says of players, board and other options. Raises `ValueError` for nonsense."""
    players = position.get("players")
    if players is not None and (not isinstance(players, int) or isinstance(players, bool)):
        raise ValueError(f"players: a whole number is needed, not {str(players)[:80]!r}")
    options = {name: position[name] for name in ("deck", "tables") if name in position}
    return make_referee(game, players, position.get("board"), options, knocked_out)


class _Run:
    def __init__(self, referee: Referee, state: Any, result: Result, fixed: frozenset[str]) -> None:
        self.referee = referee
        self.state = state
        self.result = result
        self.fixed = fixed
        self.dice = ToldDice()
        self.speaker = Speaker(referee, "en")
        self.verdict: Verdict | None = None
        self.assumed: tuple[str, ...] = ()
        self.happened: tuple[Event, ...] | None = None
        self.answer: Any = None
        self.unheard: tuple[int, str] | None = None
        self.stopped = False
        self.line = 0

    def fail(self, message: str) -> None:
        self.result.failures.append(f"line {self.line}: {message}")

    def step(self, step: Line) -> None:
        if step.word not in ("refused", "depends") and self.unheard is not None:
            self.line, message = self.unheard
            self.fail(message)
            self.stopped = True
            return
        self.line = step.number
        known = _STEPS.get(step.word)
        if known is not None:
            known(self, step.rest)
            return
        self.other([step.word, *_words(step.rest)])

    def close(self) -> None:
        if self.unheard is not None:
            self.line, message = self.unheard
            self.fail(message)
        elif left := self.dice.unused():
            self.fail(f"told and never needed: dice {list(left.dice)}, picks {list(left.picks)}")

    # steps

    def read(self, rest: str) -> Asked | None:
        self.verdict, self.happened, self.answer, self.assumed = None, None, None, ()
        try:
            return read_line(self.referee, rest)
        except NotationError as error:
            self.fail(f"'{rest}': {error}")
            self.stopped = True
            return None

    def judge(self, command: Command) -> Any:
        state, assumed = assume(self.referee, self.state, command)
        self.assumed = tuple(one.key for one in assumed)
        self.verdict = self.referee.judge(state, command)
        self.result.judged.append(Judged(type(command), self.verdict.kind, self.verdict.clauses))
        return state

    def ask(self, rest: str) -> None:
        asked = self.read(rest)
        if asked is None:
            return
        if asked.command is None:
            self.answer = self.referee.game.questions.answer(self.referee, self.state, asked.question, "en")
        else:
            self.judge(asked.command)

    def do(self, rest: str) -> None:
        asked = self.read(rest)
        if asked is None:
            return
        if asked.command is None:
            self.fail(f"'{rest}' is a question; it cannot be done")
            return
        state = self.judge(asked.command)
        verdict = self.verdict
        assert verdict is not None
        if not verdict.allowed:
            self.unheard = self.line, f"'{rest}' is not allowed: {_told(verdict)}"
            return
        try:
            outcome = self.referee.carry_out(state, asked.command, self.dice)
        except NeedDice as need:
            self.fail(f"'{rest}' needs dice: {need}")
            self.stopped = True
            return
        self.state, self.happened = outcome.state, outcome.events

    def go(self, rest: str) -> None:
        """Let the flow go on by itself, as when a phase begins."""
        self.verdict, self.answer, self.assumed = None, None, ()
        action = Action(self.state, self.dice)
        try:
            self.referee.settle(action)
        except NeedDice as need:
            self.fail(f"going on needs dice: {need}")
            self.stopped = True
            return
        self.state, self.happened = action.state, tuple(action.events)

    def tell(self, rest: str) -> None:
        self.dice.tell(_numbers(rest))

    def tell_picks(self, rest: str) -> None:
        self.dice.tell_picks(_numbers(rest))

    def ruling(self, rest: str) -> None:
        name, _, option = rest.replace("=", " ").partition(" ")
        change = self.referee.game.rulebook.option(name, option.strip())
        if name not in self.fixed:
            self.state = self.referee.game.rewind(self.state, change)

    # what the last verdict says

    def said(self) -> Verdict | None:
        if self.verdict is None:
            self.fail("no command was judged before this line")
        return self.verdict

    def refused(self, rest: str) -> None:
        self.unheard = None
        verdict, clauses = self.said(), _listed(rest)
        if not clauses:
            self.fail("'refused' needs the clauses that refuse")
        elif verdict is not None and (verdict.kind != REFUSED or set(clauses) != set(verdict.clauses)):
            self.fail(f"expected refused by {', '.join(clauses)}; the verdict is {_told(verdict)}")

    def allowed(self, rest: str) -> None:
        verdict, clauses = self.said(), _listed(rest)
        if verdict is not None and (verdict.kind != ALLOWED or not set(clauses) <= set(verdict.clauses)):
            by = f" by {', '.join(clauses)}" if clauses else ""
            self.fail(f"expected allowed{by}; the verdict is {_told(verdict)}")

    def depends(self, rest: str) -> None:
        self.unheard = None
        verdict, clauses = self.said(), _listed(rest)
        if verdict is not None and (verdict.kind != DEPENDS or (clauses and set(clauses) != set(verdict.clauses))):
            by = f" through {', '.join(clauses)}" if clauses else ""
            self.fail(f"expected depends{by}; the verdict is {_told(verdict)}")

    def rulings(self, rest: str) -> None:
        verdict = self.said()
        if verdict is None:
            return
        deciding = dict(verdict.rulings)
        for one in _listed(rest):
            name, _, option = one.partition("=")
            self.referee.game.rulebook.ruling(name)
            if name not in deciding or option not in ("", deciding[name]):
                told = ", ".join(f"{key}={value}" for key, value in deciding.items()) or "no ruling"
                self.fail(f"expected the ruling {one} to decide; {told} did")

    def assumes(self, rest: str) -> None:
        if self.said() is not None and set(_listed(rest)) != set(self.assumed):
            self.fail(f"expected {rest} to be assumed; assumed was {', '.join(self.assumed) or 'nothing'}")

    def remedy(self, rest: str) -> None:
        verdict = self.said()
        if verdict is None:
            return
        wanted = self.referee.game.notation.read(rest, self.referee.names)
        if not any(wanted in remedy.commands for remedy in verdict.remedies):
            told = "; ".join(self.speaker.remedy(remedy) for remedy in verdict.remedies) or "none"
            self.fail(f"expected the remedy '{rest}'; remedies are: {told}")

    def until(self, rest: str) -> None:
        verdict = self.said()
        follows = verdict.follows if verdict is not None else None
        if follows is not None and (follows.until or "end") != rest:
            self.fail(f"expected the consequences to run until {rest}; they ran until {follows.until or 'the end'}")

    # events

    def told(self) -> tuple[Event, ...]:
        if self.happened is not None:
            return self.happened
        verdict = self.said()
        follows = verdict.follows if verdict is not None else None
        return follows.events if follows is not None else ()

    def follows(self, rest: str) -> None:
        wanted = _Wanted(self, rest)
        if not any(map(wanted.fits, self.told())):
            self.fail(f"expected {rest}; {self.listed(wanted.name)}")

    def never(self, rest: str) -> None:
        wanted = _Wanted(self, rest)
        if any(map(wanted.fits, self.told())):
            self.fail(f"expected no {rest}; {self.listed(wanted.name)}")

    def events(self, rest: str) -> None:
        told = list(self.told())
        at = 0
        for part in _split(rest):
            wanted = _Wanted(self, part)
            while at < len(told) and not wanted.fits(told[at]):
                at += 1
            if at == len(told):
                self.fail(f"expected {part} in this order; {self.listed(wanted.name)}")
                return
            at += 1

    def listed(self, name: str) -> str:
        """The events of that class, or else the classes of all."""
        same = [self.shown(event) for event in self.told() if type(event).__name__ == name]
        names = dict.fromkeys(type(event).__name__ for event in self.told())
        return f"the events are: {'; '.join(same) or ', '.join(names) or 'none'}"

    def shown(self, event: Event) -> str:
        found, kinds = facts_of(event)
        parts = [f"{key}={self.speaker.plain(kinds[key], value)}" for key, value in found.items()]
        return " ".join([type(event).__name__, *parts])

    # questions

    def answered(self, rest: str) -> None:
        if self.answer is None:
            self.fail("no question was asked before this line")
        elif not self.answer.ok:
            self.fail("the question could not be answered: it depends")

    def says(self, rest: str) -> None:
        if self.answer is None:
            self.fail("no question was asked before this line")
        elif fold(rest.strip('"')) not in fold(self.answer.text):
            self.fail(f"expected the answer to say {rest}; it says: {self.answer.text}")

    # the position

    def awaits(self, rest: str) -> None:
        who, _, what = rest.partition(" ")
        decisions = self.referee.awaiting(self.state)
        names = self.referee.world.names
        told = [(names["seat"][d.seat], self.speaker.plain("power", d.power), d.what) for d in decisions]
        if who in _NOBODY:
            fits = not told
        else:
            fits = any(who in (seat, power) and what.strip() in ("", one) for seat, power, one in told)
        if not fits:
            listed = "; ".join(f"{seat} for {power}: {one}" for seat, power, one in told)
            self.fail(f"expected to await {rest}; awaited: {listed or 'nobody'}")

    def decides(self, rest: str) -> None:
        if self.referee.game.decides is None:
            self.fail("this game has no deciders for non-player powers")
            return
        words = _words(rest)
        if len(words) < 2:
            self.fail("'decides' needs a power and a seat, such as 'decides VOL GAL 16.1.b'")
            return
        seat, clause, among = self.referee.game.decides(self.state, words[0])
        if words[1] != seat or (len(words) > 2 and words[2] != clause):
            self.fail(f"expected {' '.join(words[1:3])} to decide for {words[0]}; it is {seat} by {clause}")
        elif len(words) > 3 and set(_listed(" ".join(words[3:]))) != set(among):
            self.fail(f"expected a choice among {' '.join(words[3:])}; it is among {', '.join(among)}")

    def other(self, words: Sequence[str]) -> None:
        check = self.referee.game.check
        try:
            if check is None:
                raise KeyError(words[0])
            wrong = check(self.state, words)
        except KeyError:
            self.fail(f"'{words[0][:80]}' is not understood{did_you_mean(words[0], _STEPS)}")
            self.stopped = True
            return
        if wrong:
            self.fail(wrong)


class _Wanted:
    """An event as a case writes it: its class and the fields that matter."""

    def __init__(self, run: _Run, text: str) -> None:
        words = _words(text)
        every: tuple[type[Event], ...] = (*KERNEL_EVENTS, *run.referee.game.events)
        known = {one.__name__: one for one in every}
        self.name = words[0] if words else ""
        if self.name not in known:
            raise ValueError(f"unknown event '{self.name[:80]}'{did_you_mean(self.name, known)}")
        self.run = run
        self.parts: list[tuple[str, str]] = []
        for word in words[1:]:
            key, sign, value = word.partition("=")
            if not sign:
                raise ValueError(f"'{word[:80]}' should be a field and its value, such as how=broken")
            self.parts.append((key, value.strip('"')))

    def fits(self, event: Event) -> bool:
        if type(event).__name__ != self.name:
            return False
        found, kinds = facts_of(event)
        for key, text in self.parts:
            if key not in found:
                raise ValueError(f"{self.name} has no field '{key[:80]}'{did_you_mean(key, found)}")
            if not self._same(kinds[key], found[key], text):
                return False
        return True

    def _same(self, kind: str, value: Any, text: str) -> bool:
        if isinstance(value, (tuple, list)):
            parts = [part for part in text.split("+") if part]
            return len(parts) == len(value) and all(
                self._same(kind, one, part) for one, part in zip(value, parts, strict=True)
            )
        plain = self.run.speaker.plain(kind, value)
        if plain is None:
            return fold(text) in _NOBODY
        if isinstance(plain, bool):
            return fold(text) in (("true", "yes", "1") if plain else ("false", "no", "0"))
        if fold(str(plain)) == fold(text):
            return True
        names = self.run.referee.names.get(kind)
        return names is not None and names.table.get(fold(text)) == value


def _words(text: str) -> list[str]:
    return _WORD.findall(text)


def _listed(text: str) -> list[str]:
    return text.replace(",", " ").split()


def _numbers(text: str) -> list[int]:
    found = []
    for word in _listed(text):
        if not (word.isascii() and word.isdigit() and len(word) < 7):
            raise ValueError(f"'{word[:80]}' is not a number")
        found.append(int(word))
    return found


def _split(text: str) -> list[str]:
    """The parts between commas that stand outside quotes."""
    return [part.strip() for part in re.findall(r'(?:"[^"]*"|[^,"])+', text) if part.strip()]


def _told(verdict: Verdict) -> str:
    return f"{verdict.kind} ({', '.join(verdict.clauses) or 'no clause'})"


_STEPS: Final[dict[str, Callable[[_Run, str], None]]] = {
    "ask": _Run.ask,
    "do": _Run.do,
    "go": _Run.go,
    "dice": _Run.tell,
    "picks": _Run.tell_picks,
    "ruling": _Run.ruling,
    "refused": _Run.refused,
    "allowed": _Run.allowed,
    "depends": _Run.depends,
    "rulings": _Run.rulings,
    "assumed": _Run.assumes,
    "remedy": _Run.remedy,
    "until": _Run.until,
    "follows": _Run.follows,
    "events": _Run.events,
    "never": _Run.never,
    "answered": _Run.answered,
    "says": _Run.says,
    "awaits": _Run.awaits,
    "decides": _Run.decides,
}


def run_case(
    game: Game,
    case: Case,
    knocked_out: Iterable[str] = frozenset(),
    rulings_override: Mapping[str, str] | None = None,
) -> list[str]:
    """What fails in a case; nothing if it passes. Any exception is a failure, never raised."""
    return Runner(game).run(case, frozenset(knocked_out), rulings_override).failures


# coverage

COVERED, HOLE, NOT_YET, NAMED = "covered", "hole", "not yet enforced", "only named"
RESTATED = "enforced by another"
STATUSES = (COVERED, HOLE, RESTATED, NOT_YET, NAMED)


@dataclass(frozen=True)
class Row:
    """How one clause is covered.

    `bites`: with the clause knocked out (kind M: with another option of its ruling) a case of its own fails. `both`:
    for a clause that forbids, its own cases show a refusal by it and a like command that it does not refuse.
    """

    clause: str
    kind: str
    claims: tuple[str, ...]
    cases: int
    bites: bool
    both: bool | None
    status: str
    why: str = ""


def coverage(game: Game, cases: Iterable[Case], only: Iterable[str] | None = None) -> list[Row]:
    """How every clause of the rulebook (or only some) is covered, in the order of the rulebook."""
    wanted = None if only is None else frozenset(only)
    runner = Runner(game)
    own: dict[str, list[Case]] = {}
    for case in cases:
        for name in case.clauses:
            own.setdefault(name, []).append(case)
    usual: dict[int, Result] = {}
    rows = []
    for clause in game.rulebook.clauses.values():
        if wanted is not None and clause.id not in wanted:
            continue
        mine = own.get(clause.id, [])
        for case in mine:
            if case.line not in usual:
                usual[case.line] = runner.run(case)
        rows.append(_row(runner, clause.id, clause.kind, mine, usual))
    return rows


def holes(rows: Iterable[Row]) -> list[Row]:
    """The rows that are holes."""
    return [row for row in rows if row.status == HOLE]


def _row(runner: Runner, clause: str, kind: str, mine: list[Case], usual: Mapping[int, Result]) -> Row:
    game = runner.game
    claims = game.rules.claims.get(clause, ())
    restates = game.rulebook.clause(clause).restates
    if not claims and restates:
        return Row(clause, kind, claims, len(mine), False, None, RESTATED, f"enforced as {restates}")
    if not claims and (clause.startswith("f") or kind == "-"):
        return Row(clause, kind, claims, len(mine), False, None, NOT_YET if clause.startswith("f") else NAMED)
    passing = [case for case in mine if not usual[case.line].failures]
    rulings = [ruling for ruling in game.rulebook.rulings if ruling.clause == clause]
    faults = []
    if kind == "M" and rulings:
        silent = _silent_options(runner, passing, rulings)
        bites = not silent
        if silent and mine:
            faults.append(f"no case of its own changes with {', '.join(silent)}")
    else:
        bites = any(runner.run(case, frozenset({clause})).failures for case in passing)
        if not bites and mine:
            faults.append("knocked out, no case of its own fails")
    if not mine:
        faults.insert(0, "no case of its own")
    elif len(passing) < len(mine):
        faults.insert(0, f"{len(mine) - len(passing)} of its cases fail")
    if not claims:
        faults.insert(0, "no code claims it")
    both = None
    if kind == "F":
        both, missing = _both_ways(clause, [usual[case.line] for case in passing])
        if missing and mine:
            faults.append(missing)
    return Row(clause, kind, claims, len(mine), bites, both, HOLE if faults else COVERED, "; ".join(faults))


def _silent_options(runner: Runner, passing: list[Case], rulings: Iterable[Any]) -> list[str]:
    """The options of rulings that no case tells from the others: put in place of the case's own, it still passes."""
    silent = []
    for ruling in rulings:
        for option in ruling.options:
            if option == ruling.default:
                continue
            for case in passing:
                chosen = case.position.get("rulings", {}).get(ruling.name, ruling.default)
                other = ruling.default if chosen == option else option
                if runner.run(case, rulings={ruling.name: other}).failures:
                    break
            else:
                silent.append(f"{ruling.name}={option}")
    return silent


def _both_ways(clause: str, results: Iterable[Result]) -> tuple[bool, str]:
    """Is a command refused by the clause, and one of the same kind not? And what is missing."""
    judged = [one for result in results for one in result.judged]
    refused = {one.command for one in judged if one.kind == REFUSED and clause in one.clauses}
    if not refused:
        return False, "none of its cases is refused by it"
    if any(one.command in refused and clause not in one.clauses for one in judged):
        return True, ""
    return False, "none of its cases shows a like command that it does not refuse"


def table(rows: Sequence[Row]) -> str:
    """The coverage as a table, with the totals below it."""
    head = ("clause", "kind", "code", "cases", "bites", "both", "")
    body = [
        (
            row.clause,
            row.kind,
            str(len(row.claims) or "-"),
            str(row.cases or "-"),
            "yes" if row.bites else "-",
            "" if row.both is None else "yes" if row.both else "-",
            f"HOLE: {row.why}" if row.status == HOLE else "" if row.status == COVERED else row.why or row.status,
        )
        for row in rows
    ]
    wide = [max(len(line[i]) for line in (head, *body)) for i in range(len(head))]
    lines = [
        "  ".join(cell.ljust(size) for cell, size in zip(line, wide, strict=True)).rstrip() for line in (head, *body)
    ]
    shown = [one for one in STATUSES if one != RESTATED or any(row.status == RESTATED for row in rows)]
    totals = [f"{sum(row.status == status for row in rows)} {status}" for status in shown]
    return "\n".join([*lines, "", f"{len(rows)} clauses: {', '.join(totals)}"])


__all__ = [
    "Case",
    "CaseError",
    "Judged",
    "Line",
    "Result",
    "Row",
    "Runner",
    "cases_of",
    "coverage",
    "holes",
    "merged",
    "read_cases",
    "referee_for",
    "run_case",
    "table",
]
