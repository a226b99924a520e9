"""What a server does in a second, over real sockets: the server on one core, the load on another, both reported.

python bench/serve.py            the whole table
python bench/serve.py --short    less of everything

Beside it, in the same run, what a bare socket does with one insert an event.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from wire import Wire

ROME = "sword_of_rome"
QUEEN = "virgin_queen"
TICKS = os.sysconf("SC_CLK_TCK")
CORES = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else [0]


def pinned(command: list[str], **more: Any) -> subprocess.Popen[bytes]:
    """A process on the first core."""
    core = CORES[0]
    setting = (lambda: os.sched_setaffinity(0, {core})) if hasattr(os, "sched_setaffinity") else None
    return subprocess.Popen(command, preexec_fn=setting, stdout=subprocess.DEVNULL, **more)


class Measured:
    """A server in a process of its own."""

    def __init__(self, folder: str) -> None:
        self.port = free_port()
        settings = {"db": f"{folder}/foedus.db", "rate": 0, "logs": "none"}
        began = time.monotonic()
        command = [sys.executable, "-m", "uvicorn", "foedus.web.app:create_app", "--factory", "--no-access-log"]
        self.process = pinned(
            [*command, "--port", str(self.port), "--log-level", "critical", "--backlog", "4096"],
            env={**os.environ, "FOEDUS_SETTINGS": json.dumps(settings)},
        )
        asyncio.run(self._answers())
        self.seconds = time.monotonic() - began

    async def _answers(self) -> None:
        while True:
            try:
                wire = await self.wire()
                await wire.ok("GET", "/api/health")
                wire.close()
                return
            except OSError:
                await asyncio.sleep(0.005)

    async def wire(self) -> Wire:
        """A connection."""
        return await Wire("127.0.0.1", self.port).open()

    def cpu(self) -> float:
        """How long it has used its core."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def memory(self) -> int:
        """What it holds, in bytes."""
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")

    def stop(self) -> None:
        """Stop it."""
        self.process.terminate()
        self.process.wait(20)


def free_port() -> int:
    """A port that is free now."""
    import socket

    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def row(what: str, value: str, bar: str = "", note: str = "") -> None:
    """A line of the table."""
    print(f"{what:58} {value:>16} {bar:>14}  {note}", flush=True)


async def load(
    server: Measured, send: Callable[[Wire, int], Awaitable[None]], wires: list[Wire], count: int
) -> tuple[float, float, float]:
    """So many requests over these connections; gives how many a second, and how busy the server and the load were."""
    numbers = iter(range(count))
    busy, mine, began = server.cpu(), time.process_time(), time.monotonic()

    async def one(wire: Wire) -> None:
        for number in numbers:
            await send(wire, number)

    await asyncio.gather(*(one(wire) for wire in wires))
    passed = time.monotonic() - began
    return count / passed, (server.cpu() - busy) / passed, (time.process_time() - mine) / passed


def cores(server: float, client: float) -> str:
    """How busy both cores were."""
    return f"server {100 * server:.0f} %, load {100 * client:.0f} % of a core"


# a bare socket with one insert an event


BARE = """
import asyncio, sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("PRAGMA journal_mode=WAL"); db.execute("PRAGMA synchronous=FULL")
db.execute("CREATE TABLE events (n INTEGER PRIMARY KEY, line TEXT)")
async def serve(reader, writer):
    while line := await reader.readline():
        db.execute("INSERT INTO events (line) VALUES (?)", (line.decode(),))
        writer.write(b"ok\\n")
async def main():
    async with await asyncio.start_server(serve, "127.0.0.1", int(sys.argv[2])) as server:
        await server.serve_forever()
asyncio.run(main())
"""


async def bare(folder: str, count: int) -> float:
    """What a bare socket does."""
    port = free_port()
    process = pinned([sys.executable, "-c", BARE, f"{folder}/bare.db", str(port)])
    try:
        while True:
            try:
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
                break
            except OSError:
                await asyncio.sleep(0.01)
        began = time.monotonic()
        for _ in range(count):
            writer.write(b'{"what":"event","text":"as long as a message usually is, which is not very long"}\n')
            await reader.readline()
        passed = time.monotonic() - began
        writer.close()
        return count / passed
    finally:
        process.terminate()
        process.wait(10)


# tables


async def ledger(host: Wire, seats: int, game: str = ROME, players: int = 5) -> str:
    """A ledger whose host sits on so many seats."""
    made = await host.ok("POST", "/api/tables", {"game": game, "kind": "ledger", "players": players})
    table: str = made["id"]
    names = sorted((one["seat"] for one in made["seats"]), key=lambda seat: seat != "ROM")
    for seat in names[:seats]:
        await host.ok("POST", f"/api/tables/{table}/seats/{seat}")
    return table


async def commands(server: Measured, host: Wire, short: bool) -> None:
    """Lines of a ledger: ruled on, stored, told to five seats and the spectators."""
    tables = [await ledger(host, 1) for _ in range(8)]
    wires = [await host.twin().open() for _ in range(16)]
    paths = [f"/api/tables/{table}/commands" for table in tables]

    async def send(wire: Wire, number: int) -> None:
        body = b'{"seat":"ROM","command":"set turn %d"}' % (1 + number % 9)
        status, found = await wire.send(wire.request("POST", paths[number % len(paths)], body))
        if status != 200:
            raise RuntimeError(found.decode())

    rate, busy, mine = await load(server, send, wires, 500 if short else 2_000)
    row("lines of ledgers, ruled on, stored and told, a second", f"{rate:,.0f}", "", cores(busy, mine))
    for wire in wires:
        wire.close()


async def messages(server: Measured, host: Wire, count: int) -> None:
    """Secret messages of two seats of one table: accepted, stored, delivered."""
    table = await ledger(host, 2)
    seats = (await host.ok("GET", f"/api/tables/{table}"))["playing"]
    opened = await host.ok("POST", f"/api/tables/{table}/talks", {"seat": seats[0], "others": [seats[1]]})
    path = f"/api/tables/{table}/talks/{opened['channel']}"
    listener = await host.twin().open()
    await listener.follow(f"/api/tables/{table}/stream?seat={seats[1]}")
    body = json.dumps({"seat": seats[0], "text": "as long as a message usually is, not very long"}).encode()
    request = host.request("POST", path, body)
    times: list[float] = []

    async def hear() -> None:
        while len(times) < count:
            line = await listener.reader.readline()
            if line.startswith(b"data:") and b'"talk"' in line:
                times.append(time.monotonic())

    async def send(wire: Wire, number: int) -> None:
        status, found = await wire.send(request)
        if status != 200:
            raise RuntimeError(found.decode())

    wires = [await host.twin().open() for _ in range(64)]
    hearing = asyncio.create_task(hear())
    rate, busy, mine = await load(server, send, wires, count)
    await asyncio.wait_for(hearing, 30)
    row("secret messages at one table, accepted and stored, a second", f"{rate:,.0f}", "2,000", cores(busy, mine))
    part = count // 5
    first, last = (
        part / (times[end] - times[start]) for start, end in ((100, 100 + part), (count - part - 1, count - 1))
    )
    row(
        f"  delivered: the last {part:,} of {count:,}, a second",
        f"{last:,.0f}",
        f"{first:,.0f}",
        "bar: the first of them",
    )
    listener.close()
    for wire in wires:
        wire.close()


async def many_tables(server: Measured, host: Wire, tables: int, rate: int, seconds: float) -> None:
    """Events at many tables at once at a given rate: from being sent until every seat has them."""
    late: list[float] = []
    streams: list[Wire] = []
    paths = []
    readers = []

    async def hear(wire: Wire) -> None:
        while True:
            line = await wire.reader.readline()
            if not line:
                return
            if line.startswith(b"data:") and b'"talk"' in line:
                late.append(time.monotonic() - float(json.loads(line[5:])["text"]))

    for _ in range(tables):
        table = await ledger(host, 99, QUEEN, 6)
        described = await host.ok("GET", f"/api/tables/{table}")
        paths.append((f"/api/tables/{table}/talks/0", described["playing"][0]))
        for seat in described["playing"]:
            wire = await host.twin().open()
            await wire.follow(f"/api/tables/{table}/stream?seat={seat}")
            streams.append(wire)
            readers.append(asyncio.create_task(hear(wire)))
    each = len(streams) // tables
    wires = [await host.twin().open() for _ in range(tables)]
    busy, mine, began = server.cpu(), time.process_time(), time.monotonic()
    sent = 0

    async def send(wire: Wire, number: int) -> None:
        nonlocal sent
        path, seat = paths[number]
        for turn in range(int(rate * seconds / tables)):
            due = began + (turn * tables + number) / rate
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            # counted from when it was due: a server that falls behind does not hide it
            body = json.dumps({"seat": seat, "text": f"{max(due, began)}"}).encode()
            status, found = await wire.send(wire.request("POST", path, body))
            if status != 200:
                raise RuntimeError(found.decode())
            sent += 1

    await asyncio.gather(*(send(wire, number) for number, wire in enumerate(wires)))
    passed = time.monotonic() - began
    use = cores((server.cpu() - busy) / passed, (time.process_time() - mine) / passed)
    await asyncio.sleep(0.3)
    late.sort()
    name = f"{tables} tables of {each} seats, {sent / passed:,.0f} events a second"
    row(f"{name}: half of them after", f"{1000 * late[len(late) // 2]:,.0f} ms", "", use)
    p99 = late[int(len(late) * 0.99)]
    row("  99 of 100 after", f"{1000 * p99:,.0f} ms", "50 ms", f"{len(late):,} of {sent * each:,} deliveries")
    for reader in readers:
        reader.cancel()
    for wire in (*streams, *wires):
        wire.close()


async def idle(server: Measured, host: Wire, count: int) -> None:
    """Streams on which nothing happens."""
    table = await ledger(host, 1)
    seen = (await host.ok("GET", f"/api/tables/{table}/lines?seat=ROM"))["n"]
    before = server.memory()
    wires = []
    for _ in range(count):
        wire = await host.twin().open()
        await wire.follow(f"/api/tables/{table}/stream?seat=ROM&since={seen}")
        wires.append(wire)
    await asyncio.sleep(0.5)
    each = (server.memory() - before) / count
    row(f"{count:,} idle streams, memory of each", f"{each / 1024:,.0f} kB", "held")
    began = time.monotonic()
    await host.ok("POST", f"/api/tables/{table}/commands", {"seat": "ROM", "command": "set turn 2"})
    late = await asyncio.gather(*(_come(wire, began) for wire in wires))
    row(f"one event to {count:,} streams: the last has it after", f"{1000 * max(late):,.0f} ms")
    for wire in wires:
        wire.close()


async def _come(wire: Wire, began: float) -> float:
    while b"data:" not in await wire.reader.readline():
        pass
    return time.monotonic() - began


# opening


async def opening(folder: str, lengths: tuple[int, int]) -> dict[int, float]:
    """How long a table takes to open that has so many batches."""
    from foedus.table.live import Draft
    from foedus.table.store.engine import Store, store_url
    from foedus.table.store.upgrade import upgrade
    from foedus.table.tables import Spec, Tables

    url = store_url(f"{folder}/open.db")
    upgrade(url)
    store = Store(url)
    tables = Tables(store)
    found = {}

    def note(draft: Draft) -> None:
        draft.playing.note(draft.state, (), line="nothing to speak of")

    try:
        for length in lengths:
            live = await tables.create(Spec(ROME, kind="ledger", players=4), None)
            for first in range(0, length, 500):
                await asyncio.gather(*(live.do(note) for _ in range(min(500, length - first))))
            times = []
            for _ in range(7):
                tables._open.clear()
                began = time.perf_counter()
                await tables.open(live.id)
                times.append(time.perf_counter() - began)
            found[length] = statistics.median(times)
    finally:
        await store.close()
    return found


async def measure(server: Measured, folder: str, short: bool) -> None:
    """The table."""
    if len(CORES) > 1:
        os.sched_setaffinity(0, {CORES[1]})
    count = 500 if short else 3_000
    row("a bare socket with one insert an event, a second", f"{await bare(folder, count):,.0f}")
    host = await server.wire()
    await host.sign_up("Anna")
    await messages(server, host, 2_000 if short else 10_000)
    await many_tables(server, host, 10 if short else 40, 200 if short else 1_000, 3 if short else 10)
    await commands(server, host, short)
    await idle(server, host, 200 if short else 1_000)
    host.close()
    lengths = (100, 1_000) if short else (100, 10_000)
    found = await opening(folder, lengths)
    few, many = (found[length] for length in lengths)
    row(
        f"opening a table of {lengths[1]:,} events",
        f"{1000 * many:.1f} ms",
        f"{1000 * few:.1f} ms",
        "bar: of 100 events",
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--short", action="store_true")
    short = parser.parse_args().short
    print(f"SQLite {sqlite3.sqlite_version}; {len(CORES)} cores, load average {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as folder:
        times = []
        for _ in range(1 if short else 3):
            server = Measured(folder)
            times.append((server.seconds, server.cpu()))
            if len(times) < (1 if short else 3):
                server.stop()
        try:
            wall, cpu = min(times)
            row("start to first answer", f"{wall:.2f} s", "1.00 s", f"{cpu:.2f} s of a core")
            asyncio.run(measure(server, folder, short))
        finally:
            server.stop()


if __name__ == "__main__":
    main()
