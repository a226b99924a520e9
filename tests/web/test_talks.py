"""Talks: who hears what, the house rule, read marks; and that nobody else can tell that anything was said."""

from __future__ import annotations

import json
import os
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from foedus.table import tables as tables_module
from web.harness import CARAVANS, Clock, Follower, Server, seated, serving
from web.test_people import invited

SEATS = ("SA", "SB", "LN")
ROME = "sword_of_rome"
ROMANS = ("ROM", "GAL", "GRE", "ES")


class Round:
    """A table with a player on each seat."""

    def __init__(self, server: Server, game: str = CARAVANS, seats: tuple[str, ...] = SEATS, **spec: Any) -> None:
        self.server = server
        self.players = {seat: server.person(f"Player {seat}") for seat in seats}
        spec.setdefault("settings", {"spectators": True})
        self.id = seated(server, self.players[seats[0]], self.players, game, **spec)
        self.path = f"/api/tables/{self.id}"

    def open(self, seat: str, *others: str) -> int:
        found = self.players[seat].ok("POST", f"{self.path}/talks", {"seat": seat, "others": list(others)})
        return int(found["channel"])

    def say(self, seat: str, channel: int, text: str, **headers: str) -> Any:
        return self.players[seat].ok("POST", f"{self.path}/talks/{channel}", {"seat": seat, "text": text}, **headers)

    def refused(self, seat: str, channel: int, text: str = "psst") -> str:
        told = {"seat": seat, "text": text}
        return str(self.players[seat].refused(409, "POST", f"{self.path}/talks/{channel}", told)["type"])

    def heard(self, seat: str, channel: int) -> list[str]:
        found = self.players[seat].ok("GET", f"{self.path}/talks/{channel}?seat={seat}")["messages"]
        return [one["text"] for one in found]

    def talks(self, seat: str) -> Any:
        return self.players[seat].ok("GET", f"{self.path}/talks?seat={seat}")

    def lines(self, seat: str, *whats: str) -> list[dict[str, Any]]:
        player = self.players.get(seat) or self.server.stranger()
        return [one for one in player.lines(self.id, seat) if one["what"] in whats]


def test_only_the_seats_of_a_channel_hear_it(servers: Server) -> None:
    table = Round(servers)
    follower = Follower(table.players["SB"], table.id, "SB")
    channel = table.open("SA", "SB")
    assert table.open("SB", "SA") == channel  # there is one of each kind
    assert table.say("SA", channel, "  Attack at dawn?  ")["number"] == 1
    assert table.say("SB", channel, "At noon.")["number"] == 2
    assert table.heard("SB", channel) == table.heard("SA", channel) == ["Attack at dawn?", "At noon."]
    told = follower.until(lambda lines: lines[-1]["what"] == "talk" and lines[-1]["number"] == 2)
    follower.close()
    assert [one["text"] for one in told if one["what"] == "talk"] == ["Attack at dawn?", "At noon."]
    for seat in ("LN", "-"):
        assert table.lines(seat, "talk", "channel") == []
    path = f"{table.path}/talks/{channel}"
    assert table.refused("LN", channel) == "no_such_channel"
    table.players["LN"].refused(409, "GET", f"{path}?seat=LN")
    table.players["LN"].refused(403, "GET", f"{path}?seat=SA")
    servers.stranger().refused(409, "GET", path)
    # to the whole table anybody listens
    table.say("LN", 0, "Hear, hear!")
    assert table.lines("-", "talk")[0]["text"] == "Hear, hear!"
    assert servers.stranger().ok("GET", f"{table.path}/talks/0")["messages"][0]["seat"] == "LN"
    assert servers.stranger().ok("GET", f"{table.path}/talks") == {
        "channels": [{"channel": 0, "seats": list(SEATS), "said": 1, "read": 0}]
    }
    servers.stranger().refused(401, "POST", f"{table.path}/talks/0", {"seat": "SA", "text": "me too"})


def test_words_are_no_events_of_the_game(timed: Server) -> None:
    table = Round(timed)
    record = table.players["SA"].send("GET", f"{table.path}/record?seat=SA").text
    table.say("SA", table.open("SA", "SB", "LN"), "One for all.")
    table.say("SA", 0, "All for one.")
    assert table.players["SA"].send("GET", f"{table.path}/record?seat=SA").text == record


def test_a_message_is_said_once_however_often_it_is_sent(servers: Server) -> None:
    table = Round(servers)
    channel = table.open("SA", "LN")
    first = table.say("SA", channel, "Once.", **{"Idempotency-Key": "k"})
    assert table.say("SA", channel, "Once.", **{"Idempotency-Key": "k"}) == first
    assert table.heard("LN", channel) == ["Once."]
    told = {"seat": "SA", "text": "Twice."}
    table.players["SA"].refused(422, "POST", f"{table.path}/talks/{channel}", told, **{"Idempotency-Key": "k"})


def test_read_marks_are_ones_own(servers: Server) -> None:
    table = Round(servers)
    channel = table.open("SA", "SB")
    for number in range(5):
        table.say("SA", channel, f"Word {number}")
    heads = {seat: table.players[seat].lines(table.id, seat)[-1]["n"] for seat in SEATS}
    path = f"{table.path}/talks/{channel}/read"
    for number, read in ((3, 3), (1, 3), (99, 5)):  # a mark never goes back
        table.players["SB"].ok("PUT", path, {"seat": "SB", "number": number})
        found = next(one for one in table.talks("SB")["channels"] if one["channel"] == channel)
        assert (found["said"], found["read"]) == (5, read)
    assert next(one for one in table.talks("SA")["channels"] if one["channel"] == channel)["read"] == 0
    assert table.players["LN"].refused(409, "PUT", path, {"seat": "LN", "number": 1})["type"] == "no_such_channel"
    assert {seat: table.players[seat].lines(table.id, seat)[-1]["n"] for seat in SEATS} == heads


def test_old_messages_are_paged(timed: Server) -> None:
    table = Round(timed)
    channel = table.open("SA", "SB")
    for number in range(7):
        table.say("SA", channel, str(number))
    get = table.players["SB"]
    path = f"{table.path}/talks/{channel}?seat=SB"
    last = get.ok("GET", f"{path}&most=3")["messages"]
    assert [one["text"] for one in last] == ["4", "5", "6"]
    assert [one["text"] for one in get.ok("GET", f"{path}&most=3&before={last[0]['number']}")["messages"]] == [
        "1",
        "2",
        "3",
    ]


@pytest.mark.parametrize(
    ("told", "status"),
    [
        ({"text": ""}, 400),
        ({"text": "   "}, 409),
        ({"text": "x" * 2001}, 400),
        ({"text": 7}, 400),
        ({"text": "x", "more": 1}, 400),
        ([], 400),
    ],
)
def test_what_cannot_be_said(timed: Server, told: Any, status: int) -> None:
    anna = timed.person("Anna")
    table = seated(timed, anna, {"SA": anna})
    anna.refused(status, "POST", f"/api/tables/{table}/talks/0", told)


def test_channels_that_cannot_be(timed: Server) -> None:
    table = Round(timed)
    anna = table.players["SA"]
    for others, status in ((["SA"], 409), (["XX"], 409), ([], 400), ([""], 409), (["x" * 50], 400)):
        anna.refused(status, "POST", f"{table.path}/talks", {"seat": "SA", "others": others})
    for channel in ("-1", "5", "4096", "9" * 30, "9" * 5000, "x"):
        assert anna.send("GET", f"{table.path}/talks/{channel}").status_code in (400, 404, 409)
    table.players["SB"].refused(403, "POST", f"{table.path}/talks", {"seat": "SA", "others": ["LN"]})


def test_whoever_takes_a_seat_has_its_talks(timed: Server) -> None:
    table = Round(timed)
    channel = table.open("SA", "SB")
    table.say("SA", channel, "Between us.")
    clara = timed.person("Clara")
    clara.ok("POST", f"/api/invitations/{invited(table.players['SB'], table.id, seat='SB')}")
    found = clara.ok("GET", f"{table.path}/talks/{channel}?seat=SB")["messages"]
    assert [one["text"] for one in found] == ["Between us."]
    table.players["SB"].refused(403, "GET", f"{table.path}/talks/{channel}?seat=SB")


# the house rule


def test_where_secret_talks_are_forbidden_all_talk_is_public(timed: Server) -> None:
    table = Round(timed, ROME, ROMANS, players=4, rulings={"secret_talks": "forbidden"})
    told = {"seat": "ROM", "others": ["GAL"]}
    assert table.players["ROM"].refused(409, "POST", f"{table.path}/talks", told)["type"] == "talks_forbidden"
    table.say("ROM", 0, "Citizens!")
    assert table.talks("ROM")["secret"] == {
        "rule": "forbidden",
        "now": False,
        "why": "talks_forbidden",
        "until": None,
        "left": None,
    }


def test_a_ruling_in_mid_game_closes_secret_talks(timed: Server) -> None:
    table = Round(timed, ROME, ROMANS, players=4)
    channel = table.open("ROM", "GAL")
    table.say("ROM", channel, "Let us share Etruria.")
    anna = table.players["ROM"]
    ask = {"seat": "ROM", "what": "ruling", "text": "secret_talks forbidden"}
    number = anna.ok("POST", f"{table.path}/proposals", ask)["id"]
    for seat in ROMANS[1:]:
        found = table.players[seat].ok("POST", f"{table.path}/proposals/{number}", {"seat": seat, "yes": True})
    assert found["status"] == "done"
    assert table.refused("GAL", channel) == "talks_forbidden"
    assert table.heard("GAL", channel) == ["Let us share Etruria."]  # what was said stays


def test_secret_talks_are_limited_by_messages_a_segment(timed: Server, clock: Clock) -> None:
    talks = {"secret": "limited", "messages": 2}
    table = Round(timed, settings={"spectators": True, "talks": talks})
    awaited = table.players["SA"].ok("GET", f"{table.path}/view?seat=SA")["awaiting"][0]["seat"]
    other = "LN" if awaited != "LN" else "SB"
    channel = table.open(awaited, other)
    for left in (2, 1):
        assert table.talks(awaited)["secret"]["left"] == left
        table.say(awaited, channel, "psst")
    assert table.refused(awaited, channel) == "talks_used_up"
    assert table.talks(other)["secret"]["left"] == 2  # each seat counts for itself
    table.say(other, channel, "psst")
    table.say(awaited, 0, "But aloud.")
    rest(table, awaited)
    table.say(awaited, channel, "a new segment")
    assert table.talks(awaited)["secret"]["left"] == 1


def test_secret_talks_are_limited_by_minutes_and_to_the_segment(timed: Server, clock: Clock) -> None:
    table = Round(timed, settings={"spectators": True, "talks": {"secret": "limited", "minutes": 5}})
    channel = table.open("SA", "SB")
    began = clock.now
    clock.now += 299
    table.say("SA", channel, "psst")
    assert table.talks("SA")["secret"]["until"] == began + 300
    clock.now += 1
    assert table.refused("SA", channel) == "talks_time_over"
    rest(table)
    table.say("SA", channel, "again")
    # a caravan is under way: that is no segment of negotiations
    send(table)
    assert table.refused("SA", channel) == "talks_not_now"
    table.say("SA", 0, "aloud")


def awaited(table: Round) -> str:
    seat: str = table.players["SA"].ok("GET", f"{table.path}/view?seat=SA")["awaiting"][0]["seat"]
    return seat


def choose(table: Round, seat: str, do: str) -> None:
    found = table.players[seat].ok("GET", f"{table.path}/choices?seat={seat}&most=500")["choices"]
    command = next(one["command"] for one in found if one["command"]["do"] == do)
    table.players[seat].ok("POST", f"{table.path}/commands", {"seat": seat, "command": command})


def rest(table: Round, seat: str = "") -> None:
    choose(table, seat or awaited(table), "Rest")


def send(table: Round) -> None:
    """A caravan goes as soon as somebody can send one: a tour brings the gold for it."""
    for _ in range(12):
        seat = awaited(table)
        path = f"{table.path}/choices?seat={seat}&most=500"
        found = [one["command"]["do"] for one in table.players[seat].ok("GET", path)["choices"]]
        choose(table, seat, next(do for do in ("Send", "Tour", "Rest") if do in found))
        if "Send" in found:
            return
    raise AssertionError("nobody could send anything")


# secrecy


def everything(table: Round, seat: str, followers: dict[str, Follower], live: Any) -> list[str]:
    """Every byte that reaches a seat and the spectators, whatever they ask."""
    player = table.players[seat]
    found = []
    mine = table.open(seat, "SB")
    for one, viewer in ((player, seat), (table.server.stranger(), "-")):
        for path in ("view", "choices", "lines", "record", "talks", "talks/0", "talks/6", "talks/7", f"talks/{mine}"):
            answer = one.send("GET", f"{table.path}/{path}?seat={viewer}")
            kept = {name: value for name, value in answer.headers.items() if name not in ("date", "set-cookie")}
            found.append(f"{path} {answer.status_code} {sorted(kept.items())} {answer.text}")
        found.append(one.send("GET", table.path).text)
    for channel in (5, 6, 7, 12):
        told = {"seat": seat, "text": "is anybody there?"}
        if channel != mine:
            found.append(player.send("POST", f"{table.path}/talks/{channel}", told).text)
            found.append(player.send("PUT", f"{table.path}/talks/{channel}/read", {"seat": seat, "number": 3}).text)
    found.append(json.dumps(table.say(seat, mine, "I say")))
    found.append(json.dumps(table.say(seat, 0, "aloud")))
    for viewer, follower in followers.items():
        follower.count(live().heads["" if viewer == "-" else viewer])
        found += follower.raw
    return [one.replace(table.id, "TABLE") for one in found]


def test_nobody_can_tell_what_others_say_or_whether(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same game twice; in the second world the two others talk all the time, in secret."""
    monkeypatch.setattr(os, "urandom", bytes)
    monkeypatch.setattr(tables_module, "commitment", lambda secret: "c" * 64)
    worlds = []
    settings = {"spectators": True, "talks": {"secret": "limited", "messages": 100, "minutes": 60}}
    with ExitStack() as stack:
        for name in ("one", "two"):
            timed = stack.enter_context(serving(tmp_path / f"{name}.db", lambda: 1_800_000_000.0))
            table = Round(timed, settings=settings)
            stranger = timed.stranger()
            followers = {"SA": Follower(table.players["SA"], table.id, "SA"), "-": Follower(stranger, table.id, "-")}
            found = []
            for step in range(3):
                if name == "two":
                    channel = table.open("SB", "LN")
                    for number in range(3):
                        table.say("SB", channel, f"secret {step} {number}")
                    table.players["LN"].ok("PUT", f"{table.path}/talks/{channel}/read", {"seat": "LN", "number": step})
                rest(table)
                if name == "two":
                    table.say("LN", table.open("LN", "SB"), "psst")

                def live(timed: Server = timed, table: Round = table) -> Any:
                    return timed.do(timed.site.tables.open(table.id))

                found += everything(table, "SA", followers, live)
            worlds.append(found)
            for follower in followers.values():
                follower.close()
            stored = b"".join(one.read_bytes() for one in tmp_path.glob(f"{name}.db*"))
            assert (b"secret 2 1" in stored) == (name == "two")
    assert worlds[0] == worlds[1]
    assert not any("psst" in one or "secret 0" in one for one in worlds[1])
