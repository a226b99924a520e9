"""From files to rows: TOML, or CSV tables, read within bounds and with the line each row stands on.

Nothing here judges what the rows say; that is `check`.
"""

import csv
import io
import re
import stat
import tomllib
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from foedus.boards.faults import Fault
from foedus.boards.names import fold, nearest, shown
from foedus.boards.schema import BoardSchema

MAX_BYTES = 1_000_000
"""A file longer than this is refused unread."""

SPACES_FILE, WAYS_FILE, HEAD_FILE = "spaces.csv", "ways.csv", "board.toml"

_FORBIDDEN_IN_HEAD = ("places", "ways")


@dataclass(slots=True)
class Row:
    """One row of a table: its values, and where it stands."""

    data: Any
    file: str
    line: int | None = None


@dataclass(slots=True)
class Source:
    """A board as read, not yet judged.

    head   everything but the tables; tables: name of a table -> its rows (seas, places, ways, regions ...)
    lines  key of the head -> line
    """

    file: str
    head: dict[str, Any] = field(default_factory=dict)
    tables: dict[str, list[Row]] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)


def tables_of(schema: BoardSchema) -> tuple[str, ...]:
    """Names of the tables a board of this schema may have."""
    return ("powers", *(table for _, table in schema.labels), "seas", "places", "ways")


def read_source(path: Path, schema: BoardSchema) -> Source:
    """Read a `.toml` file, a folder with spaces.csv and ways.csv, or a spaces.csv with ways.csv beside it."""
    source = Source(path.name or str(path))
    try:
        folder = path.is_dir()
    except (OSError, ValueError) as error:
        source.faults.append(Fault("file", f"cannot be read: {_reason(error)}", file=source.file))
        return source
    if folder:
        return _read_tables(path / SPACES_FILE, schema)
    if path.suffix.lower() == ".csv":
        return _read_tables(path, schema)
    text = _read_text(path, source.faults)
    return source if text is None else parse_source(text, schema, path.name)


def parse_source(text: str, schema: BoardSchema, file: str = "board") -> Source:
    """The same from the text of a TOML file."""
    data, faults = _parse_toml(text, file)
    if data is None:
        return Source(file, faults=faults)
    return data_source(data, schema, file, text)


def data_source(data: Mapping[str, Any], schema: BoardSchema, file: str = "board", text: str | None = None) -> Source:
    """The same from the values of a TOML file; with its text, rows get their lines."""
    source = Source(file, lines=_lines_of_keys(text))
    names = tables_of(schema)
    for key, value in data.items():
        if key not in names:
            source.head[str(key)] = value
        elif isinstance(value, Sequence) and not isinstance(value, str | bytes):
            source.tables[key] = [Row(item, file) for item in value]
        else:
            message = f"{key} must be a list of tables"
            source.faults.append(Fault("type", message, file=file, line=source.lines.get(key)))
    if text is not None:
        for key, rows in source.tables.items():
            _number_rows(text, key, rows)
    return source


_KEY = re.compile(r'^[ \t]*"?([\w-]+)"?[ \t]*=', re.MULTILINE)
_IDS = {key: re.compile(rf"(?<![\w-]){key}[ \t]*=[ \t]*([\"'])([^\"'\n]*)\1") for key in ("id", "a")}


def _lines_of_keys(text: str | None) -> dict[str, int]:
    """The line on which each key first begins a line."""
    lines: dict[str, int] = {}
    line, counted = 1, 0
    for found in _KEY.finditer(text or ""):
        line += (text or "").count("\n", counted, found.start())
        counted = found.start()
        lines.setdefault(found[1], line)
    return lines


def _number_rows(text: str, table: str, rows: list[Row]) -> None:
    """Find the line of each row by searching for its id (or, for a way, its first end) from the row before onwards."""
    key = "a" if table == "ways" else "id"
    start = re.search(rf"^[ \t]*(?:{table}[ \t]*=|\[\[[ \t]*{table}[ \t]*\]\])", text, re.MULTILINE)
    if start is None:
        return
    places: dict[str, list[tuple[int, int]]] = {}
    counted = start.start()
    line = text.count("\n", 0, counted) + 1
    for found in _IDS[key].finditer(text, counted):
        line += text.count("\n", counted, found.start())
        counted = found.start()
        places.setdefault(found[2], []).append((counted, line))
    at = start.start()
    for row in rows:
        word = row.data.get(key) if isinstance(row.data, Mapping) else None
        if isinstance(word, str) and word in places:
            index = bisect_left(places[word], (at, 0))
            if index < len(places[word]):
                at, row.line = places[word][index]
                at += 1


def _reason(error: Exception) -> str:
    return error.strerror or "unknown reason" if isinstance(error, OSError) else str(error)


def _read_text(path: Path, faults: list[Fault]) -> str | None:
    """The text of a file, or None and a fault. Never reads more than the limit, nor from anything but a file."""

    def fault(code: str, message: str) -> None:
        faults.append(Fault(code, message, file=path.name))

    try:
        if not stat.S_ISREG(path.stat().st_mode):
            fault("file", "is not a file")
            return None
        with path.open("rb") as stream:
            raw = stream.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        fault("file", f"cannot be read: {_reason(error)}")
        return None
    if len(raw) > MAX_BYTES:
        fault("size", f"is too large: a board may have {MAX_BYTES} bytes")
        return None
    if b"\0" in raw:
        fault("encoding", "is not a text file")
        return None
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        faults.append(Fault("encoding", "is not text in UTF-8", file=path.name, line=line))
        return None
    if not text.strip():
        fault("empty", "is empty")
        return None
    return text


_LONG_KEY = re.compile(r"""(?<![\w-])(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){20}""")


def _parse_toml(text: str, file: str) -> tuple[dict[str, Any] | None, list[Fault]]:
    if len(text) > MAX_BYTES:
        return None, [Fault("size", f"is too large: a board may have {MAX_BYTES} bytes", file=file)]
    if _LONG_KEY.search(text):  # the time such a key takes grows with the square of its length
        return None, [Fault("toml", "has a key of too many parts", file=file)]
    try:
        return tomllib.loads(text), []
    except RecursionError:
        return None, [Fault("toml", "is nested too deeply", file=file)]
    except ValueError as error:
        found = re.search(r"\(at line (\d+), column (\d+)\)", str(error))
        message = re.sub(r" ?\(at (?:line \d+, column \d+|end of document)\)", "", str(error))
        line = int(found[1]) if found else None
        return None, [Fault("toml", f"is not TOML: {shown(message, 200)}", file=file, line=line)]


# CSV: every cell is text, so the cells are turned into the values a TOML file would hold.


def _read_tables(spaces: Path, schema: BoardSchema) -> Source:
    folder = spaces.parent
    head = folder / HEAD_FILE
    source = Source(spaces.name)
    named = head.exists()
    if named:
        text = _read_text(head, source.faults)
        data, faults = (None, []) if text is None else _parse_toml(text, head.name)
        source.faults += faults
        if data is not None:
            kept = {key: value for key, value in data.items() if key not in _FORBIDDEN_IN_HEAD}
            found = data_source(kept, schema, head.name, text)
            found.faults = source.faults + found.faults
            source = found
            for key in data.keys() & set(_FORBIDDEN_IN_HEAD):
                message = f"{key} belong into the CSV table"
                source.faults.append(Fault("key", message, file=head.name, line=source.lines.get(key)))
    else:
        slug = re.sub(r"[^a-z0-9]+", "-", folder.resolve().name.lower()).strip("-")
        source.head["id"] = slug if re.match("[a-z]", slug) else f"board-{slug}".strip("-")
        source.head["title"] = source.head["id"]
    read = {
        "places": _read_csv(spaces, _space_columns(schema), ("id", "name", "kind", "lon", "lat"), source.faults),
        "ways": _read_csv(folder / WAYS_FILE, _way_columns(), ("a", "b", "kind"), source.faults),
    }
    if read["places"] is not None:  # else every end of a way would be called unknown
        source.tables |= {table: rows for table, rows in read.items() if rows is not None}
    if not named:
        _name_seas_and_labels(source, schema)
    return source


def _space_columns(schema: BoardSchema) -> dict[str, str]:
    columns = {"id": "word", "name": "text", **{code: "text" for code in schema.languages if code != "en"}}
    columns |= {"kind": "word", "lon": "degrees", "lat": "degrees"}
    columns |= {key: "text" for key, _ in schema.labels}
    columns |= {"home": "word", "start": "word", "ports": "list"}
    columns |= {rule.name: "number" for rule in schema.numbers}
    columns |= {"players": "counts", **dict.fromkeys(schema.flags, "flag")}
    return columns | {"note": "text", "also": "list", "given": "list", "provisional": "list"}


def _way_columns() -> dict[str, str]:
    return {"a": "word", "b": "word", "kind": "word", "road": "word", "one_way": "flag"} | {
        "note": "text",
        "given": "list",
        "via": "points",
    }


def _read_csv(path: Path, columns: dict[str, str], needed: Sequence[str], faults: list[Fault]) -> list[Row] | None:
    text = _read_text(path, faults)
    if text is None:
        return None
    first = text.lstrip().split("\n", 1)[0]
    delimiter = max(",;\t", key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows: list[Row] = []
    header: list[str] = []
    before = 0
    try:
        for cells in reader:
            line, before = before + 1, reader.line_num
            if not any(cell.strip() for cell in cells):
                continue
            if not header:
                header = [cell.strip().lower() for cell in cells]
                _check_header(header, columns, needed, path.name, line, faults)
                continue
            if len(cells) > len(header) and any(cell.strip() for cell in cells[len(header) :]):
                message = f"has {len(cells)} cells, the header has {len(header)} (a comma in a cell needs quotes)"
                faults.append(Fault("csv", message, where=_which(columns, cells), file=path.name, line=line))
            rows.append(Row(_row_values(header, cells, columns, path.name, line, faults), path.name, line))
    except csv.Error as error:
        faults.append(Fault("csv", f"is not CSV: {error}", file=path.name, line=before + 1))
    return rows


def _check_header(
    header: list[str], columns: dict[str, str], needed: Sequence[str], file: str, line: int, faults: list[Fault]
) -> None:
    for name in dict.fromkeys(header):
        if name and name not in columns:
            hint = nearest(name, columns)
            message = f'unknown column "{shown(name)}"' + (f"; did you mean {hint[0]}?" if hint else "")
            faults.append(Fault("key", message, file=file, line=line))
        elif name and header.count(name) > 1:
            faults.append(Fault("csv", f'column "{name}" stands there twice', file=file, line=line))
    for name in needed:
        if name not in header:
            faults.append(Fault("missing", f'the column "{name}" is missing', file=file, line=line))


def _which(columns: dict[str, str], cells: list[str]) -> str:
    """What a row is about, by its first cells."""
    if "id" in columns:
        return f"place {shown(cells[0].strip())}"
    return "way " + " - ".join(shown(cell.strip()) for cell in cells[:2])


def _row_values(
    header: list[str], cells: list[str], columns: dict[str, str], file: str, line: int, faults: list[Fault]
) -> dict[str, Any]:
    row: dict[str, Any] = {}
    only: dict[str, Any] = {}
    for name, raw in zip(header, cells, strict=False):
        cell, form = raw.strip(), columns.get(name)
        if not cell or form is None:
            continue
        try:
            if form == "degrees":
                row[name] = float(cell.replace(",", "."))
            elif form == "number":
                value, _, counts = cell.partition("@")
                row[name] = int(value)
                if counts:
                    only[name] = [int(part) for part in counts.split("/")]
            elif form == "counts":
                row[name] = [int(part) for part in cell.split("/")]
            elif form == "flag":
                row[name] = {"1": True, "yes": True, "true": True, "0": False, "no": False, "false": False}[
                    cell.lower()
                ]
            elif form == "list":
                row[name] = [part.strip() for part in cell.split("/") if part.strip()]
            elif form == "points":
                row[name] = [[float(number) for number in part.split()] for part in cell.split("/")]
            else:
                row[name] = cell
        except (ValueError, KeyError):
            where = _which(columns, cells)
            message = f'{name}: "{shown(cell)}" is not {_FORMS[form]}'
            faults.append(Fault("type", message, where=where, file=file, line=line))
            row[name] = UNREADABLE
    if only:
        row["only"] = only
    return row


UNREADABLE = object()
"""Stands for a cell already complained of, so that nobody complains again."""

_FORMS = {
    "degrees": "a number of degrees",
    "number": "a whole number (3, or 3@5 for five players only)",
    "counts": "a list of numbers of players (4/5)",
    "flag": "yes or no",
    "points": "a list of points (12.75 41.52/13.05 41.42)",
}


def _name_seas_and_labels(source: Source, schema: BoardSchema) -> None:
    """Without a board.toml the seas and the labels are those the cells name; every sea then meets every other."""
    rows = [row for row in source.tables.get("places", []) if isinstance(row.data, dict)]
    for key, table in schema.labels:
        words: dict[str, str] = {}
        for row in rows:
            if isinstance(row.data.get(key), str):
                word = _slug(row.data[key])
                words.setdefault(word, row.data[key])
                row.data[key] = word
        source.tables[table] = [Row({"id": word, "name": text}, source.file) for word, text in words.items()]
    seas: dict[str, str] = {}
    used: dict[str, list[Row]] = {}
    for row in rows:
        if isinstance(row.data.get("ports"), list):
            for text in row.data["ports"]:
                word = _slug(text)
                seas.setdefault(word, text)
                used.setdefault(word, []).append(row)
            row.data["ports"] = [_slug(text) for text in row.data["ports"]]
    for word, users in used.items():
        like = [other for other in nearest(word, seas) if other != word and len(used[other]) > 1]
        if len(users) == 1 and like and _close(word, like[0]):
            message = f'the sea "{seas[word]}" is named only here; did you mean {like[0]}?'
            where = f"place {shown(str(users[0].data.get('id', '')))}"
            source.faults.append(Fault("sea", message, where=where, file=users[0].file, line=users[0].line))
    names = list(seas)
    source.tables["seas"] = [
        Row({"id": word, "name": seas[word], "touches": names[i + 1 :]}, source.file) for i, word in enumerate(names)
    ]


def _close(a: str, b: str) -> bool:
    return bool(nearest(a, [b])) and abs(len(a) - len(b)) <= 2


def _slug(text: str) -> str:
    return re.sub(r"\W+", "_", fold(text)).strip("_")[:40]
