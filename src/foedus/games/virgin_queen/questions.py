"""Questions that the desk answers besides commands, and assertions of test cases."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from foedus.games.virgin_queen.commands import Lend
from foedus.games.virgin_queen.declarations import cost_of_war
from foedus.games.virgin_queen.loans import destination
from foedus.games.virgin_queen.notation import NOTATION
from foedus.games.virgin_queen.sketch import units_data
from foedus.games.virgin_queen.state import EVERY, POWERS, SEATS, UNTOLD, State
from foedus.kernel.desk import Answer, Speaker, rule
from foedus.kernel.faults import Fault
from foedus.kernel.notation import Names, NotationError
from foedus.kernel.referee import Referee
from foedus.kernel.rulebook import nearest
from foedus.kernel.unknown import NONE, UNKNOWN, Unknown
from foedus.kernel.values import bits
from foedus.kernel.verdict import ALLOWED
from foedus.kernel.words import capital


class WhoDecides(msgspec.Struct, frozen=True):
    """Who decides for a power now."""

    power: int


class WhoFights(msgspec.Struct, frozen=True):
    """Who is at war with whom."""


class WhereGo(msgspec.Struct, frozen=True):
    """Where lent units would go."""

    command: Lend


class WhatCosts(msgspec.Struct, frozen=True):
    """What a declaration of war costs."""

    power: int
    to: int


class WhatIf(msgspec.Struct, frozen=True):
    """What follows from a command."""

    command: Any
    line: str


def _asked(*forms: str) -> re.Pattern[str]:
    """Any of the forms in which a question may be put."""
    return re.compile(rf"^(?:{'|'.join(forms)})\s*\??$", re.IGNORECASE)


_DECIDES = _asked(r"(?:who (?:decides|acts) for|who controls|кто решает за|кто управляет)\s+(.+?)")
_FIGHTS = _asked("who (?:is at war with|may fight|fights) whom", "кто с кем воюет")
_WHERE = _asked(r"where (?:do|would) the units go if\s+(.+?)", r"куда (?:идут|пойдут) части,? если\s+(.+?)")
_COSTS = _asked(
    r"what does (?:a )?war of\s+(?P<who>.+?)\s+on\s+(?P<whom>.+?)\s+cost",
    r"сколько стоит война\s+(?P<кто>.+?)\s+против\s+(?P<кого>.+?)",
)
_IF = _asked(r"(?:what(?: happens)? if|что(?: будет)?,? если)\s+(.+?)")


def _whole(names: Names, kind: str, text: str) -> int:
    words = text.split()
    for value, after in names.read(words, 0):
        if after == len(words):
            return value
    raise NotationError(
        Fault("unknown", what=kind, word=text[:80], near=nearest(text, names.shown) or nearest(text, names.typed))
    )


class VirginQueenQuestions:
    """Reads and answers the questions of this game."""

    def read(self, line: str, names: Mapping[str, Names], language: str) -> Any | None:
        """The question that a line asks, or None. Raises `NotationError` for an unknown name in it."""
        if _FIGHTS.match(line):
            return WhoFights()
        found = _DECIDES.match(line)
        if found:
            return WhoDecides(_whole(names["power"], "power", found.group(1)))
        found = _WHERE.match(line)
        if found:
            command = NOTATION.read(found.group(1) or found.group(2), names)
            if isinstance(command, Lend):
                return WhereGo(command)
        found = _COSTS.match(line)
        if found:
            who, whom = found["who"] or found["кто"], found["whom"] or found["кого"]
            return WhatCosts(_whole(names["power"], "power", who), _whole(names["power"], "power", whom))
        found = _IF.match(line)
        if found:
            return WhatIf(NOTATION.read(found.group(1), names), found.group(1))
        return None

    def answer(self, referee: Referee, state: State, question: Any, language: str) -> Answer:
        """The answer in this position, with its clauses and rulings."""
        speaker = Speaker(referee, language)
        if isinstance(question, WhoFights):
            return who_fights(state, speaker)
        if isinstance(question, WhoDecides):
            return who_decides(state, question.power, speaker)
        if isinstance(question, WhereGo):
            return where_they_go(state, question.command, speaker)
        if isinstance(question, WhatCosts):
            return what_it_costs(state, question, speaker)
        ruling = rule(referee, state, question.command, language, question.line)
        data = {"question": f"what if {speaker.notation(question.command, question.line)}", **ruling.data}
        return Answer(data, ruling.text, ruling.verdict.kind == ALLOWED)


QUESTIONS = VirginQueenQuestions()


def _open(speaker: Speaker, unknown: Unknown, question: str) -> Answer:
    text = speaker.say("said/depends", {"question": speaker.question(unknown.what, unknown.subject)})
    data = {"question": question, "depends": {"what": unknown.what, **speaker.plain_facts(dict(unknown.subject))}}
    return Answer(data, capital(text), False)


def who_fights(state: State, speaker: Speaker) -> Answer:
    """For every power with whom it is at war, a minor power sharing the wars of its ally."""
    lines, pairs, certain = [], [], True
    for power in EVERY:
        enemies = []
        for other in EVERY:
            try:
                fights = other != power and state.at_war(power, other)
            except Unknown:
                certain = False
                continue
            if fights:
                enemies.append(other)
        pairs.append({"power": POWERS[power], "enemies": [POWERS[one] for one in enemies]})
        key = "said/fights" if enemies else "said/fights_nobody"
        lines.append(capital(speaker.say(key, {"power": power, "others": tuple(enemies)})) + ".")
    if not certain:
        lines.append(speaker.say("ui/unknown", {}))
    return Answer({"question": "who is at war with whom", "wars": pairs}, "\n".join(lines), certain)


def who_decides(state: State, power: int, speaker: Speaker) -> Answer:
    """The seat that decides for a power, and why (facts 9.3, 17)."""
    question = f"who decides for {POWERS[power]}"
    try:
        seat = state.seat_of(power)
    except Unknown as unknown:
        return _open(speaker, unknown, question)
    told = {"power": power, "seat": seat, "patron": NONE}
    key = "decides_nobody" if seat == NONE else "decides"
    if seat != NONE and state.controller[power] == NONE:
        key, told["patron"] = "decides_patron", state.minor_ally[power]
    data = {"question": question, "power": POWERS[power], "decider": SEATS[seat] if seat >= 0 else None}
    return Answer(data, capital(speaker.say(f"said/{key}", told)) + ".", True)


def where_they_go(state: State, command: Lend, speaker: Speaker) -> Answer:
    """The nearest ports of the receiver, and the sea zones on the way (loan.6, loan.10)."""
    line = speaker.notation(command, "")
    question = f"where would the units go if {line}"
    try:
        found = destination(state, command)
    except Unknown as unknown:
        return _open(speaker, unknown, question)
    told: dict[str, Any] = {
        "power": command.power,
        "to": command.to,
        "count": command.count,
        "fleet": command.fleet,
        "port": command.port,
    }
    names = speaker.names["place"]
    if found is None:
        return Answer({"question": question, "ports": []}, capital(speaker.say("said/goes_nowhere", told)) + ".", True)
    zones = tuple(state.world.spaces + zone for zone in found.zones)
    told |= {"ports": tuple(found.ports), "distance": found.distance, "zones": zones}
    lines = [capital(speaker.say("said/goes" if found.distance else "said/goes_no_further", told)) + "."]
    if len(found.ports) > 1:
        lines.append(capital(speaker.say("said/goes_to_one_of", told)) + ".")
    data = {
        "question": question,
        "ports": [names[port] for port in found.ports],
        "distance": found.distance,
        "zones": [names[zone] for zone in zones],
    }
    return Answer(data, "\n".join(lines), True)


def what_it_costs(state: State, question: WhatCosts, speaker: Speaker) -> Answer:
    """The price of a declaration of war (facts 8.3, 8.20 to 8.25), and whether the number is provisional."""
    said = f"what does war of {POWERS[question.power]} on {POWERS[question.to]} cost"
    try:
        cost = cost_of_war(state, question.power, question.to)
    except Unknown as unknown:
        return _open(speaker, unknown, said)
    text = capital(speaker.say("said/costs", {"power": question.power, "to": question.to, "cost": cost}))
    known = {frozenset(pair.split("-")) for pair in state.world.tables["war"]["costs"]}
    provisional = frozenset((POWERS[question.power], POWERS[question.to])) not in known
    if provisional:
        text += f" ({speaker.say('said/provisional', {})})"
    return Answer({"question": said, "cost": cost, "provisional": provisional}, text + ".", True)


# test cases


def _space(state: State, name: str) -> int:
    found = state.world.board.find(name)
    if found is None:
        raise ValueError(f"unknown space '{name}'")
    return found


def _place(state: State, name: str) -> int:
    names = state.world.names["place"]
    return names.index(name) if name in names else _space(state, name)


def check(state: State, words: Sequence[str]) -> str | None:
    """For cases: an assertion of this game. Gives what is wrong, or None. Raises KeyError if it is no assertion."""
    word, rest = words[0], [one.strip('"') for one in words[1:]]
    if word == "not" and rest and rest[0] in ("allied", "war"):
        return None if check(state, rest) else f"{' '.join(rest)} holds"
    if word in ("allied", "war"):
        a, b = POWERS.index(rest[0]), POWERS.index(rest[1])
        asked = state.are_allied if word == "allied" else state.at_war
        return None if asked(a, b) and asked(b, a) else f"{rest[0]} and {rest[1]}: no {word}"
    if word == "owner":
        told = state.owner_of(_space(state, rest[0]))
        return None if POWERS[told] == rest[1] else f"{rest[0]} is controlled by {POWERS[told]}"
    if word == "units":
        found = "; ".join(units_data(state, _space(state, rest[0]))) or "none"
        wanted = "; ".join(rest[1:])
        return None if found == wanted else f"{rest[0]} holds {found}"
    if word == "ships":
        place = _place(state, rest[0])
        names = state.world.names["naval"]
        found = (
            "; ".join(
                f"{POWERS[f.owner]} {f.count} {names[f.kind]}"
                + (f" lent to {POWERS[f.holder]}" if f.holder != f.owner else "")
                for f in state.fleets[place]
            )
            or "none"
        )
        return None if found == "; ".join(rest[1:]) else f"{rest[0]} holds {found}"
    if word == "siege":
        power = state.besieged_by[_space(state, rest[0])]
        found = "none" if power == NONE else "?" if power == UNKNOWN else POWERS[power]
        return None if found == rest[1] else f"{rest[0]} is besieged by {found}"
    if word == "captive":
        leader = state.world.leader_names.index(rest[0])
        captor = state.captor[leader]
        found = "nobody" if captor == NONE else POWERS[captor]
        return None if found == rest[1] else f"{rest[0]} is held by {found}"
    if word == "leader":
        leader = state.world.leader_names.index(rest[0])
        at = state.leader_at[leader]
        found = "nowhere" if at < 0 else state.world.names["place"][at]
        return None if found == rest[1] else f"{rest[0]} stands at {found}"
    if word == "hand":
        cards = state.hands[POWERS.index(rest[0])]
        told = 0 if cards == UNTOLD else len(cards)
        return None if told == int(rest[1]) else f"{rest[0]} holds {told} cards"
    if word == "holds":
        held = [state.world.cards[card].id for card in state.hands[POWERS.index(rest[0])] if card >= 0]
        return None if rest[1] in held else f"{rest[0]} holds {', '.join(held) or 'nothing'}"
    if word == "treasures":
        told = state.treasures[POWERS.index(rest[0])]
        return None if told == int(rest[1]) else f"{rest[0]} has {told} treasures"
    if word == "engaged":
        names = state.world.royal_names
        pairs = {frozenset((names[one.a], names[one.b])) for one in state.engaged}
        return None if frozenset(rest) in pairs else f"{' and '.join(rest)} are not engaged"
    if word == "agreements":
        told = len(state.offers)
        return None if told == int(rest[0]) else f"{told} agreements wait"
    if word == "announced":
        told = len(state.announced)
        return None if told == int(rest[0]) else f"{told} agreements were announced"
    if word == "minor":
        patron = state.minor_ally[POWERS.index(rest[0])]
        found = "none" if patron == NONE else "?" if patron == UNKNOWN else POWERS[patron]
        return None if found == rest[1] else f"{rest[0]} is allied with {found}"
    if word == "kept":
        marks = [one.kept for one in state.words]
        return None if rest[0] in marks else f"promises are {', '.join(marks) or 'none'}"
    if word == "active":
        found = POWERS[state.active] if state.active >= 0 else "nobody"
        return None if found == rest[0] else f"active is {found}"
    if word == "phase":
        found = state.world.names["phase"][state.phase] if state.phase >= 0 else "?"
        return None if found == rest[0] else f"it is {found}"
    if word == "flag":
        flags = [state.world.names["flag"][flag] for flag in bits(state.flags)]
        return None if rest[0] in flags else f"has come about: {', '.join(flags) or 'nothing'}"
    raise KeyError(word)
