"""Battles, losses, retreats and what they are worth (12)."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from foedus.games.sword_of_rome.alliances import allied_troops_in, is_friendly
from foedus.games.sword_of_rome.carthage import no_consequences, ship_hamilcar_home
from foedus.games.sword_of_rome.commands import (
    AskPassage,
    Attack,
    Done,
    EndElsewhere,
    PlaceSupport,
    PlayCard,
    RemoveMarker,
    RemoveSupport,
    Retreat,
    SailAct,
    SpendOnUnrest,
    TakePlunder,
)
from foedus.games.sword_of_rome.events import (
    BribePassing,
    Fought,
    LeaderMoved,
    PromiseMarked,
    PutInside,
    UnitsMoved,
    UnitsRemoved,
)
from foedus.games.sword_of_rome.frames import Attacked, BattleCards, Bribing, Campaign, Marching, Retreating, Spoils
from foedus.games.sword_of_rome.ground import CLEAR, enemy_outside, known_absent, way_kind
from foedus.games.sword_of_rome.hands import answering_cards, clockwise, has_answers, lay_down, may_hold
from foedus.games.sword_of_rome.leaders import best_leader, displace, tactics
from foedus.games.sword_of_rome.neutrals import allowed_end, asked, must_name, names_for, seat_deciding
from foedus.games.sword_of_rome.sea import flee_by_sea, passages
from foedus.games.sword_of_rome.sieges import begin_siege, check_siege
from foedus.games.sword_of_rome.state import (
    BOX,
    CITY,
    ETR,
    GAL,
    IND,
    TRA,
    TRIBE,
    State,
    kept,
    owner_masks,
    still_allowed,
)
from foedus.kernel.flow import Action, Decision, Flow, Group, carries_out
from foedus.kernel.rules import Facts, effect, excepts, facts, forbids
from foedus.kernel.unknown import NONE, UNKNOWN, Unknown
from foedus.kernel.values import bits

Modifiers = tuple[tuple[str, int], ...]


@carries_out(Attack)
def attack(action: Action, command: Attack) -> None:
    """On a sketch: the battle in that space. In play battles come about by marching."""
    for promise in action.state.promises:
        if promise.by == command.power and promise.to == command.target and promise.kept == "open":
            action.emit(PromiseMarked(command.power, command.target, promise.text, "broken"))
    if command.space == NONE or not action.state.known_troops(command.space):
        return
    state: State = action.state
    count = state.force(command.power, command.space).outside
    if not count or not state.force(command.target, command.space).outside:
        return
    leader = best_leader(state, command.power, command.space)
    frame = Attacked(command.target, command.power, command.space, NONE, count, leader, answered=True)
    fight(action, with_flank(state, frame))


@forbids("f9.4", act=Attack)
def nobody_fights_himself(state: State, act: Attack) -> Facts | None:
    """One's own troops are no enemy, and independents have no army."""
    if act.power == act.target:
        return facts(variant="itself", power=act.power)
    if act.target == IND:
        return facts(variant="nobody", power=act.power)
    return None


@forbids("f9.4", act=Attack)
def there_must_be_an_enemy(state: State, act: Attack) -> Facts | None:
    """In the space named, if it is known who stands there."""
    if act.space == NONE or not state.known_troops(act.space) or act.target == IND:
        return None
    if not state.force(act.target, act.space).outside:
        return facts(variant="absent", power=act.power, target=act.target, space=act.space)
    return None


@effect("9.5.6", otherwise=0)
def flank_bonus(state: State) -> int:
    """A flanking force adds one to the roll, and half its CU to the army's size (facts 9.6)."""
    return 1


def with_flank(state: State, attacked: Attacked) -> Attacked:
    """The battle with the flanking force that a Campaign brought beside it."""
    for frame in reversed(state.frames):
        if isinstance(frame, Campaign) and frame.flank_battle == attacked.space and frame.flank != NONE:
            if frame.flank_space == attacked.came:
                break  # it must come by another way (facts 9.6)
            return replace(attacked, flank=frame.flank, flank_space=frame.flank_space, flank_count=frame.flank_count)
    return attacked


# 12.1 the sequence


@effect("f12.1", otherwise=False)
def overwhelms_without_its_flank(state: State) -> bool:
    """An automatic victory is looked for before a flanking force is brought in, and before anybody rolls."""
    return True


@effect("f7.8", otherwise=None)
def bribe_window(state: State, frame: Attacked) -> Bribing | None:
    """The moment for an Etruscan bribe: after the reactions, before an Etruscan army comes to battle.

    By what all can see: the mines still pay, and the player has cards.
    """
    seat = state.controller[ETR]
    if state.depleted or seat == NONE or ETR not in (frame.power, frame.attacker) or frame.sortie:
        return None
    if not has_answers(state, seat):
        return None
    march = state.frames[-1] if state.frames else None
    if not isinstance(march, Marching) or march.power != frame.attacker or march.at != frame.space:
        return None
    if frame.attacker == ETR:
        return Bribing(ETR, frame.power, frame.space, True)
    if frame.came == NONE or frame.intercepted or not _may_go_back(state, frame.attacker, frame.came):
        return None
    return Bribing(ETR, frame.attacker, frame.space, False)


def _may_go_back(state: State, power: int, came: int) -> bool:
    """May a bribed army end where it came from: no box, no ally's troops there, no limit of 16.3?"""
    if state.kinds[came] == BOX or allied_troops_in(state, power, came) != NONE:
        return False
    return not state.is_npp(power) or not allowed_end(state, power, came)


def end_bribe(action: Action) -> None:
    """The Etruscan army goes on, or stops: only the CU that it met take it for an ally's."""
    for other in bits(action.state.bribed):
        action.emit(BribePassing(ETR, other, False))


# cards played in battle


BATTLE_EFFECTS = ("valour", "dismay", "fourth_die", "bloodless", "flight")
"""The effects of cards that are played when a battle is about to be rolled for."""


@effect("f7.5", otherwise=())
def asked_for_battle_cards(state: State, frame: Attacked) -> tuple[int, ...]:
    """The players of the two sides who could hold such a card, the active one first, then clockwise."""
    sides = {state.controller[power] for power in (frame.attacker, frame.power, frame.flank) if power != NONE}
    return tuple(
        seat for seat in clockwise(state) if seat in sides and any(may_hold(state, seat, one) for one in BATTLE_EFFECTS)
    )


@effect("f12.2", otherwise=0)
def by_cards(state: State, frame: Attacked, attacking: bool) -> int:
    """What the cards played in this battle add to a side's roll, or take from it."""
    total = 0
    for seat, card in frame.cards:
        face = state.world.cards[card]
        own = attacks(state, frame, seat) == attacking
        if face.effect == "valour" and own:
            total += face.amount
        elif face.effect == "dismay" and not own:
            total -= face.amount
    return total


def attacks(state: State, frame: Attacked, seat: int) -> bool:
    """Is the seat on the attacker's side?"""
    return seat in (state.controller[frame.attacker], state.controller[frame.flank] if frame.flank != NONE else NONE)


def has_card(state: State, frame: Attacked, effect_name: str, attacking: bool | None = None) -> bool:
    """Was a card of that effect played in this battle (by one side)?"""
    return any(
        state.world.cards[card].effect == effect_name and attacking in (None, attacks(state, frame, seat))
        for seat, card in frame.cards
    )


# 12.2 modifiers


@effect("f12.2", otherwise=False)
def modifiers_count(state: State) -> bool:
    """Tactics, friendly ground and the way over which one attacks count in battle."""
    return True


@effect("15.2.e2", otherwise=0)
def on_allied_ground(state: State, power: int, space: int) -> int:
    """An army in ally-controlled territory has +1; each side is judged by itself."""
    owner = state.owner_of(space)
    return 1 if owner not in (power, IND) and is_friendly(state, power, space) else 0


AUTOMATIC = 99
"""The ratio of an automatic victory."""


@effect("f12.3", otherwise=0)
def force_ratio(state: State, larger: int, smaller: int) -> int:
    """The bonus of the larger army, or `AUTOMATIC` (facts 12.3, provisional)."""
    table = state.world.tables["force_ratio"]
    percent = 100 * larger // max(1, smaller)
    if percent >= int(table["automatic"]):
        return AUTOMATIC
    return max(int(bonus) for least, bonus in table["steps"] if percent >= int(least))


def modifiers(state: State, frame: Attacked, attacking: bool, size: int, other: int) -> Modifiers:
    """The modifiers of one side, each with the clause it comes from."""
    power = frame.attacker if attacking else frame.power
    space = frame.space
    mine = _tactics(state, frame, attacking)
    theirs = _tactics(state, frame, not attacking)
    count = modifiers_count(state)
    found: list[tuple[str, int]] = []
    if size > other:
        ratio = force_ratio(state, size, other)
        if ratio == AUTOMATIC and (attacking and frame.flank != NONE):
            ratio = max(int(bonus) for _, bonus in state.world.tables["force_ratio"]["steps"])
        found.append(("f12.3", ratio))
    if mine > theirs and count:
        found.append(("f12.2", mine - theirs))
    if state.owner_of(space) == power and count:
        found.append(("f12.2", 1))
    found.append(("15.2.e2", on_allied_ground(state, power, space)))
    found.append(("f7.5", by_cards(state, frame, attacking)))
    if attacking:
        if frame.flank != NONE:
            found.append(("9.5.6", flank_bonus(state)))
        over_land = frame.came != NONE and not landed(state, frame)
        if over_land and way_kind(state, power, frame.came, space) not in (CLEAR, NONE) and count:
            found.append(("f12.2", -2))
    else:
        if frame.intercepted:
            found.append(("f10.4", 1))
        if frame.tried:
            found.append(("f11.1", -1))
    return tuple((clause, value) for clause, value in found if value)


def landed(state: State, frame: Attacked) -> bool:
    """Has the attacker just come by sea?"""
    march = next((one for one in reversed(state.frames) if isinstance(one, Marching)), None)
    if march is None or march.power != frame.attacker or march.at != frame.space or not march.sea:
        return False
    return frame.came != NONE and bool(state.world.board.ports[frame.came])


def _tactics(state: State, frame: Attacked, attacking: bool) -> int:
    power = frame.attacker if attacking else frame.power
    leader = frame.leader if attacking and frame.leader >= 0 else best_leader(state, power, frame.space)
    return tactics(state, leader)


# 12.4 losses


@effect("f12.4", otherwise=0)
def losses(state: State, dice: tuple[int, ...], size: int, winner: bool) -> int:
    """CU that a side's unmodified dice cost the other (facts 12.4); `size` is that of the side that rolled."""
    total = 0
    for die in dice:
        if die == 6:
            total += 2 if winner else 1
        elif die == 5 and size >= 2:
            total += 2 if winner else 1
        elif die == 4 and size >= 3:
            total += 1
    return total


@effect("f12.4", otherwise=0)
def own_losses(state: State, dice: tuple[int, ...]) -> int:
    """Derived from the examples, not printed: each 1 that the loser rolls costs himself a CU."""
    return dice.count(1)


def fight(action: Action, frame: Attacked) -> None:
    """One battle (12.1): a bribe, automatic victory, the flanking force, rolls, losses, and what follows."""
    state: State = action.state
    attacker, defender, space = frame.attacker, frame.power, frame.space
    if not frame.settled:
        window = bribe_window(state, frame)
        if window is not None:
            action.push(replace(frame, settled=True, answered=True))
            action.push(window)
            return
    strength = state.force(attacker, space).outside
    own = min(frame.count, strength) or strength
    flank = (frame.flank_count + 1) // 2 if frame.flank != NONE and flank_bonus(state) else 0
    defence_size = state.force(defender, space).outside
    attack_size = own + flank
    alone = own if overwhelms_without_its_flank(state) else attack_size
    larger, smaller = max(alone, defence_size), min(alone, defence_size)
    if larger > smaller and force_ratio(state, larger, smaller) == AUTOMATIC:
        wins = alone > defence_size
        attack_mods: Modifiers = (("f12.3", AUTOMATIC),) if wins else ()
        defence_mods: Modifiers = () if wins else (("f12.3", AUTOMATIC),)
        lost = (0, defence_size) if wins else (own, 0)
        _after(action, frame, wins, 0, 0, attack_mods, defence_mods, lost, own)
        return
    if not frame.carded:
        seats = asked_for_battle_cards(state, frame)
        if seats:
            action.push(replace(frame, settled=True, answered=True, carded=True))
            action.push(BattleCards(seats, attacker, defender, space))
            return
    attack_mods = modifiers(state, frame, True, attack_size, defence_size)
    defence_mods = modifiers(state, frame, False, defence_size, attack_size)
    attack_dice = action.roll("battle, attacker", 3 + has_card(state, frame, "fourth_die", True))
    defence_dice = action.roll("battle, defender", 3 + has_card(state, frame, "fourth_die", False))
    total = sum(attack_dice) + sum(value for _, value in attack_mods)
    against = sum(defence_dice) + sum(value for _, value in defence_mods)
    wins = total > against
    winner_dice, loser_dice = (attack_dice, defence_dice) if wins else (defence_dice, attack_dice)
    winner_size, loser_size = (attack_size, defence_size) if wins else (defence_size, attack_size)
    loser_lost = losses(state, winner_dice, winner_size, True) + own_losses(state, loser_dice)
    winner_lost = losses(state, loser_dice, loser_size, False)
    if has_card(state, frame, "bloodless"):
        loser_lost = winner_lost = 0
    lost = (winner_lost, loser_lost) if wins else (loser_lost, winner_lost)
    _after(action, frame, wins, total, against, attack_mods, defence_mods, lost, own)


def shared_losses(frame: Attacked, own: int, lost: int) -> tuple[int, int]:
    """The attacker's losses, of the primary army and of the flanking one: evenly, the odd one to the primary.

    What one of them has not left to lose, the other loses.
    """
    flank = frame.flank_count if frame.flank != NONE else 0
    flank_lost = min(lost // 2, flank)
    primary_lost = min(own, lost - flank_lost)
    return primary_lost, min(flank, lost - primary_lost)


def _after(
    action: Action,
    frame: Attacked,
    wins: bool,
    total: int,
    against: int,
    attack_mods: Modifiers,
    defence_mods: Modifiers,
    lost: tuple[int, int],
    own: int,
) -> None:
    state: State = action.state
    attacker, defender, space = frame.attacker, frame.power, frame.space
    defence_size = state.force(defender, space).outside
    automatic = any(value == AUTOMATIC for _, value in (*attack_mods, *defence_mods))
    primary_lost, flank_lost = (lost[0], 0) if automatic else shared_losses(frame, own, lost[0])
    defence_lost = min(defence_size, lost[1])
    winner, loser = (attacker, defender) if wins else (defender, attacker)
    by_sea = landed(state, frame)
    action.emit(
        Fought(
            attacker,
            defender,
            space,
            total,
            against,
            attack_mods,
            defence_mods,
            winner,
            primary_lost + flank_lost,
            defence_lost,
            frame.flank,
        )
    )
    for power, where, count in (
        (attacker, space, primary_lost),
        (frame.flank, frame.flank_space, flank_lost),
        (defender, space, defence_lost),
    ):
        if count:
            action.emit(UnitsRemoved(power, where, count, 0, "f12.4"))
            displace(action, power, where)
    ally = frame.flank if frame.flank not in (NONE, attacker) else NONE
    masks = owner_masks(state)
    action.push(
        Spoils(
            winner,
            loser,
            0,
            lost=defence_lost if wins else primary_lost + flank_lost,
            settled=False,
            space=space,
            other=ally if not wins else NONE,
            ally=ally if wins else NONE,
            held=masks[winner],
            ally_held=masks[ally] if wins and ally != NONE else 0,
            overrun=automatic and wins,
            barren=has_card(state, frame, "flight"),
        )
    )
    if not wins and frame.flank != NONE and action.state.force(frame.flank, frame.flank_space).outside:
        action.push(Retreating(frame.flank, winner, frame.flank_space, NONE, False, 0))
    if action.state.force(loser, space).outside:
        sortie = frame.sortie and not wins
        action.push(Retreating(loser, winner, space, frame.came, not wins, 0, sea=by_sea and not wins, sortie=sortie))
    check_siege(action, space)
    ship_hamilcar_home(action, loser, space)


# 12.5 retreat


Way = tuple[int, tuple[int, ...]]
"""The losses of a way that an army could retreat, and the spaces it enters."""


def retreat_ways(state: State, frame: Retreating) -> dict[int, tuple[Way, ...]]:
    """The nearest legal ends of a retreat by land that any CU would reach, each with the way that costs least.

    Behind it come other ways of the same length on which other CU of the army's own are met and swept along. Facts
    12.5 and 12.7.
    """
    key = (state.owner, state.forces, state.allies, state.rulings, frame)
    return kept(state, "retreat ways", key, lambda: _find_ways(state, frame))


def _find_ways(state: State, frame: Retreating) -> dict[int, tuple[Way, ...]]:
    power = frame.power
    paths: list[tuple[int, int, tuple[int, ...]]] = [(state.force(power, frame.space).outside, 0, (frame.space,))]
    for step in range(int(state.world.tables["movement"]["retreat"])):
        after: list[tuple[int, int, tuple[int, ...]]] = []
        found: dict[int, dict[frozenset[int], Way]] = {}
        for count, lost, path in paths:
            for way in state.world.board.neighbours[path[-1]]:
                if way.to in path or not _may_retreat(state, frame, path[-1], way.to, step):
                    continue
                price = min(count, price_of_entering(state, power, way.to))
                left, dead = count - price, lost + price
                if not left:
                    continue  # nobody would be left to arrive
                if _ends_retreat(state, power, way.to, left):
                    met = frozenset(one for one in path[1:] if state.force(power, one).outside)
                    ways = found.setdefault(way.to, {})
                    if met not in ways or dead < ways[met][0]:
                        ways[met] = (dead, (*path[1:], way.to))
                    continue
                after.append((left + state.force(power, way.to).outside, dead, (*path, way.to)))
        if found:
            return {to: _cheapest_first(ways) for to, ways in found.items()}
        paths = after
    return {}


def _cheapest_first(ways: dict[frozenset[int], Way]) -> tuple[Way, ...]:
    return tuple(way for _, way in sorted(ways.items(), key=lambda one: (one[1][0], len(one[0]))))


def longer_retreats(state: State, frame: Retreating) -> list[Retreat]:
    """The retreats by another way than the cheapest, which its owner may prefer for the CU met on it."""
    power, space = frame.power, frame.space
    if frame.sortie or returns_by_sea(state, frame):
        return []
    every = retreat_ways(state, frame).items()
    return [Retreat(power, space, to, path=path) for to, ways in every for _, path in ways[1:]]


def _may_retreat(state: State, frame: Retreating, here: int, to: int, step: int) -> bool:
    """May the army take this way: clear, an attacker first back to where he came from, a defender never there?"""
    if state.kinds[to] == BOX or not state.may_enter(to):
        return False
    if not frame.attacker and to == frame.came:
        return False
    back = frame.attacker and step == 0 and frame.came != NONE and not frame.sea
    if back and to != frame.came:
        return False
    kind = way_kind(state, frame.power, here, to)
    return kind == CLEAR or (back and kind != NONE and state.ruling("attacker_back_over_rough") == "back_the_way")


def _ends_retreat(state: State, power: int, space: int, count: int) -> bool:
    if enemy_outside(state, power, space) != NONE or not shelter(state, power, space, count):
        return False
    return still_allowed(state, EndElsewhere(power, space, "retreat"))


@effect("15.2.e1", otherwise=False)
def allied_ground_shelters(state: State, power: int, owner: int) -> bool:
    """Beaten troops may end a retreat in ally-controlled territory."""
    return owner != IND and state.are_allied(power, owner)


def shelter(state: State, power: int, space: int, count: int) -> bool:
    """Does a space end a retreat: friendly-controlled, or with own CU that outnumber the retreating?"""
    owner = state.owner_of(space)
    if owner == power or allied_ground_shelters(state, power, owner):
        return True
    return state.force(power, space).outside > count


@effect("f12.7", otherwise=0)
def price_of_entering(state: State, power: int, space: int) -> int:
    """One CU for an enemy marker, city or tribe, and one for each enemy CU there."""
    price = 1 if _hostile_ground(state, power, space) else 0
    if state.known_troops(space):
        for force in state.troops(space):
            if force.power != power and not state.are_allied(power, force.power):
                price += force.outside + force.inside
    return price


def _hostile_ground(state: State, power: int, space: int) -> bool:
    owner = state.owner[space]
    if owner in (UNKNOWN, power):
        return False
    if owner == IND:
        return state.kinds[space] in (CITY, TRIBE)
    return not is_friendly(state, power, space)


@effect("f12.6", otherwise=False)
def into_ones_city(state: State, frame: Retreating) -> bool:
    """May the beaten go into their own city where they stand: defenders up to 3 CU, and a sortie goes back in?"""
    power, space = frame.power, frame.space
    if state.kinds[space] != CITY or state.owner_of(space) != power or (frame.attacker and not frame.sortie):
        return False
    inside = sum(force.inside for force in state.troops(space))
    return state.force(power, space).outside + inside <= int(state.world.tables["movement"]["inside"])


def retreat_goals(state: State, frame: Retreating) -> tuple[int, ...]:
    """The legal ends of a retreat but those by sea with a card.

    The space itself stands for going into one's own city. Who has just landed goes back by sea, if he can.
    """
    goals = (frame.space,) if into_ones_city(state, frame) else ()
    if frame.sortie and goals:
        return goals
    back = frame.sea and not frame.turned_back
    if back and _ends_retreat(state, frame.power, frame.came, state.force(frame.power, frame.space).outside):
        return (*goals, frame.came)
    return (*goals, *sorted(retreat_ways(state, frame)))


def sea_retreats(state: State, frame: Retreating) -> list[Retreat]:
    """The retreats by sea that an army in a port could try with a card (9.6.3), or Carthage without."""
    power, space = frame.power, frame.space
    board = state.world.board
    if not board.port_mask >> space & 1 or frame.sortie or frame.turned_back or returns_by_sea(state, frame):
        return []
    seat = state.controller[power]
    cards = [NONE] if seat == NONE else answering_cards(state, seat)
    ports = [to for to in range(len(state.owner)) if board.port_mask >> to & 1 and to != space]
    ends = [to for to in ports if is_friendly(state, power, to) and _ends_retreat(state, power, to, 0)]
    return [Retreat(power, space, to, 1, card) for to in ends for card in cards if card != UNKNOWN]


def returns_by_sea(state: State, frame: Retreating) -> bool:
    """Does the army go back over the sea to where it came from? Who has just landed needs no further card."""
    return frame.sea and not frame.turned_back and frame.came in retreat_goals(state, frame)


@forbids("f12.5", act=Retreat)
def where_a_retreat_goes(state: State, act: Retreat) -> Facts | None:
    """To one of the nearest legal spaces, or by sea to a friendly port."""
    frame = state.frames[-1] if state.frames else None
    if isinstance(frame, Retreating):
        if (frame.power, frame.space) != (act.power, act.start) or frame.done:
            return facts(variant="not_now", power=act.power)
        if act.path:
            known = act in longer_retreats(state, frame)
            return None if known else facts(variant="path", power=act.power, to_space=act.to)
        if act.sea:
            return None if act in sea_retreats(state, frame) else facts(variant="sea", power=act.power, to_space=act.to)
        return None if act.to in retreat_goals(state, frame) else facts(power=act.power, to_space=act.to)
    if not state.sketched or act.path:
        return facts(variant="not_now", power=act.power)
    if known_absent(state, act.power, act.start):
        return facts(variant="nobody", power=act.power, space=act.start)
    if enemy_outside(state, act.power, act.to) != NONE:
        return facts(variant="units", power=act.power, to_space=act.to)
    owner = state.owner_of(act.to)
    goals = _goals_told(state, act)
    if goals is not None:
        if act.to not in goals and not still_allowed(state, EndElsewhere(act.power, act.to, "retreat")):
            return None  # other rules say why not
        own = owner == act.power or state.force(act.power, act.to).outside
        return None if act.to in goals and own else facts(power=act.power, to_space=act.to)
    if owner == act.power or not state.known_troops(act.to) or state.force(act.power, act.to).outside:
        return None
    return facts(power=act.power, to_space=act.to)


def _goals_told(state: State, act: Retreat) -> tuple[int, ...] | None:
    """The ends of a retreat that a position is asked for, from wherever the enemy came; None if it tells too little."""
    if not state.known_troops(act.start) or not state.known_troops(act.to):
        return None
    try:
        return retreat_goals(state, Retreating(act.power, NONE, act.start, NONE, False, 0))
    except Unknown:
        return None


@excepts("15.2.e1", to="f12.5", act=Retreat)
def a_retreat_into_allied_ground(state: State, act: Retreat) -> Facts | None:
    """An ally's ground is a legal end."""
    if not state.sketched or (state.frames and isinstance(state.frames[-1], Retreating)):
        return None
    if known_absent(state, act.power, act.start):
        return None
    owner = state.owner_of(act.to)
    goals = _goals_told(state, act)
    if goals is not None and act.to not in goals:
        return None
    if enemy_outside(state, act.power, act.to) == NONE and allied_ground_shelters(state, act.power, owner):
        return facts(power=act.power, ally=owner, space=act.to)
    return None


def entail_retreat(state: State, command: Retreat) -> Iterable[tuple[State, object]]:
    """Retreating, the ships and the card it takes by sea, and ending there."""
    yield state, command
    if command.sea:
        power = command.power
        yield state, SailAct(power, command.start, command.to, state.force(power, command.start).outside, command.card)
        if state.controller[power] != NONE:
            yield state, PlayCard(power, command.card, "", True)
    yield state, EndElsewhere(command.power, command.to, "retreat")


def _may_sail(state: State, frame: Retreating) -> bool:
    """Might the army retreat by sea, by what all can see?"""
    seat = state.controller[frame.power]
    if seat != NONE:
        if not has_answers(state, seat):
            return False
        hands = tuple((UNKNOWN,) if one == seat else hand for one, hand in enumerate(state.hands))
        state = replace(state, hands=hands)
    return bool(_sea_ends(state, frame))


def _may_be_carried(state: State, frame: Retreating) -> bool:
    """Five players: might an ally of Carthage ask it for ships?"""
    asking = passages(state, frame.power, frame.space)
    return bool(asking) and any(still_allowed(state, one) for one in asking)


def _sea_ends(state: State, frame: Retreating) -> tuple[int, ...]:
    power, space = frame.power, frame.space
    mask = state.world.board.port_mask
    if not mask >> space & 1 or frame.sortie or frame.turned_back or returns_by_sea(state, frame):
        return ()
    count = state.force(power, space).outside
    return tuple(
        to
        for to in range(len(state.owner))
        if mask >> to & 1
        and to != space
        and is_friendly(state, power, to)
        and _ends_retreat(state, power, to, 0)
        and still_allowed(state, SailAct(power, space, to, count, NONE))
    )


def _retreat_awaits(state: State, frame: Retreating) -> tuple[Decision, ...]:
    if frame.done:
        return ()
    goals = retreat_goals(state, frame)
    ways = len(goals) + len(longer_retreats(state, frame))
    if ways < 2 and not _may_sail(state, frame) and not _may_be_carried(state, frame):
        return ()
    return asked(state, frame.power, "retreat", "f12.5", facts(power=frame.power, spaces=goals))


def _retreat_candidates(state: State, frame: Retreating, seat: int) -> Iterable[Group]:
    if frame.done or seat_deciding(state, frame.power) != seat:
        return
    if must_name(state, frame.power):
        yield from names_for(state, frame.power, seat)
        return
    power, space = frame.power, frame.space
    goals = [Retreat(power, space, to) for to in retreat_goals(state, frame)]
    yield Retreat, power, [*goals, *longer_retreats(state, frame), *sea_retreats(state, frame)]
    yield AskPassage, power, passages(state, power, space)
    yield Done, power, (Done(power),)


@forbids("f12.5", act=Done)
def an_army_must_retreat(state: State, act: Done) -> Facts | None:
    """A beaten army stands where it is, and is lost, only if it has nowhere to go by land."""
    frame = state.frames[-1] if state.frames else None
    if not isinstance(frame, Retreating) or frame.power != act.power:
        return None
    goals = retreat_goals(state, frame)
    return facts(variant="must", power=act.power, to_space=goals[0]) if goals else None


def _retreat_proceed(action: Action, frame: Retreating) -> None:
    if frame.done:
        action.pop()
        below = action.state.frames[-1] if action.state.frames else None
        if isinstance(below, (Retreating, Spoils)):
            action.change(lost=below.lost + frame.lost)
        return
    goals = retreat_goals(action.state, frame)
    if goals and not carry_retreat(action, frame.power, frame.space, goals[0]):
        action.change(turned_back=True)
        return
    if not goals:
        give_up(action, frame)
    action.change(done=True)


def give_up(action: Action, frame: Retreating) -> None:
    """Facts 12.7: an army with no legal retreat is destroyed."""
    lost = action.state.force(frame.power, frame.space).outside
    action.emit(UnitsRemoved(frame.power, frame.space, lost, 0, "f12.7"))
    displace(action, frame.power, frame.space)
    check_siege(action, frame.space)
    action.change(lost=frame.lost + lost)


RETREATING = Flow(Retreating, _retreat_awaits, _retreat_candidates, _retreat_proceed)


@carries_out(Retreat)
def retreat(action: Action, command: Retreat) -> None:
    """The army goes there, and pays for enemy ground on the way."""
    power, start, to = command.power, command.start, command.to
    if command.sea:
        if command.card >= 0:
            lay_down(action, action.state.controller[power], command.card, "retreat")
        gone = sail_back(action, power, start, to)
    else:
        gone = carry_retreat(action, power, start, to, command.path)
    if action.state.frames and isinstance(action.state.frames[-1], Retreating):
        action.change(**{"done" if gone else "turned_back": True})


def sail_back(action: Action, power: int, start: int, to: int) -> bool:
    """The whole army goes from port to port, as far as the sea lets it. False: it was turned back."""
    before = action.state.force(power, start).outside
    if not flee_by_sea(action, power, start, to):
        return False
    state: State = action.state
    left = state.force(power, start).outside
    leaders = [one for one in state.leaders_in(start, power) if not state.leader_inside >> one & 1]
    if left:
        action.emit(UnitsMoved(power, start, to, left))
        for leader in leaders:
            action.emit(LeaderMoved(leader, to))
    else:
        displace(action, power, start)
    check_siege(action, start)
    frame = action.state.frames[-1] if action.state.frames else None
    if left < before and isinstance(frame, Retreating):
        action.change(lost=frame.lost + before - left)
    return True


def carry_retreat(action: Action, power: int, start: int, to: int, path: tuple[int, ...] = ()) -> bool:
    """Move the beaten army into its city, back over the sea, or along the way, CU met there swept along.

    False: it was turned back at sea.
    """
    state: State = action.state
    if start == to:
        action.emit(PutInside(power, start, state.force(power, start).outside, "f12.6"))
        for leader in state.leaders_in(start, power):
            action.emit(LeaderMoved(leader, start, True))
        check_siege(action, start)
        return True
    frame = state.frames[-1] if state.frames else None
    if not isinstance(frame, Retreating):
        frame = Retreating(power, NONE, start, NONE, False, 0)
    ways = retreat_ways(state, frame)
    if to not in ways and frame.sea and to == frame.came:
        return sail_back(action, power, start, to)
    route = path or (ways[to][0][1] if to in ways else (to,))
    lost = _follow(action, power, start, route)
    if isinstance(frame, Retreating) and action.state.frames and isinstance(action.state.frames[-1], Retreating):
        action.change(lost=frame.lost + lost)
    return True


def _follow(action: Action, power: int, start: int, route: tuple[int, ...]) -> int:
    """The army goes along the route, CU met on the way with it. The CU that it loses."""
    state: State = action.state
    parts = [(start, state.force(power, start).outside)]
    total = 0
    for space in route:
        price = min(sum(count for _, count in parts), price_of_entering(state, power, space))
        total += price
        for index, (at, count) in enumerate(parts):
            dead = min(price, count)
            if dead:
                action.emit(UnitsRemoved(power, at, dead, 0, "f12.7"))
                parts[index], price = (at, count - dead), price - dead
        met = state.force(power, space).outside
        if not any(count for _, count in parts):
            break
        if met and space != route[-1]:
            parts.append((space, met))
    for at, count in parts:
        leaders = [one for one in state.leaders_in(at, power) if not state.leader_inside >> one & 1]
        if count:
            action.emit(UnitsMoved(power, at, route[-1], count))
            for leader in leaders:
                action.emit(LeaderMoved(leader, route[-1]))
        else:
            displace(action, power, at)
        check_siege(action, at)
    return total


# 12.8 political consequences


@effect("f12.8", otherwise=0)
def points_won(state: State, lost: int) -> int:
    """Half of the CU that the loser really lost, rounded up."""
    return (lost + 1) // 2


def _spoils_awaits(state: State, frame: Spoils) -> tuple[Decision, ...]:
    if frame.points < 1 or not frame.settled:
        return ()
    why = facts(power=frame.winner, loser=frame.loser, points=frame.points)
    return asked(state, frame.winner, "spoils", "f12.8", why)


def _spoils_candidates(state: State, frame: Spoils, seat: int) -> Iterable[Group]:
    if frame.points < 1 or not frame.settled or seat_deciding(state, frame.winner) != seat:
        return
    winner = frame.winner
    if must_name(state, winner):
        yield from names_for(state, winner, seat)
        return
    losers = (frame.loser, frame.other) if frame.other != NONE else (frame.loser,)
    theirs = [space for space, owner in enumerate(state.owner) if owner in losers]
    kinds = state.kinds
    yield RemoveMarker, winner, [RemoveMarker(winner, s, "battle") for s in theirs if kinds[s] != CITY]
    yield RemoveSupport, winner, [RemoveSupport(winner, s, "battle") for s in theirs if kinds[s] == CITY]
    yield PlaceSupport, winner, [PlaceSupport(winner, s, by="battle") for s in support_places(state, winner, ())]
    if frame.ally != NONE:
        places = support_places(state, frame.ally, losers)
        yield PlaceSupport, winner, [PlaceSupport(winner, s, frame.ally, "battle") for s in places]
    if winner in (GAL, TRA):
        yield TakePlunder, winner, (TakePlunder(winner),)
    if state.world.players == 5:
        yield SpendOnUnrest, winner, (SpendOnUnrest(winner),)
    yield Done, winner, (Done(winner),)


def support_places(state: State, power: int, losers: tuple[int, ...]) -> list[int]:
    """Where a power could place support after a victory; an ally of the winner also on the markers of the losers."""
    kinds = state.kinds
    found = []
    for space, owner in enumerate(state.owner):
        if owner == power:
            if kinds[space] == CITY:
                found.append(space)
        elif any(one.power == power for one in state.forces[space]) or state.world.home[space] == power:
            found.append(space)
        elif owner in losers and kinds[space] != CITY:
            found.append(space)
    return found


def _spoils_proceed(action: Action, frame: Spoils) -> None:
    """The retreats are over: a siege begins where the winner stands, and the losses have become points."""
    state: State = action.state
    if not frame.settled:
        if frame.space != NONE and state.known_troops(frame.space) and state.force(frame.winner, frame.space).outside:
            if enemy_outside(state, frame.winner, frame.space) == NONE:
                check_siege(action, frame.space)
                begin_siege(action, frame.winner, frame.space)
        none = frame.barren or no_consequences(state, frame.winner, frame.space)
        won = 0 if none else points_won(state, frame.lost)
        action.change(settled=True, points=won)
        return
    action.pop()
    march = action.state.frames[-1] if action.state.frames else None
    if frame.overrun and isinstance(march, Marching) and (march.power, march.at) == (frame.winner, frame.space):
        action.change(fought=False, stage=2)  # an automatic victory: the mover goes on (facts 12.3)


SPOILS = Flow(Spoils, _spoils_awaits, _spoils_candidates, _spoils_proceed)


@forbids("f12.8", act=(RemoveSupport, RemoveMarker, PlaceSupport))
def spoils_only_after_a_battle(state: State, act: RemoveSupport | RemoveMarker | PlaceSupport) -> Facts | None:
    """What a battle brings is taken right after it, from the loser."""
    if act.by != "battle" and (state.sketched or not isinstance(act, RemoveSupport)):
        return None
    frame = state.frames[-1] if state.frames else None
    if frame is None and state.sketched:
        return None
    if not isinstance(frame, Spoils) or frame.winner != act.power or frame.points < 1 or act.by != "battle":
        return facts(power=act.power)
    if not isinstance(act, PlaceSupport) and not _a_loser(state, frame, act.space):
        return facts(variant="loser", power=act.power, loser=frame.loser)
    return None


def _a_loser(state: State, frame: Spoils, space: int) -> bool:
    owner = state.owner_of(space)
    return owner == frame.loser or (owner == frame.other and from_either_loser(state))


@effect("f15.34", otherwise=False)
def from_either_loser(state: State) -> bool:
    """After a defeat with an ally's flanking force the winner takes support from either of the two, or both."""
    return True


@excepts("f15.34", to="15.2.n", act=PlaceSupport)
def support_for_the_ally_on_the_flank(state: State, act: PlaceSupport) -> Facts | None:
    """After a victory with an ally's flanking force support may be placed for that ally."""
    frame = state.frames[-1] if state.frames else None
    if not isinstance(frame, Spoils) or act.by != "battle" or frame.ally in (NONE, act.power):
        return None
    return facts(power=act.power, ally=frame.ally, space=act.space) if act.on_behalf == frame.ally else None
