"""Sketches: positions told by a few facts, in TOML. What is left out is unknown; what is wrong is told, all of it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from typing import Any

from foedus.kernel.faults import Fault
from foedus.kernel.notation import Names
from foedus.kernel.rulebook import nearest
from foedus.kernel.unknown import UNKNOWN


class SketchError(ValueError):
    """A sketch is wrong. `faults` holds every fault, each naming the thing and, where it can be found, the line."""

    def __init__(self, faults: Iterable[str]) -> None:
        self.faults = tuple(faults)
        super().__init__(Fault("several", faults=self.faults))


class Faults:
    """Collects the faults of one sketch, with the lines they stand on."""

    def __init__(self, text: str = "") -> None:
        self._lines = text.splitlines()
        self.found: list[str] = []

    def add(self, message: str, *where: str) -> None:
        """A fault, about what `where` names: the line of the last of these words, each looked for from the one before.

        A word that stands nowhere from there on is passed over.
        """
        line = 0
        for word in where:
            pattern = re.compile(rf"(?<![\w]){re.escape(word)}(?![\w])")
            after = max(line, 1)
            line = next((i for i, text in enumerate(self._lines[after - 1 :], after) if pattern.search(text)), line)
        fault = Fault("line", number=line, fault=message) if line else message
        if fault not in self.found:
            self.found.append(fault)

    def unknown(self, what: str, name: object, known: Iterable[str]) -> None:
        """A name that is not known, with the nearest ones that are."""
        word = str(name)[:80]
        self.add(Fault("unknown", what=what, word=word, near=nearest(word, known)), word)

    def raise_any(self) -> None:
        """Raise `SketchError` if there were faults."""
        if self.found:
            raise SketchError(self.found)


class Reader:
    """Reads one sketch: names to small integers, faults collected on the way. `names`: what may be typed, by kind."""

    def __init__(self, names: Mapping[str, Names], text: str) -> None:
        self.names = names
        self.faults = Faults(text)

    def name(self, kind: str, value: object, what: str = "") -> int | None:
        """The small integer that a name of a kind stands for; a fault and None where there is none."""
        if isinstance(value, str):
            words = value.split()
            for found, after in self.names[kind].read(words, 0):
                if after == len(words):
                    return found
        self.faults.unknown(what or kind, value, self.names[kind].shown)
        return None

    def power(self, value: object) -> int | None:
        """A power by its code or name."""
        return self.name("power", value)

    def number(self, value: object, what: str, low: int, high: int) -> int | None:
        """A whole number within limits; "?" is unknown."""
        if value == "?":
            return UNKNOWN
        if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high:
            return value
        self.faults.add(Fault("number", what=what, low=low, high=high, word=str(value)[:40]), *what.split())
        return None

    def pair(self, value: object, what: str, joined: str = "allied") -> tuple[int, int] | None:
        """Two powers, as "ROM-ETR" or a list of two; `joined` says what they are."""
        shown = self.names["power"].shown
        parts = value.split("-") if isinstance(value, str) else value
        if not isinstance(parts, list) or len(parts) != 2:
            example = "-".join(shown[:2])
            self.faults.add(f"{what}: two powers are needed, such as '{example}', not '{str(value)[:40]}'", str(value))
            return None
        a, b = self.power(parts[0]), self.power(parts[1])
        if a is None or b is None:
            return None
        if a == b:
            self.faults.add(f"{what}: {shown[a]} cannot be {joined} with itself", str(value))
            return None
        return a, b

    def table(self, value: object, what: str) -> Mapping[str, Any]:
        """A table, or a fault and an empty one."""
        if isinstance(value, dict):
            return value
        self.faults.add(Fault("table", what=what), what)
        return {}

    def list(self, value: object, what: str) -> list[Any]:
        """A list of reasonable length, or a fault and an empty one."""
        if isinstance(value, list) and len(value) <= 500:
            return value
        self.faults.add(Fault("list", what=what), *what.split())
        return []


def read_toml(text: str) -> dict[str, Any]:
    """The data of a sketch in TOML. Raises `SketchError` with the line where it cannot be read."""
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise SketchError((f"not TOML: {error}",)) from None
