"""The smallest positions of faults that random play and the oracles found, so that they stay mended."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

import foedus.games.sword_of_rome.state as s
from foedus.games.sword_of_rome import commands as c
from foedus.games.sword_of_rome import frames as f
from foedus.games.sword_of_rome.events import AllianceMade, DeciderNamed
from foedus.games.sword_of_rome.sketch import write_sketch
from foedus.games.sword_of_rome.state import CAR, ETR, GAL, GRE, ROM, SAM, VOL, State
from foedus.kernel.dice import FastDice, NeedDice, ToldDice
from foedus.kernel.flow import Sealed
from foedus.kernel.unknown import NONE
from foedus.kernel.values import Command, Frame
from sword_of_rome import play as p

R = p.referee_for(4)
W = R.world
HAND = {"ROM": ["activation", "three"], "ES": ["activation", "three"], "GRE": ["three"], "GAL": ["two", "three"]}


def at(name: str) -> int:
    index: int = W.board.index[name.lower().replace(" ", "_").replace("-", "_")]
    return index


def leader(name: str) -> int:
    index: int = W.leader_names.index(name)
    return index


def card(name: str) -> int:
    return next(index for index, one in enumerate(W.cards) if one.id == name)


def game(spaces: dict[str, Any] | None = None, **facts: Any) -> State:
    """A position of a game under way: Rome active, nothing unknown."""
    data = {
        "turn": 2,
        "round": 1,
        "active": "ROM",
        "elsewhere": "home",
        "alliances": [],
        "vp": {"ROM": 6, "ES": 6, "GRE": 6, "GAL": 6},
        "hands": HAND,
        "spaces": {name: {"siege": "none", **told} for name, told in (spaces or {}).items()},
        **facts,
    }
    state: State = replace(R.sketch(data), sketched=False)
    return state


def on(state: State, *frames: Frame) -> State:
    above: State = replace(state, frames=(*state.frames, *frames))
    return above


def refused(state: State, command: Command, clause: str) -> None:
    verdict = R.judge(state, command)
    assert verdict.kind == "refused", verdict
    assert clause in verdict.clauses, verdict


def test_an_army_with_nowhere_to_end_is_not_activated() -> None:
    # Volsci far from Rome's region, activated: every way ends where they may not
    state = game({"Tarentum": {"owner": "GRE", "forces": ["VOL 3 A"]}}, acting={"npp": "VOL", "by": "ROM"})
    state = on(state, f.NPPAction(VOL, s.S_ROM))
    refused(state, c.Activate(VOL, leader("VOL A"), at("Tarentum"), 3), "16.3")
    assert c.Done(VOL) in R.choices(state, s.S_ROM)


def test_no_new_alliance_stops_a_march() -> None:
    # Rome's army stands on a Greek leader's space with no way on: the Greeks can accept when it has halted
    state = game({"Velitrae": {"forces": ["ROM 3 Camillus"]}, "Roma": {"forces": ["GRE 0 Dionysius", "ROM 1"]}})
    state = R.act(state, c.ProposeAlliance(ROM, GRE)).state
    march = f.Marching(ROM, leader("Camillus"), 3, at("Velitrae"), NONE, 0)
    state = on(state, march)
    state = replace(
        state,
        leader_at=tuple(
            at("Velitrae") if i == leader("Dionysius") else where for i, where in enumerate(state.leader_at)
        ),
    )
    assert R.awaiting(state)[0].what == "march"
    refused(state, c.AcceptAlliance(GRE, ROM), "f5.1")
    assert c.AcceptAlliance(GRE, ROM) not in R.choices(state, s.S_GRE)
    halted = R.act(state, c.Halt(ROM)).state
    assert R.act(halted, c.AcceptAlliance(GRE, ROM)).state.formal[ROM] >> GRE & 1


def test_a_name_is_no_sealed_answer() -> None:
    state = game(
        {"Velitrae": {"forces": ["ROM 3 Camillus"]}, "Antium": {"forces": ["VOL 4 A"]}},
        vp={"ROM": 6, "ES": 5, "GRE": 5, "GAL": 6},
    )
    state = on(
        state,
        f.Marching(ROM, leader("Camillus"), 3, at("Velitrae"), at("Roma"), 2, stage=2),
        f.Interceptions(1 << VOL, (), ROM, at("Velitrae"), at("Roma"), 3),
    )
    namer = R.awaiting(state)[0].seat
    names = R.choices(state, namer)
    assert {type(one) for one in names} == {c.NameDecider}
    refused(state, c.StayPut(VOL), "f4.5")
    outcome = R.act(state, names[0])
    assert not any(isinstance(event, Sealed) for event in outcome.events)
    assert any(isinstance(event, DeciderNamed) for event in outcome.events)
    (decision,) = R.awaiting(outcome.state)
    assert decision.what == "intercept"
    assert decision.seat == outcome.state.named[VOL]


def spoils() -> State:
    return on(game({"Velitrae": {"forces": ["ROM 3"]}}), f.Spoils(ROM, GAL, 2))


def test_nobody_ends_what_is_another_powers() -> None:
    refused(spoils(), c.Done(GRE), "f5.1")
    assert R.judge(spoils(), c.Done(ROM)).allowed


def test_spoils_are_taken_from_the_loser_only() -> None:
    refused(spoils(), c.RemoveSupport(ROM, at("Tarentum"), "battle"), "f12.8")
    refused(spoils(), c.RemoveSupport(ROM, at("Tarentum"), "event"), "f12.8")
    assert R.judge(spoils(), c.RemoveMarker(ROM, at("Luna"), "battle")).allowed or W.kinds[at("Luna")] == "city"


def test_a_retreat_begins_where_the_battle_was() -> None:
    state = game({"Velitrae": {"forces": ["ROM 3 Camillus"]}, "Roma": {"forces": ["ROM 2"]}})
    state = on(state, f.Retreating(ROM, GAL, at("Velitrae"), NONE, False, 1))
    goals = [command for command in R.choices(state, s.S_ROM) if isinstance(command, c.Retreat)]
    for goal in goals:
        refused(state, c.Retreat(ROM, at("Roma"), goal.to), "f12.5")


@pytest.mark.parametrize(
    "command",
    [
        c.Attack(ROM, GAL, at("Velitrae")),
        c.TakeControl(ROM, at("Velitrae")),
        c.EndMovement(ROM, at("Velitrae")),
        c.PassThrough(ROM, at("Velitrae")),
        c.RemoveUnits(ROM, GAL, at("Velitrae")),
        c.JoinForces(ROM, ROM),
        c.GoInside(ROM, at("Roma"), 1),
    ],
    ids=lambda one: type(one).__name__,
)
def test_parts_of_commands_are_not_given_by_themselves(command: Command) -> None:
    state = game({"Velitrae": {"forces": ["GAL 3"], "owner": "GAL"}, "Roma": {"forces": ["ROM 2"]}})
    refused(state, command, "f5.1")


def test_parts_of_commands_are_judged_on_a_sketch() -> None:
    state = replace(game({"Velitrae": {"forces": ["GAL 3"], "owner": "GAL"}}), sketched=True)
    assert R.judge(state, c.Attack(ROM, GAL, at("Velitrae"))).allowed


def test_nothing_is_played_without_a_card_in_a_game() -> None:
    state = game({"Antium": {"forces": ["VOL 4 A"]}})
    for command in (c.PlayEvent(ROM, "harm", GAL), c.PlayValue(ROM, NONE, "support"), c.ActivateNPP(ROM, VOL)):
        refused(state, command, "f7.4")


def test_a_card_named_in_a_campaign_gives_no_points() -> None:
    state = game({"Luna": {"forces": ["GAL 4 A"]}}, active="GAL")
    state = on(state, f.Campaign(s.S_GAL, 2))
    assert R.judge(state, c.Activate(GAL, leader("GAL A"), at("Luna"), 4)).allowed
    refused(state, c.Activate(GAL, leader("GAL A"), at("Luna"), 4, card("three")), "f5.1")


def test_only_the_player_of_the_campaign_brings_a_flank_and_only_against_a_foe() -> None:
    state = game({"Velitrae": {"forces": ["GAL 3"], "owner": "GAL"}, "Roma": {"forces": ["ROM 4 Camillus"]}})
    state = on(state, f.Campaign(s.S_ROM, 2))
    flank = c.Flank(ROM, ROM, at("Roma"), at("Roma"), 2, at("Velitrae"))
    assert R.judge(state, flank).allowed
    assert replace(flank, count=0) in R.choices(state, s.S_ROM)  # how many is asked next
    refused(on(state, f.Campaign(s.S_GRE, 2)), flank, "f5.1")
    other = next(way.to for way in W.board.neighbours[at("Roma")] if way.to != at("Velitrae"))
    refused(state, c.Flank(ROM, ROM, at("Roma"), at("Roma"), 2, other), "9.5.6")


def test_a_minor_leader_comes_out_to_his_own_troops_only() -> None:
    state = game({"Antium": {"forces": ["VOL 4"]}}, acting={"npp": "VOL", "by": "ROM"})
    state = on(state, f.NPPAction(VOL, s.S_ROM, True))
    assert R.judge(state, c.PlaceMinor(VOL, leader("VOL A"), at("Antium"))).allowed
    refused(state, c.PlaceMinor(VOL, leader("Camillus"), at("Antium")), "f8.5")
    refused(state, c.PlaceMinor(VOL, leader("VOL A"), at("Roma")), "f8.5")


def test_an_offer_is_withdrawn_while_a_march_is_under_way() -> None:
    state = game({"Velitrae": {"forces": ["ROM 3 Camillus"]}})
    state = R.act(state, c.ProposeAlliance(ROM, GAL)).state
    state = R.act(state, c.Activate(ROM, leader("Camillus"), at("Velitrae"), 3, card("three"))).state
    assert isinstance(state.frames[-1], f.Marching)
    assert c.WithdrawOffer(ROM, GAL) in R.choices(state, s.S_ROM)
    assert R.act(state, c.WithdrawOffer(ROM, GAL)).state.offers == ()


def test_an_alliance_with_a_power_without_a_player_where_a_table_allows_it() -> None:
    state = game(rulings={"npp_alliances": "allowed"}, vp={"ROM": 6, "ES": 5, "GRE": 4, "GAL": 6})
    assert not R.judge(state, c.ProposeAlliance(VOL, ROM)).allowed
    state = R.act(state, c.ProposeAlliance(ROM, VOL)).state
    answer = c.AcceptAlliance(VOL, ROM)
    assert answer in R.choices(state, s.S_GRE)
    assert R.view(state, s.S_GAL).offers == state.offers
    state = R.act(state, answer).state
    assert state.formal[ROM] >> VOL & 1
    assert c.BreakAlliance(ROM, VOL) in R.choices(state, s.S_ROM)


def test_the_transalpine_gauls_gather_in_their_own_box() -> None:
    state = game(active="none", phase="reinforcement", vp={"ROM": 5, "ES": 6, "GRE": 6, "GAL": 6})
    state = on(state, f.Reinforcing((s.TRA,), 1))
    boxes = [space for space, kind in enumerate(W.kinds) if kind == "box"]
    assert len(boxes) == 2
    for box in boxes:
        assert R.judge(state, c.PlaceUnits(s.TRA, box)).allowed == (W.home[box] == s.TRA)


def test_a_power_that_does_not_play_makes_no_alliance() -> None:
    three = p.referee_for(3)
    state = three.sketch({"active": "ROM", "alliances": [], "rulings": {"npp_alliances": "allowed"}})
    verdict = three.judge(state, c.ProposeAlliance(ROM, GAL))
    assert "15.1.2b" in verdict.clauses


def test_a_city_without_loyalty_is_written_and_read_again() -> None:
    # Carthago has none with four players
    state = R.sketch({"elsewhere": "home", "alliances": []})
    assert state.loyalty[at("Carthago")] == 0
    assert R.sketch(write_sketch(state)) == state


def test_an_ally_who_besieges_an_ally_is_no_enemy_army() -> None:
    # 15.2.2a speaks of him; 15.3n is about enemies
    state = R.sketch(
        {
            "alliances": ["ROM-GRE", "ROM-GAL"],
            "spaces": {"Tarentum": {"owner": "GRE", "forces": ["GAL 4", "GRE 1 inside"], "siege": {"by": "GAL"}}},
        }
    )
    assert R.judge(state, c.Attack(ROM, GAL, at("Tarentum"))).clauses == ("15.2.2a",)


def test_relief_of_one_ally_does_not_end_on_another() -> None:
    # the besieger is there, nobody is inside, but a third power, an ally too, stands outside
    told = {"owner": "GRE", "forces": ["GAL 2", "SAM 1"], "siege": {"by": "GAL", "points": 0}}
    state = game(
        {"Tarentum": told, "Metapontum": {"forces": ["ROM 4 Camillus"]}},
        alliances=["ROM-GRE", "ROM-SAM", "SAM-GAL"],
    )
    state = on(state, f.Marching(ROM, leader("Camillus"), 4, at("Metapontum"), NONE, 4))
    refused(state, c.Step(ROM, at("Tarentum")), "15.3a")
    told["forces"] = ["GAL 2"]
    alone = game(
        {"Tarentum": told, "Metapontum": {"forces": ["ROM 4 Camillus"]}}, alliances=["ROM-GRE", "ROM-SAM", "SAM-GAL"]
    )
    alone = on(alone, f.Marching(ROM, leader("Camillus"), 4, at("Metapontum"), NONE, 4))
    assert R.judge(alone, c.Step(ROM, at("Tarentum"))).allowed


def test_an_army_among_friends_in_an_open_city_is_not_intercepted() -> None:
    # facts 15.30: only besieged ones do not count; else a battle won there would stack allies
    told: dict[str, Any] = {"owner": "GRE", "forces": ["GRE 2 inside"], "siege": "none"}
    sketch = {"alliances": ["ROM-GRE"], "spaces": {"Tarentum": told, "Metapontum": {"forces": ["SAM 4 A"]}}}
    command = c.Intercept(SAM, ROM, at("Tarentum"), at("Metapontum"))
    assert "f15.30" in R.judge(R.sketch(sketch), command).clauses
    stranger = R.sketch({**sketch, "alliances": []})
    assert "f15.30" not in R.judge(stranger, command).clauses  # he comes to besiege them
    told["forces"] = ["GRE 2 inside", "GAL 3"]
    told["siege"] = {"by": "GAL", "points": 0}
    (reason,) = [one for one in R.judge(R.sketch(sketch), command).reasons if one.clause == "f15.30"]
    assert dict(reason.facts)["other"] == GAL


def test_what_is_no_city_is_not_conceded_to_a_siege() -> None:
    state = R.sketch({"alliances": ["ROM-GRE"], "spaces": {"Velitrae": {"owner": "GRE", "forces": ["ROM 3"]}}})
    assert "15.2.3n" not in R.judge(state, c.Besiege(ROM, at("Velitrae"))).clauses
    assert "15.2.3n" in R.judge(state, c.RemoveMarker(ROM, at("Velitrae"))).clauses


def test_an_alliance_between_players_is_kept_by_its_event() -> None:
    state = game()
    made = AllianceMade(SAM, GRE, 2, 1).apply(state)
    assert made.formal[GRE] >> SAM & 1
    assert not made.formal[GRE] >> ETR & 1
    assert not made.allies[GRE] >> CAR & 1


def test_told_dice_are_given_back_when_a_step_needs_more() -> None:
    state = game({"Velitrae": {"forces": ["ROM 6 Camillus"]}, "Roma": {"forces": ["GAL 6 A"], "owner": "ROM"}})
    state = R.act(state, c.Activate(ROM, leader("Camillus"), at("Velitrae"), 6, card("three"))).state
    state = R.act(state, c.Step(ROM, at("Roma")), FastDice(1)).state
    dice = ToldDice([1, 2])
    command = c.StayPut(GAL)
    assert command in R.choices(state, s.S_GAL)
    with pytest.raises(NeedDice):
        R.act(state, command, dice)
    assert list(dice.unused().dice) == [1, 2]
