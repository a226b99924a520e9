"""Notices to people who are not looking: it is your decision, an offer came, an alliance of yours was broken, lapses
soon or was renewed, war came upon you, your time is over.

They are written down together with what they tell of and sent afterwards, so none is lost when a server dies; each goes
to exactly the people it touches, and says no more than its kind, the table and the seat.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Final, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from foedus.kernel.flow import Corrected
from foedus.kernel.unknown import Unknown
from foedus.table.live import FULL, PLAYING, Draft, LiveTable, NoSuchTable
from foedus.table.store import schema as s
from foedus.table.tables import Tables

Kind = Literal["decision", "offer", "broken", "lapsing", "renewed", "war", "remind", "host"]
DECISION: Final[Kind] = "decision"
REMIND: Final[Kind] = "remind"
HOST: Final[Kind] = "host"
_LEASE: Final = 120.0
"""Whoever sends a notice has so many seconds before another may try."""
_MOST_TRIES: Final = 6
_KEEP: Final = 7 * 86_400.0
_AT_ONCE: Final = 500
_LISTED: Final = 20
"""A digest names so many things and counts the rest."""

Send = Callable[[Sequence[str], str, str], Awaitable[bool]]
"""(addresses, title, text) -> did it go out?"""

WORDS: Final[Mapping[str, Mapping[str, str]]] = {
    "decision": {"en": "it is your decision ({seat})", "ru": "решение за вами ({seat})"},
    "offer": {"en": "an offer came for you ({seat})", "ru": "вам сделали предложение ({seat})"},
    "broken": {"en": "an alliance you are in was broken ({seat})", "ru": "ваш союз разорван ({seat})"},
    "lapsing": {"en": "an alliance you are in lapses soon ({seat})", "ru": "ваш союз скоро истекает ({seat})"},
    "renewed": {"en": "an alliance you are in was renewed ({seat})", "ru": "ваш союз продлён ({seat})"},
    "war": {"en": "war was brought upon you ({seat})", "ru": "вам объявлена война ({seat})"},
    "remind": {"en": "you are awaited and your time runs out ({seat})", "ru": "вас ждут, время истекает ({seat})"},
    "host": {"en": "a deadline has passed; you decide as the host", "ru": "срок истёк; решаете вы как хозяин стола"},
    "test": {"en": "notices reach you here", "ru": "извещения сюда доходят"},
    "more": {"en": "and {count} more", "ru": "и ещё {count}"},
    "title": {"en": "Foedus: your tables", "ru": "Foedus: ваши столы"},
}

Time = Annotated[str, msgspec.Meta(pattern="^([01][0-9]|2[0-3]):[0-5][0-9]$")]


class Quiet(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Hours without notices, by the clock of a time zone."""

    begin: Time
    end: Time
    zone: Annotated[str, msgspec.Meta(max_length=60)] = "UTC"


class NoticeSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """How a person is told: `to` which addresses (of apprise), which kinds are `off`, `quiet` hours, and a `digest`
    every so many minutes instead of one message for each thing. A decision is told of if it still waits `after` so many
    minutes: whoever sits at the table has made it by then.
    """

    to: Annotated[list[Annotated[str, msgspec.Meta(max_length=500)]], msgspec.Meta(max_length=5)] = msgspec.field(
        default_factory=list
    )
    off: Annotated[list[Kind], msgspec.Meta(max_length=20)] = msgspec.field(default_factory=list)
    quiet: Quiet | None = None
    digest: Annotated[int, msgspec.Meta(ge=0, le=10_080)] = 0
    after: Annotated[int, msgspec.Meta(ge=0, le=10_080)] = 2


class NoticeError(ValueError):
    """What is wrong with the settings; `code` names it, `field` says where."""

    def __init__(self, code: str, field: str, **facts: Any) -> None:
        self.code, self.field, self.facts = code, field, facts
        super().__init__(code)


# writing them down


def note(draft: Draft, found: Iterable[tuple[Kind, str]]) -> None:
    """Notices of these kinds for these seats: to whoever acts for each now."""
    rows = []
    for kind, seat in found:
        person = draft.seats[seat].acting_for(draft.now)
        if person is not None:
            rows.append((person, kind, seat))
    _add(draft, rows)


def note_host(draft: Draft) -> None:
    """The host is to decide."""
    if draft.info.host is not None:
        _add(draft, [(draft.info.host, HOST, "")])


def _add(draft: Draft, found: Sequence[tuple[int, Kind, str]]) -> None:
    # whether the person wants it is looked at when it is sent: this is written with every command
    table, now = draft.info.id, draft.now
    for person, kind, seat in dict.fromkeys(found):
        row = {"person": person, "table": table, "kind": kind, "seat": seat, "made": now, "due": now}
        draft.insert(s.notices, row)


def keep(draft: Draft) -> None:
    """A keeper: note whom it touches, and for whom it is to decide now."""
    if not draft.happened:
        return
    names = draft.referee.world.names.get("seat", ())
    seats = draft.live.teller.viewers
    found: list[tuple[Kind, str]] = []
    at_table = draft.referee.game.at_table
    for entry in draft.happened:
        if at_table is None or any(isinstance(event, Corrected) for event in entry.events):
            continue
        state = entry.before
        for event in entry.events:
            with suppress(Unknown):  # whom it touches a ledger may not know
                for told in at_table.news(state, event):
                    seat = str(names[told.seat])
                    if told.seat != entry.seat and seat in seats:
                        found.append((told.kind, seat))
            state = event.apply(state)
    if draft.info.kind == FULL and draft.info.status == PLAYING:
        first = draft.happened[0]
        before = _awaited(draft, first.before) if first.number > 0 else set()
        acted = {entry.seat for entry in draft.happened}
        for seat_index in sorted(_awaited(draft, draft.state) - before - acted):
            found.append((DECISION, str(names[seat_index])))
    note(draft, found)


def _awaited(draft: Draft, state: Any) -> set[int]:
    return {one.seat for one in draft.referee.awaiting(state) if one.seat >= 0}


# sending them


def settings_in(stored: Mapping[str, Any]) -> NoticeSettings:
    """A person's settings as they are kept."""
    return msgspec.convert(stored.get("notices", {}), NoticeSettings)


async def by_apprise(addresses: Sequence[str], title: str, text: str) -> bool:
    """Send it by apprise, which is only loaded when it is needed."""
    return await asyncio.to_thread(_by_apprise, addresses, title, text)


def _by_apprise(addresses: Sequence[str], title: str, text: str) -> bool:
    import apprise

    sender = apprise.Apprise()
    for address in addresses:
        if not sender.add(address):
            return False
    return bool(sender.notify(title=title, body=text))


def _is_address(address: str) -> bool:
    import apprise

    return bool(apprise.Apprise.instantiate(address, suppress_exceptions=True))


def quiet_until(quiet: Quiet | None, now: float) -> float | None:
    """When the quiet hours end in which `now` lies; None if it lies in none."""
    if quiet is None or quiet.begin == quiet.end:
        return None
    zone = ZoneInfo(quiet.zone)
    here = datetime.fromtimestamp(now, UTC).astimezone(zone)
    clock = here.strftime("%H:%M")
    over_night = quiet.begin > quiet.end
    inside = (clock >= quiet.begin or clock < quiet.end) if over_night else quiet.begin <= clock < quiet.end
    if not inside:
        return None
    hour, minute = map(int, quiet.end.split(":"))
    end = here.replace(hour=hour, minute=minute, second=0, microsecond=0)
    if end <= here:
        end += timedelta(days=1)
    return end.timestamp()


class _Due(msgspec.Struct, frozen=True):
    """A notice that is to be sent."""

    id: int
    table: str | None
    kind: str
    seat: str
    tries: int
    made: float


class Notices:
    """Sends the notices of a server. `schemes`: the kinds of addresses that people may use; `url`: where it is."""

    def __init__(self, tables: Tables, *, schemes: Sequence[str] = (), url: str = "", send: Send = by_apprise) -> None:
        self.tables = tables
        self.schemes = tuple(schemes)
        self.url = url.rstrip("/")
        self.send = send

    # a person's settings

    async def settings(self, person: int) -> NoticeSettings:
        """How a person is told."""
        query = sa.select(s.people.c.settings).where(s.people.c.id == person)
        stored: Any = await self.tables.store.read(lambda c: c.execute(query).scalar())
        return settings_in(stored or {})

    async def change(self, person: int, settings: NoticeSettings) -> None:
        """Change how a person is told. Raises `NoticeError`."""
        for address in settings.to:
            scheme = address.partition("://")[0].lower()
            if scheme not in self.schemes:
                raise NoticeError("notice_scheme", "to", known=", ".join(self.schemes))
            if not await asyncio.to_thread(_is_address, address):
                raise NoticeError("notice_address", "to", scheme=scheme)
        if settings.quiet is not None:
            try:
                ZoneInfo(settings.quiet.zone)
            except (ZoneInfoNotFoundError, ValueError, OSError) as error:
                raise NoticeError("notice_zone", "quiet.zone") from error

        def work(connection: Connection) -> None:
            of = s.people.c
            stored = connection.execute(sa.select(of.settings).where(of.id == person)).scalar() or {}
            told = {**stored, "notices": msgspec.to_builtins(settings)}
            changed = sa.update(s.people).where(of.id == person)
            connection.execute(changed.values(settings=told, notified=bool(settings.to)))

        await self.tables.store.write(work)

    async def try_out(self, person: int, language: str) -> bool:
        """Send a notice at once, to see whether it comes."""
        settings = await self.settings(person)
        return bool(settings.to) and await self.send(settings.to, "Foedus", WORDS["test"][language])

    # what is due

    async def dispatch(self) -> int:
        """Send what is due; gives how many messages went out. With several workers each may call it."""
        now = self.tables.clock()
        of, whose = s.notices.c, s.people.c
        due = (of.sent.is_(None), of.due <= now)
        query = sa.select(of.person, whose.notified).join_from(s.notices, s.people).where(*due).distinct()
        people = await self.tables.store.read(lambda c: list(c.execute(query.limit(_AT_ONCE))))
        if not all(row.notified for row in people):
            nobody = sa.select(whose.id).where(whose.notified.is_(False))
            gone = sa.delete(s.notices).where(*due, of.person.in_(nobody))
            await self.tables.store.write(lambda connection: connection.execute(gone))
        return sum([await self._tell(row.person, now) for row in people if row.notified])

    async def _tell(self, person: int, now: float) -> int:
        claimed = await self.tables.store.write(lambda connection: self._claim(connection, person, now))
        if claimed is None:
            return 0
        settings, language, rows = claimed
        told = await self._text(rows, language)
        gone = False
        if told:
            title, text = told
            try:
                gone = await self.send(settings.to, title, text)
            except Exception:  # whatever a service does, the next try may go better
                gone = False
        else:
            ids = [one.id for one in rows]
            await self.tables.store.write(lambda c: c.execute(sa.delete(s.notices).where(s.notices.c.id.in_(ids))))
            return 0
        await self.tables.store.write(lambda connection: self._settle(connection, rows, now, gone))
        return int(gone)

    def _claim(self, connection: Connection, person: int, now: float) -> tuple[NoticeSettings, str, list[_Due]] | None:
        """Take a person's notices that are due, so that nobody else sends them; or put them off."""
        of, whose = s.notices.c, s.people.c
        found = connection.execute(
            sa.select(of.id, of.table, of.kind, of.seat, of.tries, of.made)
            .where(of.person == person, of.sent.is_(None), of.due <= now)
            .order_by(of.id)
            .limit(_AT_ONCE)
            .with_for_update(skip_locked=True)
        ).all()
        rows = [_Due(*row) for row in found]
        if not rows:
            return None
        ids = [one.id for one in rows]
        row = connection.execute(sa.select(whose.settings, whose.language).where(whose.id == person)).one()
        settings = settings_in(row.settings)
        if not settings.to:
            connection.execute(sa.delete(s.notices).where(of.id.in_(ids)))
            return None
        unwanted = [one.id for one in rows if one.kind in settings.off]
        if unwanted:
            connection.execute(sa.delete(s.notices).where(of.id.in_(unwanted)))
            rows = [one for one in rows if one.kind not in settings.off]
        rows = self._put_off(connection, rows, settings, now)
        if not rows:
            return None
        ids = [one.id for one in rows]
        here = sa.update(s.notices).where(of.id.in_(ids))
        later = quiet_until(settings.quiet, now)
        if later is None and settings.digest:
            last = connection.execute(sa.select(sa.func.max(of.sent)).where(of.person == person)).scalar()
            if last is not None and last + 60.0 * settings.digest > now:
                later = last + 60.0 * settings.digest
        if later is not None:
            connection.execute(here.values(due=later))
            return None
        connection.execute(here.values(due=now + _LEASE, tries=of.tries + 1))
        return settings, row.language if row.language in ("en", "ru") else "en", rows

    def _put_off(self, connection: Connection, rows: list[_Due], settings: NoticeSettings, now: float) -> list[_Due]:
        """Decisions wait a little, since most are made at once; gives the notices that are due all the same."""
        waits = 60.0 * settings.after
        for one in rows:
            if one.kind == DECISION and one.made + waits > now:
                here = sa.update(s.notices).where(s.notices.c.id == one.id)
                connection.execute(here.values(due=one.made + waits))
        return [one for one in rows if one.kind != DECISION or one.made + waits <= now]

    def _settle(self, connection: Connection, rows: Sequence[_Due], now: float, done: bool) -> None:
        of = s.notices.c
        if done:
            connection.execute(sa.update(s.notices).where(of.id.in_([one.id for one in rows])).values(sent=now))
            connection.execute(sa.delete(s.notices).where(of.sent < now - _KEEP))
            return
        for one in rows:
            here = of.id == one.id
            if one.tries + 1 >= _MOST_TRIES:
                connection.execute(sa.delete(s.notices).where(here))
            else:
                connection.execute(sa.update(s.notices).where(here).values(due=now + 60.0 * 2.0**one.tries))

    async def _text(self, rows: Sequence[_Due], language: str) -> tuple[str, str] | None:
        """Title and text of a message; None if nothing of it is true any more."""
        tables: dict[str, list[str]] = {}
        titles: dict[str, str] = {}
        for one in rows:
            try:
                live = await self.tables.open(one.table or "")
            except NoSuchTable:
                continue
            if one.kind in (DECISION, REMIND) and not _still_awaited(live, one.seat):
                continue
            titles[live.id] = live.info.title
            tables.setdefault(live.id, []).append(WORDS[one.kind][language].format(seat=one.seat))
        if not tables:
            return None
        lines = []
        for id, said in tables.items():
            shown = list(dict.fromkeys(said))
            if len(tables) > 1:
                lines.append(titles[id])
            lines += [one[:1].upper() + one[1:] + "." for one in shown[:_LISTED]]
            if len(shown) > _LISTED:
                lines.append(WORDS["more"][language].format(count=len(shown) - _LISTED))
            if self.url:
                lines.append(f"{self.url}/tables/{id}")
        title = next(iter(titles.values())) if len(tables) == 1 else WORDS["title"][language]
        return title, "\n".join(lines)


def _still_awaited(live: LiveTable, seat: str) -> bool:
    if live.journal is None or live.info.status != PLAYING:
        return False
    index = live.teller.viewers.get(seat)
    return any(one.seat == index for one in live.referee.awaiting(live.journal.state))


__all__ = [
    "Kind",
    "NoticeError",
    "NoticeSettings",
    "Notices",
    "Quiet",
    "Send",
    "by_apprise",
    "keep",
    "note",
    "note_host",
    "quiet_until",
    "settings_in",
]
