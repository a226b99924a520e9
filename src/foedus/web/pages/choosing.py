"""What a seat may choose now and what not, as lists and by place: the map and the list say the same.

Everything is worked out from the seat's own view. What the flow would take and the rules refuse is shown with the
reason of the first clause that speaks against it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, NamedTuple, get_args, get_origin, get_type_hints

import msgspec

from foedus.kernel.codec import kind_of_field, mask_field
from foedus.kernel.desk import Ruling, Speaker, facts_of
from foedus.kernel.referee import Referee
from foedus.kernel.unknown import NONE, Unknown
from foedus.kernel.values import Command
from foedus.kernel.words import capital

MOST_SHOWN: Final = 120
_MOST_REFUSED: Final = 80
_MOST_CANDIDATES: Final = 3000


class Choice(NamedTuple):
    """Something a seat may do: its line, its words, whether it deals with another power, and whether it is grave."""

    line: str
    text: str
    diplomatic: bool
    grave: bool
    spaces: tuple[int, ...]


class Barred(NamedTuple):
    """Something that might have been done, and why not."""

    line: str
    text: str
    clause: str
    why: str
    diplomatic: bool
    spaces: tuple[int, ...]


@dataclass(frozen=True)
class Choices:
    """All of it."""

    allowed: tuple[Choice, ...] = ()
    barred: tuple[Barred, ...] = ()

    def by_space(self) -> dict[int, str]:
        """How each place stands out: "choice" if something may be chosen there, "barred" if things were refused."""
        found = {space: "barred" for one in self.barred for space in one.spaces}
        found.update({space: "choice" for one in self.allowed for space in one.spaces})
        return found

    def why(self) -> dict[int, str]:
        """Why a place where nothing may be chosen is barred, with the clause."""
        open_ = {space for one in self.allowed for space in one.spaces}
        found: dict[int, str] = {}
        for one in self.barred:
            for space in one.spaces:
                if space not in open_:
                    found.setdefault(space, f"{one.clause} {one.why}")
        return found


def spaces_in(command: Command) -> tuple[int, ...]:
    """The places that a command names: spaces of the board, and seas counted on from them."""
    facts, kinds = facts_of(command)
    found: list[int] = []
    for name, value in facts.items():
        if kinds.get(name) not in ("space", "place"):
            continue
        values = value if isinstance(value, tuple) else (value,)
        found.extend(one for one in values if isinstance(one, int) and one >= 0)
    return tuple(dict.fromkeys(found))


def choices_of(referee: Referee, view: Any, seat: int, language: str) -> Choices:
    """What the seat may do and may not do, by its view."""
    try:
        allowed = referee.choices(view, seat)
    except Unknown:
        return Choices()
    game, speaker = referee.game, Speaker(referee, language)
    found = tuple(
        Choice(
            speaker.notation(one),
            capital(speaker.command(one).rstrip(".")),
            isinstance(one, game.diplomacy),
            isinstance(one, game.grave),
            spaces_in(one),
        )
        for one in allowed
    )
    return Choices(found, tuple(_barred(referee, view, seat, set(allowed), speaker)))


def _barred(referee: Referee, view: Any, seat: int, allowed: set[Command], speaker: Speaker) -> Iterable[Barred]:
    if not view.frames:
        return
    frame = view.frames[-1]
    flow = referee.game.flows[type(frame)]
    shown = looked = 0
    for _, _, commands in flow.candidates(view, frame, seat):
        for one in commands:
            looked += 1
            if looked > _MOST_CANDIDATES or shown >= _MOST_REFUSED:
                return
            if one in allowed:
                continue
            refused = why_not(referee, view, one, speaker)
            if refused is not None:
                shown += 1
                yield refused


def why_not(referee: Referee, view: Any, command: Command, speaker: Speaker) -> Barred | None:
    """Why a command is refused, or None if it is not."""
    verdict = referee.judge(view, command)
    if verdict.allowed or not verdict.reasons:
        return None
    reason = verdict.reasons[0]
    said, _ = speaker.clause("refusal", reason.clause, reason.facts)
    return Barred(
        speaker.notation(command),
        capital(speaker.command(command).rstrip(".")),
        reason.clause,
        said,
        isinstance(command, referee.game.diplomacy),
        spaces_in(command),
    )


class Dealing(NamedTuple):
    """One thing that a power might say to another: its line and words, and why it cannot be said ("" if it can)."""

    line: str
    text: str
    clause: str
    why: str
    grave: bool


def dealings(referee: Referee, view: Any, seat: int, language: str) -> Mapping[int, list[Dealing]]:
    """For each other power, what a seat may and may not say to it now: of the diplomatic commands those that name
    nothing but two powers. The possible come first."""
    game, speaker = referee.game, Speaker(referee, language)
    show = game.shown
    if show is None:
        return {}
    own = [power for power in show(view).powers if _plays(view, power, seat)]
    found: dict[int, list[Dealing]] = {}
    for other in show(view).powers:
        if other in own or _is_nobody(view, other):
            continue
        rows = [
            row for one in _pairs(referee, own, other) if (row := _dealing(referee, view, one, speaker)) is not None
        ]
        if rows:
            found[other] = sorted(rows, key=lambda row: bool(row.why))
    return found


def _is_nobody(view: Any, power: int) -> bool:
    """Does nobody play the power, so that there is nobody to deal with?"""
    controller = getattr(view, "controller", None)
    return controller is not None and power < len(controller) and controller[power] == NONE


def _plays(view: Any, power: int, seat: int) -> bool:
    controller = getattr(view, "controller", ())
    return power < len(controller) and controller[power] == seat


def _pairs(referee: Referee, own: Iterable[int], other: int) -> Iterable[Command]:
    """The diplomatic commands that need nothing but who says it and to whom, said to one power."""
    for kind in referee.game.diplomacy:
        field = _whom(kind)
        if field is None:
            continue
        name, many, mask = field
        value: Any = 1 << other if mask else (other,) if many else other
        for power in own:
            yield kind(power=power, **{name: value})


@cache
def _whom(kind: type[Command]) -> tuple[str, bool, bool] | None:
    """The one field besides the power that a command needs, if it names a power or several: its name, whether it holds
    a tuple, whether it is a mask. None for other commands."""
    needed = [one.name for one in msgspec.structs.fields(kind) if one.required and one.name != "power"]
    if len(needed) != 1:
        return None
    annotation = get_type_hints(kind, include_extras=True)[needed[0]]
    if get_origin(annotation) is tuple:
        return (needed[0], True, False) if kind_of_field(get_args(annotation)[0]) == "power" else None
    return (needed[0], False, mask_field(annotation)) if kind_of_field(annotation) == "power" else None


def _dealing(referee: Referee, view: Any, command: Command, speaker: Speaker) -> Dealing | None:
    try:
        verdict = referee.judge(view, command)
    except Unknown:
        return None
    line, text = speaker.notation(command), capital(speaker.command(command).rstrip("."))
    grave = isinstance(command, referee.game.grave)
    if verdict.allowed:
        return Dealing(line, text, "", "", grave)
    if not verdict.reasons:
        return None
    reason = verdict.reasons[0]
    return Dealing(line, text, reason.clause, speaker.clause("refusal", reason.clause, reason.facts)[0], grave)


def consequences(ruling: Ruling) -> list[str]:
    """What would follow from a command, in sentences."""
    return list(ruling.data["follows"])


__all__ = [
    "MOST_SHOWN",
    "NONE",
    "Barred",
    "Choice",
    "Choices",
    "Dealing",
    "choices_of",
    "dealings",
    "spaces_in",
    "why_not",
]
