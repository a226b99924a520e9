"""A board written out: as TOML, or as the two CSV tables an owner of a game can go on from."""

import csv
import io
from typing import Any

from foedus.boards.board import Board
from foedus.boards.source import tables_of


def write_toml(board: Board) -> str:
    """The whole board as a TOML file, one row of a table on one line; `read_board` gives the same board back."""
    data = board.data()
    names = tables_of(board.schema)
    parts = [f"{key} = {_toml(value)}" for key, value in data.items() if key not in names]
    for name in names:
        if data[name]:
            parts.append(f"\n{name} = [")
            parts += [f"  {_toml(row)}," for row in data[name]]
            parts.append("]")
    return "\n".join(parts) + "\n"


def write_head(board: Board) -> str:
    """All but places and ways as TOML: the board.toml that may stand beside the two tables."""
    whole = write_toml(board)
    return whole[: whole.index("\nplaces = [")].rstrip("\n") + "\n"


def write_csv(board: Board) -> tuple[str, str]:
    """The tables spaces.csv and ways.csv as text. Names of seas and regions stand in `write_head`, not here."""
    schema, data = board.schema, board.data()
    languages = [code for code in schema.languages if code != "en"]
    labels = [key for key, _ in schema.labels]
    numbers = [rule.name for rule in schema.numbers]
    columns = ["id", "name", *languages, "kind", "lon", "lat", *labels, "home", "start", "ports", *numbers, "players"]
    columns += [*schema.flags, "note", "also", "given", "provisional"]
    places = [
        {
            key: _cell(value) + (f"@{_cell(row['only'][key])}" if key in row.get("only", {}) else "")
            for key, value in row.items()
            if key != "only"
        }
        for row in data["places"]
    ]
    ways = [
        {key: _cell(value) for key, value in row.items() if key != "via"}
        | {"via": "/".join(f"{lon} {lat}" for lon, lat in row.get("via", []))}
        for row in data["ways"]
    ]
    return _table(columns, places), _table(["a", "b", "kind", "road", "one_way", "note", "given", "via"], ways)


def _table(columns: list[str], rows: list[dict[str, str]]) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def _cell(value: Any) -> str:
    if value is True:
        return "yes"
    if isinstance(value, list):
        return "/".join(map(str, value))
    return str(value)


def _toml(value: Any) -> str:
    if value is True:
        return "true"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_toml(item)}" for key, item in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return repr(value)
