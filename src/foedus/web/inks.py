"""The inks of the maps: a colour, the colour of letters on it, and a pattern that tells it from the others by itself.

Letters on every ink have a contrast of at least 4.5 to 1; patterns are drawn in a tone of the ink, so that they never
hide letters.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Ink(NamedTuple):
    """One ink: fill, letters, the tone of its pattern, and the pattern as the inside of an 8 by 8 SVG tile."""

    fill: str
    letters: str
    tone: str
    tile: str


_WHITE: Final = "#fffdf6"
_DARK: Final = "#241d12"

INKS: Final[dict[str, Ink]] = {
    "crimson": Ink("#9c2f24", _WHITE, "#d98c80", '<path d="M-2 10L10-2M-6 6L6-6M2 14L14 2" stroke-width="2"/>'),
    "ochre": Ink("#d8ae3c", _DARK, "#7a5a08", '<path d="M2 2h2v2h-2zM6 6h2v2h-2z" stroke-width="0" fill="#7a5a08"/>'),
    "green": Ink("#3f6b30", _WHITE, "#9cc48a", '<path d="M0 2H8M0 6H8" stroke-width="1.6"/>'),
    "sky": Ink("#2f6f96", _WHITE, "#9fd0ee", '<path d="M2 0V8M6 0V8" stroke-width="1.6"/>'),
    "navy": Ink("#26365f", _WHITE, "#8d9fd4", '<path d="M0 0L8 8M8 0L0 8" stroke-width="1.4"/>'),
    "purple": Ink("#693a7c", _WHITE, "#c79bd8", '<path d="M0 0h4v4h-4zM4 4h4v4h-4z" stroke-width="0" fill="#c79bd8"/>'),
    "orange": Ink("#a9530f", _WHITE, "#f2b98a", '<path d="M-2-2L10 10M-6 2L6 14M2-6L14 6" stroke-width="2"/>'),
    "slate": Ink("#525b66", _WHITE, "#aeb8c4", '<path d="M0 4H8M4 0V8" stroke-width="1.4"/>'),
    "umber": Ink("#62432a", _WHITE, "#cba98a", '<path d="M0 6L4 2L8 6" fill="none" stroke-width="1.6"/>'),
    "sand": Ink("#e9dfc6", _DARK, "#b9a888", ""),
    "teal": Ink("#1f6b66", _WHITE, "#86cdc6", '<circle cx="4" cy="4" r="2.2" fill="none" stroke-width="1.4"/>'),
    "rose": Ink("#a83e68", _WHITE, "#f0a9c4", '<path d="M4 1V7M1 4H7" stroke-width="1.6"/>'),
    "black": Ink("#2b2a28", _WHITE, "#8f8b84", '<path d="M0 4L8 4" stroke-width="2.4"/>'),
    "olive": Ink(
        "#6a6a1d", _WHITE, "#d0d083", '<path d="M0 2Q2 0 4 2T8 2M0 6Q2 4 4 6T8 6" fill="none" stroke-width="1.3"/>'
    ),
    "ivory": Ink("#f7f1de", _DARK, "#8c7a5b", '<path d="M0 0L8 8" stroke-width="1"/>'),
}
"""By name; a game says which power has which (`foedus.kernel.shown.Shown.inks`)."""


def patterns(names: list[str]) -> str:
    """The patterns of these inks as the inside of an SVG `<defs>`; they are used as `fill="url(#ink-NAME)"`."""
    parts = []
    for name in names:
        ink = INKS[name]
        parts.append(
            f'<pattern id="ink-{name}" width="8" height="8" patternUnits="userSpaceOnUse">'
            f'<rect width="8" height="8" fill="{ink.fill}"/><g stroke="{ink.tone}">{ink.tile}</g></pattern>'
        )
    return "".join(parts)


__all__ = ["INKS", "Ink", "patterns"]
