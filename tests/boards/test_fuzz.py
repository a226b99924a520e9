"""Whatever stands in the file: a board or BoardError, never another error."""

import contextlib
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from foedus.boards import BoardError, build_board, parse_board, read_board

from .small import SCHEMA, TOML, small

calm = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck), database=None)

values: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["roma", "ROM", "city", "box", "lower", "clear", "latium", 5]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)


@calm
@given(st.binary(max_size=300))
def test_bytes(raw: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name in ("x.toml", "spaces.csv", "ways.csv", "board.toml"):
            (Path(folder) / name).write_bytes(raw)
        for path in (Path(folder) / "x.toml", Path(folder)):
            with contextlib.suppress(BoardError):
                read_board(path, SCHEMA)


@calm
@given(st.integers(0, len(TOML)), st.integers(0, 30), st.text(max_size=10))
def test_a_good_file_with_a_piece_replaced(at: int, cut: int, piece: str) -> None:
    with contextlib.suppress(BoardError):
        board = parse_board(TOML[:at] + piece + TOML[at + cut :], SCHEMA)
        assert build_board(board.data(), SCHEMA).data() == board.data()


@calm
@given(st.data())
def test_a_good_board_with_a_value_replaced(data: st.DataObject) -> None:
    board = small()
    table = data.draw(st.sampled_from(["places", "ways", "seas", "regions", "powers"]))
    row = data.draw(st.sampled_from(board[table]))
    row[data.draw(st.sampled_from([*row, "via", "only", "players", "touches", "flags", "start"]))] = data.draw(values)
    with contextlib.suppress(BoardError):
        build_board(board, SCHEMA)


@calm
@given(st.dictionaries(st.sampled_from(["id", "title", "box", "places", "ways", "seas", "powers", "regions"]), values))
def test_values_of_any_form(data: dict[str, Any]) -> None:
    with contextlib.suppress(BoardError):
        build_board(data, SCHEMA)


@calm
@given(st.lists(st.lists(st.text(max_size=6), max_size=12), max_size=6), st.sampled_from(",;\t"))
def test_tables(rows: list[list[str]], delimiter: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        header = delimiter.join(["id", "name", "kind", "lon", "lat", "ports", "loyalty", "players", "region"])
        text = "\n".join([header, *(delimiter.join(row) for row in rows)])
        (Path(folder) / "spaces.csv").write_text(text, encoding="utf-8", errors="replace")
        (Path(folder) / "ways.csv").write_text("a,b,kind,via,one_way\n" + text, encoding="utf-8", errors="replace")
        with contextlib.suppress(BoardError):
            read_board(folder, SCHEMA)
