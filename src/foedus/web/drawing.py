"""The board as a picture: SVG drawn from any game's board and from what it shows of a position.

No colour or size stands in a style attribute, so that the pictures obey a Content Security Policy without inline
styles. What each power has is told by colour, by pattern and by letters. Words come ready: nothing here knows a game.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from html import escape
from importlib.util import find_spec
from itertools import pairwise
from typing import Final, NamedTuple

from foedus.boards import Coast, load_coast
from foedus.boards.board import Board, Link, Sea
from foedus.kernel.shown import Piece, Place, Shown
from foedus.kernel.unknown import NONE, UNKNOWN
from foedus.web.inks import INKS, patterns

WIDTH: Final = 1400
"""The width of a board in the units of its picture."""
_RADIUS: Final = 12.0
_LETTER: Final = 8.2
"""How wide a letter of a label is, about."""
_BEYOND: Final = 24.0
"""How many degrees land that is cut at a coast's box goes on beyond it: past every edge of the picture."""
_DASHES: Final = ("", "7 5", "2 4", "10 4 2 4")
"""By kind of way."""


class Point(NamedTuple):
    """A point of the picture."""

    x: float
    y: float


class Projection:
    """Lambert's conformal conic projection of a box of degrees onto a picture of a given width.

    `box` is west, south, east, north; the two standard parallels lie a sixth of the height from either edge. The
    picture is cut to what is drawn: `points` (degrees) with a margin of so many units on each side, if any are given.
    """

    def __init__(
        self,
        box: Sequence[float],
        width: float = WIDTH,
        points: Sequence[tuple[float, float]] = (),
        margin: float = 90,
    ) -> None:
        west, south, east, north = box
        one = math.radians(south + (north - south) / 6)
        two = math.radians(north - (north - south) / 6)
        self._middle = math.radians((west + east) / 2)
        turned = [math.tan(math.pi / 4 + angle / 2) for angle in (one, two)]
        self._n = math.log(math.cos(one) / math.cos(two)) / math.log(turned[1] / turned[0])
        self._f = math.cos(one) * turned[0] ** self._n / self._n
        corners = [(lon, lat) for lon in (west, (west + east) / 2, east) for lat in (south, north)]
        edge = [self._plane(lon, lat) for lon, lat in (points or corners)]
        left, right = min(x for x, _ in edge), max(x for x, _ in edge)
        top, bottom = max(y for _, y in edge), min(y for _, y in edge)
        around = margin * (right - left) / (width - 2 * margin) if points else 0.0
        self._left, self._top, right, bottom = left - around, top + around * 0.6, right + around, bottom - around * 0.6
        self._scale = width / (right - self._left)
        self.width = width
        self.height = (self._top - bottom) * self._scale

    def _plane(self, lon: float, lat: float) -> tuple[float, float]:
        distance = self._f / math.tan(math.pi / 4 + math.radians(lat) / 2) ** self._n
        angle = self._n * (math.radians(lon) - self._middle)
        return distance * math.sin(angle), -distance * math.cos(angle)

    def __call__(self, lon: float, lat: float) -> Point:
        """Where a place lies in the picture."""
        x, y = self._plane(lon, lat)
        return Point((x - self._left) * self._scale, (self._top - y) * self._scale)


_Box = tuple[float, float, float, float]
_CELL: Final = 64


class _Room:
    """What is taken of the picture: boxes of (left, top, right, bottom), kept by the cells of a grid they touch."""

    def __init__(
        self, boxes: Iterable[_Box] = (), grid: Mapping[tuple[int, int], Sequence[_Box]] | None = None
    ) -> None:
        self.grid: dict[tuple[int, int], list[_Box]] = {cell: list(found) for cell, found in (grid or {}).items()}
        for box in boxes:
            self.take(box)

    @staticmethod
    def _cells(box: _Box) -> Iterable[tuple[int, int]]:
        for across in range(int(box[0] // _CELL), int(box[2] // _CELL) + 1):
            for down in range(int(box[1] // _CELL), int(box[3] // _CELL) + 1):
                yield across, down

    def take(self, box: _Box) -> None:
        """The box is taken."""
        for cell in self._cells(box):
            self.grid.setdefault(cell, []).append(box)

    def overlap(self, box: _Box) -> float:
        """How much of a box is taken already."""
        left, top, right, bottom = box
        total = 0.0
        for cell in self._cells(box):
            for one in self.grid.get(cell, ()):
                wide = min(right, one[2]) - max(left, one[0])
                high = min(bottom, one[3]) - max(top, one[1])
                if wide > 0 and high > 0:
                    total += wide * high
        return total

    def best(self, boxes: Sequence[_Box], width: float, height: float) -> int:
        """Which of the boxes has most room; the first of several. It is taken then."""
        found, least = 0, math.inf
        for index, box in enumerate(boxes):
            cost = self.overlap(box) + index * 2
            if box[0] < 0 or box[1] < 0 or box[2] > width or box[3] > height:
                cost += 2000
            if cost < least:
                found, least = index, cost
        self.take(boxes[found])
        return found


class _Plan(NamedTuple):
    """What does not change from position to position: points, labels, and what is taken of the picture."""

    projection: Projection
    points: tuple[Point, ...]
    labels: tuple[tuple[Point, str], ...]
    """where the label of each space stands, and its anchor"""
    taken: _Room


@lru_cache(maxsize=16)
def _plan(board: Board, language: str) -> _Plan:
    projection = Projection(board.box, points=[(space.lon, space.lat) for space in board.spaces])
    points = tuple(projection(space.lon, space.lat) for space in board.spaces)
    room = _Room([(p.x - _RADIUS, p.y - _RADIUS, p.x + _RADIUS, p.y + _RADIUS) for p in points])
    for space, at in zip(board.spaces, points, strict=True):
        if space.walled:  # room for what is marked on a city
            room.take((at.x + 3, at.y - _RADIUS - 11, at.x + _RADIUS + 8, at.y - _RADIUS + 4))
    for link in board.links:
        for box in _along(_path_of(board, projection, link)):
            room.take(box)
    labels = []
    for space, point in zip(board.spaces, points, strict=True):
        long, high, gap = len(space.name(language)) * _LETTER, 17.0, _RADIUS + 4
        spots = [
            (Point(point.x + gap, point.y + 5), "start", point.x + gap, point.y - 8),
            (Point(point.x - gap, point.y + 5), "end", point.x - gap - long, point.y - 8),
            (Point(point.x, point.y + gap + 11), "middle", point.x - long / 2, point.y + gap - 2),
            (Point(point.x, point.y - gap), "middle", point.x - long / 2, point.y - gap - 12),
            (Point(point.x + gap - 4, point.y + 17), "start", point.x + gap - 4, point.y + 5),
            (Point(point.x + gap - 4, point.y - 8), "start", point.x + gap - 4, point.y - 20),
            (Point(point.x - gap + 4, point.y + 17), "end", point.x - gap + 4 - long, point.y + 5),
            (Point(point.x - gap + 4, point.y - 8), "end", point.x - gap + 4 - long, point.y - 20),
        ]
        boxes = [(left, top, left + long, top + high) for _, _, left, top in spots]
        chosen = room.best(boxes, projection.width, projection.height)
        labels.append((spots[chosen][0], spots[chosen][1]))
    return _Plan(projection, points, tuple(labels), room)


def _path_of(board: Board, projection: Projection, link: Link) -> list[Point]:
    a, b = board.spaces[link.a], board.spaces[link.b]
    return [projection(*at) for at in ((a.lon, a.lat), *link.via, (b.lon, b.lat))]


def _along(path: Sequence[Point]) -> Iterable[_Box]:
    """Small boxes along a way, so that labels keep off it where they can."""
    for one, two in pairwise(path):
        count = max(1, int(math.dist(one, two) / 9))
        for step in range(count):
            x, y = one.x + (two.x - one.x) * step / count, one.y + (two.y - one.y) * step / count
            yield (x - 2, y - 2, x + 2, y + 2)


@cache
def coast_of(game: str, board: str) -> Coast | None:
    """The coast of a board that comes with a game, if there is one."""
    return load_coast(f"foedus.games.{game}", board) if find_spec(f"foedus.games.{game}") is not None else None


def _coast_paths(coast: Coast, projection: Projection) -> tuple[str, str]:
    """The paths of a coast: land to fill, and its edge to draw.

    Where a ring runs along the box of the coast there is nothing to draw, and the land goes on beyond what is shown.
    """
    west, south, east, north = coast.box
    land, edge = [], []

    def cut(point: Sequence[float]) -> tuple[bool, bool]:
        return point[0] in (west, east), point[1] in (south, north)

    for ring in coast.rings:
        placed = []
        for lon, lat in ring:
            far_lon = lon - _BEYOND if lon == west else lon + _BEYOND if lon == east else lon
            far_lat = lat - _BEYOND / 2 if lat == south else lat + _BEYOND / 2 if lat == north else lat
            placed.append(projection(far_lon, far_lat))
        land.append("M" + "L".join(f"{x:.0f} {y:.0f}" for x, y in placed) + "Z")
        run: list[str] = []
        for index in range(len(ring) + 1):
            here = index % len(ring)
            if any(cut(ring[here])):
                if len(run) > 1:
                    edge.append("M" + "L".join(run))
                run = []
                continue
            run.append(f"{placed[here].x:.0f} {placed[here].y:.0f}")
        if len(run) > 1:
            edge.append("M" + "L".join(run))
    return "".join(land), "".join(edge)


class Said(NamedTuple):
    """The words of a picture: letters of powers by index, sentences of each space and each sea by index, a title."""

    letters: Mapping[int, str]
    spaces: Sequence[str]
    title: str
    seas: Sequence[str] = ()


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def draw(
    shown: Shown,
    said: Said,
    language: str,
    *,
    coast: Coast | None = None,
    links: Mapping[int, str] | None = None,
    lit: Mapping[int, str] | None = None,
    alone: bool = False,
) -> str:
    """The board as SVG.

    `links`: spaces (by index) that lead somewhere; `lit`: spaces that stand out, each with a class of its own
    ("choice", "barred", "here"). `alone`: with the patterns and letters' look in it, as a file by itself.
    """
    board: Board = shown.board
    plan = _plan(board, language)
    width, height = plan.projection.width, plan.projection.height
    head = ' xmlns="http://www.w3.org/2000/svg"' if alone else ""
    role = "group" if links else "img"
    parts = [
        f'<svg{head} class="board" viewBox="0 0 {width:.0f} {height:.0f}" role="{role}" '
        f'aria-label="{escape(said.title)}" font-family="Georgia, \'Times New Roman\', serif">'
    ]
    inks = [shown.inks[power] for power in shown.powers]
    parts.append(f"<defs>{patterns(inks)}</defs>")
    parts.append(
        f'<rect class="sea" width="{width:.0f}" height="{height:.0f}" fill="{"#cfdcdc" if coast else "#f1e9d6"}"/>'
    )
    if coast:
        land, edge = _coast_paths(coast, plan.projection)
        parts.append(f'<path class="land" d="{land}" fill="#f3ecdb" fill-rule="evenodd"/>')
        parts.append(f'<path d="{edge}" fill="none" stroke="#a9c0c4" stroke-width="7" stroke-linejoin="round"/>')
        parts.append(f'<path class="coast" d="{edge}" fill="none" stroke="#5d7a85" stroke-width="1.6"/>')
    parts.extend(_seas(board, plan, language))
    parts.extend(_ways(board, plan))
    room = _Room((), plan.taken.grid)
    for index in range(len(board.spaces)):
        parts.append(_space(shown, said, plan, room, index, language, links or {}, lit or {}))
    parts.extend(_ships(shown, said, plan, room, links or {}, lit or {}))
    parts.append("</svg>")
    return "".join(parts)


def _sea_point(plan: _Plan, sea: Sea) -> Point | None:
    """Where a sea is written, kept within the picture."""
    if sea.lon is None or sea.lat is None:
        return None
    at = plan.projection(sea.lon, sea.lat)
    return Point(min(max(at.x, 110), plan.projection.width - 110), min(max(at.y, 30), plan.projection.height - 44))


def _ships(
    shown: Shown, said: Said, plan: _Plan, room: _Room, links: Mapping[int, str], lit: Mapping[int, str]
) -> Iterable[str]:
    """What sails in the seas, and the seas that stand out; in `links` and `lit` seas count on from the spaces."""
    first = len(shown.board.spaces)
    for index, sea in enumerate(shown.board.seas):
        at = _sea_point(plan, sea)
        pieces = shown.seas[index] if index < len(shown.seas) else ()
        if at is None or not (pieces or first + index in lit):
            continue
        name = escape(sea.names["en"])
        text = escape(said.seas[index]) if index < len(said.seas) else name
        look = lit.get(first + index, "")
        halo = f'<circle class="halo" cx="{at.x:.0f}" cy="{at.y - 8:.0f}" r="26"/>' if look else ""
        inside = "".join(_counters(shown, said, plan, room, pieces, Point(at.x, at.y + 20)))
        part = f'<g class="place {look}" data-place="{name}"><title>{text}</title>{halo}{inside}</g>'
        href = links.get(first + index)
        yield f'<a href="{escape(href)}" aria-label="{text}">{part}</a>' if href else part


def _seas(board: Board, plan: _Plan, language: str) -> Iterable[str]:
    parts = []
    for sea in board.seas:
        at = _sea_point(plan, sea)
        if at is None:
            continue
        name = sea.names.get(language) or sea.names["en"]
        words = name.split()
        middle = (len(words) + 1) // 2 if len(name) > 14 else len(words)
        for row, text in enumerate(filter(None, (" ".join(words[:middle]), " ".join(words[middle:])))):
            parts.append(f'<text x="{at.x:.0f}" y="{at.y + row * 28:.0f}">{escape(text)}</text>')
    if parts:
        yield '<g class="seas" fill="#3d5a66" font-size="24" font-style="italic" text-anchor="middle">'
        yield "".join(parts)
        yield "</g>"


def _ways(board: Board, plan: _Plan) -> Iterable[str]:
    yield '<g class="ways" fill="none" stroke="#7c6a4c" stroke-width="2.2">'
    by_kind: dict[int, list[str]] = {}
    for link in board.links:
        points = _path_of(board, plan.projection, link)
        by_kind.setdefault(link.kind, []).append("M" + "L".join(f"{x:.0f} {y:.0f}" for x, y in points))
    for kind, paths in sorted(by_kind.items()):
        dash = _DASHES[kind % len(_DASHES)]
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        yield f'<path d="{"".join(paths)}"{dashes}/>'
    yield "</g>"


def _space(
    shown: Shown,
    said: Said,
    plan: _Plan,
    room: _Room,
    index: int,
    language: str,
    links: Mapping[int, str],
    lit: Mapping[int, str],
) -> str:
    board: Board = shown.board
    space, place, point = board.spaces[index], shown.places[index], plan.points[index]
    ink = shown.inks.get(place.owner, "")
    if not place.there:
        return ""
    fill = f"url(#ink-{ink})" if ink else "#fffdf6"
    look = f'class="place{" " + lit[index] if index in lit else ""}" data-place="{escape(space.name("en"))}"'
    parts = [f"<g {look}><title>{escape(said.spaces[index])}</title>"]
    if index in lit:
        parts.append(f'<circle class="halo" cx="{point.x:.0f}" cy="{point.y:.0f}" r="{_RADIUS + 7:.0f}"/>')
    parts.append(_glyph(space.kind, space.walled, point, fill))
    if ink:
        letters = said.letters.get(place.owner, "")
        parts.append(
            f'<text x="{point.x:.0f}" y="{point.y + 2.6:.1f}" font-size="7.5" text-anchor="middle" '
            f'fill="{INKS[ink].letters}" stroke="{INKS[ink].fill}" stroke-width="2.6" paint-order="stroke" '
            f'font-weight="700">{escape(letters)}</text>'
        )
    elif place.owner == UNKNOWN:
        parts.append(
            f'<text x="{point.x:.0f}" y="{point.y + 4:.0f}" font-size="12" text-anchor="middle" fill="#5a4c35">?</text>'
        )
    at, anchor = plan.labels[index]
    parts.append(
        f'<text class="name" x="{at.x:.0f}" y="{at.y:.0f}" font-size="16.5" text-anchor="{anchor}" fill="#2c2418" '
        'stroke="#f6f0e0" stroke-width="3" stroke-linejoin="round" paint-order="stroke">'
        f"{escape(space.name(language))}</text>"
    )
    parts.extend(_marks(place, point))
    parts.extend(_counters(shown, said, plan, room, place.pieces, point))
    parts.append("</g>")
    inside = "".join(parts)
    if index in links:
        label = escape(said.spaces[index])
        return f'<a href="{escape(links[index])}" aria-label="{label}">{inside}</a>'
    return inside


def _glyph(kind: str, walled: bool, at: Point, fill: str) -> str:
    r = _RADIUS
    look = f'fill="{fill}" stroke="#2c2418" stroke-width="{2.4 if walled else 1.4}"'
    if walled:
        # a wall with merlons
        x, y = at.x - r, at.y - r
        return (
            f'<path d="M{x:.0f} {y - 3:.0f}h6v4h5v-4h6v4h5v{2 * r - 1:.0f}h-{2 * r:.0f}z" {look} '
            'stroke-linejoin="round"/>'
        )
    if kind == "tribe":
        far = r + 2
        return (
            f'<path d="M{at.x - far:.0f} {at.y:.0f}L{at.x:.0f} {at.y - far:.0f}L{at.x + far:.0f} {at.y:.0f}'
            f'L{at.x:.0f} {at.y + far:.0f}z" {look}/>'
        )
    if kind == "box":
        look += ' stroke-dasharray="4 2"'
        return f'<rect x="{at.x - 14:.0f}" y="{at.y - 9:.0f}" width="28" height="18" rx="3" {look}/>'
    return f'<circle cx="{at.x:.0f}" cy="{at.y:.0f}" r="{r - 1:.0f}" {look}/>'


def _marks(place: Place, at: Point) -> Iterable[str]:
    for order, mark in enumerate(place.marks):
        x, y = at.x + _RADIUS - 1 - order * 17, at.y - _RADIUS - 3
        wide = 6 + 6 * len(mark.short)
        yield (
            f'<g class="mark"><rect x="{x - wide / 2:.0f}" y="{y - 7:.0f}" width="{wide}" height="13" rx="6" '
            f'fill="#fffdf6" stroke="#2c2418"/><text x="{x:.0f}" y="{y + 3.5:.1f}" font-size="10" '
            f'text-anchor="middle" fill="#241d12">{escape(mark.short)}</text></g>'
        )


def _counters(shown: Shown, said: Said, plan: _Plan, room: _Room, pieces: Sequence[Piece], at: Point) -> Iterable[str]:
    if not pieces:
        return
    high, wide = 19.0, 0.0
    texts = []
    for piece in pieces:
        count = "?" if piece.number == UNKNOWN else str(piece.number) if piece.number else ""
        text = f"{said.letters.get(piece.power, '?')} {count}".rstrip() + "★" * len(piece.leaders)
        text = f"({text})" if piece.inside else text
        texts.append(text)
        wide = max(wide, 16 + 8.8 * len(text))
    tall = high * len(texts)
    far = _RADIUS + 5
    spots = [
        Point(at.x - wide - far, at.y - tall / 2),
        Point(at.x + far, at.y - tall / 2),
        Point(at.x - wide / 2, at.y + far),
        Point(at.x - wide / 2, at.y - far - tall),
        Point(at.x - wide - far, at.y + 4),
        Point(at.x + far, at.y + 4),
        Point(at.x - wide - far, at.y - tall - 4),
        Point(at.x + far, at.y - tall - 4),
        Point(at.x - wide / 2, at.y + far + 14),
        *(
            Point(at.x + across * (wide / 2 + 34) - wide / 2, at.y + down * 40 - tall / 2)
            for across, down in ((-1, 0), (1, 0), (0, 1), (0, -1), (-1, 1), (1, 1), (-1, -1), (1, -1))
        ),
        *(
            Point(at.x + across * (wide / 2 + 70) - wide / 2, at.y + down * 66 - tall / 2)
            for across, down in ((-1, 0), (1, 0), (0, 1), (0, -1), (-1, 1), (1, 1), (-1, -1), (1, -1))
        ),
    ]
    boxes = [(x, y, x + wide, y + tall) for x, y in spots]
    chosen = room.best(boxes, plan.projection.width, plan.projection.height)
    corner = spots[chosen]
    if chosen > 8:
        yield (
            f'<path d="M{at.x:.0f} {at.y:.0f}L{corner.x + wide / 2:.0f} {corner.y + tall / 2:.0f}" '
            'stroke="#241d12" stroke-width="1" opacity="0.7"/>'
        )
    for row, (piece, text) in enumerate(zip(pieces, texts, strict=True)):
        name = shown.inks.get(piece.power, "sand")
        ink = INKS[name]
        x, y = corner.x, corner.y + row * high
        rounded = 9 if piece.afloat else 2
        yield (
            f'<g class="counter"><rect x="{x:.0f}" y="{y:.0f}" width="{wide:.0f}" height="18" rx="{rounded}" '
            f'fill="{ink.fill}" stroke="#241d12" stroke-width="1.2"/>'
            f'<rect x="{x + 1:.0f}" y="{y + 1:.0f}" width="8" height="16" rx="1" fill="url(#ink-{name})"/>'
            f'<text x="{x + 12:.0f}" y="{y + 13.2:.1f}" font-size="13.5" font-weight="700" fill="{ink.letters}">'
            f"{escape(text)}</text></g>"
        )


def graph(shown: Shown, letters: Mapping[int, str], names: Mapping[int, str], said: Sequence[str], title: str) -> str:
    """The bonds of the powers as a picture: powers in a ring, a line for each bond.

    `letters` and `names` of powers by index; `said` the words of each bond. Lines of what parts two powers
    ("war", "broken") are red and dashed; what is not known is dotted and grey.
    """
    ring = [power for power in shown.powers if shown.inks[power] != "sand"]
    size, middle, far = 360.0, 180.0, 132.0
    where = {}
    for order, power in enumerate(ring):
        angle = 2 * math.pi * order / max(len(ring), 1) - math.pi / 2
        where[power] = Point(middle + far * math.cos(angle), middle + far * math.sin(angle))
    parts = [
        f'<svg class="graph" viewBox="0 0 {size:.0f} {size:.0f}" role="img" aria-label="{escape(title)}" '
        "font-family=\"Georgia, 'Times New Roman', serif\">",
        f"<defs>{patterns([shown.inks[power] for power in ring])}</defs>",
    ]

    def line(a: int, b: int, look: str, text: str) -> None:
        if a in where and b in where:
            one, two = where[a], where[b]
            parts.append(
                f'<path d="M{one.x:.0f} {one.y:.0f}L{two.x:.0f} {two.y:.0f}" fill="none" {look}>'
                f"<title>{escape(text)}</title></path>"
            )

    for a, b in shown.unsure:
        line(a, b, 'stroke="#a99b80" stroke-width="1.5" stroke-dasharray="1 5"', f"{names[a]} – {names[b]}: ?")
    for bond, text in zip(shown.bonds, said, strict=True):
        apart = bond.what in ("war", "broken")
        look = (
            'stroke="#a3261a" stroke-width="4" stroke-dasharray="9 5"' if apart else 'stroke="#2c2418" stroke-width="5"'
        )
        line(bond.a, bond.b, look, f"{names[bond.a]} – {names[bond.b]}: {text}")
    for power in ring:
        at, ink = where[power], shown.inks[power]
        parts.append(
            f'<g><title>{escape(names[power])}</title><circle cx="{at.x:.0f}" cy="{at.y:.0f}" r="26" '
            f'fill="url(#ink-{ink})" stroke="#241d12" stroke-width="1.5"/>'
            f'<rect x="{at.x - 20:.0f}" y="{at.y - 10:.0f}" width="40" height="20" rx="4" fill="{INKS[ink].fill}"/>'
            f'<text x="{at.x:.0f}" y="{at.y + 5.5:.1f}" font-size="15" font-weight="700" text-anchor="middle" '
            f'fill="{INKS[ink].letters}">{escape(letters[power])}</text></g>'
        )
    parts.append("</svg>")
    return "".join(parts)


def swatch(ink: str, letters: str) -> str:
    """A small sample of an ink for a legend; its pattern must stand elsewhere on the page (in a board or graph)."""
    found = INKS[ink]
    return (
        '<svg class="swatch" viewBox="0 0 46 20" aria-hidden="true">'
        '<rect x="0.5" y="0.5" width="45" height="19" rx="3" '
        f'fill="url(#ink-{ink})" stroke="#241d12"/><rect x="9" y="3" width="28" height="14" rx="2" '
        f'fill="{found.fill}"/><text x="23" y="14" font-size="11" font-weight="700" text-anchor="middle" '
        f'fill="{found.letters}">{escape(letters)}</text></svg>'
    )


__all__ = ["NONE", "Projection", "Said", "coast_of", "draw", "graph", "swatch"]
