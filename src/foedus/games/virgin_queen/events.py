"""What happens in Virgin Queen: low events, with their effects in them, so that applying one needs no rules.

`why` is the id of the clause by which it happened.
"""

from __future__ import annotations

from msgspec.structs import replace

from foedus.games.virgin_queen.commands import Promise
from foedus.games.virgin_queen.state import (
    ACTION,
    DRAW,
    MAJORS,
    OVER,
    POWERS,
    UNTOLD,
    Agreement,
    Card,
    Flags,
    Fleet,
    Force,
    Leader,
    Loan,
    Match,
    Naval,
    Phase,
    Place,
    Space,
    Spaces,
    State,
    Word,
    pair,
    put,
)
from foedus.kernel.unknown import NONE, UNKNOWN
from foedus.kernel.values import Event, Power, Powers, Seat

# agreements


class AgreementDrafted(Event, frozen=True, gc=False):
    """A draft is begun, or has changed; only its drafter knows."""

    agreement: Agreement

    def apply(self, state: State) -> State:
        """Put the draft in the place of the drafter's earlier one."""
        rest = tuple(one for one in state.offers if one.by != self.agreement.by or one.status != "draft")
        return replace(state, offers=(*rest, self.agreement))


class DraftDiscarded(Event, frozen=True, gc=False):
    """A draft is thrown away; only its drafter knows."""

    by: Power

    def apply(self, state: State) -> State:
        """Drop the draft."""
        rest = tuple(one for one in state.offers if one.by != self.by or one.status != "draft")
        return replace(state, offers=rest)


class AgreementOffered(Event, frozen=True, gc=False):
    """An agreement is offered to its parties, signed by its drafter; `drafted`: his draft has become it."""

    agreement: Agreement
    drafted: bool = True

    def apply(self, state: State) -> State:
        """The agreement waits for the other parties."""
        rest = tuple(
            one for one in state.offers if one.status != "draft" or one.by != self.agreement.by or not self.drafted
        )
        by, parties, number = self.agreement.key
        numbered = tuple(row for row in state.numbered if row[:2] != (by, parties))
        return replace(state, offers=(*rest, self.agreement), numbered=(*numbered, (by, parties, number)))


class AgreementSigned(Event, frozen=True, gc=False):
    """A party has signed; `sealed` is above 0 if now all have, and counts these moments."""

    by: Power
    parties: Powers
    number: int
    power: Power
    sealed: int = 0
    why: str = "agree.1"

    def apply(self, state: State) -> State:
        """Note the signature."""
        key = (self.by, self.parties, self.number)
        return replace(
            state,
            offers=tuple(
                replace(
                    one,
                    signed=one.signed | 1 << self.power,
                    sealed=self.sealed,
                    status="signed" if self.sealed else one.status,
                )
                if one.key == key and one.status != "draft"
                else one
                for one in state.offers
            ),
        )


class AgreementEnded(Event, frozen=True, gc=False):
    """An agreement is gone before it was announced: declined, withdrawn, amended or dead (`how`)."""

    by: Power
    parties: Powers
    number: int
    how: str
    power: Power = NONE

    def apply(self, state: State) -> State:
        """Drop it."""
        key = (self.by, self.parties, self.number)
        rest = tuple(one for one in state.offers if one.key != key or one.status == "draft")
        return replace(state, offers=rest)


class AgreementAnnounced(Event, frozen=True, gc=False):
    """An agreement is announced to all, and its terms are carried out."""

    agreement: Agreement
    why: str = "ally.2"

    def apply(self, state: State) -> State:
        """It is public now; with the end of the segment it leaves those that wait."""
        return replace(state, announced=(*state.announced, self.agreement))


class AgreementFailed(Event, frozen=True, gc=False):
    """An agreement could not be carried out whole, so none of it is: which term (from 1), and by which clause.

    `term` is 0 where each of its terms could be, but not beside an agreement that stands. Only its parties learn of
    it; it is gone with the end of the segment.
    """

    agreement: Agreement
    term: int
    clause: str
    why: str = "f3.19"


class NegotiationDone(Event, frozen=True, gc=False):
    """A power has no more to negotiate."""

    power: Power

    def apply(self, state: State) -> State:
        """Note it."""
        return replace(state, done=state.done | 1 << self.power)


class OffersDied(Event, frozen=True, gc=False):
    """The segment is over: what was not signed by all is void. Everybody sees only that the segment is over."""

    def apply(self, state: State) -> State:
        """Drop everything that waits."""
        return replace(state, offers=(), numbered=(), done=0)


class Talked(Event, frozen=True, gc=False):
    """Two powers have talked."""

    a: Power
    b: Power
    secret: int


class WordGiven(Event, frozen=True, gc=False):
    """A promise that binds nobody was given."""

    word: Word
    why: str = "agree.3"

    def apply(self, state: State) -> State:
        """Keep a note of it."""
        return replace(state, words=(*state.words, self.word))


class WordMarked(Event, frozen=True, gc=False):
    """A promise was kept, or broken; nothing follows."""

    by: Power
    to: Power
    text: str
    kept: str
    why: str = "agree.4"

    def apply(self, state: State) -> State:
        """Mark the note."""
        return replace(
            state,
            words=tuple(
                replace(word, kept=self.kept)
                if (word.by, word.to, word.text) == (self.by, self.to, self.text)
                else word
                for word in state.words
            ),
        )


# relations


class AllianceMade(Event, frozen=True, gc=False):
    """Two great powers are allied for this turn: the Allied marker lies in their cell."""

    a: Power
    b: Power
    why: str = "ally.9"

    def apply(self, state: State) -> State:
        """Lay the marker."""
        return replace(
            state,
            allies=pair(state.allies, self.a, self.b, True),
            unsure=pair(state.unsure, self.a, self.b, False),
        )


class AllianceEnded(Event, frozen=True, gc=False):
    """An alliance is over: with the turn, or before (`how`: turn, early)."""

    a: Power
    b: Power
    how: str = "turn"
    by: Power = NONE
    why: str = "ally.10"

    def apply(self, state: State) -> State:
        """Take the marker away."""
        return replace(
            state,
            allies=pair(state.allies, self.a, self.b, False),
            unsure=pair(state.unsure, self.a, self.b, False),
        )


class WarBegan(Event, frozen=True, gc=False):
    """Two powers are at war: the At War marker lies in their cell. `by` is who declared it."""

    a: Power
    b: Power
    by: Power = NONE
    why: str = "dow.2"

    def apply(self, state: State) -> State:
        """Lay the marker."""
        return replace(
            state,
            wars=pair(state.wars, self.a, self.b, True),
            unsure_wars=pair(state.unsure_wars, self.a, self.b, False),
        )


class WarDeclared(Event, frozen=True, gc=False):
    """A power declares war on another, at this price in command points."""

    power: Power
    target: Power
    cost: int
    why: str = "f8.3"


class WarEnded(Event, frozen=True, gc=False):
    """A war is over; the two have made peace in this Diplomacy Phase if `agreed`."""

    a: Power
    b: Power
    agreed: bool = True
    why: str = "f3.3"

    def apply(self, state: State) -> State:
        """Take the marker away."""
        return replace(
            state,
            wars=pair(state.wars, self.a, self.b, False),
            unsure_wars=pair(state.unsure_wars, self.a, self.b, False),
            peaces=pair(state.peaces, self.a, self.b, True) if self.agreed else state.peaces,
        )


class StatusChanged(Event, frozen=True, gc=False):
    """A minor power becomes the ally of a great power (or an inactive great power is activated); NONE: neutral."""

    power: Power
    patron: Power
    why: str = "f9.6"

    def apply(self, state: State) -> State:
        """Note it. Whoever decides for the power from now on learns nothing of what was said for it before."""
        state = replace(state, minor_ally=put(state.minor_ally, self.power, self.patron))
        if self.power not in MAJORS:
            return state
        bit = 1 << self.power
        return replace(
            state,
            words=tuple(word for word in state.words if self.power not in (word.by, word.to)),
            numbered=tuple(row for row in state.numbered if not row[1] & bit),
            announced=tuple(_in_public(one) if one.parties & bit else one for one in state.announced),
        )


def _in_public(one: Agreement) -> Agreement:
    """An announced agreement without the promises in it, and without what would tell how many there were."""
    return replace(one, terms=tuple(term for term in one.terms if not isinstance(term, Promise)), number=1, version=1)


class InfluenceChanged(Event, frozen=True, gc=False):
    """A great power has so much influence with a minor or inactive power now."""

    power: Power
    by: Power
    value: int
    why: str = "f9.5"

    def apply(self, state: State) -> State:
        """Note it."""
        row = put(state.influence[self.power], self.by, self.value)
        return replace(state, influence=put(state.influence, self.power, row))


class StatusRolled(Event, frozen=True, gc=False):
    """Powers rolled for a minor power's status: each with its die and influence."""

    power: Power
    totals: tuple[tuple[Power, int], ...]
    why: str = "f9.6"


class FlagSet(Event, frozen=True, gc=False):
    """Something has happened once and for all (mask)."""

    flags: Flags
    why: str = "f8.12"

    def apply(self, state: State) -> State:
        """Note it."""
        return replace(state, flags=state.flags | self.flags, unsure_flags=state.unsure_flags & ~self.flags)


# things that change hands


class CaptiveReturned(Event, frozen=True, gc=False):
    """A captured leader is free and stands in a space (NONE: waits off the map for the next turn)."""

    leader: Leader
    captor: Power
    space: Space
    why: str = "agree.5"

    def apply(self, state: State) -> State:
        """Put him there."""
        return replace(
            state,
            captor=put(state.captor, self.leader, NONE),
            leader_at=put(state.leader_at, self.leader, self.space),
        )


class CardPassed(Event, frozen=True, gc=False):
    """A card goes from hand to hand, drawn at random; only the two know which (UNKNOWN to others).

    `taken` is the card as it comes into the taker's hand, NONE if just the same: the giver sees it leave his own hand,
    not what the other holds.
    """

    giver: Power
    taker: Power
    card: Card
    why: str = "f3.8"
    taken: Card = NONE

    def apply(self, state: State) -> State:
        """Move the card; where it is not known which, an unknown one."""
        hands = state.hands
        if hands[self.giver] != UNTOLD:
            hands = put(hands, self.giver, _without(hands[self.giver], self.card))
        if hands[self.taker] != UNTOLD:
            taken = self.card if self.taken == NONE else self.taken
            hands = put(hands, self.taker, (*hands[self.taker], taken))
        return replace(state, hands=hands)


def _without(hand: tuple[int, ...], card: int) -> tuple[int, ...]:
    """The hand without one copy of a card; an unknown card stands for one that is not seen."""
    where = card if card in hand else UNKNOWN
    if where not in hand:
        where = hand[-1]
    index = hand.index(where)
    return (*hand[:index], *hand[index + 1 :])


class DrawGiven(Event, frozen=True, gc=False):
    """A power has given card draws in this segment: counted against the limit."""

    power: Power
    count: int = 1

    def apply(self, state: State) -> State:
        """Count."""
        return replace(
            state, cards_drawn=put(state.cards_drawn, self.power, state.cards_drawn[self.power] + self.count)
        )


class MercenariesGiven(Event, frozen=True, gc=False):
    """Mercenaries pass from one power to another: from a space to a space."""

    giver: Power
    taker: Power
    count: int
    start: Space
    to: Space
    why: str = "f3.10"

    def apply(self, state: State) -> State:
        """Move them, and count them against the limit."""
        land = change_force(state.land, self.start, self.giver, 0, -self.count, 0)
        land = change_force(land, self.to, self.taker, 0, self.count, 0)
        given = put(state.mercenaries_given, self.giver, state.mercenaries_given[self.giver] + self.count)
        return replace(state, land=land, mercenaries_given=given)


class ControlChanged(Event, frozen=True, gc=False):
    """A space is controlled by a power now."""

    space: Space
    power: Power
    why: str = "f3.11"

    def apply(self, state: State) -> State:
        """Lay the marker."""
        return replace(state, owner=put(state.owner, self.space, self.power))


class TreasureChanged(Event, frozen=True, gc=False):
    """A power has so many treasures now."""

    power: Power
    count: int
    why: str = "f3.12"

    def apply(self, state: State) -> State:
        """Note it."""
        return replace(state, treasures=put(state.treasures, self.power, self.count))


class Engaged(Event, frozen=True, gc=False):
    """Two royals are engaged."""

    match: Match
    why: str = "f3.9"

    def apply(self, state: State) -> State:
        """Note it."""
        return replace(state, engaged=(*state.engaged, self.match))


# loans


class Lent(Event, frozen=True, gc=False):
    """Naval units (and a leader) are lent: they carry the receiver's Loaned marker, and lie in his port.

    `giver` is who had them before, where that is not their owner. `choosing`: so many ports are equally near, and
    until one is chosen they lie in the first of these.
    """

    owner: Power
    holder: Power
    fleet: Naval
    count: int
    start: Place
    to: Place
    leader: Leader = NONE
    why: str = "loan.5"
    giver: Power = NONE
    choosing: int = 0

    def apply(self, state: State) -> State:
        """Move and mark them."""
        before = self.owner if self.giver == NONE else self.giver
        fleets = change_fleet(state.fleets, self.start, self.owner, self.fleet, -self.count, before)
        fleets = change_fleet(fleets, self.to, self.owner, self.fleet, self.count, self.holder)
        loan = Loan(self.owner, self.holder, self.fleet, self.count, self.start)
        state = replace(state, fleets=fleets, loans=(*state.loans, loan))
        if (self.owner, self.holder) not in state.lent:
            state = replace(state, lent=(*state.lent, (self.owner, self.holder)))
        if self.leader >= 0:
            state = replace(
                state,
                leader_at=put(state.leader_at, self.leader, self.to),
                leader_holder=put(state.leader_holder, self.leader, self.holder),
            )
        return state


class LoanPlaced(Event, frozen=True, gc=False):
    """The receiver has chosen among equally near ports: borrowed units lie there now."""

    owner: Power
    holder: Power
    fleet: Naval
    count: int
    start: Place
    to: Place
    leader: Leader = NONE
    why: str = "loan.M1"

    def apply(self, state: State) -> State:
        """Move them."""
        fleets = change_fleet(state.fleets, self.start, self.owner, self.fleet, -self.count, self.holder)
        fleets = change_fleet(fleets, self.to, self.owner, self.fleet, self.count, self.holder)
        state = replace(state, fleets=fleets)
        return state if self.leader < 0 else replace(state, leader_at=put(state.leader_at, self.leader, self.to))


class LoanReturned(Event, frozen=True, gc=False):
    """Lent units are their owner's again, in a port of his (NONE: they are lost with none to go to)."""

    owner: Power
    holder: Power
    fleet: Naval
    count: int
    start: Place
    to: Place
    why: str = "loan.12"

    def apply(self, state: State) -> State:
        """Move them and take the marker away."""
        fleets = change_fleet(state.fleets, self.start, self.owner, self.fleet, -self.count, self.holder)
        if self.to >= 0:
            fleets = change_fleet(fleets, self.to, self.owner, self.fleet, self.count, self.owner)
        return replace(state, fleets=fleets)


class LeaderReturned(Event, frozen=True, gc=False):
    """A lent leader serves his own power again, and stands in a place."""

    leader: Leader
    to: Place
    why: str = "loan.12"

    def apply(self, state: State) -> State:
        """Put him there."""
        return replace(
            state,
            leader_at=put(state.leader_at, self.leader, self.to),
            leader_holder=put(state.leader_holder, self.leader, state.world.leaders[self.leader].power),
        )


# units


def change_force(
    land: tuple[tuple[Force, ...], ...], space: int, power: int, regulars: int, mercenaries: int, cavalry: int
) -> tuple[tuple[Force, ...], ...]:
    """The land units by space with so many more (or fewer) of a power in a space."""
    forces = list(land[space])
    for i, force in enumerate(forces):
        if force.power == power:
            changed = Force(power, force.regulars + regulars, force.mercenaries + mercenaries, force.cavalry + cavalry)
            if changed.units:
                forces[i] = changed
            else:
                del forces[i]
            break
    else:
        if regulars or mercenaries or cavalry:
            forces.append(Force(power, regulars, mercenaries, cavalry))
            forces.sort(key=lambda force: force.power)
    return put(land, space, tuple(forces))


def change_fleet(
    fleets: tuple[tuple[Fleet, ...], ...], place: int, owner: int, kind: int, count: int, holder: int
) -> tuple[tuple[Fleet, ...], ...]:
    """The naval units by place with so many more (or fewer) of a kind, owner and holder in a place."""
    table = {(fleet.owner, fleet.holder, fleet.kind): fleet.count for fleet in fleets[place]}
    table[(owner, holder, kind)] = table.get((owner, holder, kind), 0) + count
    row = tuple(Fleet(a, what, many, b) for (a, b, what), many in sorted(table.items()) if many)
    return put(fleets, place, row)


class UnitsChanged(Event, frozen=True, gc=False):
    """So many land units of a power are added to a space (or taken away)."""

    space: Space
    power: Power
    regulars: int = 0
    mercenaries: int = 0
    cavalry: int = 0
    why: str = ""

    def apply(self, state: State) -> State:
        """Change them."""
        land = change_force(state.land, self.space, self.power, self.regulars, self.mercenaries, self.cavalry)
        return replace(state, land=land)


class UnitsMoved(Event, frozen=True, gc=False):
    """A formation moves from a space to a space."""

    power: Power
    start: Space
    to: Space
    regulars: int = 0
    mercenaries: int = 0
    cavalry: int = 0
    leaders: tuple[Leader, ...] = ()
    why: str = ""

    def apply(self, state: State) -> State:
        """Move it."""
        land = change_force(state.land, self.start, self.power, -self.regulars, -self.mercenaries, -self.cavalry)
        land = change_force(land, self.to, self.power, self.regulars, self.mercenaries, self.cavalry)
        leader_at = state.leader_at
        for leader in self.leaders:
            leader_at = put(leader_at, leader, self.to)
        return replace(state, land=land, leader_at=leader_at)


class ShipsChanged(Event, frozen=True, gc=False):
    """So many naval units are added to a place (or taken away)."""

    place: Place
    owner: Power
    fleet: Naval
    count: int
    holder: Power
    why: str = ""

    def apply(self, state: State) -> State:
        """Change them."""
        return replace(
            state,
            fleets=change_fleet(state.fleets, self.place, self.owner, self.fleet, self.count, self.holder),
        )


class ShipsMoved(Event, frozen=True, gc=False):
    """Naval units (and leaders) move from a place to a place."""

    owner: Power
    holder: Power
    fleet: Naval
    count: int
    start: Place
    to: Place
    leaders: tuple[Leader, ...] = ()
    why: str = ""

    def apply(self, state: State) -> State:
        """Move them."""
        fleets = change_fleet(state.fleets, self.start, self.owner, self.fleet, -self.count, self.holder)
        fleets = change_fleet(fleets, self.to, self.owner, self.fleet, self.count, self.holder)
        leader_at = state.leader_at
        for leader in self.leaders:
            leader_at = put(leader_at, leader, self.to)
        return replace(state, fleets=fleets, leader_at=leader_at)


class LeaderMoved(Event, frozen=True, gc=False):
    """A leader stands in another place (NONE: off the map)."""

    leader: Leader
    to: Place
    why: str = ""

    def apply(self, state: State) -> State:
        """Put him there."""
        return replace(state, leader_at=put(state.leader_at, self.leader, self.to))


class LeaderCaptured(Event, frozen=True, gc=False):
    """A leader is captured."""

    leader: Leader
    captor: Power
    why: str = "f13.4"

    def apply(self, state: State) -> State:
        """He is off the map, on his captor's power card."""
        return replace(
            state,
            captor=put(state.captor, self.leader, self.captor),
            leader_at=put(state.leader_at, self.leader, NONE),
            leader_holder=put(state.leader_holder, self.leader, state.world.leaders[self.leader].power),
        )


class LeaderLost(Event, frozen=True, gc=False):
    """A leader is out of the game for the rest of the turn."""

    leader: Leader
    why: str = ""

    def apply(self, state: State) -> State:
        """He is off the map."""
        return replace(
            state,
            leader_at=put(state.leader_at, self.leader, NONE),
            leader_holder=put(state.leader_holder, self.leader, state.world.leaders[self.leader].power),
            lost_leaders=state.lost_leaders | 1 << self.leader,
        )


class SiegeBegan(Event, frozen=True, gc=False):
    """A space is besieged."""

    space: Space
    power: Power
    impulse: int = 0
    why: str = "f14.1"

    def apply(self, state: State) -> State:
        """Note it."""
        begun = state.sieges_begun or (UNKNOWN,) * len(state.owner)
        return replace(
            state,
            besieged_by=put(state.besieged_by, self.space, self.power),
            sieges_begun=put(begun, self.space, self.impulse),
        )


class SiegeEnded(Event, frozen=True, gc=False):
    """A siege is over."""

    space: Space
    why: str = "f14.4"

    def apply(self, state: State) -> State:
        """Note it."""
        return replace(state, besieged_by=put(state.besieged_by, self.space, NONE))


# what is rolled and told


class InterceptionRolled(Event, frozen=True, gc=False):
    """A formation tried to intercept."""

    power: Power
    start: Place
    space: Place
    total: int
    success: bool
    why: str = "f12.2"


class AvoidRolled(Event, frozen=True, gc=False):
    """A power tried to avoid battle with its own units."""

    power: Power
    space: Space
    total: int
    success: bool
    why: str = "defend.6"


class BattleFought(Event, frozen=True, gc=False):
    """A battle was rolled for, on land, at sea or in an assault (`what`)."""

    what: str
    attacker: Power
    defenders: Powers
    place: Place
    attacker_dice: tuple[int, ...]
    defender_dice: tuple[int, ...]
    hits_on_attacker: int
    hits_on_defender: int
    attacker_wins: bool
    why: str = "f13.1"


class OddLoss(Event, frozen=True, gc=False):
    """A die has decided which of two powers defending together takes the odd loss."""

    a: Power
    b: Power
    loser: Power
    die: int
    why: str = "defend.4"


class LossesShared(Event, frozen=True, gc=False):
    """Losses of powers that defend together are shared."""

    space: Space
    shares: tuple[tuple[Power, int], ...]
    why: str = "defend.3"


# cards


class CardsDealt(Event, frozen=True, gc=False):
    """A power draws cards; only its seat knows which."""

    power: Power
    cards: tuple[Card, ...]
    why: str = "f11.6"

    def apply(self, state: State) -> State:
        """Take them in hand."""
        hand = state.hands[self.power]
        return replace(state, hands=put(state.hands, self.power, (*(() if hand == UNTOLD else hand), *self.cards)))


class DeckShuffled(Event, frozen=True, gc=False):
    """The discarded cards are in the deck again."""

    def apply(self, state: State) -> State:
        """Empty the discards."""
        return replace(state, discards=())


class CardPlayed(Event, frozen=True, gc=False):
    """A card is played or paid (`how`: points, event, response, payment); it is discarded, or leaves the game."""

    power: Power
    card: Card
    how: str
    removed: bool = False
    home: bool = False

    def apply(self, state: State) -> State:
        """Lay it down; a home card comes back next turn."""
        hands = state.hands
        if hands[self.power] != UNTOLD:
            hands = put(hands, self.power, _without(hands[self.power], self.card))
        state = replace(state, hands=hands)
        if self.removed:
            return replace(state, removed=(*state.removed, self.card))
        return state if self.home else replace(state, discards=(*state.discards, self.card))


class HandDiscarded(Event, frozen=True, gc=False):
    """A power lays down all its cards, open to all: it has changed hands itself."""

    power: Power
    cards: tuple[Card, ...]
    why: str = "f17.1"

    def apply(self, state: State) -> State:
        """Empty the hand."""
        return replace(state, hands=put(state.hands, self.power, ()), discards=(*state.discards, *self.cards))


class TurnBegan(Event, frozen=True, gc=False):
    """A new turn: what counted for the last one only is cleared."""

    turn: int

    def apply(self, state: State) -> State:
        """Begin the turn."""
        return replace(
            state,
            turn=self.turn,
            phase=DRAW,
            peaces=(0,) * len(POWERS),
            announced=(),
            lent=(),
            loans=(),
            cards_drawn=(0,) * len(POWERS),
            mercenaries_given=(0,) * len(POWERS),
            passed=0,
            done=0,
            impulse=0,
            lost_leaders=0,
        )


# the turn


class PhaseBegan(Event, frozen=True, gc=False):
    """A phase (or a segment of the Diplomacy Phase) begins."""

    phase: Phase
    why: str = ""

    def apply(self, state: State) -> State:
        """Note it."""
        return replace(state, phase=self.phase, active=NONE, done=0, passed=0)


class Activated(Event, frozen=True, gc=False):
    """It is a power's turn: its impulse, its declarations, its ransoms."""

    power: Power

    def apply(self, state: State) -> State:
        """Note it."""
        return replace(state, active=self.power, impulse=state.impulse + 1 if state.phase == ACTION else state.impulse)


class Passed(Event, frozen=True, gc=False):
    """A power has passed (or has acted, which calls all passes off)."""

    power: Power
    passed: bool = True

    def apply(self, state: State) -> State:
        """Note it."""
        return replace(state, passed=state.passed | 1 << self.power if self.passed else 0)


class PointsChanged(Event, frozen=True, gc=False):
    """A power has so many victory points now."""

    power: Power
    vp: int
    why: str = ""

    def apply(self, state: State) -> State:
        """Note it."""
        return replace(state, vp=put(state.vp, self.power, self.vp))


class UnrestChanged(Event, frozen=True, gc=False):
    """Spaces (mask) that are in unrest now."""

    spaces: Spaces
    why: str = ""

    def apply(self, state: State) -> State:
        """Note it."""
        return replace(state, unrest=self.spaces)


class GameEnded(Event, frozen=True, gc=False):
    """The game is over; these seats have won."""

    winners: tuple[Seat, ...]
    how: str
    why: str = ""

    def apply(self, state: State) -> State:
        """Note it."""
        return replace(state, winners=self.winners, phase=OVER)


EVENTS = tuple(
    value
    for value in list(globals().values())
    if isinstance(value, type) and issubclass(value, Event) and value is not Event
)
