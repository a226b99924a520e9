"""Sketches of Virgin Queen: what cannot be is refused with its line, and what is written is read again."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest

from foedus.games.virgin_queen.sketch import write_sketch
from foedus.games.virgin_queen.state import State
from foedus.kernel.sketch import SketchError

from .whole_play import Step, play, referee_for

CONTRADICTIONS = (
    ('wars = ["SPA-ENG"]\nalliances = ["ENG-SPA"]', 2, "SPA and ENG cannot be allied and at war"),
    ('wars = ["SPA-SPA"]', 2, "SPA cannot be at war with itself"),
    ('wars = ["SPA-PAP"]\nminor_allies = { PAP = "SPA" }', 2, "one is the other's ally by minor_allies"),
    ('alliances = ["SPA-PRO"]', 2, "SPA and PRO can never be allies (ally.6)"),
    ('alliances = ["FRA-SPA", "FRA-PRO"]', 2, "FRA cannot be allied with both SPA and PRO (ally.7)"),
    ('alliances = ["SPA-PAP"]', 2, "PAP is a minor power"),
    ('lent = ["SPA-ENG", "ENG-SPA"]', 2, "SPA and ENG cannot lend to each other (loan.4)"),
    ('minor_allies = { FRA = "SPA" }', 2, "FRA is a great power with a player"),
    ('minor_allies = { PAP = "VEN" }', 2, "VEN is no great power"),
    ('captives = { Guise = "FRA" }', 2, "Guise cannot be a captive of his own power"),
    ('captives = { Guise = "SPA" }\nlost = ["Guise"]', 3, "Guise is a captive"),
    ('engaged = [["Elizabeth I", "Philip II"], ["Elizabeth I", "Rudolf II"]]', 2, "Elizabeth I is engaged twice"),
    ("hands = { PAP = 4 }", 2, "PAP is no great power and holds no cards"),
    ('words = [{ by = "FRA", to = "FRA", text = "x" }]', 2, "FRA promises nothing to itself"),
    ('agreements = [{ by = "FRA", terms = [] }]', 2, "FRA needs another party"),
    (
        'agreements = [{ by = "FRA", with = ["SPA"], terms = ["ENG allies with HRE"] }]',
        2,
        "'ENG allies with HRE' is no term between the parties",
    ),
    (
        'agreements = [\n{ by = "FRA", with = ["SPA"], terms = [] },\n{ by = "FRA", with = ["SPA"], terms = [] }]',
        2,
        "number 1 of FRA with these parties comes twice",
    ),
    ('[spaces]\nParis = { units = ["FRA 2 regulars, Guise"] }\nLyon = { units = ["FRA Guise"] }', 4, "two places"),
    ('[spaces]\nParis = { units = ["FRA Guise, Alba"] }', 3, "Alba is no leader of FRA"),
    ('[spaces]\nParis = { ships = ["FRA 2 squadrons"] }', 3, "ships lie in ports and sea zones only"),
    ('[spaces]\nCadiz = { ships = ["SPA 2 squadrons, Alba"] }', 3, "Alba leads no fleet"),
    ('[spaces]\nCadiz = { units = ["SPA 2 regulars, Santa Cruz"] }', 3, "Santa Cruz leads no armies"),
    ('[spaces]\nCadiz = { ships = ["SPA 2 squadrons lent to SPA"] }', 3, "nothing of SPA can be lent to SPA"),
    ('[spaces]\nCadiz = { ships = ["SPA 2 squadrons lent to PAP"] }', 3, "nothing of SPA can be lent to PAP"),
    ('[spaces]\nCalais = { siege = ["ENG", "SPA"] }', 3, "the one power that besieges is needed"),
    ('[spaces]\nCalais = { owner = "FRA", siege = "FRA", units = ["FRA 1"] }', 3, "cannot besiege its own space"),
    ('[spaces]\nCalais = { siege = "ENG", units = ["FRA 1"] }', 3, "ENG besieges it without land units there"),
    ('[spaces]\nParis = { units = ["FRA 100 regulars"] }', 3, "a number from 0 to 99 and a kind of unit"),
    ('[spaces]\nParis = { units = ["FRA -1 regulars"] }', 3, "a number from 0 to 99 and a kind of unit"),
    ('[seas]\nParis = { ships = ["SPA 2 squadrons"] }', 3, "Paris is no sea zone"),
)


@pytest.mark.parametrize(("text", "line", "fault"), CONTRADICTIONS)
def test_what_cannot_be_is_refused_with_its_line(text: str, line: int, fault: str) -> None:
    """One clear fault, and where it stands."""
    source = f"players = 6\n{text}\n"
    with pytest.raises(SketchError) as raised:
        referee_for(6).sketch(tomllib.loads(source), source)
    (told,) = raised.value.faults
    assert fault in told
    assert told.startswith(f"line {line}: "), told


def test_every_fault_is_told() -> None:
    """Not only the first."""
    source = 'turn = 9\nphase = "wra"\nwars = ["SPA-XXX"]\nevents = ["sebastien"]\nhands = { FRA = ["mustr"] }\n'
    with pytest.raises(SketchError) as raised:
        referee_for(6).sketch(tomllib.loads(source), source)
    assert [one.partition(":")[0] for one in raised.value.faults] == [f"line {n}" for n in range(1, 6)]


def test_a_power_without_a_player_has_no_ally() -> None:
    """With four players nobody plays the Empire: it can be won, and wins nobody."""
    data: dict[str, Any] = {"players": 4, "minor_allies": {"OTT": "HRE"}}
    with pytest.raises(SketchError, match="HRE has no player"):
        referee_for(4).sketch(data)
    assert referee_for(4).sketch({**data, "minor_allies": {"OTT": "ENG"}}).minor_ally[0] == 2


@pytest.mark.parametrize(("players", "seed"), [(2, 1), (4, 3), (6, 5)])
def test_positions_of_whole_games_are_written_and_read_again(players: int, seed: int) -> None:
    """As far as a sketch says them: what is read and written once more is the same."""
    referee = referee_for(players)
    states = [step.after for step in play(players, seed) if isinstance(step, Step)]
    for state in states[::23]:
        data = write_sketch(state)
        read: State = referee.sketch(data)
        assert write_sketch(read) == data
        assert (read.wars, read.allies, read.minor_ally) == (state.wars, state.allies, state.minor_ally)
        assert (read.owner, read.land, read.fleets) == (state.owner, state.land, state.fleets)
        assert (read.besieged_by, read.captor) == (state.besieged_by, state.captor)
        assert read.hands[:6] == state.hands[:6]
        assert {one.key for one in read.offers} == {one.key for one in state.offers}
