"""Test cases as text: read, run, and what they cover."""

from __future__ import annotations

from dataclasses import replace

import pytest

from foedus.kernel import cases
from foedus.kernel.cases import CaseError, read_cases, run_case

from . import desk_game, toy

GAME = desk_game.GAME
HEAD = """
position plain
    active = "AMB"
    pacts = [["AMB", "BIR"]]
    gold = { AMB = 1, BIR = 1, LAK = 2 }
    closed = []
    ford = 0
"""


def run(body: str, head: str = HEAD) -> list[str]:
    (case,) = read_cases(f"{head}\ncase 2.1  Try\n    from plain\n{body}")
    return run_case(GAME, case)


# reading


def test_a_file_is_read() -> None:
    first, second, third = cases.cases_of(GAME)
    assert first.ids == ("2.1", "T1")
    assert first.title == "Goods go to friends"
    assert first.clauses == ("2",)
    assert first.position["gold"] == {"AMB": 1, "BIR": 1}
    assert [line.word for line in first.lines] == ["ask", "refused", "remedy", "ask", "allowed"]
    assert first.lines[0].rest == "AMB sends salt, salt to LAK"
    assert second.id == "2e.1"
    assert third.position["active"] == "BIR"
    assert third.position["ford"] == 0
    assert third.clauses == ("3.M",)


def test_the_source_keeps_its_lines() -> None:
    (case,) = read_cases('# one\n# two\ncase 2.1\n    active = "AMB"\n  ask AMB rests\n')
    assert case.source.split("\n")[3].strip() == 'active = "AMB"'
    assert case.lines[0].number == 5


def test_indentation_does_not_matter_and_toml_may_go_on() -> None:
    (case,) = read_cases('case 2.1\nactive = "AMB"\npacts = [\n["AMB", "BIR"], # a pact\n\n]\nask AMB rests\nallowed\n')
    assert case.position == {"active": "AMB", "pacts": [["AMB", "BIR"]]}
    assert [line.word for line in case.lines] == ["ask", "allowed"]


def test_tables_of_toml() -> None:
    (case,) = read_cases("case 2.1\n  [gold]\n  AMB = 1\n  [rulings]\n  far_end = 'binds'\n  awaits nobody\n")
    assert case.position == {"gold": {"AMB": 1}, "rulings": {"far_end": "binds"}}


def test_positions_are_merged_deeply_and_build_on_each_other() -> None:
    text = (
        HEAD + "\nposition rich\n  from plain\n  gold.AMB = 9\n\ncase 2.1\n  from rich\n  gold.BIR = 5\n  gold AMB 9\n"
    )
    (case,) = read_cases(text)
    assert case.position["gold"] == {"AMB": 9, "BIR": 5, "LAK": 2}
    assert case.position["active"] == "AMB"
    assert cases.merged({"a": {"b": 1}}, {"a": 2}) == {"a": 2}


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("rubbish", 1, "'rubbish' stands outside a case"),
        ("case", 1, "a case needs an id"),
        ("position", 1, "a position needs one name"),
        ("position two words", 1, "a position needs one name"),
        ("position a\nposition a\n", 2, "given twice"),
        ("case 1.1\n from nowhere\n ask x", 2, "no position 'nowhere'"),
        ("position somewhere\n\ncase 1.1\n from somewere\n ask x", 4, "did you mean somewhere"),
        ("case 1.1\nask x\ncase 1.1\nask y", 3, "the id '1.1' was used in line 1"),
        ("case 1.1\n a = 1\n", 1, "the case 1.1 asks nothing"),
        ("case 1.1\n a = 1\n b = \n ask x", 3, "the position is not TOML"),
        ("case 1.1\n a = [1,\n ask x", 2, "the position is not TOML"),
        ("case 1.1\n a = 1\n a = 2\n ask x", 3, "the position is not TOML"),
        ("position p\n a = 1\n ask x", 3, "has only TOML"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(text: str, line: int, message: str) -> None:
    with pytest.raises(CaseError, match=message) as caught:
        read_cases(text)
    assert caught.value.line == line


def test_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cases, "MAX_CASES", 1)
    with pytest.raises(CaseError, match="more than 1 cases"):
        read_cases("case 1.1\nask x\ncase 1.2\nask x")
    monkeypatch.setattr(cases, "MAX_LINES", 1)
    with pytest.raises(CaseError, match="more than 1 lines"):
        read_cases("case 1.1\nask x")
    monkeypatch.setattr(cases, "MAX_LINES", 100)
    monkeypatch.setattr(cases, "MAX_POSITION", 3)
    with pytest.raises(CaseError):
        read_cases("case 1.1\n" + "a = [\n1,\n1,\n1,\n1,\n1]\n" + "ask x")


# running: what passes


@pytest.mark.parametrize(
    "body",
    [
        "ask AMB sends salt 2 to LAK\n refused 2\n remedy AMB offers LAK a pact",
        "ask AMB sends salt to LAK\n allowed 2e",
        "ask AMB sends salt to LAK\n allowed",
        "cards = { LAK = 'shield' }\nask LAK ambushes NOM\n refused 4",
        "ask LAK ambushes NOM\n depends 4",
        "ask LAK ambushes NOM\n depends",
        "do AMB sends salt 2 to LAK\n refused 2",
        "do LAK ambushes NOM\n depends 4",
        "do AMB offers LAK a pact\n follows Offered by=AMB to=LAK gold=0\n never Allied\n"
        "do LAK accepts AMB\n events OfferGone by=AMB how=accepted, Allied a=AMB b=LAK\n never OfferGone how=declined\n"
        "ask AMB sends salt 2 to LAK\n allowed",
        "do AMB offers LAK a pact\nask LAK accepts AMB\n follows Allied a=Amber b=the_Lake\n until end",
        'do AMB offers LAK a pact\nask LAK accepts AMB\n follows Allied b="the Lake"\n',
        "gold AMB 1\ngold LAK 2",
        "decides CAR SA 1\ndecides CAR SA 1 SA, SB\ndecides CAR SA",
        "awaits nobody",
        "ask whose turn is it\n answered\n says turn of AMB",
        'ask whose turn is it\n says "turn of amb"',
        "ask AMB rests\n until moment",
        "active = 'BIR'\nask AMB rests\n refused 1",
    ],
)
def test_it_passes(body: str) -> None:
    assert run(body) == []


def test_assumptions_are_those_of_the_desk() -> None:
    head = "position plain\n pacts = []\n gold = { AMB = 1 }\n"
    assert run("ask AMB sends salt to LAK\n allowed\n assumed active", head) == []
    assert run("ask AMB sends salt to LAK\n assumed", head) == [
        "line 7: expected  to be assumed; assumed was active".replace("line 7", "line 8")
    ]


def test_rulings_decide_and_change_in_the_middle() -> None:
    head = "position plain\n active = 'BIR'\n pacts = [['NOM', 'AMB']]\n cards = { NOM = 'spear' }\n"
    (case,) = read_cases(head + "case 3.M.1\n from plain\n ask NOM ambushes BIR\n allowed\n ruling far_end binds\n")
    assert run_case(GAME, case) == []
    (case,) = read_cases(head + "case 3.M.1\n from plain\n ruling far_end=nonsense\n")
    assert "has no option 'nonsense'" in run_case(GAME, case)[0]


def duel(body: str) -> list[str]:
    """A case that starts in a duel: the kernel's toy has no sketch of one, so its reader is replaced."""
    from msgspec.structs import replace as put

    def read_sketch(world: object, data: object, text: str = "") -> toy.State:
        state = desk_game.read_sketch(world, desk_game.POSITION)
        return put(state, frames=(toy.Turn(True), toy.Road(1, 0, (0,), 0), toy.Duel(0, 1)), turn=toy.LAST_TURN)

    game = replace(GAME, read_sketch=read_sketch)
    (case,) = read_cases(f"case 11.1\n{body}")
    return run_case(game, case)


def test_dice_are_told() -> None:
    fight = "do BIR fights\n follows Paid power=AMB gold=-1\n never Paid power=BIR gold=-1\n"
    assert duel(f"awaits BIR fight or flee\nawaits SB\ndice 6 2\npicks 0\n{fight}") == []
    assert duel("ask BIR fights\n allowed\n until dice") == []
    (failure,) = duel("dice 6\ndo BIR fights")
    assert failure.startswith("line 3: 'BIR fights' needs dice: duel: attacker")
    assert "told and never needed: dice [1]" in duel(f"dice 6 2 1\npicks 0\n{fight}")[0]
    assert "is not a number" in duel("dice six")[0]
    assert "awaited: SB for BIR" in duel("awaits AMB")[0]


# running: what fails


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("ask AMB sends salt 2 to LAK\n allowed", "expected allowed; the verdict is refused (2)"),
        ("ask AMB sends salt to LAK\n allowed 5e", "expected allowed by 5e; the verdict is allowed (2e)"),
        ("ask AMB sends salt to LAK\n refused 2", "expected refused by 2; the verdict is allowed (2e)"),
        ("ask AMB sends salt 2 to LAK\n refused 2, 5", "the verdict is refused (2)"),
        ("ask AMB sends salt 2 to LAK\n refused", "'refused' needs the clauses"),
        ("ask LAK ambushes NOM\n depends 3", "expected depends through 3; the verdict is depends (4)"),
        ("ask LAK ambushes NOM\n rulings far_end", "expected the ruling far_end to decide; no ruling did"),
        ("ask LAK ambushes NOM\n rulings nonsense", "unknown ruling 'nonsense'"),
        ("ask AMB sends salt 2 to LAK\n remedy AMB rests", "expected the remedy 'AMB rests'"),
        ("do AMB sends salt 2 to LAK\nask AMB rests\n allowed", "is not allowed: refused (2)"),
        ("do AMB sends salt 2 to LAK", "is not allowed: refused (2)"),
        ("do AMB offers LAK a pact\n follows Allied", "the events are: Offered"),
        ("do AMB offers LAK a pact\n follows Offered to=BIR", "the events are: Offered by=AMB to=LAK"),
        ("do AMB offers LAK a pact\n never Offered", "expected no Offered"),
        ("do AMB offers LAK a pact\n events Allied, Offered", "expected Allied in this order"),
        ("do AMB offers LAK a pact\n follows Ofered", "unknown event 'Ofered'; did you mean Offered"),
        ("do AMB offers LAK a pact\n follows Offered too=LAK", "Offered has no field 'too'; did you mean to"),
        ("do AMB offers LAK a pact\n follows Offered LAK", "should be a field and its value"),
        ("do whose turn is it", "is a question; it cannot be done"),
        ("ask AMB dances", "'dances' is not understood"),
        ("refused 2", "no command was judged"),
        ("says something", "no question was asked"),
        ("answered", "no question was asked"),
        ("ask whose turn is it\n says Birch", "expected the answer to say Birch; it says: It is the turn of AMB."),
        ("gold AMB 7", "AMB has 1 gold, not 7"),
        ("alowed 2", "'alowed' is not understood; did you mean allowed"),
        ("decides CAR SB", "it is SA by 1"),
        ("decides CAR SA 2", "it is SA by 1"),
        ("decides CAR", "'decides' needs a power and a seat"),
        ("decides CAR SA 1 SA", "it is among SA, SB"),
        ("awaits AMB turn", "awaited: nobody"),
        ("ask AMB rests\n until dice", "they ran until moment"),
        ("dice 6", "told and never needed: dice [6]"),
        ("rulings = { far_end = 'no' }\nawaits nobody", "has no option 'no'"),
        ("nonsense = 1\nawaits nobody", "unknown key 'nonsense'"),
        ("players = 'many'\nawaits nobody", "players: a whole number is needed"),
    ],
)
def test_it_fails_with_a_reason_and_its_line(body: str, message: str) -> None:
    failures = run(body)
    assert failures
    assert message in failures[0]
    assert failures[0].startswith("line ")


def test_a_case_of_a_clause_that_is_not_there() -> None:
    (case,) = read_cases("case 2x.1\n awaits nobody")
    assert run_case(GAME, case) == ["line 1: no clause '2x' is known; did you mean 2?"]
    (case,) = read_cases("case C44\n awaits nobody")
    assert run_case(GAME, case) == []


def test_a_game_without_hooks() -> None:
    bare = replace(GAME, decides=None, check=None, questions=None)
    (case,) = read_cases("case 2.1\n decides CAR SA\n zzz")
    assert run_case(bare, case) == [
        "line 2: this game has no deciders for non-player powers",
        "line 3: 'zzz' is not understood",
    ]


def test_knocking_out_and_overriding() -> None:
    first, second, _ = cases.cases_of(GAME)
    assert run_case(GAME, first) == []
    assert run_case(GAME, first, {"2"})
    assert run_case(GAME, second, {"2e"})
    assert run_case(GAME, second, {"3"}) == []
    head = "active = 'BIR'\npacts = [['NOM', 'AMB']]\ncards = { NOM = 'spear' }\n"
    (case,) = read_cases(f"case 3.M.1\n{head} ruling far_end binds\n ask NOM ambushes BIR\n allowed\n")
    assert run_case(GAME, case, rulings_override={"far_end": "ignored"}) == []


# coverage


def rows(text: str) -> dict[str, cases.Row]:
    return {row.clause: row for row in cases.coverage(GAME, read_cases(text))}


BOTH = (
    HEAD
    + """
case 2.1
  from plain
  ask AMB sends salt 2 to LAK
    refused 2
  ask AMB sends salt 2 to BIR
    allowed
case 2.2
  from plain
  ask AMB sends salt 2 to LAK
    refused 2
case 2e.1
  from plain
  ask AMB sends salt to LAK
    allowed 2e
case 9.1
  awaits nobody
case 7.1
  from plain
  ask LAK accepts AMB
    refused 7
"""
)


def test_a_clause_is_covered_by_code_cases_and_a_bite_both_ways() -> None:
    found = rows(BOTH)
    assert found["2"].status == cases.COVERED
    assert (found["2"].cases, found["2"].bites, found["2"].both) == (2, True, True)
    assert found["2e"].status == cases.COVERED
    assert found["2e"].both is None
    assert found["9"].why == "knocked out, no case of its own fails"
    assert found["7"].why == "none of its cases shows a like command that it does not refuse"
    assert found["3"].why == "no case of its own"
    assert found["3"].status == cases.HOLE
    assert {row.clause for row in cases.holes(found.values())} >= {"3", "7", "9"}


def test_failing_cases_count_for_nothing() -> None:
    found = rows("case 9.1\n gold AMB 7\n")
    assert found["9"].why.startswith("1 of its cases fail")


def test_a_ruling_is_covered_when_its_options_tell() -> None:
    from msgspec.structs import replace as put

    def read_sketch(world: object, data: dict[str, object], text: str = "") -> toy.State:
        state = desk_game.read_sketch(world, data)
        return put(state, frames=(toy.Turn(True), toy.Caravan(1 << toy.N, (), toy.B, toy.A, (0,))))

    game = replace(GAME, read_sketch=read_sketch)
    head = "case 3.M.1\n pacts = [['NOM', 'AMB']]\n cards = { NOM = 'spear' }\n active = 'BIR'\n"
    usual = read_cases(head + " ask NOM ambushes BIR\n allowed\n")
    (row,) = cases.coverage(game, usual, ["3.M"])
    assert (row.status, row.bites) == (cases.COVERED, True)
    chosen = read_cases(
        head + " rulings.far_end = 'binds'\n ask NOM ambushes BIR\n refused 3.M\n rulings far_end=binds\n"
    )
    (row,) = cases.coverage(game, chosen, ["3.M"])
    assert (row.status, row.bites) == (cases.COVERED, True)
    idle = read_cases(head + " awaits NOM\n")
    (row,) = cases.coverage(game, idle, ["3.M"])
    assert row.why == "no case of its own changes with far_end=binds"


def test_what_is_not_enforced_yet_is_no_hole() -> None:
    from foedus.kernel.rulebook import Rulebook

    clause = GAME.rulebook.clauses["2"]
    book = Rulebook(
        [*GAME.rulebook.clauses.values(), replace(clause, id="f9.9"), replace(clause, id="30", kind="-")],
        GAME.rulebook.rulings,
    )
    found = {row.clause: row for row in cases.coverage(replace(GAME, rulebook=book), [])}
    assert found["f9.9"].status == cases.NOT_YET
    assert found["30"].status == cases.NAMED
    assert found["2"].status == cases.HOLE
    text = cases.table(list(found.values()))
    assert "HOLE: no case of its own" in text
    assert text.split("\n")[-1].startswith(f"{len(found)} clauses: ")


def test_unclaimed_clauses_are_holes() -> None:
    book = GAME.rulebook
    rules = replace(GAME.rules, claims={})
    found = cases.coverage(replace(GAME, rules=rules, rulebook=book), [], ["2"])
    assert found[0].why.startswith("no code claims it; no case of its own")
