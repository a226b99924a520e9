"""Kinds of sea, for games that tell them apart, and which seas meet."""

from dataclasses import replace

import pytest

from foedus.boards import BoardSchema, build_board, check_board, parse_board, write_toml
from foedus.kernel.values import bits

from .small import SCHEMA, small

KINDS: BoardSchema = replace(SCHEMA, sea_kinds=("zone", "ocean"))


def test_a_sea_that_names_no_kind_is_of_the_first() -> None:
    data = small()
    data["seas"][1]["kind"] = "ocean"
    board = build_board(data, KINDS)
    assert [sea.kind for sea in board.seas[:2]] == ["zone", "ocean"]
    assert [row.get("kind") for row in board.data()["seas"][:2]] == [None, "ocean"]
    assert parse_board(write_toml(board), KINDS).seas == board.seas


def test_a_game_without_kinds_of_sea_knows_no_such_key() -> None:
    data = small()
    assert {sea.kind for sea in build_board(data, SCHEMA).seas} == {""}
    data["seas"][0]["kind"] = "ocean"
    (fault,) = check_board(data, SCHEMA)
    assert 'unknown key "kind"' in str(fault)


@pytest.mark.parametrize(
    "word, said", [("oceam", "did you mean ocean?"), (3, "kind must be a text"), ("", "kind is empty")]
)
def test_a_kind_that_is_none(word: object, said: str) -> None:
    data = small()
    data["seas"][0]["kind"] = word
    (fault,) = check_board(data, KINDS)
    assert said in str(fault)
    assert data["seas"][0]["id"] in str(fault)


def test_seas_that_meet_say_so_on_both_sides() -> None:
    board = build_board(small(), SCHEMA)
    assert any(board.sea_beside)
    for i, sea in enumerate(board.seas):
        assert {board.seas[j].id for j in bits(board.sea_beside[i])} == set(sea.touches)
        assert all(board.sea_beside[j] >> i & 1 for j in bits(board.sea_beside[i]))
