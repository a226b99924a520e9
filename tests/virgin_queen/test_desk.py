"""The desk in Virgin Queen: remedies that can be had, questions in whole sentences, words of deals."""

from __future__ import annotations

from typing import Any

import pytest

from foedus.games.virgin_queen.state import State
from foedus.kernel import desk
from foedus.kernel.notation import NotationError

from .whole_play import referee_for

REFEREE = referee_for(6)


def position(**facts: Any) -> State:
    """A negotiation of turn 2, every space with its owner of the start."""
    told = {
        "turn": 2,
        "phase": "negotiation",
        "elsewhere": "home",
        "wars": [],
        "alliances": [],
        "minor_allies": {"PAP": "SPA", "SCO": "FRA"},
        "spaces": {"Cadiz": {"ships": ["SPA 3 squadrons, Santa Cruz"]}},
        **facts,
    }
    found: State = REFEREE.sketch(told)
    return found


def said(state: State, line: str, language: str = "en") -> desk.Said:
    """What the desk says."""
    return desk.ask(REFEREE, state, line, language)


def command(line: str) -> Any:
    """The command of a line."""
    return desk.read_line(REFEREE, line).command


def remedies(state: State, line: str) -> list[str]:
    """The remedies of a ruling in words."""
    found = said(state, line)
    assert found.ruling is not None
    return [one["text"] for one in found.data["remedies"]]


@pytest.mark.parametrize(
    ("facts", "line", "wanted"),
    [
        ({"wars": ["ENG-FRA"]}, "ENG allies with FRA", ["If England and France make peace first."]),
        ({"wars": ["ENG-FRA"], "turn": 1}, "ENG allies with FRA", []),  # f3.4: this peace cannot be made
        ({"wars": ["ENG-FRA"], "rulings": {"peace_then_alliance": "refused"}}, "ENG allies with FRA", []),
        (
            {"alliances": ["FRA-PRO"]},
            "FRA allies with SPA",
            ["If France and the Protestants are not allied this turn."],
        ),
        (
            {},
            "SPA lends 1 squadrons at Cadiz to FRA",
            ["If Spain and France ally in the same announcement."],
        ),
        ({"alliances": ["FRA-PRO"]}, "SPA lends 1 squadrons at Cadiz to FRA", []),  # ally.7: nor can they ally
        ({"wars": ["SPA-FRA"]}, "SPA lends 1 squadrons at Cadiz to FRA", []),
        (
            {"phase": "war", "alliances": ["SPA-ENG", "SPA-FRA"]},
            "ENG declares war on SPA",
            ["If England and Spain are not allied this turn."],
        ),
        ({"phase": "war"}, "HRE declares war on SCO", ["If Scotland is no ally of France any more."]),
    ],
)
def test_a_remedy_is_one_that_can_be_had(facts: dict[str, Any], line: str, wanted: list[str]) -> None:
    """It turns the verdict, and is not barred itself; none is said twice."""
    assert remedies(position(**facts), line) == wanted


def test_what_is_refused_out_of_its_segment_is_not_said_to_be_over() -> None:
    """Neither ransom nor war has begun while the powers negotiate."""
    state = position(running=True, captives={"Guise": "SPA"}, hands={"FRA": 4})
    for line, clause in (("FRA ransoms Guise", "ransom.8"), ("FRA declares war on SPA", "dow.1")):
        verdict = REFEREE.judge(state, command(line))
        assert verdict.clauses == (clause,)


def test_whose_turn_it_is_to_ransom() -> None:
    """The first of those with somebody to ransom, not the first by Impulse Order."""
    state = position(phase="ransom", running=True, captives={"Guise": "SPA"}, hands={"FRA": 4})
    assert "it is the turn of France" in said(state, "SPA ransoms Alba").text


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("may France ally with Spain while allied with the Protestants?", ["Refused", "ally.7"]),
        ("can France ally with Spain if it is allied with the Protestants", ["Refused", "ally.7"]),
        ("may France ally with Spain?", ["Allowed", "ally.14"]),
        (
            "may Spain lend its squadrons at Cadiz to England, and where do they go?",
            ["3 × squadron", "loan.13", "4 sea zones", "nearest_port_tie"],
        ),
        ("may Spain lend 1 squadron at Cadiz to England?", ["1 × squadron", "loan.13"]),
        ("may the HRE declare war on Scotland?", ["Refused", "f8.9"]),
        ("what does war of Spain on Scotland cost", ["2 CP", "f8.9"]),
        ("what does war of Spain on Spain cost", ["f8.1"]),
        ("what does war of Spain on HRE cost", ["4 CP."]),
    ],
)
def test_questions_in_whole_sentences(line: str, parts: list[str]) -> None:
    """As people put them."""
    text = said(position(), line).text
    assert all(part in text for part in parts), text


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("может ли Франция заключить союз с Испанией, пока она в союзе с протестантами?", ["Нельзя", "ally.7"]),
        ("может ли Франция заключить союз с Испанией?", ["Можно", "ally.14"]),
        ("могут ли османы заключить мир с Испанией?", ["Нельзя", "f3.3"]),
        ("может ли Империя объявить войну Шотландии?", ["Нельзя", "f8.9"]),
        ("может ли Испания одолжить свои эскадры в Кадисе Англии, и куда они пойдут?", ["loan.13", "Плимут"]),
        ("может ли Испания одолжить 1 эскадру в порту Кадис Англии?", ["эскадра × 1", "loan.13"]),
    ],
)
def test_questions_in_whole_russian_sentences(line: str, parts: list[str]) -> None:
    """Likewise."""
    text = said(position(), line, "ru").text
    assert all(part in text for part in parts), text


@pytest.mark.parametrize(
    "line",
    [
        "may Franc ally with Spain while allied with the Protestants?",
        "may Spain lend its squadrons at Cadz to England",
        "может ли Испания одолжить свои эскадры в Куку Англии",
        "может ли Куку объявить войну Шотландии?",
    ],
)
def test_a_misspelt_name_in_a_question(line: str) -> None:
    """Is named."""
    with pytest.raises(NotationError, match="unknown"):
        said(position(), line)


@pytest.mark.parametrize(
    "line", ["SPA gives 1 card to FRA", "SPA gives 1 treasure to FRA", "HRE gives 1 mercenary to SPA"]
)
def test_one_thing_may_be_said_in_the_singular(line: str) -> None:
    """As people type it."""
    assert command(line).count == 1


def test_draws_are_said_in_words() -> None:
    """Who draws from whose hand, in both languages."""
    state = position(hands={"SPA": 4, "ENG": 4})
    assert "the card that England draws from the hand of Spain" in said(state, "SPA gives a card to ENG").text
    assert "которую Англия берёт из набора Испании" in said(state, "SPA gives a card to ENG", "ru").text
