"""Sketches: every fault is told with its line and the nearest names, all at once; what is not said stays unknown."""

from __future__ import annotations

from typing import Any

import pytest

import foedus.games.sword_of_rome.state as s
from foedus.games.sword_of_rome import commands as c
from foedus.games.sword_of_rome.frames import Activation, Renewal
from foedus.games.sword_of_rome.neutrals import decider
from foedus.games.sword_of_rome.state import CAR, ETR, GAL, GRE, IND, ROM, SAM, VOL, State
from foedus.kernel.sketch import SketchError, read_toml
from foedus.kernel.unknown import NONE, UNKNOWN, Unknown
from foedus.kernel.verdict import DEPENDS
from sword_of_rome.play import referee_for

Words = tuple[str, ...]


def read(text: str, players: int = 4) -> State:
    state: State = referee_for(players).sketch(read_toml(text), text)
    return state


def faults(text: str, players: int = 4) -> tuple[str, ...]:
    with pytest.raises(SketchError) as caught:
        read(text, players)
    return caught.value.faults


ONE_FAULT: dict[str, tuple[str, Words]] = {
    "a key": ('turn = 1\nallianses = ["ROM-GRE"]\n', ("line 2", "unknown key 'allianses'", "alliances")),
    "a key of a space": ("[spaces.Roma]\nownr = 'ROM'\n", ("line 2", "key of Roma 'ownr'", "owner")),
    "a key of a siege": (
        "[spaces.Roma]\nowner = 'ROM'\nforces = ['GAL 3']\nsiege = { bye = 'GAL', by = 'GAL' }\n",
        ("line 4", "'bye'", "by"),
    ),
    "a power": ('alliances = ["ROM-GRK"]\n', ("line 1", "unknown power 'GRK'", "GRE")),
    "the owner of a space": ("[spaces.Roma]\nowner = 'RON'\n", ("line 2", "unknown power 'RON'", "ROM")),
    "a player for a power": ('alliances = ["ROM-ES"]\n', ("line 1", "ES is a player", "ETR or SAM")),
    "a space": ("turn = 1\n[spaces.Tarquini]\nowner = 'ETR'\n", ("line 2", "space 'Tarquini'", "Tarquinii")),
    "a ruling": ("[rulings]\nhalf_aly = 'counts'\n", ("line 2", "half_aly", "half_ally")),
    "an option of a ruling": ("[rulings]\nhalf_ally = 'count'\n", ("line 2", "count", "counts")),
    "a leader": ("[spaces.Roma]\nforces = ['ROM 3 Camilus']\n", ("line 2", "leader 'Camilus'", "Camillus")),
    "another's leader": ("[spaces.Roma]\nforces = ['GAL 3 Camillus']\n", ("line 2", "Camillus is no leader of GAL")),
    "a word that is no force": ("[spaces.Roma]\nforces = [12]\n", ("line 1", "'12' is not a force")),
    "a card": ("[hands]\nROM = ['activaton']\n", ("line 2", "card 'activaton'", "activation")),
    "a seat": ("[vp]\nGRR = 6\n", ("line 2", "unknown seat 'GRR'", "GRE")),
    "a seat that does not play": ("active = 'CAR'\n", ("line 1", "CAR", "game of 4")),
    "a phase": ("phase = 'actoin'\n", ("line 1", "phase 'actoin'", "action")),
    "a state of the treaty": ("treaty = 'sigend'\n", ("line 1", "treaty 'sigend'", "signed")),
    "a scenario": ("scenario = 'four-player'\n", ("line 1", "scenario 'four-player'", "four-players")),
    "elsewhere": ("elsewhere = 'hom'\n", ("line 1", "'hom'", "home")),
    "an activated player": ("activated = ['GRE']\n", ("line 1", "GRE is no non-player power")),
    "itself": ('turn = 2\nalliances = ["ROM-ROM"]\n', ("line 2", "ROM cannot be allied with itself")),
    "a pact twice": ('alliances = ["ROM-GRE",\n  "GRE-ROM"]\n', ("GRE", "ROM", "twice")),
    "the standing pair": ('alliances = ["ETR-SAM"]\n', ("line 1", "ETR and SAM", "allied for good")),
    "an alliance of a power without a player": ('alliances = ["ROM-VOL"]\n', ("line 1", "VOL is a non-player power")),
    "one power for a pair": ('alliances = ["ROM"]\n', ("line 1", "two powers are needed", "'ROM'")),
    "too much loyalty": ("[spaces.Roma]\nowner = 'ROM'\nloyalty = 7\n", ("line 3", "loyalty", "from 1 to 3", "7")),
    "loyalty of no city": ("[spaces.Velitrae]\nloyalty = 1\n", ("line 1", "Velitrae", "only a walled city")),
    "a turn": ("turn = 12\n", ("line 1", "turn", "from 1 to 9", "'12'")),
    "points": ("[vp]\nROM = 40\n", ("line 2", "vp ROM", "from 0 to 12")),
    "a number that is none": ("turn = true\n", ("line 1", "turn", "'True'")),
    "two armies": (
        'alliances = []\n[spaces.Roma]\nforces = ["ROM 3", "GAL 2"]\n',
        ("line 2", "Roma", "ROM and GAL", "not allied"),
    ),
    "strangers inside": (
        "alliances = []\n[spaces.Roma]\nowner = 'ROM'\nforces = ['GAL 2 inside']\n",
        ("line 2", "Roma", "GAL has CU inside", "neither its own nor an ally's"),
    ),
    "too many inside": (
        "[spaces.Roma]\nowner = 'ROM'\nforces = ['ROM 4 inside']\n",
        ("line 1", "Roma", "at most 3", "not 4"),
    ),
    "inside of no city": (
        "[spaces.Velitrae]\nowner = 'ROM'\nforces = ['ROM 2 inside']\n",
        ("line 1", "Velitrae", "no walled city"),
    ),
    "a siege by an ally": (
        'alliances = ["ROM-ETR"]\n[spaces.Tarquinii]\nowner = "ETR"\nforces = ["ROM 3"]\nsiege = { by = "ROM" }\n',
        ("line 2", "Tarquinii", "ROM besieges a place of its ally ETR"),
    ),
    "a siege of one's own": (
        'alliances = []\n[spaces.Roma]\nowner = "ROM"\nforces = ["ROM 3"]\nsiege = { by = "ROM" }\n',
        ("line 2", "Roma", "its own place"),
    ),
    "a siege with no troops": (
        'alliances = []\n[spaces.Roma]\nowner = "ROM"\nforces = []\nsiege = { by = "GAL" }\n',
        ("line 2", "Roma", "GAL", "no CU there"),
    ),
    "a siege of a plain space": (
        'alliances = []\n[spaces.Velitrae]\nowner = "ROM"\nforces = ["GAL 2"]\nsiege = { by = "GAL" }\n',
        ("line 2", "Velitrae", "only a walled city or a tribe"),
    ),
    "a leader in two places": (
        "[spaces]\nRoma = { forces = ['ROM 2 Camillus'] }\nVelitrae = { forces = ['ROM 2 Camillus'] }\n",
        ("line 2", "Camillus stands in two places"),
    ),
    "the treaty and the Greeks": (
        "treaty = 'signed'\nalliances = ['ROM-GRE']\n",
        ("line 1", "Rome is not allied with the Greeks"),
    ),
    "active at the end of a turn": ("active = 'ROM'\nphase = 'surrender'\n", ("line 1", "action phase only")),
    "an incomplete order": ("order = ['ROM', 'ES', 'GRE']\n", ("line 1", "every seat")),
    "a list for a table": ("vp = [6, 6]\n", ("line 1", "vp", "a table is needed")),
    "a table for a list": ("alliances = { a = 'ROM-GRE' }\n", ("line 1", "alliances", "a list is needed")),
    "a number for a space": ("[spaces]\nRoma = 3\n", ("line 2", "Roma", "a table is needed")),
    "a number for a hand": ("[hands]\nROM = 3\n", ("line 2", "hands ROM", "a list is needed")),
}


@pytest.mark.parametrize("text, told", ONE_FAULT.values(), ids=ONE_FAULT)
def test_a_fault_is_told(text: str, told: Words) -> None:
    found = faults(text)
    assert len(found) == 1, found
    for word in told:
        assert word in found[0], found[0]


def test_five_players_have_no_treaty() -> None:
    (found,) = faults("treaty = 'signed'\n", 5)
    assert "line 1" in found
    assert "five players" in found


def test_all_faults_are_told_at_once() -> None:
    text = """\
turn = 77
allianses = ["ROM-GRE"]
alliances = ["ROM-ROM", "ROM-GRK"]
[spaces.Roma]
owner = "ROM"
loyalty = 7
forces = ["ROM 3", "GAL 2", "GRE 5 inside"]
[spaces.Tarqinii]
owner = "ETR"
[rulings]
half_ally = "sometimes"
"""
    found = faults(text)
    assert len(found) >= 8
    told = "\n".join(found)
    for line in (1, 2, 3, 6, 8, 11):
        assert f"line {line}: " in told, told
    for word in ("turn", "allianses", "itself", "GRK", "loyalty", "GAL", "at most 3", "Tarqinii", "sometimes"):
        assert word in told


def test_each_line_is_that_of_its_own_space() -> None:
    text = "[spaces.Roma]\nloyalty = 2\nowner = 'ROM'\n[spaces.Pisae]\nowner = 'ETR'\nloyalty = 9\n"
    (found,) = faults(text)
    assert found.startswith("line 6: Pisae loyalty")


def test_what_is_no_toml_says_where() -> None:
    with pytest.raises(SketchError) as caught:
        read_toml("turn = 1\nvp = {\n")
    assert "line 2" in caught.value.faults[0] or "line 3" in caught.value.faults[0]
    with pytest.raises(SketchError):
        read_toml("a = " + "[" * 5000)


@pytest.mark.parametrize(
    "data",
    [
        {"turn": [1]},
        {"vp": {"ROM": "six"}},
        {"alliances": [None, 3, {"pair": 4}, ["ROM", "GRE", "GAL"]]},
        {"spaces": {"Roma": {"forces": [None, {"a": 1}, ["ROM"]], "siege": 4}}},
        {"spaces": {"Roma": {"owner": 5, "loyalty": "?"}}},
        {"hands": {"ROM": [None]}},
        {"acting": {"npp": 3}},
        {"acting": 3},
        {"offers": ["ROM"], "broken": 3, "promises": [3]},
        {"treaty": ["signed"]},
        {"treaty": {}},
        {"scenario": []},
        {"elsewhere": 4},
        {"rulings": {"half_ally": 3}},
        {"rulings": 3},
        {"order": [1, 2]},
        {"active": {}},
        {"phase": 3},
        {"unrest": -1},
    ],
    ids=str,
)
def test_wrong_shapes_are_faults_too(data: dict[str, Any]) -> None:
    with pytest.raises(SketchError):
        referee_for(4).sketch(data)


def test_a_long_fault_is_cut() -> None:
    (found,) = faults(f"phase = '{'x' * 100_000}'\n")
    assert len(found) < 400


# what is left out


def test_nothing_told_is_nothing_known() -> None:
    state = read("")
    assert set(state.owner) == {UNKNOWN}
    assert state.vp == (UNKNOWN,) * len(s.SEATS)
    assert (state.turn, state.phase, state.active) == (UNKNOWN, UNKNOWN, UNKNOWN)
    assert state.are_allied(ETR, SAM)
    assert state.unsure[ROM] >> GRE & 1
    assert not state.unsure[ROM] >> VOL & 1


def opened(text: str, command: Any, players: int = 4) -> tuple[str, ...]:
    """What a verdict on a sketch hangs on."""
    referee = referee_for(players)
    verdict = referee.judge(referee.sketch(read_toml(text), text), command)
    assert verdict.kind == DEPENDS, verdict
    return tuple(one.what for one in verdict.open)


def space(name: str) -> int:
    index: int = referee_for(4).world.board.index[name.lower()]
    return index


def test_an_alliance_that_is_not_told() -> None:
    assert opened("turn = 1\n", c.Attack(ROM, GRE)) == ("allied",)
    verdict = referee_for(4).judge(read("turn = 1\n"), c.Attack(ROM, GRE))
    (question,) = verdict.open
    assert dict(question.subject) == {"power": ROM, "ally": GRE}
    assert question.options == (0, 1)
    assert question.biting == (1,)
    assert question.clause == "15.2.2a"


def test_an_owner_that_is_not_told() -> None:
    text = "alliances = ['ROM-ETR']\n"
    assert "owner" in opened(text, c.Besiege(ROM, space("tarquinii")))
    assert "owner" in opened(text, c.RemoveMarker(ROM, space("velitrae")))
    told = text + "[spaces.Tarquinii]\nowner = 'ETR'\n"
    assert referee_for(4).judge(read(told), c.Besiege(ROM, space("tarquinii"))).kind == "refused"


def test_troops_that_are_not_told() -> None:
    assert opened("alliances = ['ROM-ETR']\n", c.EndMovement(ROM, space("tarquinii"))) == ("troops",)
    told = "alliances = ['ROM-ETR']\n[spaces.Tarquinii]\nforces = []\n"
    assert referee_for(4).judge(read(told), c.EndMovement(ROM, space("tarquinii"))).allowed


def test_points_that_are_not_told() -> None:
    text = "phase = 'surrender'\nalliances = []\n"
    state = read(text)
    with pytest.raises(Unknown) as caught:
        decider(state, CAR)
    assert caught.value.what == "vp"


def test_an_active_player_that_is_not_told() -> None:
    assert opened("alliances = ['ROM-GRE']\n", c.BreakAlliance(ROM, GRE))[0] == "active"


def test_an_unknown_that_decides_nothing_does_not_show() -> None:
    # whoever owns the place: no battle with an ally, wherever it is
    verdict = referee_for(4).judge(read("alliances = ['ROM-GRE']\n"), c.Attack(ROM, GRE, space("tarquinii")))
    assert verdict.kind == "refused"
    assert "15.2.2a" in verdict.clauses


def test_question_marks_say_that_it_is_not_known() -> None:
    text = "elsewhere = 'home'\nalliances = []\n[spaces.Roma]\nowner = '?'\nloyalty = '?'\nforces = '?'\n"
    state = read(text)
    roma = space("roma")
    assert state.owner[roma] == UNKNOWN
    assert state.loyalty[roma] == UNKNOWN
    assert not state.known_troops(roma)
    assert state.owner[space("tarquinii")] == ETR
    assert state.known_troops(space("tarquinii"))


def test_a_sketch_in_russian_and_by_other_names() -> None:
    state = read("alliances = [['Рим', 'Греки']]\n[spaces.'Тарквинии']\nowner = 'Etruscans'\n")
    assert state.formal[ROM] >> GRE & 1
    assert state.owner[space("tarquinii")] == ETR


def test_the_step_that_a_sketch_tells() -> None:
    active = read("active = 'ROM'\nalliances = []\n")
    assert isinstance(active.frames[-1], Activation)
    assert active.phase == s.ACTION
    text = "phase = 'alliances'\nalliances = ['ROM-GRE']\nvp = { ROM = 5, GRE = 6, ES = 6, GAL = 6 }\n"
    renewal = read(text).frames[-1]
    assert isinstance(renewal, Renewal)
    assert renewal.pairs
    assert read("turn = 1\n").frames == ()


def test_independent_places_have_no_owner_but_nobody() -> None:
    state = read("[spaces.Roma]\nowner = 'IND'\n")
    assert state.owner[space("roma")] == IND
    assert state.loyalty[space("roma")] == 1
    assert state.besieged_by[space("roma")] in (UNKNOWN, NONE)
    assert GAL in state.world.powers
