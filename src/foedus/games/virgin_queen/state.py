"""The position of a game of Virgin Queen: one flat value, with questions that rules ask of it.

Small integers: powers by `POWERS` (the great powers in Impulse Order, then the minor ones), seats by `SEATS`, spaces
and sea zones by the board, *places* count the spaces first and then the sea zones. UNKNOWN marks what a sketch or a
view does not say; the questions below raise `Unknown` where the answer needs it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import is_
from typing import Annotated, Any, Final, TypeVar

import msgspec
from msgspec import Meta

from foedus.boards.board import Board
from foedus.kernel.rulebook import Rulebook
from foedus.kernel.unknown import NONE, UNKNOWN, Unknown
from foedus.kernel.values import Command, Frame, Power, Powers, Seat, bits, kind_of, mask_of

POWERS: Final = ("OTT", "SPA", "ENG", "FRA", "HRE", "PRO", "IRE", "PAP", "POR", "SCO", "VEN", "IND")
OTT, SPA, ENG, FRA, HRE, PRO, IRE, PAP, POR, SCO, VEN, IND = range(12)
MAJORS: Final = (OTT, SPA, ENG, FRA, HRE, PRO)
"""The great powers, in Impulse Order (facts 1.8)."""
MINORS: Final = (IRE, PAP, POR, SCO, VEN)
EVERY: Final = (*MAJORS, *MINORS)
SEATS: Final = ("OTT", "SPA", "ENG", "FRA", "HRE", "PRO", "SF", "EP")
S_OTT, S_SPA, S_ENG, S_FRA, S_HRE, S_PRO, S_SF, S_EP = range(8)
PHASES: Final = (
    "setup",
    "draw",
    "negotiation",
    "ransom",
    "war",
    "spring",
    "action",
    "winter",
    "scoring",
    "over",
)
SETUP, DRAW, NEGOTIATION, RANSOM, WAR, SPRING, ACTION, WINTER, SCORING, OVER = range(10)
DIPLOMACY: Final = frozenset((NEGOTIATION, RANSOM, WAR))
NAVAL_KINDS: Final = ("squadrons", "galleys", "corsairs", "patrols", "armada")
SQUADRON, GALLEY, CORSAIR, PATROL, ARMADA = range(5)
LAND_KINDS: Final = ("regulars", "mercenaries", "cavalry")
REGULAR, MERCENARY, CAVALRY = range(3)
FLAGS: Final = ("sebastian", "papal_bull", "mary_captured", "mary_executed")
SEBASTIAN, PAPAL_BULL, MARY_CAPTURED, MARY_EXECUTED = range(4)
"""What has happened once and for all: Death of King Sebastian, Papal Bull, Mary of Scots captured, executed."""

Space = Annotated[int, kind_of("space")]
Place = Annotated[int, kind_of("place")]
Leader = Annotated[int, kind_of("leader")]
Leaders = Annotated[int, mask_of("leader")]
Royal = Annotated[int, kind_of("royal")]
Card = Annotated[int, kind_of("card")]
Phase = Annotated[int, kind_of("phase")]
Naval = Annotated[int, kind_of("naval")]
Land = Annotated[int, kind_of("land")]
Flags = Annotated[int, mask_of("flag")]
Spaces = Annotated[int, mask_of("space")]


class Force(msgspec.Struct, frozen=True, gc=False):
    """The land units of one power in one space."""

    power: Power
    regulars: int = 0
    mercenaries: int = 0
    cavalry: int = 0

    @property
    def units(self) -> int:
        """How many units in all."""
        return self.regulars + self.mercenaries + self.cavalry


class Fleet(msgspec.Struct, frozen=True, gc=False):
    """Naval units of one kind and owner in one place; `holder` is the power they count as: another one while lent."""

    owner: Power
    kind: Naval
    count: int
    holder: Power


HIDDEN_FORCE: Final = (Force(UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN),)
"""The land units of a space of which nothing is known."""
HIDDEN_FLEET: Final = (Fleet(UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN),)
"""The naval units of a place of which nothing is known."""


class Agreement(msgspec.Struct, frozen=True, gc=False):
    """An agreement of two or more powers: drafted by `by`, joining `parties` (mask, `by` among them).

    `number` counts the agreements of this drafter with just these parties in this segment, so that nobody learns from
    it of agreements with others. `terms` are commands, each from one party to another (`commands.TERMS`). `status`:
    "draft" (known to its drafter only), "offered" (known to its parties), "signed" (by all of them). `signed` are those
    who have signed; `sealed` counts the moment it became signed by all, to settle conflicts; views show it as 1, since
    it would tell how many other agreements there are.
    """

    by: Power
    parties: Powers
    number: int = 1
    terms: tuple[Command, ...] = ()
    version: int = 1
    status: str = "draft"
    signed: Powers = 0
    sealed: int = 0
    amends: Powers = 0
    """a draft that amends an agreement of this drafter: its parties, 0 for none"""
    amended_by: Power = NONE
    """who drafted the agreement that is amended"""

    @property
    def key(self) -> tuple[int, int, int]:
        """What tells it from all others of the segment."""
        return self.by, self.parties, self.number


class Loan(msgspec.Struct, frozen=True, gc=False):
    """Naval units that were lent this turn: whose, to whom, of which kind, how many, and where they lay."""

    owner: Power
    holder: Power
    fleet: Naval
    count: int
    port: Place


class Word(msgspec.Struct, frozen=True, gc=False):
    """A non-binding promise, noted because its parties wish it; `kept` is open, kept or broken, without effect."""

    by: Power
    to: Power
    text: str
    turn: int
    kept: str = "open"


class Match(msgspec.Struct, frozen=True, gc=False):
    """Two royals who are engaged."""

    a: Royal
    b: Royal


@dataclass(frozen=True)
class LeaderCard:
    """What is known of a leader: whose he is, battle and command rating (provisional).

    `kind`: army (an army leader), naval (a naval leader), captain (a sea captain, who leads no fleet here).
    """

    id: str
    power: int
    kind: str
    battle: int
    command: int

    @property
    def army(self) -> bool:
        """Does he lead armies?"""
        return self.kind == "army"


@dataclass(frozen=True)
class RoyalCard:
    """A royal, unmarried at the start: of which power's house (NONE: of nobody who plays)."""

    id: str
    power: int


@dataclass(frozen=True)
class CardFace:
    """A card: command points, its event by the catalogue, whose home card it is (NONE: an ordinary card).

    `kind`: event, mandatory, response or home. `powers`: whom the event may be played by (none named: anybody);
    `amount`: how many points, units or dice; `players`: with how many players it is in the deck (none named: always);
    `turn`: the turn in which it comes into the deck; `remove`: it leaves the game once played.
    """

    id: str
    effect: str
    value: int
    kind: str = "event"
    home: int = NONE
    amount: int = 1
    powers: tuple[int, ...] = ()
    players: tuple[int, ...] = ()
    turn: int = 1
    remove: bool = False
    said: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, eq=False)
class World:
    """What stays fixed while a game is played. Compared by identity; states share it."""

    board: Board
    players: int
    rulebook: Rulebook
    leaders: tuple[LeaderCard, ...]
    royals: tuple[RoyalCard, ...]
    cards: tuple[CardFace, ...]
    tables: Mapping[str, Any]
    leader_names: tuple[str, ...] = ()
    royal_names: tuple[str, ...] = ()
    scenarios: Mapping[str, Any] = field(default_factory=dict)
    deck: str = "own"
    own_board: bool = False
    """the board is an owner's own, not one that comes with the game"""
    make_referee: Callable[[World], Any] | None = None
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
        spaces = tuple(space.name("en") for space in self.board.spaces)
        return {
            "power": POWERS,
            "seat": SEATS,
            "space": spaces,
            "place": (*spaces, *(sea.names["en"] for sea in self.board.seas)),
            "leader": self.leader_names,
            "royal": self.royal_names,
            "card": tuple(card.id for card in self.cards),
            "phase": PHASES,
            "naval": NAVAL_KINDS,
            "land": LAND_KINDS,
            "flag": FLAGS,
            "ruling": tuple(ruling.name for ruling in self.rulebook.rulings),
        }

    @cached_property
    def spoken(self) -> Mapping[str, Sequence[Any]]:
        """The names that this world has of its own: those of the cards and places of an owner's deck and board."""
        found: dict[str, Sequence[Any]] = {}
        if self.deck not in ("own", "none"):
            found["card"] = [{language: {"nom": name} for language, name in card.said} for card in self.cards]
        if self.own_board:
            languages = ("en", "ru")
            spaces = [
                {language: {"nom": space.name(language)} for language in languages} for space in self.board.spaces
            ]
            seas = [
                {language: {"nom": sea.names.get(language) or sea.names["en"]} for language in languages}
                for sea in self.board.seas
            ]
            found["space"], found["place"] = spaces, [*spaces, *seas]
        return found

    # places

    @cached_property
    def spaces(self) -> int:
        """How many spaces there are: places from here on are sea zones."""
        return len(self.board.spaces)

    @cached_property
    def places(self) -> int:
        """How many places there are."""
        return self.spaces + len(self.board.seas)

    def is_zone(self, place: int) -> bool:
        """Is the place a sea zone?"""
        return place >= self.spaces

    def zone(self, place: int) -> int:
        """The sea zone (by the board) that a place is."""
        return place - self.spaces

    @cached_property
    def ports(self) -> int:
        """The port spaces (mask)."""
        return self.board.port_mask

    @cached_property
    def sea_ways(self) -> tuple[tuple[int, ...], ...]:
        """For each place the places beside it at sea: a port's sea zones; a zone's zones and ports."""
        board, count = self.board, self.spaces
        found: list[tuple[int, ...]] = [tuple(count + sea for sea in bits(board.ports[i])) for i in range(count)]
        for sea in range(len(board.seas)):
            found.append((*bits(board.sea_ports[sea]), *(count + other for other in bits(board.sea_beside[sea]))))
        return tuple(found)

    # powers

    @cached_property
    def seats(self) -> tuple[int, ...]:
        """The seats in play (facts 17), in the order of `SEATS`."""
        return {
            2: (S_SF, S_EP),
            3: (S_ENG, S_PRO, S_SF),
            4: (S_SPA, S_ENG, S_FRA, S_PRO),
            5: (S_OTT, S_SPA, S_ENG, S_FRA, S_PRO),
            6: (S_OTT, S_SPA, S_ENG, S_FRA, S_HRE, S_PRO),
        }[self.players]

    @cached_property
    def controller(self) -> tuple[int, ...]:
        """Who plays each power at the start: a seat, NONE for a minor or an inactive great power (facts 17)."""
        table = [NONE] * len(POWERS)
        for power in MAJORS:
            if power in self.seats:  # the first seats bear the numbers of their powers
                table[power] = power
        if S_SF in self.seats:
            table[SPA] = table[FRA] = S_SF
        if S_EP in self.seats:
            table[ENG] = table[PRO] = S_EP
        return tuple(table)

    @cached_property
    def inactive(self) -> tuple[int, ...]:
        """The great powers that no player plays (facts 17)."""
        return tuple(power for power in MAJORS if self.controller[power] == NONE)

    @cached_property
    def home(self) -> tuple[int, ...]:
        """Whose home space each space is: a power, or IND."""
        return tuple(IND if code is None else POWERS.index(code) for code in self.board.home)

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        """The kind of each space: key, fortified, unfortified."""
        return tuple(space.kind for space in self.board.spaces)

    @cached_property
    def keys(self) -> int:
        """The key spaces (mask)."""
        return sum(1 << i for i, kind in enumerate(self.kinds) if kind == "key")

    @cached_property
    def fortified(self) -> int:
        """The spaces with a fortification (mask): keys are fortified too."""
        return sum(1 << i for i, kind in enumerate(self.kinds) if kind in ("key", "fortified"))

    @cached_property
    def start_keys(self) -> tuple[int, ...]:
        """How many key spaces each power holds at the start, those of its minor allies not counted."""
        table = [0] * len(POWERS)
        for space in bits(self.keys):
            table[POWERS.index(self.board.spaces[space].start)] += 1
        return tuple(table)

    @cached_property
    def capital(self) -> tuple[int, ...]:
        """The capital of each power, or NONE."""
        table = [NONE] * len(POWERS)
        for index, space in enumerate(self.board.spaces):
            if "capital" in space.flags:
                table[self.home[index]] = index
        return tuple(table)

    @cached_property
    def leaders_of(self) -> tuple[tuple[int, ...], ...]:
        """The leaders of each power."""
        return tuple(
            tuple(i for i, leader in enumerate(self.leaders) if leader.power == power) for power in range(len(POWERS))
        )

    @cached_property
    def options(self) -> tuple[tuple[str, ...], ...]:
        """The options of each ruling."""
        return tuple(ruling.options for ruling in self.rulebook.rulings)

    @cached_property
    def ruling_index(self) -> Mapping[str, int]:
        """Where each ruling's option stands in a state's `rulings`."""
        return self.rulebook.ruling_index


class State(msgspec.Struct, frozen=True, gc=False):
    """The position. Relations are masks by power and symmetric; `unsure*` mark pairs of which a sketch says nothing.

    `allies`: the alliances of this turn between great powers. `minor_ally`: with whom a minor power is allied, or who
    has activated an inactive great power (facts 9, 17); NONE for nobody. `peaces`: pairs whose war was ended in this
    Diplomacy Phase (facts 8.11). `besieged_by`: who besieges a space: his units stand outside, all others inside.
    """

    world: Annotated[World, Meta(extra={"hidden": True})]
    rulings: tuple[int, ...]
    turn: int
    phase: Phase
    active: Power
    controller: tuple[Seat, ...]
    wars: tuple[Powers, ...]
    unsure_wars: tuple[Powers, ...]
    allies: tuple[Powers, ...]
    unsure: tuple[Powers, ...]
    minor_ally: tuple[Power, ...]
    owner: tuple[Power, ...]
    besieged_by: tuple[Power, ...]
    land: tuple[tuple[Force, ...], ...]
    fleets: tuple[tuple[Fleet, ...], ...]
    leader_at: tuple[Place, ...]
    captor: tuple[Power, ...]
    leader_holder: tuple[Power, ...]
    """whom each leader serves: his own power, another one while he is lent"""
    vp: tuple[int, ...]
    hands: tuple[tuple[Card, ...], ...] = ((),) * len(POWERS)
    treasures: tuple[int, ...] = (0,) * len(POWERS)
    peaces: tuple[Powers, ...] = (0,) * len(POWERS)
    engaged: tuple[Match, ...] = ()
    influence: tuple[tuple[int, ...], ...] = ((0,) * 6,) * len(POWERS)
    """by power (minor or inactive) the influence of each great power with it"""
    flags: Flags = 0
    unsure_flags: Flags = 0
    offers: tuple[Agreement, ...] = ()
    announced: tuple[Agreement, ...] = ()
    """the agreements that were announced and carried out this turn"""
    words: tuple[Word, ...] = ()
    done: Powers = 0
    """the powers that have finished negotiating in this segment"""
    lent: tuple[tuple[Power, Power], ...] = ()
    """who has lent to whom this turn"""
    loans: tuple[Loan, ...] = ()
    """what was lent this turn, and from which port"""
    numbered: tuple[tuple[Power, Powers, int], ...] = ()
    """by drafter and parties how many agreements were offered in this segment, so that no number comes twice"""
    cards_drawn: tuple[int, ...] = (0,) * len(POWERS)
    """cards that each power has given as draws in this segment (facts 3.17)"""
    mercenaries_given: tuple[int, ...] = (0,) * len(POWERS)
    unrest: Spaces = 0
    discards: tuple[Card, ...] = ()
    removed: tuple[Card, ...] = ()
    passed: Powers = 0
    """the powers that have passed in a row in the Action Phase"""
    sieges_begun: tuple[int, ...] = ()
    """by space the impulse in which its siege began; empty while there is none"""
    impulse: int = 0
    lost_leaders: Leaders = 0
    """leaders out of the game for this turn"""
    winners: tuple[Seat, ...] = ()
    frames: tuple[Frame, ...] = ()
    dealt: bool = False
    """The cards are here: hands are drawn by the program, not told."""
    sketched: bool = False

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

    def powers_of(self, seat: int) -> tuple[int, ...]:
        """The powers a seat decides for: its own, and inactive great powers it has activated (facts 17)."""
        key = ("powers of", self.controller, self.minor_ally, seat)
        found: tuple[int, ...] | None = self.world.cache.get(key)
        if found is None:
            found = tuple(power for power in MAJORS if self.seat_of(power) == seat)
            self.world.cache[key] = found
        return found

    def seat_of(self, power: int) -> int:
        """The seat that decides for a power now; NONE for a power that nobody decides for. Raises `Unknown`."""
        seat = self.controller[power]
        if seat != NONE or power == IND:
            return seat
        patron = self.patron_of(power)
        return NONE if patron == NONE else self.controller[patron]

    def patron_of(self, power: int) -> int:
        """The great power with which a minor (or inactive great) power is allied, or NONE. Raises `Unknown`."""
        patron = self.minor_ally[power]
        if patron == UNKNOWN:
            options = (NONE, *(major for major in MAJORS if self.controller[major] != NONE))
            raise Unknown("patron", (("power", power),), options)
        return patron

    def acting(self, power: int) -> int:
        """Whose side a power is on: its patron's for a minor power with one, else its own. Raises `Unknown`."""
        if power in MINORS:
            patron = self.patron_of(power)
            return power if patron == NONE else patron
        return power

    # relations

    def at_war(self, a: int, b: int) -> bool:
        """Are the two powers at war, a minor power sharing the wars of its ally (facts 8.16)? Raises `Unknown`."""
        if self.wars[a] >> b & 1:
            return True
        one, two = self.acting(a) if a != IND else IND, self.acting(b) if b != IND else IND
        if (one, two) != (a, b) and applies(self, "f8.16"):
            return one != two and self.at_war(one, two)
        if self.unsure_wars[a] >> b & 1:
            raise Unknown("war", (("power", min(a, b)), ("target", max(a, b))), (0, 1))
        return False

    def are_allied(self, a: int, b: int) -> bool:
        """Are the two powers allied: this turn's alliance, or a minor power and its ally? Raises `Unknown`."""
        if self.allies[a] >> b & 1:
            return True
        if a == b or IND in (a, b):
            return False
        for minor, other in ((a, b), (b, a)):
            if self.minor_ally[minor] == NONE and minor in MINORS:
                continue
            if minor in MINORS or self.minor_ally[minor] != NONE:
                if self.patron_of(minor) == other:
                    return True
        if self.unsure[a] >> b & 1:
            raise Unknown("allied", (("power", min(a, b)), ("ally", max(a, b))), (0, 1))
        return False

    def friends(self, a: int, b: int) -> bool:
        """The same power, or an ally of it."""
        return a == b or self.are_allied(a, b)

    def has(self, flag: int) -> bool:
        """Has that happened? Raises `Unknown`."""
        if self.unsure_flags >> flag & 1:
            raise Unknown("flag", (("flag", flag),), (0, 1))
        return bool(self.flags >> flag & 1)

    # spaces

    def owner_of(self, space: int) -> int:
        """Who controls a space: a power, or IND. Raises `Unknown`."""
        owner = self.owner[space]
        if owner == UNKNOWN:
            raise Unknown("owner", (("space", space),), (*EVERY, IND))
        return owner

    def forces(self, space: int) -> tuple[Force, ...]:
        """Whose land units stand in a space. Raises `Unknown`."""
        forces = self.land[space]
        if forces and forces[0].power == UNKNOWN:
            raise Unknown("troops", (("space", space),), (0, *(1 + power for power in EVERY)))
        return forces

    def force(self, power: int, space: int) -> Force:
        """The land units of a power in a space (none: a force of zero). Raises `Unknown`."""
        for force in self.forces(space):
            if force.power == power:
                return force
        return Force(power)

    def ships(self, place: int) -> tuple[Fleet, ...]:
        """The naval units in a place. Raises `Unknown`."""
        fleets = self.fleets[place]
        if fleets and fleets[0].owner == UNKNOWN:
            raise Unknown("ships", (("place", place),), ())
        return fleets

    def besieger(self, space: int) -> int:
        """Who besieges a space, or NONE. Raises `Unknown`."""
        power = self.besieged_by[space]
        if power == UNKNOWN:
            raise Unknown("besieger", (("space", space),), (NONE, *EVERY))
        return power

    def leaders_in(self, place: int, power: int = UNKNOWN) -> tuple[int, ...]:
        """The leaders in a place, of one power (by whom they serve now) or of all."""
        leader_at = self.leader_at
        if place not in leader_at:
            return ()
        return tuple(
            leader
            for leader, at in enumerate(leader_at)
            if at == place and (power == UNKNOWN or self.leader_holder[leader] == power)
        )

    def present(self, space: int, power: int) -> bool:
        """Has the power land units or leaders in the space? Raises `Unknown`."""
        return any(force.power == power for force in self.forces(space)) or bool(self.leaders_in(space, power))

    def hand_of(self, power: int) -> tuple[int, ...]:
        """The cards of a power; some or all may be UNKNOWN. Raises `Unknown` where not even their number is told."""
        hand = self.hands[power]
        if hand == UNTOLD:
            raise Unknown("hand", (("power", power),), ())
        return hand

    def agreement(self, by: int, parties: int, number: int) -> Agreement | None:
        """The agreement of that drafter, with those parties and that number, once it was offered; no draft."""
        for one in self.offers:
            if one.by == by and one.parties == parties and one.number == number and one.status != "draft":
                return one
        return None


UNTOLD: Final = (NONE,)
"""A hand of which not even the number of cards is told."""

T = TypeVar("T")


def put(values: tuple[T, ...], index: int, value: T) -> tuple[T, ...]:
    """The tuple with another value in one place."""
    return (*values[:index], value, *values[index + 1 :])


def pair(masks: tuple[int, ...], a: int, b: int, on: bool) -> tuple[int, ...]:
    """The masks by power with a pair of powers joined, or parted."""
    table = list(masks)
    if on:
        table[a] |= 1 << b
        table[b] |= 1 << a
    else:
        table[a] &= ~(1 << b)
        table[b] &= ~(1 << a)
    return tuple(table)


def mask(powers: Iterable[int]) -> int:
    """The mask of some powers."""
    found = 0
    for power in powers:
        found |= 1 << power
    return found


def kept(state: State, name: str, key: tuple[Any, ...], make: Callable[[], T]) -> T:
    """What `make` gave for this very key (compared by identity) the last time it was asked, else what it gives now.

    For answers that hang on a few parts of the state only and are asked for again and again.
    """
    cache = state.world.cache
    last = cache.get(name)
    if last is not None and all(map(is_, last[0], key)):
        found: T = last[1]
        return found
    made = make()
    cache[name] = (key, made)
    return made


def owner_masks(state: State) -> tuple[int, ...]:
    """For each power the spaces (mask) it controls, as far as known; behind them those of which nobody knows."""

    def make() -> tuple[int, ...]:
        masks = [0] * (len(POWERS) + 1)
        for space, owner in enumerate(state.owner):
            masks[owner] |= 1 << space
        return tuple(masks)

    return kept(state, "owner masks", (state.owner,), make)


def unit_masks(state: State) -> tuple[int, ...]:
    """For each power the spaces (mask) where it has land units, as far as known."""

    def make() -> tuple[int, ...]:
        masks = [0] * (len(POWERS) + 1)
        for space, forces in enumerate(state.land):
            for force in forces:
                masks[force.power] |= 1 << space
        return tuple(masks)

    return kept(state, "unit masks", (state.land,), make)


def still_allowed(state: State, act: Any) -> bool:
    """Is an act allowed now, by all its rules? Asked by the flow, which cannot know it beforehand."""
    found: bool = state.world.referee.permitted(state, act)
    return found


def applies(state: State, clause: str) -> bool:
    """Is the clause in force? It is, unless it was knocked out to see what it does."""
    off = state.world.off
    return not off or clause not in off
