"""The built-in board holds what the rules and their examples say of the map, and says plainly what it made up."""

import itertools
from importlib.resources import files
from pathlib import Path

import pytest

from foedus.boards import Board, BoardError, parse_board, read_board, write_csv, write_head, write_toml
from foedus.games.sword_of_rome.board import BUILT_IN, SWORD_OF_ROME_SCHEMA, load_board
from foedus.kernel.values import bits

WAYS = SWORD_OF_ROME_SCHEMA.ways


@pytest.fixture(scope="module")
def board() -> Board:
    return load_board("italy-386")


# place: kind (None: not said), home, numbers that are said
HOMES: dict[str, dict[str, tuple[str | None, dict[str, int]]]] = {
    "ROM": {
        "roma": ("city", {"loyalty": 3, "reinforce": 2}),
        "capua": ("city", {"loyalty": 1}),
        "narnia": ("city", {"loyalty": 1}),
        "sutrium": ("city", {"loyalty": 1}),
        "velitrae": ("space", {}),
        "praeneste": ("space", {}),
        "tarracina": ("space", {}),
    },
    "ETR": {
        "pisae": ("city", {"reinforce": 1}),
        "tarquinii": ("city", {"loyalty": 1, "reinforce": 1}),
        "clusium": (None, {}),
        "populonium": (None, {}),
    },
    "SAM": {
        "bovianum": (None, {"reinforce": 1}),
        "aufidena": (None, {"reinforce": 1}),
        "larinum": (None, {"reinforce": 1}),
        "fregellae": ("city", {}),  # it can be besieged
    },
    "GRE": {
        "syracusae": (None, {"reinforce": 2}),
        "messana": (None, {"reinforce": 1}),
        "tarentum": (None, {"reinforce": 1}),
        "neapolis": (None, {"reinforce": 1, "victory": 1}),
    },
    "GAL": {
        "eporedia": (None, {"reinforce": 1}),
        "genua": (None, {"reinforce": 1}),
        "mediolanum": (None, {"reinforce": 1}),
        "bononia": (None, {"reinforce": 1}),
        "sena_gallica": (None, {"reinforce": 1}),
        "patavium": (None, {"reinforce": 1}),
        "luna": (None, {}),
        "placentia": (None, {}),
    },
    "CAR": {
        "carthago": (None, {"reinforce": 3}),
        "kerkouane": (None, {}),
        "lilybaeum": (None, {}),
        "panormus": (None, {}),
        "selinus": (None, {}),
        "garrison": ("box", {}),
    },
    "VOL": {"antium": (None, {"reinforce": 1})},
    "TRA": {"transalpine": ("box", {"reinforce": 1})},
}
NAMED = [(home, name, *rest) for home, places in HOMES.items() for name, rest in places.items()]


@pytest.mark.parametrize("home, name, kind, numbers", NAMED)
def test_named_places(board: Board, home: str, name: str, kind: str | None, numbers: dict[str, int]) -> None:
    space = board.spaces[board.index[name]]
    assert (space.home, space.start) == (home, home)
    assert kind is None or space.kind == kind
    for number, value in numbers.items():
        assert space.numbers[number] == value
        assert number in space.given


@pytest.mark.parametrize("name", ["Catina", "Sentinum", "Spoletium"])
def test_places_named_without_an_owner(board: Board, name: str) -> None:
    assert board.find(name) is not None


def test_tribes(board: Board) -> None:
    assert {board.spaces[i].id for i in bits(board.kind_masks["tribe"])} == {"lucani", "bruttii"}
    for name in ("Lucanians", "Bruttians"):
        i = board.find(name)
        assert i is not None
        assert (board.spaces[i].home, board.spaces[i].start) == (None, "IND")


# pairs that the facts call adjacent, with the kind and road where they say one
PAIRS = [
    ("capua", "fregellae", None, None),
    ("velitrae", "fregellae", None, None),
    ("luna", "pisae", None, None),
    ("pisae", "populonium", None, None),
    ("sentinum", "spoletium", "clear", None),
    ("messana", "catina", None, None),
    ("roma", "velitrae", "clear", "appia"),
    ("velitrae", "antium", "clear", "appia"),
    ("transalpine", "eporedia", "rough", None),
]


@pytest.mark.parametrize("a, b, kind, road", PAIRS)
def test_adjacent_pairs(board: Board, a: str, b: str, kind: str | None, road: str | None) -> None:
    (way,) = board.ways_between(board.index[a], board.index[b])
    assert kind is None or WAYS[way.kind] == kind
    assert way.road == road
    assert board.links[way.link].given


def test_the_appian_way_leads_from_roma_to_antium(board: Board) -> None:
    stretches = [link for link in board.links if link.road == "appia"]
    assert len(stretches) == 2
    assert {board.spaces[i].id for link in stretches for i in (link.a, link.b)} == {"roma", "velitrae", "antium"}


def test_the_holding_box_leads_out_only(board: Board) -> None:
    box, eporedia = board.index["transalpine"], board.index["eporedia"]
    assert board.ids(board.adjacent[box]) == ("eporedia",)
    assert not board.adjacent[eporedia] >> box & 1
    assert board.beside[box] == 0
    assert [board.spaces[link.a].id for link in board.links if link.one_way] == ["transalpine"]


def test_the_garrison_box_is_there_with_five_players_and_by_sea(board: Board) -> None:
    box = board.index["garrison"]
    assert board.adjacent[box] == 0
    assert board.ports[box]
    assert [board.present(players) >> box & 1 for players in (2, 3, 4, 5)] == [0, 0, 0, 1]


@pytest.mark.parametrize(
    "name", ["roma", "pisae", "syracusae", "messana", "tarentum", "neapolis", "lilybaeum", "carthago", "kerkouane"]
)
def test_ports(board: Board, name: str) -> None:
    assert board.port_mask >> board.index[name] & 1


def test_carthage_begins_with_two_ports_in_sicily(board: Board) -> None:
    """Its hand at the start with five players is 5 cards and one for each."""
    ports = board.homes["CAR"] & board.port_mask
    assert {name for name in board.ids(ports) if board.spaces[board.index[name]].region == "sicily"} == {
        "lilybaeum",
        "panormus",
    }


def test_borders_the_examples_need(board: Board) -> None:
    assert board.beside[board.index["sutrium"]] & board.homes["ETR"]
    assert (board.beside[board.index["capua"]] & board.homes["SAM"]).bit_count() >= 2


def test_carthago_with_and_without_a_carthaginian_player(board: Board) -> None:
    carthago = board.spaces[board.index["carthago"]]
    for players in (2, 3, 4):
        assert carthago.number("loyalty", players) is None
        assert carthago.number("victory", players) is None
    assert carthago.number("loyalty", 5) is not None


def test_victory_spaces(board: Board) -> None:
    praeneste = board.spaces[board.index["praeneste"]]
    assert (praeneste.number("victory", 4), praeneste.number("victory", 5)) == (None, 1)
    for power in ("ROM", "ETR", "SAM", "GRE", "GAL", "CAR"):
        assert board.homes[power] & board.having("victory", 4), f"{power} has nothing to lose"


def test_reinforcements_are_those_of_the_facts(board: Board) -> None:
    """Capua, Narnia and Sutrium stand for "one for each other Roman walled city"."""
    paid = {
        power: sum(board.spaces[i].numbers.get("reinforce", 0) for i in bits(mask))
        for power, mask in board.homes.items()
    }
    assert paid == {"ROM": 5, "GRE": 5, "GAL": 6, "ETR": 2, "SAM": 3, "CAR": 3, "VOL": 1, "TRA": 1}


def test_loyalty_follows_the_rules(board: Board) -> None:
    for i in bits(board.kind_masks["city"]):
        space = board.spaces[i]
        if space.start in ("IND", "GAL"):
            assert space.numbers["loyalty"] == 1, space.id


def test_no_roman_place_is_walled_that_the_facts_do_not_name(board: Board) -> None:
    walled = board.homes["ROM"] & board.kind_masks["city"]
    assert set(board.ids(walled)) == {"roma", "capua", "narnia", "sutrium"}


def test_every_number_is_given_or_provisional(board: Board) -> None:
    for space in board.spaces:
        for number in space.numbers:
            assert (number in space.given) != (number in space.provisional), (space.id, number)


def test_names_in_two_languages(board: Board) -> None:
    assert "ru" in board.title
    named = [space.names for space in board.spaces] + [sea.names for sea in board.seas]
    named += [names for table in board.labels.values() for names in table.values()] + list(board.powers.values())
    assert all(set(names) == {"en", "ru"} for names in named)
    assert set(board.powers) == {*SWORD_OF_ROME_SCHEMA.powers, "IND"}
    assert all(set(space.labels) == {"region", "people"} for space in board.spaces)


def test_size_and_tidiness(board: Board) -> None:
    assert 75 <= len(board.spaces) <= 95
    text = (files("foedus.games.sword_of_rome") / "boards" / "italy-386.toml").read_text(encoding="utf-8")
    for space in board.spaces:
        assert text.count(f'{{ id = "{space.id}",') == 1, "one line a place"


def test_ways_do_not_cross(board: Board) -> None:
    """Two ways drawn across each other would look like a crossroads that is none."""
    lines = []
    for link in board.links:
        ends = [(board.spaces[i].lon, board.spaces[i].lat) for i in (link.a, link.b)]
        lines.append((link, [ends[0], *link.via, ends[1]]))

    def side(p: tuple[float, float], q: tuple[float, float], r: tuple[float, float]) -> float:
        return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])

    for (one, first), (two, second) in itertools.combinations(lines, 2):
        for (p, q), (r, s) in itertools.product(itertools.pairwise(first), itertools.pairwise(second)):
            crossed = side(p, q, r) * side(p, q, s) < 0 and side(r, s, p) * side(r, s, q) < 0
            assert not crossed, [board.spaces[i].id for i in (one.a, one.b, two.a, two.b)]


def test_distances_one_can_see_on_a_map(board: Board) -> None:
    i = board.index
    assert board.distance(i["roma"], i["antium"]) == 2
    assert board.distance(i["rhegium"], i["messana"]) == 1
    land = SWORD_OF_ROME_SCHEMA.ways_mask(["clear", "rough"])
    assert board.distance(i["rhegium"], i["messana"], land) is None
    assert board.distance(i["carthago"], i["panormus"]) is None
    assert board.distance(i["roma"], i["tarquinii"]) == 2
    # all of Italy hangs together by land
    assert board.component(i["roma"], land).bit_count() > 70


def test_built_in_is_loaded_once() -> None:
    assert load_board() is load_board(BUILT_IN[0])


def test_a_board_of_the_users_own(board: Board, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(write_toml(board), encoding="utf-8")
    assert load_board(path).data() == board.data()
    assert load_board(str(path)).data() == board.data()
    with pytest.raises(BoardError, match="No such file"):
        load_board("italy-387")


def test_csv_round_trip(board: Board, tmp_path: Path) -> None:
    spaces, ways = write_csv(board)
    (tmp_path / "spaces.csv").write_text(spaces, encoding="utf-8")
    (tmp_path / "ways.csv").write_text(ways, encoding="utf-8")
    bare = read_board(tmp_path, SWORD_OF_ROME_SCHEMA)
    assert bare.spaces == board.spaces
    assert bare.links == board.links
    (tmp_path / "board.toml").write_text(write_head(board), encoding="utf-8")
    again = read_board(tmp_path, SWORD_OF_ROME_SCHEMA)
    assert again.data() == board.data()
    assert parse_board(write_toml(again), SWORD_OF_ROME_SCHEMA).data() == board.data()
