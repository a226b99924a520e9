"""What people hand in, read with bounds: files, sketches, lines; every fault is one clear message."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO

MAX_TEXT = 1_000_000
"""The most bytes of a sketch or a script."""
MAX_RECORD = 32_000_000
"""The most bytes of a record."""
MAX_COMMANDS = 1_000
STDIN = "-"


class InputError(Exception):
    """What was handed in cannot be used; the message is for the person."""


def _fault(key: str, **facts: object) -> str:
    from foedus.kernel.faults import Fault  # only where something is wrong

    return Fault(key, **facts)


def read_text(path: str, limit: int = MAX_TEXT) -> str:
    """The text of a file, or of the standard input for `-`. Never reads more than `limit` bytes and one.

    Raises `InputError` for what is missing, no plain file, too large, binary, or not UTF-8.
    """
    if path == STDIN:
        return _text(path, _bounded(sys.stdin.buffer, limit), limit)
    shown = path[:200]
    try:
        # not blocking: a pipe that nobody writes to must not hold us
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise InputError(_fault("cannot_read", place=shown, why=reason)) from None
    mode = os.fstat(handle)
    if not stat.S_ISREG(mode.st_mode):
        os.close(handle)
        raise InputError(f"{shown}: is {'a directory' if stat.S_ISDIR(mode.st_mode) else 'not a plain file'}")
    with os.fdopen(handle, "rb") as file:
        if mode.st_size > limit:
            raise InputError(f"{shown}: has {mode.st_size} bytes; at most {limit} are read")
        return _text(shown, _bounded(file, limit), limit)


def _bounded(file: BinaryIO, limit: int) -> bytes:
    try:
        return file.read(limit + 1)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}") from None


def _text(path: str, data: bytes, limit: int) -> str:
    name = "standard input" if path == STDIN else path
    if len(data) > limit:
        raise InputError(f"{name}: more than {limit} bytes; no more are read")
    if b"\0" in data:
        raise InputError(f"{name}: is binary, not text")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"{name}: line {line}: is not UTF-8 text") from None
    if not text.strip():
        raise InputError(_fault("empty_file", place=name))
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_toml(text: str, name: str, first: int = 1) -> dict[str, Any]:
    """The values in a text of TOML that begins on line `first` of the file `name`."""
    import re
    import tomllib

    try:
        return tomllib.loads(text)
    except RecursionError:
        raise InputError(f"{name}: is nested too deeply") from None
    except (tomllib.TOMLDecodeError, ValueError) as error:
        message = str(error)
        found = re.search(r" \(at line (\d+), column (\d+)\)", message)
        line = int(found.group(1)) if found else text.rstrip().count("\n") + 1
        message = re.sub(r" \(at (line \d+, column \d+|end of document)\)", "", message)[:300]
        why = _fault("not_toml", why=message)
        raise InputError(_fault("at", place=name, fault=_fault("line", number=line + first - 1, fault=why))) from None


def checked_lines(lines: Iterable[str]) -> list[str]:
    """Lines from the command line, bounded and printable."""
    found = list(lines)
    if len(found) > MAX_COMMANDS:
        raise InputError(f"more than {MAX_COMMANDS} commands")
    for line in found:
        try:
            line.encode()
        except UnicodeEncodeError:
            raise InputError(f"command {line[:80]!a}: is not UTF-8 text") from None
    return found


def beside(path: str, name: str) -> str:
    """The path of a file that is named in the file `path`."""
    return name if path == STDIN or Path(name).is_absolute() else str(Path(path).parent / name)
