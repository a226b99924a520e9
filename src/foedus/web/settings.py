"""How a server is run."""

from __future__ import annotations

import os
from typing import Final

import msgspec

ENVIRONMENT: Final = "FOEDUS_SETTINGS"
"""Where `foedus serve` leaves the settings for its workers."""


class Settings(msgspec.Struct, frozen=True):
    """The settings of a server.

    `db`: the address of the database, or the path of an SQLite file. `url`: how people reach the site from outside, if
    a proxy stands before it; with https cookies are only sent by https. `rate`: how many writes a minute one visitor
    may make (0: any number). `max_body`: bytes of one request. `logs`: lines of JSON, or for people. `tick`: every so
    many seconds deadlines and notices are looked at (0: never). `notices`: the kinds of addresses (of apprise) to which
    people may have notices sent; those here reach one service each, others may reach whatever the server reaches.
    """

    db: str = "foedus.db"
    url: str = ""
    rate: int = 600
    max_body: int = 512_000
    logs: str = "json"
    heartbeat: float = 15.0
    metrics: bool = True
    tick: float = 1.0
    notices: tuple[str, ...] = ("discord", "tgram", "slack", "pover", "pbul", "prowl")

    @property
    def secure(self) -> bool:
        """Is the site reached by https?"""
        return self.url.startswith("https:")


def to_environment(settings: Settings) -> None:
    """Leave the settings for the workers that are started."""
    os.environ[ENVIRONMENT] = msgspec.json.encode(settings).decode()


def from_environment() -> Settings:
    """The settings that were left, else the usual ones."""
    told = os.environ.get(ENVIRONMENT)
    return msgspec.json.decode(told, type=Settings) if told else Settings()


__all__ = ["Settings", "from_environment", "to_environment"]
