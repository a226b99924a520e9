"""Sentences made of templates and names, in English and Russian.

A template is plain text with holes:

    {power}            the fact named power, in its first form
    {power:gen}        in another form of its name (nom, gen, dat, acc, ins, pre, adj)
    {power|is|are}     a word that agrees in number with the fact; four variants: masculine, feminine, neuter, plural
    {count#point|points}            a word that agrees with a number; Russian takes three: очко, очка, очков
    [[{guns} guns // {men} men]]    a list, without the parts of which a fact is nothing: 0, nobody, an empty list

Of what kind a fact is ("power", "space" ...) is decided by its name, in one table of the game.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from foedus.kernel.unknown import NONE, UNKNOWN

Forms = Mapping[str, str]
Say = Callable[[Any], str]

_HOLE = re.compile(r"\{(\w+)(?::(\w+)|([|#])([^{}]*))?\}")
_LIST = re.compile(r"\[\[(.*?)\]\]")
_LAST = {"and": {"en": " and ", "ru": " и "}, "or": {"en": " or ", "ru": " или "}}
_UNKNOWN = {"en": "unknown", "ru": "неизвестно"}
_NOBODY = {"en": "nobody", "ru": "никто"}


class WordsError(ValueError):
    """A template or a fact cannot be said; a fault of the game's data, found by its tests."""


def plural(number: int, language: str) -> int:
    """Which variant agrees with `number`: 0 one, 1 few (English: other), 2 many (Russian only)."""
    number = abs(number)
    if language == "ru":
        if number % 10 == 1 and number % 100 != 11:
            return 0
        if 2 <= number % 10 <= 4 and not 12 <= number % 100 <= 14:
            return 1
        return 2
    return 0 if number == 1 else 1


def capital(sentence: str) -> str:
    """The sentence with its first letter as a capital."""
    return sentence[:1].upper() + sentence[1:]


def _nothing(kind: str, value: Any) -> bool:
    if isinstance(value, (tuple, list, frozenset, set, str)):
        return not value
    return bool(value == (0 if kind == "number" else NONE))


class Words:
    """Says templates of one game.

    `names`: kind -> sequence of {language: forms} by small integer; forms hold nom and, where the kind has them,
    other cases, `number` (sg, pl) and `gender` (m, f, n).
    `kinds`: fact name -> kind; "number" and "text" are said as they are.
    `templates`: key -> {language: template}.
    """

    def __init__(
        self,
        names: Mapping[str, Sequence[Mapping[str, Forms]]],
        kinds: Mapping[str, str],
        templates: Mapping[str, Mapping[str, str]],
    ) -> None:
        self.names = names
        self.kinds = kinds
        self.templates = templates

    def with_names(self, names: Mapping[str, Sequence[Mapping[str, Forms]]]) -> Words:
        """The same words with these names in their places."""
        return Words({**self.names, **names}, self.kinds, self.templates) if names else self

    def kind(self, fact: str, kinds: Mapping[str, str] | None = None) -> str:
        """Of what kind the fact of that name is; `kinds` go before the game's own table."""
        kind = (kinds.get(fact) if kinds else None) or self.kinds.get(fact)
        if kind is None:
            raise WordsError(f"no kind is known for the fact '{fact}'")
        return kind

    def forms(self, kind: str, value: int, language: str) -> Forms:
        """The forms of one name."""
        if value == UNKNOWN:
            return {"nom": _UNKNOWN[language]}
        if value == NONE:
            return {"nom": _NOBODY[language]}
        return self.names[kind][value][language]

    def name(self, kind: str, value: Any, language: str, case: str = "nom", last: str = "and") -> str:
        """One value in words; sequences are joined with commas and `last`, what comes several times is counted."""
        if isinstance(value, (tuple, list, frozenset, set)):
            times: dict[str, int] = {}
            for one in value:
                name = self.name(kind, one, language, case)
                times[name] = times.get(name, 0) + 1
            said = [name if count == 1 else f"{name} ×{count}" for name, count in times.items()]
            if not said:
                return _NOBODY[language]
            return said[0] if len(said) == 1 else ", ".join(said[:-1]) + _LAST[last][language] + said[-1]
        if kind == "text":
            return str(value)
        if kind == "number":
            return _UNKNOWN[language] if value == UNKNOWN else str(value)
        forms = self.forms(kind, value, language)
        return forms.get(case, forms["nom"])

    def fill(
        self,
        template: str,
        found: Mapping[str, Any],
        language: str,
        kinds: Mapping[str, str] | None = None,
        last: str = "and",
    ) -> str:
        """The template with its holes filled from `found`; `kinds` go before the game's own table of kinds.

        Several values in one hole are joined by `last`: "and" or "or".

        Raises `WordsError` for a hole that has no fact.
        """

        def hole(match: re.Match[str]) -> str:
            fact, case, sort, rest = match.group(1), match.group(2), match.group(3), match.group(4)
            if fact not in found:
                raise WordsError(f"the template '{template}' asks for '{fact}', which is not among the facts")
            value = found[fact]
            if sort is None:
                return self.name(self.kind(fact, kinds), value, language, case or "nom", last)
            variants = rest.split("|")
            if sort == "#":
                which = len(variants) - 1 if value == UNKNOWN else plural(int(value), language)
                if which >= len(variants):
                    raise WordsError(f"the template '{template}' has too few variants for {fact}")
                return variants[which]
            return variants[self._agreement(self.kind(fact, kinds), value, language, len(variants))]

        def parts(match: re.Match[str]) -> str:
            said = []
            for part in match.group(1).split("//"):
                facts = {hole.group(1) for hole in _HOLE.finditer(part)}
                if not any(_nothing(self.kind(name, kinds), found.get(name)) for name in facts):
                    said.append(part.strip())
            return ", ".join(said)

        return _HOLE.sub(hole, _LIST.sub(parts, template))

    def _agreement(self, kind: str, value: Any, language: str, variants: int) -> int:
        if isinstance(value, (tuple, list, frozenset, set)):
            if len(value) != 1:
                return variants - 1
            value = next(iter(value))
        forms = self.forms(kind, value, language)
        if forms.get("number", "sg") == "pl":
            return variants - 1
        return {"m": 0, "f": 1, "n": 2}[forms.get("gender", "m")] if variants == 4 else 0

    def say(self, key: str, found: Mapping[str, Any], language: str, kinds: Mapping[str, str] | None = None) -> str:
        """The sentence of that key, with a capital. Raises `WordsError` where there is none."""
        template = self.templates.get(key)
        if template is None:
            raise WordsError(f"there are no words for '{key}'")
        return capital(self.fill(template[language], found, language, kinds))
