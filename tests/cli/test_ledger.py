"""`foedus play GAME --ledger`: what a group at a real board types, and what it is told."""

from __future__ import annotations

import json
from pathlib import Path

from .conftest import Typed

GAME = "sword_of_rome"
OPENING = ("set turn 1", "set round 1", "set alliances []", "set active GAL")


def answers(out: str) -> list[str]:
    """What was said to each line, the greeting first."""
    return [part.strip("\n") for part in out.split("> \n")]


# the open cases


C10 = (
    "set turn 2",
    "set round 4",
    "set vp ROM 6, ES 6, GRE 7, GAL 6, CAR 5",
    "set alliances GRE-CAR",
    "set Syracusae owner GRE",
    "set Syracusae loyalty 3",
    "set Tarentum owner GRE",
    "set Tarentum loyalty 2",
)


def test_c10_broken_in_turn_it_costs_three_and_the_sea_is_contested(typed: Typed) -> None:
    ran = typed(
        ["play", GAME, "--ledger", "--players", "5"],
        *C10,
        "set active CAR",
        "GRE breaks CAR",
        "set active GRE",
        "? CAR hinders ships of GRE",
        "GRE breaks CAR paying Syracusae 2, Tarentum 1",
        "? CAR hinders ships of GRE",
    )
    assert ran.status == 0
    *_, out_of_turn, _, before, broken, after, end = answers(ran.out)
    assert out_of_turn.startswith("Refused: the Greeks break the alliance with Carthage.\n  15.5d  ")
    assert before.startswith("Refused: Carthage tries to hinder the Greeks' ships.\n  15.2.4  ")
    assert broken.startswith("Allowed: the Greeks break")
    assert "for 3 points of own support" in broken
    assert broken.count("  - Loyalty of ") == 3
    assert after.startswith("Allowed: Carthage tries to hinder the Greeks' ships.\n  15.2.4  ")
    assert end == ""


def test_c10_lapsed_at_the_end_of_the_turn_it_costs_nothing(typed: Typed) -> None:
    ran = typed(
        ["play", GAME, "--ledger", "--players", "5"],
        *C10,
        "set phase alliances",
        "next",
        "GRE lets CAR lapse",
        "? CAR hinders ships of GRE",
    )
    *_, phase, first, lapsed, after, _ = answers(ran.out)
    assert "Next: " in phase
    assert first.startswith("First this must be decided")
    assert "15.4a" in lapsed
    assert "Loyalty of" not in lapsed
    assert "Control of" not in lapsed
    assert after.startswith("Allowed: Carthage tries to hinder")


C13 = (
    *OPENING,
    "GAL proposes alliance to ETR",
    "ETR accepts alliance with GAL",
    "set turn 9",
    "set round 5",
    "set active ES",
    "set vp ROM 6, ES 9, GRE 5, GAL 8",
    "set Bononia owner GAL",
    "set Bononia loyalty 1",
    "set Bononia forces ETR 5 A, SAM 0 A",
    "set Bononia siege none",
    "set Pisae owner ETR",
    "set Pisae loyalty 3",
    "set Tarquinii owner ETR",
    "set Tarquinii loyalty 2",
)


def test_c13_three_states_of_the_alliance_three_answers(typed: Typed) -> None:
    ran = typed(
        ["play", GAME, "--ledger"],
        *C13,
        "? ETR besieges Bononia",
        "? SAM attacks GAL",
        "ETR breaks GAL paying Pisae 2, Tarquinii 1",
        "? ETR besieges Bononia",
        "undo",
        "set phase alliances",
        "ETR lets GAL lapse",
        "set phase action",
        "set active ES",
        "? ETR besieges Bononia",
    )
    said = answers(ran.out)
    assert said[len(OPENING) + 2].endswith("The Gauls and the Etruscans are allied (15.1).")
    allied, samnites, broken, after_break, undone, _, lapsed, _, _, after_lapse, _ = said[len(C13) + 1 :]
    assert allied.startswith("Refused: the Etruscans besiege Bononia.\n  15.2.2c  ")
    assert "ETR breaks GAL" in allied
    assert samnites.startswith("Allowed: ")
    assert "15.1.2d" in samnites
    assert broken.startswith("Allowed: the Etruscans break")
    assert not after_break.startswith("Refused")
    assert "15.2.2c" not in after_break or "may" in after_break
    assert undone.startswith("Taken back: ETR breaks GAL")
    assert "lapsed (15.4a)" in lapsed
    assert not after_lapse.startswith("Refused")


# unknown things


def test_what_is_unknown_is_asked_and_nothing_crashes(typed: Typed) -> None:
    ran = typed(
        ["play", GAME, "--ledger"],
        "GAL proposes alliance to ETR",
        "ROM besieges Tarquinii",
        "ROM attacks SAM at Bovianum",
        "next",
        "undo",
        "ETR breaks GAL",
        "who decides for CAR",
        "GAL dances",
        "set nonsense 3",
        "set vp ROM many",
        "set",
        "ruling nonsense x",
        "dice six",
        "dice 9",
        "forget",
        "status",
        "log",
        "save",
        "?",
        "",
        "# a remark",
    )
    assert ran.status == 0
    assert "Traceback" not in ran.out + ran.err
    assert "It depends on whether the Etruscans and the Gauls are allied" in ran.out
    assert "set phase, active, turn and round first" in ran.out
    assert "'dances' is not understood" in ran.out
    assert "'nonsense' is nothing that can be set" in ran.out
    assert "vp ROM: a whole number" in ran.out


def test_a_battle_asks_for_its_dice(typed: Typed) -> None:
    ran = typed(
        ["play", GAME, "--ledger"],
        "set alliances []",
        "set elsewhere home",
        "set active ROM",
        "set Velitrae owner ROM",
        "set Velitrae forces ROM 5 Camillus",
        "set Fregellae owner SAM",
        "set Fregellae forces SAM 3 A",
        "ROM marches Camillus with 5 from Velitrae to Fregellae",
        "SAM stays put",
        "SAM stands",
        "dice 6 4 4",
        "dice 3 2 1",
        "dice 1",
        "dice 1 1",
        "log",
    )
    assert "Tell what was rolled: battle roll of the attacker: dice ? ? ?." in ran.out
    assert "Tell what was rolled: battle roll of the defender: dice ? ? ?." in ran.out
    assert "Dice: 6 4 4 (battle roll of the attacker" in ran.out
    assert "Rome attacked the Samnites at Fregellae" in ran.out


def test_dice_are_told(typed: Typed) -> None:
    ran = typed(
        ["play", GAME, "--ledger"],
        *OPENING[:3],
        "set active ROM",
        "set elsewhere home",
        "set Tarquinii owner ETR",
        "set Tarquinii forces ROM 5 Camillus",
        "dice 3",
        "forget",
    )
    assert "Told and not needed yet: 3" in ran.out


def test_a_march_into_battle_and_out_of_it(typed: Typed) -> None:
    """The board as far as it was told: an army marches, dice are told; and a step can be left for the real board."""
    ran = typed(
        ["play", GAME, "--ledger"],
        "set alliances []",
        "set elsewhere home",
        "set active ROM",
        'set spaces.Velitrae = { owner = "ROM", forces = ["ROM 5 Camillus"], siege = "none" }',
        "set Fregellae owner SAM",
        "set Fregellae forces SAM 3 A",
        "ROM marches Camillus with 5 from Velitrae to Fregellae",
        "set Fregellae forces ROM 5 Camillus",
        "set turn 3",
        "set active ROM",
        "ROM proposes alliance to GRE",
        "status",
    )
    assert "Traceback" not in ran.out + ran.err
    *_, marched, places, turn, active, proposed, _, _ = answers(ran.out)
    assert "moved 5 CU from Velitrae to Fregellae" in marched
    assert "a step is half done" in places
    assert turn == "The table says: set turn 3."
    assert active.startswith("The table says: set active ROM.")
    assert proposed.startswith("Allowed: ")


def test_a_whole_round_goes_by(typed: Typed) -> None:
    ran = typed(["play", GAME, "--ledger"], "set turn 1", "set round 1", "set active ROM", *["next"] * 40, "status")
    assert ran.status == 0
    assert "Round 5 began." in ran.out
    assert "Turn 2" in ran.out


def test_next_waits_for_the_renewals(typed: Typed) -> None:
    ran = typed(
        ["play", GAME, "--ledger"],
        "set turn 1",
        "set vp ROM 6, ES 5, GRE 7, GAL 4",
        "set alliances ROM-GRE",
        "set phase alliances",
        "next",
        "next anyway",
        "status",
    )
    *_, first, anyway, _, _ = answers(ran.out)
    assert first.startswith("First this must be decided")
    assert anyway == "The table says: next."


# its record


def test_a_record_goes_on_and_holds(typed: Typed, tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    ran = typed(["play", GAME, "--ledger", "--save", path], *OPENING, "GAL proposes alliance to ETR", "quit")
    assert f"To go on: foedus play {GAME} --ledger --load {path}" in ran.out
    ran = typed(["play", GAME, "--ledger", "--load", path], "ETR accepts alliance with GAL", "undo", "log")
    assert "The Gauls and the Etruscans are allied" in ran.out
    ran = typed(["play", GAME, "--ledger", "--load", path], "? ROM attacks GAL", "ETR declines alliance with GAL")
    assert ran.status == 0
    assert "Allowed: the Etruscans" in ran.out
    ran = typed(["verify", path])
    assert (ran.status, ran.out.endswith("the record holds\n")) == (0, True)
    ran = typed(["status", path])
    assert ran.status == 0
    ran = typed(["replay", path])
    assert "Taken back" in ran.out
    first, second = map(json.loads, path.read_text(encoding="utf-8").split("\n")[:2])
    assert "commitment" not in first
    assert second["events"][0]["do"] == "Corrected"
    assert second["events"][0]["changes"] == [["turn", None, 1]]


def test_a_sketch_begins_it(typed: Typed, tmp_path: Path) -> None:
    path = tmp_path / "night.toml"
    path.write_text('players = 4\nactive = "ROM"\nalliances = ["ROM-ETR"]\n', encoding="utf-8")
    ran = typed(["play", GAME, "--ledger", "--sketch", path], "? ROM attacks ETR", "undo")
    assert "Refused: Rome attacks the Etruscans" in ran.out
    assert "Nothing can be taken back." in ran.out
    path.write_text("players = 4\nnonsense = 1\n", encoding="utf-8")
    assert typed(["play", GAME, "--ledger", "--sketch", path]).status == 2
    path.write_text("players = 4\n", encoding="utf-8")
    assert typed(["play", GAME, "--ledger", "--sketch", path, "--players", "5"]).status == 2


def test_a_ruling_may_change(typed: Typed) -> None:
    ran = typed(
        ["play", GAME, "--ledger", "--ruling", "support_short=pay_what_is_left"],
        "ruling support_short refused",
        "ruling support_short nonsense",
    )
    assert ran.status == 0
    assert "The table says: ruling support_short refused." in ran.out


def test_in_russian(typed: Typed) -> None:
    ran = typed(["play", GAME, "--ledger", "--lang", "ru"], *OPENING, "help", "undo")
    assert "Журнал открыт" in ran.out
    assert "Взято назад: set active GAL" in ran.out
