"""Draw the board Italy 386 BC as a picture for the docs, from its data alone.

.venv/bin/python tools/draw_board.py          writes docs/pictures/italy-386.svg
"""

from __future__ import annotations

import math
from pathlib import Path
from xml.sax.saxutils import escape

from foedus.boards.board import Board
from foedus.games.sword_of_rome.board import load_board

PICTURE = Path(__file__).parent.parent / "docs" / "pictures" / "italy-386.svg"
WIDTH = 900
COLOURS = {
    "ROM": "#a63d2f",
    "ETR": "#c9a227",
    "SAM": "#4f7d3a",
    "GRE": "#4a90b8",
    "GAL": "#2b4a7d",
    "CAR": "#7a4b8c",
    "VOL": "#d0792c",
    "TRA": "#77808a",
    None: "#b9a888",
}
DASHES = {"clear": "", "rough": ' stroke-dasharray="5 4"', "strait": ' stroke-dasharray="1.5 3"'}


def draw(board: Board) -> str:
    """The board as SVG: ways by kind (solid clear, dashed rough, dotted strait), places by home power and kind."""
    west, south, east, north = board.box
    scale = WIDTH / ((east - west) * math.cos(math.radians((south + north) / 2)))
    height = (north - south) * scale

    def at(lon: float, lat: float) -> tuple[float, float]:
        return (lon - west) * math.cos(math.radians((south + north) / 2)) * scale, (north - lat) * scale

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" font-family="Georgia, serif">',
        f"<title>{escape(board.title['en'])}</title>",
        f'<rect width="{WIDTH}" height="{height:.0f}" fill="#f3ecdc"/>',
    ]
    for link in board.links:
        a, b = board.spaces[link.a], board.spaces[link.b]
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in (at(*p) for p in ((a.lon, a.lat), *link.via, (b.lon, b.lat))))
        dash = DASHES[board.schema.ways[link.kind]]
        parts.append(f'<polyline points="{points}" fill="none" stroke="#8c7a5b" stroke-width="1.6"{dash}/>')
    for space in board.spaces:
        x, y = at(space.lon, space.lat)
        fill = COLOURS[space.home]
        if space.kind == "city":
            shape = f'<rect x="{x - 5:.1f}" y="{y - 5:.1f}" width="10" height="10"'
        elif space.kind == "tribe":
            shape = f'<polygon points="{x - 6:.1f},{y:.1f} {x:.1f},{y - 6:.1f} {x + 6:.1f},{y:.1f} {x:.1f},{y + 6:.1f}"'
        else:
            shape = f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4"'
        parts.append(f'{shape} fill="{fill}" stroke="#3b3226" stroke-width="1"/>')
        name = escape(space.name("en"))
        parts.append(f'<text x="{x + 7:.1f}" y="{y + 3.5:.1f}" font-size="9.5" fill="#3b3226">{name}</text>')
    parts.append("</svg>")
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text(draw(load_board()), encoding="utf-8")
