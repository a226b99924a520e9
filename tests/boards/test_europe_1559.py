"""The built-in board of Virgin Queen: what the rules and their examples say of the map holds on it."""

import itertools
import math
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pytest

from foedus.boards import Board, BoardError, Coast, parse_board, read_board, write_csv, write_head, write_toml
from foedus.boards.board import Link
from foedus.games.virgin_queen.board import (
    BUILT_IN,
    VIRGIN_QUEEN_SCHEMA,
    WAY_COST,
    chart,
    check_board,
    load_board,
    load_coast,
    way_cost,
)
from foedus.kernel.values import bits

MAJOR = ("OTT", "SPA", "ENG", "FRA", "HRE", "PRO")
MINOR = ("IRE", "PAP", "POR", "SCO", "VEN")
KM = 111.2

TOML = (files("foedus.games.virgin_queen") / "boards" / "europe-1559.toml").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def board() -> Board:
    return load_board()


@pytest.fixture(scope="module")
def coast() -> Coast:
    found = load_coast()
    assert found is not None
    return found


def zone_path(board: Board, a: str, b: str) -> int | None:
    """Sea zones crossed from one zone to another over open water, both counted; None if there is no such path."""
    goal, seen = board.sea_index[b], 1 << board.sea_index[a]
    edge, count = seen, 1
    while edge:
        if edge >> goal & 1:
            return count
        after = 0
        for i in bits(edge):
            after |= chart(board).meets[i]
        edge = after & ~seen
        seen |= edge
        count += 1
    return None


# what the facts say


@pytest.mark.parametrize(
    "power, capital",
    [("OTT", "istanbul"), ("SPA", "madrid"), ("ENG", "london"), ("FRA", "paris"), ("HRE", "vienna"), ("PRO", None)],
)
def test_capitals_of_the_major_powers(board: Board, power: str, capital: str | None) -> None:
    found = chart(board).capitals.get(power)
    assert (None if found is None else board.spaces[found].id) == capital
    if found is not None:
        assert board.home[found] == power
        assert board.spaces[found].kind == "key"


def test_every_power_has_home_spaces_and_a_home_key(board: Board) -> None:
    """A ransomed leader goes to the capital, otherwise to a home key space."""
    assert set(board.homes) == {*MAJOR, *MINOR} == set(VIRGIN_QUEEN_SCHEMA.powers)
    for power in (*MAJOR, *MINOR):
        assert chart(board).home_keys[power] & board.homes[power] == chart(board).home_keys[power] != 0
    assert all(chart(board).capitals[power] in bits(board.homes[power]) for power in MINOR)


def test_powers_stand_in_impulse_order() -> None:
    assert VIRGIN_QUEEN_SCHEMA.powers == MAJOR + MINOR


@pytest.mark.parametrize("name", ["Metz", "Florence"])
def test_independent_fortresses(board: Board, name: str) -> None:
    space = board.spaces[found(board, name)]
    assert (space.home, space.start, space.kind, space.walled) == (None, "IND", "fortified", True)
    assert {"kind", "start"} <= set(space.given)


def test_the_protestants_hold_nothing_at_the_start(board: Board) -> None:
    assert not [space.id for space in board.spaces if space.start == "PRO"]
    starts = {board.spaces[i].start for i in bits(board.homes["PRO"])}
    assert {"SPA", "FRA"} <= starts, "Dutch home spaces are Spanish, Huguenot ones French"


def test_amsterdam_is_a_dutch_home_key_that_spain_holds(board: Board) -> None:
    amsterdam = board.spaces[board.index["amsterdam"]]
    assert (amsterdam.kind, amsterdam.home, amsterdam.start) == ("key", "PRO", "SPA")
    assert {"kind", "home", "start"} <= set(amsterdam.given)


@pytest.mark.parametrize("port, seas", [("gibraltar", ("gulf_of_cadiz", "barbary_coast"))])
def test_gibraltar_is_a_port_space_between_two_seas(board: Board, port: str, seas: tuple[str, str]) -> None:
    a, b = (board.sea_index[sea] for sea in seas)
    assert board.spaces[board.index[port]].ports == seas
    assert not board.sea_beside[a] >> b & 1
    assert not board.sea_beside[b] >> a & 1


def test_passages(board: Board) -> None:
    """Where two seas meet in a port space only, no path of zones leads."""
    told = {(board.spaces[p.port].id, board.seas[p.a].id, board.seas[p.b].id): p.a < p.b for p in chart(board).passages}
    assert told == {("gibraltar", "gulf_of_cadiz", "barbary_coast"): True, ("istanbul", "aegean", "black_sea"): True}


ATLANTIC = ("north_sea", "irish_sea", "english_channel", "bay_of_biscay", "portuguese_coast", "gulf_of_cadiz", "baltic")
MIDDLE = (
    "barbary_coast",
    "gulf_of_lion",
    "tyrrhenian",
    "ionian",
    "adriatic",
    "aegean",
    "eastern_mediterranean",
)


@pytest.mark.parametrize("a, b", [*itertools.product(ATLANTIC, MIDDLE), *((sea, "black_sea") for sea in MIDDLE)])
def test_no_path_of_zones_through_a_port_space(board: Board, a: str, b: str) -> None:
    assert zone_path(board, a, b) is None
    assert zone_path(board, b, a) is None


def test_paths_of_zones_on_each_side_of_gibraltar(board: Board) -> None:
    assert all(zone_path(board, a, b) for a, b in itertools.product(ATLANTIC, ATLANTIC))
    assert all(zone_path(board, a, b) for a, b in itertools.product(MIDDLE, MIDDLE))
    assert zone_path(board, "gulf_of_cadiz", "bay_of_biscay") == 3
    assert zone_path(board, "adriatic", "aegean") == 3
    assert zone_path(board, "north_sea", "north_sea") == 1


# places that published games, examples and open cases speak of
NAMED = """Algiers Amsterdam Antwerp Barcelona Bordeaux Bristol Brussels Buda Cadiz Cairo Calais Djerba Dublin Edinburgh
Edirne Famagusta Florence Genoa Gibraltar Istanbul La_Rochelle Lepanto Lisbon London Lyon Madrid Malta Marseille Metz
Milan Naples Nicosia Paris Prague Rome Rotterdam Rouen Salonika Seville Sziget Tripoli Tunis Venice Vienna York"""


@pytest.mark.parametrize("name", NAMED.split())
def test_named_places(board: Board, name: str) -> None:
    assert board.find(name) is not None


@pytest.mark.parametrize(
    "name, place",
    [
        ("Гибралтар", "gibraltar"),
        ("Стамбул", "istanbul"),
        ("Константинополь", "istanbul"),
        ("Дьёр", "raab"),
        ("Thessaloniki", "salonica"),
        ("la rochelle", "la_rochelle"),
        ("Мец", "metz"),
        ("Флоренция", "florence"),
    ],
)
def test_names_and_other_names(board: Board, name: str, place: str) -> None:
    assert board.find(name) == board.index[place]


# the examples the issue asks about


def test_spain_at_cadiz_can_reach_every_english_port(board: Board) -> None:
    """The nearest, Bristol and those on the Channel, over zones alone; none is behind Gibraltar."""
    (start,) = board.spaces[board.index["cadiz"]].ports
    far = {
        board.spaces[i].id: min(filter(None, (zone_path(board, start, sea) for sea in board.spaces[i].ports)))
        for i in bits(board.homes["ENG"] & board.port_mask)
    }
    assert far == {"bristol": 4, "chester": 4, "portsmouth": 4, "plymouth": 4, "london": 5, "berwick": 5}


def test_a_squadron_at_naples_reaches_no_english_port(board: Board) -> None:
    for i in bits(board.homes["ENG"] & board.port_mask):
        assert all(zone_path(board, "tyrrhenian", sea) is None for sea in board.spaces[i].ports)


# the shape of the board


def test_size_and_tidiness(board: Board) -> None:
    assert 115 <= len(board.spaces) <= 135
    for space in board.spaces:
        assert TOML.count(f'{{ id = "{space.id}",') == 1 + (space.id in board.labels["regions"]), "one line a place"


def test_ways_lead_both_ways_and_the_board_hangs_together(board: Board) -> None:
    for i, j in itertools.combinations(range(len(board.spaces)), 2):
        assert board.adjacent[i] >> j & 1 == board.adjacent[j] >> i & 1
        assert way_cost(board, i, j) == way_cost(board, j, i)
    reached = board.component(board.index["paris"])
    apart = {space.id for i, space in enumerate(board.spaces) if not reached >> i & 1}
    # Britain, Ireland, Cyprus, Barbary, Anatolia by ferry, Egypt by Gaza; islands without a town to walk to
    islands = {"palma", "cagliari", "malta", "corfu", "candia", "rhodes", "chios", "copenhagen"}
    assert islands <= apart
    assert {"cairo", "smyrna", "messina"} & apart == set()
    for name in apart:
        mine = board.component(board.index[name])
        assert any(board.ports[i] for i in bits(mine)), f"{name} is cut off from land and sea"


def test_no_land_way_over_the_sea_to_the_islands(board: Board) -> None:
    land = VIRGIN_QUEEN_SCHEMA.ways_mask(["clear", "pass"])
    for a, b in [("paris", "london"), ("london", "dublin"), ("naples", "messina"), ("istanbul", "bursa")]:
        assert board.distance(board.index[a], board.index[b], land) is None
    assert board.distance(board.index["cosenza"], board.index["messina"]) == 1


def test_passes_cost_two(board: Board) -> None:
    assert dict(zip(VIRGIN_QUEEN_SCHEMA.ways, WAY_COST, strict=True)) == {"clear": 1, "pass": 2, "strait": 1}
    i = board.index
    assert way_cost(board, i["perpignan"], i["barcelona"]) == 2
    assert way_cost(board, i["innsbruck"], i["verona"]) == 2
    assert way_cost(board, i["paris"], i["orleans"]) == 1
    assert way_cost(board, i["cosenza"], i["messina"]) == 1
    assert way_cost(board, i["paris"], i["madrid"]) is None


def test_spain_and_france_and_italy_are_joined_by_passes_only(board: Board) -> None:
    """No army walks round the Pyrenees or the Alps into Italy on level ground, but by the Basque coast."""
    level = VIRGIN_QUEEN_SCHEMA.ways_mask(["clear"])
    milan = board.component(board.index["milan"], level)
    assert not any(milan >> board.index[name] & 1 for name in ("lyon", "basel", "innsbruck", "marseille", "graz"))
    blocked = board.mask(["bilbao"])
    spain = board.component(board.index["zaragoza"], level, blocked)
    assert not any(spain >> board.index[name] & 1 for name in ("toulouse", "bayonne", "perpignan", "pau"))


def test_every_port_touches_its_zones_and_every_zone_has_ports(board: Board) -> None:
    seen = chart(board)
    for i, space in enumerate(board.spaces):
        assert {board.seas[j].id for j in bits(board.ports[i])} == set(space.ports)
        assert board.ports[i] == seen.zones_of[i], f"{space.id} lies on an ocean zone"
        assert all(board.sea_ports[j] >> i & 1 for j in bits(board.ports[i]))
    for j in bits(seen.zones):
        assert seen.ports_of[j], f"{board.seas[j].id} has no port"


def test_oceans_are_no_part_of_a_path_of_zones(board: Board) -> None:
    seen = chart(board)
    assert {board.seas[j].id for j in bits(seen.oceans)} == {"north_atlantic", "mid_atlantic"}
    assert seen.zones & seen.oceans == 0
    assert (seen.zones | seen.oceans).bit_count() == len(board.seas)
    assert all(mask & seen.oceans == 0 for mask in seen.meets)
    for j in bits(seen.oceans):
        assert board.sea_beside[j] & seen.zones, "an ocean is entered from a zone"


def test_a_port_on_two_seas_lies_where_they_meet(board: Board) -> None:
    """Two zones of one port meet, but for the port spaces that close the way."""
    closed = {(p.port, p.a, p.b) for p in chart(board).passages}
    for i in bits(board.port_mask):
        for a, b in itertools.combinations(bits(board.ports[i]), 2):
            assert board.sea_beside[a] >> b & 1 or (i, a, b) in closed


def test_fortified_means_walls(board: Board) -> None:
    seen = chart(board)
    assert seen.keys & ~seen.fortified == 0
    for i, space in enumerate(board.spaces):
        assert seen.fortified >> i & 1 == (space.kind in ("fortified", "key")) == space.walled


def test_holders_are_powers_or_nobody(board: Board) -> None:
    assert {space.start for space in board.spaces} == {*MAJOR, *MINOR, "IND"} - {"PRO"}
    for power in MINOR:
        assert all(board.spaces[i].start == power for i in bits(board.homes[power]))


# the shape of the land


def ends(board: Board, link: Link) -> list[tuple[float, float]]:
    a, b = board.spaces[link.a], board.spaces[link.b]
    return [(a.lon, a.lat), *link.via, (b.lon, b.lat)]


def length(line: list[tuple[float, float]]) -> float:
    return sum(
        math.hypot((q[0] - p[0]) * math.cos(math.radians((p[1] + q[1]) / 2)), q[1] - p[1]) * KM
        for p, q in itertools.pairwise(line)
    )


def test_ways_are_no_longer_than_an_army_marches(board: Board) -> None:
    far = {(board.spaces[link.a].id, board.spaces[link.b].id): length(ends(board, link)) for link in board.links}
    assert {pair: round(km) for pair, km in far.items() if not 15 < km < 520} == {}
    assert sum(far.values()) / len(far) < 260


def test_ways_do_not_cross(board: Board) -> None:
    """Two ways drawn across each other would look like a crossroads that is none."""

    def side(p: tuple[float, float], q: tuple[float, float], r: tuple[float, float]) -> float:
        return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])

    lines = [(link, ends(board, link)) for link in board.links]
    for (one, first), (two, second) in itertools.combinations(lines, 2):
        for (p, q), (r, s) in itertools.product(itertools.pairwise(first), itertools.pairwise(second)):
            crossed = side(p, q, r) * side(p, q, s) < 0 and side(r, s, p) * side(r, s, q) < 0
            assert not crossed, [board.spaces[i].id for i in (one.a, one.b, two.a, two.b)]


def wet(coast: Coast, line: list[tuple[float, float]]) -> float:
    """Kilometres of a line that lead over water, looked at every five."""
    total = 0.0
    for p, q in itertools.pairwise(line):
        km = length([p, q])
        steps = max(1, round(km / 5))
        for k in range(steps):
            t = (k + 0.5) / steps
            if not coast.land(p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1])):
                total += km / steps
    return total


def test_ways_keep_to_the_land(board: Board, coast: Coast) -> None:
    """Only a ferry leads over the sea; estuaries and the thinned coast account for the rest."""
    strait = VIRGIN_QUEEN_SCHEMA.ways.index("strait")
    over = {
        (board.spaces[link.a].id, board.spaces[link.b].id): round(km)
        for link in board.links
        if link.kind != strait and (km := wet(coast, ends(board, link))) > 20
    }
    assert over == {}


def test_places_stand_on_land_and_harbours_by_the_water(board: Board, coast: Coast) -> None:
    around = [(math.cos(math.radians(a)), math.sin(math.radians(a))) for a in range(0, 360, 15)]

    def ring(lon: float, lat: float, km: float) -> Iterator[tuple[float, float]]:
        wide = math.cos(math.radians(lat))
        return ((lon + x * km / KM / wide, lat + y * km / KM) for x, y in around)

    # up a river or with a harbour town of its own; Amsterdam's Zuiderzee is land and lake today
    far = {"london": 45, "seville": 65, "glasgow": 40, "nantes": 35, "hamburg": 30, "rome": 30, "rotterdam": 30}
    far |= {"amsterdam": 30}
    for space in board.spaces:
        near = [coast.land(*point) for km in (0.0, 4.0, 8.0) for point in ring(space.lon, space.lat, km)]
        assert any(near), f"{space.id} stands in the sea"
        if space.ports:
            reach = far.get(space.id, 25)
            spots = (point for km in range(2, reach + 1, 3) for point in ring(space.lon, space.lat, km))
            assert not all(coast.land(*point) for point in spots), f"{space.id} is no harbour"


CONTACTS = {
    ("north_sea", "irish_sea"): (-5.0, 58.8),
    ("north_sea", "english_channel"): (1.5, 51.05),
    ("north_sea", "baltic"): (11.2, 57.0),
    ("irish_sea", "english_channel"): (-6.0, 49.6),
    ("irish_sea", "bay_of_biscay"): (-7.5, 48.6),
    ("english_channel", "bay_of_biscay"): (-5.4, 48.5),
    ("bay_of_biscay", "portuguese_coast"): (-9.6, 43.2),
    ("portuguese_coast", "gulf_of_cadiz"): (-9.2, 36.9),
    ("barbary_coast", "gulf_of_lion"): (1.0, 38.3),
    ("barbary_coast", "tyrrhenian"): (10.5, 38.2),
    ("barbary_coast", "ionian"): (14.6, 35.2),
    ("barbary_coast", "eastern_mediterranean"): (19.0, 32.5),
    ("gulf_of_lion", "tyrrhenian"): (9.8, 43.2),
    ("tyrrhenian", "ionian"): (15.62, 38.1),
    ("ionian", "adriatic"): (18.9, 40.2),
    ("ionian", "aegean"): (22.8, 36.2),
    ("ionian", "eastern_mediterranean"): (21.0, 34.5),
    ("aegean", "eastern_mediterranean"): (27.3, 35.9),
    ("irish_sea", "north_atlantic"): (-11.0, 53.5),
    ("bay_of_biscay", "north_atlantic"): (-11.0, 47.5),
    ("bay_of_biscay", "mid_atlantic"): (-10.5, 44.5),
    ("portuguese_coast", "mid_atlantic"): (-11.5, 40.0),
    ("gulf_of_cadiz", "mid_atlantic"): (-10.0, 35.5),
    ("north_atlantic", "mid_atlantic"): (-13.0, 46.0),
}
"""Two seas that meet -> a point of the water where they do."""


def test_seas_that_meet_do_so_on_the_water(board: Board, coast: Coast) -> None:
    told = {
        (board.seas[a].id, board.seas[b].id) for a, mask in enumerate(board.sea_beside) for b in bits(mask) if a < b
    }
    assert told == set(CONTACTS)
    for pair, (lon, lat) in CONTACTS.items():
        assert not coast.land(lon, lat), pair
    for sea in board.seas:
        assert sea.lon is not None
        assert sea.lat is not None
        assert not coast.land(sea.lon, sea.lat), sea.id


def test_no_zone_link_over_land(board: Board, coast: Coast) -> None:
    """With the strait of Gibraltar and the Bosphorus closed, the water falls into the same parts as the zones."""
    west, south, east, north = board.box
    step = 0.1
    columns, rows = round((east - west) / step), round((north - south) / step)
    water = bytearray(columns * rows)
    for y in range(rows):
        lat = south + (y + 0.5) * step
        cuts = sorted(
            a[0] + (lat - a[1]) / (b[1] - a[1]) * (b[0] - a[0])
            for ring in coast.rings
            for a, b in itertools.pairwise((*ring, ring[0]))
            if (a[1] > lat) != (b[1] > lat)
        )
        inside, k = False, 0
        for x in range(columns):
            lon = west + (x + 0.5) * step
            while k < len(cuts) and cuts[k] < lon:
                inside, k = not inside, k + 1
            closed = (-5.9 < lon < -5.2 and 35.6 < lat < 36.3) or (28.5 < lon < 29.5 and 40.8 < lat < 41.4)
            water[y * columns + x] = not inside and not closed

    def cell(lon: float, lat: float) -> int:
        return int((lat - south) / step) * columns + int((lon - west) / step)

    def flooded(start: int) -> set[int]:
        seen, edge = {start}, [start]
        while edge:
            at = edge.pop()
            x = at % columns
            for dy in (-columns, 0, columns):
                for dx in (-1, 0, 1):
                    to = at + dy + dx
                    if 0 <= x + dx < columns and 0 <= to < len(water) and water[to] and to not in seen:
                        seen.add(to)
                        edge.append(to)
        return seen

    spots = {sea.id: cell(sea.lon or 0.0, sea.lat or 0.0) for sea in board.seas}
    for group in ((*ATLANTIC, "north_atlantic", "mid_atlantic"), MIDDLE, ("black_sea",)):
        reached = flooded(spots[group[0]])
        assert {sea for sea, spot in spots.items() if spot in reached} == set(group)


# files


def test_names_in_two_languages(board: Board) -> None:
    assert "ru" in board.title
    named = [space.names for space in board.spaces] + [sea.names for sea in board.seas]
    named += [names for table in board.labels.values() for names in table.values()] + list(board.powers.values())
    assert all(set(names) == {"en", "ru"} for names in named)
    assert set(board.powers) == {*VIRGIN_QUEEN_SCHEMA.powers, "IND"}
    assert all(space.region for space in board.spaces)


def test_it_is_said_that_the_map_is_ours() -> None:
    assert "NOT the published map" in TOML.split("\n\n")[0]


def test_built_in_is_loaded_once() -> None:
    assert load_board() is load_board(BUILT_IN[0])
    assert chart(load_board()) is chart(load_board())
    assert load_coast("no-such-board") is None


def test_written_and_read_again(board: Board, tmp_path: Path) -> None:
    """Nothing is lost in either form."""
    assert parse_board(write_toml(board), VIRGIN_QUEEN_SCHEMA).data() == board.data()
    spaces, ways = write_csv(board)
    (tmp_path / "spaces.csv").write_text(spaces, encoding="utf-8")
    (tmp_path / "ways.csv").write_text(ways, encoding="utf-8")
    (tmp_path / "board.toml").write_text(write_head(board), encoding="utf-8")
    again = read_board(tmp_path, VIRGIN_QUEEN_SCHEMA)
    assert again.data() == board.data()
    assert check_board(tmp_path) == []


def found(board: Board, name: str) -> int:
    index = board.find(name)
    assert index is not None
    return index


MADRID = 'kind = "key", region = "castile", home = "SPA", capital = true'


@pytest.mark.parametrize(
    "old, new, said",
    [
        (
            MADRID,
            MADRID.replace("key", "unfortified"),
            "place madrid: capital does not go with the kind unfortified (only with key)",
        ),
        (MADRID, MADRID.replace('home = "SPA", ', ""), "place madrid: capital: the place is no power's home space"),
        (
            'home = "SPA", ports = ["gulf_of_cadiz"], note = "river port',
            'home = "SPA", capital = true, ports = ["gulf_of_cadiz"], note = "river port',
            "place seville: capital: SPA has one already, madrid",
        ),
        ('kind = "ocean", lon = -13.00, lat = 54.00', 'kind = "lake", lon = -13.00, lat = 54.00', 'kind of sea "lake"'),
        ('home = "PRO", start = "IND"', 'home = "DUT", start = "IND"', 'unknown home power "DUT"'),
    ],
)
def test_faults_of_a_board_of_this_game(old: str, new: str, said: str, tmp_path: Path) -> None:
    assert TOML.count(old) == 1
    file = tmp_path / "mine.toml"
    file.write_text(TOML.replace(old, new), encoding="utf-8")
    faults = check_board(file)
    (fault,) = faults
    assert said in fault
    line = next(number for number, row in enumerate(TOML.splitlines(), 1) if old in row)
    assert fault.startswith(f"mine.toml:{line}: ")
    with pytest.raises(BoardError):
        load_board(file)


def test_a_good_file_has_no_faults(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(TOML, encoding="utf-8")
    assert check_board(file) == []
    assert check_board(tmp_path / "nowhere.toml") != []
