"""The ruling desk: a line goes in, a ruling comes out, as plain data and as a good referee would say it.

What is said of a game is said in the game's own words (`Words.templates`), each {language: template} under a key:

    command/X, event/X          a command or event of class X; its fields are the facts, and those of a struct in it
    .../X/value, .../X+field    the same where a text in it has that value, where that field is given: somebody or
                                somewhere, a number above 0, a list with something in it; .../X/value+field for both.
                                The nearest key is said: with both, with the field, with the value, plain
    decision/X                  what is awaited of a seat
    question/X                  a question that is open, as it follows "It depends on" ("who controls {space}")
    answer/X/N, /none, /any     an answer to it: option N; nobody; any other, which stands in the hole that is no fact
                                of the question. A game may have other tags than these (`Game.answer_tag`)
    remedy/X                    a change that turns the verdict (X: its name, or the class of its command)
    assumed/X                   what the desk takes for granted
    purpose/X                   what dice are rolled for
    detail/X                    the fact X, in brackets after a sentence of a clause that does not say it itself

An event whose words are empty is not said. What has no words is said by its names: never left out, never a fault.
The words of the desk itself are `UI`.
"""

from __future__ import annotations

import re
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any, Final, NamedTuple, Protocol

import msgspec

from foedus.kernel.codec import kind_of_field
from foedus.kernel.dice import NeedDice
from foedus.kernel.faults import Fault
from foedus.kernel.flow import KERNEL_EVENTS, Corrected, Decision, Rolled, RulingChanged, Sealed, SealedFrame
from foedus.kernel.notation import MAX_LINE, NotationError
from foedus.kernel.referee import Referee
from foedus.kernel.rules import Facts
from foedus.kernel.unknown import NONE, UNKNOWN, Unknown
from foedus.kernel.values import Command, Event, bits
from foedus.kernel.verdict import ALLOWED, REFUSED, Open, Remedy, Verdict
from foedus.kernel.words import WordsError, capital

UI: Final[Mapping[str, Mapping[str, str]]] = {
    "allowed": {"en": "Allowed: {command}.", "ru": "Можно: {command}."},
    "refused": {"en": "Refused: {command}.", "ru": "Нельзя: {command}."},
    "depends": {"en": "It depends: {command}.", "ru": "Зависит от обстоятельств: {command}."},
    "no_rule": {"en": "No rule forbids it.", "ru": "Ни одно правило этого не запрещает."},
    "follows": {"en": "What follows:", "ru": "Что последует:"},
    "happened": {"en": "What happened:", "ru": "Что произошло:"},
    "remedies": {"en": "What would change it:", "ru": "Что изменит ответ:"},
    "rulings": {"en": "Rulings of the table that decided:", "ru": "Повлиявшие решения стола:"},
    "assumed": {"en": "Assumed:", "ru": "Предполагается:"},
    "depends_on": {"en": "It depends on {question}", "ru": "Это зависит от того, {question}"},
    "refused_if": {"en": ": refused if {answers}", "ru": ": нельзя, если {answers}"},
    "allowed_only_if": {"en": ": allowed only if {answers}", "ru": ": можно, только если {answers}"},
    "or": {"en": " or ", "ru": " или "},
    "until_dice": {"en": "Then dice decide: {purpose}.", "ru": "Дальше решают кубики: {purpose}."},
    "until_unknown": {
        "en": "What follows then depends on {question}.",
        "ru": "Что дальше, зависит от того, {question}.",
    },
    "until_moment": {
        "en": "What follows depends on the step under way, which the position does not say.",
        "ru": "Что последует, зависит от текущего шага игры, а его позиция не называет.",
    },
    "sealed": {
        "en": "The answer stays sealed until all are in.",
        "ru": "Ответ остаётся закрытым, пока не даны все.",
    },
    "here": {"en": "Here: {values}.", "ru": "Здесь: {values}."},
    "then": {"en": "; then ", "ru": "; затем "},
    "rolled": {"en": "Dice: {result} ({purpose}).", "ru": "Кубики: {result} ({purpose})."},
    "picked": {"en": "Picked at random: {purpose}.", "ru": "Выбрано наугад: {purpose}."},
    "told": {"en": "; told, not rolled", "ru": "; сообщено, а не брошено"},
    "corrected": {"en": "The table says: {line}.", "ru": "Стол сообщает: {line}."},
    "taken_back": {"en": "Taken back: all after line {line}.", "ru": "Взято назад всё после записи {line}."},
    "dropped": {"en": "Taken back: line {line}.", "ru": "Взята назад запись {line}."},
    "ruling_changed": {"en": "The table rules anew: {ruling}.", "ru": "Стол решает по-новому: {ruling}."},
}
"""The desk's own words."""

_WORDS_FAIL = (WordsError, LookupError, TypeError, ValueError, AttributeError)
_HOLE = re.compile(r"\{(\w+)")


class Assumption(NamedTuple):
    """Something the desk took for granted: a key of the words ("active" for "assumed/active") and its facts."""

    key: str
    facts: Facts


@dataclass(frozen=True)
class Answer:
    """The answer to a question: as data, as text, and whether it could be answered (False: it depends)."""

    data: dict[str, Any]
    text: str
    ok: bool = True


class Questions(Protocol):
    """What a game knows of questions."""

    def examples(self, world: Any, language: str) -> Sequence[str]:
        """Lines to begin with, for somebody who has never asked: questions and commands."""
        ...

    def read(self, line: str, names: Any, language: str) -> Any | None:
        """The question that a line asks, or None if it is none. May raise `NotationError`."""
        ...

    def answer(self, referee: Referee, state: Any, question: Any, language: str) -> Answer:
        """The answer in this position."""
        ...


# facts of commands, events and rules


class _Field(NamedTuple):
    name: str
    kind: str
    mask: bool
    default: Any
    text: bool


@cache
def _fields(cls: type) -> tuple[_Field, ...]:
    hints = typing.get_type_hints(cls, include_extras=True)
    found = []
    for one in msgspec.structs.fields(cls):
        annotation = hints[one.name]
        kind = kind_of_field(annotation)
        mask = any(
            isinstance(meta, msgspec.Meta) and bool((meta.extra or {}).get("mask"))
            for meta in getattr(annotation, "__metadata__", ())
        )
        plain = annotation
        if kind is None and typing.get_origin(annotation) is tuple and typing.get_args(annotation):
            plain = typing.get_args(annotation)[0]
            kind = kind_of_field(plain)
        text = annotation is str
        kind = kind or ("number" if plain in (int, bool) else "text")
        found.append(_Field(one.name, kind, mask, one.default, text))
    return tuple(found)


def facts_of(struct: msgspec.Struct) -> tuple[dict[str, Any], dict[str, str]]:
    """The facts of a command or event by field, with their kinds; the fields of a struct inside it stand beside its
    own."""
    found: dict[str, Any] = {}
    kinds: dict[str, str] = {}
    inside: list[msgspec.Struct] = []
    for one in _fields(type(struct)):
        value = getattr(struct, one.name)
        if isinstance(value, msgspec.Struct):
            inside.append(value)
            continue
        found[one.name] = (UNKNOWN if value < 0 else bits(value)) if one.mask else value
        kinds[one.name] = one.kind
    for inner in inside:
        more, of = facts_of(inner)
        for name, value in more.items():
            if name not in found:
                found[name], kinds[name] = value, of[name]
    return found, kinds


def key_of(templates: Mapping[str, Any], stem: str, struct: msgspec.Struct) -> str:
    """The nearest key that has words for a command or event: with a value and a field, a field, a value, plain."""
    values, fields = _tags(struct)
    stems = [f"{stem}/{value}" for value in values]
    for one in (*(f"{first}+{name}" for first in (*stems, stem) for name in fields), *stems):
        if one in templates:
            return one
    return stem


def _tags(struct: msgspec.Struct) -> tuple[list[str], list[str]]:
    """The texts in a struct, and the names of its fields that are given, the last first."""
    values: list[str] = []
    fields: list[str] = []
    for one in _fields(type(struct)):
        value = getattr(struct, one.name)
        if isinstance(value, msgspec.Struct):
            inner = _tags(value)
            values += inner[0]
            fields += inner[1][::-1]
        elif one.text:
            if value:
                values.append(value)
        elif isinstance(value, (tuple, str)) or one.mask or one.kind == "number":
            if value and value not in (UNKNOWN, NONE):
                fields.append(one.name)
        elif isinstance(value, int) and value >= 0:
            fields.append(one.name)
    return values, fields[::-1]


def _sentence(text: str) -> str:
    """The text with a capital and a full stop."""
    return capital(text if text.endswith((".", "!", "?")) else text + ".")


class Speaker:
    """Says things of one game in one language; what has no words is said by its names."""

    def __init__(self, referee: Referee, language: str) -> None:
        self.referee = referee
        self.game = referee.game
        self.words = referee.game.words.with_names(getattr(referee.world, "spoken", {}))
        self.names = referee.world.names
        self.language = language

    def ui(self, key: str, **texts: str) -> str:
        """Words of the desk itself, with ready texts in their holes."""
        said = UI[key][self.language]
        for name, text in texts.items():
            said = said.replace(f"{{{name}}}", text)
        return said

    def plain(self, kind: str, value: Any) -> Any:
        """A value as JSON has it: names instead of small integers, "?" for unknown, None for nobody."""
        if isinstance(value, (tuple, list, set, frozenset)):
            return [self.plain(kind, one) for one in value]
        if isinstance(value, msgspec.Struct):
            found, kinds = facts_of(value)
            return {name: self.plain(kinds[name], one) for name, one in found.items()}
        if isinstance(value, bool) or not isinstance(value, int):
            return value if value is None or isinstance(value, (bool, str)) else str(value)
        table = self.names.get(kind)
        if table is None:
            return value
        if value in (UNKNOWN, NONE):
            return "?" if value == UNKNOWN else None
        return table[value] if 0 <= value < len(table) else value

    def plain_facts(self, found: Mapping[str, Any], kinds: Mapping[str, str] | None = None) -> dict[str, Any]:
        """Facts as JSON has them."""
        return {name: self.plain(self._kind(name, kinds), value) for name, value in found.items()}

    def _kind(self, name: str, kinds: Mapping[str, str] | None) -> str:
        return (kinds or {}).get(name) or self.words.kinds.get(name) or "number"

    def value(self, kind: str, value: Any) -> str:
        """A value in words, or by its name."""
        try:
            return self.words.name(kind, value, self.language)
        except _WORDS_FAIL:
            plain = self.plain(kind, value)
            return ", ".join(map(str, plain)) if isinstance(plain, list) else str(plain)

    def say(
        self,
        key: str,
        found: Mapping[str, Any],
        kinds: Mapping[str, str] | None = None,
        fallback: Callable[[], str] | None = None,
        last: str = "and",
    ) -> str:
        """The words of a key, without a capital; where there are none, the fallback, or the key and its facts."""
        template = self.words.templates.get(key)
        if template is not None:
            try:
                return self.words.fill(template[self.language], found, self.language, kinds, last)
            except _WORDS_FAIL:
                pass
        if fallback is not None:
            return fallback()
        named = ", ".join(
            f"{name} {self.value(self._kind(name, kinds), value)}"
            for name, value in found.items()
            if not (isinstance(value, (int, str, tuple)) and value in (NONE, "", ()))
        )
        bare = key.split("/")[1] if "/" in key else key
        return f"{bare.replace('_', ' ')}: {named}" if named else bare.replace("_", " ")

    def notation(self, command: Command, line: str = "") -> str:
        """The line that says the command; else the line it was read from; else its class and parts."""
        try:
            return self.game.notation.write(command, self.names)
        except (NotationError, LookupError, TypeError):
            if line:
                return line
        found, kinds = facts_of(command)
        parts = [f"{name}={value}" for name, value in self.plain_facts(found, kinds).items() if value is not None]
        return " ".join([type(command).__name__, *parts])

    def command(self, command: Command, line: str = "") -> str:
        """The command in words, without a capital or a full stop; else its notation."""
        found, kinds = self._facts(command)
        key = key_of(self.words.templates, f"command/{type(command).__name__}", command)
        return self.say(key, found, kinds, lambda: self.notation(command, line))

    def _facts(self, struct: msgspec.Struct) -> tuple[dict[str, Any], dict[str, str]]:
        """The facts of a command or event; commands that stand in it, such as the terms of a deal, as they are said."""
        found, kinds = facts_of(struct)
        structs = [struct]
        while structs:
            one = structs.pop()
            for name in type(one).__struct_fields__:
                value = getattr(one, name)
                commands = value if isinstance(value, tuple) else (value,)
                if commands and all(isinstance(part, Command) for part in commands):
                    found[name] = "; ".join(self.command(part) for part in commands)
                    kinds[name] = "text"
                elif isinstance(value, msgspec.Struct):
                    structs.append(value)
        return found, kinds

    def event(self, event: Event) -> str:
        """The event as a sentence with the clause by which it happened; "" for one that is not said."""
        if isinstance(event, Rolled):
            purpose = self.purpose(event.purpose) + (self.ui("told") if event.told else "")
            result = " ".join(map(str, event.result))
            return self.ui("rolled" if event.sides else "picked", result=result, purpose=purpose)
        if isinstance(event, RulingChanged):
            return self.ui("ruling_changed", ruling=self.ruling(event.ruling, event.option).rstrip("."))
        if isinstance(event, Corrected):
            if event.back >= 0:
                return self.ui("taken_back", line=str(event.back))
            if event.dropped:
                return self.ui("dropped", line=", ".join(map(str, event.dropped)))
            return self.ui("corrected", line=event.line)
        if isinstance(event, KERNEL_EVENTS) and not isinstance(event, Sealed):
            return ""
        if isinstance(event, Sealed):
            return self.ui("sealed")
        found, kinds = self._facts(event)
        key = key_of(self.words.templates, f"event/{type(event).__name__}", event)
        said = self.say(key, found, kinds)
        if not said:
            return ""
        said = said.rstrip(".")
        why = found.get("why")
        if isinstance(why, str) and why in self.game.rulebook.clauses and why not in said:
            said += f" ({why})"
        return capital(said) + "."

    def purpose(self, purpose: str) -> str:
        """What dice are rolled for; the words of a purpose that ends with powers name them `power` and `to`."""

        def with_powers() -> str:
            words, powers = purpose.split(), list(self.names.get("power", ()))
            named: list[int] = []
            while len(words) > 1 and len(named) < 2 and words[-1] in powers:
                named.insert(0, powers.index(words.pop()))
            found = dict(zip(("power", "to"), named, strict=False))
            return self.say(f"purpose/{' '.join(words)}", found, None, lambda: purpose)

        return self.say(f"purpose/{purpose}", {}, None, with_powers)

    def ruling(self, index: int, option: int) -> str:
        """A ruling and the option in force."""
        ruling = self.game.rulebook.rulings[index]
        chosen = ruling.options[option]
        question = ruling.question.get(self.language, ruling.name)
        return f"{question} — {ruling.words[chosen].get(self.language, chosen)}"

    def question(self, what: str, subject: Facts) -> str:
        """An open question, as it follows "It depends on"."""
        return self.say(f"question/{what}", dict(subject))

    def _answer(self, what: str, subject: Facts, option: int) -> tuple[str, str, str, int]:
        """How an answer is said: its key, the hole that it fills, its kind, and its value."""
        tag, value = self.game.answer_tag(what, option)
        key = next(
            (
                one
                for one in (f"answer/{what}/{option}", f"answer/{what}/{tag}", f"answer/{what}/any", f"answer/{what}")
                if one in self.words.templates
            ),
            "",
        )
        known = dict(subject)
        holes = _HOLE.findall(self.words.templates.get(key, {}).get(self.language, ""))
        hole = next((name for name in holes if name not in known), what)
        kind = self.words.kinds.get(hole) or self.words.kinds.get(what, "number")
        return key, hole, kind, value

    def answer(self, what: str, subject: Facts, option: int) -> str:
        """One answer to an open question."""
        key, hole, kind, value = self._answer(what, subject, option)
        return self.say(key, {**dict(subject), hole: value}, {hole: kind}, lambda: self.value(kind, value))

    def answers(self, what: str, subject: Facts, options: Iterable[int]) -> list[str]:
        """Several answers, those with the same words together: "Rome or the Gauls control it"."""
        alike: dict[tuple[str, str, str], list[tuple[int, int]]] = {}
        for option in options:
            key, hole, kind, value = self._answer(what, subject, option)
            alike.setdefault((key, hole, kind), []).append((option, value))
        said = []
        for (key, hole, kind), found in self._joined(what, alike).items():
            if len(found) == 1 and "+" in key:
                said.append(self.say(key, {**dict(subject), hole: found[0][1]}, {hole: kind}))
            elif len(found) == 1 or not key:
                said += [self.answer(what, subject, option) for option, _ in found]
            else:
                several = {**dict(subject), hole: tuple(value for _, value in found)}
                said.append(self.say(key, several, {hole: kind}, None, "or"))
        return said

    def _joined(
        self, what: str, alike: dict[tuple[str, str, str], list[tuple[int, int]]]
    ) -> dict[tuple[str, str, str], list[tuple[int, int]]]:
        """The answers with those of the same values together, where the game has words for both: `answer/X/A+B`."""
        joined: dict[tuple[str, str, str], list[tuple[int, int]]] = {}
        for (key, hole, kind), found in alike.items():
            for (other, *rest), before in list(joined.items()):
                both = f"{other}+{key.rpartition('/')[2]}"
                if both in self.words.templates and [v for _, v in before] == [v for _, v in found]:
                    del joined[other, rest[0], rest[1]]
                    joined[both, hole, kind] = found
                    break
            else:
                joined[key, hole, kind] = found
        return joined

    def plain_answer(self, what: str, subject: Facts, option: int) -> Any:
        """One answer as JSON has it."""
        tag, _ = self.game.answer_tag(what, option)
        _, _, kind, value = self._answer(what, subject, option)
        plain = self.plain(kind, value)
        return plain if tag in ("any", "none", str(option)) else f"{plain} {tag}"

    def decision(self, decision: Decision) -> str:
        """What is awaited of a seat, as a sentence; "" where the game has no words for it."""
        if f"decision/{decision.what}" not in self.words.templates:
            return ""
        found = {"seat": decision.seat, "power": decision.power, **dict(decision.facts)}
        return capital(self.say(f"decision/{decision.what}", found).rstrip(".")) + "."

    def assumption(self, one: Assumption) -> str:
        """What was taken for granted, as a sentence."""
        return capital(self.say(f"assumed/{one.key}", dict(one.facts)).rstrip(".")) + "."

    def remedy(self, remedy: Remedy) -> str:
        """What would have to be done or come about, as a sentence."""
        found = dict(remedy.facts)
        kinds: dict[str, str] = {}
        name = remedy.change
        if not name and remedy.commands:
            first = remedy.commands[0]
            name = type(first).__name__
            parts, kinds = facts_of(first)
            found = {**parts, **found}
        usual = (lambda: self.ui("then").join(map(self.command, remedy.commands))) if remedy.commands else None
        if len(remedy.commands) > 1 and not remedy.change and usual is not None:
            said = usual()
        else:
            said = self.say(f"remedy/{name}", found, kinds, usual)
        return capital(said.rstrip(".")) + "."

    def clause(self, side: str, clause_id: str, facts: Facts) -> tuple[str, str]:
        """The sentence in which a clause refuses or permits, and what it was said of where the sentence is only the
        clause's own."""
        clause = self.game.rulebook.clauses.get(clause_id)
        found = dict(facts)
        if clause is None:
            return _sentence(self.say(clause_id, found)), ""
        template = clause.template(side, str(found.get("variant", "")), self.language)
        text = clause.text.get(self.language, clause_id)
        if template != text:
            try:
                said, more = self.words.fill(template, found, self.language), self._details(template, found)
                return _sentence(said.rstrip(".") + more if more else said), ""
            except _WORDS_FAIL:
                pass
        values = [
            self.value(self._kind(name, None), value)
            for name, value in found.items()
            if self._kind(name, None) not in ("number", "text")
            and value not in (NONE, UNKNOWN, ())
            and not isinstance(value, str)
        ]
        return _sentence(text), self.ui("here", values=", ".join(dict.fromkeys(values))) if len(values) > 1 else ""

    def _details(self, template: str, found: Mapping[str, Any]) -> str:
        """What the template leaves out of the facts and the game wants said, in brackets and with the full stop."""
        told = _HOLE.findall(template)
        keys = [name for name in found if f"detail/{name}" in self.words.templates and name not in told]
        return f" ({', '.join(self.say(f'detail/{name}', found) for name in keys)})." if keys else ""


# rulings


@dataclass(frozen=True)
class Ruling:
    """A verdict with everything that is said of it: `data` for programs, `text` for people."""

    referee: Referee
    state: Any
    verdict: Verdict
    language: str = "en"
    assumed: tuple[Assumption, ...] = ()
    line: str = ""
    happened: tuple[Event, ...] | None = None
    """the events, where the command was carried out; they are told instead of what would follow"""
    speaker: Speaker = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "speaker", Speaker(self.referee, self.language))

    @cached_property
    def _reasons(self) -> list[tuple[str, str, str, dict[str, Any]]]:
        """(clause, sentence, what it was said of, facts) of each reason."""
        verdict, speaker = self.verdict, self.speaker
        side = "refusal" if verdict.kind == REFUSED else "grant"
        found = [
            (reason.clause, *speaker.clause(side, reason.clause, reason.facts), speaker.plain_facts(dict(reason.facts)))
            for reason in verdict.reasons
        ]
        return found + [self._open(question) for question in verdict.open]

    def _open(self, question: Open) -> tuple[str, str, str, dict[str, Any]]:
        speaker = self.speaker
        text = speaker.ui("depends_on", question=speaker.question(question.what, question.subject))
        rest = tuple(option for option in question.options if option not in question.biting)
        facts = speaker.plain_facts({**dict(question.facts), **dict(question.subject)})
        facts["question"] = question.what
        facts["refused_if"] = [
            speaker.plain_answer(question.what, question.subject, option) for option in question.biting
        ]
        if question.biting:
            few = len(question.biting) <= len(rest)
            answers = speaker.answers(question.what, question.subject, question.biting if few else rest)
            text += speaker.ui("refused_if" if few else "allowed_only_if", answers=self._either(answers))
        clause = speaker.game.rulebook.clauses.get(question.clause)
        return question.clause, text + ".", f"({clause.title[self.language]})" if clause else "", facts

    def _either(self, said: Sequence[str]) -> str:
        said = list(dict.fromkeys(said))
        if len(said) < 2:
            return "".join(said)
        return ", ".join(said[:-1]) + self.speaker.ui("or") + said[-1]

    @cached_property
    def _rulings(self) -> list[dict[str, str]]:
        book, speaker = self.referee.game.rulebook, self.speaker
        found = []
        for name, option in self.verdict.rulings:
            index, place = book.option(name, option)
            found.append(
                {
                    "name": name,
                    "option": option,
                    "clause": book.rulings[index].clause,
                    "text": speaker.ruling(index, place),
                }
            )
        return found

    @cached_property
    def _follows(self) -> list[str]:
        speaker, referee = self.speaker, self.referee
        if self.happened is not None:
            after = referee.replay(self.state, self.happened) if self.happened else self.state
            return said_events(speaker, self.happened) + self._then(after, self.verdict.command.power)
        follows = self.verdict.follows
        if follows is None:
            return []
        frames = self.state.frames
        if frames and isinstance(frames[-1], SealedFrame) and not follows.events and not follows.until:
            return [speaker.ui("sealed")]
        said = said_events(speaker, follows.events)
        if follows.until == "dice":
            need = follows.needs
            purpose = need.purpose if isinstance(need, NeedDice) else str(need)
            said.append(speaker.ui("until_dice", purpose=speaker.purpose(purpose)))
        elif follows.until == "unknown":
            need = follows.needs
            question = speaker.question(need.what, need.subject) if isinstance(need, Unknown) else str(need)
            said.append(speaker.ui("until_unknown", question=question))
        elif follows.until:
            said.append(speaker.ui("until_moment"))
        elif follows.events:
            said.extend(self._then(referee.replay(self.state, follows.events)))
        return said

    def _then(self, after: Any, power: int = NONE) -> list[str]:
        """Who must decide next, where that is new; only for one power, if one is named."""
        try:
            before = self.referee.awaiting(self.state)
            awaited = self.referee.awaiting(after)
        except Unknown:
            return []
        new = [one for one in awaited if one not in before and power in (NONE, one.power)]
        said = [self.speaker.decision(decision) for decision in new]
        return [one for one in said if one]

    @cached_property
    def _remedies(self) -> list[dict[str, Any]]:
        speaker = self.speaker
        return [
            {"text": speaker.remedy(remedy), "commands": [speaker.notation(one) for one in remedy.commands]}
            for remedy in self.verdict.remedies
        ]

    @cached_property
    def data(self) -> dict[str, Any]:
        """The ruling as plain data, in the form of the contract."""
        return {
            "command": self.speaker.notation(self.verdict.command, self.line),
            "verdict": self.verdict.kind,
            "reasons": [
                {"clause": clause, "text": text if self.verdict.open else f"{text} {here}".rstrip(), "facts": facts}
                for clause, text, here, facts in self._reasons
            ],
            "rulings": self._rulings,
            "assumed": [
                {"what": one.key, "text": self.speaker.assumption(one), "facts": self.speaker.plain_facts(dict(one[1]))}
                for one in self.assumed
            ],
            "follows": self._follows,
            "remedies": self._remedies,
        }

    @cached_property
    def text(self) -> str:
        """The ruling as a good referee says it: the answer, why, what follows, what would have to change."""
        speaker = self.speaker
        lines = [speaker.ui(self.verdict.kind, command=speaker.command(self.verdict.command, self.line).rstrip("."))]
        if self.verdict.allowed and not self._reasons:
            lines.append(f"  {speaker.ui('no_rule')}")
        wide = max((len(clause) for clause, *_ in self._reasons), default=0)
        for clause, text, here, _ in self._reasons:
            lines.append(f"  {clause.ljust(wide)}  {text}")
            if here:
                lines.append(f"  {' ' * wide}  {here}")
        heading = "follows" if self.happened is None else "happened"
        for key, said in (
            (heading, self._follows),
            ("remedies", [_with_commands(remedy) for remedy in self._remedies]),
            ("rulings", [f"{one['name']} = {one['option']} ({one['clause']}): {one['text']}" for one in self._rulings]),
            ("assumed", [speaker.assumption(one) for one in self.assumed]),
        ):
            if said:
                lines.append(speaker.ui(key))
                lines.extend(f"  - {sentence}" for sentence in said)
        return "\n".join(lines)


def said_events(speaker: Speaker, events: Iterable[Event]) -> list[str]:
    """The events in sentences, those that are not said left out."""
    return [said for event in events if (said := speaker.event(event))]


def _with_commands(remedy: Mapping[str, Any]) -> str:
    commands = "; ".join(remedy["commands"])
    return f"{remedy['text']} [{commands}]" if commands else str(remedy["text"])


def ruling_data(
    referee: Referee, state: Any, verdict: Verdict, language: str, assumed: Sequence[Assumption] = (), line: str = ""
) -> dict[str, Any]:
    """A verdict as plain data, in the form of the contract."""
    return Ruling(referee, state, verdict, language, tuple(assumed), line).data


def ruling_text(
    referee: Referee, state: Any, verdict: Verdict, language: str, assumed: Sequence[Assumption] = (), line: str = ""
) -> str:
    """A verdict in words: the answer first, then why, then what follows or would have to change."""
    return Ruling(referee, state, verdict, language, tuple(assumed), line).text


# reading


@dataclass(frozen=True)
class Asked:
    """A line as it was understood: a question, or a command."""

    line: str
    question: Any = None
    command: Command | None = None


def read_line(referee: Referee, line: str, language: str = "en") -> Asked:
    """What a line asks. Questions come first, then commands in notation. Raises `NotationError`."""
    line = line.strip()
    if len(line) > MAX_LINE:
        raise NotationError(Fault("too_long", limit=MAX_LINE))
    if not line:
        raise NotationError(Fault("empty"))
    questions: Questions | None = referee.game.questions
    if questions is not None:
        question = questions.read(line, referee.names, language)
        if question is not None:
            return Asked(line, question)
    return Asked(line, None, referee.game.notation.read(line, referee.names))


def assume(referee: Referee, state: Any, command: Command) -> tuple[Any, tuple[Assumption, ...]]:
    """The state with what may be taken for granted of the command, and what that is."""
    state, found = referee.game.assumptions(state, command)
    return state, tuple(Assumption(key, facts) for key, facts in found)


def rule(referee: Referee, state: Any, command: Command, language: str = "en", line: str = "") -> Ruling:
    """The ruling on a command, what is taken for granted included."""
    state, assumed = assume(referee, state, command)
    return Ruling(referee, state, referee.judge(state, command), language, assumed, line)


@dataclass(frozen=True)
class Said:
    """What the desk says of one line: the ruling on a command, or the answer to a question."""

    asked: Asked
    ruling: Ruling | None = None
    answer: Answer | None = None

    @property
    def ok(self) -> bool:
        """Allowed, or answered."""
        return self.ruling.verdict.kind == ALLOWED if self.ruling is not None else bool(self.answer and self.answer.ok)

    @property
    def data(self) -> dict[str, Any]:
        """As plain data."""
        return self.ruling.data if self.ruling is not None else self.answer.data if self.answer is not None else {}

    @property
    def text(self) -> str:
        """In words."""
        return self.ruling.text if self.ruling is not None else self.answer.text if self.answer is not None else ""


def ask(referee: Referee, state: Any, asked: Asked | str, language: str = "en") -> Said:
    """The desk's answer to a line in a position. Raises `NotationError` for a line that cannot be read."""
    if isinstance(asked, str):
        asked = read_line(referee, asked, language)
    if asked.command is None:
        return Said(asked, None, referee.game.questions.answer(referee, state, asked.question, language))
    return Said(asked, rule(referee, state, asked.command, language, asked.line))


__all__ = [
    "UI",
    "Answer",
    "Asked",
    "Assumption",
    "Questions",
    "Ruling",
    "Said",
    "Speaker",
    "ask",
    "assume",
    "facts_of",
    "key_of",
    "read_line",
    "rule",
    "ruling_data",
    "ruling_text",
    "said_events",
]
