"""How all agreements of one negotiation segment of Virgin Queen are settled at its end, restated on a toy state.

Every term is carried out at the announcement, step by step for all agreements together (terms_take_effect, agree.M1):
ends of war; then transfers and returns; then alliances; then loans. An agreement stands whole or not at all. One with
a term that cannot be carried out is dropped whole and everything is tried again from the start without it, until all
that is left can be carried out. Agreements are listed in the order in which they were signed.

Terms, as (kind, from, to, data):

    peace, alliance      no data; from and to may be swapped
    leader_return        (leader,)           from is the captor, to the leader's own power
    space                (space,)
    mercenaries, treasure, card_draw         (number,)
    engagement           (royal of from, royal of to)
    loan                 (unit, goal port)

A peace agreed on in two agreements ends the war once: the second has no war to end and fails by f3.3. An alliance
agreed on twice changes nothing the second time and stands, since nothing forbids to announce it again.

Limits for one turn on draws or mercenaries are known of the sister game only (f3.17) and are not restated.

The readings, by name:

`which_agreement_falls`: `later`, `earlier` or `all`: which of several agreements in conflict is dropped. They are in
    conflict when a term cannot be carried out with all of them there, but could be with some of the others gone; the
    smallest such sets of others count. Where no others' going would help, the agreement of that term itself falls.
`conflict_reach`: `whoever_stands_in_the_way` (as just said: a space ceded in step two may knock out a loan to
    that port in step four, and then the later signed of the two falls) or `the_failing_term` (the agreement whose
    term fails is the one dropped; within a step terms are tried from the first signed with `later`, from the last
    signed with `earlier`; `all` always looks for the others).
`within_a_step`: `at_once` (one gives what one had before the step; what comes in with it cannot be passed on) or
    `in_order` (one term after the other, in the order of signing, so that it can).
`second_try`: `no` or `yes`: whether agreements dropped are tried once more, in the order of signing, when all the
    rest stands. `no` is the plain sense of trying the rest again.
`peace_then_alliance` (ally.M1): `allowed` or `refused`.
`loan_passed_on` is no and `loan_direction` is by powers here; loans have their own restatement.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import combinations

Pair = frozenset[str]

GREAT = frozenset({"OTT", "SPA", "ENG", "FRA", "HRE", "PRO"})

STEPS: tuple[tuple[str, ...], ...] = (
    ("peace",),
    ("leader_return", "space", "mercenaries", "treasure", "card_draw", "engagement"),
    ("alliance",),
    ("loan",),
)

DEFAULTS: dict[str, str] = {
    "which_agreement_falls": "later",
    "conflict_reach": "whoever_stands_in_the_way",
    "within_a_step": "at_once",
    "second_try": "no",
    "peace_then_alliance": "allowed",
}


@dataclass(frozen=True)
class Term:
    kind: str
    giver: str
    taker: str
    data: tuple[str | int, ...] = ()


Agreement = tuple[Term, ...]


@dataclass(frozen=True)
class State:
    """A toy of the game. `locked_wars` cannot be ended this turn (f3.4).

    `captives` maps a leader to (owner, captor), `owners` a space to its controller, `royals` a royal to its power,
    `units` a naval unit to (owner, port); `loaned` maps a unit on loan to its receiver. `mercenaries`, `treasures`
    and `hands` are numbers.
    """

    wars: frozenset[Pair] = frozenset()
    locked_wars: frozenset[Pair] = frozenset()
    alliances: frozenset[Pair] = frozenset()
    captives: dict[str, tuple[str, str]] = field(default_factory=dict)
    owners: dict[str, str] = field(default_factory=dict)
    mercenaries: dict[str, int] = field(default_factory=dict)
    treasures: dict[str, int] = field(default_factory=dict)
    hands: dict[str, int] = field(default_factory=dict)
    royals: dict[str, str] = field(default_factory=dict)
    engagements: frozenset[Pair] = frozenset()
    units: dict[str, tuple[str, str]] = field(default_factory=dict)
    loaned: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Failure:
    """The first term that could not be carried out: whose (by number of agreement), which of its terms, and why."""

    agreement: int
    term: int
    clauses: frozenset[str]


@dataclass(frozen=True)
class Settled:
    """What came of it: the state after, the agreements that stand, and why each of the others fell."""

    state: State
    standing: tuple[int, ...]
    fallen: dict[int, frozenset[str]]


def rule(rulings: dict[str, str], name: str) -> str:
    return rulings.get(name, DEFAULTS[name])


def number(term: Term) -> int:
    (amount,) = term.data
    if not isinstance(amount, int) or amount < 1:
        raise ValueError(f"not a number of things to give: {amount!r}")
    return amount


def name(term: Term, place: int = 0) -> str:
    word = term.data[place]
    if not isinstance(word, str):
        raise ValueError(f"not a name: {word!r}")
    return word


def stock(state: State, kind: str) -> dict[str, int]:
    if kind == "mercenaries":
        return state.mercenaries
    if kind == "treasure":
        return state.treasures
    return state.hands


def given(term: Term, done: tuple[Term, ...]) -> int:
    """How much of the same kind the same power has given already in this step."""
    return sum(number(other) for other in done if other.kind == term.kind and other.giver == term.giver)


COUNTED = {"mercenaries": "f3.10", "treasure": "f3.12", "card_draw": "f3.8"}


def forbidden(
    first: State, before: State, now: State, done: tuple[Term, ...], term: Term, rulings: dict[str, str]
) -> frozenset[str]:
    """Why the term cannot be carried out: `first` is before everything, `before` before this step, `now` this moment.

    `done` are the terms of this step carried out already.
    """
    both = frozenset({term.giver, term.taker})
    at_once = rule(rulings, "within_a_step") == "at_once"
    found: set[str] = set()
    if term.kind == "peace":
        # f3.3: there must be a war to end; f3.4.
        if both not in now.wars:
            found.add("f3.3")
        if both in now.locked_wars:
            found.add("f3.4")
    elif term.kind == "leader_return":
        # agree.5: a captive of the giver, and the taker's own leader.
        if now.captives.get(name(term)) != (term.taker, term.giver):
            found.add("agree.5")
    elif term.kind == "space":
        # f3.11: one's own to give.
        if now.owners.get(name(term)) != term.giver or (at_once and before.owners.get(name(term)) != term.giver):
            found.add("f3.11")
    elif term.kind in COUNTED:
        if at_once:
            left = stock(before, term.kind).get(term.giver, 0) - given(term, done)
        else:
            left = stock(now, term.kind).get(term.giver, 0)
        if left < number(term):
            found.add(COUNTED[term.kind])
    elif term.kind == "engagement":
        one, other = name(term, 0), name(term, 1)
        # f3.9: one royal of each party; f10.2: neither engaged already.
        if now.royals.get(one) != term.giver or now.royals.get(other) != term.taker:
            found.add("f3.9")
        for couple in now.engagements:
            if one in couple or other in couple:
                found.add("f3.9")
    elif term.kind == "alliance":
        found |= alliance_forbidden(first, now, both, rulings)
    elif term.kind == "loan":
        unit, goal = name(term, 0), name(term, 1)
        owner, _ = now.units[unit]
        # loan.13: an alliance of this turn, and by this step all of them are made.
        if both not in now.alliances:
            found.add("loan.13")
        # loan.M4, and the same unit is not lent twice.
        if owner != term.giver or unit in now.loaned:
            found.add("loan.M4")
        # loan.4.
        for other, receiver in now.loaned.items():
            if receiver == term.giver and now.units[other][0] == term.taker:
                found.add("loan.4")
        # loan.6: a port the receiver controls by now, ceded in this very announcement or not.
        if now.owners.get(goal) != term.taker:
            found.add("loan.6")
    else:
        raise ValueError(f"no such term: {term.kind}")
    return frozenset(found)


def alliance_forbidden(first: State, now: State, both: Pair, rulings: dict[str, str]) -> frozenset[str]:
    found: set[str] = set()
    # ally.5, and ally.M1 for a war that this announcement ended.
    if both in now.wars:
        found.add("ally.5")
    if both in first.wars and rule(rulings, "peace_then_alliance") == "refused":
        found.add("ally.5")
    # ally.8.
    if not both <= GREAT:
        found.add("ally.8")
    # ally.6.
    if both == {"SPA", "PRO"}:
        found.add("ally.6")
    # ally.7.
    if both == {"FRA", "SPA"} and frozenset({"FRA", "PRO"}) in now.alliances:
        found.add("ally.7")
    if both == {"FRA", "PRO"} and frozenset({"FRA", "SPA"}) in now.alliances:
        found.add("ally.7")
    return frozenset(found)


def moved(counts: dict[str, int], giver: str, taker: str, amount: int) -> dict[str, int]:
    after = dict(counts)
    after[giver] = after.get(giver, 0) - amount
    after[taker] = after.get(taker, 0) + amount
    return after


def carried_out(state: State, term: Term) -> State:
    """The state with this one term done."""
    both = frozenset({term.giver, term.taker})
    if term.kind == "peace":
        return replace(state, wars=state.wars - {both})
    if term.kind == "leader_return":
        return replace(state, captives={who: held for who, held in state.captives.items() if who != name(term)})
    if term.kind == "space":
        return replace(state, owners={**state.owners, name(term): term.taker})
    if term.kind == "mercenaries":
        return replace(state, mercenaries=moved(state.mercenaries, term.giver, term.taker, number(term)))
    if term.kind == "treasure":
        return replace(state, treasures=moved(state.treasures, term.giver, term.taker, number(term)))
    if term.kind == "card_draw":
        return replace(state, hands=moved(state.hands, term.giver, term.taker, number(term)))
    if term.kind == "engagement":
        return replace(state, engagements=state.engagements | {frozenset({name(term, 0), name(term, 1)})})
    if term.kind == "alliance":
        return replace(state, alliances=state.alliances | {both})
    if term.kind == "loan":
        unit, goal = name(term, 0), name(term, 1)
        owner, _ = state.units[unit]
        return replace(
            state,
            units={**state.units, unit: (owner, goal)},
            loaned={**state.loaned, unit: term.taker},
        )
    raise ValueError(f"no such term: {term.kind}")


def attempt(
    state: State, agreements: tuple[Agreement, ...], which: tuple[int, ...], rulings: dict[str, str]
) -> State | Failure:
    """Carry out these agreements and no others: the state after, or the first term that cannot be carried out."""
    order = which
    if rule(rulings, "conflict_reach") == "the_failing_term" and rule(rulings, "which_agreement_falls") == "earlier":
        order = tuple(reversed(which))
    now = state
    for kinds in STEPS:
        before = now
        done: tuple[Term, ...] = ()
        for agreement in order:
            for place, term in enumerate(agreements[agreement]):
                if term.kind not in kinds:
                    continue
                why = forbidden(state, before, now, done, term, rulings)
                if why:
                    return Failure(agreement, place, why)
                now = carried_out(now, term)
                done = (*done, term)
    return now


def in_the_way(
    state: State,
    agreements: tuple[Agreement, ...],
    which: tuple[int, ...],
    failure: Failure,
    rulings: dict[str, str],
) -> frozenset[int]:
    """The other agreements with which the failing one is in conflict; none if it cannot be carried out anyhow."""
    others = tuple(agreement for agreement in which if agreement != failure.agreement)
    for size in range(1, len(others) + 1):
        found: set[int] = set()
        for gone in combinations(others, size):
            rest = tuple(agreement for agreement in which if agreement not in gone)
            # With these gone: does that agreement get through, whatever becomes of the rest?
            if gets_through(state, agreements, rest, failure.agreement, rulings):
                found |= set(gone)
        if found:
            return frozenset(found)
    return frozenset()


def gets_through(
    state: State, agreements: tuple[Agreement, ...], which: tuple[int, ...], wanted: int, rulings: dict[str, str]
) -> bool:
    """Can the wanted one be carried out among these, the others that fail on their own being left aside."""
    while wanted in which:
        outcome = attempt(state, agreements, which, rulings)
        if isinstance(outcome, State):
            return True
        which = tuple(agreement for agreement in which if agreement != outcome.agreement)
    return False


def settle(state: State, agreements: tuple[Agreement, ...], rulings: dict[str, str] | None = None) -> Settled:
    """Settle the segment: what stands, what falls and why, and the state after it."""
    chosen = rulings or {}
    for agreement in agreements:
        if not agreement:
            raise ValueError("an agreement without terms")
    which = tuple(range(len(agreements)))
    fallen: dict[int, frozenset[str]] = {}
    while True:
        outcome = attempt(state, agreements, which, chosen)
        if isinstance(outcome, State):
            break
        falling = {outcome.agreement: outcome.clauses}
        falls = rule(chosen, "which_agreement_falls")
        if falls == "all" or rule(chosen, "conflict_reach") == "whoever_stands_in_the_way":
            others = in_the_way(state, agreements, which, outcome, chosen)
            conflict = sorted({outcome.agreement} | others)
            reasons = {one: frozenset({"which_agreement_falls"}) for one in conflict}
            reasons[outcome.agreement] = outcome.clauses
            if falls == "later":
                falling = {conflict[-1]: reasons[conflict[-1]]}
            elif falls == "earlier":
                falling = {conflict[0]: reasons[conflict[0]]}
            else:
                falling = reasons
        fallen.update(falling)
        which = tuple(one for one in which if one not in falling)
    if rule(chosen, "second_try") == "yes":
        for number_of_it in sorted(fallen):
            more = tuple(sorted({*which, number_of_it}))
            again = attempt(state, agreements, more, chosen)
            if isinstance(again, State):
                which, outcome = more, again
                del fallen[number_of_it]
    return Settled(outcome, which, fallen)
