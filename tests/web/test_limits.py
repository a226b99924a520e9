"""Too much of anything is refused; who listens badly harms nobody; logs tell nothing."""

from __future__ import annotations

import json
import socket
import time
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from foedus.table import tables as tables_module
from foedus.table.live import Draft
from web.harness import Follower, Server, seated, serving

SEATS = ("SA", "SB", "LN")


def test_too_much_is_refused(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    anna = server.person("Anna")
    made = anna.ok("POST", "/api/tables", {"game": "sword_of_rome", "kind": "ledger", "players": 4})
    anna.ok("POST", f"/api/tables/{made['id']}/seats/ROM")
    path = f"/api/tables/{made['id']}/commands"
    assert anna.refused(400, "POST", path, {"seat": "ROM", "command": "x" * 5_000})["type"] == "invalid"
    assert anna.refused(413, "POST", path, {"seat": "ROM", "command": "x" * 600_000})["type"] == "http_413"
    assert anna.refused(422, "POST", "/api/people", {"name": "n" * 41, "password": "correct horse"})["field"] == "name"
    deep = '{"seat":"ROM","command":' + '{"a":' * 2_000 + "1" + "}" * 2_000 + "}"
    headers = {"x-csrftoken": anna.client.cookies.get("csrftoken") or "", "content-type": "application/json"}
    assert anna.client.post(path, content=deep, headers=headers).status_code in (400, 422)
    assert anna.client.post(path, content=b"\xff{", headers=headers).status_code == 400
    monkeypatch.setattr(tables_module, "MOST_TABLES_OF_A_HOST", 2)
    anna.ok("POST", "/api/tables", {"game": "caravans"})
    assert anna.refused(409, "POST", "/api/tables", {"game": "caravans"})["type"] == "too_many_tables"


def test_writes_are_counted_and_reads_are_not(tmp_path: Path) -> None:
    with serving(tmp_path / "foedus.db", rate=5) as server:
        anna = server.person("Anna")
        statuses = [anna.send("POST", "/api/tables", {"game": "nothing"}).status_code for _ in range(8)]
        assert statuses[0] == 422
        assert statuses[-1] == 429
        problem = anna.refused(429, "POST", "/api/tables", {"game": "nothing"})
        assert problem["type"] == "http_429"
        assert all(anna.send("GET", "/api/tables").status_code == 200 for _ in range(20))
        assert server.stranger().send("POST", "/api/desk", {"game": "x", "lines": ["y"]}).status_code != 429


def test_who_never_reads_harms_nobody(tmp_path: Path) -> None:
    with serving(tmp_path / "foedus.db", heartbeat=0.3) as server:
        never_read(server)


def never_read(server: Server) -> None:
    players = {seat: server.person(f"Player {seat}") for seat in SEATS}
    table = seated(server, players["SA"], players)
    address = urlsplit(server.url)
    deaf = []
    cookies = "; ".join(f"{name}={value}" for name, value in players["SA"].client.cookies.items())
    for _ in range(5):
        one = socket.create_connection((str(address.hostname), int(address.port or 0)))
        one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
        one.sendall(f"GET /api/tables/{table}/stream?seat=SA HTTP/1.1\r\nHost: x\r\nCookie: {cookies}\r\n\r\n".encode())
        deaf.append(one)
    hears = Follower(players["SA"], table, "SA")

    async def much() -> None:
        live = await server.site.tables.open(table)
        for number in range(400):
            await live.do(partial(talk, text=f"{number} " * 200))

    def talk(draft: Draft, text: str) -> None:
        draft.tell("SA", {"what": "talk", "text": text})

    server.do(much())
    live = server.do(server.site.tables.open(table))
    assert hears.count(live.heads["SA"])[-1]["text"].startswith("399")
    for one in deaf:
        one.close()
    hears.close()
    end = time.monotonic() + 10
    while live.readers and time.monotonic() < end:
        time.sleep(0.02)
    assert live.readers == 0


def test_logs_tell_nothing(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """One line a request, and in none of them a name, a word, a token or an id."""
    with serving(tmp_path / "foedus.db", logs="json") as server:
        anna = server.person("Annabella")
        table = seated(server, anna, dict.fromkeys(SEATS, anna))
        anna.send("POST", f"/api/tables/{table}/commands", {"seat": "SA", "command": "a secret word"})
        anna.send("GET", f"/api/tables/{table}/lines?seat=SA")
        anna.send("GET", "/join/a-token-of-an-invitation")
        secret = server.do(server.site.tables.open(table)).secret.hex()
        session = anna.client.cookies.get("foedus_session") or ""
    said = capfd.readouterr().err
    lines = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
    assert len(lines) > 5
    assert {"method", "route", "status", "ms"} <= set(lines[-1])
    for word in ("Annabella", "secret word", table, secret, session, "correct horse", "a-token-of-an-invitation"):
        assert word not in said
