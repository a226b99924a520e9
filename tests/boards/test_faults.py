"""Every kind of fault is refused, with a message that names the thing and the place."""

import pickle
from collections.abc import Callable
from pathlib import Path

import pytest

from foedus.boards import BoardError, Fault, check_board, check_file, parse_board, read_board
from foedus.boards.faults import MAX_FAULTS
from foedus.boards.source import MAX_BYTES

from .small import SCHEMA, TOML, small


def faults_of(text: str) -> list[Fault]:
    with pytest.raises(BoardError) as caught:
        parse_board(text, SCHEMA, "x.toml")
    return list(caught.value.faults)


def line_of(text: str, part: str) -> int:
    return text[: text.index(part)].count("\n") + 1


# (what is replaced, by what, code, message, where); the line must be that of the replaced text
ROMA = 'lon = 12.48, lat = 41.89, kind = "city"'
CASES: dict[str, tuple[str, str, str, str, str]] = {
    "unknown key of the file": ('title = "A', 'sice = 3\ntitle = "A', "key", 'unknown key "sice"', ""),
    "unknown key": (
        "victory = 1, ",
        "victori = 1, ",
        "key",
        'unknown key "victori"; did you mean victory?',
        "place roma",
    ),
    "unknown kind": (
        ROMA,
        ROMA.replace("city", "citty"),
        "kind",
        'unknown kind "citty"; did you mean city?',
        "place roma",
    ),
    "missing kind": (ROMA, "lon = 12.48, lat = 41.89", "missing", "kind is missing", "place roma"),
    "unknown kind of way": (
        'b = "caere", kind = "clear"',
        'b = "caere", kind = "claer"',
        "way",
        'unknown kind of way "claer"; did you mean clear?',
        "way roma - caere",
    ),
    "unknown sea": (
        'ports = ["lower"]',
        'ports = ["lover"]',
        "sea",
        'a port on no sea of the board: "lover"; did you mean lower?',
        "place roma",
    ),
    "unknown sea that touches": (
        'touches = ["upper"]',
        'touches = ["uper"]',
        "sea",
        'touches: unknown sea "uper"; did you mean upper?',
        "sea lower",
    ),
    "a sea that touches itself": (
        'touches = ["upper"]',
        'touches = ["lower", "upper"]',
        "sea",
        "touches itself",
        "sea lower",
    ),
    "unknown home": (
        'home = "ETR"',
        'home = "ETT"',
        "power",
        'unknown home power "ETT"; did you mean ETR?',
        "place caere",
    ),
    "unknown start": (
        'start = "ROM"',
        'start = "GAL"',
        "power",
        'unknown starting power "GAL"; it may be ROM, ETR, CAR, TRA, IND',
        "place aequi",
    ),
    "unknown region": (
        'kind = "space", region = "latium"',
        'kind = "space", region = "latum"',
        "region",
        'unknown region "latum"; did you mean latium?',
        "place antium",
    ),
    "unknown power in the table": (
        '{ id = "ROM"',
        '{ id = "RON"',
        "power",
        'unknown power "RON"; did you mean ROM?',
        "power RON",
    ),
    "unknown road": (
        'road = "appia"',
        'road = "apia"',
        "road",
        'unknown road "apia"; did you mean appia?',
        "way roma - antium",
    ),
    "bad id": ('id = "antium"', 'id = "Antium!"', "id", "an id is small latin letters", "place Antium!"),
    "missing id": ('id = "antium", ', "", "missing", "id is missing", "place 2"),
    "duplicate id": (
        'id = "antium"',
        'id = "roma"',
        "duplicate",
        "the id roma stands there twice; it stands on line",
        "place roma",
    ),
    "duplicate name": (
        'name = "Antium"',
        'name = "RÓMA", also = ["rome"]',
        "duplicate",
        'the name "rome" is also that of roma (line',
        "place antium",
    ),
    "duplicate russian name": (
        'ru = "Антий"',
        'ru = "рим"',
        "duplicate",
        'the name "рим" is also that of roma',
        "place antium",
    ),
    "missing name": ('name = "Antium", ', "", "missing", "name is missing", "place antium"),
    "empty name": ('name = "Antium"', 'name = " "', "missing", "name is empty", "place antium"),
    "name too long": (
        'name = "Antium"',
        f'name = "{"A" * 81}"',
        "size",
        "name is longer than 80 characters",
        "place antium",
    ),
    "name with an escape": (
        'name = "Antium"',
        'name = "\\u001b[31m"',
        "text",
        "name has a character that cannot be shown",
        "place antium",
    ),
    "name of a wrong type": ('name = "Antium"', "name = 3", "type", "name must be a text", "place antium"),
    "slash in a list": (
        'also = ["Rome"]',
        'also = ["Rome/Roma"]',
        "text",
        'also: "Rome/Roma" has a "/"',
        "place roma",
    ),
    "twice in a list": (
        'also = ["Rome"]',
        'also = ["Rome", "Rome"]',
        "duplicate",
        'also has "Rome" twice',
        "place roma",
    ),
    "not a list": ('also = ["Rome"]', 'also = "Rome"', "type", "also must be a list of texts", "place roma"),
    "long list": (
        'also = ["Rome"]',
        f"also = {[f'R{i}' for i in range(51)]}",
        "size",
        "also has more than 50 entries",
        "place roma",
    ),
    "lon outside": (
        "lon = 12.62",
        "lon = 41.45",
        "outside",
        "lon 41.45 is outside the board (6 to 19)",
        "place antium",
    ),
    "lat outside": (
        "lat = 41.45",
        "lat = 12.62",
        "outside",
        "lat 12.62 is outside the board (36 to 47)",
        "place antium",
    ),
    "lon missing": ("lon = 12.62, ", "", "missing", "lon is missing", "place antium"),
    "lon not a number": ("lon = 12.62", "lon = nan", "type", "lon must be a number of degrees", "place antium"),
    "lon true": ("lon = 12.62", "lon = true", "type", "lon must be a number of degrees", "place antium"),
    "lon very large": (
        "lon = 12.62",
        "lon = 9" + "0" * 400,
        "outside",
        "lon 1000 is outside the board",
        "place antium",
    ),
    "missing loyalty": ("loyalty = 1, ", "", "missing", "loyalty is missing (a city needs it)", "place caere"),
    "missing factor": ("factor = 2, ", "", "missing", "factor is missing (a tribe needs it)", "place aequi"),
    "number out of range": ("loyalty = 1,", "loyalty = 4,", "number", "loyalty 4 must be from 0 to 3", "place caere"),
    "number with one value": ("victory = 1", "victory = 2", "number", "victory 2 must be 1", "place roma"),
    "number of a wrong type": (
        "loyalty = 1,",
        "loyalty = 1.0,",
        "type",
        "loyalty must be a whole number",
        "place caere",
    ),
    "number true": ("loyalty = 1,", "loyalty = true,", "type", "loyalty must be a whole number", "place caere"),
    "number on a wrong kind": (
        "factor = 2",
        "factor = 2, loyalty = 1",
        "number",
        "loyalty does not go with the kind tribe (only with city)",
        "place aequi",
    ),
    "only for an unknown number": (
        "only = { loyalty",
        "only = { loyaltie",
        "key",
        'only: unknown number "loyaltie"; did you mean loyalty?',
        "place carthago",
    ),
    "only for an absent number": (
        "only = { loyalty",
        "only = { victory",
        "missing",
        "only: the place has no victory",
        "place carthago",
    ),
    "only not a table": ("only = { loyalty = [5] }", "only = 5", "type", "only must be a table", "place carthago"),
    "players unknown": (
        "players = [5]",
        "players = [7]",
        "players",
        "players: the game has no 7 players (it has 2, 3, 4, 5)",
        "place garrison",
    ),
    "players not a list": (
        "players = [5]",
        "players = 5",
        "type",
        "players must be a list of numbers of players",
        "place garrison",
    ),
    "flag not true or false": (
        "capital = true",
        'capital = "yes"',
        "type",
        "capital must be true or false",
        "place roma",
    ),
    "given an unknown key": (
        'given = ["loyalty"]',
        'given = ["loyalti"]',
        "key",
        'given: unknown key "loyalti"; did you mean loyalty?',
        "place roma",
    ),
    "provisional an absent number": (
        'provisional = ["loyalty"]',
        'provisional = ["victory"]',
        "missing",
        "provisional: the place has no victory",
        "place caere",
    ),
    "given and provisional": (
        'provisional = ["loyalty"]',
        'provisional = ["loyalty"], given = ["loyalty"]',
        "duplicate",
        "loyalty cannot be both given and provisional",
        "place caere",
    ),
    "dangling way": (
        'a = "roma", b = "caere"',
        'a = "roma", b = "cere"',
        "dangling",
        'leads to no place: "cere"; did you mean caere?',
        "way roma - cere",
    ),
    "way without an end": ('a = "roma", b = "caere"', 'a = "roma"', "dangling", "the end b is missing", "way roma - ?"),
    "way to itself": (
        'a = "roma", b = "caere"',
        'a = "roma", b = "roma"',
        "loop",
        "leads from a place to itself",
        "way roma - roma",
    ),
    "duplicate way": (
        'a = "antium", b = "aequi"',
        'a = "aequi", b = "roma"',
        "duplicate",
        "these two places are joined already on line",
        "way aequi - roma",
    ),
    "one-way from a place that is no box": (
        'b = "aequi", kind = "rough"',
        'b = "aequi", kind = "rough", one_way = true',
        "one_way",
        "is one way, but only a way out of a box (box) may be; roma is none",
        "way roma - aequi",
    ),
    "one-way into a box": (
        'a = "transalpine", b = "caere"',
        'a = "caere", b = "transalpine"',
        "one_way",
        "is one way, but only a way out of a box (box) may be; caere is none",
        "way caere - transalpine",
    ),
    "via of a wrong form": ("[[12.3, 41.9]]", "[12.3, 41.9]", "type", "via must be a list", "way roma - caere"),
    "via outside": ("[[12.3, 41.9]]", "[[41.9, 12.3]]", "outside", "via: lon 41.9 is outside", "way roma - caere"),
    "given an unknown key of a way": (
        'given = ["road"]',
        'given = ["roads"]',
        "key",
        'given: unknown key "roads"; did you mean road?',
        "way roma - antium",
    ),
    "unreachable place": (
        '{ a = "transalpine", b = "caere", kind = "rough", one_way = true },',
        "",
        "unreachable",
        "cannot be reached over any way or sea",
        "place transalpine",
    ),
    "unreachable by sea": (
        ', touches = ["upper"]',
        "",
        "unreachable",
        "cannot be reached over any way or sea",
        "place carthago",
    ),
    "home region without reinforcement": (
        "loyalty = 1, reinforce = 1",
        "loyalty = 1",
        "home",
        "has no reinforcement space: none of its places has reinforce",
        "home region of ETR",
    ),
    "box of three numbers": ("box = [6, 36, 19, 47]", "box = [6, 36, 19]", "type", "box must be four numbers", ""),
    "box upside down": ("box = [6, 36, 19, 47]", "box = [6, 47, 19, 36]", "box", "box must go from west to east", ""),
    "id of the board": ('id = "small"', 'id = "Small Board"', "id", "the id of a board is small latin letters", ""),
    "title missing": ('title = "A small board"\n', "", "missing", "title is missing", ""),
    "table of a wrong type": ("regions = [", "regions = 3\nrest = [", "type", "regions must be a list of tables", ""),
    "row of a wrong type": ("places = [", "places = [\n  7,", "type", "places: entry 1 must be a table", ""),
}


@pytest.mark.parametrize("name", CASES)
def test_a_fault_is_told_with_its_place(name: str) -> None:
    old, new, code, message, where = CASES[name]
    assert TOML.count(old) == 1, "the case must change one thing"
    text = TOML.replace(old, new)
    found = faults_of(text)
    hits = [fault for fault in found if fault.code == code and message in fault.message and fault.where == where]
    assert hits, [str(fault) for fault in found]
    assert str(hits[0]).startswith("x.toml")


# faults that have no line of their own: something is absent, or the row has no id
NO_LINE = {"missing id", "title missing", "row of a wrong type", "unknown key of the file"}
ELSEWHERE = {"unreachable place", "unreachable by sea"}


@pytest.mark.parametrize("name", sorted(CASES.keys() - NO_LINE - ELSEWHERE))
def test_a_fault_is_told_with_its_line(name: str) -> None:
    old, new, code, message, where = CASES[name]
    text = TOML.replace(old, new)
    hit = next(f for f in faults_of(text) if f.code == code and message in f.message and f.where == where)
    assert hit.line == line_of(TOML, old)


@pytest.mark.parametrize("name", sorted(CASES.keys() - {"unreachable by sea", "table of a wrong type"}))
def test_one_slip_gives_few_faults(name: str) -> None:
    """A slip must not drown its reader: ways to a place with a mended id, and the like, may add a few."""
    old, new, *_ = CASES[name]
    assert len(faults_of(TOML.replace(old, new))) <= 4


def test_a_place_without_harbour_company() -> None:
    text = TOML.replace(', touches = ["upper"]', "").replace('ports = ["upper"], loyalty', "loyalty")
    found = faults_of(text)
    assert any(f.where == "place garrison" and "no other port and touches no sea" in f.message for f in found)


def test_unreachable_only_with_some_players() -> None:
    """The way to a place leads over one that is there with five players only."""
    data = small()
    data["places"].append({"id": "utica", "name": "Utica", "kind": "space", "lon": 10, "lat": 37})
    data["ways"].append({"a": "garrison", "b": "utica", "kind": "clear"})
    found = check_board(data, SCHEMA)
    assert [(f.where, f.message) for f in found] == [
        ("place utica", "cannot be reached over any way or sea with 2 players")
    ]


def test_every_fault_at_once() -> None:
    text = TOML
    for name in (
        "unknown kind",
        "missing loyalty",
        "dangling way",
        "lon outside",
        "unknown road",
        "box of three numbers",
    ):
        text = text.replace(CASES[name][0], CASES[name][1])
    codes = {fault.code for fault in faults_of(text)}
    assert {"kind", "missing", "dangling", "road", "type"} <= codes


def test_the_error_says_all_and_can_be_pickled() -> None:
    with pytest.raises(BoardError) as caught:
        parse_board(TOML.replace(*CASES["missing loyalty"][:2]), SCHEMA, "my.toml")
    line = line_of(TOML, "loyalty = 1,")
    assert str(caught.value).splitlines()[0] == f"my.toml:{line}: place caere: loyalty is missing (a city needs it)"
    assert pickle.loads(pickle.dumps(caught.value)).faults == caught.value.faults


def test_a_good_board_has_no_faults() -> None:
    assert check_board(small(), SCHEMA) == []


def test_no_more_than_so_many_faults() -> None:
    data = small()
    data["ways"] += [{"a": f"x{i}", "b": f"y{i}", "kind": "clear"} for i in range(1500)]
    found = check_board(data, SCHEMA)
    assert len(found) == MAX_FAULTS + 1
    assert found[-1].message == f"and {3000 - MAX_FAULTS} more faults"


def test_too_many_rows() -> None:
    data = small()
    data["places"] += [{"id": f"p{i}", "name": f"P{i}", "kind": "space", "lon": 10, "lat": 40} for i in range(600)]
    assert any(
        fault.message == "places: 607 rows, more than the 500 a board may have" for fault in check_board(data, SCHEMA)
    )


# files


def file_faults(path: Path, content: bytes | None = None) -> list[Fault]:
    if content is not None:
        path.write_bytes(content)
    found = check_file(path, SCHEMA)
    with pytest.raises(BoardError) as caught:
        read_board(path, SCHEMA)
    assert list(caught.value.faults) == found
    return found


@pytest.mark.parametrize(
    "content, code, message, line",
    [
        (b"", "empty", "is empty", None),
        (b" \n\n", "empty", "is empty", None),
        (b"\x89PNG\0\0", "encoding", "is not a text file", None),
        ("a = 1\nname = 'Рим'".encode("cp1251"), "encoding", "is not text in UTF-8", 2),
        (b"id = \n", "toml", "is not TOML: Invalid value", 1),
        (b"places = [\n{ id = }\n", "toml", "is not TOML", 2),
        (b"a = " + b"[" * 5000, "toml", "is nested too deeply", None),
        (b"a" + b".a" * 200_000 + b" = 1", "toml", "has a key of too many parts", None),
        (b"a = 1\n" * 200_000, "size", f"is too large: a board may have {MAX_BYTES} bytes", None),
    ],
)
def test_files_that_are_no_boards(tmp_path: Path, content: bytes, code: str, message: str, line: int | None) -> None:
    found = file_faults(tmp_path / "board.toml", content)
    assert len(found) == 1
    assert (found[0].code, found[0].line, found[0].file) == (code, line, "board.toml")
    assert message in found[0].message


def test_files_that_are_not_there(tmp_path: Path) -> None:
    assert [f.message for f in file_faults(tmp_path / "none.toml")] == ["cannot be read: No such file or directory"]
    assert [f.file for f in file_faults(tmp_path)] == ["spaces.csv", "ways.csv"]
    assert file_faults(Path("a\0b.toml"))[0].code == "file"
    assert file_faults(tmp_path / ("x" * 300 + ".toml"))[0].code == "file"
    assert [f.message for f in file_faults(Path("/dev/zero"))] == ["is not a file"]


# tables

SPACES = "id,name,kind,lon,lat,home,ports,loyalty,reinforce\n"
WAYS = "a,b,kind,one_way\n"
GOOD = SPACES + "roma,Roma,city,12.48,41.89,ROM,lower,3,2\nostia,Ostia,space,12.29,41.76,,lower,,\n"
GOOD_WAYS = WAYS + "roma,ostia,clear,\n"


def write(folder: Path, spaces: str, ways: str) -> Callable[[], list[Fault]]:
    (folder / "spaces.csv").write_text(spaces, encoding="utf-8")
    (folder / "ways.csv").write_text(ways, encoding="utf-8")
    return lambda: check_file(folder, SCHEMA)


@pytest.mark.parametrize(
    "spaces, ways, expected",
    [
        (GOOD, GOOD_WAYS, None),
        (GOOD.replace("kind,lon", "kynd,lon", 1), GOOD_WAYS, 'spaces.csv:1: unknown column "kynd"; did you mean kind?'),
        (GOOD.replace("kind,lon", "kynd,lon", 1), GOOD_WAYS, 'spaces.csv:1: the column "kind" is missing'),
        (GOOD.replace("home,", "name,", 1), GOOD_WAYS, 'spaces.csv:1: column "name" stands there twice'),
        (
            GOOD.replace("41.89", "north"),
            GOOD_WAYS,
            'spaces.csv:2: place roma: lat: "north" is not a number of degrees',
        ),
        (GOOD.replace("lower,3,", "lower,three,"), GOOD_WAYS, 'place roma: loyalty: "three" is not a whole number'),
        (GOOD.replace("lower,3,", "lower,3@x,"), GOOD_WAYS, 'place roma: loyalty: "3@x" is not a whole number'),
        (GOOD.replace("lower,3,", "lower,9,"), GOOD_WAYS, "spaces.csv:2: place roma: loyalty 9 must be from 0 to 3"),
        (GOOD + "x,X,space,12,42,,,,,,5\n", GOOD_WAYS, "spaces.csv:4: place x: has 11 cells, the header has 9"),
        (GOOD + '"x\n', GOOD_WAYS, "spaces.csv:4: is not CSV: unexpected end of data"),
        (
            GOOD,
            WAYS + "roma,ostja,clear,\n",
            'ways.csv:2: way roma - ostja: leads to no place: "ostja"; did you mean ostia?',
        ),
        (
            GOOD,
            WAYS + "roma,ostia,clear,perhaps\n",
            'ways.csv:2: way roma - ostia: one_way: "perhaps" is not yes or no',
        ),
        (
            GOOD,
            WAYS + "roma,ostia,clear,yes\n",
            "ways.csv:2: way roma - ostia: is one way, but only a way out of a box",
        ),
        (
            GOOD,
            GOOD_WAYS + "\nostia,roma,clear,\n",
            "ways.csv:4: way ostia - roma: these two places are joined already on line 2",
        ),
        (
            GOOD + 'x,"X\nY",space,12,42,,,,\n',
            GOOD_WAYS,
            "spaces.csv:4: place x: name has a character that cannot be shown",
        ),
        (GOOD, "", "ways.csv: is empty"),
        (
            GOOD + "a,A,space,12,42,,lowre,,\n",
            GOOD_WAYS,
            'spaces.csv:4: place a: the sea "lowre" is named only here; did you mean lower?',
        ),
    ],
)
def test_tables(tmp_path: Path, spaces: str, ways: str, expected: str | None) -> None:
    found = [str(fault) for fault in write(tmp_path, spaces, ways)()]
    if expected is None:
        assert found == []
    else:
        assert any(expected in fault for fault in found), found


def test_a_missing_table_is_one_fault(tmp_path: Path) -> None:
    (tmp_path / "ways.csv").write_text(GOOD_WAYS, encoding="utf-8")
    found = [str(fault) for fault in check_file(tmp_path, SCHEMA)]
    assert found == ["spaces.csv: cannot be read: No such file or directory"]


def test_head_beside_the_tables(tmp_path: Path) -> None:
    check = write(tmp_path, GOOD, GOOD_WAYS)
    head = tmp_path / "board.toml"
    head.write_text('id = "mine"\ntitle = "Mine"\nseas = [{ id = "lower", name = "Lower Sea" }]\n', encoding="utf-8")
    assert check() == []
    head.write_text('id = "mine"\ntitle = "Mine"\nseas = [{ id = "lover", name = "Sea" }]\n', encoding="utf-8")
    assert any(
        str(f) == 'spaces.csv:2: place roma: a port on no sea of the board: "lower"; did you mean lover?'
        for f in check()
    )
    head.write_text('id = "mine"\ntitle = "Mine"\nplaces = []\n', encoding="utf-8")
    assert any(str(f) == "board.toml:3: places belong into the CSV table" for f in check())
    head.write_text("id =", encoding="utf-8")
    assert any(f.code == "toml" for f in check())
