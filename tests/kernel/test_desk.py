"""The ruling desk: verdicts as data and as text, in both languages, whatever words are missing."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from foedus.kernel import desk
from foedus.kernel.dice import FastDice
from foedus.kernel.flow import FramePopped, Rolled, RulingChanged
from foedus.kernel.notation import NotationError
from foedus.kernel.referee import Referee, make_referee
from foedus.kernel.rules import facts
from foedus.kernel.unknown import NONE, UNKNOWN
from foedus.kernel.verdict import REFUSED, Remedy, Verdict
from foedus.kernel.words import Words

from . import desk_game, toy

KEYS = {"command", "verdict", "reasons", "rulings", "assumed", "follows", "remedies"}
LANGUAGES = ("en", "ru")
LINES = (
    "AMB sends salt 2 to LAK",
    "AMB sends salt 2 to BIR",
    "AMB sends salt to LAK",
    "AMB offers LAK a pact, paying 1",
    "NOM ambushes LAK",
    "BIR ambushes LAK",
    "AMB tours BIR LAK",
    "AMB rests",
    "LAK accepts AMB",
)


@pytest.fixture
def referee() -> Referee:
    return desk_game.referee()


def ask(line: str, position: dict[str, Any] | None = None, language: str = "en", game: Any = None) -> desk.Said:
    referee = make_referee(game or desk_game.GAME)
    return desk.ask(referee, referee.sketch(dict(desk_game.POSITION) if position is None else position), line, language)


def test_a_refusal_has_the_form_of_the_contract() -> None:
    said = ask("AMB sends salt, salt to LAK")
    assert said.data == {
        "command": "AMB sends salt 2 to LAK",
        "verdict": "refused",
        "reasons": [
            {"clause": "2", "text": "Amber has no pact with the Lake.", "facts": {"power": "AMB", "to": "LAK"}}
        ],
        "rulings": [],
        "assumed": [],
        "follows": [],
        "remedies": [
            {
                "text": "Amber offers the Lake a pact; then LAK accepts AMB.",
                "commands": ["AMB offers LAK a pact", "LAK accepts AMB"],
            }
        ],
    }
    assert not said.ok


def test_the_answer_comes_first_then_why_then_what_would_change_it() -> None:
    assert ask("AMB sends salt, salt to LAK").text.split("\n") == [
        "Refused: Amber sends a caravan to the Lake.",
        "  2  Amber has no pact with the Lake.",
        "What would change it:",
        "  - Amber offers the Lake a pact; then LAK accepts AMB. [AMB offers LAK a pact; LAK accepts AMB]",
    ]


def test_russian() -> None:
    text = ask("AMB sends salt, salt to LAK", language="ru").text
    assert text.startswith(
        "Нельзя: Янтарь посылает караван, цель — Озеро.\n  2  Янтарь не связан договором с Озером.\n"
    )


def test_a_permission_is_cited() -> None:
    said = ask("AMB sends salt to LAK")
    assert said.ok
    assert [reason["clause"] for reason in said.data["reasons"]] == ["2e"]
    assert said.text.startswith("Allowed: Amber sends a caravan to the Lake.\n  2e  A caravan with one load")


def test_no_reason_is_said_too() -> None:
    assert "No rule forbids it." in ask("AMB sends salt 2 to BIR").text


def test_clause_text_stands_in_for_missing_words() -> None:
    said = ask("BIR ambushes LAK")
    assert said.data["reasons"][0]["text"] == "An ambush needs a spear."
    assert said.data["remedies"] == [{"text": "If Birch had a spear.", "commands": []}]


def test_the_values_of_a_bare_clause_are_named() -> None:
    position = {**desk_game.POSITION, "pacts": [["NOM", "LAK"]]}
    said = ask("NOM ambushes LAK", position)
    assert "Here: the Nomads, the Lake." in said.text
    assert said.data["reasons"][0]["text"].endswith("Here: the Nomads, the Lake.")


def test_depends_says_on_what_and_with_which_answers() -> None:
    said = ask("NOM ambushes LAK", {"pacts": []})
    (reason,) = said.data["reasons"]
    assert said.data["verdict"] == "depends"
    assert reason["text"] == "It depends on which card the Nomads has: refused if it is the shield."
    assert reason["facts"] == {"power": "NOM", "question": "card", "refused_if": ["shield"]}
    assert "(Spears for an ambush)" in said.text
    assert not said.ok


def test_depends_names_the_fewer_answers() -> None:
    position = {key: value for key, value in desk_game.POSITION.items() if key != "active"}
    said = ask("AMB tours BIR LAK", position)
    (reason,) = said.data["reasons"]
    assert reason["text"] == "It depends on whose turn it is: allowed only if it is the turn of Amber."
    assert reason["facts"]["refused_if"] == ["BIR", "LAK", "NOM"]
    assert ask("AMB tours BIR LAK", position, "ru").data["reasons"][0]["text"] == (
        "Это зависит от того, чей сейчас ход: можно, только если ходит Янтарь."
    )


def test_answers_without_any_list() -> None:
    position = {key: value for key, value in desk_game.POSITION.items() if key != "gold"}
    (reason,) = ask("AMB sends salt 2 to BIR", position).data["reasons"]
    assert reason["text"].startswith("It depends on gold")
    assert reason["facts"]["refused_if"] == []


def test_a_game_may_sort_its_answers_under_tags_of_its_own() -> None:
    def tag(what: str, option: int) -> tuple[str, int]:
        return ("inside", option) if what == "card" else ("any", option)

    words = {key: value for key, value in desk_game.WORDS.items() if not key.startswith("answer/card")}
    words["answer/card/inside"] = {"en": "{card} is inside", "ru": "внутри {card}"}
    game = replace(desk_game.GAME, answer_tag=tag, words=Words(toy.FORMS, desk_game.KINDS, words))
    (reason,) = ask("NOM ambushes LAK", {"pacts": []}, game=game).data["reasons"]
    assert reason["facts"]["refused_if"] == ["shield inside"]


def test_what_was_assumed_is_said() -> None:
    position = {key: value for key, value in desk_game.POSITION.items() if key != "active"}
    said = ask("AMB sends salt to LAK", position)
    assert said.ok
    assert said.data["assumed"] == [
        {"what": "active", "text": "That it is the turn of Amber.", "facts": {"power": "AMB"}}
    ]
    assert "Assumed:\n  - That it is the turn of Amber." in said.text


def test_what_follows_is_told_by_the_events(referee: Referee) -> None:
    state = referee.sketch(desk_game.POSITION)
    state = referee.act(state, toy.Propose(toy.A, toy.L)).state
    said = desk.ask(referee, state, "LAK accepts AMB")
    assert said.data["follows"] == ["The Lake took Amber's offer.", "Amber and the Lake have a pact now."]
    assert "What follows:\n  - The Lake took Amber's offer." in said.text


def test_who_must_decide_next_is_told(referee: Referee) -> None:
    state = started(referee)
    said = desk.ask(referee, state, f"{toy.POWERS[state.active]} rests")
    assert said.data["follows"][-1].startswith("It is for ")


def started(referee: Referee) -> Any:
    return referee.start(dice=FastDice(1)).state


def test_a_sealed_answer_tells_nothing(referee: Referee) -> None:
    state = started(referee)
    me = state.active
    target = next(power for power in range(4) if power != me)
    state = referee.act(state, toy.Send(me, target, (0,))).state
    other = next(decision.power for decision in referee.awaiting(state))
    said = desk.ask(referee, state, f"{toy.POWERS[other]} waits")
    assert said.data["follows"] == ["The answer stays sealed until all are in."]


def test_what_stops_the_consequences_is_told(referee: Referee) -> None:
    assert "the step under way" in ask("AMB rests").data["follows"][-1]
    state = referee.sketch(desk_game.POSITION)
    duel = toy.Duel(toy.A, toy.B)
    from msgspec.structs import replace as put

    said = desk.ask(referee, put(state, frames=(duel,)), "BIR fights")
    assert said.data["follows"][-1] == "Then dice decide: duel: defender."


def test_rulings_are_listed_with_their_words(referee: Referee) -> None:
    state = referee.sketch({**desk_game.POSITION, "pacts": [["NOM", "AMB"]], "rulings": {"far_end": "binds"}})
    from msgspec.structs import replace as put

    state = put(state, frames=(toy.Caravan(1 << toy.N, (), toy.B, toy.A, (0,)),))
    said = desk.ask(referee, state, "NOM ambushes BIR")
    assert said.data["verdict"] == "refused"
    assert said.data["rulings"] == [
        {
            "name": "far_end",
            "option": "binds",
            "clause": "3.M",
            "text": "May one ambush a caravan on its way to a friend? — a pact with the destination forbids it too",
        }
    ]
    assert "Rulings of the table that decided:\n  - far_end = binds (3.M): May one" in said.text


# events in words


def test_events_say_why_and_kernel_frames_are_silent(referee: Referee) -> None:
    speaker = desk.Speaker(referee, "en")
    assert speaker.event(FramePopped()) == ""
    assert speaker.event(toy.BorderSet(0)) == ""
    assert speaker.event(Rolled("duel: defender", 0, 6, 2, (6, 4))) == "Dice: 6 4 (duel: defender)."
    assert speaker.event(Rolled("duel", 0, 6, 2, (6, 4), True)) == "Dice: 6 4 (duel; told, not rolled)."
    assert speaker.event(Rolled("draw", 0, 0, 2, (1,))) == "Picked at random: draw."
    assert speaker.event(RulingChanged(0, 1)).startswith("The table rules anew: May one ambush")
    assert desk.said_events(speaker, [FramePopped(), toy.Allied(0, 1)]) == ["Amber and Birch have a pact now."]


def test_the_nearest_key_is_said() -> None:
    templates = {"command/Propose", "command/Propose+gold", "event/OfferGone/dead", "event/OfferGone/dead+to"}
    table = {key: {"en": ""} for key in templates}
    assert desk.key_of(table, "command/Propose", toy.Propose(0, 1)) == "command/Propose"
    assert desk.key_of(table, "command/Propose", toy.Propose(0, 1, 3)) == "command/Propose+gold"
    assert desk.key_of(table, "event/OfferGone", toy.OfferGone(0, 1, "dead")) == "event/OfferGone/dead+to"
    assert desk.key_of(table, "event/OfferGone", toy.OfferGone(0, NONE, "dead")) == "event/OfferGone/dead"
    assert desk.key_of(table, "event/OfferGone", toy.OfferGone(0, 1, "taken")) == "event/OfferGone"


def test_facts_of_what_is_nested_and_masked() -> None:
    found, kinds = desk.facts_of(toy.Offered(toy.Pact(0, 1, 2, 3, 4)))
    assert found == {"by": 0, "to": 1, "version": 2, "expires": 3, "gold": 4}
    assert kinds["by"] == "power"
    assert kinds["gold"] == "number"
    assert desk.facts_of(toy.Answered(0b101)) == ({"ambush": (0, 2)}, {"ambush": "power"})
    assert desk.facts_of(toy.Answered(UNKNOWN))[0] == {"ambush": UNKNOWN}


def test_plain_values(referee: Referee) -> None:
    speaker = desk.Speaker(referee, "en")
    assert speaker.plain("power", (0, UNKNOWN, NONE)) == ["AMB", "?", None]
    assert speaker.plain("power", 99) == 99
    assert speaker.plain("text", "x") == "x"
    assert speaker.plain("number", True) is True
    assert speaker.plain("number", toy.Pact(0, 1, 2, 3, 4))["by"] == "AMB"


# missing words


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("line", LINES)
def test_a_game_without_words_is_still_ruled_on(line: str, language: str) -> None:
    game = replace(desk_game.GAME, words=Words({}, {}, {}))
    for position in (dict(desk_game.POSITION), {}, {"active": "BIR"}):
        said = ask(line, position, language, game)
        assert set(said.data) == KEYS
        assert said.text
        json.dumps(said.data)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_broken_template_falls_back(language: str) -> None:
    words = {"command/Send": {"en": "{nobody} sends", "ru": "{power:gen"}, "question/card": {"en": "{nothing}"}}
    game = replace(desk_game.GAME, words=Words(toy.FORMS, desk_game.KINDS, words))
    assert "AMB sends salt 2 to LAK" in ask("AMB sends salt 2 to LAK", None, "en", game).text
    assert "card" in ask("NOM ambushes LAK", {"pacts": []}, language, game).text


@pytest.mark.parametrize("event", [toy.Drawn(0, UNKNOWN), toy.Paid(1, 2), toy.Offered(toy.Pact(0, 1, 1, 1))])
def test_every_event_is_said_somehow(referee: Referee, event: Any) -> None:
    for language in LANGUAGES:
        said = desk.Speaker(referee, language).event(event)
        assert said
        assert said.endswith(".")


def test_a_command_that_no_notation_says(referee: Referee) -> None:
    speaker = desk.Speaker(referee, "en")
    assert speaker.notation(toy.Send(0, UNKNOWN, (0,))) == "Send power=AMB to=? load=['salt']"
    assert speaker.notation(toy.Send(0, UNKNOWN, (0,)), "as typed") == "as typed"


def test_an_unknown_clause_and_a_bare_change(referee: Referee) -> None:
    speaker = desk.Speaker(referee, "en")
    assert speaker.clause("refusal", "99", facts(power=0))[0].startswith("99")
    assert speaker.remedy(Remedy(change="peace", facts=facts(power=0))) == "Peace: power Amber."
    assert speaker.remedy(Remedy((toy.Wait(0),))) == "AMB waits."


# reading


def test_questions_come_before_commands(referee: Referee) -> None:
    said = desk.ask(referee, referee.sketch({"active": "AMB"}), "whose turn is it?")
    assert said.ok
    assert said.text == "It is the turn of AMB."
    assert said.data["verdict"] == "allowed"
    assert not desk.ask(referee, referee.sketch({}), "whose turn is it?").ok


def test_a_question_can_be_wrong_too(referee: Referee) -> None:
    with pytest.raises(NotationError, match="goes on 'is it'"):
        desk.read_line(referee, "whose turn comes")


@pytest.mark.parametrize("line", ["", "   ", "AMB " * 200, "ABM rests", "AMB dances"])
def test_what_cannot_be_read_is_an_error(referee: Referee, line: str) -> None:
    with pytest.raises(NotationError):
        desk.read_line(referee, line)


def test_the_functions_give_what_the_ruling_gives(referee: Referee) -> None:
    state = referee.sketch(desk_game.POSITION)
    verdict = referee.judge(state, toy.Send(0, 2, (0, 0)))
    ruling = desk.Ruling(referee, state, verdict)
    assert desk.ruling_data(referee, state, verdict, "en") == ruling.data
    assert desk.ruling_text(referee, state, verdict, "en") == ruling.text
    assert isinstance(verdict, Verdict)
    assert verdict.kind == REFUSED
