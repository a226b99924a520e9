"""Who sits where: sitting down by a link, handing a seat over, a substitute for some days, leaving.

A seat keeps everything that is its own (its lines, its talks, its number for the dice, its standing answers) whoever
sits on it, so that it can be left and taken again without losing anything.
"""

from __future__ import annotations

import secrets
from typing import Any, Final, Literal

import msgspec
import sqlalchemy as sa
from msgspec.structs import replace
from sqlalchemy.engine import Connection

from foedus.table.live import Draft, Operation, Seat, TableState, digest
from foedus.table.store import schema as s
from foedus.table.store.engine import Store

What = Literal["seat", "substitute", "host"]
MOST_OPEN: Final = 40
"""How many invitations of one table may be open."""
MAX_DAYS: Final = 366
_DAY: Final = 86_400.0


class NoSuchInvitation(LookupError):
    """There is no invitation of that token."""


class Invitation(msgspec.Struct, frozen=True):
    """An invitation by link: to sit on a seat, to be a substitute on it for some days, or to be the host."""

    key: str
    table: str
    what: What
    seat: str
    days: int | None
    by: int
    created: float
    expires: float
    used_by: int | None = None
    used: float | None = None

    @property
    def id(self) -> str:
        """By which it is named in lists; it does not open anything."""
        return self.key[:16]


def _seat(draft: Draft, name: str) -> Seat:
    told = draft.seats.get(name)
    if told is None:
        raise TableState("no_such_seat", seat=name)
    return told


def take(seat: str, person: int) -> Operation[None]:
    """Somebody sits down on a vacant seat."""

    def operation(draft: Draft) -> None:
        told = _seat(draft, seat)
        if told.holder is not None:
            raise TableState("seat_taken", seat=seat)
        _sit_down(draft, told, person, "taken")

    return operation


def _sit_down(draft: Draft, told: Seat, person: int, how: str) -> None:
    draft.sit(replace(told, holder=person, substitute=None, substitute_until=None, since=draft.now))
    draft.tell_all({"what": "seat", "seat": told.name, "how": how})


def leave(seat: str) -> Operation[None]:
    """A seat becomes vacant; everything that is its own stays with it."""

    def operation(draft: Draft) -> None:
        told = _seat(draft, seat)
        if told.holder is None:
            raise TableState("seat_vacant", seat=seat)
        draft.sit(replace(told, holder=None, substitute=None, substitute_until=None, since=None))
        draft.tell_all({"what": "seat", "seat": seat, "how": "vacated"})

    return operation


def end_substitute(seat: str) -> Operation[None]:
    """The substitute of a seat leaves it; its holder acts for it again."""

    def operation(draft: Draft) -> None:
        told = _seat(draft, seat)
        if told.substitute is None:
            raise TableState("no_substitute", seat=seat)
        draft.sit(replace(told, substitute=None, substitute_until=None))
        draft.tell_all({"what": "seat", "seat": seat, "how": "back"})

    return operation


# invitations


def invite(what: What, seat: str, by: int, *, days: int | None = None, valid: int = 14) -> tuple[str, Operation[str]]:
    """An invitation, good for `valid` days: its token, which stands in the link and is kept nowhere, and the operation
    that makes it, which gives its id. The host invites to vacant seats, a holder to his own; `days` are those of a
    substitute."""
    token = secrets.token_urlsafe(24)
    key = digest(token)

    def operation(draft: Draft) -> str:
        if what != "host":
            told = _seat(draft, seat)
            if what == "seat" and told.holder not in (None, by):
                raise TableState("seat_taken", seat=seat)
            if what == "substitute" and told.holder is None:
                raise TableState("seat_vacant", seat=seat)
        made = Invitation(
            key,
            draft.info.id,
            what,
            "" if what == "host" else seat,
            days if what == "substitute" else None,
            by,
            draft.now,
            draft.now + valid * _DAY,
        )

        def work(connection: Connection) -> None:
            of = s.invitations.c
            open_ = sa.select(sa.func.count()).where(
                of.table == made.table, of.used.is_(None), of.expires > made.created
            )
            if connection.execute(open_).scalar_one() >= MOST_OPEN:
                raise TableState("too_many_invitations", most=MOST_OPEN)
            connection.execute(sa.insert(s.invitations).values(**msgspec.to_builtins(made)))

        draft.also(work)
        return made.id

    return token, operation


async def find(store: Store, token: str) -> Invitation:
    """The invitation of a token, used or not. Raises `NoSuchInvitation` if there is none."""
    key = digest(token)

    def work(connection: Connection) -> Any:
        return connection.execute(sa.select(s.invitations).where(s.invitations.c.key == key)).mappings().first()

    row = await store.read(work)
    if row is None:
        raise NoSuchInvitation
    return Invitation(**row)


async def open_invitations(store: Store, table: str, now: float) -> list[Invitation]:
    """The invitations of a table that can still be used, the oldest first."""
    of = s.invitations.c
    query = sa.select(s.invitations).where(of.table == table, of.used.is_(None), of.expires > now).order_by(of.created)
    rows = await store.read(lambda connection: connection.execute(query).mappings().all())
    return [Invitation(**row) for row in rows]


def revoke(id: str, by: int) -> Operation[None]:
    """An invitation is void from now on: whoever made it says so, or the host."""

    def operation(draft: Draft) -> None:
        host = draft.info.host == by

        def work(connection: Connection) -> None:
            of = s.invitations.c
            gone = sa.delete(s.invitations).where(
                of.table == draft.info.id, of.used.is_(None), of.key.startswith(id, autoescape=True)
            )
            if len(id) != 16 or not connection.execute(gone if host else gone.where(of.by == by)).rowcount:
                raise TableState("no_such_invitation")

        draft.also(work)

    return operation


def accept(invitation: Invitation, person: int) -> Operation[None]:
    """Somebody follows an invitation, which dies of it. Raises `TableState`: `invitation_over` if it is used, too old,
    or whoever made it could not make it any more."""

    def operation(draft: Draft) -> None:
        by = invitation.by
        hosts = draft.info.host == by
        if invitation.used is not None or draft.now >= invitation.expires:
            raise TableState("invitation_over")
        if invitation.what == "host":
            if not hosts:
                raise TableState("invitation_over")
            draft.describe(host=person)
            draft.tell_all({"what": "host"})
        else:
            _accept_seat(draft, invitation, person)
        draft.also(_used(invitation.key, person, draft.now))

    return operation


def _accept_seat(draft: Draft, invitation: Invitation, person: int) -> None:
    told = _seat(draft, invitation.seat)
    hosts = draft.info.host == invitation.by
    if told.holder == person:
        raise TableState("seat_yours", seat=told.name)
    if invitation.what == "substitute":
        if told.holder is None or not (hosts or told.holder == invitation.by):
            raise TableState("invitation_over")
        until = None if invitation.days is None else draft.now + invitation.days * _DAY
        draft.sit(replace(told, substitute=person, substitute_until=until))
        draft.tell_all({"what": "seat", "seat": told.name, "how": "substitute", "until": until})
    elif told.holder is None:
        if not hosts:
            raise TableState("invitation_over")
        _sit_down(draft, told, person, "taken")
    else:
        if told.holder != invitation.by:
            raise TableState("seat_taken", seat=told.name) if hosts else TableState("invitation_over")
        _sit_down(draft, told, person, "handed")


def _used(key: str, person: int, now: float) -> Any:
    def work(connection: Connection) -> None:
        of = s.invitations.c
        found = connection.execute(
            sa.update(s.invitations).where(of.key == key, of.used.is_(None)).values(used_by=person, used=now)
        )
        if found.rowcount != 1:
            raise TableState("invitation_over")

    return work


__all__ = [
    "MAX_DAYS",
    "Invitation",
    "NoSuchInvitation",
    "What",
    "accept",
    "end_substitute",
    "find",
    "invite",
    "leave",
    "open_invitations",
    "revoke",
    "take",
]
