"""What happens in The Sword of Rome: low events, with their effects in them, so that applying one needs no rules.

`why` is the id of the clause by which it happened.
"""

from __future__ import annotations

from msgspec.structs import replace

from foedus.games.sword_of_rome.state import (
    CAR,
    CITY,
    OVER,
    SEATS,
    TRA,
    Broken,
    Card,
    Force,
    Leader,
    Leaders,
    Pact,
    Phase,
    Promise,
    Space,
    State,
    Treaty,
    count_besieging,
    support_in,
)
from foedus.kernel.standing import STANDING_EVENTS
from foedus.kernel.unknown import NONE, UNKNOWN
from foedus.kernel.values import Event, Offer, Power, Powers, Seat, bits


def _put(values: tuple[int, ...], index: int, value: int) -> tuple[int, ...]:
    return (*values[:index], value, *values[index + 1 :])


def _levies(state: State, space: int, change: int) -> State:
    """The state with so many more (or fewer) Carthaginian CU in a space that are no regulars."""
    table = dict(state.levies)
    table[space] = max(0, table.get(space, 0) + change)
    return replace(state, levies=tuple(sorted((at, count) for at, count in table.items() if count)))


def _levies_going(state: State, space: int, count: int) -> int:
    """How many of so many Carthaginian CU that leave a space, or are lost there, are no regulars.

    Mercenaries (five players) go first, citizen militia (two to four players), never replaced, last.
    """
    held = dict(state.levies).get(space, 0)
    if not held or not state.known_troops(space):
        return 0
    if state.world.players == 5:
        return min(held, count)
    force = state.force(CAR, space)
    return max(0, min(held, count - (force.outside + force.inside - held)))


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
        kind = state.kinds[space]
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


class ColonyFounded(Event, frozen=True, gc=False):
    """A Roman colony: the space is a walled city from here on."""

    space: Space
    power: Power
    loyalty: int = 1
    why: str = "f7.7"

    def apply(self, state: State) -> State:
        """Make it a city, and keep the counters of support."""
        support = state.support
        if support[self.power] != UNKNOWN:
            support = _put(support, self.power, support[self.power] + self.loyalty - 1)
        loyalty = _put(state.loyalty, self.space, self.loyalty)
        return replace(state, colonies=state.colonies | 1 << self.space, loyalty=loyalty, support=support)


class Looted(Event, frozen=True, gc=False):
    """A besieged city is looted instead of being kept."""

    power: Power
    space: Space
    why: str = "f14.3"


class Raided(Event, frozen=True, gc=False):
    """An army tried to raid the control marker where it stands."""

    power: Power
    space: Space
    success: bool
    why: str = "f14.2"


class PlunderChanged(Event, frozen=True, gc=False):
    """So many plunder markers of a power lie on the track now."""

    power: Power
    markers: int
    why: str = "f14.1"

    def apply(self, state: State) -> State:
        """Gallic markers count up, Transalpine ones down: the two kinds never lie there together."""
        return replace(state, plunder=-self.markers if self.power == TRA else self.markers)


class Bribed(Event, frozen=True, gc=False):
    """An Etruscan bribe: an enemy army goes back, or (`passing`) lets an Etruscan army pass."""

    power: Power
    target: Power
    space: Space
    passing: bool = False
    why: str = "f7.8"


class BribePassing(Event, frozen=True, gc=False):
    """A bribed power's CU are passed as if allied while the movement lasts (or no longer)."""

    power: Power
    target: Power
    on: bool
    space: Space = NONE
    why: str = "f7.8"

    def apply(self, state: State) -> State:
        """Set or clear the pair, leaving formal alliances as they are; who was bought intercepts nobody."""
        formal = bool(state.formal[self.power] >> self.target & 1)
        bribed = state.bribed & ~(1 << self.target) | self.on << self.target
        bought = state.bought | 1 << self.space if self.on and self.space >= 0 else state.bought
        allies = _pair(state.allies, self.power, self.target, self.on or formal)
        return replace(state, bribed=bribed, bought=bought, allies=allies)


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
        if self.power == CAR and state.levies:
            going = _levies_going(state, self.start, self.count)
            if going:
                state = _levies(_levies(state, self.start, -going), self.to, going)
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
        if self.power == CAR and state.levies:
            state = _levies(state, self.space, -_levies_going(state, self.space, self.outside + self.inside))
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


class LeviesAdded(Event, frozen=True, gc=False):
    """So many of Carthage's CU in a space are mercenaries (or, with two to four players, citizen militia)."""

    space: Space
    count: int
    why: str = "f7.9"

    def apply(self, state: State) -> State:
        """Note them."""
        return _levies(state, self.space, self.count)


class ShipsBuilt(Event, frozen=True, gc=False):
    """A power has ships from now on: Rome's Duoviri Navales were played."""

    power: Power
    why: str = "f9.7"

    def apply(self, state: State) -> State:
        """Note them."""
        return replace(state, duoviri=1)


class CarthageFell(Event, frozen=True, gc=False):
    """Greek CU stood in Carthago: Carthage is out of the game."""

    why: str = "f17.7"

    def apply(self, state: State) -> State:
        """Note it; none of its leaders waits to return any more."""
        mask = sum(1 << leader for leader in state.world.leaders_of[CAR])
        return replace(state, fallen=1, displaced=state.displaced & ~mask)


class UnrestChanged(Event, frozen=True, gc=False):
    """The unrest in Carthage's lands is at this level now; with `marker` a card raised it, once this round."""

    level: int
    why: str
    marker: bool = False

    def apply(self, state: State) -> State:
        """Move the marker on the track."""
        activated = state.activated | 1 << CAR if self.marker and state.activated >= 0 else state.activated
        return replace(state, unrest=self.level, activated=activated)


class UnrestFought(Event, frozen=True, gc=False):
    """A battle against the unrest and how it came out: the totals, the CU lost, and the support it was worth."""

    leader: Leader
    count: int
    level: int
    attack: int
    defence: int
    wins: bool
    lost: int
    points: int
    why: str = "f19.9"


class LeaderArrived(Event, frozen=True, gc=False):
    """A named leader comes as a reinforcement and must be placed."""

    leader: Leader
    why: str = "f5.6"

    def apply(self, state: State) -> State:
        """He waits beside the map, as displaced ones do."""
        return replace(state, displaced=state.displaced | 1 << self.leader)


class LeaderLost(Event, frozen=True, gc=False):
    """A leader leaves the game for good."""

    leader: Leader
    why: str = "f8.4"

    def apply(self, state: State) -> State:
        """Take him away."""
        bit = 1 << self.leader
        return replace(
            state,
            leader_at=_put(state.leader_at, self.leader, NONE),
            leader_inside=state.leader_inside & ~bit,
            displaced=state.displaced & ~bit,
            lost=state.lost | bit,
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


class CommandTaken(Event, frozen=True, gc=False):
    """A leader commands the army of his power where he stands; the other leaders are his subordinates."""

    leader: Leader
    space: Space
    why: str = "f8.2"

    def apply(self, state: State) -> State:
        """Note him as commander, and none of the others."""
        power = state.world.leaders[self.leader].power
        mask = state.commanders
        for other in state.leaders_in(self.space, power):
            mask &= ~(1 << other)
        return replace(state, commanders=mask | 1 << self.leader)


class ConsulsDrawn(Event, frozen=True, gc=False):
    """All consuls of a power went back to the pool, and these were drawn: they wait to be placed."""

    power: Power
    pool: Leaders
    drawn: Leaders
    why: str = "f8.3"

    def apply(self, state: State) -> State:
        """Take them off the map; those drawn wait like displaced leaders."""
        leader_at = tuple(NONE if self.pool >> i & 1 else at for i, at in enumerate(state.leader_at))
        return replace(
            state,
            leader_at=leader_at,
            leader_inside=state.leader_inside & ~self.pool,
            displaced=state.displaced & ~self.pool | self.drawn,
            commanders=state.commanders & ~self.pool,
        )


class RoadBuilt(Event, frozen=True, gc=False):
    """The Appian Way is built: from now on any stretch of it costs 1 movement point."""

    why: str = "f2.2"

    def apply(self, state: State) -> State:
        """Note it."""
        return replace(state, appian_way=1)


class Refused(Event, frozen=True, gc=False):
    """An intercepted army tried to refuse battle; with `success` it goes back, else it must attack."""

    power: Power
    interceptor: Power
    space: Space
    success: bool
    why: str = "f10.4"


class Pursued(Event, frozen=True, gc=False):
    """An army tried to go on moving after the enemy had avoided battle."""

    power: Power
    space: Space
    success: bool
    why: str = "f11.4"


class AttritionChecked(Event, frozen=True, gc=False):
    """The Attrition Phase looked at a force: it rolled, or it need not (`why`)."""

    power: Power
    space: Space
    lost: int
    why: str


class SeaMoved(Event, frozen=True, gc=False):
    """A naval movement was tried; `how` is free, success, back, attrition or storm."""

    power: Power
    start: Space
    to: Space
    how: str
    why: str = "f9.7"


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
        return replace(state, active=NONE, acting_npp=NONE, activator=NONE, bought=0)


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
        return replace(state, turn=self.turn, round=0, broken=(), waived=0)


class MinesDepleted(Event, frozen=True, gc=False):
    """Mine check: the Etruscans have lost too much of their home, and the mines give nothing from now on."""

    why: str = "f7.8"

    def apply(self, state: State) -> State:
        """Remember it."""
        return replace(state, depleted=True)


class ChooserNamed(Event, frozen=True, gc=False):
    """The winner of a tie says who names the first player."""

    seat: Seat
    why: str = "f4.5"


class FirstNamed(Event, frozen=True, gc=False):
    """The first player is named; the others follow in this order."""

    seat: Seat
    order: tuple[Seat, ...]
    why: str = "f5.0"

    def apply(self, state: State) -> State:
        """Set the order."""
        return replace(state, order=self.order)


class OrderSet(Event, frozen=True, gc=False):
    """The winner of a tie has set the order in which the tied players act in this phase."""

    order: tuple[Seat, ...]
    why: str = "f4.5"


class PlayerOut(Event, frozen=True, gc=False):
    """A player is out of the game; his cards go with him."""

    seat: Seat
    why: str = "f5.7"

    def apply(self, state: State) -> State:
        """He is passed over from now on."""
        hands = tuple(() if seat == self.seat else hand for seat, hand in enumerate(state.hands))
        order = tuple(seat for seat in state.order if seat != self.seat)
        return replace(state, out=state.out | 1 << self.seat, hands=hands, order=order)


class GameEnded(Event, frozen=True, gc=False):
    """The game is over: who has won, and all players from first to last; `how` is level, turns or alone."""

    winners: tuple[Seat, ...]
    ranking: tuple[Seat, ...]
    how: str
    why: str

    def apply(self, state: State) -> State:
        """Nothing is awaited any more."""
        return replace(state, phase=OVER, active=NONE, winners=self.winners, ranking=self.ranking)


class VPChanged(Event, frozen=True, gc=False):
    """A player's victory points are this many now."""

    seat: Seat
    vp: int
    why: str = "f4.2"

    def apply(self, state: State) -> State:
        """Move the marker."""
        return replace(state, vp=_put(state.vp, self.seat, self.vp))


class CardPlayed(Event, frozen=True, gc=False):
    """A card leaves a player's hand and lies open on his discards, or (`gone`) is out of the game.

    `reshuffle`: it has his deck shuffled anew in the next draw.
    """

    seat: Seat
    card: Card
    how: str
    gone: bool = False
    reshuffle: bool = False

    def apply(self, state: State) -> State:
        """Lay it down."""
        state = _out_of_hand(state, self.seat, (self.card,))
        if self.reshuffle:
            state = replace(state, reshuffle=state.reshuffle | 1 << self.seat)
        if self.gone:
            return replace(state, removed=_onto(state.removed, self.seat, (self.card,)))
        return replace(state, discards=_onto(state.discards, self.seat, (self.card,)))


def _out_of_hand(state: State, seat: int, cards: tuple[int, ...]) -> State:
    """The state with cards taken out of a hand, unknown ones where they are not seen in it."""
    if seat >= len(state.hands):
        return state
    hand = list(state.hands[seat])
    for card in cards:
        for held in (card, UNKNOWN):
            if held in hand:
                hand.remove(held)
                break
    return replace(state, hands=(*state.hands[:seat], tuple(hand), *state.hands[seat + 1 :]))


def _onto(piles: tuple[tuple[int, ...], ...], seat: int, cards: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """The piles of all seats with cards laid on one of them."""
    table = list(piles) + [()] * (len(SEATS) - len(piles))
    table[seat] = (*table[seat], *cards)
    return tuple(table)


class CardsDiscarded(Event, frozen=True, gc=False):
    """A player lays cards from his hand on his discards without playing them."""

    seat: Seat
    cards: tuple[Card, ...]
    why: str = "f7.2"
    reshuffle: bool = False

    def apply(self, state: State) -> State:
        """Lay them down."""
        state = _out_of_hand(state, self.seat, self.cards)
        if self.reshuffle:
            state = replace(state, reshuffle=state.reshuffle | 1 << self.seat)
        return replace(state, discards=_onto(state.discards, self.seat, self.cards))


class DeckShuffled(Event, frozen=True, gc=False):
    """A player's discards go back into his deck."""

    seat: Seat
    why: str = "f7.3"

    def apply(self, state: State) -> State:
        """Empty the pile."""
        discards = list(state.discards) + [()] * (len(SEATS) - len(state.discards))
        discards[self.seat] = ()
        return replace(state, discards=tuple(discards), reshuffle=state.reshuffle & ~(1 << self.seat))


class CardsDrawn(Event, frozen=True, gc=False):
    """A player draws cards; only he sees them."""

    seat: Seat
    cards: tuple[Card, ...]

    def apply(self, state: State) -> State:
        """Put them in the hand."""
        hands = list(state.hands) + [()] * (len(SEATS) - len(state.hands))
        hands[self.seat] = tuple(sorted((*hands[self.seat], *self.cards)))
        return replace(state, hands=tuple(hands))


class CardFetched(Event, frozen=True, gc=False):
    """A player takes a card that he names out of his deck or his discards, to play it at once."""

    seat: Seat
    card: Card
    why: str = "f7.14"

    def apply(self, state: State) -> State:
        """Take it off the discards if it lies there."""
        pile = list(state.discards[self.seat]) if self.seat < len(state.discards) else []
        if self.card not in pile:
            return state
        pile.remove(self.card)
        discards = (*state.discards[: self.seat], tuple(pile), *state.discards[self.seat + 1 :])
        return replace(state, discards=discards)


class EventCancelled(Event, frozen=True, gc=False):
    """A response took away the effect of what was played: an event, an activation (`what`)."""

    by: Seat
    seat: Seat
    what: str
    why: str = "f7.5"


class DesperateTimes(Event, frozen=True, gc=False):
    """A player uses one of his Desperate Times: for what a card of value 3 does, to swap cards, or for an event."""

    seat: Seat
    how: str
    left: int
    why: str = "f7.14"

    def apply(self, state: State) -> State:
        """Take the marker away."""
        return replace(state, desperate=_put(state.desperate, self.seat, self.left))


class DesperateWaived(Event, frozen=True, gc=False):
    """A player will use no Desperate Times this turn and need not be asked."""

    seat: Seat
    why: str = "f7.14"

    def apply(self, state: State) -> State:
        """Remember it until the turn is over."""
        return replace(state, waived=state.waived | 1 << self.seat)


class GallicEvent(Event, frozen=True, gc=False):
    """Three players: what the Gallic events table gave, and whom and where it hit."""

    die: int
    what: str
    target: Power = NONE
    space: Space = NONE
    why: str = "f5.1"


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


EVENTS: tuple[type[Event], ...] = (
    *(
        value
        for value in list(globals().values())
        if isinstance(value, type) and issubclass(value, Event) and value is not Event
    ),
    *STANDING_EVENTS,
)
