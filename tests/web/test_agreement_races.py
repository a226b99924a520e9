"""An agreement of three powers is signed, declined, withdrawn, amended, and negotiations are done, in every order and
all at once over sockets of their own: one linear history, in which stands exactly what was acknowledged."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import permutations
from threading import Barrier
from typing import Any

import msgspec
import pytest

from foedus.kernel.audit import audit
from foedus.kernel.desk import read_line
from foedus.kernel.game import find_game
from foedus.table import archive
from foedus.table.journal import Entry
from foedus.table.live import LiveTable
from web.conftest import new_database
from web.harness import Follower, Server, seated, serving
from web.test_workers import twin

SEATS = ("OTT", "SPA", "ENG", "FRA", "HRE", "PRO")
OFFERED = (
    "SPA drafts agreement with FRA, HRE",
    "SPA writes: SPA allies with HRE",
    'SPA writes: FRA promises SPA "quiet"',
    "SPA offers its draft",
    "HRE amends agreement of SPA with FRA, HRE",
)
"""Before each race: an agreement is offered, and the Empire has another version ready."""
FRA_SIGNS = "FRA signs agreement of SPA with FRA, HRE"
HRE_SIGNS = "HRE signs agreement of SPA with FRA, HRE"
RACES = (
    (FRA_SIGNS, HRE_SIGNS, "SPA withdraws agreement of SPA with FRA, HRE", "HRE offers its draft"),
    (FRA_SIGNS, HRE_SIGNS, "FRA amends agreement of SPA with FRA, HRE", "HRE has done negotiating"),
    (FRA_SIGNS, "FRA declines agreement of SPA with FRA, HRE", "HRE offers its draft", "SPA has done negotiating"),
    (FRA_SIGNS, FRA_SIGNS, HRE_SIGNS, "FRA withdraws agreement of SPA with FRA, HRE"),
)
OPEN = ("AgreementOffered", "AgreementSigned", "AgreementEnded", "NegotiationDone")
"""What all parties are told of."""


class Negotiations:
    """A table at which one person sits on every seat, with several connections, to one worker or to two."""

    def __init__(self, server: Server, other: Server | None = None) -> None:
        self.server = server
        anna = server.person("Anna")
        self.id = seated(server, anna, dict.fromkeys(SEATS, anna), "virgin_queen", players=6)
        self.path = f"/api/tables/{self.id}"
        self.connections = [twin(anna, worker) for _ in range(3) for worker in (server, other or server)]
        self.outcomes: set[tuple[str, ...]] = set()
        self.streams = {seat: Follower(anna, self.id, seat) for seat in ("SPA", "PRO")}

    @property
    def live(self) -> LiveTable:
        found: LiveTable = self.server.do(self.server.site.tables.open(self.id))
        return found

    @property
    def entries(self) -> list[Entry]:
        journal = self.live.journal
        assert journal is not None
        return list(journal.entries)

    def give(self, at: int, line: str) -> int:
        told = {"seat": line[:3], "command": line}
        answer = self.connections[at].send("POST", f"{self.path}/commands", told)
        if answer.status_code != 200:
            assert answer.status_code == 409, answer.text
            assert answer.json()["type"] in ("refused", "hidden"), answer.text
        return answer.status_code

    def race(self, pool: ThreadPoolExecutor, lines: Sequence[str], barrier: Barrier | None) -> None:
        """The lines are given on as many connections; each sets out when all are ready, or in the order given."""
        before = self.entries
        mark = self.live.heads["SPA"] + 1
        for line in OFFERED:
            assert self.give(0, line) == 200

        def sent(at: int, line: str) -> int:
            if barrier is not None:
                barrier.wait(20)
            return self.give(at, line)

        statuses = list(pool.map(sent, range(len(lines)), lines))
        after = self.entries[len(before) + len(OFFERED) :]
        done = [line for line, status in zip(lines, statuses, strict=True) if status == 200]
        assert sorted(entry.line for entry in after) == sorted(done)
        states = [entry.before for entry in after] + [self.live.state]
        for line, status in zip(lines, statuses, strict=True):
            if status != 200:  # refused: then there was a moment at which the rules refuse it
                self.refused_at_some_moment(states, line)
        for entry, later in zip(after, states[1:], strict=True):
            assert entry.after == later
        self.outcomes.add(tuple(entry.line for entry in after))
        back = {"seat": "SPA", "what": "undo", "line": mark}
        assert self.connections[0].ok("POST", f"{self.path}/proposals", back)["status"] == "done"
        assert self.live.state == before[-1].after

    def refused_at_some_moment(self, states: Sequence[Any], line: str) -> None:
        referee = self.live.referee
        command = read_line(referee, line, "en").command
        assert command is not None
        assert not all(referee.judge(state, command).allowed for state in states), line

    def verified(self) -> None:
        """The record holds from its first line to the last, the commands by the rules and the dice too; and whoever
        followed was told everything once, in that order."""
        self.connections[0].ok("POST", f"{self.path}/proposals", {"seat": "SPA", "what": "end"})
        lines = self.server.do(archive.whole(self.live))
        found = audit(lines, find_game)
        assert not found.faults
        assert found.published
        heads = self.live.heads
        told = {}
        for seat, stream in self.streams.items():
            came = stream.until(lambda lines, head=heads[seat]: len(lines) >= head)  # type: ignore[misc]
            stream.close()
            assert [line["n"] for line in came] == list(range(1, heads[seat] + 1))
            told[seat] = [event for line in came for event in line.get("events", ())]
        entries = [event["do"] for line in lines[1:-1] for event in msgspec.json.decode(line)["events"]]
        assert [one["do"] for one in told["SPA"] if one["do"] in OPEN] == [one for one in entries if one in OPEN]
        kinds = {one["do"] for one in told["PRO"]}
        done = any("done" in line for outcome in self.outcomes for line in outcome)
        assert ("NegotiationDone" in kinds) == done
        assert not kinds & {"AgreementDrafted", *OPEN[:3]}


@pytest.mark.parametrize("lines", RACES)
def test_in_every_order(lines: tuple[str, ...], server: Server) -> None:
    table = Negotiations(server)
    with ThreadPoolExecutor(1) as pool:  # one after the other
        for order in sorted(set(permutations(lines))):
            table.race(pool, order, None)
    assert len(table.outcomes) > 2
    table.verified()


def all_at_once(table: Negotiations) -> None:
    for lines in RACES:
        with ThreadPoolExecutor(len(lines)) as pool:
            for order in list(permutations(lines))[::6]:
                table.race(pool, order, Barrier(len(lines)))
    assert len(table.outcomes) > len(RACES)
    table.verified()


def test_all_at_once(server: Server) -> None:
    all_at_once(Negotiations(server))


def test_all_at_once_on_two_workers(postgres: str) -> None:
    address = new_database(postgres)
    with serving(address) as first, serving(address) as second:
        all_at_once(Negotiations(first, second))
