"""The commands of Virgin Queen, and the acts that they entail. What each means stands with its chapter."""

from __future__ import annotations

from foedus.games.virgin_queen.state import Agreement, Card, Land, Leader, Naval, Place, Royal, Space
from foedus.kernel.unknown import NONE
from foedus.kernel.values import Act, Command, Power

# terms of agreements (segment 1); a term given as a command by itself offers an agreement of that one term


class Ally(Command, frozen=True, gc=False):
    """An alliance of two great powers for this turn."""

    to: Power


class MakePeace(Command, frozen=True, gc=False):
    """End the war between two powers."""

    to: Power


class ReturnLeader(Command, frozen=True, gc=False):
    """Give a captured leader back to his power; `space` names the home key space if the capital is not possible."""

    to: Power
    leader: Leader
    space: Space = NONE


class GiveCard(Command, frozen=True, gc=False):
    """Let another power draw cards at random from one's hand."""

    to: Power
    count: int = 1


class GiveMercenaries(Command, frozen=True, gc=False):
    """Hand over mercenaries that stand in a space (none named: wherever they stand).

    `goal` is where they are put, named where the receiver has a choice.
    """

    to: Power
    count: int = 1
    space: Space = NONE
    goal: Space = NONE


class Cede(Command, frozen=True, gc=False):
    """Hand over control of a space."""

    to: Power
    space: Space


class GiveTreasure(Command, frozen=True, gc=False):
    """Hand over treasures."""

    to: Power
    count: int = 1


class Betroth(Command, frozen=True, gc=False):
    """Engage a royal of one's own to one of another power."""

    to: Power
    royal: Royal
    partner: Royal


class Lend(Command, frozen=True, gc=False):
    """Lend naval units in a place, with a naval leader if named, to an ally.

    `fleet` is the kind of the units, `port` the place where they are; `goal` names a port where several are near.
    """

    to: Power
    count: int
    fleet: Naval
    port: Place
    leader: Leader = NONE
    goal: Space = NONE


class Promise(Command, frozen=True, gc=False):
    """Give one's word: binds nobody."""

    to: Power
    text: str


BINDING = (MakePeace, ReturnLeader, GiveCard, GiveMercenaries, Cede, GiveTreasure, Betroth, Ally, Lend)
TERMS = (*BINDING, Promise)

# agreements


class Draft(Command, frozen=True, gc=False):
    """Begin to draft an agreement with one or more powers, known to nobody else yet."""

    others: tuple[Power, ...]


class AddTerm(Command, frozen=True, gc=False):
    """Write a term into one's draft: what one party does for another."""

    term: Command


class DropTerm(Command, frozen=True, gc=False):
    """Strike a term out of one's draft, by its number from 1."""

    number: int


class OfferDraft(Command, frozen=True, gc=False):
    """Offer one's draft to its parties, and sign it."""


class Discard(Command, frozen=True, gc=False):
    """Throw one's draft away."""


class Amend(Command, frozen=True, gc=False):
    """Begin to draft another version of an agreement that was offered; that one stands until the new one is offered."""

    by: Power
    others: tuple[Power, ...]
    number: int = 1


class Sign(Command, frozen=True, gc=False):
    """Sign an agreement that was offered: the one that `by` drafted with `others`, by its number among these."""

    by: Power
    others: tuple[Power, ...]
    number: int = 1


class Decline(Command, frozen=True, gc=False):
    """Decline an agreement that was offered; it is gone."""

    by: Power
    others: tuple[Power, ...]
    number: int = 1


class Withdraw(Command, frozen=True, gc=False):
    """Take back an agreement that one has drafted or signed, as long as it is not signed by all."""

    by: Power
    others: tuple[Power, ...]
    number: int = 1


class DoneNegotiating(Command, frozen=True, gc=False):
    """Have no more to negotiate in this segment."""


class Talk(Command, frozen=True, gc=False):
    """Talk with another power: openly, or away from the table."""

    to: Power
    secret: int = 0


class MarkWord(Command, frozen=True, gc=False):
    """Note that a promise that was made to one was kept, or broken; it has no effect."""

    by: Power
    text: str
    kept: int = 1


class PlaceLoan(Command, frozen=True, gc=False):
    """Say to which of the nearest ports borrowed naval units go."""

    space: Space


class EndAlliance(Command, frozen=True, gc=False):
    """End an alliance before the turn does (ruling `end_alliance_early`)."""

    ally: Power


# ransom (segment 2)


class Ransom(Command, frozen=True, gc=False):
    """Get a captured army leader back for a card; `space` names the home key space if the capital is not possible."""

    leader: Leader
    space: Space = NONE


class Consent(Command, frozen=True, gc=False):
    """Agree to what another power asks."""

    to: Power


class RefuseConsent(Command, frozen=True, gc=False):
    """Do not agree to what another power asks."""

    to: Power


class DoneRansoming(Command, frozen=True, gc=False):
    """Ransom nobody more in this segment."""


# declarations of war (segment 3)


class DeclareWar(Command, frozen=True, gc=False):
    """Declare war on another power; the price is paid card by card."""

    to: Power


class PayCard(Command, frozen=True, gc=False):
    """Lay down a card towards the price of a declaration of war."""

    card: Card


class DoneDeclaring(Command, frozen=True, gc=False):
    """Declare no more wars in this segment."""


# spring deployment


class Deploy(Command, frozen=True, gc=False):
    """Spring Deployment: move a formation from one's capital along friendly spaces."""

    start: Space
    to: Space
    regulars: int = 0
    mercenaries: int = 0
    cavalry: int = 0
    leaders: tuple[Leader, ...] = ()


class StayHome(Command, frozen=True, gc=False):
    """Deploy nothing in spring."""


# the action phase


class PlayForPoints(Command, frozen=True, gc=False):
    """Play a card for its command points."""

    card: Card


class PlayEvent(Command, frozen=True, gc=False):
    """Play a card as an event, on a target power and in a space where it has them."""

    card: Card
    target: Power = NONE
    space: Space = NONE


class Pass(Command, frozen=True, gc=False):
    """Play no card in this impulse."""


class EndImpulse(Command, frozen=True, gc=False):
    """Spend no more command points."""


class Respond(Command, frozen=True, gc=False):
    """Play a response card."""

    card: Card


class NoResponse(Command, frozen=True, gc=False):
    """Play no response card."""


class SpendTreasure(Command, frozen=True, gc=False):
    """Spend a treasure for further command points."""


class Execute(Command, frozen=True, gc=False):
    """England executes Mary of Scots."""


class Spare(Command, frozen=True, gc=False):
    """England spares Mary of Scots."""


# land


class Move(Command, frozen=True, gc=False):
    """Move a formation to a space beside it."""

    start: Space
    to: Space
    regulars: int = 0
    mercenaries: int = 0
    cavalry: int = 0
    leaders: tuple[Leader, ...] = ()


class MoveOn(Command, frozen=True, gc=False):
    """Go on by the whole formation after a move that begins no siege, or fall back; `to` the space beside."""

    to: Space


class Intercept(Command, frozen=True, gc=False):
    """Try to intercept the formation that enters `space`, from `start` beside it."""

    start: Space
    space: Space
    regulars: int = 0
    mercenaries: int = 0
    cavalry: int = 0
    leaders: tuple[Leader, ...] = ()


class NoIntercept(Command, frozen=True, gc=False):
    """Do not intercept."""


class AvoidBattle(Command, frozen=True, gc=False):
    """Try to avoid battle, to a space beside; `how`: all, or only one's units or one's leaders (defend.2)."""

    to: Space
    how: str = "all"


class WithdrawInside(Command, frozen=True, gc=False):
    """Withdraw into the fortifications."""


class Stand(Command, frozen=True, gc=False):
    """Stay and fight."""


class Retreat(Command, frozen=True, gc=False):
    """Retreat after a battle."""

    to: Space


class Assault(Command, frozen=True, gc=False):
    """Assault a fortified space that one besieges."""

    space: Space


class Besiege(Command, frozen=True, gc=False):
    """Besiege a fortified space: what a move there comes to. For the desk."""

    space: Space


class Attack(Command, frozen=True, gc=False):
    """Fight a battle with a power's land units. For the desk; comes about by moves."""

    target: Power
    space: Space = NONE


class Enter(Command, frozen=True, gc=False):
    """Enter a space with land units. For the desk; comes about by moves and retreats."""

    space: Space


class TakeControl(Command, frozen=True, gc=False):
    """Take control of a space for command points."""

    space: Space


class Build(Command, frozen=True, gc=False):
    """Raise a land unit in a space."""

    unit: Land
    space: Space


class BuildShip(Command, frozen=True, gc=False):
    """Build a naval unit in a port."""

    fleet: Naval
    space: Space


class AddInfluence(Command, frozen=True, gc=False):
    """Spend a command point on influence with a minor power or an inactive great one."""

    to: Power


class JoinForces(Command, frozen=True, gc=False):
    """Do something by land together with another power: move, besiege, assault, intercept or avoid. For the desk."""

    ally: Power
    how: str


class Lose(Command, frozen=True, gc=False):
    """Take a loss as a unit of that kind."""

    unit: Land


class Tell(Command, frozen=True, gc=False):
    """Tell what came about outside, where a ruling leaves it to the table: hits, or 1 for a success and 0 for none."""

    count: int


# sea


class BeginSailing(Command, frozen=True, gc=False):
    """Begin a naval move with all fleets that are to move."""


class Sail(Command, frozen=True, gc=False):
    """Name naval units that move to a place beside theirs, in a naval move."""

    start: Place
    to: Place
    count: int
    fleet: Naval
    owner: Power = NONE
    """whose units they are by the marker, where lent ones lie with one's own"""
    leaders: tuple[Leader, ...] = ()


class EndSailing(Command, frozen=True, gc=False):
    """All naval units that move are named."""


class InterceptAtSea(Command, frozen=True, gc=False):
    """Try to intercept an enemy fleet in a sea zone, with the naval units in `start`."""

    start: Place
    zone: Place


class LetPass(Command, frozen=True, gc=False):
    """Do not intercept at sea."""


class RetreatAtSea(Command, frozen=True, gc=False):
    """Retreat after a naval battle."""

    to: Place


class Harbour(Command, frozen=True, gc=False):
    """Go with the naval units in a place to a port for the winter; the power is the one that they serve."""

    start: Place
    to: Space


class LoseShip(Command, frozen=True, gc=False):
    """Take a loss at sea as a naval unit of that kind and owner."""

    fleet: Naval
    owner: Power


# acts that are no command


class PutForward(Act, frozen=True, gc=False):
    """To offer an agreement to its parties."""

    agreement: Agreement


class Garrison(Act, frozen=True, gc=False):
    """To stand with land units in a space when a step ends."""

    space: Space
