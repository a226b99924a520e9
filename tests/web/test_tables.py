"""A whole life of a table over HTTP: made, begun, played, followed, ended."""

from __future__ import annotations

from typing import Any

from foedus.kernel.audit import audit
from foedus.kernel.game import find_game
from web.harness import Follower, Server, play, seated

ROME = "sword_of_rome"
SEATS = ("ES", "GAL", "GRE", "ROM")


def test_a_game_is_made_begun_and_played(servers: Server) -> None:
    anna = servers.person("Anna")
    made = anna.ok("POST", "/api/tables", {"game": ROME, "players": 2, "title": "Tuesday"})
    table, seats = made["id"], [one["seat"] for one in made["seats"]]
    assert (made["title"], made["host"], made["status"], made["players"]) == ("Tuesday", "Anna", "waiting", 2)
    assert len(made["commitment"]) == 64
    anna.refused(409, "GET", f"/api/tables/{table}/view?seat=-")
    for seat in seats:
        anna.ok("POST", f"/api/tables/{table}/seats/{seat}")
    anna.ok("PUT", f"/api/tables/{table}/seats/{seats[0]}/number", {"number": "12345"})
    begun = anna.ok("POST", f"/api/tables/{table}/begin")
    assert begun["status"] == "playing"
    assert anna.refused(409, "POST", f"/api/tables/{table}/begin")["type"] == "begun"
    told = anna.lines(table, seats[0])
    assert [line["n"] for line in told] == list(range(1, len(told) + 1))
    assert next(line for line in told if line["what"] == "begun")["numbers"][seats[0]] == "12345"
    assert play(dict.fromkeys(seats, anna), table, 40) == 40


def test_a_stream_is_resumed_without_gap_or_repeat(server: Server) -> None:
    anna = server.person("Anna")
    table = seated(server, anna, dict.fromkeys(SEATS, anna), ROME, players=2)
    follower = Follower(anna, table, "ROM")
    play(dict.fromkeys(SEATS, anna), table, 15)
    all_lines = anna.lines(table, "ROM")
    assert follower.count(len(all_lines)) == all_lines
    follower.close()
    for since in (0, 3, len(all_lines) - 1):
        resumed = Follower(anna, table, "ROM", last=since)
        assert resumed.count(len(all_lines) - since) == all_lines[since:]
        resumed.close()
    play(dict.fromkeys(SEATS, anna), table, 3, seed=2)
    resumed = Follower(anna, table, "ROM", last=len(all_lines))
    assert resumed.count(1)[0]["n"] == len(all_lines) + 1
    resumed.close()


def test_a_command_with_a_key_is_done_once(servers: Server) -> None:
    anna = servers.person("Anna")
    table = seated(servers, anna, dict.fromkeys(SEATS, anna), ROME, players=2)
    view = anna.ok("GET", f"/api/tables/{table}/view?seat=ROM")
    seat = view["awaiting"][0]["seat"]
    command = anna.ok("GET", f"/api/tables/{table}/choices?seat={seat}")["choices"][0]["command"]
    told = {"seat": seat, "command": command, "seen": view["n"]}
    key = {"Idempotency-Key": "k1"}
    first = anna.ok("POST", f"/api/tables/{table}/commands", told, **key)
    assert first["missed"] == 0
    assert first["lines"]
    assert anna.ok("POST", f"/api/tables/{table}/commands", told, **key) == first
    servers.site.tables._open.clear()  # as after a restart: nothing is remembered but what is stored
    assert anna.ok("POST", f"/api/tables/{table}/commands", told, **key) == first
    other = {"seat": seat, "command": "ROM passes"}
    assert anna.refused(422, "POST", f"/api/tables/{table}/commands", other, **key)["type"] == "key_used"


def test_what_is_wrong_is_said(server: Server) -> None:
    anna = server.person("Anna")
    table = seated(server, anna, dict.fromkeys(SEATS, anna), ROME, players=2)
    path = f"/api/tables/{table}/commands"
    assert anna.refused(422, "POST", path, {"seat": "ROM", "command": "ROM frobs"})["type"] == "notation"
    assert anna.refused(422, "POST", path, {"seat": "ROM", "command": {"do": "Frob"}})["type"] == "command"
    assert anna.refused(400, "POST", path, {"seat": "ROM"})["type"] == "invalid"
    assert anna.refused(403, "POST", path, {"seat": "XXX", "command": "ROM passes"})["type"] == "no_such_seat"
    refused = anna.refused(409, "POST", path, {"seat": "ROM", "command": "ROM besieges Tarquinii"})
    assert refused["type"] == "refused"
    assert refused["ruling"]["verdict"] == "refused"
    assert refused["ruling"]["reasons"][0]["clause"] in refused["detail"]
    russian = anna.refused(409, "POST", path + "?lang=ru", {"seat": "ROM", "command": "ROM besieges Tarquinii"})
    assert russian["title"] == "Правила этого не позволяют."
    assert anna.refused(404, "GET", "/api/tables/nothing")["type"] == "no_such_table"
    assert anna.refused(404, "GET", "/api/nothing")["type"] == "http_404"
    assert anna.refused(405, "DELETE", f"/api/tables/{table}")["type"] == "http_405"
    assert server.stranger().refused(401, "POST", "/api/tables", {"game": ROME})["type"] == "signed_out"
    without = anna.client.post("/api/tables", json={"game": ROME})
    assert without.status_code == 403
    wrong: dict[str, dict[str, object]] = {
        "players": {"players": 9},
        "board": {"board": "../../etc/passwd"},
        "deck": {"deck": "deck.toml"},
        "rulings": {"rulings": {"half_ally": "nonsense"}},
        "sketch": {"sketch": "turn = 2"},
    }
    for field, spec in wrong.items():
        problem = anna.refused(422, "POST", "/api/tables", {"game": ROME, **spec})
        assert (problem["type"], problem["field"]) == ("spec", field), problem
    assert anna.refused(422, "POST", "/api/tables", {"game": "chess"})["type"] == "unknown_game"


def test_the_desk_needs_no_account(server: Server) -> None:
    anybody = server.stranger()
    asked = {
        "game": ROME,
        "sketch": 'alliances = ["ROM-ETR"]\nactive = "ROM"',
        "lines": ["ROM besieges Tarquinii", "?!"],
    }
    answers = anybody.ok("POST", "/api/desk", asked)["answers"]
    assert answers[0]["data"]["verdict"] in ("refused", "depends")
    assert answers[1]["problem"]["type"] == "notation"
    assert anybody.refused(422, "POST", "/api/desk", {**asked, "sketch": "x = ["})["type"] == "spec"
    assert anybody.refused(422, "POST", "/api/desk", {**asked, "sketch": 'board = "/etc/passwd"'})["type"] == "spec"


def test_the_record_of_a_game_that_ended_verifies(servers: Server) -> None:
    anna = servers.person("Anna")
    table = seated(servers, anna, dict.fromkeys(SEATS, anna), ROME, players=2)
    play(dict.fromkeys(SEATS, anna), table, 30)
    secret = servers.do(servers.site.tables.open(table)).secret
    assert secret.hex() not in anna.send("GET", f"/api/tables/{table}/record").text
    done = anna.ok("POST", f"/api/tables/{table}/proposals", {"what": "end", "seat": "ROM"})
    assert done["status"] == "done"
    lines = anna.send("GET", f"/api/tables/{table}/record").text.splitlines()
    found = audit(lines, find_game)
    assert not found.faults
    assert found.published
    assert found.draws > 0
    assert anna.refused(409, "POST", f"/api/tables/{table}/undo", {"seat": "ROM"})["type"] == "over"
    again = anna.ok("POST", "/api/tables/import", {"record": "\n".join(lines), "title": "Again"})
    assert again["status"] == "over"
    path = f"/api/tables/{again['id']}"
    assert anna.send("GET", f"{path}/record").text.splitlines() == lines
    events = [line for line in anna.lines(again["id"], "-") if line["what"] == "events"]
    played = [line for line in anna.lines(table, "-") if line["what"] == "events"]
    assert [_plain(line) for line in events] == [_plain(line) for line in played]


def _plain(line: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in line.items() if key != "n"}


def test_the_past_can_be_looked_at(servers: Server) -> None:
    """At every line of one's own: the view that one had then."""
    anna = servers.person("Anna")
    table = seated(servers, anna, dict.fromkeys(SEATS, anna), ROME, players=2)
    path = f"/api/tables/{table}/view?seat=ROM"
    seen = {}
    for step in range(80):
        view = anna.ok("GET", path)
        seen[view["n"]] = view["position"]
        play(dict.fromkeys(SEATS, anna), table, 1, seed=step)
    for line, position in list(seen.items())[::7]:
        told = anna.ok("GET", f"{path}&at={line}")
        assert (told["n"], told["position"]) == (line, position)
    assert anna.refused(409, "GET", f"{path}&at=9999")["type"] == "no_such_line"
    assert anna.refused(409, "GET", f"{path}&at=1")["type"] == "not_begun"
