"""The notation of The Sword of Rome: for each command the lines that say it, the first of them the one to write."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from foedus.games.sword_of_rome import commands as c
from foedus.games.sword_of_rome.state import POWERS, SEATS, World
from foedus.kernel.faults import Fault
from foedus.kernel.notation import FreeNotation, Names, NotationError
from foedus.kernel.values import Command


def _limited(text: str, answer: str) -> tuple[Any, ...]:
    """The lines of a standing answer that may be limited to an enemy, a home region, or until somebody comes there."""
    tails = ("", " against {against}", " in home of {home}", " until {until} enters home of {entering}")
    return tuple((text + tail, {"answer": answer}) for tail in tails)


PATTERNS: dict[Any, Any] = {
    c.ProposeAlliance: (
        "{power} proposes alliance to {to}",
        "{power} offers alliance to {to}",
        "{power} allies with {to}",
    ),
    c.AcceptAlliance: ("{power} accepts alliance with {by}", "{power} accepts {by}"),
    c.DeclineAlliance: ("{power} declines alliance with {by}", "{power} declines {by}"),
    c.WithdrawOffer: ("{power} withdraws offer to {to}", "{power} withdraws {to}"),
    c.BreakAlliance: (
        "{power} breaks {ally} paying {paying}",
        "{power} breaks {ally}",
        "{power} breaks alliance with {ally}",
    ),
    c.PayPoint: ("{power} pays {space}",),
    c.RenewAlliance: ("{power} renews {ally}", "{power} renews alliance with {ally}"),
    c.LetLapse: ("{power} lets {ally} lapse",),
    c.Talk: (
        ("{power} talks secretly with {to}", {"secret": 1}),
        ("{power} talks with {to}", {"secret": 0}),
    ),
    c.MakePromise: ("{power} promises {to} {text}",),
    c.BreakPromise: ("{power} breaks promise to {to} {text}",),
    c.Give: (
        ("{power} gives loyalty of {space} to {to}", {"what": "loyalty"}),
        ("{power} gives city {space} to {to}", {"what": "loyalty"}),
        ("{power} gives tribe {space} to {to}", {"what": "tribe_marker"}),
        ("{power} gives control of {space} to {to}", {"what": "control_marker"}),
        ("{power} gives marker at {space} to {to}", {"what": "control_marker"}),
        ("{power} gives {count} CU at {space} to {to}", {"what": "units"}),
        ("{power} gives {count} CU to {to}", {"what": "units"}),
        ("{power} gives card to {to}", {"what": "card"}),
        ("{power} gives leader {leader} to {to}", {"what": "leader"}),
    ),
    c.PlaceSupport: (
        "{power} places support at {space}",
        "{power} places support for {on_behalf} at {space}",
        ("{power} places support at {space} after battle", {"by": "battle"}),
        ("{power} places support for {on_behalf} at {space} after battle", {"by": "battle"}),
    ),
    c.RemoveMarker: (
        "{power} removes marker at {space}",
        ("{power} removes marker at {space} after battle", {"by": "battle"}),
    ),
    c.RemoveSupport: (
        "{power} removes support at {space}",
        ("{power} removes support at {space} after battle", {"by": "battle"}),
    ),
    c.RemoveUnits: ("{power} removes CU of {owner} at {space}",),
    c.TakeControl: ("{power} takes control of {space}", "{power} takes {space}"),
    c.Attack: ("{power} attacks {target} at {space}", "{power} attacks {target}", "{power} fights {target}"),
    c.Intercept: (
        "{power} intercepts {target} at {space} from {start} with {leader} and {count}",
        "{power} intercepts {target} at {space} from {start} with {count} CU",
        "{power} intercepts {target} at {space} from {start} with {leader}",
        "{power} intercepts {target} at {space} from {start}",
        "{power} intercepts {target} at {space}",
    ),
    c.OrderInterception: ("{power} lets {first} intercept first",),
    c.RefuseBattle: ("{power} refuses battle",),
    c.AcceptBattle: ("{power} accepts battle",),
    c.LetGo: ("{power} lets the enemy go",),
    c.HoldFast: ("{power} holds the enemy fast",),
    c.Pursue: ("{power} pursues",),
    c.AvoidBySea: (
        "{power} avoids battle by sea from {start} to {to} by {card}",
        "{power} avoids battle by sea from {start} to {to}",
    ),
    c.PickUp: ("{power} picks up {count} CU",),
    c.Drop: ("{power} leaves {count} CU",),
    c.TakeLeader: ("{power} takes leader {leader} along",),
    c.LeaveLeader: ("{power} leaves leader {leader}",),
    c.StayPut: ("{power} stays put", "{power} stands"),
    c.AvoidBattle: ("{power} avoids battle from {start} to {to}",),
    c.GoInside: ("{power} puts {count} CU inside {space}", ("{power} enters city {space}", {"count": 1})),
    c.ComeOut: ("{power} brings {count} CU out of {space}",),
    c.Retreat: (
        "{power} retreats from {start} to {to}",
        "{power} retreats from {start} to {to} by way of {path}",
        ("{power} retreats by sea from {start} to {to} by {card}", {"sea": 1}),
        ("{power} retreats by sea from {start} to {to}", {"sea": 1}),
    ),
    c.Sortie: (
        "{power} breaks out of {space} with {leader} and {count} by {card}",
        "{power} breaks out of {space} with {leader} and {count}",
    ),
    c.Bribe: ("{power} bribes by {card}",),
    c.NoBribe: ("{power} pays no bribe",),
    c.PlayInBattle: ("{power} plays {card} in battle",),
    c.NoBattleCard: ("{power} plays no card in battle",),
    c.FoundColony: ("{power} founds colony at {space}",),
    c.Raid: ("{power} raids {space}",),
    c.Loot: ("{power} loots {space}",),
    c.Keep: ("{power} keeps {space}",),
    c.TakePlunder: ("{power} takes plunder",),
    c.GiveUpPlunder: ("{power} gives up plunder at {space}",),
    c.Besiege: ("{power} besieges {space}",),
    c.Subjugate: ("{power} subjugates {space}",),
    c.Liberate: ("{power} liberates {space}", "{power} frees {space}"),
    c.Hinder: ("{power} hinders ships of {target} with {card}", "{power} hinders ships of {target}"),
    c.JoinForces: ("{power} joins forces with {ally} at {space}", "{power} joins forces with {ally}"),
    c.EndMovement: ("{power} ends its movement at {space}", "{power} ends at {space}"),
    c.PassThrough: ("{power} passes through {space}",),
    c.Activate: (
        ("{power} activates leader {leader} at {space} by {card}", {"count": 0}),
        ("{power} activates leader {leader} at {space}", {"count": 0}),
        "{power} activates {leader} at {space} with {count} by {card}",
        "{power} activates {leader} at {space} with {count}",
    ),
    c.Step: ("{power} steps to {to}",),
    c.Halt: ("{power} halts",),
    c.March: (
        "{power} marches {leader} with {count} from {start} to {path} by {card}",
        "{power} marches {leader} with {count} from {start} to {path}",
    ),
    c.Sail: (
        "{power} sails {leader} with {count} from {start} to {to} by {card}",
        "{power} sails {leader} with {count} from {start} to {to}",
    ),
    c.SailOn: ("{power} sails on to {to}",),
    c.AskPassage: ("{power} asks for passage to {to}",),
    c.Carry: ("{power} carries army of {target} by {card}", "{power} carries army of {target}"),
    c.GoHome: ("{power} brings expedition home to {space}",),
    c.Hire: (
        "{power} hires mercenaries at {space} by {card}",
        "{power} hires mercenaries at {space}",
        "{power} hires mercenaries by {card}",
        "{power} hires mercenaries",
    ),
    c.PlaceHired: ("{power} places a mercenary at {space}",),
    c.Dismiss: ("{power} pays off a mercenary at {space}",),
    c.RaiseUnrest: ("{power} raises unrest by {card}", "{power} raises unrest"),
    c.SpendOnUnrest: ("{power} spends support on unrest",),
    c.AttackUnrest: ("{power} attacks unrest",),
    c.Flank: (
        ("{power} flanks with {ally} from {start} to {to} against {battle}", {"count": 0}),
        "{power} flanks with {ally} {count} from {start} to {to} against {battle}",
    ),
    c.SendUnits: ("{power} sets out with {count} CU",),
    c.Consent: ("{power} consents to {ally}",),
    c.RefuseConsent: ("{power} refuses consent to {ally}",),
    c.ActivateNPP: (
        ("{power} activates {npp} by {card}", {"action": "leader"}),
        ("{power} activates {npp}", {"action": "leader"}),
        ("{power} activates {npp} adding a CU at {space} by {card}", {"action": "units"}),
        ("{power} activates {npp} adding a CU at {space}", {"action": "units"}),
        ("{power} activates {npp} adding a CU", {"action": "units"}),
        ("{power} activates {npp} placing support at {space} by {card}", {"action": "support"}),
        ("{power} activates {npp} placing support at {space}", {"action": "support"}),
        ("{power} activates {npp} placing support by {card}", {"action": "support"}),
        ("{power} activates {npp} placing support", {"action": "support"}),
        ("{power} activates {npp} and {also}", {"action": "leader"}),
        ("{power} activates {npp} adding a CU and leading an army", {"action": "units", "second": "leader"}),
        ("{power} activates {npp} adding a CU and placing support", {"action": "units", "second": "support"}),
    ),
    c.PlaceMinor: ("{power} places {leader} at {space}",),
    c.PlayEvent: (
        ("{power} harms {target} by {card}", {"effect": "harm"}),
        ("{power} harms {target}", {"effect": "harm"}),
        ("{power} helps {target} by {card}", {"effect": "help"}),
        ("{power} helps {target}", {"effect": "help"}),
        ("{power} raises loyalty of {target} at {space} by {card}", {"effect": "loyalty"}),
        ("{power} raises loyalty of {target} at {space}", {"effect": "loyalty"}),
        ("{power} removes CU of {target} at {space} by event {card}", {"effect": "remove_units"}),
        ("{power} removes CU of {target} at {space} by event", {"effect": "remove_units"}),
        ("{power} removes CU of {target} by event", {"effect": "remove_units"}),
        ("{power} removes support of {target} at {space} by event {card}", {"effect": "remove_support"}),
        ("{power} removes support of {target} at {space} by event", {"effect": "remove_support"}),
        ("{power} removes support of {target} by event", {"effect": "remove_support"}),
        ("{power} removes marker of {target} at {space} by event", {"effect": "remove_marker"}),
        ("{power} removes marker of {target} by event", {"effect": "remove_marker"}),
        ("{power} besieges {target} at {space} by event", {"effect": "besiege"}),
        ("{power} brings {target} to battle by event", {"effect": "battle"}),
        ("{power} begins Campaign for {target} by {card}", {"effect": "campaign"}),
        ("{power} begins Campaign for {target}", {"effect": "campaign"}),
        ("{power} signs treaty for {target} by {card}", {"effect": "treaty"}),
        ("{power} signs treaty for {target}", {"effect": "treaty"}),
        ("{power} adds CU of {target} at {space} by event {card}", {"effect": "reinforce"}),
        ("{power} adds CU of {target} at {space} by event", {"effect": "reinforce"}),
        ("{power} removes marker of {target} at {space} by event {card}", {"effect": "remove_marker"}),
        ("{power} presses siege of {target} at {space} by event {card}", {"effect": "press_siege"}),
        ("{power} presses siege of {target} at {space} by event", {"effect": "press_siege"}),
        ("{power} builds ships for {target} by {card}", {"effect": "duoviri"}),
        ("{power} builds ships for {target}", {"effect": "duoviri"}),
        ("{power} builds the Appian Way for {target} by {card}", {"effect": "appian_way"}),
        ("{power} builds the Appian Way for {target}", {"effect": "appian_way"}),
        ("{power} sends Punic Envoys for {target} by {card}", {"effect": "envoys"}),
        ("{power} sends Punic Envoys for {target}", {"effect": "envoys"}),
        ("{power} lands Agathocles for {target} by {card}", {"effect": "agathocles"}),
        ("{power} lands Agathocles for {target}", {"effect": "agathocles"}),
        ("{power} stirs up Insurrection for {target} at {space} by {card}", {"effect": "insurrection"}),
        ("{power} stirs up Insurrection for {target} at {space}", {"effect": "insurrection"}),
        ("{power} stirs up Insurrection for {target} by {card}", {"effect": "insurrection"}),
        ("{power} stirs up Insurrection for {target}", {"effect": "insurrection"}),
        ("{power} wins glory for {target} by {card}", {"effect": "glory"}),
        ("{power} wins glory for {target}", {"effect": "glory"}),
    ),
    c.PlayValue: (
        ("{power} plays {card} for a CU at {space}", {"action": "units"}),
        ("{power} plays {card} for support", {"action": "support"}),
    ),
    c.NameChooser: ("{power} lets {seat} name the first player",),
    c.NameFirst: ("{power} names {seat} first player",),
    c.GoNext: ("{power} lets {seat} go next",),
    c.KeepLeader: ("{power} keeps {leader}",),
    c.DismissLeader: ("{power} dismisses {leader}",),
    c.PayLoyalty: ("{power} pays loyalty of {space}",),
    c.BeginEvent: ("{power} plays {card} as an event", "{power} plays {card} as event"),
    c.Respond: ("{power} responds with {card}",),
    c.NoResponse: ("{power} does not respond",),
    c.Discard: ("{power} discards {card}",),
    c.KeepCards: ("{power} keeps its cards", "{power} keeps the cards"),
    c.UseDesperate: ("{power} uses Desperate Times",),
    c.KeepDesperate: (
        ("{power} keeps Desperate Times this turn", {"turn": 1}),
        ("{power} keeps Desperate Times", {"turn": 0}),
    ),
    c.DesperateFor: (
        ("{power} acts as by card of value 3", {"what": "value"}),
        ("{power} swaps cards", {"what": "swap"}),
        ("{power} fetches {card}", {"what": "event"}),
    ),
    c.Pass: ("{power} passes",),
    c.NameDecider: ("{power} names {seat} to decide for {npp}",),
    c.GoFirst: ("{power} lets {first} decide first",),
    c.PlaceUnits: ("{power} places a CU at {space}",),
    c.ReturnLeader: ("{power} returns {leader} to {space}",),
    c.Surrender: ("{power} puts its marker at {space}",),
    c.Done: ("{power} is done",),
    c.SetStanding: (
        *_limited("{power} never intercepts", "never_intercept"),
        *_limited("{power} always intercepts from {space}", "always_intercept"),
        *_limited("{power} never avoids battle", "never_avoid"),
        *_limited("{power} always avoids battle", "always_avoid"),
        ("{power} never refuses battle", {"answer": "never_refuse"}),
        ("{power} always refuses battle", {"answer": "always_refuse"}),
        ("{power} never lets the enemy go", {"answer": "never_let_go"}),
        ("{power} always lets the enemy go", {"answer": "always_let_go"}),
        ("{power} never comes out", {"answer": "never_come_out"}),
        ("{power} always comes out", {"answer": "always_come_out"}),
        ("{power} never responds", {"answer": "never_respond"}),
        ("{power} never plays in battle", {"answer": "never_battle_card"}),
        ("{power} never bribes", {"answer": "never_bribe"}),
        ("{power} never hinders ships", {"answer": "never_hinder"}),
        ("{power} never carries an army", {"answer": "never_carry"}),
        ("{power} never uses Desperate Times", {"answer": "never_desperate"}),
    ),
    c.ClearStanding: ("{power} takes back standing answers", "{power} clears standing answers"),
}

ES_IS_A_PLAYER = Fault("player", seat="ES", powers=("ETR", "SAM"))
_NOUNS = ("alliance", "card", "city", "colony", "leader", "loyalty", "marker", "offer", "promise", "treaty", "tribe")
_LETTERS = {"A": "A", "B": "B", "C": "C", "А": "A", "В": "B", "С": "C"}  # the last three are Cyrillic
_CASES = ("nom", "gen", "dat", "acc", "ins", "pre")


class RomanNotation(FreeNotation):
    """Also reads a minor leader of the power that acts by his letter alone: "places A at Luna"."""

    def read(self, line: str, names: Mapping[str, Names]) -> Command:
        """The command that a line says. Raises `NotationError`."""
        try:
            return super().read(line, names)
        except NotationError as error:
            if re.search(r"\bES\b", line) and not error.message.startswith("the line"):
                raise NotationError(Fault("hint", fault=error.message, hint=ES_IS_A_PLAYER), error.word) from None
            raise

    def instead(self, actor: int, before: str, word: str) -> tuple[str, ...]:
        """A letter stands for the minor leader of the power that acts."""
        if word not in _LETTERS:
            return (word,)
        letter = _LETTERS[word]
        return (letter,) if before.upper() in POWERS else (POWERS[actor], letter)


NOTATION = RomanNotation(PATTERNS, "actor", _NOUNS)


def typed_names(world: World, names: Mapping[str, Any]) -> dict[str, Names]:
    """What a person may type for powers, seats, spaces, leaders, cards and phases, in English and Russian."""
    powers: dict[str, int] = {}
    for index, code in enumerate(POWERS):
        row = names["power"][code]
        for word in (code, row["en"]["nom"], *(row["ru"][case] for case in _CASES), *row.get("aliases", ())):
            powers.setdefault(word, index)
    seats = {code: index for index, code in enumerate(SEATS)}
    for index, controller in enumerate(world.controller):
        if controller >= 0:
            seats.setdefault(POWERS[index], controller)
    for code, row in names["seat"].items():
        for word in (row["en"]["nom"], row["ru"]["nom"]):
            seats.setdefault(word, SEATS.index(code))
    spaces: dict[str, int] = {}
    for index, space in enumerate(world.board.spaces):
        for word in (space.id, *space.names.values(), *space.aliases):
            spaces.setdefault(word, index)
    leaders: dict[str, int] = {}
    for index, leader in enumerate(world.leaders):
        leaders[world.leader_names[index]] = index
        leaders.setdefault(leader.id, index)
        row = names["leader"].get(leader.id)
        if row is not None:
            leaders.setdefault(row["ru"], index)
    cards: dict[str, int] = {}
    for index, card in enumerate(world.cards):
        cards[card.id] = index
    phases = {name: index for index, name in enumerate(world.names["phase"])}
    return {
        "power": Names(powers, POWERS),
        "actor": Names({**powers, "ES": POWERS.index("ETR")}, (*POWERS, "ES")),
        "seat": Names(seats, tuple(SEATS[seat] for seat in world.seats)),
        "space": Names(spaces, world.names["space"]),
        "leader": Names(leaders, world.leader_names),
        "card": Names(cards, tuple(card.id for card in world.cards)),
        "phase": Names(phases, world.names["phase"]),
    }
