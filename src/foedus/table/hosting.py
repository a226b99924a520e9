"""What the host of a table changes about it."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from foedus.table.live import WAITING, Draft, Operation, TableState
from foedus.table.settings import ClockSettings, TableSettings, TalkSettings
from foedus.table.tables import MAX_TITLE, holders, may_by_itself

_NOTHING: Final = msgspec.UNSET


class Change(msgspec.Struct, forbid_unknown_fields=True):
    """What a host may change; what is not named stays."""

    title: str | msgspec.UnsetType = _NOTHING
    spectators: bool | msgspec.UnsetType = _NOTHING
    talks: TalkSettings | msgspec.UnsetType = _NOTHING
    clocks: ClockSettings | msgspec.UnsetType = _NOTHING


def settings_of(draft: Draft) -> TableSettings:
    """The settings of a table, read."""
    return msgspec.convert(draft.info.settings, TableSettings)


def change(person: int, asked: Change) -> Operation[None]:
    """The host changes the title, whether anybody may watch, the house rule on talks, the clocks; all are told.

    How talks are limited is a ruling of the table: while it plays, whoever may settle rulings changes it. Raises
    `TableState`.
    """

    def operation(draft: Draft) -> None:
        told: dict[str, Any] = {}
        settings = dict(draft.info.settings)
        if asked.title is not _NOTHING:
            title = " ".join(str(asked.title).split())[:MAX_TITLE]
            if not title:
                raise TableState("no_title")
            if title != draft.info.title:
                draft.describe(title=title)
                told["title"] = title
        for name in ("spectators", "talks", "clocks"):
            value = getattr(asked, name)
            if value is _NOTHING:
                continue
            plain = msgspec.to_builtins(value)
            if plain == settings.get(name):
                continue
            if name == "talks" and draft.info.status != WAITING and set(holders(draft).values()) - {person}:
                may_by_itself(draft, person, "rulings")
            settings[name] = told[name] = plain
        if settings != draft.info.settings:
            draft.describe(settings=settings)
        if told:
            draft.tell_all({"what": "settings", **told})

    return operation


__all__ = ["Change", "change", "settings_of"]
