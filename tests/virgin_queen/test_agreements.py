"""Agreements: whole or not at all, secret until announced, and which falls where two cannot both stand."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from foedus.games.virgin_queen import agreements, loans, terms
from foedus.games.virgin_queen import commands as c
from foedus.games.virgin_queen.frames import PlacingLoan
from foedus.games.virgin_queen.game import GAME
from foedus.games.virgin_queen.state import (
    ENG,
    FRA,
    HRE,
    MAJORS,
    NEGOTIATION,
    POWERS,
    PRO,
    SPA,
    Agreement,
    Fleet,
    State,
    mask,
    put,
)
from foedus.kernel.dice import FastDice, ToldDice
from foedus.kernel.flow import Action
from foedus.kernel.referee import Referee, make_referee
from foedus.kernel.unknown import NONE
from foedus.kernel.values import Command, Event
from foedus.kernel.verdict import Refused

REFEREES = {players: make_referee(GAME, players) for players in (2, 3, 4, 5, 6)}
REFEREE = REFEREES[6]
FIRST = min(i for i, card in enumerate(REFEREE.world.cards) if card.home == NONE)
"""The first card of the deck that is no home card."""


def table(referee: Referee = REFEREE, **facts: Any) -> State:
    """A running negotiation, every space with its owner of the start."""
    told = {
        "turn": 2,
        "phase": "negotiation",
        "running": True,
        "elsewhere": "home",
        "wars": ["ENG-FRA"],
        "alliances": [],
        "minor_allies": {"PAP": "SPA", "SCO": "FRA", "IRE": "none", "POR": "none", "VEN": "none"},
        "treasures": {"SPA": 2},
        "captives": {"Guise": "SPA"},
        "spaces": {
            "Brest": {"ships": ["FRA 2 squadrons, French admiral"]},
            "Cadiz": {"ships": ["SPA 3 squadrons, Santa Cruz"]},
            "Barcelona": {"ships": ["SPA 2 galleys"]},
            "Plymouth": {"ships": ["ENG 2 squadrons"]},
            "Athens": {"ships": ["OTT 2 galleys"]},
            "Vienna": {"units": ["HRE 3 regulars, 4 mercenaries"]},
            "Antwerp": {"units": ["SPA 2 regulars"]},
        },
        **facts,
    }
    if referee.world.inactive:
        told["minor_allies"] = {**told["minor_allies"], **{POWERS[one]: "ENG" for one in referee.world.inactive}}
    state: State = referee.sketch(told)
    hands = tuple(
        tuple(range(FIRST + 4 * power, FIRST + 4 * power + 4)) if power in MAJORS else () for power in range(12)
    )
    return replace(state, hands=hands)


def line(text: str) -> Command:
    """The command of a line of notation."""
    return GAME.notation.read(text, REFEREE.names)


def do(state: State, *lines: str, dice: Any = None) -> State:
    """The position after some commands, each of which must be allowed."""
    for one in lines:
        state = REFEREE.act(state, line(one), dice or FastDice(7)).state
    return state


def clauses(state: State, text: str) -> tuple[str, ...]:
    """The clauses by which a command is refused; none if it is allowed."""
    verdict = REFEREE.judge(state, line(text))
    return () if verdict.allowed else verdict.clauses


def finish(state: State, referee: Referee = REFEREE, dice: Any = None) -> tuple[State, list[Event]]:
    """All powers have done: the segment is over. The position then, and what happened."""
    dice = dice or FastDice(7)
    events: list[Event] = []
    while state.phase == NEGOTIATION and (awaited := referee.awaiting(state)):
        decision = awaited[0]
        if decision.what == "negotiation":
            command: Command = c.DoneNegotiating(decision.power)
        else:
            command = referee.choices(state, decision.seat)[0]
        outcome = referee.act(state, command, dice)
        events += outcome.events
        state = outcome.state
    return state, events


def named(events: Iterable[Event], *names: str) -> list[Any]:
    """The events of some classes."""
    return [event for event in events if type(event).__name__ in names]


def sealed(state: State, *drafts: tuple[int, Iterable[int], Iterable[str]]) -> State:
    """The position with agreements signed by all their parties, in this order: (drafter, others, lines)."""
    found = []
    for place, (by, others, lines) in enumerate(drafts, 1):
        parties = mask((by, *others))
        found.append(
            Agreement(
                by, parties, place, tuple(line(one) for one in lines), status="signed", signed=parties, sealed=place
            )
        )
    return replace(state, offers=(*state.offers, *found))


# whole or not at all


SIX = (
    "ENG makes peace with FRA",
    "SPA returns Guise to FRA",
    "FRA gives a card to ENG",
    "SPA gives a treasure to ENG",
    "ENG allies with FRA",
    "FRA lends 2 squadrons at Brest to ENG going to Plymouth",
)
"""An agreement of three parties in which each later class of terms hangs on an earlier one."""


def _no_ships(state: State) -> State:
    brest = REFEREE.world.names["space"].index("Brest")
    return replace(state, fleets=put(state.fleets, brest, (Fleet(FRA, 0, 1, FRA),)))


def _peace(state: State) -> State:
    return replace(state, wars=(0,) * len(POWERS))


def _free(state: State) -> State:
    guise = REFEREE.world.leader_names.index("Guise")
    return replace(state, captor=put(state.captor, guise, NONE))


def _another_war(state: State) -> State:
    """War with the partner of the alliance that the peace of this agreement does not end."""
    return replace(state, rulings=_ruled(state, "peace_then_alliance", "refused"))


def _ruled(state: State, name: str, option: str) -> tuple[int, ...]:
    index, chosen = state.world.rulebook.option(name, option)
    return put(state.rulings, index, chosen)


SPOILED: tuple[tuple[Callable[[State], State], str], ...] = (
    (_peace, "f3.3"),
    (_free, "agree.5"),
    (lambda state: replace(state, hands=put(state.hands, FRA, ())), "f3.8"),
    (lambda state: replace(state, treasures=(0,) * len(POWERS)), "f3.12"),
    (_another_war, "ally.M1"),
    (_no_ships, "loan.1"),
)
"""For each term of SIX what makes it impossible, and the clause that says so."""


def drafted(state: State, count: int) -> State:
    """France has written the first `count` terms of SIX."""
    return do(state, "FRA drafts agreement with SPA, ENG", *(f"FRA writes: {one}" for one in SIX[:count]))


@pytest.mark.parametrize("count", range(1, 7))
def test_all_its_terms_are_carried_out(count: int) -> None:
    """Up to six terms, of all classes."""
    state = drafted(table(), count)
    state = do(
        state, "FRA offers its draft", *(f"{one} signs agreement of FRA with SPA, ENG" for one in ("SPA", "ENG"))
    )
    after, events = finish(state)
    told = [type(event).__name__ for event in events]
    wanted = ("WarEnded", "CaptiveReturned", "CardPassed", "TreasureChanged", "AllianceMade", "Lent")
    assert [name in told for name in wanted] == [place < count for place in range(6)]
    assert not named(events, "AgreementFailed")
    assert len(after.announced) == 1
    assert not after.offers


@pytest.mark.parametrize("moment", ["draft", "offered", "half signed", "signed"])
@pytest.mark.parametrize(("count", "spoiled"), [(count, term) for count in range(1, 7) for term in range(count)])
def test_one_impossible_term_stops_all(count: int, spoiled: int, moment: str) -> None:
    """Whichever term becomes impossible, and whenever: nothing of the agreement happens, and nothing else changes."""
    spoil, clause = SPOILED[spoiled]
    state = drafted(table(), count)
    if moment == "draft":
        state = spoil(state)
        assert clauses(state, "FRA offers its draft")[:1] == (clause,)
        with pytest.raises(Refused):
            do(state, "FRA offers its draft")
        return
    state = do(state, "FRA offers its draft")
    if moment != "offered":
        state = do(state, "SPA signs agreement of FRA with SPA, ENG")
    if moment == "signed":
        state = do(state, "ENG signs agreement of FRA with SPA, ENG")
    state = spoil(state)
    if moment != "signed":
        signer = "SPA" if moment == "offered" else "ENG"
        text = f"{signer} signs agreement of FRA with SPA, ENG"
        # that France's hand is empty all may see; the terms behind the spoiled one are not asked any more
        assert clauses(state, text)[:1] == (clause,)
    after, events = finish(state)
    without, _ = finish(replace(state, offers=()))
    assert after == without
    failed = named(events, "AgreementFailed")
    if moment == "signed":
        assert [(one.term, one.clause) for one in failed] == [(spoiled + 1, clause)]
    else:
        assert not failed
    assert not named(events, "AgreementAnnounced")


class Boom(Exception):
    """Something breaks while a term is carried out."""


@pytest.mark.parametrize("broken", range(6))
def test_what_breaks_half_way_leaves_nothing(broken: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault while the real carrying out has begun: the command fails as a whole, dice included."""
    kind = type(line(SIX[broken]))
    usual = terms.PERFORM[kind]

    def perform(action: Any, act: Any) -> Any:
        found = usual(action, act)
        if action.state.frames:  # not on the trial
            raise Boom
        return found

    state = sealed(table(), (FRA, (SPA, ENG), SIX))
    state = replace(state, done=mask(power for power in MAJORS if power != FRA))
    dice = ToldDice(picks=[2])
    monkeypatch.setitem(terms.PERFORM, kind, perform)
    before = replace(state)
    with pytest.raises(Boom):
        REFEREE.act(state, c.DoneNegotiating(FRA), dice)
    assert state == before
    assert dice.unused() == ((), (2,))
    monkeypatch.setitem(terms.PERFORM, kind, usual)
    after = REFEREE.act(state, c.DoneNegotiating(FRA), dice).state
    assert len(after.announced) == 1


def test_others_stand_when_one_falls() -> None:
    """An agreement that falls takes nothing else with it."""
    state = sealed(
        table(),
        (FRA, (ENG,), ("FRA makes peace with ENG", "FRA gives a treasure to ENG")),
        (SPA, (HRE,), ("SPA allies with HRE",)),
        (HRE, (SPA,), ("HRE gives 2 mercenaries to SPA",)),
    )
    after, events = finish(state)
    assert [(one.term, one.clause) for one in named(events, "AgreementFailed")] == [(2, "f3.12")]
    assert after.at_war(ENG, FRA)
    assert after.are_allied(SPA, HRE)
    assert after.mercenaries_given[HRE] == 2


def test_the_same_alliance_in_two_agreements() -> None:
    """Both stand: the alliance is made once, and what else they say is carried out."""
    state = sealed(
        table(),
        (FRA, (SPA,), ("FRA allies with SPA",)),
        (SPA, (FRA, HRE), ("SPA allies with FRA", "SPA gives a treasure to HRE")),
    )
    after, events = finish(state)
    assert len(after.announced) == 2
    assert len(named(events, "AllianceMade")) == 1
    assert after.treasures[HRE] == 1


def test_what_hangs_on_what_falls_falls_too() -> None:
    """A loan that trusted in the alliance of an agreement that falls."""
    state = sealed(
        table(wars=[]),
        (SPA, (FRA,), ("FRA allies with SPA", "SPA gives 2 treasures to FRA", "SPA gives a treasure to FRA")),
        (FRA, (SPA,), ("SPA lends 2 galleys at Barcelona to FRA",)),
    )
    after, events = finish(state)
    assert [one.clause for one in named(events, "AgreementFailed")] == ["f3.12", "loan.13"]
    assert not after.announced
    assert not after.lent


# conflicts


BOTH = ((FRA, (SPA,), ("FRA allies with SPA",)), (FRA, (PRO,), ("FRA allies with PRO",)))
TWICE = (
    (FRA, (SPA,), ("FRA allies with SPA", "FRA lends 2 squadrons at Brest to SPA going to Bilbao")),
    (FRA, (HRE,), ("FRA allies with HRE", "FRA lends 2 squadrons at Brest to HRE going to Emden")),
)
DRAWS = ((ENG, (SPA,), ("ENG gives 2 cards to SPA",)), (ENG, (HRE,), ("ENG gives a card to HRE",)))


@pytest.mark.parametrize("drafts", [BOTH, TWICE, DRAWS], ids=["france with both", "squadrons twice", "too many cards"])
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("rule", ["later_signed", "earlier_signed", "all_in_conflict"])
def test_which_of_two_falls(drafts: Any, turned: bool, rule: str) -> None:
    """By the ruling; in whatever order the two were signed."""
    first, second = reversed(drafts) if turned else drafts
    state = table(wars=[], rulings={"which_agreement_falls": rule})
    after, events = finish(sealed(state, first, second))
    stands = {"later_signed": [first], "earlier_signed": [second], "all_in_conflict": []}[rule]
    assert [(one.by, one.parties) for one in after.announced] == [(by, mask((by, *others))) for by, others, _ in stands]
    fell = [(one.agreement.by, one.agreement.parties) for one in named(events, "AgreementFailed")]
    assert len(fell) == 2 - len(stands)
    assert not {(one.by, one.parties) for one in after.announced} & set(fell)


def test_conflict_between_classes() -> None:
    """A loan whose only port another agreement gives away: the ruling decides, not the order of the classes."""
    lend = (FRA, (HRE,), ("FRA allies with HRE", "FRA lends 2 squadrons at Brest to HRE going to Emden"))
    give = (HRE, (ENG,), ("HRE cedes Emden to ENG",))
    for rule, stands in (("later_signed", FRA), ("earlier_signed", HRE)):
        rulings = {"which_agreement_falls": rule, "ceded_space": "any_controlled"}
        after, events = finish(sealed(table(wars=[], rulings=rulings), lend, give))
        assert [one.by for one in after.announced] == [stands]
        (failed,) = named(events, "AgreementFailed")
        assert (failed.term, failed.clause) == ((0, "loan.6") if rule == "later_signed" else (2, "loan.6"))


def test_a_conflict_that_the_signer_knows_of_is_refused() -> None:
    """France has signed with Spain: it may not sign with the Protestants, and they may not be told why they wait."""
    state = do(table(), "FRA allies with SPA", "SPA signs agreement of FRA with SPA")
    assert clauses(state, "FRA allies with PRO") == ("ally.7",)
    state = do(state, "PRO allies with FRA")
    assert clauses(state, "FRA signs agreement of PRO with FRA") == ("ally.7",)


def test_a_conflict_that_the_signer_does_not_know_of_is_found_at_the_announcement() -> None:
    """France offers to both; each signs for himself."""
    state = do(table(), "FRA allies with SPA", "FRA allies with PRO")
    state = do(state, "PRO signs agreement of FRA with PRO", "SPA signs agreement of FRA with SPA")
    after, events = finish(state)
    (failed,) = named(events, "AgreementFailed")
    assert (failed.agreement.parties, failed.clause) == (mask((FRA, SPA)), "ally.7")
    assert after.are_allied(FRA, PRO)
    assert not after.are_allied(FRA, SPA)


# who signs, and what becomes of offers


def test_three_must_sign() -> None:
    """An agreement of three parties binds with the third signature."""
    state = drafted(table(), 5)
    state = do(state, "FRA offers its draft", "ENG signs agreement of FRA with ENG, SPA")
    assert state.offers[0].status == "offered"
    half, _ = finish(state)
    assert not half.announced
    assert half.at_war(ENG, FRA)
    state = do(state, "SPA signs agreement of FRA with SPA, ENG")
    assert state.offers[0].status == "signed"
    whole, _ = finish(state)
    assert whole.are_allied(ENG, FRA)
    assert not whole.at_war(ENG, FRA)


def test_an_old_version_cannot_be_signed() -> None:
    """A number never comes twice in a segment, so that nobody signs what he has not read."""
    state = do(table(), "SPA gives a treasure to ENG")
    state = do(
        state, "SPA amends agreement of SPA with ENG", "SPA strikes term 1", "SPA writes: ENG gives a card to SPA"
    )
    assert clauses(state, "ENG signs agreement of SPA with ENG") == ()  # it stands until the new one is offered
    state = do(state, "SPA offers its draft")
    assert clauses(state, "ENG signs agreement of SPA with ENG") == ("f3.19",)
    assert [one.version for one in state.offers] == [2]
    state = do(state, "ENG declines agreement 2 of SPA with ENG", "SPA gives a treasure to ENG")
    assert clauses(state, "ENG signs agreement 2 of SPA with ENG") == ("f3.19",)
    assert clauses(state, "ENG signs agreement 3 of SPA with ENG") == ()


def test_an_amendment_of_what_is_gone_or_sealed() -> None:
    """What all have signed meanwhile is not replaced; what is gone leaves the draft an offer of its own."""
    state = do(table(), "SPA gives a treasure to ENG", "ENG amends agreement of SPA with ENG", "ENG strikes term 1")
    state = do(state, "ENG writes: ENG gives a card to SPA")
    both = do(state, "ENG signs agreement of SPA with ENG")
    assert clauses(both, "ENG offers its draft") == ("f3.19",)
    gone = do(state, "SPA withdraws agreement of SPA with ENG", "ENG offers its draft")
    assert [(one.by, one.terms) for one in gone.offers] == [(ENG, (c.GiveCard(ENG, SPA, 1),))]


def test_a_signer_takes_back_his_name_until_all_have_signed() -> None:
    """Not a party that has not signed, and nobody once it is sealed."""
    state = do(drafted(table(), 2), "FRA offers its draft", "SPA signs agreement of FRA with SPA, ENG")
    assert clauses(state, "ENG withdraws agreement of FRA with SPA, ENG") == ("f3.19",)
    assert do(state, "SPA withdraws agreement of FRA with SPA, ENG").offers == ()
    full = do(state, "ENG signs agreement of FRA with SPA, ENG")
    for one in ("SPA", "ENG", "FRA"):
        assert clauses(full, f"{one} withdraws agreement of FRA with SPA, ENG") == ("f3.19",)
        assert clauses(full, f"{one} declines agreement of FRA with SPA, ENG") == ("f3.19",)
        assert clauses(full, f"{one} amends agreement of FRA with SPA, ENG") == ("f3.19",)


def test_limits_of_this_program() -> None:
    """A draft has room for so many terms, and so many offers of a power wait at once."""
    limits = REFEREE.world.tables["limits"]
    state = do(table(), "SPA drafts agreement with FRA")
    for number in range(limits["terms"]):
        state = do(state, f'SPA writes: SPA promises FRA "{number}"')
    assert clauses(state, 'SPA writes: SPA promises FRA "more"') == ("f3.19",)
    state = table()
    texts = [f"HRE betroths {mine} to {yours}" for mine in ("Anna of Saxony", "Rudolf II") for yours in _partners()]
    for text in texts[: limits["offers"]]:
        state = do(state, text)
    assert clauses(state, texts[limits["offers"]]) == ("f3.19",)


def _partners() -> list[str]:
    """Royals of others, each with his power."""
    world = REFEREE.world
    return [
        f"{name} of {POWERS[royal.power]}"
        for name, royal in zip(world.royal_names, world.royals, strict=True)
        if royal.power in (SPA, ENG, FRA, PRO)
    ]


# told apart


def test_what_binds_is_told_term_by_term() -> None:
    """By the program, with the clause."""
    state = table()
    told = [terms.is_binding(state, line(one)) for one in (*SIX, 'FRA promises ENG "peace at sea"')]
    assert told == [(True, "agree.1")] * 6 + [(False, "agree.2")]
    source = table(rulings={"binding_terms": "source_only"})
    told = [terms.is_binding(source, line(one)) for one in SIX]
    assert [clause for _, clause in told] == ["agree.M2", "agree.1", "agree.M2", "agree.M2", "agree.1", "agree.1"]


# secrets


def secrets(rng: Random, parties: list[int]) -> tuple[Agreement, ...]:
    """Agreements among some powers, in any state."""
    found = []
    for number in range(1, rng.randint(2, 7)):
        by, *others = rng.sample(parties, rng.choice((2, 2, 3)))
        status = rng.choice(("draft", "offered", "signed", "signed"))
        all_of_them = mask((by, *others))
        state = table()
        possible = [
            term for a in (by, *others) for b in (by, *others) if a != b for term in terms.candidates(state, a, b)
        ]
        chosen = tuple(dict.fromkeys(rng.choices(possible, k=rng.randint(1, 3))))
        signed = {"draft": 0, "offered": 1 << by, "signed": all_of_them}[status]
        found.append(Agreement(by, all_of_them, number, chosen, 1, status, signed, number if status == "signed" else 0))
    return tuple(found)


@pytest.mark.parametrize("seed", range(12))
def test_a_verdict_reads_no_secret_of_others(seed: int) -> None:
    """Whatever two others have drafted, offered or signed, and whatever is in their hands, a seat is told the same."""
    rng = Random(seed)
    seat = rng.choice(MAJORS)
    others = [power for power in MAJORS if power != seat]
    state = table()
    mine = tuple(
        one
        for one in secrets(rng, list(MAJORS))
        if one.parties >> seat & 1 and (one.status != "draft" or one.by == seat)
    )
    hidden = tuple(replace(one, sealed=one.sealed and one.sealed + 20) for one in secrets(rng, others))
    plain = replace(state, offers=mine)
    hands = tuple(
        hand if power == seat or not hand else tuple(rng.sample(range(FIRST, FIRST + 30), len(hand)))
        for power, hand in enumerate(state.hands)
    )
    full = replace(state, offers=tuple(rng.sample([*mine, *hidden], len(mine) + len(hidden))), hands=hands)
    full = replace(full, offers=tuple(sorted(full.offers, key=lambda one: mine.index(one) if one in mine else -1)))
    assert REFEREE.view(plain, seat) == REFEREE.view(full, seat)
    assert REFEREE.choices(plain, seat) == REFEREE.choices(full, seat)
    for command in universe(seat, plain):
        told = REFEREE.judge(full, command)
        assert (told.kind, told.reasons, told.open) == _said(plain, command)
        assert (told.kind, told.reasons, told.open) == _said(REFEREE.view(full, seat), command)


def test_only_the_giver_is_told_that_he_has_nothing_to_draw() -> None:
    """A hand of home cards: who asks for a draw is told what the number of cards tells, the giver what they are."""
    home = min(i for i, card in enumerate(REFEREE.world.cards) if card.home == FRA)
    state = table()
    state = replace(state, hands=put(state.hands, FRA, (home,)))
    state = do(state, "SPA drafts agreement with FRA", "SPA writes: FRA gives a card to SPA", "SPA offers its draft")
    assert clauses(state, "FRA signs agreement of SPA with FRA") == ("f3.8",)
    empty = table()
    empty = replace(empty, hands=put(empty.hands, FRA, ()))
    empty = do(empty, "SPA drafts agreement with FRA", "SPA writes: FRA gives a card to SPA")
    assert clauses(empty, "SPA offers its draft") == ("f3.8",)


def _said(state: State, command: Command) -> tuple[Any, ...]:
    verdict = REFEREE.judge(state, command)
    return verdict.kind, verdict.reasons, verdict.open


def universe(power: int, state: State) -> list[Command]:
    """Commands of a power in the negotiations, made without the lists of choices."""
    others = [other for other in MAJORS if other != power]
    found: list[Command] = [c.DoneNegotiating(power), c.OfferDraft(power), c.Discard(power)]
    found += [c.DropTerm(power, number) for number in range(1, 5)]
    for other in others:
        found += [c.Draft(power, (other,)), c.Ally(power, other), c.MakePeace(power, other)]
        found += [c.Draft(power, (other, third)) for third in others if other < third]
    for one in state.offers:
        named_others = tuple(other for other in range(12) if one.parties >> other & 1 and other != one.by)
        for kind in (c.Sign, c.Decline, c.Withdraw, c.Amend):
            found.append(kind(power, one.by, named_others, one.number))
    return found


@pytest.mark.parametrize("seed", range(8))
def test_choices_are_what_judge_allows(seed: int) -> None:
    """Over commands that were made without the lists."""
    rng = Random(100 + seed)
    state = replace(table(), offers=secrets(rng, list(MAJORS)))
    for seat in MAJORS:
        listed = REFEREE.choices(state, seat)
        assert all(REFEREE.judge(state, one).allowed for one in listed)
        for command in universe(seat, state):
            allowed = REFEREE.judge(state, command).allowed and not (
                isinstance(command, (c.Ally, c.MakePeace)) and agreements.draft_of(state, seat) is not None
            )
            assert (command in listed) == allowed, command
        assert len(listed) <= 200


def test_what_each_sees_of_an_agreement() -> None:
    """A draft its drafter, an offer its parties, the announcement all, but mere promises their parties only."""
    state = do(table(), "SPA drafts agreement with FRA", "SPA writes: SPA gives a treasure to FRA")
    assert [len(REFEREE.view(state, seat).offers) for seat in (SPA, FRA, ENG, None)] == [1, 0, 0, 0]
    state = do(state, 'SPA writes: FRA promises SPA "no rebels"', "SPA offers its draft")
    assert [len(REFEREE.view(state, seat).offers) for seat in (SPA, FRA, ENG, None)] == [1, 1, 0, 0]
    state = do(state, "FRA signs agreement of SPA with FRA", 'HRE promises ENG "a fleet"')
    after, _ = finish(state)
    seen = {seat: REFEREE.view(after, seat) for seat in (SPA, FRA, ENG, None)}
    assert [len(seen[seat].announced[0].terms) for seat in (SPA, FRA, ENG, None)] == [2, 2, 1, 1]
    assert [len(seen[seat].words) for seat in (SPA, FRA, ENG, None)] == [1, 1, 1, 0]
    assert seen[ENG].words[0].text == "a fleet"


def test_an_open_table_sees_what_is_offered() -> None:
    """Where secret talks are forbidden; drafts stay their drafter's own."""
    state = do(
        table(rulings={"secret_talks": "forbidden"}), "SPA gives a treasure to FRA", "ENG drafts agreement with FRA"
    )
    assert [len(REFEREE.view(state, seat).offers) for seat in (SPA, FRA, ENG, PRO, None)] == [1, 1, 2, 1, 1]


def test_the_order_of_signing_shows_to_nobody_else() -> None:
    """Whoever signed first: what the others see of the announcement is the same."""
    drafts = [(SPA, (FRA,), ("SPA gives a treasure to FRA",)), (ENG, (HRE,), ("ENG allies with HRE",))]
    seen = []
    for order in (drafts, drafts[::-1]):
        state = sealed(table(), *order)
        state = replace(state, offers=tuple(replace(one, number=1) for one in state.offers))
        state = replace(state, done=mask(power for power in MAJORS if power != PRO))
        events = REFEREE.act(state, c.DoneNegotiating(PRO), FastDice(3)).events
        seen.append(REFEREE.view_events(state, events, PRO))
    assert seen[0] == seen[1]


# lent and returned


def winter(state: State) -> tuple[State, list[Event]]:
    """What is lent comes home, the owner choosing the last of ports that are equally near."""
    action = Action(replace(state, frames=()), FastDice(1))
    for frame in loans.return_loans(action):
        action.push(frame)
    found: State = action.state
    events = list(action.events)
    while found.frames:
        asked = found.frames[-1]
        assert isinstance(asked, PlacingLoan)
        outcome = REFEREE.act(found, c.PlaceLoan(asked.power, asked.ports[-1]), FastDice(1))
        events += outcome.events
        found = outcome.state
    return found, events


def place(name: str) -> int:
    """A place by its name."""
    found: int = REFEREE.world.names["place"].index(name)
    return found


def lying(state: State, name: str) -> list[tuple[str, int, str]]:
    """What lies in a place: whose, how many, whom it serves."""
    return [(POWERS[one.owner], one.count, POWERS[one.holder]) for one in state.fleets[place(name)]]


def test_a_loan_and_its_return() -> None:
    """Marked, moved, used for a turn, and home again with its leader; no unit is lost or made."""
    state = sealed(table(), (SPA, (ENG,), ("SPA allies with ENG", "SPA lends 2 squadrons, Santa Cruz at Cadiz to ENG")))
    units = _units(state)
    lent, _ = finish(state)
    (held,) = [
        name for name in ("Portsmouth", "Plymouth", "Bristol", "Chester") if ("SPA", 2, "ENG") in lying(lent, name)
    ]
    leader = REFEREE.world.leader_names.index("Santa Cruz")
    assert (lent.leader_at[leader], lent.leader_holder[leader]) == (place(held), ENG)
    assert lying(lent, "Cadiz") == [("SPA", 1, "SPA")]
    home, _ = winter(lent)
    assert _units(home) == units
    assert all(one.holder == one.owner for row in home.fleets for one in row)
    assert home.leader_holder[leader] == SPA
    assert ("SPA", 2, "SPA") in lying(home, REFEREE.world.names["place"][home.leader_at[leader]])


def test_lent_units_go_back_where_they_came_from() -> None:
    """Ruling `loan_return`: as many as are left to the port they were lent from, while its owner has it."""
    rulings = {"loan_return": "port_of_loan"}
    state = sealed(
        table(rulings=rulings), (SPA, (FRA,), ("SPA allies with FRA", "SPA lends 2 galleys at Barcelona to FRA"))
    )
    lent, _ = finish(state)
    assert lying(lent, "Marseille") == [("SPA", 2, "FRA")]
    home, _ = winter(lent)
    assert lying(home, "Barcelona") == [("SPA", 2, "SPA")]
    lost = replace(lent, owner=put(lent.owner, place("Barcelona"), FRA))
    home, _ = winter(lost)
    assert lying(home, "Barcelona") == []
    assert sum(one.count for row in home.fleets for one in row if one.kind == 1 and one.owner == SPA) == 2


def test_who_bears_the_loss_of_what_was_lent() -> None:
    """Ruling `loaned_unit_lost`: the owner, or the receiver who makes it good with units of its own."""
    for rule, french in (("owner_loses", 1), ("receiver_replaces", 0)):
        state = table(rulings={"loaned_unit_lost": rule})
        state = replace(state, fleets=put(state.fleets, place("Marseille"), (Fleet(FRA, 1, 1, FRA),)))
        state = sealed(state, (SPA, (FRA,), ("SPA allies with FRA", "SPA lends 2 galleys at Barcelona to FRA")))
        lent, _ = finish(state)
        sunk = replace(
            lent, fleets=put(lent.fleets, place("Marseille"), (Fleet(SPA, 1, 1, FRA), Fleet(FRA, 1, 1, FRA)))
        )
        home, _ = winter(sunk)
        galleys = [one for row in home.fleets for one in row if one.kind == 1]
        assert sum(one.count for one in galleys if one.owner == FRA) == french
        assert sum(one.count for one in galleys if one.owner == SPA) == 2 - french


def test_without_a_port_they_are_lost() -> None:
    """An owner who has lost every port has nowhere for them to go."""
    state = sealed(table(), (SPA, (FRA,), ("SPA allies with FRA", "SPA lends 2 galleys at Barcelona to FRA")))
    lent, _ = finish(state)
    bare = replace(lent, owner=tuple(FRA if owner == SPA else owner for owner in lent.owner))
    home, events = winter(bare)
    assert named(events, "LoanReturned")[0].to == NONE
    assert lying(home, "Marseille") == []


# at random


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_random_negotiations(players: int) -> None:
    """Views follow from what each seat is shown; nothing is lost; no forbidden pair is ever allied."""
    referee = REFEREES[players]
    for seed in range(3):
        rng = Random(1000 * players + seed)
        state = table(referee, rulings=_some_rulings(rng))
        units, cards = _units(state), sum(map(len, state.hands))
        likely = {"Sign": 30, "OfferDraft": 8, "DoneNegotiating": 0.4, "Amend": 0.2, "Decline": 0.2, "Discard": 0.1}
        for step in range(400):
            awaited = referee.awaiting(state)
            if state.phase != NEGOTIATION or not awaited:
                break
            seat = rng.choice([decision.seat for decision in awaited])
            listed = referee.choices(state, seat)
            assert len(listed) <= 200
            weights = [likely.get(type(one).__name__, 1) for one in listed]
            command = rng.choices(listed, weights)[0]
            assert referee.judge_for(state, command, seat).allowed
            outcome = referee.act(state, command, FastDice(step), seat)
            _views_follow(referee, state, outcome.events)
            state = outcome.state
            assert _units(state) == units
            if state.phase == NEGOTIATION:
                assert sum(map(len, state.hands)) == cards
            for a in MAJORS:
                assert not state.allies[a] & state.wars[a]
            assert not state.allies[SPA] >> PRO & 1
            assert not (state.allies[FRA] >> SPA & 1 and state.allies[FRA] >> PRO & 1)


def test_agreements_stand_in_records() -> None:
    """Events with agreements in them, and a position with agreements of every kind, are written and read again."""
    codec = REFEREE.codec
    state = replace(table(), offers=secrets(Random(5), list(MAJORS)))
    assert codec.decode(codec.encode(state), State) == replace(
        state, world=codec.decode(codec.encode(state), State).world
    )
    state = sealed(table(), (FRA, (SPA, ENG), (*SIX, 'ENG promises FRA "more"')), *BOTH)
    _, events = finish(state)
    assert len({type(event) for event in events}) > 10
    assert [codec.decode(codec.encode(event), Event) for event in events] == events


def _some_rulings(rng: Random) -> dict[str, str]:
    names = (
        "which_agreement_falls",
        "terms_take_effect",
        "secret_talks",
        "minor_as_party",
        "nearest_port_tie",
        "ceded_space",
        "garrison_of_ceded_space",
        "card_draw_limit",
        "ottoman_mercenaries",
        "mercenaries_placed",
        "captives_at_peace",
    )
    return {
        one.name: rng.choice(one.options) for one in GAME.rulebook.rulings if one.name in names and rng.random() < 0.4
    }


def _units(state: State) -> tuple[int, int]:
    ships = sum(fleet.count for row in state.fleets for fleet in row)
    return ships, sum(force.units for row in state.land for force in row)


def _views_follow(referee: Referee, state: State, events: Iterable[Event]) -> None:
    """To apply what a seat is shown gives what it may know of the position then."""
    seats = (*referee.world.seats, None)
    views = {seat: referee.view(state, seat) for seat in seats}
    for event in events:
        after = event.apply(state)
        for seat in seats:
            views[seat] = referee.replay(views[seat], referee.view_events(state, [event], seat))
            assert views[seat] == referee.view(after, seat), (seat, event)
        state = after
