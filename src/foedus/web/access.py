"""Who may do what: decided here and nowhere else.

A person stands to a table in some of these ways: stranger, spectator (the table lets anybody watch), host, holder of a
seat, substitute on a seat. What a table hides from somebody looks as if it were not there.
"""

from __future__ import annotations

from enum import Enum

from foedus.table.live import LiveTable, NoSuchTable
from foedus.table.telling import SPECTATOR


class Forbidden(Exception):
    """The person may not do that; `code` says why."""

    def __init__(self, code: str) -> None:
        self.code = code
        super().__init__(code)


class Act(Enum):
    """What may be asked of a table."""

    KNOW = "know"
    """that it is there, what it is, who sits where"""
    WATCH = "watch"
    """the view and the lines of spectators"""
    LOOK = "look"
    """the view, the lines and the talks of a seat"""
    PLAY = "play"
    """commands and words in the name of a seat"""
    KEEP = "keep"
    """who shall sit on a seat: its holder and the host"""
    STEP_BACK = "step back"
    """ending the time of a substitute: its holder, the host, he himself"""
    HOST = "host"
    """what only the host does"""


def is_member(live: LiveTable, person: int | None) -> bool:
    """Does the person host the table or sit at it?"""
    if person is None:
        return False
    now = live.clock()
    return live.info.host == person or any(
        person in (seat.holder, seat.acting_for(now)) for seat in live.seats.values()
    )


def sees(live: LiveTable, person: int | None) -> bool:
    """May the person know of the table?"""
    return is_member(live, person) or bool(live.info.settings.get("spectators"))


def seats_for(live: LiveTable, person: int | None, act: Act) -> list[str]:
    """The seats with which the person may do that."""
    if person is None:
        return []
    now = live.clock()
    if act is Act.PLAY:
        return [name for name, seat in live.seats.items() if seat.acting_for(now) == person]
    return [name for name, seat in live.seats.items() if seat.holder == person or seat.acting_for(now) == person]


def allow(live: LiveTable, person: int | None, act: Act, seat: str = SPECTATOR) -> None:
    """Return if the person may do that at the table (with that seat). Raises `NoSuchTable` for whom it is hidden from,
    `Forbidden` for whom it is not."""
    if not sees(live, person):
        raise NoSuchTable(live.id)
    if act in (Act.KNOW, Act.WATCH):
        return
    if act is Act.HOST:
        if person is None or live.info.host != person:
            raise Forbidden("host_only")
        return
    if seat not in live.seats:
        raise Forbidden("no_such_seat")
    if act in (Act.KEEP, Act.STEP_BACK):
        told = live.seats[seat]
        also = told.acting_for(live.clock()) if act is Act.STEP_BACK else None
        if person is None or person not in (told.holder, live.info.host, also):
            raise Forbidden("signed_out" if person is None else "not_your_seat")
        return
    if seat not in seats_for(live, person, act):
        raise Forbidden("signed_out" if person is None else "not_your_seat")


def viewer_for(live: LiveTable, person: int | None, told: str | None) -> str:
    """As whom the person looks at the table: as the seat that is named ("-": as a spectator), else as the first seat
    of its own, else as a spectator. Raises `NoSuchTable`, `Forbidden`."""
    if told is None:
        own = seats_for(live, person, Act.LOOK)
        told = own[0] if own else "-"
    if told == "-":
        allow(live, person, Act.WATCH)
        return SPECTATOR
    allow(live, person, Act.LOOK, told)
    return told


__all__ = ["Act", "Forbidden", "allow", "is_member", "seats_for", "sees", "viewer_for"]
