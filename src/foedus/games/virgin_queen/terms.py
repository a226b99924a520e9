"""The terms of agreements: which of them bind, what each asks for, and what it does (facts 3).

Alliances and loans have chapters of their own; here are the ends of war, what is given and returned, engagements, and
promises, which bind nobody.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import attrgetter
from typing import Any, Final

from msgspec.structs import replace

from foedus.games.virgin_queen.alliances import is_friendly, make_alliance, now_negotiating
from foedus.games.virgin_queen.commands import (
    BINDING,
    Ally,
    Betroth,
    Cede,
    GiveCard,
    GiveMercenaries,
    GiveTreasure,
    Lend,
    MakePeace,
    MarkWord,
    Promise,
    ReturnLeader,
)
from foedus.games.virgin_queen.events import (
    CaptiveReturned,
    CardPassed,
    ControlChanged,
    DrawGiven,
    Engaged,
    MercenariesGiven,
    ShipsMoved,
    SiegeEnded,
    TreasureChanged,
    UnitsMoved,
    WarEnded,
    WordGiven,
    WordMarked,
)
from foedus.games.virgin_queen.frames import PlacingLoan
from foedus.games.virgin_queen.loans import home_ports, lend
from foedus.games.virgin_queen.placing import (
    can_take,
    home_of,
    leaders_going,
    nearest_spaces,
    ransom_places,
)
from foedus.games.virgin_queen.state import (
    ENG,
    FRA,
    IND,
    MAJORS,
    MINORS,
    OTT,
    POWERS,
    PRO,
    SPA,
    UNTOLD,
    Match,
    State,
    Word,
    kept,
)
from foedus.kernel.flow import Action, carries_out
from foedus.kernel.rules import Facts, effect, facts, forbids, permits
from foedus.kernel.unknown import NONE, UNKNOWN, Unknown
from foedus.kernel.values import Command, bits

GIFTS: Final = (GiveCard, GiveMercenaries, GiveTreasure, Cede, ReturnLeader)
"""Terms by which one party gives the other something."""
COUNTED: Final = (GiveCard, GiveMercenaries, GiveTreasure, Lend)
ALWAYS: Final = (Ally, Lend, ReturnLeader)
"""The binding terms that the source itself names (agree.M2)."""
LONGEST: Final = 200
"""How long a promise may be, in letters."""
Term = Any
"""One of `commands.TERMS`."""


# what binds


def is_binding(state: State, term: Term) -> tuple[bool, str]:
    """Does a term of an agreement bind, and by which clause: told apart term by term.

    What changes the present state binds (agree.1); a promise changes nothing now (agree.2). Where the table lets only
    the terms bind that the source names, the others do not (agree.M2).
    """
    if isinstance(term, Promise):
        return False, "agree.2"
    if not isinstance(term, ALWAYS) and state.ruling("binding_terms") == "source_only":
        return False, "agree.M2"
    return True, "agree.1"


@forbids("agree.1", act=BINDING)
def what_changes_nothing_does_not_bind(state: State, act: Term) -> Facts | None:
    """A binding term changes something: something is given, to somebody else."""
    if isinstance(act, Ally):
        return None  # said by ally.1
    if act.power == act.to or IND in (act.power, act.to):
        return facts(power=act.power)
    if isinstance(act, COUNTED) and act.count < 1:
        return facts(power=act.power)
    return None


@forbids("agree.M2", act=BINDING)
def only_the_terms_the_table_lets_bind(state: State, act: Term) -> Facts | None:
    """Ruling `binding_terms`."""
    binds, clause = is_binding(state, act)
    return None if binds or clause != "agree.M2" else facts(power=act.power)


@forbids("f2.1", act=tuple(kind for kind in BINDING if kind not in (Ally, Lend)))
def binding_terms_only_in_the_first_segment(state: State, act: Term) -> Facts | None:
    """Wars are ended and things change hands by agreement in the negotiation segment (of alliances and loans ally.13
    and loan.3 say so)."""
    return None if now_negotiating(state) else facts(power=act.power)


@forbids("f9.1", act=tuple(kind for kind in BINDING if kind not in (Ally, Lend)))
def a_minor_power_is_no_party(state: State, act: Term) -> Facts | None:
    """Ruling `minor_as_party` (of alliances and loans ally.8 and loan.M6 say so); it holds no cards or treasures."""
    for power in (act.power, act.to):
        found = minor_party(state, power)
        if found is None and power in MINORS and isinstance(act, (GiveCard, GiveTreasure)):
            found = facts(variant="holdings", power=power)
        if found is not None:
            return found
    return None


def minor_party(state: State, power: int) -> Facts | None:
    """Why a power can be no party to agreements as a minor one, or None. Raises `Unknown`."""
    if power not in MINORS:
        return None
    if state.ruling("minor_as_party") == "refused" or state.patron_of(power) == NONE:
        return facts(power=power)
    return None


@forbids("f17.1", act=BINDING)
def somebody_decides_for_each_party(state: State, act: Term) -> Facts | None:
    """A great power without a player is party to agreements only while somebody controls it."""
    for power in (act.power, act.to):
        found = idle_party(state, power)
        if found is not None:
            return found
    return None


def idle_party(state: State, power: int) -> Facts | None:
    """Why a great power without a player of its own can be no party to agreements, or None. Raises `Unknown`.

    Ruling `activated_as_party`.
    """
    if power not in MAJORS or state.controller[power] != NONE:
        return None
    if state.seat_of(power) == NONE:
        return facts(power=power)
    return facts(variant="activated", power=power) if state.ruling("activated_as_party") == "refused" else None


@permits("f3.15", act=BINDING)
def spain_and_the_protestants_may_bargain(state: State, act: Term) -> Facts | None:
    """Everything but an alliance, and the loan that asks for one."""
    if {act.power, act.to} == {SPA, PRO} and not isinstance(act, (Ally, Lend)):
        return facts(power=act.power, to=act.to)
    return None


@permits("f3.13", act=GIFTS)
def a_gift_is_legal(state: State, act: Term) -> Facts | None:
    """Cited where a thing is asked about by itself: nothing need be given in return."""
    return None if state.frames else facts(power=act.power, to=act.to)


# promises


@permits("agree.2", act=Promise)
def a_promise_binds_nobody(state: State, act: Promise) -> Facts | None:
    """What cannot be carried out now changes nothing, so it may be promised only."""
    return facts(power=act.power, to=act.to)


@permits("agree.3", act=Promise)
def a_promise_at_any_moment(state: State, act: Promise) -> Facts | None:
    """In every phase of the game."""
    return facts(power=act.power, to=act.to)


@forbids("agree.3", act=Promise)
def a_promise_is_said_to_another(state: State, act: Promise) -> Facts | None:
    """In some words, and to somebody else."""
    if act.power == act.to or IND in (act.power, act.to):
        return facts(variant="itself", power=act.power)
    if not act.text.strip() or len(act.text) > LONGEST:
        return facts(variant="text", power=act.power, limit=LONGEST)
    return None


@forbids("agree.3", act=MarkWord)
def only_a_word_that_was_given(state: State, act: MarkWord) -> Facts | None:
    """Only he to whom it was given notes whether it was kept."""
    if any((word.by, word.to, word.text) == (act.by, act.power, act.text) for word in state.words):
        return None
    return facts(variant="none", power=act.power, by=act.by)


@permits("agree.4", act=MarkWord)
def breaking_a_word_costs_nothing(state: State, act: MarkWord) -> Facts | None:
    """The note has no effect in the game."""
    return None if act.kept else facts(power=act.by, to=act.power)


@carries_out(MarkWord)
def mark_word(action: Action, command: MarkWord) -> None:
    """Only the note changes."""
    action.emit(WordMarked(command.by, command.power, command.text, "kept" if command.kept else "broken"))


def give_word(action: Action, act: Promise) -> tuple[PlacingLoan, ...]:
    """A note is kept of it."""
    action.emit(WordGiven(Word(act.power, act.to, act.text, action.state.turn)))
    return ()


@carries_out(Promise)
def promise(action: Action, command: Promise) -> None:
    """Given by itself, at any moment."""
    give_word(action, command)


# ends of war


STARTING_WARS: Final = (frozenset((OTT, SPA)), frozenset((ENG, FRA)))
"""The wars with which the campaign begins (facts 3.4)."""


@forbids("f3.3", act=MakePeace)
def only_a_war_can_be_ended(state: State, act: MakePeace) -> Facts | None:
    """The two are at war with each other themselves: a minor power's share in its ally's wars ends with them."""
    if act.power == act.to or IND in (act.power, act.to) or state.wars[act.power] >> act.to & 1:
        return None
    if state.unsure_wars[act.power] >> act.to & 1:
        pair = (("power", min(act.power, act.to)), ("target", max(act.power, act.to)))
        raise Unknown("war", pair, (0, 1))
    return facts(power=act.power, to=act.to)


@forbids("f3.4", act=MakePeace)
def not_the_wars_of_the_start_on_turn_one(state: State, act: MakePeace) -> Facts | None:
    """Ruling `peace_on_turn_one`."""
    if {act.power, act.to} not in STARTING_WARS or state.ruling("peace_on_turn_one") == "allowed":
        return None
    if state.turn == UNKNOWN:
        raise Unknown("turn", (), (1, 2))
    return facts(power=act.power, to=act.to) if state.turn <= 1 else None


@permits("f3.3", act=MakePeace)
def a_war_may_be_ended(state: State, act: MakePeace) -> Facts | None:
    """By agreement of the two."""
    return facts(power=act.power, to=act.to)


@effect("ransom.M6", otherwise=False)
def peace_frees_captives(state: State) -> bool:
    """Ruling `captives_at_peace`."""
    return state.ruling("captives_at_peace") == "freed"


def make_peace(action: Action, act: MakePeace) -> tuple[PlacingLoan, ...]:
    """The At War marker is taken away; rulings say what else changes (`peace_on_the_map`, `captives_at_peace`)."""
    a, b = sorted((act.power, act.to))
    action.emit(WarEnded(a, b))
    if action.state.ruling("peace_on_the_map") == "sieges_lifted":
        lift_sieges_between(action, a, b)
    if peace_frees_captives(action.state):
        _free_captives(action, a, b)
    return ()


def lift_sieges_between(action: Action, a: int, b: int) -> None:
    """Sieges between the two sides end; the besiegers go to the nearest friendly space."""
    state: State = action.state
    for space, besieger in enumerate(state.besieged_by):
        if besieger < 0 or state.owner[space] < 0:
            continue
        if {state.acting(besieger), _side(state, state.owner[space])} != {a, b}:
            continue
        lift_siege(action, space, "f3.3")


def lift_siege(action: Action, space: int, why: str) -> None:
    """A siege ends; the besieger's units go to the nearest friendly space."""
    state: State = action.state
    besieger = state.besieged_by[space]
    to = _nearest_friendly(state, besieger, space)
    force, leaders = state.force(besieger, space), leaders_going(state, besieger, space)
    if to is not None and (force.units or leaders):
        moved = (force.regulars, force.mercenaries, force.cavalry)
        action.emit(UnitsMoved(besieger, space, to, *moved, leaders, why))
    action.emit(SiegeEnded(space, why))


def _side(state: State, power: int) -> int:
    return IND if power == IND else state.acting(power)


def _nearest_friendly(state: State, power: int, start: int) -> int | None:
    """The nearest space, not besieged, that is friendly to land units of a power; of equals the first by the board."""

    def fits(space: int) -> bool:
        return state.owner[space] >= 0 and state.besieged_by[space] < 0 and is_friendly(state, power, space)

    near = nearest_spaces(state, start, fits)
    return near[0] if near else home_of(state, power, start)


def _free_captives(action: Action, a: int, b: int) -> None:
    """Ruling `captives_at_peace`: the captives of both sides go to their places; one without any waits off the map."""
    state: State = action.state
    for leader, captor in enumerate(state.captor):
        power = state.world.leaders[leader].power
        if captor >= 0 and {captor, power} == {a, b}:
            places = ransom_places(state, power)
            action.emit(CaptiveReturned(leader, captor, places[0] if places else NONE, "ransom.M6"))


# captives


@forbids("agree.5", act=ReturnLeader)
def only_a_captive_of_ones_own(state: State, act: ReturnLeader) -> Facts | None:
    """He who holds a leader gives him back, to the power whose leader he is."""
    captor = state.captor[act.leader]
    if captor == UNKNOWN:
        raise Unknown("captor", (("leader", act.leader),), (NONE, *MAJORS))
    if captor != act.power:
        return facts(power=act.power, leader=act.leader)
    if state.world.leaders[act.leader].power != act.to:
        return facts(variant="to", power=act.power, leader=act.leader, to=act.to)
    return None


@forbids("ransom.M4", act=ReturnLeader)
def there_must_be_a_place_for_him(state: State, act: ReturnLeader) -> Facts | None:
    """As for a ransom: his capital if possible, else the home key space that is named (ruling `ransom_place`)."""
    power = state.world.leaders[act.leader].power
    if power != act.to:
        return None  # said by agree.5
    places = ransom_places(state, power)
    if not places:
        return facts(variant="return", power=power, leader=act.leader)
    if act.space == NONE:
        if len(places) > 1:
            return facts(variant="choose", power=power, leader=act.leader, spaces=places)
        return None
    if act.space not in places:
        return facts(variant="return_place", power=power, leader=act.leader, space=act.space)
    return None


@permits("agree.5", act=ReturnLeader)
def a_captive_may_be_returned(state: State, act: ReturnLeader) -> Facts | None:
    """By agreement, before the segment in which he could be ransomed."""
    return facts(power=act.power, leader=act.leader, to=act.to)


def return_leader(action: Action, act: ReturnLeader) -> tuple[PlacingLoan, ...]:
    """He stands in his place again."""
    places = ransom_places(action.state, act.to)
    space = places[0] if act.space == NONE else act.space
    action.emit(CaptiveReturned(act.leader, act.power, space))
    return ()


# cards


def drawable(state: State, power: int, home_cards: bool) -> tuple[int, ...]:
    """The places in a hand of the cards that can be drawn from it; an unknown card may be drawn. Raises `Unknown`."""
    cards = state.world.cards
    return tuple(
        i for i, card in enumerate(state.hand_of(power)) if home_cards or card == UNKNOWN or cards[card].home == NONE
    )


def draw_at_random(action: Action, giver: int, taker: int, why: str, home_cards: bool) -> None:
    """The taker draws a card from the giver's hand; only the two see which. Of a hand untold nobody does."""
    state: State = action.state
    if state.hands[giver] == UNTOLD:
        action.emit(CardPassed(giver, taker, UNKNOWN, why))
        return
    places = drawable(state, giver, home_cards)
    place = places[action.pick(draw_purpose(giver, taker), len(places))]
    action.emit(CardPassed(giver, taker, state.hands[giver][place], why))


def draw_purpose(giver: int, taker: int) -> str:
    """What a draw is called among the dice; only the two may see how it fell."""
    return f"draw {POWERS[giver]} {POWERS[taker]}"


def drawers(purpose: str) -> tuple[int, int] | None:
    """Giver and taker of a draw by what it is called, or None if it is no draw from a hand."""
    word, *codes = purpose.split()
    return (POWERS.index(codes[0]), POWERS.index(codes[1])) if word == "draw" and len(codes) == 2 else None


def _home_cards_drawn(state: State) -> bool:
    return state.ruling("drawn_home_cards") == "yes"


@forbids("f3.8", act=GiveCard)
def so_many_cards_can_be_drawn(state: State, act: GiveCard) -> Facts | None:
    """Home cards are not in the draw (ruling `drawn_home_cards`). A card that is not seen may always be drawn, but on
    the desk, where some may be home cards, it depends."""
    if act.count < 1 or act.power == act.to or act.power not in MAJORS:
        return None
    if not state.sketched and state.hands[act.power] == UNTOLD:
        return None  # the table keeps the hands itself
    home = _home_cards_drawn(state)
    there = len(drawable(state, act.power, home))
    if there < act.count:
        found = facts(power=act.power, to=act.to, count=act.count)
        return (("variant", "count"), *found) if there else found
    if state.sketched and not home:
        hand = state.hand_of(act.power)
        cards = state.world.cards
        mine = sum(card.home == act.power for card in cards) - sum(
            card >= 0 and cards[card].home == act.power for card in hand
        )
        if there - min(mine, hand.count(UNKNOWN)) < act.count:
            raise Unknown("hand", (("power", act.power),), ())
    return None


@forbids("f3.17", act=GiveCard)
def no_more_cards_in_a_segment(state: State, act: GiveCard) -> Facts | None:
    """Ruling `card_draw_limit`."""
    if state.ruling("card_draw_limit") == "two" and state.cards_drawn[act.power] + act.count > 2:
        return facts(variant="cards", power=act.power, count=act.count, limit=2)
    return None


@permits("f3.8", act=GiveCard)
def a_card_may_be_drawn(state: State, act: GiveCard) -> Facts | None:
    """At random, from the hand of the one who gives."""
    return facts(power=act.power, to=act.to)


def give_card(action: Action, act: GiveCard) -> tuple[PlacingLoan, ...]:
    """So many cards are drawn, one after the other, and counted against the limit."""
    for _ in range(act.count):
        draw_at_random(action, act.power, act.to, "f3.8", _home_cards_drawn(action.state))
    action.emit(DrawGiven(act.power, act.count))
    return ()


# mercenaries


def _mercenaries(state: State, act: GiveMercenaries) -> list[tuple[int, int]]:
    """Where the mercenaries stand that are given: (space, how many), as far as they are there. Raises `Unknown`."""
    found: list[tuple[int, int]] = []
    left = act.count
    unknown: Unknown | None = None
    land = state.land
    for space in range(state.world.spaces) if act.space == NONE else (act.space,):
        if not land[space]:
            continue
        try:
            here = min(left, state.force(act.power, space).mercenaries)
        except Unknown as told:
            unknown = unknown or told
            continue
        if here:
            found.append((space, here))
            left -= here
            if not left:
                return found
    if unknown is not None:
        raise unknown
    return found


def mercenary_places(state: State, power: int) -> tuple[int, ...]:
    """Where a power may put mercenaries it is given (ruling `mercenaries_placed`). Raises `Unknown`."""
    if state.ruling("mercenaries_placed") == "capital":
        return ransom_places(state, power)
    home = state.world.home
    return tuple(space for space in range(state.world.spaces) if home[space] == power and can_take(state, power, space))


def _mercenary_place(state: State, act: GiveMercenaries) -> int | None:
    """Where these go: the place named, the capital, or the only one. None where one must be named, or there is none."""
    places = mercenary_places(state, act.to)
    if act.goal != NONE:
        return act.goal if act.goal in places else None
    if len(places) == 1:
        return places[0]
    capital = state.world.capital[act.to]
    return capital if capital in places else None


@forbids("f3.10", act=GiveMercenaries)
def so_many_mercenaries_are_there(state: State, act: GiveMercenaries) -> Facts | None:
    """They must be there to be given, and have a place to go to."""
    if act.count < 1 or act.power == act.to or IND in (act.power, act.to):
        return None
    if sum(here for _, here in _mercenaries(state, act)) < act.count:
        return facts(power=act.power, to=act.to, count=act.count)
    if _mercenary_place(state, act) is None:
        if act.goal != NONE:
            return facts(variant="place", power=act.power, to=act.to, space=act.goal)
        places = mercenary_places(state, act.to)
        if not places:
            return facts(variant="nowhere", power=act.power, to=act.to)
        return facts(variant="choose", power=act.power, to=act.to, spaces=places)
    return None


@forbids("f3.17", act=GiveMercenaries)
def no_more_mercenaries_in_a_segment(state: State, act: GiveMercenaries) -> Facts | None:
    """Rulings `mercenaries_limit` and `ottoman_mercenaries`."""
    if OTT in (act.power, act.to) and state.ruling("ottoman_mercenaries") == "refused":
        return facts(variant="ottoman", power=act.power, to=act.to)
    limit = {"four": 4, "two": 2}.get(state.ruling("mercenaries_limit"))
    if limit is not None and state.mercenaries_given[act.power] + act.count > limit:
        return facts(variant="mercenaries", power=act.power, count=act.count, limit=limit)
    return None


@permits("f3.10", act=GiveMercenaries)
def mercenaries_may_be_given(state: State, act: GiveMercenaries) -> Facts | None:
    """Also for nothing."""
    return facts(power=act.power, to=act.to)


def give_mercenaries(action: Action, act: GiveMercenaries) -> tuple[PlacingLoan, ...]:
    """They stand with the receiver; a siege that has lost its besiegers by it is over."""
    to = _mercenary_place(action.state, act)
    assert to is not None
    for space, count in _mercenaries(action.state, act):
        action.emit(MercenariesGiven(act.power, act.to, count, space, to))
        end_empty_siege(action, space)
    return ()


def end_empty_siege(action: Action, space: int) -> None:
    """A siege is over when no land unit of the besieger stands there."""
    state: State = action.state
    besieger = state.besieged_by[space]
    if besieger >= 0 and not state.force(besieger, space).units:
        action.emit(SiegeEnded(space))


# spaces


@forbids("f3.11", act=Cede)
def what_may_be_handed_over(state: State, act: Cede) -> Facts | None:
    """A space under one's own control, by the rulings `ceded_space` and `garrison_of_ceded_space`."""
    if act.power == act.to or IND in (act.power, act.to):
        return None
    if state.owner_of(act.space) != act.power:
        return facts(power=act.power, to=act.to, space=act.space)
    if state.ruling("ceded_space") != "any_controlled":
        if state.world.home[act.space] == act.power:
            return facts(variant="home", power=act.power, to=act.to, space=act.space)
        if state.besieger(act.space) != NONE:
            return facts(variant="besieged", power=act.power, to=act.to, space=act.space)
        third = _third(state, act)
        if third is not None:
            return facts(variant="units", power=act.power, to=act.to, space=act.space, other=third)
    if state.ruling("garrison_of_ceded_space") == "refused" and state.force(act.power, act.space).units:
        return facts(variant="garrison", power=act.power, to=act.to, space=act.space)
    return None


def _third(state: State, act: Cede) -> int | None:
    """A third power with units in the space, if any: neither of the two, nor a minor power on the side of one."""
    sides = (act.power, act.to)
    there = [force.power for force in state.forces(act.space)]
    if state.world.ports >> act.space & 1:
        there += [fleet.holder for fleet in state.ships(act.space)]
    return next((power for power in there if state.acting(power) not in sides), None)


@permits("f3.11", act=Cede)
def a_space_may_be_handed_over(state: State, act: Cede) -> Facts | None:
    """Key spaces too."""
    return facts(power=act.power, to=act.to, space=act.space)


def cede(action: Action, act: Cede) -> tuple[PlacingLoan, ...]:
    """The receiver controls the space; what the giver has there goes home, or stays, by the ruling."""
    state: State = action.state
    if state.ruling("garrison_of_ceded_space") == "goes_home":
        _garrison_goes_home(action, act)
    action.emit(ControlChanged(act.space, act.to))
    if state.besieged_by[act.space] >= 0 and _side(state, state.besieged_by[act.space]) == act.to:
        action.emit(SiegeEnded(act.space, "f3.11"))
    return ()


def _garrison_goes_home(action: Action, act: Cede) -> None:
    state: State = action.state
    to = home_of(state, act.power, act.space)
    force, leaders = state.force(act.power, act.space), leaders_going(state, act.power, act.space)
    if to is not None and (force.units or leaders):
        moved = (force.regulars, force.mercenaries, force.cavalry)
        action.emit(UnitsMoved(act.power, act.space, to, *moved, leaders, "f3.11"))
    if not state.world.ports >> act.space & 1:
        return
    ports = [port for port in _other_ports(state, act.power, act.space) if port != act.space]
    if not ports:
        return
    at_sea = tuple(leader for leader in state.leaders_in(act.space, act.power) if not state.world.leaders[leader].army)
    for fleet in state.ships(act.space):
        if fleet.holder == act.power:
            values = (fleet.owner, fleet.holder, fleet.kind, fleet.count, act.space, ports[0], at_sea)
            action.emit(ShipsMoved(*values, "f3.11"))
            at_sea = ()


def _other_ports(state: State, power: int, space: int) -> tuple[int, ...]:
    """The ports to which naval units of a power go that must leave a port: the nearest others of its own."""
    without = (*state.owner[:space], IND, *state.owner[space + 1 :])
    return home_ports(replace(state, owner=without), power, space)


# treasures


@forbids("f3.12", act=GiveTreasure)
def so_many_treasures_are_there(state: State, act: GiveTreasure) -> Facts | None:
    """Ruling `treasures_given`; and they must be there."""
    if state.ruling("treasures_given") == "refused":
        return facts(power=act.power, to=act.to)
    held = state.treasures[act.power]
    if held == UNKNOWN:
        raise Unknown("treasures", (("power", act.power),), ())
    if held < act.count:
        return facts(variant="none", power=act.power, to=act.to, count=act.count)
    return None


def give_treasure(action: Action, act: GiveTreasure) -> tuple[PlacingLoan, ...]:
    """They change hands."""
    for power, change in ((act.power, -act.count), (act.to, act.count)):
        held = action.state.treasures[power]
        if held != UNKNOWN:
            action.emit(TreasureChanged(power, held + change))
    return ()


# engagements


@forbids("f3.9", act=Betroth)
def two_royals_who_are_free(state: State, act: Betroth) -> Facts | None:
    """One of each house, neither of them engaged."""
    royals = state.world.royals
    if royals[act.royal].power != act.power or royals[act.partner].power != act.to:
        wrong = act.power if royals[act.royal].power != act.power else act.to
        return facts(variant="owner", power=wrong)
    for match in state.engaged:
        if {match.a, match.b} & {act.royal, act.partner}:
            return facts(power=act.power, to=act.to)
    return None


@forbids("f10.6", act=Betroth)
def the_ottomans_do_not_marry(state: State, act: Betroth) -> Facts | None:
    """Ruling `ottoman_marriages`."""
    if OTT in (act.power, act.to) and state.ruling("ottoman_marriages") == "refused":
        return facts(power=act.power, to=act.to)
    return None


@permits("f3.9", act=Betroth)
def royals_may_be_betrothed(state: State, act: Betroth) -> Facts | None:
    """By agreement of the two powers."""
    return facts(power=act.power, to=act.to)


def betroth(action: Action, act: Betroth) -> tuple[PlacingLoan, ...]:
    """The two are engaged; the wedding is another matter."""
    action.emit(Engaged(Match(act.royal, act.partner)))
    return ()


# carrying a term out


def _ally(action: Action, act: Ally) -> tuple[PlacingLoan, ...]:
    make_alliance(action, act.power, act.to)
    return ()


PERFORM: Final[dict[type, Callable[[Action, Any], tuple[PlacingLoan, ...]]]] = {
    MakePeace: make_peace,
    ReturnLeader: return_leader,
    GiveCard: give_card,
    GiveMercenaries: give_mercenaries,
    Cede: cede,
    GiveTreasure: give_treasure,
    Betroth: betroth,
    Ally: _ally,
    Lend: lend,
    Promise: give_word,
}
CLASSES: Final[dict[type, int]] = {MakePeace: 0, Ally: 2, Lend: 3, Promise: 4}
"""The order of the ruling `terms_take_effect`: ends of war, transfers and returns (1), alliances, loans."""


def perform(action: Action, term: Command) -> tuple[PlacingLoan, ...]:
    """Carry a term out that is allowed now. Gives the frames to push when all is done: choices it leaves open."""
    return PERFORM[type(term)](action, term)


def candidates(state: State, giver: int, to: int) -> tuple[Command, ...]:
    """The terms by which one power could do something for another now, one of each kind and thing at least.

    They are what a drafter may wish to write; whether they can be offered is judged then. Only public things and the
    number of cards are read, so that nothing is told by what is listed.
    """
    return kept(state, f"terms {giver} {to}", read_by_candidates(state), lambda: tuple(_candidates(state, giver, to)))


read_by_candidates: Final[Callable[[State], tuple[Any, ...]]] = attrgetter(
    *("rulings", "wars", "captor", "leader_at", "leader_holder", "hands", "treasures", "engaged", "owner"),
    *("besieged_by", "land", "fleets"),
)
"""The parts of a position that `candidates` reads."""


def _candidates(state: State, giver: int, to: int) -> Iterator[Command]:
    if giver < to:
        yield Ally(giver, to)
        if state.wars[giver] >> to & 1:
            yield MakePeace(giver, to)
    for leader, captor in enumerate(state.captor):
        if captor == giver and state.world.leaders[leader].power == to:
            places = ransom_places(state, to)
            for space in places if len(places) > 1 else (NONE,):
                yield ReturnLeader(giver, to, leader, space)
    for count in range(1, min(2, len(state.hands[giver])) + 1):
        yield GiveCard(giver, to, count)
    if state.treasures[giver] > 0:
        yield GiveTreasure(giver, to)
    yield from _mercenary_candidates(state, giver, to)
    yield from _lend_candidates(state, giver, to)
    yield from _royal_candidates(state, giver, to)
    home = state.world.home
    for space, owner in enumerate(state.owner):
        if owner == giver and home[space] != giver:
            yield Cede(giver, to, space)


def _mercenary_candidates(state: State, giver: int, to: int) -> Iterator[Command]:
    places = mercenary_places(state, to)
    if not places:
        return
    goal = NONE if len(places) == 1 or state.world.capital[to] in places else places[0]
    total = sum(force.mercenaries for row in state.land for force in row if force.power == giver)
    for count in range(1, min(total, 4) + 1):
        yield GiveMercenaries(giver, to, count, NONE, goal)


def _lend_candidates(state: State, giver: int, to: int) -> Iterator[Command]:
    for port in bits(state.world.ports):
        for fleet in state.fleets[port]:
            if fleet.owner == fleet.holder == giver and fleet.kind <= 1:
                known = state.world.leaders
                leaders = [one for one in state.leaders_in(port, giver) if known[one].kind == "naval"]
                for count in sorted({1, fleet.count}):
                    for leader in (NONE, *leaders):
                        yield Lend(giver, to, count, fleet.kind, port, leader)


def _royal_candidates(state: State, giver: int, to: int) -> Iterator[Command]:
    if giver > to:
        return
    engaged = {royal for match in state.engaged for royal in (match.a, match.b)}
    royals = [i for i in range(len(state.world.royals)) if i not in engaged]
    for mine in royals:
        if state.world.royals[mine].power == giver:
            for yours in royals:
                if state.world.royals[yours].power == to:
                    yield Betroth(giver, to, mine, yours)
