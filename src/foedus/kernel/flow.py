"""The flow of a game as data: frames, what they await, and the kernel's own events."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Annotated, Any

import msgspec
from msgspec.structs import replace

from foedus.kernel.dice import Dice
from foedus.kernel.rules import Facts
from foedus.kernel.values import Answer, Command, Event, Frame, Power, Powers, Seat

Group = tuple[type, int, Iterable[Command]]
"""Candidates for a list of choices: commands of one type and one power."""


class Kept(msgspec.Struct, frozen=True, gc=False):
    """A part of a list of choices whose allowed commands hang on the world and on `key` alone.

    The referee keeps the last answer under `name` and takes it again while the key stays equal. `groups(*arguments)`
    are the candidates; `key` must hold all that they, their guards and the acts they entail read of the state. Only
    what refuses just the commands of `less` need not be in it: these are left out of the answer that is taken again.
    """

    name: Any
    key: tuple[Any, ...]
    groups: Callable[..., Iterable[Group]]
    arguments: tuple[Any, ...]
    less: tuple[Command, ...] = ()


class Decision(msgspec.Struct, frozen=True, gc=False):
    """What a frame awaits of one seat: for which power, and why this seat decides for it."""

    seat: Seat
    power: Power
    what: str
    clause: str = ""
    facts: Facts = ()


class SealedFrame(Frame, frozen=True, gc=False):
    """A frame whose answers stay sealed until all are in: one from each power of `asked`.

    What its flow lists as candidates are the answers; a command that is none of them answers what waits beside the
    flow. Views never show an answer that stands in a frame to another seat: once all are in, the game's own events
    tell what was answered.
    """

    asked: Powers
    answers: tuple[Answer, ...] = ()

    def missing(self) -> int:
        """The powers (mask) that have not answered yet."""
        mask = self.asked
        for answer in self.answers:
            mask &= ~(1 << answer.power)
        return mask


class FramePushed(Event, frozen=True, gc=False):
    """A step begins, above what was under way."""

    frame: Frame

    def apply(self, state: Any) -> Any:
        """Push the frame."""
        return replace(state, frames=(*state.frames, self.frame))


class FramePopped(Event, frozen=True, gc=False):
    """The topmost step is over."""

    def apply(self, state: Any) -> Any:
        """Pop the topmost frame."""
        return replace(state, frames=state.frames[:-1])


class FrameChanged(Event, frozen=True, gc=False):
    """The topmost step has gone on."""

    frame: Frame

    def apply(self, state: Any) -> Any:
        """Put the frame in the place of the topmost."""
        return replace(state, frames=(*state.frames[:-1], self.frame))


class Sealed(Event, frozen=True, gc=False):
    """A power has answered; what, only its seat knows until all have answered."""

    answer: Answer

    def apply(self, state: Any) -> Any:
        """Add the answer to the topmost frame."""
        frame = state.frames[-1]
        return replace(state, frames=(*state.frames[:-1], replace(frame, answers=(*frame.answers, self.answer))))


class Rolled(Event, frozen=True, gc=False):
    """Dice have fallen (or a pick was made: `sides` 0, `count` the number of things picked from)."""

    purpose: str
    counter: int
    sides: int
    count: int
    result: tuple[int, ...]
    told: bool = False


class RulingChanged(Event, frozen=True, gc=False):
    """The table settles a point anew: the indexes of the ruling and of its option."""

    ruling: int
    option: int

    def apply(self, state: Any) -> Any:
        """Put the option in its place."""
        rulings = list(state.rulings)
        rulings[self.ruling] = self.option
        return replace(state, rulings=tuple(rulings))


Changes = Annotated[tuple[tuple[str, int, Any], ...], msgspec.Meta(extra={"changes": True})]
"""Changes of a state: (field, index within it or -1 for all of it, value)."""


class Corrected(Event, frozen=True, gc=False):
    """The table says how things stand, or takes back what was done: all after the batch `back`, or the batches
    `dropped` alone, out of the midst of others.

    `line` is what was typed; the changes are the effect.
    """

    line: str
    changes: Changes
    back: int = -1
    dropped: tuple[int, ...] = ()

    def apply(self, state: Any) -> Any:
        """Put the values in their places."""
        found: dict[str, Any] = {}
        for name, index, value in self.changes:
            if index < 0:
                found[name] = value
            else:
                held = found.get(name, getattr(state, name))
                found[name] = (*held[:index], value, *held[index + 1 :])
        return replace(state, **found)


def differences(before: Any, after: Any) -> tuple[tuple[str, int, Any], ...]:
    """What changes one state into another of the same game; single places where few of a tuple differ."""
    found: list[tuple[str, int, Any]] = []
    for name in type(before).__struct_fields__:
        old, new = getattr(before, name), getattr(after, name)
        if old is new or old == new:
            continue
        if isinstance(old, tuple) and isinstance(new, tuple) and len(old) == len(new) and name != "frames":
            places = [i for i, pair in enumerate(zip(old, new, strict=True)) if pair[0] != pair[1]]
            if 3 * len(places) <= len(old) + 3:
                found += [(name, i, new[i]) for i in places]
                continue
        found.append((name, -1, new))
    return tuple(found)


def veil(frame: Frame, seat: int | None) -> Frame:
    """The frame as a seat (None: a spectator) may see it: the sealed answers of other seats without their commands."""
    if not isinstance(frame, SealedFrame) or not frame.answers:
        return frame
    answers = tuple([one if one.seat == seat else replace(one, command=None) for one in frame.answers])
    return replace(frame, answers=answers)


def veil_event(event: Event, seat: int | None) -> Event:
    """The event as a seat may see it: no sealed answer of another seat in it."""
    if isinstance(event, Sealed) and event.answer.seat != seat:
        return Sealed(replace(event.answer, command=None))
    if isinstance(event, (FramePushed, FrameChanged)) and isinstance(event.frame, SealedFrame):
        return replace(event, frame=veil(event.frame, seat))
    return event


KERNEL_EVENTS = (FramePushed, FramePopped, FrameChanged, Sealed, Rolled, RulingChanged, Corrected)


class Action:
    """One act being carried out: the state so far, the events so far, and the dice."""

    __slots__ = ("dice", "events", "state")

    def __init__(self, state: Any, dice: Dice) -> None:
        self.state = state
        self.dice = dice
        self.events: list[Event] = []

    def emit(self, event: Event) -> None:
        """The event happens: it is written down and applied."""
        self.state = event.apply(self.state)
        self.events.append(event)

    def push(self, frame: Frame) -> None:
        """A step begins."""
        self.emit(FramePushed(frame))

    def pop(self) -> None:
        """The topmost step ends."""
        self.emit(FramePopped())

    def change(self, **changes: Any) -> None:
        """The topmost step goes on, with these fields changed."""
        self.emit(FrameChanged(replace(self.state.frames[-1], **changes)))

    def roll(self, purpose: str, count: int, sides: int = 6) -> tuple[int, ...]:
        """Roll dice for a purpose; raises `NeedDice` where nothing may be rolled."""
        counter = self.dice.counter
        result = self.dice.roll(purpose, count, sides)
        self.emit(Rolled(purpose, counter, sides, count, result, self.dice.told))
        return result

    def pick(self, purpose: str, count: int) -> int:
        """Pick one of `count` things; raises `NeedDice` where nothing may be picked."""
        counter = self.dice.counter
        result = self.dice.pick(purpose, count)
        self.emit(Rolled(purpose, counter, 0, count, (result,), self.dice.told))
        return result


Handler = Callable[[Action, Any], None]


@dataclass(frozen=True)
class Carries:
    """How a command is carried out; found by the game in its chapters."""

    command: type
    function: Handler

    def __call__(self, action: Action, command: Any) -> None:
        """Carry the command out."""
        self.function(action, command)


def carries_out(command: type) -> Callable[[Handler], Carries]:
    """Say that the function carries out commands of that type."""
    return lambda function: Carries(command, function)


@dataclass(frozen=True)
class Flow:
    """How a kind of frame goes: whom it awaits, what they may answer, and how it goes on by itself.

    `awaits(state, frame)` gives the decisions awaited, none when the frame can go on; `candidates(state, frame,
    seat)` the groups of commands that could answer (the guards sift them); `proceed(action, frame)` the next step.
    `parts(state, frame, seat)`, where it is given, are the same groups, those that seldom change as `Kept`.
    """

    frame: type
    awaits: Callable[[Any, Any], tuple[Decision, ...]]
    candidates: Callable[[Any, Any, int], Iterable[Group]]
    proceed: Callable[[Action, Any], None]
    parts: Callable[[Any, Any, int], Iterable[Kept | Group]] | None = None


def spread(parts: Callable[[Any, Any, int], Iterable[Kept | Group]]) -> Callable[[Any, Any, int], Iterable[Group]]:
    """The `candidates` of a flow that is told in `parts`."""

    def candidates(state: Any, frame: Any, seat: int) -> Iterable[Group]:
        for part in parts(state, frame, seat):
            if isinstance(part, Kept):
                yield from part.groups(*part.arguments)
            else:
                yield part

    return candidates
