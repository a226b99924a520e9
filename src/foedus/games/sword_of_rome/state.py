"""The position of a game of The Sword of Rome: one flat value, with questions that rules ask of it.

Small integers: powers by `POWERS`, seats by `SEATS`, spaces by the board, leaders by the world's list. UNKNOWN marks
what a sketch or a view does not say; the questions below raise `Unknown` where the answer needs it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Annotated, Any, Final, TypeVar

import msgspec
from msgspec import Meta

from foedus.boards.board import Board
from foedus.kernel.rulebook import Rulebook
from foedus.kernel.standing import Standing
from foedus.kernel.unknown import NONE, UNKNOWN, Unknown
from foedus.kernel.values import Frame, Offer, Power, Powers, Seat, Seats, bits, kind_of, mask_of

POWERS: Final = ("ROM", "ETR", "SAM", "GRE", "GAL", "CAR", "VOL", "TRA", "MER", "IND")
ROM, ETR, SAM, GRE, GAL, CAR, VOL, TRA, MER, IND = range(10)
SEATS: Final = ("ROM", "ES", "GRE", "GAL", "CAR")
S_ROM, S_ES, S_GRE, S_GAL, S_CAR = range(5)
PHASES: Final = (
    "setup",
    "mines",
    "draw",
    "first_player",
    "action",
    "attrition",
    "surrender",
    "isolation",
    "scoring",
    "alliances",
    "reinforcement",
    "over",
)
SETUP, MINES, DRAW, FIRST_PLAYER = range(4)
ACTION, ATTRITION, SURRENDER, ISOLATION, SCORING, ALLIANCES, REINFORCEMENT, OVER = range(4, 12)
TURN_END: Final = frozenset((ATTRITION, SURRENDER, ISOLATION, SCORING, ALLIANCES, REINFORCEMENT))
# 4.4, facts 4.5: the order that settles every tie
TIE_ORDER: Final = (GAL, ETR, SAM, GRE, CAR, ROM)
SEAT_TIE_ORDER: Final = (S_GAL, S_ES, S_GRE, S_CAR, S_ROM)
NO_TREATY, ENVOYS, TREATY, TREATY_BROKEN = range(4)
TREATIES: Final = ("none", "envoys", "signed", "ended")
PLAYER_POWERS: Final = (ROM, ETR, SAM, GRE, GAL)
CITY, TRIBE, SPACE, BOX = "city", "tribe", "space", "box"

Space = Annotated[int, kind_of("space")]
Leader = Annotated[int, kind_of("leader")]
Leaders = Annotated[int, mask_of("leader")]
Card = Annotated[int, kind_of("card")]
Phase = Annotated[int, kind_of("phase")]
Treaty = Annotated[int, kind_of("treaty")]


class Force(msgspec.Struct, frozen=True, gc=False):
    """The CU of one power in one space: outside, and inside the city."""

    power: Power
    outside: int = 0
    inside: int = 0


HIDDEN: Final = (Force(UNKNOWN, UNKNOWN, UNKNOWN),)
"""The troops of a space of which nothing is known."""


class Pact(msgspec.Struct, frozen=True, gc=False):
    """A formal alliance of two powers (the lower first), and when it was made (UNKNOWN in a sketch)."""

    a: Power
    b: Power
    turn: int = UNKNOWN
    round: int = UNKNOWN


class Broken(msgspec.Struct, frozen=True, gc=False):
    """An alliance that was broken this turn."""

    by: Power
    ally: Power
    turn: int
    round: int


class Promise(msgspec.Struct, frozen=True, gc=False):
    """Words between two powers, kept because they wish it; `kept` is open, kept or broken and has no effect."""

    by: Power
    to: Power
    text: str
    kept: str = "open"


@dataclass(frozen=True)
class LeaderCard:
    """What is known of a leader: whose he is, named or minor, tactics, initiative."""

    id: str
    power: int
    named: bool
    tactics: int
    initiative: int


@dataclass(frozen=True)
class CardFace:
    """A card: its effect by the catalogue, its value from 1 to 3, and in whose deck it lies so many times.

    `reach`: the non-player powers an activation serves; `powers`: whom an event may fall on (none named: anybody it
    makes sense for); `amount`: how many points, CU or pips; `players`: with how many players it is in the deck (none
    named: always). `named`: Desperate Times may fetch it.
    """

    id: str
    effect: str
    value: int
    seat: int = NONE
    copies: int = 1
    amount: int = 1
    reach: tuple[int, ...] = ()
    powers: tuple[int, ...] = ()
    players: tuple[int, ...] = ()
    reshuffle: bool = False
    remove: bool = False
    named: bool = False
    said: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, eq=False)
class World:
    """What stays fixed while a game is played. Compared by identity; states share it."""

    board: Board
    players: int
    rulebook: Rulebook
    leaders: tuple[LeaderCard, ...]
    cards: tuple[CardFace, ...]
    tables: Mapping[str, Any]
    leader_names: tuple[str, ...] = ()
    scenarios: Mapping[str, Any] = field(default_factory=dict)
    deck: str = "own"
    make_referee: Callable[[World], Any] | None = None
    space_words: Sequence[Any] = ()
    """how the spaces are called, where the board is not the built-in one"""
    off: frozenset[str] = frozenset()
    cache: dict[Any, Any] = field(default_factory=dict, repr=False)
    """what chapters work out once for this world, such as lists of candidates"""

    def without(self, clauses: frozenset[str]) -> World:
        """The same world with clauses knocked out."""
        return replace(self, off=clauses, cache={})

    @cached_property
    def referee(self) -> Any:
        """The referee whom the flow asks what is allowed, with the clauses knocked out that this world leaves out."""
        assert self.make_referee is not None
        return self.make_referee(self)

    @cached_property
    def names(self) -> Mapping[str, Sequence[str]]:
        """The names that stand on disk and on the wire, by kind."""
        return {
            "power": POWERS,
            "actor": POWERS,
            "seat": SEATS,
            "space": tuple(space.name("en") for space in self.board.spaces),
            "leader": self.leader_names,
            "card": tuple(card.id for card in self.cards),
            "phase": PHASES,
            "treaty": TREATIES,
            "ruling": tuple(ruling.name for ruling in self.rulebook.rulings),
        }

    def may_exist(self, space: Any) -> bool:
        """Does a space of the board exist with this number of players? Those of the Gauls do not with three."""
        if self.players == 3 and space.home in ("GAL", "TRA"):
            return False
        return not space.players or self.players in space.players

    @cached_property
    def existing(self) -> tuple[bool, ...]:
        """By space: does it exist with this number of players?"""
        return tuple(self.may_exist(space) for space in self.board.spaces)

    @cached_property
    def spoken(self) -> Mapping[str, Sequence[Any]]:
        """The names that this world has of its own: of the cards where a table plays with its own deck, of the spaces
        on its own board."""
        found: dict[str, Sequence[Any]] = {}
        if self.deck not in ("own", "plain", "none"):
            found["card"] = [{language: {"nom": name} for language, name in card.said} for card in self.cards]
        if self.space_words:
            found["space"] = self.space_words
        return found

    @cached_property
    def decks(self) -> tuple[tuple[int, ...], ...]:
        """The whole deck of each seat, every copy of a card by itself, as if nothing had been drawn yet."""
        plain = self.deck == "plain"
        return tuple(
            tuple(
                index
                for index, card in enumerate(self.cards)
                if card.seat == (NONE if plain else seat) and (not card.players or self.players in card.players)
                for _ in range(card.copies)
            )
            for seat in range(len(SEATS))
        )

    @cached_property
    def seats(self) -> tuple[int, ...]:
        """The seats in play, in the order of `SEATS`."""
        return {
            2: (S_ROM, S_ES, S_GRE, S_GAL),
            3: (S_ROM, S_ES, S_GRE),
            4: (S_ROM, S_ES, S_GRE, S_GAL),
            5: (S_ROM, S_ES, S_GRE, S_GAL, S_CAR),
        }[self.players]

    @cached_property
    def controller(self) -> tuple[int, ...]:
        """Who plays each power at the start: a seat, NONE for a non-player power or one that is out of play."""
        table = [NONE] * len(POWERS)
        table[ROM], table[ETR], table[SAM], table[GRE] = S_ROM, S_ES, S_ES, S_GRE
        if self.players != 3:
            table[GAL] = S_GAL
        if self.players == 5:
            table[CAR] = S_CAR
        return tuple(table)

    @cached_property
    def npps(self) -> tuple[int, ...]:
        """The non-player powers of this number of players (facts, Powers by number of players)."""
        return {2: (CAR, VOL, TRA), 3: (CAR, VOL), 4: (CAR, VOL, TRA), 5: (VOL, TRA, MER)}[self.players]

    @cached_property
    def powers(self) -> tuple[int, ...]:
        """The powers in play, with a player and without."""
        return tuple(power for power in range(IND) if self.controller[power] != NONE or power in self.npps)

    @cached_property
    def home(self) -> tuple[int, ...]:
        """Whose home region each space lies in: a power, or IND."""
        return tuple(IND if code is None else POWERS.index(code) for code in self.board.home)

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        """The kind of each space: space, city, tribe or box."""
        return tuple(space.kind for space in self.board.spaces)

    @cached_property
    def reinforcement_spaces(self) -> int:
        """The reinforcement spaces (mask) of the board."""
        return self.board.having("reinforce")

    @cached_property
    def victory_spaces(self) -> tuple[int, ...]:
        """The victory spaces with this number of players."""
        return bits(self.board.having("victory", self.players))

    @cached_property
    def anchors(self) -> int:
        """The spaces (mask) that anchor a link of control by what they are (facts 5.5)."""
        found = self.board.port_mask | self.reinforcement_spaces
        for space, kind in enumerate(self.kinds):
            if kind in (CITY, TRIBE):
                found |= 1 << space
        return found

    @cached_property
    def leaders_of(self) -> tuple[tuple[int, ...], ...]:
        """The leaders of each power."""
        return tuple(
            tuple(i for i, leader in enumerate(self.leaders) if leader.power == power) for power in range(len(POWERS))
        )

    @cached_property
    def leader_powers(self) -> tuple[int, ...]:
        """Whose each leader is."""
        return tuple(leader.power for leader in self.leaders)

    @cached_property
    def minors(self) -> frozenset[int]:
        """The minor leaders."""
        return frozenset(i for i, leader in enumerate(self.leaders) if not leader.named)

    @cached_property
    def options(self) -> tuple[tuple[str, ...], ...]:
        """The options of each ruling."""
        return tuple(ruling.options for ruling in self.rulebook.rulings)

    @cached_property
    def ruling_index(self) -> Mapping[str, int]:
        """Where each ruling's option stands in a state's `rulings`."""
        return self.rulebook.ruling_index


class State(msgspec.Struct, frozen=True, gc=False):
    """The position. `allies` counts every kind of alliance (formal, the Etruscans and Samnites, the passing one of
    16.1.2, the treaty of 18.0); `pacts` only the formal ones; `formal` is the same as masks. `unsure` marks the
    pairs of which a sketch says nothing.
    """

    world: Annotated[World, Meta(extra={"hidden": True})]
    rulings: tuple[int, ...]
    turn: int
    round: int
    phase: Phase
    active: Seat
    order: tuple[Seat, ...]
    controller: tuple[Seat, ...]
    vp: tuple[int, ...]
    pacts: tuple[Pact, ...]
    formal: tuple[Powers, ...]
    allies: tuple[Powers, ...]
    unsure: tuple[Powers, ...]
    owner: tuple[Power, ...]
    loyalty: tuple[int, ...]
    besieged_by: tuple[Power, ...]
    siege_points: tuple[int, ...]
    forces: tuple[tuple[Force, ...], ...]
    leader_at: tuple[Space, ...]
    leader_inside: int
    besieging: tuple[Powers, ...]
    support: tuple[int, ...]
    hands: tuple[tuple[Card, ...], ...] = ()
    discards: tuple[tuple[Card, ...], ...] = ()
    activated: Powers = 0
    acting_npp: Power = NONE
    activator: Seat = NONE
    treaty: Treaty = NO_TREATY
    unrest: int = 0
    offers: tuple[Offer, ...] = ()
    activation: int = 0
    broken: tuple[Broken, ...] = ()
    promises: tuple[Promise, ...] = ()
    named: tuple[Seat, ...] = (NONE,) * len(POWERS)
    rolled_siege: int = 0
    displaced: int = 0
    frames: tuple[Frame, ...] = ()
    sketched: bool = False
    colonies: Annotated[int, mask_of("space")] = 0
    plunder: int = 0
    bribed: Powers = 0
    """the powers whose CU an Etruscan army on its way is passing by a bribe (facts 7.8)"""
    bought: Annotated[int, mask_of("space")] = 0
    """the spaces whose CU took a bribe in this activation, and intercept no Etruscans"""
    out: Seats = 0
    lost: Leaders = 0
    commanders: Leaders = 0
    """The leaders who took command of the army they stand with (facts 8.2)."""
    appian_way: int = 0
    """1 once the Appian Way is built (facts 2.2)."""
    depleted: bool = False
    ranking: tuple[Seat, ...] = ()
    winners: tuple[Seat, ...] = ()
    duoviri: int = 0
    """1 once Rome's Duoviri Navales were played: it has ships from then on (facts 9.7)."""
    levies: tuple[tuple[Space, int], ...] = ()
    """By space, Carthage's CU that are no regulars: citizen militia (two to four players), mercenaries (five)."""
    fallen: int = 0
    """1 once Greek CU have taken Carthago: Carthage is out of the game (facts 17.7)."""
    removed: tuple[tuple[Card, ...], ...] = ()
    reshuffle: Seats = 0
    desperate: tuple[int, ...] = ()
    waived: Seats = 0
    dealt: bool = False
    """The cards are here: hands are drawn by the program, not told."""
    standing: tuple[Standing, ...] = ()
    """What powers have said beforehand, the newest first; each is seen by its own seat only"""

    # rulings and clauses

    @property
    def off(self) -> frozenset[str]:
        """The clauses that are knocked out."""
        return self.world.off

    def ruling(self, name: str) -> str:
        """The option in force of a ruling."""
        world = self.world
        index = world.ruling_index[name]
        return world.options[index][self.rulings[index]]

    # powers and players

    @property
    def seats(self) -> tuple[int, ...]:
        """The seats that are still in the game (facts 5.7), in the order of `SEATS`."""
        return tuple(s for s in self.world.seats if not self.out >> s & 1) if self.out > 0 else self.world.seats

    def seat_of(self, power: int) -> int:
        """The seat that plays a power; NONE for a non-player power."""
        return self.controller[power]

    def powers_of(self, seat: int) -> tuple[int, ...]:
        """The powers a seat plays."""
        key = ("powers of", self.controller, seat)
        found: tuple[int, ...] | None = self.world.cache.get(key)
        if found is None:
            found = tuple(power for power, holder in enumerate(self.controller) if holder == seat)
            self.world.cache[key] = found
        return found

    def is_npp(self, power: int) -> bool:
        """Is it a non-player power (16)?"""
        return self.controller[power] == NONE and power != IND

    def active_seat(self) -> int:
        """The active player's seat, or NONE. Raises `Unknown`."""
        if self.active == UNKNOWN:
            raise Unknown("active", (), (NONE, *self.world.seats))
        return self.active

    def is_active(self, power: int) -> bool:
        """Is the power's player the active one?"""
        return self.active_seat() == self.controller[power] != NONE

    def vp_of(self, seat: int) -> int:
        """The victory points of a seat. Raises `Unknown`."""
        points = self.vp[seat]
        if points == UNKNOWN:
            raise Unknown("vp", (("seat", seat),), ())
        return points

    # alliances

    def are_allied(self, a: int, b: int) -> bool:
        """Are the two powers allied in any way, now? Raises `Unknown`."""
        if self.allies[a] >> b & 1:
            return True
        if self.unsure[a] >> b & 1:
            raise Unknown("allied", (("power", min(a, b)), ("ally", max(a, b))), (0, 1))
        return False

    def friends(self, a: int, b: int) -> bool:
        """The same power, or an ally of it."""
        return a == b or self.are_allied(a, b)

    def pact(self, a: int, b: int) -> Pact | None:
        """The formal alliance of the two powers, if there is one. Raises `Unknown`."""
        if not self.formal[a] >> b & 1:
            if self.unsure[a] >> b & 1:
                raise Unknown("allied", (("power", min(a, b)), ("ally", max(a, b))), (0, 1))
            return None
        low, high = (a, b) if a < b else (b, a)
        for pact in self.pacts:
            if pact.a == low and pact.b == high:
                return pact
        return Pact(low, high)  # assumed, not told

    # spaces

    def owner_of(self, space: int) -> int:
        """Who controls a space: a power, or IND. Raises `Unknown`."""
        owner = self.owner[space]
        if owner == UNKNOWN:
            raise Unknown("owner", (("space", space),), (*powers_there_are(self), IND))
        return owner

    def loyalty_of(self, space: int) -> int:
        """The loyalty of a city. Raises `Unknown`."""
        loyalty = self.loyalty[space]
        if loyalty == UNKNOWN:
            raise Unknown("loyalty", (("space", space),), (1, 2, 3))
        return loyalty

    def troops(self, space: int) -> tuple[Force, ...]:
        """Whose CU stand in a space. Raises `Unknown`."""
        forces = self.forces[space]
        if forces and forces[0].power == UNKNOWN:
            raise Unknown("troops", (("space", space),), _troop_options(self, space))
        return forces

    def known_troops(self, space: int) -> bool:
        """Is it known whose CU stand in the space?"""
        forces = self.forces[space]
        return not (forces and forces[0].power == UNKNOWN)

    def force(self, power: int, space: int) -> Force:
        """The CU of a power in a space (none: a force of zero). Raises `Unknown`."""
        for force in self.troops(space):
            if force.power == power:
                return force
        return Force(power)

    def leaders_in(self, space: int, power: int = UNKNOWN) -> tuple[int, ...]:
        """The leaders in a space, of one power or of all."""
        leader_at = self.leader_at
        if space not in leader_at:
            return ()
        powers = self.world.leader_powers
        found = []
        leader = -1
        for _ in range(leader_at.count(space)):
            leader = leader_at.index(space, leader + 1)
            if power in (UNKNOWN, powers[leader]):
                found.append(leader)
        return tuple(found)

    def besieger(self, space: int) -> int:
        """Who besieges or subjugates a space, or NONE. Raises `Unknown`."""
        power = self.besieged_by[space]
        if power == UNKNOWN:
            raise Unknown("besieger", (("space", space),), (NONE, *powers_there_are(self)))
        return power

    def points_of(self, space: int) -> int:
        """The siege or subjugation points on a space. Raises `Unknown`."""
        points = self.siege_points[space]
        if points == UNKNOWN:
            raise Unknown("points", (("space", space),), ())
        return points

    def is_home_of(self, space: int, power: int) -> bool:
        """Does the space lie in the power's home region?"""
        return self.world.home[space] == power

    def present(self, space: int, power: int) -> bool:
        """Has the power CU or leaders in the space? Raises `Unknown`."""
        return any(force.power == power for force in self.troops(space)) or bool(self.leaders_in(space, power))

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kind of each space; a Roman colony is a city (facts 7.7)."""
        return kinds_with(self.world, self.colonies) if self.colonies else self.world.kinds

    def kind(self, space: int) -> str:
        """The kind of the space; a tribe that was subjugated is a space (facts 2.1)."""
        kind = self.kinds[space]
        return SPACE if kind == TRIBE and self.owner_of(space) != IND else kind

    def may_enter(self, space: int) -> bool:
        """Does the space exist with this number of players?"""
        return self.world.existing[space]


def kinds_with(world: World, colonies: int) -> tuple[str, ...]:
    """The kind of each space where these (mask) are Roman colonies."""
    key = ("kinds", colonies)
    found: tuple[str, ...] | None = world.cache.get(key)
    if found is None:
        kinds = list(world.kinds)
        for space in bits(colonies):
            kinds[space] = CITY
        found = world.cache[key] = tuple(kinds)
    return found


def powers_there_are(state: State) -> tuple[int, ...]:
    """The powers that may have anything on the map: the Revolting Mercenaries only where they are in the game."""
    return tuple(power for power in range(IND) if power != MER or MER in state.world.npps)


def _troop_options(state: State, space: int) -> tuple[int, ...]:
    """Codes of what may stand in a space: 0 nobody, 1 + power outside, 101 + power inside (cities)."""
    powers = powers_there_are(state)
    outside = tuple(1 + power for power in powers)
    inside = tuple(101 + power for power in powers) if state.kinds[space] == CITY else ()
    return (0, *outside, *inside)


def masks_of(pacts: tuple[Pact, ...]) -> tuple[int, ...]:
    """The formal alliances as one mask of allies a power."""
    masks = [0] * len(POWERS)
    for pact in pacts:
        masks[pact.a] |= 1 << pact.b
        masks[pact.b] |= 1 << pact.a
    return tuple(masks)


def support_in(kind: str, loyalty: int) -> int:
    """The points of support that a controlled space is worth: a city its loyalty, a space one, a tribe none."""
    return loyalty if kind == CITY else 0 if kind in (TRIBE, BOX) else 1


def count_support(kinds: Sequence[str], owner: Sequence[int], loyalty: Sequence[int]) -> tuple[int, ...]:
    """The support of every power on spaces of these kinds; UNKNOWN for all while any space is unknown."""
    totals = [0] * len(POWERS)
    for space, power in enumerate(owner):
        if power == UNKNOWN or (kinds[space] == CITY and loyalty[space] == UNKNOWN):
            return (UNKNOWN,) * len(POWERS)
        totals[power] += support_in(kinds[space], loyalty[space])
    return tuple(totals)


def count_besieging(owner: Sequence[int], besieged_by: Sequence[int]) -> tuple[int, ...]:
    """For each power the mask of owners whose places it besieges, as far as known."""
    masks = [0] * len(POWERS)
    for space, power in enumerate(besieged_by):
        if power >= 0 and owner[space] >= 0:
            masks[power] |= 1 << owner[space]
    return tuple(masks)


T = TypeVar("T")


def kept(state: State, name: Any, key: tuple[Any, ...], make: Callable[[], T]) -> T:
    """What `make` gave for this key the last time it was asked, else what it gives now.

    For answers that hang on a few parts of the state only and are asked for again and again.
    """
    cache = state.world.cache
    last = cache.get(name)
    if last is not None and last[0] == key:
        found: T = last[1]
        return found
    made = make()
    cache[name] = (key, made)
    return made


def owner_masks(state: State) -> tuple[int, ...]:
    """For each power the spaces (mask) it controls, as far as known; behind them those of which nobody knows."""

    def make() -> tuple[int, ...]:
        masks = [0] * (len(POWERS) + 1)
        bit = 1
        for owner in state.owner:
            masks[owner] |= bit
            bit <<= 1
        return tuple(masks)

    return kept(state, "owner masks", (state.owner,), make)


def outside_masks(state: State) -> tuple[int, ...]:
    """For each power the spaces (mask) where it has CU outside, as far as known."""
    return kept(state, "outside masks", (state.forces,), lambda: _unit_masks(state, False))


def unit_masks(state: State) -> tuple[int, ...]:
    """For each power the spaces (mask) where it has CU, outside or inside, as far as known."""
    return kept(state, "unit masks", (state.forces,), lambda: _unit_masks(state, True))


def _unit_masks(state: State, inside: bool) -> tuple[int, ...]:
    masks = [0] * (len(POWERS) + 1)
    for space, forces in enumerate(state.forces):
        for force in forces:
            if force.outside or (inside and force.inside):
                masks[force.power] |= 1 << space
    return tuple(masks)


def still_allowed(state: State, act: Any) -> bool:
    """Is an act allowed now, by all its rules? Asked by the flow, which cannot know it beforehand."""
    found: bool = state.world.referee.permitted(state, act)
    return found


def applies(state: State, clause: str) -> bool:
    """Is the clause in force? It is, unless it was knocked out to see what it does."""
    off = state.world.off
    return not off or clause not in off
