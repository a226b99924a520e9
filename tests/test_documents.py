"""What the documents show is run, and what is generated is up to date."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from foedus.kernel.desk import read_line
from foedus.kernel.game import find_game
from foedus.kernel.referee import make_referee

ROOT = Path(__file__).parent.parent
GAME = find_game("sword_of_rome")


def blocks(page: str, language: str) -> list[str]:
    return re.findall(
        rf"^```{language}\n(.*?)^```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )


def test_the_python_of_the_readme_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = blocks("README.md", "python")
    exec(compile(code, "README.md", "exec"), {})
    assert "15.2.2c" in capsys.readouterr().out


def test_the_readmes_sketch_is_the_example() -> None:
    (sketch,) = blocks("README.md", "toml")
    example = tomllib.loads((ROOT / "examples" / "c02-rome-night.toml").read_text(encoding="utf-8"))
    assert tomllib.loads(sketch).items() <= example.items()


def foedus(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from foedus.cli.main import run; run()", *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=False)


def test_the_commands_of_the_readme_answer_as_it_says() -> None:
    lines = [line for block in blocks("README.md", "sh") for line in block.splitlines() if "foedus ask" in line]
    assert len(lines) == 2
    (shown,) = blocks("README.md", "text")
    answers = []
    for line in lines:
        question, sketch = re.findall(r'"([^"]+)" --sketch (\S+)', line)[0]
        answers.append(foedus("ask", "sword_of_rome", question, "--sketch", sketch).stdout)
    assert "Rome may fight the Samnites" in answers[0]
    assert answers[1].startswith(shown)


PAGES = {"docs/desk.md": "sword_of_rome", "docs/virgin-queen.md": "virgin_queen"}


@pytest.mark.parametrize("page", PAGES)
def test_the_commands_of_a_games_page_can_be_read(page: str) -> None:
    game = find_game(PAGES[page])
    referee = make_referee(game)
    lines = [part.strip() for line in "".join(blocks(page, "text")).splitlines() for part in re.split(r"\s{3,}", line)]
    said = {type(read_line(referee, line).command) for line in lines}
    assert said == set(game.commands)


def test_the_sketch_of_the_page_on_virgin_queen_is_one() -> None:
    (text,) = blocks("docs/virgin-queen.md", "toml")
    state = make_referee(find_game("virgin_queen")).sketch(tomllib.loads(text), text)
    assert state.turn == 2


def test_the_questions_of_the_page_on_virgin_queen_are_answered() -> None:
    (block,) = blocks("docs/virgin-queen.md", "sh")
    for line in block.splitlines():
        question, sketch = re.findall(r'"([^"]+)" --sketch (\S+)', line)[0]
        found = foedus("ask", "virgin_queen", question, "--sketch", sketch)
        assert found.returncode in (0, 1), found.stderr
        assert found.stdout


def test_the_sketch_of_the_desk_page_is_one() -> None:
    (text,) = blocks("docs/desk.md", "toml")
    state = make_referee(GAME, 4).sketch(tomllib.loads(text), text)
    assert state.besieging[4] == 1 << 1


@pytest.mark.parametrize(
    ("tool", "made", "what", "page"),
    [
        ("write_rulings.py", "page", (), "docs/rulings.md"),
        ("draw_board.py", "draw", ("italy-386",), "docs/pictures/italy-386.svg"),
        ("draw_board.py", "draw", ("europe-1559",), "docs/pictures/europe-1559.svg"),
    ],
)
def test_generated_pages_are_up_to_date(tool: str, made: str, what: tuple[str, ...], page: str) -> None:
    text = runpy.run_path(str(ROOT / "tools" / tool))[made](*what)
    assert text == (ROOT / page).read_text(encoding="utf-8"), f"run python tools/{tool}"


def test_links_between_documents_lead_somewhere() -> None:
    for page in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")):
        for target in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
