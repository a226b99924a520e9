"""The ledger: a group plays on a real board and types what happens; the ledger rules on it and keeps what it can.

It holds the same kind of state as a full game, most of it unknown. A command that is allowed is carried out as far as
the position is known: diplomacy always, the board as far as it was told; the rest is only noted. Dice are told. What
the table knows better is said by `correct` in the words of a sketch, and everybody sees it. No input, no output.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from foedus.kernel import desk
from foedus.kernel.cases import merged
from foedus.kernel.dice import NeedDice, ToldDice, Unused, WrongDice
from foedus.kernel.faults import Fault
from foedus.kernel.flow import Corrected, differences
from foedus.kernel.sketch import SketchError
from foedus.kernel.unknown import Unknown
from foedus.kernel.values import Command, Event
from foedus.kernel.verdict import Verdict
from foedus.table.journal import NOBODY, Entry, Journal

_MOMENT = ("active", "phase")
"""Keys of a sketch that say the same twice: where one is told anew the other may have to go."""


@dataclass(frozen=True)
class Said:
    """What the ledger answers to a line: a ruling or an answer, or what has happened.

    `done`: it is written down. `open`: what stopped the course of things (dice or knowledge wanted), as a sentence.
    `only_noted`: the command is allowed, and what it does on the board is left to the players.
    """

    text: str = ""
    done: bool = False
    ok: bool = True
    open: str = ""
    only_noted: bool = False


class LedgerError(ValueError):
    """A line cannot be followed; the message is for the person."""


class Unsettled(LedgerError):
    """The turn cannot go on yet; `sentences` say what must be decided first."""

    def __init__(self, sentences: Sequence[str]) -> None:
        self.sentences = tuple(sentences)
        super().__init__("first this must be decided ('next anyway' goes on all the same): " + " ".join(sentences))


def told_numbers(text: str) -> list[int]:
    """The numbers of dice or picks as they are typed. Raises `LedgerError` naming what is none."""
    numbers = []
    for one in text.replace(",", " ").split():
        if not (one.isascii() and one.isdigit() and len(one) < 7):
            raise LedgerError(Fault("not_number", word=one[:80]))
        numbers.append(int(one))
    return numbers


class Ledger:
    """One ledger. Lines come by `line`, `tell`, `correct`, `onward`, `undo`."""

    def __init__(self, journal: Journal, language: str = "en") -> None:
        self.journal = journal
        self.referee = journal.referee
        self.language = language
        self.speaker = desk.Speaker(journal.referee, language)
        self.dice = ToldDice()
        self.waiting: str = ""
        """the line that waits for dice"""

    @property
    def state(self) -> Any:
        """The position as far as it is known."""
        return self.journal.state

    def hear(self, line: str) -> Said:
        """One typed line: `dice 6 4 4`, `picks 0`, `forget`, `set ...`, `ruling NAME OPTION`, `next`, `next anyway`,
        `? LINE` for a ruling only, or a command or question.

        Raises `LedgerError` (`Unsettled` where something must be decided first), `NotationError`, `WrongDice` and
        `RulebookError`, which say what is wrong; nothing has changed then.
        """
        word, _, rest = line.partition(" ")
        rest = rest.strip()
        if word in ("dice", "picks"):
            return self.tell(told_numbers(rest), word == "picks")
        if line == "forget":
            self.dice.forget()
            self.waiting = ""
            return Said()
        if word == "set":
            if not rest:
                raise LedgerError("'set' needs what, and how it stands; such as 'set vp ROM 7'")
            return self.correct(rest, line)
        if word == "ruling":
            name, _, option = rest.replace("=", " ").partition(" ")
            return self.rule_anew(name, option.strip())
        if line in ("next", "next anyway"):
            unsettled = self.unsettled if line == "next" else []
            if unsettled:
                raise Unsettled(unsettled)
            return self.onward()
        return self.ask(line[1:].strip()) if line.startswith("?") else self.line(line)

    # commands and questions

    def line(self, line: str) -> Said:
        """A command or a question. Raises `NotationError`; what is unknown is told in the answer."""
        asked = desk.read_line(self.referee, line, self.language)
        if asked.command is None:
            said = desk.ask(self.referee, self.state, asked, self.language)
            return Said(said.text, ok=said.ok)
        return self._do(asked.command, line)

    def ask(self, line: str) -> Said:
        """The desk's answer; nothing is done."""
        asked = desk.read_line(self.referee, line, self.language)
        if asked.command is not None:
            ruling = desk.rule(self.referee, self.state, asked.command, self.language, line)
            return Said(_text(ruling), ok=ruling.verdict.allowed)
        said = desk.ask(self.referee, self.state, asked, self.language)
        return Said(said.text, ok=said.ok)

    def _do(self, command: Command, line: str) -> Said:
        self.waiting = ""
        ruling = desk.rule(self.referee, self.state, command, self.language, line)
        if not ruling.verdict.allowed:
            return Said(_text(ruling), ok=False)
        seat = self._seat(ruling.state, command)
        try:
            outcome, stopped = self.referee.carry_as_far(ruling.state, command, self.dice)
        except NeedDice as need:
            self.waiting = line
            return Said(_text(ruling), open=self._needs(need))
        except Unknown as unknown:
            self.journal.note(self.state, (), command=command, seat=seat, line=line)
            return Said(_text(ruling), done=True, open=self._question(unknown), only_noted=True)
        except Exception:
            # its course needs a step under way, or parts of the board, that nobody told
            self.journal.note(self.state, (), command=command, seat=seat, line=line)
            return Said(_text(ruling), done=True, only_noted=True)
        events = outcome.events
        if ruling.state is not self.state:
            told = differences(self.state, ruling.state)
            if told:
                events = (Corrected(line, told), *events)
        self.journal.note(outcome.state, events, command=command, seat=seat, line=line)
        done = desk.Ruling(
            self.referee, ruling.state, ruling.verdict, self.language, ruling.assumed, line, outcome.events
        )
        text = f"{done.text}{self._wrong(stopped)}"
        return Said(text, done=True, open=self._stopped(stopped), only_noted=not events)

    def _seat(self, state: Any, command: Command) -> int:
        try:
            seat = int(self.referee.game.seat_for(state, command))
        except (Unknown, LookupError, ValueError):
            return NOBODY
        return seat if seat >= 0 else NOBODY

    def _needs(self, need: NeedDice) -> str:
        purpose = self.speaker.purpose(need.purpose)
        if need.is_pick:
            return f"{purpose}: picks 0-{need.sides - 1}"
        return f"{purpose}: dice {' '.join(['?'] * need.count)}" + (f" (1-{need.sides})" if need.sides != 6 else "")

    def _question(self, unknown: Unknown) -> str:
        return self.speaker.question(unknown.what, unknown.subject)

    def _stopped(self, error: Exception | None) -> str:
        if error is None or isinstance(error, WrongDice):
            return ""
        if isinstance(error, NeedDice):
            return self._needs(error)
        return self._question(error) if isinstance(error, Unknown) else "?"

    def _wrong(self, error: Exception | None) -> str:
        """What is wrong with the dice told, if that stopped the course of things; they are forgotten then."""
        if not isinstance(error, WrongDice):
            return ""
        self.dice.forget()
        return f"\n{error}"

    @property
    def awaited(self) -> list[str]:
        """Who must decide what, in sentences; empty where that is not known."""
        try:
            awaited = self.referee.awaiting(self.state)
        except Exception:
            return []
        return [said for decision in awaited if (said := self.speaker.decision(decision))]

    # dice

    def tell(self, numbers: Sequence[int], picks: bool = False) -> Said:
        """Dice or picks that were rolled on the table. The line that waited for them is tried again.

        Raises `WrongDice`.
        """
        (self.dice.tell_picks if picks else self.dice.tell)(numbers)
        if self.waiting:
            waited = self.waiting
            try:
                return self.line(waited)
            except WrongDice:
                self.dice.forget()
                self.waiting = waited
                raise
        return self._settle("dice")

    @property
    def untaken(self) -> Unused:
        """Dice and picks that were told and nothing has needed yet."""
        return self.dice.unused()

    def _settle(self, line: str) -> Said:
        """Let the game go on by itself, as far as it is known."""
        outcome, stopped = self.referee.carry_as_far(self.state, None, self.dice)
        wrong = self._wrong(stopped)
        if not outcome.events:
            return Said(wrong.lstrip("\n"), open=self._stopped(stopped) if isinstance(stopped, NeedDice) else "")
        self.journal.note(outcome.state, outcome.events, line=line)
        return Said(self._happened(outcome.events) + wrong, done=True, open=self._stopped(stopped))

    def _happened(self, events: Iterable[Event]) -> str:
        said = desk.said_events(self.speaker, events)
        return "\n".join([self.speaker.ui("happened"), *(f"  - {one}" for one in said)]) if said else ""

    # corrections

    def correct(self, told: str, line: str = "") -> Said:
        """How things stand, in the words of a sketch: `vp ROM 7`, `Tarquinii owner ETR`, `phase alliances`.

        Raises `LedgerError` with what is wrong.
        """
        return self._correct(list(self._readings(told)), line or f"set {told}")

    def rule_anew(self, name: str, option: str) -> Said:
        """The table settles a ruling. Raises `RulebookError`."""
        chosen = self.referee.game.rulebook.option(name, option)
        after = self.referee.game.rewind(self.state, chosen)
        return self._put(after, f"ruling {name} {option}")

    def _correct(self, readings: Sequence[Mapping[str, Any]], line: str) -> Said:
        base = self.referee.game.write_sketch(self.state)
        places = {f"{kind}s" for kind in self.referee.names}
        try:
            before = self.referee.sketch(base)
        except SketchError as error:
            # half-way through a battle or the like the places contradict each other: all else can still be told
            if any(key in places for facts in readings for key in facts):
                raise LedgerError(f"a step is half done: finish it, or begin anew by 'set active': {error}") from error
            base = {key: value for key, value in base.items() if key not in places}
            before = self.referee.sketch(base)
        faults: list[str] = []
        for facts in readings:
            for drop in ((), *((key,) for key in _MOMENT if key not in facts)):
                data = merged({key: value for key, value in base.items() if key not in drop}, facts)
                try:
                    after = self.referee.sketch(data)
                except SketchError as error:
                    faults.append(str(error))
                    continue
                except (LookupError, TypeError, ValueError, AttributeError):
                    continue  # not the kind of value that belongs there
                changes = differences(before, after)
                if any(key in facts for key in _MOMENT) and after.frames != self.state.frames:
                    # whatever was half done is over
                    changes = (*(one for one in changes if one[0] != "frames"), ("frames", -1, after.frames))
                return self._put(Corrected(line, changes).apply(self.state), line)
        # a reading of the wrong form only says what form is needed: rather tell what else is wrong
        plain = [fault for fault in faults if not fault.endswith(("a list is needed", "a table is needed"))]
        raise LedgerError((plain or faults or [f"'{line}' is not understood"])[0])

    def _put(self, after: Any, line: str) -> Said:
        changes = differences(self.state, after)
        if not changes:
            return Said(self.speaker.ui("corrected", line=line), done=False)
        event = Corrected(line, changes)
        self.journal.note(event.apply(self.state), (event,), line=line)
        return Said(self.speaker.event(event), done=True)

    def _readings(self, told: str) -> Iterable[dict[str, Any]]:
        """What the words may mean, the likeliest first."""
        key, equals, value = told.partition("=")
        if equals and key.strip() and not any(mark in key for mark in '"{['):
            try:
                data = tomllib.loads(told)
            except (tomllib.TOMLDecodeError, RecursionError):
                data = {}
            if data:
                yield data
                return
            told = f"{key} {value}"
        words = told.replace(",", " , ").split()
        if len(words) < 2:
            raise LedgerError(f"'set {told}': it needs what, and how it stands; such as 'set vp ROM 7'")
        path, rest = self._place(words)
        if not rest:
            raise LedgerError(f"'set {told}': how it stands is missing")
        for value_ in _values(rest):
            yield _nested(path, value_)

    def _place(self, words: Sequence[str]) -> tuple[tuple[str, ...], list[str]]:
        keys = self.referee.game.sketch_keys
        if words[0] in keys:
            return (words[0],), list(words[1:])
        for kind, names in self.referee.names.items():
            if f"{kind}s" not in keys:
                continue
            for value, after in names.read(words, 0):
                name = str(self.referee.world.names[kind][value])
                if after < len(words):
                    return (f"{kind}s", name, words[after]), list(words[after + 1 :])
                return (f"{kind}s", name), []
        shown = ", ".join(key for key in keys if key not in ("game", "players", "board", "deck", "tables"))
        raise LedgerError(f"'{words[0][:80]}' is nothing that can be set; a place can be, or one of {shown}")

    # the turn

    def onward(self) -> Said:
        """On to the next player, round or phase. Raises `LedgerError` where nobody knows how it goes on."""
        game = self.referee.game
        if game.onward is None:
            raise LedgerError("this game does not say how a turn goes on")
        ways = list(game.onward(self.state))
        if not ways:
            raise LedgerError("it is not known where the turn stands; set phase, active, turn and round first")
        for way in ways:
            if isinstance(way, Command):
                said = self._pass(way)
                if said is not None:
                    return said
                continue
            return self._correct([way], "next")
        raise LedgerError("it cannot go on from here; set phase or active")

    def _pass(self, command: Command) -> Said | None:
        if not self.referee.judge(self.state, command).allowed:
            return None
        try:
            outcome, stopped = self.referee.carry_as_far(self.state, command, self.dice)
        except Exception:
            return None
        if stopped is not None:
            return None
        seat = self._seat(self.state, command)
        self.journal.note(outcome.state, outcome.events, command=command, seat=seat, line="next")
        return Said(self._happened(outcome.events), done=True)

    @property
    def unsettled(self) -> list[str]:
        """What must be decided before the turn can go on, in sentences: anything but the active player's own turn."""
        try:
            awaited = self.referee.awaiting(self.state)
        except Exception:
            return []
        if not self.referee.game.onward or len(awaited) == 0:
            return []
        first = next(iter(self.referee.game.onward(self.state)), None)
        if isinstance(first, Command) and self.referee.judge(self.state, first).allowed:
            return []
        return [said for one in awaited if one.seat >= 0 and (said := self.speaker.decision(one))]

    # taking back

    def undo(self) -> Entry | None:
        """Take the last line back; None if there is none."""
        if not self.journal.entries:
            return None
        self.waiting = ""
        self.dice.forget()
        return self.journal.take_back()


def _text(ruling: desk.Ruling) -> str:
    """The ruling in words; only verdict and reasons where what follows cannot be tried in such a position."""
    try:
        return ruling.text
    except Exception:
        verdict = ruling.verdict
        bare = Verdict(verdict.kind, verdict.command, verdict.reasons, verdict.open, _nothing_further)
        language, assumed, line = ruling.language, ruling.assumed, ruling.line
        return desk.Ruling(ruling.referee, ruling.state, bare, language, assumed, line, ()).text


def _nothing_further(what: str, verdict: Verdict) -> Any:
    return None if what == "follows" else ()


def _values(words: Sequence[str]) -> Iterable[Any]:
    """What the words of a value may mean: TOML, a number, a word, a list, a table of pairs."""
    text = " ".join(words).replace(" , ", ", ")
    if text[0] in '"[{':
        with suppress(tomllib.TOMLDecodeError, RecursionError):
            yield tomllib.loads(f"v = {text}")["v"]
    if len(words) == 1:
        yield int(text) if text.isascii() and text.isdigit() and len(text) < 7 else text
    plain = [word for word in words if word != ","]
    if len(plain) > 1 and len(plain) % 2 == 0:
        yield {plain[i]: _plain(plain[i + 1]) for i in range(0, len(plain), 2)}
    yield [part.strip() for part in text.split(",") if part.strip() and part.strip() not in ("none", "nobody")]
    if len(words) > 1:
        yield text
        yield {"by": plain[0], "points": _plain(plain[-1])}


def _plain(word: str) -> Any:
    return int(word) if word.isascii() and word.isdigit() and len(word) < 7 else word


def _nested(path: Sequence[str], value: Any) -> dict[str, Any]:
    for key in reversed(path):
        value = {key: value}
    return dict(value)


__all__ = ["Ledger", "LedgerError", "Said", "Unsettled", "told_numbers"]
