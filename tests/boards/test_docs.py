"""The examples in docs/boards.md are whole boards that load, and the page names every key."""

import re
from pathlib import Path

import pytest

from foedus.boards import Board, BoardSchema, check_file, parse_board, read_board
from foedus.games.sword_of_rome.board import SWORD_OF_ROME_SCHEMA
from foedus.games.virgin_queen.board import VIRGIN_QUEEN_SCHEMA, load_board

from .small import SCHEMA

DOCS = Path(__file__).parents[2] / "docs" / "boards.md"


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", DOCS.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("schema", [SCHEMA, SWORD_OF_ROME_SCHEMA], ids=["small", "sword_of_rome"])
def test_the_example_loads(schema: BoardSchema) -> None:
    (text,) = blocks("toml")
    board = parse_board(text, schema, "docs/boards.md")
    assert isinstance(board, Board)
    assert len(board.spaces) == 5
    assert board.distance(board.index["alps"], board.index["velitrae"]) == 2


def test_the_tables_load(tmp_path: Path) -> None:
    spaces, ways = blocks("csv")
    (tmp_path / "spaces.csv").write_text(spaces, encoding="utf-8")
    (tmp_path / "ways.csv").write_text(ways, encoding="utf-8")
    assert check_file(tmp_path, SWORD_OF_ROME_SCHEMA) == []
    board = read_board(tmp_path, SWORD_OF_ROME_SCHEMA)
    assert board.ids(board.having("victory", 4)) == ("roma",)
    assert board.ids(board.having("victory", 5)) == ("roma", "praeneste")
    assert board.seas[0].names["en"] == "Tyrrhenian Sea"


def test_the_page_names_every_key() -> None:
    text = DOCS.read_text(encoding="utf-8")
    keys = set[str]()
    for schema in (SWORD_OF_ROME_SCHEMA, VIRGIN_QUEEN_SCHEMA):
        keys |= {rule.name for rule in schema.numbers} | {*schema.kinds, *schema.ways, *schema.roads}
        keys |= {*schema.flags, *schema.sea_kinds}
    keys |= {"also", "only", "players", "start", "home", "via", "one_way", "provisional"}
    for key in keys:
        assert f"`{key}`" in text, key


def test_what_the_page_says_of_europe_1559() -> None:
    text, board = " ".join(DOCS.read_text(encoding="utf-8").split()), load_board()
    zones = sum(sea.kind == "zone" for sea in board.seas)
    assert f"{len(board.spaces)} places at their true longitude and latitude, {len(board.links)} ways" in text
    assert f"{zones} sea zones and {len(board.seas) - zones} ocean zones" in text
    alone = [space.name() for space in board.spaces if space.start == board.schema.independent]
    assert {*alone} == {
        "Genoa",
        "Turin",
        "Geneva",
        "Basel",
        "Ragusa",
        "Malta",
        "Chios",
        "Copenhagen",
        "Metz",
        "Florence",
        "Pau",
    }
    assert all(name in text for name in alone)
    assert all(board.spaces[i].name() in text for i in range(len(board.spaces)) if board.spaces[i].home == "PRO")
