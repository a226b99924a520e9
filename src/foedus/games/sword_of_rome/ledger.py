"""What whole games and ledgers ask of the game: what is worth counting, who has won, how the turn goes on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from foedus.games.sword_of_rome import commands as c
from foedus.games.sword_of_rome.commands import Pass
from foedus.games.sword_of_rome.frames import Activation
from foedus.games.sword_of_rome.hands import hand_of
from foedus.games.sword_of_rome.powers import last_turn
from foedus.games.sword_of_rome.state import ACTION, OVER, PHASES, SEATS, TURN_END, State
from foedus.games.sword_of_rome.turn import ROUNDS, next_phase
from foedus.kernel.unknown import NONE, UNKNOWN
from foedus.kernel.values import Command

TALLIES: Mapping[str, Mapping[str, str]] = {
    "AllianceMade": {"en": "alliances made", "ru": "союзов заключено"},
    "AllianceRenewed": {"en": "alliances kept (renewed)", "ru": "союзов сохранено (продлено)"},
    "AllianceEnded/broken": {"en": "alliances broken", "ru": "союзов разорвано"},
    "AllianceEnded/lapsed": {"en": "alliances lapsed", "ru": "союзов истекло"},
}

SORTS: Mapping[type[Command], str] = {
    **dict.fromkeys(
        (c.Activate, c.ActivateNPP, c.AttackUnrest, c.Besiege, c.Flank, c.HoldFast, c.Hinder, c.Intercept, c.Loot),
        "war",
    ),
    **dict.fromkeys((c.Pursue, c.Raid, c.RaiseUnrest, c.Sail, c.Sortie, c.Step, c.Subjugate, c.Surrender), "war"),
    **dict.fromkeys((c.AcceptAlliance, c.AvoidBattle, c.AvoidBySea, c.Bribe, c.Carry, c.Consent, c.LetGo), "peace"),
    **dict.fromkeys((c.ProposeAlliance, c.RefuseBattle, c.RenewAlliance, c.GiveUpPlunder, c.Liberate), "peace"),
    **dict.fromkeys((c.Pass, c.Halt, c.Done, c.StayPut, c.Discard, c.KeepCards, c.NoResponse, c.PlaceMinor), "idle"),
    **dict.fromkeys((c.DeclineAlliance, c.WithdrawOffer, c.LetLapse, c.NoBattleCard, c.KeepDesperate), "idle"),
}
"""What sort of thing some commands are, for players that are programs."""


def winners(state: State) -> tuple[int, ...]:
    """The seats that have won (4); none while the game goes on."""
    return state.winners if state.phase == OVER else ()


def hand(state: State, seat: int) -> tuple[tuple[str, int, str], ...]:
    """The cards a seat holds, each with its value."""
    cards = hand_of(state, seat)
    return tuple(("card", card, str(state.world.cards[card].value)) for card in cards if card >= 0)


def onward(state: State) -> Iterable[Command | Mapping[str, Any]]:
    """What going on by one step could mean: the active player passes, or the next moment is told as facts."""
    frame = state.frames[-1] if state.frames else None
    if state.phase == ACTION and state.active >= 0:
        after = state.order[state.order.index(state.active) + 1 :]
        last = not after and state.round >= ROUNDS
        if isinstance(frame, Activation):
            yield Pass(state.powers_of(frame.seat)[0])
        if after:
            yield {"active": SEATS[after[0]]}
        elif last:
            yield _phase(state, PHASES[ACTION + 1])
        elif state.round != UNKNOWN:
            yield {"round": state.round + 1, "active": SEATS[state.order[0]], "activated": []}
        return
    if state.phase in TURN_END:
        after_phase = next_phase(state)
        if after_phase in TURN_END:
            yield _phase(state, PHASES[after_phase])
        elif state.turn != UNKNOWN and state.turn >= last_turn(state):
            yield _phase(state, PHASES[OVER])
        elif state.turn != UNKNOWN:
            yield {"turn": state.turn + 1, "broken": [], **_first_round(state)}
    elif state.phase != UNKNOWN and state.phase < ACTION:
        yield _first_round(state)


def _first_round(state: State) -> dict[str, Any]:
    return {"phase": "action", "round": 1, "active": SEATS[state.order[0]], "activated": []}


def _phase(state: State, name: str) -> dict[str, Any]:
    return {"phase": name, "active": "none"} if state.active != NONE else {"phase": name}
