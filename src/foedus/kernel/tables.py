"""Tables of numbers of a game, and an owner's own values in their places."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from foedus.kernel.rulebook import did_you_mean


def replaced(base: Mapping[str, Any], told: Any, where: str = "tables", fixed: tuple[str, ...] = ()) -> dict[str, Any]:
    """The tables `base` with the values of `told` in their places; `fixed` names those that cannot be replaced.

    Raises `ValueError` naming the place for a key that there is not, or a value of another kind.
    """
    if not isinstance(told, Mapping):
        raise ValueError(f"{where}: a table is needed, not '{str(told)[:40]}'")
    result = dict(base)
    for key, value in told.items():
        if key in fixed:
            raise ValueError(f"{where}.{key}: {key.replace('_', ' ')} cannot be replaced")
        if key not in base:
            raise ValueError(f"{where}: there is no '{str(key)[:40]}'{did_you_mean(str(key), base)}")
        old = base[key]
        if type(value) is not type(old):
            raise ValueError(f"{where}.{key}: something like {str(old)[:40]} is needed, not '{str(value)[:40]}'")
        result[key] = replaced(old, value, f"{where}.{key}") if isinstance(old, dict) else value
    return result
