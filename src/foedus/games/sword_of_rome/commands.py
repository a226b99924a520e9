"""The commands of The Sword of Rome, and the acts that they entail. What each means stands with its chapter."""

from __future__ import annotations

from typing import Annotated

from foedus.games.sword_of_rome.state import Card, Leader, Space
from foedus.kernel.standing import ClearStanding as ClearStanding
from foedus.kernel.standing import SetStanding as SetStanding
from foedus.kernel.unknown import NONE
from foedus.kernel.values import Act, Command, Power, Seat, kind_of

Actor = Annotated[int, kind_of("actor")]
"""A power that stands for its player; `ES` may be typed for the Etruscans."""

# alliances (15)


class ProposeAlliance(Command, frozen=True, gc=False):
    """Offer an alliance to another power."""

    to: Power


class AcceptAlliance(Command, frozen=True, gc=False):
    """Accept the alliance that was offered."""

    by: Power


class DeclineAlliance(Command, frozen=True, gc=False):
    """Decline it."""

    by: Power


class WithdrawOffer(Command, frozen=True, gc=False):
    """Take back an offer that was not answered yet."""

    to: Power


class BreakAlliance(Command, frozen=True, gc=False):
    """Break an alliance; `paying` names the places of the support points at once, else they are asked one by one."""

    ally: Power
    paying: tuple[Space, ...] = ()


class PayPoint(Command, frozen=True, gc=False):
    """Remove one point of one's own support, the price of a broken alliance."""

    space: Space


class RenewAlliance(Command, frozen=True, gc=False):
    """Agree to stay allied in the next turn."""

    ally: Power


class LetLapse(Command, frozen=True, gc=False):
    """Let the alliance end with the turn."""

    ally: Power


class Talk(Command, frozen=True, gc=False):
    """Talk about an alliance: openly, or away from the table."""

    to: Power
    secret: int = 0


class MakePromise(Command, frozen=True, gc=False):
    """Give one's word."""

    to: Power
    text: str


class BreakPromise(Command, frozen=True, gc=False):
    """Act against one's word."""

    to: Power
    text: str


class Give(Command, frozen=True, gc=False):
    """Hand something over to another power: units, leader, loyalty, tribe_marker, control_marker, card."""

    to: Power
    what: str
    space: Space = NONE
    leader: Leader = NONE
    count: int = 1


# support and control (7.3)


class PlaceSupport(Command, frozen=True, gc=False):
    """Place one point of support in a space; `on_behalf` of another power if one tries that."""

    space: Space
    on_behalf: Power = NONE
    by: str = "card"


class RemoveMarker(Command, frozen=True, gc=False):
    """Remove another power's control marker from a space; `by` card, battle or event."""

    space: Space
    by: str = "card"


class RemoveSupport(Command, frozen=True, gc=False):
    """Take a point of loyalty from another power's city; `by` card (by whatever means), battle or event."""

    space: Space
    by: str = "card"


class RemoveUnits(Command, frozen=True, gc=False):
    """Remove another power's CU from a space."""

    owner: Power
    space: Space
    by: str = "event"


class TakeControl(Command, frozen=True, gc=False):
    """Take control of a space for oneself, by whatever means."""

    space: Space


# fighting


class Attack(Command, frozen=True, gc=False):
    """Fight a battle with a power's army, in a space or anywhere."""

    target: Power
    space: Space = NONE


class Intercept(Command, frozen=True, gc=False):
    """Intercept a power's army that enters `space`, from the space `start` beside it."""

    target: Power
    space: Space
    start: Space = NONE
    leader: Leader = NONE
    count: int = 0
    """the CU that go, under `leader`: none named means the commander, 0 all that may go"""


class OrderInterception(Command, frozen=True, gc=False):
    """Winner of a tie by 4.4: say which of the powers that would intercept tries first."""

    first: Power


class RefuseBattle(Command, frozen=True, gc=False):
    """Refuse the battle after having been intercepted, and go back."""


class AcceptBattle(Command, frozen=True, gc=False):
    """Attack the army that has intercepted."""


class LetGo(Command, frozen=True, gc=False):
    """Agree that an enemy who avoids or refuses battle gets away."""


class HoldFast(Command, frozen=True, gc=False):
    """Do not agree: the die decides whether he gets away."""


class Pursue(Command, frozen=True, gc=False):
    """Roll to go on moving after the enemy has avoided battle."""


class AvoidBySea(Command, frozen=True, gc=False):
    """Slip away from an attack by sea, from the port `start` to a friendly one."""

    start: Space
    to: Space
    card: Card = NONE


class StayPut(Command, frozen=True, gc=False):
    """Do not intercept, or stand and fight."""


class AvoidBattle(Command, frozen=True, gc=False):
    """Slip away from an attack, from `start` to a space beside it."""

    start: Space
    to: Space


class GoInside(Command, frozen=True, gc=False):
    """Put CU inside the city where they stand."""

    space: Space
    count: int = 1


class ComeOut(Command, frozen=True, gc=False):
    """An enemy army arrives: bring CU out of the city where they stand."""

    space: Space
    count: int = 1


class Retreat(Command, frozen=True, gc=False):
    """Retreat from a lost battle; by `sea` from port to port, with a card where one is needed.

    `path`: the spaces entered, where another way than the cheapest is taken, with other CU met on it.
    """

    start: Space
    to: Space
    sea: int = 0
    card: Card = NONE
    path: tuple[Space, ...] = ()


class Sortie(Command, frozen=True, gc=False):
    """Break out of a besieged city with a leader and CU inside it, by a card."""

    leader: Leader
    space: Space
    count: int
    card: Card = NONE


class Bribe(Command, frozen=True, gc=False):
    """Give up a card of value 3 for good: an enemy army goes back, or lets an Etruscan army pass."""

    card: Card


class NoBribe(Command, frozen=True, gc=False):
    """Let it come to battle without a bribe."""


class PlayInBattle(Command, frozen=True, gc=False):
    """Play a card that bears on the battle that is about to be rolled for."""

    card: Card


class NoBattleCard(Command, frozen=True, gc=False):
    """Play no more cards in this battle."""


class FoundColony(Command, frozen=True, gc=False):
    """Give up a CU of a Roman army to make the space where it stands a walled city."""

    space: Space


class Raid(Command, frozen=True, gc=False):
    """Raid another power's control marker where the army stands."""

    space: Space


class Loot(Command, frozen=True, gc=False):
    """Loot the city that has fallen instead of keeping it."""

    space: Space


class Keep(Command, frozen=True, gc=False):
    """Keep the city that has fallen."""

    space: Space


class TakePlunder(Command, frozen=True, gc=False):
    """Take a plunder marker for a point of support won in battle."""


class GiveUpPlunder(Command, frozen=True, gc=False):
    """Give up a plunder marker to remove an enemy control marker in one's own home."""

    space: Space


class Besiege(Command, frozen=True, gc=False):
    """Besiege a city: lay the siege, or roll for it with an army that stands before it."""

    space: Space


class Subjugate(Command, frozen=True, gc=False):
    """Subjugate a tribe."""

    space: Space


class Liberate(Command, frozen=True, gc=False):
    """Free a city from its conqueror by siege."""

    space: Space


class Hinder(Command, frozen=True, gc=False):
    """Five players: try to hinder a power's naval movement."""

    target: Power
    card: Card = NONE


class JoinForces(Command, frozen=True, gc=False):
    """Put one's troops into one stack with another power's."""

    ally: Power
    space: Space = NONE


# movement (9)


class EndMovement(Command, frozen=True, gc=False):
    """End a movement in a space."""

    space: Space


class PassThrough(Command, frozen=True, gc=False):
    """Move through a space without stopping."""

    space: Space


class Activate(Command, frozen=True, gc=False):
    """Activate a leader with CU in a space, by a card; a `count` of 0 leaves it to the next step how many."""

    leader: Leader
    space: Space
    count: int
    card: Card = NONE


class Step(Command, frozen=True, gc=False):
    """Go on with the army under way to a space beside it."""

    to: Space


class Halt(Command, frozen=True, gc=False):
    """End the movement here."""


class PickUp(Command, frozen=True, gc=False):
    """On the way: take up CU that stand in the space."""

    count: int


class Drop(Command, frozen=True, gc=False):
    """On the way: leave CU in the space."""

    count: int


class TakeLeader(Command, frozen=True, gc=False):
    """Take a leader who stands in the space along as a subordinate."""

    leader: Leader


class LeaveLeader(Command, frozen=True, gc=False):
    """Leave a subordinate leader in the space."""

    leader: Leader


class March(Command, frozen=True, gc=False):
    """Activate a leader and go the whole way, ending at the last space."""

    leader: Leader
    count: int
    start: Space
    path: tuple[Space, ...]
    card: Card = NONE


class Sail(Command, frozen=True, gc=False):
    """Move a leader with CU by sea from port to port."""

    leader: Leader
    count: int
    start: Space
    to: Space
    card: Card = NONE


class SailOn(Command, frozen=True, gc=False):
    """Go on by sea with the army under way, from the port where it stands to another."""

    to: Space


class AskPassage(Command, frozen=True, gc=False):
    """Five players: ask Carthage, an ally, to carry the army under way to a port."""

    to: Space


class Carry(Command, frozen=True, gc=False):
    """Five players: Carthage plays a card to carry the army of an ally that has asked for it."""

    target: Power
    card: Card = NONE


class GoHome(Command, frozen=True, gc=False):
    """The Greek expedition that took Carthago goes home to one of its reinforcement spaces."""

    space: Space


class Hire(Command, frozen=True, gc=False):
    """Five players: Carthage plays a card, besides its one card play, to hire mercenaries.

    With `space` all of them come there; else they are placed one by one.
    """

    space: Space = NONE
    card: Card = NONE


class PlaceHired(Command, frozen=True, gc=False):
    """Five players: one of the mercenaries that Carthage has hired comes to a space."""

    space: Space


class Dismiss(Command, frozen=True, gc=False):
    """Five players: one mercenary CU of Carthage leaves, as half of them do before reinforcements."""

    space: Space


class RaiseUnrest(Command, frozen=True, gc=False):
    """Five players: play an activation card to raise the unrest in Carthage's lands."""

    power: Actor
    card: Card = NONE


class SpendOnUnrest(Command, frozen=True, gc=False):
    """Five players: a point won in battle goes on the unrest: Carthage lowers it, its enemy raises it."""


class AttackUnrest(Command, frozen=True, gc=False):
    """Five players: the army of Carthage in the Garrison box attacks the unrest."""


class Flank(Command, frozen=True, gc=False):
    """Campaign card: bring a second army, one's own or an ally's, beside the battle as a flanking force.

    A `count` of 0 leaves it to the next step how many CU go.
    """

    ally: Power
    start: Space
    to: Space
    count: int
    battle: Space


class SendUnits(Command, frozen=True, gc=False):
    """Say with how many CU the activated leader, or the flanking force, sets out."""

    count: int


class Consent(Command, frozen=True, gc=False):
    """Let one's army be activated by an ally's Campaign card."""

    ally: Power


class RefuseConsent(Command, frozen=True, gc=False):
    """Keep one's army out of it."""

    ally: Power


# cards and non-player powers (6, 16)


class ActivateNPP(Command, frozen=True, gc=False):
    """Play a Neutral Power Activation event: `action` is support, units or leader, for the power `npp`.

    `also` and `second` ask for a second power or action with the same event, which no one may have.
    """

    power: Actor
    npp: Power
    action: str = "leader"
    space: Space = NONE
    leader: Leader = NONE
    count: int = 1
    card: Card = NONE
    also: Power = NONE
    second: str = ""


class PlaceMinor(Command, frozen=True, gc=False):
    """Bring out or move a minor leader of the activated non-player power (or of one's own) to its CU."""

    leader: Leader
    space: Space


class PlayEvent(Command, frozen=True, gc=False):
    """Play a card as an event with an effect on another power: harm, help, remove_units, remove_support, remove_marker,
    besiege or loyalty."""

    power: Actor
    effect: str
    target: Power
    space: Space = NONE
    card: Card = NONE


class PlayValue(Command, frozen=True, gc=False):
    """Play a card for its value: support or units."""

    power: Actor
    card: Card
    action: str
    space: Space = NONE


class BeginEvent(Command, frozen=True, gc=False):
    """Play a card as an event; whom and where it hits is said next."""

    power: Actor
    card: Card


class Respond(Command, frozen=True, gc=False):
    """Answer what was just played or begun with a response event."""

    power: Actor
    card: Card


class NoResponse(Command, frozen=True, gc=False):
    """Play no response."""

    power: Actor


class Discard(Command, frozen=True, gc=False):
    """Lay an unplayed card on one's discards."""

    power: Actor
    card: Card


class KeepCards(Command, frozen=True, gc=False):
    """Keep the cards that are left in hand."""

    power: Actor


class UseDesperate(Command, frozen=True, gc=False):
    """Use one of one's Desperate Times."""

    power: Actor


class KeepDesperate(Command, frozen=True, gc=False):
    """Keep one's Desperate Times: now, or (`turn`) for all of this turn."""

    power: Actor
    turn: int = 0


class DesperateFor(Command, frozen=True, gc=False):
    """Say what Desperate Times are used for: value (to act as by a card of value 3), swap (cards), event (`card`)."""

    power: Actor
    what: str
    card: Card = NONE


class Pass(Command, frozen=True, gc=False):
    """End one's activation."""

    power: Actor


class NameDecider(Command, frozen=True, gc=False):
    """Winner of a tie by 4.4: name the player who decides for a non-player power."""

    power: Actor
    npp: Power
    seat: Seat


class NameChooser(Command, frozen=True, gc=False):
    """Winner of a tie by 4.4: say which of the players with the fewest VP names the first player."""

    power: Actor
    seat: Seat


class NameFirst(Command, frozen=True, gc=False):
    """Fewest VP: name the player who is active first in every round of the turn."""

    power: Actor
    seat: Seat


class GoNext(Command, frozen=True, gc=False):
    """Winner of a tie by 4.4: say who of the tied players goes next in a phase that ends the turn."""

    power: Actor
    seat: Seat


class KeepLeader(Command, frozen=True, gc=False):
    """Greeks, Reinforcement Phase: keep a named leader, at the price of loyalty."""

    leader: Leader


class DismissLeader(Command, frozen=True, gc=False):
    """Greeks, Reinforcement Phase: let a named leader go for good."""

    leader: Leader


class PayLoyalty(Command, frozen=True, gc=False):
    """Greeks, Reinforcement Phase: take a point of loyalty from a city of one's own, the price of a leader."""

    space: Space


class GoFirst(Command, frozen=True, gc=False):
    """Winner of a tie by 4.4: say who decides first on an alliance."""

    power: Actor
    first: Power


class PlaceUnits(Command, frozen=True, gc=False):
    """Place a reinforcement CU of a power in a space."""

    space: Space


class ReturnLeader(Command, frozen=True, gc=False):
    """Reinforcement Phase: bring a displaced leader back to CU of his power."""

    leader: Leader
    space: Space


class Surrender(Command, frozen=True, gc=False):
    """Surrender Phase: put one's control marker in an enemy space that holds one's CU."""

    space: Space


class Done(Command, frozen=True, gc=False):
    """No more of what is asked now."""


# acts that no command says alone


class EnterSpace(Act, frozen=True, gc=False):
    """An army on its way enters a space, with movement points left once it is there."""

    space: int
    start: int
    count: int
    points: int


class EndElsewhere(Act, frozen=True, gc=False):
    """A retreat, an avoided battle, an interception or a placement ends in a space."""

    space: int
    how: str


class SetOut(Act, frozen=True, gc=False):
    """An army is activated by a card and stands ready to march."""

    leader: int
    space: int
    count: int
    card: int


class LeaveSpace(Act, frozen=True, gc=False):
    """An army of so many CU, with its leader and those who go along, leaves a space."""

    leader: int
    space: int
    count: int
    company: int = 0


class UseLeader(Act, frozen=True, gc=False):
    """A leader takes an army of CU out of a space."""

    leader: int
    space: int
    count: int


class PlayCard(Act, frozen=True, gc=False):
    """A card is played from the hand of the power's player; `needs` is the effect it must have ("" for its value)."""

    card: int
    needs: str = ""
    answer: bool = False
    """for a bribe, ships or mercenaries, where Desperate Times serve as well (facts 7.14)"""


class SailAct(Act, frozen=True, gc=False):
    """An army sails from port to port, by a card."""

    start: int
    to: int
    count: int
    card: int = NONE
    leader: int = NONE
    carrier: int = NONE


class Land(Act, frozen=True, gc=False):
    """An army comes ashore at a port, with movement points left once it is there."""

    space: int
    points: int
