"""Real reports of play as tests, run one by one, and what the text of a case cannot say: who sees what."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from foedus.cli.playing import replay_file
from foedus.games.sword_of_rome.commands import (
    AcceptAlliance,
    DeclineAlliance,
    ProposeAlliance,
    RenewAlliance,
    Talk,
    WithdrawOffer,
)
from foedus.games.sword_of_rome.events import AllianceMade, AllianceRenewed, OfferEnded, OfferMade, Talked
from foedus.games.sword_of_rome.game import GAME
from foedus.games.sword_of_rome.state import GRE, IND, POWERS, ROM, S_ES, S_GAL, S_GRE, S_ROM, State
from foedus.kernel import desk
from foedus.kernel.cases import Case, Runner, cases_of
from foedus.kernel.game import find_game
from foedus.kernel.referee import Referee, make_referee

SPECTATOR = None
PARTIES: tuple[int | None, ...] = (S_ROM, S_GRE)
OTHERS: tuple[int | None, ...] = (S_ES, S_GAL, SPECTATOR)
EVERYBODY = (*PARTIES, *OTHERS)


def open_cases() -> list[Case]:
    """The cases named after a report of play."""
    return [case for case in cases_of(GAME) if any(one[:1] == "C" and one[1:3].isdigit() for one in case.ids)]


CASES = open_cases()
RUNNER = Runner(find_game("sword_of_rome"))


@pytest.mark.parametrize("case", CASES, ids=[case.id for case in CASES])
def test_open_case(case: Case) -> None:
    failures = RUNNER.run(case).failures
    assert not failures, "\n".join(failures)


EXPRESSIBLE = (
    *("C02", "C04", "C05", "C06", "C08", "C10", "C11", "C12", "C13", "C14", "C15", "C16", "C17", "C18", "C19", "C20"),
    *("C21", "C44", "C45", "C46", "C47", "C48", "C49", "C55", "C56", "C57", "C58", "C61", "C62", "C63"),
)


@pytest.mark.parametrize("report", EXPRESSIBLE)
def test_every_report_has_its_cases(report: str) -> None:
    assert any(one == report or one.startswith(f"{report}.") for case in CASES for one in case.ids)


# what each player sees


def table(**facts: object) -> tuple[Referee, State]:
    position = {"players": 4, "elsewhere": "home", "alliances": [], "active": "ROM", **facts}
    referee = make_referee(GAME, 4)
    state: State = referee.sketch(position)
    return referee, state


def seen_offers(referee: Referee, state: State, seat: int | None) -> int:
    return len(referee.view(state, seat).offers)


def test_an_offer_is_seen_by_its_two_parties_only() -> None:
    referee, state = table()
    command = ProposeAlliance(ROM, GRE)
    outcome = referee.act(state, command)
    for seat in PARTIES:
        assert seen_offers(referee, outcome.state, seat) == 1
        assert any(isinstance(event, OfferMade) for event in referee.view_events(state, outcome.events, seat))
    for seat in OTHERS:
        assert seen_offers(referee, outcome.state, seat) == 0
        assert referee.view_events(state, outcome.events, seat) == []
        assert referee.view(outcome.state, seat) == referee.view(state, seat)


@pytest.mark.parametrize("answer", [DeclineAlliance(GRE, ROM), WithdrawOffer(ROM, GRE)])
def test_a_refused_or_withdrawn_offer_was_never_seen_by_others(answer: DeclineAlliance | WithdrawOffer) -> None:
    referee, state = table()
    before = referee.act(state, ProposeAlliance(ROM, GRE)).state
    outcome = referee.act(before, answer)
    for seat in PARTIES:
        assert any(isinstance(event, OfferEnded) for event in referee.view_events(before, outcome.events, seat))
    for seat in OTHERS:
        assert referee.view_events(before, outcome.events, seat) == []
        assert referee.view(outcome.state, seat) == referee.view(state, seat)


def test_an_offer_that_dies_with_its_activation_is_not_seen_by_others_either() -> None:
    referee, state = table()
    before = referee.act(state, ProposeAlliance(ROM, GRE)).state
    outcome = referee.act(before, referee.game.notation.read("ROM passes", referee.names))
    for seat in EVERYBODY:
        seen = [event for event in referee.view_events(before, outcome.events, seat) if isinstance(event, OfferEnded)]
        assert bool(seen) == (seat in PARTIES)


def test_the_marker_on_the_alliance_table_is_public() -> None:
    referee, state = table()
    before = referee.act(state, ProposeAlliance(ROM, GRE)).state
    outcome = referee.act(before, AcceptAlliance(GRE, ROM))
    for seat in EVERYBODY:
        seen = referee.view_events(before, outcome.events, seat)
        assert any(isinstance(event, AllianceMade) for event in seen)
        assert any(isinstance(event, OfferEnded) for event in seen) == (seat in PARTIES)
        assert len(referee.view(outcome.state, seat).pacts) == 1


def test_where_secret_talks_are_forbidden_everybody_sees_the_offer() -> None:
    referee, state = table(rulings={"secret_talks": "forbidden"})
    outcome = referee.act(state, ProposeAlliance(ROM, GRE))
    for seat in EVERYBODY:
        assert seen_offers(referee, outcome.state, seat) == 1
        assert any(isinstance(event, OfferMade) for event in referee.view_events(state, outcome.events, seat))
    answered = referee.act(outcome.state, DeclineAlliance(GRE, ROM))
    for seat in EVERYBODY:
        assert any(isinstance(event, OfferEnded) for event in referee.view_events(state, answered.events, seat))


def test_a_secret_talk_is_seen_by_its_two_parties_only_and_an_open_one_by_all() -> None:
    referee, state = table()
    for secret in (0, 1):
        outcome = referee.act(state, Talk(ROM, GRE, secret))
        for seat in EVERYBODY:
            seen = any(isinstance(event, Talked) for event in referee.view_events(state, outcome.events, seat))
            assert seen == (not secret or seat in PARTIES)


def test_the_player_of_both_powers_sees_the_offers_to_either() -> None:
    referee, state = table()
    for power in ("ETR", "SAM"):
        offered = referee.act(state, ProposeAlliance(ROM, POWERS.index(power))).state
        assert [seen_offers(referee, offered, seat) for seat in (S_ROM, S_ES, S_GRE, S_GAL)] == [1, 1, 0, 0]


# one record


def test_a_renewed_alliance_is_one_record_as_old_as_it_was() -> None:
    referee, state = table(
        active="none",
        phase="alliances",
        turn=4,
        vp={"ROM": 6, "GRE": 9, "ES": 7, "GAL": 5},
        alliances=[{"pair": "GRE-ROM", "turn": 2, "round": 3}],
    )
    old = state.pacts
    state = referee.act(state, RenewAlliance(GRE, ROM)).state
    assert state.pacts == old
    outcome = referee.act(state, RenewAlliance(ROM, GRE))
    assert sum(isinstance(event, AllianceRenewed) for event in outcome.events) == 1
    assert outcome.state.pacts == old
    assert (old[0].turn, old[0].round) == (2, 3)


def test_crossing_offers_leave_one_record() -> None:
    referee, state = table(rulings={"proposal_stands": "this_turn"})
    state = referee.act(state, ProposeAlliance(ROM, GRE)).state
    assert not referee.judge(state, ProposeAlliance(GRE, ROM)).allowed
    state = referee.act(state, AcceptAlliance(GRE, ROM)).state
    assert len(state.pacts) == 1
    assert state.formal[ROM] == 1 << GRE
    assert state.formal[GRE] == 1 << ROM


# the right reason in the message


def test_one_clause_says_which_of_its_reasons_it_was() -> None:
    told: dict[str, set[str]] = {"en": set(), "ru": set()}
    for line, facts, variant in (
        ("ROM proposes alliance to GRE", {"alliances": ["GRE-ROM"]}, None),
        ("ROM proposes alliance to GRE", {"offers": ["ROM-GRE"]}, "offered"),
        ("ROM proposes alliance to ROM", {}, "itself"),
        ("GRE accepts alliance with ROM", {}, "no_offer"),
    ):
        referee, state = table(**facts)
        ruling = desk.ask(referee, state, line).data
        assert [reason["clause"] for reason in ruling["reasons"]] == ["15.1.2b"]
        assert ruling["reasons"][0]["facts"].get("variant") == variant
        for language, sentences in told.items():
            sentences.add(desk.ask(referee, state, line, language).data["reasons"][0]["text"])
    assert {language: len(sentences) for language, sentences in told.items()} == {"en": 4, "ru": 4}


def test_the_whole_table_of_the_night_is_symmetric() -> None:
    referee = make_referee(GAME, 4)
    state = referee.sketch({"players": 4, "alliances": ["GRE-SAM", "GRE-ROM", "GAL-ROM", "ETR-ROM"]})
    answer = desk.ask(referee, state, "who may fight whom").answer
    assert answer is not None
    told = {(row["power"], row["target"]): row["verdict"] for row in answer.data["pairs"]}
    powers = [code for code in POWERS[:IND] if any(code in pair for pair in told)]
    assert len(told) == len(powers) * (len(powers) - 1)
    assert all(told[a, b] == told[b, a] for a, b in told)
    assert sum(verdict == "refused" for verdict in told.values()) == 10  # four alliances and one by ruling, both ways


# the examples

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_the_example_sketch_is_the_position_of_the_first_report() -> None:
    told = tomllib.loads((EXAMPLES / "c02-rome-night.toml").read_text(encoding="utf-8"))
    case = next(case for case in CASES if case.id == "C02")
    assert {key: told[key] for key in case.position} == case.position


def test_the_example_script_goes_through(capsys: pytest.CaptureFixture[str]) -> None:
    assert replay_file(str(EXAMPLES / "rome-breaks.foedus"), None, "en", judge=False, every=False)
    told = capsys.readouterr().out
    assert "15.5c" in told
    assert "Control of Tarquinii: Rome" in told
