"""Standing answers: what a power has said beforehand, so that a game by mail need not wait for it.

A standing answer lies in the state and is seen by its own seat only. When a decision comes up that it covers, the flow
gives the answer by itself, with the very events that a given answer would bring; a window still opens by public
knowledge, so nobody else can tell one from the other. Whatever is not covered, or may not be done just then, is asked.

A game that wants them has the field `standing` in its state, these commands and events among its own, and says in
`Game.standing` what they mean.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

import msgspec
from msgspec.structs import replace

from foedus.kernel.flow import Action, Decision, Sealed, SealedFrame
from foedus.kernel.unknown import NONE
from foedus.kernel.values import Answer, Command, Event, Power, kind_of

Space = Annotated[int, kind_of("space")]


class Standing(msgspec.Struct, frozen=True, gc=False):
    """One standing answer of a power: `answer` names what it says to what, in the game's own words.

    It may hold from one space only (`space`), against one power, in one home region, or until a power enters the home
    region `entering`.
    """

    power: Power
    answer: str
    space: Space = NONE
    against: Power = NONE
    home: Power = NONE
    until: Power = NONE
    entering: Power = NONE

    @property
    def topic(self) -> str:
        """What it answers: "intercept" for "never_intercept"."""
        return self.answer.partition("_")[2]

    @property
    def scope(self) -> tuple[Any, ...]:
        """A new answer takes the place of an older one of the same scope."""
        return self.power, self.topic, self.space, self.against, self.home


class SetStanding(Command, frozen=True, gc=False):
    """Say beforehand what one will answer; the fields are those of `Standing`."""

    answer: str
    space: Space = NONE
    against: Power = NONE
    home: Power = NONE
    until: Power = NONE
    entering: Power = NONE

    @property
    def standing(self) -> Standing:
        """The standing answer that it sets."""
        return Standing(self.power, self.answer, self.space, self.against, self.home, self.until, self.entering)


class ClearStanding(Command, frozen=True, gc=False):
    """Take all one's standing answers back."""


class StandingSet(Event, frozen=True, gc=False):
    """A standing answer was set. Its own seat only sees it."""

    standing: Standing

    def apply(self, state: Any) -> Any:
        """Put it before the older ones; of the same scope it is the only one."""
        new = self.standing
        return replace(state, standing=(new, *(one for one in state.standing if one.scope != new.scope)))


class StandingEnded(Event, frozen=True, gc=False):
    """A standing answer is over: taken back, or what it was to last until has come. Its own seat only sees it."""

    standing: Standing

    def apply(self, state: Any) -> Any:
        """Take it out."""
        return replace(state, standing=tuple(one for one in state.standing if one != self.standing))


class StandingUsed(Event, frozen=True, gc=False):
    """What comes next was said beforehand. Its own seat only sees it."""

    standing: Standing


STANDING_COMMANDS = (SetStanding, ClearStanding)
STANDING_EVENTS = (StandingSet, StandingEnded, StandingUsed)


def set_standing(action: Action, command: SetStanding) -> None:
    """Carry out `SetStanding`."""
    action.emit(StandingSet(command.standing))


def clear_standing(action: Action, command: ClearStanding) -> None:
    """Carry out `ClearStanding`."""
    for one in action.state.standing:
        if one.power == command.power:
            action.emit(StandingEnded(one))


def command_of(standing: Standing) -> SetStanding:
    """The command that would set it, by which it is said and written."""
    return SetStanding(*(getattr(standing, name) for name in Standing.__struct_fields__))


@dataclass(frozen=True)
class StandingAnswers:
    """What standing answers mean in a game.

    `seat(state, power)` plays a power; `over(state, standing)`: has come what it was to last until? `answer(state,
    decision, standing)` is what it says to a decision of that seat, None if it does not cover it.
    """

    seat: Callable[[Any, int], int]
    over: Callable[[Any, Standing], bool]
    answer: Callable[[Any, Decision, Standing], Command | None]

    def step(self, referee: Any, action: Action) -> bool:
        """End what is over; then give the first answer that covers what is awaited now. False if none does."""
        for one in action.state.standing:
            if self.over(action.state, one):
                action.emit(StandingEnded(one))
        state = action.state
        for decision in referee.awaiting(state):
            for one in state.standing:
                if decision.seat < 0 or self.seat(state, one.power) != decision.seat:
                    continue
                command = self.answer(state, decision, one)
                if command is None or not referee.judge(state, command).allowed:
                    continue
                action.emit(StandingUsed(one))
                if isinstance(state.frames[-1], SealedFrame):
                    action.emit(Sealed(Answer(command.power, decision.seat, command)))
                else:
                    referee.game.handlers[type(command)](action, command)
                return True
        return False

    def seen(self, state: Any, seat: int | None) -> tuple[Standing, ...]:
        """The standing answers that a seat may know: its own."""
        return tuple(one for one in state.standing if seat is not None and self.seat(state, one.power) == seat)
