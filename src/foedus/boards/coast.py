"""The coast lines of a board, for drawing only: rings of land, made by tools/make_coasts.py."""

import json
from dataclasses import dataclass
from importlib.resources import files

from foedus.boards.faults import BoardError, Fault

Ring = tuple[tuple[float, float], ...]
"""The edge of land or of a lake: points (lon, lat) in degrees; the last is joined to the first."""


@dataclass(frozen=True, slots=True)
class Coast:
    """Where land is: a place is on land if an odd number of the rings lies around it (the even-odd rule of SVG).

    source  whose data it is, to be named beside a picture
    box     west, south, east, north in degrees: a little more than the box of the board, where the land is cut off
    """

    source: str
    box: tuple[float, float, float, float]
    rings: tuple[Ring, ...]

    def land(self, lon: float, lat: float) -> bool:
        """Whether there is land at a point, as closely as the rings were drawn."""
        inside = False
        for ring in self.rings:
            x, y = ring[-1]
            for u, v in ring:
                if (v > lat) != (y > lat) and lon < (x - u) * (lat - v) / (y - v) + u:
                    inside = not inside
                x, y = u, v
        return inside


def load_coast(package: str, board: str) -> Coast | None:
    """The coast of a board that comes with a game (its package, such as "foedus.games.my_game"); None if it has none.

    Raises BoardError if the file is no coast.
    """
    file = files(package) / "boards" / f"{board}.coast.json"
    if not file.is_file():
        return None
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
        west, south, east, north = map(float, data["box"])
        rings = tuple(tuple((float(lon), float(lat)) for lon, lat in ring) for ring in data["rings"])
        return Coast(str(data["source"]), (west, south, east, north), rings)
    except (KeyError, TypeError, ValueError) as error:
        raise BoardError([Fault("coast", f"is not a coast: {error}", file=file.name)]) from error
