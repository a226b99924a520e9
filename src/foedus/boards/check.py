"""Judges a board as read against a schema: every fault at once, or the board."""

import math
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from foedus.boards.board import Board, Link, Names, Sea, Space
from foedus.boards.faults import MAX_FAULTS, Fault
from foedus.boards.names import fold, nearest, shown
from foedus.boards.schema import BoardSchema
from foedus.boards.source import UNREADABLE, Row, Source, tables_of
from foedus.kernel.values import bits

MAX_ROWS = {"places": 500, "ways": 2000}
"""Longest tables; every other table may have 200 rows."""

MAX_NAME, MAX_NOTE, MAX_LIST = 80, 500, 50

_ID = re.compile(r"[a-z][a-z0-9_]{0,39}", re.ASCII)
_TABLE_ID = re.compile(r"[^\W\d_]\w{0,39}")
_BOARD_ID = re.compile(r"[a-z][a-z0-9-]{0,59}", re.ASCII)
_UNREAD = ("file", "toml", "csv", "encoding", "empty", "size")
_WORLD = (-180.0, -90.0, 180.0, 90.0)


def judge(source: Source, schema: BoardSchema) -> tuple[Board | None, list[Fault]]:
    """The board, or None and what is wrong with it."""
    judged = _Judge(source, schema)
    board = judged.board()
    faults = judged.faults[:MAX_FAULTS]
    if len(judged.faults) > MAX_FAULTS:
        faults.append(Fault("more", f"and {len(judged.faults) - MAX_FAULTS} more faults", file=source.file))
    return (None, faults) if faults else (board, [])


@dataclass(slots=True)
class _Table:
    """Ids of a table in order, with the row each first stood in."""

    rows: dict[str, Row] = field(default_factory=dict)

    def __contains__(self, word: object) -> bool:
        return word in self.rows


class _Judge:
    """One pass over one source. Methods that read a value return None when it is missing or wrong."""

    def __init__(self, source: Source, schema: BoardSchema) -> None:
        self.source, self.schema = source, schema
        self.faults: list[Fault] = list(source.faults)
        self.box = _WORLD
        self.numbers = {rule.name: rule for rule in schema.numbers}
        self.way_ids = dict.fromkeys(schema.ways)
        self.places = _Table()
        self.seas = _Table()
        self.labels: dict[str, _Table] = {}
        self.hints: dict[tuple[str, int], str] = {}

    # faults

    def fault(self, code: str, message: str, where: str = "", row: Row | None = None) -> None:
        file, line = (self.source.file, None) if row is None else (row.file, row.line)
        self.faults.append(Fault(code, message, where, file, line))

    def head_fault(self, code: str, message: str, key: str) -> None:
        self.faults.append(Fault(code, message, "", self.source.file, self.source.lines.get(key)))

    def unknown(self, word: str, known: Iterable[str]) -> str:
        """`"word"` and what it may have meant."""
        words = list(known)
        key = (word, hash(tuple(words)))
        if key not in self.hints:
            if len(self.faults) > MAX_FAULTS:
                return f'"{shown(word)}"'
            hint = nearest(word, words)
            if hint:
                text = f"; did you mean {hint[0]}?"
            elif 0 < len(words) <= 12:
                text = f"; it may be {', '.join(words)}"
            else:
                text = ""
            self.hints[key] = text
        return f'"{shown(word)}"{self.hints[key]}'

    # single values

    def text(self, row: Row, key: str, where: str, limit: int = MAX_NAME) -> str | None:
        """A text, or None if it is absent or wrong."""
        value = row.data.get(key)
        if value is None or value is UNREADABLE:
            return None
        if not isinstance(value, str):
            self.fault("type", f"{key} must be a text", where, row)
        elif not value.strip():
            self.fault("missing", f"{key} is empty", where, row)
        elif len(value) > limit:
            self.fault("size", f"{key} is longer than {limit} characters", where, row)
        elif any(unicodedata.category(char)[0] == "C" or char in "\u2028\u2029" for char in value):
            self.fault("text", f"{key} has a character that cannot be shown", where, row)
        else:
            return value
        return None

    def word(self, row: Row, key: str, where: str, known: Iterable[str], what: str, needed: bool = False) -> str | None:
        """A text that must be one of the known words."""
        if needed and row.data.get(key) is None:
            self.fault("missing", f"{key} is missing", where, row)
            return None
        value = self.text(row, key, where)
        known = tuple(known)
        if value is not None and value not in known:
            self.fault(what.rpartition(" ")[2], f"unknown {what} {self.unknown(value, known)}", where, row)
            return None
        return value

    def number(self, row: Row, key: str, where: str, needed: bool) -> float | None:
        """A finite number of degrees."""
        value = row.data.get(key)
        if value is UNREADABLE:
            return None
        if value is None:
            if needed:
                self.fault("missing", f"{key} is missing", where, row)
            return None
        number = _degrees(value)
        if number is None:
            self.fault("type", f"{key} must be a number of degrees", where, row)
        return number

    def flag(self, row: Row, key: str, where: str) -> bool:
        value = row.data.get(key, False)
        if not isinstance(value, bool):
            if value is not UNREADABLE:
                self.fault("type", f"{key} must be true or false", where, row)
            return False
        return value

    def texts(self, row: Row, key: str, where: str) -> tuple[str, ...]:
        """A list of texts without repetition."""
        value = row.data.get(key, [])
        if value is UNREADABLE:
            return ()
        if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
            self.fault("type", f"{key} must be a list of texts", where, row)
            return ()
        if len(value) > MAX_LIST:
            self.fault("size", f"{key} has more than {MAX_LIST} entries", where, row)
            return ()
        found: list[str] = []
        for item in value:
            one = self.text(Row({key: item}, row.file, row.line), key, where)
            if one is not None and "/" in one:
                self.fault(
                    "text", f'{key}: "{shown(one)}" has a "/", which parts the entries of a CSV cell', where, row
                )
            elif one is not None and one in found:
                self.fault("duplicate", f'{key} has "{shown(one)}" twice', where, row)
            elif one is not None:
                found.append(one)
        return tuple(found)

    def counts(self, row: Row, key: str, value: object, where: str) -> tuple[int, ...]:
        """A list of numbers of players."""
        if value is UNREADABLE:
            return ()
        whole = isinstance(value, list | tuple) and value and all(type(item) is int for item in value)
        if not whole or not isinstance(value, list | tuple):
            self.fault("type", f"{key} must be a list of numbers of players", where, row)
            return ()
        for item in value:
            if item not in self.schema.players:
                known = ", ".join(map(str, self.schema.players)) or "none"
                self.fault("players", f"{key}: the game has no {shown(str(item))} players (it has {known})", where, row)
                return ()
        return tuple(sorted(set(value)))

    def names(self, row: Row, where: str, word: str = "name") -> Names:
        """Names by language; English is needed."""
        names: dict[str, str] = {}
        for language in self.schema.languages:
            key = word if language == "en" else language if word == "name" else f"{word}_{language}"
            if language == "en" and row.data.get(key) is None:
                self.fault("missing", f"{key} is missing", where, row)
            text = self.text(row, key, where)
            if text is not None:
                names[language] = text
        return names

    def name_keys(self) -> tuple[str, ...]:
        return ("name", *(code for code in self.schema.languages if code != "en"))

    def keys(self, row: Row, allowed: Iterable[str], where: str) -> None:
        known = tuple(allowed)
        for key in row.data:
            if key not in known:
                self.fault("key", f"unknown key {self.unknown(str(key), known)}", where, row)

    # tables

    def rows(self, name: str) -> list[Row]:
        """The rows of a table that are tables themselves, up to the limit."""
        rows = self.source.tables.get(name, [])
        limit = MAX_ROWS.get(name, 200)
        if len(rows) > limit:
            self.fault("size", f"{name}: {len(rows)} rows, more than the {limit} a board may have")
            rows = rows[:limit]
        good = []
        for number, row in enumerate(rows, 1):
            if isinstance(row.data, Mapping):
                good.append(row)
            else:
                self.fault("type", f"{name}: entry {number} must be a table", "", row)
        return good

    def take_ids(self, name: str, what: str, pattern: re.Pattern[str]) -> tuple[_Table, list[tuple[str, Row]]]:
        """Ids of a table; and its rows, each with the words that say which it is."""
        table, named = _Table(), []
        for number, row in enumerate(self.rows(name), 1):
            word = row.data.get("id")
            if word is UNREADABLE:
                continue
            where = f"{what} {shown(word) if isinstance(word, str) else number}"
            named.append((where, row))
            if word is None:
                self.fault("missing", "id is missing", where, row)
            elif not isinstance(word, str) or not pattern.fullmatch(word):
                said = "an id is small latin letters, digits and _, at most 40, a letter first"
                self.fault("id", f"id {shown(repr(word))}: {said}", where, row)
            elif word in table:
                first = table.rows[word]
                at = "" if first.line is None else f"; it stands on line {first.line} already"
                self.fault("duplicate", f"the id {word} stands there twice{at}", where, row)
            else:
                table.rows[word] = row
        return table, named

    def board(self) -> Board | None:
        """Judge everything; a board only if nothing is wrong."""
        head = self.head()
        powers = self.powers()
        labels = {table: self.label_table(key, table) for key, table in self.schema.labels}
        seas = self.sea_table()
        # ids first: a way or a name may speak of a place whose row has faults of its own
        self.places, named = self.take_ids("places", "place", _ID)
        if not named and not any(fault.code in _UNREAD for fault in self.faults):
            self.fault("empty", "the board has no places")
        spaces = [space for where, row in named if (space := self.space(row, where)) is not None]
        self.same_names(spaces)
        links, broken = self.links()
        self.homes(named, spaces)
        self.seats(spaces)
        self.lonely_ports(spaces, seas)
        self.reached(spaces, seas, links, broken)
        if self.faults or head is None:
            return None
        index = {space.id: i for i, space in enumerate(spaces)}
        box = self.box
        if box == _WORLD:
            lons, lats = [space.lon for space in spaces], [space.lat for space in spaces]
            box = (math.floor(min(lons)), math.floor(min(lats)), math.ceil(max(lons)), math.ceil(max(lats)))
        return Board(
            id=head[0],
            title=head[1],
            schema=self.schema,
            box=box,
            spaces=tuple(spaces),
            links=tuple(
                Link(index[a], index[b], self.schema.ways.index(kind), road, one_way, via, note, given)
                for a, b, kind, road, one_way, via, note, given in links
            ),
            seas=tuple(seas.values()),
            powers=powers,
            labels=labels,
            note=head[2],
        )

    def head(self) -> tuple[str, Names, str] | None:
        head = self.source.head
        titles = tuple("title" if code == "en" else f"title_{code}" for code in self.schema.languages)
        allowed = ("id", *titles, "box", "note", *tables_of(self.schema))
        for key in head:
            if key not in allowed:
                self.head_fault("key", f"unknown key {self.unknown(key, allowed)}", key)
        if not head and any(fault.code in _UNREAD for fault in self.faults):
            return None
        row = Row(head, self.source.file)
        word = head.get("id")
        if word is None:
            self.fault("missing", "id is missing")
        elif not isinstance(word, str) or not _BOARD_ID.fullmatch(word):
            self.head_fault(
                "id", f"id {shown(repr(word))}: the id of a board is small latin letters, digits and -", "id"
            )
        title = self.names(row, "", "title")
        note = self.text(row, "note", "", 4 * MAX_NOTE) or ""
        if "box" in head:
            self.take_box(head["box"])
        return (word, title, note) if isinstance(word, str) else None

    def take_box(self, value: object) -> None:
        sides = [_degrees(item) for item in value] if isinstance(value, list | tuple) else []
        west, south, east, north = sides if len(sides) == 4 else (None, None, None, None)
        if west is None or south is None or east is None or north is None:
            self.head_fault("type", "box must be four numbers of degrees: west, south, east, north", "box")
        elif not (-180 <= west < east <= 180 and -90 <= south < north <= 90):
            self.head_fault("box", "box must go from west to east and from south to north, in degrees", "box")
        else:
            self.box = (west, south, east, north)

    def powers(self) -> dict[str, Names]:
        codes = (*self.schema.powers, self.schema.independent)
        found: dict[str, Names] = {}
        for number, row in enumerate(self.rows("powers"), 1):
            where = f"power {shown(str(row.data.get('id', number)))}"
            self.keys(row, ("id", *self.name_keys()), where)
            code = self.word(row, "id", where, codes, "power", needed=True)
            names = self.names(row, where)
            if code in found:
                self.fault("duplicate", f"the power {code} stands there twice", where, row)
            elif code is not None:
                found[code] = names
        return found

    def label_table(self, key: str, table: str) -> dict[str, Names]:
        self.labels[key], named = self.take_ids(table, key, _TABLE_ID)
        found = {}
        for where, row in named:
            self.keys(row, ("id", *self.name_keys()), where)
            names = self.names(row, where)
            if isinstance(row.data.get("id"), str):
                found[row.data["id"]] = names
        return found

    def sea_table(self) -> dict[str, Sea]:
        self.seas, named = self.take_ids("seas", "sea", _TABLE_ID)
        found: dict[str, Sea] = {}
        touches: dict[str, set[str]] = {word: set() for word in self.seas.rows}
        kinds = self.schema.sea_kinds
        allowed = ("id", *self.name_keys(), *(("kind",) if kinds else ()), "lon", "lat", "touches", "note")
        for where, row in named:
            self.keys(row, allowed, where)
            names = self.names(row, where)
            kind = (self.word(row, "kind", where, kinds, "kind of sea") or kinds[0]) if kinds else ""
            lon, lat = self.number(row, "lon", where, False), self.number(row, "lat", where, False)
            self.inside(lon, lat, where, row)
            note = self.text(row, "note", where, MAX_NOTE) or ""
            word = row.data.get("id")
            for other in self.texts(row, "touches", where):
                if other not in self.seas:
                    self.fault("sea", f"touches: unknown sea {self.unknown(other, self.seas.rows)}", where, row)
                elif other == word:
                    self.fault("sea", "touches itself", where, row)
                elif isinstance(word, str) and word in touches:
                    touches[word].add(other)
                    touches[other].add(word)
            if isinstance(word, str) and word in self.seas and word not in found:
                found[word] = Sea(word, names, lon, lat, (), note, kind)
        order = list(self.seas.rows)
        return {
            word: replace(sea, touches=tuple(o for o in order if o in touches[word])) for word, sea in found.items()
        }

    def inside(self, lon: float | None, lat: float | None, where: str, row: Row, what: str = "") -> None:
        west, south, east, north = self.box
        if lon is not None and not west <= lon <= east:
            self.fault("outside", f"{what}lon {lon:g} is outside the board ({west:g} to {east:g})", where, row)
        if lat is not None and not south <= lat <= north:
            self.fault("outside", f"{what}lat {lat:g} is outside the board ({south:g} to {north:g})", where, row)

    # places

    def place_keys(self) -> tuple[str, ...]:
        labels = (key for key, _ in self.schema.labels)
        shape = ("also", "lon", "lat", "kind", *labels, "home", "start", "ports", *self.numbers, "only", "players")
        return ("id", *self.name_keys(), *shape, *self.schema.flags, "given", "provisional", "note")

    def space(self, row: Row, where: str) -> Space | None:
        """One place; None if it cannot even be named."""
        schema = self.schema
        self.keys(row, self.place_keys(), where)
        names = self.names(row, where)
        aliases = self.texts(row, "also", where)
        kind = self.word(row, "kind", where, schema.kinds, "kind", needed=True)
        lon, lat = self.number(row, "lon", where, True), self.number(row, "lat", where, True)
        self.inside(lon, lat, where, row)
        labels = {}
        for key, _ in schema.labels:
            label = self.word(row, key, where, self.labels[key].rows, key)
            if label is not None:
                labels[key] = label
        home = self.word(row, "home", where, schema.powers, "home power")
        holders = (*schema.powers, schema.independent)
        start = self.word(row, "start", where, holders, "starting power") or home or schema.independent
        ports = self.texts(row, "ports", where)
        for port in ports:
            if port not in self.seas:
                self.fault("sea", f"a port on no sea of the board: {self.unknown(port, self.seas.rows)}", where, row)
        numbers = self.space_numbers(row, kind, where)
        only = self.only(row, numbers, where)
        players = self.counts(row, "players", row.data["players"], where) if "players" in row.data else ()
        flags = frozenset(flag for flag in schema.flags if self.flag(row, flag, where))
        note = self.text(row, "note", where, MAX_NOTE) or ""
        given = self.marked(row, "given", self.place_keys(), where)
        provisional = self.marked(row, "provisional", self.numbers, where)
        for key in set(given) & set(provisional):
            self.fault("duplicate", f"{key} cannot be both given and provisional", where, row)
        word = row.data.get("id")
        if not isinstance(word, str) or self.places.rows.get(word) is not row:
            return None
        return Space(
            id=word,
            names=names,
            kind=kind if kind is not None else schema.kinds[0],
            lon=lon if lon is not None else 0.0,
            lat=lat if lat is not None else 0.0,
            start=start,
            home=home,
            aliases=aliases,
            walled=kind in schema.walled,
            labels=labels,
            ports=ports,
            numbers=numbers,
            only=only,
            players=players,
            flags=flags,
            note=note,
            given=given,
            provisional=provisional,
        )

    def space_numbers(self, row: Row, kind: str | None, where: str) -> dict[str, int]:
        numbers = {}
        for name, rule in self.numbers.items():
            value = row.data.get(name)
            if value is UNREADABLE:
                continue
            if value is None:
                if kind in rule.required:
                    self.fault("missing", f"{name} is missing (a {kind} needs it)", where, row)
            elif type(value) is not int:
                self.fault("type", f"{name} must be a whole number", where, row)
            elif not rule.low <= value <= rule.high:
                said = str(rule.low) if rule.low == rule.high else f"from {rule.low} to {rule.high}"
                self.fault("number", f"{name} {shown(_digits(value))} must be {said}", where, row)
            elif kind is not None and not rule.may_stand_on(kind):
                kinds = ", ".join(k for k in self.schema.kinds if rule.may_stand_on(k))
                self.fault("number", f"{name} does not go with the kind {kind} (only with {kinds})", where, row)
            else:
                numbers[name] = value
        return numbers

    def only(self, row: Row, numbers: Mapping[str, int], where: str) -> dict[str, tuple[int, ...]]:
        value = row.data.get("only", {})
        if not isinstance(value, Mapping):
            self.fault("type", "only must be a table, such as { loyalty = [5] }", where, row)
            return {}
        found = {}
        for name, counts in value.items():
            if name not in self.numbers:
                self.fault("key", f"only: unknown number {self.unknown(str(name), self.numbers)}", where, row)
            elif row.data.get(name) is None:
                self.fault("missing", f"only: the place has no {name}", where, row)
            elif (taken := self.counts(row, f"only.{name}", counts, where)) and name in numbers:
                found[name] = taken
        return found

    def marked(self, row: Row, key: str, known: Iterable[str], where: str) -> tuple[str, ...]:
        """Names of keys the row speaks about."""
        words, known = self.texts(row, key, where), tuple(known)
        for word in words:
            if word not in known:
                self.fault("key", f"{key}: unknown key {self.unknown(word, known)}", where, row)
            elif word in self.numbers and row.data.get(word) is None:
                self.fault("missing", f"{key}: the place has no {word}", where, row)
        return words

    def same_names(self, spaces: list[Space]) -> None:
        """Ids and names in all languages must tell the places apart."""
        owner: dict[str, str] = {}
        for space in spaces:
            for word in dict.fromkeys((space.id, *space.names.values(), *space.aliases)):
                folded = fold(word)
                first = owner.setdefault(folded, space.id)
                if first != space.id:
                    row = self.places.rows[space.id]
                    at = self.places.rows[first].line
                    place = first if at is None else f"{first} (line {at})"
                    where = f"place {space.id}"
                    self.fault("duplicate", f'the name "{shown(word)}" is also that of {place}', where, row)

    # ways

    def links(self) -> tuple[list[tuple[str, str, str, str | None, bool, Any, str, tuple[str, ...]]], set[str]]:
        """Sound ways; and ids of places that a faulty way speaks of (they are not called unreachable as well)."""
        known = ("a", "b", "kind", "road", "one_way", "via", "given", "note")
        found, broken = [], set[str]()
        first: dict[frozenset[str], Row] = {}
        for number, row in enumerate(self.rows("ways"), 1):
            ends = [row.data.get("a"), row.data.get("b")]
            said = [shown(end) if isinstance(end, str) else "?" for end in ends]
            where = f"way {said[0]} - {said[1]}" if said != ["?", "?"] else f"way {number}"
            before = len(self.faults)
            self.keys(row, known, where)
            a, b = (self.end(row, key, where) for key in ("a", "b"))
            kind = self.word(row, "kind", where, self.schema.ways, "kind of way", needed=True)
            road = self.word(row, "road", where, self.schema.roads, "road")
            one_way = self.flag(row, "one_way", where)
            via = self.via(row, where)
            note = self.text(row, "note", where, MAX_NOTE) or ""
            given = self.texts(row, "given", where)
            for word in given:
                if word not in ("adjacent", "kind", "road", "one_way"):
                    allowed = ("adjacent", "kind", "road", "one_way")
                    self.fault("key", f"given: unknown key {self.unknown(word, allowed)}", where, row)
            if a is not None and b is not None:
                self.pair(row, a, b, one_way, first, where)
            if len(self.faults) > before:
                broken |= {end for end in (a, b) if end is not None}
            elif a is not None and b is not None and kind is not None:
                found.append((a, b, kind, road, one_way, via, note, given))
        return found, broken

    def end(self, row: Row, key: str, where: str) -> str | None:
        if row.data.get(key) is None:
            self.fault("dangling", f"the end {key} is missing", where, row)
            return None
        value = self.text(row, key, where)
        if value is not None and value not in self.places:
            self.fault("dangling", f"leads to no place: {self.unknown(value, self.places.rows)}", where, row)
            return None
        return value

    def pair(self, row: Row, a: str, b: str, one_way: bool, first: dict[frozenset[str], Row], where: str) -> None:
        if a == b:
            self.fault("loop", "leads from a place to itself", where, row)
            return
        earlier = first.setdefault(frozenset((a, b)), row)
        if earlier is not row:
            at = "" if earlier.line is None else f" on line {earlier.line}"
            said = "a way is written once, for both directions"
            self.fault("duplicate", f"these two places are joined already{at} ({said})", where, row)
        kind = self.places.rows[a].data.get("kind")
        if one_way and isinstance(kind, str) and kind in self.schema.kinds and kind not in self.schema.boxes:
            boxes = " or ".join(sorted(self.schema.boxes)) or "no kind on this board"
            self.fault("one_way", f"is one way, but only a way out of a box ({boxes}) may be; {a} is none", where, row)

    def via(self, row: Row, where: str) -> tuple[tuple[float, float], ...]:
        value = row.data.get("via", [])
        if value is UNREADABLE:
            return ()
        points: list[tuple[float, float]] = []
        if isinstance(value, list | tuple) and len(value) <= MAX_LIST:
            for item in value:
                pair = [_degrees(number) for number in item] if isinstance(item, list | tuple) else []
                if len(pair) == 2 and pair[0] is not None and pair[1] is not None:
                    points.append((pair[0], pair[1]))
                    self.inside(pair[0], pair[1], where, row, "via: ")
        if not isinstance(value, list | tuple) or len(points) != len(value):
            self.fault("type", f"via must be a list of at most {MAX_LIST} points [lon, lat]", where, row)
            return ()
        return tuple(points)

    # the board as a whole

    def homes(self, named: list[tuple[str, Row]], spaces: list[Space]) -> None:
        """Every power with home spaces needs a reinforcement space among them."""
        key = self.schema.reinforce
        if key is None:
            return
        by_id = {space.id: space for space in spaces}
        first: dict[str, Row] = {}
        fed: set[str] = set()
        for _, row in named:
            space = by_id.get(row.data["id"]) if isinstance(row.data.get("id"), str) else None
            if space is None or space.home is None:
                continue
            first.setdefault(space.home, row)
            if row.data.get(key) is not None:
                fed.add(space.home)
        for power, row in first.items():
            if power not in fed:
                where = f"home region of {power}"
                self.fault("home", f"has no reinforcement space: none of its places has {key}", where, row)

    def seats(self, spaces: list[Space]) -> None:
        """A flag such as "capital" goes with a home space of some kinds, once a power."""
        for flag, kinds in self.schema.seats:
            first: dict[str, str] = {}
            for space in spaces:
                if flag not in space.flags:
                    continue
                where, row = f"place {space.id}", self.places.rows[space.id]
                if space.home is None:
                    if row.data.get("home") is None:  # else an unknown power was complained of
                        self.fault(flag, f"{flag}: the place is no power's home space", where, row)
                elif first.setdefault(space.home, space.id) != space.id:
                    self.fault(flag, f"{flag}: {space.home} has one already, {first[space.home]}", where, row)
                elif space.kind not in kinds and row.data.get("kind") == space.kind:
                    said = " or ".join(sorted(kinds))
                    self.fault(flag, f"{flag} does not go with the kind {space.kind} (only with {said})", where, row)

    def lonely_ports(self, spaces: list[Space], seas: Mapping[str, Sea]) -> None:
        """A harbour from which no ship gets anywhere is a slip of the pen."""
        for space in spaces:
            known = [seas[port] for port in space.ports if port in seas]
            if len(known) != len(space.ports) or not known:
                continue
            if not any(sea.touches or any(sea.id in o.ports for o in spaces if o is not space) for sea in known):
                names = ", ".join(sea.id for sea in known)
                where, row = f"place {space.id}", self.places.rows[space.id]
                self.fault("port", f"a port on {names}, which has no other port and touches no sea", where, row)

    def reached(self, spaces: list[Space], seas: Mapping[str, Sea], links: list[Any], broken: set[str]) -> None:
        """Every place must be in reach of the main body over ways and seas, with every number of players."""
        told: set[str] = set()
        counts: list[int | None] = [None]
        if any(space.players for space in spaces):
            counts = list(self.schema.players)
        for players in counts:
            here = [s for s in spaces if players is None or not s.players or players in s.players]
            for space in _unreached(here, seas, links, broken, self.schema.boxes):
                if space.id in told:
                    continue
                told.add(space.id)
                when = "" if players is None else f" with {players} players"
                message = f"cannot be reached over any way or sea{when}"
                self.fault("unreachable", message, f"place {space.id}", self.places.rows[space.id])


def _unreached(
    spaces: list[Space], seas: Mapping[str, Sea], links: list[Any], broken: set[str], boxes: frozenset[str]
) -> list[Space]:
    """Spaces outside the main body; a box with a one-way way out into it counts as inside."""
    nodes = {space.id: 1 << i for i, space in enumerate(spaces)}
    for i, sea in enumerate(seas):
        nodes[f" {sea}"] = 1 << len(spaces) + i
    joined = [0] * (len(spaces) + len(seas))

    def join(a: str, b: str) -> None:
        joined[nodes[a].bit_length() - 1] |= nodes[b]
        joined[nodes[b].bit_length() - 1] |= nodes[a]

    kinds = {space.id: space.kind for space in spaces}
    exits: dict[str, str] = {}
    for a, b, _, _, one_way, *_ in links:
        if a not in nodes or b not in nodes:
            continue
        if one_way and kinds[a] in boxes:
            exits[a] = b
        else:
            join(a, b)
    for space in spaces:
        for port in space.ports:
            if port in seas:
                join(space.id, f" {port}")
    for water in seas.values():
        for other in water.touches:
            if other in seas:
                join(f" {water.id}", f" {other}")
    parts: list[int] = []
    left = (1 << len(spaces)) - 1
    for i in range(len(spaces)):
        if left >> i & 1:
            part = edge = 1 << i
            while edge:
                after = 0
                for j in bits(edge):
                    after |= joined[j]
                edge = after & ~part
                part |= edge
            parts.append(part)
            left &= ~part
    real = (1 << len(spaces)) - 1
    main = max(parts, key=lambda part: (part & real).bit_count(), default=0)
    # a part touched by a way already complained of is not complained of again
    for part in parts:
        if any(nodes.get(name, 0) & part for name in broken):
            main |= part
    return [
        space
        for space in spaces
        if not nodes[space.id] & main and not (space.id in exits and nodes[exits[space.id]] & main)
    ]


def _degrees(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if isinstance(value, int) and abs(value) > 1000:
        return 1000.0 if value > 0 else -1000.0
    return float(value) if math.isfinite(value) else None


def _digits(value: int) -> str:
    return str(value) if abs(value) < 10**12 else "(a very large number)"
