"""Clauses and rulings of a game, read from its `rulebook.toml`."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from foedus.kernel.faults import Fault

LANGUAGES = ("en", "ru")
KINDS = ("P", "F", "D", "M", "-")
_CLAUSE_KEYS = ("id", "kind", "source", "title", "text", "words", "restates")
_RULING_KEYS = ("name", "clause", "default", "options", "question", "reason")


class RulebookError(ValueError):
    """A rulebook, or a name that is looked up in one, is wrong; the message names the thing and the place."""


@dataclass(frozen=True)
class Clause:
    """One statement of the rules: its id, kind (P, F, D, M or -), source, and words by language.

    `words` holds the templates of what is said when the clause decides: "refusal" when it forbids, "grant" when it
    permits, each also with a variant behind a dot ("refusal.npp"). Where there is none, `text` is said. `restates`: the
    clause by which the program enforces it, if it says the same as another.
    """

    id: str
    kind: str
    source: str
    title: Mapping[str, str]
    text: Mapping[str, str]
    words: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    restates: str = ""

    def template(self, side: str, variant: str, language: str) -> str:
        """The template of a side ("refusal" or "grant") and variant ("" for the plain one), or the clause's text."""
        found = self.words.get(f"{side}.{variant}") if variant else None
        found = found or self.words.get(side) or self.text
        return found[language]


@dataclass(frozen=True)
class Ruling:
    """How a table settles a point the clauses leave open: a name, its options (the default first named)."""

    name: str
    clause: str
    default: str
    options: tuple[str, ...]
    words: Mapping[str, Mapping[str, str]]
    question: Mapping[str, str]
    reason: Mapping[str, str]


def nearest(word: str, known: Iterable[str], count: int = 3) -> list[str]:
    """The known names most like `word`, best first, none much worse than the best; for errors that name them."""
    table = {name.casefold(): name for name in known}
    word = word.casefold()[:80]
    found = difflib.get_close_matches(word, list(table), count, 0.6)
    ratios = [difflib.SequenceMatcher(None, hit, word).ratio() for hit in found]
    return [table[hit] for hit, ratio in zip(found, ratios, strict=True) if ratio >= ratios[0] - 0.15]


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A tail for an error message: "; did you mean A, B?" or nothing."""
    near = nearest(word, known)
    return f"; did you mean {', '.join(near)}?" if near else ""


class Rulebook:
    """Every clause and ruling of one game.

    Indexing by position is stable for one rulebook: states keep rulings as option indexes in `rulings` order.
    """

    def __init__(self, clauses: Iterable[Clause], rulings: Iterable[Ruling]) -> None:
        self.clauses: dict[str, Clause] = {clause.id: clause for clause in clauses}
        self.rulings: tuple[Ruling, ...] = tuple(rulings)
        self.ruling_index: dict[str, int] = {ruling.name: i for i, ruling in enumerate(self.rulings)}
        self.defaults: tuple[int, ...] = tuple(r.options.index(r.default) for r in self.rulings)

    def clause(self, clause_id: str) -> Clause:
        """The clause of that id. Raises `RulebookError` naming the nearest ids."""
        found = self.clauses.get(clause_id)
        if found is None:
            raise RulebookError(Fault("unknown", what="clause", word=clause_id, near=nearest(clause_id, self.clauses)))
        return found

    def ruling(self, name: str) -> Ruling:
        """The ruling of that name. Raises `RulebookError` naming the nearest names."""
        index = self.ruling_index.get(name)
        if index is None:
            raise RulebookError(Fault("unknown", what="ruling", word=name, near=nearest(name, self.ruling_index)))
        return self.rulings[index]

    def option(self, name: str, option: str) -> tuple[int, int]:
        """The indexes of a ruling and of one of its options. Raises `RulebookError` naming both."""
        ruling = self.ruling(name)
        if option not in ruling.options:
            raise RulebookError(Fault("no_option", name=name, option=option, known=ruling.options))
        return self.ruling_index[name], ruling.options.index(option)

    def choose(self, chosen: Mapping[str, str]) -> tuple[int, ...]:
        """The defaults with `chosen` (ruling name to option) in their places, as option indexes."""
        options = list(self.defaults)
        for name, option in chosen.items():
            where, value = self.option(name, option)
            options[where] = value
        return tuple(options)


def _words(row: Mapping[str, Any], key: str, place: str) -> dict[str, str]:
    words = row.get(key)
    if not isinstance(words, dict) or any(not isinstance(words.get(lang), str) for lang in LANGUAGES):
        raise RulebookError(f"{place}: '{key}' needs words in {' and '.join(LANGUAGES)}")
    return {lang: words[lang] for lang in LANGUAGES}


def _only(row: Mapping[str, Any], known: Iterable[str], place: str) -> None:
    for key in row:
        if key not in known:
            raise RulebookError(f"{place}unknown key '{key}'{did_you_mean(key, known)}")


def _text(row: Mapping[str, Any], key: str, place: str) -> str:
    if not isinstance(row.get(key), str):
        raise RulebookError(f"{place}: '{key}' is missing")
    return str(row[key])


def read_rulebook(text: str) -> Rulebook:
    """Read a `rulebook.toml`. Raises `RulebookError` naming the clause or ruling that is wrong."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise RulebookError(f"the rulebook is not TOML: {error}") from error
    _only(data, ("clause", "ruling"), "")
    clauses: dict[str, Clause] = {}
    for row in data.get("clause", []):
        place = f"clause {row.get('id', '?')}"
        _text(row, "id", place)
        _only(row, _CLAUSE_KEYS, f"{place}: ")
        for key in row.get("words", {}):
            if key.split(".")[0] not in ("refusal", "grant"):
                raise RulebookError(f"{place}: unknown words '{key}'; they are for a refusal or a grant")
        if row.get("kind") not in KINDS:
            raise RulebookError(f"{place}: kind must be one of {', '.join(KINDS)}")
        if row["id"] in clauses:
            raise RulebookError(f"{place}: given twice")
        clauses[row["id"]] = Clause(
            row["id"],
            row["kind"],
            str(row.get("source", "seed")),
            _words(row, "title", place),
            _words(row, "text", place),
            {key: _words(row.get("words", {}), key, place) for key in row.get("words", {})},
            str(row.get("restates", "")),
        )
    for clause in clauses.values():
        if clause.restates and clause.restates not in clauses:
            raise RulebookError(f"clause {clause.id}: restates an unknown clause '{clause.restates}'")
    rulings: dict[str, Ruling] = {}
    for row in data.get("ruling", []):
        place = f"ruling {row.get('name', '?')}"
        _text(row, "name", place)
        _only(row, _RULING_KEYS, f"{place}: ")
        if _text(row, "clause", place) not in clauses:
            raise RulebookError(f"{place}: unknown clause '{row['clause']}'{did_you_mean(row['clause'], clauses)}")
        words: dict[str, dict[str, str]] = {}
        options = tuple(_text(option, "id", f"{place}: an option") for option in row.get("options", ()))
        for option in row.get("options", ()):
            name = option["id"]
            words[name] = _words({f"option {name}": option}, f"option {name}", place)
        if row.get("default") not in options or len(set(options)) != len(options) or len(options) < 2:
            raise RulebookError(f"{place}: needs two or more different options, the default among them")
        if row["name"] in rulings:
            raise RulebookError(f"{place}: given twice")
        rulings[row["name"]] = Ruling(
            row["name"],
            row["clause"],
            row["default"],
            options,
            words,
            _words(row, "question", place),
            _words(row, "reason", place),
        )
    return Rulebook(clauses.values(), rulings.values())
