"""Deadlines by a clock set by hand: what runs, what happens at the end, restarts, the host, standing answers."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from foedus.table import clocks
from web.harness import Clock, Server, seated, serving
from web.test_talks import ROMANS, ROME, Round, awaited, choose, rest, send


def tick(server: Server) -> None:
    server.do(clocks.tick(server.site.tables))


def running(table: Round) -> dict[str, Any]:
    found = table.players["SA"].ok("GET", f"{table.path}/clocks")["clocks"]
    return {one["clock"]: one for one in found}


def around(server: Server, at_end: str = "remind", **told: Any) -> Round:
    return Round(server, settings={"spectators": True, "clocks": {"at_end": at_end, **told}})


def states(table: Round, seat: str = "-") -> list[tuple[str, str]]:
    return [(one["clock"], one["state"]) for one in table.lines(seat, "clock")]


def test_each_decision_has_its_time(timed: Server, clock: Clock) -> None:
    table = around(timed, decision=3600)
    seat = awaited(table)
    began = clock.now
    assert running(table) == {
        f"decision {seat}": {
            "clock": f"decision {seat}",
            "what": "decision",
            "seat": seat,
            "due": began + 3600,
            "seconds": 3600,
        }
    }
    clock.now += 600
    rest(table)
    follows = awaited(table)
    assert {name: one["due"] for name, one in running(table).items()} == {f"decision {follows}": clock.now + 3600}
    # a caravan: all who are asked have a clock of their own, and whoever answers has none any more
    send(table)
    asked = set(running(table))
    assert len(asked) > 1
    answering = awaited(table)
    choose(table, answering, "Wait")
    assert set(running(table)) <= asked


def test_what_is_done_in_secret_moves_no_clock(timed: Server, clock: Clock) -> None:
    table = around(timed, decision=3600)
    before = running(table)
    clock.now += 60
    choose(table, awaited(table), "Propose")
    assert running(table) == before


def test_at_the_end_whoever_is_awaited_is_reminded(timed: Server, clock: Clock) -> None:
    table = around(timed, decision=3600, warn=600)
    name = f"decision {awaited(table)}"
    clock.now += 2999
    tick(timed)
    assert states(table) == []
    clock.now += 1
    tick(timed)
    tick(timed)
    assert states(table) == [(name, "soon")]
    clock.now += 600
    tick(timed)
    assert states(table) == [(name, "soon"), (name, "over")]
    assert running(table)[name]["due"] == clock.now + 3600
    tick(timed)
    assert len(states(table)) == 2


def test_at_the_end_the_seat_passes(timed: Server, clock: Clock) -> None:
    table = around(timed, "pass", decision=60)
    seat = awaited(table)
    clock.now += 61
    tick(timed)
    told = table.lines(seat, "events")
    assert told[-1]["command"]["do"] == "Rest"
    assert awaited(table) != seat or running(table)[f"decision {seat}"]["due"] == clock.now + 60
    # sealed answers are given for those who do not answer
    send(table)
    while len(running(table)) > 1:
        clock.now += 61
        tick(timed)
    assert awaited(table)


def test_a_phase_that_runs_out_ends(timed: Server, clock: Clock) -> None:
    table = Round(timed, ROME, ROMANS, players=4, settings={"spectators": True, "clocks": {"at_end": "pass"}})
    host = table.players["ROM"]
    for _ in range(20):
        view = host.ok("GET", f"{table.path}/view?seat=-")
        if view["position"]["phase"] == "action":
            break
        seat = view["awaiting"][0]["seat"]
        command = table.players[seat].ok("GET", f"{table.path}/choices?seat={seat}")["choices"][0]["command"]
        table.players[seat].ok("POST", f"{table.path}/commands", {"seat": seat, "command": command})
    host.ok("PATCH", table.path, {"clocks": {"phase": 86_400, "at_end": "pass"}})
    since = host.ok("GET", f"{table.path}/clocks")["clocks"]
    assert [(one["clock"], one["due"]) for one in since] == [("phase", clock.now + 86_400)]
    clock.now += 86_401
    tick(timed)
    position = host.ok("GET", f"{table.path}/view?seat=-")["position"]
    assert position["phase"] != "action"
    found = host.ok("GET", f"{table.path}/clocks")["clocks"]
    assert [one["due"] for one in found] == [clock.now + 86_400]


def test_a_segment_of_negotiations_ends(timed: Server, clock: Clock) -> None:
    table = around(timed, "pass", segment=300)
    assert running(table)["segment"]["due"] == clock.now + 300
    send(table)
    assert "segment" not in running(table)  # a caravan is under way
    while "segment" not in running(table):
        seat = awaited(table)
        choose(table, seat, "Wait")
    turn = table.players["SA"].ok("GET", f"{table.path}/view?seat=-")["position"]["turn"]
    clock.now += 301
    tick(timed)
    assert table.players["SA"].ok("GET", f"{table.path}/view?seat=-")["position"]["turn"] == turn + 1
    assert running(table)["segment"]["due"] == clock.now + 300


def test_at_the_end_what_the_seat_said_beforehand_is_done(timed: Server, clock: Clock) -> None:
    table = around(timed, "standing", decision=60)
    seat = awaited(table)
    path = f"{table.path}/seats/{seat}/standing"
    player = table.players[seat]
    power = player.ok("GET", f"{table.path}/choices?seat={seat}")["choices"][0]["command"]["power"]
    tour = next(
        one["line"]
        for one in player.ok("GET", f"{table.path}/choices?seat={seat}&most=500")["choices"]
        if one["command"]["do"] == "Tour"
    )
    other = next(one for one in table.players if one != seat)
    table.players[other].refused(403, "GET", path)
    table.players[other].refused(403, "PUT", path, {"lines": []})
    assert player.refused(422, "PUT", path, {"lines": ["dance"]})["type"] == "notation"
    # the first cannot be done, the second can
    lines = len(table.players[other].lines(table.id, other))
    player.ok("PUT", path, {"lines": ["LAK rests" if power != "LAK" else "AMB rests", tour, "pass"]})
    assert player.ok("GET", path)["lines"][1] == tour
    assert len(table.players[other].lines(table.id, other)) == lines  # nobody else hears of it
    clock.now += 61
    tick(timed)
    assert table.lines(seat, "events")[-1]["command"]["do"] == "Tour"


def test_without_an_answer_the_host_decides(timed: Server, clock: Clock) -> None:
    table = around(timed, "standing", decision=60)
    seat = awaited(table)
    name = f"decision {seat}"
    clock.now += 61
    tick(timed)
    assert states(table) == [(name, "host")]
    assert running(table)[name]["due"] is None
    clock.now += 9999
    tick(timed)
    host = table.players["SA"]
    path = f"{table.path}/clocks"
    table.players["SB"].refused(403, "POST", path, {"clock": name, "do": "pass"})
    assert host.refused(409, "POST", path, {"clock": "decision XX", "do": "pass"})["type"] == "no_such_clock"
    host.ok("POST", path, {"clock": name, "do": "extend", "seconds": 120})
    assert running(table)[name]["due"] == clock.now + 120
    assert states(table)[-1] == (name, "extended")
    assert host.refused(409, "POST", path, {"clock": name, "do": "standing"})["type"] == "nothing_to_pass"
    host.ok("POST", path, {"clock": name, "do": "pass"})
    assert table.lines(seat, "events")[-1]["command"]["do"] == "Rest"


def test_clocks_survive_a_restart(db: str, clock: Clock) -> None:
    with serving(db, clock) as server:
        table = around(server, "pass", decision=3600)
        seat = awaited(table)
        before = running(table)
    with serving(db, clock) as server:
        again = server.person("Player SA")
        found = again.ok("GET", f"/api/tables/{table.id}/clocks")["clocks"]
        assert found == list(before.values())
        clock.now += 3601
        tick(server)
        lines = server.person(f"Player {seat}").lines(table.id, seat)
        assert [one["command"]["do"] for one in lines if one["what"] == "events" and one.get("by") == seat] == ["Rest"]


def test_clocks_end_when_they_are_turned_off_and_when_the_game_ends(timed: Server, clock: Clock) -> None:
    table = around(timed, "pass", decision=60)
    assert running(table)
    table.players["SA"].ok("PATCH", table.path, {"clocks": {}})
    assert running(table) == {}
    table.players["SA"].ok("PATCH", table.path, {"clocks": {"decision": 60, "at_end": "pass"}})
    for _ in range(60):
        clock.now += 61
        tick(timed)
    assert table.players["SA"].ok("GET", table.path)["status"] == "over"
    assert running(table) == {}
    assert len(table.lines("-", "over")) == 1


def test_the_server_looks_at_its_clocks_by_itself(tmp_path: Path) -> None:
    with serving(tmp_path / "foedus.db", tick=0.05) as server:
        anna = server.person("Anna")
        settings = {"clocks": {"decision": 1, "at_end": "pass"}}
        table = seated(server, anna, {"SA": anna, "SB": anna, "LN": anna}, settings=settings)
        end = time.monotonic() + 10
        while not [one for one in anna.lines(table, "-") if one.get("what") == "events"][1:]:
            assert time.monotonic() < end
            time.sleep(0.1)


QUEENS = ("OTT", "SPA", "ENG", "FRA", "HRE", "PRO")


def test_a_segment_of_negotiations_of_virgin_queen(timed: Server, clock: Clock) -> None:
    """With its time the right to talk in secret is over, too, where the table keeps it for that segment."""
    settings = {"spectators": True, "clocks": {"segment": 1800, "at_end": "pass"}}
    rulings = {"secret_talks": "limited"}
    table = Round(timed, "virgin_queen", QUEENS, players=6, settings=settings, rulings=rulings)
    host = table.players["OTT"]

    def position() -> Any:
        return host.ok("GET", f"{table.path}/view?seat=-")["position"]

    assert position()["phase"] == "negotiation"
    channel = table.open("FRA", "OTT")
    table.say("FRA", channel, "A fleet at Toulon?")
    assert [one["clock"] for one in host.ok("GET", f"{table.path}/clocks")["clocks"]] == ["segment"]
    clock.now += 1801
    tick(timed)
    assert position()["phase"] not in ("negotiation", "draw")
    assert host.ok("GET", f"{table.path}/clocks")["clocks"] == []
    assert table.refused("OTT", channel) == "talks_not_now"
    assert table.heard("OTT", channel) == ["A fleet at Toulon?"]
