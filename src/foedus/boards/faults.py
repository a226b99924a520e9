"""What is wrong with a board, said so that the one who wrote it finds the place."""

from collections.abc import Iterable
from dataclasses import dataclass

MAX_FAULTS = 200
"""No more faults than so many are told at once."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong.

    code     short name of the kind of fault, for programs and tests
    message  the sentence for people
    where    the thing it is about, such as "place roma" or "way roma - antium"; empty for the file as a whole
    file     name of the file; line: line in it (of a CSV table: the line its row starts on), or None if not found
    """

    code: str
    message: str
    where: str = ""
    file: str = "board"
    line: int | None = None

    def __str__(self) -> str:
        at = self.file if self.line is None else f"{self.file}:{self.line}"
        return ": ".join(part for part in (at, self.where, self.message) if part)


class BoardError(ValueError):
    """The board cannot be used; `faults` says why, at least one, each with its place."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__("\n".join(map(str, self.faults)))

    def __reduce__(self) -> tuple[type["BoardError"], tuple[tuple[Fault, ...]]]:
        return BoardError, (self.faults,)
