"""`foedus replay` and `foedus status`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from foedus.cli.output import complain, say
from foedus.cli.positions import Script, game_named, kind_of_file, limit_for, read_script, sketched
from foedus.cli.reading import InputError, read_text, read_toml
from foedus.kernel import desk, record
from foedus.kernel.dice import NeedDice, ToldDice, WrongDice
from foedus.kernel.faults import Fault, at, fault_of
from foedus.kernel.flow import Action, RulingChanged
from foedus.kernel.game import Game
from foedus.kernel.notation import NotationError
from foedus.kernel.referee import Referee
from foedus.kernel.rulebook import RulebookError
from foedus.kernel.unknown import Unknown
from foedus.table import pasting


def replay_file(path: str, game: str | None, language: str, *, judge: bool, every: bool) -> bool:
    """Replay a record or a script, printing what happens. False if anything was refused or depends."""
    text = read_text(path, limit_for(path))
    kind = kind_of_file(path, text)
    if kind == "record":
        return _replay_record(path, text, game, language, judge)
    if kind == "sketch":
        raise InputError(f"{path}: is a sketch; a record (.jsonl) or a script (.foedus) can be replayed")
    fine = True
    told = False
    for line, said, ok in _play(path, text, game, language, every):
        say(("\n" if told else "") + f"> {line}\n{said}")
        told = True
        fine = fine and ok
    return fine


# records


def _open(path: str, text: str, name: str | None) -> tuple[Game, record.Record]:
    try:
        found = record.read_record(text.split("\n"))
    except record.RecordError as error:
        raise InputError(f"{path}: {error}") from error
    return game_named(name, {"game": found.header.game}, path), found


def _replay_record(path: str, text: str, name: str | None, language: str, judge: bool) -> bool:
    game, found = _open(path, text, name)
    fine = True
    count = 0
    try:
        referee, state = record.open_record(game, found)
        speaker = desk.Speaker(referee, language)
        for step in record.steps(referee, state, found):
            count += len(step.events)
            by = step.batch.by or "-"
            line = step.batch.line or (speaker.notation(step.command) if step.command is not None else "")
            say(f"{step.batch.number}  {by}  {line}".rstrip())
            for sentence in desk.said_events(speaker, step.events):
                say(f"  - {sentence}")
            if judge and step.command is not None:
                verdict = referee.judge(step.before, step.command)
                if not verdict.allowed:
                    fine = False
                    said = desk.Ruling(referee, step.before, verdict, language, (), line).text
                    say("\n".join(f"  ! {one}" for one in said.split("\n")))
            state = step.after
    except record.RecordError as error:
        raise InputError(f"{path}: {error}") from error
    say(f"{len(found.batches)} batches, {count} events" + (", all allowed" if judge and fine else ""))
    return fine


# scripts


def _start(path: str, text: str, name: str | None) -> tuple[Script, Referee, Any]:
    script = read_script(text, path)
    referee, state = sketched(game_named(name, script.position, path), script.position, script.source, path)
    return script, referee, state


def _play(path: str, text: str, name: str | None, language: str, every: bool) -> Iterator[tuple[str, str, bool]]:
    """Each line of a script with what the desk says of it, and whether it went through."""
    script, referee, state = _start(path, text, name)
    yield from _Player(path, referee, state, language).play(script, every)


class _Player:
    """Plays a script; `state` is the position so far."""

    def __init__(self, path: str, referee: Referee, state: Any, language: str) -> None:
        self.path = path
        self.referee = referee
        self.state = state
        self.language = language
        self.dice = ToldDice()

    def play(self, script: Script, every: bool) -> Iterator[tuple[str, str, bool]]:
        for number, line in script.lines:
            word, _, rest = line.partition(" ")
            try:
                if word in ("dice", "picks"):
                    self.tell(word, rest)
                    continue
                if word == "ruling":
                    yield line, self.ruling(rest), True
                    continue
                said, ok = (self.go(), True) if line == "go" else self.line(line)
            except NeedDice as need:
                raise InputError(self.fault(number, self.needed(need))) from need
            except (NotationError, WrongDice, RulebookError) as error:
                raise InputError(self.fault(number, fault_of(error))) from error
            except Unknown as unknown:
                speaker = desk.Speaker(self.referee, self.language)
                question = speaker.question(unknown.what, unknown.subject)
                raise InputError(self.fault(number, Fault("not_said", question=question))) from unknown
            yield line, said, ok
            if not ok and not every:
                return
        left = self.dice.unused()
        if left:
            complain(Fault("unneeded", place=self.path, numbers=list(left.dice), picks=list(left.picks)))

    def fault(self, number: int, fault: str) -> Fault:
        """A fault of a line of the script."""
        return at(self.path, Fault("line", number=number, fault=fault))

    def needed(self, need: NeedDice) -> Fault:
        """The dice that a line waits for."""
        purpose = desk.Speaker(self.referee, self.language).purpose(need.purpose)
        if need.is_pick:
            return Fault("need_pick", purpose=purpose, sides=need.sides, last=need.sides - 1)
        return Fault("need_dice", purpose=purpose, dice=need.count, sides=need.sides, have=need.have)

    def tell(self, word: str, rest: str) -> None:
        numbers = []
        for one in rest.replace(",", " ").split():
            if not (one.isascii() and one.isdigit() and len(one) < 7):
                raise WrongDice(f"'{one[:80]}' is not a number")
            numbers.append(int(one))
        (self.dice.tell if word == "dice" else self.dice.tell_picks)(numbers)

    def ruling(self, rest: str) -> str:
        name, _, option = rest.replace("=", " ").partition(" ")
        index, place = self.referee.game.rulebook.option(name, option.strip())
        self.state = self.referee.game.rewind(self.state, (index, place))
        return desk.Speaker(self.referee, self.language).event(RulingChanged(index, place))

    def go(self) -> str:
        """Let the game go on by itself until somebody must decide, as when a phase begins."""
        action = Action(self.state, self.dice)
        mark = self.dice.mark()
        try:
            self.referee.settle(action)
        except NeedDice:
            self.dice.give_back(mark)
            raise
        self.state = action.state
        speaker = desk.Speaker(self.referee, self.language)
        said = desk.said_events(speaker, action.events)
        said += [one for decision in self.referee.awaiting(self.state) if (one := speaker.decision(decision))]
        return "\n".join([speaker.ui("happened"), *(f"  - {one}" for one in said)])

    def line(self, line: str) -> tuple[str, bool]:
        """What the desk says of one line; an allowed command is carried out."""
        asked = desk.read_line(self.referee, line, self.language)
        if asked.command is None:
            said = desk.ask(self.referee, self.state, asked, self.language)
            return said.text, True
        ruling = desk.rule(self.referee, self.state, asked.command, self.language, line)
        if not ruling.verdict.allowed:
            return ruling.text, False
        mark = self.dice.mark()
        try:
            outcome = self.referee.carry_out(ruling.state, asked.command, self.dice)
        except LookupError as error:
            known = type(asked.command) in self.referee.game.handlers
            if known and ruling.state.frames:
                raise
            why = "the position does not say what step is under way" if known else "it can only be asked, not done"
            raise NotationError(f"it is allowed, but {why}") from error
        except NeedDice:
            self.dice.give_back(mark)
            raise
        done = desk.Ruling(
            self.referee, ruling.state, ruling.verdict, self.language, ruling.assumed, line, outcome.events
        )
        self.state = outcome.state
        return done.text, True


# status


def status_sheet(path: str, name: str | None, language: str, *, bbcode: bool) -> str:
    """The status sheet of what a file holds, as text or BBCode."""
    text = read_text(path, limit_for(path))
    kind = kind_of_file(path, text)
    if kind == "record":
        game, found = _open(path, text, name)
        try:
            referee, state = record.replay(game, found)
        except record.RecordError as error:
            raise InputError(f"{path}: {error}") from error
    elif kind == "script":
        script, referee, state = _start(path, text, name)
        player = _Player(path, referee, state, language)
        for line, said, ok in player.play(script, False):
            if not ok:
                raise InputError(f"{path}: the script stops at '{line}': {said}")
        state = player.state
    else:
        data = read_toml(text, path)
        referee, state = sketched(game_named(name, data, path), data, text, path)
    return sheet(referee.game, state, language, bbcode=bbcode)


def sheet(game: Game, state: Any, language: str, *, bbcode: bool = False) -> str:
    """The status sheet of a position, as text or BBCode."""
    status = game.status
    if status is None:
        raise InputError(f"the game '{game.id}' has no status sheet")
    return pasting.sheet(status(state, language), "bbcode" if bbcode else "text")
