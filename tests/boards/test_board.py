"""The board in use: indexes, masks, names, distances, round trips."""

import json
import pickle
import tomllib
from pathlib import Path

import pytest

from foedus.boards import Board, Way, build_board, parse_board, read_board, write_csv, write_head, write_toml
from foedus.kernel.values import bits

from .small import SCHEMA, TOML, small


@pytest.fixture(scope="module")
def board() -> Board:
    return parse_board(TOML, SCHEMA)


def at(board: Board, *names: str) -> int:
    return board.mask(names)


def test_what_stands_there(board: Board) -> None:
    assert board.id == "small"
    assert board.title == {"en": "A small board", "ru": "Маленькая карта"}
    assert [space.id for space in board.spaces][:3] == ["roma", "antium", "caere"]
    roma = board.spaces[board.index["roma"]]
    assert roma.walled
    assert roma.name("ru") == "Рим"
    assert roma.name("xx") == "Roma"
    assert roma.region == "latium"
    assert roma.flags == {"capital"}
    assert (roma.home, roma.start) == ("ROM", "ROM")
    aequi = board.spaces[board.index["aequi"]]
    assert (aequi.home, aequi.start, aequi.walled, aequi.region) == (None, "ROM", False, None)
    assert board.spaces[board.index["antium"]].start == "IND"
    assert board.labels["regions"]["latium"]["ru"] == "Лаций"
    assert board.powers["ROM"]["ru"] == "Римляне"
    assert board.box == (6, 36, 19, 47)


def test_it_is_one_value(board: Board) -> None:
    other = parse_board(TOML, SCHEMA)
    assert board != other
    assert {board: 1}[board] == 1
    with pytest.raises(AttributeError):
        board.id = "x"  # type: ignore[misc]
    copy = pickle.loads(pickle.dumps(board))
    assert copy.data() == board.data()
    assert hash(board.spaces[0]) == hash(other.spaces[0])


def test_ways_both_directions_from_one_line(board: Board) -> None:
    roma, antium, caere = (board.index[name] for name in ("roma", "antium", "caere"))
    assert board.ways_between(roma, antium) == (Way(antium, 0, "appia", 0),)
    assert board.ways_between(antium, roma) == (Way(roma, 0, "appia", 0),)
    assert board.ways_between(antium, caere) == ()
    assert board.adjacent[roma] == at(board, "antium", "caere", "aequi")
    assert board.adjacent_by[SCHEMA.ways.index("rough")][roma] == at(board, "aequi")


def test_one_way_goes_one_way_and_is_beside_nothing(board: Board) -> None:
    box, caere = board.index["transalpine"], board.index["caere"]
    assert board.adjacent[box] == at(board, "caere")
    assert not board.adjacent[caere] >> box & 1
    assert board.beside[box] == 0
    assert board.beside[caere] == at(board, "roma")


def test_masks(board: Board) -> None:
    assert list(bits(0b10110)) == [1, 2, 4]
    assert board.ids(board.port_mask) == ("roma", "carthago", "garrison")
    assert board.ids(board.sea_ports[board.sea_index["upper"]]) == ("carthago", "garrison")
    assert board.ports[board.index["roma"]] == 1 << board.sea_index["lower"]
    assert board.seas[1].touches == ("lower",)
    assert board.ids(board.homes["CAR"]) == ("carthago", "garrison")
    assert board.home[board.index["caere"]] == "ETR"
    assert board.ids(board.kind_masks["city"]) == ("roma", "caere", "carthago")
    assert board.ids(board.having("reinforce")) == ("roma", "caere", "carthago", "transalpine")
    assert board.ids(board.having("loyalty", 4)) == ("roma", "caere")
    assert board.ids(board.having("loyalty", 5)) == ("roma", "caere", "carthago")
    assert not board.present(4) >> board.index["garrison"] & 1
    assert board.present(5) == (1 << len(board.spaces)) - 1
    assert SCHEMA.ways_mask(["clear", "strait"]) == 0b101
    with pytest.raises(KeyError):
        board.mask(["nowhere"])


def test_numbers_that_hold_with_some_players_only(board: Board) -> None:
    carthago = board.spaces[board.index["carthago"]]
    assert carthago.number("loyalty", 4) is None
    assert carthago.number("loyalty", 5) == 3
    assert carthago.number("loyalty") == 3
    assert carthago.number("factor") is None


@pytest.mark.parametrize("text", ["roma", "Roma", "ROMA", "Рим", "рим", " rome ", "Rome"])
def test_names_find_the_place(board: Board, text: str) -> None:
    assert board.find(text) == board.index["roma"]


def test_names_with_two_words(board: Board) -> None:
    for text in ("Transalpine Gaul", "transalpine-gaul", "transalpine_gaul", "трансальпийская  галлия"):
        assert board.find(text) == board.index["transalpine"]
    assert board.find("Syracusae") is None
    assert board.suggest("Antum") == ["antium"]
    assert board.suggest("") == []


def test_distances(board: Board) -> None:
    i = board.index
    assert board.distance(i["caere"], i["antium"]) == 2
    assert board.distance(i["roma"], i["roma"]) == 0
    assert board.distance(i["transalpine"], i["roma"]) == 2
    assert board.distance(i["roma"], i["transalpine"]) is None
    assert board.distance(i["roma"], i["carthago"]) is None
    clear = SCHEMA.ways_mask(["clear"])
    assert board.distance(i["roma"], i["aequi"]) == 1
    assert board.distance(i["roma"], i["aequi"], clear) == 2
    assert board.distance(i["roma"], i["aequi"], clear, blocked=at(board, "antium")) is None
    assert board.distance(i["transalpine"], i["caere"], clear) is None


def test_reachable(board: Board) -> None:
    i = board.index
    assert board.reachable(i["caere"], 1) == {i["caere"]: 0, i["roma"]: 1}
    assert board.reachable(i["caere"], 0) == {i["caere"]: 0}
    assert list(board.reachable(i["caere"]).values()) == [0, 1, 2, 2]
    # the start may be blocked itself: it is left, not entered
    assert board.reachable(i["caere"], 1, blocked=at(board, "caere")) == {i["caere"]: 0, i["roma"]: 1}
    assert board.ids(board.component(i["antium"])) == ("roma", "antium", "caere", "aequi")
    assert board.component(i["carthago"]) == at(board, "carthago")


def test_routes(board: Board) -> None:
    i = board.index
    assert board.route(i["transalpine"], i["antium"]) == (i["transalpine"], i["caere"], i["roma"], i["antium"])
    assert board.route(i["antium"], i["transalpine"]) is None
    assert board.route(i["roma"], i["roma"]) == (i["roma"],)
    clear = SCHEMA.ways_mask(["clear"])
    assert board.route(i["roma"], i["aequi"], clear) == (i["roma"], i["antium"], i["aequi"])


def test_plain_values_give_the_board_back(board: Board) -> None:
    data = json.loads(json.dumps(board.data()))
    again = build_board(data, SCHEMA)
    assert again.data() == board.data()
    assert again.spaces == board.spaces
    assert again.links == board.links
    assert again.seas == board.seas


def test_toml_round_trip(board: Board) -> None:
    text = write_toml(board)
    again = parse_board(text, SCHEMA)
    assert again.data() == board.data()
    assert write_toml(again) == text
    assert "places" not in tomllib.loads(write_head(board))


def test_csv_round_trip(board: Board, tmp_path: Path) -> None:
    spaces, ways = write_csv(board)
    (tmp_path / "spaces.csv").write_text(spaces, encoding="utf-8")
    (tmp_path / "ways.csv").write_text(ways, encoding="utf-8")
    (tmp_path / "board.toml").write_text(write_head(board), encoding="utf-8")
    for path in (tmp_path, tmp_path / "spaces.csv"):
        again = read_board(path, SCHEMA)
        assert again.data() == board.data()
        assert again.spaces == board.spaces
        assert again.links == board.links
        assert write_csv(again) == (spaces, ways)


def test_csv_alone(board: Board, tmp_path: Path) -> None:
    """Without board.toml the seas and regions are those the cells name; nothing about the places is lost."""
    folder = tmp_path / "My Board 7"
    folder.mkdir()
    spaces, ways = write_csv(board)
    (folder / "spaces.csv").write_text(spaces, encoding="utf-8")
    (folder / "ways.csv").write_text(ways, encoding="utf-8")
    again = read_board(folder, SCHEMA)
    assert again.id == "my-board-7"
    assert again.spaces == board.spaces
    assert again.links == board.links
    assert [sea.id for sea in again.seas] == ["lower", "upper"]


def test_csv_from_a_spreadsheet_of_another_country(tmp_path: Path) -> None:
    """Semicolons between cells, commas in numbers, a byte order mark, CRLF, names of seas and regions as written."""
    spaces = (
        "ID;Name;Kind;Lon;Lat;Region;Home;Ports;Loyalty;Reinforce\r\n"
        "roma;Roma;city;12,48;41,89;Old Latium;ROM;Lower Sea;3@4/5;2\r\n"
        ";;;;;;;;;\r\n"
        "ostia;Ostia;space;12,29;41,76;old latium;ROM;Lower sea;;\r\n"
    )
    (tmp_path / "spaces.csv").write_bytes(b"\xef\xbb\xbf" + spaces.encode())
    (tmp_path / "ways.csv").write_text("a;b;kind;one_way\r\nroma;ostia;clear;no\r\n", encoding="utf-8")
    board = read_board(tmp_path, SCHEMA)
    roma = board.spaces[0]
    assert (roma.lon, roma.lat, roma.ports, roma.only) == (12.48, 41.89, ("lower_sea",), {"loyalty": (4, 5)})
    assert board.labels["regions"] == {"old_latium": {"en": "Old Latium"}}
    assert board.spaces[1].name("ru") == "Ostia"


def test_a_large_board_is_asked_quickly() -> None:
    """A grid of 400 spaces; the distances agree with the sums of steps."""
    data = small() | {"powers": [], "regions": [], "seas": []}
    side = 20
    data["places"] = [
        {"id": f"s{x}_{y}", "name": f"S{x} {y}", "kind": "space", "lon": 7 + x / 10, "lat": 40 + y / 10}
        for x in range(side)
        for y in range(side)
    ]
    data["ways"] = [
        {"a": f"s{x}_{y}", "b": f"s{x + dx}_{y + dy}", "kind": "clear"}
        for x in range(side)
        for y in range(side)
        for dx, dy in ((0, 1), (1, 0))
        if x + dx < side and y + dy < side
    ]
    board = build_board(data, SCHEMA)
    far = board.reachable(board.index["s0_0"])
    assert all(far[board.index[f"s{x}_{y}"]] == x + y for x in range(side) for y in range(side))
