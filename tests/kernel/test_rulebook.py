"""Rulebooks: clauses and rulings from TOML, and errors that name the place."""

from __future__ import annotations

import re

import pytest

from foedus.kernel.rulebook import RulebookError, did_you_mean, nearest, read_rulebook

from . import toy

BOOK = toy.GAME.rulebook
CLAUSE = """
[[clause]]
id = "1"
kind = "F"
title = { en = "a", ru = "а" }
text = { en = "b", ru = "б" }
"""
RULING = """
[[ruling]]
name = "far"
clause = "1"
default = "a"
options = [{ id = "a", en = "a", ru = "а" }, { id = "b", en = "b", ru = "б" }]
question = { en = "q", ru = "в" }
reason = { en = "r", ru = "п" }
"""


def test_clauses_are_read() -> None:
    clause = BOOK.clause("2")
    assert (clause.kind, clause.source) == ("F", "seed")
    assert clause.title["ru"] == "Товар идёт к друзьям"
    assert clause.template("refusal", "", "en") == "{power} {power|has|have} no pact with {to}"
    assert clause.template("refusal", "npp", "en") == clause.template("refusal", "", "en")
    assert clause.template("grant", "", "en") == clause.text["en"]
    assert len(BOOK.clauses) == 16


def test_variants_of_words() -> None:
    book = read_rulebook(CLAUSE + '[clause.words]\nrefusal = {en="x",ru="х"}\n"refusal.npp" = {en="y",ru="у"}\n')
    clause = book.clause("1")
    assert clause.template("refusal", "npp", "en") == "y"
    assert clause.template("refusal", "other", "en") == "x"
    assert clause.template("grant", "npp", "ru") == "б"


def test_rulings_are_read_and_chosen() -> None:
    assert BOOK.defaults == (0,)
    assert BOOK.choose({}) == (0,)
    assert BOOK.choose({"far_end": "binds"}) == (1,)
    assert BOOK.option("far_end", "binds") == (0, 1)
    assert BOOK.ruling("far_end").options == ("ignored", "binds")
    assert BOOK.ruling("far_end").words["binds"]["en"] == "a pact with the destination forbids it too"


def test_the_default_need_not_come_first() -> None:
    book = read_rulebook(CLAUSE + RULING.replace('default = "a"', 'default = "b"'))
    assert book.defaults == (1,)


def test_unknown_names_are_told_with_the_nearest() -> None:
    with pytest.raises(RulebookError, match=re.escape("unknown clause '2f'")):
        BOOK.clause("2f")
    with pytest.raises(RulebookError, match="unknown ruling 'far_and'; did you mean far_end"):
        BOOK.ruling("far_and")
    with pytest.raises(RulebookError, match="ruling 'far_end' has no option 'bind'; it has ignored, binds"):
        BOOK.choose({"far_end": "bind"})


@pytest.mark.parametrize(
    "text, message",
    [
        (CLAUSE + CLAUSE, "clause 1: given twice"),
        (CLAUSE.replace('"F"', '"X"'), "clause 1: kind must be one of P, F, D, M, -"),
        (CLAUSE.replace('id = "1"\n', ""), "clause ?: 'id' is missing"),
        (CLAUSE.replace('kind = "F"\n', ""), "clause 1: kind must be"),
        (CLAUSE.replace(', ru = "а"', ""), "clause 1: 'title' needs words in en and ru"),
        (CLAUSE.replace('text = { en = "b", ru = "б" }', 'text = "b"'), "clause 1: 'text' needs words"),
        (CLAUSE + "[clause.words]\nrefusal = { en = 'x' }\n", "clause 1: 'refusal' needs words"),
        (CLAUSE + "[clause.words]\nrefusl = { en = 'x', ru = 'х' }\n", "clause 1: unknown words 'refusl'"),
        (CLAUSE + 'tekst = { en = "x", ru = "х" }\n', "clause 1: unknown key 'tekst'; did you mean text?"),
        (CLAUSE + RULING + RULING, "ruling far: given twice"),
        (CLAUSE + RULING.replace('default = "a"', 'default = "c"'), "ruling far: needs two or more different options"),
        (CLAUSE + RULING.replace('id = "b"', 'id = "a"'), "ruling far: needs two or more different options"),
        (CLAUSE + RULING.replace('{ id = "b", en', "{ en"), "ruling far: an option: 'id' is missing"),
        (CLAUSE + RULING.replace('name = "far"\n', ""), "ruling ?: 'name' is missing"),
        (CLAUSE + RULING.replace('clause = "1"\n', ""), "ruling far: 'clause' is missing"),
        (CLAUSE + RULING.replace('clause = "1"', 'clause = "12"'), "ruling far: unknown clause '12'"),
        (CLAUSE + RULING.replace(', ru = "б" }]', " }]"), "ruling far: 'option b' needs words in en and ru"),
        (CLAUSE + RULING.replace("question", "kwestion"), "ruling far: unknown key 'kwestion'; did you mean question?"),
        (CLAUSE + 'restates = "2"\n', "clause 1: restates an unknown clause '2'"),
        (CLAUSE + "[[rulling]]\n", "unknown key 'rulling'; did you mean ruling?"),
        ("[[clause]\n", "the rulebook is not TOML"),
    ],
)
def test_faults_are_named_with_their_place(text: str, message: str) -> None:
    with pytest.raises(RulebookError) as error:
        read_rulebook(text)
    assert message in str(error.value)


def test_nearest() -> None:
    assert nearest("TARQINII", ["Tarquinii", "Roma"]) == ["Tarquinii"]
    assert nearest("x" * 10_000, ["Roma"]) == []
    assert did_you_mean("zzz", ["Roma"]) == ""
    assert did_you_mean("rome", ["Roma"]) == "; did you mean Roma?"
