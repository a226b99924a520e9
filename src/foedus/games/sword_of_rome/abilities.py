"""What some powers alone may do: Roman colonies (7.7) and Etruscan bribes (7.8); and sorties (12.6)."""

from __future__ import annotations

from collections.abc import Iterable

from foedus.games.sword_of_rome.battle import BATTLE_EFFECTS, with_flank
from foedus.games.sword_of_rome.commands import (
    Activate,
    Attack,
    Bribe,
    EndMovement,
    FoundColony,
    Intercept,
    NoBattleCard,
    NoBribe,
    PlayCard,
    PlayInBattle,
    Sortie,
)
from foedus.games.sword_of_rome.events import (
    Bribed,
    BribePassing,
    ColonyFounded,
    LeaderMoved,
    UnitsMoved,
    UnitsRemoved,
)
from foedus.games.sword_of_rome.frames import Attacked, BattleCards, Bribing, Marching
from foedus.games.sword_of_rome.hands import answering_cards, lay_down
from foedus.games.sword_of_rome.leaders import displace
from foedus.games.sword_of_rome.movement import activate, legal_end_in_reach, npp_moves
from foedus.games.sword_of_rome.neutrals import asked
from foedus.games.sword_of_rome.sieges import check_siege
from foedus.games.sword_of_rome.state import CITY, ETR, ROM, SPACE, State
from foedus.kernel.flow import Action, Decision, Flow, Group, carries_out
from foedus.kernel.rules import Facts, facts, forbids, permits
from foedus.kernel.unknown import NONE, UNKNOWN

# 7.7 Roman colonies

COLONISTS = 3
"""CU that a founding army needs (facts 7.7)."""


@forbids("f7.7", act=FoundColony)
def where_a_colony_is_founded(state: State, act: FoundColony) -> Facts | None:
    """By an activated Roman army of three CU or more that began on a Roman marker, instead of moving."""
    if act.power != ROM:
        return facts(variant="who", power=act.power)
    if state.kinds[act.space] != SPACE or state.owner_of(act.space) != ROM:
        return facts(variant="where", power=act.power, space=act.space)
    frame = state.frames[-1] if state.frames else None
    if state.sketched and not isinstance(frame, Marching):
        count = state.force(ROM, act.space).outside if state.known_troops(act.space) else COLONISTS
    elif isinstance(frame, Marching) and (frame.power, frame.at) == (ROM, act.space) and not frame.moved:
        if frame.fought or frame.halted or frame.stage or frame.planned:
            return facts(variant="not_now", power=act.power, space=act.space)
        count = min(frame.count, state.force(ROM, act.space).outside)
    else:
        return facts(variant="not_now", power=act.power, space=act.space)
    return facts(variant="few", power=act.power, space=act.space, count=count) if count < COLONISTS else None


def entail_colony(state: State, command: FoundColony) -> Iterable[tuple[State, object]]:
    """Founding a colony, and ending the movement there."""
    yield state, command
    yield state, EndMovement(command.power, command.space)


@permits("f7.7", act=FoundColony)
def a_colony(state: State, act: FoundColony) -> Facts | None:
    """Cited with a colony."""
    return facts(power=act.power, space=act.space)


@carries_out(FoundColony)
def found_colony(action: Action, command: FoundColony) -> None:
    """A CU is given up, and the space is a walled city of loyalty 1; the movement is over."""
    action.emit(UnitsRemoved(ROM, command.space, 1, 0, "f7.7"))
    action.emit(ColonyFounded(command.space, ROM))
    frame = action.state.frames[-1] if action.state.frames else None
    if isinstance(frame, Marching):
        action.change(halted=True, count=frame.count - 1, founded=True)


# 7.8 Etruscan bribes

BRIBE = 3
"""The card value of a bribe."""


def _window(state: State, power: int) -> Bribing | None:
    frame = state.frames[-1] if state.frames else None
    return frame if isinstance(frame, Bribing) and frame.power == power and not frame.answered else None


@forbids("f7.8", act=(Bribe, NoBribe))
def when_one_bribes(state: State, act: Bribe | NoBribe) -> Facts | None:
    """Between the reactions and the battle, by a card of value 3; a passing army must have somewhere to go."""
    frame = _window(state, act.power)
    if frame is None:
        return facts(variant="not_now", power=act.power)
    if isinstance(act, NoBribe):
        return None
    if act.card >= 0 and state.world.cards[act.card].value < BRIBE:
        return facts(variant="value", power=act.power, card=act.card)
    if frame.passing:
        march = next(one for one in reversed(state.frames) if isinstance(one, Marching))
        passed = BribePassing(frame.power, frame.target, True).apply(state)
        if not legal_end_in_reach(passed, frame.power, frame.space, march.points):
            return facts(variant="dead_end", power=act.power, target=frame.target, space=frame.space)
    return None


@forbids("f7.8", act=Intercept)
def who_was_bought_does_not_intercept(state: State, act: Intercept) -> Facts | None:
    """CU that took a bribe do not intercept the Etruscans whom they let pass."""
    if act.target != ETR or act.start == NONE or not state.bought >> act.start & 1:
        return None
    return facts(variant="bought", power=act.power, target=act.target, start=act.start)


def entail_bribe(state: State, command: Bribe) -> Iterable[tuple[State, object]]:
    """Bribing, and the card it takes."""
    yield state, command
    yield state, PlayCard(command.power, command.card, "", True)


@permits("f7.8", act=Bribe)
def a_bribe(state: State, act: Bribe) -> Facts | None:
    """Cited with a bribe."""
    frame = _window(state, act.power)
    return None if frame is None else facts(power=act.power, target=frame.target, space=frame.space)


@carries_out(Bribe)
def bribe(action: Action, command: Bribe) -> None:
    """The card is out of the game, and the enemy army goes back or lets the Etruscans pass."""
    frame: Bribing = action.state.frames[-1]
    lay_down(action, action.state.controller[ETR], command.card, "bribe", gone=True)
    action.emit(Bribed(frame.power, frame.target, frame.space, frame.passing))
    action.change(answered=True, paid=True)


@carries_out(NoBribe)
def no_bribe(action: Action, command: NoBribe) -> None:
    """It comes to battle."""
    action.change(answered=True)


def _bribing_awaits(state: State, frame: Bribing) -> tuple[Decision, ...]:
    if frame.answered:
        return ()
    why = facts(power=frame.power, target=frame.target, space=frame.space)
    return asked(state, frame.power, "bribe", "f7.8", why)


def _bribing_candidates(state: State, frame: Bribing, seat: int) -> Iterable[Group]:
    if frame.answered or seat != state.controller[frame.power]:
        return
    yield Bribe, frame.power, [Bribe(frame.power, card) for card in answering_cards(state, seat)]
    yield NoBribe, frame.power, (NoBribe(frame.power),)


def _bribing_proceed(action: Action, frame: Bribing) -> None:
    action.pop()
    if not frame.paid:
        return
    if isinstance(action.state.frames[-1], Attacked):
        action.pop()
    march = action.state.frames[-1]
    assert isinstance(march, Marching)
    if frame.passing:
        action.emit(BribePassing(frame.power, frame.target, True, frame.space))
        action.change(fought=False, stage=2)
        return
    go_back(action, march)


def go_back(action: Action, march: Marching) -> None:
    """The army under way returns to the space it came from, and stops."""
    state: State = action.state
    count = min(march.count, state.force(march.power, march.at).outside)
    leaders = [one for one in state.leaders_in(march.at, march.power) if not state.leader_inside >> one & 1]
    stays = state.force(march.power, march.at).outside > count
    action.emit(UnitsMoved(march.power, march.at, march.came, count))
    for leader in leaders:
        if not stays or leader == march.leader:
            action.emit(LeaderMoved(leader, march.came))
    check_siege(action, march.at)
    displace(action, march.power, march.at)
    action.change(at=march.came, came=NONE, fought=False, halted=True, stage=0, count=count)


BRIBING = Flow(Bribing, _bribing_awaits, _bribing_candidates, _bribing_proceed)


# 12.2 cards played in battle


def _cards(state: State, power: int) -> BattleCards | None:
    frame = state.frames[-1] if state.frames else None
    asked_now = isinstance(frame, BattleCards) and frame.waiting[:1] == (state.controller[power],)
    return frame if asked_now and isinstance(frame, BattleCards) else None


@forbids("f7.5", act=(PlayInBattle, NoBattleCard))
def when_cards_are_played_in_battle(state: State, act: PlayInBattle | NoBattleCard) -> Facts | None:
    """Before the dice, the players of both sides, each in his turn; by a card that bears on this battle."""
    frame = _cards(state, act.power)
    if frame is None:
        return facts(variant="not_now", power=act.power)
    if isinstance(act, NoBattleCard) or act.card < 0:
        return None
    face = state.world.cards[act.card]
    if face.effect not in BATTLE_EFFECTS:
        return facts(variant="no_battle", power=act.power, card=act.card)
    seat = state.controller[act.power]
    armies = {frame.attacker, frame.defender} & set(face.powers or (frame.attacker, frame.defender))
    own = {army for army in armies if state.controller[army] == seat}
    fits = armies - own if face.effect == "dismay" else own if face.effect in ("valour", "fourth_die") else armies
    if face.powers and not fits:
        return facts(variant="no_battle", power=act.power, card=act.card)
    return None


def entail_battle_card(state: State, command: PlayInBattle) -> Iterable[tuple[State, object]]:
    """The card, in hand."""
    yield state, command
    yield state, PlayCard(command.power, command.card)


@carries_out(PlayInBattle)
def play_in_battle(action: Action, command: PlayInBattle) -> None:
    """It is laid down, and counts when the dice fall."""
    frame: BattleCards = action.state.frames[-1]
    seat = action.state.controller[command.power]
    lay_down(action, seat, command.card, "response")
    action.change(cards=(*frame.cards, (seat, command.card)))


@carries_out(NoBattleCard)
def no_battle_card(action: Action, command: NoBattleCard) -> None:
    """The next one is asked."""
    action.change(waiting=action.state.frames[-1].waiting[1:])


def _cards_awaits(state: State, frame: BattleCards) -> tuple[Decision, ...]:
    if not frame.waiting:
        return ()
    seat = frame.waiting[0]
    why = facts(seat=seat, attacker=frame.attacker, defender=frame.defender, space=frame.space)
    return (Decision(seat, state.powers_of(seat)[0], "battle_cards", "f7.5", why),)


def _cards_candidates(state: State, frame: BattleCards, seat: int) -> Iterable[Group]:
    if frame.waiting[:1] != (seat,):
        return
    power = state.powers_of(seat)[0]
    hand = state.hands[seat] if seat < len(state.hands) else ()
    yield PlayInBattle, power, [PlayInBattle(power, card) for card in dict.fromkeys(hand) if card != UNKNOWN]
    yield NoBattleCard, power, (NoBattleCard(power),)


def _cards_proceed(action: Action, frame: BattleCards) -> None:
    action.pop()
    if action.state.frames and isinstance(action.state.frames[-1], Attacked):
        action.change(cards=frame.cards)


CARDS = Flow(BattleCards, _cards_awaits, _cards_candidates, _cards_proceed)


# 12.6 sorties


@forbids("f12.6", act=Sortie)
def who_breaks_out(state: State, act: Sortie) -> Facts | None:
    """A leader inside a besieged city of his power, with CU inside."""
    leader = state.world.leaders[act.leader]
    inside = state.leader_at[act.leader] == act.space and bool(state.leader_inside >> act.leader & 1)
    if state.kinds[act.space] != CITY or state.besieger(act.space) in (NONE, act.power):
        return facts(variant="free", power=act.power, space=act.space)
    if leader.power != act.power or not inside:
        return facts(variant="leader", power=act.power, leader=act.leader, space=act.space)
    if not 1 <= act.count <= state.force(act.power, act.space).inside:
        return facts(variant="count", power=act.power, space=act.space)
    return None


def entail_sortie(state: State, command: Sortie) -> Iterable[tuple[State, object]]:
    """Breaking out: the leader is activated by a card, and fights the besieger."""
    power, space = command.power, command.space
    yield state, command
    yield state, Activate(power, command.leader, space, command.count, command.card)
    yield state, PlayCard(power, command.card)
    if state.besieger(space) >= 0:
        yield npp_moves(state, power), Attack(power, state.besieger(space), space)


@carries_out(Sortie)
def sortie(action: Action, command: Sortie) -> None:
    """The CU go outside and fight; if they lose they go back in."""
    power, space = command.power, command.space
    besieger = action.state.besieger(space)
    activate(action, Activate(power, command.leader, space, command.count, command.card))
    action.change(fought=True)
    attacked = Attacked(besieger, power, space, NONE, command.count, command.leader, sortie=True)
    action.push(with_flank(action.state, attacked))
