"""The Alliance Test Cases of Virgin Queen by their ids, and the proof that every clause has cases that hold it."""

from __future__ import annotations

import pytest

from foedus.kernel.cases import HOLE, Case, Runner, cases_of, coverage
from foedus.kernel.game import find_game

GAME = find_game("virgin_queen")
CASES = cases_of(GAME)
RUNNER = Runner(GAME)

REPORTS = (
    *("C23", "C25", "C26", "C27", "C28", "C29", "C30", "C32", "C33", "C34", "C36", "C37", "C38", "C39", "C40", "C41"),
    *("C50", "C51", "C52", "C53", "C54", "C59", "C60", "C62", "C63"),
)
"""Real situations from reports of play, each under its name. Of those told of Here I Stand the powers are put in the
places of ours by the table below; C24, C31 and C35 have no text, and what a report says of rules that this game does
not have is left out of its case."""
PLACES = {"HAP": "SPA", "PAP": "HRE", "HUN": "PAP", "GEN": "POR", "SCO": "SCO", "VEN": "VEN"}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_case(case: Case) -> None:
    result = RUNNER.run(case)
    assert not result.failures


def test_every_clause_is_held_by_a_case_of_its_own() -> None:
    rows = coverage(GAME, CASES)
    assert not [f"{row.clause}: {row.why}" for row in rows if row.status == HOLE]
    seed = [row for row in rows if not row.clause[1:2].isdigit() and row.clause != "dow.M"]
    assert len(seed) == 77
    assert all(row.status == "covered" for row in seed), [row.clause for row in seed if row.status != "covered"]


def test_what_restates_another_clause_is_enforced_by_it() -> None:
    clauses = GAME.rulebook.clauses
    restated = {clause.id: clause.restates for clause in clauses.values() if clause.restates}
    assert restated
    for name, other in restated.items():
        assert name not in GAME.rules.claims
        assert other in GAME.rules.claims or clauses[other].kind == "-", (name, other)


@pytest.mark.parametrize("report", REPORTS)
def test_every_report_has_its_cases(report: str) -> None:
    assert any(one.rstrip("abcdef") == report for case in CASES for one in case.ids)


def test_the_powers_of_the_sister_game_have_places() -> None:
    powers = GAME.make_world(6).names["power"]
    assert set(PLACES.values()) <= set(powers)
