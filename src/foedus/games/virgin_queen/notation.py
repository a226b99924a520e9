"""The notation of Virgin Queen: for each command the lines that say it, the first of them the one to write."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Any

from foedus.games.virgin_queen import commands as c
from foedus.games.virgin_queen.state import FLAGS, LAND_KINDS, NAVAL_KINDS, POWERS, SEATS, World
from foedus.kernel.notation import FreeNotation, Names

UNITS = {
    "squadrons": "squadron",
    "galleys": "galley",
    "corsairs": "corsair",
    "patrols": "patrol",
    "armada": "armada",
    "regulars": "regular",
    "mercenaries": "mercenary",
    "cavalry": "cavalry",
}
"""The key under which the words of a kind of units stand."""
_CASES = ("nom", "gen", "dat", "acc", "ins", "pre")
_NOUNS = ("alliance", "agreement", "card", "draft", "leader", "siege", "treasure", "war", "word")


def _formation(before: str, after: str) -> Iterable[str]:
    """The lines that name a formation: its units, kind by kind, and its leaders."""
    for size in range(len(LAND_KINDS) + 1):
        for kinds in combinations(LAND_KINDS, size):
            units = " ".join(f"{{{kind}}} {kind}" for kind in kinds)
            if units:
                yield f"{before} {units} {after}"
            yield f"{before} {units} {after} with {{leaders}}".replace("  ", " ")


def _agreement(before: str) -> tuple[Any, ...]:
    """The lines that name an agreement: who drafted it, with whom, and its number if it is not the first."""
    return (
        (f"{before} of {{by}} with {{others}}", {"number": 1}),
        f"{before} {{number}} of {{by}} with {{others}}",
    )


PATTERNS: dict[Any, Any] = {
    c.Ally: ("{power} allies with {to}", "{power} makes alliance with {to}"),
    c.MakePeace: ("{power} makes peace with {to}", "{power} ends war with {to}"),
    c.ReturnLeader: ("{power} returns {leader} to {to}", "{power} returns {leader} to {to} at {space}"),
    c.GiveCard: (
        ("{power} gives a card to {to}", {"count": 1}),
        ("{power} gives card to {to}", {"count": 1}),
        "{power} gives {count} cards to {to}",
        "{power} gives {count} card to {to}",
    ),
    c.GiveMercenaries: (
        "{power} gives {count} mercenaries to {to}",
        "{power} gives {count} mercenaries at {space} to {to}",
        "{power} gives {count} mercenaries to {to} at {goal}",
        "{power} gives {count} mercenaries at {space} to {to} at {goal}",
        "{power} gives {count} mercenary to {to}",
        "{power} gives {count} mercenary to {to} at {goal}",
    ),
    c.Cede: ("{power} cedes {space} to {to}",),
    c.GiveTreasure: (
        ("{power} gives a treasure to {to}", {"count": 1}),
        ("{power} gives treasure to {to}", {"count": 1}),
        "{power} gives {count} treasures to {to}",
        "{power} gives {count} treasure to {to}",
    ),
    c.Betroth: ("{power} betroths {royal} to {partner} of {to}",),
    c.Lend: (
        "{power} lends {count} {fleet} at {port} to {to}",
        "{power} lends {count} {fleet}, {leader} at {port} to {to}",
        "{power} lends {count} {fleet} at {port} to {to} going to {goal}",
        "{power} lends {count} {fleet}, {leader} at {port} to {to} going to {goal}",
    ),
    c.Promise: ("{power} promises {to} {text}",),
    c.Draft: ("{power} drafts agreement with {others}",),
    c.AddTerm: ("{power} writes: {term}", "{power} writes {term}"),
    c.DropTerm: ("{power} strikes term {number}",),
    c.OfferDraft: ("{power} offers its draft", "{power} offers draft"),
    c.Discard: ("{power} discards its draft", "{power} discards draft"),
    c.Amend: _agreement("{power} amends agreement"),
    c.Sign: _agreement("{power} signs agreement"),
    c.Decline: _agreement("{power} declines agreement"),
    c.Withdraw: _agreement("{power} withdraws agreement"),
    c.DoneNegotiating: ("{power} has done negotiating", "{power} is done negotiating"),
    c.Talk: (
        ("{power} talks secretly with {to}", {"secret": 1}),
        ("{power} talks with {to}", {"secret": 0}),
    ),
    c.MarkWord: (
        ("{power} marks word of {by} kept {text}", {"kept": 1}),
        ("{power} marks word of {by} broken {text}", {"kept": 0}),
    ),
    c.PlaceLoan: ("{power} takes the loan to {space}",),
    c.EndAlliance: ("{power} ends alliance with {ally}",),
    c.Ransom: ("{power} ransoms {leader}", "{power} ransoms {leader} to {space}"),
    c.Consent: ("{power} consents to {to}",),
    c.RefuseConsent: ("{power} refuses consent to {to}",),
    c.DoneRansoming: ("{power} ransoms nobody more",),
    c.DeclareWar: ("{power} declares war on {to}",),
    c.PayCard: ("{power} pays {card}",),
    c.DoneDeclaring: ("{power} declares no more wars",),
    c.Deploy: tuple(_formation("{power} deploys", "from {start} to {to}")),
    c.StayHome: ("{power} deploys nothing",),
    c.PlayForPoints: ("{power} plays {card} for points",),
    c.PlayEvent: (
        "{power} plays {card} as event",
        "{power} plays {card} as event on {target}",
        "{power} plays {card} as event at {space}",
        "{power} plays {card} as event on {target} at {space}",
    ),
    c.Pass: ("{power} passes",),
    c.EndImpulse: ("{power} ends its impulse",),
    c.Respond: ("{power} responds with {card}",),
    c.NoResponse: ("{power} does not respond",),
    c.Execute: ("{power} executes Mary of Scots",),
    c.Spare: ("{power} spares Mary of Scots",),
    c.SpendTreasure: ("{power} spends treasure",),
    c.Move: tuple(_formation("{power} moves", "from {start} to {to}")),
    c.MoveOn: ("{power} goes on to {to}",),
    c.Intercept: tuple(_formation("{power} intercepts at {space} by", "from {start}")),
    c.NoIntercept: ("{power} does not intercept",),
    c.AvoidBattle: (
        ("{power} avoids battle to {to}", {"how": "all"}),
        ("{power} avoids battle to {to} by its units alone", {"how": "units"}),
        ("{power} avoids battle to {to} by its leaders alone", {"how": "leaders"}),
    ),
    c.WithdrawInside: ("{power} withdraws inside",),
    c.Stand: ("{power} stands",),
    c.Retreat: ("{power} retreats to {to}",),
    c.Assault: ("{power} assaults {space}",),
    c.Besiege: ("{power} besieges {space}",),
    c.Attack: ("{power} attacks {target} at {space}", "{power} attacks {target}"),
    c.Enter: ("{power} enters {space}", "{power} passes through {space}"),
    c.TakeControl: ("{power} takes control of {space}", "{power} takes {space}"),
    c.Build: ("{power} raises {unit} at {space}",),
    c.BuildShip: ("{power} builds {fleet} at {space}",),
    c.AddInfluence: ("{power} adds influence with {to}",),
    c.JoinForces: (
        ("{power} moves together with {ally}", {"how": "move"}),
        ("{power} besieges together with {ally}", {"how": "besiege"}),
        ("{power} assaults together with {ally}", {"how": "assault"}),
        ("{power} intercepts together with {ally}", {"how": "intercept"}),
        ("{power} avoids battle together with {ally}", {"how": "avoid"}),
    ),
    c.Lose: ("{power} loses {unit}",),
    c.Tell: ("{power} tells {count}",),
    c.BeginSailing: ("{power} begins sailing",),
    c.Sail: (
        "{power} sails {count} {fleet} from {start} to {to}",
        "{power} sails {count} {fleet} from {start} to {to} with {leaders}",
        "{power} sails {count} {fleet} of {owner} from {start} to {to}",
        "{power} sails {count} {fleet} of {owner} from {start} to {to} with {leaders}",
    ),
    c.EndSailing: ("{power} sails no more",),
    c.InterceptAtSea: ("{power} intercepts at sea in {zone} from {start}",),
    c.LetPass: ("{power} lets the fleet pass",),
    c.RetreatAtSea: ("{power} retreats at sea to {to}",),
    c.Harbour: ("{power} winters at {to} from {start}",),
    c.LoseShip: ("{power} loses {fleet} of {owner}",),
}

NOTATION = FreeNotation(PATTERNS, "power", _NOUNS)


def typed_names(world: World, names: Mapping[str, Any]) -> dict[str, Names]:
    """What a person may type for powers, seats, spaces, leaders and the like, in English and Russian."""
    powers: dict[str, int] = {}
    for index, code in enumerate(POWERS):
        row = names["power"][code]
        for word in (code, row["en"]["nom"], *(row["ru"][case] for case in _CASES), *row.get("aliases", ())):
            powers.setdefault(word, index)
    seats = {code: index for index, code in enumerate(SEATS)}
    for code, row in names["seat"].items():
        for word in (row["en"]["nom"], row["ru"]["nom"]):
            seats.setdefault(word, SEATS.index(code))
    spaces: dict[str, int] = {}
    for index, space in enumerate(world.board.spaces):
        for word in (space.id, *space.names.values(), *space.aliases):
            spaces.setdefault(word, index)
    places = dict(spaces)
    for index, sea in enumerate(world.board.seas):
        for word in (sea.id, *sea.names.values()):
            places.setdefault(word, world.spaces + index)
    leaders: dict[str, int] = {}
    for index, leader in enumerate(world.leaders):
        for word in (world.leader_names[index], leader.id, *_words(names["leader"][leader.id])):
            leaders.setdefault(word, index)
    royals: dict[str, int] = {}
    for index, royal in enumerate(world.royals):
        for word in (world.royal_names[index], royal.id, *_words(names["royal"][royal.id])):
            royals.setdefault(word, index)
    kinds = {
        kind: {word: i for i, key in enumerate(keys) for word in (key, *_words(names["unit"][UNITS[key]]))}
        for kind, keys in (("naval", NAVAL_KINDS), ("land", LAND_KINDS))
    }
    shown = world.names
    return {
        "power": Names(powers, POWERS[:-1]),
        "seat": Names(seats, tuple(SEATS[seat] for seat in world.seats)),
        "space": Names(spaces, shown["space"]),
        "place": Names(places, shown["place"]),
        "leader": Names(leaders, world.leader_names),
        "royal": Names(royals, world.royal_names),
        "card": Names({card.id: index for index, card in enumerate(world.cards)}, shown["card"]),
        "naval": Names(kinds["naval"], NAVAL_KINDS),
        "land": Names(kinds["land"], LAND_KINDS),
        "flag": Names({flag: i for i, flag in enumerate(FLAGS)}, FLAGS),
        "phase": Names({name: index for index, name in enumerate(shown["phase"])}, shown["phase"]),
    }


def _words(row: Mapping[str, Any]) -> Iterable[str]:
    """Every form and alias of a row of names."""
    for language in ("en", "ru"):
        value = row.get(language)
        if isinstance(value, str):
            yield value
        elif isinstance(value, Mapping):
            yield from (word for key, word in value.items() if key not in ("number", "gender"))
    yield from row.get("aliases", ())
