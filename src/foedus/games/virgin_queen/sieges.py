"""Sieges and assaults, how they end, and the space that changes hands (facts 14)."""

from __future__ import annotations

from collections.abc import Iterable

from foedus.games.virgin_queen.actions import left_to_spend, spend
from foedus.games.virgin_queen.battle import (
    defending_leaders,
    fate_of_leaders,
    forces_of_side,
    formation,
    hits_are_told,
    judged_by_all,
    retreat_ways,
    roll_hits,
    settle_leader,
    share_losses,
    sides_of,
    teller,
)
from foedus.games.virgin_queen.commands import Assault, Besiege
from foedus.games.virgin_queen.events import BattleFought, ControlChanged, SiegeBegan, SiegeEnded, UnitsChanged
from foedus.games.virgin_queen.frames import Assaulting, Losing, Retreating, Telling
from foedus.games.virgin_queen.ground import (
    army_leaders,
    best_rating,
    has_line,
    hostile,
    known,
    other_units,
    same_side,
    side_units,
    together,
    units_in,
    whole,
)
from foedus.games.virgin_queen.powers import side_of
from foedus.games.virgin_queen.seafights import leave_port
from foedus.games.virgin_queen.state import EVERY, IND, State
from foedus.kernel.flow import Action, Decision, Flow, Group, carries_out
from foedus.kernel.rules import Facts, effect, excepts, facts, forbids
from foedus.kernel.unknown import NONE, UNKNOWN
from foedus.kernel.values import bits

# what may be besieged and assaulted


def _peace(state: State, power: int, space: int, variant: str) -> Facts | None:
    owner = state.owner_of(space)
    return None if hostile(state, power, owner) else facts(variant=variant, power=power, space=space, target=owner)


@forbids("f8.19", act=Besiege)
def no_siege_without_war(state: State, act: Besiege) -> Facts | None:
    """One besieges only an enemy's space."""
    return _peace(state, act.power, act.space, "besiege")


@forbids("f8.19", act=Assault)
def no_assault_without_war(state: State, act: Assault) -> Facts | None:
    """One assaults only an enemy's space."""
    return _peace(state, act.power, act.space, "assault")


@excepts("f8.13", to="f8.19", act=(Besiege, Assault))
def independents_are_besieged_without_war(state: State, act: Besiege | Assault) -> Facts | None:
    """Independent spaces are no powers: they may be besieged without a declaration."""
    return facts(power=act.power, space=act.space) if state.owner_of(act.space) == IND else None


@forbids("ally.11", act=(Besiege, Assault))
def no_siege_beside_an_ally(state: State, act: Besiege | Assault) -> Facts | None:
    """Two powers never besiege nor assault together."""
    besieger = state.besieged_by[act.space]
    if besieger < 0 or same_side(state, act.power, besieger) or not together(state, act.power, besieger):
        return None
    return facts(variant="besiege" if isinstance(act, Besiege) else "assault", power=act.power, ally=besieger)


@forbids("f14.1", act=Besiege)
def more_than_the_defenders(state: State, act: Besiege) -> Facts | None:
    """A fortified space, with more units there than the defenders, if it is known who stands there."""
    if not state.world.fortified >> act.space & 1:
        return facts(variant="unfortified", power=act.power, space=act.space)
    if known(state, act.space):
        own = side_units(state, act.space, act.power)
        if own and own <= other_units(state, act.space, act.power):
            return facts(variant="small", power=act.power, space=act.space)
    return None


@carries_out(Besiege)
def besiege(action: Action, command: Besiege) -> None:
    """For the desk: the siege begins."""
    if action.state.besieged_by[command.space] < 0:
        action.emit(SiegeBegan(command.space, command.power, action.state.impulse))


@forbids("f14.1", act=Assault)
def what_an_assault_needs(state: State, act: Assault) -> Facts | None:
    """One's own siege, begun in an earlier impulse; ruling `assault_conditions`: a line of communication, and at a port
    the upper hand at sea."""
    besieger = state.besieger(act.space)
    if besieger == NONE or not same_side(state, act.power, besieger):
        return facts(power=act.power, space=act.space)
    if known(state, act.space) and not units_in(state, act.space, (act.power,)):
        return facts(power=act.power, space=act.space)
    begun = state.sieges_begun[act.space] if state.sieges_begun else UNKNOWN
    if not state.sketched and begun >= state.impulse:
        return facts(variant="fresh", power=act.power, space=act.space)
    if state.ruling("assault_conditions") != "full":
        return None
    if not has_line(state, act.power, act.space):
        return facts(variant="supply", power=act.power, space=act.space)
    if state.world.ports >> act.space & 1 and not upper_hand(state, act.power, act.space):
        return facts(variant="sea", power=act.power, space=act.space)
    return None


def upper_hand(state: State, power: int, port: int) -> bool:
    """Has the power's side more naval units in the seas beside a port than its enemies have there and in the port?

    Raises `Unknown`.
    """
    seas = [state.world.spaces + sea for sea in bits(state.world.board.ports[port])]
    own = theirs = 0
    for place in (*seas, port):
        for fleet in state.ships(place):
            if same_side(state, fleet.holder, power):
                own += fleet.count if place != port else 0
            elif hostile(state, power, fleet.holder):
                theirs += fleet.count
    return own > theirs


@forbids("f14.1", act=Assault)
def an_assault_is_paid(state: State, act: Assault) -> Facts | None:
    """1 CP, in one's own impulse."""
    if not state.frames or state.sketched:
        return None
    left, cost = left_to_spend(state, act.power), assault_cost(state)
    if left == NONE:
        return facts(variant="not_now", power=act.power)
    return facts(variant="cp", power=act.power, space=act.space, count=cost) if left < cost else None


def assault_cost(state: State) -> int:
    """The command points of an assault."""
    return int(state.world.tables["costs"]["assault"])


# how a siege begins and ends


def begin_siege(action: Action, power: int, space: int) -> bool:
    """A formation stands before an enemy's fortification: the siege begins if it has more units (facts 14.1)."""
    state: State = action.state
    if not state.world.fortified >> space & 1 or state.besieged_by[space] >= 0:
        return False
    owner = state.owner_of(space)
    if owner != IND and not hostile(state, power, owner):
        return False
    own = side_units(state, space, power)
    if not own or not more_units_besiege(state, own, other_units(state, space, power)):
        return False
    action.emit(SiegeBegan(space, power, state.impulse))
    return True


@effect("f14.1", otherwise=False)
def more_units_besiege(state: State, own: int, inside: int) -> bool:
    """A siege exists where the besieger has more units than the defenders inside."""
    return own > inside


@effect("f14.4", otherwise=False)
def siege_is_broken(state: State, own: int, inside: int) -> bool:
    """A siege ends when the besieger no longer has more units than the defenders."""
    return own <= inside


def check_sieges(action: Action) -> None:
    """Sieges that are no longer: nobody stands outside, or no more units than inside, and these must leave the space.

    Nor is there one where the space has come to be a friend's, as when a minor power has changed sides.
    To be called when land units may have moved or been lost.
    """
    for space, besieger in enumerate(action.state.besieged_by):
        if besieger >= 0 and known(action.state, space):
            _check_siege(action, space, besieger)


def _check_siege(action: Action, space: int, besieger: int) -> None:
    state: State = action.state
    owner = state.owner[space]
    if owner in EVERY and together(state, besieger, owner):
        action.emit(SiegeEnded(space))
        return
    own, inside = side_units(state, space, besieger), other_units(state, space, besieger)
    if own and not siege_is_broken(state, own, inside):
        return
    action.emit(SiegeEnded(space))
    if own:
        for power in side_powers(state, besieger):
            driven_off(action, power, space)


def side_powers(state: State, power: int) -> tuple[int, ...]:
    """The powers on one side."""
    return tuple(other for other in EVERY if same_side(state, other, power))


def driven_off(action: Action, power: int, space: int) -> None:
    """Units of a power that can besiege no longer go to a friendly space beside; with none they are lost."""
    regulars, mercenaries, cavalry, leaders = whole(action.state, power, space)
    if not regulars + mercenaries + cavalry:
        return
    ways = retreat_ways(action.state, power, space)
    if ways:
        action.push(Retreating(power, space, ways, regulars, mercenaries, cavalry, leaders))
        return
    action.emit(UnitsChanged(space, power, -regulars, -mercenaries, -cavalry, "f14.4"))
    captor = next(
        (force.power for force in action.state.land[space] if hostile(action.state, power, force.power)), NONE
    )
    for leader in leaders:
        if captor == NONE or fate_of_leaders(action.state) == "captured":
            settle_leader(action, leader, captor, space)
        else:
            settle_leader(action, leader, NONE, space)


# assault


@carries_out(Assault)
def assault(action: Action, command: Assault) -> None:
    """The besieger pays, and both sides roll."""
    state: State = action.state
    if state.frames:
        spend(action, assault_cost(state))
    mask = 0
    for power in formation(action.state, command.power, command.space, True):
        mask |= 1 << power
    action.push(Assaulting(command.power, command.space, mask))


@effect("f14.2", otherwise=0)
def assault_dice(state: State, units: int, leaders: Iterable[int], defended: bool, defending: bool) -> int:
    """The besieger: one for each unit, or for two while defenders are inside; the defender one, and one for each unit.

    The best battle rating is added to both (ruling `assault_dice`).
    """
    if defending:
        return 1 + units + best_rating(state, leaders)
    return ((units + 1) // 2 if defended else units) + best_rating(state, leaders)


def _besiegers(state: State, frame: Assaulting) -> tuple[int, ...]:
    return tuple(power for power in side_powers(state, frame.power) if power not in bits(frame.defenders))


def _awaits(state: State, frame: Assaulting) -> tuple[Decision, ...]:
    return ()


def _candidates(state: State, frame: Assaulting, seat: int) -> Iterable[Group]:
    return ()


def _proceed(action: Action, frame: Assaulting) -> None:
    if frame.stage == 0:
        _roll(action, frame)
    elif frame.stage == 1:
        _take_losses(action, frame)
    elif frame.stage == 2:
        _settle(action, frame)
    else:
        _settle_leaders(action, frame)


ASSAULT = Flow(Assaulting, _awaits, _candidates, _proceed)


def _roll(action: Action, frame: Assaulting) -> None:
    state: State = action.state
    space, defenders, besiegers = frame.space, bits(frame.defenders), _besiegers(state, frame)
    own, inside = units_in(state, space, besiegers), units_in(state, space, defenders)
    leaders = [leader for power in besiegers for leader in army_leaders(state, space, power)]
    attack_count = assault_dice(state, own, leaders, inside > 0, False)
    defence_count = assault_dice(state, inside, defending_leaders(state, frame), inside > 0, True)
    attack_dice: tuple[int, ...] = ()
    defence_dice: tuple[int, ...] = ()
    if hits_are_told(state, "assault_dice"):
        if len(frame.told) < 2:
            what, most = ("attack_hits", attack_count) if not frame.told else ("defence_hits", defence_count)
            action.push(Telling(teller(state, frame.power, *defenders), what, most, "f14.2", space, by=frame.power))
            return
        attack_hits, defence_hits = frame.told
    else:
        attack_dice, attack_hits = roll_hits(action, "assault, attacker", attack_count)
        defence_dice, defence_hits = roll_hits(action, "assault, defender", defence_count)
    lost, killed = min(own, defence_hits), min(inside, attack_hits)
    wins = attack_hits > defence_hits and lost < own and killed == inside
    action.emit(
        BattleFought(
            "assault",
            frame.power,
            frame.defenders,
            space,
            attack_dice,
            defence_dice,
            lost,
            killed,
            wins,
            "f14.2",
        )
    )
    shares = share_losses(action, space, sides_of(state, defenders, space), killed)
    losses = ((state.acting(frame.power), lost), *shares.items())
    action.change(stage=1, won=wins, told=(), losses=tuple((power, count) for power, count in losses if count))


def _take_losses(action: Action, frame: Assaulting) -> None:
    state: State = action.state
    if not frame.losses:
        action.change(stage=2)
        return
    (side, count), rest = frame.losses[0], frame.losses[1:]
    action.change(losses=rest)
    powers = _besiegers(state, frame) if same_side(state, side, frame.power) else bits(frame.defenders)
    action.push(Losing(side, frame.space, count, forces_of_side(state, frame.space, powers, side)))


def _settle(action: Action, frame: Assaulting) -> None:
    """A won assault takes the space; else the siege goes on if there are still enough units."""
    state: State = action.state
    space = frame.space
    action.change(stage=3)
    if frame.won:
        action.emit(SiegeEnded(space, "f14.2"))
        action.emit(ControlChanged(space, new_holder(state, frame.power, space), "f14.2"))
        leave_port(action, space)


@effect("f9.12", otherwise=UNKNOWN)
def home_of_a_side(state: State, power: int, space: int) -> int:
    """Ruling `minor_changes_hands`: home spaces of a minor power on the victor's side are that power's again."""
    home = state.world.home[space]
    if state.ruling("minor_changes_hands") == "units_and_spaces" and same_side(state, power, home):
        return home
    return state.acting(power)


def new_holder(state: State, power: int, space: int) -> int:
    """Who controls a space that was taken."""
    holder = home_of_a_side(state, power, space)
    return power if holder == UNKNOWN else holder


def _settle_leaders(action: Action, frame: Assaulting) -> None:
    """Leaders of the side that has lost all its units."""
    state: State = action.state
    space, defenders, besiegers = frame.space, bits(frame.defenders), _besiegers(state, frame)
    left = units_in(state, space, defenders)
    stranded: list[int] = []
    captor = NONE
    if frame.won:
        captor = frame.power
        stranded = defending_leaders(state, frame)
    elif not units_in(state, space, besiegers):
        captor = next((power for power in defenders if units_in(state, space, (power,))), NONE)
        stranded = [leader for power in besiegers for leader in army_leaders(state, space, power)]
    elif left and not judged_by_all(state):
        captor = frame.power
        stranded = [
            leader
            for leader in defending_leaders(state, frame)
            if not units_in(state, space, (state.leader_holder[leader],))
        ]
    if stranded:
        settle_leader(action, stranded[0], captor, space)
        return
    action.pop()
    check_sieges(action)


# the desk and lists


def candidates(state: State, power: int, left: int) -> Iterable[Group]:
    """The assaults that a great power, or a minor one that serves it, could make."""
    if left < assault_cost(state):
        return
    side = side_of(state, power)
    spaces = [space for space, besieger in enumerate(state.besieged_by) if besieger in side]
    for one in side if spaces else ():
        yield Assault, one, [Assault(one, space) for space in spaces if state.force(one, space).units]
