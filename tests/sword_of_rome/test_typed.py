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
