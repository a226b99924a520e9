"""Alliances (15): made, what they do and forbid, how long they last, and broken."""

from __future__ import annotations

from collections.abc import Iterable

from foedus.games.sword_of_rome.commands import (
    AcceptAlliance,
    Attack,
    Besiege,
    BreakAlliance,
    BreakPromise,
    DeclineAlliance,
    EndElsewhere,
    EndMovement,
    Flank,
    Give,
    GoFirst,
    GoInside,
    Hinder,
    Intercept,
    JoinForces,
    LetLapse,
    Liberate,
    MakePromise,
    PassThrough,
    PayPoint,
    PlaceSupport,
    PlayEvent,
    ProposeAlliance,
    RemoveMarker,
    RemoveSupport,
    RemoveUnits,
    RenewAlliance,
    Subjugate,
    TakeControl,
    Talk,
    WithdrawOffer,
)
from foedus.games.sword_of_rome.events import (
    AllianceEnded,
    AllianceMade,
    AllianceRenewed,
    ControlChanged,
    LeaderDisplaced,
    LeaderMoved,
    OfferEnded,
    OfferMade,
    PromiseMade,
    PromiseMarked,
    PutOutside,
    Sharing,
    SiegeLifted,
    SiegeSet,
    Talked,
    TreatyChanged,
    UnitsRemoved,
)
from foedus.games.sword_of_rome.frames import Activation, Falling, PayingBreak, Renewal
from foedus.games.sword_of_rome.powers import power_rank, seat_rank
from foedus.games.sword_of_rome.state import (
    BOX,
    CAR,
    CITY,
    ETR,
    GAL,
    GRE,
    IND,
    ROM,
    SAM,
    SPACE,
    TRA,
    TREATY,
    TREATY_BROKEN,
    TRIBE,
    Promise,
    State,
    kept,
    owner_masks,
    unit_masks,
)
from foedus.kernel.flow import Action, Decision, Flow, Group, carries_out
from foedus.kernel.rules import Facts, effect, excepts, facts, forbids, permits
from foedus.kernel.unknown import NONE, UNKNOWN, Unknown
from foedus.kernel.values import Offer, bits

PRICE = 3
"""Points of support that breaking one alliance costs (15.5a)."""


# 15.1 making an alliance


@forbids("15.1", act=ProposeAlliance, wide=True)
def only_the_active_player_proposes(state: State, act: ProposeAlliance) -> Facts | None:
    """Facts 15.1: only the active player may propose, so a power without a player never does."""
    if state.controller[act.power] == NONE and state.ruling("npp_alliances") == "refused":
        return None  # said by the rule that follows
    return None if state.is_active(act.power) else facts(power=act.power, active=state.active)


@forbids("15.1", act=ProposeAlliance)
def no_alliance_with_a_non_player_power(state: State, act: ProposeAlliance) -> Facts | None:
    """Nothing says that a non-player power makes alliances (ruling `npp_alliances`)."""
    controller = state.controller
    if controller[act.power] != NONE != controller[act.to]:
        return None
    for power in (act.power, act.to):
        if state.is_npp(power) and state.ruling("npp_alliances") == "refused":
            return facts(variant="npp", power=act.power, to=act.to, npp=power)
    return None


@forbids("f15.2", act=ProposeAlliance)
def no_offer_to_one_whom_one_besieges(state: State, act: ProposeAlliance) -> Facts | None:
    """Facts 15.2: not to anyone of whom the proposer holds a city or tribe under siege."""
    if state.besieging[act.power] >> act.to & 1:
        space = _besieged_place(state, act.power, act.to)
        if state.world.kinds[space] == TRIBE:
            return facts(variant="tribe", power=act.power, to=act.to, space=space)
        return facts(power=act.power, to=act.to, space=space)
    if state.besieging[act.to] >> act.power & 1 and state.ruling("besieged_may_propose") == "refused":
        space = _besieged_place(state, act.to, act.power)
        if state.world.kinds[space] == TRIBE:
            return facts(variant="besieged_tribe", power=act.power, to=act.to, space=space)
        return facts(variant="besieged", power=act.power, to=act.to, space=space)
    return None


def _besieged_place(state: State, besieger: int, owner: int) -> int:
    return next(space for space, by in enumerate(state.besieged_by) if by == besieger and state.owner[space] == owner)


@forbids("15.1.2b", act=ProposeAlliance)
def one_link_of_two_powers(state: State, act: ProposeAlliance) -> Facts | None:
    """An alliance joins exactly two powers, once."""
    if act.power == act.to:
        return facts(variant="itself", power=act.power)
    if IND in (act.power, act.to):
        return facts(variant="nobody", power=act.power, to=act.to)
    powers = state.world.powers
    if act.power not in powers or act.to not in powers:
        return facts(variant="absent", power=act.to if act.power in powers else act.power)
    if state.formal[act.power] >> act.to & 1:
        return facts(power=act.power, to=act.to)
    if state.unsure[act.power] >> act.to & 1:
        raise Unknown("allied", (("power", min(act.power, act.to)), ("ally", max(act.power, act.to))), (0, 1))
    for offer in state.offers:
        if (offer.by, offer.to) in ((act.power, act.to), (act.to, act.power)):
            return facts(variant="offered", power=offer.by, to=offer.to)
    return None


@forbids("15.1.2b", act=(ProposeAlliance, AcceptAlliance))
def no_alliance_beside_the_treaty(state: State, act: ProposeAlliance | AcceptAlliance) -> Facts | None:
    """Rome and Carthage are allied by the treaty while it lasts."""
    if state.treaty != TREATY:
        return None
    other = act.to if isinstance(act, ProposeAlliance) else act.by
    return facts(power=act.power, to=other) if {act.power, other} == {ROM, CAR} else None


@forbids("15.1.M1", act=ProposeAlliance, under=("etruscans_and_samnites", "allied_for_good"))
def etruscans_and_samnites_need_no_alliance(state: State, act: ProposeAlliance) -> Facts | None:
    """The two powers of one player are allied for good (ruling `etruscans_and_samnites`)."""
    if act.to not in (ETR, SAM) or act.power not in (ETR, SAM) or act.to == act.power:
        return None
    if state.ruling("etruscans_and_samnites") == "allied_for_good":
        return facts(power=act.power, to=act.to)
    return None


@forbids("15.5.M6", act=ProposeAlliance, under=("ally_again_same_turn", "refused"))
def no_alliance_again_in_the_turn_of_the_break(state: State, act: ProposeAlliance) -> Facts | None:
    """Ruling `ally_again_same_turn`."""
    if state.broken and state.ruling("ally_again_same_turn") == "refused":
        for broken in state.broken:
            if {broken.by, broken.ally} == {act.power, act.to}:
                return facts(power=act.power, to=act.to)
    return None


@forbids("15.3.M3", act=(ProposeAlliance, AcceptAlliance), under=("sharing_when_allied", "refused"))
def no_alliance_while_sharing_a_place(state: State, act: ProposeAlliance | AcceptAlliance) -> Facts | None:
    """Ruling `sharing_when_allied`, where a table chose to refuse."""
    if state.ruling("sharing_when_allied") == "refused":
        other = act.to if isinstance(act, ProposeAlliance) else act.by
        shared = shared_places(state, act.power, other)
        if shared:
            return facts(power=act.power, to=other, space=shared[0])
    return None


def shared_places(state: State, a: int, b: int) -> tuple[int, ...]:
    """The places, as far as known, where troops of both powers stand."""
    return bits(_places(state, a) & _places(state, b))


def _places(state: State, power: int) -> int:
    """The places (mask), as far as known, where a power has CU or leaders."""
    found = unit_masks(state)[power]
    for leader in state.world.leaders_of[power]:
        if state.leader_at[leader] >= 0:
            found |= 1 << state.leader_at[leader]
    return found


@permits("15.1.2a", act=ProposeAlliance)
def any_number_of_alliances(state: State, act: ProposeAlliance) -> Facts | None:
    """Cited where the proposer, or the one he asks, has an ally already."""
    for power in (act.power, act.to):
        allies = state.formal[power]
        if allies:
            return facts(power=power, allies=bits(allies))
    return None


@permits("15.1", act=ProposeAlliance)
def an_offer_of_the_active_player(state: State, act: ProposeAlliance) -> Facts | None:
    """Facts 15.1: several proposals in one activation, refusal costs nothing."""
    return facts(power=act.power, to=act.to)


@permits("15.1", act=AcceptAlliance)
def an_offer_is_accepted(state: State, act: AcceptAlliance) -> Facts | None:
    """It takes two: the one asked agrees."""
    return facts(variant="accept", power=act.power, by=act.by)


@forbids("15.1.2b", act=(AcceptAlliance, DeclineAlliance))
def only_an_offer_can_be_answered(state: State, act: AcceptAlliance | DeclineAlliance) -> Facts | None:
    """It takes two: what was not offered, or was withdrawn, cannot be accepted."""
    if any((offer.by, offer.to) == (act.by, act.power) for offer in state.offers):
        return None
    return facts(variant="no_offer", power=act.power, by=act.by)


@forbids("15.1.2b", act=WithdrawOffer)
def only_a_waiting_offer_is_withdrawn(state: State, act: WithdrawOffer) -> Facts | None:
    """An offer can be withdrawn until it is answered."""
    if any((offer.by, offer.to) == (act.power, act.to) for offer in state.offers):
        return None
    return facts(variant="no_offer", power=act.to, by=act.power)


@forbids("f18.7", act=(ProposeAlliance, AcceptAlliance))
def rome_not_with_the_greeks_under_treaty(state: State, act: ProposeAlliance | AcceptAlliance) -> Facts | None:
    """Facts 18.7: Rome may not be allied with the Greeks while the treaty with Carthage lasts."""
    other = act.to if isinstance(act, ProposeAlliance) else act.by
    if state.treaty == TREATY and {act.power, other} == {ROM, GRE}:
        return facts(power=act.power, to=other)
    return None


@carries_out(ProposeAlliance)
def propose(action: Action, command: ProposeAlliance) -> None:
    """The offer waits beside the flow; it dies with this activation."""
    moment = action.state.activation
    action.emit(OfferMade(Offer(command.power, command.to, moment, moment)))


@carries_out(DeclineAlliance)
def decline(action: Action, command: DeclineAlliance) -> None:
    """Refusing costs nothing."""
    action.emit(OfferEnded(command.by, command.power, "declined"))


@carries_out(WithdrawOffer)
def withdraw(action: Action, command: WithdrawOffer) -> None:
    """The offer is gone."""
    action.emit(OfferEnded(command.power, command.to, "withdrawn"))


@effect("15.1.n", otherwise=False)
def joins_powers_only(state: State) -> bool:
    """An alliance joins the powers named, not the players who hold them."""
    return True


@effect("15.1.2b", otherwise=False)
def passes_to_nobody(state: State) -> bool:
    """Nothing passes on to an ally's allies."""
    return True


@effect("15.1", otherwise=False)
def acceptance_makes_the_alliance(state: State) -> bool:
    """Facts 15.3: a marker in the pair's box shows the alliance."""
    return True


def joined(state: State, a: int, b: int) -> tuple[tuple[int, int], ...]:
    """The pairs that an agreement of two powers joins: just the two (15.1.n, 15.1.2b)."""
    first: tuple[int, ...] = (a,)
    second: tuple[int, ...] = (b,)
    if not joins_powers_only(state):
        first, second = state.powers_of(state.controller[a]), state.powers_of(state.controller[b])
    if not passes_to_nobody(state):
        second = (b, *(power for power in bits(state.formal[b]) if power != a))
    return tuple((one, two) for one in first for two in second if one != two and not state.formal[one] >> two & 1)


@carries_out(AcceptAlliance)
def accept(action: Action, command: AcceptAlliance) -> None:
    """The two powers are allied; sieges between them are lifted (facts 15.28); shared places are named."""
    action.emit(OfferEnded(command.by, command.power, "accepted"))
    state: State = action.state
    if not acceptance_makes_the_alliance(state):
        return
    for a, b in joined(state, command.by, command.power):
        action.emit(AllianceMade(a, b, state.turn, state.round))
        begin_alliance(action, a, b)


def begin_alliance(action: Action, a: int, b: int) -> None:
    """What follows when two powers become allies."""
    lift_sieges_between(action, a, b)
    shared = shared_places(action.state, a, b)
    if shared:
        action.emit(Sharing(min(a, b), max(a, b), shared))


@effect("15.1.M2", otherwise=False)
def sieges_end_with_an_alliance(state: State) -> bool:
    """Ruling `siege_when_allied`: points come off when the two sides become allies."""
    return state.ruling("siege_when_allied") == "lifted"


def lift_sieges_between(action: Action, a: int, b: int) -> None:
    """Facts 15.28 (ruling `siege_when_allied`): points come off at once, no troops are moved."""
    state: State = action.state
    if (a not in state.besieged_by and b not in state.besieged_by) or not sieges_end_with_an_alliance(state):
        return
    for space, besieger in enumerate(state.besieged_by):
        if besieger in (a, b) and state.owner[space] in (a, b):
            action.emit(SiegeLifted(space, "15.1.M2"))


# 15.1.1 talks


@permits("15.1.1", act=Talk)
def talks_away_from_the_table(state: State, act: Talk) -> Facts | None:
    """Talks may be held away from the table."""
    if act.secret:
        return facts(power=act.power, to=act.to)
    return None


@forbids("15.1.1n", act=Talk)
def house_rule_on_secret_talks(state: State, act: Talk) -> Facts | None:
    """A table may limit or forbid secret talks (ruling `secret_talks`)."""
    if act.secret:
        rule = state.ruling("secret_talks")
        if rule == "forbidden":
            return facts(power=act.power, to=act.to)
        if rule == "limited":
            raise Unknown("talk_limit", (), ())
    return None


@carries_out(Talk)
def talk(action: Action, command: Talk) -> None:
    """Words change nothing."""
    action.emit(Talked(command.power, command.to, command.secret))


# 15.2.1 giving


GIFTS = ("units", "leader", "loyalty", "tribe_marker", "card")


@forbids("15.2.1a", act=Give)
def nothing_is_given_or_traded(state: State, act: Give) -> Facts | None:
    """Leaders, CU, tribes' control markers, loyalty and cards cannot be handed over."""
    if act.what in GIFTS:
        return facts(variant=act.what, power=act.power, to=act.to)
    return None


@forbids("15.2.1.M1", act=Give)
def no_control_marker_is_given(state: State, act: Give) -> Facts | None:
    """An ordinary control marker: ruling `give_control_marker`; where it may be given, one's own and to an ally."""
    if act.what != "control_marker":
        return None
    if state.ruling("give_control_marker") == "refused":
        return facts(power=act.power, to=act.to, space=act.space)
    if state.kind(act.space) != SPACE or state.owner_of(act.space) != act.power:
        return facts(variant="none", power=act.power, space=act.space)
    if not state.are_allied(act.power, act.to):
        return facts(variant="not_ally", power=act.power, to=act.to)
    return None


@forbids("15.2.3a", act=Give)
def not_even_as_a_gift(state: State, act: Give) -> Facts | None:
    """Where control markers may be given, the receiver still takes no control in an ally's home region."""
    if act.what == "control_marker" and act.space != NONE:
        return _allied_home(state, act.to, act.space)
    return None


@carries_out(Give)
def give(action: Action, command: Give) -> None:
    """Only an ordinary control marker can come so far."""
    state: State = action.state
    action.emit(ControlChanged(command.space, command.to, state.loyalty[command.space], "15.2.1.M1"))


# 15.2.2 what allies may not do to each other


@effect("15.2.2m", otherwise=None)
def bond(state: State, a: int, b: int) -> Facts | None:
    """The facts of the alliance that binds two powers: it does until it is broken or not renewed."""
    if a == b or not state.are_allied(a, b):
        return None
    pact = state.pact(a, b) if state.formal[a] >> b & 1 else None
    if pact is not None and pact.turn != UNKNOWN:
        return facts(power=a, ally=b, since=pact.turn)
    return facts(power=a, ally=b)


def _at(found: Facts | None, space: int) -> Facts | None:
    return found if found is None or space == NONE else (*found, ("space", space))


@forbids("15.2.2a", act=Attack)
def fighting_an_ally(state: State, act: Attack) -> Facts | None:
    """No battle with an ally's army."""
    return _at(bond(state, act.power, act.target), act.space)


@forbids("15.2.2b", act=Intercept)
def intercepting_an_ally(state: State, act: Intercept) -> Facts | None:
    """No interception of an ally's army."""
    return _at(bond(state, act.power, act.target), act.space)


@forbids("15.2.2c", act=(Besiege, Liberate))
def besieging_an_ally(state: State, act: Besiege | Liberate) -> Facts | None:
    """No siege of an allied city."""
    if state.kinds[act.space] != CITY:
        return None
    return _at(bond(state, act.power, state.owner_of(act.space)), act.space)


@forbids("15.2.2d", act=Subjugate)
def subjugating_an_allied_tribe(state: State, act: Subjugate) -> Facts | None:
    """No subjugation of an allied tribe."""
    if state.kinds[act.space] != TRIBE:
        return None
    return _at(bond(state, act.power, state.owner_of(act.space)), act.space)


@forbids("15.2.2e", act=(RemoveMarker, TakeControl, PlaceSupport))
def removing_an_allys_marker(state: State, act: RemoveMarker | TakeControl | PlaceSupport) -> Facts | None:
    """No ally's control marker is removed, nor replaced."""
    if not isinstance(act, RemoveMarker) and state.kinds[act.space] == CITY:
        return None
    if isinstance(act, PlaceSupport) and act.on_behalf != NONE:
        return None
    return _at(bond(state, act.power, state.owner_of(act.space)), act.space)


@forbids("15.2.2f", act=RemoveUnits)
def removing_an_allys_units(state: State, act: RemoveUnits) -> Facts | None:
    """No ally's CU are removed."""
    return _at(bond(state, act.power, act.owner), act.space)


@forbids("15.2.2f", act=(Besiege, Liberate))
def besieging_an_allys_units(state: State, act: Besiege | Liberate) -> Facts | None:
    """A city that falls costs the CU inside, so no siege goes on while an ally has CU there."""
    if state.world.kinds[act.space] != CITY or not state.known_troops(act.space):
        return None
    owner = state.owner_of(act.space)
    if owner == act.power or (owner != IND and state.are_allied(act.power, owner)):
        return None  # f13.1 and 15.2.2c say why not
    for force in state.troops(act.space):
        found = bond(state, act.power, force.power) if force.inside else None
        if found is not None:
            return (*found, ("variant", "siege"), ("space", act.space))
    return None


@forbids("15.2.2g", act=(RemoveSupport, TakeControl))
def removing_an_allys_support(state: State, act: RemoveSupport | TakeControl) -> Facts | None:
    """No ally's support is removed; taking his city takes all of it."""
    if isinstance(act, TakeControl) and state.kinds[act.space] != CITY:
        return None
    return _at(bond(state, act.power, state.owner_of(act.space)), act.space)


@permits("15.2.2h", act=(Attack, Besiege, Subjugate, RemoveMarker, RemoveSupport, RemoveUnits, Intercept))
def open_once_the_alliance_is_broken(
    state: State,
    act: Attack | Besiege | Subjugate | RemoveMarker | RemoveSupport | RemoveUnits | Intercept,
) -> Facts | None:
    """Cited where the alliance was broken this turn: the acts are open to both sides."""
    if not state.broken:
        return None
    other = _victim(state, act)
    for broken in state.broken:
        if {broken.by, broken.ally} == {act.power, other}:
            return facts(power=act.power, ally=other, by=broken.by)
    return None


def _victim(
    state: State,
    act: Attack | Besiege | Subjugate | RemoveMarker | RemoveSupport | RemoveUnits | Intercept,
) -> int:
    """Against whom an act goes."""
    if isinstance(act, (Attack, Intercept)):
        return act.target
    if isinstance(act, RemoveUnits):
        return act.owner
    return state.owner[act.space]


@permits("15.2.2n", act=(Attack, Intercept, Besiege, BreakPromise))
def promises_bind_nobody(state: State, act: Attack | Intercept | Besiege | BreakPromise) -> Facts | None:
    """Cited where the act goes against somebody who was promised something."""
    other = act.to if isinstance(act, BreakPromise) else _victim(state, act)
    if any(p.by == act.power and p.to == other and p.kept == "open" for p in state.promises):
        return facts(power=act.power, to=other)
    return None


@forbids("15.2.2n", act=BreakPromise)
def only_a_given_word_is_broken(state: State, act: BreakPromise) -> Facts | None:
    """There must have been such words."""
    if any((p.by, p.to, p.text, p.kept) == (act.power, act.to, act.text, "open") for p in state.promises):
        return None
    return facts(variant="no_promise", power=act.power, to=act.to)


@carries_out(MakePromise)
def make_promise(action: Action, command: MakePromise) -> None:
    """A note is kept; it binds nobody."""
    action.emit(PromiseMade(Promise(command.power, command.to, command.text)))


@carries_out(BreakPromise)
def break_promise(action: Action, command: BreakPromise) -> None:
    """The note is marked; it costs nothing."""
    action.emit(PromiseMarked(command.power, command.to, command.text, "broken"))


@permits("15.1.2d", act=(Attack, Besiege, Intercept, RemoveMarker, RemoveUnits, RemoveSupport))
def the_other_half_stays_hostile(
    state: State, act: Attack | Besiege | Intercept | RemoveMarker | RemoveUnits | RemoveSupport
) -> Facts | None:
    """Cited against the Etruscans or Samnites where one is allied with the other of the two only, and the reverse."""
    return _half_facts(state, act.power, _victim(state, act))


@permits("15.1.2x", act=(Attack, Besiege))
def greeks_and_etruscans(state: State, act: Attack | Besiege) -> Facts | None:
    """The source's example: Greeks allied with the Etruscans are not allied with the Samnites."""
    other = _victim(state, act)
    if {act.power, other} == {GRE, SAM} and state.formal[GRE] >> ETR & 1 and not state.formal[GRE] >> SAM & 1:
        return facts(power=act.power, other=other)
    return None


def _half_facts(state: State, power: int, other: int) -> Facts | None:
    for half, rest in ((ETR, SAM), (SAM, ETR)):
        for one, two in ((power, other), (other, power)):
            if two != half or one in (ETR, SAM, IND) or one < 0:
                continue
            if state.formal[one] >> rest & 1 and not state.formal[one] >> half & 1:
                return facts(power=one, ally=rest, other=half)
    return None


# 15.2.3 the home region of an ally


def _allied_home(state: State, power: int, space: int) -> Facts | None:
    home = state.world.home[space]
    if home in (IND, power) or not state.are_allied(power, home):
        return None
    return facts(power=power, ally=home, space=space)


@forbids("15.2.3a", act=(TakeControl, PlaceSupport))
def no_control_in_an_allys_home(state: State, act: TakeControl | PlaceSupport) -> Facts | None:
    """Nothing in the ally's home region is taken, even what he does not control."""
    if isinstance(act, PlaceSupport) and act.on_behalf not in (NONE, act.power):
        return None  # 15.2.n; it would not be his own
    if state.owner_of(act.space) == act.power:
        return None
    return _allied_home(state, act.power, act.space)


@permits("15.2.3b", act=RemoveMarker)
def enemy_markers_come_off_in_an_allys_home(state: State, act: RemoveMarker) -> Facts | None:
    """Enemy markers there may be removed; one's own does not take their place."""
    return _allied_home(state, act.power, act.space)


@permits("15.2.3c", act=(Liberate, Besiege))
def conquered_cities_are_freed_in_an_allys_home(state: State, act: Liberate | Besiege) -> Facts | None:
    """A conquered city there may be freed."""
    if state.kinds[act.space] != CITY or state.owner_of(act.space) == IND:
        return None
    return _allied_home(state, act.power, act.space)


@effect("15.2.3d", otherwise=None)
def freed_for(state: State, power: int, space: int) -> int | None:
    """To whom a place falls that a power takes by siege: the ally at home there, else (None) the taker."""
    found = _allied_home(state, power, space)
    return None if found is None else int(dict(found)["ally"])


# what falls to whom (13.5); here, since support that is removed may bring a besieged city down


@effect("13.5", otherwise=False)
def falls_to_the_ally_at_home(state: State) -> bool:
    """Facts 13.5 and 15.18: in an ally's home region a city falls to the ally."""
    return True


@effect("f13.5", otherwise=False)
def places_fall(state: State) -> bool:
    """A place whose siege reaches its loyalty or factor falls; a city does so too when its loyalty is cut to 0."""
    return True


@effect("f14.3", otherwise=False)
def may_be_looted(state: State, power: int, space: int) -> bool:
    """Gauls loot a city of another power instead of keeping it, but none that falls to an ally at home."""
    looters = power in (GAL, TRA) and state.world.players != 3
    if not looters or state.kinds[space] != CITY or state.owner_of(space) in (IND, power):
        return False
    return not (falls_to_the_ally_at_home(state) and freed_for(state, power, space) is not None)


def fall(action: Action, power: int, space: int) -> None:
    """A place falls to its besieger; Gauls are asked whether they loot it. Comes last in what a command does."""
    if may_be_looted(action.state, power, space) and action.state.frames:
        action.push(Falling(power, space))
    else:
        convert(action, power, space)


def lose_garrison(action: Action, power: int, space: int, why: str) -> None:
    """The CU inside a city that falls to a power are lost, its leaders displaced, and the siege is over."""
    state: State = action.state
    if state.known_troops(space):
        for force in state.troops(space):
            if force.inside and force.power != power:
                action.emit(UnitsRemoved(force.power, space, 0, force.inside, why))
    for leader in state.leaders_in(space):
        if state.world.leaders[leader].power != power and state.leader_inside >> leader & 1:
            action.emit(LeaderDisplaced(leader))
    action.emit(SiegeLifted(space, why))


def convert(action: Action, power: int, space: int) -> None:
    """The place falls: its garrison is lost, and it is the besieger's, or the ally's whose home it is (13.5)."""
    lose_garrison(action, power, space, "13.5")
    state: State = action.state
    ally = freed_for(state, power, space) if falls_to_the_ally_at_home(state) else None
    owner, why = (power, "13.5") if ally is None else (ally, "15.2.3d")
    action.emit(ControlChanged(space, owner, 1 if state.kinds[space] == CITY else state.loyalty[space], why))


@forbids("15.2.3n", act=(Besiege, Subjugate, Liberate, RemoveMarker, RemoveSupport, TakeControl, PlaceSupport))
def ones_own_home_is_conceded_to_an_ally(
    state: State, act: Besiege | Subjugate | Liberate | RemoveMarker | RemoveSupport | TakeControl | PlaceSupport
) -> Facts | None:
    """What an ally holds of one's own home region stays his while the alliance lasts."""
    if state.world.home[act.space] != act.power:
        return None
    if isinstance(act, PlaceSupport) and act.on_behalf not in (NONE, act.power):
        return None
    if isinstance(act, (Besiege, Liberate, Subjugate)):
        # what can be neither besieged nor subjugated is not regained by that
        if state.kinds[act.space] != (TRIBE if isinstance(act, Subjugate) else CITY):
            return None
    owner = state.owner_of(act.space)
    if owner in (IND, act.power) or not state.are_allied(act.power, owner):
        return None
    return facts(power=act.power, ally=owner, space=act.space)


@forbids("15.2.3.M1", act=(Besiege, Liberate), under=("independent_city_in_allied_home", "refused"))
def independent_city_in_an_allys_home(state: State, act: Besiege | Liberate) -> Facts | None:
    """Ruling `independent_city_in_allied_home`, where a table chose to refuse."""
    if state.owner_of(act.space) == IND and state.ruling("independent_city_in_allied_home") == "refused":
        return _allied_home(state, act.power, act.space)
    return None


@forbids("13.5", act=Liberate)
def only_a_conquered_city_is_freed(state: State, act: Liberate) -> Facts | None:
    """Facts 15.18: it must be a city in the home region of an ally, held by a third power."""
    home = state.world.home[act.space]
    if state.kinds[act.space] != CITY:
        return facts(variant="no_city", power=act.power, space=act.space)
    if home in (IND, act.power) or not state.are_allied(act.power, home):
        return facts(variant="no_ally", power=act.power, space=act.space)
    if state.owner_of(act.space) == home:
        return facts(variant="free", power=act.power, space=act.space, ally=home)
    return None


# 15.2 and 15.2.4 other effects


@effect("15.2", otherwise=False)
def allies_ground_is_friendly(state: State, power: int, owner: int) -> bool:
    """Does an ally's control make a space friendly?"""
    return state.are_allied(power, owner)


def is_friendly(state: State, power: int, space: int) -> bool:
    """Is the space friendly to the power: its own, or an ally's (15.2)? Independents are nobody's. Raises `Unknown`."""
    owner = state.owner_of(space)
    return owner == power or (owner != IND and allies_ground_is_friendly(state, power, owner))


@forbids("15.2.4", act=Hinder)
def hindering_an_allys_ships(state: State, act: Hinder) -> Facts | None:
    """5p: Carthage may not hinder an ally's naval movement."""
    if act.power == CAR:
        return bond(state, act.power, act.target)
    return None


@forbids("15.2.n", act=PlaceSupport)
def no_support_for_another(state: State, act: PlaceSupport) -> Facts | None:
    """A card's value places no support for another player."""
    if act.on_behalf not in (NONE, act.power):
        return facts(power=act.power, to=act.on_behalf, space=act.space)
    return None


# events between allies


HARM_ACTS = {
    "remove_units": "15.2.2f",
    "remove_support": "15.2.2g",
    "remove_marker": "15.2.2e",
    "besiege": "15.2.2c",
    "battle": "15.2.2a",
}


@effect("15.2.2.M1", otherwise=False)
def bans_reach_events(state: State) -> bool:
    """Ruling `ban_reaches_events`: the acts of 15.2.2 are barred when an event does them, too."""
    return state.ruling("ban_reaches_events") == "yes"


def _event_ban(effect_name: str, clause: str) -> object:
    @forbids(clause, act=PlayEvent, under=("ban_reaches_events", "yes"))
    def banned_by_event(state: State, act: PlayEvent) -> Facts | None:
        """The acts of 15.2.2 stay forbidden when an event does them (ruling `ban_reaches_events`)."""
        if act.effect != effect_name or not bans_reach_events(state):
            return None
        return _event_bond(state, act)

    return banned_by_event


def _event_bond(state: State, act: PlayEvent) -> Facts | None:
    """The alliance that stands between the player of an event and its target, if any does."""
    seat = state.controller[act.power]
    powers = state.powers_of(seat) if seat != NONE else (act.power,)
    for power in sorted(powers, key=lambda one: one != act.power):
        found = bond(state, power, act.target)
        if found is not None and power != act.target:
            return (*found, ("variant", "event"))
    return None


event_removes_units = _event_ban("remove_units", "15.2.2f")
event_removes_support = _event_ban("remove_support", "15.2.2g")
event_removes_marker = _event_ban("remove_marker", "15.2.2e")
event_besieges = _event_ban("besiege", "15.2.2c")
event_brings_battle = _event_ban("battle", "15.2.2a")


@forbids("15.1.2.M1", act=PlayEvent, under=("harm_full_ally", "refused"))
def harming_a_full_ally(state: State, act: PlayEvent) -> Facts | None:
    """A harmful event that does none of the acts of 15.2.2: ruling `harm_full_ally`."""
    if act.effect == "harm" and state.ruling("harm_full_ally") == "refused":
        return _event_bond(state, act)
    return None


@forbids("15.1.2.M2", act=PlayEvent, under=("harm_from_partial_ally", "barred"))
def harming_either_half_as_a_partial_ally(state: State, act: PlayEvent) -> Facts | None:
    """The partial ally's own events: ruling `harm_from_partial_ally`, where a table chose to bar them."""
    if act.effect in ("help", "loyalty") or act.target not in (ETR, SAM) or act.power in (ETR, SAM):
        return None
    if state.ruling("harm_from_partial_ally") != "barred":
        return None
    rest = SAM if act.target == ETR else ETR
    allied = [half for half in (act.target, rest) if state.formal[act.power] >> half & 1]
    if len(allied) != 1:
        return None
    if allied[0] == act.target:
        return facts(variant="half", power=act.power, ally=act.target)
    return facts(power=act.power, ally=rest, other=act.target)


EVENT_BANS = ("15.2.2a", "15.2.2c", "15.2.2e", "15.2.2f", "15.2.2g", "15.1.2.M1")


@excepts("15.1.2c", to=EVENT_BANS, act=PlayEvent)
def negative_events_on_a_partial_ally(state: State, act: PlayEvent) -> Facts | None:
    """The Etruscan/Samnite player is free to harm whoever is allied with only one of his powers."""
    if act.power not in (ETR, SAM) or act.target in (ETR, SAM):
        return None
    allied = [power for power in (ETR, SAM) if state.formal[power] >> act.target & 1]
    if len(allied) == 1:
        return facts(power=act.power, ally=allied[0], target=act.target)
    return None


@excepts("15.1.2.M2", to=EVENT_BANS, act=PlayEvent)
def free_use_by_a_partial_ally(state: State, act: PlayEvent) -> Facts | None:
    """Ruling `harm_from_partial_ally`, where a table chose free: also on the half one is allied with."""
    if act.target in (ETR, SAM) and state.ruling("harm_from_partial_ally") == "free":
        rest = SAM if act.target == ETR else ETR
        if state.formal[act.power] >> act.target & 1 and not state.formal[act.power] >> rest & 1:
            return facts(variant="free", power=act.power, ally=act.target)
    return None


@permits("15.2.1b", act=PlayEvent)
def helpful_events_for_anyone(state: State, act: PlayEvent) -> Facts | None:
    """Anyone may play an event that helps another."""
    if act.effect in ("help", "loyalty") and act.power != act.target:
        return facts(power=act.power, target=act.target)
    return None


# 15.3 stacking


@forbids("15.3", act=JoinForces)
def allied_troops_do_not_stack(state: State, act: JoinForces) -> Facts | None:
    """Allied troops do not stack together."""
    if act.power != act.ally and state.are_allied(act.power, act.ally):
        return facts(power=act.power, ally=act.ally)
    return None


@forbids("f9.4", act=JoinForces)
def strangers_do_not_stack_either(state: State, act: JoinForces) -> Facts | None:
    """Without an alliance a meeting is a battle, not a stack; and one's own troops have nobody to join."""
    if act.power == act.ally:
        return facts(variant="join_itself", power=act.power)
    if not state.are_allied(act.power, act.ally):
        return facts(variant="join", power=act.power, target=act.ally)
    return None


def allied_troops_in(state: State, power: int, space: int, shut_in: bool = True) -> int:
    """Another power, allied with this one, that has CU or leaders in the space; NONE if there is none.

    `shut_in`: do those inside a city count?
    """
    forces = state.forces[space]
    if not (state.allies[power] or state.unsure[power] or (forces and forces[0].power == UNKNOWN)):
        return NONE
    if forces:
        for force in state.troops(space):
            if force.power != power and (shut_in or force.outside) and state.are_allied(power, force.power):
                return force.power
    leader = -1
    for _ in range(state.leader_at.count(space)):
        leader = state.leader_at.index(space, leader + 1)
        other = state.world.leader_powers[leader]
        if other != power and (shut_in or not state.leader_inside >> leader & 1) and state.are_allied(power, other):
            return other
    return NONE


@forbids("15.3a", act=EndMovement)
def ending_on_an_ally(state: State, act: EndMovement) -> Facts | None:
    """No movement ends where another power has CU or leaders, unless one fights or besieges him there."""
    if state.is_npp(act.power):
        return None  # 16.2 says it for non-player powers
    ally = allied_troops_in(state, act.power, act.space)
    return None if ally == NONE else facts(power=act.power, ally=ally, space=act.space)


def shut_in_with_an_ally(state: State, power: int, space: int) -> int:
    """An enemy with CU inside a city of this power's ally: he can be neither fought nor besieged there. Else NONE."""
    if state.world.kinds[space] != CITY or not state.forces[space]:
        return NONE
    inside = [force.power for force in state.troops(space) if force.inside]
    if not inside:
        return NONE
    owner = state.owner_of(space)
    if owner in (power, IND) or not state.are_allied(power, owner):
        return NONE
    return next((one for one in inside if one != power and not state.are_allied(power, one)), NONE)


@forbids("15.3a", act=(EndMovement, GoInside))
def beside_an_enemy_in_an_allys_city(state: State, act: EndMovement | GoInside) -> Facts | None:
    """Where the other power can be neither fought nor besieged, he bars the space as an ally does."""
    if state.is_npp(act.power) or not state.known_troops(act.space):
        return None
    enemy = shut_in_with_an_ally(state, act.power, act.space)
    if enemy == NONE:
        return None
    how = "enemy" if isinstance(act, EndMovement) else "enemy_inside"
    return facts(variant=how, power=act.power, ally=state.owner_of(act.space), target=enemy, space=act.space)


@effect("15.3.M1", otherwise=False)
def bound_outside_movement(state: State) -> bool:
    """Ruling `stacking_outside_movement`: retreats, avoiding, interceptions and placements are bound as well."""
    return state.ruling("stacking_outside_movement") == "binds"


@forbids("15.3", act=EndElsewhere)
def no_stacking_after_a_retreat_either(state: State, act: EndElsewhere) -> Facts | None:
    """Allied troops do not stack at all (ruling `stacking_outside_movement`; facts 15.30 to 32).

    Of those whom an interception may not join, besieged CU do not count (facts 15.30).
    """
    if not bound_outside_movement(state):
        return None
    counts = act.how != "intercept" or state.besieged_by[act.space] < 0
    ally = allied_troops_in(state, act.power, act.space, counts)
    return None if ally == NONE else facts(variant=act.how, power=act.power, ally=ally, space=act.space)


@permits("15.3b", act=PassThrough)
def passing_costs_nothing_more(state: State, act: PassThrough) -> Facts | None:
    """Allied troops are passed at no extra cost."""
    ally = allied_troops_in(state, act.power, act.space)
    return None if ally == NONE else facts(power=act.power, ally=ally, space=act.space)


@effect("15.3b", otherwise=1)
def extra_cost_of_passing(state: State) -> int:
    """Movement points that passing through allied troops costs on top."""
    return 0


@forbids("f9.4", act=PassThrough)
def enemies_stop_a_movement(state: State, act: PassThrough) -> Facts | None:
    """Facts 9.4: entering enemy CU outside a city ends the move in battle."""
    others = [force.power for force in state.troops(act.space) if force.power != act.power and force.outside]
    if not others:
        return None
    enemy = next((one for one in others if not state.are_allied(act.power, one)), others[0])
    return facts(power=act.power, target=enemy, space=act.space)


@excepts("15.2.e4", to="f9.4", act=PassThrough)
def allied_troops_are_passed(state: State, act: PassThrough) -> Facts | None:
    """Allied troops move through each other with no battle."""
    others = [f.power for f in state.troops(act.space) if f.power != act.power and f.outside]
    if others and all(state.are_allied(act.power, other) for other in others):
        return facts(power=act.power, ally=others[0], space=act.space)
    return None


@effect("15.2.e4", otherwise=False)
def may_pass(state: State, power: int, other: int) -> bool:
    """Do a power's troops pass another's with no battle?"""
    return state.are_allied(power, other)


def relief(state: State, act: Attack) -> tuple[int, int, int] | None:
    """The ally whose city the target besieges here, with his CU and leaders inside; None if it is no such attack."""
    if act.space == NONE or state.kinds[act.space] != CITY:
        return None
    owner = state.owner_of(act.space)
    if owner in (act.power, act.target, IND) or state.besieger(act.space) != act.target:
        return None
    if not state.are_allied(act.power, owner) or state.friends(act.power, act.target):
        return None  # an ally who besieges is no enemy army: 15.2.2a speaks of him
    inside = state.force(owner, act.space).inside
    leaders = sum(1 for leader in state.leaders_in(act.space, owner) if state.leader_inside >> leader & 1)
    return owner, inside, leaders


@effect("15.3.M2", otherwise=False)
def leaders_inside_bar_relief(state: State) -> bool:
    """Ruling `relief_with_leader_inside`: leaders alone count like CU (15.3a)."""
    return state.ruling("relief_with_leader_inside") == "refused"


@forbids("15.3n", act=Attack)
def no_relief_of_an_ally_inside(state: State, act: Attack) -> Facts | None:
    """Whoever besieges an ally's city is not attacked while the ally has CU inside: success would stack allies."""
    found = relief(state, act)
    if found is None:
        return None
    ally, inside, leaders = found
    if inside:
        return facts(power=act.power, ally=ally, target=act.target, space=act.space, count=inside)
    if leaders and leaders_inside_bar_relief(state):
        return facts(variant="leader", power=act.power, ally=ally, target=act.target, space=act.space)
    return None


def others_before(state: State, power: int, city: int, inside: int = NONE) -> int:
    """An ally of a power with CU or leaders in a space, NONE if there is none.

    Those of the power `inside` that stand inside the city are left out: 15.3n speaks of them.
    """
    for force in state.troops(city):
        if force.power not in (power, inside) or (force.power == inside and force.outside):
            if state.are_allied(power, force.power):
                return force.power
    for leader in state.leaders_in(city):
        one = state.world.leaders[leader].power
        if one not in (power, inside) or (one == inside and not state.leader_inside >> leader & 1):
            if one != power and state.are_allied(power, one):
                return one
    return NONE


@forbids("15.3a", act=Attack)
def no_battle_beside_an_ally(state: State, act: Attack) -> Facts | None:
    """A victory would leave two allied forces in one space, inside the city or outside, besieged or not."""
    if act.space == NONE or state.is_npp(act.power) or not state.known_troops(act.space):
        return None
    if state.friends(act.power, act.target) or not state.force(act.target, act.space).outside:
        return None  # 15.2.2a or f9.4 says it
    found = relief(state, act)
    ally = others_before(state, act.power, act.space, NONE if found is None else found[0])
    if ally == NONE:
        return None
    return facts(variant="attack", power=act.power, ally=ally, target=act.target, space=act.space)


@permits("15.3p", act=Attack)
def relief_of_an_empty_city(state: State, act: Attack) -> Facts | None:
    """The ally has nothing inside, and no other ally is there: the besieger may be attacked."""
    found = relief(state, act)
    if found is None or found[1] or others_before(state, act.power, act.space, found[0]) != NONE:
        return None
    return facts(power=act.power, ally=found[0], target=act.target, space=act.space)


@permits("15.3d", act=Flank)
def two_powers_against_one_foe(state: State, act: Flank) -> Facts | None:
    """A common enemy is attacked by separate forces, by a Campaign card (9.5.6)."""
    if act.ally != act.power:
        return facts(power=act.power, ally=act.ally, space=act.battle)
    return None


@forbids("15.2.M1", act=GoInside, under=("enter_allied_city", "refused"))
def inside_an_allys_city(state: State, act: GoInside) -> Facts | None:
    """CU in an ally's city: ruling `enter_allied_city`."""
    owner = state.owner_of(act.space)
    if owner == act.power or not is_friendly(state, act.power, act.space):
        return None
    if state.ruling("enter_allied_city") == "refused":
        return facts(power=act.power, ally=owner, space=act.space)
    return None


@forbids("15.3a", act=GoInside)
def not_where_the_ally_is(state: State, act: GoInside) -> Facts | None:
    """Only while the ally has no CU or leader in the location."""
    owner = state.owner_of(act.space)
    if owner != act.power and state.present(act.space, owner) and state.are_allied(act.power, owner):
        return facts(variant="inside", power=act.power, ally=owner, space=act.space)
    return None


# 15.4 duration and renewal


@effect("15.4a", otherwise=False)
def alliances_end_with_the_turn(state: State) -> bool:
    """All alliances end by themselves unless both players agree to go on."""
    return True


@effect("15.4b", otherwise=0)
def renewal_key(state: State, seat: int) -> int:
    """Players decide in descending order of victory points: the higher first."""
    return -state.vp_of(seat)


@effect("15.4c", otherwise=False)
def both_may_agree(state: State) -> bool:
    """Both players may agree to stay allied."""
    return True


def pairs_to_renew(state: State) -> tuple[tuple[int, int], ...]:
    """The pairs whose alliance ends with the turn. That of the player with the most victory points comes first."""

    def key(power: int) -> tuple[int, int]:
        return renewal_key(state, _renewer(state, power)), power_rank(power)

    joined_by = [(pact.a, pact.b) for pact in state.pacts]
    if state.treaty == TREATY and treaty_ends_with_the_turn(state):
        joined_by.append((ROM, CAR))
    pairs = [tuple(sorted(pair, key=key)) for pair in joined_by]
    pairs.sort(key=lambda pair: (key(pair[0]), key(pair[1])))
    return tuple((pair[0], pair[1]) for pair in pairs)


@effect("f18.10", otherwise=False)
def treaty_ends_with_the_turn(state: State) -> bool:
    """Ruling `treaty_renewal`: the treaty of Rome and Carthage lapses unless it is renewed."""
    return state.ruling("treaty_renewal") == "renewed"


def _renewer(state: State, power: int) -> int:
    """The seat that decides on a power's alliances."""
    if state.controller[power] != NONE:
        return state.controller[power]
    from foedus.games.sword_of_rome.neutrals import seat_deciding  # chapter 16 stands on this one

    return seat_deciding(state, power)


def renewal(state: State) -> Renewal:
    """The phase at its beginning: every pair to settle, and every player who takes part."""
    pairs = pairs_to_renew(state)
    seats = dict.fromkeys(_renewer(state, power) for pair in pairs for power in pair)
    return Renewal(pairs, tuple(sorted(seats, key=seat_rank)))


def begin_renewal(action: Action) -> None:
    """End or Renew Alliances: every alliance is asked for, or ends."""
    if not alliances_end_with_the_turn(action.state):
        return
    pairs = pairs_to_renew(action.state)
    if pairs and both_may_agree(action.state):
        action.push(renewal(action.state))
    else:
        for a, b in pairs:
            end_alliance(action, a, b, "lapsed", NONE)


def _undecided(state: State, frame: Renewal) -> dict[int, list[tuple[int, int]]]:
    """By seat the alliances, as (power, ally), of which it has still to decide."""
    found: dict[int, list[tuple[int, int]]] = {}
    for a, b in frame.pairs:
        for power, ally in _who_must_agree(state, a, b):
            if (power, ally) not in frame.agreed:
                found.setdefault(_renewer(state, power), []).append((power, ally))
    return found


def _who_must_agree(state: State, a: int, b: int) -> tuple[tuple[int, int], ...]:
    """The two sides of an alliance, as (power, ally); not a power for which its ally's own player decides."""
    return tuple(
        (power, ally)
        for power, ally in ((a, b), (b, a))
        if state.controller[power] != NONE or _renewer(state, power) != state.controller[ally]
    )


def _renewal_awaits(state: State, frame: Renewal) -> tuple[Decision, ...]:
    """The player with the most victory points decides on all his alliances, then the next (ruling `renewal_tie`)."""
    key = (frame, state.vp, state.rulings, state.pacts)
    return kept(state, "renewal", key, lambda: _renewal_decisions(state, frame))


def _renewal_decisions(state: State, frame: Renewal) -> tuple[Decision, ...]:
    undecided = _undecided(state, frame)
    if not undecided:
        return ()
    top = min(renewal_key(state, seat) for seat in undecided)
    tied = sorted((seat for seat in undecided if renewal_key(state, seat) == top), key=seat_rank)
    turn = tied[0]
    if len(tied) > 1 and winner_names_the_first(state):
        if frame.first not in tied:
            winner = next(seat for seat in frame.seats if renewal_key(state, seat) == top)
            why = facts(among=tuple(tied))
            return (Decision(winner, state.powers_of(winner)[0], "go_first", "15.4.M1", why),)
        turn = frame.first
    return tuple(
        Decision(turn, power, "renew", "15.4b", facts(power=power, ally=ally)) for power, ally in undecided[turn]
    )


@effect("15.4.M1", otherwise=False)
def winner_names_the_first(state: State) -> bool:
    """Ruling `renewal_tie`: of tied players the winner by 4.4 says who decides first, or they go in its order."""
    return state.ruling("renewal_tie") == "tie_winner_names"


def _renewal_candidates(state: State, frame: Renewal, seat: int) -> Iterable[Group]:
    for decision in _renewal_awaits(state, frame):
        if decision.seat != seat:
            continue
        power, told = decision.power, dict(decision.facts)
        if decision.what == "go_first":
            yield GoFirst, power, [GoFirst(power, first) for one in told["among"] for first in state.powers_of(one)]
        else:
            yield RenewAlliance, power, (RenewAlliance(power, told["ally"]),)
            yield LetLapse, power, (LetLapse(power, told["ally"]),)


def _renewal_proceed(action: Action, frame: Renewal) -> None:
    """All have decided. One side of a pair may have come to a player who had agreed for the other (16.1)."""
    action.pop()
    for a, b in frame.pairs:
        action.emit(AllianceRenewed(min(a, b), max(a, b)))


RENEWAL = Flow(Renewal, _renewal_awaits, _renewal_candidates, _renewal_proceed)


def _renewing(state: State) -> Renewal | None:
    return state.frames[-1] if state.frames and isinstance(state.frames[-1], Renewal) else None


@forbids("15.4b", act=(RenewAlliance, LetLapse))
def renewal_in_its_order(state: State, act: RenewAlliance | LetLapse) -> Facts | None:
    """Each player decides when his turn comes, at the end of the turn."""
    frame = _renewing(state)
    if frame is None:
        return None if state.sketched and not state.frames else facts(variant="not_now", power=act.power, ally=act.ally)
    decisions = _renewal_awaits(state, frame)
    if any(d.power == act.power and ("ally", act.ally) in d.facts for d in decisions):
        return None
    if not _renewable(state, act.power, act.ally):
        return None  # 15.4a and 15.1.M1 say why not
    return facts(power=act.power, ally=act.ally, other=decisions[0].power)


@forbids("15.4a", act=(RenewAlliance, LetLapse))
def only_an_alliance_in_force_is_renewed(state: State, act: RenewAlliance | LetLapse) -> Facts | None:
    """What does not stand cannot be renewed."""
    if {act.power, act.ally} == {ETR, SAM} and state.allies[ETR] >> SAM & 1:
        return None  # 15.1.M1 says why not
    return None if _renewable(state, act.power, act.ally) else facts(power=act.power, ally=act.ally)


def _renewable(state: State, a: int, b: int) -> bool:
    if {a, b} == {ROM, CAR} and state.treaty == TREATY and treaty_ends_with_the_turn(state):
        return True
    return state.pact(a, b) is not None


@forbids("15.1.M1", act=(RenewAlliance, LetLapse), under=("etruscans_and_samnites", "allied_for_good"))
def etruscans_and_samnites_are_not_asked(state: State, act: RenewAlliance | LetLapse) -> Facts | None:
    """That pair does not end with the turn."""
    if {act.power, act.ally} == {ETR, SAM} and state.ruling("etruscans_and_samnites") == "allied_for_good":
        return facts(variant="renew", power=act.power, ally=act.ally)
    return None


@forbids("15.4.M1", act=GoFirst)
def only_the_winner_of_the_tie_says_who_goes_first(state: State, act: GoFirst) -> Facts | None:
    """Ruling `renewal_tie`."""
    frame = _renewing(state)
    if frame is not None:
        for decision in _renewal_awaits(state, frame):
            if decision.what == "go_first" and decision.power == act.power:
                if state.controller[act.first] in dict(decision.facts)["among"]:
                    return None
    return facts(power=act.power)


@permits("15.4c", act=RenewAlliance)
def staying_allied(state: State, act: RenewAlliance) -> Facts | None:
    """Both may agree to go on, turn after turn."""
    return facts(power=act.power, ally=act.ally)


@permits("15.4a", act=LetLapse)
def lapsing_is_free(state: State, act: LetLapse) -> Facts | None:
    """It ends with no penalty."""
    return facts(power=act.power, ally=act.ally)


@carries_out(RenewAlliance)
def renew(action: Action, command: RenewAlliance) -> None:
    """One agrees; the alliance goes on only if the other does too."""
    frame = _renewing(action.state)
    a, b = min(command.power, command.ally), max(command.power, command.ally)
    if frame is None:
        action.emit(AllianceRenewed(a, b))
        return
    agreed = (*frame.agreed, (command.power, command.ally))
    if any(one not in agreed for one in _who_must_agree(action.state, a, b)):
        action.change(agreed=agreed)
        return
    action.change(pairs=_without(frame, a, b))
    action.emit(AllianceRenewed(a, b))


@carries_out(LetLapse)
def let_lapse(action: Action, command: LetLapse) -> None:
    """One lets it end: it ends."""
    frame = _renewing(action.state)
    if frame is not None:
        action.change(pairs=_without(frame, command.power, command.ally))
    end_alliance(action, command.power, command.ally, "lapsed", NONE)


def _without(frame: Renewal, a: int, b: int) -> tuple[tuple[int, int], ...]:
    return tuple(pair for pair in frame.pairs if set(pair) != {a, b})


@carries_out(GoFirst)
def go_first(action: Action, command: GoFirst) -> None:
    """The winner of the tie has said who decides first."""
    action.change(first=action.state.controller[command.first])


# 15.5 breaking


@forbids("f5.1", act=(ProposeAlliance, BreakAlliance), wide=True)
def nothing_is_under_way(state: State, act: ProposeAlliance | BreakAlliance) -> Facts | None:
    """Actions are indivisible: alliances are offered and broken between them."""
    frame = state.frames[-1] if state.frames else None
    if frame is None or isinstance(frame, Activation) or not state.is_active(act.power):
        return None
    return facts(variant="between", power=act.power)


@forbids("f5.1", act=AcceptAlliance, wide=True)
def no_alliance_while_an_action_is_under_way(state: State, act: AcceptAlliance) -> Facts | None:
    """An offer waits for the end of the action under way: nobody becomes an ally in mid-march."""
    under_way = any(isinstance(frame, Activation) for frame in state.frames[:-1])
    return facts(variant="accept", power=act.power) if under_way else None


@forbids("15.5d", act=BreakAlliance, wide=True)
def only_the_active_player_breaks(state: State, act: BreakAlliance) -> Facts | None:
    """Not in another's activation, and not in the phases that end a turn."""
    if not state.is_active(act.power):
        return facts(power=act.power, active=state.active)
    return None


@forbids("15.5a", act=BreakAlliance)
def only_an_alliance_can_be_broken(state: State, act: BreakAlliance) -> Facts | None:
    """There must be an alliance between the two."""
    if act.power == ROM and act.ally == CAR and state.treaty == TREATY:
        return None  # facts 18.8
    if {act.power, act.ally} == {ETR, SAM} and state.allies[ETR] >> SAM & 1:
        return None  # 15.1.M1 says why not
    return None if state.pact(act.power, act.ally) is not None else facts(power=act.power, ally=act.ally)


@forbids("15.1.M1", act=BreakAlliance, under=("etruscans_and_samnites", "allied_for_good"))
def etruscans_and_samnites_do_not_break(state: State, act: BreakAlliance) -> Facts | None:
    """Facts 15.8: that pair cannot be broken."""
    if {act.power, act.ally} == {ETR, SAM} and state.ruling("etruscans_and_samnites") == "allied_for_good":
        return facts(variant="break", power=act.power, ally=act.ally)
    return None


@effect("15.5.M2", otherwise=False)
def both_powers_pay(state: State) -> bool:
    """Ruling `breaker_support`: the Etruscan/Samnite player pays with the support of either power, or of both."""
    return state.ruling("breaker_support") == "either_power"


def payers(state: State, power: int) -> tuple[int, ...]:
    """The powers whose support may pay for a break."""
    if power in (ETR, SAM) and both_powers_pay(state):
        return tuple(p for p in (ETR, SAM) if state.controller[p] == state.controller[power])
    return (power,)


def support_of(state: State, powers: Iterable[int]) -> int:
    """The points of support of these powers, or at least so many where the rest is unknown. Raises `Unknown`."""
    total, least, unknown = 0, 0, False
    for power in powers:
        if state.support[power] != UNKNOWN:
            total += state.support[power]
            continue
        unknown = True
        for space, owner in enumerate(state.owner):
            if owner == power:
                kind = state.kinds[space]
                if kind == CITY:
                    least += max(1, state.loyalty[space])
                elif kind not in (TRIBE, BOX):
                    least += 1
    if unknown and total + least < PRICE:
        raise Unknown("support", (("power", next(iter(powers))),), (0, 1, 2, 3))
    return total + least


@forbids("15.5.M1", act=BreakAlliance, wide=True, under=("support_short", "refused"))
def the_price_must_be_payable(state: State, act: BreakAlliance) -> Facts | None:
    """Fewer than three points left: ruling `support_short`."""
    if state.support[act.power] >= PRICE or state.ruling("support_short") != "refused":
        return None
    own = support_of(state, payers(state, act.power))
    return facts(power=act.power, ally=act.ally, count=own) if own < PRICE else None


@forbids("15.5a", act=BreakAlliance)
def three_points_are_paid(state: State, act: BreakAlliance) -> Facts | None:
    """Places that are named must hold the breaker's own support, three points in all."""
    if not act.paying:
        return None
    owed = price(state, act.power)
    if len(act.paying) != owed:
        return facts(variant="price", power=act.power, ally=act.ally, count=len(act.paying), owed=owed)
    for space in dict.fromkeys(act.paying):
        worth = _worth(state, payers(state, act.power), space)
        if act.paying.count(space) > worth:
            return facts(variant="place", power=act.power, ally=act.ally, space=space, count=worth)
    return None


def _worth(state: State, powers: tuple[int, ...], space: int) -> int:
    """The points of support of these powers in a space, of a besieged city as many as it can lose before it falls."""
    if state.owner_of(space) not in powers:
        return 0
    kind = state.kinds[space]
    if kind == CITY and state.besieged_by[space] >= 0 and state.known_troops(space):
        return max(1, state.loyalty_of(space) - max(0, state.siege_points[space]))
    return state.loyalty_of(space) if kind == CITY else 0 if kind in (TRIBE, BOX) else 1


@effect("15.5a", otherwise=0)
def full_price(state: State) -> int:
    """What one break costs."""
    return PRICE


def price(state: State, power: int) -> int:
    """The points a power pays for one break: three, or what is left by the ruling `support_short`."""
    full = full_price(state)
    if state.ruling("support_short") == "pay_what_is_left":
        return min(full, support_of(state, payers(state, power)))
    return full


@permits("15.5a", act=BreakAlliance)
def breaking_at_a_price(state: State, act: BreakAlliance) -> Facts | None:
    """The active player may break, for three points of his own support each."""
    return facts(power=act.power, ally=act.ally, owed=price(state, act.power))


@carries_out(BreakAlliance)
def break_alliance(action: Action, command: BreakAlliance) -> None:
    """The alliance is over, CU inside go out, and the breaker pays three points, one by one."""
    owed = price(action.state, command.power)
    end_alliance(action, command.power, command.ally, "broken", command.power)
    if command.paying:
        for space in command.paying:
            lose_point(action, space, "15.5a")
    elif owed:
        action.push(PayingBreak(command.power, command.ally, owed))


def lose_point(action: Action, space: int, why: str) -> None:
    """One point of support of a space's owner goes: a marker, or a point of loyalty.

    A city falls to whoever besieges it once the siege has as many points as it has loyalty (facts 13.5). At 0 without
    a siege it is independent, and whoever is inside goes outside.
    """
    state: State = action.state
    owner = state.owner_of(space)
    if state.kinds[space] != CITY:
        action.emit(ControlChanged(space, IND, state.loyalty[space], why))
    elif state.loyalty_of(space) > 1:
        action.emit(ControlChanged(space, owner, state.loyalty[space] - 1, why, state.loyalty[space]))
        fallen = state.besieged_by[space] >= 0 and state.siege_points[space] >= state.loyalty[space] - 1
        if fallen and state.known_troops(space) and places_fall(state):
            convert(action, state.besieged_by[space], space)
    elif state.besieged_by[space] not in (NONE, UNKNOWN, owner) and state.known_troops(space) and places_fall(state):
        convert(action, state.besieged_by[space], space)  # to loot it is for him who takes it by siege
    else:
        put_outside(action, space, why)
        action.emit(ControlChanged(space, IND, loyalty_of_independents(state), why))


@effect("f7.11", otherwise=0)
def loyalty_of_independents(state: State) -> int:
    """A city that was brought to 0 is independent, and independent cities have loyalty 1."""
    return 1


def end_alliance(action: Action, a: int, b: int, how: str, by: int) -> None:
    """The marker goes, and CU inside cities of the former ally go outside (15.5b, 15.5c, and their rulings)."""
    state: State = action.state
    if {a, b} == {ROM, CAR} and state.treaty == TREATY:
        action.emit(TreatyChanged(TREATY_BROKEN, ROM, CAR, False, "f18.8" if how == "broken" else "f18.10"))
    else:
        action.emit(AllianceEnded(min(a, b), max(a, b), how, by, "15.5a" if how == "broken" else "15.4a"))
    for guest, host in ((a, b), (b, a)):
        if how == "broken" and guest != by and not both_sides_go_out(state):
            continue
        for space in bits(_places(state, guest)):
            if state.owner[space] == host and state.kinds[space] == CITY:
                eject(action, guest, space, how)


@effect("15.5.M3", otherwise=False)
def both_sides_go_out(state: State) -> bool:
    """Ruling `ejection_both_ways`: CU of both sides leave the other's cities, not the breaker's alone."""
    return state.ruling("ejection_both_ways") == "both"


@effect("15.5b", otherwise=False)
def guests_go_outside(state: State) -> bool:
    """CU inside a former ally's city are placed outside it."""
    return True


@effect("15.5c", otherwise=99)
def enough_for_a_siege(state: State) -> int:
    """How many CU inside bring a siege marker of value 0."""
    return 3


@effect("15.5.M4", otherwise=True)
def leaders_go_out(state: State) -> bool:
    """Ruling `ejected_leaders`: leaders go out with the CU, or become displaced."""
    return state.ruling("ejected_leaders") == "go_out"


@effect("15.5.M5", otherwise=False)
def more_are_enough_too(state: State) -> bool:
    """Ruling `three_or_more_inside`: more than three, where a board lets them in, bring the marker as well."""
    return state.ruling("three_or_more_inside") == "three_or_more"


@effect("15.4.M2", otherwise=False)
def a_lapse_is_like_a_break(state: State) -> bool:
    """Ruling `lapse_with_cu_inside`: three CU bring the siege marker when the alliance lapses, too."""
    return state.ruling("lapse_with_cu_inside") == "as_broken"


def eject(action: Action, guest: int, space: int, how: str) -> None:
    """A guest's CU and leaders inside a former ally's city go outside; three of them begin a siege.

    Not where another power besieges the city already: its siege and its points stay.
    """
    state: State = action.state
    forces = state.forces[space]
    if not forces and space not in state.leader_at:
        return
    if forces and forces[0].power == UNKNOWN:
        return
    inside = state.force(guest, space).inside
    leaders = [leader for leader in state.leaders_in(space, guest) if state.leader_inside >> leader & 1]
    if not (inside or leaders) or not guests_go_outside(state):
        return
    why = "15.5b" if how == "broken" else "15.4.M2"
    if inside:
        action.emit(PutOutside(guest, space, inside, why))
    for leader in leaders:
        if leaders_go_out(state):
            action.emit(LeaderMoved(leader, space, False, "15.5.M4"))
        else:
            action.emit(LeaderDisplaced(leader, "15.5.M4"))
    needed = enough_for_a_siege(state)
    enough = inside >= needed if more_are_enough_too(state) else inside == needed
    free = state.besieged_by[space] in (NONE, UNKNOWN)
    if enough and free and (how == "broken" or a_lapse_is_like_a_break(state)):
        action.emit(SiegeSet(space, guest, 0, "15.5c" if how == "broken" else "15.4.M2"))


def put_outside(action: Action, space: int, why: str) -> None:
    """All CU and leaders inside a city go outside, guests' too, as when it turns independent."""
    state: State = action.state
    if not state.known_troops(space):
        return
    for force in state.troops(space):
        if force.inside:
            action.emit(PutOutside(force.power, space, force.inside, why))
    for leader in state.leaders_in(space):
        if state.leader_inside >> leader & 1:
            action.emit(LeaderMoved(leader, space))


def _paying(state: State) -> PayingBreak | None:
    return state.frames[-1] if state.frames and isinstance(state.frames[-1], PayingBreak) else None


def _paying_awaits(state: State, frame: PayingBreak) -> tuple[Decision, ...]:
    if frame.left <= 0 or not any(state.support[power] for power in payers(state, frame.power)):
        return ()  # paid, or the last of it is lost
    return (
        Decision(
            state.controller[frame.power],
            frame.power,
            "pay",
            "15.5a",
            facts(power=frame.power, ally=frame.ally, left=frame.left),
        ),
    )


def _paying_candidates(state: State, frame: PayingBreak, seat: int) -> Iterable[Group]:
    if state.controller[frame.power] == seat:
        commands = _pay_points(state, frame.power)
        masks = owner_masks(state)
        own = sum(masks[power] for power in payers(state, frame.power))
        yield PayPoint, frame.power, [commands[space] for space in bits(own)]


def _pay_points(state: State, power: int) -> tuple[PayPoint, ...]:
    cache = state.world.cache
    found: tuple[PayPoint, ...] | None = cache.get(("pay", power))
    if found is None:
        found = cache[("pay", power)] = tuple(PayPoint(power, space) for space in range(len(state.owner)))
    return found


def _paying_proceed(action: Action, frame: PayingBreak) -> None:
    action.pop()


PAYING = Flow(PayingBreak, _paying_awaits, _paying_candidates, _paying_proceed)


@forbids("15.5a", act=PayPoint)
def only_ones_own_support_pays(state: State, act: PayPoint) -> Facts | None:
    """Each point is removed from the breaker's own support."""
    frame = _paying(state)
    if frame is None or frame.power != act.power:
        return facts(variant="nothing_owed", power=act.power)
    owner = state.owner[act.space]
    pays = owner == act.power or owner in payers(state, act.power)
    if pays and state.kinds[act.space] not in (TRIBE, BOX):
        return None
    if owner != UNKNOWN or state.kinds[act.space] in (TRIBE, BOX):
        return facts(variant="place", power=act.power, ally=frame.ally, space=act.space, count=0)
    raise Unknown("owner", (("space", act.space),), (act.power, IND))


@carries_out(PayPoint)
def pay_point(action: Action, command: PayPoint) -> None:
    """One point goes."""
    action.change(left=action.state.frames[-1].left - 1)
    lose_point(action, command.space, "15.5a")
