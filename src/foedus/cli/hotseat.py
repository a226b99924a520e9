"""`foedus play`: several people at one keyboard."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from itertools import groupby
from typing import Any

from foedus.bots.players import Bot, RandomBot
from foedus.cli.output import say
from foedus.cli.owned import board_of, options_of
from foedus.cli.playing import sheet
from foedus.cli.positions import game_named
from foedus.cli.reading import MAX_RECORD, InputError, read_text
from foedus.cli.terminal import Closed, Pages, RecordFile, ask, clear, drop_secret, keep_secret, now, secret_path
from foedus.kernel import desk
from foedus.kernel.dice import CommittedDice, commitment
from foedus.kernel.game import Game
from foedus.kernel.notation import NotationError
from foedus.kernel.record import Header, RecordError
from foedus.kernel.referee import make_referee
from foedus.kernel.standing import command_of
from foedus.kernel.values import Command
from foedus.kernel.verdict import NotYours
from foedus.table.hotseat import HotSeat, NotAllowed, Turn
from foedus.table.journal import Journal

MOST_FOUND = 40

UI = {
    "number": {
        "en": "{seat}: a number of your own for the dice (Enter: one is made up): ",
        "ru": "{seat}: ваше число для кубиков (Enter: любое): ",
    },
    "no_number": {"en": "A whole number from 0 is needed.", "ru": "Нужно целое число от 0."},
    "commitment": {"en": "The dice are committed to: {text}", "ru": "Отпечаток тайны кубиков: {text}"},
    "screen": {
        "en": "--- {seat} to the keyboard, the others look away. Press Enter. ",
        "ru": "--- К клавиатуре: {seat}, остальные отворачиваются. Нажмите Enter. ",
    },
    "beside": {
        "en": "{seat} may answer what was offered, or type 'later'.",
        "ru": "{seat}: можно ответить на предложение или набрать 'later'.",
    },
    "awaited": {"en": "{seat} must decide: {what}.", "ru": "{seat} решает: {what}."},
    "why": {"en": "  (by {clause})", "ru": "  (по правилу {clause})"},
    "more": {
        "en": "  {first} to {last} of {all}; 'more' shows the next",
        "ru": "  {first}–{last} из {all}; 'more' покажет дальше",
    },
    "hand": {"en": "In hand: {what}", "ru": "На руке: {what}"},
    "standing": {"en": "Said beforehand: {line}", "ru": "Сказано заранее: {line}"},
    "more_found": {"en": "  ... {all} in all", "ru": "  ... всего {all}"},
    "no_choice": {"en": "There is no such choice.", "ru": "Такого варианта нет."},
    "not_yours": {"en": "That is not for {seat} to decide now.", "ru": "Сейчас это решает не {seat}."},
    "hidden": {
        "en": "It cannot be done now; why not depends on what {seat} may not know.",
        "ru": "Сейчас нельзя; почему, зависит от того, чего {seat} знать не может.",
    },
    "happened": {"en": "Meanwhile:", "ru": "Тем временем:"},
    "none": {"en": "Nothing can be taken back.", "ru": "Взять назад нечего."},
    "consent": {
        "en": "{seat}: may '{line}' be taken back? [y/n] ",
        "ru": "{seat}: можно ли взять назад «{line}»? [y/n] ",
    },
    "end": {
        "en": "{seat}: shall the game end here, unfinished, and the secret of the dice be published? [y/n] ",
        "ru": "{seat}: закончить партию здесь, не доиграв, и опубликовать тайну кубиков? [y/n] ",
    },
    "secret": {"en": "what was done last", "ru": "то, что сделано последним"},
    "no_consent": {"en": "{seat} does not agree: it stands.", "ru": "{seat} против: ход остаётся."},
    "undone": {"en": "Taken back: {line}", "ru": "Взято назад: {line}"},
    "saved": {"en": "Saved: {path}", "ru": "Сохранено: {path}"},
    "save_where": {"en": "Where to? Type 'save FILE'.", "ru": "Куда? Наберите 'save ФАЙЛ'."},
    "over": {"en": "The game is over.", "ru": "Партия окончена."},
    "won": {"en": "Won: {seats}.", "ru": "Победа: {seats}."},
    "published": {
        "en": "The secret of the dice is published: foedus verify {path}",
        "ru": "Тайна кубиков опубликована: foedus verify {path}",
    },
    "go_on": {"en": "To go on: foedus play {game} --load {path}", "ru": "Продолжить: foedus play {game} --load {path}"},
    "help": {
        "en": "A number, or a line of notation, is done. '? LINE' says whether it may be done and why not.\n"
        "Questions are answered.\n"
        "more, list: the choices; /TEXT: those with TEXT in them. status. undo: take back.\n"
        "later: leave an offer. save [FILE]. quit.\n"
        "end: all agree to stop here, and the secret of the dice is published.",
        "ru": "Номер или строка нотации: сделать. '? СТРОКА': можно ли и почему нет; на вопросы есть ответ.\n"
        "more, list: варианты; /ТЕКСТ: те, где он есть. status. undo: взять назад.\n"
        "later: отложить предложение. save [ФАЙЛ]. quit.\n"
        "end: все согласны закончить здесь, и тайна кубиков публикуется.",
    },
}


def play(
    name: str,
    players: int | None,
    seed: int | None,
    save: str | None,
    load: str | None,
    bots: str,
    rulings: Sequence[str],
    language: str,
    deck: str | None = None,
    board: str | None = None,
    tables: str | None = None,
) -> None:
    """Play a game at one keyboard until it is over or left, with deck, board and tables in files if any are named."""
    game = game_named(name, {}, name)
    if load is not None:
        table = _loaded(game, load, save, language)
    else:
        table = _new(game, players, seed, save, rulings, language, (deck, board, tables))
    table.take_bots(bots, seed)
    table.run()


def _secret(seed: int | None) -> bytes:
    return os.urandom(32) if seed is None else hashlib.sha256(f"foedus play {seed}".encode()).digest()


def chosen_rulings(game: Game, told: Sequence[str]) -> dict[str, str]:
    """Rulings from the command line, `NAME=OPTION` each."""
    found = {}
    for one in told:
        name, equals, option = one.partition("=")
        if not equals:
            raise InputError(f"--ruling: NAME=OPTION is needed, not '{one[:80]}'")
        found[name.strip()] = option.strip()
    try:
        game.rulebook.choose(found)
    except (ValueError, LookupError) as error:
        raise InputError(f"--ruling: {error}") from error
    return found


def _new(
    game: Game,
    players: int | None,
    seed: int | None,
    save: str | None,
    rulings: Sequence[str],
    language: str,
    files: tuple[str | None, str | None, str | None],
) -> _Table:
    deck, board, tables = files
    try:
        options = options_of(game, deck, tables)
        own = board_of(game, board)
        referee = make_referee(game, players, own, options)
    except (ValueError, LookupError) as error:
        raise InputError(str(error)) from error
    chosen = chosen_rulings(game, rulings)
    names = referee.world.names.get("seat", ())
    seats = [str(names[seat]) for seat in getattr(referee.world, "seats", range(len(names)))]
    secret = _secret(seed)
    say(_said(language, "commitment", text=commitment(secret)))
    numbers = dict.fromkeys(seats, seed) if seed is not None else {seat: _number(seat, language) for seat in seats}
    header = Header(
        game.id,
        players if players is not None else getattr(referee.world, "players", None),
        board=own,
        options=options,
        rulings=chosen,
        commitment=commitment(secret),
        numbers=numbers,
    )
    file = RecordFile(None)
    try:
        state = game.start(referee.world, game.rulebook.choose(chosen))
    except ValueError as error:
        raise InputError(str(error)) from error
    journal = Journal(referee, header, state, clock=now)
    table = _Table(HotSeat(journal, CommittedDice(secret, numbers)), file, secret, language)
    if save is not None:
        if not file.name(save, journal.lines):
            raise InputError(f"{save}: cannot be used")
        keep_secret(save, secret)
    table.session.begin()
    return table


def _number(seat: str, language: str) -> int:
    while True:
        try:
            told = ask(_said(language, "number", seat=seat))
        except Closed:
            told = ""
        if not told:
            return int.from_bytes(os.urandom(6), "big")
        if told.isascii() and told.isdigit() and len(told) <= 60:
            return int(told)
        say(_said(language, "no_number"))


def _loaded(game: Game, load: str, save: str | None, language: str) -> _Table:
    text = read_text(load, MAX_RECORD)
    try:
        journal = Journal.load(game, text.split("\n"), clock=now)
    except RecordError as error:
        raise InputError(f"{load}: {error}") from error
    header = journal.header
    if journal.closed:
        raise InputError(f"{load}: the game is over; its secret is published")
    if not header.commitment or not header.numbers:
        raise InputError(f"{load}: the record has no dice of its own; a ledger goes on with --ledger")
    try:
        secret = bytes.fromhex(read_text(secret_path(load)).strip())
    except ValueError:
        raise InputError(f"{secret_path(load)}: is no secret: hex digits are needed") from None
    if len(secret) != 32 or commitment(secret) != header.commitment:
        raise InputError(f"{secret_path(load)}: is not the secret that the record committed to")
    file = RecordFile(load)
    file.goes_on(len(journal.lines))
    if save is not None and save != load:
        if not file.name(save, journal.lines):
            raise InputError(f"{save}: cannot be used")
        keep_secret(save, secret)
    dice = CommittedDice(secret, header.numbers, journal.draws)
    return _Table(HotSeat(journal, dice), file, secret, language)


def _said(language: str, key: str, **texts: Any) -> str:
    return UI[key][language].format(**texts)


def _counted(sentences: Sequence[str]) -> list[str]:
    """The sentences; those that come several times on end once, with how many times."""
    return [f"{one} (×{n})" if (n := len(list(same))) > 1 else one for one, same in groupby(sentences)]


class _Table:
    """The keyboard and the screen of one game."""

    def __init__(self, session: HotSeat, file: RecordFile, secret: bytes, language: str) -> None:
        self.session = session
        self.file = file
        self.secret = secret
        self.language = language
        self.speaker = desk.Speaker(session.referee, language)
        self.bots: dict[int, Bot] = {}
        self._looking = -1
        self._choices: list[Command] = []
        self._pages = Pages((), lambda first, last, all_: "")

    def take_bots(self, told: str, seed: int | None) -> None:
        """Let programs play these seats."""
        names = {self.session.journal.seat_name(seat): seat for seat in self.session.playing}
        for name in filter(None, (one.strip() for one in told.split(","))):
            if name not in names:
                raise InputError(f"--bots: unknown seat '{name[:80]}'; there are {', '.join(names)}")
            self.bots[names[name]] = RandomBot(seed if seed is not None else int.from_bytes(os.urandom(6), "big"))

    def say(self, key: str, **texts: Any) -> None:
        say(_said(self.language, key, **texts))

    def seat(self, seat: int) -> str:
        """A seat by its name in the game's words, and its code."""
        code = self.session.journal.seat_name(seat)
        said = self.speaker.value("seat", seat)
        return said if said == code else f"{said} ({code})"

    # the loop

    def run(self) -> None:
        """Play until the game is over or somebody leaves."""
        try:
            while (turn := self.session.turn) is not None:
                self.file.sync(self.session.journal.lines)
                bot = self.bots.get(turn.seat)
                if bot is not None:
                    self._bot(bot, turn)
                    continue
                self._show(turn)
                if not self._hear(turn):
                    break
            else:
                self._over()
        except Closed:
            pass
        self._leave()

    def _bot(self, bot: Bot, turn: Turn) -> None:
        choices = self.session.choices(turn.seat)
        view = self.session.view(turn.seat)
        command = bot.answers(view, turn.seat, choices) if turn.beside else bot.choose(view, turn.seat, choices)
        if command is None:
            self.session.later(turn.seat)
        else:
            self.session.act(turn.seat, command)

    def _show(self, turn: Turn) -> None:
        """What the seat at the keyboard must know: what has happened, what is awaited and why, its choices."""
        seat = turn.seat
        if seat != self._looking:
            humans = [one for one in self.session.playing if one not in self.bots]
            if len(humans) > 1:
                clear()
                ask(_said(self.language, "screen", seat=self.seat(seat)))
                clear()
            self._looking = seat
        happened = desk.said_events(self.speaker, self.session.unseen(seat))
        if happened:
            self.say("happened")
            for sentence in _counted(happened)[-MOST_FOUND:]:
                say(f"  - {sentence}")
        self._hand(seat)
        if turn.beside:
            self.say("beside", seat=self.seat(seat))
        for decision in turn.decisions:
            said = self.speaker.decision(decision)
            if said:
                say(said)
            else:
                self.say("awaited", seat=self.seat(seat), what=decision.what)
            if decision.clause:
                self.say("why", clause=decision.clause)
        self._list(seat)
        self._page()

    def _hand(self, seat: int) -> None:
        """What the seat holds in its hand, by name and by what it goes by in notation; what it has said beforehand."""
        hand = self.session.referee.game.hand
        held = hand(self.session.view(seat), seat) if hand is not None else ()
        if held:
            named = []
            for kind, index, note in held:
                code = self.speaker.plain(kind, index)
                named.append(f"{self.speaker.value(kind, index)} [{code}{', ' if note else ''}{note}]")
            self.say("hand", what="; ".join(named))
        standing = self.session.referee.game.standing
        if standing is not None:
            for one in standing.seen(self.session.state, seat):
                self.say("standing", line=self.speaker.notation(command_of(one)))

    def _list(self, seat: int) -> None:
        self._choices = self.session.choices(seat)
        wide = len(str(len(self._choices)))
        rows = []
        for number, command in enumerate(self._choices, 1):
            notation, words = self.speaker.notation(command), self.speaker.command(command).rstrip(".")
            rows.append(f"  {number:>{wide}}  {notation}" + (f"  -  {words}" if words != notation else ""))
        self._pages = Pages(
            rows, lambda first, last, all_: _said(self.language, "more", first=first, last=last, all=all_)
        )

    def _find(self, text: str) -> None:
        """The choices that have the text in them, with their numbers."""
        found = [row for row in self._pages.lines if text.casefold() in row.casefold()]
        for row in found[:MOST_FOUND]:
            say(row)
        if len(found) > MOST_FOUND:
            self.say("more_found", all=len(found))
        elif not found:
            self.say("no_choice")

    def _page(self) -> None:
        for row in self._pages.next():
            say(row)

    def _hear(self, turn: Turn) -> bool:
        """One line from the seat, or several until something has happened; False to leave."""
        while True:
            line = ask(f"{self.session.journal.seat_name(turn.seat)}> ")
            word, _, rest = line.partition(" ")
            if word == "quit":
                return False
            if word in ("", "more"):
                self._page()
            elif word == "list":
                self._list(turn.seat)
                self._page()
            elif line.startswith("/"):
                self._find(line[1:].strip())
            elif word == "help" or line == "?":
                self.say("help")
            elif line.startswith("?"):
                self._ask(turn.seat, line[1:].strip())
            elif line == "status":
                say(sheet(self.session.referee.game, self.session.view(turn.seat), self.language))
            elif word == "save":
                self._save(rest.strip())
            elif line == "later" and turn.beside:
                self.session.later(turn.seat)
                return True
            elif line == "end":
                if self._all_end(turn.seat):
                    self.session.journal.publish(self.secret)
                    return False
            elif line == "undo":
                if self._undo(turn.seat):
                    return True
            elif line.isascii() and line.isdigit() and len(line) < 6:
                if not 1 <= int(line) <= len(self._choices):
                    self.say("no_choice")
                elif self._act(turn.seat, self._choices[int(line) - 1], ""):
                    return True
            elif self._typed(turn.seat, line):
                return True

    def _ask(self, seat: int, line: str) -> None:
        try:
            say(self.session.ask(seat, line, self.language).text)
        except NotationError as error:
            say(str(error))

    def _typed(self, seat: int, line: str) -> bool:
        try:
            asked = desk.read_line(self.session.referee, line, self.language)
        except NotationError as error:
            say(str(error))
            return False
        if asked.command is None:
            self._ask(seat, line)
            return False
        return self._act(seat, asked.command, line)

    def _act(self, seat: int, command: Command, line: str) -> bool:
        try:
            events = self.session.act(seat, command, self.language, line)
        except NotAllowed as error:
            if error.ruling.verdict.allowed:
                self.say("hidden", seat=self.seat(seat))
            else:
                say(error.ruling.text)
            return False
        except NotYours:
            self.say("not_yours", seat=self.seat(seat))
            return False
        for sentence in _counted(desk.said_events(self.speaker, events)):
            say(f"  - {sentence}")
        return True

    def _undo(self, seat: int) -> bool:
        last = self.session.last
        if last is None:
            self.say("none")
            return False
        line = last.line or "?"
        agreed = []
        for one in self.session.consent_of(seat):
            named = line if self.session.knows(one, last) else _said(self.language, "secret")
            if one not in self.bots and not self._agrees(one, "consent", line=named):
                self.say("no_consent", seat=self.seat(one))
                return False
            agreed.append(one)
        self.session.undo(seat, agreed)
        self.say("undone", line=line)
        return True

    def _all_end(self, seat: int) -> bool:
        for one in self.session.playing:
            if one != seat and one not in self.bots and not self._agrees(one, "end"):
                self.say("no_consent", seat=self.seat(one))
                return False
        return True

    def _agrees(self, seat: int, key: str, **texts: str) -> bool:
        while True:
            told = ask(_said(self.language, key, seat=self.seat(seat), **texts)).casefold()
            if told in ("y", "yes", "д", "да"):
                return True
            if told in ("n", "no", "н", "нет"):
                return False

    # the record

    def _save(self, path: str) -> None:
        lines = self.session.journal.lines
        if path and path != self.file.path:
            if not self.file.name(path, lines):
                return
            keep_secret(path, self.secret)
        if self.file.path is None:
            self.say("save_where")
        elif self.file.sync(lines):
            self.say("saved", path=self.file.path)

    def _over(self) -> None:
        self.say("over")
        game = self.session.referee.game
        winners = game.winners(self.session.state) if game.winners is not None else ()
        if winners:
            self.say("won", seats=", ".join(self.seat(one) for one in winners))
        if game.status is not None:
            say(sheet(game, self.session.view(-1), self.language))
        self.session.journal.publish(self.secret)

    def _leave(self) -> None:
        path = self.file.path
        if path is None or not self.file.sync(self.session.journal.lines):
            return
        if self.session.journal.closed:
            drop_secret(path)
            self.say("published", path=path)
        else:
            self.say("saved", path=path)
            self.say("go_on", game=self.session.referee.game.id, path=path)
