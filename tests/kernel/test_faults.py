"""Faults of a person's input, in both languages."""

from __future__ import annotations

import re

import pytest

from foedus.kernel.faults import KINDS, TEMPLATES, Fault, at, fault_of, said
from foedus.kernel.notation import NotationError
from foedus.kernel.rulebook import LANGUAGES, did_you_mean, nearest
from foedus.kernel.sketch import Faults, SketchError


@pytest.mark.parametrize("key", TEMPLATES)
def test_each_stands_in_both_languages_with_the_same_facts(key: str) -> None:
    assert set(TEMPLATES[key]) == set(LANGUAGES)
    english, russian = (set(re.findall(r"\{(\w+)\}", TEMPLATES[key][language])) for language in LANGUAGES)
    assert russian <= english


def test_kinds_stand_in_both_languages() -> None:
    assert all(set(row) == set(LANGUAGES) for row in KINDS.values())


def test_a_fault_is_english_text_and_can_be_said_in_russian() -> None:
    fault = Fault("unknown", what=("power", "actor", "space"), word="X{near}", near=("ROM", "Roma"))
    assert fault == "unknown power or space 'X{near}'; did you mean ROM, Roma?"
    assert said(fault, "en") == fault
    assert said(fault, "ru") == "неизвестное имя «X{near}» (держава или локация); может быть, ROM, Roma?"
    assert said("as it is", "ru") == "as it is"
    assert said(ValueError("as it is"), "ru") == "as it is"


def test_a_fault_inside_a_fault_is_said_too() -> None:
    fault = at("night.toml", Fault("line", number=3, fault=Fault("empty")))
    assert (str(fault), said(fault, "ru")) == (
        "night.toml: line 3: the line is empty",
        "night.toml: строка 3: строка пуста",
    )
    assert said(NotationError(Fault("empty"), 1, 7), "ru") == "строка 7: строка пуста"
    assert fault_of(NotationError("what", 1, 7)) == "line 7: what"


def test_a_line_says_what_could_follow() -> None:
    fault = Fault("ends_early", wanted=(("word", "breaks"), ("space", ""), ("times", "100")))
    assert fault == "the line ends too early; next could come 'breaks' or a number from 1 to 100 or a space"
    assert said(fault, "ru") == "строка обрывается; дальше ожидается «breaks» или локация или число от 1 до 100"


def test_every_fault_of_a_sketch_is_said() -> None:
    faults = Faults("a = 1\nturm = 2\n")
    faults.unknown("key", "turm", ["turn"])
    faults.unknown("key of Roma", "own", ["owner"])
    faults.add("something else", "a")
    with pytest.raises(SketchError) as error:
        faults.raise_any()
    assert str(error.value) == (
        "line 2: unknown key 'turm'; did you mean turn?; unknown key of Roma 'own'; did you mean owner?; "
        "line 1: something else"
    )
    assert said(error.value, "ru") == (
        "строка 2: неизвестное имя «turm» (ключ); может быть, turn?; "
        "неизвестное имя «own» (ключ в Roma); может быть, owner?; строка 1: something else"
    )


@pytest.mark.parametrize(("count", "russian"), [(1, "1 кубик"), (2, "2 кубика"), (5, "5 кубиков")])
def test_dice_are_counted(count: int, russian: str) -> None:
    fault = Fault("need_dice", purpose="duel", dice=count, sides=6, have=0)
    assert fault.startswith(f"duel: roll {count} di")
    assert said(fault, "ru") == f"duel: нужно бросить {russian} (6 граней)"


def test_guesses_much_worse_than_the_best_are_dropped() -> None:
    assert nearest("beseiges", ["besieges", "signs", "resigns"]) == ["besieges"]
    assert nearest("Luma", ["Luna", "Lumo"]) == ["Lumo", "Luna"] or nearest("Luma", ["Luna", "Lumo"]) == [
        "Luna",
        "Lumo",
    ]
    assert did_you_mean("xyzzy", ["besieges"]) == ""
