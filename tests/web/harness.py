"""Servers over real sockets, and people who use them."""

from __future__ import annotations

import asyncio
import json
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
import uvicorn
import uvloop
from argon2 import PasswordHasher
from msgspec.structs import replace

from foedus.kernel import game as games
from foedus.table import people
from foedus.web.app import create_app
from foedus.web.settings import Settings
from foedus.web.site import Site
from kernel import desk_game

CARAVANS = desk_game.GAME.id

sys.setswitchinterval(0.0005)  # server and players are threads of one process and wait for each other


def quick_passwords(patch: pytest.MonkeyPatch) -> None:
    """Hashes that cost nothing: what they cost is not what is tested."""
    cheap = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    people._nobody.cache_clear()
    patch.setattr(people, "_hasher", lambda: cheap)


def with_caravans(patch: pytest.MonkeyPatch) -> None:
    """Let the registry know the small game of the kernel's tests, which has hands, sealed answers and secret offers."""
    known = games.known_games()
    found = {**known, CARAVANS: SimpleNamespace(load=lambda: desk_game.GAME)}
    patch.setattr(games, "known_games", lambda: found)


class Server:
    """A server in a thread of its own; `url` is its address."""

    def __init__(self, settings: Settings, clock: Callable[[], float] | None = None) -> None:
        self.app = create_app(settings)
        self.site: Site = self.app.state["site"]
        if clock is not None:
            self.site.tables.clock = clock
            self.site.people.clock = clock
        listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listening.bind(("127.0.0.1", 0))
        listening.listen(2048)
        self.url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        config = uvicorn.Config(self.app, log_level="critical", access_log=False, timeout_graceful_shutdown=1)
        self.server = uvicorn.Server(config)
        self.loop: asyncio.AbstractEventLoop | None = None
        self.players: list[Player] = []
        self._thread = threading.Thread(target=self._run, args=(listening,), daemon=True)
        self._thread.start()
        while not self.server.started:
            if not self._thread.is_alive():
                raise RuntimeError("the server did not start")
            time.sleep(0.005)

    def _run(self, listening: socket.socket) -> None:
        async def work() -> None:
            self.loop = asyncio.get_running_loop()
            await self.server.serve(sockets=[listening])

        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(work())
        listening.close()

    def do(self, coroutine: Any) -> Any:
        """Run something in the server's loop."""
        assert self.loop is not None
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result(20)

    def stop(self) -> None:
        """Stop it."""
        for player in self.players:
            player.close()
        self.server.should_exit = True
        self._thread.join(20)
        assert not self._thread.is_alive()

    def person(self, name: str) -> Player:
        """Somebody who is signed in."""
        player = self.stranger()
        player.sign_in(name)
        return player

    def stranger(self) -> Player:
        """Somebody who is not."""
        player = Player(self.url)
        self.players.append(player)
        return player


@contextmanager
def serving(db: str | Path, clock: Callable[[], float] | None = None, **settings: Any) -> Iterator[Server]:
    """A server on a database."""
    told = {"rate": 0, "logs": "none", "metrics": False, "tick": 0, **settings}
    server = Server(Settings(db=str(db), **told), clock)
    try:
        yield server
    finally:
        server.stop()


class Clock:
    """A clock that is set by hand."""

    START = 1_800_000_000.0

    def __init__(self) -> None:
        self.now = self.START

    def __call__(self) -> float:
        return self.now


class Sink:
    """Where notices go in a test."""

    def __init__(self) -> None:
        self.messages: list[tuple[str, str, str]] = []
        self.works = True

    async def __call__(self, addresses: Sequence[str], title: str, text: str) -> bool:
        if self.works:
            self.messages += [(one.rpartition("/")[2], title, text) for one in addresses]
        return self.works

    def taken(self) -> list[tuple[str, str]]:
        """(to whom, text) of what came since the last time."""
        found, self.messages = self.messages, []
        return sorted((to, text) for to, _, text in found)


class Player:
    """A browser, so to say: keeps cookies and sends the token that every write needs."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.client = httpx.Client(base_url=url, timeout=20)
        self.client.get("/api/session")

    def send(self, method: str, path: str, data: Any = None, **headers: str) -> httpx.Response:
        told = {"x-csrftoken": self.client.cookies.get("csrftoken") or "", **headers}
        return self.client.request(method, path, json=data, headers=told)

    def ok(self, method: str, path: str, data: Any = None, **headers: str) -> Any:
        found = self.send(method, path, data, **headers)
        assert found.is_success, f"{method} {path}: {found.status_code} {found.text}"
        return found.json()

    def refused(self, status: int, method: str, path: str, data: Any = None, **headers: str) -> dict[str, Any]:
        found = self.send(method, path, data, **headers)
        assert found.status_code == status, f"{method} {path}: {found.status_code} {found.text}"
        assert found.headers["content-type"] == "application/problem+json"
        problem: dict[str, Any] = found.json()
        assert problem["status"] == status
        assert problem["type"]
        assert problem["title"]
        return problem

    def sign_in(self, name: str, password: str = "correct horse") -> None:
        found = self.send("POST", "/api/people", {"name": name, "password": password})
        if found.status_code == 422:
            found = self.send("POST", "/api/session", {"name": name, "password": password})
        assert found.is_success, found.text

    def lines(self, table: str, seat: str = "-", since: int = 0) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        while True:
            got = self.ok("GET", f"/api/tables/{table}/lines?seat={seat}&since={since}")["lines"]
            if not got:
                return found
            found += got
            since = got[-1]["n"]

    def close(self) -> None:
        self.client.close()


class Follower:
    """Reads a stream in a thread; `lines` are what came, in order."""

    def __init__(self, player: Player, table: str, seat: str = "-", since: int = 0, last: int | None = None) -> None:
        self.lines: list[dict[str, Any]] = []
        self.raw: list[str] = []
        self._come = threading.Condition()
        self._over = False
        cookies = dict(player.client.cookies)
        headers = {} if last is None else {"Last-Event-ID": str(last)}
        self._client = httpx.Client(base_url=player.url, timeout=30, cookies=cookies, headers=headers)
        self._path = f"/api/tables/{table}/stream?seat={seat}&since={since}"
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        try:
            with self._client.stream("GET", self._path) as answer:
                if answer.status_code != 200:
                    raise AssertionError(answer.read().decode())
                number = None
                for line in answer.iter_lines():
                    if self._over:
                        return
                    if line.startswith("id: "):
                        number = int(line[4:])
                    elif line.startswith("data: "):
                        data = json.loads(line[6:])
                        assert data["n"] == number
                        with self._come:
                            self.raw.append(line)
                            self.lines.append(data)
                            self._come.notify_all()
        except (httpx.HTTPError, RuntimeError, AttributeError, OSError):
            if not self._over:
                with self._come:
                    self._over = True
                    self._come.notify_all()

    def until(self, wanted: Callable[[list[dict[str, Any]]], bool], seconds: float = 10) -> list[dict[str, Any]]:
        """Wait until what came is as wanted."""
        end = time.monotonic() + seconds
        with self._come:
            while not wanted(self.lines):
                left = end - time.monotonic()
                assert left > 0, f"it did not come; {len(self.lines)} lines came, the last {self.lines[-1:]}"
                self._come.wait(left)
            return list(self.lines)

    def count(self, number: int) -> list[dict[str, Any]]:
        """Wait until so many lines came."""
        return self.until(lambda lines: len(lines) >= number)

    def close(self) -> None:
        self._over = True
        self._client.close()


def seated(server: Server, host: Player, sitting: dict[str, Player], game: str = CARAVANS, **spec: Any) -> str:
    """A full game that has begun, each seat with its player; gives the table's id."""
    table = host.ok("POST", "/api/tables", {"game": game, **spec})
    id = str(table["id"])
    for seat, player in sitting.items():
        sit(server, player, id, seat)
    host.ok("POST", f"/api/tables/{id}/begin")
    return id


def sit(server: Server, player: Player, table: str, seat: str) -> None:
    """A player sits down on a seat."""
    person = player.ok("GET", "/api/session")["person"]["id"]

    async def work() -> None:
        live = await server.site.tables.open(table)
        await live.do(lambda draft: draft.sit(replace(draft.seats[seat], holder=person, since=draft.now)))

    server.do(work())


def turn(player: Player, table: str, seat: str, random: Random, players: dict[str, Player]) -> bool:
    """One command at random of a seat that is awaited, by what that seat is shown; False if nobody is."""
    view = player.ok("GET", f"/api/tables/{table}/view?seat={seat}")
    awaited = [one["seat"] for one in view["awaiting"] if one["seat"]]
    if not awaited:
        return False
    chosen = random.choice(awaited)
    found = players[chosen].ok("GET", f"/api/tables/{table}/choices?seat={chosen}&most=30")["choices"]
    told = {"seat": chosen, "command": random.choice(found)["command"]}
    players[chosen].ok("POST", f"/api/tables/{table}/commands", told)
    return True


def play(players: dict[str, Player], table: str, steps: int, seed: int = 1) -> int:
    """Play at random; gives how many commands were carried out."""
    random = Random(seed)
    seat, player = next(iter(players.items()))
    return sum(turn(player, table, seat, random, players) for _ in range(steps))
