"""Agreements: drafted, offered, amended, signed, secret until the end of the segment, then announced and settled.

A verdict on offering or signing reads only what the signer may know: the terms are judged on the position as it will
be when the agreements have been carried out which he knows to be signed by all. What others have signed shows when all
is announced: then an agreement that cannot be carried out whole falls whole, and the rest is tried again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations
from operator import attrgetter
from typing import Any, Final, NamedTuple

from msgspec.structs import replace

from foedus.games.virgin_queen.alliances import now_negotiating
from foedus.games.virgin_queen.commands import (
    BINDING,
    TERMS,
    AddTerm,
    Ally,
    Amend,
    Betroth,
    Cede,
    Decline,
    Discard,
    DoneNegotiating,
    Draft,
    DropTerm,
    GiveCard,
    GiveMercenaries,
    GiveTreasure,
    Lend,
    MakePeace,
    OfferDraft,
    Promise,
    PutForward,
    ReturnLeader,
    Sign,
    Talk,
    Withdraw,
)
from foedus.games.virgin_queen.events import (
    AgreementAnnounced,
    AgreementDrafted,
    AgreementEnded,
    AgreementFailed,
    AgreementOffered,
    AgreementSigned,
    CardPassed,
    DraftDiscarded,
    NegotiationDone,
    OffersDied,
    Talked,
    WordGiven,
    WordMarked,
)
from foedus.games.virgin_queen.frames import Negotiating, PlacingLoan
from foedus.games.virgin_queen.loans import still_to_place
from foedus.games.virgin_queen.state import IND, MAJORS, MINORS, NEGOTIATION, Agreement, State, kept, mask
from foedus.games.virgin_queen.terms import (
    CLASSES,
    GIFTS,
    candidates,
    drawers,
    idle_party,
    minor_party,
    perform,
    read_by_candidates,
)
from foedus.kernel.dice import FastDice
from foedus.kernel.flow import Action, Decision, Flow, Group, Kept, Rolled, carries_out, spread
from foedus.kernel.rules import Facts, effect, facts, forbids, permits
from foedus.kernel.unknown import NONE, UNKNOWN, Unknown
from foedus.kernel.values import Command, Event, bits

WIDEST: Final = 160
"""How many terms a seat is shown to write into its drafts at once."""


# who and when

_DRAFTING: Final = (Draft, AddTerm, DropTerm, OfferDraft, Discard, Amend)
_ANSWERING: Final = (Sign, Decline, Withdraw)


@forbids("f2.1", act=(*_DRAFTING, *_ANSWERING, DoneNegotiating), wide=True)
def only_in_the_first_segment(state: State, act: Command) -> Facts | None:
    """Agreements are made in the negotiation segment."""
    return None if now_negotiating(state) else facts(power=act.power)


@forbids("f3.19", act=(*_DRAFTING, DoneNegotiating, PutForward), wide=True)
def who_has_done_offers_nothing_more(state: State, act: Command) -> Facts | None:
    """He may still sign what was offered to him."""
    return facts(variant="done", power=act.power) if state.done >> act.power & 1 else None


@forbids("agree.1", act=(Draft, PutForward))
def an_agreement_joins_different_powers(state: State, act: Draft | PutForward) -> Facts | None:
    """Two or more of them."""
    if isinstance(act, Draft):
        others = act.others
        wrong = not others or act.power in others or IND in others or len(set(others)) != len(others)
    else:
        wrong = act.agreement.parties.bit_count() < 2
    return facts(variant="parties", power=act.power) if wrong else None


@forbids("f9.1", act=(Draft, PutForward, DoneNegotiating))
def minor_powers_draft_nothing(state: State, act: Draft | PutForward | DoneNegotiating) -> Facts | None:
    """Ruling `minor_as_party`; and nobody waits for a minor power to have done."""
    if isinstance(act, DoneNegotiating):
        return facts(power=act.power) if act.power in MINORS else None
    minors = _parties(act) & _MINOR_POWERS
    return _first(minor_party(state, power) for power in bits(minors)) if minors else None


@forbids("f17.1", act=(Draft, PutForward, DoneNegotiating))
def powers_without_a_player_draft_nothing(state: State, act: Draft | PutForward | DoneNegotiating) -> Facts | None:
    """Ruling `activated_as_party`."""
    if not state.world.inactive:
        return None
    return _first(idle_party(state, power) for power in bits(_parties(act)))


_MINOR_POWERS: Final = mask(MINORS)


def _parties(act: Draft | PutForward | DoneNegotiating) -> int:
    if isinstance(act, PutForward):
        return act.agreement.parties
    return mask((act.power, *act.others)) if isinstance(act, Draft) else 1 << act.power


def _first(found: Iterable[Facts | None]) -> Facts | None:
    return next((one for one in found if one is not None), None)


# drafts


def draft_of(state: State, power: int) -> Agreement | None:
    """The unfinished draft of a power."""
    for one in state.offers:
        if one.by == power and one.status == "draft":
            return one
    return None


@forbids("f3.19", act=(Draft, Amend), wide=True)
def one_draft_at_a_time(state: State, act: Draft | Amend) -> Facts | None:
    """A power has one unfinished draft at most."""
    return facts(variant="draft", power=act.power) if draft_of(state, act.power) is not None else None


@forbids("f3.19", act=(AddTerm, DropTerm, OfferDraft, Discard), wide=True)
def there_must_be_a_draft(state: State, act: Command) -> Facts | None:
    """Only a draft of one's own is written on."""
    return facts(variant="no_draft", power=act.power) if draft_of(state, act.power) is None else None


@forbids("agree.2", act=AddTerm)
def only_terms_are_written(state: State, act: AddTerm) -> Facts | None:
    """Moves, card plays and the like cannot be carried out now: they may be promised, not agreed on with force."""
    return None if isinstance(act.term, TERMS) else facts(power=act.power)


@forbids("agree.1", act=AddTerm)
def terms_go_from_party_to_party(state: State, act: AddTerm) -> Facts | None:
    """Each from one party to another."""
    draft, term = draft_of(state, act.power), act.term
    if draft is None or not isinstance(term, TERMS):
        return None
    joined = draft.parties >> term.power & 1 and draft.parties >> term.to & 1
    return None if joined and term.power != term.to else facts(variant="strangers", power=term.power, to=term.to)


@forbids("f3.19", act=AddTerm)
def so_many_terms(state: State, act: AddTerm) -> Facts | None:
    """A limit of this program; and no term stands twice."""
    draft = draft_of(state, act.power)
    if draft is None:
        return None
    limit = int(state.world.tables["limits"]["terms"])
    if len(draft.terms) >= limit:
        return facts(variant="full", power=act.power, limit=limit)
    return facts(variant="twice", power=act.power) if act.term in draft.terms else None


@forbids("f3.19", act=DropTerm)
def only_a_term_that_is_there(state: State, act: DropTerm) -> Facts | None:
    """By its number, from 1."""
    draft = draft_of(state, act.power)
    if draft is None or 1 <= act.number <= len(draft.terms):
        return None
    return facts(variant="term", power=act.power, count=act.number)


@carries_out(Draft)
def draft(action: Action, command: Draft) -> None:
    """Nobody else knows of it."""
    parties = mask((command.power, *command.others))
    action.emit(AgreementDrafted(Agreement(command.power, parties, 0)))


@carries_out(AddTerm)
def add_term(action: Action, command: AddTerm) -> None:
    """At the end of the draft."""
    found = draft_of(action.state, command.power)
    assert found is not None
    action.emit(AgreementDrafted(replace(found, terms=(*found.terms, command.term))))


@carries_out(DropTerm)
def drop_term(action: Action, command: DropTerm) -> None:
    """The others move up."""
    found = draft_of(action.state, command.power)
    assert found is not None
    terms = (*found.terms[: command.number - 1], *found.terms[command.number :])
    action.emit(AgreementDrafted(replace(found, terms=terms)))


@carries_out(Discard)
def discard(action: Action, command: Discard) -> None:
    """An agreement that it would have amended stands."""
    action.emit(DraftDiscarded(command.power))


# offering


def next_number(state: State, by: int, parties: int) -> int:
    """The number of the next agreement of this drafter with just these parties: none comes twice in a segment."""
    told = [number for a, b, number in state.numbered if (a, b) == (by, parties)]
    there = [one.number for one in state.offers if (one.by, one.parties) == (by, parties) and one.status != "draft"]
    return max((0, *told, *there)) + 1


def offered(state: State, one: Agreement) -> Agreement:
    """An agreement as it is offered: signed by its drafter."""
    number = next_number(state, one.by, one.parties)
    return replace(one, number=number, status="offered", signed=1 << one.by, sealed=0, amends=0, amended_by=NONE)


def _alone(state: State, term: Any) -> Agreement:
    """A term given as a command by itself: an agreement of that one term."""
    return offered(state, Agreement(term.power, mask((term.power, term.to)), 0, (term,)))


@forbids("f3.19", act=PutForward)
def what_may_be_offered(state: State, act: PutForward) -> Facts | None:
    """Something is agreed on, and no agreement with the same terms waits already; limits of this program."""
    if not act.agreement.terms:
        return facts(variant="empty", power=act.power)
    waiting = [one for one in state.offers if one.by == act.power and one.status == "offered"]
    for one in waiting:
        if one.parties == act.agreement.parties and one.terms == act.agreement.terms:
            return facts(variant="same", power=act.power)
    limit = int(state.world.tables["limits"]["offers"])
    return facts(variant="many", power=act.power, limit=limit) if len(waiting) >= limit else None


@forbids("f3.19", act=OfferDraft)
def not_a_version_of_what_all_have_signed(state: State, act: OfferDraft) -> Facts | None:
    """What all have signed in the meantime is not amended any more."""
    found = draft_of(state, act.power)
    if found is None or not found.amends:
        return None
    old = state.agreement(found.amended_by, found.amends, found.number)
    return facts(variant="sealed", power=act.power) if old is not None and old.status == "signed" else None


@permits("f3.13", act=PutForward)
def nothing_need_be_given_in_return(state: State, act: PutForward) -> Facts | None:
    """Cited where one party gives and none gives back."""
    terms = act.agreement.terms
    givers = {term.power for term in terms if not isinstance(term, Promise)}
    if len(givers) != 1 or any(not isinstance(term, (*GIFTS, Promise)) for term in terms):
        return None
    gift: Any = next(term for term in terms if not isinstance(term, Promise))
    return facts(power=gift.power, to=gift.to)


def running(state: State) -> bool:
    """Is a game under way, so that a term by itself is an offer? On the desk it is judged as what it does."""
    return bool(state.frames)


def entail_offer(state: State, command: OfferDraft) -> Iterator[tuple[State, Any]]:
    """To offer a draft is to put it forward, and to be able to carry out its terms as far as one knows."""
    yield state, command
    found = draft_of(state, command.power)
    if found is not None:
        one = offered(state, found)
        yield state, PutForward(command.power, one)
        yield from _entail_terms(state, command.power, one)


def entail_term(state: State, command: Any) -> Iterator[tuple[State, Any]]:
    """A term by itself: in a game it puts forward an agreement of that one term, on the desk it is the act."""
    if running(state) and now_negotiating(state):
        one = _alone(state, command)
        yield state, PutForward(command.power, one)
        yield from _entail_terms(state, command.power, one)
    else:
        yield state, command


def entail_sign(state: State, command: Sign) -> Iterator[tuple[State, Any]]:
    """To sign is to be able to carry the terms out, as far as one knows."""
    yield state, command
    one = state.agreement(command.by, mask((command.by, *command.others)), command.number)
    if one is not None:
        yield from _entail_terms(state, command.power, one)


def _entail_terms(state: State, power: int, one: Agreement) -> Iterator[tuple[State, Any]]:
    """The terms, each at its moment, on what this power's seat knows to be agreed."""
    seat = state.seat_of(power)
    at = _known_outcome(state, seat)
    trials: Trials = kept(state, f"trials {seat}", (at,), dict)
    allowed = state.world.referee.permitted
    steps = in_order(state, (one,)) if len(one.terms) > 1 else [(one, 0, term) for term in one.terms]
    for place, (_, _, term) in enumerate(steps, 1):
        if brought_about(state, at, term):
            continue
        yield at, term
        if place < len(steps):
            found = trials.get(term)
            if found is None:
                found = trials[term] = (_carried(at, term) if allowed(at, term) else None, {})
            if found[0] is None:
                return
            at, trials = found[0], found[1]


Trials = dict[Command, tuple[State | None, Any]]
"""What terms have come to on trial: by the first term the position after it, and the trials of the next from there.

A draft is tried anew after every term that is written; of its first terms it is known already. None: not allowed.
"""


def _known_outcome(state: State, seat: int) -> State:
    """The position once the agreements have been settled that a seat knows to be signed by all, read with its eyes."""
    known = _known(state, seat)

    def make() -> State:
        base = replace(desk(state, seat), offers=(), numbered=(), done=0)
        return settle(base, known).state if known else base

    return kept(state, f"known outcome {seat}", (_rest(state), len(known), *known), make)


def _known(state: State, seat: int) -> tuple[Agreement, ...]:
    """The agreements that a seat knows to be signed by all."""
    return tuple([one for one in state.offers if one.status == "signed" and _sees(state, one, seat)])


_all_else: Final[Callable[[State], tuple[Any, ...]]] = attrgetter(
    *(name for name in State.__struct_fields__ if name not in ("frames", "offers", "numbered", "done"))
)
"""The parts of a position that stay as they are while agreements are drafted, offered and signed."""


def _rest(state: State) -> tuple[Any, ...]:
    """These parts, as the same tuple as the last time if they are the same."""
    found = _all_else(state)
    return kept(state, "rest", found, lambda: found)


def desk(state: State, seat: int | None = None) -> State:
    """The position out of its flow, for trials; for a seat with the hands of the others unseen."""
    if seat is None:
        return replace(state, frames=())
    own = [seat in seats_of(state, 1 << power) for power in range(len(state.hands))]
    hands = tuple(
        hand if mine or hand == (NONE,) else (UNKNOWN,) * len(hand) for hand, mine in zip(state.hands, own, strict=True)
    )
    return replace(state, frames=(), hands=hands)


@carries_out(OfferDraft)
def offer_draft(action: Action, command: OfferDraft) -> None:
    """Its parties know of it now; a version it amends is gone."""
    state: State = action.state
    found = draft_of(state, command.power)
    assert found is not None
    if found.amends:
        old = state.agreement(found.amended_by, found.amends, found.number)
        if old is not None:
            action.emit(AgreementEnded(old.by, old.parties, old.number, "amended", command.power))
    action.emit(AgreementOffered(offered(state, found)))


def offer_term(action: Action, command: Any) -> None:
    """In a game: an agreement of that one term is offered. On the desk: the term is carried out."""
    if running(action.state):
        action.emit(AgreementOffered(_alone(action.state, command), False))
        return
    for frame in perform(action, command):
        action.push(frame)


OFFER_ALLIANCE = carries_out(Ally)(offer_term)
OFFER_PEACE = carries_out(MakePeace)(offer_term)
OFFER_LEADER = carries_out(ReturnLeader)(offer_term)
OFFER_CARD = carries_out(GiveCard)(offer_term)
OFFER_MERCENARIES = carries_out(GiveMercenaries)(offer_term)
OFFER_SPACE = carries_out(Cede)(offer_term)
OFFER_TREASURE = carries_out(GiveTreasure)(offer_term)
OFFER_MARRIAGE = carries_out(Betroth)(offer_term)
OFFER_LOAN = carries_out(Lend)(offer_term)

ENTAILS: Final[dict[type, Any]] = {OfferDraft: entail_offer, Sign: entail_sign, **dict.fromkeys(BINDING, entail_term)}
"""What commands of this chapter entail, for the game."""


# answering


def _named(state: State, act: Sign | Decline | Withdraw | Amend) -> Agreement | None:
    """The agreement that a command names, as long as it waits or is signed."""
    one = state.agreement(act.by, mask((act.by, *act.others)), act.number)
    return one if one is not None and one.status != "draft" else None


@forbids("f3.19", act=(Sign, Decline, Withdraw, Amend))
def only_what_is_open(state: State, act: Sign | Decline | Withdraw | Amend) -> Facts | None:
    """It was offered to this power, and not all have signed it."""
    one = _named(state, act)
    if one is None or not one.parties >> act.power & 1:
        return facts(variant="gone", power=act.power, by=act.by)
    if one.status == "signed":
        return facts(variant="sealed", power=act.power)
    has_signed = bool(one.signed >> act.power & 1)
    if isinstance(act, Withdraw):
        return None if has_signed else facts(variant="unsigned", power=act.power)
    if isinstance(act, (Sign, Decline)) and has_signed:
        return facts(power=act.power)
    return None


@carries_out(Sign)
def sign(action: Action, command: Sign) -> None:
    """With the last signature it is sealed: from now on it binds, and waits for the announcement."""
    state: State = action.state
    one = _named(state, command)
    assert one is not None
    sealed = 0
    if one.signed | 1 << command.power == one.parties:
        sealed = max((other.sealed for other in state.offers), default=0) + 1
    action.emit(AgreementSigned(one.by, one.parties, one.number, command.power, sealed))


@carries_out(Decline)
def decline(action: Action, command: Decline) -> None:
    """It is gone, for all its parties."""
    action.emit(AgreementEnded(*_key(command), "declined", command.power))


@carries_out(Withdraw)
def withdraw(action: Action, command: Withdraw) -> None:
    """Until all have signed, each who has may take it back."""
    action.emit(AgreementEnded(*_key(command), "withdrawn", command.power))


def _key(act: Sign | Decline | Withdraw | Amend) -> tuple[int, int, int]:
    return act.by, mask((act.by, *act.others)), act.number


@carries_out(Amend)
def amend(action: Action, command: Amend) -> None:
    """A new version is drafted, with the same terms to begin with."""
    one = _named(action.state, command)
    assert one is not None
    made = Agreement(command.power, one.parties, one.number, one.terms, one.version + 1)
    action.emit(AgreementDrafted(replace(made, amends=one.parties, amended_by=one.by)))


@carries_out(DoneNegotiating)
def done(action: Action, command: DoneNegotiating) -> None:
    """An unfinished draft is thrown away."""
    if draft_of(action.state, command.power) is not None:
        action.emit(DraftDiscarded(command.power))
    action.emit(NegotiationDone(command.power))


# talks


@forbids("f3.18", act=Talk)
def house_rule_on_secret_talks(state: State, act: Talk) -> Facts | None:
    """Ruling `secret_talks`."""
    if not act.secret:
        return None
    rule = state.ruling("secret_talks")
    if rule == "forbidden":
        return facts(power=act.power, to=act.to)
    if rule == "limited":
        if state.phase == UNKNOWN:
            raise Unknown("phase", (), (NEGOTIATION, NEGOTIATION + 1))
        if state.phase != NEGOTIATION:
            return facts(variant="segment", power=act.power, to=act.to)
    return None


@carries_out(Talk)
def talk(action: Action, command: Talk) -> None:
    """Words change nothing."""
    action.emit(Talked(command.power, command.to, command.secret))


# the end of the segment


@effect("agree.M1", otherwise="ends_of_war_first")
def order_of_terms(state: State) -> str:
    """Ruling `terms_take_effect`."""
    return state.ruling("terms_take_effect")


@effect("f3.19", otherwise="later_signed")
def which_falls(state: State) -> str:
    """Ruling `which_agreement_falls`."""
    return state.ruling("which_agreement_falls")


@effect("ally.2", otherwise=False)
def announced_to_all(state: State) -> bool:
    """At the end of the segment all that was signed by all its parties is announced."""
    return True


Step = tuple[Agreement, int, Command]
"""A term to carry out: its agreement, its place in it from 0, and the term."""


def in_order(state: State, agreements: Sequence[Agreement]) -> list[Step]:
    """The terms of signed agreements in the order in which they take effect (agree.M1).

    Ends of war, then transfers and returns, alliances, loans; within a class by the order of signing.
    """
    steps = [(one, i, term) for one in agreements for i, term in enumerate(one.terms)]
    if order_of_terms(state) == "as_signed":
        return sorted(steps, key=lambda step: (step[0].sealed, step[1]))
    return sorted(steps, key=lambda step: (CLASSES.get(type(step[2]), 1), step[0].sealed, step[1]))


def _carried(state: State, term: Command) -> State:
    """The state with a term carried out on trial: what chance decides falls anyhow."""
    action = Action(state, FastDice(0))
    perform(action, term)
    after: State = action.state
    return after


class Failing(NamedTuple):
    """A term that is not allowed when its moment comes: its agreement, its place from 0, the clause."""

    agreement: Agreement
    place: int
    clause: str


class Fall(NamedTuple):
    """An agreement that falls: which term (from 1) by which clause; 0 where it is not one of its own."""

    agreement: Agreement
    term: int
    clause: str


class Settled(NamedTuple):
    """What comes of signed agreements: the position then, those that stand, those that fall."""

    state: State
    stand: tuple[Agreement, ...]
    fall: tuple[Fall, ...]


def brought_about(start: State, now: State, term: Command) -> bool:
    """Has another agreement of the same announcement brought about already what a term is for: an alliance, a peace?"""
    if isinstance(term, Ally):
        return bool(now.allies[term.power] >> term.to & 1 and not start.allies[term.power] >> term.to & 1)
    if isinstance(term, MakePeace):
        return bool(now.peaces[term.power] >> term.to & 1 and not start.peaces[term.power] >> term.to & 1)
    return False


def _tried(state: State, steps: Iterable[Step], watched: Agreement | None = None) -> tuple[State, Failing | None]:
    """The terms carried out one after the other on trial, and the first that is not allowed.

    `watched`: only a term of this agreement counts; others that are not allowed are passed over.
    """
    referee, start = state.world.referee, state
    for one, place, term in steps:
        if brought_about(start, state, term):
            continue
        if referee.permitted(state, term):
            state = _carried(state, term)
        elif watched is None or one is watched:
            clauses = referee.judge(state, term).clauses
            return state, Failing(one, place, clauses[0] if clauses else "")
    return state, None


def settle(state: State, agreements: Sequence[Agreement]) -> Settled:
    """Settle signed agreements on trial: what cannot be carried out whole falls whole, and the rest is tried again.

    Where an agreement could be carried out but for another one, the two are in conflict, and a ruling says which of
    them falls (`which_agreement_falls`).
    """
    live = list(agreements)
    falls: list[Fall] = []
    while True:
        after, failing = _tried(state, in_order(state, live))
        if failing is None:
            return Settled(after, tuple(live), tuple(falls))
        rivals = [
            one
            for one in live
            if one is not failing.agreement
            and _tried(state, in_order(state, [x for x in live if x is not one]), failing.agreement)[1] is None
        ]
        rule, involved = which_falls(state), [failing.agreement, *rivals]
        if rule == "all_in_conflict":
            dropped = involved
        else:
            chosen = max if rule == "later_signed" else min
            dropped = [chosen(involved, key=lambda one: one.sealed)]
        for one in dropped:
            falls.append(_why_it_falls(state, live, one, failing))
        live = [one for one in live if not any(one is gone for gone in dropped)]


def _why_it_falls(state: State, live: Sequence[Agreement], one: Agreement, failing: Failing) -> Fall:
    """Which of its terms could not be, beside those that stood against it."""
    if one is failing.agreement:
        return Fall(one, failing.place + 1, failing.clause)
    others = [x for x in live if x is not one]
    _, own = _tried(state, [*in_order(state, others), *in_order(state, (one,))], one)
    return Fall(one, 0, failing.clause) if own is None else Fall(one, own.place + 1, own.clause)


def _listed(agreements: Iterable[Agreement]) -> list[Agreement]:
    """In an order from which nobody learns when they were signed."""
    return sorted(agreements, key=lambda one: one.key)


def settle_segment(action: Action) -> tuple[PlacingLoan, ...]:
    """All that was signed by all is announced and carried out, each agreement whole or not at all; the rest is void.

    Gives the frames of what is still to be chosen.
    """
    state: State = action.state
    signed = [one for one in state.offers if one.status == "signed"]
    trial = desk(state)
    _, stand, falls = settle(trial, sorted(signed, key=lambda one: one.sealed))
    for fall in sorted(falls, key=lambda fall: fall.agreement.key):
        action.emit(AgreementFailed(replace(fall.agreement, sealed=0), fall.term, fall.clause))
    listed = _listed(stand)
    steps = in_order(state, [replace(one, sealed=place) for place, one in enumerate(listed)])
    if _tried(trial, steps)[1] is not None:
        steps = in_order(state, stand)  # they hang on each other: then their order counts
    if announced_to_all(state):
        for one in listed:
            action.emit(AgreementAnnounced(replace(one, sealed=0)))
    frames: list[PlacingLoan] = []
    for _, _, term in steps:
        if not brought_about(state, action.state, term):
            frames += perform(action, term)
    action.emit(OffersDied())
    return still_to_place(action.state, frames)


# the segment as a step


def negotiators(state: State, seat: int) -> tuple[int, ...]:
    """The great powers for which a seat negotiates now."""
    return tuple(power for power in state.powers_of(seat) if idle_party(state, power) is None)


def partners(state: State) -> tuple[int, ...]:
    """The powers that can be parties to agreements now."""

    def make() -> tuple[int, ...]:
        return tuple(
            power
            for power in (*MAJORS, *MINORS)
            if idle_party(state, power) is None and minor_party(state, power) is None
        )

    return kept(state, "partners", (state.rulings, state.controller, state.minor_ally), make)


def _awaits(state: State, frame: Negotiating) -> tuple[Decision, ...]:
    def make() -> tuple[Decision, ...]:
        found = []
        for seat in state.world.seats:
            for power in negotiators(state, seat):
                if not state.done >> power & 1:
                    found.append(Decision(seat, power, "negotiation", "f2.1"))
                    break
        return tuple(found)

    return kept(state, "negotiating", (state.rulings, state.controller, state.minor_ally, state.done), make)


def _parts(state: State, frame: Negotiating, seat: int) -> Iterable[Kept | Group]:
    mine = [power for power in partners(state) if state.seat_of(power) == seat and not state.done >> power & 1]
    drafts = [draft_of(state, power) for power in mine]
    most = WIDEST // max(sum(found is not None for found in drafts), 1)
    parties = state.rulings, state.controller, state.minor_ally
    for power, found in zip(mine, drafts, strict=True):
        if power in MAJORS:
            yield Kept(("done", power), (state.phase, *parties), _an_end, (power,))
        if found is None:
            waiting = [one for one in state.offers if one.by == power and one.status == "offered"]
            key = (_rest(state), _known(state, seat), *waiting)
            yield Kept(("begin", power), key, _beginnings, (state, power))
            continue
        yield OfferDraft, power, (OfferDraft(power),)
        many = len(found.terms)
        yield Kept(("draft", power, many), (state.phase,), _second_thoughts, (power, many))
        if len(found.terms) < int(state.world.tables["limits"]["terms"]):
            lists = _terms_to_write(state, power, found.parties)
            written = tuple([AddTerm(power, term) for term in found.terms])
            name = ("write", power, found.parties)
            yield Kept(name, (state.phase, lists, most), _additions, (power, lists, most), written)


def _an_end(power: int) -> Iterable[Group]:
    yield DoneNegotiating, power, (DoneNegotiating(power),)


def _second_thoughts(power: int, terms: int) -> Iterable[Group]:
    yield Discard, power, (Discard(power),)
    yield DropTerm, power, [DropTerm(power, number) for number in range(1, terms + 1)]


def _beginnings(state: State, power: int) -> Iterable[Group]:
    others = [other for other in partners(state) if other != power]
    great = [other for other in others if other in MAJORS]
    sets = [(other,) for other in others] + list(combinations(great, 2))
    yield Draft, power, [Draft(power, found) for found in sets]
    yield Ally, power, [Ally(power, other) for other in great]
    yield MakePeace, power, [MakePeace(power, other) for other in others if state.wars[power] >> other & 1]


def _terms_to_write(state: State, by: int, parties: int) -> tuple[tuple[Command, ...], ...]:
    """Terms to write into a draft: what each party could do for another, those of the drafter first."""

    def make() -> tuple[tuple[Command, ...], ...]:
        pairs = [(a, b) for a in bits(parties) for b in bits(parties) if a != b]
        pairs.sort(key=lambda pair: by not in pair)
        return tuple([candidates(state, a, b) for a, b in pairs])

    return kept(state, f"to write {by} {parties}", read_by_candidates(state), make)


def _additions(power: int, lists: Sequence[Sequence[Command]], most: int) -> Iterable[Group]:
    """As many of each list as there is room for."""
    each = max(most // len(lists), 1)
    yield AddTerm, power, [AddTerm(power, term) for terms in lists for term in terms[:each]]


def _proceed(action: Action, frame: Negotiating) -> None:
    """All have done: the segment ends."""
    frames = settle_segment(action)
    action.pop()
    for asked in reversed(frames):
        action.push(asked)


NEGOTIATION_FLOW = Flow(Negotiating, _awaits, spread(_parts), _proceed, _parts)


def beside(state: State, seat: int) -> Iterable[Kept]:
    """Answers to the agreements that wait for a seat."""
    if not state.frames or not isinstance(state.frames[-1], Negotiating):
        return
    rest, known = _rest(state), _known(state, seat)
    for one in state.offers:
        if one.status != "offered":
            continue
        for power in bits(one.parties):
            if state.seat_of(power) != seat:
                continue
            free = draft_of(state, power) is None and not state.done >> power & 1
            key = (rest, known, one, free)
            yield Kept(("answer", power, *one.key), key, _answers, (power, one))


def _answers(power: int, one: Agreement) -> Iterable[Group]:
    """What a party may do with an agreement that waits."""
    others = tuple(other for other in bits(one.parties) if other != one.by)
    if one.signed >> power & 1:
        yield Withdraw, power, (Withdraw(power, one.by, others, one.number),)
    else:
        yield Sign, power, (Sign(power, one.by, others, one.number),)
        yield Decline, power, (Decline(power, one.by, others, one.number),)
    yield Amend, power, (Amend(power, one.by, others, one.number),)


# who may know


def seats_of(state: State, parties: int) -> tuple[int, ...]:
    """The seats that decide for parties, as far as that is known."""
    found = []
    for power in bits(parties):
        try:
            seat = state.seat_of(power)
        except Unknown:
            continue  # nobody is known to decide for it: nobody is told
        if seat != NONE:
            found.append(seat)
    return tuple(found)


def open_table(state: State) -> bool:
    """Does the table forbid secret talks, so that all sees what is offered?"""
    return state.ruling("secret_talks") == "forbidden"


def _sees(state: State, one: Agreement, seat: int | None) -> bool:
    """May a seat know of an agreement that waits: of a draft its drafter's, of others its parties'?"""
    if one.status == "draft":
        return seat is not None and seat in seats_of(state, 1 << one.by)
    return open_table(state) or (seat is not None and seat in seats_of(state, one.parties))


def _concerned(state: State, parties: int, seat: int | None) -> bool:
    return open_table(state) or (seat is not None and seat in seats_of(state, parties))


def _public(state: State, one: Agreement, seat: int | None) -> Agreement | None:
    """An announced agreement as a seat sees it: who is no party sees what binds, and no count of others.

    None: of mere promises only their parties know.
    """
    if _concerned(state, one.parties, seat):
        return one
    terms = tuple(term for term in one.terms if not isinstance(term, Promise))
    return replace(one, terms=terms, number=1, version=1) if terms else None


def redact_offers(state: State, seat: int | None) -> State:
    """The state with what a seat may know of agreements and words.

    Of the order in which agreements were sealed it sees only that among those it knows.
    """
    offers: list[Agreement] = []
    order = sorted(one.sealed for one in state.offers if one.sealed and _sees(state, one, seat))
    for one in state.offers:
        if _sees(state, one, seat):
            offers.append(replace(one, sealed=order.index(one.sealed) + 1) if one.sealed else one)
    return replace(
        state,
        offers=tuple(offers),
        numbered=tuple(row for row in state.numbered if _concerned(state, row[1], seat)),
        announced=tuple(seen for one in state.announced if (seen := _public(state, one, seat)) is not None),
        words=tuple(word for word in state.words if _concerned(state, mask((word.by, word.to)), seat)),
    )


def redact_agreement_event(state: State, event: Event, seat: int | None) -> Event | None:
    """An event about agreements, words, talks or a card that was drawn, as a seat may know it; others as they are.

    None: it may not know of it at all. `state` is the one before the event.
    """
    if isinstance(event, AgreementDrafted):
        return event if _sees(state, event.agreement, seat) else None
    if isinstance(event, DraftDiscarded):
        return event if seat is not None and seat in seats_of(state, 1 << event.by) else None
    if isinstance(event, AgreementSigned):
        if not _concerned(state, event.parties, seat):
            return None
        known = sum(1 for one in state.offers if one.sealed and _sees(state, one, seat))
        return replace(event, sealed=known + 1) if event.sealed else event
    if isinstance(event, (AgreementOffered, AgreementFailed)):
        return event if _concerned(state, event.agreement.parties, seat) else None
    if isinstance(event, AgreementEnded):
        return event if _concerned(state, event.parties, seat) else None
    if isinstance(event, AgreementAnnounced):
        seen = _public(state, event.agreement, seat)
        return None if seen is None else replace(event, agreement=seen)
    if isinstance(event, WordGiven):
        return event if _concerned(state, mask((event.word.by, event.word.to)), seat) else None
    if isinstance(event, WordMarked):
        return event if _concerned(state, mask((event.by, event.to)), seat) else None
    if isinstance(event, Talked):
        return event if not event.secret or _concerned(state, mask((event.a, event.b)), seat) else None
    if isinstance(event, CardPassed):
        return _redact_card(state, event, seat)
    if isinstance(event, Rolled):
        pair = drawers(event.purpose)
        if pair is None or (seat is not None and seat in seats_of(state, mask(pair))):
            return event
        return replace(event, count=UNKNOWN, result=(UNKNOWN,))
    return event


def _redact_card(state: State, event: CardPassed, seat: int | None) -> CardPassed:
    """The taker sees the card; the giver sees it leave his hand; others see that one has passed."""
    if seat is not None and seat in seats_of(state, 1 << event.taker):
        return event
    if seat is not None and seat in seats_of(state, 1 << event.giver):
        return replace(event, taken=UNKNOWN)
    return replace(event, card=UNKNOWN, taken=UNKNOWN)
