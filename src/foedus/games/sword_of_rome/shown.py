"""How a position of The Sword of Rome is shown: owners, armies and leaders, sieges, loyalty, colonies, alliances."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from foedus.games.sword_of_rome.state import CITY, ETR, IND, POWERS, ROM, SAM, TREATY, State, World, powers_there_are
from foedus.kernel.form import DeskForm
from foedus.kernel.shown import Bond, Mark, Offered, Piece, Place, Shown
from foedus.kernel.unknown import UNKNOWN
from foedus.kernel.values import bits

INKS = {
    "ROM": "crimson",
    "ETR": "ochre",
    "SAM": "green",
    "GRE": "sky",
    "GAL": "navy",
    "CAR": "purple",
    "VOL": "orange",
    "TRA": "slate",
    "MER": "umber",
    "IND": "sand",
}
"""The ink of each power, by its code."""


def _bases(world: World) -> Mapping[str, Mapping[str, Any]]:
    """What the desk may start from: powers at home and no troops told, or the set-up of so many players."""
    found: dict[str, Mapping[str, Any]] = {"home": {"elsewhere": "home"}}
    for name, scenario in world.scenarios.items():
        if scenario.get("players") == world.players:
            found["setup"] = {"scenario": name}
    return found


FORM = DeskForm(
    bases=_bases,
    place=(("owner", "power"), ("loyalty", "number"), ("forces", "list"), ("siege.by", "power")),
    unsaid=("hands", "discards", "removed", "reshuffle", "desperate", "dealt"),
)


def shown(state: State) -> Shown:
    """The position as it is drawn."""
    powers = (*powers_there_are(state), IND)
    inks = {power: INKS[POWERS[power]] for power in powers}
    places = tuple(_place(state, space) for space in range(len(state.world.board.spaces)))
    offers = tuple(Offered(one.by, (one.to,), one.version) for one in state.offers)
    return Shown(state.world.board, powers, inks, places, tuple(_bonds(state)), tuple(_unsure(state)), offers)


def _place(state: State, space: int) -> Place:
    if not state.may_enter(space):
        return Place(UNKNOWN, there=False)
    return Place(state.owner[space], tuple(_pieces(state, space)), tuple(_marks(state, space)))


def _pieces(state: State, space: int) -> Iterable[Piece]:
    leaders = state.leaders_in(space)
    led = state.world.leaders
    if not state.known_troops(space):
        for power in sorted({led[one].power for one in leaders}):
            yield Piece(power, "land", UNKNOWN, tuple(one for one in leaders if led[one].power == power))
        return
    standing = {force.power: force for force in state.forces[space]}
    for power in sorted({*standing, *(led[one].power for one in leaders)}):
        force = standing.get(power)
        for inside, count in ((False, force.outside if force else 0), (True, force.inside if force else 0)):
            here = tuple(
                one for one in leaders if led[one].power == power and bool(state.leader_inside >> one & 1) == inside
            )
            if count or here:
                yield Piece(power, "land", count, here, inside)


def _marks(state: State, space: int) -> Iterable[Mark]:
    if state.besieged_by[space] >= 0:
        points = state.siege_points[space]
        yield Mark("siege", "⚔" if points <= 0 else f"⚔{points}", state.besieged_by[space], max(points, 0))
    if state.kinds[space] == CITY and state.loyalty[space] > 0:
        yield Mark("loyalty", str(state.loyalty[space]), number=state.loyalty[space])
    if state.colonies >> space & 1:
        yield Mark("colony", "C", ROM)
    for where, count in state.levies:
        if where == space and count:
            yield Mark("levies", f"+{count}", number=count)


def _bonds(state: State) -> Iterable[Bond]:
    for pact in state.pacts:
        yield Bond(pact.a, pact.b, "allied", pact.turn)
    if state.allies[ETR] >> SAM & 1 and not state.formal[ETR] >> SAM & 1:
        yield Bond(ETR, SAM, "allied", UNKNOWN, "15.1.M1")
    if state.treaty == TREATY:
        yield Bond(ROM, POWERS.index("CAR"), "allied", UNKNOWN, "18.0")
    for broken in state.broken:
        yield Bond(broken.by, broken.ally, "broken", broken.turn, "15.5")


def _unsure(state: State) -> Iterable[tuple[int, int]]:
    for a, mask in enumerate(state.unsure):
        for b in bits(mask):
            if a < b:
                yield a, b
