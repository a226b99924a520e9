"""Field battles: who defends together (defend.*), dice and losses, retreat, what becomes of leaders (facts 6, 13)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from foedus.games.virgin_queen.alliances import is_friendly
from foedus.games.virgin_queen.commands import Attack, Lose, Retreat, Tell, WithdrawInside
from foedus.games.virgin_queen.events import (
    BattleFought,
    LeaderCaptured,
    LeaderLost,
    LeaderMoved,
    LossesShared,
    OddLoss,
    UnitsChanged,
    UnitsMoved,
)
from foedus.games.virgin_queen.frames import (
    Assaulting,
    Attacked,
    Battle,
    Losing,
    Moving,
    Retreating,
    Telling,
)
from foedus.games.virgin_queen.ground import (
    army_leaders,
    best_rating,
    decides,
    enemies_in,
    hostile,
    is_outside,
    known,
    refuges,
    same_side,
    standing,
    together,
    units_in,
    whole,
)
from foedus.games.virgin_queen.placing import capital_possible, ransom_places
from foedus.games.virgin_queen.state import (
    CAVALRY,
    IND,
    LAND_KINDS,
    MERCENARY,
    REGULAR,
    Force,
    State,
    applies,
)
from foedus.kernel.flow import Action, Decision, Flow, Group, carries_out
from foedus.kernel.rules import Facts, effect, excepts, facts, forbids
from foedus.kernel.unknown import NONE
from foedus.kernel.values import bits

ORDER_OF_LOSSES = (MERCENARY, CAVALRY, REGULAR)
"""In which order units of a power are lost that nobody plays, and in winter."""


# who defends (defend.1, defend.5)


@effect("defend.1", otherwise=False)
def defends_as_one(state: State) -> bool:
    """Land units of allied powers in one stack form one defending formation, units and army leaders together."""
    return True


@effect("defend.5", otherwise=False)
def allies_add_to_the_defence(state: State) -> bool:
    """All allied units defend, even when only one of the powers is at war with the attacker."""
    return True


@effect("defend.M1", otherwise=False)
def everyone_defends(state: State) -> bool:
    """Ruling `defend_three`: everybody in the stack defends, not only those who are linked with an enemy."""
    return state.ruling("defend_three") == "everyone"


def formation(state: State, attacker: int, space: int, inside: bool = False) -> tuple[int, ...]:
    """The powers that form the one defending formation against an attacker there, in Impulse Order; none: no battle.

    `inside`: against an assault, those inside the fortification, for whom also the enemy counts that controls it.
    Otherwise those who stand outside. Raises `Unknown`.
    """
    besieged = state.besieged_by[space] >= 0
    present = [
        power
        for power in standing(state, space)
        if not same_side(state, power, attacker) and (not besieged or is_outside(state, power, space) != inside)
    ]
    enemies = [power for power in present if hostile(state, attacker, power)]
    lords = enemies
    if inside and hostile(state, attacker, state.owner_of(space)):
        lords = [*enemies, state.owner_of(space)]
    if not lords:
        return ()
    if not defends_as_one(state):
        return tuple(power for power in present if same_side(state, power, lords[0]))
    if everyone_defends(state):
        return tuple(present)
    allied = allies_add_to_the_defence(state)
    return tuple(
        power
        for power in present
        if power in enemies or (allied and any(together(state, power, lord) for lord in lords))
    )


def decider(state: State, powers: Iterable[int], space: int) -> int:
    """Who decides for a joint formation what can be decided only once: ruling `defend_decides` (defend.M3).

    The power that controls the space, else the one with more units there, else the first in Impulse Order.
    """
    here = sorted(powers)
    owner = state.owner[space]
    if applies(state, "defend.M3"):
        if state.ruling("defend_decides") == "controller":
            for power in here:
                if owner >= 0 and same_side(state, power, owner):
                    return power
        most = max(units_in(state, space, (power,)) for power in here)
        return next(power for power in here if units_in(state, space, (power,)) == most)
    return here[0]


def sides_of(state: State, powers: Iterable[int], space: int) -> dict[int, int]:
    """The sides in a formation, by the power that acts for each: how many units each has there."""
    found: dict[int, int] = {}
    for power in sorted(powers, key=lambda one: (state.acting(one), one)):
        side = state.acting(power)
        found[side] = found.get(side, 0) + units_in(state, space, (power,))
    return found


# losses of a joint formation (defend.3, defend.4)


@effect("defend.3", otherwise=False)
def losses_are_even(state: State) -> bool:
    """Losses are shared evenly between powers that defend together, until one has nothing left."""
    return True


@effect("defend.4", otherwise=False)
def a_die_decides(state: State) -> bool:
    """A die decides at random who takes the odd loss."""
    return True


@effect("defend.M2", otherwise=True)
def one_die_for_all(state: State) -> bool:
    """Ruling `odd_loss_die`: one die for each battle or assault, or a die for each odd loss.

    The two differ only where three or more powers defend and two of them take an odd loss: one die then names the
    first of them, and the next in Impulse Order takes the other.
    """
    return state.ruling("odd_loss_die") == "per_battle"


def share_losses(action: Action, space: int, sides: Mapping[int, int], hits: int) -> dict[int, int]:
    """How many units each side of a formation loses: as even as can be, odd ones by die.

    `sides` are their units, in Impulse Order. The die is cut into as many equal parts as there are sides that may take
    the odd loss, 1 to 3 and 4 to 6 with two; what is over is rolled again.
    """
    lost = dict.fromkeys(sides, 0)
    left = min(hits, sum(sides.values()))
    if not losses_are_even(action.state):
        for side, units in sides.items():
            lost[side] = min(units, left)
            left -= lost[side]
        return lost
    while left:
        able = [side for side, units in sides.items() if units > lost[side]]
        if left < len(able):
            for side in _odd_losses(action, able, left):
                lost[side] += 1
            break
        for side in able:
            lost[side] += 1
        left -= len(able)
    if sum(1 for units in sides.values() if units) > 1 and hits:
        action.emit(LossesShared(space, tuple(lost.items())))
    return lost


def _odd_losses(action: Action, able: list[int], count: int) -> list[int]:
    """Who takes the odd losses, fewer than there are sides that could."""
    if not a_die_decides(action.state):
        return able[:count]
    found: list[int] = []
    able = list(able)
    while count:
        faces = 6 // len(able)
        die = action.roll("odd loss", 1)[0]
        if die > faces * len(able):
            continue
        at = (die - 1) // faces
        taken = [able[(at + i) % len(able)] for i in range(count if one_die_for_all(action.state) else 1)]
        for side in taken:
            action.emit(OddLoss(able[0], able[-1], side, die))
        found += taken
        count -= len(taken)
        able = [side for side in able if side not in taken]
    return found


# what the table tells


def teller(state: State, *powers: int) -> int:
    """Who tells what came about outside: the first of the powers that somebody plays."""
    return next((power for power in powers if decides(state, power) != NONE), powers[0])


@forbids("f13.1", act=Tell)
def only_what_is_asked(state: State, act: Tell) -> Facts | None:
    """Told is a number that is possible, by the power that is asked."""
    frame = state.frames[-1] if state.frames else None
    if isinstance(frame, Telling) and frame.power == act.power and 0 <= act.count <= frame.most:
        return None
    most = frame.most if isinstance(frame, Telling) else 0
    return facts(variant="tell", power=act.power, count=act.count, most=most)


@carries_out(Tell)
def tell(action: Action, command: Tell) -> None:
    """The step below learns of it."""
    action.pop()
    action.change(told=(*action.state.frames[-1].told, command.count))


def _telling_awaits(state: State, frame: Telling) -> tuple[Decision, ...]:
    told = facts(power=frame.power, space=frame.space, most=frame.most, leader=frame.leader, by=frame.by)
    return (Decision(decides(state, frame.power), frame.power, f"tell_{frame.what}", frame.clause, told),)


def _telling_candidates(state: State, frame: Telling, seat: int) -> Iterable[Group]:
    if decides(state, frame.power) == seat:
        yield Tell, frame.power, [Tell(frame.power, count) for count in range(frame.most + 1)]


def _telling_proceed(action: Action, frame: Telling) -> None:
    raise AssertionError("what is told is awaited until it is told")


TELLING = Flow(Telling, _telling_awaits, _telling_candidates, _telling_proceed)


# attacking, for the desk


@forbids("f8.19", act=Attack)
def no_attack_without_war(state: State, act: Attack) -> Facts | None:
    """One attacks only those with whom one is at war."""
    if act.target == IND or act.power == act.target or not hostile(state, act.power, act.target):
        return facts(variant="attack", power=act.power, target=act.target, space=act.space)
    return None


@excepts("f8.13", to="f8.19", act=Attack)
def independents_are_attacked_without_war(state: State, act: Attack) -> Facts | None:
    """Independent spaces are no powers."""
    return facts(power=act.power, space=act.space) if act.target == IND else None


@forbids("f13.1", act=Attack)
def somebody_must_be_there(state: State, act: Attack) -> Facts | None:
    """In the space named, if it is known who stands there."""
    if act.space == NONE or act.target == IND or not known(state, act.space):
        return None
    if not units_in(state, act.space, (act.target,)):
        return facts(variant="absent", power=act.power, target=act.target, space=act.space)
    return None


@carries_out(Attack)
def attack(action: Action, command: Attack) -> None:
    """On a sketch: the battle of all that the attacker has in the space, if that is known."""
    state: State = action.state
    if command.space == NONE or not known(state, command.space):
        return
    regulars, mercenaries, cavalry, leaders = whole(state, command.power, command.space)
    powers = formation(state, command.power, command.space)
    if regulars + mercenaries + cavalry and units_in(state, command.space, powers):
        begin_battle(action, command.power, powers, command.space, NONE, (regulars, mercenaries, cavalry), leaders)


# the battle


def begin_battle(
    action: Action,
    attacker: int,
    defenders: Iterable[int],
    space: int,
    came: int,
    units: tuple[int, int, int],
    leaders: tuple[int, ...],
) -> None:
    """A field battle begins between an attacking formation and all who defend there."""
    mask = 0
    for power in defenders:
        mask |= 1 << power
    action.push(Battle(attacker, mask, space, came, *units, leaders))


@effect("f13.1", otherwise=0)
def battle_dice(state: State, units: int, leaders: Iterable[int], defending: bool) -> int:
    """One die for each unit, the best battle rating of the side, and one more for the defender (ruling `land_dice`)."""
    return units + best_rating(state, leaders) + defending


def hits_are_told(state: State, *rulings: str) -> bool:
    """Does the table tell the hits, by one of these rulings or that on what hits?"""
    return any(state.ruling(name) == "told" for name in (*rulings, "battle_hits"))


def hits(state: State, dice: Iterable[int]) -> int:
    """How many of the dice hit: a 5 or 6 (ruling `battle_hits`)."""
    least = int(state.world.tables["dice"]["hit"])
    return sum(1 for die in dice if die >= least)


def roll_hits(action: Action, purpose: str, count: int) -> tuple[tuple[int, ...], int]:
    """Roll for one side: the dice and the hits."""
    dice = action.roll(purpose, count) if count else ()
    return dice, hits(action.state, dice)


@effect("f13.2", otherwise="both_lost")
def who_keeps_one(state: State, attacking: int, defending: int) -> str:
    """Ruling `both_wiped_out`: who rolled more dice keeps one unit, the defender if equal; or both are lost."""
    if state.ruling("both_wiped_out") == "both_lost":
        return "both_lost"
    return "attacker" if attacking > defending else "defender"


def defending_leaders(state: State, frame: Battle | Assaulting) -> list[int]:
    """The army leaders of the powers that defend, still in the space."""
    return [leader for power in bits(frame.defenders) for leader in army_leaders(state, frame.space, power)]


def attacking_units(frame: Battle) -> int:
    """How many units the attacking formation has left."""
    return frame.regulars + frame.mercenaries + frame.cavalry


def _awaits(state: State, frame: Battle) -> tuple[Decision, ...]:
    return ()


def _candidates(state: State, frame: Battle, seat: int) -> Iterable[Group]:
    return ()


def _proceed(action: Action, frame: Battle) -> None:
    if frame.stage == 0:
        _roll(action, frame)
    elif frame.stage == 1:
        _take_losses(action, frame)
    elif frame.stage == 2:
        _go_inside_or_back(action, frame)
    elif frame.stage == 3:
        _retreat_one_by_one(action, frame)
    elif frame.stage == 4:
        _settle_leaders(action, frame)
    else:
        _over(action, frame)


BATTLE = Flow(Battle, _awaits, _candidates, _proceed)


def _roll(action: Action, frame: Battle) -> None:
    state: State = action.state
    attacker, space, defenders = frame.attacker, frame.space, bits(frame.defenders)
    own, theirs = attacking_units(frame), units_in(state, space, defenders)
    attack_count = battle_dice(state, own, frame.leaders, False)
    defence_count = battle_dice(state, theirs, defending_leaders(state, frame), True)
    attack_dice: tuple[int, ...] = ()
    defence_dice: tuple[int, ...] = ()
    if hits_are_told(state, "land_dice"):
        if len(frame.told) < 2:
            what, most = ("attack_hits", attack_count) if not frame.told else ("defence_hits", defence_count)
            action.push(Telling(teller(state, attacker, *defenders), what, most, "f13.1", space, by=attacker))
            return
        attack_hits, defence_hits = frame.told
    else:
        attack_dice, attack_hits = roll_hits(action, "battle, attacker", attack_count)
        defence_dice, defence_hits = roll_hits(action, "battle, defender", defence_count)
    wins = attack_hits > defence_hits
    lost, killed = min(own, defence_hits), min(theirs, attack_hits)
    if lost == own and killed == theirs:
        keeper = who_keeps_one(state, attack_count, defence_count)
        wins = keeper == "attacker"
        lost -= keeper == "attacker"
        killed -= keeper == "defender"
    elif lost == own or killed == theirs:
        wins = killed == theirs
    action.emit(
        BattleFought("field", attacker, frame.defenders, space, attack_dice, defence_dice, lost, killed, wins, "f13.1")
    )
    shares = share_losses(action, space, sides_of(state, defenders, space), killed)
    losses = ((attacker, lost), *shares.items())
    action.change(
        stage=1, attacker_wins=wins, told=(), losses=tuple((power, count) for power, count in losses if count)
    )


def _take_losses(action: Action, frame: Battle) -> None:
    state: State = action.state
    if not frame.losses:
        action.change(stage=2)
        return
    (power, count), rest = frame.losses[0], frame.losses[1:]
    action.change(losses=rest)
    attacking = power == frame.attacker
    forces: tuple[Force, ...]
    if attacking:
        forces = (Force(power, frame.regulars, frame.mercenaries, frame.cavalry),)
    else:
        forces = forces_of_side(state, frame.space, bits(frame.defenders), power)
    action.push(Losing(power, frame.space, count, forces, attacking))


def forces_of_side(state: State, space: int, powers: Iterable[int], side: int) -> tuple[Force, ...]:
    """The units in a space of those of the powers for which `side` acts."""
    chosen = [power for power in powers if state.acting(power) == side]
    return tuple(force for force in state.land[space] if force.power in chosen)


# losses, kind by kind


def _kinds(force: Force) -> tuple[int, int, int]:
    return force.regulars, force.mercenaries, force.cavalry


def _open_losses(frame: Losing) -> list[Lose]:
    return [Lose(force.power, kind) for force in frame.forces for kind, count in enumerate(_kinds(force)) if count]


def _nothing_to_choose(state: State, frame: Losing) -> bool:
    """Nothing left to lose, all of it lost, only one kind, or nobody who chooses."""
    units = sum(force.units for force in frame.forces)
    return frame.left <= 0 or units <= frame.left or len(_open_losses(frame)) < 2 or decides(state, frame.power) == NONE


def _losing_awaits(state: State, frame: Losing) -> tuple[Decision, ...]:
    if _nothing_to_choose(state, frame):
        return ()
    told = facts(power=frame.power, space=frame.space, left=frame.left)
    return (Decision(decides(state, frame.power), frame.power, "lose", "f13.2", told),)


def _losing_candidates(state: State, frame: Losing, seat: int) -> Iterable[Group]:
    if decides(state, frame.power) != seat:
        return
    for force in frame.forces:
        yield Lose, force.power, [one for one in _open_losses(frame) if one.power == force.power]


def _losing_proceed(action: Action, frame: Losing) -> None:
    left = frame.left
    forces = list(frame.forces)
    while left > 0 and any(force.units for force in forces):
        at, kind = next(
            (at, kind) for kind in ORDER_OF_LOSSES for at, force in enumerate(forces) if _kinds(force)[kind]
        )
        count = min(left, _kinds(forces[at])[kind])
        _remove(action, frame.space, forces[at].power, kind, count)
        forces[at] = _less(forces[at], kind, count)
        left -= count
    action.pop()
    if frame.attacking:
        regulars, mercenaries, cavalry = _kinds(forces[0])
        action.change(regulars=regulars, mercenaries=mercenaries, cavalry=cavalry)


LOSING = Flow(Losing, _losing_awaits, _losing_candidates, _losing_proceed)


def _less(force: Force, kind: int, count: int) -> Force:
    kinds = list(_kinds(force))
    kinds[kind] -= count
    return Force(force.power, *kinds)


def _remove(action: Action, space: int, power: int, kind: int, count: int) -> None:
    action.emit(UnitsChanged(space, power, **{LAND_KINDS[kind]: -count}, why="f13.2"))


@forbids("f13.2", act=Lose)
def a_unit_that_can_be_lost(state: State, act: Lose) -> Facts | None:
    """Of a kind that stands there, while losses are being taken."""
    frame = state.frames[-1] if state.frames else None
    if isinstance(frame, Losing) and act in _open_losses(frame):
        return None
    return facts(power=act.power, unit=act.unit)


@carries_out(Lose)
def lose(action: Action, command: Lose) -> None:
    """One unit fewer."""
    frame: Losing = action.state.frames[-1]
    _remove(action, frame.space, command.power, command.unit, 1)
    forces = tuple(_less(force, command.unit, 1) if force.power == command.power else force for force in frame.forces)
    action.change(left=frame.left - 1, forces=forces)


# retreat


@effect("f13.3", otherwise=())
def retreat_ways(state: State, power: int, space: int) -> tuple[int, ...]:
    """Ruling `retreat_space`: adjacent friendly spaces without enemies, an ally's among them, or as the table says."""
    if state.ruling("retreat_space") == "told":
        return bits(state.world.board.adjacent[space])
    return refuges(state, power, space)


@effect("f13.3", otherwise=False)
def goes_back(state: State, power: int, came: int) -> bool:
    """A beaten attacker goes back where it came from, if no enemy stands there but a besieged one."""
    if came == NONE or state.ruling("retreat_space") == "told":
        return False
    return not enemies_in(state, power, came) or (state.besieged_by[came] >= 0 and is_outside(state, power, came))


def why_not_inside(state: State, powers: Iterable[int], space: int) -> Facts | None:
    """Why those who defend may not withdraw into the fortification (facts 12.4); None if they may."""
    here = tuple(powers)
    first = decider(state, here, space)
    if not state.world.fortified >> space & 1:
        return facts(variant="unfortified", power=first, space=space)
    owner = state.owner[space]
    if not any(together(state, power, owner) for power in here):
        return facts(variant="foreign", power=first, space=space, other=owner)
    limit = room_inside(state)
    units = units_in(state, space, here)
    if limit is not None and units > limit:
        return facts(power=first, space=space, count=units - limit)
    return None


@effect("f12.4", otherwise=None)
def room_inside(state: State) -> int | None:
    """Ruling `withdrawal_limit`: how many units find room in a fortification; None: the table says who withdraws."""
    if state.ruling("withdrawal_limit") == "told":
        return None
    return int(state.world.tables["formation"]["inside"])


def _go_inside_or_back(action: Action, frame: Battle) -> None:
    """The beaten attacker goes back; of beaten defenders the one who decides for them says whether they go inside."""
    state: State = action.state
    space = frame.space
    if not frame.attacker_wins:
        action.change(stage=4)
        if attacking_units(frame):
            units = (frame.regulars, frame.mercenaries, frame.cavalry)
            _leave(action, frame.attacker, space, frame.came, units, frame.leaders)
        return
    action.change(stage=3)
    left = [power for power in bits(frame.defenders) if units_in(state, space, (power,))]
    if not left or not attacking_units(frame) or why_not_inside(state, left, space) is not None:
        return
    power = decider(state, left, space)
    action.change(gone=1 << power)
    _ask_retreat(action, power, space, True)


def _leave(
    action: Action, power: int, space: int, came: int, units: tuple[int, int, int], leaders: tuple[int, ...]
) -> None:
    """A formation goes back where it came from, or to a space that its player names; nowhere to go: it is lost."""
    state: State = action.state
    if goes_back(state, power, came):
        action.change(refuge=came)
        action.emit(UnitsMoved(power, space, came, *units, leaders, "f13.3"))
        return
    ways = retreat_ways(state, power, space)
    if ways:
        action.push(Retreating(power, space, ways, *units, leaders))
    else:
        action.change(regulars=0, mercenaries=0, cavalry=0)
        action.emit(UnitsChanged(space, power, -units[0], -units[1], -units[2], "f13.3"))


def _ask_retreat(action: Action, power: int, space: int, inside: bool) -> None:
    regulars, mercenaries, cavalry, leaders = whole(action.state, power, space)
    ways = retreat_ways(action.state, power, space)
    if ways or inside:
        action.push(Retreating(power, space, ways, regulars, mercenaries, cavalry, leaders, inside))
    else:
        action.emit(UnitsChanged(space, power, -regulars, -mercenaries, -cavalry, "f13.3"))


def _retreat_one_by_one(action: Action, frame: Battle) -> None:
    """Each power of the beaten formation takes its own units out of the space."""
    state: State = action.state
    if frame.attacker_wins and not frame.inside and attacking_units(frame):
        for power in bits(frame.defenders & ~frame.gone):
            if units_in(state, frame.space, (power,)):
                action.change(gone=frame.gone | 1 << power)
                _ask_retreat(action, power, frame.space, False)
                return
    action.change(stage=4)


def _retreating_awaits(state: State, frame: Retreating) -> tuple[Decision, ...]:
    seat = decides(state, frame.power)
    if seat == NONE or not (frame.regulars + frame.mercenaries + frame.cavalry):
        return ()
    if len(frame.ways) + frame.inside < 2:
        return ()
    told = facts(power=frame.power, space=frame.space, spaces=frame.ways)
    return (Decision(seat, frame.power, "retreat", "f13.3", told),)


def _retreating_candidates(state: State, frame: Retreating, seat: int) -> Iterable[Group]:
    if decides(state, frame.power) == seat:
        yield Retreat, frame.power, [Retreat(frame.power, to) for to in frame.ways]
        yield WithdrawInside, frame.power, (WithdrawInside(frame.power),)


def _retreating_proceed(action: Action, frame: Retreating) -> None:
    """Only one way, or nobody who chooses."""
    if frame.inside:
        withdraw_inside.function(action, WithdrawInside(frame.power))
    else:
        retreat.function(action, Retreat(frame.power, frame.ways[0]))


RETREATING = Flow(Retreating, _retreating_awaits, _retreating_candidates, _retreating_proceed)


@forbids("f13.3", act=Retreat)
def to_a_friendly_space_beside(state: State, act: Retreat) -> Facts | None:
    """To an adjacent friendly space without enemies; in a game only when asked."""
    frame = state.frames[-1] if state.frames else None
    if isinstance(frame, Retreating):
        if frame.power == act.power and act.to in frame.ways:
            return None
        return facts(power=act.power, space=act.to)
    if state.frames and not state.sketched:
        return facts(variant="not_now", power=act.power)
    if not is_friendly(state, act.power, act.to, "retreat") or enemies_in(state, act.power, act.to):
        return facts(power=act.power, space=act.to)
    return None


@carries_out(Retreat)
def retreat(action: Action, command: Retreat) -> None:
    """The units go there, with their leaders."""
    frame: Retreating = action.state.frames[-1]
    action.pop()
    units = (frame.regulars, frame.mercenaries, frame.cavalry)
    action.emit(UnitsMoved(frame.power, frame.space, command.to, *units, frame.leaders, "f13.3"))
    if action.state.frames and isinstance(action.state.frames[-1], Battle):
        action.change(refuge=command.to)


# withdrawing inside


@forbids("defend.M3", act=WithdrawInside)
def one_decides_for_all(state: State, act: WithdrawInside) -> Facts | None:
    """Ruling `defend_decides`: one of the powers decides for the joint formation."""
    frame = state.frames[-1] if state.frames else None
    if isinstance(frame, (Attacked, Retreating)) and frame.inside and frame.power != act.power:
        return facts(power=act.power, ally=frame.power, space=frame.space)
    return None


@forbids("f12.4", act=WithdrawInside)
def into_a_fortification(state: State, act: WithdrawInside) -> Facts | None:
    """Into a fortification that the side controls, up to four units (ruling `withdrawal_limit`)."""
    frame = state.frames[-1] if state.frames else None
    if isinstance(frame, Retreating) and frame.inside:
        return None
    if isinstance(frame, Attacked):
        here = formation(state, frame.attacker, frame.space)
        why = why_not_inside(state, here, frame.space) if here else None
        if why is not None or frame.inside:
            return why
    return facts(variant="not_now", power=act.power)


@carries_out(WithdrawInside)
def withdraw_inside(action: Action, command: WithdrawInside) -> None:
    """All who defend there go in; there is no field battle, or it is over."""
    beaten = isinstance(action.state.frames[-1], Retreating)
    action.pop()
    if beaten:
        action.change(inside=True, stage=4)
    else:
        action.change(stage=6)


# leaders (facts 13.4)


@effect("f13.4", otherwise="home")
def fate_of_leaders(state: State) -> str:
    """Ruling `capture_of_leaders`: those whose side is lost are captured, or the table says who is."""
    return "captured" if state.ruling("capture_of_leaders") == "all_units_lost" else "told"


def judged_by_all(state: State) -> bool:
    """Ruling `captor_in_joint_defeat`: is the whole formation the side of the capture test?"""
    return state.ruling("captor_in_joint_defeat") == "whole_formation"


def go_home(action: Action, leader: int, why: str) -> None:
    """A leader goes to another home key space, the capital if possible; with none he waits for the next turn."""
    state: State = action.state
    power = state.world.leaders[leader].power
    if capital_possible(state, power) and state.world.capital[power] != state.leader_at[leader]:
        action.emit(LeaderMoved(leader, state.world.capital[power], why))
        return
    places = [place for place in ransom_places(state, power) if place != state.leader_at[leader]]
    action.emit(LeaderMoved(leader, places[0], why) if places else LeaderLost(leader, why))


def settle_leader(action: Action, leader: int, captor: int, space: int) -> bool:
    """One leader whose side is beaten with nobody left: captured if `captor` has units left (NONE: nobody has).

    False if the table has still to be asked.
    """
    state: State = action.state
    fate = fate_of_leaders(state) if captor != NONE else "home"
    if fate == "told":
        frame: Any = state.frames[-1]
        if not frame.told:
            action.push(Telling(teller(state, captor), "captured", 1, "f13.4", space, leader))
            return False
        fate = "captured" if frame.told[0] else "home"
        action.change(told=())
    if fate == "captured":
        action.emit(LeaderCaptured(leader, state.acting(captor)))
    else:
        go_home(action, leader, "f13.4")
    return True


def captor_among(state: State, attacker: int, powers: Iterable[int], space: int) -> int:
    """Who of a defending formation takes captives: one with units left, at war with the attacker if any is."""
    left = [power for power in powers if units_in(state, space, (power,))]
    enemies = [power for power in left if hostile(state, attacker, power)]
    return (enemies or left or [NONE])[0]


def _settle_leaders(action: Action, frame: Battle) -> None:
    """Leaders without units on the beaten side: with those who got away, else captured, else home."""
    state: State = action.state
    space, defenders = frame.space, bits(frame.defenders)
    if not frame.attacker_wins:
        captor = captor_among(state, frame.attacker, defenders, space)
        lost = [leader for leader in frame.leaders if state.leader_at[leader] == space]
        if lost and not settle_leader(action, lost[0], captor, space):
            return
        if not lost and captor == NONE:  # both sides are lost
            lost = defending_leaders(state, frame)
            if lost:
                settle_leader(action, lost[0], NONE, space)
        if not lost:
            action.change(stage=5)
        return
    stranded = [
        leader
        for leader in defending_leaders(state, frame)
        if not (frame.inside and (judged_by_all(state) or units_in(state, space, (state.leader_holder[leader],))))
    ]
    if not stranded:
        action.change(stage=5)
        return
    leader = stranded[0]
    if frame.refuge != NONE and judged_by_all(state):
        action.emit(LeaderMoved(leader, frame.refuge, "f13.3"))
    else:
        settle_leader(action, leader, frame.attacker if attacking_units(frame) else NONE, space)


def _over(action: Action, frame: Battle) -> None:
    """The move that led to the battle learns how it ended."""
    action.pop()
    below = action.state.frames[-1] if action.state.frames else None
    if isinstance(below, Moving):
        leaders = tuple(leader for leader in frame.leaders if action.state.leader_at[leader] == frame.space)
        action.change(
            stage=6,
            beaten=not frame.attacker_wins,
            regulars=frame.regulars,
            mercenaries=frame.mercenaries,
            cavalry=frame.cavalry,
            leaders=leaders,
        )
