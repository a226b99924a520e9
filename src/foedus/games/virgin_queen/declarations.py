"""Declarations of war, the third segment of the Diplomacy Phase (dow.*, facts 8)."""

from __future__ import annotations

from collections.abc import Iterable

from foedus.games.virgin_queen.commands import DeclareWar, DoneDeclaring, PayCard
from foedus.games.virgin_queen.events import Activated, CardPlayed, WarBegan, WarDeclared
from foedus.games.virgin_queen.frames import Declaring, PayingWar
from foedus.games.virgin_queen.powers import acting_powers, resolve_status
from foedus.games.virgin_queen.state import (
    ENG,
    EVERY,
    IND,
    MAJORS,
    MARY_CAPTURED,
    MARY_EXECUTED,
    MINORS,
    PAPAL_BULL,
    PHASES,
    POR,
    POWERS,
    PRO,
    SEBASTIAN,
    SPA,
    UNTOLD,
    WAR,
    State,
)
from foedus.kernel.flow import Action, Decision, Flow, Group, carries_out
from foedus.kernel.rules import Facts, effect, facts, forbids, permits
from foedus.kernel.unknown import NONE, UNKNOWN, Unknown
from foedus.kernel.values import bits

# when


@forbids("dow.1", act=DeclareWar, wide=True)
def in_the_third_segment(state: State, act: DeclareWar) -> Facts | None:
    """War is declared in the third segment of the Diplomacy Phase (facts 8.5: normally)."""
    if state.phase == UNKNOWN:
        raise Unknown("phase", (), tuple(range(len(PHASES))))
    return None if state.phase == WAR else facts(power=act.power, phase=state.phase)


@forbids("dow.3", act=(DeclareWar, DoneDeclaring), wide=True)
def one_power_at_a_time(state: State, act: DeclareWar | DoneDeclaring) -> Facts | None:
    """One power finishes all its declarations before the next begins, in Impulse Order."""
    frame = state.frames[-1] if state.frames else None
    if isinstance(frame, Declaring) and frame.waiting:
        return None if frame.waiting[0] == act.power else facts(power=act.power, active=frame.waiting[0])
    if isinstance(frame, PayingWar):
        return facts(variant="paying", power=frame.power, target=frame.target)
    if isinstance(act, DoneDeclaring) or (state.frames and state.phase == WAR and not state.sketched):
        return facts(variant="over", power=act.power)
    return None


# whom


@forbids("f8.1", act=DeclareWar)
def another_power(state: State, act: DeclareWar) -> Facts | None:
    """Wars are declared by great powers, on other powers."""
    if act.power == act.to:
        return facts(variant="itself", power=act.power)
    if act.power not in MAJORS:
        return facts(variant="minor", power=act.power)
    return None


@forbids("f8.13", act=DeclareWar)
def not_on_independent_spaces(state: State, act: DeclareWar) -> Facts | None:
    """Independent spaces are no power: they may be besieged without a declaration."""
    return facts(power=act.power) if act.to == IND else None


@forbids("f8.8", act=DeclareWar)
def cells_that_forbid_it(state: State, act: DeclareWar) -> Facts | None:
    """A cell of the display that reads "N/A", "possible ally" or "ally only" bars the war."""
    war = state.world.tables["war"]
    key = pair_key(act.power, act.to)
    for column in ("forbidden", "possible_ally", "ally_only"):
        if key in war[column]:
            return facts(variant=column, power=act.power, to=act.to)
    if act.to == PRO and state.ruling("protestant_target") == "after_rebellion" and not _holds_anything(state, PRO):
        return facts(variant="no_rebellion", power=act.power, to=act.to)
    return None


def _holds_anything(state: State, power: int) -> bool:
    """Has a power a space or units? Raises `Unknown` if nobody knows of a space."""
    for space in range(state.world.spaces):
        if state.owner[space] == power or any(force.power == power for force in state.land[space]):
            return True
    for space in range(state.world.spaces):
        state.owner_of(space)
    return False


@forbids("f8.9", act=DeclareWar)
def not_on_the_ally_of_a_great_power(state: State, act: DeclareWar) -> Facts | None:
    """War on a minor power that is allied with a great power has to be declared on that great power."""
    if act.to in MINORS:
        patron = state.patron_of(act.to)
        if patron not in (NONE, act.power):
            return facts(power=act.power, to=act.to, ally=patron)
    return None


@forbids("f8.10", act=DeclareWar)
def not_on_an_own_minor_ally(state: State, act: DeclareWar) -> Facts | None:
    """Nor on a minor power, or an activated great power, that is the declarer's ally now."""
    for one, other in ((act.to, act.power), (act.power, act.to)):
        if (one in MINORS or one in state.world.inactive) and state.patron_of(one) == other:
            return facts(power=act.power, to=act.to)
    return None


@forbids("dow.M1", act=DeclareWar)
def not_on_an_ally_of_this_turn(state: State, act: DeclareWar) -> Facts | None:
    """Ruling `war_on_ally`: the alliance lasts the turn, and allies cannot be at war."""
    if act.power not in MAJORS or act.to not in MAJORS or state.ruling("war_on_ally") != "no":
        return None
    if act.power != act.to and _formal(state, act.power, act.to):
        return facts(power=act.power, to=act.to)
    return None


def _formal(state: State, a: int, b: int) -> bool:
    """Are two great powers allied by an alliance of this turn? Raises `Unknown`."""
    if state.allies[a] >> b & 1:
        return True
    if state.unsure[a] >> b & 1:
        raise Unknown("allied", (("power", min(a, b)), ("ally", max(a, b))), (0, 1))
    return False


@forbids("f8.11", act=DeclareWar)
def not_after_peace_in_this_phase(state: State, act: DeclareWar) -> Facts | None:
    """Not on a power with which the declarer made peace in this Diplomacy Phase."""
    if state.peaces[act.power] >> act.to & 1:
        return facts(power=act.power, to=act.to)
    return None


@forbids("f8.12", act=DeclareWar)
def not_on_portugal_before_its_event(state: State, act: DeclareWar) -> Facts | None:
    """Not on Portugal until the mandatory event Death of King Sebastian has been played."""
    if act.to == POR and not state.has(SEBASTIAN):
        return facts(power=act.power, to=act.to)
    return None


@forbids("f8.14", act=DeclareWar)
def not_twice(state: State, act: DeclareWar) -> Facts | None:
    """Who is at war already has nothing to declare."""
    if act.power != act.to and act.to != IND and state.at_war(act.power, act.to):
        return facts(power=act.power, to=act.to)
    return None


@forbids("f17.1", act=DeclareWar)
def an_activated_power_spares_its_controller(state: State, act: DeclareWar) -> Facts | None:
    """A great power that nobody has activated declares no war: nobody decides for it."""
    if act.power in state.world.inactive and state.seat_of(act.power) == NONE:
        return facts(power=act.power)
    return None


@permits("dow.2", act=DeclareWar)
def on_one_or_more_powers(state: State, act: DeclareWar) -> Facts | None:
    """A power may declare war on one or more others, great or minor."""
    return facts(power=act.power, to=act.to)


# the price


def pair_key(a: int, b: int) -> str:
    """How tables name a pair of powers: the first of them in Impulse Order first; SPA-HRE."""
    low, high = (a, b) if a < b else (b, a)
    return f"{POWERS[low]}-{POWERS[high]}"


def cost_of_war(state: State, power: int, target: int) -> int:
    """The command points that a declaration costs, reductions taken off. Raises `Unknown` for England and Spain.

    Facts 8.3, 8.4 and 8.20 to 8.25; other cells are provisional (`tables.toml`).
    """
    if not has_a_price(state):
        return 0
    war = state.world.tables["war"]
    costs = war["costs"]
    cost = int(costs.get(pair_key(power, target), war["minor"] if target in MINORS else war["other"]))
    if {power, target} == {ENG, SPA} and serves_both_ways(state, power):
        cost = reduced(state, cost)
    return cost


@effect("f8.3", otherwise=False)
def has_a_price(state: State) -> bool:
    """A declaration costs command points, by the cell of the pair."""
    return True


@effect("f8.25", otherwise=True)
def serves_both_ways(state: State, power: int) -> bool:
    """Ruling `war_cost_both_ways`: do the reductions hold for Spain on England only, or both ways?"""
    return state.ruling("war_cost_both_ways") == "both" or power == SPA


def reduced(state: State, cost: int) -> int:
    """Facts 8.21 to 8.24: what takes off the price of a war between England and Spain, and the floor. Raises
    `Unknown`."""
    war = state.world.tables["war"]
    cost -= bull_takes_off(state) * int(war["papal_bull"])
    cost -= capture_takes_off(state) * int(war["mary_captured"])
    cost -= execution_takes_off(state) * int(war["mary_executed"])
    return max(floor_of_the_price(state), cost)


@effect("f8.21", otherwise=0)
def bull_takes_off(state: State) -> int:
    """1 once Papal Bull has excommunicated Elizabeth."""
    return int(state.has(PAPAL_BULL))


@effect("f8.22", otherwise=0)
def capture_takes_off(state: State) -> int:
    """1 once Scottish Lords Rebel has led to the capture of Mary of Scots."""
    return int(state.has(MARY_CAPTURED))


@effect("f8.23", otherwise=0)
def execution_takes_off(state: State) -> int:
    """1 once England has executed Mary of Scots."""
    return int(state.has(MARY_EXECUTED))


@effect("f8.24", otherwise=-10)
def floor_of_the_price(state: State) -> int:
    """Ruling `war_cost_floor`."""
    return 1 if state.ruling("war_cost_floor") == "one" else 0


def is_known(state: State, power: int, target: int) -> bool:
    """Is the price of that pair known (facts 8.4, 8.20), and not a provisional number?"""
    return pair_key(power, target) in state.world.tables["war"]["costs"]


def is_told(state: State, power: int, target: int) -> bool:
    """Ruling `war_costs`: does the table say what the declaration costs, the number not being known?"""
    return state.ruling("war_costs") == "told" and not is_known(state, power, target)


def is_paid_here(state: State, power: int, target: int) -> bool:
    """Rulings `payment_of_war` and `war_costs`: by cards of the hand, or as people say at their table."""
    return state.ruling("payment_of_war") == "cards" and not is_told(state, power, target)


def worth(state: State, power: int) -> int:
    """The command points of the cards in a power's hand. Raises `Unknown`."""
    hand = state.hand_of(power)
    if UNKNOWN in hand:
        raise Unknown("hand", (("power", power),), ())
    return sum(state.world.cards[card].value for card in hand)


@forbids("f8.6", act=DeclareWar)
def who_cannot_pay_declares_no_war(state: State, act: DeclareWar) -> Facts | None:
    """Ruling `payment_of_war`: paid by cards of at least the price, the excess being lost."""
    if act.power not in MAJORS or act.to == IND or act.power == act.to or not is_paid_here(state, act.power, act.to):
        return None
    cost = cost_of_war(state, act.power, act.to)
    if cost <= 0:
        return None
    points = worth(state, act.power)
    return facts(power=act.power, to=act.to, cost=cost, points=points) if points < cost else None


@forbids("f8.6", act=PayCard)
def only_a_card_in_hand(state: State, act: PayCard) -> Facts | None:
    """What is laid down is a card that one holds, while a price is asked."""
    frame = state.frames[-1] if state.frames else None
    if not isinstance(frame, PayingWar) or frame.power != act.power:
        return facts(variant="nothing", power=act.power)
    if act.card not in state.hand_of(act.power):
        return facts(variant="not_held", power=act.power, card=act.card)
    return None


# carrying it out


@carries_out(DeclareWar)
def declare(action: Action, command: DeclareWar) -> None:
    """The price is paid, then the marker is laid; on the desk at once."""
    state: State = action.state
    cost = cost_of_war(state, command.power, command.to) if is_paid_here(state, command.power, command.to) else 0
    action.emit(WarDeclared(command.power, command.to, cost))
    if cost > 0 and state.frames and state.hands[command.power] != UNTOLD:
        action.push(PayingWar(command.power, command.to, cost))
        return
    begin_war(action, command.power, command.to)


@carries_out(PayCard)
def pay(action: Action, command: PayCard) -> None:
    """The card is discarded; what it is worth too much is lost."""
    face = action.state.world.cards[command.card]
    action.emit(CardPlayed(command.power, command.card, "payment", False, face.home != NONE))
    action.change(left=max(0, action.state.frames[-1].left - face.value))


@effect("f8.7", otherwise=False)
def a_marker_is_laid(state: State) -> bool:
    """An At War marker lies in the cell of the two powers (facts 8.7, 8.15)."""
    return True


@effect("ally.12", otherwise=False)
def allies_stay_out(state: State) -> bool:
    """An alliance creates no state of war with anybody else (facts 8.17)."""
    return True


def begin_war(action: Action, power: int, target: int) -> None:
    """The two powers are at war, and nobody else is."""
    if not a_marker_is_laid(action.state):
        return
    if target in MINORS and status_comes_first(action.state):
        resolve_status(action, target)
        patron = action.state.minor_ally[target]
        if patron == power:
            return
        if patron != NONE:
            target = patron
    if not action.state.wars[power] >> target & 1:
        action.emit(WarBegan(power, target, power))
    if not allies_stay_out(action.state):
        for ally in bits(action.state.allies[power]):
            if ally != target and not action.state.wars[ally] >> target & 1:
                action.emit(WarBegan(ally, target, power, "ally.12"))


@effect("f8.18", otherwise=False)
def status_comes_first(state: State) -> bool:
    """Ruling `declaration_on_neutral_minor`: is the minor power's status settled before the war begins?"""
    return state.ruling("declaration_on_neutral_minor") == "status_settled_first"


@carries_out(DoneDeclaring)
def done(action: Action, command: DoneDeclaring) -> None:
    """The next power may declare wars."""
    frame = action.state.frames[-1]
    action.change(waiting=frame.waiting[1:])
    _next(action)


def _next(action: Action) -> None:
    waiting = action.state.frames[-1].waiting
    if waiting:
        action.emit(Activated(waiting[0]))


# the segment


@effect("dow.3", otherwise=())
def declaring_order(state: State) -> tuple[int, ...]:
    """The powers that may declare war, in Impulse Order."""
    return acting_powers(state)


def open_segment(action: Action) -> None:
    """The powers are asked, one after another."""
    waiting = declaring_order(action.state)
    if waiting:
        action.push(Declaring(waiting))
        _next(action)


def _awaits(state: State, frame: Declaring) -> tuple[Decision, ...]:
    if not frame.waiting:
        return ()
    power = frame.waiting[0]
    return (Decision(state.seat_of(power), power, "war", "dow.3", facts(power=power)),)


def _candidates(state: State, frame: Declaring, seat: int) -> Iterable[Group]:
    if not frame.waiting:
        return
    power = frame.waiting[0]
    if state.seat_of(power) == seat:
        yield DeclareWar, power, [DeclareWar(power, to) for to in EVERY if to != power]
        yield DoneDeclaring, power, (DoneDeclaring(power),)


def _proceed(action: Action, frame: Declaring) -> None:
    action.pop()


DECLARING = Flow(Declaring, _awaits, _candidates, _proceed)


def _paying_awaits(state: State, frame: PayingWar) -> tuple[Decision, ...]:
    if frame.left <= 0:
        return ()
    told = facts(power=frame.power, target=frame.target, left=frame.left)
    return (Decision(state.seat_of(frame.power), frame.power, "pay_for_war", "f8.6", told),)


def _paying_candidates(state: State, frame: PayingWar, seat: int) -> Iterable[Group]:
    if state.seat_of(frame.power) == seat and state.hands[frame.power] != UNTOLD:
        hand = dict.fromkeys(card for card in state.hands[frame.power] if card >= 0)
        yield PayCard, frame.power, [PayCard(frame.power, card) for card in hand]


def _paying_proceed(action: Action, frame: PayingWar) -> None:
    action.pop()
    begin_war(action, frame.power, frame.target)


PAYING = Flow(PayingWar, _paying_awaits, _paying_candidates, _paying_proceed)
