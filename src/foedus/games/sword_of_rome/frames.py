"""The steps that can be under way. Each is plain data; its chapter says how it goes."""

from __future__ import annotations

from foedus.games.sword_of_rome.state import Card, Leader, Space
from foedus.kernel.flow import SealedFrame
from foedus.kernel.unknown import NONE
from foedus.kernel.values import Frame, Power, Seat


class TurnFrame(Frame, frozen=True, gc=False):
    """The game turn at the bottom of all: which seats are still to be active this round."""

    waiting: tuple[Seat, ...] = ()
    begun: bool = False


class Activation(Frame, frozen=True, gc=False):
    """A player is active; `played` says that his one card is spent."""

    seat: Seat
    played: bool = False
    done: bool = False


class PayingBreak(Frame, frozen=True, gc=False):
    """Three points of support are being removed, one by one, as the price of a break."""

    power: Power
    ally: Power
    left: int


class Marching(Frame, frozen=True, gc=False):
    """An army is on its way. `points` are the movement points left, `plan` the spaces still to go by its order.

    `stage`: 0 on the road, 1 it has entered a space and nobody was asked yet, 2 interceptions are settled.
    """

    power: Power
    leader: Leader
    count: int
    at: Space
    came: Space
    points: int
    plan: tuple[Space, ...] = ()
    planned: bool = False
    stage: int = 0
    fought: bool = False
    halted: bool = False
    sea: bool = False
    moved: int = 0


class Interceptions(SealedFrame, frozen=True, gc=False):
    """An army has entered a space; powers beside it may intercept. Answers stay sealed."""

    target: Power = NONE
    space: Space = NONE
    came: Space = NONE
    count: int = 0


class Attacked(Frame, frozen=True, gc=False):
    """An army outside is attacked; its decider says whether it stands, avoids, or goes inside."""

    power: Power
    attacker: Power
    space: Space
    came: Space
    count: int
    leader: Leader = NONE
    intercepted: bool = False
    tried: bool = False
    answered: bool = False
    flank: Power = NONE
    flank_space: Space = NONE
    flank_count: int = 0


class Retreating(Frame, frozen=True, gc=False):
    """A beaten army must retreat to one of the nearest legal spaces."""

    power: Power
    winner: Power
    space: Space
    came: Space
    attacker: bool
    lost: int
    done: bool = False


class Spoils(Frame, frozen=True, gc=False):
    """After a battle: the winner places or removes so many points of support."""

    winner: Power
    loser: Power
    points: int


class Campaign(Frame, frozen=True, gc=False):
    """A Campaign card: two armies, which may meet one foe."""

    seat: Seat
    left: int
    flank: Power = NONE
    flank_space: Space = NONE
    flank_count: int = 0
    flank_battle: Space = NONE
    used: int = 0


class AskConsent(Frame, frozen=True, gc=False):
    """An ally is asked to let one of his armies be activated."""

    asking: Power
    ally: Power
    start: Space
    to: Space
    count: int
    battle: Space
    answer: str = ""


class NPPAction(Frame, frozen=True, gc=False):
    """An activated non-player power acts: minor leaders may come out besides its one action.

    `power` is the one in whose name the event was played, `card` the card it was on.
    """

    npp: Power
    seat: Seat
    begun: bool = False
    power: Power = NONE
    card: Card = NONE


class Renewal(Frame, frozen=True, gc=False):
    """End or renew alliances: pairs still to be settled, the players who take part, and what was agreed so far.

    `agreed` holds (power, ally) of each who has agreed while the other has not decided yet; `first` is the player whom
    the winner of a tie had decide first.
    """

    pairs: tuple[tuple[Power, Power], ...]
    seats: tuple[Seat, ...] = ()
    agreed: tuple[tuple[Power, Power], ...] = ()
    first: Seat = NONE


class Surrendering(Frame, frozen=True, gc=False):
    """Surrender Phase: powers still to choose."""

    powers: tuple[Power, ...]


class Reinforcing(Frame, frozen=True, gc=False):
    """Reinforcement Phase: powers still to place CU, and how many the first of them has left."""

    powers: tuple[Power, ...]
    left: int = -1


class Hindering(Frame, frozen=True, gc=False):
    """Five players: Carthage may try to hinder a naval movement."""

    power: Power
    leader: Leader
    count: int
    start: Space
    to: Space
    card: Card
    answered: bool = False


class Supporting(Frame, frozen=True, gc=False):
    """A card was played for its value: so many points of support may still be placed, with `npp` by that power only."""

    seat: Seat
    left: int
    npp: Power = NONE


FRAMES = tuple(
    value
    for value in list(globals().values())
    if isinstance(value, type) and issubclass(value, Frame) and value not in (Frame, SealedFrame)
)
