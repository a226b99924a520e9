"""The restated rules against the cases that the rules themselves tell."""

from __future__ import annotations

from dataclasses import replace

import pytest

from .restated_alliances import Place, Troops, World, ruling
from .restated_npp import Question, deciders

FOUR = {"ROM": ("ROM",), "ES": ("ETR", "SAM"), "GRE": ("GRE",), "GAL": ("GAL",)}
FIVE = {**FOUR, "CAR": ("CAR",)}
POWERS = ("ROM", "GAL", "GRE", "ETR", "SAM", "CAR", "VOL", "TRA")


def pairs(*names: str) -> frozenset[frozenset[str]]:
    return frozenset(frozenset(name.split("-")) for name in names)


def world(place: Place, *alliances: str) -> World:
    return World({place.name: place}, pairs(*alliances), POWERS)


def only(*clauses: str) -> frozenset[str]:
    return frozenset(clauses)


def test_partial_alliance_reaches_one_half_only() -> None:  # 15.1.2x
    w = world(Place("here", "city", None, "SAM"), "GRE-ETR")
    assert ruling(w, ("attack", "GRE", "ETR", "here")) == only("15.2.2a")
    assert ruling(w, ("attack", "GRE", "SAM", "here")) == only()
    assert ruling(w, ("besiege", "GRE", "here")) == only()


def test_seven_acts() -> None:  # 15.2.2a to g
    allies = "ROM-GRE"
    city, tribe, space = (world(Place("here", kind, None, "GRE"), allies) for kind in ("city", "tribe", "space"))
    assert ruling(city, ("attack", "ROM", "GRE", "here")) == only("15.2.2a")
    assert ruling(city, ("intercept", "ROM", "GRE", "here")) == only("15.2.2b")
    assert ruling(city, ("besiege", "ROM", "here")) == only("15.2.2c")
    assert ruling(tribe, ("subjugate", "ROM", "here")) == only("15.2.2d")
    assert ruling(space, ("remove_marker", "ROM", "here")) == only("15.2.2e")
    assert ruling(space, ("remove_units", "ROM", "GRE", "here")) == only("15.2.2f")
    assert ruling(city, ("remove_support", "ROM", "here")) == only("15.2.2g")


def test_etruscans_and_samnites_need_no_treaty() -> None:  # 15.1.M1
    w = world(Place("here", "space", "SAM", "SAM", (Troops("SAM", outside=2),)))
    assert ruling(w, ("attack", "ETR", "SAM", "here")) == only("15.2.2a")
    assert ruling(w, ("end_movement", "ETR", "here")) == only("15.3a")
    assert ruling(w, ("take_control", "ETR", "here")) == only("15.2.2e", "15.2.3a")


@pytest.mark.parametrize("owner", ["IND", "GAL"])
def test_allied_home_is_not_to_be_taken_though_others_hold_it(owner: str) -> None:  # 15.2.3a, b, c
    space = world(Place("here", "space", "GRE", owner), "ROM-GRE")
    assert ruling(space, ("take_control", "ROM", "here")) == only("15.2.3a")
    assert ruling(space, ("remove_marker", "ROM", "here")) == only()
    city = world(Place("here", "city", "GRE", owner), "ROM-GRE")
    assert ruling(city, ("besiege", "ROM", "here")) == only()
    assert ruling(city, ("liberate", "ROM", "here")) == only()
    assert ruling(city, ("take_control", "ROM", "here")) == only("15.2.3a")


def test_region_of_the_other_power_of_that_player_is_open() -> None:  # 15.2.3a
    w = world(Place("here", "space", "SAM", "IND"), "ROM-ETR")
    assert ruling(w, ("take_control", "ROM", "here")) == only()


def test_own_home_is_conceded() -> None:  # 15.2.3n
    city = world(Place("here", "city", "ROM", "GAL"), "ROM-GAL")
    assert ruling(city, ("besiege", "ROM", "here")) == only("15.2.2c", "15.2.3n")
    assert ruling(city, ("remove_support", "ROM", "here")) == only("15.2.2g", "15.2.3n")
    assert ruling(city, ("take_control", "ROM", "here")) == only("15.2.2g", "15.2.3n")
    tribe = world(Place("here", "tribe", "ROM", "GAL"), "ROM-GAL")
    assert ruling(tribe, ("subjugate", "ROM", "here")) == only("15.2.2d", "15.2.3n")
    space = world(Place("here", "space", "ROM", "GAL"), "ROM-GAL")
    assert ruling(space, ("remove_marker", "ROM", "here")) == only("15.2.2e", "15.2.3n")
    assert ruling(space, ("take_control", "ROM", "here")) == only("15.2.2e", "15.2.3n")
    assert ruling(world(Place("here", "city", "ROM", "GAL")), ("besiege", "ROM", "here")) == only()


def test_one_ally_holding_the_home_of_another() -> None:  # 15.2.2g, 15.2.3a
    w = world(Place("here", "city", "GRE", "GAL"), "ROM-GAL", "ROM-GRE")
    assert ruling(w, ("take_control", "ROM", "here")) == only("15.2.2g", "15.2.3a")
    assert ruling(w, ("liberate", "ROM", "here")) == only("15.2.2g")


@pytest.mark.parametrize(
    "inside",
    [Troops("GRE", inside=1), Troops("GRE", leaders_inside=1)],
)
def test_relief_is_refused_with_the_ally_inside(inside: Troops) -> None:  # 15.3n, 15.3.M2
    besieger = Troops("CAR", outside=4)
    w = world(Place("here", "city", "GRE", "GRE", (besieger, inside), "CAR"), "ROM-GRE")
    assert ruling(w, ("attack", "ROM", "CAR", "here")) == only("15.3n")
    assert ruling(w, ("end_movement", "ROM", "here")) == only("15.3a")
    stranger = replace(w, alliances=pairs())
    assert ruling(stranger, ("attack", "ROM", "CAR", "here")) == only()


def test_relief_is_open_with_the_city_empty() -> None:  # 15.3p
    w = world(Place("here", "city", "GRE", "GRE", (Troops("CAR", outside=4),), "CAR"), "ROM-GRE")
    assert ruling(w, ("attack", "ROM", "CAR", "here")) == only()
    assert ruling(w, ("end_movement", "ROM", "here")) == only()


@pytest.mark.parametrize(
    "troops",
    [
        Troops("GRE", outside=1),
        Troops("GRE", inside=1),
        Troops("GRE", leaders_outside=1),
        Troops("GRE", leaders_inside=1),
    ],
)
def test_through_an_ally_but_not_onto_him(troops: Troops) -> None:  # 15.3a, 15.3b
    w = world(Place("here", "city", "GRE", "GRE", (troops,)), "ROM-GRE")
    assert ruling(w, ("end_movement", "ROM", "here")) == only("15.3a")
    assert ruling(w, ("pass_through", "ROM", "here")) == only()
    assert ruling(w, ("end_movement", "GRE", "here")) == only()
    assert ruling(w, ("end_movement", "GAL", "here")) == only()


def test_empty_ally_is_no_bar() -> None:  # 15.3a
    w = world(Place("here", "space", "GRE", "GRE", (Troops("GRE"),)), "ROM-GRE")
    assert ruling(w, ("end_movement", "ROM", "here")) == only()


def test_activated_volsci_stay_hostile_to_rome() -> None:  # 15.6, 15.6b, 16.1.2
    w = world(Place("here", "space", "ROM", "ROM", (Troops("ROM", outside=3),)), "GRE-ROM", "VOL-GRE")
    assert ruling(w, ("attack", "VOL", "ROM", "here")) == only()
    assert ruling(w, ("attack", "VOL", "GRE", "here")) == only("15.2.2a")


MERCENARIES = Question(
    players=5,
    seats=FIVE,
    vp={"GRE": 4, "CAR": 5, "GAL": 6, "ROM": 7, "ES": 8},
    alliances=pairs("GRE-CAR", "ROM-ETR", "ROM-SAM", "GAL-ETR"),
    active=None,
    npp="MER",
    moment="turn_end",
)

VOLSCI = Question(
    players=4,
    seats=FOUR,
    vp={"GRE": 4, "GAL": 6, "ROM": 3, "ES": 8},
    alliances=pairs(),
    active="ROM",
    npp="VOL",
    moment="inactive",
)


def test_mercenaries_at_the_end_of_a_turn() -> None:  # 16.1.c, 16.1.g
    assert deciders(MERCENARIES) == ("GAL", only("GAL"), "16.1.c")
    alone = replace(MERCENARIES, alliances=pairs("ROM-ETR", "ROM-SAM", "GAL-ETR"))
    assert deciders(alone) == ("GRE", only("GRE"), "16.1.c")


def test_whoever_plays_the_event_decides() -> None:  # 16.1.a
    q = replace(VOLSCI, moment="activated", activator="GRE", active="GRE", alliances=pairs("GRE-ROM"))
    assert deciders(q) == ("GRE", only("GRE"), "16.1.a")


def test_fewest_vp_not_allied_with_the_active_player() -> None:  # 16.1.b, 16.1.M3
    assert deciders(VOLSCI) == ("GRE", only("GRE"), "16.1.b")
    assert deciders(replace(VOLSCI, alliances=pairs("ROM-GRE"))) == ("GAL", only("GAL"), "16.1.b")
    may = replace(VOLSCI, rulings={"active_player_as_decider": "may_decide"})
    assert deciders(may) == ("ROM", only("ROM"), "16.1.b")


def test_player_of_two_powers_is_not_his_own_ally() -> None:  # 16.1.M3
    q = replace(
        VOLSCI,
        active="ES",
        vp={"GRE": 4, "GAL": 6, "ROM": 5, "ES": 1},
        alliances=pairs("ETR-SAM"),
        rulings={"active_player_as_decider": "may_decide"},
    )
    assert deciders(q) == ("ES", only("ES"), "16.1.b")


def test_exclusions_bind_while_inactive_only_by_ruling() -> None:  # 16.1.M1, 16.1.e
    q = replace(VOLSCI, active="GAL", alliances=pairs("ROM-GRE"))
    assert deciders(q) == ("ROM", only("ROM"), "16.1.b")
    always = {"exclusions_while_inactive": "always"}
    assert deciders(replace(q, rulings=always)) == ("ES", only("ES"), "16.1.b")


@pytest.mark.parametrize(
    ("npp", "decider"),
    [("TRA", "ROM"), ("VOL", "GAL"), ("CAR", "GAL")],
)
def test_each_exclusion(npp: str, decider: str) -> None:  # 16.1.d to f
    q = replace(VOLSCI, npp=npp, moment="turn_end", active=None, vp={"GAL": 1, "ROM": 2, "GRE": 3, "ES": 4})
    assert deciders(q) == (decider, only(decider), "16.1.c")


def test_half_ally() -> None:  # 16.1.M4
    ignored = {"half_ally": "ignored"}
    q = replace(VOLSCI, active="ES", alliances=pairs("ROM-ETR", "ETR-SAM"))
    assert deciders(q) == ("GRE", only("GRE"), "16.1.b")
    assert deciders(replace(q, rulings=ignored)) == ("ROM", only("ROM"), "16.1.b")
    whole = replace(q, alliances=pairs("ROM-ETR", "ROM-SAM"), rulings=ignored)
    assert deciders(whole) == ("GRE", only("GRE"), "16.1.b")
    candidate = replace(VOLSCI, vp={"GRE": 4, "GAL": 6, "ROM": 3, "ES": 1}, alliances=pairs("ROM-SAM"))
    assert deciders(candidate) == ("GRE", only("GRE"), "16.1.b")
    assert deciders(replace(candidate, rulings=ignored)) == ("ES", only("ES"), "16.1.b")


def test_ties() -> None:  # 16.1.M2, 4.4
    q = replace(VOLSCI, vp={"GRE": 4, "GAL": 6, "ROM": 3, "ES": 4})
    assert deciders(q) == ("ES", only("ES", "GRE"), "16.1.b")
    assert deciders(replace(q, rulings={"decider_tie": "tie_rank"})) == ("ES", only("ES"), "16.1.b")
    three = replace(VOLSCI, vp={"GRE": 4, "GAL": 4, "ROM": 3, "ES": 4})
    assert deciders(three) == ("GAL", only("GAL", "ES", "GRE"), "16.1.b")


def test_rome_for_carthage() -> None:  # 16.1.h, 16.1.M7
    for moment in ("activated", "inactive", "turn_end"):
        q = replace(VOLSCI, npp="CAR", moment=moment, activator="ROM", treaty=True)
        assert deciders(q) == ("ROM", only("ROM"), "16.1.h")
    pact = replace(VOLSCI, npp="CAR", active="GAL", alliances=pairs("ROM-CAR"), vp={**VOLSCI.vp, "ROM": 9})
    assert deciders(pact) == ("GRE", only("GRE"), "16.1.b")
    broad = replace(pact, rulings={"rome_decides_when": "any_alliance"})
    assert deciders(broad) == ("ROM", only("ROM"), "16.1.h")
    assert deciders(replace(VOLSCI, treaty=True))[2] == "16.1.b"


def test_fallback() -> None:  # 16.1.i, 16.1.M5, 16.1.M6
    q = replace(VOLSCI, alliances=pairs("ROM-GRE", "ROM-GAL", "ROM-SAM"))
    assert deciders(q) == ("GRE", only("GRE"), "16.1.i")
    assert deciders(replace(q, rulings={"fallback_among": "all_players"})) == ("ROM", only("ROM"), "16.1.i")
    passive = {"fallback_reach": "turn_end_only"}
    assert deciders(replace(q, rulings=passive)) == ("", only(), "16.1.b")
    at_end = replace(q, moment="turn_end", active=None, rulings=passive)
    assert deciders(at_end) == ("GRE", only("GRE"), "16.1.i")


def test_fallback_with_nobody_left() -> None:  # 16.1.M6
    q = replace(
        VOLSCI,
        players=2,
        seats={"NORTH": ("GAL", "GRE"), "SOUTH": ("ROM", "ETR", "SAM")},
        vp={"NORTH": 5, "SOUTH": 5},
        active="NORTH",
        rulings={"exclusions_while_inactive": "always"},
    )
    assert deciders(q) == ("NORTH", only("NORTH", "SOUTH"), "16.1.i")
