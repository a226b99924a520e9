"""Talks: words between seats, which are never events of the game.

A channel is the set of its seats, so it needs no number that would show how many others there are; 0 is the whole
table, and all may listen to it. What is said reaches the seats of the channel as lines of their own streams, and
nobody else by anything at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal

import msgspec
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from foedus.kernel.attable import Stage
from foedus.table.hosting import settings_of
from foedus.table.live import OVER, WAITING, Draft, LiveTable, Operation, TableState, read_header
from foedus.table.settings import TableSettings, TalkSettings
from foedus.table.store import schema as s
from foedus.table.tables import must_act
from foedus.table.telling import SPECTATOR

TABLE: Final = 0
"""The channel of the whole table."""
MAX_TEXT: Final = 2_000
RULING: Final = "secret_talks"

Rule = Literal["allowed", "limited", "forbidden"]


class _Kept(msgspec.Struct, frozen=True):
    """What is kept beside the head of a table: how much was said in each open channel; and of the segment under way
    what it is, when it began and how many secret messages each seat has said in it."""

    said: dict[str, int] = msgspec.field(default_factory=dict)
    segment: list[int] = msgspec.field(default_factory=list)
    since: float = 0.0
    used: dict[str, int] = msgspec.field(default_factory=dict)


class Allowed(msgspec.Struct, frozen=True):
    """What the house rule says to a seat now: `now` whether it may talk secretly; `why` not; `until` when its time
    ends, and how many messages are `left`, where that is limited."""

    rule: Rule
    now: bool
    why: str = ""
    until: float | None = None
    left: int | None = None


def _kept(holder: LiveTable | Draft) -> _Kept:
    return msgspec.convert(holder.beside.get("talks", {}), _Kept)


def _keep(draft: Draft, kept: _Kept) -> None:
    draft.put_beside(talks=msgspec.to_builtins(kept))


def channel_of(live: LiveTable, seats: Sequence[str]) -> int:
    """The channel of some seats. Raises `TableState` for no such seat."""
    found = 0
    for name in seats:
        index = live.seat_index(name)
        if index is None:
            raise TableState("no_such_seat", seat=name)
        found |= 1 << index
    return found


def members(live: LiveTable, channel: int) -> list[str]:
    """The seats of a channel; of the whole table all."""
    seats = {name: index for name, index in live.teller.viewers.items() if index is not None}
    return [name for name, index in seats.items() if channel == TABLE or channel >> index & 1]


def rule_of(live: LiveTable | Draft, settings: TalkSettings) -> Rule:
    """The house rule on secret talks: the game's ruling, else the table's setting."""
    book = live.referee.game.rulebook
    if RULING not in book.ruling_index:
        return settings.secret
    ruling = book.ruling(RULING)
    if live.info.status == WAITING or live.journal is None:
        told = read_header(live.info.header).rulings.get(RULING, ruling.default)
    else:
        told = ruling.options[live.journal.state.rulings[book.ruling_index[RULING]]]
    rule: Rule = msgspec.convert(told, Rule)
    return rule


def stage_of(live: LiveTable | Draft) -> Stage | None:
    """How far the turn has come, if the game says so."""
    at_table = live.referee.game.at_table
    if at_table is None or live.journal is None or live.info.status == WAITING:
        return None
    return at_table.stage(live.journal.state)


def allowed(live: LiveTable | Draft, seat: str, now: float) -> Allowed:
    """May the seat talk secretly now?"""
    settings = msgspec.convert(live.info.settings, TableSettings).talks
    rule = rule_of(live, settings)
    if rule == "forbidden":
        return Allowed(rule, False, "talks_forbidden")
    if live.info.status == OVER:
        return Allowed(rule, True)
    stage = stage_of(live)
    if stage is not None and not stage.apart:
        return Allowed(rule, False, "talks_not_now")
    if rule == "allowed":
        return Allowed(rule, True)
    if stage is not None and stage.negotiating is False:
        return Allowed(rule, False, "talks_not_now")
    kept = _kept(live)
    same = stage is None or list(stage.segment) == kept.segment
    until = left = None
    if settings.minutes is not None and stage is not None:
        until = (kept.since if same else now) + 60.0 * settings.minutes
    if settings.messages is not None:
        left = max(0, settings.messages - (kept.used.get(seat, 0) if same else 0))
    if until is not None and now >= until:
        return Allowed(rule, False, "talks_time_over", until, left)
    if left == 0:
        return Allowed(rule, False, "talks_used_up", until, left)
    return Allowed(rule, True, "", until, left)


def keep_segment(draft: Draft) -> None:
    """A keeper: when another segment begins, note when, and count anew what is said in it."""
    if not draft.info.settings.get("talks"):
        return
    stage = stage_of(draft)
    kept = _kept(draft)
    if stage is not None and list(stage.segment) != kept.segment and settings_of(draft).talks != TalkSettings():
        _keep(draft, msgspec.structs.replace(kept, segment=list(stage.segment), since=draft.now, used={}))


def may_talk(draft: Draft, seat: str) -> None:
    """Raise `TableState` unless the seat may talk secretly now."""
    found = allowed(draft, seat, draft.now)
    if not found.now:
        raise TableState(found.why)


def open_channel(seat: str, person: int, others: Sequence[str]) -> Operation[dict[str, Any]]:
    """A seat opens a channel with others; if it is open already nothing happens. Raises `TableState`."""

    def operation(draft: Draft) -> dict[str, Any]:
        must_act(draft, seat, person)
        channel = channel_of(draft.live, [seat, *others])
        seats = members(draft.live, channel)
        if len(seats) < 2:
            raise TableState("talks_alone")
        found = {"channel": channel, "seats": seats}
        kept = _kept(draft)
        if str(channel) in kept.said:
            return found
        may_talk(draft, seat)
        _keep(draft, msgspec.structs.replace(kept, said={**kept.said, str(channel): 0}))
        draft.tell(seats, {"what": "channel", **found, "by": seat})
        return found

    return operation


def say(seat: str, person: int, channel: int, text: str) -> Operation[dict[str, Any]]:
    """A seat says something in a channel; gives the number of the message there. Raises `TableState`."""

    def operation(draft: Draft) -> dict[str, Any]:
        must_act(draft, seat, person)
        words = text.strip()
        if not words:
            raise TableState("talks_nothing")
        kept = _kept(draft)
        used = kept.used
        if channel == TABLE:
            listening: Sequence[str] = draft.live.viewers
        else:
            listening = listening_to(draft.live, kept, channel, seat)
            may_talk(draft, seat)
            used = {**used, seat: used.get(seat, 0) + 1}
        number = kept.said.get(str(channel), 0) + 1
        _keep(draft, msgspec.structs.replace(kept, said={**kept.said, str(channel): number}, used=used))
        draft.tell(listening, {"what": "talk", "channel": channel, "number": number, "seat": seat, "text": words})
        row = {"table": draft.info.id, "channel": channel, "number": number, "seat": seat, "time": draft.now}
        draft.insert(s.messages, {**row, "text": words})
        return {"channel": channel, "number": number, "n": draft.heads[seat]}

    return operation


def listening_to(live: LiveTable, kept: _Kept, channel: int, seat: str) -> list[str]:
    """The seats of a channel that is open and one's own. Raises `TableState`: of others nothing is said, not even
    whether they are open."""
    index = live.seat_index(seat)
    if str(channel) not in kept.said or index is None or channel < 0 or not channel >> index & 1:
        raise TableState("no_such_channel")
    return members(live, channel)


def mark_read(seat: str, person: int, channel: int, number: int) -> Operation[dict[str, Any]]:
    """A seat has read a channel up to a message. Only that seat is ever told so."""

    def operation(draft: Draft) -> dict[str, Any]:
        must_act(draft, seat, person)
        kept = _kept(draft)
        if channel != TABLE:
            listening_to(draft.live, kept, channel, seat)
        found = min(number, kept.said.get(str(channel), 0))
        table = draft.info.id

        def work(connection: Connection) -> None:
            of = s.read_marks.c
            here = (of.table == table, of.channel == channel, of.seat == seat)
            before = connection.execute(sa.select(of.number).where(*here)).scalar()
            if before is None:
                row = {"table": table, "channel": channel, "seat": seat, "number": found}
                connection.execute(sa.insert(s.read_marks).values(row))
            elif before < found:
                connection.execute(sa.update(s.read_marks).where(*here).values(number=found))

        draft.also(work)
        return {"channel": channel, "read": found}

    return operation


async def channels(live: LiveTable, viewer: str, now: float) -> dict[str, Any]:
    """The channels of a viewer, with how much was said and read, and what the house rule says to it."""
    kept = _kept(live)
    index = live.seat_index(viewer)
    if index is None:
        own = [TABLE]
    else:
        own = [TABLE, *sorted(one for one in map(int, kept.said) if one != TABLE and one >> index & 1)]
    of = s.read_marks.c
    query = sa.select(of.channel, of.number).where(of.table == live.id, of.seat == viewer)
    read: dict[int, int] = {}
    if viewer != SPECTATOR:
        read = await live.store.read(lambda c: {row.channel: row.number for row in c.execute(query)})
    found: dict[str, Any] = {
        "channels": [
            {
                "channel": one,
                "seats": members(live, one),
                "said": kept.said.get(str(one), 0),
                "read": read.get(one, 0),
            }
            for one in own
        ]
    }
    if viewer != SPECTATOR:
        found["secret"] = msgspec.to_builtins(allowed(live, viewer, now))
    return found


async def messages(live: LiveTable, viewer: str, channel: int, before: int | None, most: int) -> list[dict[str, Any]]:
    """The last messages of a channel before the number `before`, the oldest first. Raises `TableState`."""
    if channel != TABLE:
        listening_to(live, _kept(live), channel, viewer)
    of = s.messages.c
    query = sa.select(of.number, of.seat, of.time, of.text).where(of.table == live.id, of.channel == channel)
    if before is not None:
        query = query.where(of.number < before)
    query = query.order_by(of.number.desc()).limit(most)
    rows = await live.store.read(lambda connection: connection.execute(query).mappings().all())
    return [dict(row) for row in reversed(rows)]


__all__ = [
    "MAX_TEXT",
    "TABLE",
    "Allowed",
    "allowed",
    "channel_of",
    "channels",
    "keep_segment",
    "mark_read",
    "members",
    "messages",
    "open_channel",
    "rule_of",
    "say",
    "stage_of",
]
