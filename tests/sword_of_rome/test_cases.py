"""The Alliance Test Cases of The Sword of Rome by their ids, and the proof that every clause has cases that hold it."""

from __future__ import annotations

import pytest

from foedus.kernel.cases import HOLE, Case, Runner, cases_of, coverage
from foedus.kernel.game import find_game

GAME = find_game("sword_of_rome")
CASES = cases_of(GAME)
RUNNER = Runner(GAME)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_case(case: Case) -> None:
    result = RUNNER.run(case)
    assert not result.failures


def test_every_clause_is_held_by_a_case_of_its_own() -> None:
    rows = coverage(GAME, CASES)
    assert not [f"{row.clause}: {row.why}" for row in rows if row.status == HOLE]
    seed = [row for row in rows if not row.clause.startswith("f")]
    assert len(seed) == 108
    assert all(row.status == "covered" for row in seed)


def test_what_restates_another_clause_is_enforced_by_it() -> None:
    clauses = GAME.rulebook.clauses
    restated = {clause.id: clause.restates for clause in clauses.values() if clause.restates}
    assert restated
    for name, other in restated.items():
        assert name not in GAME.rules.claims
        assert other in GAME.rules.claims or clauses[other].kind == "-", (name, other)


def test_a_case_that_expects_the_wrong_thing_fails() -> None:
    wrong = [case for case in CASES if case.id == "15.1.1"]
    assert wrong
    assert RUNNER.run(wrong[0], knocked_out=frozenset({"15.1"})).failures
