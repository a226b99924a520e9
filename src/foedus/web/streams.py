"""Streams of server-sent events: the lines of one viewer, from whatever number it has seen.

A stream holds no queue: it is woken when there is something new and reads on from where it is, so a reader that is slow
or gone costs nothing but its connection.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Final

from foedus.table.live import LiveTable, NoSuchTable
from foedus.table.store.engine import StoreDown
from foedus.web.access import Forbidden

MEDIA: Final = "text/event-stream; charset=utf-8"
_AT_ONCE: Final = 200


async def stream(
    live: LiveTable, viewer: str, since: int, heartbeat: float, allowed: Callable[[], object]
) -> AsyncIterator[bytes]:
    """The lines after the number `since`, for as long as `allowed` does not raise. It ends when the store is down:
    whoever listens comes back and says what it has seen."""
    live.readers += 1
    try:
        yield b"retry: 1500\n\n"
        while True:
            bell = live.bell(viewer)
            lines = await live.lines(viewer, since, _AT_ONCE)
            if lines:
                allowed()
                since = lines[-1].number
                yield "".join(f"id: {line.number}\ndata: {line.data}\n\n" for line in lines).encode()
                continue
            try:
                async with asyncio.timeout(heartbeat):
                    await bell.wait()
            except TimeoutError:
                allowed()
                yield b":\n\n"
    except (StoreDown, Forbidden, NoSuchTable):
        return
    finally:
        live.readers -= 1


__all__ = ["MEDIA", "stream"]
