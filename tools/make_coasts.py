"""Make the coast lines that stand beside the built-in boards, for drawing only: no rule looks at them.

The land is that of Natural Earth (naturalearthdata.com, public domain) at 1:10 million, as packed into TopoJSON by the
npm package world-atlas 2.0.2 (ISC licence). It is clipped to a little more than the box of a board, thinned out and
rounded, and written to src/foedus/games/GAME/boards/BOARD.coast.json (see `foedus.boards.coast` for its form).

npm pack world-atlas@2.0.2 && tar xzf world-atlas-2.0.2.tgz
.venv/bin/python tools/make_coasts.py package/land-10m.json
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from foedus.boards import Board
from foedus.games.sword_of_rome import board as sword_of_rome
from foedus.games.virgin_queen import board as virgin_queen

GAMES = Path(__file__).parent.parent / "src" / "foedus" / "games"
SOURCE = "Natural Earth 1:10m land, public domain; by way of world-atlas 2.0.2"
KM = 111.2
"""Kilometres of a degree of latitude."""

MARGIN = 4.0
"""Degrees of land kept outside the box, so that the edges where it was cut off are never seen."""

Point = tuple[float, float]
Ring = list[Point]


def decode(topology: dict[str, Any]) -> list[Ring]:
    """Every ring of the land of a TopoJSON file, in degrees."""
    (sx, sy), (tx, ty) = topology["transform"]["scale"], topology["transform"]["translate"]
    arcs: list[Ring] = []
    for arc in topology["arcs"]:
        x = y = 0
        points: Ring = []
        for dx, dy in arc:
            x, y = x + dx, y + dy
            points.append((x * sx + tx, y * sy + ty))
        arcs.append(points)

    def ring(indexes: Sequence[int]) -> Ring:
        points: Ring = []
        for i in indexes:
            arc = arcs[i] if i >= 0 else arcs[~i][::-1]
            points += arc[1:] if points else arc
        return points[:-1]

    land = topology["objects"]["land"]["geometries"]
    return [ring(indexes) for shape in land for polygon in shape["arcs"] for indexes in polygon]


def clip(ring: Ring, box: tuple[float, float, float, float]) -> Ring:
    """The part of a ring inside the box, closed along the edges of the box (Sutherland and Hodgman)."""
    for axis, bound, sign in ((0, box[0], 1), (0, box[2], -1), (1, box[1], 1), (1, box[3], -1)):
        if not ring:
            return []
        kept: Ring = []
        for p, q in zip([ring[-1], *ring[:-1]], ring, strict=True):
            p_in, q_in = (sign * (point[axis] - bound) >= 0 for point in (p, q))
            if p_in != q_in:
                t = (bound - p[axis]) / (q[axis] - p[axis])
                kept.append((p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1])))
            if q_in:
                kept.append(q)
        ring = kept
    return ring


def thin(ring: Ring, tolerance: float) -> Ring:
    """The ring with as few points as keep every other within the tolerance of it (Douglas and Peucker).

    Points in kilometres.
    """
    far = max(range(len(ring)), key=lambda i: math.dist(ring[0], ring[i]))
    closed = [*ring, ring[0]]
    keep = {0, far}
    spans = [(0, far), (far, len(ring))]
    while spans:
        first, last = spans.pop()
        if last - first < 2:
            continue
        off = [(distance(closed[i], closed[first], closed[last]), i) for i in range(first + 1, last)]
        worst, at = max(off)
        if worst > tolerance:
            keep.add(at)
            spans += [(first, at), (at, last)]
    return [ring[i] for i in sorted(keep)]


def distance(p: Point, a: Point, b: Point) -> float:
    """How far a point lies from the line between two others."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    square = dx * dx + dy * dy
    t = 0.0 if square == 0 else max(0.0, min(1.0, ((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / square))
    return math.dist(p, (a[0] + t * dx, a[1] + t * dy))


def area(ring: Ring) -> float:
    """The area inside a ring of points in kilometres."""
    return abs(sum(p[0] * q[1] - q[0] * p[1] for p, q in zip(ring, [*ring[1:], ring[0]], strict=True))) / 2


def coast(land: Iterable[Ring], board: Board, tolerance: float, least: float) -> dict[str, Any]:
    """The coast of a board: rings thinned to a tolerance in kilometres, islands smaller than `least` square kilometres
    left out unless a space of the board stands on or by them."""
    west, south, east, north = board.box
    box = (west - MARGIN, south - MARGIN, east + MARGIN, north + MARGIN)
    across = KM * math.cos(math.radians((south + north) / 2))

    def flat(point: Point) -> Point:
        return point[0] * across, point[1] * KM

    spaces = [flat((space.lon, space.lat)) for space in board.spaces]
    rings = []
    for whole in land:
        ring = [flat(point) for point in clip(whole, box)]
        if len(ring) < 3:
            continue
        by = min(math.dist(space, point) for space in spaces for point in ring) if area(ring) < least else 0.0
        if by > 15:
            continue
        small = area(ring) < least
        ring = thin(ring, min(tolerance, 1.0) if small else tolerance)
        degrees = [(round(x / across, 2), round(y / KM, 2)) for x, y in ring]
        degrees = [point for i, point in enumerate(degrees) if point != degrees[i - 1]]
        if len(degrees) >= 3:
            rings.append(degrees)
    rings.sort(key=len, reverse=True)
    return {"source": SOURCE, "box": [round(side, 2) for side in box], "rings": rings}


BOARDS: tuple[tuple[str, Callable[..., Board], str, float, float], ...] = (
    ("sword_of_rome", sword_of_rome.load_board, "italy-386", 1.0, 30.0),
    ("virgin_queen", virgin_queen.load_board, "europe-1559", 3.5, 400.0),
)
"""Game, loader, board, tolerance in kilometres, smallest island in square kilometres."""


def main(path: str) -> None:
    """Write every coast from a land file of world-atlas."""
    land = decode(json.loads(Path(path).read_text(encoding="utf-8")))
    for game, load, name, tolerance, least in BOARDS:
        data = coast(land, load(name), tolerance, least)
        rings = ",\n".join(json.dumps(ring, separators=(",", ":")) for ring in data.pop("rings"))
        text = json.dumps(data)[:-1] + ', "rings": [\n' + rings + "\n]}\n"
        file = GAMES / game / "boards" / f"{name}.coast.json"
        file.write_text(text, encoding="utf-8")
        print(f"{file.name}: {len(text)} bytes, {rings.count('],[') + 1} points")


if __name__ == "__main__":
    main(*sys.argv[1:])
