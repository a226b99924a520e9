"""Clocks: deadlines for each decision, each phase, each segment of negotiations.

What is measured is what everybody may know (who is awaited for what, by the view of a spectator), so a clock shows
nothing of what is done in secret. The clocks of a table stand beside its head and are written with whatever moves the
game; the store knows of each table when something is due next, so they go on after a restart.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, Literal

import msgspec
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from foedus.kernel.unknown import Unknown
from foedus.table import notices
from foedus.table.hosting import settings_of
from foedus.table.live import FULL, PLAYING, Draft, LiveTable, NoSuchTable, Operation, TableState, digest
from foedus.table.settings import AtEnd, ClockSettings
from foedus.table.standing import act_for
from foedus.table.store import schema as s
from foedus.table.store.engine import StoreDown
from foedus.table.tables import Tables
from foedus.table.talks import stage_of
from foedus.table.telling import SPECTATOR

DECISION, PHASE, SEGMENT = "decision", "phase", "segment"
_MOST_STEPS: Final = 64
"""So many commands are given at once for those who let a phase run out; then others have their turn."""
_AT_ONCE: Final = 100


class Clock(msgspec.Struct, frozen=True):
    """One clock. `of`: a fingerprint of what is measured. `due` is None while the host is to decide."""

    of: str
    seconds: int
    due: float | None
    warned: bool = False


Decide = Literal["pass", "standing", "extend"]


def clocks_of(holder: LiveTable | Draft) -> dict[str, Clock]:
    """The clocks of a table by name: `phase`, `segment`, `decision SEAT`."""
    return msgspec.convert(holder.beside.get("clocks", {}), dict[str, Clock])


def shown(live: LiveTable) -> list[dict[str, Any]]:
    """The clocks as everybody may see them."""
    found = []
    for name, clock in clocks_of(live).items():
        kind, _, seat = name.partition(" ")
        found.append({"clock": name, "what": kind, "seat": seat or None, "due": clock.due, "seconds": clock.seconds})
    return found


def awaited_by_all(live: LiveTable | Draft) -> dict[str, str]:
    """The seats of which everybody knows that they are awaited, with a fingerprint of for what."""
    journal = live.journal
    if journal is None:
        return {}
    referee = live.referee
    try:
        decisions = referee.awaiting(referee.view(journal.state, None))
    except Unknown:
        return {}
    found: dict[str, list[Any]] = {}
    for one in decisions:
        if one.seat >= 0:
            found.setdefault(str(referee.world.names["seat"][one.seat]), []).append(
                (one.power, one.what, one.clause, one.facts)
            )
    return {seat: digest(repr(what))[:12] for seat, what in found.items()}


def keep(draft: Draft) -> None:
    """A keeper: start the clocks of what is measured now and stop those of what is over."""
    before = clocks_of(draft)
    settings = settings_of(draft).clocks
    if not before and not settings.any:
        return
    now = _running(draft, before, settings) if settings.any else {}
    if now != before:
        _set(draft, now, settings)


def _running(draft: Draft, before: dict[str, Clock], settings: ClockSettings) -> dict[str, Clock]:
    if draft.info.status != PLAYING or draft.info.kind != FULL:
        return {}
    wanted: dict[str, tuple[str, int]] = {}
    anew: set[str] = set()
    if settings.decision is not None:
        awaited = awaited_by_all(draft)
        wanted.update({f"{DECISION} {seat}": (of, settings.decision) for seat, of in awaited.items()})
        names = draft.referee.world.names["seat"]
        public = _public(draft)
        # whoever has done something that all could see has a new decision before him, even if it is of the same kind
        anew = {f"{DECISION} {names[one.seat]}" for one in draft.happened if one.seat >= 0 and one.number in public}
    stage = stage_of(draft)
    if stage is not None:
        if settings.phase is not None:
            wanted[PHASE] = (repr(tuple(stage.phase)), settings.phase)
        if settings.segment is not None and stage.negotiating:
            wanted[SEGMENT] = (repr(tuple(stage.segment)), settings.segment)
    found = {}
    for name, (of, seconds) in wanted.items():
        old = before.get(name)
        if old is not None and (old.of, old.seconds) == (of, seconds) and name not in anew:
            found[name] = old
        else:
            found[name] = Clock(of, seconds, draft.now + seconds)
    return found


def _public(draft: Draft) -> set[int]:
    """The batches of the operation of which all were told."""
    found: set[int] = set()
    first = draft.happened[0].number if draft.happened else 0
    for viewer, _, batch, _ in reversed(draft.new_lines if draft.happened else ()):
        if batch is not None and batch < first:
            break
        if batch is not None and viewer == SPECTATOR:
            found.add(batch)
    return found


def _set(draft: Draft, clocks: dict[str, Clock], settings: ClockSettings) -> None:
    draft.put_beside(clocks=msgspec.to_builtins(clocks) or None)
    moments = [moment for clock in clocks.values() if (moment := _next(clock, settings)) is not None]
    table = draft.info.id

    def work(connection: Connection) -> None:
        connection.execute(sa.delete(s.clocks).where(s.clocks.c.table == table))
        if moments:
            connection.execute(sa.insert(s.clocks).values(table=table, due=min(moments)))

    draft.also(work)


def _next(clock: Clock, settings: ClockSettings) -> float | None:
    if clock.due is None:
        return None
    if settings.warn is not None and not clock.warned and settings.warn < clock.seconds:
        return clock.due - settings.warn
    return clock.due


# when the time is over


def strike(draft: Draft) -> bool:
    """An operation: do what is due. True if something more may be due now."""
    settings = settings_of(draft).clocks
    clocks = clocks_of(draft)
    for name, clock in clocks.items():
        moment = _next(clock, settings)
        if moment is None or moment > draft.now:
            continue
        if clock.due is not None and draft.now < clock.due:
            _set(draft, {**clocks, name: msgspec.structs.replace(clock, warned=True)}, settings)
            _remind(draft, name, "soon")
        else:
            _over(draft, name, clock, settings.at_end)
        return True
    return False


def _seats(draft: Draft, name: str) -> list[str]:
    kind, _, seat = name.partition(" ")
    return [seat] if kind == DECISION else list(awaited_by_all(draft))


def _remind(draft: Draft, name: str, state: str) -> None:
    draft.tell_all({"what": "clock", "clock": name, "state": state})
    notices.note(draft, ((notices.REMIND, seat) for seat in _seats(draft, name)))


def _over(draft: Draft, name: str, clock: Clock, at_end: AtEnd) -> None:
    if at_end == "remind":
        _change(draft, name, msgspec.structs.replace(clock, due=draft.now + clock.seconds, warned=False))
        _remind(draft, name, "over")
    elif at_end == "host" or not _answer_for(draft, name, clock, standing=at_end == "standing"):
        _change(draft, name, msgspec.structs.replace(clock, due=None))
        draft.tell_all({"what": "clock", "clock": name, "state": "host"})
        notices.note_host(draft)


def _change(draft: Draft, name: str, clock: Clock) -> None:
    _set(draft, {**clocks_of(draft), name: clock}, settings_of(draft).clocks)


def _answer_for(draft: Draft, name: str, clock: Clock, *, standing: bool) -> bool:
    """Answer for those who are awaited; False if nothing could be done for any of them."""
    if name.startswith(DECISION):
        return act_for(draft, _seats(draft, name)[0], standing=standing)
    done = False
    for _ in range(_MOST_STEPS):
        if draft.info.status != PLAYING or not _lasts(draft, name, clock):
            break
        if not any(act_for(draft, seat, standing=standing) for seat in _seats(draft, name)):
            break
        done = True
    return done


def _lasts(draft: Draft, name: str, clock: Clock) -> bool:
    """Is it still the phase, or the segment, that the clock measures?"""
    stage = stage_of(draft)
    if stage is None:
        return False
    if name == PHASE:
        return repr(tuple(stage.phase)) == clock.of
    return bool(stage.negotiating) and repr(tuple(stage.segment)) == clock.of


def decide(name: str, do: Decide, seconds: int | None = None) -> Operation[None]:
    """The host decides on a clock, at its end or before: more time, or the seats pass, or what they said beforehand is
    done. Raises `TableState`."""

    def operation(draft: Draft) -> None:
        draft.playing  # noqa: B018 - raises where nothing is played
        clock = clocks_of(draft).get(name)
        if clock is None:
            raise TableState("no_such_clock", clock=name)
        if do == "extend":
            due = draft.now + (seconds or clock.seconds)
            _change(draft, name, msgspec.structs.replace(clock, due=due, warned=False))
            draft.tell_all({"what": "clock", "clock": name, "state": "extended", "due": due})
        elif not _answer_for(draft, name, clock, standing=do == "standing"):
            raise TableState("nothing_to_pass")

    return operation


async def tick(tables: Tables) -> int:
    """Do whatever is due at any table; gives how many tables had something. With several workers each may call it."""
    now = tables.clock()
    query = sa.select(s.clocks.c.table).where(s.clocks.c.due <= now).order_by(s.clocks.c.due).limit(_AT_ONCE)
    found = await tables.store.read(lambda connection: list(connection.execute(query).scalars()))
    await _each(tables, found)
    return len(found)


async def _each(tables: Tables, ids: Iterable[str]) -> None:
    faults = []
    for id in ids:
        try:
            live = await tables.open(id)
            for _ in range(_AT_ONCE):
                if not await live.do(strike):
                    break
        except NoSuchTable:
            continue  # it went away meanwhile, and its clocks with it
        except StoreDown:
            raise
        except Exception as error:  # the clocks of the other tables go on
            faults.append(error)
    if faults:
        raise faults[0]


__all__ = ["Clock", "Decide", "awaited_by_all", "clocks_of", "decide", "keep", "shown", "strike", "tick"]
