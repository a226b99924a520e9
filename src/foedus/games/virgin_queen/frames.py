"""The steps that can be under way. Each is plain data; its chapter says how it goes."""

from __future__ import annotations

from foedus.games.virgin_queen.state import Card, Fleet, Force, Leader, Naval, Place, Space
from foedus.kernel.flow import SealedFrame
from foedus.kernel.unknown import NONE
from foedus.kernel.values import Command, Frame, Power, Powers, Seat


class TurnFrame(Frame, frozen=True, gc=False):
    """The game turn at the bottom of all; `begun`: the phase has been set going."""

    begun: bool = False


# the Diplomacy Phase


class Negotiating(Frame, frozen=True, gc=False):
    """Segment 1: everybody may draft, offer, amend, sign and decline, until all have done."""


class PlacingLoan(Frame, frozen=True, gc=False):
    """Several ports of the receiver are equally near: he says where the borrowed units go; likewise on their return.

    `power` is asked; `owner` the units' own power; `home`: they are on the way back (loan.M2).
    """

    power: Power
    owner: Power
    fleet: Naval
    count: int
    port: Place
    ports: tuple[Space, ...]
    leader: Leader = NONE
    home: bool = False
    holder: Power = NONE
    """to whom they are lent"""
    by_die: bool = False
    """a die decides, and nobody is asked"""


class Ransoming(Frame, frozen=True, gc=False):
    """Segment 2: the powers, in order, that may still ransom leaders."""

    waiting: tuple[Power, ...]


class AskingCaptor(Frame, frozen=True, gc=False):
    """Ruling `captor_consent`: the captor is asked whether he gives the leader back for a card."""

    power: Power
    captor: Power
    leader: Leader
    space: Space
    answered: bool = False
    agreed: bool = False


class Declaring(Frame, frozen=True, gc=False):
    """Segment 3: the powers, in Impulse Order, that may still declare war; the first does so now."""

    waiting: tuple[Power, ...]


class PayingWar(Frame, frozen=True, gc=False):
    """The price of a declaration of war is being paid: so many command points are left to pay."""

    power: Power
    target: Power
    left: int


# spring and action


class Deploying(Frame, frozen=True, gc=False):
    """Spring Deployment: the powers, in Impulse Order, still to deploy."""

    waiting: tuple[Power, ...]


class Acting(Frame, frozen=True, gc=False):
    """The Action Phase: whose impulse it is, in Impulse Order."""

    power: Power
    played: bool = False


class Spending(Frame, frozen=True, gc=False):
    """A power spends the command points of a card."""

    power: Power
    left: int
    treasure: bool = False
    """a treasure was spent in this impulse"""


class Responding(Frame, frozen=True, gc=False):
    """What was just begun may be spoiled by a response card; everybody who by public knowledge may hold one is asked.

    `command` is what `power` has begun; `waiting` are the powers still to be asked, `by` the one that responded.
    """

    power: Power
    command: Command
    waiting: tuple[Power, ...]
    by: Power = NONE


class Losing(Frame, frozen=True, gc=False):
    """A side takes losses on land, kind by kind, in a space: `left` of them still, out of `forces`.

    `power` is whose player decides; `forces` are the units of his side that can be lost.
    """

    power: Power
    space: Space
    left: int
    forces: tuple[Force, ...] = ()
    attacking: bool = False
    """they are the attacking formation of the battle below"""


# land


class Moving(Frame, frozen=True, gc=False):
    """A formation is on its way into a space.

    `stage`: 0 others may respond, 1 interceptions, 2 it is put there, 3 whoever stands there avoids battle, 4 or
    withdraws inside, 5 battle, 6 afterwards.
    """

    power: Power
    start: Space
    to: Space
    regulars: int
    mercenaries: int
    cavalry: int
    leaders: tuple[Leader, ...]
    stage: int = 0
    intercepted: bool = False
    asked: Powers = 0
    """the powers in the space that have said whether they avoid battle"""
    spoiled: bool = False
    """a response card has stopped it"""
    beaten: bool = False
    """it has lost its battle"""


class GoingOn(Frame, frozen=True, gc=False):
    """A formation has come where it neither fights nor besieges, with enemies inside: it goes on, or falls back."""

    power: Power
    space: Space
    came: Space
    regulars: int
    mercenaries: int
    cavalry: int
    leaders: tuple[Leader, ...]


class Telling(Frame, frozen=True, gc=False):
    """By a ruling the table tells what came about outside: a number from 0 to `most` of what `what` names."""

    power: Power
    what: str
    most: int
    clause: str
    space: Space = NONE
    leader: Leader = NONE
    by: Power = NONE
    """about whom it is told"""


class Interceptions(SealedFrame, frozen=True, gc=False):
    """A formation is about to enter a space; enemies beside it may intercept. Answers stay sealed."""

    power: Power = NONE
    start: Space = NONE
    space: Space = NONE


class Intercepting(Frame, frozen=True, gc=False):
    """Interceptions of the formation of `power` that were declared, one after another until one succeeds."""

    power: Power
    start: Space
    space: Space
    tries: tuple[Command, ...]
    told: tuple[int, ...] = ()


class Attacked(Frame, frozen=True, gc=False):
    """A formation has come into a space where units of `power` stand: it avoids battle or stands.

    With `inside` it is asked, for all who defend there, whether they withdraw into the fortification.
    """

    power: Power
    attacker: Power
    space: Space
    came: Space
    answered: bool = False
    inside: bool = False
    to: Space = NONE
    """where it tries to go"""
    how: str = "all"
    told: tuple[int, ...] = ()


class Battle(Frame, frozen=True, gc=False):
    """A field battle.

    `stage`: 0 to be rolled, 1 losses being taken, 2 the beaten may withdraw inside, 3 or retreat, 4 the leaders that
    are left, 5 over.
    `defenders` (mask) are the powers of the one defending formation. The attacking formation is told by its units and
    leaders, since others of its power may stand inside. `losses` are those still to be taken: (whose player decides,
    how many).
    """

    attacker: Power
    defenders: Powers
    space: Space
    came: Space
    regulars: int
    mercenaries: int
    cavalry: int
    leaders: tuple[Leader, ...]
    stage: int = 0
    attacker_wins: bool = False
    losses: tuple[tuple[Power, int], ...] = ()
    inside: bool = False
    """the beaten have withdrawn inside"""
    refuge: Space = NONE
    """where some of the beaten have gone"""
    gone: Powers = 0
    """the defenders that have retreated, or could not"""
    told: tuple[int, ...] = ()


class Assaulting(Frame, frozen=True, gc=False):
    """An assault on a besieged space: `stage` 0 to be rolled, 1 losses being taken, 2 what follows, 3 the leaders.

    `defenders` (mask) are the powers that defend inside, `losses` as in a battle.
    """

    power: Power
    space: Space
    defenders: Powers = 0
    stage: int = 0
    hits_on_attacker: int = 0
    hits_on_defender: int = 0
    losses: tuple[tuple[Power, int], ...] = ()
    won: bool = False
    told: tuple[int, ...] = ()


class Retreating(Frame, frozen=True, gc=False):
    """Units of a power must leave a space after a battle; `ways` are the spaces they may go to.

    With `inside` its player may instead take all defenders into the fortification.
    """

    power: Power
    space: Space
    ways: tuple[Space, ...]
    regulars: int
    mercenaries: int
    cavalry: int
    leaders: tuple[Leader, ...]
    inside: bool = False


# sea


class Sailing(Frame, frozen=True, gc=False):
    """A naval move. `stage`: 0 units are being named, 1 all have moved and others may respond, 2 interceptions,
    3 battles.

    `moved`: (from, to, units) of this naval move, all at once; `led`: (leader, from, to). `arrived` are the sea zones
    where they may be intercepted, still to be settled; `tried`: (power, place) whose fleet has tried that; `trying`:
    (power, place, zone) of the interceptions declared now; `told`: by a ruling, whether the first of them succeeds.
    """

    power: Power
    moved: tuple[tuple[Place, Place, Fleet], ...] = ()
    led: tuple[tuple[Leader, Place, Place], ...] = ()
    arrived: tuple[Place, ...] = ()
    tried: tuple[tuple[Power, Place], ...] = ()
    trying: tuple[tuple[Power, Place, Place], ...] = ()
    told: tuple[int, ...] = ()
    stage: int = 0
    spoiled: bool = False


class SeaInterceptions(SealedFrame, frozen=True, gc=False):
    """Enemies beside a sea zone may intercept the fleet that has come there. Sealed."""

    power: Power = NONE
    zone: Place = NONE


class SeaBattle(Frame, frozen=True, gc=False):
    """A naval battle in a place. `stage`: 0 to be rolled, 1 losses being taken, 2 the retreat, 3 over.

    `back` are the sea zones whence the attacker came, for a battle in a port.
    """

    attacker: Power
    defender: Power
    place: Place
    back: tuple[Place, ...] = ()
    stage: int = 0
    hits_on_attacker: int = 0
    hits_on_defender: int = 0
    attacker_wins: bool = False
    told: tuple[int, ...] = ()
    """by a ruling, the hits of the attacker and of the defender as the table tells them"""


class WinterReturn(Frame, frozen=True, gc=False):
    """Winter: naval units that lie in no friendly port go to one; whose they are chooses between equals."""


class Drawing(Frame, frozen=True, gc=False):
    """Card Draw Phase: powers still to draw."""

    waiting: tuple[Power, ...]


class EventChoice(Frame, frozen=True, gc=False):
    """An event asks its power for something: what (`what`), so many times."""

    power: Power
    card: Card
    what: str
    left: int = 1
    seat: Seat = NONE


FRAMES = tuple(
    value
    for value in list(globals().values())
    if isinstance(value, type) and issubclass(value, Frame) and value not in (Frame, SealedFrame)
)
