"""Every sentence of the game can be said, in both languages, of whomever it may be about."""

from __future__ import annotations

import ast
import os
import re
import tomllib
import typing
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pytest

import foedus.games.sword_of_rome as package
from foedus.games.sword_of_rome import commands, events
from foedus.games.sword_of_rome.game import SEAT_DECKS
from foedus.games.sword_of_rome.hands import DRAWS
from foedus.games.sword_of_rome.state import PHASES, POWERS, SEATS
from foedus.kernel.rulebook import LANGUAGES, Clause, read_rulebook
from foedus.kernel.unknown import NONE, UNKNOWN
from foedus.kernel.values import Command
from foedus.kernel.words import Words

HERE = Path(__file__).parent
GAME = Path(str(package.__file__)).parent
GOLDEN = HERE / "words.ru.golden.txt"
WRITE_GOLDEN = "FOEDUS_WRITE_GOLDEN"
NUMBERS = (0, 1, 2, 5, 11, 21)
NESTED = ("offer", "promise", "standing")
HOLE = re.compile(r"\{(\w+)(?::(\w+)|([|#])([^{}]*))?\}")


def _toml(name: str) -> dict[str, Any]:
    return tomllib.loads((GAME / name).read_text(encoding="utf-8"))


BOOK = read_rulebook((GAME / "rulebook.toml").read_text(encoding="utf-8"))
WORDS = _toml("words.toml")
WORDS["said"] = _toml("names.toml")["said"]
BOARD = _toml("boards/italy-386.toml")
KINDS: dict[str, str] = WORDS["facts"]


def _plain(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, dict[str, str]]]:
    return [{lang: {"nom": str(row[lang])} for lang in LANGUAGES} for row in rows]


def _names() -> dict[str, list[Any]]:
    names = _toml("names.toml")
    minor = [{lang: names["minor_leader"][lang].format(letter="A", power="X") for lang in LANGUAGES}]
    spaces = _plain({"en": space["name"], "ru": space["ru"]} for space in BOARD["places"])
    for row in spaces:
        for lang in LANGUAGES:
            row[lang] |= names["siege"]["city"][lang]
    leaders = _plain([*names["leader"].values(), *minor])
    for row in leaders:
        for lang in LANGUAGES:
            row[lang]["fate"] = names["fate"]["named"][lang]
    return {
        "power": [names["power"][code] for code in POWERS],
        "seat": [names["seat"][code] for code in SEATS],
        "space": spaces,
        "leader": leaders,
        "card": _plain(card for deck in ("plain", *SEAT_DECKS) for card in _toml(f"decks/{deck}.toml")["cards"]),
        "phase": _plain(names["phase"][name] for name in PHASES),
    }


NAMES = _names()
SAYER = Words(NAMES, KINDS, {})


@dataclass(frozen=True)
class Sentence:
    """A template, where it stands, and of what kinds its facts are."""

    key: str
    template: Mapping[str, str]
    kinds: Mapping[str, str]

    def __str__(self) -> str:
        return self.key


# where the templates are


def _clause_sentences() -> Iterator[Sentence]:
    for clause in BOOK.clauses.values():
        for key, template in clause.words.items():
            yield Sentence(f"{clause.id} {key}", template, KINDS)


def _kind(annotation: Any) -> str:
    """The kind of a field's values, for the sentences of commands and events."""
    for part in (annotation, *typing.get_args(annotation)):
        for meta in getattr(part, "__metadata__", ()):
            kind = (getattr(meta, "extra", None) or {}).get("kind")
            if kind is not None:
                return "power" if kind == "actor" else str(kind)
    return "number" if annotation in (int, bool) or typing.get_origin(annotation) is tuple else "text"


def _fields(struct: type) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, annotation in typing.get_type_hints(struct, include_extras=True).items():
        if name in NESTED:
            found |= _fields(annotation)
        elif not name.startswith("__"):
            found[name] = _kind(annotation)
    return found


def _structs(section: str) -> dict[str, type[msgspec.Struct]]:
    if section == "event":
        every: tuple[type[msgspec.Struct], ...] = events.EVENTS
        return {event.__name__: event for event in every}
    return {
        name: value
        for name, value in vars(commands).items()
        if isinstance(value, type) and issubclass(value, Command) and value is not Command
    }


def _base(key: str) -> str:
    return re.split(r"[/+]", key, maxsplit=1)[0]


def _struct_sentences(section: str) -> Iterator[Sentence]:
    structs = _structs(section)
    for key, template in WORDS[section].items():
        yield Sentence(f"{section} {key}", template, _fields(structs[_base(key)]) if _base(key) in structs else {})


def _other_sentences() -> Iterator[Sentence]:
    for section in ("decision", "question", "purpose", "remedy", "assumed", "detail", "ui", "said"):
        for key, template in WORDS[section].items():
            yield Sentence(f"{section} {key}", template, KINDS)
    for question, options in WORDS["answer"].items():
        for key, template in options.items():
            yield Sentence(f"answer {question} {key}", template, KINDS)


SENTENCES = [
    *_clause_sentences(),
    *_struct_sentences("command"),
    *_struct_sentences("event"),
    *_other_sentences(),
]
OF_CLAUSES = [sentence for sentence in SENTENCES if re.search(r" (refusal|grant)(\.|$)", sentence.key)]


def holes(template: str) -> set[str]:
    """The facts that a template asks for."""
    return {match.group(1) for match in HOLE.finditer(template)}


# of whatever they are said


def _values(kind: str) -> list[Any]:
    if kind == "number":
        return list(NUMBERS)
    if kind == "text":
        return ["x"]
    return list(range(len(NAMES[kind])))


def _usual(name: str, kind: str) -> Any:
    if kind == "space":
        return _space({"start": "roma", "to_space": "caere"}.get(name, "tarquinii"))
    usual: dict[str, Any] = {"number": 2, "text": "x", "power": POWERS.index("GRE"), "seat": SEATS.index("GAL")}
    return usual.get(kind, 3)


def _space(code: str) -> int:
    return next(i for i, place in enumerate(BOARD["places"]) if place["id"] == code)


def _takings(sentence: Sentence, template: str) -> Iterator[dict[str, Any]]:
    """Facts for a template: every power in every hole for powers, and the like; the rest as usual."""
    names = sorted(holes(template))
    usual = {name: _usual(name, sentence.kinds[name]) for name in names}
    yield usual
    for name in names:
        for value in _values(sentence.kinds[name]):
            yield usual | {name: value}
        if sentence.kinds[name] in ("power", "seat", "space"):
            if f"{{{name}#" not in template:
                yield usual | {name: NONE}
                yield usual | {name: UNKNOWN}
            yield usual | {name: (0,)}
            yield usual | {name: (0, 1, 2)}


@pytest.mark.parametrize("sentence", SENTENCES, ids=str)
def test_a_sentence_stands_in_both_languages(sentence: Sentence) -> None:
    assert set(sentence.template) == set(LANGUAGES)
    said = [sentence.template[lang] for lang in LANGUAGES]
    assert all(text.strip() == text and text for text in said)
    assert holes(said[0]) <= set(sentence.kinds)
    assert holes(said[1]) <= set(sentence.kinds)
    for text in said:
        assert not set("{}") & set(HOLE.sub("", text)), "a brace that opens no hole"
        for match in HOLE.finditer(text):
            own = {"space": ("besiege", "siege", "siege_gen"), "leader": ("fate",)}
            cases = ("nom", "gen", "dat", "acc", "ins", "pre", "adj")
            assert match.group(2) in (None, *cases, *own.get(sentence.kinds[match.group(1)], ()))
            if match.group(3) == "|":
                assert len(match.group(4).split("|")) in (2, 4)
            if match.group(3) == "#":
                assert len(match.group(4).split("|")) == (2 if text is said[0] else 3)
                assert sentence.kinds[match.group(1)] == "number"


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("sentence", SENTENCES, ids=str)
def test_a_sentence_can_be_said_of_anybody(sentence: Sentence, lang: str) -> None:
    template = sentence.template[lang]
    sayer = Words(NAMES, sentence.kinds, {})
    for found in _takings(sentence, template):
        said = sayer.fill(template, found, lang)
        assert not set("{}|#") & set(said)
        assert "  " not in said
        assert " ," not in said
        assert said.strip() == said


@pytest.mark.parametrize("sentence", OF_CLAUSES, ids=str)
def test_a_sentence_of_a_clause_ends(sentence: Sentence) -> None:
    assert all(text.endswith(".") for text in sentence.template.values())


# nothing is missing


@pytest.mark.parametrize("section", ["command", "event"])
def test_each_command_and_event_has_words(section: str) -> None:
    structs = _structs(section)
    keys = set(WORDS[section])
    assert {_base(key) for key in keys} == set(structs)
    assert {_base(key) for key in keys} <= keys, "a variant without the plain key"


@pytest.mark.parametrize("section", ["command", "event"])
def test_variants_hang_on_fields_that_there_are(section: str) -> None:
    structs = _structs(section)
    for key in WORDS[section]:
        fields = _fields(structs[_base(key)])
        if "/" in key:
            assert "text" in fields.values(), key
        if "+" in key:
            assert key.split("+")[1] in fields, key


def _sources() -> Iterator[ast.Module]:
    for path in sorted(GAME.glob("*.py")):
        yield ast.parse(path.read_text(encoding="utf-8"))


def _calls(name: str) -> Iterator[ast.Call]:
    for tree in _sources():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name:
                yield node


def _method_calls(name: str, owner: str) -> Iterator[ast.Call]:
    for tree in _sources():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == f"{owner}.{name}":
                yield node


def _text(node: ast.AST | None) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def test_each_question_and_decision_has_words() -> None:
    rolled = {_text(call.args[0]) for call in _method_calls("roll", "action") if call.args} - {None}
    picked = {_text(call.args[0]) for call in _method_calls("pick", "action") if call.args} - {None}
    assert rolled | picked | set(DRAWS) == set(WORDS["purpose"])
    asked = {_text(call.args[0]) for call in _calls("Unknown") if call.args} - {None}
    awaited = {_text(call.args[2]) for call in _calls("Decision") if len(call.args) > 2} - {None}
    assert asked <= set(WORDS["question"])
    assert awaited <= set(WORDS["decision"])
    assert set(WORDS["answer"]) <= set(WORDS["question"])
    changes = {_text(call.args[1]) for call in _calls("Remedy") if len(call.args) > 1} - {None}
    assert changes <= set(WORDS["remedy"])


def test_each_key_that_is_said_has_words() -> None:
    said = {node.value for tree in _sources() for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    for key in {str(key) for key in said if re.fullmatch(r"(said|ui)/\w+", str(key))}:
        section, name = key.split("/")
        assert name in WORDS[section] or (name.endswith("_") and any(one.startswith(name) for one in WORDS[section])), (
            key
        )


# the words of a clause and the facts that its functions give

Given = tuple[str, str, str | None, frozenset[str], bool]
"""Clause, side, variant (None: any), names of the facts, and whether there may be more of them."""


def _given() -> Iterator[Given]:
    for tree in _sources():
        functions = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
        for function in functions.values():
            for decorator in function.decorator_list:
                if not isinstance(decorator, ast.Call) or not isinstance(decorator.func, ast.Name):
                    continue
                side = {"forbids": "refusal", "permits": "grant", "excepts": "grant"}.get(decorator.func.id)
                clause = _text(decorator.args[0]) if decorator.args else None
                if side is None or clause is None:
                    continue
                for variant, names, more in _facts_of(function, functions):
                    yield clause, side, variant, names, more


def _facts_of(
    function: ast.FunctionDef, functions: Mapping[str, ast.FunctionDef], seen: frozenset[str] = frozenset()
) -> Iterator[tuple[str | None, frozenset[str], bool]]:
    """The facts that a function gives itself or by helpers of its module that give facts."""
    for node in ast.walk(function):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            continue
        called = node.func.id
        if called == "facts":
            variant: str | None = ""
            for word in node.keywords:
                if word.arg == "variant":
                    variant = _text(word.value)
            yield variant, frozenset(word.arg for word in node.keywords if word.arg) - {"variant"}, False
        elif called in functions and called not in seen and called != function.name:
            helper = functions[called]
            if helper.returns is not None and "Facts" in ast.unparse(helper.returns):
                added = _added(function) | _added(helper)
                for variant, names, _ in _facts_of(helper, functions, seen | {function.name, called}):
                    yield added.get("variant", variant), names, True


def _added(function: ast.FunctionDef) -> dict[str, str]:
    """The facts that a function adds by hand: `(*found, ("variant", "event"))`."""
    found = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Tuple) and any(isinstance(part, ast.Starred) for part in node.elts):
            for part in node.elts:
                if isinstance(part, ast.Tuple) and len(part.elts) == 2:
                    name, value = _text(part.elts[0]), _text(part.elts[1])
                    if name is not None and value is not None:
                        found[name] = value
    return found


def _templates(clause: Clause, side: str, variant: str | None) -> Iterator[str]:
    for lang in LANGUAGES:
        if variant is not None:
            yield clause.template(side, variant, lang)
            continue
        yield clause.template(side, "", lang)
        for key, template in clause.words.items():
            if key.startswith(f"{side}."):
                yield template[lang]


def test_clauses_ask_only_for_facts_that_are_given() -> None:
    wrong = []
    for clause_id, side, variant, names, more in _given():
        clause = BOOK.clauses.get(clause_id)
        if clause is None:
            continue  # of a clause that there is not, the rulebook's own tests speak
        allowed = names | {"space"} if more else names
        for template in _templates(clause, side, variant):
            if variant is not None and not holes(template) <= allowed:
                wrong.append(f"{clause_id} {side}.{variant}: {sorted(holes(template) - allowed)} in {template}")
    assert not wrong, "\n".join(wrong)


def test_each_rule_that_can_be_cited_has_words() -> None:
    silent = set()
    for clause_id, side, variant, _, _ in _given():
        clause = BOOK.clauses.get(clause_id)
        if clause is None:
            continue
        if variant is None:
            if not any(key == side or key.startswith(f"{side}.") for key in clause.words):
                silent.add(f"{clause_id} {side}.*")
        elif (f"{side}.{variant}" if variant else side) not in clause.words:
            silent.add(f"{clause_id} {side}.{variant}")
    assert not silent


def test_all_facts_are_of_a_known_kind() -> None:
    assert set(KINDS.values()) <= {*NAMES, "number", "text"}
    given = {name for _, _, _, names, _ in _given() for name in names}
    assert given <= set(KINDS)


# the Russian sentences, read by a person


def _golden() -> str:
    """Every sentence of a clause in Russian, of each power in turn, then once with all others singular."""
    lines = []
    others = {"to": "GAL", "by": "SAM", "npp": "VOL", "target": "GAL", "owner": "ETR", "other": "SAM", "allies": "GRE"}
    for sentence in OF_CLAUSES:
        template = sentence.template["ru"]
        of_powers = sorted(name for name in holes(template) if KINDS[name] == "power")
        subject = "power" if "power" in of_powers else next(iter(of_powers), None)
        usual: dict[str, Any] = {name: _usual(name, KINDS[name]) for name in holes(template)}
        usual |= {name: POWERS.index(others.get(name, "GRE")) for name in of_powers}
        lines += ["", f"# {sentence.key}"]
        if subject is None:
            lines.append(_said(template, usual))
            continue
        for index, code in enumerate(POWERS):
            if code == "IND":
                continue
            spare = POWERS.index("TRA" if code != "TRA" else "GAL")
            found = {n: spare if KINDS[n] == "power" and v == index else v for n, v in usual.items()}
            lines.append(_said(template, found | {subject: index}))
        if len(of_powers) > 1:
            singular = {name: POWERS.index("CAR") for name in of_powers if name != subject}
            lines.append(_said(template, usual | {subject: POWERS.index("GAL")} | singular))
    return "\n".join(lines).lstrip("\n") + "\n"


def _said(template: str, found: Mapping[str, Any]) -> str:
    said = SAYER.fill(template, found, "ru")
    return said[:1].upper() + said[1:]


def test_the_russian_sentences_are_as_they_were_read() -> None:
    said = _golden()
    if os.environ.get(WRITE_GOLDEN):
        GOLDEN.write_text(said, encoding="utf-8")
    read = GOLDEN.read_text(encoding="utf-8")
    assert said == read, f"the sentences changed: read them, then write them anew with {WRITE_GOLDEN}=1"
