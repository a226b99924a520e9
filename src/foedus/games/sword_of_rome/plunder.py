"""Plunder (14): the track, raids, looted cities, and markers given up."""

from __future__ import annotations

from collections.abc import Iterable

from foedus.games.sword_of_rome.alliances import convert, lose_garrison, loyalty_of_independents
from foedus.games.sword_of_rome.commands import (
    GiveUpPlunder,
    Keep,
    Loot,
    Raid,
    RemoveMarker,
    TakePlunder,
)
from foedus.games.sword_of_rome.events import (
    ControlChanged,
    Looted,
    PlunderChanged,
    Raided,
    SiegeSet,
    UnitsRemoved,
    VPChanged,
)
from foedus.games.sword_of_rome.frames import Activation, Falling, Marching, Spoils
from foedus.games.sword_of_rome.leaders import displace
from foedus.games.sword_of_rome.movement import legal_end_in_reach
from foedus.games.sword_of_rome.neutrals import asked, must_name, names_for, seat_deciding
from foedus.games.sword_of_rome.sieges import siege_result
from foedus.games.sword_of_rome.state import (
    BOX,
    CITY,
    GAL,
    IND,
    S_GAL,
    SPACE,
    TRA,
    TRIBE,
    State,
    applies,
)
from foedus.games.sword_of_rome.support import free_of_enemies, spend_spoil
from foedus.kernel.flow import Action, Decision, Flow, Group, carries_out
from foedus.kernel.rules import Facts, effect, facts, forbids
from foedus.kernel.unknown import NONE
from foedus.kernel.verdict import Reason

PLUNDERERS = (GAL, TRA)


# 14.1 the track


def markers_of(state: State, power: int) -> int:
    """The plunder markers of a power that lie on the track."""
    return max(0, -state.plunder if power == TRA else state.plunder)


@effect("f14.1", otherwise=(0, 0))
def track_after(state: State, power: int) -> tuple[int, int]:
    """The track with one more marker of a power, and the victory points that the Gauls get by it.

    The two kinds cancel; a track full of Gallic markers brings a point, one full of Transalpine ones costs a point,
    and is cleared. Its length is provisional.
    """
    change = -1 if power == TRA else 1
    track = state.plunder + change
    if abs(track) >= int(state.world.tables["plunder"]["track"]):
        return 0, change
    return track, 0


def add_plunder(action: Action, power: int, count: int, why: str) -> None:
    """Plunder markers come onto the track, one by one."""
    for _ in range(count):
        state: State = action.state
        track, points = track_after(state, power)
        if points:
            full = int(state.world.tables["plunder"]["track"])
            action.emit(PlunderChanged(power, full, why))
            before = state.vp[S_GAL]
            after = min(12, max(0, before + points))
            if before >= 0 and after != before:
                action.emit(VPChanged(S_GAL, after, "f14.1"))
            action.emit(PlunderChanged(power, 0, "f14.1"))
        elif track != state.plunder:
            kind = power if track == 0 else TRA if track < 0 else GAL
            action.emit(PlunderChanged(kind, abs(track), why))


# 14.2 raids


@forbids("f14.2", act=Raid)
def who_raids_what(state: State, act: Raid) -> Facts | None:
    """A Gallic or Transalpine army under way raids another power's marker where it stands, for a movement point."""
    if act.power not in PLUNDERERS:
        return facts(variant="who", power=act.power)
    owner = state.owner_of(act.space)
    if state.kinds[act.space] != SPACE or owner in (IND, act.power):
        return facts(variant="marker", power=act.power, space=act.space)
    frame = state.frames[-1] if state.frames else None
    if state.sketched and not isinstance(frame, Marching):
        there = not state.known_troops(act.space) or state.force(act.power, act.space).outside
        return None if there else facts(variant="not_now", power=act.power, space=act.space)
    if not isinstance(frame, Marching) or (frame.power, frame.at) != (act.power, act.space):
        return facts(variant="not_now", power=act.power, space=act.space)
    if frame.stage or frame.fought or frame.halted or not state.force(act.power, act.space).outside:
        return facts(variant="not_now", power=act.power, space=act.space)
    left = frame.points - int(state.world.tables["plunder"]["raid"])
    if left < 0:
        return facts(variant="points", power=act.power, space=act.space)
    if not legal_end_in_reach(state, act.power, act.space, left):
        return facts(variant="dead_end", power=act.power, space=act.space)
    return None


def entail_raid(state: State, command: Raid) -> Iterable[tuple[State, object]]:
    """Raiding, and removing the marker."""
    yield state, command
    yield state, RemoveMarker(command.power, command.space, "raid")


def only_as_a_part(state: State, command: RemoveMarker) -> Reason | None:
    """A marker is removed by a raid or for plunder only as part of those."""
    if command.by not in ("raid", "plunder") or not state.frames or not applies(state, "f5.1"):
        return None
    return Reason("f5.1", facts(variant="part", power=command.power))


@effect("f14.2", otherwise=(0, 0))
def raid_result(state: State, total: int) -> tuple[int, int]:
    """The siege table without the Gallic -1, which is for sieges (ruling `raid_modifier`)."""
    return siege_result(state, total - 1 if state.ruling("raid_modifier") == "as_a_siege" else total)


@carries_out(Raid)
def raid(action: Action, command: Raid) -> None:
    """A roll on the siege table: a point or more makes the marker independent and brings a plunder marker."""
    power, space = command.power, command.space
    points, lost = raid_result(action.state, sum(action.roll("raid", 2)))
    action.emit(Raided(power, space, points > 0))
    state: State = action.state
    if points:
        action.emit(ControlChanged(space, IND, state.loyalty[space], "f14.2"))
        add_plunder(action, power, 1, "f14.2")
    lost = min(lost, state.force(power, space).outside) if state.known_troops(space) else 0
    frame = action.state.frames[-1] if action.state.frames else None
    if lost:
        action.emit(UnitsRemoved(power, space, lost, 0, "f14.2"))
        displace(action, power, space)
    if isinstance(frame, Marching):
        left = min(frame.count, action.state.force(power, space).outside)
        cost = int(state.world.tables["plunder"]["raid"])
        action.change(points=frame.points - cost, count=left, halted=frame.halted or not left)


# 14.3 looting


def _falling_awaits(state: State, frame: Falling) -> tuple[Decision, ...]:
    if frame.answered:
        return ()
    return asked(state, frame.power, "falling", "f14.3", facts(power=frame.power, space=frame.space))


def _falling_candidates(state: State, frame: Falling, seat: int) -> Iterable[Group]:
    if frame.answered or seat_deciding(state, frame.power) != seat:
        return
    if must_name(state, frame.power):
        yield from names_for(state, frame.power, seat)
        return
    yield Loot, frame.power, (Loot(frame.power, frame.space),)
    yield Keep, frame.power, (Keep(frame.power, frame.space),)


def _falling_proceed(action: Action, frame: Falling) -> None:
    if not frame.answered:  # nobody decides for it: the city is kept
        _fallen(action)
        convert(action, frame.power, frame.space)
        return
    action.pop()


def _fallen(action: Action) -> None:
    if action.state.frames and isinstance(action.state.frames[-1], Falling):
        action.pop()


FALLING = Flow(Falling, _falling_awaits, _falling_candidates, _falling_proceed)


@forbids("f14.3", act=(Loot, Keep))
def only_a_city_that_falls_to_gauls(state: State, act: Loot | Keep) -> Facts | None:
    """A city of another power has fallen to them by siege."""
    frame = state.frames[-1] if state.frames else None
    if isinstance(frame, Falling) and (frame.power, frame.space) == (act.power, act.space) and not frame.answered:
        return None
    return facts(power=act.power, space=act.space)


@carries_out(Loot)
def loot(action: Action, command: Loot) -> None:
    """The city is independent with loyalty 1, and plunder markers come, one by one."""
    _fallen(action)
    lose_garrison(action, command.power, command.space, "f14.3")
    action.emit(Looted(command.power, command.space))
    action.emit(ControlChanged(command.space, IND, loyalty_of_independents(action.state), "f14.3"))
    add_plunder(action, command.power, int(action.state.world.tables["plunder"]["looting"]), "f14.3")
    if action.state.force(command.power, command.space).outside:
        action.emit(SiegeSet(command.space, command.power, 0, "f13.1"))  # they still stand before a city not theirs


@carries_out(Keep)
def keep(action: Action, command: Keep) -> None:
    """The city is the besieger's at loyalty 1."""
    _fallen(action)
    convert(action, command.power, command.space)


# 12.8 plunder for a victory


@forbids("f12.8", act=TakePlunder)
def plunder_for_a_victory(state: State, act: TakePlunder) -> Facts | None:
    """Gauls and Transalpine Gauls take a plunder marker for a point of support won in battle."""
    frame = state.frames[-1] if state.frames else None
    if isinstance(frame, Spoils) and frame.winner == act.power and frame.points > 0 and frame.settled:
        return None if act.power in PLUNDERERS else facts(variant="plunder", power=act.power)
    return facts(power=act.power)


@carries_out(TakePlunder)
def take_plunder(action: Action, command: TakePlunder) -> None:
    """One marker for one point."""
    spend_spoil(action)
    add_plunder(action, command.power, 1, "f12.8")


# 14.4 giving up markers


@forbids("f14.4", act=GiveUpPlunder)
def when_plunder_is_given_up(state: State, act: GiveUpPlunder) -> Facts | None:
    """While active the Gauls give up Gallic markers for enemy markers in Gallic home spaces without enemy CU."""
    frame = state.frames[-1] if state.frames else None
    between = isinstance(frame, Activation) or (frame is None and state.sketched)
    if act.power != GAL or not between or not state.is_active(GAL):
        return facts(variant="not_now", power=act.power)
    if markers_of(state, GAL) < 1:
        return facts(variant="none", power=act.power)
    owner = state.owner_of(act.space)
    if state.world.home[act.space] != GAL or state.kinds[act.space] in (CITY, TRIBE, BOX) or owner in (IND, GAL):
        return facts(variant="where", power=act.power, space=act.space)
    if not free_of_enemies(state, GAL, act.space):
        return facts(variant="units", power=act.power, space=act.space)
    return None


def entail_giving_up(state: State, command: GiveUpPlunder) -> Iterable[tuple[State, object]]:
    """Giving up a marker, and removing the other one."""
    yield state, command
    yield state, RemoveMarker(command.power, command.space, "plunder")


def given_up(state: State, seat: int) -> list[GiveUpPlunder]:
    """The markers that an active seat could remove by giving up plunder."""
    if seat != state.controller[GAL] or seat == NONE or markers_of(state, GAL) < 1:
        return []
    return [GiveUpPlunder(GAL, space) for space, home in enumerate(state.world.home) if home == GAL]


@carries_out(GiveUpPlunder)
def give_up_plunder(action: Action, command: GiveUpPlunder) -> None:
    """One marker for one."""
    state: State = action.state
    action.emit(PlunderChanged(GAL, markers_of(state, GAL) - 1, "f14.4"))
    action.emit(ControlChanged(command.space, IND, state.loyalty[command.space], "f14.4"))
