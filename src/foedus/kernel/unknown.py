"""What a position does not say, and the questions that follow from it.

The same state type serves a full game, a sketch and a view, so every part of it may be unknown. A rule that
needs such a part raises `Unknown`; the referee then tries every answer, and only where the answers differ does
the verdict depend on it.
"""

from __future__ import annotations

from typing import Final

UNKNOWN: Final = -1
"""A small integer of a state that nobody told us."""
NONE: Final = -2
"""A small integer of a state that is known to be nobody, nothing, nowhere."""


class Unknown(Exception):
    """A rule needs a part of the state that is not known.

    `what` names the kind of question (a key of the game's words), `subject` the values that fill its words
    (name, value), `options` the answers that are possible, as small integers; empty if they cannot be listed.
    """

    def __init__(self, what: str, subject: tuple[tuple[str, int], ...], options: tuple[int, ...] = ()) -> None:
        self.what = what
        self.subject = subject
        self.options = options
        super().__init__(what, subject)

    @property
    def key(self) -> tuple[str, tuple[tuple[str, int], ...]]:
        """What makes two questions the same question."""
        return self.what, self.subject
