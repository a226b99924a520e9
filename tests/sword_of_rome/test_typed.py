"""Lines as people type them: questions, plurals, articles, letters, Russian cases, and helpful refusals."""

from __future__ import annotations

import pytest

from foedus.games.sword_of_rome.game import GAME
from foedus.kernel import desk
from foedus.kernel.notation import NotationError
from foedus.kernel.referee import make_referee

REFEREE = make_referee(GAME, 4)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("may GRE attack ROM?", "GRE attacks ROM"),
        ("Can the Greeks besiege Roma?", "GRE besieges Roma"),
        ("Greeks intercept Rome at Capua from Neapolis", "GRE intercepts ROM at Capua from Neapolis"),
        ("the Gauls are done", "GAL is done"),
        ("the Gauls pass", "GAL passes"),
        ("ROM proposes an alliance to GAL", "ROM proposes alliance to GAL"),
        ("Rome breaks the alliance with the Etruscans", "ROM breaks alliance with ETR"),
        ("ROM gives a card to ETR", "ROM gives card to ETR"),
        ("GAL marches B with 3 from Luna to Pisae", "GAL marches GAL B with 3 from Luna to Pisae"),
        ("вольски marches А with 4 from Антий to Велитры", "VOL marches VOL A with 4 from Antium to Velitrae"),
        ("Рим attacks этрусков", "ROM attacks ETR"),
        ("ROM activates VOL adding a CU at Antium", "ROM activates VOL adding a CU at Antium"),
    ],
)
def test_what_is_typed_and_what_is_meant(typed: str, meant: str) -> None:
    assert GAME.notation.read(typed, REFEREE.names) == GAME.notation.read(meant, REFEREE.names)


def test_what_is_quoted_stays_as_it_is() -> None:
    command = GAME.notation.read('the Gauls promise Rome "may the  A team, are you done?"', REFEREE.names)
    assert command.text == "may the  A team, are you done?"  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "line", ["ES attacks GRE", "ROM offers alliance to ES", "what may ES do at Roma", "who decides for ES"]
)
def test_a_player_is_no_power_and_one_is_told_so(line: str) -> None:
    with pytest.raises(NotationError, match="ES is a player, name one of his powers: ETR or SAM"):
        desk.read_line(REFEREE, line)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("who can attack whom?", "who may fight whom"),
        ("кто с кем может воевать", "who may fight whom"),
        ("who controls Carthage?", "who decides for CAR"),
        ("кто решает за вольсков в конце хода", "who decides for VOL at turn end"),
        ("кто управляет Карфагеном", "who decides for CAR"),
        ("what can Rome do at Tarquinii?", "what may ROM do at Tarquinii"),
        ("что могут галлы делать в Тарквинии", "what may GAL do at Tarquinii"),
    ],
)
def test_a_question_may_be_put_in_other_words(typed: str, meant: str) -> None:
    assert desk.read_line(REFEREE, typed).question == desk.read_line(REFEREE, meant).question


@pytest.mark.parametrize(("language", "said"), [("en", "no part"), ("ru", "не участвуют")])
def test_nobody_decides_for_who_is_not_in_the_game(language: str, said: str) -> None:
    state = REFEREE.sketch({"players": 4})
    answer = desk.ask(REFEREE, state, "who decides for MER", language)
    assert said in answer.text
    assert answer.data["decider"] is None


# what a newcomer asks


ALLIED = {"alliances": [{"pair": "ROM-ETR", "turn": 3}], "spaces": {"Tarquinii": {"owner": "ETR", "loyalty": 2}}}


def said(line: str, language: str = "en", **told: object) -> str:
    return desk.ask(REFEREE, REFEREE.sketch({**ALLIED, **told}), line, language).text


def test_a_refusal_says_since_when_the_two_are_allied() -> None:
    assert "Rome and the Etruscans are allied (since turn 3)." in said("ROM besieges Tarquinii")
    assert "Рим и этруски — союзники (с хода 3)." in said("ROM besieges Tarquinii", "ru")
    assert "an event: Rome and the Etruscans are allied (since turn 3)." in said(
        "ROM besieges ETR at Tarquinii by event"
    )
    assert "since" not in said("ROM besieges Tarquinii", alliances=["ROM-ETR"])


def test_a_break_is_shown_though_the_support_is_not_known() -> None:
    later = "Once the Roman player is active, Rome may first break the alliance with the Etruscans, if three points"
    assert later in said("ROM besieges Tarquinii")
    now = "If Rome first breaks the alliance with the Etruscans and can pay three points of support for it."
    assert now in said("ROM besieges Tarquinii", active="ROM")
    told = said("ROM attacks ETR", active="ROM", elsewhere="home")
    assert "  - If Rome first breaks the alliance with the Etruscans. [ROM breaks ETR]" in told.split("\n")
    assert "breaks" not in said("ROM besieges Tarquinii", active="ROM", elsewhere="home")  # no army is there


def test_where_one_may_pay_what_is_left_nothing_is_said_of_three_points() -> None:
    told = said("ROM besieges Tarquinii", active="ROM", rulings={"support_short": "pay_what_is_left"})
    assert "three points" not in told


def test_a_question_names_its_answers_together() -> None:
    told = said("ROM retreats from Capua to Nola")
    assert "Carthage, the Volsci or the Transalpine Gauls stand there" in told


def test_what_a_power_may_do_comes_with_what_is_allowed_first() -> None:
    spaces = {"Capua": {"owner": "SAM", "loyalty": 2, "forces": ["ROM 4 Camillus", "SAM 2 inside"]}}
    lines = said("what may ROM do at Capua", spaces=spaces, elsewhere="home").split("\n")
    verdicts = [line.split(".")[0] for line in lines]
    assert verdicts == sorted(verdicts, key=["Allowed", "It depends", "Refused"].index)
    assert "Refused. Rome frees Capua (13.5 Liberating cities)." in lines
    assert not any("subjugates" in line or "marker" in line for line in lines)


@pytest.mark.parametrize(
    ("place", "left_out"),
    [("Roma", ("besieges", "frees", "takes")), ("Velitrae", ("besieges", "inside")), ("Tarquinii", ("subjugates",))],
)
def test_what_makes_no_sense_in_a_place_is_left_out(place: str, left_out: tuple[str, ...]) -> None:
    told = said(f"what may ROM do at {place}", elsewhere="home")
    assert "Rome moves through" in told
    assert not any(word in told for word in left_out)


def test_attacks_that_are_judged_alike_are_said_together_where_nobody_is_known() -> None:
    told = said("what may ROM do at Capua", spaces={"Capua": {"owner": "SAM"}})
    assert (
        "Allowed. Rome attacks the Greeks, the Gauls, Carthage, the Volsci and the Transalpine Gauls at Capua." in told
    )
    assert told.endswith("where an act needs CU of Rome there, they are taken for granted.")


def test_support_is_removed_by_whatever_means_or_after_a_battle() -> None:
    assert "f12.8" not in said("ROM removes support at Syracusae", active="ROM", elsewhere="home")
    assert "f12.8" in said("ROM removes support at Syracusae after battle", active="ROM", elsewhere="home")


def test_nobody_joins_himself() -> None:
    assert "f9.4  The Samnites have nobody to join" in said("SAM joins forces with SAM")


def test_an_activation_can_be_ended_where_nobody_is_said_to_be_active() -> None:
    told = said("GAL passes")
    assert told.startswith("Allowed: the Gauls end the activation.")
    assert told.endswith("Assumed:\n  - That the Gallic player is active now.")


def test_the_words_of_a_promise_stand_in_quotation_marks() -> None:
    assert "Rome promised the Gauls: “peace”." in said('ROM promises GAL "peace"')
    assert "Рим обещал галлам: «peace»." in said('ROM promises GAL "peace"', "ru")


@pytest.mark.parametrize(
    ("line", "near"),
    [
        ("what may ROM do at Tarquini", "did you mean Tarquinii?"),
        ("что может Рим делать в Каппуе", "did you mean Капуя?"),
        ("ROM beseiges Capua", "'beseiges' is not understood here; did you mean besieges?"),
    ],
)
def test_what_is_misspelt_is_told_with_what_is_like_it(line: str, near: str) -> None:
    with pytest.raises(NotationError) as error:
        desk.read_line(REFEREE, line)
    assert str(error.value).endswith(near)
