"""People and their sessions: a name, a password, and what a browser shows to be known again.

Passwords are kept as argon2 hashes; of a session only a fingerprint of its token is kept.
"""

from __future__ import annotations

import asyncio
import secrets
import time
import unicodedata
from collections import OrderedDict
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, Final

import msgspec
import sqlalchemy as sa
from sqlalchemy.engine import Connection
from sqlalchemy.exc import IntegrityError

from foedus.table.live import digest
from foedus.table.store import schema as s
from foedus.table.store.engine import Store

SESSION_DAYS: Final = 60
MIN_PASSWORD: Final = 8
MAX_PASSWORD: Final = 200
MAX_NAME: Final = 40
_MOST_FAILURES: Final = 10
_FAILURES_IN: Final = 900.0
"""So many wrong passwords for a name from one place in so many seconds, and no more are looked at for a while."""
_REMEMBER: Final = 2.0
"""For so many seconds a session is not looked up again."""


class Person(msgspec.Struct, frozen=True):
    """Somebody with an account."""

    id: int
    name: str
    language: str = "en"


class TooManyTries(Exception):
    """Too many wrong passwords."""


class PersonError(ValueError):
    """What is wrong with a name or a password; `code` names it, `field` says where."""

    def __init__(self, code: str, field: str, **facts: Any) -> None:
        self.code, self.field, self.facts = code, field, facts
        super().__init__(code)


def tidy_name(name: str) -> str:
    """A name as it is kept. Raises `PersonError` for one that would not be shown well, or misleads."""
    name = " ".join(unicodedata.normalize("NFC", name).split())
    if not 1 <= len(name) <= MAX_NAME:
        raise PersonError("name_length", "name", most=MAX_NAME)
    if any(unicodedata.category(one) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp") for one in name):
        raise PersonError("name_signs", "name")
    return name


def key_of_name(name: str) -> str:
    """How names are compared."""
    return unicodedata.normalize("NFKC", name).casefold()


def _check_password(password: str) -> None:
    if not MIN_PASSWORD <= len(password) <= MAX_PASSWORD:
        raise PersonError("password_length", "password", least=MIN_PASSWORD, most=MAX_PASSWORD)


@cache
def _hasher() -> Any:
    from argon2 import PasswordHasher

    return PasswordHasher()


class People:
    """The people of a server."""

    def __init__(self, store: Store, clock: Callable[[], float] = time.time) -> None:
        self.store = store
        self.clock = clock
        self._known: OrderedDict[str, tuple[float, Person | None]] = OrderedDict()
        self._failures: OrderedDict[tuple[str, str], list[float]] = OrderedDict()

    async def sign_up(self, name: str, password: str, language: str = "en") -> Person:
        """A new person. Raises `PersonError`."""
        name = tidy_name(name)
        _check_password(password)
        hashed = await asyncio.to_thread(_hasher().hash, password)
        now = self.clock()

        def work(connection: Connection) -> int:
            row = connection.execute(
                sa.insert(s.people).values(
                    name=name, key=key_of_name(name), password=hashed, language=language, created=now, settings={}
                )
            )
            key = row.inserted_primary_key
            assert key is not None
            return int(key[0])

        try:
            return Person(await self.store.write(work), name, language)
        except IntegrityError as error:
            raise PersonError("name_taken", "name") from error

    async def check(self, name: str, password: str, place: str = "") -> Person:
        """The person of that name and password. `place` is the address it is asked from.

        Raises `PersonError` (which of the two is wrong is not said) and `TooManyTries`.
        """
        from argon2.exceptions import InvalidHashError, VerificationError

        of, key = s.people.c, key_of_name(" ".join(name.split()))
        failures = self._failed(key, place)

        def work(connection: Connection) -> Any:
            return connection.execute(sa.select(of.id, of.name, of.language, of.password).where(of.key == key)).first()

        row = await self.store.read(work)
        hashed = row.password if row is not None else await asyncio.to_thread(_nobody)
        try:
            await asyncio.to_thread(_hasher().verify, hashed, password[: MAX_PASSWORD + 1])
        except (VerificationError, InvalidHashError) as error:
            raise PersonError("wrong_password", "password") from error
        if row is None:
            raise PersonError("wrong_password", "password")
        failures.clear()
        return Person(row.id, row.name, row.language)

    def _failed(self, key: str, place: str) -> list[float]:
        """When passwords for a name came from a place, this one among them, since the last that was right. Raises
        `TooManyTries`."""
        since = self.clock() - _FAILURES_IN
        failures = self._failures.setdefault((key, place), [])
        self._failures.move_to_end((key, place))
        while len(self._failures) > 10_000:
            self._failures.popitem(last=False)
        failures[:] = [one for one in failures if one > since]
        if len(failures) >= _MOST_FAILURES:
            raise TooManyTries
        failures.append(self.clock())  # many may be looked at at once
        return failures

    async def change_password(self, person: Person, old: str, new: str, place: str = "") -> None:
        """A new password for who knows the old one; every session ends. Raises `PersonError`, `TooManyTries`."""
        _check_password(new)
        await self.check(person.name, old, place)
        hashed = await asyncio.to_thread(_hasher().hash, new)

        def work(connection: Connection) -> None:
            connection.execute(sa.update(s.people).where(s.people.c.id == person.id).values(password=hashed))
            connection.execute(sa.delete(s.sessions).where(s.sessions.c.person == person.id))

        await self.store.write(work)
        self._forget(person.id)

    async def set_language(self, person: int, language: str) -> None:
        """The language in which a person is written to."""
        query = sa.update(s.people).where(s.people.c.id == person).values(language=language)
        await self.store.write(lambda connection: connection.execute(query))
        self._forget(person)

    async def close_sessions(self, person: int) -> None:
        """Every session of a person ends."""
        query = sa.delete(s.sessions).where(s.sessions.c.person == person)
        await self.store.write(lambda connection: connection.execute(query))
        self._forget(person)

    def _forget(self, person: int) -> None:
        for key in [key for key, (_, one) in self._known.items() if one is not None and one.id == person]:
            del self._known[key]

    async def open_session(self, person: int) -> str:
        """A new session; gives its token."""
        token, now = secrets.token_urlsafe(32), self.clock()
        values = {"key": digest(token), "person": person, "created": now, "expires": now + SESSION_DAYS * 86_400}

        def work(connection: Connection) -> None:
            connection.execute(sa.delete(s.sessions).where(s.sessions.c.expires <= now))
            connection.execute(sa.insert(s.sessions).values(**values))

        await self.store.write(work)
        return token

    async def close_session(self, token: str) -> None:
        """The session ends."""
        key = digest(token)
        await self.store.write(lambda c: c.execute(sa.delete(s.sessions).where(s.sessions.c.key == key)))
        self._known.pop(key, None)

    async def of_session(self, token: str) -> Person | None:
        """Whose session it is; None if it is none, or over."""
        key, now = digest(token), self.clock()
        known = self._known.get(key)
        if known is not None and now - known[0] < _REMEMBER:
            return known[1]
        of, whose = s.people.c, s.sessions.c

        def work(connection: Connection) -> Any:
            return connection.execute(
                sa.select(of.id, of.name, of.language)
                .join_from(s.sessions, s.people)
                .where(whose.key == key, whose.expires > now)
            ).first()

        row = await self.store.read(work)
        person = Person(*row) if row is not None else None
        self._known[key] = (now, person)
        while len(self._known) > 10_000:
            self._known.popitem(last=False)
        return person

    async def names(self, people: Iterable[int | None]) -> dict[int, str]:
        """The names of people by id."""
        wanted = {one for one in people if one is not None}
        if not wanted:
            return {}
        of = s.people.c
        query = sa.select(of.id, of.name).where(of.id.in_(wanted))
        return {row.id: row.name for row in await self.store.read(lambda c: c.execute(query).all())}


@cache
def _nobody() -> str:
    """A hash that takes as long to check as anybody's."""
    return str(_hasher().hash(secrets.token_urlsafe(16)))


__all__ = [
    "MAX_NAME",
    "MAX_PASSWORD",
    "MIN_PASSWORD",
    "People",
    "Person",
    "PersonError",
    "TooManyTries",
    "key_of_name",
    "tidy_name",
]
