"""Non-player powers (16): who decides for them, how they are activated, and where they may end."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from foedus.games.sword_of_rome.alliances import allied_troops_in
from foedus.games.sword_of_rome.commands import (
    Activate,
    ActivateNPP,
    Done,
    EndElsewhere,
    EndMovement,
    NameDecider,
    PlaceMinor,
)
from foedus.games.sword_of_rome.events import (
    CardPlayed,
    DeciderNamed,
    LeaderMoved,
    NPPActivated,
    NPPDone,
    PassingAlliance,
    UnitsAdded,
)
from foedus.games.sword_of_rome.frames import Activation, NPPAction, TieBreak
from foedus.games.sword_of_rome.powers import fewest, seat_rank
from foedus.games.sword_of_rome.state import (
    ACTION,
    BOX,
    CAR,
    CITY,
    ETR,
    GAL,
    GRE,
    IND,
    MER,
    ROM,
    S_CAR,
    S_GAL,
    S_GRE,
    S_ROM,
    SAM,
    TRA,
    TREATY,
    TURN_END,
    VOL,
    State,
    applies,
)
from foedus.kernel.flow import Action, Decision, Flow, Group, carries_out
from foedus.kernel.rules import Facts, effect, facts, forbids, permits
from foedus.kernel.unknown import NONE, UNKNOWN, Unknown
from foedus.kernel.values import bits

# 16.1 who decides


class Decider(msgspec.Struct, frozen=True, gc=False):
    """Who decides for a power: the seat, the clause, and in words why.

    `among`: when several are tied for the fewest points, those of whom `seat` (the winner of the tie by 4.4) must
    name one first. `seat` is NONE if nobody decides.
    """

    seat: int
    clause: str
    among: tuple[int, ...] = ()
    facts: Facts = ()


def moment_of(state: State, npp: int) -> str:
    """In which of the three situations of 16.1 the power is: activated, inactive or turn_end. Raises `Unknown`."""
    if state.acting_npp == npp:
        return "activated"
    if state.phase in TURN_END:
        return "turn_end"
    if state.phase == UNKNOWN and state.active in (UNKNOWN, NONE):
        raise Unknown("phase", (), (ACTION, *sorted(TURN_END)))
    return "inactive"


def are_partners(state: State, a: int, b: int) -> bool:
    """Are two players allied? By any alliance of their powers, or by all (ruling `half_ally`). Raises `Unknown`."""
    mine, theirs = state.powers_of(a), state.powers_of(b)
    some = [[state.pact(one, two) is not None for two in theirs] for one in mine]
    if state.ruling("half_ally") == "counts":
        return any(any(row) for row in some)
    return all(any(row) for row in some) and all(any(column) for column in zip(*some, strict=True))


EXCLUSIONS = {TRA: ("16.1.d", S_GAL), VOL: ("16.1.e", S_ROM), CAR: ("16.1.f", S_GRE), MER: ("16.1.g", S_CAR)}
"""Whom the decisions of each non-player power at the end of a turn are closed to, with his allies."""


@effect("16.1.d", otherwise=False)
def closed_to_the_gauls(state: State) -> bool:
    """The Transalpine Gauls: not the Gallic player nor an ally of his."""
    return S_GAL in state.world.seats


@effect("16.1.e", otherwise=False)
def closed_to_the_romans(state: State) -> bool:
    """The Volsci: not the Roman player nor an ally of his."""
    return S_ROM in state.world.seats


@effect("16.1.f", otherwise=False)
def closed_to_the_greeks(state: State) -> bool:
    """Carthage: not the Greek player nor an ally of his; ignored with five players."""
    return state.world.players != 5


@effect("16.1.g", otherwise=False)
def closed_to_the_carthaginians(state: State) -> bool:
    """The Revolting Mercenaries: not the Carthaginian player nor an ally of his."""
    return state.world.players == 5


CLOSED = {
    TRA: closed_to_the_gauls,
    VOL: closed_to_the_romans,
    CAR: closed_to_the_greeks,
    MER: closed_to_the_carthaginians,
}


@effect("16.1", otherwise=False)
def players_decide(state: State) -> bool:
    """Players make every decision of the non-player powers."""
    return True


@effect("16.1.a", otherwise=NONE)
def activator_decides(state: State, npp: int) -> int:
    """Activated by an event: its player decides everything during the activation."""
    return state.activator


@effect("16.1.b", otherwise=None)
def not_the_active_players_allies(state: State) -> int | None:
    """Inactive: those not allied with the active player; gives whom that is."""
    return state.active_seat()


@effect("16.1.c", otherwise=False)
def fewest_at_the_end_of_the_turn(state: State) -> bool:
    """At the end of the turn: the fewest points, subject to the exclusions."""
    return True


@effect("16.1.h", otherwise=False)
def rome_decides_for_carthage(state: State) -> bool:
    """Rome decides everything for Carthage while they are allied (18.0; ruling `rome_decides_when`)."""
    if state.controller[CAR] != NONE or state.world.players == 5:
        return False
    if state.treaty == UNKNOWN:
        raise Unknown("treaty", (), (0, TREATY))
    if state.treaty == TREATY:
        return True
    return state.ruling("rome_decides_when") == "any_alliance" and state.are_allied(ROM, CAR)


@effect("16.1.i", otherwise=False)
def somebody_must_decide(state: State, moment: str) -> bool:
    """Alliances keep everybody out: the player with the fewest points decides (ruling `fallback_reach`)."""
    return moment == "turn_end" or state.ruling("fallback_reach") == "everywhere"


def decider(state: State, npp: int, moment: str = "") -> Decider:
    """Who decides for a power now, or at the `moment` given, and why. Raises `Unknown` where that is not known."""
    seat = state.controller[npp]
    if seat != NONE:
        return Decider(seat, "", (), facts(seat=seat, npp=npp))
    if not players_decide(state):
        return Decider(NONE, "16.1", (), facts(npp=npp))
    if npp == CAR and rome_decides_for_carthage(state):
        return Decider(S_ROM, "16.1.h", (), facts(seat=S_ROM, npp=npp))
    moment = moment or moment_of(state, npp)
    if moment == "activated":
        seat = activator_decides(state, npp)
        if seat != NONE:
            return Decider(seat, "16.1.a", (), facts(seat=seat, npp=npp))
        moment = "inactive"
    by_name, by_alliance = _kept_out(state, npp, moment)
    seats = state.world.seats
    pool = [seat for seat in seats if seat not in by_name and seat not in by_alliance]
    clause = "16.1.c" if moment == "turn_end" else "16.1.b"
    if clause == "16.1.c" and not fewest_at_the_end_of_the_turn(state):
        return Decider(NONE, clause, (), facts(npp=npp))
    if not pool:
        if not somebody_must_decide(state, moment):
            return Decider(NONE, clause, (), facts(npp=npp))
        clause = "16.1.i"
        pool = list(seats)
        if state.ruling("fallback_among") == "barred_by_alliance":
            pool = [seat for seat in seats if seat in by_alliance and seat not in by_name] or pool
    least = fewest(state, pool)
    return _settle_tie(state, npp, clause, least)


def _kept_out(state: State, npp: int, moment: str) -> tuple[set[int], set[int]]:
    """The seats kept out by name, and those kept out by an alliance."""
    seats = state.world.seats
    by_name: set[int] = set()
    by_alliance: set[int] = set()
    if moment != "turn_end":
        active = not_the_active_players_allies(state)
        if active is not None and active != NONE:
            if state.ruling("active_player_as_decider") == "barred":
                by_name.add(active)
            by_alliance |= {seat for seat in seats if seat != active and are_partners(state, seat, active)}
    if (moment == "turn_end" or state.ruling("exclusions_while_inactive") == "always") and npp in CLOSED:
        barred = EXCLUSIONS[npp][1]
        if CLOSED[npp](state):
            by_name.add(barred)
            by_alliance |= {seat for seat in seats if seat != barred and are_partners(state, seat, barred)}
    return by_name, by_alliance - by_name


def _settle_tie(state: State, npp: int, clause: str, least: tuple[int, ...]) -> Decider:
    """One with the fewest points decides; of several the winner by 4.4 names one (ruling `decider_tie`)."""
    seat = least[0]
    why = facts(seat=seat, npp=npp, vp=state.vp[seat], active=state.active)
    if len(least) == 1 or state.ruling("decider_tie") == "tie_rank":
        return Decider(seat, clause, (), why)
    if state.named[npp] in least:
        seat = state.named[npp]
        return Decider(seat, clause, (), facts(seat=seat, npp=npp, vp=state.vp[seat], active=state.active))
    return Decider(seat, clause, least, why)


def seat_deciding(state: State, power: int) -> int:
    """The seat that decides for a power now: its player, or the decider of 16.1 (a tie's winner until he has named)."""
    seat = state.controller[power]
    return seat if seat != NONE else decider(state, power).seat


def must_name(state: State, power: int) -> bool:
    """Must the winner of a tie name the decider of this power before it can decide anything?"""
    return state.controller[power] == NONE and len(decider(state, power).among) > 1


def ask_for_name(action: Action, power: int) -> bool:
    """If a tie must be settled first, ask its winner; says whether it asked."""
    if not must_name(action.state, power):
        return False
    found = decider(action.state, power)
    action.push(TieBreak(power, found.seat, found.among, found.clause))
    return True


def _tie_awaits(state: State, frame: TieBreak) -> tuple[Decision, ...]:
    if frame.named:
        return ()
    power = state.powers_of(frame.namer)[0]
    return (Decision(frame.namer, power, "name", "f4.5", facts(npp=frame.npp, among=frame.among)),)


def _tie_candidates(state: State, frame: TieBreak, seat: int) -> Iterable[Group]:
    if seat == frame.namer and not frame.named:
        power = state.powers_of(seat)[0]
        yield NameDecider, power, tuple(NameDecider(power, frame.npp, one) for one in frame.among)


def _tie_proceed(action: Action, frame: TieBreak) -> None:
    action.pop()


TIE = Flow(TieBreak, _tie_awaits, _tie_candidates, _tie_proceed)


@forbids("f4.5", act=NameDecider)
def only_the_winner_of_the_tie_names(state: State, act: NameDecider) -> Facts | None:
    """4.4: the winner of the tie names one of the tied players."""
    seat = state.controller[act.power]
    frame = state.frames[-1] if state.frames else None
    if isinstance(frame, TieBreak):
        tied: tuple[int, ...] = frame.among if frame.npp == act.npp and frame.namer == seat else ()
    else:
        found = decider(state, act.npp)
        tied = found.among if found.seat == seat else ()
    return None if act.seat in tied else facts(seat=act.seat, npp=act.npp, power=act.power)


@carries_out(NameDecider)
def name_decider(action: Action, command: NameDecider) -> None:
    """The name holds until the next activation or phase."""
    action.emit(DeciderNamed(command.npp, command.seat))
    if action.state.frames and isinstance(action.state.frames[-1], TieBreak):
        action.change(named=True)


# 16.1.1 activation


NPP_ACTIONS = ("support", "units", "leader")


@forbids("16.1.1i", act=ActivateNPP, wide=True)
def only_while_active(state: State, act: ActivateNPP) -> Facts | None:
    """Such an event is played while one is active."""
    if not state.is_active(act.power):
        return facts(power=act.power, active=state.active)
    return None


@forbids("16.1.1a", act=ActivateNPP)
def only_a_non_player_power(state: State, act: ActivateNPP) -> Facts | None:
    """The event lets a non-player power act, and one that is in play."""
    if not state.is_npp(act.npp) or act.npp not in state.world.npps:
        return facts(variant="player", power=act.power, npp=act.npp)
    if act.action not in NPP_ACTIONS:
        return facts(variant="action", power=act.power, npp=act.npp, action=act.action)
    return None


@forbids("16.1.1d", act=ActivateNPP)
def once_a_round(state: State, act: ActivateNPP) -> Facts | None:
    """One action of each non-player power in a round, whoever plays the event."""
    if state.activated == UNKNOWN:
        raise Unknown("activated", (("npp", act.npp),), (0, 1))
    if state.activated >> act.npp & 1:
        return facts(power=act.power, npp=act.npp)
    return None


@forbids("16.1.1j", act=ActivateNPP)
def one_power_and_one_action(state: State, act: ActivateNPP) -> Facts | None:
    """One event serves one power, for one of the three actions."""
    if act.also != NONE:
        return facts(variant="powers", power=act.power, npp=act.npp, other=act.also)
    if act.second:
        return facts(power=act.power, npp=act.npp)
    return None


TRADITIONAL_ENEMY = {S_GAL: TRA, S_ROM: VOL, S_GRE: CAR}
"""Whom each player's deck does not reach (facts 16.15, derived); the Etruscan/Samnite deck reaches all."""


@forbids("f16.15", act=ActivateNPP)
def whom_the_card_reaches(state: State, act: ActivateNPP) -> Facts | None:
    """Which power a card can reach differs by deck (ruling `card_reach`)."""
    seat = state.controller[act.power]
    if state.ruling("card_reach") == "by_deck" and TRADITIONAL_ENEMY.get(seat) == act.npp:
        return facts(power=act.power, npp=act.npp)
    return None


@forbids("16.4", act=ActivateNPP)
def mercenaries_not_by_the_carthaginian_deck(state: State, act: ActivateNPP) -> Facts | None:
    """Facts 16.22: any activation card but those of the Carthaginian deck reaches the Revolting Mercenaries."""
    if act.npp == MER and state.controller[act.power] == S_CAR:
        return facts(power=act.power, npp=act.npp)
    return None


@forbids("16.1.1h", act=ActivateNPP)
def what_the_activation_is_worth(state: State, act: ActivateNPP) -> Facts | None:
    """A CU needs a value of 3, which every activation has (ruling `activation_value`)."""
    if act.action != "units" or act.npp in (MER,):
        return None
    if activation_value(state, act.card) < 3:
        return facts(power=act.power, npp=act.npp, points=activation_value(state, act.card))
    return None


def activation_value(state: State, card: int) -> int:
    """The worth of an activation in card value: 3, or the printed value by the ruling `activation_value`."""
    if applies(state, "16.1.1h") and state.ruling("activation_value") == "always_three":
        return 3
    return state.world.cards[card].value if card >= 0 else 2  # facts 16.14


@forbids("f16.7", act=ActivateNPP)
def where_the_action_goes(state: State, act: ActivateNPP) -> Facts | None:
    """The action needs a place: support where the power can have it, CU where its leader stands, an army to lead."""
    if act.action == "leader" or act.space == NONE:
        return None
    owner = state.owner_of(act.space)
    if act.action == "units":
        if not state.leaders_in(act.space, act.npp) and not state.force(act.npp, act.space).outside:
            return facts(variant="units", npp=act.npp, space=act.space)
        return None
    enemy = [force.power for force in state.troops(act.space) if force.power != act.npp]
    if owner == act.npp and state.world.kinds[act.space] == CITY and state.loyalty_of(act.space) < 3 and not enemy:
        return None
    own = state.force(act.npp, act.space).outside
    if owner != act.npp and own and state.kind(act.space) not in (CITY, BOX, "tribe"):
        return None
    return facts(variant="support", npp=act.npp, space=act.space)


@permits("16.1.1a", act=ActivateNPP)
def an_activation_event(state: State, act: ActivateNPP) -> Facts | None:
    """The active player may play it, for one action of one power."""
    return facts(power=act.power, npp=act.npp)


@permits("16.1.1f", act=ActivateNPP)
def several_in_one_round(state: State, act: ActivateNPP) -> Facts | None:
    """Cited where another power was activated this round already."""
    if state.activated > 0 and not state.activated >> act.npp & 1:
        return facts(power=act.power, npp=act.npp, others=bits(state.activated))
    return None


@permits("16.1.1e", act=ActivateNPP)
def in_either_order(state: State, act: ActivateNPP) -> Facts | None:
    """Cited where the player has played his card already: the order is free."""
    frame = state.frames[-1] if state.frames else None
    if isinstance(frame, Activation) and frame.played:
        return facts(power=act.power, npp=act.npp)
    return None


@permits("15.6", act=ActivateNPP)
def alliances_put_no_limit(state: State, act: ActivateNPP) -> Facts | None:
    """Cited where the player has allies: none of them limits the activation."""
    seat = state.controller[act.power]
    allies = 0
    for power in state.powers_of(seat):
        allies |= state.formal[power]
    return facts(power=act.power, npp=act.npp, allies=bits(allies)) if allies else None


@effect("16.1.1c", otherwise=True)
def uses_up_the_card_play(state: State) -> bool:
    """Does the event take the place of the player's own card play? It need not."""
    return False


@effect("16.1.1g", otherwise=False)
def marker_lies_until_the_round_ends(state: State) -> bool:
    """The activated power's marker lies on the round track until the next round begins."""
    return True


@effect("16.1.1b", otherwise=False)
def minor_leaders_come_out(state: State) -> bool:
    """Whatever is chosen, the power's minor leaders may also be brought out."""
    return True


@carries_out(ActivateNPP)
def activate_npp(action: Action, command: ActivateNPP) -> None:
    """The card is played, the marker laid, and the action carried out; a leader's march is asked for next."""
    state: State = action.state
    seat = state.controller[command.power]
    if command.card >= 0:
        action.emit(CardPlayed(seat, command.card, "event"))
    frame = state.frames[-1] if state.frames else None
    if isinstance(frame, Activation) and uses_up_the_card_play(state):
        action.change(played=True)
    if marker_lies_until_the_round_ends(state):
        action.emit(NPPActivated(command.npp, seat, command.action))
    if command.action == "units" and command.space != NONE:
        action.emit(UnitsAdded(command.npp, command.space, 1, "16.1.1h"))
    elif command.action == "support" and command.space != NONE:
        place_npp_support(action, command.npp, command.space)
    power = state.powers_of(seat)[0] if seat != NONE else command.power
    action.push(NPPAction(command.npp, seat, begun=command.action != "leader"))
    if not state.frames and not power:
        action.pop()


def place_npp_support(action: Action, npp: int, space: int) -> None:
    """Up to three points of support, here in one place: a marker, or loyalty."""
    from foedus.games.sword_of_rome.support import add_point

    add_point(action, npp, space, "f16.7")


def _npp_awaits(state: State, frame: NPPAction) -> tuple[Decision, ...]:
    return (Decision(frame.seat, frame.npp, "npp_action", "16.1.a", facts(npp=frame.npp, seat=frame.seat)),)


def _npp_candidates(state: State, frame: NPPAction, seat: int) -> Iterable[Group]:
    if seat != frame.seat:
        return
    npp = frame.npp
    if not frame.begun:
        yield Activate, npp, activations(state, npp)
    if minor_leaders_come_out(state):
        places = [s for s, forces in enumerate(state.forces) if any(f.power == npp and f.outside for f in forces)]
        minors = [leader for leader in state.world.leaders_of[npp] if leader in state.world.minors]
        yield PlaceMinor, npp, [PlaceMinor(npp, leader, space) for leader in minors for space in places]
    yield Done, npp, (Done(npp),)


def activations(state: State, power: int, card: int = NONE) -> list[Activate]:
    """The armies a power's leaders could take: for each leader all CU, and each smaller number."""
    found = []
    limit = int(state.world.tables["movement"]["army"])
    for leader in state.world.leaders_of[power]:
        space = state.leader_at[leader]
        if space >= 0:
            outside = state.force(power, space)
            for count in range(min(limit, outside.outside + outside.inside), 0, -1):
                found.append(Activate(power, leader, space, count, card))
    return found


def _npp_proceed(action: Action, frame: NPPAction) -> None:
    action.pop()


NPP_ACTION = Flow(NPPAction, _npp_awaits, _npp_candidates, _npp_proceed)


def npp_frame(state: State) -> NPPAction | None:
    """The action of an activated non-player power that is under way on top."""
    return state.frames[-1] if state.frames and isinstance(state.frames[-1], NPPAction) else None


@forbids("16.1.1b", act=PlaceMinor)
def which_minor_leaders_come_out(state: State, act: PlaceMinor) -> Facts | None:
    """The activated power's minor leaders, to its own CU; those on the map by the ruling `minor_leaders_moved`."""
    if act.leader not in state.world.minors or state.world.leaders[act.leader].power != act.power:
        return facts(variant="whose", power=act.power, leader=act.leader)
    if state.controller[act.power] == NONE:
        frame = npp_frame(state)
        if frame is None or frame.npp != act.power:
            return facts(variant="inactive", power=act.power)
        if state.leader_at[act.leader] >= 0 and state.ruling("minor_leaders_moved") == "refused":
            return facts(variant="placed", power=act.power, leader=act.leader)
    elif not state.is_active(act.power):
        return facts(variant="inactive", power=act.power)
    if state.leader_at[act.leader] == act.space:
        return facts(variant="there", power=act.power, leader=act.leader, space=act.space)
    if not state.force(act.power, act.space).outside:
        return facts(variant="no_units", power=act.power, space=act.space)
    return None


@carries_out(PlaceMinor)
def place_minor(action: Action, command: PlaceMinor) -> None:
    """The leader stands with his CU."""
    action.emit(LeaderMoved(command.leader, command.space))


@carries_out(Done)
def done(action: Action, command: Done) -> None:
    """No more of what is asked now."""
    frame = action.state.frames[-1]
    if isinstance(frame, NPPAction):
        action.emit(NPPDone(frame.npp))
        action.pop()
        return
    from foedus.games.sword_of_rome.turn import finish

    finish(action, frame)


@forbids("f5.1", act=Done)
def done_only_when_asked(state: State, act: Done) -> Facts | None:
    """There must be something that can be ended."""
    from foedus.games.sword_of_rome.turn import ENDABLE

    frame = state.frames[-1] if state.frames else None
    if isinstance(frame, (NPPAction, *ENDABLE)):
        asked = frame.npp if isinstance(frame, NPPAction) else None
        if asked is None or asked == act.power:
            return None
    return facts(variant="done", power=act.power)


# 16.1.2 the passing alliance


@effect("16.1.2", otherwise=0)
def passing_allies(state: State, npp: int) -> int:
    """While its army moves: the powers (mask) of the activator, by the ruling `activator_powers`; his alone (15.6b)."""
    seat = state.activator
    if seat == NONE:
        return 0
    powers = state.powers_of(seat)
    if state.ruling("activator_powers") == "power_named":
        powers = powers[:1]
    mask = sum(1 << power for power in powers)
    return mask if stays_hostile_to_his_allies(state) else mask | _allies_of(state, powers)


@effect("15.6b", otherwise=False)
def stays_hostile_to_his_allies(state: State) -> bool:
    """The alliance is the activator's only: the power stays hostile to his allies."""
    return True


def _allies_of(state: State, powers: Iterable[int]) -> int:
    mask = 0
    for power in powers:
        mask |= state.formal[power]
    return mask


def begin_passing_alliance(action: Action, npp: int) -> None:
    """The army of an activated power begins to move."""
    mask = passing_allies(action.state, npp) if action.state.acting_npp == npp else 0
    if mask:
        action.emit(PassingAlliance(npp, mask, True))


def end_passing_alliance(action: Action, npp: int) -> None:
    """Its action is over (or by the ruling `activator_alliance_ends` its movement): the alliance is gone, free."""
    state: State = action.state
    mask = state.allies[npp] & ~state.formal[npp]
    if npp == CAR and state.treaty == TREATY:
        mask &= ~(1 << ROM)
    if mask and state.is_npp(npp):
        action.emit(PassingAlliance(npp, mask, False))


# 16.2, 16.3 where they may end


@forbids("16.2", act=EndMovement)
def npps_do_not_end_stacked(state: State, act: EndMovement) -> Facts | None:
    """As allies do not: no movement of a non-player power ends on another's CU or leaders."""
    if not state.is_npp(act.power):
        return None
    ally = allied_troops_in(state, act.power, act.space)
    return None if ally == NONE else facts(power=act.power, ally=ally, space=act.space)


AFRICA = "africa"
SICILY_AND_AFRICA = ("africa", "sicily")


def allowed_end(state: State, power: int, space: int) -> str:
    """Facts 16.16 to 16.19: "" if a non-player power may end there, else the clause that forbids it."""
    home = state.world.home[space]
    board = state.world.board
    if power == CAR and state.world.players != 5:
        region = (board.spaces[space].region or "").casefold()
        return "" if region in SICILY_AND_AFRICA else "f16.16"
    if power == VOL:
        return "" if home in (ROM, VOL) else "f16.17"
    if power == TRA:
        return "" if home == GAL else "f16.18"
    if power == MER:
        return "" if board.spaces[space].id in ("carthago", "kerkouane") else "f16.19"
    return ""


@forbids("16.3", act=EndMovement)
def where_npps_may_end(state: State, act: EndMovement) -> Facts | None:
    """Facts 16.16 to 16.21: where the movement of a non-player power may end."""
    if not state.is_npp(act.power):
        return None
    rule = allowed_end(state, act.power, act.space)
    return facts(variant=rule, power=act.power, space=act.space) if rule else None


@forbids("16.3", act=EndElsewhere)
def where_npps_may_end_otherwise(state: State, act: EndElsewhere) -> Facts | None:
    """Avoiding and intercepting are bound too (facts 16.21); retreats by the ruling `npp_retreat_limits`."""
    if not state.is_npp(act.power):
        return None
    if act.how == "retreat" and state.ruling("npp_retreat_limits") == "free":
        return None
    if act.how not in ("retreat", "avoid", "intercept"):
        return None
    rule = allowed_end(state, act.power, act.space)
    return facts(variant=rule, power=act.power, space=act.space) if rule else None


def waits(frame: object) -> bool:
    """Is it a frame in which a non-player power acts?"""
    return isinstance(frame, (NPPAction, TieBreak))


__all__ = [
    "ETR",
    "GAL",
    "GRE",
    "IND",
    "SAM",
    "Decider",
    "decider",
    "seat_deciding",
    "seat_rank",
]
