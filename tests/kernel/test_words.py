"""Words: sentences from templates and names, in two languages."""

from __future__ import annotations

import pytest

from foedus.kernel.unknown import NONE, UNKNOWN
from foedus.kernel.words import Words, WordsError, capital, plural

from . import toy
from .toy import A, B, L, N

WORDS = toy.GAME.words


@pytest.mark.parametrize(
    "number, form",
    [
        *((number, 0) for number in (1, 21, 101, 1001, -1)),
        *((number, 1) for number in (2, 3, 4, 22, 102, -2)),
        *((number, 2) for number in (0, 5, 11, 12, 14, 15, 20, 100, 111, 112, 114, -11)),
    ],
)
def test_russian_numbers(number: int, form: int) -> None:
    assert plural(number, "ru") == form


@pytest.mark.parametrize("number, form", [(0, 1), (1, 0), (2, 1), (11, 1), (21, 1), (112, 1), (-1, 0)])
def test_english_numbers(number: int, form: int) -> None:
    assert plural(number, "en") == form


def test_a_list_leaves_out_what_is_nothing() -> None:
    template = "[[{gold} gold // from {to} // {text}]]."
    kinds = {"gold": "number", "to": "power", "text": "text"}

    def said(gold: int, to: int, text: str) -> str:
        return WORDS.fill(template, {"gold": gold, "to": to, "text": text}, "en", kinds)

    assert said(2, 0, "now") == "2 gold, from Amber, now."
    assert said(0, A, "") == "from Amber."
    assert said(1, NONE, "now") == "1 gold, now."
    assert said(0, NONE, "") == "."


@pytest.mark.parametrize(
    "gold, english, russian",
    [
        (1, "Amber has 1 point", "У Янтаря 1 очко"),
        (2, "Amber has 2 points", "У Янтаря 2 очка"),
        (5, "Amber has 5 points", "У Янтаря 5 очков"),
        (11, "Amber has 11 points", "У Янтаря 11 очков"),
        (21, "Amber has 21 points", "У Янтаря 21 очко"),
        (112, "Amber has 112 points", "У Янтаря 112 очков"),
        (UNKNOWN, "Amber has unknown points", "У Янтаря неизвестно очков"),
    ],
)
def test_numbers_in_sentences(gold: int, english: str, russian: str) -> None:
    assert WORDS.say("won", {"power": A, "gold": gold}, "en") == english
    assert WORDS.say("won", {"power": A, "gold": gold}, "ru") == russian


@pytest.mark.parametrize(
    "power, english, russian",
    [
        (A, "Amber comes", "Янтарь пришёл"),
        (B, "Birch comes", "Берёза пришла"),
        (L, "The Lake comes", "Озеро пришло"),
        (N, "The Nomads come", "Кочевники пришли"),
        ((A, B), "Amber and Birch come", "Янтарь и Берёза пришли"),
        ((A, B, N), "Amber, Birch and the Nomads come", "Янтарь, Берёза и кочевники пришли"),
        ((B,), "Birch comes", "Берёза пришла"),
        (UNKNOWN, "Unknown comes", "Неизвестно пришёл"),
        (NONE, "Nobody comes", "Никто пришёл"),
    ],
)
def test_agreement(power: object, english: str, russian: str) -> None:
    assert WORDS.say("came", {"power": power}, "en") == english
    assert WORDS.say("came", {"power": power}, "ru") == russian


def test_cases_of_names() -> None:
    said = {power: WORDS.fill("{power:gen}, {power:ins}, {power:dat}", {"power": power}, "ru") for power in range(4)}
    assert said == {
        A: "Янтаря, Янтарём, Янтарь",
        B: "Берёзы, Берёзой, Берёза",
        L: "Озера, Озером, Озеро",
        N: "кочевников, кочевниками, кочевники",
    }
    assert WORDS.fill("{power:gen}", {"power": (B, N)}, "ru") == "Берёзы и кочевников"


def test_clauses_speak() -> None:
    book = toy.GAME.rulebook
    facts = {"power": B, "to": N}
    assert WORDS.fill(book.clause("2").template("refusal", "", "ru"), facts, "ru") == (
        "Берёза не связана договором с кочевниками"
    )
    assert WORDS.fill(book.clause("2").template("refusal", "", "en"), {"power": N, "to": B}, "en") == (
        "the Nomads have no pact with Birch"
    )


@pytest.mark.parametrize("language", ["en", "ru"])
def test_every_reason_of_the_game_can_be_said(language: str) -> None:
    referee = toy.referee()
    state = referee.sketch({"active": "BIR", "closed": ["AMB"], "pacts": [], "gold": {"AMB": 0}})
    for command in toy.universe():
        verdict = referee.judge(state, command)
        for reason in verdict.reasons:
            side = "grant" if verdict.allowed else "refusal"
            template = toy.GAME.rulebook.clause(reason.clause).template(side, "", language)
            said = WORDS.fill(template, dict(reason.facts), language)
            assert said
            assert "{" not in said


def test_an_empty_list_is_nobody() -> None:
    assert WORDS.fill("{power}", {"power": ()}, "en") == "nobody"
    assert WORDS.fill("{power}", {"power": ()}, "ru") == "никто"


def test_other_facts() -> None:
    words = Words({}, {"why": "text", "count": "number"}, {})
    assert words.fill("{why}: {count}", {"why": "salt {power}", "count": 3}, "en") == "salt {power}: 3"
    assert words.fill("{count}", {"count": UNKNOWN}, "ru") == "неизвестно"
    assert words.fill("{count}", {"count": (1, 2, 3)}, "en") == "1, 2 and 3"


def test_faults_of_templates_are_found() -> None:
    with pytest.raises(WordsError, match="asks for 'to', which is not among the facts"):
        WORDS.fill("{to}", {"power": A}, "en")
    with pytest.raises(WordsError, match="no kind is known for the fact 'what'"):
        WORDS.fill("{what}", {"what": A}, "en")
    with pytest.raises(WordsError, match="too few variants for gold"):
        WORDS.fill("{gold#очко|очка}", {"gold": 5}, "ru")
    with pytest.raises(WordsError, match="there are no words for 'lost'"):
        WORDS.say("lost", {}, "en")


def test_capitals() -> None:
    assert capital("ёлка и Ель") == "Ёлка и Ель"
    assert capital("") == ""
