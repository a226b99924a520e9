"""Every command that could answer what is awaited, written down without the engine's lists of candidates."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

from foedus.games.sword_of_rome import commands as c
from foedus.games.sword_of_rome import frames as f
from foedus.games.sword_of_rome.cards import AIMED, EFFECTS, IN_A_PLACE
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
        c.BeginEvent,
        c.PlayValue,
        c.ActivateNPP,
        c.Activate,
        c.Sortie,
        c.GiveUpPlunder,
        c.RaiseUnrest,
        c.Hire,
        c.PlaceMinor,
    ),
    f.NamingFirst: (c.NameChooser, c.NameFirst),
    f.OrderingTied: (c.GoNext,),
    f.KeepingLeaders: (c.KeepLeader, c.DismissLeader, c.PayLoyalty),
    f.Drawing: (c.Discard, c.KeepCards),
    f.Swapping: (c.Discard, c.KeepCards),
    f.Aiming: (c.PlayEvent, c.Done),
    f.Responding: (c.Respond, c.NoResponse),
    f.DesperateWindow: (c.UseDesperate, c.KeepDesperate),
    f.LastDesperate: (c.UseDesperate, c.KeepDesperate),
    f.DesperateUse: (c.DesperateFor,),
    f.PayingBreak: (c.PayPoint,),
    f.Mustering: (c.SendUnits, c.NameDecider),
    f.FlankSize: (c.SendUnits,),
    f.Marching: (
        c.Step,
        c.Halt,
        c.Besiege,
        c.Subjugate,
        c.Liberate,
        c.PickUp,
        c.Drop,
        c.TakeLeader,
        c.LeaveLeader,
        c.SailOn,
        c.AskPassage,
        c.AttackUnrest,
        c.Pursue,
        c.FoundColony,
        c.Raid,
        c.NameDecider,
    ),
    f.Interceptions: (c.Intercept, c.StayPut, c.NameDecider),
    f.Gates: (c.ComeOut, c.GoInside, c.StayPut, c.NameDecider),
    f.Intercepting: (c.Intercept, c.StayPut, c.OrderInterception, c.NameDecider),
    f.Challenged: (c.RefuseBattle, c.AcceptBattle, c.LetGo, c.HoldFast, c.NameDecider),
    f.Attacked: (c.AvoidBattle, c.AvoidBySea, c.AskPassage, c.StayPut, c.LetGo, c.HoldFast, c.NameDecider),
    f.Bribing: (c.Bribe, c.NoBribe),
    f.BattleCards: (c.PlayInBattle, c.NoBattleCard),
    f.Falling: (c.Loot, c.Keep, c.NameDecider),
    f.Retreating: (c.Retreat, c.AskPassage, c.Done, c.NameDecider),
    f.Spoils: (c.SpendOnUnrest, c.TakePlunder, c.PlaceSupport, c.RemoveMarker, c.RemoveSupport, c.Done, c.NameDecider),
    f.Campaign: (c.Sortie, c.Activate, c.Flank, c.Done),
    f.AskConsent: (c.Consent, c.RefuseConsent),
    f.NPPAction: (c.Sortie, c.Activate, c.PlaceMinor, c.Done),
    f.Renewal: (c.RenewAlliance, c.LetLapse, c.GoFirst),
    f.Surrendering: (c.Surrender, c.Besiege, c.Subjugate, c.Liberate, c.Done, c.NameDecider),
    f.Reinforcing: (c.PlaceUnits, c.PlaceMinor, c.ReturnLeader, c.Done, c.NameDecider),
    f.Hindering: (c.Hinder, c.StayPut),
    f.AtSea: (),
    f.Carrying: (c.Carry, c.StayPut),
    f.ComingHome: (c.GoHome,),
    f.Hiring: (c.PlaceHired,),
    f.Dismissing: (c.Dismiss,),
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

    def paths(self, start: int) -> Iterator[tuple[int, ...]]:
        """Every way of two to four steps that enters no space twice."""
        edge: list[tuple[int, ...]] = [(start,)]
        for _ in range(4):
            edge = [(*path, way.to) for path in edge for way in self.state.world.board.neighbours[path[-1]]]
            edge = [path for path in edge if path[-1] not in path[:-1]]
            yield from (path[1:] for path in edge if len(path) > 2)

    def commands(self, kind: type) -> Iterator[Command]:
        """Every command of one type."""
        state, powers, spaces = self.state, self.powers, self.spaces
        if kind in (c.ProposeAlliance, c.WithdrawOffer):
            yield from (kind(a, b) for a in (*powers, IND) for b in (*powers, IND))
        elif kind in (c.AcceptAlliance, c.DeclineAlliance, c.RenewAlliance, c.LetLapse, c.Consent, c.RefuseConsent):
            yield from (kind(a, b) for a in powers for b in powers)
        elif kind is c.BreakAlliance:
            yield from (c.BreakAlliance(a, b) for a in powers for b in powers)
        elif kind in (c.TakePlunder, c.NoBribe, c.SpendOnUnrest, c.AttackUnrest):
            yield from (kind(power) for power in powers)
        elif kind is c.NoBattleCard:
            yield from (kind(power) for power in powers if self.first(power))
        elif kind in (c.Bribe, c.PlayInBattle):
            own = powers if kind is c.Bribe else [power for power in powers if self.first(power)]
            yield from (kind(power, card) for power in own for card in self.cards if card >= 0)
        elif kind in (c.SailOn, c.AskPassage, c.GoHome, c.PlaceHired, c.Dismiss):
            yield from (kind(power, space) for power in powers for space in spaces)
        elif kind is c.Hire:
            yield from (c.Hire(power, NONE, card) for power in powers for card in self.cards)
        elif kind is c.RaiseUnrest:
            yield from (c.RaiseUnrest(power, card) for power in powers if self.first(power) for card in self.cards)
        elif kind in (c.FoundColony, c.Raid, c.Loot, c.Keep, c.GiveUpPlunder):
            yield from (kind(power, space) for power in powers for space in spaces)
        elif kind is c.Sortie:
            for power in powers:
                for leader, space, count in self.armies(power):
                    yield from (c.Sortie(power, leader, space, count, card) for card in self.cards)
        elif kind in (c.Pursue, c.RefuseBattle, c.AcceptBattle, c.LetGo, c.HoldFast):
            yield from (kind(power) for power in powers)
        elif kind in (c.PickUp, c.Drop, c.SendUnits):
            yield from (kind(power, count) for power in powers for count in range(13))
        elif kind in (c.TakeLeader, c.LeaveLeader):
            yield from (kind(power, leader) for power in powers for leader in range(len(state.leader_at)))
        elif kind is c.OrderInterception:
            yield from (kind(a, b) for a in powers for b in powers)
        elif kind in (c.Pass, c.Done, c.Halt, c.StayPut):
            player = isinstance(state.frames[-1], (f.Activation, f.Campaign, f.Supporting))
            yield from (kind(power) for power in powers if not player or self.first(power))
        elif kind in (c.PayPoint, c.Step, c.Besiege, c.Subjugate, c.Liberate, c.Surrender, c.PlaceUnits):
            yield from (kind(power, space) for power in powers for space in spaces)
        elif kind in (c.PlaceSupport, c.RemoveMarker, c.RemoveSupport):
            by = "battle" if isinstance(state.frames[-1], f.Spoils) else "card"
            yield from (kind(power, space, by=by) for power in powers for space in spaces)
            if kind is c.PlaceSupport and by == "battle":
                yield from (kind(a, space, b, by) for a in powers for b in powers if a != b for space in spaces)
        elif kind in (c.GoInside, c.ComeOut):
            yield from (kind(power, space, n) for power in powers for space in self.some for n in range(5))
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
        elif kind in (c.NameChooser, c.NameFirst, c.GoNext):
            yield from (kind(power, seat) for power in powers if self.first(power) for seat in range(len(SEATS)))
        elif kind in (c.KeepLeader, c.DismissLeader):
            yield from (kind(power, leader) for power in powers for leader in range(len(state.leader_at)))
        elif kind is c.PayLoyalty:
            yield from (kind(power, space) for power in powers for space in spaces)
        elif kind in (c.BeginEvent, c.Discard, c.Respond):
            mine = [power for power in powers if self.first(power)]
            yield from (kind(power, card) for power in mine for card in self.cards if card >= 0)
        elif kind in (c.KeepCards, c.NoResponse, c.UseDesperate):
            yield from (kind(power) for power in powers if self.first(power))
        elif kind is c.KeepDesperate:
            yield from (kind(power, turn) for power in powers if self.first(power) for turn in (0, 1))
        elif kind is c.DesperateFor:
            for power in filter(self.first, powers):
                yield from (kind(power, what) for what in ("value", "swap", "peace"))
                yield from (kind(power, "event", card) for card in self.cards)
        elif kind is c.PlayEvent:
            where = (NONE, *self.some)
            aiming = next((frame.effect for frame in state.frames[-1:] if isinstance(frame, f.Aiming)), "harm")
            for power, card in itertools.product(powers, self.cards):
                told = state.world.cards[card].effect if card >= 0 else aiming
                for effect in {told, self.rng.choice(EFFECTS)}:
                    if card >= 0 and effect in AIMED:
                        continue  # the place is said in the next step; all in one line is another way to say it
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
                    if not count:  # with how many is the next step; all in one line is another way to say it
                        yield from (c.Activate(power, leader, space, 0, card) for card in self.cards)
        elif kind is c.Intercept:
            at = [frame.space for frame in state.frames if isinstance(frame, (f.Interceptions, f.Intercepting))]
            for space in {*at, self.rng.choice(spaces)}:
                for start in (NONE, *spaces):
                    yield from (c.Intercept(a, b, space, start) for a in powers for b in powers)
                for start in self.near:
                    for a, b in itertools.product(powers, powers):
                        force = state.force(a, start)
                        for count in range(1, 12):
                            if count not in (10, force.outside, force.inside):  # all that may go is said with no number
                                yield c.Intercept(a, b, space, start, NONE, count)
        elif kind is c.AvoidBySea:
            for power, card in itertools.product(powers, self.cards):
                yield from (kind(power, start, to, card) for start in self.near for to in spaces)
        elif kind in (c.AvoidBattle, c.Retreat):
            yield from (kind(power, start, to) for power in powers for start, to in self.ways())
            if kind is c.Retreat:
                ports = [space for space in spaces if state.world.board.ports[space]]
                for power, card in itertools.product(powers, self.cards):
                    yield from (kind(power, start, to, 1, card) for start in self.near for to in ports)
                top = state.frames[-1]
                if isinstance(top, f.Retreating):
                    for path in self.paths(top.space):
                        yield from (c.Retreat(one, top.space, path[-1], path=path) for one in {top.power, powers[0]})
        elif kind in (c.Hinder, c.Carry):
            yield from (kind(a, b, card) for a in powers for b in powers for card in self.cards)
        elif kind is c.Flank:
            board = state.world.board
            for power, ally in itertools.product(powers, powers):
                for start, to in self.ways():
                    for way in board.neighbours[to]:
                        yield c.Flank(power, ally, start, to, 0, way.to)
        else:
            raise NotImplementedError(kind)

    def answers(self, most: int = 2500) -> Iterator[Command]:
        """Every command that might answer the topmost step, or an offer; of each type so many at the most."""
        frame = self.state.frames[-1]
        for kind in (*ANSWERS[type(frame)], *OFFERS):
            found = list(self.commands(kind))
            yield from self.rng.sample(found, most) if len(found) > most else found
