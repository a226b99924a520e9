"""The sea (9.7 to 9.9): ports, ships and what they carry, and naval combat. How fleets sail stands in `voyages.py`."""

from __future__ import annotations

from foedus.games.sword_of_rome.alliances import is_friendly
from foedus.games.sword_of_rome.commands import AskPassage, AvoidBySea, SailAct
from foedus.games.sword_of_rome.events import SeaMoved, UnitsRemoved
from foedus.games.sword_of_rome.state import CAR, ETR, GRE, ROM, TREATY, State
from foedus.kernel.flow import Action
from foedus.kernel.rules import Facts, effect, facts, forbids
from foedus.kernel.unknown import NONE
from foedus.kernel.values import bits

CARTHAGINIAN_SHIPS = {1: 3, 2: 6, 3: 10}
"""Five players: CU that Carthage's ships carry, by the value of the card (facts 9.7)."""
MOST = 10
TRANSPORTS = ("transport", "transports")
"""The effects of cards that give the Etruscans ships."""


def worth(state: State, card: int) -> int:
    """The value of a card; 3 for an activation event, a Campaign, or a card of which nothing is told."""
    return state.world.cards[card].value if card >= 0 else 3


def capacity(state: State, power: int, card: int, start: int, to: int, carrier: int = NONE) -> int:
    """CU that a power's ships carry by a card (facts 9.7); `carrier` is Carthage when it carries an ally's army."""
    five = state.world.players == 5
    value = worth(state, card)
    board = state.world.board
    ends = (board.spaces[start].id, board.spaces[to].id)
    if power == CAR or carrier == CAR:
        return CARTHAGINIAN_SHIPS[value] if five else MOST
    if power == GRE:
        held = five and state.owner[board.index.get("lilybaeum", start)] == GRE
        if held and ("syracusae" in ends or "lilybaeum" in ends):
            return MOST
        return 6 if value == 3 and "syracusae" in ends else 3
    if power == ROM and value == 3:
        return treaty_ships(state) or (3 if state.duoviri else 0)
    if power == ETR and (state.world.cards[card].effect in TRANSPORTS if card >= 0 else state.sketched):
        return 3
    return 0


@effect("f18.5", otherwise=0)
def treaty_ships(state: State) -> int:
    """Under the treaty Rome carries ten CU with any card of value 3."""
    return MOST if state.treaty == TREATY else 0


@forbids("f9.7", act=SailAct)
def from_port_to_port(state: State, act: SailAct) -> Facts | None:
    """Only from port to port, for those who have ships, so many CU at once."""
    ports = state.world.board.ports
    for space in (act.start, act.to):
        if not ports[space] or not state.may_enter(space):
            return facts(variant="no_port", power=act.power, space=space)
    if act.start == act.to:
        return facts(variant="same_port", power=act.power, space=act.to)
    most = capacity(state, act.power, act.card, act.start, act.to, act.carrier)
    if not most:
        return facts(variant="no_ships", power=act.power)
    if not 1 <= act.count <= most:
        return facts(variant="count", power=act.power, count=most)
    return None


@forbids("f17.1", act=SailAct)
def african_ports(state: State, act: SailAct) -> Facts | None:
    """Two to four players: the ports of Africa are Carthage's; Kerkouane the Greeks' too while they have CU there."""
    if state.world.players == 5 or act.power == CAR:
        return None
    for space in (act.start, act.to):
        name = state.world.board.spaces[space].id
        if name not in ("carthago", "kerkouane"):
            continue
        held = name == "kerkouane" and act.power == GRE and state.known_troops(space)
        if not (held and state.force(GRE, space).outside):
            return facts(power=act.power, space=space)
    return None


@forbids("f17.3", act=(SailAct, AvoidBySea))
def who_never_leaves_africa(state: State, act: SailAct | AvoidBySea) -> Facts | None:
    """Two to four players: Bomilcar and the citizen militia stay in Africa. Who flees by sea takes all along."""
    regions = state.world.board.spaces
    if state.world.players == 5 or act.power != CAR or regions[act.start].region != "africa":
        return None
    if regions[act.to].region == "africa":
        return None
    leader = act.leader if isinstance(act, SailAct) else NONE
    leaders = state.leaders_in(act.start, CAR) if leader == NONE else (leader,)
    for one in leaders:
        if state.world.leaders[one].id == "bomilcar" and not state.leader_inside >> one & 1:
            return facts(power=act.power, leader=one)
    militia = dict(state.levies).get(act.start, 0)
    if militia and state.known_troops(act.start):
        force = state.force(CAR, act.start)
        free = force.outside + force.inside - militia
        if (act.count if isinstance(act, SailAct) else force.outside) > free:
            return facts(variant="militia", power=act.power, space=act.start, count=max(0, free))
    return None


@forbids("f19.1", act=SailAct)
def only_carthage_enters_the_box(state: State, act: SailAct) -> Facts | None:
    """Five players: the Garrison box is Carthage's alone."""
    for space in (act.start, act.to):
        if act.power != CAR and state.world.board.spaces[space].id == "garrison":
            return facts(power=act.power, space=space)
    return None


def may_hinder(state: State, power: int) -> bool:
    """Is Carthage asked at all? Not about an ally's ships (15.2.4)."""
    return hinders_anyone_but_allies(state) is False or not state.are_allied(CAR, power)


@effect("15.2.4", otherwise=False)
def hinders_anyone_but_allies(state: State) -> bool:
    """Carthage is not asked about an ally's ships."""
    return True


def needs_roll(state: State, power: int, to: int) -> bool:
    """Facts 9.8: to a Carthaginian port, and every Greek move under the treaty."""
    if state.world.players == 5 or power == CAR:
        return False
    return rolls_for_carthaginian_ports(state, to) or (power == GRE and greeks_must_roll(state))


@effect("f9.8", otherwise=False)
def rolls_for_carthaginian_ports(state: State, to: int) -> bool:
    """Two to four players: all but Carthage roll on the way to a port that it controls."""
    return state.owner_of(to) == CAR


@effect("f18.6", otherwise=False)
def greeks_must_roll(state: State) -> bool:
    """Under the treaty every Greek fleet must fight."""
    return state.treaty == TREATY


@effect("f9.8", otherwise=False)
def flight_is_a_sea_move(state: State) -> bool:
    """Ruling `sea_roll_in_flight`: do those who avoid battle or retreat by sea roll like a fleet that moves?"""
    return state.ruling("sea_roll_in_flight") == "flight_too"


def rolls_in_flight(state: State, power: int, to: int) -> bool:
    """Must those who flee by sea to a port roll on the Naval Combat Table?"""
    return needs_roll(state, power, to) and flight_is_a_sea_move(state)


def flee_by_sea(action: Action, power: int, start: int, to: int) -> bool:
    """The roll of those who flee by sea, if they need one, and what it costs. False: they are turned back."""
    if not rolls_in_flight(action.state, power, to):
        return True
    (die,) = action.roll("naval movement", 1)
    how = naval_combat(action.state, power, to, die)
    action.emit(SeaMoved(power, start, to, how, "f9.8"))
    if how == "attrition":
        state: State = action.state
        lost = min(state.force(power, start).outside, int(state.world.tables["naval"]["attrition"]))
        action.emit(UnitsRemoved(power, start, lost, 0, "f9.8"))
    return how != "back"


def naval_combat(state: State, power: int, to: int, die: int) -> str:
    """What a die of the Naval Combat Table says: success, back or attrition; -2 on the way to a friendly port."""
    table = state.world.tables["naval"]
    if is_friendly(state, power, to):
        die -= int(table["friendly_port"])
    return "success" if die <= int(table["success"]) else "back" if die <= int(table["back"]) else "attrition"


def passages(state: State, power: int, start: int) -> list[AskPassage]:
    """Five players: every port to which an ally of Carthage, in a port himself, could ask it to carry his army."""
    board = state.world.board
    if state.world.players != 5 or power == CAR or not board.ports[start] or not state.are_allied(power, CAR):
        return []
    return [AskPassage(power, port) for port in bits(board.port_mask) if port != start]
