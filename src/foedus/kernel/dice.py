"""Chance: the only door through which randomness enters a game.

Every die, drawn card and shuffle goes through a `Dice`. There are four kinds:

* `CommittedDice` for tables: nobody has to trust them, and anyone can recompute them afterwards (`verify`);
* `ToldDice` for scripts and ledgers, where people roll on a real table and tell the result;
* `FastDice` for the lab;
* `NoDice` for trial acts, which must stop before chance.

A *draw* is one call of `roll` or `pick`, however many dice it throws. Draws are numbered from 0: the draw with number
n is the one made while `counter` is n. A draw that raises is not counted.

How a committed draw is computed is told to players in `docs/dice.md`; it must never change under the same label, or
old records could no longer be verified.
"""

import hashlib
import hmac
from collections import deque
from collections.abc import Iterable, Mapping
from random import Random
from typing import Literal, NamedTuple, NoReturn, Protocol, final

import msgspec

__all__ = [
    "MAX_DICE",
    "MAX_SIDES",
    "SECRET_BYTES",
    "CommittedDice",
    "Dice",
    "FastDice",
    "Mismatch",
    "NeedDice",
    "NoDice",
    "Numbers",
    "Roll",
    "ToldDice",
    "Unused",
    "WrongDice",
    "commitment",
    "verify",
    "verify_commitment",
]

SECRET_BYTES = 32
"""The length of the secret of a table, in bytes."""

MAX_DICE = 1_000
"""The most dice one roll may throw."""

MAX_SIDES = 2**32
"""The most sides a die may have, and the most things a pick may choose from."""

_COMMITMENT_LABEL = b"foedus dice commitment 1\n"
_ROLL_LABEL = b"foedus dice roll 1"
_MAX_COUNTER = 2**64
_MAX_INT_NUMBER = 2**256
_MAX_BYTES_NUMBER = 64

Numbers = Mapping[str, int | bytes]
"""What each seat added to the dice, by name of the seat: an int from 0 below 2**256, or at most 64 bytes."""


class Dice(Protocol):
    """What a game needs of chance; it never asks where the chance comes from."""

    def roll(self, purpose: str, count: int, sides: int = 6) -> tuple[int, ...]:
        """Throw dice.

        `purpose` says what for ("battle: attacker"); it is recorded and, for committed dice, part of the computation.
        Returns `count` faces, each from 1 to `sides`, in the order thrown.

        Raises `ValueError` when `purpose` is empty, `count` is not 1 to `MAX_DICE` or `sides` is not 1 to `MAX_SIDES`,
        and `NeedDice` when these dice do not roll by themselves.
        """
        ...

    def pick(self, purpose: str, count: int) -> int:
        """Choose one of `count` things, such as a card of a deck that is drawn lazily.

        Returns a number from 0 below `count`. Raises as `roll` does, `count` being the sides.
        """
        ...

    @property
    def counter(self) -> int:
        """How many draws were made. It never goes back, whatever is taken back in the game."""
        ...

    @property
    def told(self) -> bool:
        """Whether the last result was told by people rather than rolled here; False before the first."""
        ...


class NeedDice(Exception):
    """Chance is needed here and these dice have none to give.

    A ledger asks the people at the table for what the message names; a trial act stops here.
    `purpose`, `count` and `sides` are those of the roll; for a pick `count` is 1, `sides` is the number of things to
    choose from, and `is_pick` is True. `have` is how many dice were told already (they stay told).
    """

    def __init__(self, purpose: str, count: int, sides: int, *, is_pick: bool = False, have: int = 0) -> None:
        super().__init__(purpose, count, sides)
        self.purpose = purpose
        self.count = count
        self.sides = sides
        self.is_pick = is_pick
        self.have = have

    def __str__(self) -> str:
        if self.is_pick:
            return f"{self.purpose}: pick one of {self.sides}, a number from 0 to {self.sides - 1}"
        dice = "1 die" if self.count == 1 else f"{self.count} dice"
        only = f" (only {self.have} told)" if self.have else ""
        return f"{self.purpose}: roll {dice} of {self.sides} sides{only}"


class WrongDice(ValueError):
    """A die or pick was told that cannot be: the message names it and what it was told for."""


def _check(purpose: str, count: int, sides: int) -> None:
    """Refuse a draw that makes no sense, alike for every kind of dice."""
    if not purpose:
        raise ValueError("a draw needs a purpose")
    if not 1 <= count <= MAX_DICE:
        raise ValueError(f"{purpose}: cannot roll {count} dice, only 1 to {MAX_DICE}")
    if not 1 <= sides <= MAX_SIDES:
        raise ValueError(f"{purpose}: no die has {sides} sides, only 1 to {MAX_SIDES}")


@final
class FastDice:
    """Plain seeded dice for the lab: quick and repeatable, but foreseeable by anyone who knows the seed.

    The same seed and the same calls give the same results; purposes do not matter.
    """

    __slots__ = ("_counter", "_random")

    def __init__(self, seed: int) -> None:
        """Start from a seed, an int not below 0 (else `ValueError`)."""
        if seed < 0:
            raise ValueError("the seed must not be below 0")
        self._random = Random(seed).random
        self._counter = 0

    def roll(self, purpose: str, count: int, sides: int = 6) -> tuple[int, ...]:
        """Throw dice; see `Dice.roll`."""
        _check(purpose, count, sides)
        self._counter += 1
        draw = self._random
        return tuple([int(draw() * sides) + 1 for _ in range(count)])

    def pick(self, purpose: str, count: int) -> int:
        """Choose one of `count` things; see `Dice.pick`."""
        _check(purpose, 1, count)
        self._counter += 1
        return int(self._random() * count)

    @property
    def counter(self) -> int:
        """How many draws were made."""
        return self._counter

    @property
    def told(self) -> bool:
        """Always False: these dice roll by themselves."""
        return False

    def __repr__(self) -> str:
        return f"<FastDice: {self._counter} draws>"


def commitment(secret: bytes) -> str:
    """Return what is published of the secret before the seats give their numbers: 64 hex digits (SHA-256).

    It gives nothing of the secret away, and no other secret can be shown for it later. Raises `TypeError` when the
    secret is not bytes and `ValueError` when it is not exactly 32 of them; neither shows it.
    """
    _check_secret(secret)
    return hashlib.sha256(_COMMITMENT_LABEL + secret).hexdigest()


def verify_commitment(secret: bytes, published: str) -> bool:
    """Tell whether a secret shown at the end is the one that was committed to.

    `published` is what `commitment` returned, in either case of letters, spaces around it ignored. A secret of the
    wrong length is simply not the one. Raises `TypeError` when the secret is not bytes.
    """
    if isinstance(secret, bytes) and len(secret) != SECRET_BYTES:
        return False
    return hmac.compare_digest(commitment(secret).encode(), published.strip().lower().encode("utf-8", "replace"))


def _check_secret(secret: bytes) -> None:
    if not isinstance(secret, bytes):
        raise TypeError("the secret of the dice must be bytes")
    if len(secret) != SECRET_BYTES:
        raise ValueError(f"the secret of the dice must be exactly {SECRET_BYTES} bytes, not {len(secret)}")


def _field(content: bytes) -> bytes:
    """Put the length before the content, so that no two lists of fields read alike."""
    return len(content).to_bytes(4, "big") + content


def _whole(number: int) -> bytes:
    return _field(b"%d" % number)


def _encode_numbers(numbers: Numbers) -> bytes:
    if not numbers:
        raise ValueError("the dice need a number of at least one seat")
    fields = [_whole(len(numbers))]
    for name, number in sorted((seat.encode(), number) for seat, number in numbers.items()):
        if isinstance(number, bytes):
            if len(number) > _MAX_BYTES_NUMBER:
                raise ValueError(f"seat {name.decode()}: a number may have at most {_MAX_BYTES_NUMBER} bytes")
            encoded = b"bytes:" + number
        elif isinstance(number, bool) or not isinstance(number, int):
            raise TypeError(f"seat {name.decode()}: a number must be an int or bytes")
        elif not 0 <= number < _MAX_INT_NUMBER:
            raise ValueError(f"seat {name.decode()}: a number must be from 0 below 2**256")
        else:
            encoded = b"int:%d" % number
        fields += (_field(name), _field(encoded))
    return b"".join(fields)


def _keyed(secret: bytes, numbers: Numbers) -> hmac.HMAC:
    """Take in what is the same for every draw of a table; the secret cannot be read back from what is returned."""
    _check_secret(secret)
    keyed = hmac.new(secret, digestmod="sha256")
    keyed.update(_field(_ROLL_LABEL) + _encode_numbers(numbers))
    return keyed


def _faces(keyed: hmac.HMAC, purpose: str, counter: int, count: int, sides: int) -> tuple[int, ...]:
    """Compute one draw: `keyed` has taken in the secret, the label and the numbers of the seats."""
    message = keyed.copy()
    message.update(_field(purpose.encode()) + _whole(counter) + _whole(sides) + _whole(count))
    width = max(1, ((sides - 1).bit_length() + 7) // 8)
    # Values from here up are thrown away: what remains divides evenly among the sides.
    limit = 256**width // sides * sides
    faces: list[int] = []
    stream = b""
    block = 0
    while True:
        part = message.copy()
        part.update(_whole(block))
        stream += part.digest()
        block += 1
        whole = len(stream) // width * width
        for at in range(0, whole, width):
            value = int.from_bytes(stream[at : at + width], "big")
            if value < limit:
                faces.append(value % sides + 1)
                if len(faces) == count:
                    return tuple(faces)
        stream = stream[whole:]


@final
class CommittedDice:
    """Dice of a table that nobody has to trust: a secret committed to beforehand, and a number of every seat.

    Each draw is an HMAC-SHA256, keyed with the secret, of the seats' numbers, the purpose, the counter and the shape
    of the draw. Without the secret no draw can be foreseen; with it, anyone can recompute all of them.

    The counter has no setter, and these dice cannot be copied, pickled or written as JSON, so taking back a command
    cannot take back a draw. A table that reopens must construct them with the counter it had reached: never giving one
    lower than it has seen is the table's duty, for the dice cannot know.
    """

    __slots__ = ("_counter", "_keyed", "_seats")

    def __init__(self, secret: bytes, numbers: Numbers, counter: int = 0) -> None:
        """Set up the dice of a table.

        `secret` is exactly 32 random bytes from outside, for this table alone; it is not kept in readable form.
        `numbers` is what the seats added, one at least. `counter` is the number of the next draw.

        Raises `TypeError` or `ValueError` when one of them has the wrong type or size; the message never shows the
        secret or a number.
        """
        if not 0 <= counter < _MAX_COUNTER:
            raise ValueError("the counter of the dice must be from 0 below 2**64")
        self._keyed = _keyed(secret, numbers)
        self._seats = len(numbers)
        self._counter = counter

    def roll(self, purpose: str, count: int, sides: int = 6) -> tuple[int, ...]:
        """Throw dice; see `Dice.roll`."""
        _check(purpose, count, sides)
        faces = _faces(self._keyed, purpose, self._counter, count, sides)
        self._counter += 1
        return faces

    def pick(self, purpose: str, count: int) -> int:
        """Choose one of `count` things: the face of one die of `count` sides, less one; see `Dice.pick`."""
        return self.roll(purpose, 1, count)[0] - 1

    @property
    def counter(self) -> int:
        """The number of the next draw: how many were made since the game began."""
        return self._counter

    @property
    def told(self) -> bool:
        """Always False: these dice roll by themselves."""
        return False

    def __repr__(self) -> str:
        return f"<CommittedDice: {self._seats} seats, {self._counter} draws>"

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        """Refuse to be pickled or copied: a copy would hold the secret and could make the counter go back."""
        raise TypeError("committed dice cannot be copied or pickled")


class Unused(NamedTuple):
    """What was told and never needed; false when nothing is left."""

    dice: tuple[int, ...]
    picks: tuple[int, ...]

    def __bool__(self) -> bool:
        return bool(self.dice or self.picks)


@final
class ToldDice:
    """Dice that people rolled and told, by a script (`dice 6 4 4`) or a ledger.

    Dice and picks wait in two queues and are taken in the order told. A draw either takes all it needs or raises and
    takes nothing.
    """

    __slots__ = ("_counter", "_dice", "_picks", "_told")

    def __init__(self, dice: Iterable[int] = (), picks: Iterable[int] = (), *, counter: int = 0) -> None:
        """Start with some dice and picks told; `counter` is the number of the next draw. Raises as `tell` does."""
        if counter < 0:
            raise ValueError("the counter of the dice must not be below 0")
        self._dice: deque[int] = deque()
        self._picks: deque[int] = deque()
        self._counter = counter
        self._told = False
        self.tell(dice)
        self.tell_picks(picks)

    def tell(self, dice: Iterable[int]) -> None:
        """Add faces of dice to those waiting, in the order rolled.

        Raises `WrongDice`, and adds none, when one is not a whole number from 1; whether it is too high for its die
        shows when it is rolled.
        """
        self._dice += _told_numbers(dice, 1, "die")

    def tell_picks(self, picks: Iterable[int]) -> None:
        """Add picks (each counted from 0) to those waiting. Raises `WrongDice`, and adds none, when one is below 0."""
        self._picks += _told_numbers(picks, 0, "pick")

    def roll(self, purpose: str, count: int, sides: int = 6) -> tuple[int, ...]:
        """Take the next `count` dice told; see `Dice.roll`.

        Raises `NeedDice` when fewer are waiting, and `WrongDice` when one of them has no place on a die of `sides`.
        """
        _check(purpose, count, sides)
        have = len(self._dice)
        faces = tuple(self._dice[at] for at in range(min(count, have)))
        for face in faces:
            if face > sides:
                raise WrongDice(f"{purpose}: a die of {sides} sides cannot show {face}")
        if have < count:
            raise NeedDice(purpose, count, sides, have=have)
        for _ in faces:
            self._dice.popleft()
        self._counter += 1
        self._told = True
        return faces

    def pick(self, purpose: str, count: int) -> int:
        """Take the next pick told; see `Dice.pick`.

        Raises `NeedDice` when none is waiting, and `WrongDice` when it is not below `count`.
        """
        _check(purpose, 1, count)
        if not self._picks:
            raise NeedDice(purpose, 1, count, is_pick=True)
        if self._picks[0] >= count:
            raise WrongDice(f"{purpose}: cannot pick {self._picks[0]} of {count}, only 0 to {count - 1}")
        self._counter += 1
        self._told = True
        return self._picks.popleft()

    def unused(self) -> Unused:
        """Return what was told and not yet needed, so that a table can refuse dice that nothing asked for."""
        return Unused(tuple(self._dice), tuple(self._picks))

    def forget(self) -> Unused:
        """Drop what was told and not yet needed, as after a slip in telling; returns what was dropped."""
        dropped = self.unused()
        self._dice.clear()
        self._picks.clear()
        return dropped

    def mark(self) -> tuple[tuple[int, ...], tuple[int, ...], int, bool]:
        """Return what to hand to `give_back` if an act that takes from these dice cannot be carried out whole."""
        return tuple(self._dice), tuple(self._picks), self._counter, self._told

    def give_back(self, mark: tuple[tuple[int, ...], tuple[int, ...], int, bool]) -> None:
        """Put back all that was taken since the mark: people told it, so telling it again would be a second roll."""
        dice, picks, self._counter, self._told = mark
        self._dice, self._picks = deque(dice), deque(picks)

    @property
    def counter(self) -> int:
        """How many draws were made."""
        return self._counter

    @property
    def told(self) -> bool:
        """Whether anything was drawn yet: all these dice give was told."""
        return self._told

    def __repr__(self) -> str:
        return f"<ToldDice: {self._counter} draws, {len(self._dice)} dice and {len(self._picks)} picks waiting>"


def _told_numbers(numbers: Iterable[int], lowest: int, what: str) -> list[int]:
    checked = list(numbers)
    for number in checked:
        if isinstance(number, bool) or not isinstance(number, int) or number < lowest:
            raise WrongDice(f"a {what} told must be a whole number from {lowest}, not {number!r}")
    return checked


@final
class NoDice:
    """Dice for trial acts: every draw raises `NeedDice`, so that the trial stops before chance."""

    __slots__ = ("_counter",)

    def __init__(self, counter: int = 0) -> None:
        """Stand in for dice that have made `counter` draws."""
        self._counter = counter

    def roll(self, purpose: str, count: int, sides: int = 6) -> NoReturn:
        """Raise `NeedDice`; a draw that makes no sense raises `ValueError`, as with any dice."""
        _check(purpose, count, sides)
        raise NeedDice(purpose, count, sides)

    def pick(self, purpose: str, count: int) -> NoReturn:
        """Raise `NeedDice`; a draw that makes no sense raises `ValueError`, as with any dice."""
        _check(purpose, 1, count)
        raise NeedDice(purpose, 1, count, is_pick=True)

    @property
    def counter(self) -> int:
        """The counter of the dice these stand in for."""
        return self._counter

    @property
    def told(self) -> bool:
        """Always False: there is no result."""
        return False

    def __repr__(self) -> str:
        return "<NoDice>"


class Roll(msgspec.Struct, frozen=True):
    """A draw as it was recorded: which number it has, what was asked for, and what came of it.

    `counter` is that of the dice before the draw. A pick is recorded as the one die it is: see `of_pick`.
    """

    purpose: str
    counter: int
    sides: int
    count: int
    result: tuple[int, ...]

    @classmethod
    def of_pick(cls, purpose: str, counter: int, count: int, picked: int) -> "Roll":
        """Record a pick of `picked` (from 0) among `count` things."""
        return cls(purpose, counter, count, 1, (picked + 1,))


class Mismatch(msgspec.Struct, frozen=True):
    """Something wrong with a recorded draw; as text, a sentence that names it.

    `place` counts the draws handed to `verify` from 1; `number` is the counter the record gives. `kind` is "order"
    when draws are missing before it or a number comes again (`expected` is then the number that was due), "result"
    when other faces come out (`expected` are the faces), and "malformed" when no dice could have made such a draw
    (`expected` is empty).
    """

    place: int
    number: int
    purpose: str
    kind: Literal["order", "result", "malformed"]
    expected: tuple[int, ...]
    recorded: tuple[int, ...]

    def __str__(self) -> str:
        name = f"draw {self.number} ({self.purpose!r})"
        if self.kind == "malformed":
            return f"{name}: no dice could have made this draw"
        if self.kind == "order":
            due = self.expected[0]
            why = "draws are missing before it" if self.number > due else "its number was used before"
            return f"{name}: draw {due} was due here, {why}"
        shown = " ".join(map(str, self.recorded))
        return f"{name}: recorded {shown}, recomputed {' '.join(map(str, self.expected))}"


def verify(secret: bytes, numbers: Numbers, rolls: Iterable[Roll], *, start: int = 0) -> list[Mismatch]:
    """Recompute the committed draws of a record, once the secret is published; check it with `verify_commitment` first.

    `rolls` are all draws the dice made, in order and counted from `start`: those a table took back too, for whoever
    knows the secret could otherwise throw again until the dice please him. Told dice are not the dice's and must be
    left out.

    Returns what is wrong, the first first; an empty list when every draw holds. After a gap or a repetition the count
    goes on from the highest number seen. Whatever the draws contain is reported, not raised; a wrong secret or wrong
    numbers raise as `CommittedDice` does.
    """
    keyed = _keyed(secret, numbers)
    found: list[Mismatch] = []
    due = start
    for place, roll in enumerate(rolls, 1):
        recorded = tuple(roll.result)
        number, purpose = roll.counter, roll.purpose
        if number != due:
            found.append(Mismatch(place, number, purpose, "order", (due,), recorded))
        due = max(due, number + 1)
        try:
            _check(purpose, roll.count, roll.sides)
            if len(recorded) != roll.count or not 0 <= number < _MAX_COUNTER:
                raise ValueError
            expected = _faces(keyed, purpose, number, roll.count, roll.sides)
        except ValueError:
            found.append(Mismatch(place, number, purpose, "malformed", (), recorded))
            continue
        if expected != recorded:
            found.append(Mismatch(place, number, purpose, "result", expected, recorded))
    return found
