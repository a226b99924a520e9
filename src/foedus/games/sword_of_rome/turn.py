"""The turn: rounds of activations, and the phases that end it (5)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import attrgetter, itemgetter

from foedus.games.sword_of_rome.alliances import (
    allies_ground_is_friendly,
    begin_renewal,
    end_alliance,
    is_friendly,
    lose_point,
)
from foedus.games.sword_of_rome.battle import give_up
from foedus.games.sword_of_rome.cards import AIMED, EFFECTS, begin_candidates, card_choices, event_candidates
from foedus.games.sword_of_rome.carthage import (
    box_takes_reinforcements,
    mercenaries_leave,
    mercenary_reinforcement,
    note_mercenary,
    revolt_reinforcement_places,
)
from foedus.games.sword_of_rome.commands import (
    AcceptAlliance,
    Activate,
    ActivateNPP,
    BeginEvent,
    Besiege,
    BreakAlliance,
    DismissLeader,
    Done,
    EndElsewhere,
    Flank,
    GiveUpPlunder,
    GoInside,
    GoNext,
    Hire,
    JoinForces,
    KeepLeader,
    Liberate,
    NameChooser,
    NameFirst,
    Pass,
    PayLoyalty,
    PlaceUnits,
    PlayEvent,
    PlayValue,
    ProposeAlliance,
    RaiseUnrest,
    RemoveUnits,
    ReturnLeader,
    Sortie,
    Subjugate,
    Surrender,
    TakeControl,
)
from foedus.games.sword_of_rome.desperate import may_use, open_desperate_window, open_last_window, put_back
from foedus.games.sword_of_rome.events import (
    ActivationBegan,
    ActivationEnded,
    AttritionChecked,
    ChooserNamed,
    ControlChanged,
    FirstNamed,
    GameEnded,
    LeaderArrived,
    LeaderLost,
    LeaderMoved,
    MarkersRemoved,
    MinesDepleted,
    NPPDone,
    OfferEnded,
    OrderSet,
    PhaseBegan,
    PlayerOut,
    RoundBegan,
    TurnBegan,
    UnitsAdded,
    UnitsRemoved,
    VPChanged,
)
from foedus.games.sword_of_rome.frames import (
    Activation,
    Aiming,
    Campaign,
    Gates,
    KeepingLeaders,
    NamingFirst,
    NPPAction,
    OrderingTied,
    Reinforcing,
    Retreating,
    Spoils,
    Supporting,
    Surrendering,
    TurnFrame,
)
from foedus.games.sword_of_rome.gallic_table import gallic_events, gauls_come_by_the_table, round_order
from foedus.games.sword_of_rome.ground import enemy_outside, held_by_enemies, way_kind
from foedus.games.sword_of_rome.hands import answering_cards, draw_cards, has_answers
from foedus.games.sword_of_rome.leaders import (
    consuls_change,
    displace,
    displace_all_lone,
    draw_consuls,
    take_command,
)
from foedus.games.sword_of_rome.neutrals import (
    NPP_ACTIONS,
    activations,
    asked,
    minor_leader_parts,
    minor_leader_places,
    must_name,
    names_for,
    reaches,
    seat_deciding,
    sorties,
)
from foedus.games.sword_of_rome.plunder import given_up
from foedus.games.sword_of_rome.powers import (
    all_out,
    descending,
    last_turn,
    limits_of_points,
    npps_in_order,
    order_from,
    persons,
    ranking,
    seat_rank,
    who_may_name,
    winners_at_once,
    winners_at_the_end,
)
from foedus.games.sword_of_rome.sieges import check_siege
from foedus.games.sword_of_rome.state import (
    ACTION,
    ALLIANCES,
    ATTRITION,
    BOX,
    CAR,
    CITY,
    DRAW,
    ETR,
    FIRST_PLAYER,
    GAL,
    GRE,
    IND,
    ISOLATION,
    MER,
    MINES,
    OVER,
    REINFORCEMENT,
    ROM,
    S_GAL,
    SAM,
    SCORING,
    SETUP,
    SURRENDER,
    TRA,
    TREATY,
    TRIBE,
    State,
    applies,
    kept,
    outside_masks,
    owner_masks,
    unit_masks,
)
from foedus.games.sword_of_rome.unrest import points_lost
from foedus.kernel.flow import Action, Decision, Flow, Group, Kept, carries_out, spread
from foedus.kernel.rules import Facts, effect, facts, forbids
from foedus.kernel.unknown import NONE, UNKNOWN
from foedus.kernel.values import Command, Frame, bits
from foedus.kernel.verdict import Reason

ROUNDS = 5
TURNS = 9
CLEAR = 0


# activations


Politics = tuple[tuple[int, tuple[ProposeAlliance, ...], tuple[BreakAlliance, ...]], ...]


def _politics(state: State, seat: int) -> Politics:
    """By the powers of a seat: every alliance that it could propose, and by ally every one that it could break."""
    return kept(state, ("all politics", seat), (state.controller, state.rulings), lambda: _find_politics(state, seat))


def _find_politics(state: State, seat: int) -> Politics:
    others: Iterable[int] = range(IND)
    if state.ruling("npp_alliances") == "refused":
        others = [power for power in range(IND) if state.controller[power] != NONE]
    for_good = state.ruling("etruscans_and_samnites") == "allied_for_good"
    return tuple(
        (
            power,
            tuple(
                ProposeAlliance(power, other)
                for other in others
                if other != power and not (for_good and power in (ETR, SAM) and other in (ETR, SAM))
            ),
            tuple(BreakAlliance(power, other) for other in range(IND)),
        )
        for power in state.powers_of(seat)
    )


def _activation_awaits(state: State, frame: Activation) -> tuple[Decision, ...]:
    cache = state.world.cache
    key = ("activation", frame.seat, state.controller)
    found: tuple[Decision, ...] | None = cache.get(key)
    if found is None:
        power = state.powers_of(frame.seat)[0]
        found = cache[key] = (Decision(frame.seat, power, "activation", "f5.1", facts(seat=frame.seat)),)
    return found


POLITICS = attrgetter(
    "rulings",
    "controller",
    "active",
    "acting_npp",
    "out",
    "formal",
    "allies",
    "unsure",
    "offers",
    "broken",
    "treaty",
    "besieging",
    "support",
)
"""What proposals, breaks and passing hang on besides the step under way, once everything is known."""
CARDS = attrgetter(
    "rulings",
    "controller",
    "active",
    "activator",
    "acting_npp",
    "activated",
    "named",
    "phase",
    "out",
    "vp",
    "formal",
    "allies",
    "unsure",
    "treaty",
    "fallen",
    "unrest",
    "levies",
    "owner",
    "loyalty",
    "colonies",
    "besieged_by",
    "siege_points",
    "forces",
    "desperate",
    "duoviri",
    "appian_way",
)
"""What cards may do hangs on besides the step under way and where non-player powers have leaders."""
EVENTS_AT_ONCE = frozenset(EFFECTS).difference(AIMED)
"""Events that happen as they are played; of others only the step under way says whether they may be begun."""


def _activation_parts(state: State, frame: Activation, seat: int) -> list[Kept | Group]:
    parts: list[Kept | Group] = []
    if seat != frame.seat:
        return parts
    powers = state.powers_of(seat)
    told = not state.sketched and state.support[0] != UNKNOWN
    if told:
        key: tuple[object, ...] = (frame, POLITICS(state))
        if state.ruling("sharing_when_allied") == "refused":
            key = (*key, state.forces, state.leader_at)
        parts.append(Kept(("politics", seat), key, _political_candidates, (state, seat)))
    else:
        parts.extend(_political_candidates(state, seat))
    if state.plunder > 0:
        parts.append((GiveUpPlunder, powers[0], given_up(state, seat)))
    if state.world.players == 5 and powers[0] == CAR and not frame.hired and has_answers(state, seat):
        parts.append((Hire, CAR, [Hire(CAR, NONE, card) for card in answering_cards(state, seat)]))
    cards = card_choices(state, seat)
    if cards and told:
        _card_parts(state, frame, seat, cards, parts)
    elif cards:
        for card in cards:
            parts.extend(_card_candidates(state, frame, seat, card))
            if not frame.played:
                parts.extend(_army_candidates(state, seat, card))
    masks = outside_masks(state)
    for power in powers:
        if masks[power]:
            parts += minor_leader_parts(state, frame, power) if told else [minor_leader_places(state, power)]
    return parts


def _card_parts(state: State, frame: Activation, seat: int, cards: Iterable[int], parts: list[Kept | Group]) -> None:
    """Add what the cards of a hand may do, where everything is known."""
    faces, leaders = state.world.cards, state.world.leaders
    under_treaty = state.treaty == TREATY and seat == state.controller[ROM]
    plain = (frame, state.rulings, state.controller)
    more: tuple[object, ...] = ()
    armies = () if frame.played else _armies(state, seat)
    for card in cards:
        face = faces[card]
        activates = face.effect == "activation" or (under_treaty and face.value == 3)
        if frame.played and not activates:
            continue
        if activates or face.effect in EVENTS_AT_ONCE:
            more = more or (*plain, CARDS(state), _npp_leaders(state))
            key = more
        else:
            key = plain
        parts.append(Kept(("card", seat, card), key, _card_candidates, (state, frame, seat, card)))
        for power, army in armies:
            if face.value >= 3:
                parts.append(_unit_candidates(state, power, card, army))
            led = [one for one in army if leaders[one[0]].initiative <= face.value]
            if led:
                parts.append((Activate, power, [Activate(power, leader, at, 0, card) for leader, at in led]))
            if state.leader_inside:
                parts.append((Sortie, power, sorties(state, power, card)))


Armies = list[tuple[int, int]]
"""The leaders of a power who stand with CU of theirs, and where."""


def _armies(state: State, seat: int) -> list[tuple[int, Armies]]:
    """The armies of a seat's powers."""
    leader_at, masks = state.leader_at, unit_masks(state)
    return [
        (
            power,
            [
                (leader, leader_at[leader])
                for leader in state.world.leaders_of[power]
                if leader_at[leader] >= 0 and masks[power] >> leader_at[leader] & 1
            ],
        )
        for power in state.powers_of(seat)
    ]


def _unit_candidates(state: State, power: int, card: int, armies: Armies) -> Group:
    """One CU for a card: where leaders stand with CU."""
    led = 0
    for _, at in armies:
        led |= 1 << at
    return PlayValue, power, [PlayValue(power, card, "units", at) for at in bits(outside_masks(state)[power] & led)]


def _political_candidates(state: State, seat: int) -> Iterable[Group]:
    politics = _politics(state, seat)
    for power, commands, breaks in politics:
        formal = state.formal[power]
        taken = 0
        for offer in state.offers:
            if power in (offer.by, offer.to):
                taken |= 1 << offer.by | 1 << offer.to
        if not formal:
            yield ProposeAlliance, power, [one for one in commands if not taken >> one.to & 1] if taken else commands
        else:
            taken |= formal
            yield ProposeAlliance, power, [one for one in commands if not taken >> one.to & 1]
            yield BreakAlliance, power, [breaks[ally] for ally in bits(formal)]
    yield Pass, politics[0][0], (Pass(politics[0][0]),)
    if state.treaty == 2 and seat == state.controller[ROM]:
        yield BreakAlliance, ROM, (BreakAlliance(ROM, CAR),)


def _npp_leaders(state: State) -> tuple[int, ...]:
    """Where the leaders of non-player powers are."""
    cache = state.world.cache
    pick: Callable[[tuple[int, ...]], tuple[int, ...]] | None = cache.get("npp leaders")
    if pick is None:
        leaders = [one for npp in state.world.npps for one in state.world.leaders_of[npp]]
        pick = cache["npp leaders"] = itemgetter(*leaders, leaders[0])
    return pick(state.leader_at)


def _card_candidates(state: State, frame: Activation, seat: int, card: int) -> Iterable[Group]:
    """What a card may do but for armies."""
    first = state.powers_of(seat)[0]
    face = state.world.cards[card]
    if face.effect == "activation" or (state.treaty == 2 and seat == state.controller[ROM] and face.value == 3):
        yield ActivateNPP, first, _npp_candidates(state, first, card)
        if state.world.players == 5:
            yield RaiseUnrest, first, (RaiseUnrest(first, card),)
    if not frame.played:
        yield PlayEvent, first, event_candidates(state, seat, card)
        yield BeginEvent, first, begin_candidates(state, seat, card)
        yield PlayValue, first, (PlayValue(first, card, "support"),)


def _army_candidates(state: State, seat: int, card: int) -> Iterable[Group]:
    """What a card may do with armies: one CU more, or a leader who acts."""
    for power, armies in _armies(state, seat):
        if state.world.cards[card].value >= 3:
            yield _unit_candidates(state, power, card, armies)
        yield Activate, power, activations(state, power, card)
        if state.leader_inside:
            yield Sortie, power, sorties(state, power, card)


def _npp_candidates(state: State, power: int, card: int) -> list[ActivateNPP]:
    found = []
    by_deck = state.ruling("card_reach") == "by_deck"
    for npp in state.world.npps:
        if (state.activated > 0 and state.activated >> npp & 1) or (by_deck and not reaches(state, power, npp, card)):
            continue
        found.append(ActivateNPP(power, npp, "leader", card=card))
        found.append(ActivateNPP(power, npp, "support", card=card))
        standing = unit_masks(state)[npp]
        for space in bits(standing):
            found.append(ActivateNPP(power, npp, NPP_ACTIONS[1], space, card=card))
        own = owner_masks(state)[npp]
        for space in bits(standing | own):
            if not own >> space & 1 or state.kinds[space] == CITY:  # a marker of its own takes no more
                found.append(ActivateNPP(power, npp, NPP_ACTIONS[0], space, card=card))
    return found


def _activation_proceed(action: Action, frame: Activation) -> None:
    displace_all_lone(action)
    for offer in action.state.offers:
        if _offers_die(action.state):
            action.emit(OfferEnded(offer.by, offer.to, "died"))
    put_back(action, frame)
    action.emit(ActivationEnded(frame.seat))
    action.pop()


def _offers_die(state: State) -> bool:
    """Ruling `proposal_stands`: an offer dies with its activation, or stays for the turn."""
    return state.ruling("proposal_stands") == "this_activation"


ACTIVATION = Flow(Activation, _activation_awaits, spread(_activation_parts), _activation_proceed, _activation_parts)


@forbids("f5.1", act=Pass, wide=True)
def only_the_active_player_passes(state: State, act: Pass) -> Facts | None:
    """One's own activation is ended by oneself."""
    frame = state.frames[-1] if state.frames else None
    if isinstance(frame, Activation) and frame.seat == state.controller[act.power]:
        return None
    if state.is_active(act.power) and state.acting_npp >= 0:
        return facts(variant="pass_npp", power=act.power, npp=state.acting_npp)
    return facts(variant="pass", power=act.power)


@carries_out(Pass)
def end_activation(action: Action, command: Pass) -> None:
    """The activation is over; its offers die with it."""
    _activation_proceed(action, action.state.frames[-1])


def only_as_a_part(state: State, command: Command) -> Reason | None:
    """Battles, ends of movements and the like come about by what players do; nobody orders one by itself in a game."""
    if state.sketched or not state.frames or not applies(state, "f5.1"):
        return None
    return Reason("f5.1", facts(variant="part", power=command.power))


@forbids("f5.1", act=(RemoveUnits, GoInside, Flank, JoinForces))
def not_out_of_the_blue(state: State, act: RemoveUnits | GoInside | Flank | JoinForces) -> Facts | None:
    """In a game CU are removed by events, go inside when they are attacked, and flank by a Campaign of one's own."""
    if state.sketched or not state.frames:
        return None
    frame = state.frames[-1]
    if isinstance(act, GoInside) and isinstance(frame, Gates):
        if (frame.power, frame.space) == (act.power, act.space) and not frame.answered:
            return None
    if isinstance(act, Flank) and isinstance(frame, Campaign) and frame.seat == state.controller[act.power]:
        return None
    if isinstance(act, RemoveUnits):
        return facts(variant="units", power=act.power)
    if isinstance(act, GoInside):
        return facts(variant="inside", power=act.power, space=act.space)
    if isinstance(act, Flank):
        return facts(variant="flank", power=act.power)
    return facts(variant="part", power=act.power)


# the turn


def _turn_awaits(state: State, frame: TurnFrame) -> tuple[Decision, ...]:
    if state.phase == OVER:
        cached: tuple[Decision, ...] = (Decision(NONE, NONE, "over"),)
        return cached
    return ()


def _nothing(state: State, frame: TurnFrame, seat: int) -> Iterable[Group]:
    return ()


def _turn_proceed(action: Action, frame: TurnFrame) -> None:
    state: State = action.state
    if state.phase == SETUP:
        action.emit(TurnBegan(1))
        action.emit(PhaseBegan(MINES))
        return
    if state.phase == ACTION:
        if frame.waiting:
            if gauls_come_by_the_table(state) and frame.waiting[0] == S_GAL:
                action.change(waiting=frame.waiting[1:])
                gallic_events(action)
                return
            if not frame.asked and may_use(state):
                action.change(asked=True)
                open_desperate_window(action, frame.waiting[0])
                return
            action.change(waiting=frame.waiting[1:], asked=False)
            action.emit(ActivationBegan(frame.waiting[0]))
            action.push(Activation(frame.waiting[0]))
        elif state.round < ROUNDS:
            action.emit(RoundBegan(state.round + 1))
            if state.activated:
                action.emit(MarkersRemoved())
            action.change(waiting=round_order(state))
        elif not frame.asked and may_use(state):
            action.change(asked=True)
            open_last_window(action)
        else:
            action.change(begun=False, asked=False)
            action.emit(PhaseBegan(ATTRITION))
        return
    if not frame.begun:
        action.change(begun=True)
        PHASE_WORK[state.phase](action)
        return
    after = next_phase(state)
    action.change(begun=False)
    if state.phase == REINFORCEMENT:
        eliminate(action)
    if after == MINES:
        for offer in state.offers:
            action.emit(OfferEnded(offer.by, offer.to, "died"))
    if ended(action, after):
        return
    if after == MINES:
        action.emit(TurnBegan(state.turn + 1))
    action.emit(PhaseBegan(after))
    if after == ACTION:
        action.emit(RoundBegan(1))
        if state.activated:
            action.emit(MarkersRemoved())
        action.change(waiting=round_order(action.state))


@effect("15.4.M3", otherwise=False)
def lapses_after_reinforcement(state: State) -> bool:
    """Ruling `lapse_moment`: alliances end after reinforcements, or before them as in the order of the phases."""
    return state.ruling("lapse_moment") == "after_reinforcement"


def next_phase(state: State) -> int:
    """The phase after this one (facts 5), with the ruling `lapse_moment`."""
    order = [MINES, DRAW, FIRST_PLAYER, ACTION, ATTRITION, SURRENDER, ISOLATION, SCORING, ALLIANCES, REINFORCEMENT]
    if lapses_after_reinforcement(state):
        order[-2:] = [REINFORCEMENT, ALLIANCES]
    index = order.index(state.phase)
    return order[(index + 1) % len(order)]


TURN = Flow(TurnFrame, _turn_awaits, _nothing, _turn_proceed)


def phase_order(state: State) -> tuple[int, ...]:
    """Non-player powers first, then players' powers by descending victory points (facts 5.2)."""
    players = descending(state, (power for power in range(IND) if state.controller[power] != NONE))
    npps = npps_in_order(state)
    return (*npps, *players) if npps_go_first(state) else (*players, *npps)


@effect("f5.2", otherwise=False)
def npps_go_first(state: State) -> bool:
    """In the phases that end the turn the non-player powers go before the players."""
    return True


@effect("f4.5", otherwise=False)
def winner_sets_the_order(state: State) -> bool:
    """Ruling `phase_tie`: if all tied players act, the winner of the tie sets their order."""
    return state.ruling("phase_tie") == "tie_winner_names"


def order_the_tied(action: Action, powers: Iterable[int]) -> None:
    """Above a phase in which these powers act: the winner of each tie among their players is asked for the order."""
    state: State = action.state
    if not winner_sets_the_order(state):
        return
    seats = {state.controller[power] for power in powers} - {NONE}
    for points in sorted({state.vp_of(seat) for seat in seats} if len(seats) > 1 else ()):
        tied = sorted((seat for seat in seats if state.vp_of(seat) == points), key=seat_rank)
        if len(tied) > 1:
            action.push(OrderingTied(tuple(tied)))


def _left_to_order(frame: OrderingTied) -> tuple[int, ...]:
    return tuple(seat for seat in frame.tied if seat not in frame.chosen)


def _ordering_awaits(state: State, frame: OrderingTied) -> tuple[Decision, ...]:
    left = _left_to_order(frame)
    if len(left) < 2:
        return ()
    winner = frame.tied[0]
    return (Decision(winner, state.powers_of(winner)[0], "go_next", "f4.5", facts(among=left)),)


def _ordering_candidates(state: State, frame: OrderingTied, seat: int) -> Iterable[Group]:
    left = _left_to_order(frame)
    if seat == frame.tied[0] and len(left) > 1:
        power = state.powers_of(seat)[0]
        yield GoNext, power, [GoNext(power, one) for one in left]


def _ordering_proceed(action: Action, frame: OrderingTied) -> None:
    order = (*frame.chosen, *_left_to_order(frame))
    action.emit(OrderSet(order))
    action.pop()
    under = len(action.state.frames) - 1
    while not isinstance(action.state.frames[under], (Surrendering, Reinforcing)):
        under -= 1
    below = action.state.frames[under]
    rank = {seat: place for place, seat in enumerate(order)}
    controller = action.state.controller
    slots = [place for place, power in enumerate(below.powers) if controller[power] in rank]
    sorted_ = sorted((below.powers[place] for place in slots), key=lambda power: rank[controller[power]])
    powers = list(below.powers)
    for place, power in zip(slots, sorted_, strict=True):
        powers[place] = power
    above = action.state.frames[under + 1 :]
    for _ in above:
        action.pop()
    action.change(powers=tuple(powers))
    for one in above:
        action.push(one)


ORDERING_TIED = Flow(OrderingTied, _ordering_awaits, _ordering_candidates, _ordering_proceed)


@forbids("f4.5", act=GoNext)
def only_the_winner_sets_the_order(state: State, act: GoNext) -> Facts | None:
    """One of the tied players, by the winner of the tie."""
    frame = state.frames[-1] if state.frames else None
    if isinstance(frame, OrderingTied) and state.controller[act.power] == frame.tied[0]:
        left = _left_to_order(frame)
        if len(left) > 1 and act.seat in left:
            return None
    return facts(variant="next", power=act.power)


@carries_out(GoNext)
def go_next(action: Action, command: GoNext) -> None:
    """He goes before those who are not named yet."""
    action.change(chosen=(*action.state.frames[-1].chosen, command.seat))


# the end of the game


def ended(action: Action, after: int) -> bool:
    """Is the game over before the phase `after`: by a level reached, by its last turn, or because one is alone?"""
    state: State = action.state
    if state.sketched and UNKNOWN in [state.vp[seat] for seat in state.world.seats]:
        return False  # the position does not tell the points
    winners: tuple[int, ...] = ()
    how, why = "alone", "f5.7"
    left = [person for person in persons(state) if any(seat in state.seats for seat in person)]
    if len(left) < 2:
        winners = left[0] if left else all_out(state)
    elif state.phase == SCORING:
        winners, how, why = winners_at_once(state), "level", "f4.3"
    elif after == MINES and state.turn >= last_turn(state):
        winners, how, why = winners_at_the_end(state), "turns", "f4.4"
        if not winners:
            action.emit(PhaseBegan(OVER))
            return True
    if not winners:
        return False
    action.emit(GameEnded(winners, ranking(state, winners), how, why))
    return True


def eliminate(action: Action) -> None:
    """After the Reinforcement Phase: a player without CU on the map is out (facts 5.7)."""
    for seat in without_units(action.state):
        powers = action.state.powers_of(seat)
        for offer in action.state.offers:
            if offer.by in powers or offer.to in powers:
                action.emit(OfferEnded(offer.by, offer.to, "died"))
        for power in powers:
            for ally in bits(action.state.formal[power]):
                end_alliance(action, power, ally, "lapsed", NONE)
        action.emit(PlayerOut(seat))
        for power in powers:
            for leader in action.state.world.leaders_of[power]:
                if action.state.leader_at[leader] >= 0 or action.state.displaced >> leader & 1:
                    action.emit(LeaderLost(leader, "f5.7"))
            for space in bits(owner_masks(action.state)[power]):
                city = action.state.kinds[space] == CITY
                action.emit(ControlChanged(space, IND, 1 if city else action.state.loyalty[space], "f5.7"))


@effect("f5.7", otherwise=())
def without_units(state: State) -> tuple[int, ...]:
    """The players without CU on the map: boxes are not on it. Nobody where the position does not tell all troops."""
    if any(not state.known_troops(space) for space in range(len(state.forces))):
        return ()
    standing = {
        force.power
        for space, forces in enumerate(state.forces)
        if state.kinds[space] != BOX
        for force in forces
        if force.outside or force.inside
    }
    return tuple(seat for seat in state.seats if not standing.intersection(state.powers_of(seat)))


@forbids("f5.7", act=(ProposeAlliance, AcceptAlliance))
def no_alliance_with_those_who_are_out(state: State, act: ProposeAlliance | AcceptAlliance) -> Facts | None:
    """Who is out of the game makes no alliances."""
    if not state.out:
        return None
    other = act.to if isinstance(act, ProposeAlliance) else act.by
    seat = state.controller[other]
    return facts(power=act.power, to=other, seat=seat) if seat != NONE and state.out >> seat & 1 else None


# the mines


def mines(action: Action) -> None:
    """The Etruscan mine check at the start of the turn (facts 7.8)."""
    if not action.state.depleted and mines_are_exhausted(action.state):
        action.emit(MinesDepleted())


@effect("f7.8", otherwise=False)
def mines_are_exhausted(state: State) -> bool:
    """Five home spaces of the Etruscans are lost. What a sketch does not tell is held by them."""
    lost = [
        space
        for space, home in enumerate(state.world.home)
        if home == ETR and state.kinds[space] != BOX and state.owner[space] not in (ETR, UNKNOWN)
    ]
    return len(lost) >= int(state.world.tables["mines"]["lost"])


# the first player


def first_player(action: Action) -> None:
    """The player with the fewest points names the first player; in a sketch without points the order stays."""
    state: State = action.state
    if not (state.sketched and UNKNOWN in [state.vp[seat] for seat in state.seats]) and who_may_name(state):
        action.push(NamingFirst())


@effect("f5.0", otherwise=False)
def winner_says_who_names(state: State) -> bool:
    """Ruling `first_player_tie`: of tied players the winner by 4.4 says who names, or he names himself."""
    return state.ruling("first_player_tie") == "tie_winner_names"


def _chooser(state: State, frame: NamingFirst) -> tuple[int, tuple[int, ...]]:
    """Who must act: the one who names, or the winner of a tie; then those of whom he must say who names."""
    tied = who_may_name(state)
    if len(tied) > 1 and frame.chooser == NONE and winner_says_who_names(state):
        return tied[0], tied
    return (frame.chooser if frame.chooser in tied else tied[0]), ()


def _first_awaits(state: State, frame: NamingFirst) -> tuple[Decision, ...]:
    if frame.done:
        return ()
    seat, among = _chooser(state, frame)
    power = state.powers_of(seat)[0]
    if among:
        return (Decision(seat, power, "name_chooser", "f4.5", facts(among=among)),)
    return (Decision(seat, power, "first_player", "f5.0", facts(seat=seat)),)


def _first_candidates(state: State, frame: NamingFirst, seat: int) -> Iterable[Group]:
    if frame.done:
        return
    acting, among = _chooser(state, frame)
    if acting != seat:
        return
    power = state.powers_of(seat)[0]
    if among:
        yield NameChooser, power, [NameChooser(power, one) for one in among]
    else:
        yield NameFirst, power, [NameFirst(power, one) for one in order_from(state, seat)]


def _first_proceed(action: Action, frame: NamingFirst) -> None:
    action.pop()


NAMING_FIRST = Flow(NamingFirst, _first_awaits, _first_candidates, _first_proceed)


@forbids("f5.0", act=(NameChooser, NameFirst))
def who_names_the_first_player(state: State, act: NameChooser | NameFirst) -> Facts | None:
    """In its phase the player with the fewest points; of tied ones the winner of the tie says who."""
    frame = state.frames[-1] if state.frames else None
    seat = state.controller[act.power]
    acting, among = _chooser(state, frame) if isinstance(frame, NamingFirst) and not frame.done else (NONE, ())
    if isinstance(act, NameChooser):
        fits = acting == seat != NONE and act.seat in among
        return None if fits else facts(variant="chooser", power=act.power)
    if acting != seat or seat == NONE or among:
        return facts(power=act.power)
    return None if act.seat in state.seats else facts(variant="not_in_play", seat=act.seat)


@carries_out(NameChooser)
def name_chooser(action: Action, command: NameChooser) -> None:
    """The winner of the tie has said who names."""
    action.emit(ChooserNamed(command.seat))
    action.change(chooser=command.seat)


@carries_out(NameFirst)
def name_first(action: Action, command: NameFirst) -> None:
    """The order of the turn goes clockwise from him."""
    action.emit(FirstNamed(command.seat, order_from(action.state, command.seat)))
    action.change(done=True)


# attrition


@effect("15.2.e3", otherwise=False)
def spared_on_allied_ground(state: State, power: int, space: int) -> bool:
    """An army in ally-controlled territory makes no attrition roll."""
    owner = state.owner_of(space)
    return owner not in (power, IND) and is_friendly(state, power, space)


@effect("f5.3", otherwise=False)
def on_enemy_ground(state: State, power: int, space: int) -> bool:
    """A space that is not one's own calls for a roll, an independent one too; boxes are off the map."""
    return state.owner_of(space) != power and state.kinds[space] != BOX


def attrition(action: Action) -> None:
    """One roll in every enemy space with one's CU (facts 5.3); the table is provisional."""
    for power in phase_order(action.state):
        for space in bits(outside_masks(action.state)[power]):
            state: State = action.state
            if not on_enemy_ground(state, power, space):
                continue
            count = state.force(power, space).outside
            if spared_on_allied_ground(state, power, space):
                action.emit(AttritionChecked(power, space, 0, "15.2.e3"))
                continue
            (die,) = action.roll("attrition", 1)
            lost = next(int(n) for low, high, n in state.world.tables["attrition"]["steps"] if low <= die <= high)
            lost = min(lost, count)
            action.emit(AttritionChecked(power, space, lost, "f5.3"))
            if lost:
                action.emit(UnitsRemoved(power, space, lost, 0, "f5.3"))
                displace(action, power, space)
                check_siege(action, space)


# surrender


def surrender(action: Action) -> None:
    """Every power with an army on enemy ground may put its marker there, or roll for a siege (facts 5.4)."""
    powers = tuple(power for power in phase_order(action.state) if _may_surrender(action.state, power))
    if powers:
        action.push(Surrendering(powers))
        order_the_tied(action, powers)


def _surrender_commands(state: State, power: int) -> list[Group]:
    spaces: list[int] = []
    sieges: list[int] = []
    for space in bits(outside_masks(state)[power]):
        if state.owner[space] != power:
            kind = state.kind(space)
            (sieges if kind in (CITY, TRIBE) else spaces).append(space)
    return [
        (Surrender, power, [Surrender(power, space) for space in spaces if state.kind(space) != BOX]),
        (Besiege, power, [Besiege(power, space) for space in sieges]),
        (Subjugate, power, [Subjugate(power, space) for space in sieges]),
        (Liberate, power, [Liberate(power, space) for space in sieges]),
    ]


def _may_surrender(state: State, power: int) -> bool:
    return any(commands for _, _, commands in _surrender_commands(state, power))


def _surrender_awaits(state: State, frame: Surrendering) -> tuple[Decision, ...]:
    if not frame.powers:
        return ()
    power = frame.powers[0]
    return asked(state, power, "surrender", "f5.4", facts(power=power))


def _surrender_candidates(state: State, frame: Surrendering, seat: int) -> Iterable[Group]:
    if not frame.powers:
        return
    power = frame.powers[0]
    if seat_deciding(state, power) != seat:
        return
    if must_name(state, power):
        yield from names_for(state, power, seat)
        return
    yield from _surrender_commands(state, power)
    yield Done, power, (Done(power),)


def _surrender_proceed(action: Action, frame: Surrendering) -> None:
    if frame.powers:
        action.change(powers=frame.powers[1:])
    else:
        action.pop()


SURRENDERING = Flow(Surrendering, _surrender_awaits, _surrender_candidates, _surrender_proceed)


@forbids("f5.4", act=Surrender)
def where_a_space_surrenders(state: State, act: Surrender) -> Facts | None:
    """In the Surrender Phase, an enemy space that holds one's CU and none of its owner's."""
    frame = state.frames[-1] if state.frames else None
    if isinstance(frame, Surrendering):
        if frame.powers[:1] != (act.power,):
            return facts(variant="not_now", power=act.power)
    elif not state.sketched:
        return facts(variant="not_now", power=act.power)
    if state.kind(act.space) in (CITY, TRIBE, BOX):
        return facts(variant="kind", power=act.power, space=act.space)
    owner = state.owner_of(act.space)
    if owner == act.power:
        return facts(variant="own", power=act.power, space=act.space)
    if state.known_troops(act.space) and not state.force(act.power, act.space).outside:
        return facts(variant="no_units", power=act.power, space=act.space)
    return None


def entail_surrender(state: State, command: Surrender) -> Iterable[tuple[State, object]]:
    """Putting one's marker there is taking control."""
    yield state, command
    yield state, TakeControl(command.power, command.space)


@carries_out(Surrender)
def place_marker(action: Action, command: Surrender) -> None:
    """The marker is placed."""
    state: State = action.state
    action.emit(ControlChanged(command.space, command.power, state.loyalty[command.space], "f5.4"))


# isolation


def isolation(action: Action) -> None:
    """A control marker that is linked to nothing friendly becomes independent (facts 5.5)."""
    for power in phase_order(action.state):
        state: State = action.state
        for space in isolated(state, power):
            action.emit(ControlChanged(space, IND, state.loyalty[space], "f5.5"))


@effect("f5.5", otherwise=())
def isolated(state: State, power: int) -> tuple[int, ...]:
    """The spaces with a control marker of the power that nothing friendly is linked with."""
    kinds = state.kinds
    alone = bits(owner_masks(state)[power] & ~linked_spaces(state, power))
    return tuple(space for space in alone if kinds[space] not in (CITY, BOX, TRIBE))


def linked_spaces(state: State, power: int) -> int:
    """The spaces (mask) of a power that are linked over friendly spaces, an ally's included, to an anchor.

    Anchors: a friendly city, a reinforcement space, a tribe, a port, a CU. Rough and strait ways do not link; an
    enemy-held space counts only with a friendly CU in it.
    """
    masks = outside_masks(state)
    units = masks[power]
    for ally in bits(state.allies[power]):
        units |= masks[ally]
    friendly = friendly_spaces(state, power)
    return flood(state, power, units | friendly & _anchors(state), units | friendly)


def friendly_spaces(state: State, power: int) -> int:
    """The spaces (mask) that are friendly to a power (15.2). Raises `Unknown`."""
    masks = owner_masks(state)
    if masks[-1] or state.unsure[power]:
        return sum(1 << space for space in range(len(state.owner)) if is_friendly(state, power, space))
    found = masks[power]
    for ally in bits(state.allies[power]):
        if allies_ground_is_friendly(state, power, ally):
            found |= masks[ally]
    return found


def _anchors(state: State) -> int:
    """The spaces (mask) that anchor a link by what they are, colonies among them."""
    return state.world.anchors | max(0, state.colonies)


def flood(state: State, power: int, start: int, open_: int, sea: int = 0) -> int:
    """The spaces (mask) of `open_` that are reached from `start` over clear ways, and between the ports of `sea`."""
    ways = _clear_ways(state, power)
    reached = edge = start & open_
    while edge:
        after = sea if edge & sea else 0
        for space in bits(edge):
            after |= ways[space]
        edge = after & open_ & ~reached
        reached |= edge
    return reached


def _clear_ways(state: State, power: int) -> tuple[int, ...]:
    """For each space the spaces (mask) beside it over ways that are clear to the power (facts 9.2)."""
    key = ("clear ways", power == SAM)
    found: tuple[int, ...] | None = state.world.cache.get(key)
    if found is None:
        neighbours = state.world.board.neighbours
        found = state.world.cache[key] = tuple(
            sum(1 << way.to for way in ways if way_kind(state, power, space, way.to) == CLEAR)
            for space, ways in enumerate(neighbours)
        )
    return found


# scoring


def scoring(action: Action) -> None:
    """Points for victory spaces, within their limits; what a sketch does not tell is not scored."""
    state: State = action.state
    least, most = limits_of_points(state)
    for seat in state.seats:
        if state.vp[seat] == UNKNOWN:
            continue
        vp = min(most, max(least, state.vp[seat] + change_of_points(state, seat) - points_lost(state, seat)))
        if vp != state.vp[seat]:
            action.emit(VPChanged(seat, vp))


@effect("f4.2", otherwise=0)
def change_of_points(state: State, seat: int) -> int:
    """Victory spaces outside one's home count one each, own ones not held cost one each; Gauls only lose."""
    change = 0
    for power in state.powers_of(seat):
        for space in state.world.victory_spaces:
            home, owner = home_of(state, space), state.owner[space]
            if owner == UNKNOWN:
                continue
            if owner == power and home != power and power != GAL and state.controller[home] != seat:
                change += 1
            elif home == power and owner != power and state.controller[owner] != seat:
                change -= 1
    return change


@effect("f2.5", otherwise=IND)
def home_of(state: State, space: int) -> int:
    """Whose home a space is: of the power that holds it at the start."""
    return state.world.home[space]


# reinforcement


def reinforcement(action: Action) -> None:
    """Every power places its new CU (facts 5.6)."""
    state: State = action.state
    powers: list[int] = []
    for power in phase_order(state):
        if not any(one in powers for one in pooled_with(state, power)) and _has_reinforcements(state, power):
            powers.append(power)
    if powers:
        action.push(Reinforcing(tuple(powers)))
        order_the_tied(action, powers)
    mercenaries_leave(action)


def _has_reinforcements(state: State, power: int) -> bool:
    """Is there anything for a power (and whoever shares with it) to do in the Reinforcement Phase?"""
    return any(
        reinforcements(state, one)
        or displaced_of(state, one)
        or arriving(state, one)
        or kept_at_a_price(state, one)
        or (one == ROM and consuls_change(state))
        or leaders_to_spare(state, one)
        for one in (power, *pooled_with(state, power))
        if state.controller[one] == NONE or not state.out >> state.controller[one] & 1
    )


@effect("f5.8", otherwise=())
def pooled_with(state: State, power: int) -> tuple[int, ...]:
    """The other power of the Etruscan/Samnite player: their new CU may be placed with either."""
    pair = (ETR, SAM)
    if power not in pair or NONE in (state.controller[ETR], state.controller[SAM]):
        return ()
    return tuple(one for one in pair if one != power) if state.controller[ETR] == state.controller[SAM] else ()


def at_it(state: State, frame: Reinforcing) -> tuple[int, ...]:
    """The powers whose reinforcements are being placed now."""
    return (frame.powers[0], *pooled_with(state, frame.powers[0])) if frame.powers else ()


def arriving(state: State, power: int) -> tuple[int, ...]:
    """The named leaders who come in the Reinforcement Phase of this turn; the schedule is provisional."""
    turns = dict(state.world.tables["arrivals"])
    if state.world.players == 5:
        turns.update(state.world.tables["arrivals_five_players"])
    gone = state.displaced | state.lost if state.displaced > 0 or state.lost > 0 else 0
    return tuple(
        leader
        for leader in state.world.leaders_of[power]
        if turns.get(state.world.leaders[leader].id) == state.turn
        and state.leader_at[leader] < 0
        and not gone >> leader & 1
    )


def prepare(action: Action, power: int) -> None:
    """Before a power places its reinforcements: its leaders who come, the Roman consuls, the price of Greek leaders."""
    if power == ROM:
        draw_consuls(action)
    old = kept_at_a_price(action.state, power)
    for leader in arriving(action.state, power):
        action.emit(LeaderArrived(leader))
    if old:
        action.push(KeepingLeaders(power, old))


# the price of Greek leaders (8.4)


def kept_at_a_price(state: State, power: int) -> tuple[int, ...]:
    """The named Greek leaders in the game, on the map or displaced, who cost loyalty."""
    if power != GRE:
        return ()
    return tuple(
        leader
        for leader in state.world.leaders_of[GRE]
        if (state.leader_at[leader] >= 0 or (state.displaced > 0 and state.displaced >> leader & 1))
        and leader_price(state, leader) > 0
    )


@effect("f8.4", otherwise=0)
def leader_price(state: State, leader: int) -> int:
    """The loyalty that keeps a named Greek leader; with five players one in Sicily may be cheaper."""
    prices = state.world.tables["greek_leaders"]["price"]
    price = int(prices.get(state.world.leaders[leader].id, 0))
    if not price or state.world.players != 5 or leader != _cheaper_in_sicily(state):
        return price
    spaces = state.world.board.spaces
    held = [s for s, home in enumerate(state.world.home) if home == CAR and spaces[s].region == "sicily"]
    return max(0, price - sum(state.owner[space] == GRE for space in held))


def _cheaper_in_sicily(state: State) -> int:
    """The dearest named Greek leader in Sicily, if no Greek home space of it is lost; or NONE."""
    spaces = state.world.board.spaces
    prices = state.world.tables["greek_leaders"]["price"]
    sicily = {index for index, space in enumerate(spaces) if space.region == "sicily"}
    if any(state.world.home[space] == GRE and state.owner[space] != GRE for space in sicily):
        return NONE
    there = [one for one in state.world.leaders_of[GRE] if state.leader_at[one] in sicily]
    return max(there, key=lambda one: (prices.get(state.world.leaders[one].id, 0), -one), default=NONE)


def _greek_cities(state: State, power: int) -> list[int]:
    return [space for space, owner in enumerate(state.owner) if owner == power and state.kinds[space] == CITY]


def _keeping_awaits(state: State, frame: KeepingLeaders) -> tuple[Decision, ...]:
    power = frame.power
    if frame.left > 0:
        return asked(state, power, "pay_loyalty", "f8.4", facts(power=power, left=frame.left))
    if not frame.leaders:
        return ()
    leader = frame.leaders[0]
    points = leader_price(state, leader)
    return asked(state, power, "keep_leader", "f8.4", facts(power=power, leader=leader, points=points))


def _keeping_candidates(state: State, frame: KeepingLeaders, seat: int) -> Iterable[Group]:
    power = frame.power
    if seat_deciding(state, power) != seat:
        return
    if frame.left > 0:
        yield PayLoyalty, power, [PayLoyalty(power, space) for space in _greek_cities(state, power)]
    elif frame.leaders:
        yield KeepLeader, power, [KeepLeader(power, frame.leaders[0])]
        yield DismissLeader, power, [DismissLeader(power, frame.leaders[0])]


def _keeping_proceed(action: Action, frame: KeepingLeaders) -> None:
    action.pop()


KEEPING_LEADERS = Flow(KeepingLeaders, _keeping_awaits, _keeping_candidates, _keeping_proceed)


@forbids("f8.4", act=(KeepLeader, DismissLeader))
def when_leaders_are_kept(state: State, act: KeepLeader | DismissLeader) -> Facts | None:
    """In the Reinforcement Phase, one after the other; kept only if the loyalty is there."""
    frame = state.frames[-1] if state.frames else None
    if not isinstance(frame, KeepingLeaders) or frame.left > 0:
        return facts(power=act.power, leader=act.leader)
    if frame.power != act.power or frame.leaders[:1] != (act.leader,):
        return facts(power=act.power, leader=act.leader)
    points = leader_price(state, act.leader)
    count = sum(state.loyalty_of(space) for space in _greek_cities(state, act.power))
    if isinstance(act, KeepLeader) and count < points:
        return facts(variant="price", power=act.power, leader=act.leader, points=points, count=count)
    return None


@forbids("f8.4", act=PayLoyalty)
def whose_loyalty_pays(state: State, act: PayLoyalty) -> Facts | None:
    """Only what is owed, and from cities of one's own."""
    frame = state.frames[-1] if state.frames else None
    if not isinstance(frame, KeepingLeaders) or frame.power != act.power or frame.left < 1:
        return facts(variant="nothing_owed", power=act.power)
    if act.space not in _greek_cities(state, act.power):
        return facts(variant="no_city", power=act.power, space=act.space)
    return None


@carries_out(KeepLeader)
def keep_leader(action: Action, command: KeepLeader) -> None:
    """He stays; the loyalty is asked for next."""
    frame = action.state.frames[-1]
    action.change(leaders=frame.leaders[1:], left=leader_price(action.state, command.leader))


@carries_out(DismissLeader)
def dismiss_leader(action: Action, command: DismissLeader) -> None:
    """He is gone for good."""
    action.emit(LeaderLost(command.leader))
    action.change(leaders=action.state.frames[-1].leaders[1:])


@carries_out(PayLoyalty)
def pay_loyalty(action: Action, command: PayLoyalty) -> None:
    """A point of loyalty goes."""
    action.change(left=action.state.frames[-1].left - 1)
    lose_point(action, command.space, "f8.4")


def reinforcements(state: State, power: int) -> int:
    """New CU of a power: those of its home reinforcement spaces that it controls (facts 2.6)."""
    total = 0
    for space in bits(state.world.reinforcement_spaces):
        if owed_for(state, power, space):
            total += state.world.board.spaces[space].numbers["reinforce"]
    return total + mercenary_reinforcement(state, power)


@effect("f2.6", otherwise=False)
def owed_for(state: State, power: int, space: int) -> bool:
    """A reinforcement space gives CU only to its first owner, and only while he controls it."""
    return state.owner[space] == power == state.world.home[space]


def reinforcement_places(state: State, power: int) -> tuple[int, ...]:
    """Friendly spaces free of enemy CU with a path of such spaces to an unbesieged home reinforcement space.

    No rough or strait ways; allied ground is friendly; Carthage and its allies trace over the sea as well (facts 5.6,
    15.35).
    """
    key: tuple[object, ...] = (state.owner, outside_masks(state), state.besieged_by, state.allies, state.unsure)
    if power in (CAR, MER) or outside_masks(state)[-1]:
        key = (*key, state.forces)
    return kept(state, ("reinforcement places", power), key, lambda: _find_places(state, power))


@effect("f15.35", otherwise=False)
def traces_by_sea(state: State, power: int) -> bool:
    """The path of reinforcements may go by sea for Carthage and its allies."""
    return power == CAR or state.are_allied(power, CAR)


def _find_places(state: State, power: int) -> tuple[int, ...]:
    if power == MER:
        return revolt_reinforcement_places(state)
    board = state.world.board
    open_ = friendly_spaces(state, power)
    if outside_masks(state)[-1]:
        for space in bits(open_):
            if state.besieged_by[space] < 0 and enemy_outside(state, power, space) != NONE:
                open_ &= ~(1 << space)
    else:
        open_ &= ~held_by_enemies(state, power)
    start = 0
    for space, besieger in enumerate(state.besieged_by):
        if besieger >= 0:
            open_ &= ~(1 << space)
    for space in bits(state.world.reinforcement_spaces & open_):
        if state.world.home[space] == power == state.owner[space]:
            start |= 1 << space
    by_sea = traces_by_sea(state, power)
    boxes = sum(1 << space for space, kind in enumerate(state.kinds) if kind == BOX) if by_sea else 0
    found = flood(state, power, start, open_ & ~boxes, board.port_mask if by_sea else 0)
    box = box_takes_reinforcements(state) if power == CAR else NONE
    return bits(found | 1 << box if box != NONE else found)


def _reinforcing_awaits(state: State, frame: Reinforcing) -> tuple[Decision, ...]:
    if not frame.powers or frame.left < 0:
        return ()
    power = frame.powers[0]
    if frame.left > 0:
        return asked(state, power, "reinforce", "f5.6", facts(power=power, left=frame.left))
    for one in at_it(state, frame):
        leader = must_return(state, one) if state.displaced else NONE
        if leader != NONE:
            return asked(state, one, "return_leader", "f5.6", facts(power=one, leader=leader))
    for one in at_it(state, frame):
        if leaders_to_spare(state, one):
            return asked(state, one, "minor_leaders", "f8.5", facts(power=one))
    return ()


@effect("f8.5", otherwise=False)
def leaders_to_spare(state: State, power: int) -> bool:
    """In the Reinforcement Phase a power is asked once more where CU want a leader and it has a minor one to spare."""
    places = [at for at in bits(outside_masks(state)[power]) if state.kinds[at] != BOX]
    if all(state.leaders_in(at, power) for at in places):
        return False
    minors = [leader for leader in state.world.leaders_of[power] if leader in state.world.minors]
    at_ = state.leader_at
    return any(at_[one] < 0 or len(state.leaders_in(at_[one], power)) > 1 for one in minors)


def _reinforcing_candidates(state: State, frame: Reinforcing, seat: int) -> Iterable[Group]:
    if not frame.powers:
        return
    power = frame.powers[0]
    if seat_deciding(state, power) != seat:
        return
    if must_name(state, power):
        yield from names_for(state, power, seat)
        return
    for one in at_it(state, frame):
        if frame.left > 0:
            yield PlaceUnits, one, [PlaceUnits(one, space) for space in placeable(state, one)]
        for leader in bits(state.displaced):
            if state.world.leaders[leader].power == one:
                places = return_places(state, one, leader)
                yield ReturnLeader, one, [ReturnLeader(one, leader, space) for space in places]
        yield minor_leader_places(state, one)
    for one in at_it(state, frame):
        yield Done, one, (Done(one),)


def placeable(state: State, power: int) -> tuple[int, ...]:
    """Where the new CU of a power could come; those of the Transalpine Gauls into their box as well."""
    places = reinforcement_places(state, power)
    if power != TRA:
        return places
    boxes = [s for s, kind in enumerate(state.kinds) if kind == BOX and state.world.home[s] == TRA and s not in places]
    return (*places, *boxes)


def _reinforcing_proceed(action: Action, frame: Reinforcing) -> None:
    if not frame.powers:
        displace_all_lone(action)
        action.pop()
        return
    if frame.left < 0:
        state: State = action.state
        powers = at_it(state, frame)
        left = sum(reinforcements(state, power) for power in powers)
        if not any(placeable(state, power) for power in powers):
            left = 0
        action.change(left=left)
        for power in powers:
            prepare(action, power)
        return
    action.change(powers=frame.powers[1:], left=-1)


REINFORCING = Flow(Reinforcing, _reinforcing_awaits, _reinforcing_candidates, _reinforcing_proceed)


@forbids("f5.6", act=PlaceUnits)
def where_reinforcements_go(state: State, act: PlaceUnits) -> Facts | None:
    """To friendly ground, an ally's included, along a path of such spaces."""
    frame = state.frames[-1] if state.frames else None
    if isinstance(frame, Reinforcing):
        if act.power not in at_it(state, frame) or frame.left < 1:
            return facts(variant="not_now", power=act.power)
    elif not state.sketched:
        return facts(variant="not_now", power=act.power)
    if act.power == TRA and state.kinds[act.space] == BOX and state.world.home[act.space] == TRA:
        return None
    if act.space in reinforcement_places(state, act.power):
        return None
    return facts(power=act.power, space=act.space)


def entail_place_units(state: State, command: PlaceUnits) -> Iterable[tuple[State, object]]:
    """Placing, and not on another's CU."""
    yield state, command
    yield state, EndElsewhere(command.power, command.space, "placement")


def displaced_of(state: State, power: int) -> tuple[int, ...]:
    """The displaced leaders of a power."""
    return tuple(leader for leader in bits(state.displaced) if state.world.leaders[leader].power == power)


def return_places(state: State, power: int, leader: int) -> tuple[int, ...]:
    """Where a displaced leader may return: to CU of his power where reinforcements could go (facts 5.6).

    Bomilcar returns to Africa only (facts 17.3).
    """
    bound = state.world.leaders[leader].id == "bomilcar" and state.world.players != 5
    return tuple(
        space
        for space in reinforcement_places(state, power)
        if state.force(power, space).outside and not (bound and state.world.board.spaces[space].region != "africa")
    )


def must_return(state: State, power: int) -> int:
    """A displaced leader of the power who has somewhere to return to, or NONE."""
    return next((leader for leader in displaced_of(state, power) if return_places(state, power, leader)), NONE)


@forbids("f5.6", act=ReturnLeader)
def where_a_leader_returns(state: State, act: ReturnLeader) -> Facts | None:
    """In the Reinforcement Phase, to CU of his power."""
    frame = state.frames[-1] if state.frames else None
    if isinstance(frame, Reinforcing):
        if act.power not in at_it(state, frame) or frame.left < 0:
            return facts(variant="not_now", power=act.power)
    elif not state.sketched:
        return facts(variant="not_now", power=act.power)
    if act.leader not in displaced_of(state, act.power):
        return facts(variant="not_displaced", power=act.power, leader=act.leader)
    if act.space not in return_places(state, act.power, act.leader):
        return facts(variant="no_place", power=act.power, leader=act.leader, space=act.space)
    return None


@forbids("f5.6", act=Done)
def displaced_leaders_must_return(state: State, act: Done) -> Facts | None:
    """They stay displaced only if there is nowhere to return to."""
    frame = state.frames[-1] if state.frames else None
    if not isinstance(frame, Reinforcing) or act.power not in at_it(state, frame):
        return None
    for power in at_it(state, frame):
        leader = must_return(state, power)
        if leader != NONE:
            return facts(variant="must_return", power=power, leader=leader)
    return None


@carries_out(ReturnLeader)
def return_leader(action: Action, command: ReturnLeader) -> None:
    """He stands with his CU again, and commands them (facts 8.2)."""
    action.emit(LeaderMoved(command.leader, command.space))
    take_command(action, command.leader)


@carries_out(PlaceUnits)
def place_units(action: Action, command: PlaceUnits) -> None:
    """One CU."""
    action.emit(UnitsAdded(command.power, command.space, 1, "f5.6"))
    frame = action.state.frames[-1] if action.state.frames else None
    if isinstance(frame, Reinforcing):
        note_mercenary(action, command.power, command.space, frame.left)
        action.change(left=frame.left - 1)


@carries_out(Done)
def done(action: Action, command: Done) -> None:
    """No more of what is asked now."""
    frame = action.state.frames[-1]
    if isinstance(frame, NPPAction):
        action.emit(NPPDone(frame.npp))
        action.pop()
        return
    finish(action, frame)


@forbids("f5.1", act=Done)
def done_only_when_asked(state: State, act: Done) -> Facts | None:
    """There must be something under way that this power can end."""
    frame = state.frames[-1] if state.frames else None
    return None if frame is not None and _can_end(state, frame, act.power) else facts(variant="done", power=act.power)


def _can_end(state: State, frame: Frame, power: int) -> bool:
    if isinstance(frame, NPPAction) or (isinstance(frame, Supporting) and frame.npp != NONE):
        return frame.npp == power
    if isinstance(frame, (Campaign, Supporting, Aiming)):
        return frame.seat == state.controller[power]
    if isinstance(frame, Surrendering):
        return frame.powers[:1] == (power,)
    if isinstance(frame, Reinforcing):
        return power in at_it(state, frame)
    if isinstance(frame, Retreating):
        return frame.power == power and not frame.done
    return isinstance(frame, Spoils) and frame.winner == power


def finish(action: Action, frame: object) -> None:
    """What `Done` ends."""
    if isinstance(frame, Spoils):
        action.change(points=0)
    elif isinstance(frame, Retreating):
        give_up(action, frame)
        action.change(done=True)
    elif isinstance(frame, (Campaign, Supporting, Aiming)):
        action.change(left=0)
    elif isinstance(frame, Surrendering):
        action.change(powers=frame.powers[1:])
    elif isinstance(frame, Reinforcing):
        action.change(powers=frame.powers[1:], left=-1)


PHASE_WORK = {
    MINES: mines,
    DRAW: draw_cards,
    FIRST_PLAYER: first_player,
    ATTRITION: attrition,
    SURRENDER: surrender,
    ISOLATION: isolation,
    SCORING: scoring,
    ALLIANCES: begin_renewal,
    REINFORCEMENT: reinforcement,
}
