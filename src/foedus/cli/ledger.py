"""`foedus play GAME --ledger`: the ledger of a game that is played on a real board."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from foedus.cli.hotseat import chosen_rulings
from foedus.cli.output import say
from foedus.cli.playing import sheet
from foedus.cli.positions import game_named
from foedus.cli.reading import MAX_RECORD, InputError, read_text, read_toml
from foedus.cli.terminal import Closed, RecordFile, ask, now
from foedus.kernel.cases import referee_for
from foedus.kernel.dice import WrongDice
from foedus.kernel.faults import said
from foedus.kernel.game import Game
from foedus.kernel.notation import NotationError
from foedus.kernel.record import Header, RecordError
from foedus.kernel.rulebook import RulebookError
from foedus.table.journal import Journal
from foedus.table.ledger import Ledger, LedgerError, Said, Unsettled

UI = {
    "hello": {
        "en": "The ledger is open. Type what happens; 'help' says how.",
        "ru": "Журнал открыт. Пишите, что происходит; 'help' подскажет как.",
    },
    "noted": {
        "en": "Noted. What it does on the board is yours to do.",
        "ru": "Записано. Что это меняет на доске, делаете вы сами.",
    },
    "open": {
        "en": "The rest is for you to do on the board: it is not known here {what}. 'next' goes on.",
        "ru": "Остальное делаете вы на доске: здесь неизвестно, {what}. Дальше: 'next'.",
    },
    "dice": {"en": "Tell what was rolled: {what}.", "ru": "Сообщите бросок: {what}."},
    "left": {"en": "Told and not needed yet: {what}.", "ru": "Сообщено и пока не понадобилось: {what}."},
    "awaited": {"en": "Next: {what}", "ru": "Теперь: {what}"},
    "first": {
        "en": "First this must be decided ('next anyway' goes on all the same):",
        "ru": "Сначала надо решить ('next anyway': всё равно дальше):",
    },
    "nothing": {"en": "Nothing can be taken back.", "ru": "Взять назад нечего."},
    "undone": {"en": "Taken back: {line}", "ru": "Взято назад: {line}"},
    "saved": {"en": "Saved: {path}", "ru": "Сохранено: {path}"},
    "save_where": {"en": "Where to? Type 'save FILE'.", "ru": "Куда? Наберите 'save ФАЙЛ'."},
    "go_on": {
        "en": "To go on: foedus play {game} --ledger --load {path}",
        "ru": "Продолжить: foedus play {game} --ledger --load {path}",
    },
    "set_what": {
        "en": "'set' needs what, and how it stands; such as 'set vp ROM 7'.",
        "ru": "'set' требует, что и как обстоит; например, 'set vp ROM 7'.",
    },
    "help": {
        "en": "A line of notation is ruled on and, if allowed, done. '? LINE' only rules on it.\n"
        "Questions are answered.\n"
        "dice 6 4 4, picks 0: what was rolled or drawn. forget: drop what was told.\n"
        "set ...: how things stand, as 'set active GAL', 'set phase alliances', 'set vp ROM 7',\n"
        "  'set alliances ROM-ETR', 'set Tarquinii owner ETR', 'set Tarquinii forces ETR 3, GAL 5',\n"
        "  or a key of a sketch '= VALUE'.\n"
        "ruling NAME OPTION. next: on to the next player, round or phase. undo. status. log. save [FILE]. quit.",
        "ru": "Строка нотации: решение и, если можно, запись. '? СТРОКА': только решение; на вопросы есть ответ.\n"
        "dice 6 4 4, picks 0: что брошено или вытянуто. forget: забыть сообщённое.\n"
        "set ...: как обстоят дела, например 'set active GAL', 'set phase alliances', 'set vp ROM 7',\n"
        "  'set alliances ROM-ETR', 'set Tarquinii owner ETR', 'set Tarquinii forces ETR 3, GAL 5'\n"
        "  или ключ наброска '= ЗНАЧЕНИЕ'.\n"
        "ruling ИМЯ ВАРИАНТ. next: следующий игрок, круг или фаза. undo. status. log. save [ФАЙЛ]. quit.",
    },
}


def keep(
    name: str,
    players: int | None,
    sketch: str | None,
    save: str | None,
    load: str | None,
    rulings: Sequence[str],
    language: str,
) -> None:
    """Keep a ledger until the input ends or `quit`."""
    game = game_named(name, {}, name)
    file = RecordFile(None)
    if load is not None:
        if sketch is not None:
            raise InputError("--load and --sketch: a ledger goes on or begins, not both")
        try:
            journal = Journal.load(game, read_text(load, MAX_RECORD).split("\n"), clock=now)
        except RecordError as error:
            raise InputError(f"{load}: {error}") from error
        if journal.header.commitment:
            raise InputError(f"{load}: is a game with dice of its own; it goes on without --ledger")
        file.path = load
        file.goes_on(len(journal.lines))
    else:
        journal = _begun(game, players, sketch, rulings)
    if save is not None and save != load and not file.name(save, journal.lines):
        raise InputError(f"{save}: cannot be used")
    _Desk(Ledger(journal, language), file, language).run()


def _begun(game: Game, players: int | None, sketch: str | None, rulings: Sequence[str]) -> Journal:
    place = sketch or "the ledger"
    text = read_text(sketch) if sketch is not None else ""
    data = read_toml(text, place) if text else {}
    if data.get("game", game.id) != game.id:
        raise InputError(f"{place}: is a position of the game '{str(data['game'])[:80]}', not of '{game.id}'")
    if players is not None:
        if data.get("players", players) != players:
            raise InputError(f"{place}: is a position for {data['players']} players, not for {players}")
        if "players" in game.sketch_keys:
            data["players"] = players
    chosen = chosen_rulings(game, rulings)
    if chosen:
        data["rulings"] = {**data.get("rulings", {}), **chosen}
    try:
        referee = referee_for(game, {**data, "players": players} if players is not None else data)
        state = referee.sketch(data, text)
    except ValueError as error:
        raise InputError(f"{place}: {error}") from error
    options: dict[str, Any] = {key: data[key] for key in ("deck", "tables") if key in data}
    header = Header(
        game.id,
        players if players is not None else data.get("players", getattr(referee.world, "players", None)),
        data.get("board"),
        options,
        sketch=data,
    )
    return Journal(referee, header, state, clock=now)


class _Desk:
    """The keyboard of a ledger."""

    def __init__(self, ledger: Ledger, file: RecordFile, language: str) -> None:
        self.ledger = ledger
        self.file = file
        self.language = language
        self._awaited: list[str] = []

    def say(self, key: str, **texts: Any) -> None:
        say(UI[key][self.language].format(**texts))

    def run(self) -> None:
        """Hear lines until the input ends."""
        self.say("hello")
        self._next()
        try:
            while True:
                line = ask("> ")
                if line.startswith("#") or not line:
                    continue
                if line == "quit":
                    break
                try:
                    self._hear(line)
                except (NotationError, LedgerError, WrongDice, RulebookError) as error:
                    say(said(error, self.language))
                self.file.sync(self.ledger.journal.lines)
        except Closed:
            pass
        path = self.file.path
        if path is not None and self.file.sync(self.ledger.journal.lines):
            self.say("saved", path=path)
            self.say("go_on", game=self.ledger.referee.game.id, path=path)

    def _hear(self, line: str) -> None:
        ledger = self.ledger
        word, _, rest = line.partition(" ")
        rest = rest.strip()
        if line == "set":
            self.say("set_what")
        elif line == "undo":
            taken = ledger.undo()
            if taken is None:
                self.say("nothing")
            else:
                self.say("undone", line=taken.line or "?")
            self._next()
        elif line == "status":
            say(sheet(ledger.referee.game, ledger.state, self.language))
        elif line == "log":
            for entry in ledger.journal.entries:
                say(f"  {entry.number}  {ledger.journal.seat_name(entry.seat) or '-'}  {entry.line}")
        elif word == "save":
            self._save(rest)
        elif line in ("help", "?"):
            self.say("help")
        else:
            self._typed(word, line)

    def _typed(self, word: str, line: str) -> None:
        try:
            self._answer(self.ledger.hear(line))
        except Unsettled as error:
            self.say("first")
            for sentence in error.sentences:
                say(f"  - {sentence}")
        left = self.ledger.untaken
        if left and word in ("dice", "picks"):
            self.say("left", what=" ".join(map(str, (*left.dice, *left.picks))))

    def _answer(self, said: Said) -> None:
        if said.text:
            say(said.text)
        if said.only_noted:
            self.say("noted")
        if said.open:
            if self.ledger.waiting or ": dice" in said.open or ": picks" in said.open:
                self.say("dice", what=said.open)
            elif said.open != "?":
                self.say("open", what=said.open)
        if said.done:
            self._next()

    def _next(self) -> None:
        """Who must decide now, where that is new."""
        awaited = self.ledger.awaited
        for sentence in awaited:
            if sentence not in self._awaited:
                self.say("awaited", what=sentence)
        self._awaited = awaited

    def _save(self, path: str) -> None:
        lines = self.ledger.journal.lines
        if path and path != self.file.path and not self.file.name(path, lines):
            return
        if self.file.path is None:
            self.say("save_where")
        elif self.file.sync(lines):
            self.say("saved", path=self.file.path)
