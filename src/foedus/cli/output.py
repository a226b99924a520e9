"""What goes to the terminal: never fails because of what a terminal can show."""

from __future__ import annotations

import json
import sys
from typing import Any, TextIO


def prepare(stream: TextIO) -> None:
    """Let the stream replace what it cannot show instead of failing."""
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="replace")


def say(text: str = "") -> None:
    """A line to the person."""
    sys.stdout.write(text + "\n")


def complain(message: str) -> None:
    """What is wrong, to the standard error; the lines of one message stay together."""
    sys.stderr.write(f"foedus: {message}\n")


def say_json(data: Any) -> None:
    """Data as JSON; in ASCII where the terminal speaks no UTF-8."""
    plain = (sys.stdout.encoding or "").replace("-", "").lower() != "utf8"
    say(json.dumps(data, ensure_ascii=plain, indent=2))
