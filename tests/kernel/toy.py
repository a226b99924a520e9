"""Caravans: a game of four powers that exists to show that the kernel knows no game.

The active power sends a caravan (a frame); all others are asked at once whether they ambush it (sealed); an ambush
interrupts the caravan with a duel (a frame above it) fought with dice and hidden cards; pacts are offered beside the
flow, in secret. The kernel is given rules, words, notation and state as it would be given those of a real game.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta
from msgspec.structs import replace as put

from foedus.kernel.flow import Action, Decision, Flow, Group, Rolled, SealedFrame, carries_out
from foedus.kernel.game import Game, collect_carries, collect_flows
from foedus.kernel.notation import Names, Notation
from foedus.kernel.referee import Referee
from foedus.kernel.rulebook import read_rulebook
from foedus.kernel.rules import Facts, Rules, effect, excepts, facts, forbids, permits
from foedus.kernel.unknown import NONE, UNKNOWN, Unknown
from foedus.kernel.values import Act, Command, Event, Frame, Offer, Power, Powers, bits, kind_of
from foedus.kernel.verdict import Remedy
from foedus.kernel.words import Words

POWERS: Final = ("AMB", "BIR", "LAK", "NOM")
A, B, L, N = range(4)
SEATS: Final = ("SA", "SB", "LN")
SEAT_OF: Final = (0, 1, 2, 2)
CARDS: Final = ("spear", "shield")
SPEAR, SHIELD = range(2)
GOODS: Final = ("salt", "iron ore", "iron", "silk")
LAST_TURN: Final = 10
NO_OFFERS: tuple[Pact, ...] = ()

Card = Annotated[int, kind_of("card")]
Goods = Annotated[int, kind_of("goods")]

RULEBOOK: Final = Path(__file__).with_name("caravans.toml").read_text(encoding="utf-8")


class Pact(Offer, frozen=True, gc=False):
    """An offer of a pact, with the gold promised for it."""

    gold: int = 0


class State(msgspec.Struct, frozen=True, gc=False):
    world: Annotated[Any, Meta(extra={"hidden": True})]
    rulings: tuple[int, ...]
    frames: tuple[Frame, ...] = ()
    offers: tuple[Pact, ...] = ()
    active: Power = UNKNOWN
    turn: int = 0
    cards: tuple[Card, ...] = (UNKNOWN,) * 4
    shown: Powers = 0
    pacts: tuple[Powers, ...] = (UNKNOWN,) * 4
    gold: tuple[int, ...] = (UNKNOWN,) * 4
    closed: Powers = UNKNOWN
    ford: int = UNKNOWN

    @property
    def off(self) -> frozenset[str]:
        off: frozenset[str] = self.world.off
        return off

    def ruling(self, name: str) -> str:
        ruling = GAME.rulebook.ruling(name)
        return ruling.options[self.rulings[GAME.rulebook.ruling_index[name]]]

    def allied(self, a: int, b: int) -> bool:
        if self.pacts[a] == UNKNOWN or self.pacts[b] == UNKNOWN:
            raise Unknown("pacts", (("power", a if self.pacts[a] == UNKNOWN else b),), tuple(range(16)))
        return bool(self.pacts[a] >> b & 1)


# frames


class Deal(Frame, frozen=True, gc=False):
    pass


class Turn(Frame, frozen=True, gc=False):
    done: bool = False


class Caravan(SealedFrame, frozen=True, gc=False):
    owner: Power = NONE
    to: Power = NONE
    load: tuple[Goods, ...] = ()


class Road(Frame, frozen=True, gc=False):
    """All have answered: the duels still to be fought before the caravan arrives."""

    owner: Power
    to: Power
    load: tuple[Goods, ...]
    duels: Powers


class Duel(Frame, frozen=True, gc=False):
    attacker: Power
    defender: Power


# commands and acts


class Propose(Command, frozen=True, gc=False):
    to: Power
    gold: int = 0


class Accept(Command, frozen=True, gc=False):
    by: Power


class Decline(Command, frozen=True, gc=False):
    by: Power
    words: str = ""


class Withdraw(Command, frozen=True, gc=False):
    to: Power


class Send(Command, frozen=True, gc=False):
    to: Power
    load: tuple[Goods, ...]


class Tour(Command, frozen=True, gc=False):
    first: Power
    second: Power


class Rest(Command, frozen=True, gc=False):
    pass


class Ambush(Command, frozen=True, gc=False):
    on: Power


class Wait(Command, frozen=True, gc=False):
    pass


class Fight(Command, frozen=True, gc=False):
    pass


class Flee(Command, frozen=True, gc=False):
    pass


class Cross(Act, frozen=True, gc=False):
    into: Power


# events


def _with(values: tuple[int, ...], index: int, value: int) -> tuple[int, ...]:
    return (*values[:index], value, *values[index + 1 :])


class Drawn(Event, frozen=True, gc=False):
    power: Power
    card: Card

    def apply(self, state: State) -> State:
        return put(state, cards=_with(state.cards, self.power, self.card), shown=state.shown & ~(1 << self.power))


class Shown(Event, frozen=True, gc=False):
    power: Power
    card: Card

    def apply(self, state: State) -> State:
        return put(state, cards=_with(state.cards, self.power, self.card), shown=state.shown | 1 << self.power)


class Offered(Event, frozen=True, gc=False):
    offer: Pact

    def apply(self, state: State) -> State:
        return put(state, offers=(*state.offers, self.offer))


class OfferGone(Event, frozen=True, gc=False):
    by: Power
    to: Power
    how: str

    def apply(self, state: State) -> State:
        return put(state, offers=tuple(one for one in state.offers if (one.by, one.to) != (self.by, self.to)))


class Allied(Event, frozen=True, gc=False):
    a: Power
    b: Power

    def apply(self, state: State) -> State:
        pacts = _with(state.pacts, self.a, state.pacts[self.a] | 1 << self.b)
        return put(state, pacts=_with(pacts, self.b, pacts[self.b] | 1 << self.a))


class Answered(Event, frozen=True, gc=False):
    """All answers are in: this is what they were."""

    ambush: Powers


class Paid(Event, frozen=True, gc=False):
    power: Power
    gold: int

    def apply(self, state: State) -> State:
        return put(state, gold=_with(state.gold, self.power, state.gold[self.power] + self.gold))


class BorderSet(Event, frozen=True, gc=False):
    closed: Powers

    def apply(self, state: State) -> State:
        return put(state, closed=self.closed)


class Began(Event, frozen=True, gc=False):
    turn: int
    active: Power

    def apply(self, state: State) -> State:
        return put(state, turn=self.turn, active=self.active)


# the rules


def top(state: State) -> Frame | None:
    return state.frames[-1] if state.frames else None


def offer_of(state: State, by: int, to: int) -> Pact | None:
    return next((one for one in state.offers if (one.by, one.to) == (by, to)), None)


@forbids("1", act=(Propose, Send, Tour, Rest), wide=True)
def not_ones_turn(state: State, act: Command) -> Facts | None:
    if state.active == UNKNOWN:
        raise Unknown("active", (), (A, B, L, N))
    under_way = state.frames and type(state.frames[-1]) is not Turn
    return facts(power=act.power) if under_way or state.active != act.power else None


@forbids("2", act=Send)
def to_strangers(state: State, act: Send) -> Facts | None:
    return None if state.allied(act.power, act.to) else facts(power=act.power, to=act.to)


@excepts("2e", to="2", act=Send)
def gift(state: State, act: Send) -> Facts | None:
    return facts(power=act.power) if len(act.load) == 1 else None


@forbids("13", act=Send)
def to_oneself(state: State, act: Send) -> Facts | None:
    return facts(power=act.power) if act.power == act.to else None


@forbids("3", act=Ambush)
def ambushing_a_friend(state: State, act: Ambush) -> Facts | None:
    return facts(power=act.power, to=act.on) if act.power == act.on or state.allied(act.power, act.on) else None


@forbids("3.M", act=Ambush)
def ambushing_before_a_friend(state: State, act: Ambush) -> Facts | None:
    frame = top(state)
    if isinstance(frame, Caravan) and state.ruling("far_end") == "binds" and state.allied(act.power, frame.to):
        return facts(power=act.power, to=frame.to)
    return None


@forbids("4", act=Ambush, wide=True)
def without_a_spear(state: State, act: Ambush) -> Facts | None:
    if state.cards[act.power] == UNKNOWN:
        raise Unknown("card", (("power", act.power),), (SPEAR, SHIELD))
    return facts(power=act.power) if state.cards[act.power] != SPEAR else None


@forbids("5", act=Send, wide=True)
def without_gold(state: State, act: Send) -> Facts | None:
    if state.gold[act.power] == UNKNOWN:
        raise Unknown("gold", (("power", act.power),))  # nobody can list the answers
    return facts(power=act.power) if state.gold[act.power] <= 0 else None


@excepts("5e", to="5", act=Send)
def on_credit(state: State, act: Send) -> Facts | None:
    return facts(power=act.power) if len(act.load) == 1 and state.allied(act.power, act.to) else None


@forbids("6", act=Propose)
def offering_in_vain(state: State, act: Propose) -> Facts | None:
    vain = act.power == act.to or offer_of(state, act.power, act.to) or state.allied(act.power, act.to)
    return facts(power=act.power, to=act.to) if vain else None


@forbids("7", act=(Accept, Decline))
def nothing_offered(state: State, act: Accept | Decline) -> Facts | None:
    return None if offer_of(state, act.by, act.power) else facts(power=act.power, to=act.by)


@forbids("7", act=Withdraw)
def nothing_to_withdraw(state: State, act: Withdraw) -> Facts | None:
    return None if offer_of(state, act.power, act.to) else facts(power=act.power, to=act.to)


@effect("8", otherwise=NO_OFFERS)
def dying(state: State) -> tuple[Pact, ...]:
    return tuple(one for one in state.offers if one.expires < state.turn)


@permits("9", act=Wait)
def letting_pass(state: State, act: Wait) -> Facts | None:
    return facts(power=act.power)


@forbids("10", act=(Ambush, Wait))
def not_asked(state: State, act: Command) -> Facts | None:
    frame = top(state)
    if frame is None and isinstance(act, Ambush):
        return None  # the desk is asked whether one may, not when
    if not isinstance(frame, Caravan) or not frame.missing() >> act.power & 1:
        return facts(power=act.power)
    return facts(power=act.power) if isinstance(act, Ambush) and act.on != frame.owner else None


@forbids("11", act=(Fight, Flee), wide=True)
def not_attacked(state: State, act: Command) -> Facts | None:
    frame = top(state)
    return None if isinstance(frame, Duel) and frame.defender == act.power else facts(power=act.power)


@forbids("12", act=Cross)
def closed_border(state: State, act: Cross) -> Facts | None:
    if state.closed == UNKNOWN:
        raise Unknown("closed", (("power", act.into),), (0, 1))
    return facts(power=act.power, to=act.into) if state.closed >> act.into & 1 else None


def tour_acts(state: State, tour: Tour) -> Iterator[tuple[State, Command | Act]]:
    yield state, tour
    if state.ford == UNKNOWN:
        raise Unknown("ford", (), (0, 1))
    if not state.ford:  # through the ford no border is crossed
        yield state, Cross(tour.power, tour.first)
        yield state, Cross(tour.power, tour.second)


# carrying out


@carries_out(Propose)
def propose(action: Action, command: Propose) -> None:
    turn = action.state.turn
    action.emit(Offered(Pact(command.power, command.to, 1, turn + 1, command.gold)))


@carries_out(Accept)
def accept(action: Action, command: Accept) -> None:
    action.emit(OfferGone(command.by, command.power, "accepted"))
    action.emit(Allied(command.by, command.power))


@carries_out(Decline)
def decline(action: Action, command: Decline) -> None:
    action.emit(OfferGone(command.by, command.power, "declined"))


@carries_out(Withdraw)
def withdraw(action: Action, command: Withdraw) -> None:
    action.emit(OfferGone(command.power, command.to, "withdrawn"))


@carries_out(Send)
def send(action: Action, command: Send) -> None:
    others = sum(1 << power for power in range(4) if power not in (command.power, command.to))
    action.change(done=True)
    action.push(Caravan(others, (), command.power, command.to, command.load))


@carries_out(Tour)
def tour(action: Action, command: Tour) -> None:
    action.emit(Paid(command.power, 1))
    action.change(done=True)


@carries_out(Rest)
def rest(action: Action, command: Rest) -> None:
    action.emit(BorderSet(0))
    action.change(done=True)


@carries_out(Flee)
def flee(action: Action, command: Flee) -> None:
    action.emit(BorderSet(action.state.closed | 1 << command.power))
    action.pop()
    action.emit(Paid(command.power, -1))


@carries_out(Fight)
def fight(action: Action, command: Fight) -> None:
    duel: Duel = action.state.frames[-1]
    for power in (duel.attacker, duel.defender):
        action.emit(Shown(power, action.state.cards[power]))
    (mine,) = action.roll("duel: defender", 1)
    (theirs,) = action.roll("duel: attacker", 1)
    mine += action.state.cards[duel.defender] == SHIELD
    loser = duel.attacker if mine > theirs else duel.defender
    action.emit(Paid(loser, -1))
    action.emit(Drawn(loser, action.pick(f"draw: {POWERS[loser]}", 2)))
    action.pop()


# the flow


def _deal(action: Action, frame: Deal) -> None:
    for power in range(4):
        action.emit(Drawn(power, action.pick(f"deal: {POWERS[power]}", 2)))
    action.pop()
    action.push(Turn())


def _turn_awaits(state: State, frame: Turn) -> tuple[Decision, ...]:
    return () if frame.done else (Decision(SEAT_OF[state.active], state.active, "turn", "1"),)


def _turn_candidates(state: State, frame: Turn, seat: int) -> Iterator[Group]:
    me = state.active
    if SEAT_OF[me] != seat:
        return
    yield Propose, me, (Propose(me, to, gold) for to in range(4) for gold in range(2))
    yield Send, me, [Send(me, to, load) for to in range(4) for load in LOADS]
    yield Tour, me, [Tour(me, first, second) for first in range(4) for second in range(4)]
    yield Rest, me, (Rest(me),)


def _turn_goes_on(action: Action, frame: Turn) -> None:
    state: State = action.state
    if state.turn == LAST_TURN:
        action.pop()
        return
    action.emit(Began(state.turn + 1, (state.active + 1) % 4))
    for offer in dying(action.state):
        action.emit(OfferGone(offer.by, offer.to, "dead"))
    action.change(done=False)


def _caravan_awaits(state: State, frame: Caravan) -> tuple[Decision, ...]:
    return tuple(Decision(SEAT_OF[power], power, "ambush?", "10") for power in bits(frame.missing()))


def _caravan_candidates(state: State, frame: Caravan, seat: int) -> Iterator[Group]:
    for power in bits(frame.missing()):
        if SEAT_OF[power] == seat:
            yield Ambush, power, (Ambush(power, frame.owner),)
            yield Wait, power, (Wait(power),)


def _caravan_goes_on(action: Action, frame: Caravan) -> None:
    ambush = sum(1 << one.power for one in frame.answers if isinstance(one.command, Ambush))
    action.emit(Answered(ambush))
    action.pop()
    action.push(Road(frame.owner, frame.to, frame.load, ambush))


def _road_goes_on(action: Action, frame: Road) -> None:
    if frame.duels:
        first = bits(frame.duels)[0]
        action.change(duels=frame.duels & ~(1 << first))
        action.push(Duel(first, frame.owner))
    else:
        action.emit(Paid(frame.owner, len(frame.load)))
        action.pop()


def _duel_awaits(state: State, frame: Duel) -> tuple[Decision, ...]:
    return (Decision(SEAT_OF[frame.defender], frame.defender, "fight or flee", "11"),)


def _duel_candidates(state: State, frame: Duel, seat: int) -> Iterator[Group]:
    if SEAT_OF[frame.defender] == seat:
        yield Fight, frame.defender, (Fight(frame.defender),)
        yield Flee, frame.defender, (Flee(frame.defender),)


def _nobody(state: State, frame: Frame) -> tuple[Decision, ...]:
    return ()


def _nothing(state: State, frame: Frame, seat: int) -> Iterable[Group]:
    return ()


def _never(action: Action, frame: Frame) -> None:
    raise AssertionError("a duel goes on by an answer")


LOADS: Final = ((0,), (3,), (2, 2), (1, 2), (0, 0, 3))
DEAL = Flow(Deal, _nobody, _nothing, _deal)
TURN = Flow(Turn, _turn_awaits, _turn_candidates, _turn_goes_on)
CARAVAN = Flow(Caravan, _caravan_awaits, _caravan_candidates, _caravan_goes_on)
ROAD = Flow(Road, _nobody, _nothing, _road_goes_on)
DUEL = Flow(Duel, _duel_awaits, _duel_candidates, _never)


def beside(state: State, seat: int) -> Iterator[Group]:
    for one in state.offers:
        if SEAT_OF[one.to] == seat:
            yield Accept, one.to, (Accept(one.to, one.by),)
            yield Decline, one.to, (Decline(one.to, one.by),)
        if SEAT_OF[one.by] == seat:
            yield Withdraw, one.by, (Withdraw(one.by, one.to),)


# what each may know


def redact(state: State, seat: int | None) -> State:
    cards = tuple(
        card if SEAT_OF[power] == seat or state.shown >> power & 1 else UNKNOWN
        for power, card in enumerate(state.cards)
    )
    offers = tuple(one for one in state.offers if seat in (SEAT_OF[one.by], SEAT_OF[one.to]))
    return put(state, cards=cards, offers=offers)


def redact_event(state: State, event: Event, seat: int | None) -> Event | None:
    if isinstance(event, Drawn) and SEAT_OF[event.power] != seat:
        return Drawn(event.power, UNKNOWN)
    if isinstance(event, Rolled) and event.sides == 0:
        return put(event, result=())
    if isinstance(event, Offered) and seat not in (SEAT_OF[event.offer.by], SEAT_OF[event.offer.to]):
        return None
    if isinstance(event, OfferGone) and seat not in (SEAT_OF[event.by], SEAT_OF[event.to]):
        return None
    return event


# positions


@dataclass(frozen=True, eq=False)
class World:
    off: frozenset[str] = frozenset()

    @cached_property
    def names(self) -> Mapping[str, Sequence[str]]:
        return {"power": POWERS, "seat": SEATS, "card": CARDS, "goods": GOODS}

    def without(self, clauses: frozenset[str]) -> World:
        return replace(self, off=clauses)


def make_world(players: int = 3, board: str = "", options: Mapping[str, Any] | None = None) -> World:
    return World()


def start(world: World, rulings: tuple[int, ...]) -> State:
    return State(world, rulings, (Deal(),), (), A, 1, pacts=(0,) * 4, gold=(1, 0, 1, 2), closed=0, ford=0)


KEYS: Final = ("active", "cards", "pacts", "gold", "closed", "ford", "rulings")


def read_sketch(world: World, data: Mapping[str, Any], text: str = "") -> State:
    table = {name: index for index, name in enumerate(POWERS)}
    for key in data:
        if key not in KEYS:
            raise ValueError(f"unknown key '{key}'")
    state = State(world, GAME.rulebook.choose(data.get("rulings", {})))
    if "active" in data:
        state = put(state, active=table[data["active"]])
    for name, card in data.get("cards", {}).items():
        state = put(state, cards=_with(state.cards, table[name], CARDS.index(card)))
    if "pacts" in data:
        state = put(state, pacts=(0,) * 4)
        for a, b in data["pacts"]:
            state = Allied(table[a], table[b]).apply(state)
    for name, gold in data.get("gold", {}).items():
        state = put(state, gold=_with(state.gold, table[name], gold))
    if "closed" in data:
        state = put(state, closed=sum(1 << table[name] for name in data["closed"]))
    return put(state, ford=int(data["ford"])) if "ford" in data else state


def write_sketch(state: State) -> dict[str, Any]:
    cards = {POWERS[power]: CARDS[card] for power, card in enumerate(state.cards) if card != UNKNOWN}
    return {"active": POWERS[state.active], "cards": cards}


def assume(state: State, what: str, subject: tuple[tuple[str, int], ...], option: int) -> State:
    power = dict(subject).get("power", NONE)
    if what == "active":
        return put(state, active=option)
    if what == "ford":
        return put(state, ford=option)
    if what == "card":
        return put(state, cards=_with(state.cards, power, option))
    if what == "pacts":
        return put(state, pacts=_with(state.pacts, power, option & ~(1 << power)))
    assert what == "closed"
    return put(state, closed=option << power)


def remedies(state: State, command: Command, clause: str, found: Mapping[str, Any]) -> Iterator[Remedy]:
    if clause == "2" and isinstance(command, Send):
        yield Remedy((Propose(command.power, command.to), Accept(command.to, command.power)))
        yield Remedy((Propose(command.power, command.to),))  # an offer alone does not help
    if clause == "4":
        yield Remedy(change="spear", facts=facts(power=command.power))


def change(state: State, remedy: Remedy) -> State:
    return put(state, cards=_with(state.cards, dict(remedy.facts)["power"], SPEAR))


def rewind(state: State, ruling: tuple[int, int]) -> State:
    return put(state, rulings=_with(state.rulings, *ruling))


# words and notation

ALIASES: Final = {
    "power": {
        **{name: index for index, name in enumerate(POWERS)},
        "Amber": A,
        "Birch": B,
        "the Lake": L,
        "the Nomads": N,
        "Nomads": N,
        "Янтарь": A,
        "Берёза": B,
        "Озеро": L,
        "кочевники": N,
        "люди степи": N,
    },
    "goods": {
        **{name: index for index, name in enumerate(GOODS)},
        "соль": 0,
        "железная руда": 1,
        "железо": 2,
        "шёлк": 3,
    },
}
SHOWN: Final = {"power": POWERS, "goods": GOODS}
NAMES: Final = {kind: Names(table, SHOWN[kind]) for kind, table in ALIASES.items()}
NOTATION = Notation(
    {
        Propose: ("{power} offers {to} a pact", "{power} offers {to} a pact, paying {gold}"),
        Accept: ("{power} accepts {by}",),
        Decline: ("{power} declines {by}", "{power} declines {by} saying {words}"),
        Withdraw: ("{power} withdraws from {to}",),
        Send: ("{power} sends {load} to {to}", ("{power} gives {to} salt", {"load": (0,)})),
        Tour: ("{power} tours {first} {second}",),
        Rest: ("{power} rests",),
        Ambush: ("{power} ambushes {on}",),
        Wait: ("{power} waits",),
        Fight: ("{power} fights",),
        Flee: ("{power} flees",),
    }
)
FORMS: Final = {
    "power": (
        {
            "en": {"nom": "Amber", "gen": "Amber's"},
            "ru": {"gender": "m", "nom": "Янтарь", "gen": "Янтаря", "ins": "Янтарём"},
        },
        {
            "en": {"nom": "Birch", "gen": "Birch's"},
            "ru": {"gender": "f", "nom": "Берёза", "gen": "Берёзы", "ins": "Берёзой"},
        },
        {
            "en": {"nom": "the Lake", "gen": "the Lake's"},
            "ru": {"gender": "n", "nom": "Озеро", "gen": "Озера", "ins": "Озером"},
        },
        {
            "en": {"nom": "the Nomads", "gen": "the Nomads'", "number": "pl"},
            "ru": {"number": "pl", "nom": "кочевники", "gen": "кочевников", "ins": "кочевниками"},
        },
    ),
}
TEMPLATES: Final = {
    "won": {
        "en": "{power} {power|has|have} {gold} {gold#point|points}",
        "ru": "у {power:gen} {gold} {gold#очко|очка|очков}",
    },
    "came": {"en": "{power} {power|comes|come}", "ru": "{power} {power|пришёл|пришла|пришло|пришли}"},
}
COMMANDS: Final = (Propose, Accept, Decline, Withdraw, Send, Tour, Rest, Ambush, Wait, Fight, Flee)
EVENTS: Final = (Drawn, Shown, Offered, OfferGone, Allied, Answered, Paid, BorderSet, Began)
FRAMES: Final = (Deal, Turn, Caravan, Road, Duel)
_HERE = sys.modules[__name__]

GAME = Game(
    id="caravans",
    rulebook=read_rulebook(RULEBOOK),
    rules=Rules.collect([_HERE]),
    notation=NOTATION,
    words=Words(FORMS, {"power": "power", "to": "power", "gold": "number"}, TEMPLATES),
    commands=COMMANDS,
    events=EVENTS,
    frames=FRAMES,
    handlers=collect_carries([_HERE]),
    flows=collect_flows([_HERE]),
    state_type=State,
    make_world=make_world,
    start=start,
    read_sketch=read_sketch,
    write_sketch=write_sketch,
    assume=assume,
    seat_for=lambda state, command: SEAT_OF[command.power],
    beside=beside,
    redact=redact,
    redact_event=redact_event,
    remedies=remedies,
    change=change,
    rewind=rewind,
    sketch_keys=KEYS,
    entails={Tour: tour_acts},
)


def referee(*knocked_out: str) -> Referee:
    return Referee(GAME, make_world(), NAMES, knocked_out)


def universe() -> list[Command]:
    """Every command there is, whoever gives it and whenever."""
    found: list[Command] = []
    for me in range(4):
        found += [Rest(me), Wait(me), Fight(me), Flee(me)]
        for other in range(4):
            found += [Propose(me, other, gold) for gold in range(2)]
            found += [Accept(me, other), Decline(me, other), Withdraw(me, other), Ambush(me, other)]
            found += [Send(me, other, load) for load in LOADS]
            found += [Tour(me, other, third) for third in range(4)]
    return found
