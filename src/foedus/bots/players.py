"""What a bot is, and players that choose at random, each in his own way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, Final, Protocol, TypeVar

from foedus.kernel.values import Command

T = TypeVar("T")


class Bot(Protocol):
    """A player that is a program: it chooses among the commands that are allowed."""

    def choose(self, view: Any, seat: int, choices: Sequence[Command]) -> Command:
        """One of `choices`, which is never empty. `view` is what the seat may know; a bot sees no more."""
        ...

    def answers(self, view: Any, seat: int, choices: Sequence[Command]) -> Command | None:
        """One of `choices` that answers what waits beside the flow, or None to let it wait."""
        ...


class RandomBot:
    """Chooses at random: first what kind of command, then which, so that no kind drowns the others.

    It looks at nothing but the choices.
    """

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)

    def choose(self, view: Any, seat: int, choices: Sequence[Command]) -> Command:
        """One of `choices`."""
        kinds: dict[type, list[Command]] = {}
        for command in choices:
            kinds.setdefault(type(command), []).append(command)
        return self._one_of(kinds[self._kind(list(kinds))])

    def answers(self, view: Any, seat: int, choices: Sequence[Command]) -> Command | None:
        """Mostly an answer, now and then none."""
        return self.choose(view, seat, choices) if self._random.random() < 0.8 else None

    def _kind(self, kinds: Sequence[type]) -> type:
        return kinds[int(self._random.random() * len(kinds))]

    def _one_of(self, commands: Sequence[Command]) -> Command:
        return commands[int(self._random.random() * len(commands))]


class TemperedBot(RandomBot):
    """Likes some sorts of command more than others: `sorts` says of which sort a kind is, `likes` how much it is liked
    (what is of no sort: 1)."""

    def __init__(self, seed: int, sorts: Mapping[type[Command], str], likes: Mapping[str, float]) -> None:
        super().__init__(seed)
        self._sorts = sorts
        self._likes = likes

    def _kind(self, kinds: Sequence[type]) -> type:
        weights = [self._likes.get(self._sorts.get(kind, ""), 1.0) for kind in kinds]
        found: type = self._random.choices(kinds, weights)[0]
        return found


class CuriousBot(RandomBot):
    """Prefers what it has seldom done: kinds of command, and among those of a kind the words and things they name."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self._done: Counter[Any] = Counter()

    def _kind(self, kinds: Sequence[type]) -> type:
        return self._rarest(kinds)

    def _one_of(self, commands: Sequence[Command]) -> Command:
        manners: dict[Any, list[Command]] = {}
        for command in commands:
            manners.setdefault(_manner(command), []).append(command)
        return super()._one_of(manners[self._rarest(list(manners))])

    def _rarest(self, things: Sequence[T]) -> T:
        weights = [1 / (1 + self._done[one]) ** 2 for one in things]
        found = self._random.choices(things, weights)[0]
        self._done[found] += 1
        return found


def _manner(command: Command) -> Any:
    """A command by its words, and by what it names at all."""
    found: list[Any] = [type(command).__name__]
    for name in type(command).__struct_fields__[1:]:
        value = getattr(command, name)
        found.append(value if isinstance(value, str) else bool(value) if isinstance(value, tuple) else value >= 0)
    return tuple(found)


LIKES: Final[Mapping[str, Mapping[str, float]]] = {
    "warlike": {"war": 4.0, "peace": 0.15, "idle": 0.3},
    "diplomatic": {"war": 0.6, "peace": 4.0, "idle": 0.6},
}
STYLES: Final = ("plain", "warlike", "diplomatic", "curious", "mixed")
"""How random players may play; "mixed" is another of these for each."""


def bot_of(style: str, seed: int, sorts: Mapping[type[Command], str]) -> RandomBot:
    """A random player of a style. `sorts`: of which sort ("war", "peace", "idle") the game says its commands are.

    Raises `ValueError` for a style that there is not.
    """
    if style == "mixed":
        style = Random(f"style {seed}").choice(STYLES[:-1])
    if style == "plain":
        return RandomBot(seed)
    if style == "curious":
        return CuriousBot(seed)
    if style not in LIKES:
        raise ValueError(f"unknown style '{style[:40]}'; there is: {', '.join(STYLES)}")
    return TemperedBot(seed, sorts, LIKES[style])
