"""What whole games and ledgers ask of the game: what is worth counting, who has won, how the turn goes on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from foedus.games.virgin_queen.commands import (
    AddTerm,
    Ally,
    Assault,
    BeginSailing,
    DeclareWar,
    Decline,
    Discard,
    DoneDeclaring,
    DoneNegotiating,
    DoneRansoming,
    DropTerm,
    EndImpulse,
    Intercept,
    InterceptAtSea,
    Lend,
    MakePeace,
    Move,
    OfferDraft,
    Pass,
    Ransom,
    Sail,
    Sign,
    StayHome,
    Withdraw,
)
from foedus.games.virgin_queen.frames import Acting, Declaring, Deploying, Negotiating, Ransoming
from foedus.games.virgin_queen.powers import acting_powers, playing_powers
from foedus.games.virgin_queen.state import OVER, PHASES, POWERS, SCORING, UNTOLD, State
from foedus.games.virgin_queen.turn import is_last_turn, phases
from foedus.kernel.unknown import UNKNOWN
from foedus.kernel.values import Command

TALLIES: Mapping[str, Mapping[str, str]] = {
    "AgreementAnnounced": {"en": "agreements announced", "ru": "соглашений объявлено"},
    "AgreementFailed": {"en": "agreements that fell", "ru": "соглашений сорвалось"},
    "AllianceMade": {"en": "alliances made", "ru": "союзов заключено"},
    "Lent": {"en": "loans of naval units", "ru": "одалживаний морских частей"},
    "CaptiveReturned": {"en": "captives returned", "ru": "пленных возвращено"},
    "WarBegan": {"en": "wars begun", "ru": "войн начато"},
    "WarEnded": {"en": "wars ended", "ru": "войн окончено"},
    "StatusChanged": {"en": "powers that changed sides", "ru": "держав сменило сторону"},
    "BattleFought": {"en": "battles", "ru": "сражений"},
}

SORTS: Mapping[type[Command], str] = {
    DeclareWar: "war",
    Move: "war",
    Assault: "war",
    Intercept: "war",
    BeginSailing: "war",
    Sail: "war",
    InterceptAtSea: "war",
    AddTerm: "peace",
    OfferDraft: "peace",
    Sign: "peace",
    Ally: "peace",
    MakePeace: "peace",
    Lend: "peace",
    Ransom: "peace",
    DoneNegotiating: "idle",
    DoneDeclaring: "idle",
    DoneRansoming: "idle",
    Discard: "idle",
    Withdraw: "idle",
    Decline: "idle",
    DropTerm: "idle",
    Pass: "idle",
    EndImpulse: "idle",
    StayHome: "idle",
}
"""Of what sort some commands are, for players that are programs."""


def winners(state: State) -> tuple[int, ...]:
    """The seats that have won (facts 11.9); none while the game goes on."""
    return state.winners if state.phase == OVER else ()


def hand(state: State, seat: int) -> tuple[tuple[str, int, str], ...]:
    """The cards of the powers that a seat plays, each with its command points."""
    return tuple(
        ("card", card, str(state.world.cards[card].value))
        for power, cards in enumerate(state.hands)
        if state.controller[power] == seat and cards != UNTOLD
        for card in cards
        if card >= 0
    )


def onward(state: State) -> Iterable[Command | Mapping[str, Any]]:
    """What going on by one step could mean: the awaited power has done, or the next moment is told as facts."""
    frame = state.frames[-1] if state.frames else None
    if isinstance(frame, Negotiating):
        yield from (DoneNegotiating(power) for power in playing_powers(state) if not state.done >> power & 1)
    elif isinstance(frame, Ransoming):
        yield from (DoneRansoming(power) for power in frame.waiting)
    elif isinstance(frame, Declaring):
        yield from (DoneDeclaring(power) for power in frame.waiting[:1])
    elif isinstance(frame, Deploying):
        yield from (StayHome(power) for power in frame.waiting[:1])
    elif isinstance(frame, Acting):
        yield Pass(frame.power)
    if state.frames or state.phase == UNKNOWN:
        return
    order = phases(state)
    if state.phase == SCORING:
        if state.turn != UNKNOWN:
            yield (
                {"phase": PHASES[OVER]} if is_last_turn(state) else {"turn": state.turn + 1, "phase": PHASES[order[0]]}
            )
    elif state.phase in order:
        following = order[order.index(state.phase) + 1]
        yield {"phase": PHASES[following], "active": "none"}
        yield from ({"active": POWERS[power]} for power in acting_powers(state)[:1])
