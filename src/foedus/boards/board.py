"""The board as the rules use it: spaces and ways by small integers, neighbours as bit masks, distances and routes.

In a bit mask of spaces bit i stands for `board.spaces[i]`; in a bit mask of seas bit i stands for `board.seas[i]`; in a
bit mask of way kinds bit k stands for `board.schema.ways[k]`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from foedus.boards.names import fold, nearest
from foedus.boards.schema import BoardSchema
from foedus.kernel.values import bits

Names = Mapping[str, str]
"""A name in several languages: language code -> text. English ("en") is always there."""


@dataclass(frozen=True, slots=True)
class Space:
    """One place of the board.

    names        language -> name; aliases: other names, accepted when a player types one
    kind         one of `schema.kinds`; walled: whether the rules see walls here
    lon, lat     degrees east and north, WGS84; for a box only where to draw it
    labels       key -> id in the board's table of that label: region, people
    home         code of the power whose home region it is, or None
    start        code of the power that holds it at the start (the schema's `independent` if nobody does)
    ports        ids of the seas its harbour lies on; empty if it has none
    numbers      name -> value: loyalty, factor, reinforce, victory
    only         name of a number -> numbers of players it holds for; a number not named here always holds
    players      numbers of players the space exists for; empty: for all
    flags        yes-or-no marks that are set
    given        keys whose value comes from the published facts; provisional: numbers set for want of a fact
    """

    id: str
    names: Names
    kind: str
    lon: float
    lat: float
    start: str
    home: str | None = None
    aliases: tuple[str, ...] = ()
    walled: bool = False
    labels: Mapping[str, str] = field(default_factory=dict)
    ports: tuple[str, ...] = ()
    numbers: Mapping[str, int] = field(default_factory=dict)
    only: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    players: tuple[int, ...] = ()
    flags: frozenset[str] = frozenset()
    note: str = ""
    given: tuple[str, ...] = ()
    provisional: tuple[str, ...] = ()

    def __hash__(self) -> int:
        return hash(self.id)

    @property
    def region(self) -> str | None:
        """Id of the land the space lies in, or None."""
        return self.labels.get("region")

    def number(self, name: str, players: int | None = None) -> int | None:
        """The number of that name with so many players (None: with any number of them), or None if there is none."""
        if players is not None and players not in self.only.get(name, (players,)):
            return None
        return self.numbers.get(name)

    def name(self, language: str = "en") -> str:
        """The name in a language, in English if there is none in that language."""
        return self.names.get(language) or self.names["en"]


class Way(NamedTuple):
    """A way out of a space: to which space (index), of which kind (index into `schema.ways`), on which road, and which
    of the board's links it is (index into `links`)."""

    to: int
    kind: int
    road: str | None
    link: int


@dataclass(frozen=True, slots=True)
class Link:
    """A way as it stands in the file, once for both directions unless `one_way` (then from `a` to `b` only).

    a, b    indexes of spaces; kind: index into `schema.ways`
    via     points between a and b as (lon, lat) in degrees, for drawing only
    given   keys that come from the published facts ("adjacent", "kind", "road", "one_way")
    """

    a: int
    b: int
    kind: int
    road: str | None = None
    one_way: bool = False
    via: tuple[tuple[float, float], ...] = ()
    note: str = ""
    given: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Sea:
    """A sea: names, where to write them (degrees, or None) and the ids of the seas it meets (both sides say so).

    kind: one of `schema.sea_kinds`, "" if the game has none.
    """

    id: str
    names: Names
    lon: float | None = None
    lat: float | None = None
    touches: tuple[str, ...] = ()
    note: str = ""
    kind: str = ""

    def __hash__(self) -> int:
        return hash(self.id)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Board:
    """A checked map, made by `read_board` or `build_board`. Two boards are equal only if they are one object.

    index        id of a space -> its index; everything below that is "by space" is in that order
    neighbours   ways out of a space, by space
    adjacent     bit mask of spaces a way leads to, by space
    adjacent_by  the same for one kind of way: `adjacent_by[kind][space]`
    beside       bit mask of spaces joined both ways, by space: a box with a one-way way out is beside nothing
    ports        bit mask of seas, by space; sea_ports: bit mask of spaces, by sea
    sea_beside   bit mask of the seas a sea meets, by sea
    home         code of the power at home there, or None, by space
    homes        code of a power -> bit mask of its home spaces
    kind_masks   kind of space -> bit mask of spaces
    labels       table (regions, peoples) -> id -> names; powers: code -> names, for those the file names
    box          west, south, east, north in degrees
    """

    id: str
    title: Names
    schema: BoardSchema
    box: tuple[float, float, float, float]
    spaces: tuple[Space, ...]
    links: tuple[Link, ...]
    seas: tuple[Sea, ...]
    powers: Mapping[str, Names]
    labels: Mapping[str, Mapping[str, Names]]
    note: str = ""
    index: Mapping[str, int] = field(init=False)
    sea_index: Mapping[str, int] = field(init=False)
    neighbours: tuple[tuple[Way, ...], ...] = field(init=False)
    adjacent: tuple[int, ...] = field(init=False)
    adjacent_by: tuple[tuple[int, ...], ...] = field(init=False)
    beside: tuple[int, ...] = field(init=False)
    ports: tuple[int, ...] = field(init=False)
    sea_ports: tuple[int, ...] = field(init=False)
    sea_beside: tuple[int, ...] = field(init=False)
    port_mask: int = field(init=False)
    home: tuple[str | None, ...] = field(init=False)
    homes: Mapping[str, int] = field(init=False)
    kind_masks: Mapping[str, int] = field(init=False)
    _known: Mapping[str, int] = field(init=False)

    def __post_init__(self) -> None:
        def put(name: str, value: object) -> None:
            object.__setattr__(self, name, value)

        count = len(self.spaces)
        put("index", {space.id: i for i, space in enumerate(self.spaces)})
        put("sea_index", {sea.id: i for i, sea in enumerate(self.seas)})
        out: list[list[Way]] = [[] for _ in self.spaces]
        by = [[0] * count for _ in self.schema.ways]
        beside = [0] * count
        for i, link in enumerate(self.links):
            out[link.a].append(Way(link.b, link.kind, link.road, i))
            by[link.kind][link.a] |= 1 << link.b
            if not link.one_way:
                out[link.b].append(Way(link.a, link.kind, link.road, i))
                by[link.kind][link.b] |= 1 << link.a
                beside[link.a] |= 1 << link.b
                beside[link.b] |= 1 << link.a
        put("neighbours", tuple(tuple(sorted(ways)) for ways in out))
        put("adjacent_by", tuple(tuple(masks) for masks in by))
        put("adjacent", tuple(_union(masks[i] for masks in by) for i in range(count)))
        put("beside", tuple(beside))
        put("ports", tuple(_union(1 << self.sea_index[sea] for sea in space.ports) for space in self.spaces))
        put(
            "sea_ports",
            tuple(_union(1 << i for i in range(count) if self.ports[i] >> s & 1) for s in range(len(self.seas))),
        )
        put("sea_beside", tuple(_union(1 << self.sea_index[other] for other in sea.touches) for sea in self.seas))
        put("port_mask", _union(1 << i for i in range(count) if self.ports[i]))
        put("home", tuple(space.home for space in self.spaces))
        homes: dict[str, int] = {}
        kinds = dict.fromkeys(self.schema.kinds, 0)
        known: dict[str, int] = {}
        for i, space in enumerate(self.spaces):
            kinds[space.kind] |= 1 << i
            if space.home is not None:
                homes[space.home] = homes.get(space.home, 0) | 1 << i
            for word in (space.id, *space.names.values(), *space.aliases):
                known[fold(word)] = i
        put("homes", homes)
        put("kind_masks", kinds)
        put("_known", known)

    def __repr__(self) -> str:
        return f"<Board {self.id}: {len(self.spaces)} spaces, {len(self.links)} ways>"

    def find(self, text: str) -> int | None:
        """Index of the space with this id, name (any language) or other name; letter case, spaces, `_` and `-` do not
        matter. None if there is none."""
        return self._known.get(fold(text))

    def suggest(self, text: str) -> list[str]:
        """Up to three ids of spaces whose id or name looks like the text, best first."""
        found = (self._known[word] for word in nearest(fold(text), self._known))
        return list(dict.fromkeys(self.spaces[i].id for i in found))

    def mask(self, ids: Iterable[str]) -> int:
        """Bit mask of the spaces with these ids; KeyError for an id that is not on the board."""
        return _union(1 << self.index[name] for name in ids)

    def ids(self, mask: int) -> tuple[str, ...]:
        """Ids of the spaces in a bit mask, in the order of the board."""
        return tuple(self.spaces[i].id for i in bits(mask))

    def present(self, players: int) -> int:
        """Bit mask of the spaces that exist with so many players."""
        return _union(1 << i for i, space in enumerate(self.spaces) if not space.players or players in space.players)

    def having(self, number: str, players: int | None = None) -> int:
        """Bit mask of the spaces that carry a number, such as "reinforce" or "victory", with so many players."""
        return _union(
            1 << i
            for i, space in enumerate(self.spaces)
            if (players is None or not space.players or players in space.players)
            and space.number(number, players) is not None
        )

    def ways_between(self, a: int, b: int) -> tuple[Way, ...]:
        """The way from `a` to `b`, as a tuple of none or one (a pair of spaces has at most one way)."""
        return tuple(way for way in self.neighbours[a] if way.to == b)

    def reachable(
        self, start: int, limit: int | None = None, kinds: int | None = None, blocked: int = 0
    ) -> dict[int, int]:
        """Distances in ways from a space: index -> number of ways, `start` itself at 0, nearest first.

        limit: go no farther than so many ways. kinds: bit mask of way kinds that may be used (None: all).
        blocked: bit mask of spaces that may not be entered; `start` does not count as entered.
        """
        step = self.adjacent if kinds is None else None
        tables = [] if kinds is None else [self.adjacent_by[kind] for kind in bits(kinds)]
        found = {start: 0}
        seen = blocked | 1 << start
        edge = 1 << start
        distance = 0
        while edge and (limit is None or distance < limit):
            distance += 1
            after = 0
            for i in bits(edge):
                if step is not None:
                    after |= step[i]
                else:
                    for table in tables:
                        after |= table[i]
            edge = after & ~seen
            seen |= edge
            for i in bits(edge):
                found[i] = distance
        return found

    def distance(self, a: int, b: int, kinds: int | None = None, blocked: int = 0) -> int | None:
        """Number of ways on the shortest route from `a` to `b`, or None if there is no route; see `reachable`."""
        return self.reachable(a, None, kinds, blocked).get(b)

    def route(self, a: int, b: int, kinds: int | None = None, blocked: int = 0) -> tuple[int, ...] | None:
        """One shortest route from `a` to `b`, both ends included, or None; of several the one with lowest indexes."""
        far = self.reachable(a, None, kinds, blocked)
        if b not in far:
            return None
        path = [b]
        while path[-1] != a:
            here = path[-1]
            before = far[here] - 1
            path.append(
                next(
                    i
                    for i, at in sorted(far.items())
                    if at == before
                    and any(w.to == here and (kinds is None or kinds >> w.kind & 1) for w in self.neighbours[i])
                )
            )
        return tuple(reversed(path))

    def component(self, start: int, kinds: int | None = None, blocked: int = 0) -> int:
        """Bit mask of everything that can be reached from a space, the space itself included; see `reachable`."""
        return _union(1 << i for i in self.reachable(start, None, kinds, blocked))

    def data(self) -> dict[str, Any]:
        """The board as plain values in the form of the TOML file (fit for JSON); `build_board` makes it back."""
        head: dict[str, Any] = {"id": self.id}
        head.update(_titles(self.title, "title"))
        head["box"] = list(self.box)
        if self.note:
            head["note"] = self.note
        head["powers"] = [{"id": code, **_titles(names)} for code, names in self.powers.items()]
        for _, table in self.schema.labels:
            head[table] = [{"id": key, **_titles(names)} for key, names in self.labels.get(table, {}).items()]
        head["seas"] = [self._sea_data(sea) for sea in self.seas]
        head["places"] = [self._space_data(space) for space in self.spaces]
        head["ways"] = [self._link_data(link) for link in self.links]
        return head

    def _sea_data(self, sea: Sea) -> dict[str, Any]:
        row: dict[str, Any] = {"id": sea.id, **_titles(sea.names)}
        if sea.kind and sea.kind != self.schema.sea_kinds[0]:
            row["kind"] = sea.kind
        if sea.lon is not None and sea.lat is not None:
            row |= {"lon": sea.lon, "lat": sea.lat}
        # a contact is written once, with the sea that comes first
        later = [other for other in sea.touches if self.sea_index[other] > self.sea_index[sea.id]]
        return row | _filled({"touches": later, "note": sea.note})

    def _space_data(self, space: Space) -> dict[str, Any]:
        row: dict[str, Any] = {"id": space.id, **_titles(space.names)}
        row |= _filled({"also": list(space.aliases)})
        row |= {"lon": space.lon, "lat": space.lat, "kind": space.kind}
        row |= space.labels
        if space.home is not None:
            row["home"] = space.home
        if space.start != (space.home or self.schema.independent):
            row["start"] = space.start
        row |= _filled({"ports": list(space.ports)})
        row |= space.numbers
        row |= _filled({"only": {name: list(counts) for name, counts in space.only.items()}})
        row |= _filled({"players": list(space.players)})
        row |= {flag: True for flag in self.schema.flags if flag in space.flags}
        return row | _filled({"given": list(space.given), "provisional": list(space.provisional), "note": space.note})

    def _link_data(self, link: Link) -> dict[str, Any]:
        row: dict[str, Any] = {
            "a": self.spaces[link.a].id,
            "b": self.spaces[link.b].id,
            "kind": self.schema.ways[link.kind],
        }
        return row | _filled(
            {
                "road": link.road,
                "one_way": link.one_way,
                "via": [list(point) for point in link.via],
                "given": list(link.given),
                "note": link.note,
            }
        )


def _union(masks: Iterable[int]) -> int:
    """All bits of the masks."""
    total = 0
    for mask in masks:
        total |= mask
    return total


def _titles(names: Names, word: str = "name") -> dict[str, str]:
    """Names as keys of the file: English under the word itself, other languages as "ru" or "title_ru"."""
    return {
        word if language == "en" else language if word == "name" else f"{word}_{language}": text
        for language, text in names.items()
    }


def _filled(row: dict[str, Any]) -> dict[str, Any]:
    """The entries that say something."""
    return {key: value for key, value in row.items() if value}
