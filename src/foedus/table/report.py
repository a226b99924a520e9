"""The report of a turn, to paste into mail or a forum: how things stand and what happened, by what a viewer knows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal

import msgspec

from foedus.table.live import Draft, LiveTable
from foedus.table.pasting import Form, sheet
from foedus.table.talks import stage_of

Turn = Literal["now", "last"]
MOST: Final = 2_000
"""A report tells of so many lines at most, the last ones."""

HEADINGS: Final = {"en": "What has happened", "ru": "Что произошло"}


def keep_turns(draft: Draft) -> None:
    """A keeper: remember where the lines of this turn begin, and those of the last one."""
    stage = stage_of(draft)
    kept = draft.beside.get("turns")
    if stage is None or not draft.happened or (kept is not None and kept["turn"] == stage.turn):
        return
    batch = draft.happened[0].number - 1
    heads = {viewer: draft._back(viewer, batch) for viewer in draft.live.viewers}
    draft.put_beside(turns={"turn": stage.turn, "now": heads, "last": (kept or {}).get("now", heads)})


def since_turn(live: LiveTable, viewer: str, turn: Turn) -> tuple[int, int]:
    """The number of a viewer's line before this turn, or the last one, began; and that of its last line."""
    kept: dict[str, Any] = live.beside.get("turns", {})
    head = live.heads[viewer]
    began = int(kept.get("now", {}).get(viewer, 0))
    if turn == "now":
        return began, head
    return int(kept.get("last", {}).get(viewer, 0)), began


async def report(live: LiveTable, viewer: str, language: str, form: Form = "text", turn: Turn = "now") -> str:
    """The report of a turn: the status sheet, and what happened since the turn began. Raises `TableState`."""
    first, last = since_turn(live, viewer, turn)
    lines: list[str] = []
    at = max(first, last - MOST)
    while at < last:
        found = await live.lines(viewer, at, min(500, last - at))
        if not found:
            break
        at = found[-1].number
        for one in found:
            data = msgspec.json.decode(one.data)
            lines += [sentence for sentence in data.get("said", {}).get(language, ()) if sentence]
    status = live.referee.game.status
    blocks: list[tuple[str, Sequence[str]]] = [(live.info.title, ())]
    if status is not None:
        blocks += [(heading, list(said)) for heading, said in status(live.view(viewer), language)]
    if lines:
        blocks.append((HEADINGS[language], lines))
    return sheet(blocks, form) + "\n"


__all__ = ["MOST", "Form", "Turn", "keep_turns", "report", "since_turn"]
