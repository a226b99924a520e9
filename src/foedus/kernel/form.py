"""What a form of the ruling desk asks of a position, by the keys of a game's sketch; the pages draw it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple


def _no_bases(world: Any) -> Mapping[str, Mapping[str, Any]]:
    return {}


class DeskForm(NamedTuple):
    """The parts of a form.

    `bases(world)` are positions to start from, by a name ("home", "setup"), each as what it adds to the sketch;
    `pairs` keys whose value is a list of pairs of powers ("ROM-ETR"); `points` the key of a table of numbers by seat;
    `moment` keys that take one name, each with the kind of the name; `numbers` keys that take a number; `place` what
    is told of a space: keys, a dot for a table in it, each with "power", "number" or "list" (texts between semicolons);
    `unsaid` keys that a question about a game under way leaves out, such as those about cards.
    """

    bases: Callable[[Any], Mapping[str, Mapping[str, Any]]] = _no_bases
    pairs: tuple[str, ...] = ("alliances",)
    points: str = "vp"
    moment: tuple[tuple[str, str], ...] = (("active", "seat"), ("phase", "phase"))
    numbers: tuple[str, ...] = ("turn", "round")
    place: tuple[tuple[str, str], ...] = (("owner", "power"), ("forces", "list"))
    unsaid: tuple[str, ...] = ()


__all__ = ["DeskForm"]
