"""Text in the user's files, for the data that games are played with."""

from __future__ import annotations

from os import PathLike
from pathlib import Path


class FileFault(ValueError):
    """A file cannot be read; the message says which and why."""


def read_text(source: str | PathLike[str]) -> tuple[str, str]:
    """The name of a file and its text, in UTF-8 with or without a mark. Raises `FileFault`."""
    path = Path(source)
    if path.exists() and not path.is_file() and not path.is_dir():
        raise FileFault(f"{path}: is not a plain file")
    try:
        return path.name, path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise FileFault(f"{path}: cannot be read: it is not UTF-8 text") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise FileFault(f"{path}: cannot be read: {reason or error}") from None
