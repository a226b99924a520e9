"""What clocks, talks and notices of a table build on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from foedus.games.virgin_queen import alliances
from foedus.games.virgin_queen import commands as c
from foedus.games.virgin_queen.events import AgreementOffered, AllianceEnded, PhaseBegan, WarBegan
from foedus.games.virgin_queen.state import MAJORS, NEGOTIATION, OVER, SETUP, WINTER, State
from foedus.kernel.attable import AtTable, News, NewsKind, Stage
from foedus.kernel.unknown import NONE
from foedus.kernel.values import Command, Event, bits

IDLE: Final[tuple[type[Command], ...]] = (
    c.DoneNegotiating,
    c.RefuseConsent,
    c.DoneRansoming,
    c.DoneDeclaring,
    c.StayHome,
    c.NoResponse,
    c.NoIntercept,
    c.LetPass,
    c.Stand,
    c.EndSailing,
    c.EndImpulse,
    c.Pass,
    c.Spare,
)


def stage(state: State) -> Stage:
    """The turn and its phase, the segments of the Diplomacy Phase among them (facts 2.1). Ruling `secret_talks` says
    whether powers talk apart, and whether only in the segment of negotiations (facts 3.18)."""
    moment = (state.turn, state.phase)
    negotiating = state.phase == NEGOTIATION
    rule = state.ruling("secret_talks")
    apart = rule == "allowed" or (rule == "limited" and (negotiating or state.phase in (SETUP, OVER)))
    return Stage(state.turn, moment, moment, negotiating, apart)


def news(state: State, event: Event) -> Iterator[News]:
    """Agreements offered (3), alliances that end (4.10) and wars (8)."""
    if isinstance(event, AgreementOffered):
        one = event.agreement
        yield from _touched(state, "offer", (power for power in bits(one.parties) if power != one.by))
    elif isinstance(event, AllianceEnded) and event.how == "early":
        yield from _touched(state, "broken", (power for power in (event.a, event.b) if power != event.by))
    elif isinstance(event, WarBegan):
        yield from _touched(state, "war", (power for power in (event.a, event.b) if power != event.by))
    elif isinstance(event, PhaseBegan) and event.phase == WINTER and alliances.alliances_end_with_the_turn(state):
        yield from _touched(state, "lapsing", (power for power in MAJORS if state.allies[power]))


def _touched(state: State, kind: NewsKind, powers: Iterable[int]) -> Iterator[News]:
    seats = dict.fromkeys(state.seat_of(power) for power in powers)
    return (News(kind, seat) for seat in seats if seat != NONE)


AT_TABLE: Final = AtTable(stage, news, IDLE)

__all__ = ["AT_TABLE", "news", "stage"]
