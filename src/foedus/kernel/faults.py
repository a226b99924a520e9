"""What is wrong with a person's input: English text that can also be said in another language."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from foedus.kernel.words import plural

TEMPLATES: Final[Mapping[str, Mapping[str, str]]] = {
    "unknown": {"en": "unknown {what} '{word}'{near}", "ru": "неизвестное имя «{word}» ({what}){near}"},
    "unknown_game": {
        "en": "unknown game '{word}'{near}; installed: {known}",
        "ru": "неизвестная игра «{word}»{near}; установлены: {known}",
    },
    "no_option": {
        "en": "ruling '{name}' has no option '{option}'; it has {known}",
        "ru": "у решения стола «{name}» нет варианта «{option}»; есть {known}",
    },
    "too_long": {"en": "the line is longer than {limit} characters", "ru": "строка длиннее {limit} символов"},
    "empty": {"en": "the line is empty", "ru": "строка пуста"},
    "ends_early": {
        "en": "the line ends too early; next could come {wanted}",
        "ru": "строка обрывается; дальше ожидается {wanted}",
    },
    "surplus": {"en": "'{word}' is more than the line needs", "ru": "«{word}» в строке лишнее"},
    "not_understood": {
        "en": "'{word}' is not understood here; expected {wanted}",
        "ru": "«{word}» здесь непонятно; ожидается {wanted}",
    },
    "misspelt": {"en": "'{word}' is not understood here{near}", "ru": "«{word}» здесь непонятно{near}"},
    "player": {
        "en": "{seat} is a player, name one of his powers: {powers}",
        "ru": "{seat} — игрок, назовите одну из его держав: {powers}",
    },
    "hint": {"en": "{fault}; {hint}", "ru": "{fault}; {hint}"},
    "several": {"en": "{faults}", "ru": "{faults}"},
    "number": {
        "en": "{what}: a whole number from {low} to {high} is needed, not '{word}'",
        "ru": "{what}: нужно целое число от {low} до {high}, а не «{word}»",
    },
    "table": {"en": "{what}: a table is needed", "ru": "{what}: нужна таблица"},
    "list": {"en": "{what}: a list is needed", "ru": "{what}: нужен список"},
    "not_toml": {"en": "this is not TOML: {why}", "ru": "это не TOML: {why}"},
    "line": {"en": "line {number}: {fault}", "ru": "строка {number}: {fault}"},
    "command": {"en": "command {number}: '{line}': {fault}", "ru": "команда {number}: «{line}»: {fault}"},
    "the_command": {"en": "'{line}': {fault}", "ru": "«{line}»: {fault}"},
    "at": {"en": "{place}: {fault}", "ru": "{place}: {fault}"},
    "the_position": {"en": "the position: {fault}", "ru": "позиция: {fault}"},
    "cannot_read": {"en": "{place}: cannot be read: {why}", "ru": "{place}: не читается: {why}"},
    "empty_file": {"en": "{place}: is empty", "ru": "{place}: файл пуст"},
    "other_game": {
        "en": "{place}: is a position of the game '{said}', not of '{name}'",
        "ru": "{place}: это позиция игры «{said}», а не «{name}»",
    },
    "need_dice": {
        "en": "{purpose}: roll {dice} of {sides} sides{have}",
        "ru": "{purpose}: нужно бросить {dice} ({sides} граней){have}",
    },
    "need_pick": {
        "en": "{purpose}: pick one of {sides}, a number from 0 to {last}",
        "ru": "{purpose}: нужно выбрать число от 0 до {last}",
    },
    "unneeded": {
        "en": "{place}: told and never needed: dice {numbers}, picks {picks}",
        "ru": "{place}: сообщено, но не понадобилось: кубики {numbers}, выборы {picks}",
    },
    "not_walled": {
        "en": "{place}: only a walled city has loyalty",
        "ru": "{place}: лояльность есть только у города со стенами",
    },
    "not_number": {"en": "'{word}' is not a number", "ru": "«{word}» не число"},
    "not_said": {
        "en": "the position does not say {question}, and what comes next needs it",
        "ru": "позиция не говорит, {question}, а без этого дальше нельзя",
    },
}
"""The faults that are said in both languages, by key; others are said as they are."""

KINDS: Final[Mapping[str, Mapping[str, str]]] = {
    "actor": {"en": "power", "ru": "держава"},
    "power": {"en": "power", "ru": "держава"},
    "seat": {"en": "seat", "ru": "игрок"},
    "space": {"en": "space", "ru": "локация"},
    "leader": {"en": "leader", "ru": "лидер"},
    "card": {"en": "card", "ru": "карта"},
    "phase": {"en": "phase", "ru": "фаза"},
    "number": {"en": "number", "ru": "число"},
    "text": {"en": "text", "ru": "текст в кавычках"},
    "key": {"en": "key", "ru": "ключ"},
    "clause": {"en": "clause", "ru": "правило"},
    "ruling": {"en": "ruling", "ru": "решение стола"},
    "scenario": {"en": "scenario", "ru": "сценарий"},
    "treaty": {"en": "treaty", "ru": "договор"},
    "place": {"en": "place", "ru": "место"},
    "naval": {"en": "kind of naval unit", "ru": "вид морских частей"},
    "land": {"en": "kind of land unit", "ru": "вид сухопутных частей"},
    "royal": {"en": "royal", "ru": "королевская особа"},
    "flag": {"en": "event", "ru": "событие"},
    "status": {"en": "status", "ru": "состояние"},
}
"""What a name may stand for."""

_HOLE = re.compile(r"\{(\w+)\}")
_OR = {"en": " or ", "ru": " или "}
_DICE = {"en": ("die", "dice"), "ru": ("кубик", "кубика", "кубиков")}
_HAVE = {"en": " (only {have} told)", "ru": " (сообщено только {have})"}
_NEAR = {"en": "; did you mean {names}?", "ru": "; может быть, {names}?"}
_FROM = {"en": "a number from 1 to {text}", "ru": "число от 1 до {text}"}
_OF = {"key of ": "ключ в ", "value of ": "значение "}


class Fault(str):
    """A fault: its text in English, and the key and facts by which `said` says it in another language."""

    key: str
    facts: Mapping[str, Any]

    def __new__(cls, key: str, **facts: Any) -> Fault:
        """The fault of that key; `near` are names that could have been meant, `what` one or several kinds."""
        told = {"near": (), **facts}
        made = super().__new__(cls, _fill(key, told, "en"))
        made.key, made.facts = key, told
        return made


def said(fault: object, language: str) -> str:
    """A fault, or an exception that holds one, in a language; in English what has no words in it."""
    if isinstance(fault, Exception):
        fault = fault_of(fault)
    return _fill(fault.key, fault.facts, language) if isinstance(fault, Fault) else str(fault)


def fault_of(error: Exception) -> str:
    """What an exception says, as a fault where it holds one."""
    first = error.args[0] if error.args else ""
    return first if isinstance(first, Fault) else str(error)


def at(place: str, error: Exception | str) -> Fault:
    """A fault with the place where it is."""
    return Fault("at", place=place, fault=fault_of(error) if isinstance(error, Exception) else error)


def _fill(key: str, facts: Mapping[str, Any], language: str) -> str:
    return _HOLE.sub(lambda hole: _value(hole[1], facts[hole[1]], language), TEMPLATES[key][language])


def _value(name: str, value: Any, language: str) -> str:
    if name == "dice":
        return f"{value} {_DICE[language][plural(value, language)]}"
    if name == "have":
        return _HAVE[language].format(have=value) if value else ""
    if name == "near":
        return _NEAR[language].format(names=", ".join(value)) if value else ""
    if name == "what":
        return _OR[language].join(dict.fromkeys(_kind(one, language) for one in _many(value)))
    if name == "wanted":
        return _OR[language].join(_wanted(value, language))
    if name == "powers":
        return _OR[language].join(value)
    if name == "faults":
        return "; ".join(said(one, language) for one in value)
    if name == "known":
        return ", ".join(value)
    return said(value, language)


def _many(value: str | Iterable[str]) -> Iterable[str]:
    return (value,) if isinstance(value, str) else value


def _kind(kind: str, language: str) -> str:
    if kind in KINDS:
        return KINDS[kind][language]
    for english, russian in _OF.items():
        if kind.startswith(english) and language == "ru":
            return russian + kind.removeprefix(english)
    return kind


def _wanted(value: Iterable[tuple[str, str]], language: str) -> list[str]:
    """What could stand in a place: words, kinds of names, a number of times."""
    found = set()
    for sort, text in value:
        if sort == "word":
            found.add(f"'{text}'" if language == "en" else f"«{text}»")
        elif sort == "times":
            found.add(_FROM[language].format(text=text))
        else:
            found.add(f"a {_kind(sort, language)}" if language == "en" else _kind(sort, language))
    return sorted(found)
