"""What clocks, talks and notices of a table build on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from foedus.games.sword_of_rome import alliances
from foedus.games.sword_of_rome import commands as c
from foedus.games.sword_of_rome.events import AllianceEnded, AllianceRenewed, OfferMade, PhaseBegan
from foedus.games.sword_of_rome.neutrals import seat_deciding
from foedus.games.sword_of_rome.state import ACTION, State
from foedus.kernel.attable import AtTable, News, NewsKind, Stage
from foedus.kernel.unknown import NONE
from foedus.kernel.values import Command, Event

IDLE: Final[tuple[type[Command], ...]] = (
    c.Pass,
    c.Done,
    c.Halt,
    c.StayPut,
    c.NoResponse,
    c.NoBattleCard,
    c.NoBribe,
    c.KeepCards,
    c.KeepDesperate,
    c.KeepLeader,
    c.LetLapse,
    c.RefuseConsent,
    c.HoldFast,
    c.AcceptBattle,
)


def stage(state: State) -> Stage:
    """The turn and its phase; limits on secret talks count by the round (15.1.1n: how, is the table's own choice)."""
    apart = state.ruling("secret_talks") != "forbidden"
    return Stage(state.turn, (state.turn, state.phase), (state.turn, state.phase, state.round), None, apart)


def news(state: State, event: Event) -> Iterator[News]:
    """15.1 offers; 15.4 alliances broken, renewed, and about to end with the turn. There are no declarations of war."""
    if isinstance(event, OfferMade):
        if (seat := seat_deciding(state, event.offer.to)) != NONE:
            yield News("offer", seat)
    elif isinstance(event, AllianceEnded) and event.how == "broken":
        yield from _touched(state, "broken", event.a + event.b - event.by)
    elif isinstance(event, AllianceRenewed):
        yield from _touched(state, "renewed", event.a, event.b)
    elif isinstance(event, PhaseBegan) and state.phase == ACTION and alliances.alliances_end_with_the_turn(state):
        yield from _touched(state, "lapsing", *(power for pair in alliances.pairs_to_renew(state) for power in pair))


def _touched(state: State, kind: NewsKind, *powers: int) -> Iterator[News]:
    seats = dict.fromkeys(state.controller[power] for power in powers)
    return (News(kind, seat) for seat in seats if seat != NONE)


AT_TABLE: Final = AtTable(stage, news, IDLE)

__all__ = ["AT_TABLE", "news", "stage"]
