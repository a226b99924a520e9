"""Three players: the Gallic events table in place of the Gallic activation (5.1)."""

from __future__ import annotations

from foedus.games.sword_of_rome.events import ControlChanged, GallicEvent, UnitsRemoved
from foedus.games.sword_of_rome.leaders import displace
from foedus.games.sword_of_rome.sieges import check_siege
from foedus.games.sword_of_rome.state import IND, POWERS, S_GAL, S_GRE, SPACE, State, outside_masks, owner_masks
from foedus.kernel.flow import Action
from foedus.kernel.rules import effect
from foedus.kernel.values import bits


@effect("f5.1", otherwise=False)
def gauls_come_by_the_table(state: State) -> bool:
    """With three players a roll takes the place of the Gallic activation."""
    return state.world.players == 3


def round_order(state: State) -> tuple[int, ...]:
    """The seats in the order in which they are active; with three players the Gauls' place among them, after Greece."""
    order = tuple(seat for seat in state.order if seat in state.seats)
    if not gauls_come_by_the_table(state) or (state.sketched and not state.dealt):
        return order
    at = order.index(S_GRE) + 1 if S_GRE in order else len(order)
    return (*order[:at], S_GAL, *order[at:])


def gallic_events(action: Action) -> None:
    """One roll; the table is provisional."""
    state: State = action.state
    table = state.world.tables["gallic_events"]
    (die,) = action.roll("gallic events", 1)
    what = str(table["rolls"][str(die)])
    if what == "quiet":
        action.emit(GallicEvent(die, what))
        return
    (second,) = action.roll("gallic events", 1)
    power = POWERS.index(table["powers"][0 if second <= int(table["nearer"]) else 1])
    standing = outside_masks(state)[power]
    if what == "raid":
        open_ = [space for space in bits(owner_masks(state)[power] & ~standing) if state.kind(space) == SPACE]
        if open_:
            space = open_[action.pick("gallic events", len(open_))]
            action.emit(GallicEvent(die, what, power, space))
            action.emit(ControlChanged(space, IND, state.loyalty[space], "f5.1"))
            return
    elif standing:
        space = max(bits(standing), key=lambda one: (state.force(power, one).outside, -one))
        lost = min(int(table["invasion"]), state.force(power, space).outside)
        action.emit(GallicEvent(die, what, power, space))
        action.emit(UnitsRemoved(power, space, lost, 0, "f5.1"))
        displace(action, power, space)
        check_siege(action, space)
        return
    action.emit(GallicEvent(die, what, power))
