"""A client of a Foedus server, with nothing but Python's own library: cookies, the token of writes, problems."""

from __future__ import annotations

import http.cookiejar
import json
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


class Problem(Exception):
    """What the server says is wrong; `told` is its problem+json."""

    def __init__(self, told: dict[str, Any]) -> None:
        self.told = told
        super().__init__(f"{told['title']} {told.get('detail', '')}".strip())


class Client:
    """One person at a server, who is answered in the language given."""

    def __init__(self, address: str, name: str, password: str = "correct horse", language: str = "en") -> None:
        self.address = address.rstrip("/")
        self.language = language
        self.cookies = http.cookiejar.CookieJar()
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.cookies))
        self.get("/api/session")
        try:
            self.post("/api/people", {"name": name, "password": password})
        except Problem as problem:
            if problem.told["type"] != "name_taken":
                raise
            self.post("/api/session", {"name": name, "password": password})

    def send(self, method: str, path: str, data: Any = None, headers: dict[str, str] | None = None) -> bytes:
        """A request; the body of the answer. Raises `Problem`."""
        token = next((one.value for one in self.cookies if one.name == "csrftoken"), "") or ""
        told = {"Content-Type": "application/json", "Accept-Language": self.language, "X-CSRFToken": token}
        told |= headers or {}
        body = None if data is None else json.dumps(data).encode()
        request = urllib.request.Request(self.address + path, body, told, method=method)
        try:
            with self.opener.open(request, timeout=20) as answer:
                return bytes(answer.read())
        except urllib.error.HTTPError as error:
            raise Problem(json.loads(error.read())) from None

    def get(self, path: str) -> Any:
        """Read something."""
        return json.loads(self.send("GET", path))

    def post(self, path: str, data: Any = None, **headers: str) -> Any:
        """Write something."""
        return json.loads(self.send("POST", path, {} if data is None else data, headers))

    def put(self, path: str, data: Any) -> Any:
        """Put something in its place."""
        return json.loads(self.send("PUT", path, data))

    def command(self, table: str, seat: str, command: str | dict[str, Any]) -> Any:
        """Give a command in the name of a seat; sent twice it is still done once."""
        told = {"seat": seat, "command": command}
        return self.post(f"/api/tables/{table}/commands", told, **{"Idempotency-Key": uuid.uuid4().hex})

    def lines(self, table: str, seat: str = "-", since: int = 0) -> list[dict[str, Any]]:
        """What a seat was told after its line `since`."""
        found: list[dict[str, Any]] = self.get(f"/api/tables/{table}/lines?seat={seat}&since={since}&most=500")["lines"]
        return found


class Stream:
    """What a seat ('-': a spectator) is told, as it happens: server-sent events. `lines` are those that were read."""

    def __init__(self, client: Client, table: str, seat: str = "-", since: int = 0) -> None:
        address = f"{client.address}/api/tables/{table}/stream?seat={seat}&since={since}"
        self.answer = client.opener.open(address, timeout=20)
        self.lines: list[dict[str, Any]] = []

    def until(self, wanted: Callable[[dict[str, Any]], bool]) -> list[dict[str, Any]]:
        """Read until a line as wanted has come; gives the lines read. Raises `OSError` if it does not come."""
        found: list[dict[str, Any]] = []
        end = time.monotonic() + 20
        while not found or not wanted(found[-1]):
            text = self.answer.readline()
            if not text or time.monotonic() > end:
                raise OSError("the stream has ended, or what was waited for did not come")
            if text.startswith(b"data: "):
                found.append(json.loads(text[6:]))
        self.lines += found
        return found

    def close(self) -> None:
        """Read no more."""
        self.answer.close()


@contextmanager
def server(address: str | None) -> Iterator[str]:
    """The address of a server: the one given, or one that is started for as long as this lasts."""
    if address:
        yield address
        return
    foedus = Path(sys.executable).with_name("foedus")
    with tempfile.TemporaryDirectory() as folder:
        command = [str(foedus), "serve", "--db", f"{folder}/foedus.db", "--port", "0", "--logs", "none"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            assert process.stdout is not None
            found = process.stdout.readline().split()[-1]
            for _ in range(200):
                try:
                    urllib.request.urlopen(f"{found}/api/health", timeout=5).close()
                    break
                except OSError:
                    time.sleep(0.05)
            yield found
        finally:
            process.terminate()
            process.wait(20)
            if process.stdout is not None:
                process.stdout.close()
