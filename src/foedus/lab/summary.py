"""What many games have in common: counted, as plain data and as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from foedus.kernel.game import Game
from foedus.lab.fired import Fired
from foedus.lab.simulate import Report

UI: Mapping[str, Mapping[str, str]] = {
    "title": {
        "en": "{game}, {players} players: {games} games of random players, seeds {first} to {last}",
        "ru": "{game}, игроков: {players}; партий случайных игроков: {games}, числа {first}–{last}",
    },
    "over": {"en": "played to the end", "ru": "доиграно"},
    "limit": {"en": "broken off after {steps} steps", "ru": "прервано после {steps} ходов"},
    "stuck": {"en": "nobody could go on", "ru": "некому ходить"},
    "fault": {"en": "ended by a fault", "ru": "прервано ошибкой"},
    "winners": {"en": "Won", "ru": "Победы"},
    "length": {"en": "Length", "ru": "Длина"},
    "turns": {"en": "turns: {mean} on average, {low} to {high}", "ru": "раундов: в среднем {mean}, от {low} до {high}"},
    "steps": {"en": "steps: {mean} on average, {low} to {high}", "ru": "ходов: в среднем {mean}, от {low} до {high}"},
    "choices": {"en": "choices at once: {n} at most", "ru": "вариантов сразу: не больше {n}"},
    "tallies": {"en": "Happened", "ru": "Произошло"},
    "each": {"en": "{n} ({mean} a game)", "ru": "{n} ({mean} за партию)"},
    "clauses": {"en": "Clauses that fired", "ru": "Сработавшие правила"},
    "clause_note": {
        "en": "happened: the cause of an event; decided: why somebody had to decide; refused, granted: cited in "
        "verdicts on what was chosen and on a sample of other commands; bit: forbade or permitted something; done: "
        "made a difference by itself",
        "ru": "happened: причина события; decided: почему кто-то решал; refused, granted: названо в ответах "
        "о выбранных командах и выборке других; bit: что-то запретило или разрешило; done: само что-то изменило",
    },
    "silent": {"en": "Never fired in these games", "ru": "В этих партиях не сработали"},
    "rulings": {"en": "Rulings that decided (in a sample)", "ru": "Решения стола, повлиявшие на ответ (в выборке)"},
    "speed": {
        "en": "{steps} steps in {seconds} s: {rate} steps a second",
        "ru": "{steps} ходов за {seconds} с: {rate} в секунду",
    },
    "faults": {"en": "Faults", "ru": "Ошибки"},
    "again": {"en": "to see one again", "ru": "чтобы увидеть снова"},
}


@dataclass
class Summary:
    """Many reports of one game added up. `seconds` comes from outside."""

    game: Game
    players: int
    seed: int
    max_steps: int
    reports: list[Report] = field(default_factory=list)
    seconds: float = 0.0
    fired: Fired = field(default_factory=Fired)
    style: str = "plain"

    @property
    def faults(self) -> list[Any]:
        """The faults of all games."""
        return [report.fault for report in self.reports if report.fault is not None]

    @property
    def steps(self) -> int:
        """The steps of all games."""
        return sum(report.steps for report in self.reports)

    def _sum(self, name: str) -> Counter[str]:
        found: Counter[str] = Counter()
        for report in self.reports:
            found.update(getattr(report, name))
        return found

    def clauses(self) -> dict[str, dict[str, int]]:
        """How often each clause fired, and how, in the order of the rulebook."""
        found: dict[str, dict[str, int]] = {}
        sums = {name: self._sum(name) for name in ("happened", "decided", "refused", "granted")}
        sums |= {"bit": self.fired.bit, "done": self.fired.done}
        known = self.game.rulebook.clauses
        for clause in (*known, *sorted({one for table in sums.values() for one in table} - set(known))):
            row = {name: table[clause] for name, table in sums.items() if table[clause]}
            if row:
                found[clause] = row
        return found

    def silent(self) -> list[str]:
        """The clauses that code claims and that never fired."""
        fired = self.clauses()
        return [one for one in self.game.rulebook.clauses if one in self.game.rules.claims and one not in fired]

    @property
    def data(self) -> dict[str, Any]:
        """As plain data."""
        ended = Counter(report.ended for report in self.reports)
        return {
            "game": self.game.id,
            "players": self.players,
            "games": len(self.reports),
            "seed": self.seed,
            "style": self.style,
            "max_steps": self.max_steps,
            "ended": dict(ended),
            "winners": dict(Counter(name for report in self.reports for name in report.winners).most_common()),
            "turns": _spread([report.turns for report in self.reports]),
            "steps": {**_spread([report.steps for report in self.reports]), "all": self.steps},
            "most_choices": max((report.most_choices for report in self.reports), default=0),
            "tallies": {words["en"]: self._sum("tallies")[tag] for tag, words in self.game.tallies.items()},
            "commands": dict(self._sum("commands").most_common()),
            "clauses": self.clauses(),
            "silent": self.silent(),
            "rulings": dict(self._sum("rulings").most_common()),
            "seconds": round(self.seconds, 3),
            "steps_per_second": round(self.steps / self.seconds) if self.seconds else None,
            "faults": [
                {"seed": one.seed, "step": one.step, "command": one.command, "what": one.what} for one in self.faults
            ],
        }

    def text(self, language: str = "en") -> str:
        """As a page to read."""
        say = _Say(language)
        data = self.data
        games = max(len(self.reports), 1)
        last = self.seed + len(self.reports) - 1
        lines = [
            say("title", game=self.game.id, players=self.players, games=len(self.reports), first=self.seed, last=last)
        ]
        for key in ("over", "limit", "stuck", "fault"):
            count = data["ended"].get(key, 0)
            if count:
                lines.append(f"  {count} {say(key, steps=self.max_steps)}")
        if data["winners"]:
            lines += [say("winners"), *(f"  {name}  {count}" for name, count in data["winners"].items())]
        lines.append(say("length"))
        for key in ("turns", "steps"):
            lines.append(f"  {say(key, **{name: data[key][name] for name in ('mean', 'low', 'high')})}")
        lines.append(f"  {say('choices', n=data['most_choices'])}")
        if self.game.tallies:
            counted = self._sum("tallies")
            lines.append(say("tallies"))
            rows = [
                (words[language], say("each", n=counted[tag], mean=round(counted[tag] / games, 1)))
                for tag, words in self.game.tallies.items()
            ]
            lines += _table(rows)
        fired = data["clauses"]
        if fired:
            lines += [say("clauses"), f"  ({say('clause_note')})"]
            rows = [(one, ", ".join(f"{name} {n}" for name, n in row.items())) for one, row in fired.items()]
            lines += _table(rows)
        if data["silent"]:
            lines += [say("silent"), *_wrapped(data["silent"])]
        if data["rulings"]:
            lines += [say("rulings"), *_table([(name, str(n)) for name, n in data["rulings"].items()])]
        if self.seconds:
            lines.append(say("speed", steps=self.steps, seconds=round(self.seconds, 1), rate=data["steps_per_second"]))
        if self.faults:
            lines += [say("faults"), *(f"  {one}" for one in self.faults[:20])]
            first = self.faults[0]
            style = "" if self.style == "plain" else f" --style {self.style}"
            again = f"foedus sim {self.game.id} --players {self.players} --games 1 --seed {first.seed}{style}"
            lines.append(f"  {say('again')}: {again}")
        return "\n".join(lines)


class _Say:
    def __init__(self, language: str) -> None:
        self.language = language

    def __call__(self, key: str, **values: Any) -> str:
        return UI[key][self.language].format(**values)


def _spread(values: Sequence[int]) -> dict[str, Any]:
    if not values:
        return {"mean": 0, "low": 0, "high": 0}
    return {"mean": round(sum(values) / len(values), 1), "low": min(values), "high": max(values)}


def _table(rows: Sequence[tuple[str, str]]) -> list[str]:
    wide = max((len(name) for name, _ in rows), default=0)
    return [f"  {name.ljust(wide)}  {value}" for name, value in rows]


def _wrapped(words: Iterable[str]) -> list[str]:
    import textwrap

    return textwrap.wrap(", ".join(words), 100, initial_indent="  ", subsequent_indent="  ")
