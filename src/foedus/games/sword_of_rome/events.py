"""What happens in The Sword of Rome: low events, with their effects in them, so that applying one needs no rules.

`why` is the id of the clause by which it happened.
"""

from __future__ import annotations

from msgspec.structs import replace

from foedus.games.sword_of_rome.state import (
    CITY,
    Broken,
    Card,
    Force,
    Leader,
    Pact,
    Phase,
    Promise,
    Space,
    State,
    Treaty,
    count_besieging,
    support_in,
)
from foedus.kernel.unknown import NONE, UNKNOWN
from foedus.kernel.values import Event, Offer, Power, Powers, Seat, bits


def _put(values: tuple[int, ...], index: int, value: int) -> tuple[int, ...]:
    return (*values[:index], value, *values[index + 1 :])


def _pair(masks: tuple[int, ...], a: int, b: int, on: bool) -> tuple[int, ...]:
    table = list(masks)
    if on:
        table[a] |= 1 << b
        table[b] |= 1 << a
    else:
        table[a] &= ~(1 << b)
        table[b] &= ~(1 << a)
    return tuple(table)


# alliances


class OfferMade(Event, frozen=True, gc=False):
    """An alliance is offered; the count of offers of the pair becomes the offer's version."""

    offer: Offer

    def apply(self, state: State) -> State:
        """Let the offer wait."""
        return replace(state, offers=(*state.offers, self.offer))


class OfferEnded(Event, frozen=True, gc=False):
    """An offer is gone: accepted, declined, withdrawn, or dead (`how`)."""

    by: Power
    to: Power
    how: str

    def apply(self, state: State) -> State:
        """Drop the offer."""
        return replace(
            state, offers=tuple(offer for offer in state.offers if (offer.by, offer.to) != (self.by, self.to))
        )


class AllianceMade(Event, frozen=True, gc=False):
    """Two powers are allied now."""

    a: Power
    b: Power
    turn: int
    round: int
    why: str = "15.1"

    def apply(self, state: State) -> State:
        """Lay the marker."""
        low, high = (self.a, self.b) if self.a < self.b else (self.b, self.a)
        return replace(
            state,
            pacts=(*state.pacts, Pact(low, high, self.turn, self.round)),
            formal=_pair(state.formal, low, high, True),
            allies=_pair(state.allies, low, high, True),
            unsure=_pair(state.unsure, low, high, False),
        )


class AllianceEnded(Event, frozen=True, gc=False):
    """An alliance is over: broken (then `by` is the power that broke it) or lapsed."""

    a: Power
    b: Power
    how: str
    by: Power = NONE
    why: str = "15.4a"

    def apply(self, state: State) -> State:
        """Take the marker away."""
        low, high = (self.a, self.b) if self.a < self.b else (self.b, self.a)
        broken = state.broken
        if self.how == "broken":
            broken = (*broken, Broken(self.by, low + high - self.by, state.turn, state.round))
        return replace(
            state,
            pacts=tuple(pact for pact in state.pacts if (pact.a, pact.b) != (low, high)),
            formal=_pair(state.formal, low, high, False),
            allies=_pair(state.allies, low, high, False),
            unsure=_pair(state.unsure, low, high, False),
            broken=broken,
        )


class AllianceRenewed(Event, frozen=True, gc=False):
    """Both players agreed to stay allied."""

    a: Power
    b: Power
    why: str = "15.4c"


class PassingAlliance(Event, frozen=True, gc=False):
    """A non-player power counts as allied with these powers while its army moves (or no longer does)."""

    npp: Power
    powers: Powers
    on: bool
    why: str = "16.1.2"

    def apply(self, state: State) -> State:
        """Set or clear the pairs, leaving formal alliances as they are."""
        allies = state.allies
        for power in bits(self.powers):
            allies = _pair(allies, self.npp, power, self.on or bool(state.formal[self.npp] >> power & 1))
        return replace(state, allies=allies)


class Sharing(Event, frozen=True, gc=False):
    """Troops of two new allies stand in these places together; both stay until either moves."""

    a: Power
    b: Power
    spaces: tuple[Space, ...]
    why: str = "15.3.M3"


class TreatyChanged(Event, frozen=True, gc=False):
    """The treaty of Rome and Carthage (18) is signed or ends."""

    treaty: Treaty
    a: Power
    b: Power
    allied: bool
    why: str = "18.0"

    def apply(self, state: State) -> State:
        """Note the treaty and the alliance it makes."""
        return replace(state, treaty=self.treaty, allies=_pair(state.allies, self.a, self.b, self.allied))


class PromiseMade(Event, frozen=True, gc=False):
    """Words were given."""

    promise: Promise

    def apply(self, state: State) -> State:
        """Keep a note of them."""
        return replace(state, promises=(*state.promises, self.promise))


class PromiseMarked(Event, frozen=True, gc=False):
    """Words were kept or broken; nothing follows."""

    by: Power
    to: Power
    text: str
    kept: str
    why: str = "15.2.2n"

    def apply(self, state: State) -> State:
        """Mark the note."""
        done = False
        notes = []
        for promise in state.promises:
            if (
                not done
                and promise.kept == "open"
                and (promise.by, promise.to, promise.text)
                == (
                    self.by,
                    self.to,
                    self.text,
                )
            ):
                promise = replace(promise, kept=self.kept)
                done = True
            notes.append(promise)
        return replace(state, promises=tuple(notes))


class Talked(Event, frozen=True, gc=False):
    """Two players talked; only they know if it was in secret."""

    a: Power
    b: Power
    secret: int


# spaces


class ControlChanged(Event, frozen=True, gc=False):
    """A space has this controller and, if it is a city, this loyalty."""

    space: Space
    owner: Power
    loyalty: int
    why: str
    was: int = 0
    """the loyalty before, where nothing but the loyalty changes"""

    def apply(self, state: State) -> State:
        """Put the marker, and keep the counters of support."""
        space = self.space
        kind = state.world.kinds[space]
        old, before = state.owner[space], state.loyalty[space]
        support = state.support
        if old != UNKNOWN and support[old] != UNKNOWN:
            support = _put(support, old, support[old] - support_in(kind, before))
            support = _put(support, self.owner, support[self.owner] + support_in(kind, self.loyalty))
        owner = _put(state.owner, space, self.owner)
        besieging = state.besieging
        if state.besieged_by[space] >= 0:
            besieging = count_besieging(owner, state.besieged_by)
        loyalty = _put(state.loyalty, space, self.loyalty) if kind == CITY else state.loyalty
        return replace(state, owner=owner, loyalty=loyalty, support=support, besieging=besieging)


class SiegeSet(Event, frozen=True, gc=False):
    """A siege (or subjugation) by a power stands at so many points."""

    space: Space
    power: Power
    points: int
    why: str

    def apply(self, state: State) -> State:
        """Place the marker."""
        besieged_by = _put(state.besieged_by, self.space, self.power)
        return replace(
            state,
            besieged_by=besieged_by,
            siege_points=_put(state.siege_points, self.space, self.points),
            besieging=count_besieging(state.owner, besieged_by),
        )


class SiegeLifted(Event, frozen=True, gc=False):
    """A siege (or subjugation) is over, its points are gone."""

    space: Space
    why: str

    def apply(self, state: State) -> State:
        """Take the marker away."""
        besieged_by = _put(state.besieged_by, self.space, NONE)
        return replace(
            state,
            besieged_by=besieged_by,
            siege_points=_put(state.siege_points, self.space, 0),
            besieging=count_besieging(state.owner, besieged_by),
        )


class SiegeRolled(Event, frozen=True, gc=False):
    """The one siege roll of this round in a space was made."""

    space: Space

    def apply(self, state: State) -> State:
        """Remember it until the round is over."""
        return replace(state, rolled_siege=state.rolled_siege | 1 << self.space)


# units and leaders


def _with_force(state: State, space: int, power: int, outside: int, inside: int) -> State:
    """The state with a power's CU in a space changed by so many outside and inside."""
    forces = state.forces[space]
    if forces and forces[0].power == UNKNOWN:
        return state  # what nobody knows cannot be changed
    old = next((force for force in forces if force.power == power), Force(power))
    new = Force(power, max(0, old.outside + outside), max(0, old.inside + inside))
    kept = tuple(force for force in forces if force.power != power)
    if new.outside or new.inside:
        kept = tuple(sorted((*kept, new), key=lambda force: force.power))
    return replace(state, forces=(*state.forces[:space], kept, *state.forces[space + 1 :]))


class UnitsMoved(Event, frozen=True, gc=False):
    """CU of a power go from outside one space to outside another."""

    power: Power
    start: Space
    to: Space
    count: int

    def apply(self, state: State) -> State:
        """Move them."""
        state = _with_force(state, self.start, self.power, -self.count, 0)
        return _with_force(state, self.to, self.power, self.count, 0)


class UnitsAdded(Event, frozen=True, gc=False):
    """New CU of a power in a space: outside or, with `inside`, in the city."""

    power: Power
    space: Space
    count: int
    why: str
    inside: bool = False

    def apply(self, state: State) -> State:
        """Add them."""
        return _with_force(
            state, self.space, self.power, 0 if self.inside else self.count, self.count if self.inside else 0
        )


class UnitsRemoved(Event, frozen=True, gc=False):
    """CU of a power are lost in a space: so many outside, or so many inside."""

    power: Power
    space: Space
    outside: int
    inside: int
    why: str

    def apply(self, state: State) -> State:
        """Remove them."""
        return _with_force(state, self.space, self.power, -self.outside, -self.inside)


class PutOutside(Event, frozen=True, gc=False):
    """CU that were inside a city are placed outside it."""

    power: Power
    space: Space
    count: int
    why: str

    def apply(self, state: State) -> State:
        """Put them outside."""
        return _with_force(state, self.space, self.power, self.count, -self.count)


class PutInside(Event, frozen=True, gc=False):
    """CU go inside the city where they stand."""

    power: Power
    space: Space
    count: int
    why: str = "f9.3"

    def apply(self, state: State) -> State:
        """Put them inside."""
        return _with_force(state, self.space, self.power, -self.count, self.count)


class LeaderMoved(Event, frozen=True, gc=False):
    """A leader is in a space now (nowhere: out of play), outside or inside its city."""

    leader: Leader
    to: Space
    inside: bool = False
    why: str = ""

    def apply(self, state: State) -> State:
        """Move the leader."""
        bit = 1 << self.leader
        inside = state.leader_inside | bit if self.inside else state.leader_inside & ~bit
        return replace(
            state,
            leader_at=_put(state.leader_at, self.leader, self.to),
            leader_inside=inside,
            displaced=state.displaced & ~bit,
        )


class LeaderDisplaced(Event, frozen=True, gc=False):
    """A leader has lost his army: named ones wait to return, minor ones are set aside."""

    leader: Leader
    why: str = "f8.6"

    def apply(self, state: State) -> State:
        """Take him off the map."""
        bit = 1 << self.leader
        named = self.leader not in state.world.minors
        return replace(
            state,
            leader_at=_put(state.leader_at, self.leader, NONE),
            leader_inside=state.leader_inside & ~bit,
            displaced=state.displaced | bit if named else state.displaced,
        )


# battles, for the reader: the dice stand in events of their own


class Fought(Event, frozen=True, gc=False):
    """A battle and how it came out: the two totals, their modifiers by clause, and the losses."""

    attacker: Power
    defender: Power
    space: Space
    attack: int
    defence: int
    attack_modifiers: tuple[tuple[str, int], ...]
    defence_modifiers: tuple[tuple[str, int], ...]
    winner: Power
    attacker_losses: int
    defender_losses: int
    flank: Power = NONE


class Intercepted(Event, frozen=True, gc=False):
    """An interception was tried."""

    power: Power
    target: Power
    space: Space
    start: Space
    success: bool


class Avoided(Event, frozen=True, gc=False):
    """Avoiding a battle was tried."""

    power: Power
    start: Space
    to: Space
    success: bool


class PassedThrough(Event, frozen=True, gc=False):
    """An army moved through allied troops: no battle, no extra cost."""

    power: Power
    ally: Power
    space: Space
    why: str = "15.2.e4"


class AttritionChecked(Event, frozen=True, gc=False):
    """The Attrition Phase looked at a force: it rolled, or it need not (`why`)."""

    power: Power
    space: Space
    lost: int
    why: str


class SeaMoved(Event, frozen=True, gc=False):
    """A naval movement was tried; `how` is free, success, back or attrition."""

    power: Power
    start: Space
    to: Space
    how: str


# flow


class ActivationBegan(Event, frozen=True, gc=False):
    """A player is active now."""

    seat: Seat

    def apply(self, state: State) -> State:
        """Make him active; names given to deciders before are void."""
        return replace(state, active=self.seat, activation=state.activation + 1, named=(NONE,) * len(state.named))


class ActivationEnded(Event, frozen=True, gc=False):
    """The active player has done."""

    seat: Seat

    def apply(self, state: State) -> State:
        """Nobody is active; whoever was activated is no longer acting."""
        return replace(state, active=NONE, acting_npp=NONE, activator=NONE)


class NPPActivated(Event, frozen=True, gc=False):
    """A non-player power acts by a player's event; its marker lies on the round track (or, without `marker`, none)."""

    npp: Power
    seat: Seat
    action: str
    why: str = "16.1.1g"
    marker: bool = True

    def apply(self, state: State) -> State:
        """Place the marker, and say who decides meanwhile."""
        activated = state.activated | 1 << self.npp if self.marker else state.activated
        return replace(state, activated=activated, acting_npp=self.npp, activator=self.seat)


class NPPDone(Event, frozen=True, gc=False):
    """The action of an activated non-player power is over."""

    npp: Power

    def apply(self, state: State) -> State:
        """Its activator no longer decides for it."""
        return replace(state, acting_npp=NONE, activator=NONE)


class MarkersRemoved(Event, frozen=True, gc=False):
    """A new round: the markers of activated non-player powers come off."""

    why: str = "16.1.1g"

    def apply(self, state: State) -> State:
        """Clear them."""
        return replace(state, activated=0)


class RoundBegan(Event, frozen=True, gc=False):
    """A round of the Action Phase begins."""

    round: int

    def apply(self, state: State) -> State:
        """Count it; siege rolls are free again."""
        return replace(state, round=self.round, rolled_siege=0)


class PhaseBegan(Event, frozen=True, gc=False):
    """A phase begins."""

    phase: Phase

    def apply(self, state: State) -> State:
        """Note it; names given to deciders before are void, and siege rolls are free again."""
        return replace(state, phase=self.phase, named=(NONE,) * len(state.named), rolled_siege=0)


class TurnBegan(Event, frozen=True, gc=False):
    """A game turn begins."""

    turn: int

    def apply(self, state: State) -> State:
        """Count it; breaks of the last turn are history, and open promises of it are forgotten."""
        return replace(state, turn=self.turn, round=0, broken=())


class VPChanged(Event, frozen=True, gc=False):
    """A player's victory points are this many now."""

    seat: Seat
    vp: int
    why: str = "f4.2"

    def apply(self, state: State) -> State:
        """Move the marker."""
        return replace(state, vp=_put(state.vp, self.seat, self.vp))


class CardPlayed(Event, frozen=True, gc=False):
    """A card leaves a player's hand and lies open on the discards."""

    seat: Seat
    card: Card
    how: str

    def apply(self, state: State) -> State:
        """Discard it."""
        hands = list(state.hands)
        if self.seat < len(hands):
            hand = list(hands[self.seat])
            for held in (self.card, UNKNOWN):
                if held in hand:
                    hand.remove(held)
                    break
            hands[self.seat] = tuple(hand)
        return replace(state, hands=tuple(hands), discards=(*state.discards, self.card))


class CardsDrawn(Event, frozen=True, gc=False):
    """A player draws cards; only he sees them."""

    seat: Seat
    cards: tuple[Card, ...]

    def apply(self, state: State) -> State:
        """Put them in the hand."""
        hands = list(state.hands)
        hands[self.seat] = tuple(sorted((*hands[self.seat], *self.cards)))
        return replace(state, hands=tuple(hands))


class EventPlayed(Event, frozen=True, gc=False):
    """A card's event had an effect on a power."""

    seat: Seat
    effect: str
    target: Power
    space: Space = NONE


class DeciderNamed(Event, frozen=True, gc=False):
    """The winner of a tie names who decides for a non-player power."""

    npp: Power
    seat: Seat
    why: str = "f4.5"

    def apply(self, state: State) -> State:
        """Remember the name until the next activation or phase."""
        return replace(state, named=_put(state.named, self.npp, self.seat))


EVENTS = tuple(
    value
    for value in list(globals().values())
    if isinstance(value, type) and issubclass(value, Event) and value is not Event
)
