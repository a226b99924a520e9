"""The steps that can be under way. Each is plain data; its chapter says how it goes."""

from __future__ import annotations

from typing import Annotated

from foedus.games.sword_of_rome.state import Card, Leader, Leaders, Space
from foedus.kernel.flow import SealedFrame
from foedus.kernel.unknown import NONE
from foedus.kernel.values import Command, Frame, Power, Seat, mask_of


class TurnFrame(Frame, frozen=True, gc=False):
    """The game turn at the bottom of all: which seats are still to be active this round."""

    waiting: tuple[Seat, ...] = ()
    begun: bool = False
    asked: bool = False
    """Desperate Times were asked for before the next activation (facts 7.14)"""


class Activation(Frame, frozen=True, gc=False):
    """A player is active; `played` says that his one card is spent."""

    seat: Seat
    played: bool = False
    hired: bool = False
    only: Card = NONE
    """Desperate Times: the one card that may be played, and nothing else"""
    desperate: str = ""


class Drawing(Frame, frozen=True, gc=False):
    """Draw Phase: seats still to draw. The first says which unplayed cards it keeps, unless that is `settled`."""

    seats: tuple[Seat, ...]
    settled: bool = False


class Aiming(Frame, frozen=True, gc=False):
    """An event was played: so many times its effect may still be put somewhere."""

    seat: Seat
    effect: str
    card: Card
    left: int


class Responding(Frame, frozen=True, gc=False):
    """What was just played or begun (`trigger`) may be answered by a response event, by each seat in turn.

    `command` is what was done; it goes on, or fails if a card was played `by` a seat.
    """

    trigger: str
    seat: Seat
    waiting: tuple[Seat, ...]
    command: Command
    by: Seat = NONE


class DesperateWindow(SealedFrame, frozen=True, gc=False):
    """Before `seat` becomes active: players who have Desperate Times left say whether they use one. Sealed."""

    seat: Seat = NONE


class LastDesperate(Frame, frozen=True, gc=False):
    """After the last round: seats, in order, that may still use one of their Desperate Times."""

    seats: tuple[Seat, ...]


class DesperateUse(Frame, frozen=True, gc=False):
    """A player uses Desperate Times and says for what."""

    seat: Seat


class Swapping(Frame, frozen=True, gc=False):
    """Desperate Times: a player lays down cards to draw as many."""

    seat: Seat
    count: int = 0
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
    card: Card = NONE
    asked: bool = False
    company: Leaders = 0
    """subordinate leaders who go along"""
    shifted: bool = False
    """CU were taken up or left in this space"""
    turned: Leaders = 0
    """leaders who were taken along or left in this space"""
    spent: int = 0
    """movement points used by those of its CU that have come farthest in this campaign (facts 9.5)"""
    road: bool = False
    """the last step was along the Appian Way"""
    failed: Leaders = 0
    """leaders who have failed to intercept this army (facts 10.5)"""
    avoided: bool = False
    """an enemy has avoided battle: to go on takes a roll (facts 11.4)"""
    flanking: Space = NONE
    """the battle that this army goes beside as a flanking force (facts 9.6)"""
    on_behalf: Power = NONE
    """the power whose campaign that is"""
    dropped: tuple[tuple[Space, int, int], ...] = ()
    """CU left on the way: where, how many, and the movement points they have used"""
    founded: bool = False
    """it has founded a colony instead of moving"""
    gates: bool = False
    """the owner of the city in the space entered was asked who comes out"""


class Gates(Frame, frozen=True, gc=False):
    """An enemy army has come before a city: who of those inside comes out, who of those outside goes in (facts 9.3)?"""

    power: Power
    target: Power
    space: Space
    answered: bool = False
    barred: bool = False
    """a response has barred the way into the city (facts 21)"""


class Interceptions(SealedFrame, frozen=True, gc=False):
    """An army has entered a space; powers beside it may intercept. Answers stay sealed."""

    target: Power = NONE
    space: Space = NONE
    came: Space = NONE
    count: int = 0


class Intercepting(Frame, frozen=True, gc=False):
    """Armies were declared to intercept: (power, from where, leader, CU). One power tries, with all of its own.

    `trying` is the power whose turn it is, `ready` says that it has declared all its armies.
    """

    target: Power
    space: Space
    came: Space
    count: int
    declared: tuple[tuple[Power, Space, Leader, int], ...]
    trying: Power = NONE
    ready: bool = False


class Challenged(Frame, frozen=True, gc=False):
    """An army was intercepted: it refuses battle or attacks; if it refuses, the interceptor may let it go.

    `stage`: 0 the intercepted army decides, 1 the interceptor, 2 all is said.
    """

    power: Power
    interceptor: Power
    space: Space
    came: Space
    stage: int = 0
    agreed: bool = False


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
    away: Space = NONE
    """where the army would go by avoiding battle, while the attacker is asked whether he agrees"""
    by_sea: bool = False
    settled: bool = False
    sortie: bool = False
    carded: bool = False
    cards: tuple[tuple[Seat, Card], ...] = ()
    """the cards played in this battle, each with the seat that played it"""
    ferried: bool = False


class BattleCards(Frame, frozen=True, gc=False):
    """Before a battle is rolled for: the players of its two sides may play cards that bear on it, each in turn."""

    waiting: tuple[Seat, ...]
    attacker: Power
    defender: Power
    space: Space
    cards: tuple[tuple[Seat, Card], ...] = ()


class Bribing(Frame, frozen=True, gc=False):
    """The Etruscan/Samnite player may bribe the enemy of his army before it comes to battle.

    `passing`: his own army moves and would pass; else the enemy's would go back.
    """

    power: Power
    target: Power
    space: Space
    passing: bool
    answered: bool = False
    paid: bool = False


class Falling(Frame, frozen=True, gc=False):
    """A besieged city falls to Gauls, who may loot it instead of keeping it."""

    power: Power
    space: Space
    answered: bool = False


class Retreating(Frame, frozen=True, gc=False):
    """A beaten army must retreat to one of the nearest legal spaces.

    `lost` counts the CU it loses by that; `sea` says that it had just landed, `sortie` that it came out of the city.
    """

    power: Power
    winner: Power
    space: Space
    came: Space
    attacker: bool
    lost: int
    done: bool = False
    sea: bool = False
    sortie: bool = False
    ferried: bool = False
    turned_back: bool = False
    """it has fled by sea and was turned back (ruling `sea_roll_in_flight`)"""


class Spoils(Frame, frozen=True, gc=False):
    """After a battle: the winner places or removes so many points of support.

    `settled` once the retreats are over and `lost`, the CU that the losers lost, has become points. `other` is a
    second loser, an ally's flanking force; `ally` one on the winner's side. `held` and `ally_held` are the spaces that
    winner and ally held when the battle began. `overrun`: an automatic victory of the mover, who goes on.
    """

    winner: Power
    loser: Power
    points: int
    lost: int = 0
    settled: bool = True
    space: Space = NONE
    other: Power = NONE
    ally: Power = NONE
    held: Annotated[int, mask_of("space")] = 0
    ally_held: Annotated[int, mask_of("space")] = 0
    overrun: bool = False
    barren: bool = False
    """a card has it that this battle brings no support"""


class Campaign(Frame, frozen=True, gc=False):
    """A Campaign card: two armies, which may meet one foe."""

    seat: Seat
    left: int
    flank: Power = NONE
    flank_space: Space = NONE
    flank_count: int = 0
    flank_battle: Space = NONE
    used: int = 0
    struck: int = 0
    trail: tuple[tuple[Space, int, int], ...] = ()
    """where CU of the first army stand, how many, and the movement points they have used (facts 9.5)"""
    card: Card = NONE


class Mustering(Frame, frozen=True, gc=False):
    """A leader is activated; with how many CU he sets out is still to be said."""

    power: Power
    leader: Leader
    space: Space
    card: Card
    answered: bool = False


class FlankSize(Frame, frozen=True, gc=False):
    """How many CU go with the flanking force is still to be said."""

    power: Power
    ally: Power
    start: Space
    to: Space
    battle: Space
    answered: bool = False


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


class NamingFirst(Frame, frozen=True, gc=False):
    """First Player Phase: who names the first player, once a tie is settled."""

    chooser: Seat = NONE
    done: bool = False


class OrderingTied(Frame, frozen=True, gc=False):
    """Tied players act in a phase that ends the turn: the winner of the tie sets their order."""

    tied: tuple[Seat, ...]
    chosen: tuple[Seat, ...] = ()


class KeepingLeaders(Frame, frozen=True, gc=False):
    """The Greeks say of each named leader whether they keep him; `left` points of loyalty are still to be paid."""

    power: Power
    leaders: tuple[Leader, ...]
    left: int = 0


class Hindering(Frame, frozen=True, gc=False):
    """Five players: Carthage may try to hinder a naval movement."""

    power: Power
    leader: Leader
    count: int
    start: Space
    to: Space
    card: Card
    answered: bool = False


class AtSea(Frame, frozen=True, gc=False):
    """A fleet has put to sea; `roll` says that it must fight its way, `worse` what is added to the die.

    `stopped` by a storm; `home`: a leader and his CU who are shipped home after a lost battle, not a march.
    """

    power: Power
    leader: Leader
    count: int
    start: Space
    to: Space
    card: Card = NONE
    roll: bool = False
    worse: int = 0
    stopped: bool = False
    home: bool = False
    asked: bool = False
    carried: bool = False


class Carrying(Frame, frozen=True, gc=False):
    """Five players: Carthage is asked to carry an ally's army."""

    power: Power
    to: Space
    answered: bool = False


class ComingHome(Frame, frozen=True, gc=False):
    """The Greek expedition that took Carthago chooses where to go home to."""

    count: int
    leaders: tuple[Leader, ...] = ()


class Hiring(Frame, frozen=True, gc=False):
    """So many hired mercenaries of Carthage must still be placed."""

    left: int


class Dismissing(Frame, frozen=True, gc=False):
    """So many mercenaries of Carthage must still leave before its reinforcements come."""

    left: int


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
