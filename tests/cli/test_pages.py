"""The pages on playing and on the ledger say what is so."""

from __future__ import annotations

import re
from pathlib import Path

from foedus.cli.hotseat import UI as PLAYING
from foedus.cli.ledger import UI as LEDGER

from .conftest import Typed

DOCS = Path(__file__).parents[2] / "docs"


def test_the_session_of_the_ledger_page(typed: Typed) -> None:
    text = (DOCS / "ledger.md").read_text(encoding="utf-8")
    (session,) = re.findall(r"^```ledger\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    ran = typed(["play", "sword_of_rome", "--ledger", "--players", "5"], *session.splitlines())
    assert ran.status == 0
    for clause in ("15.5d", "15.5a", "15.2.4", "15.4a"):
        assert clause in ran.out
    status = ran.out.rpartition("Alliances\n")[2]
    assert "Etruscans and the Samnites" in status.splitlines()[0]  # allied for good (15.1.M1); nobody else is
    assert "Carthage are allied" not in status


def test_every_set_of_the_ledger_page_is_understood(typed: Typed) -> None:
    text = (DOCS / "ledger.md").read_text(encoding="utf-8")
    (lines,) = [part for part in re.findall(r"^```text\n(.*?)^```", text, re.DOTALL | re.MULTILINE) if "set vp" in part]
    # a sketch in the alliance phase has no active player: a ledger is told the one or the other
    rows = [line for line in lines.splitlines() if "phase" not in line]
    ran = typed(["play", "sword_of_rome", "--ledger", "--players", "5"], *rows)
    assert ran.out.count("The table says: set ") == len(rows), ran.out


def test_the_words_are_there_in_both_languages() -> None:
    for table in (PLAYING, LEDGER):
        for key, row in table.items():
            assert set(row) == {"en", "ru"}, key
            holes = {language: set(re.findall(r"\{(\w+)\}", text)) for language, text in row.items()}
            assert holes["en"] == holes["ru"], key
