"""Random play and random positions for the properties: everything by a seed, so that a fault can be found again."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from msgspec.structs import replace

from foedus.games.sword_of_rome import commands as c
from foedus.games.sword_of_rome.events import CardsDrawn
from foedus.games.sword_of_rome.game import GAME
from foedus.games.sword_of_rome.state import IND, POWERS, SEATS, State
from foedus.kernel.dice import FastDice
from foedus.kernel.referee import Outcome, Referee, make_referee
from foedus.kernel.sketch import SketchError
from foedus.kernel.unknown import NONE
from foedus.kernel.values import Command


@cache
def referee_for(players: int) -> Referee:
    """The referee of so many players on the built-in board."""
    return make_referee(GAME, players)


def random_rulings(referee: Referee, rng: random.Random, share: float = 0.15) -> dict[str, str]:
    """Some rulings settled otherwise than by default."""
    return {ruling.name: rng.choice(ruling.options) for ruling in referee.game.rulebook.rulings if rng.random() < share}


def dealt(state: State, rng: random.Random, most: int = 5) -> State:
    """The position with cards in the hands, as drawn."""
    if not state.hands:
        state = replace(state, hands=((),) * len(SEATS))
    for seat in state.world.seats:
        drawn = tuple(sorted(rng.randrange(len(state.world.cards)) for _ in range(rng.randint(2, most))))
        state = CardsDrawn(seat, drawn).apply(state)
    return state


def short_name(referee: Referee, leader: int) -> str:
    """A leader's name as it stands after his power's code in a sketch."""
    world = referee.world
    name: str = world.leader_names[leader]
    return name.removeprefix(f"{POWERS[world.leaders[leader].power]} ")


def random_sketch(referee: Referee, rng: random.Random) -> dict[str, Any]:
    """The data of a position: armies beside each other, garrisons, sieges, alliances, hands, a step under way."""
    world = referee.world
    board = world.board
    data: dict[str, Any] = {"game": "sword_of_rome", "players": world.players, "elsewhere": "home"}
    rulings = random_rulings(referee, rng, rng.choice((0.0, 0.1, 0.4)))
    if rulings:
        data["rulings"] = rulings
    data["turn"], data["round"] = rng.randint(1, 9), rng.randint(1, 5)
    data["vp"] = {SEATS[seat]: rng.randint(3, 8) for seat in world.seats}
    phase = rng.choice(("action",) * 7 + ("attrition", "surrender", "isolation", "alliances", "reinforcement"))
    data["phase"] = phase
    active = rng.choice(world.seats)
    data["active"] = SEATS[active] if phase == "action" else "none"
    treaty = world.players != 5 and rng.random() < 0.2
    if treaty:
        data["treaty"] = rng.choice(("envoys", "signed", "ended"))
    players = [power for power in range(IND) if world.controller[power] != NONE]
    density = rng.choice((0.15, 0.4, 0.7))
    pacts = []
    for i, a in enumerate(players):
        for b in players[i + 1 :]:
            both = {POWERS[a], POWERS[b]}
            barred = both == {"ETR", "SAM"} or (treaty and both == {"ROM", "GRE"})
            if not barred and rng.random() < density:
                pacts.append((a, b))
    data["alliances"] = [
        {"pair": f"{POWERS[a]}-{POWERS[b]}", "turn": 1, "round": 1}
        if rng.random() < 0.3
        else f"{POWERS[a]}-{POWERS[b]}"
        for a, b in pacts
    ]
    allied = {frozenset(pair) for pair in pacts} | {frozenset({1, 2})}
    data["spaces"] = _spaces(referee, rng, allied)
    data["hands"] = {
        SEATS[seat]: [rng.choice(world.cards).id for _ in range(rng.randint(1, 5))] for seat in world.seats
    }
    if rng.random() < 0.3:
        data["activated"] = [POWERS[rng.choice(world.npps)]]
    if rng.random() < 0.3:
        a, b = rng.sample(players, 2)
        data["promises"] = [{"by": POWERS[a], "to": POWERS[b], "text": "no war this turn"}]
    if rng.random() < 0.2 and phase == "action":
        a, b = rng.sample(players, 2)
        if frozenset({a, b}) not in allied and world.controller[a] == active:
            data["offers"] = [f"{POWERS[a]}-{POWERS[b]}"]
    assert board.spaces
    return data


def _spaces(referee: Referee, rng: random.Random, allied: set[frozenset[int]]) -> dict[str, Any]:
    world = referee.world
    board = world.board
    names = world.names["space"]
    powers = [power for power in range(IND) if world.controller[power] != NONE] + list(world.npps)
    leaders = {power: list(world.leaders_of[power]) for power in powers}
    existing = [i for i, space in enumerate(board.spaces) if world.may_exist(space) and space.kind != "box"]
    spaces: dict[str, Any] = {}
    centre = rng.choice(existing)
    cluster = {centre}
    for _ in range(3):
        cluster |= {way.to for at in list(cluster) for way in board.neighbours[at] if way.to in existing}
    near = sorted(cluster)
    wide = rng.random() < 0.3
    for _ in range(rng.randint(6, 18)):
        at = rng.choice(existing if wide else near)
        if names[at] in spaces:
            continue
        facts: dict[str, Any] = {}
        kind = world.kinds[at]
        owner = POWERS.index(board.spaces[at].start)
        if rng.random() < 0.4:
            owner = rng.choice([*powers, IND]) if kind != "box" else owner
            facts["owner"] = POWERS[owner]
        if kind == "city" and owner != IND and rng.random() < 0.5:
            facts["loyalty"] = rng.randint(1, 1 if POWERS[owner] in ("GAL", "TRA") else 3)
        forces: list[str] = []
        power = rng.choice(powers)
        count = rng.choice((1, 2, 3, 3, 4, 6, 9))

        def named(whose: int, chance: float = 0.7) -> str:
            left = leaders.get(whose)
            if not left or rng.random() >= chance:
                return ""
            return f" {short_name(referee, left.pop(rng.randrange(len(left))))}"

        if rng.random() < 0.85:
            forces.append(f"{POWERS[power]} {count}{named(power)}")
            if kind in ("city", "tribe") and owner != power and frozenset({owner, power}) not in allied:
                if kind == "city" or owner == IND:
                    points = rng.randint(0, 1)
                    if kind == "city" and facts.get("loyalty", 1) == 1:
                        points = 0  # with a point it would have fallen
                    facts["siege"] = {"by": POWERS[power], "points": points}
                else:
                    facts["siege"] = "none"
            guest = rng.choice(powers)
            if frozenset({guest, power}) in allied and rng.random() < 0.15:
                forces.append(f"{POWERS[guest]} {rng.randint(1, 3)}{named(guest)}")
        if kind == "city" and owner != IND and rng.random() < 0.5:
            inside = owner
            if rng.random() < 0.25:
                friends = [p for p in powers if frozenset({p, owner}) in allied]
                inside = rng.choice(friends) if friends else owner
            told = f"{POWERS[inside]} {rng.randint(1, 3)}{named(inside, 0.4)} inside"
            forces.append(told)
        if forces or rng.random() < 0.5:
            facts["forces"] = forces
        if facts:
            spaces[names[at]] = facts
    return spaces


def sketched(referee: Referee, rng: random.Random) -> tuple[dict[str, Any], State]:
    """A random sketch that holds together, and its position."""
    for _ in range(200):
        data = random_sketch(referee, rng)
        try:
            state: State = referee.sketch(data)
        except SketchError:
            continue
        return data, state
    raise AssertionError("no sketch holds together")


def arena(referee: Referee, rng: random.Random) -> State:
    """Two armies beside each other with ground to retreat to, others that may join in, and cards to march with."""
    world = referee.world
    board = world.board
    names = world.names["space"]
    powers = [power for power in range(IND) if world.controller[power] != NONE]
    attacker = rng.choice(powers)
    foes = [power for power in (*powers, *world.npps) if world.controller[power] != world.controller[attacker]]
    while True:
        foe = rng.choice(foes)
        home = [i for i, space in enumerate(board.spaces) if world.home[i] == foe and world.may_exist(space)]
        at = rng.choice(home or range(len(names)))
        ways = [way for way in board.neighbours[at] if world.may_exist(board.spaces[way.to])]
        if len(ways) > 2 and board.spaces[at].kind != "box":
            break
    start, *others = rng.sample([way.to for way in ways], min(3, len(ways)))
    leader = {power: rng.choice(world.leaders_of[power]) for power in (attacker, foe)}

    def army(power: int, count: int) -> str:
        return f"{POWERS[power]} {count} {short_name(referee, leader[power])}"

    spaces: dict[str, Any] = {
        names[at]: {"forces": [army(foe, rng.randint(3, 9))]},
        names[start]: {"owner": POWERS[rng.choice((attacker, foe))], "forces": [army(attacker, rng.randint(4, 10))]},
    }
    for other in others:
        if rng.random() < 0.5:
            third = rng.choice([power for power in (*powers, *world.npps) if power not in (attacker, foe)])
            named = short_name(referee, rng.choice(world.leaders_of[third]))
            if not any(named in told for one in spaces.values() for told in one["forces"]):
                spaces[names[other]] = {"forces": [f"{POWERS[third]} {rng.randint(1, 5)} {named}"]}
    for one in spaces.values():
        one["siege"] = "none"
    seat = world.controller[attacker]
    data = {
        "players": world.players,
        "elsewhere": "home",
        "rulings": random_rulings(referee, rng, 0.1),
        "turn": 2,
        "round": 1,
        "phase": "action",
        "active": SEATS[seat],
        "vp": {SEATS[one]: rng.randint(5, 6) for one in world.seats},
        "alliances": [],
        "spaces": spaces,
        "hands": {SEATS[one]: ["three", "activation", "campaign", "three", "two"] for one in world.seats},
    }
    try:
        state: State = referee.sketch(data)
    except SketchError:
        return arena(referee, rng)
    return replace(state, sketched=False)


def position(players: int, seed: int) -> State:
    """A random position to play from: the start, that with hands, a sketch, one played as a game, a battle to come."""
    rng = random.Random(seed)
    referee = referee_for(players)
    sort = seed % 5
    if sort < 2:
        state: State = referee.start(random_rulings(referee, rng), FastDice(seed)).state
        return dealt(state, rng) if sort else state
    if sort == 4:
        return arena(referee, rng)
    _, state = sketched(referee, rng)
    return replace(state, sketched=sort == 2)


WEIGHTS: dict[type, float] = {
    c.Pass: 0.25,
    c.Done: 0.3,
    c.ProposeAlliance: 0.3,
    c.BreakAlliance: 0.3,
    c.WithdrawOffer: 0.2,
    c.Activate: 4,
    c.Step: 5,
    c.Sail: 1.5,
    c.Flank: 3,
    c.ActivateNPP: 2,
    c.PlayEvent: 1.5,
    c.Intercept: 3,
    c.AvoidBattle: 2,
    c.AcceptAlliance: 2,
    c.RenewAlliance: 2,
    c.PlaceMinor: 0.3,
}


@dataclass(frozen=True)
class Turn:
    """One step of random play."""

    before: State
    seat: int
    choices: tuple[Command, ...]
    command: Command
    outcome: Outcome

    @property
    def state(self) -> State:
        """The position after it."""
        found: State = self.outcome.state
        return found


class DeadEnd(AssertionError):
    """Somebody is awaited and has nothing to answer."""


def picked(rng: random.Random, state: State, choices: tuple[Command, ...]) -> Command:
    """One of the choices: a kind by its weight, then any of that kind."""
    kinds: dict[type, list[Command]] = {}
    for command in choices:
        kinds.setdefault(type(command), []).append(command)
    types = list(kinds)
    kind = rng.choices(types, [WEIGHTS.get(one, 1.0) for one in types])[0]
    found = kinds[kind]
    if kind is c.Step and rng.random() < 0.6:
        found = [step for step in found if isinstance(step, c.Step) and _stands(state, step)] or found
    if kind is c.Activate and rng.random() < 0.7:
        found = sorted(found, key=lambda one: -getattr(one, "count", 0))[:3]
    return rng.choice(found)


def _stands(state: State, step: c.Step) -> bool:
    """Does somebody else stand where the step goes?"""
    return any(force.power != step.power and force.outside for force in state.forces[step.to])


def play(referee: Referee, state: State, seed: int, steps: int) -> Iterator[Turn]:
    """Random play: a seat that is awaited, or one that an offer waits for, does something it may."""
    rng = random.Random(seed)
    dice = FastDice(seed)
    for _ in range(steps):
        decisions = referee.awaiting(state)
        seats = [one.seat for one in decisions]
        if not decisions or NONE in seats:
            return
        for seat in seats:
            if not referee.choices(state, seat):
                raise DeadEnd(f"seat {SEATS[seat]} of {decisions} has nothing to answer to {state.frames[-1]}")
        seat = rng.choice(seats)
        offered = [offer for offer in state.offers if state.controller[offer.to] >= 0]
        if offered and rng.random() < 0.5:
            seat = state.controller[rng.choice(offered).to]
        choices = tuple(referee.choices(state, seat))
        if not choices:
            return
        command = picked(rng, state, choices)
        outcome = referee.carry_out(state, command, dice)
        yield Turn(state, seat, choices, command, outcome)
        state = outcome.state


__all__ = ["DeadEnd", "Turn", "dealt", "play", "position", "referee_for", "sketched"]
