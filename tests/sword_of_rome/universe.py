"""Every command that could answer what is awaited, written down without the engine's lists of candidates."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

from foedus.games.sword_of_rome import commands as c
from foedus.games.sword_of_rome import frames as f
from foedus.games.sword_of_rome.cards import EFFECTS, IN_A_PLACE
from foedus.games.sword_of_rome.state import IND, SEATS, State
from foedus.kernel.unknown import NONE
from foedus.kernel.values import Command

ANSWERS: dict[type, tuple[type[Command], ...]] = {
    f.TurnFrame: (),
    f.Activation: (
        c.ProposeAlliance,
        c.BreakAlliance,
        c.Pass,
        c.PlayEvent,
        c.PlayValue,
        c.ActivateNPP,
        c.Activate,
        c.Sail,
        c.PlaceMinor,
    ),
    f.PayingBreak: (c.PayPoint,),
    f.Marching: (c.Step, c.Halt, c.Besiege, c.Subjugate, c.Liberate),
    f.Interceptions: (c.Intercept, c.StayPut, c.NameDecider),
    f.Attacked: (c.AvoidBattle, c.GoInside, c.StayPut, c.NameDecider),
    f.Retreating: (c.Retreat, c.NameDecider),
    f.Spoils: (c.PlaceSupport, c.RemoveMarker, c.RemoveSupport, c.Done, c.NameDecider),
    f.Campaign: (c.Activate, c.Flank, c.Done),
    f.AskConsent: (c.Consent, c.RefuseConsent),
    f.NPPAction: (c.Activate, c.Sail, c.PlaceMinor, c.Done),
    f.Renewal: (c.RenewAlliance, c.LetLapse, c.GoFirst),
    f.Surrendering: (c.Surrender, c.Besiege, c.Subjugate, c.Liberate, c.Done, c.NameDecider),
    f.Reinforcing: (c.PlaceUnits, c.PlaceMinor, c.ReturnLeader, c.Done, c.NameDecider),
    f.Hindering: (c.Hinder, c.StayPut),
    f.Supporting: (c.PlaceSupport, c.RemoveMarker, c.Done),
}
"""What answers each step. Answers to offers come on top: they wait beside the flow."""
OFFERS: tuple[type[Command], ...] = (c.AcceptAlliance, c.DeclineAlliance, c.WithdrawOffer)
SPEECH: tuple[type[Command], ...] = (c.Talk, c.MakePromise, c.BreakPromise, c.Give)
"""Said at any time; they answer nothing and are never in a list of choices."""
PARTS: tuple[type[Command], ...] = (
    c.Attack,
    c.EndMovement,
    c.PassThrough,
    c.TakeControl,
    c.RemoveUnits,
    c.JoinForces,
)
"""Parts of what other commands bring about: the desk is asked about them, nobody gives them in a game."""


class Universe:
    """The commands of one position, over all parameters or, where these multiply, over many of them."""

    def __init__(self, state: State, rng: random.Random) -> None:
        self.state = state
        self.rng = rng
        self.powers = range(IND)
        self.spaces = range(len(state.owner))
        occupied = {s for s in self.spaces if state.forces[s]} | {at for at in state.leader_at if at >= 0}
        self.near = sorted(occupied)
        self.some = sorted({*rng.sample(range(len(state.owner)), 3), *self.near})
        held = sorted({card for hand in state.hands for card in hand if card >= 0})
        self.cards = [NONE, *held, rng.randrange(len(state.world.cards))]

    def first(self, power: int) -> bool:
        """Is the power the first of its player's? It stands for him in what a player, not a power, does."""
        seat = self.state.controller[power]
        return seat == NONE or self.state.powers_of(seat)[0] == power

    def armies(self, power: int) -> Iterator[tuple[int, int, int]]:
        """(leader, space, count): where the leader stands and elsewhere, all counts and one too many."""
        state = self.state
        for leader in range(len(state.leader_at)):
            at = state.leader_at[leader]
            if at < 0 and self.rng.random() < 0.9:
                continue
            for space in {at if at >= 0 else self.rng.choice(self.spaces), self.rng.choice(self.spaces)}:
                force = state.force(power, space)
                for count in range(min(11, force.outside + force.inside + 1) + 1):
                    yield leader, space, count

    def ways(self) -> Iterator[tuple[int, int]]:
        """(start, to): from where somebody stands to whatever is at most two steps away, and anywhere."""
        board = self.state.world.board
        for start in self.near:
            beside = {way.to for way in board.neighbours[start]}
            further = {way.to for one in beside for way in board.neighbours[one]}
            for to in {start, *beside, *further, self.rng.choice(self.spaces)}:
                yield start, to

    def commands(self, kind: type) -> Iterator[Command]:
        """Every command of one type."""
        state, powers, spaces = self.state, self.powers, self.spaces
        if kind in (c.ProposeAlliance, c.WithdrawOffer):
            yield from (kind(a, b) for a in (*powers, IND) for b in (*powers, IND))
        elif kind in (c.AcceptAlliance, c.DeclineAlliance, c.RenewAlliance, c.LetLapse, c.Consent, c.RefuseConsent):
            yield from (kind(a, b) for a in powers for b in powers)
        elif kind is c.BreakAlliance:
            yield from (c.BreakAlliance(a, b) for a in powers for b in powers)
        elif kind in (c.Pass, c.Done, c.Halt, c.StayPut):
            player = isinstance(state.frames[-1], (f.Activation, f.Campaign, f.Supporting))
            yield from (kind(power) for power in powers if not player or self.first(power))
        elif kind in (c.PayPoint, c.Step, c.Besiege, c.Subjugate, c.Liberate, c.Surrender, c.PlaceUnits):
            yield from (kind(power, space) for power in powers for space in spaces)
        elif kind in (c.PlaceSupport, c.RemoveMarker, c.RemoveSupport):
            by = "battle" if isinstance(state.frames[-1], f.Spoils) else "card"
            yield from (kind(power, space, by=by) for power in powers for space in spaces)
        elif kind is c.GoInside:
            yield from (c.GoInside(power, space, n) for power in powers for space in self.some for n in range(5))
        elif kind is c.GoFirst:
            yield from (c.GoFirst(a, b) for a in powers for b in powers if self.first(a) and self.first(b))
        elif kind is c.NameDecider:
            yield from (
                c.NameDecider(power, npp, seat)
                for power in powers
                if self.first(power)
                for npp in powers
                for seat in range(len(SEATS))
            )
        elif kind in (c.PlaceMinor, c.ReturnLeader):
            leaders = range(len(state.leader_at))
            yield from (kind(p, leader, s) for p in powers for leader in leaders for s in self.some)
        elif kind is c.PlayEvent:
            where = (NONE, *self.some)
            for power, card in itertools.product(powers, self.cards):
                own = state.world.cards[card].effect if card >= 0 else "harm"
                for effect in {own, self.rng.choice(EFFECTS)}:
                    for target in (*powers, IND):
                        places = where if effect in IN_A_PLACE else (NONE,)
                        yield from (c.PlayEvent(power, effect, target, space, card) for space in places)
        elif kind is c.PlayValue:
            for power, card in itertools.product(powers, self.cards):
                yield from (c.PlayValue(power, card, "units", space) for space in (NONE, *self.some))
                if self.first(power):
                    yield c.PlayValue(power, card, "support")
        elif kind is c.ActivateNPP:
            for power, card, npp in itertools.product(filter(self.first, powers), self.cards, powers):
                yield c.ActivateNPP(power, npp, "leader", card=card)
                for action in ("units", "support"):
                    yield from (c.ActivateNPP(power, npp, action, space, card=card) for space in (NONE, *spaces))
        elif kind is c.Activate:
            for power in powers:
                for leader, space, count in self.armies(power):
                    yield from (c.Activate(power, leader, space, count, card) for card in self.cards)
        elif kind is c.Sail:
            ports = [space for space in spaces if state.world.board.ports[space]]
            for power in powers:
                for leader, space, count in self.armies(power):
                    for card in self.cards:
                        goals = {*self.rng.sample(ports, 3), self.rng.choice(spaces)}
                        yield from (c.Sail(power, leader, count, space, to, card) for to in goals)
        elif kind is c.Intercept:
            at = [frame.space for frame in state.frames if isinstance(frame, f.Interceptions)]
            for space in {*at, self.rng.choice(spaces)}:
                for start in (NONE, *spaces):
                    yield from (c.Intercept(a, b, space, start) for a in powers for b in powers)
        elif kind in (c.AvoidBattle, c.Retreat):
            yield from (kind(power, start, to) for power in powers for start, to in self.ways())
        elif kind is c.Hinder:
            yield from (c.Hinder(a, b, card) for a in powers for b in powers for card in self.cards)
        elif kind is c.Flank:
            board = state.world.board
            for power, ally in itertools.product(powers, powers):
                for start, to in self.ways():
                    force = state.force(ally, start).outside
                    for way in board.neighbours[to]:
                        for count in {force, self.rng.randrange(5)}:
                            yield c.Flank(power, ally, start, to, count, way.to)
        else:
            raise NotImplementedError(kind)

    def answers(self, most: int = 2500) -> Iterator[Command]:
        """Every command that might answer the topmost step, or an offer; of each type so many at the most."""
        frame = self.state.frames[-1]
        for kind in (*ANSWERS[type(frame)], *OFFERS):
            found = list(self.commands(kind))
            yield from self.rng.sample(found, most) if len(found) > most else found
