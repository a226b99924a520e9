"""What a seat has said beforehand, for the time when its clock runs out.

The games' own standing answers are commands and belong to the game; these belong to the seat and are only looked at
when a deadline has passed, or when the host decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from msgspec.structs import replace

from foedus.kernel.codec import CodecError
from foedus.kernel.notation import NotationError
from foedus.kernel.values import Command
from foedus.kernel.verdict import NotYours
from foedus.table import acting
from foedus.table.live import LEDGER, Draft, LiveTable, Operation, TableState
from foedus.table.tables import end_if_over, must_act, read_command

MOST: Final = 20
MAX_LINE: Final = 400
PASS: Final = "pass"


def set_standing(seat: str, person: int, lines: Sequence[str], language: str = "en") -> Operation[dict[str, Any]]:
    """A seat says beforehand what it does when its time is over: the first of these commands that is allowed then;
    `pass` stands for whatever passes or says no. Raises `TableState`, `NotationError`."""

    def operation(draft: Draft) -> dict[str, Any]:
        must_act(draft, seat, person)
        if draft.info.kind == LEDGER:
            raise TableState("no_clocks")
        found = []
        for line in (one.strip() for one in lines):
            if not line:
                continue
            if line.casefold() != PASS:
                command, _ = read_command(draft.referee, line, language)
                line = draft.referee.game.notation.write(command, draft.referee.world.names)
            found.append(line if line.casefold() != PASS else PASS)
        draft.sit(replace(draft.seats[seat], standing={"lines": found} if found else {}))
        return {"seat": seat, "lines": found}

    return operation


def standing_of(live: LiveTable | Draft, seat: str) -> list[str]:
    """What a seat has said beforehand."""
    return list(live.seats[seat].standing.get("lines", ()))


def act_for(draft: Draft, seat: str, *, standing: bool) -> bool:
    """Do for a seat what it said beforehand (`standing`), or what passes or says no; False if there is nothing that may
    be done."""
    index = draft.live.teller.viewers[seat]
    if index is None:
        return False
    lines = standing_of(draft, seat) if standing else [PASS]
    for line in lines:
        command: Command | None
        if line == PASS:
            command = idle(draft, index)
        else:
            try:
                command = read_command(draft.referee, line, "en")[0]
            except (NotationError, CodecError):  # a ruling or a board may have changed since
                continue
        if command is not None and _do(draft, index, command):
            return True
    return False


def _do(draft: Draft, index: int, command: Command) -> bool:
    if not any(one.seat == index for one in draft.referee.awaiting(draft.state)):
        return False
    try:
        acting.act(draft.playing, draft.dice(), index, command)
    except (acting.NotAllowed, NotYours):
        return False
    end_if_over(draft)
    return True


def idle(draft: Draft, index: int) -> Command | None:
    """The command by which a seat passes or says no now; the only one it has, if it has no other."""
    at_table = draft.referee.game.at_table
    choices = draft.referee.choices(draft.state, index)
    for kind in at_table.idle if at_table is not None else ():
        for command in choices:
            if isinstance(command, kind):
                return command
    return choices[0] if len(choices) == 1 else None


__all__ = ["MAX_LINE", "MOST", "PASS", "act_for", "idle", "set_standing", "standing_of"]
