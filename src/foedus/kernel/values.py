"""The base types of everything that is written down: commands, events, frames, offers and states.

All are frozen msgspec structs of small integers and tuples. An integer that stands for something carries its
kind in an annotation, so that one generated codec can put names in its place (`foedus.kernel.codec`).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any

import msgspec
from msgspec import Meta


def kind_of(name: str) -> Meta:
    """The annotation of an integer that indexes the names of `name` ("power", "seat", "space" ...)."""
    return Meta(extra={"kind": name})


def mask_of(name: str) -> Meta:
    """The annotation of an integer that is a bit mask over the names of `name`."""
    return Meta(extra={"kind": name, "mask": True})


Power = Annotated[int, kind_of("power")]
Powers = Annotated[int, mask_of("power")]
Seat = Annotated[int, kind_of("seat")]
Seats = Annotated[int, mask_of("seat")]


@lru_cache(maxsize=1 << 14)
def bits(mask: int) -> tuple[int, ...]:
    """The indexes whose bits are set in `mask`, ascending. Raises `ValueError` for a mask that is unknown."""
    if mask < 0:
        raise ValueError("an unknown mask has no bits")
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return tuple(found)


class Command(msgspec.Struct, frozen=True, gc=False, tag=True):
    """What a seat wants to do. Names the power that acts; subclasses add the rest. Also serves as an act."""

    power: Power


class Act(msgspec.Struct, frozen=True, gc=False):
    """What the rules speak about where no command says just that; entailed by commands."""

    power: Power


class Frame(msgspec.Struct, frozen=True, gc=False, tag=True):
    """A step under way. Pushed and popped by events; what it awaits is told by its `Flow`."""


class Event(msgspec.Struct, frozen=True, gc=False, tag=True):
    """What has happened, effects and dice included, so that applying it needs no rules."""

    def apply(self, state: Any) -> Any:
        """The state after this event. Never judges, never rolls, never fails on a state it was made for."""
        return state


class Offer(msgspec.Struct, frozen=True, gc=False):
    """A proposal that waits beside the flow: who made it, to whom, its version and the moment that ends it.

    `expires` is the activation (or other counted moment) after which it is dead; the game says what it counts.
    """

    by: Power
    to: Power
    version: int
    expires: int


class Answer(msgspec.Struct, frozen=True, gc=False):
    """One sealed answer: for which power, by which seat, and the command; None where the reader may not see it."""

    power: Power
    seat: Seat
    command: Command | None
