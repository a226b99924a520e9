"""`foedus rules`, `foedus cases`, `foedus board check`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from foedus.kernel import game as games
from kernel import desk_game

from .conftest import Run, _Point


def test_all_clauses(run: Run) -> None:
    ran = run("rules", "caravans")
    assert ran.status == 0
    assert ran.out.split("\n")[:2] == ["1    F  One's own turn", "2    F  Goods go to friends"]


def test_one_clause_with_its_ruling(run: Run) -> None:
    out = run("rules", "caravans", "3.M").out
    assert out.startswith("3.M  The friend at the other end\n  [left open; source: seed]\n")
    assert "Ruling far_end (3.M)" in out
    assert "- ignored (default): the far end does not matter" in out
    assert "claimed by: toy.ambushing_before_a_friend" in out
    assert run("rules", "caravans", "3.M", "--lang", "ru").out.startswith("3.M  Друг на том конце пути\n  [не решено")


def test_an_unknown_clause_is_named_with_the_nearest(run: Run) -> None:
    ran = run("rules", "caravans", "3.N")
    assert ran.status == 2
    assert "unknown clause '3.N'; did you mean 3.M" in ran.err
    assert run("rules", "caravans", "3.N", "--coverage").status == 2
    assert run("rules", "chess").status == 2


def test_rulings(run: Run) -> None:
    assert run("rules", "caravans", "--rulings").out.startswith("Ruling far_end (3.M)\n")


def test_coverage_shows_holes(run: Run) -> None:
    ran = run("rules", "caravans", "--coverage")
    assert ran.status == 1
    assert "HOLE: no case of its own" in ran.out
    ran = run("rules", "caravans", "2", "--coverage")
    assert ran.status == 0
    assert ran.out.endswith("1 clauses: 1 covered, 0 hole, 0 not yet enforced, 0 only named\n")


def test_cases_pass(run: Run) -> None:
    for arguments in (["cases"], ["cases", "caravans"]):
        ran = run(*arguments)
        assert (ran.status, ran.out) == (0, "caravans: 3 cases, 3 pass, 0 fail\n")


def test_cases_of_ones_own(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text("case 2.1  Mine\n  active = 'AMB'\n  gold AMB 3\n")
    ran = run("cases", "caravans", "--file", path)
    assert ran.status == 1
    assert ran.out.startswith("FAILED 2.1  Mine\n  line 3: AMB has -1 gold, not 3\n")
    path.write_text("nonsense")
    ran = run("cases", "--file", path)
    assert ran.status == 2
    assert "mine.txt: line 1: 'nonsense' stands outside a case" in ran.err


def test_the_cases_of_a_game_may_be_wrong(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    bad = replace(desk_game.GAME, cases="nonsense")
    monkeypatch.setattr(games, "known_games", lambda: {"caravans": _Point(bad)})
    for arguments in (["cases"], ["rules", "caravans", "--coverage"]):
        ran = run(*arguments)
        assert ran.status == 2
        assert "the cases of caravans: line 1" in ran.err


def test_boards(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    ran = run("board", "check", "good.toml")
    assert (ran.status, ran.out) == (0, "good.toml: no fault found\n")
    ran = run("board", "check", "bad.toml")
    assert (ran.status, ran.out) == (1, "bad.toml:3: way: leads nowhere\n")
    bare = replace(desk_game.GAME, check_board=None, status=None)
    monkeypatch.setattr(games, "known_games", lambda: {"caravans": _Point(bare)})
    assert "has no boards to check" in run("board", "check", "good.toml").err


def test_decks(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "has no decks to check" in run("deck", "check", "good.toml").err
    told = {"good.toml": [], "bad.toml": ["bad.toml:3: card a: of no use", "bad.toml:4: card b: likewise"]}
    dealt = replace(desk_game.GAME, check_deck=told.__getitem__)
    monkeypatch.setattr(games, "known_games", lambda: {"caravans": _Point(dealt)})
    ran = run("deck", "check", "good.toml")
    assert (ran.status, ran.out) == (0, "good.toml: no fault found\n")
    ran = run("deck", "check", "bad.toml")
    assert (ran.status, ran.out) == (1, "bad.toml:3: card a: of no use\nbad.toml:4: card b: likewise\n")


def test_a_game_without_a_status_sheet(run: Run, sketch: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bare = replace(desk_game.GAME, status=None)
    monkeypatch.setattr(games, "known_games", lambda: {"caravans": _Point(bare)})
    assert "has no status sheet" in run("status", sketch).err
