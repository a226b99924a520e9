"""Notices: to exactly those touched, nothing secret in them, quiet hours, digests, and none lost."""

from __future__ import annotations

import json
import threading
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from foedus.table import clocks, notices
from foedus.table.notices import Quiet, quiet_until
from web.harness import Clock, Player, Server, Sink
from web.test_people import invited
from web.test_talks import ROMANS, ROME, Round, awaited, choose, rest

ADDRESS = "json://example.org/{}"


def dispatch(server: Server) -> int:
    found: int = server.do(server.site.notices.dispatch())
    return found


def told(player: Player, name: str, **settings: Any) -> None:
    player.ok("PUT", "/api/me/notices", {"to": [ADDRESS.format(name)], "after": 0, **settings})


def listening(server: Server, *seats: str, game: str = "caravans", **spec: Any) -> Round:
    """A table at which these seats, or all, have notices sent."""
    names = ROMANS if game == ROME else ("SA", "SB", "LN")
    for seat in seats or names:
        told(server.person(f"Player {seat}"), seat)
    return Round(server, game, names, **spec)


def test_it_is_your_decision(timed: Server, sink: Sink) -> None:
    table = listening(timed, title="Salt road")
    seat = awaited(table)
    dispatch(timed)
    assert sink.messages == [(seat, "Salt road", f"It is your decision ({seat}).")]
    sink.taken()
    rest(table)
    follows = awaited(table)
    dispatch(timed)
    assert sink.taken() == ([(follows, f"It is your decision ({follows}).")] if follows != seat else [])
    assert dispatch(timed) == 0  # once


def test_a_decision_waits_a_little_before_it_is_told(timed: Server, sink: Sink, clock: Clock) -> None:
    """Whoever sits at the table is not told of what he has decided by then."""
    table = listening(timed)
    for seat in table.players:
        told(table.players[seat], seat, after=5)
    seat = awaited(table)
    clock.now += 299
    assert dispatch(timed) == 0
    clock.now += 1
    assert dispatch(timed) == 1
    assert sink.taken() == [(seat, f"It is your decision ({seat}).")]


def test_what_is_decided_already_is_not_told(timed: Server, sink: Sink) -> None:
    table = listening(timed)
    for _ in range(3):
        rest(table)
    dispatch(timed)
    assert [to for to, _ in sink.taken()] == [awaited(table)]


def test_an_offer_is_told_to_whom_it_is_made_and_says_nothing_more(timed: Server, sink: Sink) -> None:
    table = listening(timed)
    dispatch(timed)
    sink.taken()
    seat = awaited(table)
    choose(table, seat, "Propose")
    offered = next(
        other
        for other in table.players
        if other != seat and any("Offered" in str(one) for one in table.lines(other, "events"))
    )
    dispatch(timed)
    assert sink.taken() == [(offered, f"An offer came for you ({offered}).")]


def sitting(table: Round, do: str, **fields: Any) -> None:
    """Do a command of The Sword of Rome for whoever may."""
    for seat, player in table.players.items():
        found = player.ok("GET", f"{table.path}/choices?seat={seat}&most=500")["choices"]
        for one in found:
            command = one["command"]
            if command["do"] == do and all(command.get(key) == value for key, value in fields.items()):
                player.ok("POST", f"{table.path}/commands", {"seat": seat, "command": command})
                return
    raise AssertionError(f"nobody may {do}")


def begun(table: Round) -> str:
    """Go on to the first activation in which an alliance can be offered; gives whose it is."""
    for _ in range(40):
        seat = awaited_of(table)
        player = table.players[seat]
        found = player.ok("GET", f"{table.path}/choices?seat={seat}&most=500")["choices"]
        kinds = {one["command"]["do"]: one["command"] for one in found}
        if "ProposeAlliance" in kinds:
            return seat
        command = kinds.get("KeepDesperate") or kinds.get("PlayValue") or found[0]["command"]
        player.ok("POST", f"{table.path}/commands", {"seat": seat, "command": command})
    raise AssertionError("no activation")


def test_alliances_made_and_broken(timed: Server, sink: Sink) -> None:
    table = listening(timed, game=ROME, players=4)
    seat = begun(table)
    dispatch(timed)
    sink.taken()
    other = next(one for one in ("GRE", "GAL", "ROM") if one != seat)
    power = "ETR" if seat == "ES" else seat
    sitting(table, "ProposeAlliance", power=power, to=other)
    dispatch(timed)
    assert sink.taken() == [(other, f"An offer came for you ({other}).")]
    sitting(table, "AcceptAlliance", power=other)
    dispatch(timed)
    assert sink.taken() == []  # both were there
    sitting(table, "BreakAlliance", power=power)
    dispatch(timed)
    assert [one for one in sink.taken() if "decision" not in one[1]] == [
        (other, f"An alliance you are in was broken ({other}).")
    ]


def awaited_of(table: Round) -> str:
    seat: str = table.players["ROM"].ok("GET", f"{table.path}/view?seat=-")["awaiting"][0]["seat"]
    return seat


def test_a_substitute_is_told_in_the_place_of_the_holder(timed: Server, sink: Sink) -> None:
    clara = timed.person("Clara")
    told(clara, "clara")
    table = listening(timed)
    seat = next(one for one in table.players if one != awaited(table))
    token = invited(table.players[seat], table.id, what="substitute", seat=seat, days=3)
    clara.ok("POST", f"/api/invitations/{token}")
    table.players[seat] = clara
    while awaited(table) != seat:
        rest(table)
    dispatch(timed)
    assert sink.taken() == [("clara", f"It is your decision ({seat}).")]


def test_kinds_may_be_turned_off(timed: Server, sink: Sink) -> None:
    told(timed.person("Player SA"), "SA", off=["decision"])
    told(timed.person("Player SB"), "SB", off=["decision"])
    told(timed.person("Player LN"), "LN", off=["decision"])
    Round(timed)
    dispatch(timed)
    assert sink.taken() == []


def test_in_quiet_hours_nothing_comes_until_they_are_over(timed: Server, sink: Sink, clock: Clock) -> None:
    clock.now = datetime(2027, 6, 1, 21, 30, tzinfo=UTC).timestamp()  # half past eleven in Berlin
    table = listening(timed)
    seat = awaited(table)
    told(table.players[seat], seat, quiet={"begin": "23:00", "end": "07:30", "zone": "Europe/Berlin"})
    dispatch(timed)
    assert seat not in [to for to, _ in sink.taken()]
    clock.now = datetime(2027, 6, 2, 5, 29, tzinfo=UTC).timestamp()
    assert dispatch(timed) == 0
    clock.now += 61
    dispatch(timed)
    assert sink.taken() == [(seat, f"It is your decision ({seat}).")]


@pytest.mark.parametrize(
    ("begin", "end", "now", "until"),
    [
        ("23:00", "07:00", "22:59", None),
        ("23:00", "07:00", "23:00", "07:00"),
        ("23:00", "07:00", "06:59", "07:00"),
        ("23:00", "07:00", "07:00", None),
        ("12:00", "13:00", "12:30", "13:00"),
        ("12:00", "13:00", "13:00", None),
        ("12:00", "12:00", "12:00", None),
    ],
)
def test_quiet_hours(begin: str, end: str, now: str, until: str | None) -> None:
    moment = datetime.fromisoformat(f"2027-01-05T{now}:00+00:00").timestamp()
    found = quiet_until(Quiet(begin, end), moment)
    assert (found is None) == (until is None)
    if found is not None:
        assert datetime.fromtimestamp(found, UTC).strftime("%H:%M") == until
        assert 0 < found - moment <= 86_400


def test_a_digest_gathers_what_comes(timed: Server, sink: Sink, clock: Clock) -> None:
    tables = [listening(timed, title=title) for title in ("First", "Second")]
    for seat in ("SA", "SB", "LN"):
        told(tables[0].players[seat], seat, digest=60)
    seat = awaited(tables[0])
    dispatch(timed)
    ((_, title, text),) = [one for one in sink.messages if one[0] == seat]
    assert title == "Foedus: your tables"
    assert text == f"First\nIt is your decision ({seat}).\nSecond\nIt is your decision ({seat})."
    sink.taken()
    clock.now += 60
    for table in tables:
        choose(table, awaited(table), "Propose")
    clock.now += 3000
    dispatch(timed)
    assert seat not in [to for to, _ in sink.taken()]
    for _ in range(8):
        rest(tables[0])
        if awaited(tables[0]) == seat:
            break
    clock.now += 540
    dispatch(timed)
    assert [text for to, text in sink.taken() if to == seat]


def test_a_notice_that_does_not_go_out_is_tried_again(timed: Server, sink: Sink, clock: Clock) -> None:
    table = listening(timed)
    seat = awaited(table)
    sink.works = False
    assert dispatch(timed) == 0
    sink.works = True
    assert dispatch(timed) == 0  # not at once
    clock.now += 61
    assert dispatch(timed) == 1
    assert sink.taken() == [(seat, f"It is your decision ({seat}).")]


def test_two_servers_send_it_once(servers: Server, sink: Sink) -> None:
    """Notices are claimed before they are sent."""
    servers.site.notices.send = sink
    servers.site.notices.schemes = ("json",)
    table = listening(servers)
    other = notices.Notices(servers.site.tables, send=sink)

    async def both() -> None:
        import asyncio

        await asyncio.gather(servers.site.notices.dispatch(), other.dispatch(), other.dispatch())

    servers.do(both())
    assert [to for to, _ in sink.taken()] == [awaited(table)]


def test_a_deadline_reminds_and_calls_the_host(timed: Server, sink: Sink, clock: Clock) -> None:
    settings = {"spectators": True, "clocks": {"decision": 3600, "warn": 600, "at_end": "host"}}
    table = listening(timed, settings=settings)
    seat = awaited(table)
    dispatch(timed)
    sink.taken()
    clock.now += 3001
    timed.do(clocks.tick(timed.site.tables))
    dispatch(timed)
    assert sink.taken() == [(seat, f"You are awaited and your time runs out ({seat}).")]
    clock.now += 600
    timed.do(clocks.tick(timed.site.tables))
    dispatch(timed)
    assert sink.taken() == [("SA", "A deadline has passed; you decide as the host.")]


def test_in_ones_own_language_with_the_address_of_the_table(timed: Server, sink: Sink) -> None:
    timed.site.notices.url = "https://foedus.example"
    for seat in ("SA", "SB", "LN"):
        timed.person(f"Player {seat}").ok("PUT", "/api/me", {"language": "ru"})
    table = listening(timed)
    dispatch(timed)
    seat = awaited(table)
    assert sink.taken() == [(seat, f"Решение за вами ({seat}).\nhttps://foedus.example/tables/{table.id}")]


@pytest.mark.parametrize(
    ("settings", "status", "field"),
    [
        ({"to": ["file:///etc/passwd"]}, 422, "to"),
        ({"to": ["ftp://x"]}, 422, "to"),
        ({"to": ["nonsense"]}, 422, "to"),
        ({"to": ["json://"]}, 422, "to"),
        ({"to": ["json://h"] * 6}, 400, ""),
        ({"quiet": {"begin": "25:00", "end": "07:00"}}, 400, ""),
        ({"quiet": {"begin": "22:00", "end": "07:00", "zone": "Mars/Olympus"}}, 422, "quiet.zone"),
        ({"quiet": {"begin": "22:00", "end": "07:00", "zone": "../../etc/passwd"}}, 422, "quiet.zone"),
        ({"off": ["all"]}, 400, ""),
        ({"digest": -1}, 400, ""),
    ],
)
def test_settings_that_cannot_be(timed: Server, settings: Any, status: int, field: str) -> None:
    anna = timed.person("Anna")
    found = anna.refused(status, "PUT", "/api/me/notices", settings)
    assert found.get("field", "") == field
    assert anna.ok("GET", "/api/me/notices")["settings"] == {}


def test_whether_notices_come_can_be_tried(timed: Server, sink: Sink) -> None:
    anna = timed.person("Anna")
    assert anna.refused(422, "POST", "/api/me/notices/test")["type"] == "notice_failed"
    told(anna, "anna")
    anna.ok("POST", "/api/me/notices/test")
    assert sink.taken() == [("anna", "notices reach you here")]
    sink.works = False
    anna.refused(422, "POST", "/api/me/notices/test")


def test_agreements_and_wars_of_virgin_queen(timed: Server, sink: Sink) -> None:
    seats = ("OTT", "SPA", "ENG", "FRA", "HRE", "PRO")
    for seat in seats:
        told(timed.person(f"Player {seat}"), seat, off=["decision"])
    table = Round(timed, "virgin_queen", seats, players=6)

    def does(seat: str, line: str) -> None:
        table.players[seat].ok("POST", f"{table.path}/commands", {"seat": seat, "command": line})

    does("FRA", "FRA drafts an agreement with OTT and PRO")
    does("FRA", "FRA writes: FRA allies with OTT")
    dispatch(timed)
    assert sink.taken() == []  # a draft is nobody else's business
    does("FRA", "FRA offers its draft")
    dispatch(timed)
    assert sink.taken() == [(seat, f"An offer came for you ({seat}).") for seat in ("OTT", "PRO")]
    declared: dict[str, Any] = {}
    for _ in range(60):
        seat = table.players["OTT"].ok("GET", f"{table.path}/view?seat=-")["awaiting"][0]["seat"]
        player = table.players[seat]
        found = player.ok("GET", f"{table.path}/choices?seat={seat}&most=500")["choices"]
        commands = [one["command"] for one in found]
        kinds = {one["do"]: one for one in commands if one["do"] != "DeclareWar" or one["to"] in seats}
        chosen = next(
            kinds[do]
            for do in ("PayCard", "DeclareWar", "DoneNegotiating", "DoneRansoming", "DoneDeclaring", *kinds)
            if do in kinds
        )
        player.ok("POST", f"{table.path}/commands", {"seat": seat, "command": chosen})
        if chosen["do"] == "DeclareWar":
            declared = chosen
        if declared and any("WarBegan" in str(one) for one in player.lines(table.id, "-")):
            break
    dispatch(timed)
    touched = sink.taken()
    assert (declared["to"], f"War was brought upon you ({declared['to']}).") in touched
    assert declared["power"] not in [to for to, text in touched if "War" in text]


def test_apprise_sends_it(timed: Server) -> None:
    """By apprise itself, to a service that listens here."""
    heard: list[dict[str, Any]] = []

    class Service(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            heard.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:
            pass

    service = HTTPServer(("127.0.0.1", 0), Service)
    thread = threading.Thread(target=service.handle_request, daemon=True)
    thread.start()
    timed.site.notices.send = notices.by_apprise
    anna = timed.person("Anna")
    anna.ok("PUT", "/api/me/notices", {"to": [f"json://127.0.0.1:{service.server_port}/anna"]})
    anna.ok("POST", "/api/me/notices/test")
    thread.join(10)
    service.server_close()
    assert [(one["title"], one["message"]) for one in heard] == [("Foedus", "notices reach you here")]
    # nobody listens there any more
    anna.refused(422, "POST", "/api/me/notices/test")
