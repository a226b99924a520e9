"""Process death: what was acknowledged is there, what was not is whole or absent; streams go on, no gap, no repeat."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import httpx
from sqlalchemy.engine import make_url

from web.conftest import new_database
from web.harness import Player
from web.processes import Process

ROUNDS = 3


class Typist:
    """Types numbered corrections into a ledger, each with its key, again and again until it is acknowledged."""

    def __init__(self, player: Player, table: str, seat: str) -> None:
        self.player, self.table, self.seat = player, table, seat
        self.acknowledged: list[int] = []
        self.stop = threading.Event()
        self.failed: list[str] = []
        self.put_off = 0
        """how often the server could not write just now"""
        self.thread = threading.Thread(target=self._type, daemon=True)
        self.thread.start()

    def further(self, count: int) -> None:
        """Wait until so many more were acknowledged."""
        wanted, end = len(self.acknowledged) + count, time.monotonic() + 30
        while len(self.acknowledged) < wanted:
            assert not self.failed, self.failed
            assert time.monotonic() < end, "nothing was acknowledged any more"
            time.sleep(0.005)

    def _type(self) -> None:
        number = 0
        while not self.stop.is_set():
            number += 1
            told = {"seat": self.seat, "command": f"set turn {1 + number % 9}"}
            while not self.stop.is_set():
                try:
                    found = self.player.send(
                        "POST", f"/api/tables/{self.table}/commands", told, **{"Idempotency-Key": f"k{number}"}
                    )
                except httpx.HTTPError:
                    time.sleep(0.02)
                    continue
                if found.status_code == 200:
                    self.acknowledged.append(number)
                    break
                if found.status_code != 503:
                    self.failed.append(found.text)
                    return
                self.put_off += 1
                time.sleep(0.05)


class Reader:
    """Follows a stream for ever, coming back with what it has seen last."""

    def __init__(self, player: Player, table: str, seat: str) -> None:
        self.player, self.table, self.seat = player, table, seat
        self.numbers: list[int] = []
        self.stop = False
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def _read(self) -> None:
        with httpx.Client(base_url=self.player.url, cookies=dict(self.player.client.cookies), timeout=20) as client:
            while not self.stop:
                last = {"Last-Event-ID": str(self.numbers[-1] if self.numbers else 0)}
                try:
                    with client.stream(
                        "GET", f"/api/tables/{self.table}/stream?seat={self.seat}", headers=last
                    ) as answer:
                        for line in answer.iter_lines():
                            if line.startswith("id: "):
                                self.numbers.append(int(line[4:]))
                            if self.stop:
                                return
                except httpx.HTTPError:
                    time.sleep(0.02)


def ledger(player: Player) -> tuple[str, str]:
    made = player.ok("POST", "/api/tables", {"game": "sword_of_rome", "kind": "ledger", "players": 4})
    seat = made["seats"][0]["seat"]
    player.ok("POST", f"/api/tables/{made['id']}/seats/{seat}")
    return made["id"], seat


def ends_well(player: Player, table: str, seat: str, typist: Typist, reader: Reader) -> None:
    """What was acknowledged is in the record, once, in order; the reader has every line once."""
    assert not typist.failed
    lines = player.lines(table, seat)
    assert [line["n"] for line in lines] == list(range(1, len(lines) + 1))
    typed = [line["line"] for line in lines if line["what"] == "events"]
    wanted = [f"set turn {1 + number % 9}" for number in typist.acknowledged]
    assert typist.acknowledged == list(range(1, len(wanted) + 1))
    assert len(wanted) > 5
    assert typed[: len(wanted)] == wanted
    assert len(typed) <= len(wanted) + 1  # the last may have been done without being acknowledged
    end = time.monotonic() + 10
    while len(reader.numbers) < len(lines) and time.monotonic() < end:
        time.sleep(0.02)
    assert reader.numbers == [line["n"] for line in lines]
    record = player.send("GET", f"/api/tables/{table}/record").text.splitlines()
    assert len(record) == len(typed) + 1


def through(process: Process, harm: Callable[[Random], Any], rounds: int) -> None:
    """Type and read while the server is harmed again and again."""
    player = process.start().person("Anna")
    table, seat = ledger(player)
    typist, reader = Typist(player, table, seat), Reader(player, table, seat)
    random = Random(7)
    try:
        for _ in range(rounds):
            typist.further(4)
            time.sleep(random.random() / 20)
            harm(random)
        typist.further(4)
    finally:
        typist.stop.set()
        typist.thread.join(20)
    try:
        ends_well(player, table, seat, typist, reader)
    finally:
        reader.stop = True
        process.stop()
        player.close()
        reader.thread.join(20)


def test_killed_again_and_again_on_sqlite(tmp_path: Path) -> None:
    process = Process(str(tmp_path / "foedus.db"))

    def kill(random: Random) -> None:
        process.kill()
        process.start()

    through(process, kill, ROUNDS)


def test_killed_again_and_again_on_postgresql_with_two_workers(postgres: str) -> None:
    process = Process(new_database(postgres), more=("--workers", "2"))

    def kill(random: Random) -> None:
        process.kill()
        process.start()

    through(process, kill, 1)


def test_the_database_goes_away_and_comes_back(postgres: str) -> None:
    import psycopg

    address = new_database(postgres)
    name = make_url(address).database
    process = Process(address)

    def cut(random: Random) -> None:
        with psycopg.connect(postgres, autocommit=True) as connection:
            connection.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
            connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", (name,))
            time.sleep(0.2 + random.random() / 4)
            connection.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")

    through(process, cut, 2)


def test_the_first_answer_comes_soon(tmp_path: Path) -> None:
    """How soon on a quiet machine is measured by `make bench`; here only that nobody makes it load too much."""
    process = Process(str(tmp_path / "foedus.db"))
    spent = []
    for _ in range(2):
        process.start()
        spent.append(process.cpu_seconds)
        process.stop()
    assert min(spent) < 1.6
