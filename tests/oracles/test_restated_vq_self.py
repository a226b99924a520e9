"""The restated rules of Virgin Queen against examples worked out by hand from the rule text."""

from __future__ import annotations

from dataclasses import replace

import pytest

from . import restated_vq_alliances as relations
from . import restated_vq_defence as defence
from . import restated_vq_loans as loans
from . import restated_vq_settlement as settlement
from .restated_vq_settlement import State, Term, settle

Pair = frozenset[str]


def pairs(*names: str) -> frozenset[Pair]:
    return frozenset(frozenset(name.split("-")) for name in names)


def one(name: str) -> Pair:
    return frozenset(name.split("-"))


def only(*clauses: str) -> frozenset[str]:
    return frozenset(clauses)


# Alliances

START = relations.World(
    wars=pairs("OTT-SPA", "ENG-FRA"),
    minor_allies={"PAP": "SPA", "SCO": "FRA"},
    cells={one("SPA-HRE"): "4", one("OTT-PAP"): "N/A", one("FRA-SCO"): "ally only", one("HRE-VEN"): "possible ally"},
)


def test_no_alliance_in_war_whoever_asks() -> None:  # ally.5
    assert relations.alliance_forbidden(START, "ENG", "FRA") == only("ally.5")
    assert relations.alliance_forbidden(START, "FRA", "ENG") == only("ally.5")
    assert relations.alliance_forbidden(START, "ENG", "SPA") == only()


def test_spain_and_the_protestants_never() -> None:  # ally.6
    assert relations.alliance_forbidden(START, "PRO", "SPA") == only("ally.6")
    at_war = replace(START, wars=pairs("SPA-PRO"))
    assert relations.alliance_forbidden(at_war, "SPA", "PRO") == only("ally.5", "ally.6")


@pytest.mark.parametrize(("first", "second"), [("SPA", "PRO"), ("PRO", "SPA")])
def test_france_with_one_of_the_two(first: str, second: str) -> None:  # ally.7, ally.14
    assert relations.alliance_forbidden(START, "FRA", first) == only()
    taken = replace(START, alliances=pairs(f"FRA-{first}"))
    assert relations.alliance_forbidden(taken, second, "FRA") == only("ally.7")
    assert relations.alliance_forbidden(taken, "FRA", "HRE") == only()
    assert relations.alliance_forbidden(relations.end_of_turn(taken), "FRA", second) == only()


def test_many_alliances_and_none_passed_on() -> None:  # ally.3, ally.4
    both = replace(START, alliances=pairs("HRE-SPA", "HRE-PRO"))
    assert relations.allied(both, "SPA", "HRE")
    assert not relations.allied(both, "SPA", "PRO")
    assert relations.alliance_forbidden(both, "HRE", "ENG") == only()


def test_minor_powers_make_no_such_alliance() -> None:  # ally.8, f8.16
    assert relations.alliance_forbidden(START, "SPA", "PAP") == only("ally.8")
    assert relations.alliance_forbidden(START, "ENG", "SCO") == only("ally.8", "ally.5")
    assert relations.alliance_forbidden(START, "SCO", "PAP") == only("ally.8")
    for minor, great, tied in (
        ("PAP", "SPA", True),
        ("PAP", "FRA", False),
        ("POR", "SPA", False),
        ("PAP", "SCO", False),
    ):
        assert relations.allied(START, minor, great) is tied
        assert relations.allied(START, great, minor) is tied


def test_only_at_the_announcement() -> None:  # ally.13
    later = replace(START, announcing=False)
    assert relations.alliance_forbidden(later, "ENG", "HRE") == only("ally.13")
    assert relations.alliance_forbidden(later, "ENG", "FRA") == only("ally.13", "ally.5")


def test_peace_first_or_alliance_first() -> None:  # ally.M1
    peace, alliance = ("peace", "ENG", "FRA"), ("alliance", "FRA", "ENG")
    after, answers = relations.announce(START, (peace, alliance))
    assert answers == (only(), only())
    assert after.alliances == pairs("ENG-FRA")
    assert after.wars == pairs("OTT-SPA")
    after, answers = relations.announce(START, (alliance, peace))
    assert answers == (only("ally.5"), only())
    assert after.alliances == pairs()
    refused = replace(START, rulings={"peace_then_alliance": "refused"})
    after, answers = relations.announce(refused, (peace, alliance))
    assert answers == (only(), only("ally.5"))
    assert after.wars == pairs("OTT-SPA")
    # Next turn the ended war is past in either ruling.
    assert relations.alliance_forbidden(relations.end_of_turn(after), "ENG", "FRA") == only()
    assert relations.announce(START, (peace, peace))[1] == (only(), only("f3.3"))


def test_an_alliance_spreads_no_war() -> None:  # ally.12
    after, _ = relations.announce(START, (("alliance", "FRA", "HRE"),))
    assert after.wars == START.wars
    assert not relations.at_war(after, "HRE", "ENG")


def test_never_together() -> None:  # ally.11
    assert relations.together_forbidden(only("SPA", "HRE")) == only("ally.11")
    assert relations.together_forbidden(only("SPA")) == only()
    assert relations.together_forbidden(only("SPA", "PAP")) == only()


# Spaces


def test_spaces_of_either_are_friendly_to_both() -> None:  # friendly.1, friendly.2
    w = replace(START, alliances=pairs("FRA-SPA", "FRA-HRE"))
    assert relations.friendly(w, "SPA", "FRA") == only("friendly.1")
    assert relations.friendly(w, "FRA", "SPA") == only("friendly.1")
    assert relations.entering(w, "SPA", "FRA") == (True, only("friendly.2"))
    assert relations.retreating(w, "FRA", "SPA") == (True, only("friendly.2"))
    assert relations.friendly(w, "SPA", "HRE") == only()
    assert relations.entering(w, "SPA", "HRE") == (False, only("f8.19"))
    assert relations.friendly(w, "SPA", "SPA") == only("own")


def test_enemies_neutrals_and_nobody() -> None:  # f8.19, f8.13
    assert relations.entering(START, "ENG", "FRA") == (True, only("f8.19"))
    assert relations.retreating(START, "ENG", "FRA") == (False, only("f13.3"))
    assert relations.entering(START, "ENG", "HRE") == (False, only("f8.19"))
    assert relations.entering(START, "ENG", "IND") == (True, only("f8.13"))
    # Scotland shares the wars of France; Portugal is nobody's.
    assert relations.entering(START, "ENG", "SCO") == (True, only("f8.19"))
    assert relations.entering(START, "ENG", "POR") == (False, only("f8.19"))


def test_spaces_of_a_minor_ally() -> None:  # f9.3
    w = replace(START, alliances=pairs("FRA-HRE"))
    assert relations.friendly(w, "FRA", "SCO") == only("f9.3")
    assert relations.friendly(w, "HRE", "SCO") == only()
    wide = replace(w, rulings={"minor_spaces": "its_allys_allies"})
    assert relations.friendly(wide, "HRE", "SCO") == only("f9.3", "friendly.1")
    with pytest.raises(ValueError, match="not restated"):
        relations.friendly(w, "SCO", "FRA")
    narrow = replace(w, rulings={"minor_spaces": "nobody"})
    assert relations.friendly(narrow, "FRA", "SCO") == only()
    assert relations.entering(narrow, "FRA", "SCO") == (True, only("f8.19"))


# Declarations


def test_boxes_that_exclude_war() -> None:  # f8.8
    unaligned = replace(START, minor_allies={}, wars=pairs())
    assert relations.declaration_forbidden(unaligned, "OTT", "PAP") == only("f8.8")
    assert relations.declaration_forbidden(unaligned, "FRA", "SCO") == only("f8.8")
    assert relations.declaration_forbidden(unaligned, "HRE", "VEN") == only("f8.8")
    assert relations.declaration_forbidden(unaligned, "SPA", "HRE") == only()


def test_a_minor_ally_is_reached_through_its_great_ally() -> None:  # f8.9, f8.14
    peaceful = replace(START, wars=pairs())
    assert relations.declaration_forbidden(peaceful, "ENG", "SCO") == only("f8.9")
    assert relations.declaration_forbidden(peaceful, "ENG", "FRA") == only()
    assert relations.declaration_forbidden(START, "ENG", "SCO") == only("f8.9", "f8.14")
    assert relations.declaration_forbidden(peaceful, "ENG", "VEN") == only()


def test_war_on_allies() -> None:  # f8.10, dow.M1
    w = replace(START, alliances=pairs("SPA-HRE"), cells={})
    assert relations.declaration_forbidden(w, "SPA", "HRE") == only("f8.10", "dow.M1")
    assert relations.declaration_forbidden(w, "SPA", "PAP") == only("f8.10")
    yes = replace(w, rulings={"war_on_ally": "yes"})
    assert relations.declaration_forbidden(yes, "SPA", "HRE") == only()
    assert relations.declaration_forbidden(yes, "SPA", "PAP") == only("f8.10")
    literal = replace(w, rulings={"own_minor_ally": "both"})
    assert relations.declaration_forbidden(literal, "SPA", "PAP") == only("f8.9", "f8.10")


def test_peace_portugal_and_present_war() -> None:  # f8.11, f8.12, f8.14
    after, _ = relations.announce(START, (("peace", "ENG", "FRA"),))
    assert relations.declaration_forbidden(after, "FRA", "ENG") == only("f8.11")
    assert relations.declaration_forbidden(relations.end_of_turn(after), "FRA", "ENG") == only()
    assert relations.declaration_forbidden(START, "SPA", "POR") == only("f8.12")
    dead = replace(START, king_sebastian_dead=True)
    assert relations.declaration_forbidden(dead, "SPA", "POR") == only()
    assert relations.declaration_forbidden(START, "SPA", "OTT") == only("f8.14")


def test_the_segment_runs_in_impulse_order() -> None:  # dow.3, ally.12
    w = replace(START, alliances=pairs("SPA-FRA"))
    after, answers = relations.declare_all(w, {"HRE": ("OTT",), "OTT": ("HRE", "VEN"), "FRA": ("HRE",)})
    assert list(answers) == [("OTT", "HRE"), ("OTT", "VEN"), ("FRA", "HRE"), ("HRE", "OTT")]
    assert answers["OTT", "HRE"] == only()
    assert answers["HRE", "OTT"] == only("f8.14")
    assert after.wars == START.wars | pairs("OTT-HRE", "OTT-VEN", "FRA-HRE")
    assert not relations.at_war(after, "SPA", "HRE")
    assert relations.at_war(after, "SCO", "HRE")


def test_costs() -> None:  # f8.3, f8.20 to f8.25
    assert relations.declaration_cost(START, "HRE", "SPA") == (4, only("f8.3"))
    assert relations.declaration_cost(START, "HRE", "FRA") == (None, only())
    assert relations.declaration_cost(START, "ENG", "SPA") == (5, only("f8.20"))
    bull = replace(START, papal_bull=True)
    assert relations.declaration_cost(bull, "SPA", "ENG") == (3, only("f8.20", "f8.21"))
    held = replace(bull, mary_captured=True)
    assert relations.declaration_cost(held, "ENG", "SPA") == (1, only("f8.20", "f8.21", "f8.22"))
    dead = replace(held, mary_executed=True)
    everything = only("f8.20", "f8.21", "f8.22", "f8.23", "f8.24")
    assert relations.declaration_cost(dead, "ENG", "SPA") == (0, everything)
    dear = replace(dead, rulings={"england_spain_floor": "2"})
    assert relations.declaration_cost(dear, "ENG", "SPA") == (2, everything)
    exact = replace(held, rulings={"england_spain_floor": "1"})
    assert relations.declaration_cost(exact, "ENG", "SPA") == (1, only("f8.20", "f8.21", "f8.22"))
    executed = replace(START, mary_executed=True)
    assert relations.declaration_cost(executed, "SPA", "ENG") == (2, only("f8.20", "f8.23"))
    one_way = replace(bull, rulings={"england_spain_directions": "SPA"})
    assert relations.declaration_cost(one_way, "SPA", "ENG")[0] == 3
    assert relations.declaration_cost(one_way, "ENG", "SPA")[0] == 5


# Loans: London and Calais on the Channel, Bordeaux on Biscay, Gibraltar between the Atlantic and the Barbary coast,
# Marseille on the Gulf. The Atlantic meets the Barbary coast at Gibraltar only.

SEA = loans.Sea(
    open_water=pairs("channel-biscay", "biscay-atlantic", "barbary-gulf"),
    through_port={one("atlantic-barbary"): "Gibraltar"},
    ports={
        "London": only("channel"),
        "Calais": only("channel"),
        "Bordeaux": only("biscay"),
        "Nantes": only("biscay"),
        "Gibraltar": only("atlantic", "barbary"),
        "Marseille": only("gulf"),
    },
)
WATER = loans.World(
    sea=SEA,
    controls={
        "London": "ENG",
        "Calais": "FRA",
        "Bordeaux": "FRA",
        "Nantes": "FRA",
        "Gibraltar": "SPA",
        "Marseille": "FRA",
    },
    alliances=pairs("ENG-FRA", "FRA-SPA"),
)


def ship(place: str, owner: str = "ENG", kind: str = "squadron", held_by: str | None = None) -> loans.Unit:
    return loans.Unit(f"{owner} {kind}", kind, owner, place, held_by)


def lend(lender: str, receiver: str, *units: loans.Unit) -> loans.Loan:
    return loans.Loan(lender, receiver, units)


def test_zones_crossed() -> None:  # loan.6
    assert loans.distances(WATER, "London", "FRA") == {"Calais": 1, "Bordeaux": 2, "Nantes": 2}
    assert loans.nearest(WATER, "London", "FRA") == (1, only("Calais"))
    english = replace(WATER, controls={**WATER.controls, "Calais": "ENG"})
    assert loans.nearest(english, "London", "FRA") == (2, only("Bordeaux", "Nantes"))
    assert loans.nearest(WATER, "London", "SPA") == (3, only("Gibraltar"))


def test_no_way_through_a_port() -> None:  # loan.10, loan.11
    closed = replace(WATER, controls={"London": "ENG", "Gibraltar": "ENG", "Marseille": "FRA"})
    assert loans.nearest(closed, "London", "FRA") == (None, only())
    assert loans.loan_forbidden(closed, lend("ENG", "FRA", ship("London"))) == only("loan.10")
    # From Gibraltar itself there are two waters to begin in.
    assert loans.nearest(closed, "Gibraltar", "FRA") == (2, only("Marseille"))
    assert loans.loan_forbidden(closed, lend("ENG", "FRA", ship("Gibraltar"))) == only()
    assert loans.loan_forbidden(closed, lend("ENG", "FRA", ship("Gibraltar"), ship("London"))) == only("loan.10")


def test_already_in_a_port_of_the_receiver() -> None:  # loan.6
    assert loans.nearest(WATER, "Nantes", "FRA") == (0, only("Nantes"))


@pytest.mark.parametrize("kind", ["corsair", "patrol", "armada"])
def test_kinds_not_lent(kind: str) -> None:  # loan.2
    assert loans.loan_forbidden(WATER, lend("ENG", "FRA", ship("London"), ship("London", kind=kind))) == only("loan.2")


@pytest.mark.parametrize("kind", ["squadron", "galley"])
def test_kinds_lent(kind: str) -> None:  # loan.1
    assert loans.loan_forbidden(WATER, lend("ENG", "FRA", ship("London", kind=kind))) == only()


def test_moment_and_ally() -> None:  # loan.3, loan.13
    late = replace(lend("ENG", "FRA", ship("London")), moment="spring deployment")
    assert loans.loan_forbidden(WATER, late) == only("loan.3")
    assert loans.loan_forbidden(WATER, lend("ENG", "SPA", ship("London"))) == only("loan.13")


def test_leader_goes_with_units_lent() -> None:  # loan.9, loan.14
    admiral = ship("London", kind="naval_leader")
    assert loans.loan_forbidden(WATER, lend("ENG", "FRA", ship("London"), admiral)) == only()
    assert loans.loan_forbidden(WATER, lend("ENG", "FRA", admiral)) == only("loan.14")
    elsewhere = lend("ENG", "FRA", ship("Gibraltar"), admiral)
    assert loans.loan_forbidden(WATER, elsewhere) == only("loan.14")


def test_one_direction() -> None:  # loan.4, loan.M5
    lent = replace(WATER, loans=(lend("FRA", "ENG", ship("Calais", "FRA")),))
    back, on = lend("ENG", "FRA", ship("London")), lend("FRA", "SPA", ship("Nantes", "FRA"))
    assert loans.loan_forbidden(lent, back) == only("loan.4")
    assert loans.loan_forbidden(lent, on) == only()
    assert loans.loan_forbidden(lent, lend("FRA", "ENG", ship("Nantes", "FRA"))) == only()


def test_one_direction_between_players() -> None:  # loan.M5
    # One player has France and Spain, another England and the Protestants.
    seats = {"FRA": "A", "SPA": "A", "ENG": "B", "PRO": "B"}
    lent = replace(
        WATER,
        players=seats,
        alliances=pairs("ENG-FRA", "FRA-PRO", "ENG-SPA"),
        loans=(lend("FRA", "ENG", ship("Calais", "FRA")),),
    )
    crossing = lend("ENG", "SPA", ship("London"))
    assert loans.loan_forbidden(lent, crossing) == only("loan.4")
    assert loans.loan_forbidden(replace(lent, rulings={"loan_direction": "players"}), crossing) == only("loan.4")
    assert loans.loan_forbidden(replace(lent, rulings={"loan_direction": "powers"}), crossing) == only()
    # Within one hand only the powers' reading finds an exchange.
    hand = replace(lent, alliances=pairs("FRA-SPA"), loans=(lend("SPA", "FRA", ship("Gibraltar", "SPA")),))
    inside = lend("FRA", "SPA", ship("Nantes", "FRA"))
    assert loans.loan_forbidden(hand, inside) == only("loan.4")
    assert loans.loan_forbidden(replace(hand, rulings={"loan_direction": "players"}), inside) == only()


def test_from_the_sea() -> None:  # loan.M3
    at_sea = lend("ENG", "FRA", ship("channel"))
    assert loans.loan_forbidden(WATER, at_sea) == only("loan.M3")
    allowed = replace(WATER, rulings={"loan_from_sea": "allowed"})
    assert loans.loan_forbidden(allowed, at_sea) == only()
    assert loans.nearest(allowed, "biscay", "FRA") == (1, only("Bordeaux", "Nantes"))


def test_lent_on() -> None:  # loan.M4
    borrowed = lend("FRA", "SPA", ship("Nantes", "ENG", held_by="FRA"))
    assert loans.loan_forbidden(WATER, borrowed) == only("loan.M4")
    assert loans.loan_forbidden(replace(WATER, rulings={"loan_passed_on": "yes"}), borrowed) == only()
    with pytest.raises(ValueError, match="not a unit of FRA"):
        loans.loan_forbidden(WATER, lend("FRA", "SPA", ship("Nantes", "ENG")))


def test_minor_allies() -> None:  # loan.M6
    papal = replace(
        WATER,
        controls={"Gibraltar": "SPA", "Civitavecchia": "PAP", "Nantes": "FRA"},
        sea=replace(SEA, ports={**SEA.ports, "Civitavecchia": only("gulf")}),
        minor_allies={"PAP": "SPA"},
    )
    from_pope = lend("SPA", "FRA", ship("Gibraltar", "PAP", "galley"))
    to_pope = lend("FRA", "SPA", ship("Marseille", "FRA", "galley"))
    verdicts = {}
    for ruling in ("neither", "units", "ports", "both"):
        w = replace(papal, rulings={"loan_and_minor_allies": ruling})
        verdicts[ruling] = loans.loan_forbidden(w, from_pope), loans.nearest(w, to_pope.units[0].place, "SPA")
    assert verdicts == {
        "neither": (only("loan.M6"), (2, only("Gibraltar"))),
        "units": (only(), (2, only("Gibraltar"))),
        "ports": (only("loan.M6"), (1, only("Civitavecchia"))),
        "both": (only(), (1, only("Civitavecchia"))),
    }


def test_besieged_ports() -> None:  # loan.M7
    tight = replace(WATER, besieged=only("Calais", "London"))
    loan = lend("ENG", "FRA", ship("London"))
    assert loans.loan_forbidden(tight, loan) == only()
    assert loans.nearest(tight, "London", "FRA") == (1, only("Calais"))
    strict = replace(tight, rulings={"loan_besieged_port": "does_not_count"})
    assert loans.loan_forbidden(strict, loan) == only("loan.M7")
    assert loans.nearest(strict, "London", "FRA") == (2, only("Bordeaux", "Nantes"))


# Settlement


def agreement(*terms: Term) -> tuple[Term, ...]:
    return terms


TOY = State(
    wars=pairs("ENG-FRA", "OTT-SPA"),
    captives={"Guise": ("FRA", "ENG")},
    owners={"Calais": "ENG", "Nantes": "FRA", "Amsterdam": "SPA", "London": "ENG"},
    mercenaries={"HRE": 4, "FRA": 1},
    treasures={"SPA": 1},
    hands={"ENG": 2, "FRA": 3},
    royals={"Margot": "FRA", "Henry": "PRO", "Leicester": "ENG", "William": "PRO"},
    units={"Lion": ("ENG", "London"), "Heron": ("FRA", "Nantes")},
)


def test_every_kind_is_carried_out() -> None:  # agree.M1
    result = settle(
        TOY,
        (
            agreement(
                Term("loan", "ENG", "FRA", ("Lion", "Calais")),
                Term("alliance", "FRA", "ENG"),
                Term("space", "ENG", "FRA", ("Calais",)),
                Term("leader_return", "ENG", "FRA", ("Guise",)),
                Term("card_draw", "FRA", "ENG", (2,)),
                Term("peace", "ENG", "FRA"),
            ),
            agreement(Term("mercenaries", "HRE", "FRA", (3,)), Term("engagement", "FRA", "PRO", ("Margot", "Henry"))),
            agreement(Term("treasure", "SPA", "PRO", (1,))),
        ),
    )
    assert result.fallen == {}
    after = result.state
    assert after.wars == pairs("OTT-SPA")
    assert after.alliances == pairs("ENG-FRA")
    assert after.captives == {}
    assert after.owners["Calais"] == "FRA"
    assert after.hands == {"ENG": 4, "FRA": 1}
    assert after.mercenaries == {"HRE": 1, "FRA": 4}
    assert after.treasures == {"SPA": 0, "PRO": 1}
    assert after.engagements == pairs("Margot-Henry")
    assert after.units["Lion"] == ("ENG", "Calais")
    assert after.loaned == {"Lion": "FRA"}


def test_whole_or_not_at_all() -> None:
    result = settle(
        TOY,
        (agreement(Term("peace", "ENG", "FRA"), Term("mercenaries", "FRA", "ENG", (2,))),),
    )
    assert result.state == TOY
    assert result.standing == ()
    assert result.fallen == {0: only("f3.10")}


def test_what_leaned_on_it_falls_too() -> None:  # ally.5
    alliance = agreement(Term("alliance", "ENG", "FRA"))
    peace = agreement(Term("peace", "ENG", "FRA"), Term("treasure", "ENG", "FRA", (1,)))
    result = settle(TOY, (alliance, peace))
    assert result.fallen == {0: only("ally.5"), 1: only("f3.12")}
    good = agreement(Term("peace", "ENG", "FRA"), Term("treasure", "SPA", "FRA", (1,)))
    assert settle(TOY, (alliance, good)).standing == (0, 1)
    refused = settle(TOY, (alliance, good), {"peace_then_alliance": "refused"})
    assert (refused.standing, refused.fallen) == ((1,), {0: only("ally.5")})


@pytest.mark.parametrize(
    ("ruling", "standing"),
    [("later", (0, 2)), ("earlier", (1, 2)), ("all", (2,))],
)
@pytest.mark.parametrize("reach", ["whoever_stands_in_the_way", "the_failing_term"])
def test_france_with_spain_and_the_protestants(ruling: str, standing: tuple[int, ...], reach: str) -> None:  # ally.7
    signed = (
        agreement(Term("alliance", "FRA", "SPA")),
        agreement(Term("alliance", "PRO", "FRA"), Term("engagement", "FRA", "PRO", ("Margot", "Henry"))),
        agreement(Term("alliance", "HRE", "SPA")),
    )
    result = settle(TOY, signed, {"which_agreement_falls": ruling, "conflict_reach": reach})
    assert result.standing == standing
    # Who falls takes his other terms with him.
    assert (result.state.engagements == pairs("Margot-Henry")) == (1 in standing)


@pytest.mark.parametrize(
    ("ruling", "standing"),
    [("later", (0, 1)), ("earlier", (2,)), ("all", ())],
)
def test_more_given_than_there_is(ruling: str, standing: tuple[int, ...]) -> None:
    # Four mercenaries, asked for 2, 2 and 4: the third is in conflict with either of the first two.
    signed = (
        agreement(Term("mercenaries", "HRE", "SPA", (2,))),
        agreement(Term("mercenaries", "HRE", "ENG", (2,))),
        agreement(Term("mercenaries", "HRE", "FRA", (4,))),
    )
    assert settle(TOY, signed, {"which_agreement_falls": ruling}).standing == standing


def test_each_kind_and_each_giver_has_its_own_store() -> None:  # f3.10, f3.12
    signed = (
        agreement(Term("mercenaries", "HRE", "SPA", (4,))),
        agreement(Term("mercenaries", "FRA", "SPA", (1,)), Term("card_draw", "FRA", "SPA", (3,))),
        agreement(Term("treasure", "SPA", "HRE", (1,))),
    )
    result = settle(TOY, signed)
    assert result.standing == (0, 1, 2)
    assert result.state.mercenaries == {"HRE": 0, "FRA": 0, "SPA": 5}
    assert result.state.hands == {"ENG": 2, "FRA": 0, "SPA": 3}
    # Nothing comes from a power that has none, and no less than one is given.
    for ruling in ("at_once", "in_order"):
        none = settle(TOY, (agreement(Term("treasure", "OTT", "HRE", (1,))),), {"within_a_step": ruling})
        assert none.fallen == {0: only("f3.12")}
    with pytest.raises(ValueError, match="not a number"):
        settle(TOY, (agreement(Term("treasure", "SPA", "HRE", (0,))),))


def test_no_conflict_no_other_falls() -> None:
    signed = (agreement(Term("mercenaries", "HRE", "SPA", (2,))), agreement(Term("mercenaries", "HRE", "ENG", (5,))))
    for ruling in ("later", "earlier", "all"):
        result = settle(TOY, signed, {"which_agreement_falls": ruling})
        assert (result.standing, result.fallen) == ((0,), {1: only("f3.10")})


def test_conflict_across_steps() -> None:  # loan.6
    allied_now = replace(TOY, wars=pairs(), alliances=pairs("ENG-FRA"))
    signed = (
        agreement(Term("loan", "ENG", "FRA", ("Lion", "Nantes"))),
        agreement(Term("space", "FRA", "HRE", ("Nantes",))),
    )
    assert settle(allied_now, signed).standing == (0,)
    assert settle(allied_now, signed, {"which_agreement_falls": "earlier"}).standing == (1,)
    narrow = settle(allied_now, signed, {"conflict_reach": "the_failing_term"})
    assert (narrow.standing, narrow.fallen) == ((1,), {0: only("loan.6")})


def test_passing_on_what_comes_in() -> None:
    chain = (
        agreement(Term("mercenaries", "HRE", "FRA", (3,))),
        agreement(Term("mercenaries", "FRA", "PRO", (4,))),
    )
    assert settle(TOY, chain).fallen == {1: only("f3.10")}
    after = settle(TOY, chain, {"within_a_step": "in_order"})
    assert after.state.mercenaries == {"HRE": 1, "FRA": 0, "PRO": 4}
    assert settle(TOY, tuple(reversed(chain)), {"within_a_step": "in_order"}).standing == (1,)
    # The same with a space: whose it was before the step.
    ceded = (agreement(Term("space", "ENG", "FRA", ("Calais",))), agreement(Term("space", "FRA", "PRO", ("Calais",))))
    assert settle(TOY, ceded).standing == (0,)
    assert settle(TOY, ceded, {"within_a_step": "in_order"}).state.owners["Calais"] == "PRO"


def test_loans_against_each_other() -> None:  # loan.4
    allied_now = replace(TOY, wars=pairs(), alliances=pairs("ENG-FRA"))
    there = agreement(Term("loan", "ENG", "FRA", ("Lion", "Nantes")))
    back = agreement(Term("loan", "FRA", "ENG", ("Heron", "London")))
    assert settle(allied_now, (there, back)).fallen == {1: only("loan.4")}
    assert settle(TOY, (there,)).fallen == {0: only("loan.13")}
    # Not one's own unit; the same unit to two allies.
    stolen = agreement(Term("loan", "ENG", "FRA", ("Heron", "Nantes")))
    assert settle(allied_now, (stolen,)).fallen == {0: only("loan.M4")}
    more = replace(allied_now, alliances=pairs("ENG-FRA", "ENG-SPA", "FRA-SPA"))
    again = agreement(Term("loan", "ENG", "SPA", ("Lion", "Amsterdam")))
    assert settle(more, (there, again)).fallen == {1: only("loan.M4")}
    # Round in a ring is no exchange between two.
    onward = agreement(Term("loan", "FRA", "SPA", ("Heron", "Amsterdam")))
    assert settle(more, (there, onward)).standing == (0, 1)
    assert settle(allied_now, (agreement(Term("loan", "ENG", "FRA", ("Lion", "London"))),)).fallen == {
        0: only("loan.6")
    }


def test_second_try() -> None:
    # 1 falls for 0; then 0 falls because its war is not there. Tried again, 1 would stand.
    signed = (
        agreement(Term("mercenaries", "HRE", "SPA", (4,)), Term("alliance", "SPA", "OTT")),
        agreement(Term("mercenaries", "HRE", "ENG", (4,))),
    )
    once = settle(TOY, signed)
    assert once.standing == ()
    assert once.fallen == {0: only("ally.5"), 1: only("f3.10")}
    assert settle(TOY, signed, {"second_try": "yes"}).standing == (1,)


def test_wars_of_the_start_do_not_end_in_the_first_turn() -> None:  # f3.4
    locked = replace(TOY, locked_wars=TOY.wars)
    assert settle(locked, (agreement(Term("peace", "OTT", "SPA")),)).fallen == {0: only("f3.4")}
    assert settle(TOY, (agreement(Term("peace", "OTT", "HRE")),)).fallen == {0: only("f3.3")}


def test_captives_royals_and_minors() -> None:  # agree.5, f3.9, ally.8
    wrong = agreement(Term("leader_return", "SPA", "FRA", ("Guise",)))
    assert settle(TOY, (wrong,)).fallen == {0: only("agree.5")}
    twice = (
        agreement(Term("engagement", "FRA", "PRO", ("Margot", "Henry"))),
        agreement(Term("engagement", "ENG", "PRO", ("Leicester", "Henry"))),
    )
    assert settle(TOY, twice).fallen == {1: only("f3.9")}
    again = (*twice[:1], agreement(Term("engagement", "FRA", "PRO", ("Margot", "William"))))
    assert settle(TOY, again).fallen == {1: only("f3.9")}
    for couple in (("Leicester", "Henry"), ("Margot", "Leicester")):
        assert settle(TOY, (agreement(Term("engagement", "FRA", "PRO", couple)),)).fallen == {0: only("f3.9")}
    assert settle(TOY, (agreement(Term("alliance", "SPA", "PAP")),)).fallen == {0: only("ally.8")}
    assert settlement.settle(TOY, ()).state == TOY


# Defence


def stack(power: str, units: int, *leaders: str) -> defence.Stack:
    return defence.Stack(power, units, leaders)


BOTH = defence.Attack(
    "OTT",
    (stack("HRE", 2, "Ferdinand"), stack("ENG", 3)),
    wars=pairs("OTT-HRE"),
    alliances=pairs("ENG-HRE"),
    controller="HRE",
)


def test_one_formation_though_one_is_at_peace() -> None:  # defend.1, defend.5
    assert defence.formation(BOTH) == ("ENG", "HRE")
    assert defence.totals(BOTH) == (5, ("Ferdinand",))
    alone = replace(BOTH, alliances=pairs())
    assert defence.formation(alone) == ("HRE",)
    assert defence.totals(alone) == (2, ("Ferdinand",))
    assert defence.formation(replace(BOTH, wars=pairs("OTT-SPA"))) == ()


def test_who_is_allied_with_both_sides() -> None:  # defend.5
    friend = replace(BOTH, alliances=pairs("ENG-HRE", "ENG-OTT"))
    assert defence.formation(friend) == ("ENG", "HRE")
    assert defence.formation(replace(friend, rulings={"ally_of_both": "stands_aside"})) == ("HRE",)


def test_three_in_the_space() -> None:  # defend.M1
    three = replace(BOTH, stacks=(*BOTH.stacks, stack("FRA", 1)), alliances=pairs("ENG-HRE", "ENG-FRA"))
    assert defence.formation(three) == ("ENG", "HRE")
    assert defence.formation(replace(three, rulings={"defend_three": "joined_by_alliances"})) == ("ENG", "FRA", "HRE")
    apart = replace(three, alliances=pairs("ENG-HRE"))
    assert defence.formation(replace(apart, rulings={"defend_three": "joined_by_alliances"})) == ("ENG", "HRE")
    assert defence.formation(replace(apart, rulings={"defend_three": "everybody"})) == ("ENG", "FRA", "HRE")


def test_taking_away_units_or_leaders() -> None:  # defend.2
    without = defence.withdrawn(BOTH, "HRE", units=False, leaders=True)
    assert defence.totals(without) == (5, ())
    alone = defence.withdrawn(BOTH, "ENG", units=True, leaders=True)
    assert defence.formation(alone) == ("HRE",)
    leader_stays = defence.withdrawn(BOTH, "HRE", units=True, leaders=False)
    assert defence.totals(leader_stays) == (3, ("Ferdinand",))


def test_each_its_own_roll() -> None:  # defend.6
    assert defence.avoided(BOTH, {"ENG": True, "HRE": False}) == (("ENG",), ("HRE",))
    assert defence.avoided(BOTH, {"ENG": False}) == ((), ("ENG", "HRE"))
    assert defence.avoided(BOTH, {"ENG": True, "HRE": True}) == (("ENG", "HRE"), ())
    assert defence.avoided(BOTH, {"HRE": True}) == (("HRE",), ())
    stays = replace(BOTH, rulings={"left_alone": "battle"})
    assert defence.avoided(stays, {"HRE": True}) == (("HRE",), ("ENG",))


@pytest.mark.parametrize(
    ("die", "ruling", "english", "german"),
    [
        (1, "low_first", 2, 1),
        (3, "low_first", 2, 1),
        (4, "low_first", 1, 2),
        (6, "low_first", 1, 2),
        (3, "odd_first", 2, 1),
        (2, "odd_first", 1, 2),
        (5, "odd_first", 2, 1),
    ],
)
def test_the_odd_loss(die: int, ruling: str, english: int, german: int) -> None:  # defend.4, defend.M2
    assert defence.losses({"HRE": 2, "ENG": 3}, 3, (die,), ruling) == {"ENG": english, "HRE": german}


def test_even_until_one_has_nothing() -> None:  # defend.3
    assert defence.losses({"HRE": 2, "ENG": 3}, 2, ()) == {"ENG": 1, "HRE": 1}
    assert defence.losses({"HRE": 1, "ENG": 5}, 3, ()) == {"ENG": 2, "HRE": 1}
    assert defence.losses({"HRE": 1, "ENG": 5}, 5, ()) == {"ENG": 4, "HRE": 1}
    assert defence.losses({"HRE": 0, "ENG": 5}, 1, ()) == {"ENG": 1, "HRE": 0}
    assert defence.losses({"HRE": 2, "ENG": 1}, 9, ()) == {"ENG": 1, "HRE": 2}
    assert defence.losses({"HRE": 2, "ENG": 1}, 0, ()) == {"ENG": 0, "HRE": 0}
    with pytest.raises(ValueError, match="no die"):
        defence.losses({"HRE": 2, "ENG": 3}, 1, ())


def test_losses_of_three() -> None:  # defend.M1
    strengths = {"ENG": 3, "FRA": 3, "HRE": 3}
    assert defence.losses(strengths, 4, (3,)) == {"ENG": 1, "FRA": 2, "HRE": 1}
    # Two odd losses go to two powers: 5 is HRE, then among ENG and FRA 4 is FRA.
    assert defence.losses(strengths, 5, (5, 4)) == {"ENG": 1, "FRA": 2, "HRE": 2}
    assert defence.losses(strengths, 4, (2,)) == {"ENG": 2, "FRA": 1, "HRE": 1}
    assert defence.losses(strengths, 4, (2,), "odd_first") == {"ENG": 1, "FRA": 2, "HRE": 1}
    assert defence.losses(strengths, 4, (4,), "odd_first") == {"ENG": 2, "FRA": 1, "HRE": 1}
    assert defence.losses({"OTT": 1, "SPA": 1, "ENG": 1, "FRA": 1}, 1, (6, 5, 2)) == {
        "OTT": 0,
        "SPA": 1,
        "ENG": 0,
        "FRA": 0,
    }


def test_who_decides() -> None:  # defend.M3
    assert defence.decider(BOTH) == "HRE"
    assert defence.decider(replace(BOTH, controller="SPA")) == "ENG"
    even = replace(BOTH, controller=None, stacks=(stack("HRE", 2), stack("ENG", 2)))
    assert defence.decider(even) == "ENG"
    assert defence.decider(replace(BOTH, wars=pairs())) is None
