"""What goes to the terminal: never fails because of what a terminal can show."""

from __future__ import annotations

import json
import sys
from typing import Any, TextIO

_CONTROLS = {code: "\ufffd" for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\n\t"}
"""What a file may hold and a terminal would obey."""


language = "en"
"""The language of complaints."""


def prepare(stream: TextIO) -> None:
    """Let the stream replace what it cannot show instead of failing."""
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="replace")


def say(text: str = "") -> None:
    """A line to the person."""
    sys.stdout.write(text.translate(_CONTROLS) + "\n")


def speak(wanted: str) -> str:
    """Choose the language of complaints."""
    global language
    language = wanted
    return wanted


def complain(message: object) -> None:
    """What is wrong, to the standard error; the lines of one message stay together."""
    from foedus.kernel.faults import said

    message = said(message, language)
    sys.stderr.write(f"foedus: {message}\n".translate(_CONTROLS))


def say_json(data: Any) -> None:
    """Data as JSON; in ASCII where the terminal speaks no UTF-8."""
    plain = (sys.stdout.encoding or "").replace("-", "").lower() != "utf8"
    say(json.dumps(data, ensure_ascii=plain, indent=2))
