"""One line of text <-> one command.

A game gives patterns: words and holes, such as `{power} breaks {ally} paying {points}`. A hole is read by the kind of
the command's field of that name: a name of that kind (of one word or several), a number, a quoted text, or a list of
names (`Roma 2, Capua` stands for Roma, Roma, Capua). A hole for a field that holds a command reads the rest of the line
as one. The first pattern that says all of a command writes it.
"""

from __future__ import annotations

import re
import typing
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from foedus.kernel.codec import kind_of_field, mask_field
from foedus.kernel.faults import Fault
from foedus.kernel.rulebook import nearest
from foedus.kernel.unknown import NONE, UNKNOWN
from foedus.kernel.values import Command

MAX_LINE = 500
MAX_TIMES = 100
"""How many times a list may name one thing with a number behind it."""
COMMAND = "command"
"""The kind of a hole that reads a command."""
_TOKEN = re.compile(r'"[^"]*"|[^\s,;]+|[,;]')
_HOLE = re.compile(r"^\{(\w+)\}$")
_LISTING = {",", "and", "и", "-", "–", "—", "then"}


class NotationError(ValueError):
    """A line cannot be read. The message names the word and the nearest known ones; `word` counts from 1."""

    def __init__(self, message: str, word: int = 0, line: int = 0) -> None:
        self.message = message
        self.word = word
        self.line = line
        super().__init__(Fault("line", number=line, fault=message) if line else message)


def fold(text: str) -> str:
    """A name as it is compared: no case, ё as е, apostrophes and underscores evened out."""
    return text.casefold().replace("ё", "е").replace("_", " ").replace("’", "'").strip()


class Names:
    """The names a person may type for one kind, each to its small integer."""

    def __init__(self, table: Mapping[str, int], shown: Sequence[str]) -> None:
        self.table = {fold(name): value for name, value in table.items()}
        self.shown = tuple(shown)
        self.typed = tuple(table)
        self.longest = max((len(name.split()) for name in self.table), default=1)

    def read(self, words: Sequence[str], start: int) -> Iterable[tuple[int, int]]:
        """Every (value, next word) that names something from word `start`, the longest first."""
        for length in range(min(self.longest, len(words) - start), 0, -1):
            value = self.table.get(fold(" ".join(words[start : start + length])))
            if value is not None:
                yield value, start + length


@dataclass(frozen=True)
class _Pattern:
    command: type[Command]
    parts: tuple[tuple[str, str], ...]
    """("word", text) or ("hole", field)"""
    fixed: tuple[tuple[str, Any], ...]


class Notation:
    """Reads and writes commands of one game.

    `patterns`: for each command its patterns, the one to write first; a pattern is text, or (text, fields) with
    fields that the text stands for. `texts` names the fields (of any command) that are read as quoted text.
    """

    def __init__(self, patterns: Mapping[type[Command], Sequence[str | tuple[str, Mapping[str, Any]]]]) -> None:
        self.patterns: list[_Pattern] = []
        self._kinds: dict[tuple[type, str], tuple[str, bool]] = {}
        for command, texts in patterns.items():
            hints = typing.get_type_hints(command, include_extras=True)
            for name, annotation in hints.items():
                self._kinds[(command, name)] = _shape(annotation)
            for entry in texts:
                text, fixed = (entry, {}) if isinstance(entry, str) else entry
                parts = []
                for token in _TOKEN.findall(text):
                    hole = _HOLE.match(token)
                    parts.append(("hole", hole.group(1)) if hole else ("word", token))
                pattern = _Pattern(command, tuple(parts), tuple(fixed.items()))
                self._check(pattern, text, hints)
                self.patterns.append(pattern)
        self.literals = {word for p in self.patterns for sort, word in p.parts if sort == "word"}

    @staticmethod
    def _check(pattern: _Pattern, text: str, hints: Mapping[str, Any]) -> None:
        """A pattern that cannot be read is a fault of the game's data: found here, not on a player's line."""
        said = [name for sort, name in pattern.parts if sort == "hole"]
        filled = {*said, *dict(pattern.fixed)}
        needed = {field.name for field in msgspec.structs.fields(pattern.command) if field.required}
        for name in filled:
            if name not in hints:
                raise ValueError(f"the pattern '{text}': {pattern.command.__name__} has no field '{name}'")
        if needed - filled:
            raise ValueError(f"the pattern '{text}' does not say {', '.join(sorted(needed - filled))}")
        if len(said) != len(set(said)) or any(mask_field(hints[name]) for name in said):
            raise ValueError(f"the pattern '{text}' has a hole twice, or a mask for a hole")

    def read(self, line: str, names: Mapping[str, Names]) -> Command:
        """The command that a line says. Raises `NotationError`."""
        if len(line) > MAX_LINE:
            raise NotationError(Fault("too_long", limit=MAX_LINE))
        words = _TOKEN.findall(line)
        if not words:
            raise NotationError(Fault("empty"))
        best = _Failure()
        for pattern in self.patterns:
            for values in self._match(pattern, 0, words, 0, names, best):
                return pattern.command(**values, **dict(pattern.fixed))
        raise self._error(words, best, names)

    def completions(self, line: str, names: Mapping[str, Names], most: int = 12) -> list[str]:
        """What the last word of a line (after a space: the next one) could be, as whole lines; none that is unknown."""
        if len(line) > MAX_LINE:
            return []
        words = _TOKEN.findall(line)
        begun = "" if not words or line[-1].isspace() else words.pop()
        best = _Failure()
        for pattern in self.patterns:
            for _ in self._match(pattern, 0, words, 0, names, best):
                break
        if best.at != len(words):
            return []
        found: dict[str, str] = {}
        for sort, text in best.wanted:
            shown = (text,) if sort == "word" else names[sort].shown if sort in names else ()
            typed = names[sort].typed if begun and sort in names else ()
            for name in (*shown, *typed):
                found.setdefault(fold(name), name)
        head = line[: len(line) - len(begun)]
        return [head + name for key, name in found.items() if key.startswith(fold(begun))][:most]

    def _match(
        self,
        pattern: _Pattern,
        part: int,
        words: Sequence[str],
        at: int,
        names: Mapping[str, Names],
        best: _Failure,
    ) -> Iterable[dict[str, Any]]:
        if part == len(pattern.parts):
            if at == len(words):
                yield {}
            else:
                best.note(at, "end", "")
            return
        sort, text = pattern.parts[part]
        if at >= len(words):
            best.note(at, sort if sort == "word" else self._kinds[(pattern.command, text)][0], text)
            return
        if sort == "word":
            if fold(words[at]) == fold(text):
                yield from self._match(pattern, part + 1, words, at + 1, names, best)
            else:
                best.note(at, "word", text)
            return
        kind, many = self._kinds[(pattern.command, text)]
        for value, after in self._values(kind, many, words, at, names, best):
            for rest in self._match(pattern, part + 1, words, after, names, best):
                yield {text: value, **rest}

    def _values(
        self, kind: str, many: bool, words: Sequence[str], at: int, names: Mapping[str, Names], best: _Failure
    ) -> Iterable[tuple[Any, int]]:
        if many:
            yield from self._lists(kind, words, at, names, best)
        elif kind == COMMAND:
            for pattern in self.patterns:
                if self._holds_command(pattern):
                    continue  # a command within a command within a command says nothing more
                for values in self._match(pattern, 0, words, at, names, best):
                    yield pattern.command(**values, **dict(pattern.fixed)), len(words)
        elif kind == "text":
            if len(words[at]) > 1 and words[at].startswith('"') and words[at].endswith('"'):
                yield words[at][1:-1], at + 1
            else:
                best.note(at, "text", "")
        elif kind == "number":
            if words[at].isascii() and words[at].isdigit() and len(words[at]) < 7:
                yield int(words[at]), at + 1
            else:
                best.note(at, "number", "")
        else:
            found = False
            for value, after in names[kind].read(words, at):
                found = True
                yield value, after
            if not found:
                best.note(at, kind, "")

    def _holds_command(self, pattern: _Pattern) -> bool:
        return any(
            sort == "hole" and self._kinds[(pattern.command, text)][0] == COMMAND for sort, text in pattern.parts
        )

    def _lists(
        self, kind: str, words: Sequence[str], at: int, names: Mapping[str, Names], best: _Failure
    ) -> Iterable[tuple[tuple[int, ...], int]]:
        found: list[int] = []
        ends: list[tuple[tuple[int, ...], int]] = []
        while at < len(words):
            if found and words[at].casefold() in _LISTING:
                at += 1
                continue
            hit = next(iter(names[kind].read(words, at)), None)
            if hit is None:
                best.note(at, kind, "")
                break
            value, at = hit
            times = 1
            if at < len(words) and words[at].isascii() and words[at].isdigit() and len(words[at]) < 4:
                times = int(words[at])
                if not 1 <= times <= MAX_TIMES:
                    best.note(at, "times", "")
                    break
                at += 1
            found.extend([value] * times)
            ends.append((tuple(found), at))
        yield from reversed(ends)

    def _error(self, words: Sequence[str], best: _Failure, names: Mapping[str, Names]) -> NotationError:
        at = best.at
        if at >= len(words):
            return NotationError(Fault("ends_early", wanted=_wanted(best, 8)), at + 1)
        word = words[at][:80]
        known: list[str] = []
        kinds = []
        for sort, text in dict.fromkeys(best.wanted):
            if sort == "word":
                known.append(text)
            elif sort in names:
                kinds.append(sort)
                known += names[sort].shown
        typed = [name for kind in kinds for name in names[kind].typed]
        near = nearest(word, known, 4) or nearest(word, typed, 4)
        if kinds and not any(sort == "word" for sort, _ in best.wanted):
            return NotationError(Fault("unknown", what=tuple(kinds), word=word, near=near), at + 1)
        if all(sort == "end" for sort, _ in best.wanted):
            return NotationError(Fault("surplus", word=word), at + 1)
        if near:
            return NotationError(Fault("misspelt", word=word, near=near), at + 1)
        return NotationError(Fault("not_understood", word=word, wanted=_wanted(best, 12)), at + 1)

    def write(self, command: Command, names: Mapping[str, Sequence[str]]) -> str:
        """The line that says a command. Raises `NotationError` if no pattern says all of it."""
        fields = {f.name: (getattr(command, f.name), f.default) for f in msgspec.structs.fields(type(command))}
        for pattern in self.patterns:
            if pattern.command is not type(command):
                continue
            fixed = dict(pattern.fixed)
            said = {text for sort, text in pattern.parts if sort == "hole"}
            if any(fields[name][0] != value for name, value in fixed.items()):
                continue
            if any(
                name not in said and name not in fixed and value != default for name, (value, default) in fields.items()
            ):
                continue
            if any(fields[name][0] in (UNKNOWN, NONE, ()) for name in said):
                continue
            parts = [
                text if sort == "word" else self._write(pattern.command, text, fields[text][0], names)
                for sort, text in pattern.parts
            ]
            return "".join(part if part == "," else f" {part}" for part in parts).lstrip()
        raise NotationError(f"no notation says {type(command).__name__} with these parts")

    def _write(self, command: type, name: str, value: Any, names: Mapping[str, Sequence[str]]) -> str:
        kind, many = self._kinds[(command, name)]
        if many:
            runs: list[list[int]] = []
            for one in value:
                if runs and runs[-1][0] == one:
                    runs[-1][1] += 1
                else:
                    runs.append([one, 1])
            return ", ".join(names[kind][one] + (f" {count}" if count > 1 else "") for one, count in runs)
        if kind == COMMAND:
            return self.write(value, names)
        if kind == "text":
            return '"' + str(value).replace('"', "'") + '"'
        if kind == "number":
            return str(value)
        return str(names[kind][value])


_ASKING = re.compile(r"(?:may|can|could)\s+", re.IGNORECASE)
_ARTICLES = ("a", "an", "the")


class FreeNotation(Notation):
    """Also reads what people type instead: "may the Greeks besiege Roma?", "proposes an alliance", "are allied".

    A command as a question, a verb in the plural, and articles before the nouns of the notation. `actors` is the kind
    of the names that a line may begin with.
    """

    def __init__(
        self,
        patterns: Mapping[type[Command], Sequence[Any]],
        actors: str = "power",
        nouns: Sequence[str] = (),
    ) -> None:
        super().__init__(patterns)
        self.actors = actors
        self.nouns = tuple(nouns)
        self.verbs = {fold(one.parts[1][1]) for one in self.patterns if one.parts[1:] and one.parts[1][0] == "word"}

    def read(self, line: str, names: Mapping[str, Names]) -> Command:
        """The command that a line says. Raises `NotationError`."""
        return super().read(self._plain(line, names), names)

    def _plain(self, line: str, names: Mapping[str, Names]) -> str:
        """The line as the patterns have it; what is quoted stays as it is."""
        head, quote, tail = line.strip().partition('"')
        asking = _ASKING.match(head)
        if asking:
            head = head[asking.end() :]
        words = (head if quote else head.rstrip(" ?.")).split()
        if len(words) > 1 and words[0].casefold() in _ARTICLES:
            if not any(True for _ in names[self.actors].read(words, 0)):
                words = words[1:]  # the name is known without it
        actor = next(iter(names[self.actors].read(words, 0)), None)
        if actor is None or actor[1] >= len(words):
            return line
        power, at = actor
        words[at] = self._verb(words[at])
        found = words[: at + 1]
        for place, word in enumerate(words[at + 1 :], at + 2):
            if word.casefold() in _ARTICLES and place < len(words) and words[place].casefold() in self.nouns:
                continue
            found += self.instead(power, found[-1], word)
        return " ".join(found) + (f" {quote}{tail}" if quote else "")

    def instead(self, actor: int, before: str, word: str) -> tuple[str, ...]:
        """The words that a word after `before` stands for where `actor` acts; the game may say more than itself."""
        return (word,)

    def _verb(self, word: str) -> str:
        """The verb as the patterns have it: "are" stands for "is", "besiege" for "besieges"."""
        plain = fold(word)
        if plain in self.verbs:
            return word
        singular = ("is",) if plain == "are" else (f"{plain}s", f"{plain}es", f"{plain.removesuffix('y')}ies")
        return next((one for one in singular if one in self.verbs), word)


class _Failure:
    """How far reading came, over all patterns, and what could have stood there."""

    def __init__(self) -> None:
        self.at = -1
        self.wanted: list[tuple[str, str]] = []

    def note(self, at: int, sort: str, text: str) -> None:
        if at > self.at:
            self.at, self.wanted = at, []
        if at == self.at:
            self.wanted.append((sort, text))


def _wanted(best: _Failure, most: int) -> tuple[tuple[str, str], ...]:
    """What could have stood there: words, and kinds of names."""
    found = {(sort, text if sort == "word" else str(MAX_TIMES)) for sort, text in best.wanted if sort != "end"}
    return tuple(sorted(found, key=lambda one: (one[0] != "word", one))[:most])


def _shape(annotation: Any) -> tuple[str, bool]:
    """Of what kind a field is read, and whether it is a list."""
    kind = kind_of_field(annotation)
    if kind is not None:
        return kind, False
    if isinstance(annotation, type) and issubclass(annotation, Command):
        return COMMAND, False
    if typing.get_origin(annotation) is tuple:
        inner = kind_of_field(typing.get_args(annotation)[0])
        return inner or "number", True
    return ("text" if annotation is str else "number"), False
