"""Non-player powers (16): who decides for them, how they are activated, and where they may end."""

from __future__ import annotations

from collections.abc import Iterable
from operator import attrgetter

import msgspec
from msgspec.structs import replace

from foedus.games.sword_of_rome.alliances import allied_troops_in
from foedus.games.sword_of_rome.commands import (
    AcceptBattle,
    Activate,
    ActivateNPP,
    AvoidBattle,
    AvoidBySea,
    Besiege,
    ComeOut,
    Done,
    Drop,
    EndElsewhere,
    EndMovement,
    GoInside,
    Halt,
    HoldFast,
    Intercept,
    Keep,
    LeaveLeader,
    LetGo,
    Liberate,
    Loot,
    NameDecider,
    OrderInterception,
    PickUp,
    PlaceMinor,
    PlaceSupport,
    PlaceUnits,
    Pursue,
    Raid,
    RefuseBattle,
    RemoveMarker,
    RemoveSupport,
    Retreat,
    ReturnLeader,
    Sail,
    SendUnits,
    Sortie,
    StayPut,
    Step,
    Subjugate,
    Surrender,
    TakeLeader,
    TakePlunder,
)
from foedus.games.sword_of_rome.events import (
    DeciderNamed,
    LeaderMoved,
    NPPActivated,
    PassingAlliance,
    UnitsAdded,
)
from foedus.games.sword_of_rome.frames import (
    Activation,
    AskConsent,
    Attacked,
    Challenged,
    Falling,
    Gates,
    Intercepting,
    Interceptions,
    Marching,
    Mustering,
    NPPAction,
    Reinforcing,
    Retreating,
    Spoils,
    Supporting,
    Surrendering,
)
from foedus.games.sword_of_rome.hands import lay_down, open_window
from foedus.games.sword_of_rome.powers import fewest, power_rank
from foedus.games.sword_of_rome.state import (
    ACTION,
    CAR,
    GAL,
    MER,
    ROM,
    S_CAR,
    S_ES,
    S_GAL,
    S_GRE,
    S_ROM,
    TRA,
    TREATY,
    TURN_END,
    VOL,
    State,
    kept,
    outside_masks,
)
from foedus.games.sword_of_rome.support import add_point, spend_spoil
from foedus.kernel.flow import Action, Decision, Flow, Group, Kept, carries_out
from foedus.kernel.rules import Facts, effect, excepts, facts, forbids, permits
from foedus.kernel.unknown import NONE, UNKNOWN, Unknown
from foedus.kernel.values import Command, Frame, bits

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


@effect("16.1.M4", otherwise=False)
def half_an_ally_counts(state: State) -> bool:
    """Ruling `half_ally`: an ally of only the Etruscans or only the Samnites is an ally of their player."""
    return state.ruling("half_ally") == "counts"


def are_partners(state: State, a: int, b: int) -> bool:
    """Are two players allied? By any alliance of their powers, or by all (16.1.M4). Raises `Unknown`."""
    mine, theirs = state.powers_of(a), state.powers_of(b)
    counts = half_an_ally_counts(state)
    if counts and not any(state.unsure):
        mask = sum(1 << power for power in theirs)
        return any(state.formal[power] & mask for power in mine)
    some = [[state.pact(one, two) is not None for two in theirs] for one in mine]
    if counts:
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
    """Rome decides everything for Carthage while they are allied (18.0)."""
    if state.controller[CAR] != NONE or state.world.players == 5:
        return False
    if state.treaty == UNKNOWN:
        raise Unknown("treaty", (), (0, TREATY))
    if state.treaty == TREATY:
        return True
    return by_any_alliance(state) and state.are_allied(ROM, CAR)


@effect("16.1.M7", otherwise=True)
def by_any_alliance(state: State) -> bool:
    """Ruling `rome_decides_when`: under any alliance of Rome and Carthage, or under the treaty only."""
    return state.ruling("rome_decides_when") == "any_alliance"


@effect("16.1.i", otherwise=False)
def somebody_must_decide(state: State, moment: str) -> bool:
    """Alliances keep everybody out: the player with the fewest points decides."""
    return moment == "turn_end" or fallback_serves_everywhere(state)


@effect("16.1.M5", otherwise=False)
def fallback_serves_everywhere(state: State) -> bool:
    """Ruling `fallback_reach`: the fallback serves decisions of 16.1.b as well."""
    return state.ruling("fallback_reach") == "everywhere"


@effect("16.1.M6", otherwise=False)
def only_the_bar_of_alliances_is_lifted(state: State) -> bool:
    """Ruling `fallback_among`: the fallback looks among those whom an alliance kept out, or among all."""
    return state.ruling("fallback_among") == "barred_by_alliance"


@effect("16.1.M3", otherwise=False)
def active_player_is_passed_over(state: State) -> bool:
    """Ruling `active_player_as_decider`: he would answer for the very force he acts upon.

    With two players that holds of both seats of the person who is active (facts 4.3).
    """
    return state.ruling("active_player_as_decider") == "barred"


@effect("16.1.M1", otherwise=False)
def exclusions_always_bind(state: State) -> bool:
    """Ruling `exclusions_while_inactive`: 16.1.d to g bind whenever the power is inactive."""
    return state.ruling("exclusions_while_inactive") == "always"


@effect("16.1.M2", otherwise=False)
def winner_of_the_tie_names(state: State) -> bool:
    """Ruling `decider_tie`: the winner of the tie by 4.4 names the decider, or he decides himself."""
    return state.ruling("decider_tie") == "tie_winner_names"


DECIDER = attrgetter(
    "rulings",
    "controller",
    "active",
    "activator",
    "acting_npp",
    "phase",
    "vp",
    "named",
    "out",
    "treaty",
    "formal",
    "allies",
    "unsure",
)
"""What it hangs on who decides for a non-player power."""


def decider(state: State, npp: int, moment: str = "") -> Decider:
    """Who decides for a power now, or at the `moment` given, and why. Raises `Unknown` where that is not known."""
    seat = state.controller[npp]
    if seat != NONE:
        return Decider(seat, "", (), facts(seat=seat, npp=npp))
    return kept(state, ("decider", npp, moment), DECIDER(state), lambda: _find_decider(state, npp, moment))


def _find_decider(state: State, npp: int, moment: str) -> Decider:
    """Who decides for a non-player power."""
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
    seats = state.seats
    pool = [seat for seat in seats if seat not in by_name and seat not in by_alliance]
    clause = "16.1.c" if moment == "turn_end" else "16.1.b"
    if clause == "16.1.c" and not fewest_at_the_end_of_the_turn(state):
        return Decider(NONE, clause, (), facts(npp=npp))
    if not pool:
        if not somebody_must_decide(state, moment):
            return Decider(NONE, clause, (), facts(npp=npp))
        clause = "16.1.i"
        pool = list(seats)
        if only_the_bar_of_alliances_is_lifted(state):
            pool = [seat for seat in seats if seat in by_alliance and seat not in by_name] or pool
    least = fewest(state, pool)
    return _settle_tie(state, npp, clause, least)


PERSONS = ((S_ROM, S_ES), (S_GRE, S_GAL))
"""With two players: the seats that one person holds (facts 4.3)."""


def _seats_of_one_person(state: State, seat: int) -> tuple[int, ...]:
    """The seats that the person at this one holds: with two players two of them."""
    if state.world.players == 2:
        return next((pair for pair in PERSONS if seat in pair), (seat,))
    return (seat,)


def _kept_out(state: State, npp: int, moment: str) -> tuple[set[int], set[int]]:
    """The seats kept out by name, and those kept out by an alliance."""
    seats = state.seats
    by_name: set[int] = set()
    by_alliance: set[int] = set()
    if moment != "turn_end":
        active = not_the_active_players_allies(state)
        if active is not None and active != NONE:
            if active_player_is_passed_over(state):
                by_name |= {active, *_seats_of_one_person(state, active)}
            by_alliance |= {seat for seat in seats if seat != active and are_partners(state, seat, active)}
    if (moment == "turn_end" or exclusions_always_bind(state)) and npp in CLOSED:
        barred = EXCLUSIONS[npp][1]
        if CLOSED[npp](state):
            by_name.add(barred)
            by_alliance |= {seat for seat in seats if seat != barred and are_partners(state, seat, barred)}
    return by_name, by_alliance - by_name


def _settle_tie(state: State, npp: int, clause: str, least: tuple[int, ...]) -> Decider:
    """One with the fewest points decides; of several the winner by 4.4 names one (16.1.M2)."""
    seat = least[0]
    why = facts(seat=seat, npp=npp, vp=state.vp[seat], active=state.active)
    if len(least) == 1 or not winner_of_the_tie_names(state):
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


def asked(state: State, power: int, what: str, clause: str, why: Facts) -> tuple[Decision, ...]:
    """What is awaited for a power: of its player, of its decider (16.1), or at first the name of him (f4.5).

    Nothing where nobody decides for it.
    """
    seat = state.controller[power]
    if seat != NONE:
        return (Decision(seat, power, what, clause, why),)
    found = decider(state, power)
    if found.seat == NONE:
        return ()
    if len(found.among) > 1:
        namer = state.powers_of(found.seat)[0]
        return (Decision(found.seat, namer, "name", "f4.5", facts(npp=power, among=found.among)),)
    return (Decision(found.seat, power, what, found.clause, (*found.facts, *why)),)


def names_for(state: State, power: int, seat: int) -> Iterable[Group]:
    """The names that the winner of a tie may give first, if it must be settled."""
    if must_name(state, power) and seat_deciding(state, power) == seat:
        own = state.powers_of(seat)[0]
        yield NameDecider, own, [NameDecider(own, power, one) for one in decider(state, power).among]


@forbids("f4.5", act=NameDecider)
def only_the_winner_of_the_tie_names(state: State, act: NameDecider) -> Facts | None:
    """4.4: the winner of the tie names one of the tied players."""
    seat = state.controller[act.power]
    tied: tuple[int, ...] = ()
    if state.sketched or act.npp in powers_awaited(state):
        found = decider(state, act.npp)
        tied = found.among if found.seat == seat else ()
    return None if act.seat in tied else facts(seat=act.seat, npp=act.npp, power=act.power)


def powers_awaited(state: State) -> tuple[int, ...]:
    """The powers whose decision the topmost step needs."""
    frame = state.frames[-1] if state.frames else None
    if isinstance(frame, Interceptions):
        return bits(frame.missing())
    if isinstance(frame, (Surrendering, Reinforcing)):
        return frame.powers[:1]
    if isinstance(frame, Gates):
        return (frame.power,)
    if isinstance(frame, Challenged):
        return (frame.power if frame.stage == 0 else frame.interceptor,)
    if isinstance(frame, Intercepting):
        rivals = sorted({one[0] for one in frame.declared}, key=power_rank)
        return (frame.trying,) if frame.trying != NONE else tuple(rivals[:1])
    if isinstance(frame, Attacked) and frame.away != NONE:
        return (frame.attacker,)
    if isinstance(frame, (Attacked, Retreating, Marching, Mustering, Falling)):
        return (frame.power,)
    if isinstance(frame, Spoils):
        return (frame.winner,)
    if isinstance(frame, AskConsent):
        return (frame.ally,)
    return (frame.npp,) if isinstance(frame, (NPPAction, Supporting)) and frame.npp != NONE else ()


DECISIONS = (
    ComeOut,
    AcceptBattle,
    Activate,
    AvoidBattle,
    AvoidBySea,
    Besiege,
    Done,
    Drop,
    GoInside,
    Halt,
    HoldFast,
    Intercept,
    Keep,
    LeaveLeader,
    LetGo,
    Liberate,
    Loot,
    OrderInterception,
    PickUp,
    Pursue,
    RefuseBattle,
    TakeLeader,
    PlaceMinor,
    PlaceSupport,
    PlaceUnits,
    Raid,
    RemoveMarker,
    RemoveSupport,
    Retreat,
    ReturnLeader,
    Sail,
    SendUnits,
    Sortie,
    StayPut,
    Step,
    Subjugate,
    Surrender,
    TakePlunder,
)


@forbids("f4.5", act=DECISIONS, wide=True)
def the_tie_is_settled_first(state: State, act: Command) -> Facts | None:
    """In a game a tied power decides nothing before the winner of the tie has named its decider."""
    if state.sketched or state.controller[act.power] != NONE or not must_name(state, act.power):
        return None
    return facts(variant="first", npp=act.power)


@carries_out(NameDecider)
def name_decider(action: Action, command: NameDecider) -> None:
    """The name holds until the next activation or phase."""
    action.emit(DeciderNamed(command.npp, command.seat))


# 16.1.1 activation


NPP_ACTIONS = ("support", "units", "leader")


@forbids("16.1.1i", act=ActivateNPP, wide=True)
def only_while_active(state: State, act: ActivateNPP) -> Facts | None:
    """Such an event is played while one is active."""
    if not state.is_active(act.power):
        return facts(power=act.power, active=state.active)
    return None


@forbids("f5.1", act=ActivateNPP, wide=True)
def between_actions(state: State, act: ActivateNPP) -> Facts | None:
    """An action is finished before the next begins."""
    if not state.frames or isinstance(state.frames[-1], Activation):
        return None
    return facts(variant="card", power=act.power)


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


@forbids("16.1.1j", act=(PlaceSupport, RemoveMarker))
def no_second_action(state: State, act: PlaceSupport | RemoveMarker) -> Facts | None:
    """While the one action of an activated power is another, its support is not placed as well."""
    frame = state.frames[-1] if state.frames else None
    if act.by == "battle" or not isinstance(frame, (NPPAction, Marching)) or act.power != state.acting_npp:
        return None
    return facts(variant="acting", npp=act.power)


@forbids("f5.1", act=ActivateNPP)
def between_two_actions(state: State, act: ActivateNPP) -> Facts | None:
    """The action of one activated power is over before another is activated."""
    if state.frames and isinstance(state.frames[-1], NPPAction) and state.is_active(act.power):
        return facts(variant="npp", power=act.power, npp=state.frames[-1].npp)
    return None


TRADITIONAL_ENEMY = {S_GAL: TRA, S_ROM: VOL, S_GRE: CAR}
"""Whom each player's deck does not reach (facts 16.15, derived); the Etruscan/Samnite deck reaches all."""


@forbids("f16.15", act=ActivateNPP)
def whom_the_card_reaches(state: State, act: ActivateNPP) -> Facts | None:
    """Which power a card can reach differs by deck (ruling `card_reach`)."""
    if state.ruling("card_reach") != "by_deck" or reaches(state, act.power, act.npp, act.card):
        return None
    if _lists_whom(state, act.card):
        return facts(variant="card", power=act.power, npp=act.npp)
    return facts(power=act.power, npp=act.npp)


def _lists_whom(state: State, card: int) -> bool:
    """Does the card itself say which powers it reaches?"""
    face = state.world.cards[card] if card >= 0 else None
    return face is not None and face.effect == "activation" and bool(face.reach)


def reaches(state: State, power: int, npp: int, card: int) -> bool:
    """Does an activation by that card, from the power's deck, reach the non-player power (facts 16.15)?"""
    if not _lists_whom(state, card):
        return TRADITIONAL_ENEMY.get(state.controller[power]) != npp
    face = state.world.cards[card]
    return npp in face.reach or (npp == MER and face.seat != S_CAR)  # facts 16.22: any such card but Carthage's


@forbids("16.4", act=ActivateNPP)
def mercenaries_not_by_the_carthaginian_deck(state: State, act: ActivateNPP) -> Facts | None:
    """Facts 16.22: any activation card but those of the Carthaginian deck reaches the Revolting Mercenaries."""
    if act.npp == MER and state.controller[act.power] == S_CAR:
        return facts(power=act.power, npp=act.npp)
    return None


@forbids("16.4", act=ActivateNPP)
def mercenaries_only_in_revolt(state: State, act: ActivateNPP) -> Facts | None:
    """Facts 16.22 and 16.24: they are a non-player power only while there are any."""
    if act.npp != MER or any(force.power in (MER, UNKNOWN) for forces in state.forces for force in forces):
        return None
    return facts(variant="no_revolt", power=act.power, npp=act.npp)


PRINTED_VALUE = 2
"""What an activation card is worth otherwise (facts 16.14)."""


@forbids("f7.4", act=ActivateNPP)
def a_unit_takes_a_value_of_three(state: State, act: ActivateNPP) -> Facts | None:
    """One CU comes by a value of 3, which an activation has (16.1.1h)."""
    worth = activation_value(state, act.card)
    if act.action == "units" and worth < 3:
        return facts(variant="activation", power=act.power, npp=act.npp, points=worth)
    return None


@effect("16.1.1h", otherwise=False)
def counts_as_a_card_of_three(state: State) -> bool:
    """An activation has the worth of a card of value 3."""
    return whatever_card_and_power(state)


@effect("16.1.1.M1", otherwise=False)
def whatever_card_and_power(state: State) -> bool:
    """Ruling `activation_value`: for every power and card, or is it the printed value that counts?"""
    return state.ruling("activation_value") == "always_three"


def activation_value(state: State, card: int) -> int:
    """The worth of an activation in card value."""
    if counts_as_a_card_of_three(state):
        return 3
    return state.world.cards[card].value if card >= 0 else PRINTED_VALUE


@forbids("f16.7", act=ActivateNPP)
def where_a_unit_comes(state: State, act: ActivateNPP) -> Facts | None:
    """CU come where the power has CU or a leader already."""
    if act.action != "units":
        return None
    if act.space == NONE:
        return None if state.sketched else facts(variant="no_place", power=act.power, npp=act.npp)
    if state.leaders_in(act.space, act.npp):
        return None
    if state.force(act.npp, act.space).outside:
        return None
    return facts(variant="units", npp=act.npp, space=act.space)


def placing_support(state: State, command: ActivateNPP) -> State:
    """The state in which an activated power places its support: as many points as the activation is worth."""
    frame = Supporting(state.controller[command.power], activation_value(state, command.card), command.npp)
    return replace(state, frames=(*state.frames, frame))


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


@permits("16.1.1x", act=ActivateNPP)
def the_two_activations_of_the_example(state: State, act: ActivateNPP) -> Facts | None:
    """The source's example: Carthage for a CU, then the Transalpine Gauls, both by the Etruscan/Samnite player."""
    first = act.npp == CAR and act.action == "units"
    then = act.npp == TRA and act.action == "leader" and state.activated > 0 and state.activated >> CAR & 1
    if state.controller[act.power] == S_ES and (first or then):
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


@carries_out(ActivateNPP)
def activate_npp(action: Action, command: ActivateNPP) -> None:
    """The card is played, the marker laid, and the action carried out; a leader's march is asked for next."""
    state: State = action.state
    seat = state.controller[command.power]
    lay_down(action, seat, command.card, "event")
    frame = state.frames[-1] if state.frames else None
    if isinstance(frame, Activation) and uses_up_the_card_play(state):
        action.change(played=True)
    lies = marker_lies_until_the_round_ends(state)
    action.emit(NPPActivated(command.npp, seat, command.action, marker=lies))
    action.push(NPPAction(command.npp, seat, command.action != "leader", command.power, command.card))
    if command.action == "units" and command.space != NONE:
        action.emit(UnitsAdded(command.npp, command.space, 1, "16.1.1h"))
    elif command.action == "support":
        action.push(placing_support(state, command).frames[-1])
        if command.space != NONE:
            add_point(action, command.npp, command.space, "16.1.1h")
            spend_spoil(action)
    elif command.npp == CAR and leaders_can_be_mistrusted(state):
        open_window(action, "activation", seat, command)


@effect("f21.1", otherwise=False)
def leaders_can_be_mistrusted(state: State) -> bool:
    """An activated leader of Carthage can be stopped by a response; CU and support cannot, and the marker stays."""
    return True


def _npp_awaits(state: State, frame: NPPAction) -> tuple[Decision, ...]:
    return asked(state, frame.npp, "npp_action", "16.1.a", facts(npp=frame.npp, seat=frame.seat))


def _npp_candidates(state: State, frame: NPPAction, seat: int) -> Iterable[Group]:
    npp = frame.npp
    if seat != seat_deciding(state, npp):
        return
    if must_name(state, npp):
        yield from names_for(state, npp, seat)
        return
    if not frame.begun:
        yield Activate, npp, activations(state, npp)
        yield Sortie, npp, sorties(state, npp)
    yield minor_leader_places(state, npp)
    yield Done, npp, (Done(npp),)


def minor_leader_places(state: State, power: int) -> Group:
    """Every minor leader of a power at each of its CU, but where he is already."""
    places = bits(outside_masks(state)[power])
    leader_at = state.leader_at
    return (
        PlaceMinor,
        power,
        [
            commands[space]
            for leader, commands in _minor_commands(state, power)
            for space in places
            if leader_at[leader] != space
        ],
    )


def minor_leader_parts(state: State, frame: Frame, power: int) -> list[Kept]:
    """The same for a power that a player plays, where everything is known: leader by leader."""
    places = outside_masks(state)[power]
    if not places:
        return []
    key = (frame, state.rulings, state.controller, state.active, places)
    leader_at = state.leader_at
    return [
        Kept(("minor", leader, leader_at[leader]), key, _places_of, (power, commands, places, leader_at[leader]))
        for leader, commands in _minor_commands(state, power)
    ]


def _places_of(power: int, commands: tuple[PlaceMinor, ...], places: int, at: int) -> Iterable[Group]:
    yield PlaceMinor, power, [commands[space] for space in bits(places) if space != at]


def _minor_commands(state: State, power: int) -> tuple[tuple[int, tuple[PlaceMinor, ...]], ...]:
    """For each minor leader of a power the commands that place him, by space."""
    cache = state.world.cache
    table: tuple[tuple[int, tuple[PlaceMinor, ...]], ...] | None = cache.get(("minors", power))
    if table is None:
        spaces = range(len(state.owner))
        minors = [leader for leader in state.world.leaders_of[power] if leader in state.world.minors]
        table = tuple((leader, tuple(PlaceMinor(power, leader, space) for space in spaces)) for leader in minors)
        cache[("minors", power)] = table
    return table


def sorties(state: State, power: int, card: int = NONE) -> list[Sortie]:
    """Every sortie that a power's leaders in besieged cities could try (12.6)."""
    found: list[Sortie] = []
    for leader in bits(state.leader_inside):
        space = state.leader_at[leader]
        if space >= 0 and state.world.leaders[leader].power == power and state.besieged_by[space] >= 0:
            counts = range(state.force(power, space).inside, 0, -1)
            found.extend(Sortie(power, leader, space, count, card) for count in counts)
    return found


def activations(state: State, power: int, card: int = NONE) -> list[Activate]:
    """The leaders of a power who could be activated; with how many CU they set out is asked next."""
    found: list[Activate] = []
    for leader in state.world.leaders_of[power]:
        space = state.leader_at[leader]
        if space >= 0:
            force = state.force(power, space)
            if force.outside + force.inside:
                found.append(Activate(power, leader, space, 0, card))
    return found


def _npp_proceed(action: Action, frame: NPPAction) -> None:
    action.pop()


NPP_ACTION = Flow(NPPAction, _npp_awaits, _npp_candidates, _npp_proceed)


def npp_frame(state: State) -> NPPAction | None:
    """The action of an activated non-player power that is under way on top."""
    return state.frames[-1] if state.frames and isinstance(state.frames[-1], NPPAction) else None


@forbids("f8.5", act=PlaceMinor, wide=True)
def when_minor_leaders_are_placed(state: State, act: PlaceMinor) -> Facts | None:
    """While active, between actions, and in one's turn of the Reinforcement Phase."""
    frame = state.frames[-1] if state.frames else None
    if isinstance(frame, Reinforcing) and frame.powers[:1] and _same_player(state, frame.powers[0], act.power):
        return None
    between = frame is None or isinstance(frame, Activation)
    if state.controller[act.power] != NONE and between and state.is_active(act.power):
        return None
    return facts(variant="inactive", power=act.power)


def _same_player(state: State, a: int, b: int) -> bool:
    return a == b or state.controller[a] == state.controller[b] != NONE


@excepts("16.1.1b", to="f8.5", act=PlaceMinor)
def minor_leaders_come_out(state: State, act: PlaceMinor) -> Facts | None:
    """Whatever action was chosen, the activated power's minor leaders may also be brought out."""
    frame = npp_frame(state)
    own = act.leader in state.world.minors and state.world.leaders[act.leader].power == act.power
    if frame is None or frame.npp != act.power or not own:
        return None  # only the moment is excepted
    if state.leader_at[act.leader] == act.space or not _stands_outside(state, act.power, act.space):
        return None
    return facts(power=act.power, leader=act.leader)


@forbids("16.1.1.M2", act=PlaceMinor, under=("minor_leaders_moved", "refused"))
def minor_leaders_on_the_map_stay(state: State, act: PlaceMinor) -> Facts | None:
    """Ruling `minor_leaders_moved`: those who are on the map already."""
    if npp_frame(state) is None or state.leader_at[act.leader] < 0 or state.ruling("minor_leaders_moved") != "refused":
        return None
    return facts(power=act.power, leader=act.leader)


@forbids("f8.5", act=PlaceMinor)
def which_minor_leaders_go_where(state: State, act: PlaceMinor) -> Facts | None:
    """One's own, to one's own CU."""
    if act.leader not in state.world.minors or state.world.leaders[act.leader].power != act.power:
        return facts(variant="whose", power=act.power, leader=act.leader)
    if state.leader_at[act.leader] == act.space:
        return facts(variant="there", power=act.power, leader=act.leader, space=act.space)
    if not _stands_outside(state, act.power, act.space):
        return facts(variant="no_units", power=act.power, space=act.space)
    return None


def _stands_outside(state: State, power: int, space: int) -> bool:
    """Has the power CU outside in the space?"""
    forces = state.forces[space]
    if forces and forces[0].power == power and forces[0].outside:
        return True  # mostly it stands there alone
    return state.force(power, space).outside > 0


@carries_out(PlaceMinor)
def place_minor(action: Action, command: PlaceMinor) -> None:
    """The leader stands with his CU."""
    action.emit(LeaderMoved(command.leader, command.space))


# 16.1.2 the passing alliance


@effect("16.1.2", otherwise=0)
def passing_allies(state: State, npp: int) -> int:
    """While its army moves: the powers (mask) of its activator; his alone (15.6b)."""
    seat = state.activator
    if seat == NONE:
        return 0
    powers = state.powers_of(seat)
    if not both_powers_of_the_activator(state):
        named = [frame.power for frame in state.frames if isinstance(frame, NPPAction) and frame.power in powers]
        powers = (named[-1],) if named else powers[:1]
    mask = sum(1 << power for power in powers)
    return mask if stays_hostile_to_his_allies(state) else mask | _allies_of(state, powers)


@effect("16.1.2.M1", otherwise=True)
def both_powers_of_the_activator(state: State) -> bool:
    """Ruling `activator_powers`: both powers of the Etruscan/Samnite player, or the one that played the event."""
    return state.ruling("activator_powers") == "both"


@effect("16.1.2.M2", otherwise=False)
def lasts_through_the_battle(state: State) -> bool:
    """Ruling `activator_alliance_ends`: a battle that the movement brings on is still part of it."""
    return state.ruling("activator_alliance_ends") == "after_battle"


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
    """Its action (or by 16.1.2.M2 its movement) is over: the alliance is gone, free."""
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
    """Avoiding and intercepting are bound too (facts 16.21)."""
    if not state.is_npp(act.power):
        return None
    bound = act.how in ("avoid", "intercept", "refuse") or (act.how == "retreat" and retreats_are_bound(state))
    if not bound and not (act.how == "placement" and act.power == CAR):  # Carthage enters no space of Italy at all
        return None
    rule = allowed_end(state, act.power, act.space)
    return facts(variant=rule, power=act.power, space=act.space) if rule else None


@effect("f16.21", otherwise=False)
def retreats_are_bound(state: State) -> bool:
    """Ruling `npp_retreat_limits`: do the limits of 16.3 bind a retreat as well?"""
    return state.ruling("npp_retreat_limits") == "bound"
