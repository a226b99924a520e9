"""The turn: rounds of activations, and the phases that end it (5)."""

from __future__ import annotations

from collections.abc import Iterable

from foedus.games.sword_of_rome.alliances import allies_ground_is_friendly, begin_renewal, is_friendly
from foedus.games.sword_of_rome.cards import card_choices, event_candidates
from foedus.games.sword_of_rome.commands import (
    Activate,
    ActivateNPP,
    Besiege,
    BreakAlliance,
    Done,
    EndElsewhere,
    Flank,
    GoInside,
    JoinForces,
    Liberate,
    Pass,
    PlaceMinor,
    PlaceUnits,
    PlayEvent,
    PlayValue,
    ProposeAlliance,
    RemoveUnits,
    ReturnLeader,
    Sail,
    Subjugate,
    Surrender,
    TakeControl,
)
from foedus.games.sword_of_rome.events import (
    ActivationBegan,
    ActivationEnded,
    AttritionChecked,
    ControlChanged,
    LeaderMoved,
    MarkersRemoved,
    NPPDone,
    OfferEnded,
    PhaseBegan,
    RoundBegan,
    TurnBegan,
    UnitsAdded,
    UnitsRemoved,
    VPChanged,
)
from foedus.games.sword_of_rome.frames import (
    Activation,
    Attacked,
    Campaign,
    NPPAction,
    Reinforcing,
    Spoils,
    Supporting,
    Surrendering,
    TurnFrame,
)
from foedus.games.sword_of_rome.ground import enemy_outside, way_kind
from foedus.games.sword_of_rome.leaders import displace
from foedus.games.sword_of_rome.neutrals import (
    NPP_ACTIONS,
    activations,
    asked,
    minor_leader_places,
    must_name,
    names_for,
    sails,
    seat_deciding,
)
from foedus.games.sword_of_rome.powers import descending, npps_in_order
from foedus.games.sword_of_rome.sieges import check_siege
from foedus.games.sword_of_rome.state import (
    ACTION,
    ALLIANCES,
    ATTRITION,
    BOX,
    CAR,
    CITY,
    GAL,
    IND,
    ISOLATION,
    OVER,
    REINFORCEMENT,
    ROM,
    SAM,
    SCORING,
    SURRENDER,
    TRA,
    TRIBE,
    State,
    applies,
    kept,
    outside_masks,
    owner_masks,
)
from foedus.kernel.flow import Action, Decision, Flow, Group, carries_out
from foedus.kernel.rules import Facts, effect, facts, forbids
from foedus.kernel.unknown import NONE
from foedus.kernel.values import Command, Frame, bits
from foedus.kernel.verdict import Reason

ROUNDS = 5
TURNS = 9
CLEAR = 0


# activations


def _proposals(state: State, seat: int) -> tuple[tuple[int, tuple[ProposeAlliance, ...]], ...]:
    """Every alliance that a seat could propose, by its powers; worked out once a world."""
    npps = state.ruling("npp_alliances") != "refused"
    key = ("proposals", seat, state.controller, npps)
    cache = state.world.cache
    found: tuple[tuple[int, tuple[ProposeAlliance, ...]], ...] | None = cache.get(key)
    if found is None:
        others = range(IND) if npps else [power for power in range(IND) if state.controller[power] != NONE]
        found = cache[key] = tuple(
            (power, tuple(ProposeAlliance(power, other) for other in others if other != power))
            for power in state.powers_of(seat)
        )
        cache[("breaks", seat, state.controller)] = {
            (power, other): BreakAlliance(power, other) for power in state.powers_of(seat) for other in range(IND)
        }
        cache[("pass", seat)] = (Pass(state.powers_of(seat)[0]),)
    return found


def _activation_awaits(state: State, frame: Activation) -> tuple[Decision, ...]:
    if frame.done:
        return ()
    cache = state.world.cache
    key = ("activation", frame.seat, state.controller)
    found: tuple[Decision, ...] | None = cache.get(key)
    if found is None:
        power = state.powers_of(frame.seat)[0]
        found = cache[key] = (Decision(frame.seat, power, "activation", "f5.1", facts(seat=frame.seat)),)
    return found


def _activation_candidates(state: State, frame: Activation, seat: int) -> Iterable[Group]:
    if seat != frame.seat or frame.done:
        return
    proposals = _proposals(state, seat)
    cache = state.world.cache
    breaks = cache[("breaks", seat, state.controller)]
    for power, commands in proposals:
        yield ProposeAlliance, power, commands
        formal = state.formal[power]
        if formal:
            yield BreakAlliance, power, [breaks[(power, ally)] for ally in bits(formal)]
    yield Pass, proposals[0][0], cache[("pass", seat)]
    if state.treaty == 2 and seat == state.controller[ROM]:
        yield BreakAlliance, ROM, (BreakAlliance(ROM, CAR),)
    if state.hands and seat < len(state.hands) and state.hands[seat]:
        yield from _card_candidates(state, frame, seat)
    if max(state.leader_at) >= 0:
        yield from _minor_candidates(state, seat)


def _minor_candidates(state: State, seat: int) -> Iterable[Group]:
    for power in state.powers_of(seat):
        places = bits(outside_masks(state)[power])
        if places:
            minors = [leader for leader in state.world.leaders_of[power] if leader in state.world.minors]
            yield PlaceMinor, power, [PlaceMinor(power, leader, space) for leader in minors for space in places]


def _card_candidates(state: State, frame: Activation, seat: int) -> Iterable[Group]:
    first = state.powers_of(seat)[0]
    for card in card_choices(state, seat):
        face = state.world.cards[card]
        if face.effect == "activation" or (state.treaty == 2 and seat == state.controller[ROM] and face.value == 3):
            yield ActivateNPP, first, _npp_candidates(state, first, card)
        if frame.played:
            continue
        yield PlayEvent, first, event_candidates(state, seat, card)
        yield PlayValue, first, (PlayValue(first, card, "support"),)
        for power in state.powers_of(seat):
            places = [s for s, forces in enumerate(state.forces) if any(f.power == power for f in forces)]
            yield PlayValue, power, [PlayValue(power, card, "units", space) for space in places]
            yield Activate, power, activations(state, power, card)
            yield Sail, power, sails(state, power, card)


def _npp_candidates(state: State, power: int, card: int) -> list[ActivateNPP]:
    found = []
    for npp in state.world.npps:
        found.append(ActivateNPP(power, npp, "leader", card=card))
        found.append(ActivateNPP(power, npp, "support", card=card))
        for space, forces in enumerate(state.forces):
            if any(force.power == npp for force in forces):
                found.append(ActivateNPP(power, npp, NPP_ACTIONS[1], space, card=card))
            if state.owner[space] == npp or any(force.power == npp for force in forces):
                found.append(ActivateNPP(power, npp, NPP_ACTIONS[0], space, card=card))
    return found


def _activation_proceed(action: Action, frame: Activation) -> None:
    for offer in action.state.offers:
        if _offers_die(action.state):
            action.emit(OfferEnded(offer.by, offer.to, "died"))
    action.emit(ActivationEnded(frame.seat))
    action.pop()


def _offers_die(state: State) -> bool:
    """Ruling `proposal_stands`: an offer dies with its activation, or stays for the turn."""
    return state.ruling("proposal_stands") == "this_activation"


ACTIVATION = Flow(Activation, _activation_awaits, _activation_candidates, _activation_proceed)


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
    action.change(done=True)


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
    if isinstance(act, GoInside) and isinstance(frame, Attacked):
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
    if state.phase == ACTION:
        if frame.waiting:
            action.change(waiting=frame.waiting[1:])
            action.emit(ActivationBegan(frame.waiting[0]))
            action.push(Activation(frame.waiting[0]))
        elif state.round < ROUNDS:
            action.emit(RoundBegan(state.round + 1))
            if state.activated:
                action.emit(MarkersRemoved())
            action.change(waiting=state.order)
        else:
            action.change(begun=False)
            action.emit(PhaseBegan(ATTRITION))
        return
    if not frame.begun:
        action.change(begun=True)
        PHASE_WORK[state.phase](action)
        return
    after = next_phase(state)
    action.change(begun=False)
    if after == ACTION:
        for offer in state.offers:
            action.emit(OfferEnded(offer.by, offer.to, "died"))
        if state.turn >= TURNS:
            action.emit(PhaseBegan(OVER))
            return
        action.emit(TurnBegan(state.turn + 1))
        action.emit(RoundBegan(1))
        if state.activated:
            action.emit(MarkersRemoved())
        action.change(waiting=state.order)
    action.emit(PhaseBegan(after))


@effect("15.4.M3", otherwise=False)
def lapses_after_reinforcement(state: State) -> bool:
    """Ruling `lapse_moment`: alliances end after reinforcements, or before them as in the order of the phases."""
    return state.ruling("lapse_moment") == "after_reinforcement"


def next_phase(state: State) -> int:
    """The phase after this one (facts 5), with the ruling `lapse_moment`."""
    order = [ATTRITION, SURRENDER, ISOLATION, SCORING, ALLIANCES, REINFORCEMENT]
    if lapses_after_reinforcement(state):
        order[4:] = [REINFORCEMENT, ALLIANCES]
    index = order.index(state.phase)
    return order[index + 1] if index + 1 < len(order) else ACTION


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


# attrition


@effect("15.2.e3", otherwise=False)
def spared_on_allied_ground(state: State, power: int, space: int) -> bool:
    """An army in ally-controlled territory makes no attrition roll."""
    owner = state.owner_of(space)
    return owner not in (power, IND) and is_friendly(state, power, space)


def attrition(action: Action) -> None:
    """One roll in every enemy space with one's CU (facts 5.3); the table is provisional."""
    for power in phase_order(action.state):
        for space in bits(outside_masks(action.state)[power]):
            state: State = action.state
            if state.owner_of(space) == power or state.world.kinds[space] == BOX:
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
        for space in bits(owner_masks(state)[power] & ~linked_spaces(state, power)):
            if state.world.kinds[space] not in (CITY, BOX, TRIBE):
                action.emit(ControlChanged(space, IND, state.loyalty[space], "f5.5"))


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
    """The spaces (mask) that anchor a link by what they are."""
    found: int | None = state.world.cache.get("anchors")
    if found is None:
        board = state.world.board
        found = board.port_mask | board.having("reinforce")
        for space, kind in enumerate(state.world.kinds):
            if kind in (CITY, TRIBE):
                found |= 1 << space
        state.world.cache["anchors"] = found
    return found


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
    """Victory spaces outside one's home count one each, own ones not held cost one each (facts 4.2)."""
    state: State = action.state
    board = state.world.board
    victory = bits(board.having("victory", state.world.players))
    for seat in state.world.seats:
        change = 0
        for power in state.powers_of(seat):
            for space in victory:
                home, owner = state.world.home[space], state.owner[space]
                if owner == power and home != power and power != GAL and state.controller[home] != seat:
                    change += 1
                elif home == power and owner != power and state.controller[owner] != seat:
                    change -= 1
        vp = min(12, max(0, state.vp[seat] + change))
        if vp != state.vp[seat]:
            action.emit(VPChanged(seat, vp))


# reinforcement


def reinforcement(action: Action) -> None:
    """Every power places its new CU (facts 5.6)."""
    order = phase_order(action.state)
    powers = tuple(p for p in order if reinforcements(action.state, p) or displaced_of(action.state, p))
    if powers:
        action.push(Reinforcing(powers))


def reinforcements(state: State, power: int) -> int:
    """New CU of a power: those of its home reinforcement spaces that it controls (facts 2.6)."""
    total = 0
    for space in bits(_reinforcing_spaces(state)):
        if state.owner[space] == power == state.world.home[space]:
            total += state.world.board.spaces[space].numbers["reinforce"]
    return total


def _reinforcing_spaces(state: State) -> int:
    """The reinforcement spaces (mask) of the board."""
    found: int | None = state.world.cache.get("reinforcement spaces")
    if found is None:
        found = state.world.cache["reinforcement spaces"] = state.world.board.having("reinforce")
    return found


def reinforcement_places(state: State, power: int) -> tuple[int, ...]:
    """Friendly spaces free of enemy CU with a path of such spaces to an unbesieged home reinforcement space.

    No rough or strait ways; allied ground is friendly; Carthage and its allies trace over the sea as well (facts 5.6,
    15.35).
    """
    key = (state.owner, state.forces, state.besieged_by, state.allies, power)
    return kept(state, "reinforcement places", key, lambda: _find_places(state, power))


def _find_places(state: State, power: int) -> tuple[int, ...]:
    board = state.world.board
    open_ = friendly_spaces(state, power)
    start = 0
    reinforcing = _reinforcing_spaces(state)
    for space in bits(open_):
        if state.besieged_by[space] >= 0 or (state.forces[space] and enemy_outside(state, power, space) != NONE):
            open_ &= ~(1 << space)
        elif reinforcing >> space & 1 and state.world.home[space] == power == state.owner[space]:
            start |= 1 << space
    by_sea = power == CAR or state.are_allied(power, CAR)
    return bits(flood(state, power, start, open_, board.port_mask if by_sea else 0))


def _reinforcing_awaits(state: State, frame: Reinforcing) -> tuple[Decision, ...]:
    if not frame.powers or frame.left < 0:
        return ()
    power = frame.powers[0]
    if frame.left > 0:
        return asked(state, power, "reinforce", "f5.6", facts(power=power, left=frame.left))
    leader = must_return(state, power) if state.displaced else NONE
    return () if leader == NONE else asked(state, power, "return_leader", "f5.6", facts(power=power, leader=leader))


def _reinforcing_candidates(state: State, frame: Reinforcing, seat: int) -> Iterable[Group]:
    if not frame.powers:
        return
    power = frame.powers[0]
    if seat_deciding(state, power) != seat:
        return
    if must_name(state, power):
        yield from names_for(state, power, seat)
        return
    if frame.left > 0:
        yield PlaceUnits, power, [PlaceUnits(power, space) for space in reinforcement_places(state, power)]
    for leader in bits(state.displaced):
        if state.world.leaders[leader].power == power:
            places = return_places(state, power, leader)
            yield ReturnLeader, power, [ReturnLeader(power, leader, space) for space in places]
    yield minor_leader_places(state, power)
    yield Done, power, (Done(power),)


def _reinforcing_proceed(action: Action, frame: Reinforcing) -> None:
    if not frame.powers:
        action.pop()
        return
    if frame.left < 0:
        left = reinforcements(action.state, frame.powers[0])
        if not reinforcement_places(action.state, frame.powers[0]):
            left = 0
        action.change(left=left)
        return
    action.change(powers=frame.powers[1:], left=-1)


REINFORCING = Flow(Reinforcing, _reinforcing_awaits, _reinforcing_candidates, _reinforcing_proceed)


@forbids("f5.6", act=PlaceUnits)
def where_reinforcements_go(state: State, act: PlaceUnits) -> Facts | None:
    """To friendly ground, an ally's included, along a path of such spaces."""
    frame = state.frames[-1] if state.frames else None
    if isinstance(frame, Reinforcing):
        if frame.powers[:1] != (act.power,) or frame.left < 1:
            return facts(variant="not_now", power=act.power)
    elif not state.sketched:
        return facts(variant="not_now", power=act.power)
    if act.power == TRA and state.world.kinds[act.space] == BOX and state.world.home[act.space] == TRA:
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
        if frame.powers[:1] != (act.power,) or frame.left < 0:
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
    if not isinstance(frame, Reinforcing) or frame.powers[:1] != (act.power,):
        return None
    leader = must_return(state, act.power)
    return None if leader == NONE else facts(variant="must_return", power=act.power, leader=leader)


@carries_out(ReturnLeader)
def return_leader(action: Action, command: ReturnLeader) -> None:
    """He stands with his CU again."""
    action.emit(LeaderMoved(command.leader, command.space))


@carries_out(PlaceUnits)
def place_units(action: Action, command: PlaceUnits) -> None:
    """One CU."""
    action.emit(UnitsAdded(command.power, command.space, 1, "f5.6"))
    frame = action.state.frames[-1] if action.state.frames else None
    if isinstance(frame, Reinforcing):
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
    if isinstance(frame, (Campaign, Supporting)):
        return frame.seat == state.controller[power]
    if isinstance(frame, (Surrendering, Reinforcing)):
        return frame.powers[:1] == (power,)
    return isinstance(frame, Spoils) and frame.winner == power


def finish(action: Action, frame: object) -> None:
    """What `Done` ends."""
    if isinstance(frame, Spoils):
        action.change(points=0)
    elif isinstance(frame, (Campaign, Supporting)):
        action.change(left=0)
    elif isinstance(frame, Surrendering):
        action.change(powers=frame.powers[1:])
    elif isinstance(frame, Reinforcing):
        action.change(powers=frame.powers[1:], left=-1)


PHASE_WORK = {
    ATTRITION: attrition,
    SURRENDER: surrender,
    ISOLATION: isolation,
    SCORING: scoring,
    ALLIANCES: begin_renewal,
    REINFORCEMENT: reinforcement,
}
