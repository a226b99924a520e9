"""Whatever can be done, can happen, is awaited or asked has words in both languages, and they can be said."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import foedus.games.virgin_queen as package
from foedus.games.virgin_queen.game import GAME
from foedus.kernel.desk import Speaker
from foedus.kernel.rulebook import LANGUAGES
from foedus.kernel.verdict import REFUSED

from .whole_play import Step, play, referee_for

FOLDER = Path(str(package.__file__)).parent
SOURCE = "\n".join(path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.py")))
TEMPLATES = GAME.words.templates
CYRILLIC = re.compile("[а-яё]", re.IGNORECASE)


@pytest.mark.parametrize("section, classes", [("command", GAME.commands), ("event", GAME.events)])
def test_each_command_and_event_has_words(section: str, classes: tuple[type, ...]) -> None:
    known = {key.split("/")[1].split("+")[0] for key in TEMPLATES if key.startswith(f"{section}/")}
    missing = [one.__name__ for one in classes if one.__name__ not in known]
    assert not missing


def test_each_decision_and_question_has_words() -> None:
    decisions = set(re.findall(r'Decision\(\s*[^"]*?,\s*"(\w+)"', SOURCE))
    assert len(decisions) > 15
    assert not [one for one in sorted(decisions) if f"decision/{one}" not in TEMPLATES]
    questions = set(re.findall(r'Unknown\(\s*"(\w+)"', SOURCE))
    assert len(questions) > 10
    assert not [one for one in sorted(questions) if f"question/{one}" not in TEMPLATES]


def test_each_sentence_stands_in_both_languages() -> None:
    for key, row in TEMPLATES.items():
        assert set(row) >= set(LANGUAGES), key
        holes = [set(re.findall(r"\{(\w+)", row[language])) for language in LANGUAGES]
        if not key.startswith(("ui/", "detail/")):
            assert CYRILLIC.search(row["ru"]) or not re.sub(r"\{[^}]*\}", "", row["ru"]).strip(" .,:;()"), key
        assert not holes[1] - holes[0] or holes[0], key


def test_each_clause_that_refuses_says_why() -> None:
    for guard in GAME.rules.guards:
        clause = GAME.rulebook.clauses[guard.clause]
        assert any(key.startswith("refusal") for key in clause.words), guard.clause


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("players, seed", [(6, 1), (6, 3), (4, 2), (3, 7)])
def test_whole_games_can_be_told(players: int, seed: int, language: str) -> None:
    referee = referee_for(players)
    speaker = Speaker(referee, language)
    said: set[str] = set()
    refused = 0
    pool: list[Any] = []
    for number, step in enumerate(play(players, seed, most=700)):
        if not isinstance(step, Step):
            continue
        texts = [speaker.command(step.command), *(speaker.event(event) for event in step.events)]
        texts += [speaker.decision(one) for one in referee.awaiting(step.after)]
        pool = [*pool[-30:], step.choices[len(step.choices) // 2]]
        if number % 10 == 0:
            for command in pool:
                verdict = referee.judge(step.before, command)
                if verdict.kind == REFUSED:
                    refused += 1
                    texts += [speaker.clause("refusal", one.clause, one.facts)[1] for one in verdict.reasons]
        said.update(text for text in texts if text)
    assert refused > 50
    for text in said:
        assert "{" not in text, text
        assert "}" not in text, text
        assert not re.search(r"\b-[12]\b", text), text
        assert language == "en" or CYRILLIC.search(text), text
