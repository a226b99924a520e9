"""Servers in processes of their own, that can be killed."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import httpx

from web.harness import Player


class Process:
    """`foedus serve` as it is run; `url` is its address."""

    def __init__(self, db: str, port: int = 0, more: Sequence[str] = (), env: dict[str, str] | None = None) -> None:
        self.db = db
        self.port = port or free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.more = tuple(more)
        self.env = {**os.environ, **(env or {})}
        self.process: subprocess.Popen[bytes] | None = None
        self.seconds = 0.0
        self.cpu_seconds = 0.0

    def start(self) -> Process:
        """Start it and wait for its first answer; `seconds` is how long that took."""
        began = time.monotonic()
        foedus = Path(sys.executable).with_name("foedus")
        command = [str(foedus), "serve", "--db", self.db, "--port", str(self.port), "--logs", "none", *self.more]
        self.process = subprocess.Popen(command, env=self.env, stdout=subprocess.DEVNULL, start_new_session=True)
        while True:
            try:
                if httpx.get(f"{self.url}/api/health", timeout=5).status_code == 200:
                    self.seconds = time.monotonic() - began
                    self.cpu_seconds = cpu_seconds(self.process.pid)
                    return self
            except httpx.HTTPError:
                pass
            if self.process.poll() is not None or time.monotonic() - began > 30:
                raise RuntimeError("the server did not start")
            time.sleep(0.01)

    def kill(self) -> None:
        """Kill it at once, workers and all."""
        assert self.process is not None
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(10)

    def stop(self) -> None:
        """Ask it to stop."""
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.kill()

    def person(self, name: str) -> Player:
        """Somebody who is signed in."""
        player = Player(self.url)
        player.sign_in(name)
        return player


def cpu_seconds(pid: int) -> float:
    """How long a process has used a core; 0.0 where that cannot be read."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def free_port() -> int:
    """A port that is free now."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])
