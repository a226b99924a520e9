"""Lines from a person and pages to him; what is typed may as well come from a file."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from foedus.cli.output import complain
from foedus.cli.reading import InputError

MAX_LINE = 2_000
PAGE = 20
_CLEAR = "\x1b[2J\x1b[3J\x1b[H"


class Closed(Exception):
    """Nobody types any more."""


def ask(prompt: str) -> str:
    """One line that a person types, without its end. Raises `Closed` at the end of the input."""
    sys.stdout.write(prompt)
    sys.stdout.flush()
    line = sys.stdin.readline(MAX_LINE)
    if not line:
        sys.stdout.write("\n")
        raise Closed
    if not sys.stdin.isatty():
        sys.stdout.write("\n")
    return line.strip().lstrip("\ufeff")


def clear() -> None:
    """An empty screen, where there is a screen."""
    if sys.stdout.isatty():
        sys.stdout.write(_CLEAR)
        sys.stdout.flush()


def now() -> str:
    """The time, as it stands in records."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class RecordFile:
    """A record on disk: nothing until it has a name; then every line as it comes."""

    def __init__(self, path: str | None) -> None:
        self.path = path
        self._written = 0

    def sync(self, lines: Sequence[str]) -> bool:
        """Write what is not written yet; False (and a complaint) if that cannot be done."""
        if self.path is None or self._written == len(lines):
            return True
        try:
            with open(self.path, "a", encoding="utf-8", newline="\n") as file:
                for line in lines[self._written :]:
                    file.write(line + "\n")
        except OSError as error:
            complain(f"{self.path}: cannot be written: {error.strerror}")
            return False
        self._written = len(lines)
        return True

    def name(self, path: str, lines: Sequence[str]) -> bool:
        """Write all to a file of this name and go on with it. An existing file of another game is not touched."""
        try:
            with open(path, "x", encoding="utf-8"):
                pass
        except FileExistsError:
            complain(f"{path}: exists already; name another file")
            return False
        except OSError as error:
            complain(f"{path}: cannot be written: {error.strerror}")
            return False
        self.path, self._written = path, 0
        return self.sync(lines)

    def goes_on(self, count: int) -> None:
        """The file holds so many lines already."""
        self._written = count


def secret_path(record: str) -> str:
    """Where the secret of the dice waits until it is published."""
    return f"{record}.secret"


def keep_secret(record: str, secret: bytes) -> None:
    """Keep the secret of the dice beside the record, for its owner's eyes only."""
    path = secret_path(record)
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(secret.hex() + "\n")
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from None


def drop_secret(record: str) -> None:
    """The secret is published: it need not be kept."""
    with contextlib.suppress(OSError):
        Path(secret_path(record)).unlink()


class Pages:
    """A long list shown a page at a time."""

    def __init__(self, lines: Sequence[str], more: Callable[[int, int, int], str]) -> None:
        self.lines = lines
        self._more = more
        self._at = 0

    def next(self) -> list[str]:
        """The next page; after the last the first comes again."""
        if self._at >= len(self.lines):
            self._at = 0
        first, self._at = self._at, min(self._at + PAGE, len(self.lines))
        shown = list(self.lines[first : self._at])
        if len(self.lines) > PAGE:
            shown.append(self._more(first + 1, self._at, len(self.lines)))
        return shown
