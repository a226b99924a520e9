"""Questions that the desk answers besides commands, and assertions of test cases."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from foedus.games.virgin_queen import commands as c
from foedus.games.virgin_queen.declarations import cost_of_war, is_known, is_told
from foedus.games.virgin_queen.loans import destination
from foedus.games.virgin_queen.notation import NOTATION
from foedus.games.virgin_queen.sketch import units_data
from foedus.games.virgin_queen.state import EVERY, POWERS, SEATS, UNTOLD, WAR, State, pair
from foedus.kernel.desk import Answer, Speaker, rule
from foedus.kernel.faults import Fault
from foedus.kernel.notation import Names, NotationError
from foedus.kernel.referee import Referee
from foedus.kernel.rulebook import nearest
from foedus.kernel.unknown import NONE, UNKNOWN, Unknown
from foedus.kernel.values import bits
from foedus.kernel.verdict import ALLOWED, REFUSED
from foedus.kernel.words import capital


class WhoDecides(msgspec.Struct, frozen=True):
    """Who decides for a power now."""

    power: int


class WhoFights(msgspec.Struct, frozen=True):
    """Who is at war with whom."""


class WhereGo(msgspec.Struct, frozen=True):
    """Where lent units would go."""

    command: c.Lend


class WhatCosts(msgspec.Struct, frozen=True):
    """What a declaration of war costs."""

    power: int
    to: int


class WhatIf(msgspec.Struct, frozen=True):
    """What follows from a command."""

    command: Any
    line: str


class MayI(msgspec.Struct, frozen=True):
    """May a command be given, asked in whole sentences: with whom else the power is allied, and where units go.

    A loan whose number of units is not said (0) is one of all that are there.
    """

    command: Any
    allied: int = NONE
    where: bool = False
    line: str = ""


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
_MAY = r"(?:may|can) (?:the )?(?P<who>.+?) "
_MAY_RU = r"(?:может|могут) ли (?P<who>.+?) "
_UNITS = r"(?:(?P<count>\d{1,2}) )?(?P<kind>\w+)"
_WHILE = _asked(
    _MAY + r"(?:ally|be allied) with (?P<to>.+?) (?:while|when|if) (?:\w+ (?:is|are) )?allied with (?P<ally>.+?)"
)
_LENDS = _asked(
    _MAY + rf"lend (?:its |his |her |their |the )?{_UNITS} (?:at|in|from) (?P<port>.+?) to (?P<to>.+?)"
    r"(?P<where>,? and where (?:do|will|would) (?:they|the units) go)?"
)
_ALLY_RU = _asked(
    _MAY_RU + r"(?:заключить союз|вступить в союз) со? (?P<to>.+?)"
    r"(?:,? (?:пока|когда|если|уже|будучи|находясь) (?:\w+ )?в союзе со? (?P<ally>.+?))?"
)
_LENDS_RU = _asked(
    _MAY_RU + rf"одолжить (?:свои |свою |свой )?{_UNITS} (?:в|из) (?:порту |порта )?(?P<both>.+?)"
    r"(?P<where>,? и куда они (?:пойдут|идут))?"
)
_WAR_RU = _asked(_MAY_RU + r"объявить войну (?P<to>.+?)")
_PEACE_RU = _asked(_MAY_RU + r"заключить мир со? (?P<to>.+?)")
_IF = _asked(r"(?:what(?: happens)? if|что(?: будет)?,? если)\s+(.+?)")


def _whole(names: Names, kind: str, text: str) -> int:
    words = text.split()
    for value, after in names.read(words, 0):
        if after == len(words):
            return value
    raise NotationError(
        Fault("unknown", what=kind, word=text[:80], near=nearest(text, names.shown) or nearest(text, names.typed))
    )


def _fits(names: Names, kind: str, text: str) -> int | None:
    """The name that the text is; of a place also one that differs in its last letter only, as in "в Кадисе"."""
    try:
        return _whole(names, kind, text)
    except NotationError:
        if kind != "space" or len(text) < 5:
            return None
    stem = text.casefold()[:-1]
    near = [word for word in names.typed if word.casefold() == stem or word.casefold()[:-1] == stem]
    found = {_whole(names, kind, word) for word in near}
    return found.pop() if len(found) == 1 else None


def _read_may(line: str, names: Mapping[str, Names]) -> MayI | None:
    """A question in a whole sentence whether something may be done."""

    def power(text: str) -> int:
        return _whole(names["power"], "power", text)

    for form in (_WHILE, _ALLY_RU):
        found = form.match(line)
        if found:
            ally = found["ally"]
            return MayI(c.Ally(power(found["who"]), power(found["to"])), power(ally) if ally else NONE, False, line)
    for form, kind in ((_WAR_RU, c.DeclareWar), (_PEACE_RU, c.MakePeace)):
        found = form.match(line)
        if found:
            return MayI(kind(power(found["who"]), power(found["to"])), NONE, False, line)
    found = _LENDS.match(line)
    if found:
        port, to = _whole(names["place"], "place", found["port"]), power(found["to"])
        return _loan(found, names, port, to, line)
    found = _LENDS_RU.match(line)
    if found is None:
        return None
    words = found["both"].split()
    for at in range(1, len(words)):
        to_whom = _fits(names["power"], "power", " ".join(words[at:]))
        port_named = _fits(names["space"], "space", " ".join(words[:at]))
        if to_whom is not None and port_named is not None:
            return _loan(found, names, port_named, to_whom, line)
    raise NotationError(Fault("unknown", what="space", word=found["both"][:80]))


def _loan(found: re.Match[str], names: Mapping[str, Names], port: int, to: int, line: str) -> MayI:
    giver = _whole(names["power"], "power", found["who"])
    fleet = _whole(names["naval"], "naval", found["kind"])
    command = c.Lend(giver, to, int(found["count"] or 0), fleet, port)
    return MayI(command, NONE, found["where"] is not None, line)


class VirginQueenQuestions:
    """Reads and answers the questions of this game."""

    def examples(self, world: Any, language: str) -> Sequence[str]:
        """Lines to begin with, for somebody who has never asked."""
        asked = ("кто с кем воюет",) if language == "ru" else ("who is at war with whom",)
        return (*asked, "SPA declares war on ENG", "SPA attacks OTT at Tunis", "FRA allies with ENG")

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
            if isinstance(command, c.Lend):
                return WhereGo(command)
        found = _COSTS.match(line)
        if found:
            who, whom = found["who"] or found["кто"], found["whom"] or found["кого"]
            return WhatCosts(_whole(names["power"], "power", who), _whole(names["power"], "power", whom))
        may = _read_may(line, names)
        if may is not None:
            return may
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
            return what_it_costs(referee, state, question, speaker)
        if isinstance(question, MayI):
            return may_i(referee, state, question, speaker)
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
        enemies, sure = [], True
        for other in EVERY:
            try:
                fights = other != power and state.at_war(power, other)
            except Unknown:
                certain = sure = False
                continue
            if fights:
                enemies.append(other)
        pairs.append({"power": POWERS[power], "enemies": [POWERS[one] for one in enemies]})
        if not enemies and not sure:
            continue  # that it fights nobody is more than is known
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


def where_they_go(state: State, command: c.Lend, speaker: Speaker) -> Answer:
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


def may_i(referee: Referee, state: State, question: MayI, speaker: Speaker) -> Answer:
    """The ruling on the command, in the position with the alliance that the question takes for given."""
    command = question.command
    if isinstance(command, c.Lend) and command.count == 0:
        fleets = state.fleets[command.port]
        there = sum(
            one.count for one in fleets if (one.owner, one.holder, one.kind) == (*[command.power] * 2, command.fleet)
        )
        command = replace(command, count=max(there, 1))
    if question.allied != NONE:
        state = replace(state, allies=pair(state.allies, command.power, question.allied, True))
    ruling = rule(referee, state, command, speaker.language, question.line)
    data: dict[str, Any] = {"question": question.line, **ruling.data}
    text = ruling.text
    if question.where:
        way = where_they_go(state, command, speaker)
        data["where"] = way.data
        text += f"\n{way.text}"
    return Answer(data, text, ruling.verdict.kind == ALLOWED)


def what_it_costs(referee: Referee, state: State, question: WhatCosts, speaker: Speaker) -> Answer:
    """The price of a declaration of war (facts 8.3, 8.20 to 8.25), and whether the number is provisional.

    Where the declaration is barred whatever is paid, that is said too, with the clauses.
    """
    power, to = question.power, question.to
    said = f"what does war of {POWERS[power]} on {POWERS[to]} cost"
    data: dict[str, Any] = {"question": said, "cost": None, "provisional": False}
    bars = _bars(referee, state, c.DeclareWar(power, to))
    data["barred"] = list(bars)
    lines = []
    if not {"f8.1", "f8.13"} & set(bars):
        if is_told(state, power, to):
            lines.append(speaker.say("said/cost_is_told", {"power": power, "to": to}))
        else:
            try:
                cost = cost_of_war(state, power, to)
            except Unknown as unknown:
                return _open(speaker, unknown, said)
            data |= {"cost": cost, "provisional": not is_known(state, power, to)}
            note = f" ({speaker.say('said/provisional', {})})" if data["provisional"] else ""
            lines.append(speaker.say("said/costs", {"power": power, "to": to, "cost": cost}) + note)
    if bars:
        lines.append(speaker.say("said/no_war", {"power": power, "to": to, "text": ", ".join(bars)}))
    return Answer(data, "\n".join(f"{capital(one)}." for one in lines), not bars and data["cost"] is not None)


def _bars(referee: Referee, state: State, command: c.DeclareWar) -> tuple[str, ...]:
    """The clauses that bar a declaration of war in its segment, whatever is paid and whoever's turn it is."""
    verdict = referee.judge(replace(state, phase=WAR, frames=()), command)
    return tuple(clause for clause in verdict.clauses if clause != "f8.6") if verdict.kind == REFUSED else ()


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
