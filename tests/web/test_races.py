"""Races: an offer is accepted, withdrawn and dies, troops march and alliances break, in every order and all at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import permutations
from random import Random
from typing import Any

import pytest

from foedus.kernel.values import Command
from foedus.table import archive
from foedus.table.journal import Journal
from foedus.table.live import LiveTable
from kernel import toy
from web.harness import Server, seated
from web.test_notices import begun
from web.test_talks import ROMANS, ROME, Round, awaited, rest

OPERATIONS = ("accept", "withdraw", "expire", "attack")


def live_of(table: Round) -> LiveTable:
    found: LiveTable = table.server.do(table.server.site.tables.open(table.id))
    return found


def allowed(table: Round, command: dict[str, Any]) -> bool:
    live = live_of(table)
    decoded: Command = live.referee.codec.decode(command, Command)
    return live.referee.judge(live.state, decoded).allowed


def does(table: Round, seat: str, command: dict[str, Any]) -> int:
    told = {"seat": seat, "command": command}
    return table.players[seat].send("POST", f"{table.path}/commands", told).status_code


def offered(table: Round) -> dict[str, tuple[str, dict[str, Any]]]:
    """An offer is made; gives by whom and how it may be taken, withdrawn, left to die, and a caravan sent meanwhile."""
    live = live_of(table)
    seat = awaited(table)
    names = live.referee.world.names
    choices = table.players[seat].ok("GET", f"{table.path}/choices?seat={seat}&most=500")["choices"]
    commands = [one["command"] for one in choices]
    offer = next(
        one for one in commands if one["do"] == "Propose" and _seat_of(live, names["power"].index(one["to"])) != seat
    )
    assert does(table, seat, offer) == 200
    by, to = offer["power"], offer["to"]
    caravan = next(
        (one for one in commands if one["do"] == "Send"), {"do": "Tour", "power": by, "first": by, "second": to}
    )
    return {
        "accept": (_seat_of(live, names["power"].index(to)), {"do": "Accept", "power": to, "by": by}),
        "withdraw": (seat, {"do": "Withdraw", "power": by, "to": to}),
        "expire": (seat, {"do": "Rest", "power": by}),
        "attack": (seat, caravan),
    }


def _seat_of(live: LiveTable, power: int) -> str:
    return str(live.referee.world.names["seat"][toy.SEAT_OF[power]])


def verified(table: Round, done: int) -> list[str]:
    """One linear history, in which exactly what was acknowledged stands; gives its commands."""
    live = live_of(table)
    lines = table.server.do(archive.whole(live))
    journal = Journal.load(live.referee.game, lines)  # each line is chained to the one before
    encode = live.referee.codec.encode
    assert encode(journal.state) == encode(live.state)
    commands = [one.command for one in journal.entries if one.command is not None]
    assert len(commands) == done
    for entry in journal.entries:
        if entry.command is not None:
            assert live.referee.judge(entry.before, entry.command).allowed
    return [type(one).__name__ for one in commands]


def test_in_every_order(timed: Server) -> None:
    outcomes = set()
    table = Round(timed)
    for order in permutations(OPERATIONS):
        table = again(timed, table)
        told = offered(table)
        statuses, rested = {}, 0
        for name in order:
            seat, command = told[name]
            may = allowed(table, command)
            statuses[name] = does(table, seat, command)
            assert statuses[name] == (200 if may else 409), (order, name)
            if name == "expire" and may:  # an offer lives through the turn after its own
                rest(table)
                rested = 1
                assert not live_of(table).state.offers
        outcomes.add(tuple(sorted(name for name, status in statuses.items() if status == 200)))
        assert statuses["accept"] != 200 or statuses["withdraw"] != 200
        verified(table, 1 + rested + sum(status == 200 for status in statuses.values()))
    assert len(outcomes) > 1


def again(server: Server, table: Round) -> Round:
    """Another table with the same people."""
    found = Round.__new__(Round)
    found.server, found.players = server, table.players
    found.id = seated(server, table.players["SA"], table.players, settings={"spectators": True})
    found.path = f"/api/tables/{found.id}"
    return found


@pytest.mark.parametrize("seed", range(2))
def test_all_at_once(servers: Server, seed: int) -> None:
    random = Random(seed)
    table = Round(servers)
    with ThreadPoolExecutor(8) as pool:
        for _ in range(4):
            table = again(servers, table)
            told = list(offered(table).values()) * 2
            random.shuffle(told)
            statuses = list(pool.map(lambda one, table=table: does(table, *one), told))
            assert set(statuses) <= {200, 409}
            done = verified(table, 1 + statuses.count(200))
            assert done.count("Accept") + done.count("Withdraw") <= 1
            for name in set(done):
                assert done.count(name) == 1


def test_alliances_of_rome_all_at_once(timed: Server) -> None:
    """Accepted, withdrawn, declined, broken, marched and passed at the same moment, while others talk."""
    table = Round(timed, ROME, ROMANS, players=4)
    seat = begun(table)
    live = live_of(table)
    before = sum(one.command is not None for one in live.journal.entries) if live.journal is not None else 0
    found = table.players[seat].ok("GET", f"{table.path}/choices?seat={seat}&most=500")["choices"]
    commands = [one["command"] for one in found]
    offer = next(one for one in commands if one["do"] == "ProposeAlliance" and one["to"] in ("ROM", "GAL", "GRE"))
    assert does(table, seat, offer) == 200
    by, to = offer["power"], offer["to"]
    march = next(one for one in commands if one["do"] in ("Activate", "PlayValue"))
    told = [
        (to, {"do": "AcceptAlliance", "power": to, "by": by}),
        (to, {"do": "DeclineAlliance", "power": to, "by": by}),
        (seat, {"do": "WithdrawOffer", "power": by, "to": to}),
        (seat, {"do": "BreakAlliance", "power": by, "ally": to}),
        (to, {"do": "BreakAlliance", "power": to, "ally": by}),
        (seat, march),
        (seat, {"do": "Pass", "power": "ES" if seat == "ES" else by}),
    ]
    Random(3).shuffle(told)
    channel = table.open(seat, to)
    with ThreadPoolExecutor(10) as pool:
        talking = [pool.submit(table.say, one, channel, "Well?") for one in (seat, to, seat)]
        statuses = list(pool.map(lambda one: does(table, *one), told))
        assert sorted(one.result()["number"] for one in talking) == [1, 2, 3]
    assert set(statuses) <= {200, 409}
    done = verified(table, before + 1 + statuses.count(200))
    answers = [one for one in done if one in ("AcceptAlliance", "DeclineAlliance", "WithdrawOffer")]
    assert len(answers) <= 1
