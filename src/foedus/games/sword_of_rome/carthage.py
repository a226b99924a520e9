"""Carthage: Africa (17), the treaty with Rome (18), its mercenaries (7.9) and their revolt (16.4)."""

from __future__ import annotations

from collections.abc import Iterable

from foedus.games.sword_of_rome.alliances import begin_alliance, end_alliance
from foedus.games.sword_of_rome.commands import (
    ActivateNPP,
    AvoidBattle,
    AvoidBySea,
    BreakAlliance,
    Dismiss,
    EndElsewhere,
    GoHome,
    GoInside,
    Hire,
    PlaceHired,
    PlayCard,
    PlayEvent,
)
from foedus.games.sword_of_rome.events import (
    AllianceEnded,
    CarthageFell,
    ControlChanged,
    LeaderDisplaced,
    LeaderMoved,
    LeviesAdded,
    ShipsBuilt,
    SiegeLifted,
    TreatyChanged,
    UnitsAdded,
    UnitsMoved,
    UnitsRemoved,
)
from foedus.games.sword_of_rome.frames import Activation, AtSea, Attacked, ComingHome, Dismissing, Hiring
from foedus.games.sword_of_rome.ground import enemy_outside
from foedus.games.sword_of_rome.hands import lay_down
from foedus.games.sword_of_rome.sieges import begin_siege, check_siege
from foedus.games.sword_of_rome.state import (
    CAR,
    CITY,
    ENVOYS,
    GRE,
    IND,
    MER,
    NO_TREATY,
    ROM,
    S_CAR,
    S_ROM,
    TREATY,
    TREATY_BROKEN,
    State,
    still_allowed,
)
from foedus.kernel.flow import Action, Decision, Flow, Group, carries_out
from foedus.kernel.rules import Facts, effect, facts, forbids, permits
from foedus.kernel.unknown import NONE
from foedus.kernel.values import bits

# 17 Africa


def in_africa(state: State, space: int) -> bool:
    """Does the space lie in Africa?"""
    return space >= 0 and state.world.board.spaces[space].region == "africa"


def place(state: State, name: str) -> int:
    """The space of that id, or NONE on a board that has none."""
    return state.world.board.index.get(name, NONE)


def leader_of(state: State, name: str) -> int:
    """The leader of that id."""
    return next(i for i, leader in enumerate(state.world.leaders) if leader.id == name)


@forbids("f17.6", act=(AvoidBattle, AvoidBySea, GoInside))
def carthago_stands_and_fights(state: State, act: AvoidBattle | AvoidBySea | GoInside) -> Facts | None:
    """Two to four players: Carthaginians in Carthago always stand and fight."""
    space = act.space if isinstance(act, GoInside) else act.start
    if state.world.players != 5 and act.power == CAR and space == place(state, "carthago"):
        return facts(power=act.power, space=space)
    return None


def landing_force(state: State) -> int:
    """CU that Agathocles could take to Africa: those in Syracusae outside, so many at most (facts 17.4)."""
    start = place(state, "syracusae")
    most = int(state.world.tables["agathocles"]["units"])
    return min(most, state.force(GRE, start).outside) if start != NONE else 0


@forbids("f17.4", act=PlayEvent)
def when_agathocles_lands(state: State, act: PlayEvent) -> Facts | None:
    """Two to four players, by the Greeks, with CU in Syracusae to take along, while there is a Carthage."""
    if act.effect != "agathocles":
        return None
    if act.power != GRE or state.world.players == 5 or state.fallen:
        return facts(power=act.power)
    start = place(state, "syracusae")
    if state.known_troops(start) and not landing_force(state):
        return facts(variant="no_units", power=act.power, space=start)
    to = place(state, "kerkouane")
    if state.known_troops(to) and state.present(to, CAR) and state.are_allied(GRE, CAR):
        return facts(variant="ally", power=act.power, ally=CAR, space=to)  # as by 15.3a; where a table lets them ally
    return None


def land_agathocles(action: Action) -> None:
    """Agathocles lands in Kerkouane with CU from Syracusae; Carthaginians there fight at once."""
    state: State = action.state
    start, to, leader = place(state, "syracusae"), place(state, "kerkouane"), leader_of(state, "agathocles")
    count = landing_force(state)
    action.emit(UnitsMoved(GRE, start, to, count))
    action.emit(LeaderMoved(leader, to))
    check_siege(action, start)
    meet_the_placed(action, GRE, to, leader, state.ruling("agathocles_landing") == "may_avoid")


def meet_the_placed(action: Action, power: int, space: int, leader: int, may_avoid: bool = False) -> None:
    """CU that were placed in a space fight whoever stands there: placed, not moved, so nobody intercepts."""
    state: State = action.state
    enemy = enemy_outside(state, power, space)
    if enemy == NONE:
        begin_siege(action, power, space)
        return
    count = state.force(power, space).outside
    action.push(Attacked(enemy, power, space, NONE, count, leader, answered=not may_avoid))


def ship_hamilcar_home(action: Action, loser: int, space: int) -> None:
    """Facts 17.5: after a battle that Carthage lost in Kerkouane Hamilcar and his CU sail to Carthago."""
    if hamilcar_must_go_home(action.state, loser, space):
        state: State = action.state
        leader = leader_of(state, "hamilcar")
        start = state.leader_at[leader]
        count = min(int(state.world.tables["movement"]["army"]), state.force(CAR, start).outside)
        action.push(AtSea(CAR, leader, count, start, place(state, "carthago"), home=True))


@effect("f17.5", otherwise=False)
def hamilcar_must_go_home(state: State, loser: int, space: int) -> bool:
    """Unless he is in Africa, besieged or displaced; with two to four players."""
    if state.world.players == 5 or loser != CAR or space != place(state, "kerkouane"):
        return False
    leader = leader_of(state, "hamilcar")
    at = state.leader_at[leader]
    if at < 0 or in_africa(state, at) or state.leader_inside >> leader & 1:
        return False
    return bool(state.force(CAR, at).outside)


@effect("f17.7", otherwise=False)
def carthago_is_taken(state: State) -> bool:
    """Two to four players: Greek CU stand in Carthago when an action ends."""
    space = place(state, "carthago")
    if state.world.players == 5 or state.fallen or space == NONE or not state.known_troops(space):
        return False
    if not state.force(GRE, space).outside or enemy_outside(state, GRE, space) != NONE:
        return False
    return not state.are_allied(GRE, CAR)  # an ally's army takes nothing


def no_consequences(state: State, winner: int, space: int) -> bool:
    """Facts 17.7: a Greek victory in Carthago has no political consequences."""
    return state.world.players != 5 and winner == GRE and space == place(state, "carthago")


def check_carthago(action: Action) -> None:
    """Facts 17.7: at the end of an action with Greek CU in Carthago, Carthage leaves the game."""
    if not carthago_is_taken(action.state):
        return
    action.emit(CarthageFell())
    if action.state.treaty == TREATY:
        end_alliance(action, ROM, CAR, "lapsed", NONE)
    elif action.state.treaty == ENVOYS:
        action.emit(TreatyChanged(TREATY_BROKEN, ROM, CAR, False, "f17.7"))
    for ally in bits(action.state.formal[CAR]):
        end_alliance(action, ally, CAR, "lapsed", NONE)
    state: State = action.state
    for space, forces in enumerate(state.forces):
        for force in forces:
            if force.power == CAR:
                action.emit(UnitsRemoved(CAR, space, force.outside, force.inside, "f17.7"))
    for leader in state.world.leaders_of[CAR]:
        if state.leader_at[leader] != NONE:
            action.emit(LeaderMoved(leader, NONE))
    for space, owner in enumerate(state.owner):
        check_siege(action, space)
        if owner != CAR:
            continue
        if in_africa(state, space):
            action.emit(ControlChanged(space, IND, state.loyalty[space], "f17.7"))  # nobody's: out of play
            continue
        besieger = state.besieged_by[space]
        if besieger == GRE or (besieger >= 0 and state.are_allied(GRE, besieger)):
            action.emit(SiegeLifted(space, "f17.7"))
        loyalty = 1 if state.kinds[space] == CITY else state.loyalty[space]
        action.emit(ControlChanged(space, GRE, loyalty, "f17.7"))
    expedition_goes_home(action)


def expedition_goes_home(action: Action) -> None:
    """The Greek CU in Africa go home to a reinforcement space of theirs without enemies, or are lost."""
    state: State = action.state
    count = 0
    leaders: list[int] = []
    for space in range(len(state.owner)):
        if in_africa(state, space):
            force = state.force(GRE, space)
            count += force.outside + force.inside
            leaders += state.leaders_in(space, GRE)
    homes = homes_of_the_expedition(state)
    if len(homes) > 1:
        action.push(ComingHome(count, tuple(leaders)))
    else:
        bring_home(action, homes[0] if homes else NONE)


def homes_of_the_expedition(state: State) -> tuple[int, ...]:
    """The Greeks' own reinforcement spaces without enemy CU."""
    board = state.world.board
    return tuple(
        space
        for space, owner in enumerate(state.owner)
        if owner == GRE == state.world.home[space]
        and board.spaces[space].numbers.get("reinforce")
        and enemy_outside(state, GRE, space) == NONE
        and all(force.power == GRE for force in state.troops(space))
    )


def bring_home(action: Action, home: int) -> None:
    """All Greek CU and leaders in Africa go there, or (nowhere) are lost."""
    state: State = action.state
    for space in range(len(state.owner)):
        if not in_africa(state, space):
            continue
        force = state.force(GRE, space)
        count = force.outside + force.inside
        if count:
            action.emit(UnitsRemoved(GRE, space, force.outside, force.inside, "f17.7"))
            if home != NONE:
                action.emit(UnitsAdded(GRE, home, count, "f17.7"))
        for leader in state.leaders_in(space, GRE):
            action.emit(LeaderMoved(leader, home) if home != NONE else LeaderDisplaced(leader, "f17.7"))
        check_siege(action, space)


@forbids("f17.7", act=ActivateNPP)
def a_fallen_carthage_is_not_activated(state: State, act: ActivateNPP) -> Facts | None:
    """Once Carthago has fallen no card activates Carthage."""
    return facts(power=act.power, npp=act.npp) if act.npp == CAR and state.fallen else None


@forbids("f17.7", act=GoHome)
def where_the_expedition_goes(state: State, act: GoHome) -> Facts | None:
    """To one of the Greeks' reinforcement spaces without enemies."""
    frame = state.frames[-1] if state.frames else None
    if not isinstance(frame, ComingHome) or not frame.count or act.power != GRE:
        return facts(variant="not_now", power=act.power)
    if act.space not in homes_of_the_expedition(state):
        return facts(variant="home", power=act.power, space=act.space)
    return None


@carries_out(GoHome)
def go_home(action: Action, command: GoHome) -> None:
    """They go there."""
    bring_home(action, command.space)
    action.change(count=0)


def _home_awaits(state: State, frame: ComingHome) -> tuple[Decision, ...]:
    if not frame.count:
        return ()
    return (Decision(state.controller[GRE], GRE, "go_home", "f17.7", facts(power=GRE, count=frame.count)),)


def _home_candidates(state: State, frame: ComingHome, seat: int) -> Iterable[Group]:
    if seat == state.controller[GRE] and frame.count:
        yield GoHome, GRE, [GoHome(GRE, space) for space in homes_of_the_expedition(state)]


def _home_proceed(action: Action, frame: ComingHome) -> None:
    action.pop()


COMING_HOME = Flow(ComingHome, _home_awaits, _home_candidates, _home_proceed)


# 18 the treaty


@forbids("18.0", act=ActivateNPP)
def only_rome_activates_carthage(state: State, act: ActivateNPP) -> Facts | None:
    """Facts 18.3: under the treaty only Rome activates Carthage."""
    if act.npp == CAR and state.treaty == TREATY and act.power != ROM:
        return facts(power=act.power, npp=act.npp)
    return None


@effect("f18.3", otherwise=False)
def any_card_of_three_serves(state: State, seat: int, npp: int) -> bool:
    """Under the treaty any Roman card of value 3 activates Carthage, as an activation card does."""
    return npp == CAR and state.treaty == TREATY and seat == S_ROM


@permits("f18.8", act=BreakAlliance)
def rome_may_break_the_treaty(state: State, act: BreakAlliance) -> Facts | None:
    """While active, for three points of support; the marker leaves the game for good."""
    if (act.power, act.ally) == (ROM, CAR) and state.treaty == TREATY:
        return facts(power=act.power)
    return None


@forbids("f18.1", act=PlayEvent)
def who_signs_the_treaty(state: State, act: PlayEvent) -> Facts | None:
    """Rome plays Carthage Signs Treaty once the envoys have come; not with five players, not after it ended."""
    if act.effect != "treaty":
        return None
    if act.power != ROM or state.world.players == 5 or state.treaty != ENVOYS or state.fallen:
        return facts(power=act.power)
    if state.formal[ROM] >> GRE & 1 and state.ruling("treaty_over_greek_alliance") == "break_first":
        return facts(variant="greeks", power=act.power)
    return None


@forbids("f18.1", act=PlayEvent)
def when_envoys_come(state: State, act: PlayEvent) -> Facts | None:
    """Punic Envoys: once, with two to four players, while there is a Carthage."""
    if act.effect == "envoys" and (state.world.players == 5 or state.treaty != NO_TREATY or state.fallen):
        return facts(variant="envoys", power=act.power)
    return None


@effect("18.0", otherwise=False)
def treaty_makes_allies(state: State) -> bool:
    """Facts 18.2: Rome and Carthage are allies under section 15."""
    return True


def envoys_come(action: Action) -> None:
    """Punic Envoys: the marker is laid with that side up."""
    action.emit(TreatyChanged(ENVOYS, ROM, CAR, action.state.are_allied(ROM, CAR), "f18.1"))


def sign_treaty(action: Action) -> None:
    """The marker is turned: Rome and Carthage are allied."""
    if action.state.formal[ROM] >> GRE & 1:
        end_alliance(action, ROM, GRE, "lapsed", NONE)
    if action.state.formal[ROM] >> CAR & 1:  # where a table lets non-player powers make alliances
        action.emit(AllianceEnded(ROM, CAR, "treaty", NONE, "18.0"))
    allied = treaty_makes_allies(action.state)
    action.emit(TreatyChanged(TREATY, ROM, CAR, allied))
    if allied:
        begin_alliance(action, ROM, CAR)


def build_ships(action: Action) -> None:
    """Duoviri Navales: Rome has ships from now on."""
    action.emit(ShipsBuilt(ROM))


# 7.9 mercenaries, five players


def mercenaries(state: State) -> int:
    """Mercenary CU of Carthage on the map."""
    return sum(count for _, count in state.levies) if state.world.players == 5 else 0


@forbids("f7.9", act=Hire)
def when_mercenaries_are_hired(state: State, act: Hire) -> Facts | None:
    """Five players: Carthage while active, once an activation, where its reinforcements could come."""
    if state.world.players != 5 or act.power != CAR:
        return facts(power=act.power)
    frame = state.frames[-1] if state.frames else None
    if isinstance(frame, Activation) and frame.seat == S_CAR:
        if frame.hired:
            return facts(variant="hired", power=act.power)
    elif not (frame is None and state.sketched and state.is_active(CAR)):
        return facts(variant="not_now", power=act.power)
    from foedus.games.sword_of_rome.turn import reinforcement_places  # the turn stands on this chapter

    places = reinforcement_places(state, CAR)
    if act.space == NONE:
        return None if places else facts(variant="nowhere", power=act.power)
    return None if act.space in places else facts(variant="place", power=act.power, space=act.space)


def entail_hire(state: State, command: Hire) -> Iterable[tuple[State, object]]:
    """Hiring, not on another's CU, and the card it takes."""
    yield state, command
    yield state, EndElsewhere(command.power, command.space, "placement")
    yield state, PlayCard(command.power, command.card, "", True)


@carries_out(Hire)
def hire(action: Action, command: Hire) -> None:
    """As many mercenaries as the card is worth; Carthage may still play its one card."""
    state: State = action.state
    count = state.world.cards[command.card].value if command.card >= 0 else 1
    if command.card >= 0:
        lay_down(action, S_CAR, command.card, "hire")
    if state.frames and isinstance(state.frames[-1], Activation):
        action.change(hired=True)
    if command.space != NONE:
        add_mercenaries(action, command.space, count, "f7.9")
    elif action.state.frames:
        action.push(Hiring(count))


@forbids("f7.9", act=PlaceHired)
def where_the_hired_come(state: State, act: PlaceHired) -> Facts | None:
    """Where reinforcements could come."""
    frame = state.frames[-1] if state.frames else None
    if not isinstance(frame, Hiring) or frame.left < 1 or act.power != CAR:
        return facts(variant="not_now", power=act.power)
    from foedus.games.sword_of_rome.turn import reinforcement_places

    if act.space not in reinforcement_places(state, CAR):
        return facts(variant="place", power=act.power, space=act.space)
    return None


def entail_place_hired(state: State, command: PlaceHired) -> Iterable[tuple[State, object]]:
    """Placing, and not on another's CU."""
    yield state, command
    yield state, EndElsewhere(command.power, command.space, "placement")


@carries_out(PlaceHired)
def place_hired(action: Action, command: PlaceHired) -> None:
    """One comes."""
    add_mercenaries(action, command.space, 1, "f7.9")
    action.change(left=action.state.frames[-1].left - 1)


def _hiring_places(state: State) -> list[PlaceHired]:
    from foedus.games.sword_of_rome.turn import reinforcement_places

    every = [PlaceHired(CAR, space) for space in reinforcement_places(state, CAR)]
    return [one for one in every if all(still_allowed(at, act) for at, act in entail_place_hired(state, one))]


def _hiring_awaits(state: State, frame: Hiring) -> tuple[Decision, ...]:
    if frame.left < 1 or not _hiring_places(state):
        return ()
    return (Decision(state.controller[CAR], CAR, "hire", "f7.9", facts(power=CAR, left=frame.left)),)


def _hiring_candidates(state: State, frame: Hiring, seat: int) -> Iterable[Group]:
    if seat == state.controller[CAR] and frame.left > 0:
        yield PlaceHired, CAR, _hiring_places(state)


def _hiring_proceed(action: Action, frame: Hiring) -> None:
    action.pop()


HIRING = Flow(Hiring, _hiring_awaits, _hiring_candidates, _hiring_proceed)


def add_mercenaries(action: Action, space: int, count: int, why: str) -> None:
    """So many mercenary CU of Carthage come."""
    action.emit(UnitsAdded(CAR, space, count, why))
    action.emit(LeviesAdded(space, count, why))


@effect("f7.9", otherwise=0)
def mercenaries_to_leave(state: State) -> int:
    """Five players: half of the mercenaries on the map, rounded up, leave before reinforcements come."""
    return (mercenaries(state) + 1) // 2 if S_CAR in state.seats else 0


def mercenaries_leave(action: Action) -> None:
    """Before reinforcements: Carthage says which mercenaries leave."""
    left = mercenaries_to_leave(action.state)
    if left:
        action.push(Dismissing(left))


@forbids("f7.9", act=Dismiss)
def which_mercenaries_leave(state: State, act: Dismiss) -> Facts | None:
    """Those that are there, as many as must."""
    frame = state.frames[-1] if state.frames else None
    if not isinstance(frame, Dismissing) or frame.left < 1 or act.power != CAR:
        return facts(variant="not_now", power=act.power)
    return None if dict(state.levies).get(act.space) else facts(variant="none", power=act.power, space=act.space)


@carries_out(Dismiss)
def dismiss(action: Action, command: Dismiss) -> None:
    """One leaves."""
    _dismiss(action, command.space)


def _dismiss(action: Action, space: int) -> None:
    state: State = action.state
    outside = 1 if state.force(CAR, space).outside else 0
    action.emit(UnitsRemoved(CAR, space, outside, 1 - outside, "f7.9"))
    _leaders_left_alone(action, space)
    check_siege(action, space)
    action.change(left=action.state.frames[-1].left - 1)


def _leaders_left_alone(action: Action, space: int) -> None:
    state: State = action.state
    if enemy_outside(state, CAR, space) != NONE and not state.force(CAR, space).outside:
        for leader in state.leaders_in(space, CAR):
            if not state.leader_inside >> leader & 1:
                action.emit(LeaderDisplaced(leader))


def _dismissing_awaits(state: State, frame: Dismissing) -> tuple[Decision, ...]:
    if frame.left < 1 or len(state.levies) < 2:
        return ()
    return (Decision(state.controller[CAR], CAR, "dismiss", "f7.9", facts(power=CAR, left=frame.left)),)


def _dismissing_candidates(state: State, frame: Dismissing, seat: int) -> Iterable[Group]:
    if seat == state.controller[CAR] and frame.left > 0:
        yield Dismiss, CAR, [Dismiss(CAR, space) for space, _ in state.levies]


def _dismissing_proceed(action: Action, frame: Dismissing) -> None:
    if frame.left > 0 and action.state.levies:
        _dismiss(action, action.state.levies[0][0])
    else:
        action.pop()


DISMISSING = Flow(Dismissing, _dismissing_awaits, _dismissing_candidates, _dismissing_proceed)


def mercenary_reinforcement(state: State, power: int) -> int:
    """Five players: mercenaries that come in the Reinforcement Phase, to Carthage and to a revolt (facts 16.25)."""
    if state.world.players != 5:
        return 0
    revolt = revolt_lasts(state) and revolt_takes_its_part(state)
    if power == CAR:
        usual = int(state.world.tables["mercenaries"]["reinforcement"])
        return usual - 1 if revolt else usual
    return 1 if power == MER and revolt else 0


def note_mercenary(action: Action, power: int, space: int, left: int) -> None:
    """Of Carthage's new CU the regulars come first: the last ones placed are the mercenaries."""
    if power == CAR and action.state.world.players == 5 and left <= mercenary_reinforcement(action.state, CAR):
        action.emit(LeviesAdded(space, 1, "f5.6"))


@effect("f19.2", otherwise=NONE)
def box_takes_reinforcements(state: State) -> int:
    """Five players: Carthaginian reinforcements may be placed straight in the Garrison box."""
    return place(state, "garrison") if state.world.players == 5 else NONE


@effect("f16.25", otherwise=False)
def revolt_takes_its_part(state: State) -> bool:
    """While the revolt lasts Carthage has one mercenary less, and the revolt one CU more."""
    return True


# 16.4 the revolt of the mercenaries, five players


@effect("f16.24", otherwise=True)
def revolt_lasts(state: State) -> bool:
    """The revolt lasts as long as there are Revolting Mercenaries."""
    return any(force.power == MER for forces in state.forces for force in forces)


def revolt_places(state: State) -> tuple[int, ...]:
    """Where Revolting Mercenaries are placed: Carthago and Kerkouane (facts 16.19)."""
    return tuple(space for space in (place(state, "carthago"), place(state, "kerkouane")) if space != NONE)


@forbids("f16.22", act=PlayEvent)
def when_mercenaries_revolt(state: State, act: PlayEvent) -> Facts | None:
    """Five players, in Africa, and one revolt at a time."""
    if act.effect != "insurrection":
        return None
    if state.world.players != 5 or act.power == CAR:
        return facts(power=act.power)
    if any(force.power == MER for forces in state.forces for force in forces):
        return facts(variant="lasts", power=act.power)
    if act.space != NONE and act.space not in revolt_places(state):
        return facts(variant="place", power=act.power, space=act.space)
    return None


def begin_revolt(action: Action, space: int) -> None:
    """Revolting Mercenaries are placed with a leader; CU that stand there fight at once (facts 16.22, 16.23)."""
    state: State = action.state
    leader = next(iter(state.world.leaders_of[MER]), NONE)
    action.emit(UnitsAdded(MER, space, int(state.world.tables["mercenaries"]["revolt"]), "f16.22"))
    if leader != NONE:
        action.emit(LeaderMoved(leader, space))
    meet_the_placed(action, MER, space, leader, not placed_not_moved(state))


@effect("f16.23", otherwise=False)
def placed_not_moved(state: State) -> bool:
    """CU on which the revolt is placed cannot avoid the battle."""
    return True


def revolt_reinforcement_places(state: State) -> tuple[int, ...]:
    """Where the revolt's new CU come: to its CU, or to a place of Africa without others' CU (facts 16.25)."""
    standing = tuple(s for s, forces in enumerate(state.forces) if any(f.power == MER and f.outside for f in forces))
    return standing or tuple(s for s in revolt_places(state) if not state.troops(s))
