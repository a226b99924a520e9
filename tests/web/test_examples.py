"""The scripts in `examples/` play as they say."""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from foedus.games.virgin_queen import agreements
from web.harness import Server

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_a_turn_of_a_ledger(
    server: Server, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLES))
    monkeypatch.setattr(sys, "argv", ["ledger_turn.py", server.url])
    runpy.run_path(str(EXAMPLES / "ledger_turn.py"), run_name="__main__")
    said = capsys.readouterr().out
    assert "Refused: Carthage tries to hinder the Greeks' ships." in said
    assert "Allowed: the Greeks break the alliance with Carthage" in said
    assert "15.4b  Rome may not decide on the alliance with the Etruscans now" in said
    assert said.count("Allowed: the Etruscans let the alliance with Rome lapse.") == 1
    assert "Rome and the Etruscans are allied" not in said.split("Alliances")[1].split("Carthage")[0]


def play_the_phase(server: Server, language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLES))
    monkeypatch.setattr(sys, "argv", ["virgin_queen_diplomacy.py", "--url", server.url, "--lang", language])
    runpy.run_path(str(EXAMPLES / "virgin_queen_diplomacy.py"), run_name="__main__")


def test_a_diplomacy_phase(server: Server, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    play_the_phase(server, "en", monkeypatch)
    said = capsys.readouterr().out
    for wanted in (
        "the Protestants and a spectator were sent nothing",
        "f8.11  England may not declare war on France: they made peace in this Diplomacy Phase.",
        "the record holds",
        "ENG writes: ENG makes peace with FRA\n",
        "ENG offers its draft  [f3.3, f3.13, f3.8]",
        "The Ottomans lend France 2 × galley at Istanbul; they go to Marseille (loan.5).",
        "Spain gives Guise back; he stands at Paris (ransom.2).",
        "Spain and England are at war (dow.2).",
        "    ransom.3  ",
    ):
        assert wanted in said


def test_a_diplomacy_phase_at_a_server_of_its_own_in_russian() -> None:
    command = [sys.executable, "virgin_queen_diplomacy.py", "--lang", "ru"]
    found = subprocess.run(command, cwd=EXAMPLES, capture_output=True, text=True, encoding="utf-8", timeout=120)
    assert (found.returncode, found.stderr) == (0, "")
    for wanted in (
        "протестантам и зрителю не послано ничего",
        "f8.11  Англия не может объявить войну Франции: мир между ними заключён в этой же Фазе дипломатии.",
        "Османы → Франция: галера × 2, Марсель",
        "запись верна",
        "Испания и Англия — в состоянии войны (dow.2).",
    ):
        assert wanted in found.stdout


def test_the_script_sees_a_server_that_cannot_keep_a_secret(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agreements, "_concerned", lambda state, parties, seat: True)
    with pytest.raises(SystemExit) as ended:
        play_the_phase(server, "en", monkeypatch)
    assert str(ended.value.code).endswith("what others agreed on in secret shows in the view of PRO")


def test_the_script_says_that_there_is_no_server(monkeypatch: pytest.MonkeyPatch) -> None:
    nowhere = SimpleNamespace(url="http://127.0.0.1:9")
    with pytest.raises(SystemExit, match=r"virgin_queen_diplomacy\.py: .*refused"):
        play_the_phase(nowhere, "en", monkeypatch)  # type: ignore[arg-type]
