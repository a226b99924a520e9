"""Questions that the desk answers besides commands, assertions of test cases, and the status sheet."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from foedus.games.sword_of_rome.commands import (
    Attack,
    Besiege,
    EndMovement,
    GoInside,
    Liberate,
    PassThrough,
    PlaceSupport,
    RemoveMarker,
    RemoveSupport,
    Subjugate,
    TakeControl,
)
from foedus.games.sword_of_rome.neutrals import (
    CLOSED,
    EXCLUSIONS,
    Decider,
    _kept_out,
    decider,
    exclusions_always_bind,
    moment_of,
)
from foedus.games.sword_of_rome.notation import ES_IS_A_PLAYER, NOTATION
from foedus.games.sword_of_rome.sketch import _forces_data
from foedus.games.sword_of_rome.state import (
    BOX,
    CAR,
    CITY,
    ETR,
    GAL,
    IND,
    MER,
    POWERS,
    SAM,
    SEATS,
    TRA,
    TREATY,
    TRIBE,
    State,
)
from foedus.kernel.desk import Answer, Speaker, rule
from foedus.kernel.faults import Fault
from foedus.kernel.notation import Names, NotationError, fold
from foedus.kernel.referee import Referee
from foedus.kernel.rulebook import nearest
from foedus.kernel.unknown import NONE, UNKNOWN, Unknown
from foedus.kernel.values import Command, bits
from foedus.kernel.verdict import ALLOWED, DEPENDS, REFUSED, Verdict
from foedus.kernel.words import capital

MOMENTS = {
    "at turn end": "turn_end",
    "at the turn's end": "turn_end",
    "at the end of the turn": "turn_end",
    "while inactive": "inactive",
    "в конце хода": "turn_end",
    "пока неактивны": "inactive",
}


class WhoDecides(msgspec.Struct, frozen=True):
    """Who decides for a power, now or at a moment."""

    power: int
    moment: str = ""


class WhoFights(msgspec.Struct, frozen=True):
    """Who may fight whom."""


class WhatMay(msgspec.Struct, frozen=True):
    """What a power may do in a space."""

    power: int
    space: int


class WhatIf(msgspec.Struct, frozen=True):
    """What follows from a command."""

    command: Any
    line: str


def _asked(*forms: str) -> re.Pattern[str]:
    """Any of the forms in which a question may be put."""
    return re.compile(rf"^(?:{'|'.join(forms)})\s*\??$", re.IGNORECASE)


_DECIDES = _asked(r"(?:who (?:decides|acts) for|who controls|кто решает за|кто управляет)\s+(.+?)")
_FIGHTS = _asked("who (?:may|can) (?:fight|attack) whom", "кто с кем может (?:сражаться|воевать)")
_MAY = _asked(
    r"what (?:may|can)\s+(?P<who>.+?)\s+do (?:at|in)\s+(?P<where>.+?)",
    r"что (?:может|могут)(?: делать)?\s+(?P<кто>.+?)(?: делать)? во?\s+(?P<где>.+?)",
)
_IF = _asked(r"(?:what(?: happens)? if|что(?: будет)?,? если)\s+(.+?)")


def _whole(names: Names, kind: str, text: str) -> int:
    words = text.split()
    for value, after in names.read(words, 0):
        if after == len(words):
            return value
    if text == "ES":
        raise NotationError(ES_IS_A_PLAYER)
    raise NotationError(
        Fault("unknown", what=kind, word=text[:80], near=nearest(text, names.shown) or nearest(text, names.typed))
    )


_COMMANDS = ("ROM attacks GRE", "ROM besieges Tarquinii", "ROM breaks ETR", "GRE proposes alliance to GAL")


class SwordOfRomeQuestions:
    """Reads and answers the questions of this game."""

    def examples(self, world: Any, language: str) -> Sequence[str]:
        """Lines to begin with, for somebody who has never asked."""
        if language == "ru":
            return (
                "кто с кем может сражаться",
                "кто решает за Карфаген",
                "что могут греки делать в Тарквинии",
                *_COMMANDS,
            )
        return ("who may fight whom", "who decides for CAR", "what may GRE do at Tarquinii", *_COMMANDS)

    def read(self, line: str, names: Mapping[str, Names], language: str) -> Any | None:
        """The question that a line asks, or None. Raises `NotationError` for an unknown name in it."""
        if _FIGHTS.match(line):
            return WhoFights()
        found = _DECIDES.match(line)
        if found:
            text, moment = found.group(1), ""
            for words, key in MOMENTS.items():
                if fold(text).endswith(words):
                    text, moment = text[: -len(words)].strip(), key
            return WhoDecides(_whole(names["power"], "power", text), moment)
        found = _MAY.match(line)
        if found:
            power = _whole(names["power"], "power", found["who"] or found["кто"])
            return WhatMay(power, _whole(names["space"], "space", found["where"] or found["где"]))
        found = _IF.match(line)
        if found:
            return WhatIf(NOTATION.read(found.group(1), names), found.group(1))
        return None

    def answer(self, referee: Referee, state: State, question: Any, language: str) -> Answer:
        """The answer in this position, with its clauses and rulings."""
        speaker = Speaker(referee, language)
        if isinstance(question, WhoFights):
            return who_fights(referee, state, speaker)
        if isinstance(question, WhoDecides):
            return who_decides(referee, state, question, speaker)
        if isinstance(question, WhatMay):
            return what_may(referee, state, question, speaker)
        ruling = rule(referee, state, question.command, language, question.line)
        data = {"question": f"what if {speaker.notation(question.command, question.line)}", **ruling.data}
        return Answer(data, ruling.text, ruling.verdict.kind == ALLOWED)


QUESTIONS = SwordOfRomeQuestions()


def _fighters(state: State) -> list[int]:
    return [p for p in range(IND) if state.controller[p] != NONE or p in state.world.npps]


def who_fights(referee: Referee, state: State, speaker: Speaker) -> Answer:
    """For every pair of powers whether the one may fight the other (15.2.2a)."""
    pairs: list[dict[str, Any]] = []
    lines: list[str] = []
    certain = True
    for power in _fighters(state):
        may, spared, unsure = [], [], []
        clauses: dict[str, None] = {}
        for other in _fighters(state):
            if other == power:
                continue
            verdict = referee.judge(state, Attack(power, other))
            pairs.append(
                {
                    "power": POWERS[power],
                    "target": POWERS[other],
                    "verdict": verdict.kind,
                    "clauses": list(verdict.clauses),
                }
            )
            if verdict.kind == ALLOWED:
                may.append(other)
            elif verdict.kind == REFUSED:
                spared.append(other)
                clauses.update(dict.fromkeys(verdict.clauses))
            else:
                unsure.append(other)
                certain = False
        said = [speaker.say("said/fights" if may else "said/fights_nobody", {"power": power, "others": tuple(may)})]
        if spared:
            said.append(speaker.say("said/spares", {"others": tuple(spared), "clause": ", ".join(clauses)}))
        if unsure:
            said.append(speaker.say("said/fights_perhaps", {"power": power, "others": tuple(unsure)}))
        lines.append(" ".join(capital(one) for one in said))
    rulings = referee.deciding_rulings(
        state, lambda at: [referee.judge(at, Attack(a, b)).kind for a in _fighters(at) for b in _fighters(at) if a != b]
    )
    lines += _ruling_lines(speaker, state, rulings)
    data = {"question": "who may fight whom", "pairs": pairs, "rulings": _ruling_data(rulings)}
    return Answer(data, "\n".join(lines), certain)


def _ruling_data(rulings: Iterable[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"name": name, "option": option} for name, option in rulings]


def _ruling_lines(speaker: Speaker, state: State, rulings: Sequence[tuple[str, str]]) -> list[str]:
    if not rulings:
        return []
    book = state.world.rulebook
    lines = ["", speaker.say("ui/rulings", {}) + ":"]
    for name, option in rulings:
        index, value = book.option(name, option)
        lines.append(f"  {name} = {option} ({book.rulings[index].clause}): {speaker.ruling(index, value)}")
    return lines


def _decider_gist(state: State, power: int, moment: str) -> Any:
    try:
        found = decider(state, power, moment)
    except Unknown as unknown:
        return unknown.key
    return found.seat, found.clause, found.among


KEYS = {"16.1.a": "activated", "16.1.b": "inactive", "16.1.c": "turn_end", "16.1.h": "treaty", "16.1.i": "fallback"}


def said_decider(speaker: Speaker, state: State, power: int, found: Decider) -> str:
    """Who decides and why, in one or two sentences."""
    told = {**dict(found.facts), "npp": power, "seat": found.seat}
    told.setdefault("vp", state.vp[found.seat] if found.seat >= 0 else UNKNOWN)
    if found.seat == NONE:
        key = "nobody"
    elif not found.clause:
        key = "plays"
    elif len(found.among) > 1:
        key, told["among"] = "tie", found.among
    else:
        key = KEYS[found.clause]
    if told["vp"] == UNKNOWN and f"said/{key}_only" in speaker.words.templates:
        key += "_only"  # nobody else is left: his points need not be known
    text = capital(speaker.say(f"said/{key}", told))
    if not found.clause:
        return text
    clause, out = barred(state, power, found)
    text = f"{text.rstrip('.')} ({found.clause})."
    if out:
        told = {"clause": clause, "player": out[0], "among": out[1:], "active": state.active}
        key = ("barred" if len(out) == 1 else "barred_allies") if clause else "partners"
        text += " " + capital(speaker.say(f"said/{key}", told))
    return text


def barred(state: State, power: int, found: Decider) -> tuple[str, tuple[int, ...]]:
    """Who may not decide, the one named by the clause first and then his allies, and that clause of 16.1.d to g.

    Without such a clause: the active player and his allies, if he has any (16.1.b).
    """
    if found.clause not in ("16.1.b", "16.1.c") or power not in CLOSED:
        return "", ()
    at_the_end = found.clause == "16.1.c"
    _, by_alliance = _kept_out(state, power, "turn_end" if at_the_end else "inactive")
    if at_the_end and CLOSED[power](state):
        clause, first = EXCLUSIONS[power]
        return clause, (first, *sorted(by_alliance))
    if at_the_end or not by_alliance or exclusions_always_bind(state):
        return "", ()
    return "", (state.active, *sorted(by_alliance))


def _open_decider(state: State, power: int, moment: str, unknown: Unknown) -> dict[str, Any]:
    """What a decider depends on; of unknown points all that count."""
    subject = dict(unknown.subject)
    if unknown.what != "vp":
        return subject
    by_name, by_alliance = _kept_out(state, power, moment or moment_of(state, power))
    seats = [s for s in state.world.seats if state.vp[s] == UNKNOWN and s not in by_name | by_alliance]
    return {"seat": tuple(seats)} if len(seats) > 1 else subject


def who_decides(referee: Referee, state: State, question: WhoDecides, speaker: Speaker) -> Answer:
    """16.1 for one power: the decider, the clause, why, and the rulings without which it would be another."""
    power = question.power
    data: dict[str, Any] = {"question": f"who decides for {POWERS[power]}", "power": POWERS[power]}
    if question.moment:
        data["moment"] = question.moment
    if state.controller[power] == NONE and power not in state.world.npps:
        key = "said/nobody" if power == IND else "said/absent"
        text = speaker.say(key, {"npp": power, "count": state.world.players})
        return Answer({**data, "decider": None}, capital(text), True)
    try:
        found = decider(state, power, question.moment)
    except Unknown as unknown:
        if unknown.what == "phase":
            return _by_moment(referee, state, question, speaker)
        subject = _open_decider(state, power, question.moment, unknown)
        text = speaker.say("said/depends", {"question": speaker.question(unknown.what, tuple(subject.items()))})
        data |= {"decider": None, "depends": {"what": unknown.what, **speaker.plain_facts(subject)}}
        return Answer(data, capital(text), False)
    rulings = referee.deciding_rulings(state, lambda at: _decider_gist(at, power, question.moment))
    data |= {
        "decider": SEATS[found.seat] if found.seat >= 0 else None,
        "clause": found.clause,
        "barred_by": barred(state, power, found)[0],
        "barred": [SEATS[seat] for seat in barred(state, power, found)[1]],
        "names_one_of": [SEATS[seat] for seat in found.among],
        "rulings": _ruling_data(rulings),
    }
    lines = [said_decider(speaker, state, power, found), *_ruling_lines(speaker, state, rulings)]
    return Answer(data, "\n".join(lines), True)


def _by_moment(referee: Referee, state: State, question: WhoDecides, speaker: Speaker) -> Answer:
    """The position does not tell the moment: the answer for each."""
    lines, answers = [], []
    for moment in ("inactive", "turn_end"):
        answer = who_decides(referee, state, WhoDecides(question.power, moment), speaker)
        first, _, rest = answer.text.partition("\n")
        if "depends" in answer.data:
            first = first[:1].lower() + first[1:]
        lines.append(capital(speaker.say(f"said/moment_{moment}", {})) + ": " + first + ("\n" + rest if rest else ""))
        answers.append(answer.data)
    data = {"question": f"who decides for {POWERS[question.power]}", "decider": None, "moments": answers}
    return Answer(data, "\n".join(lines), False)


def acts_at(state: State, power: int, space: int) -> list[Command]:
    """Everything that a power could try in a space of that kind: what is its own it does not besiege or take."""
    others = [p for p in _fighters(state) if p != power]
    if state.known_troops(space):
        others = [f.power for f in state.troops(space) if f.power != power]
    kind, own = state.world.kinds[space], state.owner[space] == power
    acts: list[Command] = [PassThrough(power, space), EndMovement(power, space)]
    acts += [Attack(power, other, space) for other in others]
    if kind == BOX:
        return acts
    if kind == CITY:
        acts += [] if own else [Besiege(power, space), Liberate(power, space)]
        acts += [GoInside(power, space)]
    if kind == TRIBE and not own:
        acts += [Subjugate(power, space)]
    if not own:
        acts += [TakeControl(power, space), (RemoveSupport if kind == CITY else RemoveMarker)(power, space)]
    return [*acts, PlaceSupport(power, space)]


_ORDER = (ALLOWED, DEPENDS, REFUSED)


def what_may(referee: Referee, state: State, question: WhatMay, speaker: Speaker) -> Answer:
    """Each act in that place with its verdict and clauses: first what is allowed, last what is refused."""
    power, space = question.power, question.space
    judged = [referee.judge(state, command) for command in acts_at(state, power, space)]
    judged.sort(key=lambda verdict: _ORDER.index(verdict.kind))
    said: dict[tuple[Any, ...], list[Verdict]] = {}
    for verdict in judged:  # attacks that are judged alike are said together
        alike = (verdict.kind, verdict.clauses) if isinstance(verdict.command, Attack) else (id(verdict),)
        said.setdefault(alike, []).append(verdict)
    lines = []
    for together in said.values():
        told, command = together[0], speaker.command(together[0].command)
        if len(together) > 1:
            targets = tuple(one.command.target for one in together if isinstance(one.command, Attack))
            command = speaker.say("command/Attack+space", {"power": power, "target": targets, "space": space})
        why = "; ".join(_titled(speaker, clause) for clause in told.clauses)
        answer = speaker.say(f"ui/{told.kind}", {})
        lines.append(f"{answer} {capital(command)}" + (f" ({why})." if why else "."))
    if not state.known_troops(space):
        lines.append(capital(speaker.say("said/units_granted", {"power": power, "space": space})))
    rows = [
        {"command": speaker.notation(one.command), "verdict": one.kind, "clauses": list(one.clauses)} for one in judged
    ]
    data = {"question": f"what may {POWERS[power]} do at {speaker.names['space'][space]}", "acts": rows}
    return Answer(data, "\n".join(lines), all(one.kind != DEPENDS for one in judged))


def _titled(speaker: Speaker, clause_id: str) -> str:
    clause = speaker.game.rulebook.clauses.get(clause_id)
    return f"{clause_id} {clause.title[speaker.language]}" if clause is not None else clause_id


# test cases


def decides(state: State, npp: str) -> tuple[str, str, Sequence[str]]:
    """For cases: the seat that decides for a power (by its code), the clause, and the tied seats. Raises `Unknown`."""
    found = decider(state, POWERS.index(npp))
    seat = SEATS[found.seat] if found.seat >= 0 else "nobody"
    return seat, found.clause, tuple(SEATS[one] for one in found.among)


def _space(state: State, name: str) -> int:
    found = state.world.board.find(name.strip('"'))
    if found is None:
        raise ValueError(f"unknown space '{name}'")
    return found


def check(state: State, words: Sequence[str]) -> str | None:
    """For cases: an assertion of this game. Gives what is wrong, or None. Raises KeyError if it is no assertion."""
    word, rest = words[0], [one.strip('"') for one in words[1:]]
    if word == "not" and rest and rest[0] == "allied":
        return None if check(state, rest) else f"{rest[1]} and {rest[2]} are allied"
    if word == "allied":
        a, b = POWERS.index(rest[0]), POWERS.index(rest[1])
        return None if state.are_allied(a, b) and state.are_allied(b, a) else f"{rest[0]} and {rest[1]} are not allied"
    if word == "alliances":
        told = len(state.pacts)
        return None if told == int(rest[0]) else f"there are {told} alliances"
    if word == "offers":
        told = len(state.offers)
        return None if told == int(rest[0]) else f"there are {told} offers"
    if word == "support":
        told = state.support[POWERS.index(rest[0])]
        return None if told == int(rest[1]) else f"{rest[0]} has {told} points of support"
    if word == "owner":
        told = state.owner_of(_space(state, rest[0]))
        return None if POWERS[told] == rest[1] else f"{rest[0]} is controlled by {POWERS[told]}"
    if word == "loyalty":
        told = state.loyalty_of(_space(state, rest[0]))
        return None if told == int(rest[1]) else f"{rest[0]} has loyalty {told}"
    if word == "forces":
        found = ", ".join(sorted(_forces_data(state, _space(state, rest[0])))) or "none"
        wanted = ", ".join(sorted(rest[1:]))
        return None if found == wanted else f"{rest[0]} holds {found}"
    if word == "siege":
        space = _space(state, rest[0])
        power = state.besieged_by[space]
        found = "none" if power == NONE else f"{POWERS[power]} {state.siege_points[space]}"
        return None if found == " ".join(rest[1:]) else f"{rest[0]} is besieged by {found}"
    if word == "activated":
        found = " ".join(POWERS[p] for p in range(IND) if state.activated >> p & 1) or "nobody"
        return None if found == " ".join(rest) else f"activated are {found}"
    if word == "promise":
        kept = [promise.kept for promise in state.promises]
        return None if rest[0] in kept else f"promises are {', '.join(kept) or 'none'}"
    if word == "active":
        found = SEATS[state.active] if state.active >= 0 else "nobody"
        return None if found == rest[0] else f"active is {found}"
    if word == "plunder":
        found = "none" if not state.plunder else f"{'GAL' if state.plunder > 0 else 'TRA'} {abs(state.plunder)}"
        return None if found == " ".join(rest) else f"on the plunder track lie {found}"
    if word == "hand":
        seat = SEATS.index(rest[0])
        told = len(state.hands[seat]) if seat < len(state.hands) else 0
        return None if told == int(rest[1]) else f"{rest[0]} holds {told} cards"
    if word in ("discards", "removed"):
        seat = SEATS.index(rest[0])
        piles = state.discards if word == "discards" else state.removed
        found = " ".join(sorted(state.world.cards[card].id for card in (piles[seat] if seat < len(piles) else ())))
        return None if found == " ".join(sorted(rest[1:])) else f"{word} of {rest[0]}: {found or 'none'}"
    if word == "desperate":
        told = state.desperate[SEATS.index(rest[0])] if state.desperate else 0
        return None if told == int(rest[1]) else f"{rest[0]} has {told} Desperate Times left"
    raise KeyError(word)


# status


def _carthage_and_the_sea(state: State, say: Any) -> list[str]:
    """What the sheet says of Carthage: unrest, mercenaries and their revolt, its fall; and of Roman ships."""
    lines = []
    if state.world.players == 5:
        if state.unrest >= 0:
            lines.append(say("ui/unrest", {"count": state.unrest}))
        hired = sum(count for _, count in state.levies)
        if hired:
            lines.append(say("ui/mercenaries", {"count": hired}))
        if any(force.power == MER for forces in state.forces for force in forces):
            lines.append(say("ui/revolt", {}))
    if state.fallen:
        lines.append(say("ui/fallen", {}))
    if state.duoviri:
        lines.append(say("ui/roman_ships", {}))
    return lines


def status(state: State, language: str) -> list[tuple[str, list[str]]]:
    """A status sheet: (heading, lines) for turn, points, alliances, deciders and sieges, as far as known."""
    speaker = Speaker(state.world.referee, language)
    say = speaker.say
    sheet: list[tuple[str, list[str]]] = []
    moment = []
    if state.turn > 0:
        moment.append(f"{say('ui/turn', {})} {state.turn}")
    if state.round > 0:
        moment.append(f"{say('ui/round', {})} {state.round}")
    if state.phase >= 0:
        moment.append(speaker.value("phase", state.phase))
    if state.active >= 0:
        moment.append(f"{say('ui/active', {})}: {speaker.value('seat', state.active)}")
    if moment:
        sheet.append((say("ui/position", {}), moment))
    points = [
        f"{speaker.value('seat', seat)}: {state.vp[seat]}" for seat in state.world.seats if state.vp[seat] != UNKNOWN
    ]
    if points:
        sheet.append((say("ui/vp", {}), points))
    if state.winners:
        sheet.append((say("ui/victory", {}), [speaker.value("seat", seat) for seat in state.winners]))
    if state.out > 0:
        sheet.append((say("ui/out", {}), [speaker.value("seat", seat) for seat in bits(state.out)]))
    allied = []
    for pact in state.pacts:
        key = "ui/allied" if pact.turn == UNKNOWN else "ui/allied_since"
        allied.append(capital(say(key, {"a": pact.a, "b": pact.b, "turn": pact.turn})))
    if state.allies[ETR] >> SAM & 1 and not state.formal[ETR] >> SAM & 1:
        allied.append(capital(say("ui/allied", {"a": ETR, "b": SAM})) + " (15.1.M1)")
    if state.treaty == TREATY:
        allied.append(capital(say("ui/allied", {"a": POWERS.index("ROM"), "b": POWERS.index("CAR")})) + " (18.0)")
    if any(state.unsure):
        allied.append(say("ui/unknown", {}))
    sheet.append((say("ui/alliances", {}), allied or [say("ui/no_alliances", {})]))
    sea = _carthage_and_the_sea(state, say)
    if sea:
        sheet.append((capital(speaker.value("power", CAR)), sea))
    deciding = []
    for npp in state.world.npps:
        if not state.is_npp(npp):
            continue
        try:
            deciding.append(said_decider(speaker, state, npp, decider(state, npp)))
        except Unknown as unknown:
            subject = _open_decider(state, npp, "", unknown)
            question = speaker.question(unknown.what, tuple(subject.items()))
            name = capital(speaker.value("power", npp))
            deciding.append(f"{name}: " + say("said/depends", {"question": question}))
    sheet.append((say("ui/decides_heading", {}, None, lambda: "NPP"), deciding))
    sieges = []
    for space, power in enumerate(state.besieged_by):
        if power >= 0:
            points_ = state.siege_points[space]
            told = speaker.value("space", space), speaker.value("power", power), "?" if points_ < 0 else str(points_)
            sieges.append(f"{told[0]}: {told[1]}, {told[2]}")
    if sieges:
        sheet.append((say("ui/siege", {}), sieges))
    if state.plunder:
        whose = speaker.value("power", GAL if state.plunder > 0 else TRA)
        sheet.append((say("ui/plunder", {}), [capital(f"{whose}: {abs(state.plunder)}")]))
    return sheet
