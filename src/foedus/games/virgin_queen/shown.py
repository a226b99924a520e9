"""How a position of Virgin Queen is shown: owners, armies, fleets, sieges; the Diplomatic Status Display as bonds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from foedus.games.virgin_queen.state import (
    EVERY,
    IND,
    MAJORS,
    MINORS,
    NAVAL_KINDS,
    POWERS,
    Fleet,
    State,
    World,
)
from foedus.kernel.form import DeskForm
from foedus.kernel.shown import Bond, Mark, Offered, Piece, Place, Shown
from foedus.kernel.unknown import UNKNOWN
from foedus.kernel.values import bits

INKS = {
    "OTT": "green",
    "SPA": "ochre",
    "ENG": "crimson",
    "FRA": "navy",
    "HRE": "black",
    "PRO": "orange",
    "IRE": "olive",
    "PAP": "ivory",
    "POR": "teal",
    "SCO": "sky",
    "VEN": "rose",
    "IND": "sand",
}
"""The ink of each power, by its code."""


def _bases(world: World) -> Mapping[str, Mapping[str, Any]]:
    """What the desk may start from: powers at home and no units told, or the set-up of the campaign."""
    return {"home": {"elsewhere": "home"}, "setup": {"scenario": "campaign"}}


FORM = DeskForm(
    bases=_bases,
    pairs=("alliances", "wars"),
    moment=(("active", "power"), ("phase", "phase")),
    numbers=("turn",),
    place=(("owner", "power"), ("units", "list"), ("ships", "list"), ("siege", "power")),
    unsaid=("hands", "discards", "removed", "dealt", "given", "agreements", "impulse", "passed", "done"),
)


def shown(state: State) -> Shown:
    """The position as it is drawn."""
    powers = (*EVERY, IND)
    spaces = range(state.world.spaces)
    return Shown(
        state.world.board,
        powers,
        {power: INKS[POWERS[power]] for power in powers},
        tuple(Place(state.owner[i], tuple(_pieces(state, i)), tuple(_marks(state, i))) for i in spaces),
        tuple(_bonds(state)),
        tuple(_unsure(state)),
        tuple(_offered(state)),
        tuple(tuple(_ships(state, place)) for place in range(state.world.spaces, state.world.places)),
    )


def _pieces(state: State, space: int) -> Iterable[Piece]:
    leaders = state.world.leaders
    here = [leader for leader in state.leaders_in(space) if leaders[leader].army]
    besieger = state.besieged_by[space]
    standing = {force.power: force for force in state.land[space] if force.power >= 0}
    for power in sorted({*standing, *(state.leader_holder[leader] for leader in here)}):
        led = tuple(leader for leader in here if state.leader_holder[leader] == power)
        count = standing[power].units if power in standing else 0
        if power not in standing and state.land[space] and state.land[space][0].power == UNKNOWN:
            count = UNKNOWN
        yield Piece(power, "land", count, led, besieger >= 0 and power != besieger)
    yield from _ships(state, space)


def _ships(state: State, place: int) -> Iterable[Piece]:
    leaders = state.world.leaders
    here = [leader for leader in state.leaders_in(place) if not leaders[leader].army]
    rows: dict[tuple[int, str], list[Fleet]] = {}
    for fleet in state.fleets[place]:
        if fleet.owner >= 0:
            kind = NAVAL_KINDS[fleet.kind] if fleet.owner == fleet.holder else "lent"
            rows.setdefault((fleet.holder, kind), []).append(fleet)
    told = set()
    for (power, kind), fleets in sorted(rows.items()):
        led = () if power in told else tuple(leader for leader in here if state.leader_holder[leader] == power)
        told.add(power)
        yield Piece(power, kind, sum(fleet.count for fleet in fleets), led, afloat=True)
    for power in sorted({state.leader_holder[leader] for leader in here} - told):
        yield Piece(power, "ships", 0, tuple(one for one in here if state.leader_holder[one] == power), afloat=True)


def _marks(state: State, space: int) -> Iterable[Mark]:
    if state.besieged_by[space] >= 0:
        yield Mark("siege", "⚔", state.besieged_by[space])
    if state.unrest >> space & 1:
        yield Mark("unrest", "!")


def _bonds(state: State) -> Iterable[Bond]:
    for what, masks in (("allied", state.allies), ("war", state.wars)):
        for a, others in enumerate(masks):
            for b in bits(others):
                if a < b:
                    yield Bond(a, b, what, UNKNOWN)
    for power in (*MINORS, *state.world.inactive):
        if state.minor_ally[power] >= 0:
            yield Bond(state.minor_ally[power], power, "serves", UNKNOWN, "f9.2")


def _unsure(state: State) -> Iterable[tuple[int, int]]:
    for a in MAJORS:
        for b in MAJORS:
            if a < b and (state.unsure[a] >> b & 1 or state.unsure_wars[a] >> b & 1):
                yield a, b


def _offered(state: State) -> Iterable[Offered]:
    for one in state.offers:
        others = tuple(power for power in bits(one.parties) if power != one.by)
        yield Offered(one.by, others, one.version, one.terms, one.status)
    for one in state.announced:
        others = tuple(power for power in bits(one.parties) if power != one.by)
        yield Offered(one.by, others, one.version, one.terms, "announced")
