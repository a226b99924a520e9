"""What a board of one game may contain. A board itself knows no game; the game hands its schema to the loader."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NumberRule:
    """One whole number a space may carry, such as the loyalty of a city.

    `low` and `high` are both allowed. Spaces of a kind in `required` must have the number; spaces of a kind in
    `allowed` may have it (empty: every kind may).
    """

    name: str
    low: int
    high: int
    required: frozenset[str] = frozenset()
    allowed: frozenset[str] = frozenset()

    def may_stand_on(self, kind: str) -> bool:
        """Whether a space of this kind may carry the number."""
        return not self.allowed or kind in self.allowed or kind in self.required


@dataclass(frozen=True, slots=True)
class BoardSchema:
    """The words a game allows in its boards. Hashable, so that it can be compared and used as a key.

    kinds        kinds of space, in the order of their indexes
    ways         kinds of way, in the order of their indexes
    powers       codes of powers that may have home spaces or hold spaces at the start
    numbers      numbers a space may carry
    boxes        kinds that lie off the map; only from these may a one-way way lead
    walled       kinds that count as walled
    roads        names of roads that rules speak of
    flags        yes-or-no keys of a space, such as "capital"
    seats        (flag, kinds) for flags of a home space that no power has twice; the space must be of one of the kinds
    labels       (key of a space, table in the file) for words that have a table of names, such as region
    players      numbers of players the game knows
    sea_kinds    kinds of sea, such as "sea" and "ocean"; a sea that names none is of the first. Empty: all are alike
    independent  code of "nobody" as holder at the start
    reinforce    the number that marks a reinforcement space, or None if home regions need none
    languages    languages a board may give names in; English ("en") comes first and is needed
    """

    kinds: tuple[str, ...]
    ways: tuple[str, ...]
    powers: tuple[str, ...]
    numbers: tuple[NumberRule, ...] = ()
    boxes: frozenset[str] = frozenset()
    walled: frozenset[str] = frozenset()
    roads: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    seats: tuple[tuple[str, frozenset[str]], ...] = ()
    labels: tuple[tuple[str, str], ...] = (("region", "regions"),)
    players: tuple[int, ...] = ()
    sea_kinds: tuple[str, ...] = ()
    independent: str = "IND"
    reinforce: str | None = None
    languages: tuple[str, ...] = ("en", "ru")

    def ways_mask(self, kinds: Iterable[str]) -> int:
        """Bit mask of way kinds (bit k for `ways[k]`); raises ValueError for a kind that is not one."""
        mask = 0
        for kind in kinds:
            mask |= 1 << self.ways.index(kind)
        return mask
