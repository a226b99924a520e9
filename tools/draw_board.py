"""Draw the built-in boards as pictures for the docs, from their data alone.

.venv/bin/python tools/draw_board.py             writes docs/pictures/BOARD.svg for every board
.venv/bin/python tools/draw_board.py BOARD       for that one only
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

from foedus.boards import Board, Coast, Space
from foedus.games.sword_of_rome import board as sword_of_rome
from foedus.games.virgin_queen import board as virgin_queen

PICTURES = Path(__file__).parent.parent / "docs" / "pictures"
SEA, LAND, SHORE, WAY, INK, WATER = "#dfe9ee", "#f3ecdc", "#c9bd9f", "#8c7a5b", "#3b3226", "#6d8ca0"
NOBODY = "#b9a888"


@dataclass(frozen=True)
class Style:
    """How one game's boards are drawn: where they come from, the width of the picture, colours by power, the dashes of
    a way by kind, the shape and half size of a place by kind."""

    load: Callable[[str], Board]
    coast: Callable[[str], Coast | None]
    width: int
    colours: dict[str, str]
    dashes: dict[str, str]
    shapes: dict[str, tuple[str, float]]


ROME = Style(
    sword_of_rome.load_board,
    sword_of_rome.load_coast,
    900,
    {
        "ROM": "#a63d2f",
        "ETR": "#c9a227",
        "SAM": "#4f7d3a",
        "GRE": "#4a90b8",
        "GAL": "#2b4a7d",
        "CAR": "#7a4b8c",
        "VOL": "#d0792c",
        "TRA": "#77808a",
    },
    {"clear": "", "rough": "5 4", "strait": "1.5 3"},
    {"city": ("square", 5), "tribe": ("diamond", 6), "space": ("circle", 4), "box": ("circle", 4)},
)
QUEEN = Style(
    virgin_queen.load_board,
    virgin_queen.load_coast,
    1500,
    {
        "OTT": "#3f7d4e",
        "SPA": "#d8a928",
        "ENG": "#a63d2f",
        "FRA": "#2f4f96",
        "HRE": "#5a5348",
        "PRO": "#d0792c",
        "IRE": "#86b08a",
        "PAP": "#f4f0e2",
        "POR": "#7f2f5f",
        "SCO": "#7fa7cf",
        "VEN": "#c46a78",
    },
    {"clear": "", "pass": "5 4", "strait": "1.5 3"},
    {"key": ("square", 5), "fortified": ("diamond", 5), "unfortified": ("circle", 3.5)},
)
STYLES = {"italy-386": ROME, "europe-1559": QUEEN}
"""Name of a board -> how it is drawn."""

Point = tuple[float, float]
Box = tuple[float, float, float, float]


def draw(name: str) -> str:
    """A board as SVG: land, ways by kind, places by kind in the colour of who holds them at the start (a frame in the
    colour of the home power where that is another), an open dot for a harbour, seas by name."""
    style = STYLES[name]
    board, coast = style.load(name), style.coast(name)
    west, south, east, north = board.box
    across = math.cos(math.radians((south + north) / 2))
    scale = style.width / ((east - west) * across)
    height = (north - south) * scale

    def at(lon: float, lat: float) -> Point:
        return (lon - west) * across * scale, (north - lat) * scale

    def line(points: Iterable[Point]) -> str:
        return " ".join(f"{x:.1f},{y:.1f}" for x, y in (at(*point) for point in points))

    view = f'viewBox="0 0 {style.width} {height:.0f}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {view} font-family="Georgia, serif">',
        f"<title>{escape(board.title['en'])}</title>",
        f'<rect width="{style.width}" height="{height:.0f}" fill="{SEA if coast else LAND}"/>',
    ]
    if coast:
        path = " ".join(f"M{line(ring)}Z" for ring in coast.rings)
        parts.append(f'<path d="{path}" fill="{LAND}" fill-rule="evenodd" stroke="{SHORE}" stroke-width="0.8"/>')
    for link in board.links:
        a, b = board.spaces[link.a], board.spaces[link.b]
        points = line(((a.lon, a.lat), *link.via, (b.lon, b.lat)))
        dashes = style.dashes[board.schema.ways[link.kind]]
        dash = f' stroke-dasharray="{dashes}"' if dashes else ""
        parts.append(f'<polyline points="{points}" fill="none" stroke="{WAY}" stroke-width="1.5"{dash}/>')
    for sea in board.seas:
        if sea.lon is not None and sea.lat is not None:
            x, y = at(sea.lon, sea.lat)
            text = f'text-anchor="middle" font-size="11" font-style="italic" fill="{WATER}"'
            parts.append(f'<text x="{x:.1f}" y="{y:.1f}" {text}>{escape(sea.names["en"])}</text>')
    taken: list[Box] = []
    for space in board.spaces:
        x, y = at(space.lon, space.lat)
        taken.append((x - 5, y - 5, x + 5, y + 5))
    for space in board.spaces:
        x, y = at(space.lon, space.lat)
        parts.append(mark(space, style, x, y))
        size = 9.5 if "capital" not in space.flags else 11
        tx, ty = room(space.name("en"), x, y, size, taken, (style.width, height))
        bold = ' font-weight="bold"' if "capital" in space.flags else ""
        text = f'x="{tx:.1f}" y="{ty:.1f}" font-size="{size}"{bold} fill="{INK}"'
        parts.append(f"<text {text}>{escape(space.name('en'))}</text>")
    if coast:
        text = f'x="{style.width - 6}" y="{height - 6:.0f}" text-anchor="end" font-size="8" fill="{WATER}"'
        parts.append(f"<text {text}>Land: {escape(coast.source)}</text>")
    parts.append("</svg>")
    return "\n".join(parts) + "\n"


def mark(space: Space, style: Style, x: float, y: float) -> str:
    """The sign of a place."""
    shape, half = style.shapes[space.kind]
    fill = style.colours.get(space.start, NOBODY)
    other = space.home is not None and space.home != space.start
    edge = style.colours[space.home] if other and space.home else INK
    paint = f'fill="{fill}" stroke="{edge}" stroke-width="{2 if other else 1}"'
    if shape == "square":
        sign = f'<rect x="{x - half:.1f}" y="{y - half:.1f}" width="{2 * half:g}" height="{2 * half:g}" {paint}/>'
    elif shape == "diamond":
        corners = ((x - half, y), (x, y - half), (x + half, y), (x, y + half))
        sign = f'<polygon points="{" ".join(f"{u:.1f},{v:.1f}" for u, v in corners)}" {paint}/>'
    else:
        sign = f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{half:g}" {paint}/>'
    if space.ports:
        sign += f'<circle cx="{x:.1f}" cy="{y:.1f}" r="1.6" fill="{SEA}" stroke="{INK}" stroke-width="0.5"/>'
    return sign


def room(
    name: str, x: float, y: float, size: float, taken: list[Box], page: tuple[float, float]
) -> tuple[float, float]:
    """Where to write a name: beside, over or under its place, where least is in the way; the room is then taken."""
    wide = len(name) * size * (0.58 if size < 10 else 0.68)  # the larger names are bold
    spots = [(x + 7, y + 3.5), (x - 7 - wide, y + 3.5), (x - wide / 2, y - 8), (x - wide / 2, y + size + 6)]
    spots += [(x + 5, y - 5), (x + 5, y + 11), (x - 5 - wide, y - 5), (x - 5 - wide, y + 11)]

    def box(spot: Point) -> Box:
        return spot[0], spot[1] - size * 0.8, spot[0] + wide, spot[1] + 2

    def cover(spot: Point) -> float:
        left, top, right, bottom = box(spot)
        off = left < 0 or right > page[0] or top < 0 or bottom > page[1]
        shared = (
            max(0.0, min(right, other[2]) - max(left, other[0])) * max(0.0, min(bottom, other[3]) - max(top, other[1]))
            for other in taken
        )
        return sum(shared) + (1e6 if off else 0)

    best = min(spots, key=cover)
    taken.append(box(best))
    return best


if __name__ == "__main__":
    PICTURES.mkdir(exist_ok=True)
    for name in sys.argv[1:] or STYLES:
        (PICTURES / f"{name}.svg").write_text(draw(name), encoding="utf-8")
