"""`foedus replay`, `foedus status`."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from msgspec.structs import replace as put

from foedus.kernel import game as games
from kernel import desk_game, toy
from kernel.desk_game import played

from .conftest import SKETCH, Run, _Point

SCRIPT = """# a script
position
game = "caravans"
active = "AMB"
pacts = []
gold = { AMB = 1 }

AMB offers LAK a pact   # an offer
LAK accepts AMB
AMB sends salt 2 to BIR
whose turn is it
"""


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "night.foedus"
    path.write_text(SCRIPT)
    return path


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    lines, _ = played()
    path = tmp_path / "game.jsonl"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


# scripts


def test_a_script_stops_at_the_first_refusal(run: Run, script: Path) -> None:
    ran = run("replay", script)
    assert ran.status == 1
    first, second, third = ran.out.split("\n\n")
    assert first.startswith("> AMB offers LAK a pact\nAllowed: Amber offers the Lake a pact.\n")
    assert "What happened:\n  - The Lake took Amber's offer.\n  - Amber and the Lake have a pact now." in second
    assert third.startswith("> AMB sends salt 2 to BIR\nRefused: ")


def test_or_goes_on(run: Run, script: Path) -> None:
    ran = run("replay", script, "--all")
    assert ran.status == 1
    assert ran.out.endswith("> whose turn is it\nIt is the turn of AMB.\n")


def test_a_script_that_goes_through(run: Run, tmp_path: Path, sketch: Path) -> None:
    path = tmp_path / "night.foedus"
    path.write_text(f"sketch {sketch.name}\n\nAMB offers LAK a pact, paying 1\nruling far_end binds\n")
    ran = run("replay", path)
    assert ran.status == 0
    assert "The table rules anew: May one ambush a caravan" in ran.out
    assert run("replay", path, "--lang", "ru").out.count("Можно:") == 1


def test_a_script_lets_the_game_go_on(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def read_sketch(world: object, data: dict[str, object], text: str = "") -> toy.State:
        state = desk_game.read_sketch(world, {"active": "AMB", "closed": []})
        return put(state, frames=(toy.Turn(True),), turn=1)

    game = replace(desk_game.GAME, read_sketch=read_sketch)
    monkeypatch.setattr(games, "known_games", lambda: {"caravans": _Point(game)})
    path = tmp_path / "night.foedus"
    path.write_text("go\nBIR rests\n")
    ran = run("replay", path)
    assert ran.status == 0
    assert ran.out.startswith(
        "> go\nWhat happened:\n  - Began: turn 2, active Birch.\n  - It is for Birch to act.\n\n> BIR rests\nAllowed"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("AMB dances\n", "line 1: 'dances' is not understood"),
        ("\n# x\nABM rests\n", "line 3: unknown power 'ABM'"),
        ("AMB offers LAK a pact\nposition\nactive = 'AMB'\n", "line 2: the position must come first"),
        ("position\nactive = \n\n", "line 2: this is not TOML"),
        ("position\nnonsense = 1\n", "unknown key 'nonsense'"),
        ("sketch\n", "line 1: 'sketch' needs the name of a file"),
        ("sketch nowhere.toml\n", "nowhere.toml: cannot be read"),
        ("sketch night.toml\nsketch night.toml\n", "line 2: the sketch must come first, and once"),
        ("dice six\n", "line 1: 'six' is not a number"),
        ("dice 0\n", "line 1: "),
        ("ruling far_end nonsense\n", "line 1: ruling 'far_end' has no option 'nonsense'"),
        ("ruling nonsense x\n", "line 1: unknown ruling 'nonsense'"),
        ("position\nactive = 'AMB'\n\nAMB rests\n", "does not say what step is under way"),
        ("position\npacts = []\ncards.NOM = 'spear'\n\nNOM ambushes LAK\n", "line 5: it is allowed, but it can only"),
    ],
)
def test_wrong_lines_are_named(run: Run, tmp_path: Path, sketch: Path, text: str, message: str) -> None:
    path = tmp_path / "bad.foedus"
    path.write_text(text)
    ran = run("replay", path)
    assert ran.status == 2
    assert message in ran.err
    assert "Traceback" not in ran.err


def test_dice_nobody_needed_are_mentioned(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "night.foedus"
    path.write_text("dice 6 4\nposition\n")
    assert run("replay", path).status == 2
    path.write_text("dice 6 4\nwhose turn is it\n")
    ran = run("replay", path)
    assert ran.status == 0
    assert "told and never needed: dice [6, 4]" in ran.err


def test_a_sketch_is_no_script(run: Run, sketch: Path) -> None:
    ran = run("replay", sketch)
    assert ran.status == 2
    assert "is a sketch" in ran.err


# records


def test_a_record_is_applied(run: Run, recorded: Path) -> None:
    ran = run("replay", recorded)
    assert ran.status == 0
    lines = ran.out.split("\n")
    assert lines[0] == "0  -"
    assert any(line.startswith("1  ") for line in lines)
    assert "batches" in lines[-2]


def test_and_judged(run: Run, recorded: Path) -> None:
    ran = run("replay", recorded, "--judge")
    assert ran.status == 0
    assert ran.out.endswith(", all allowed\n")


def test_a_command_that_is_not_allowed_today(run: Run, tmp_path: Path, recorded: Path) -> None:
    rows = recorded.read_text(encoding="utf-8").split("\n")
    batch = json.loads(rows[2])
    batch["command"] = {"do": "Fight", "power": "AMB"}
    del batch["line"]
    recorded.write_text("\n".join([*rows[:2], json.dumps(batch)]), encoding="utf-8")
    assert run("replay", recorded).status == 0
    ran = run("replay", recorded, "--judge")
    assert ran.status == 1
    assert "  ! Refused: AMB fights." in ran.out


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (["rubbish"], "line 1: this is not JSON"),
        (['{"foedus":1,"game":"chess"}'], "unknown game 'chess'"),
        (['{"foedus":1,"game":"caravans"}', '{"n":1,"events":[{"do":"Nothing"}]}'], "line 2: Event: unknown event"),
        (['{"foedus":1,"game":"caravans","sketch":{"x":1}}'], "line 1: unknown key 'x'"),
    ],
)
def test_a_wrong_record_is_named_with_its_line(run: Run, tmp_path: Path, rows: list[str], message: str) -> None:
    path = tmp_path / "game.jsonl"
    path.write_text("\n".join(rows))
    for command in ("replay", "status"):
        ran = run(command, path)
        assert ran.status == 2
        assert message in ran.err


# status


def test_a_status_sheet(run: Run, sketch: Path) -> None:
    ran = run("status", sketch)
    assert ran.status == 0
    assert ran.out.startswith("Turn\n  AMB\n\nGold\n  AMB: 1 [gold]\n")
    assert run("status", sketch, "--lang", "ru").out.startswith("Ход\n")


def test_in_bbcode(run: Run, sketch: Path) -> None:
    out = run("status", sketch, "--bbcode").out
    assert out.startswith("[b]Turn[/b]\n[list]\n[*]AMB\n[/list]\n[b]Gold[/b]\n[list]\n[*]AMB: 1 (gold)\n")
    assert out.endswith("[b]Nothing[/b]\n")


def test_of_a_script_and_of_a_record(run: Run, tmp_path: Path, recorded: Path) -> None:
    path = tmp_path / "night.foedus"
    path.write_text(f"position\n{SKETCH}\nAMB offers LAK a pact\n")
    assert run("status", path).out.startswith("Turn\n  AMB\n")
    assert run("status", recorded).status == 0


def test_of_a_script_that_stops(run: Run, script: Path) -> None:
    ran = run("status", script)
    assert ran.status == 2
    assert "the script stops at 'AMB sends salt 2 to BIR'" in ran.err


def test_what_a_file_holds_shows_without_its_name(run: Run, tmp_path: Path, recorded: Path, script: Path) -> None:
    for source, status in ((recorded, 0), (script, 1)):
        path = tmp_path / "pasted.txt"
        path.write_text(source.read_text(encoding="utf-8"), encoding="utf-8")
        assert run("replay", path).status == status
