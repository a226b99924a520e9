"""The tables of a server: making, opening, beginning, playing, what each viewer sees.

Every function that changes a table gives an operation (`foedus.table.live.Operation`) to `LiveTable.do`; whether a
person may ask for it is judged by who calls, but that a person acts for a seat is judged again in the operation, when
it is carried out.
"""

from __future__ import annotations

import asyncio
import os
import re
import secrets
import time
import tomllib
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace as changed
from typing import Any, Final, Literal

import msgspec
import sqlalchemy as sa
from msgspec.structs import replace
from sqlalchemy.engine import Connection

from foedus.kernel import desk, record
from foedus.kernel.dice import ToldDice, commitment
from foedus.kernel.faults import Fault
from foedus.kernel.game import Game, find_game
from foedus.kernel.notation import NotationError
from foedus.kernel.record import Header
from foedus.kernel.referee import Referee
from foedus.kernel.unknown import Unknown
from foedus.kernel.values import Command
from foedus.table import acting
from foedus.table.journal import NOBODY, Journal
from foedus.table.ledger import Ledger, Said
from foedus.table.live import (
    CHANNEL,
    FULL,
    LEDGER,
    OVER,
    PLAYING,
    WAITING,
    Draft,
    Info,
    LiveTable,
    NoSuchTable,
    Operation,
    TableState,
    referee_of,
    seats_of,
)
from foedus.table.settings import Consent, TableSettings
from foedus.table.store import schema as s
from foedus.table.store.engine import Store, StoreDown
from foedus.table.telling import SPECTATOR

MOST_TABLES_OF_A_HOST: Final = 50
MOST_OPEN: Final = 400
"""How many tables are held in memory when nobody listens to them."""
MAX_TITLE: Final = 80
KEYS_DAYS: Final = 30
"""For so many days a command with an idempotency key may be sent again."""
MAX_SKETCH: Final = 100_000
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,60}")


class Spec(msgspec.Struct, forbid_unknown_fields=True):
    """A table as a host asks for it. `board` is the name of a board or the board itself as data, `deck` likewise;
    `sketch` is the position a ledger begins from, as TOML."""

    game: str
    kind: Literal["full", "ledger"] = "full"
    title: str = ""
    players: int | None = None
    board: str | dict[str, Any] | None = None
    deck: str | dict[str, Any] | None = None
    rulings: dict[str, str] = msgspec.field(default_factory=dict)
    sketch: str = ""
    settings: TableSettings = msgspec.field(default_factory=TableSettings)


class SpecError(ValueError):
    """Something wrong in what a host asks for; `field` names where."""

    def __init__(self, field: str, error: Exception | str) -> None:
        self.field = field
        super().__init__(error.args[0] if isinstance(error, Exception) and error.args else str(error))


def checked_name(told: Any, field: str) -> None:
    """Make sure that a name from outside is a plain name and no path of a file. Raises `SpecError`."""
    if isinstance(told, str) and not _NAME.fullmatch(told):
        raise SpecError(field, f"'{told[:80]}' is no name; it may have small letters, digits, - and _")


def header_of(spec: Spec) -> tuple[Game, Header, Referee]:
    """The header of a table's record as it is asked for. Raises `SpecError`, `UnknownGame`."""
    game = find_game(spec.game)
    checked_name(spec.board, "board")
    checked_name(spec.deck, "deck")
    options: dict[str, Any] = {} if spec.deck is None else {"deck": spec.deck}
    sketch = None
    players = spec.players
    if spec.kind == LEDGER:
        sketch = read_position(spec.sketch)
        if sketch.get("game", game.id) != game.id:
            raise SpecError("sketch", f"it is a position of another game, not of '{game.id}'")
        if players is None:
            players = sketch.get("players")
        elif "players" in game.sketch_keys:
            sketch.setdefault("players", players)
        for key in ("deck", "tables"):
            if key in sketch:
                options.setdefault(key, sketch[key])
    elif spec.sketch:
        raise SpecError("sketch", "only a ledger begins from a position")
    try:
        game.rulebook.choose(spec.rulings)
    except (ValueError, LookupError) as error:
        raise SpecError("rulings", error) from error
    board = spec.board if spec.board is not None else (sketch or {}).get("board")
    header = Header(game.id, players, board, options, dict(spec.rulings), sketch=sketch)
    try:
        referee = referee_of(header)
    except (ValueError, LookupError, TypeError) as error:
        field = next((name for name in ("players", "deck", "board") if name in str(error).lower()), "game")
        raise SpecError(field, error) from error
    if players is None:
        header = changed(header, players=getattr(referee.world, "players", None))
    try:
        record.open_record(game, record.Record(header), referee)
    except record.RecordError as error:
        raise SpecError("sketch" if sketch is not None else "game", str(error).partition(": ")[2]) from error
    return game, header, referee


def read_position(text: str) -> dict[str, Any]:
    """A sketch from outside, as data: TOML that names no file. Raises `SpecError`."""
    if len(text) > MAX_SKETCH:
        raise SpecError("sketch", Fault("too_long", limit=MAX_SKETCH))
    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise SpecError("sketch", Fault("not_toml", why=str(error))) from error
    checked_position(data)
    return data


def checked_position(data: Mapping[str, Any]) -> None:
    """Make sure that a position from outside names no file. Raises `SpecError`."""
    for key in ("board", "deck", "tables"):
        checked_name(data.get(key), "sketch")


Watcher = Callable[[LiveTable, Draft], None]
Keeper = Callable[[Draft], None]


class Tables:
    """All tables of a server. `watchers` are told of everything that is committed by this process, in order, and must
    not wait; whatever needs more goes into a task of its own. `keepers` are asked after each operation that moved a
    game or changed its seats or settings: what they add to the draft is written with it, or not at all."""

    def __init__(self, store: Store, clock: Callable[[], float] = time.time) -> None:
        self.store = store
        self.clock = clock
        self.watchers: list[Watcher] = []
        self.keepers: list[Keeper] = []
        self._open: OrderedDict[str, LiveTable] = OrderedDict()
        self._listening: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Task[Any]] = set()

    # the life of the server

    async def start(self) -> None:
        """Drop what nobody asks for any more, and begin to listen for what other workers write."""
        old = self.clock() - KEYS_DAYS * 86_400
        with suppress(StoreDown):
            await self.store.write(lambda c: c.execute(sa.delete(s.idempotency).where(s.idempotency.c.made < old)))
        if not self.store.sqlite:
            self._listening = asyncio.create_task(self._listen())

    async def stop(self) -> None:
        """Stop listening."""
        if self._listening is not None:
            self._listening.cancel()
            with suppress(asyncio.CancelledError):
                await self._listening

    async def _listen(self) -> None:
        """PostgreSQL tells which table has which version now; a table that is held here takes over what is new."""
        import psycopg

        url = self.store.url.set(drivername="postgresql").render_as_string(hide_password=False)
        while True:
            with suppress(psycopg.Error, OSError):
                async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
                    await connection.execute(f"LISTEN {CHANNEL}")
                    for live in list(self._open.values()):  # something may have been missed
                        self._look(live, live.version + 1)
                    async for told in connection.notifies():
                        id, _, version = told.payload.partition(" ")
                        found = self._open.get(id)
                        if found is not None and version.isdigit():
                            self._look(found, int(version))
            await asyncio.sleep(0.5)

    def _look(self, live: LiveTable, version: int) -> None:
        task = asyncio.create_task(self._refresh(live, version))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _refresh(self, live: LiveTable, version: int) -> None:
        with suppress(StoreDown, NoSuchTable):  # whoever uses the table next looks again
            await live.refresh(version)

    # making and opening

    async def create(self, spec: Spec, host: int | None, names: Mapping[str, str] | None = None) -> LiveTable:
        """Make a table. A ledger begins at once, a full game when its host says so.

        Raises `SpecError`, `UnknownGame` and `TableState` (too many tables).
        """
        game, header, referee = await asyncio.to_thread(header_of, spec)
        title = spec.title.strip()[:MAX_TITLE] or game.id.replace("_", " ").title()
        settings: dict[str, Any] = msgspec.to_builtins(spec.settings)
        for name in ("corrections", "rulings"):
            settings[name] = settings[name] or ("anyone" if spec.kind == LEDGER else "consent")
            if spec.kind == FULL and settings[name] == "anyone":
                raise SpecError(f"settings.{name}", "'anyone' is for ledgers")
        secret = None
        if spec.kind == FULL:
            secret = os.urandom(32)
            header = changed(header, commitment=commitment(secret))
        id = secrets.token_urlsafe(9)
        seats = seats_of(referee)
        status = PLAYING if spec.kind == LEDGER else WAITING
        if status == PLAYING and names:
            header = changed(header, seats=dict(names))
        line = record.write_header(header)
        viewers = dict.fromkeys([*seats, SPECTATOR], 0)
        now = self.clock()
        number = 0 if header.sketch is None else 1

        def work(connection: Connection) -> None:
            self.may_host(connection, host)
            connection.execute(
                sa.insert(s.tables).values(
                    id=id,
                    title=title,
                    game=game.id,
                    kind=spec.kind,
                    host=host,
                    status=status,
                    created=now,
                    header=line,
                    settings=settings,
                )
            )
            connection.execute(
                sa.insert(s.heads).values(
                    table=id,
                    version=0,
                    batch=number - 1,
                    prev=record.fingerprint(line),
                    draws=0,
                    lines=msgspec.json.encode(viewers).decode(),
                    beside="{}",
                )
            )
            connection.execute(sa.insert(s.seats), [{"table": id, "seat": name, "standing": {}} for name in seats])
            if secret is not None:
                connection.execute(sa.insert(s.secrets).values(table=id, secret=secret))

        await self.store.write(work)
        return await self.open(id)

    def may_host(self, connection: Connection, host: int | None) -> None:
        """Raise `TableState` if the person hosts too many tables."""
        of = s.tables.c
        count = sa.select(sa.func.count(of.id)).where(of.host == host, of.status != OVER)
        if host is not None and connection.execute(count).scalar_one() >= MOST_TABLES_OF_A_HOST:
            raise TableState("too_many_tables", most=MOST_TABLES_OF_A_HOST)

    async def open(self, id: str) -> LiveTable:
        """A table, as it was last committed anywhere. Raises `NoSuchTable`, `StoreDown`."""
        live = self._open.get(id)
        if live is None:
            if not re.fullmatch(r"[A-Za-z0-9_-]{1,32}", id):
                raise NoSuchTable(id)
            live = LiveTable(self.store, id, self.clock, self.watchers, self.keepers)
            await live.fresh()
            live = self._open.setdefault(id, live)
            self._close_some()
        else:
            self._open.move_to_end(id)
            await live.fresh()
        return live

    def _close_some(self) -> None:
        for id, live in list(self._open.items()):
            if len(self._open) <= MOST_OPEN:
                return
            if not live.busy:
                del self._open[id]

    async def listed(self, person: int | None) -> list[Info]:
        """The tables that a person sits at or hosts, the newest first; for None, those that anybody may watch."""
        if person is None:
            where: Any = sa.true()
        else:
            of = s.seats.c
            seated = sa.select(of.table).where(sa.or_(of.holder == person, of.substitute == person))
            where = sa.or_(s.tables.c.host == person, s.tables.c.id.in_(seated))

        def work(connection: Connection) -> list[Info]:
            rows = connection.execute(sa.select(s.tables).where(where).order_by(s.tables.c.created.desc()).limit(500))
            return [Info(**row) for row in rows.mappings()]

        found = await self.store.read(work)
        return found if person is not None else [one for one in found if one.settings.get("spectators")]


# what is done at a table


def must_act(draft: Draft, seat: str, person: int | None) -> None:
    """Raise `TableState` unless the person acts for the seat now."""
    told = draft.seats.get(seat)
    if told is None:
        raise TableState("no_such_seat", seat=seat)
    if person is None or told.acting_for(draft.now) != person:
        raise TableState("not_your_seat", seat=seat)


def give_number(seat: str, person: int, number: int) -> Operation[None]:
    """A seat gives the number that it adds to the dice, before the game begins."""

    def operation(draft: Draft) -> None:
        if draft.info.kind != FULL:
            raise TableState("no_dice")
        if draft.info.status != WAITING:
            raise TableState("begun")
        must_act(draft, seat, person)
        if not 0 <= number < 2**256:
            raise TableState("wrong_number")
        draft.sit(replace(draft.seats[seat], number=str(number)))
        draft.tell_all({"what": "number", "seat": seat})

    return operation


def begin(names: Mapping[str, str]) -> Operation[None]:
    """The game begins. `names` are the names of those who sit at the table, by seat. For a seat that has given no
    number to the dice one is made up."""

    def operation(draft: Draft) -> None:
        if draft.info.status != WAITING:
            raise TableState("begun")
        numbers = {
            name: int(seat.number) if seat.number is not None else int.from_bytes(os.urandom(6), "big")
            for name, seat in draft.seats.items()
        }
        referee = draft.referee
        header = changed(record.read_record([draft.info.header]).header, seats=dict(names), numbers=numbers)
        rulings = dict(header.rulings)
        journal = Journal(referee, header, referee.game.start(referee.world, referee.game.rulebook.choose(rulings)))
        line = journal.lines.pop()
        draft.describe(header=line, status=PLAYING)
        draft.begin(journal)
        draft.tell_all({"what": "begun", "numbers": {seat: str(number) for seat, number in numbers.items()}})
        outcome = referee.start(rulings, draft.dice())
        journal.note(outcome.state, outcome.events)
        end_if_over(draft)

    return operation


def read_command(referee: Referee, told: str | Mapping[str, Any], language: str) -> tuple[Command, str]:
    """A command from outside and the line it was typed as. Raises `NotationError` or `CodecError`."""
    if isinstance(told, str):
        asked = desk.read_line(referee, told, language)
        if asked.command is None:
            raise NotationError("this is a question; it can be asked, not done")
        return asked.command, told.strip()
    command: Command = referee.codec.decode(dict(told), Command)
    return command, ""


def submit(
    seat: str, person: int, told: str | Mapping[str, Any], language: str = "en", seen: int | None = None
) -> Operation[dict[str, Any]]:
    """A seat gives a command, or says a line of a ledger. `seen` is the number of the last line that it knew: advice,
    of which the answer says how far behind it was.

    The operation gives what the seat is told of it. It raises `NotAllowed`, `NotYours`, `NotationError`, `CodecError`,
    and in a ledger `LedgerError`, `WrongDice` and `RulebookError`.
    """

    def operation(draft: Draft) -> dict[str, Any]:
        must_act(draft, seat, person)
        journal = draft.playing
        before, mark = draft.heads[seat], len(draft.new_lines)
        found: dict[str, Any] = {}
        if draft.info.kind == LEDGER:
            if not isinstance(told, str):
                raise NotationError("a ledger needs a line of text")
            found = said_data(hear(draft, seat, told, language))
        else:
            command, line = read_command(draft.referee, told, language)
            acting.act(journal, draft.dice(), draft.live.teller.viewers[seat] or 0, command, language, line)
            end_if_over(draft)
        lines = [data for viewer, _, _, data in draft.new_lines[mark:] if viewer == seat]
        found["n"] = draft.heads[seat]
        if seen is not None:
            found["missed"] = max(0, before - seen)
        found["lines"] = [msgspec.json.decode(data) for data in lines]
        return found

    return operation


def hear(draft: Draft, seat: str, line: str, language: str) -> Said:
    """A line of a ledger; corrections only from whom the table lets make them."""
    word = line.split(" ", 1)[0]
    if word in ("set", "ruling"):
        may_by_itself(draft, draft.seats[seat].acting_for(draft.now), "corrections" if word == "set" else "rulings")
    line = line.strip()
    journal = draft.playing
    told = draft.beside.get("told", {})
    # what is said is said of what the seat knows: another's secret offer shows neither in a ruling nor in a fault
    known = journal.fork()
    known.entries, known.first = [], draft.referee.view(journal.state, draft.live.teller.viewers[seat])
    answer = _ledger(known, told, language).hear(line)
    if not answer.done and line.split(" ", 1)[0] not in ("dice", "picks", "forget"):
        return answer
    ledger = _ledger(journal, told, language)
    said = ledger.hear(line)
    if answer.done and not said.done:
        raise TableState("hidden")
    left = ledger.untaken
    now = {"dice": list(left.dice), "picks": list(left.picks), "waiting": ledger.waiting}
    kept = now if any(now.values()) else None
    if kept != draft.beside.get("told"):
        draft.put_beside(told=kept)
    return answer


def _ledger(journal: Journal, told: Mapping[str, Any], language: str) -> Ledger:
    ledger = Ledger(journal, language)
    ledger.dice = ToldDice(told.get("dice", ()), told.get("picks", ()))
    ledger.waiting = told.get("waiting", "")
    return ledger


def may_by_itself(draft: Draft, person: int | None, setting: Literal["corrections", "rulings"]) -> None:
    """Raise `TableState` unless the person may do such a thing without asking the others."""
    told = draft.info.settings.get(setting)
    if told == "host" and person != draft.info.host:
        raise TableState("host_decides")
    if told == "consent" and set(holders(draft).values()) - {person}:
        raise TableState("needs_consent")


def said_data(said: Said) -> dict[str, Any]:
    """What a ledger answers, as plain data."""
    return {
        "text": said.text,
        "done": said.done,
        "ok": said.ok,
        "open": said.open,
        "only_noted": said.only_noted,
    }


def end_if_over(draft: Draft) -> None:
    """If nobody has anything to decide any more the game is over, and the secret of the dice is published."""
    state = draft.state
    if any(one.seat >= 0 for one in draft.referee.awaiting(state)):
        return
    end(draft)


def end(draft: Draft) -> None:
    """The game ends here; the secret of the dice is published."""
    journal = draft.playing
    winners = draft.referee.game.winners
    names = draft.referee.world.names.get("seat", ())
    won = [str(names[seat]) for seat in winners(draft.state)] if winners is not None else []
    told: dict[str, Any] = {"what": "over", "winners": won}
    if draft.live.secret is not None:
        journal.publish(draft.live.secret)
        told["secret"] = draft.live.secret.hex()
    draft.describe(status=OVER)
    draft.tell_all(told)


def holders(draft: Draft) -> dict[str, int]:
    """The seats that somebody sits on, with who acts for each."""
    found = {name: seat.acting_for(draft.now) for name, seat in draft.seats.items()}
    return {name: person for name, person in found.items() if person is not None}


# what is seen


def seen_position(
    live: LiveTable, viewer: str, language: str = "en", *, view: Any = None, line: int | None = None
) -> dict[str, Any]:
    """A table's position as a viewer may know it, and what is awaited: only from that viewer's view; or the position
    that is given, of an earlier line."""
    referee = live.referee
    speaker = desk.Speaker(referee, language)
    view = live.view(viewer) if view is None else view
    seat = live.seat_index(viewer)
    number = live.heads[viewer] if line is None else line
    found: dict[str, Any] = {"n": number, "position": referee.codec.encode(view)}
    try:
        awaited = referee.awaiting(view)
    except Unknown:
        awaited = ()
    found["awaiting"] = [
        {
            "seat": speaker.plain("seat", one.seat),
            "power": speaker.plain("power", one.power),
            "what": one.what,
            "clause": one.clause,
            "facts": speaker.plain_facts(dict(one.facts)),
            "text": speaker.decision(one),
        }
        for one in awaited
    ]
    hand = referee.game.hand
    if seat is not None and hand is not None and live.info.kind == FULL:
        found["hand"] = [
            {"kind": kind, "id": speaker.plain(kind, index), "note": note, "text": speaker.value(kind, index)}
            for kind, index, note in hand(view, seat)
        ]
    status = referee.game.status
    if status is not None:
        found["status"] = [{"heading": heading, "lines": list(lines)} for heading, lines in status(view, language)]
    return found


def seen_choices(live: LiveTable, viewer: str, language: str, find: str, first: int, most: int) -> dict[str, Any]:
    """What a seat may do now, by its view: notation and words; those with `find` in them, from the `first` on."""
    seat = live.seat_index(viewer)
    if seat is None or live.info.kind == LEDGER:
        return {"all": 0, "choices": []}
    referee = live.referee
    try:
        choices = referee.choices(live.view(viewer), seat)
    except Unknown:
        choices = []
    speaker = desk.Speaker(referee, language)
    wanted = find.casefold()
    rows = []
    for command in choices if wanted else choices[first : first + most]:
        notation, words = speaker.notation(command), speaker.command(command).rstrip(".")
        if wanted and wanted not in notation.casefold() and wanted not in words.casefold():
            continue
        rows.append({"line": notation, "text": words, "command": referee.codec.encode(command)})
    if wanted:
        return {"all": len(rows), "choices": rows[first : first + most]}
    return {"all": len(choices), "choices": rows}


def answer(live: LiveTable, viewer: str, line: str, language: str) -> dict[str, Any]:
    """The desk's answer to a command or question at a table, by what the viewer may know. Raises `NotationError`."""
    said = acting.ask(live.referee, live.state, live.seat_index(viewer), line, language)
    return {"data": said.data, "text": said.text, "ok": said.ok}


__all__ = [
    "NOBODY",
    "Consent",
    "Spec",
    "SpecError",
    "TableSettings",
    "Tables",
    "answer",
    "begin",
    "end",
    "give_number",
    "header_of",
    "hear",
    "holders",
    "must_act",
    "read_position",
    "seen_choices",
    "seen_position",
    "submit",
]
