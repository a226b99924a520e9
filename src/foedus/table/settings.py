"""How a table is run: what its host settles when it is made, and may change; all at the table see it."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

Consent = Literal["consent", "host", "anyone"]
AtEnd = Literal["remind", "pass", "standing", "host"]
Seconds = Annotated[int, msgspec.Meta(ge=1, le=366 * 86_400)]


class TalkSettings(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """The house rule on secret talks. `secret` counts where the game has no ruling `secret_talks` of its own.

    Where they are limited: for so many `minutes` of each segment, and so many `messages` of each seat in it; none is
    no limit.
    """

    secret: Literal["allowed", "limited", "forbidden"] = "allowed"
    minutes: Annotated[int, msgspec.Meta(ge=1, le=100_000)] | None = None
    messages: Annotated[int, msgspec.Meta(ge=0, le=100_000)] | None = None


class ClockSettings(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """Deadlines, in seconds: for each decision, each phase, each segment of negotiations; none is no deadline.

    `at_end`: what happens then. `warn`: so many seconds before it whoever is awaited is reminded.
    """

    decision: Seconds | None = None
    phase: Seconds | None = None
    segment: Seconds | None = None
    at_end: AtEnd = "remind"
    warn: Seconds | None = None

    @property
    def any(self) -> bool:
        """Is there any deadline?"""
        return bool(self.decision or self.phase or self.segment)


class TableSettings(msgspec.Struct, forbid_unknown_fields=True):
    """How a table is run; all see it.

    `corrections`: who may say how things stand, overrule the referee and take back what others did; `rulings`: who may
    settle a ruling anew. All seats by consent, the host, or (in a ledger, where it is usual) anyone at the table.
    """

    spectators: bool = False
    corrections: Consent | None = None
    rulings: Consent | None = None
    talks: TalkSettings = msgspec.field(default_factory=TalkSettings)
    clocks: ClockSettings = msgspec.field(default_factory=ClockSettings)


__all__ = ["AtEnd", "ClockSettings", "Consent", "TableSettings", "TalkSettings"]
