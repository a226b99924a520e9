"""Standing answers: what a player is to be asked he may say beforehand (f7.15)."""

from __future__ import annotations

from typing import Final

from foedus.games.sword_of_rome.commands import (
    AcceptBattle,
    AvoidBattle,
    ClearStanding,
    ComeOut,
    HoldFast,
    Intercept,
    KeepDesperate,
    LetGo,
    NoBattleCard,
    NoBribe,
    NoResponse,
    RefuseBattle,
    SetStanding,
    StayPut,
)
from foedus.games.sword_of_rome.frames import Attacked
from foedus.games.sword_of_rome.reactions import avoidances
from foedus.games.sword_of_rome.state import IND, State, still_allowed
from foedus.kernel.flow import Action, Decision, carries_out
from foedus.kernel.rules import Facts, facts, forbids
from foedus.kernel.standing import Standing, StandingAnswers, clear_standing, set_standing
from foedus.kernel.unknown import NONE
from foedus.kernel.values import Command

TOPICS: Final = {
    "intercept": "intercept",
    "more_interceptions": "intercept",
    "stand": "avoid",
    "refuse": "refuse",
    "let_go": "let_go",
    "gates": "come_out",
    "respond": "respond",
    "battle_cards": "battle_card",
    "bribe": "bribe",
    "hinder": "hinder",
    "carry": "carry",
    "desperate": "desperate",
}
"""What a decision is about, by what it is called."""
IN_PLACES: Final = ("intercept", "avoid")
"""The topics that may be limited to an enemy, a home region, or until somebody enters one."""
ONCE_FOR_ALL: Final = ("respond", "battle_card", "desperate")
"""The topics that are asked of a player, not of one of his powers."""
ANSWERS: Final = (
    "never_intercept",
    "always_intercept",
    "never_avoid",
    "always_avoid",
    "never_refuse",
    "always_refuse",
    "never_let_go",
    "always_let_go",
    "never_come_out",
    "always_come_out",
    "never_respond",
    "never_battle_card",
    "never_bribe",
    "never_hinder",
    "never_carry",
    "never_desperate",
)
MOST: Final = 12
"""So many standing answers a power may have."""


@forbids("f7.15", act=(SetStanding, ClearStanding))
def only_a_player_says_it_beforehand(state: State, act: SetStanding | ClearStanding) -> Facts | None:
    """Who decides for a non-player power is known only when it is asked (16.1)."""
    return facts(variant="npp", power=act.power) if state.controller[act.power] == NONE else None


@forbids("f7.15", act=SetStanding)
def what_can_be_said_beforehand(state: State, act: SetStanding) -> Facts | None:
    """One of the answers, with at most one limit; until somebody enters a region in which he is not yet."""
    order = act.standing
    limits = [act.against, act.home, act.until]
    if act.answer not in ANSWERS or sum(one != NONE for one in limits) > 1:
        return facts(power=act.power)
    if any(one != NONE for one in limits) and order.topic not in IN_PLACES:
        return facts(power=act.power)
    if (act.space != NONE) != (act.answer == "always_intercept") or (act.until == NONE) != (act.entering == NONE):
        return facts(power=act.power)
    if IND in limits or act.entering == IND:
        return facts(power=act.power)
    if is_over(state, order):
        return facts(variant="there", power=act.power, other=act.until, host=act.entering)
    others = [one for one in state.standing if one.power == act.power and one.scope != order.scope]
    return facts(variant="many", power=act.power, limit=MOST) if len(others) >= MOST else None


@forbids("f7.15", act=ClearStanding)
def something_to_take_back(state: State, act: ClearStanding) -> Facts | None:
    """There must be a standing answer."""
    if any(one.power == act.power for one in state.standing):
        return None
    return facts(variant="nothing", power=act.power)


@carries_out(SetStanding)
def say_beforehand(action: Action, command: SetStanding) -> None:
    """It waits until it is asked for."""
    set_standing(action, command)


@carries_out(ClearStanding)
def take_back(action: Action, command: ClearStanding) -> None:
    """The player is asked again."""
    clear_standing(action, command)


def is_over(state: State, standing: Standing) -> bool:
    """Has the power come for which it was to wait: with CU or a leader in that home region?"""
    if standing.until == NONE:
        return False
    home = state.world.home
    if any(at >= 0 and home[at] == standing.entering for at in _leaders_of(state, standing.until)):
        return True
    return any(
        region == standing.entering and state.known_troops(space) and state.present(space, standing.until)
        for space, region in enumerate(home)
    )


def _leaders_of(state: State, power: int) -> list[int]:
    return [state.leader_at[leader] for leader in state.world.leaders_of[power]]


def answer(state: State, decision: Decision, standing: Standing) -> Command | None:
    """What a standing answer says to a decision; None if it does not cover it."""
    topic = TOPICS.get(decision.what)
    power = decision.power
    if topic != standing.topic or (power != standing.power and topic not in ONCE_FOR_ALL):
        return None
    told = dict(decision.facts)
    space = told.get("space", NONE)
    foe = told.get("target", told.get("attacker", NONE))
    if standing.against not in (NONE, foe) or (standing.home != NONE and state.world.home[space] != standing.home):
        return None
    match standing.answer:
        case "never_intercept" | "never_avoid" | "never_come_out" | "never_hinder" | "never_carry":
            return StayPut(power)
        case "always_intercept":
            return Intercept(power, foe, space, standing.space)
        case "always_avoid":
            return _the_only_way(state, power)
        case "never_refuse":
            return AcceptBattle(power)
        case "always_refuse":
            return RefuseBattle(power)
        case "never_let_go":
            return HoldFast(power)
        case "always_let_go":
            return LetGo(power)
        case "always_come_out":
            return ComeOut(power, space, state.force(power, space).inside)
        case "never_respond":
            return NoResponse(power)
        case "never_battle_card":
            return NoBattleCard(power)
        case "never_bribe":
            return NoBribe(power)
        case "never_desperate":
            return KeepDesperate(power)
    return None


def _the_only_way(state: State, power: int) -> AvoidBattle | None:
    """Where an attacked army slips away to by land, if there is one way only; else its player is asked."""
    frame = state.frames[-1]
    if not isinstance(frame, Attacked):
        return None
    ways = [one for one in avoidances(state, power, frame.space) if still_allowed(state, one)]
    return ways[0] if len(ways) == 1 else None


STANDING = StandingAnswers(lambda state, power: int(state.controller[power]), is_over, answer)
