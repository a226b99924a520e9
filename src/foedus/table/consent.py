"""What one seat may not do alone: taking back what others did or what was shown, correcting, settling a ruling anew,
ending unfinished. The other seats are asked, or the host decides, as the table has settled.

Each is an event that all see; that a thing was proposed, and who agreed, is told to all as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final, Literal

from foedus.kernel.notation import NotationError
from foedus.kernel.rulebook import RulebookError
from foedus.table import acting
from foedus.table.journal import NOBODY, Entry, Journal
from foedus.table.ledger import Ledger, LedgerError
from foedus.table.live import LEDGER, Draft, LiveTable, Operation, TableState
from foedus.table.tables import end, holders, may_by_itself, must_act

What = Literal["undo", "correct", "ruling", "end"]
MOST_OPEN: Final = 5
FAULTS: Final = (LedgerError, RulebookError, NotationError, LookupError, ValueError)


# taking back


def last_known(draft: Draft, seat: str) -> Entry | None:
    """The last batch that counts of which the seat knows; None if there is none that could be taken back."""
    teller = draft.live.teller
    for entry in reversed(draft.playing.entries):
        if entry.seat == teller.viewers[seat] or teller.seen(entry, seat):
            return entry if entry.command is not None or draft.info.kind == LEDGER else None
    return None


def undo(seat: str, person: int) -> Operation[dict[str, Any]]:
    """A seat takes back its own last command, if nothing was rolled, drawn or shown by it and nobody has done anything
    since that the seat knows of. Raises `TableState`: `needs_consent` where the others must agree."""

    def operation(draft: Draft) -> dict[str, Any]:
        must_act(draft, seat, person)
        journal = draft.playing
        last = last_known(draft, seat)
        if last is None:
            raise TableState("nothing_to_undo")
        index = draft.live.teller.viewers[seat]
        if draft.info.kind == LEDGER:
            may_by_itself(draft, person, "corrections")
            draft.undone = (journal.entries[-1],)
            journal.take_back(NOBODY if index is None else index)
            draft.put_beside(told=None)
            return {"n": draft.heads[seat]}
        seats = [one for one in draft.live.teller.viewers.values() if one is not None]
        if index is None or last.seat != index or acting.has_shown(draft.referee, last, seats):
            raise TableState("needs_consent")
        draft.undone = (last,)
        try:
            journal.drop(last, index)
        except LookupError as error:
            raise TableState("needs_consent") from error
        return {"n": draft.heads[seat]}

    return operation


def _take_back_since(draft: Draft, batch: int) -> None:
    journal = draft.playing
    undone = tuple(entry for entry in journal.entries if entry.number >= batch)
    if not undone or (undone[0].command is None and undone[0].number == 0):
        raise TableState("nothing_to_undo")
    draft.undone = undone
    journal.take_back(since=batch)
    draft.put_beside(told=None)


# proposals


def propose(seat: str, person: int, what: What, text: str = "", line: int | None = None) -> Operation[dict[str, Any]]:
    """A seat proposes: `undo` (all since its own line, or the last it knows of), `correct` (`text` says how things
    stand), `ruling` (`text` is NAME OPTION), or `end`. It is done at once where nobody else must agree.

    Raises `TableState`, and `LedgerError` or `RulebookError` for a text that cannot be carried out.
    """

    def operation(draft: Draft) -> dict[str, Any]:
        must_act(draft, seat, person)
        journal = draft.playing
        open_ = list(draft.beside.get("proposals", ()))
        if len(open_) >= MOST_OPEN:
            raise TableState("too_many_proposals")
        batch = -1
        if what == "undo":
            batch = _batch_of(draft, seat, line)
        elif what != "end":
            _try_out(draft, seat, what, text)
        alone = _alone(draft, person, what)
        number = int(draft.beside.get("proposed", 0)) + 1
        agreed = [name for name, holder in holders(draft).items() if holder == person]
        found = {"id": number, "by": seat, "what": what, "text": text, "batch": batch, "agreed": agreed}
        draft.put_beside(proposed=number)
        if alone:
            _carry_out(draft, found)
            return {"id": number, "status": "done", "n": draft.heads[seat]}
        draft.put_beside(proposals=[*open_, found])
        for viewer in draft.live.viewers:
            told = {"id": number, "by": seat, "proposal": what, "text": text}
            if what == "undo":
                told["line"] = draft._back(viewer, batch - 1) + 1
            draft.tell(viewer, {"what": "proposal", **told})
        _settle(draft, found, journal)
        still = any(one["id"] == number for one in draft.beside.get("proposals", ()))
        return {"id": number, "status": "open" if still else "done", "n": draft.heads[seat]}

    return operation


def _alone(draft: Draft, person: int, what: What) -> bool:
    """May the person do it without asking? Raises `TableState` where the host decides and this is not the host."""
    if what == "end":
        return not set(holders(draft).values()) - {person}
    try:
        may_by_itself(draft, person, "rulings" if what == "ruling" else "corrections")
    except TableState as error:
        if error.code == "needs_consent":
            return False
        raise
    return True


def answer(seat: str, person: int, id: int, yes: bool) -> Operation[dict[str, Any]]:
    """A seat agrees to a proposal, or refuses it; refused by one it is off. Whoever acts for several seats answers for
    all of them."""

    def operation(draft: Draft) -> dict[str, Any]:
        must_act(draft, seat, person)
        open_ = list(draft.beside.get("proposals", ()))
        found = next((one for one in open_ if one["id"] == id), None)
        if found is None:
            raise TableState("no_such_proposal")
        seats = [name for name, holder in holders(draft).items() if holder == person]
        draft.tell_all({"what": "vote", "id": id, "seat": seat, "yes": yes})
        if not yes:
            _close(draft, id, "refused")
            return {"id": id, "status": "refused", "n": draft.heads[seat]}
        found = {**found, "agreed": sorted({*found["agreed"], *seats})}
        draft.put_beside(proposals=[found if one["id"] == id else one for one in open_])
        status = _settle(draft, found, draft.playing)
        return {"id": id, "status": status, "n": draft.heads[seat]}

    return operation


def _settle(draft: Draft, found: dict[str, Any], journal: Journal) -> str:
    if set(holders(draft)) - set(found["agreed"]):
        return "open"
    try:
        _carry_out(draft, found)
    except (TableState, *FAULTS):
        _close(draft, found["id"], "void")
        return "void"
    _close(draft, found["id"], "done")
    return "done"


def _close(draft: Draft, id: int, status: str) -> None:
    left = [one for one in draft.beside.get("proposals", ()) if one["id"] != id]
    draft.put_beside(proposals=left or None)
    draft.tell_all({"what": "proposal_closed", "id": id, "status": status})


def _carry_out(draft: Draft, found: dict[str, Any]) -> None:
    what = found["what"]
    if what == "undo":
        _take_back_since(draft, found["batch"])
    elif what == "end":
        end(draft)
    else:
        _correct(draft.playing, what, found["text"])


def _correct(journal: Journal, what: str, text: str) -> None:
    ledger = Ledger(journal)
    if what == "correct":
        ledger.correct(text.removeprefix("set ").strip(), text if text.startswith("set ") else f"set {text}")
    else:
        name, _, option = text.replace("=", " ").strip().partition(" ")
        ledger.rule_anew(name, option.strip())


def _try_out(draft: Draft, seat: str, what: str, text: str) -> None:
    """Whether it could be carried out: first by what the seat knows, so that a fault tells of nothing else."""
    live = draft.live
    journal = draft.playing
    trial = Journal(journal.referee, journal.header, live.referee.view(journal.state, live.teller.viewers[seat]))
    _correct(trial, what, text)
    try:
        _correct(journal.fork(), what, text)
    except FAULTS as error:
        raise TableState("hidden") from error


def _batch_of(draft: Draft, seat: str, line: int | None) -> int:
    """The batch of a seat's own line; without one, the last of which it knows."""
    entries = draft.playing.entries
    if line is None:
        last = last_known(draft, seat)
        if last is None:
            raise TableState("nothing_to_undo")
        return last.number
    marks = {**draft.live.marks, **draft.marks}
    for entry in entries:
        told = marks.get(entry.number)
        if told is not None and told[seat] >= line:
            if entry.number == 0 and entry.command is None:
                raise TableState("nothing_to_undo")
            return entry.number
    raise TableState("no_such_line")


def open_proposals(live: LiveTable) -> list[dict[str, Any]]:
    """The proposals that are open, as everybody may know them."""
    found: Sequence[dict[str, Any]] = live.beside.get("proposals", ())
    return [{key: one[key] for key in ("id", "by", "what", "text", "agreed")} for one in found]


async def prepared(live: LiveTable, line: int | None) -> None:
    """Before something old is taken back: hold as much of the record as that needs."""
    with suppress(TableState):
        journal = live.journal
        first = journal.entries[0].number if journal is not None and journal.entries else 0
        known = live.marks.get(first)
        if first > 0 and (line is None or known is None or min(known.values()) >= line):
            await live.deepen()


__all__ = ["What", "answer", "last_known", "open_proposals", "prepared", "propose", "undo"]
