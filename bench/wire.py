"""A thin HTTP client for measuring: one connection, keep-alive, nothing in it that costs."""

from __future__ import annotations

import asyncio
import json
from typing import Any


class Wire:
    """One connection to a server."""

    def __init__(self, host: str, port: int) -> None:
        self.host, self.port = host, port
        self.cookies: dict[str, str] = {}
        self.reader: asyncio.StreamReader
        self.writer: asyncio.StreamWriter

    async def open(self) -> Wire:
        """Connect."""
        self.reader, self.writer = await asyncio.open_connection(self.host, self.port)
        return self

    def twin(self) -> Wire:
        """Another connection of the same person."""
        other = Wire(self.host, self.port)
        other.cookies = dict(self.cookies)
        return other

    def request(self, method: str, path: str, body: bytes = b"", more: str = "") -> bytes:
        """The bytes of a request."""
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        return (
            f"{method} {path} HTTP/1.1\r\nHost: x\r\nCookie: {cookies}\r\n"
            f"X-CSRFToken: {self.cookies.get('csrftoken', '')}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n{more}\r\n"
        ).encode() + body

    async def send(self, request: bytes) -> tuple[int, bytes]:
        """Send a request and wait for the whole answer: status and body."""
        self.writer.write(request)
        return await self.answer()

    async def answer(self) -> tuple[int, bytes]:
        """The next answer."""
        head = await self.reader.readuntil(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        status, length = int(lines[0].split()[1]), 0
        for line in lines[1:]:
            name, _, value = line.partition(": ")
            if name.lower() == "content-length":
                length = int(value)
            elif name.lower() == "set-cookie":
                cookie, _, rest = value.partition(";")[0].partition("=")
                self.cookies[cookie] = rest
        return status, await self.reader.readexactly(length) if length else b""

    async def ok(self, method: str, path: str, data: Any = None) -> Any:
        """A request that must go well."""
        body = b"" if data is None else json.dumps(data).encode()
        try:
            status, found = await self.send(self.request(method, path, body))
        except (asyncio.IncompleteReadError, ConnectionError):  # it was silent for so long that the server hung up
            await self.open()
            status, found = await self.send(self.request(method, path, body))
        if not 200 <= status < 300:
            raise RuntimeError(f"{method} {path}: {status} {found[:300]!r}")
        return json.loads(found)

    async def follow(self, path: str) -> None:
        """Begin to read a stream; `events` then gives what comes."""
        self.writer.write(self.request("GET", path))
        await self.reader.readuntil(b"\r\n\r\n")

    async def sign_up(self, name: str) -> None:
        """A new person."""
        await self.ok("GET", "/api/session")
        await self.ok("POST", "/api/people", {"name": name, "password": "correct horse"})

    def close(self) -> None:
        """Let go."""
        self.writer.close()
