"""The coast lines beside the built-in boards, how they are made, and what is told when a file is none."""

import itertools
import runpy
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from foedus.boards import Board, BoardError, Coast, build_board, load_coast
from foedus.games.sword_of_rome import board as sword_of_rome
from foedus.games.virgin_queen import board as virgin_queen

from .small import SCHEMA, small

TOOL = Path(__file__).parents[2] / "tools" / "make_coasts.py"
BUILT_IN = [
    ("foedus.games.sword_of_rome", sword_of_rome.load_board("italy-386"), sword_of_rome.load_coast("italy-386")),
    ("foedus.games.virgin_queen", virgin_queen.load_board("europe-1559"), virgin_queen.load_coast("europe-1559")),
]


@pytest.fixture(scope="module")
def tool() -> dict[str, Any]:
    return runpy.run_path(str(TOOL))


@pytest.mark.parametrize("package, board, coast", BUILT_IN)
def test_built_in_coasts(package: str, board: Board, coast: Coast | None) -> None:
    assert coast is not None
    text = (files(package) / "boards" / f"{board.id}.coast.json").read_bytes()
    assert len(text) < 64_000
    west, south, east, north = coast.box
    assert (west, south) < board.box[:2]
    assert (east, north) > board.box[2:]
    assert all(len(ring) >= 3 and all(p != q for p, q in itertools.pairwise(ring)) for ring in coast.rings)
    assert all(west <= lon <= east and south <= lat <= north for ring in coast.rings for lon, lat in ring)
    assert "public domain" in coast.source


def test_land_and_water() -> None:
    italy, europe = (coast for _, _, coast in BUILT_IN)
    assert italy is not None
    assert europe is not None
    for coast in (italy, europe):
        assert coast.land(12.9, 42.4), "Umbria"
        assert coast.land(9.1, 40.0), "Sardinia"
        assert not coast.land(11.5, 40.5), "the Tyrrhenian Sea"
        assert not coast.land(15.0, 43.0), "the Adriatic"
    assert europe.land(-8.0, 53.0), "Ireland"
    assert not europe.land(-20.0, 53.0), "beyond the box"


def test_no_coast_for_another_board() -> None:
    assert sword_of_rome.load_coast("europe-1559") is None
    assert load_coast("foedus.games.sword_of_rome", "latium") is None


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"source": "x", "box": [1, 2], "rings": []}', '{"rings": 3}'])
def test_what_is_no_coast_is_told(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "no_coast" / "boards").mkdir(parents=True)
    (tmp_path / "no_coast" / "__init__.py").touch()
    (tmp_path / "no_coast" / "boards" / "bad.coast.json").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "no_coast", raising=False)
    with pytest.raises(BoardError, match=r"bad\.coast\.json"):
        load_coast("no_coast", "bad")


# how they are made


def test_decode_joins_arcs_forwards_and_back(tool: dict[str, Any]) -> None:
    """Two squares that share the side x = 1: the shared arc is stored once and read backwards by the second."""
    topology = {
        "transform": {"scale": [1, 1], "translate": [0, 0]},
        "arcs": [[[1, 0], [0, 1]], [[1, 1], [-1, 0], [0, -1], [1, 0]], [[1, 0], [1, 0], [0, 1], [-1, 0]]],
        "objects": {"land": {"geometries": [{"type": "MultiPolygon", "arcs": [[[0, 1]], [[2, -1]]]}]}},
    }
    first, second = tool["decode"](topology)
    assert set(first) == {(0, 0), (1, 0), (1, 1), (0, 1)}
    assert set(second) == {(1, 0), (2, 0), (2, 1), (1, 1)}
    assert len(first) == len(second) == 4


def test_clip_closes_along_the_box(tool: dict[str, Any]) -> None:
    square = [(0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (0.0, 4.0)]
    assert set(tool["clip"](square, (1.0, 1.0, 9.0, 3.0))) == {(1.0, 1.0), (4.0, 1.0), (4.0, 3.0), (1.0, 3.0)}
    assert tool["clip"](square, (5.0, 5.0, 6.0, 6.0)) == []


def test_thin_keeps_within_the_tolerance(tool: dict[str, Any]) -> None:
    ring = [(0.0, 0.0), (5.0, 0.4), (10.0, 0.0), (9.7, 5.0), (10.0, 10.0), (0.0, 10.0)]
    assert tool["thin"](ring, 0.5) == [(0.0, 0.0), (10.0, 0.0), (10.0, 10.0), (0.0, 10.0)]
    assert tool["thin"](ring, 0.35) == [point for point in ring if point != (9.7, 5.0)]
    assert tool["thin"](ring, 0.1) == ring


def test_small_islands_go_unless_a_place_stands_there(tool: dict[str, Any]) -> None:
    board = build_board(small(), SCHEMA)
    place = board.spaces[0]

    def island(lon: float, lat: float) -> list[tuple[float, float]]:
        return [(lon - 0.05, lat - 0.05), (lon + 0.05, lat - 0.05), (lon + 0.05, lat + 0.05), (lon - 0.05, lat + 0.05)]

    empty = (board.box[0] + 0.1, board.box[1] + 0.1)
    made = tool["coast"]([island(place.lon, place.lat), island(*empty)], board, 1.0, 1000.0)
    assert len(made["rings"]) == 1
    lon, lat = made["rings"][0][0]
    assert abs(lon - place.lon) < 0.1
    assert abs(lat - place.lat) < 0.1
