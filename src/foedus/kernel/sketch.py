"""Sketches: positions told by a few facts, in TOML. What is left out is unknown; what is wrong is told, all of it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from typing import Any

from foedus.kernel.faults import Fault
from foedus.kernel.rulebook import nearest


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


def read_toml(text: str) -> dict[str, Any]:
    """The data of a sketch in TOML. Raises `SketchError` with the line where it cannot be read."""
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise SketchError((f"not TOML: {error}",)) from None
