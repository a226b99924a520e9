"""Positions as text: plain values written as TOML, the way a person would."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def _key(name: object) -> str:
    return str(name) if _BARE.fullmatch(str(name)) else json.dumps(str(name), ensure_ascii=False)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, Mapping):
        inner = ", ".join(f"{_key(name)} = {_value(one)}" for name, one in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_value, value))}]"
    return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")


def write_toml(data: Mapping[str, Any]) -> str:
    """The values as TOML; a table of tables gets a heading of its own and a line for each."""
    lines, tables = [], []
    for name, value in data.items():
        if isinstance(value, Mapping) and value and all(isinstance(one, Mapping) for one in value.values()):
            tables.append(f"\n[{_key(name)}]")
            tables.extend(f"{_key(key)} = {_value(one)}" for key, one in value.items())
        elif value is not None:
            lines.append(f"{_key(name)} = {_value(value)}")
    return "\n".join([*lines, *tables]) + "\n"


__all__ = ["write_toml"]
