"""Sample games: finished ones to look through with a time machine, and one under way; players play at random.

They are played when first asked for, from a fixed seed, and kept: nothing is stored, and what is shown is always what
the rules of today make of them.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode

from litestar import Response, get
from litestar.exceptions import NotFoundException
from litestar.params import FromPath
from markupsafe import Markup

from foedus.bots.players import RandomBot
from foedus.kernel.desk import Speaker
from foedus.kernel.dice import FastDice
from foedus.kernel.flow import Rolled
from foedus.kernel.game import Game
from foedus.kernel.notation import fold
from foedus.kernel.referee import Referee
from foedus.kernel.unknown import Unknown
from foedus.kernel.values import Command, Event
from foedus.kernel.words import capital
from foedus.web.pages.asking import question_about
from foedus.web.pages.clauses import linked, said_event
from foedus.web.pages.desk import address
from foedus.web.pages.games import games, plain_referee, title_of, usual_players
from foedus.web.pages.maps import board_map
from foedus.web.pages.site import AnyRequest, language_of, page

_SEEDS: Final = (7, 12)
"""Of the finished games of each ruleset."""
_FIRST: Final = 30
"""So many lines the running game has when it is first looked at."""
_RUNNING: Final = 3
_SNAPSHOT: Final = 40
"""Every so many steps a whole position is kept; those between are found by applying events."""
_WINDOW: Final = 40
"""Lines of the record on one page."""
_MOST: Final = 6000
"""After so many lines a game is broken off."""
_PACE: Final = 4.0
"""Seconds that a step of the running game takes."""
_FILTERS: Final = ("all", "bonds", "dice", "mine")


class Batch(NamedTuple):
    """What one command brought about (none: the game's start)."""

    command: Command | None
    seat: int
    events: tuple[Event, ...]


class _Played:
    """A whole game that programs played at random: every batch, and now and then the whole position."""

    def __init__(self, referee: Referee, seed: int) -> None:
        self.referee = referee
        self.batches: list[Batch] = []
        self.snapshots: list[Any] = []
        self._bot, self._dice = RandomBot(seed), FastDice(seed)
        self._seats = range(len(referee.world.names.get("seat", ())))
        outcome = referee.start({}, self._dice)
        self.state = outcome.state
        self._note(None, -1, outcome.events)

    def advance(self, count: int = _MOST) -> bool:
        """Play until there are so many batches; False if the game ends before."""
        while len(self.batches) < min(count, _MOST):
            chosen = self._chosen()
            if chosen is None:
                return False
            seat, command = chosen
            outcome = self.referee.carry_out(self.state, command, self._dice)
            self.state = outcome.state
            self._note(command, seat, outcome.events)
        return True

    def _note(self, command: Command | None, seat: int, events: Sequence[Event]) -> None:
        if len(self.batches) % _SNAPSHOT == 0:
            self.snapshots.append(self.state)
        self.batches.append(Batch(command, seat, tuple(events)))

    def _chosen(self) -> tuple[int, Command] | None:
        """Who does what next: an answer to what waits beside the flow, or to what is awaited; None at the end."""
        awaited = [one.seat for one in self.referee.awaiting(self.state) if one.seat >= 0]
        if not awaited:
            return None
        if getattr(self.state, "offers", ()):
            for seat in self._seats:
                choices = [] if seat in awaited else self.referee.choices(self.state, seat)
                answer = self._bot.answers(None, seat, choices) if choices else None
                if answer is not None:
                    return seat, answer
        for seat in awaited:
            choices = self.referee.choices(self.state, seat)
            if choices:
                return seat, self._bot.choose(None, seat, choices)
        return None


@dataclass
class Sample:
    """A sample game: its address, its ruleset and seed, and what happened in it once it was played."""

    id: str
    game: Game
    players: int | None
    seed: int
    running: bool = False
    began: float = field(default_factory=time.monotonic)
    lock: threading.Lock = field(default_factory=threading.Lock, repr=False)
    _played: _Played | None = None
    _bonds: list[bool] | None = None

    @property
    def ready(self) -> bool:
        """Has it been played?"""
        return self._played is not None or self.running

    @property
    def referee(self) -> Referee:
        """Its referee."""
        return plain_referee(self.game, self.players)

    def played(self) -> _Played:
        """The game as far as it has been played: to its end, or as far as the time of the running one has come."""
        with self.lock:
            if self._played is None:
                self._played = _Played(self.referee, self.seed)
            played = self._played
            if not self.running:
                played.advance()
            elif not played.advance(_FIRST + int((time.monotonic() - self.began) / _PACE)):
                self.began = time.monotonic()
                self._played, self._bonds = _Played(self.referee, self.seed), None
                self._played.advance(_FIRST)
            return self._played

    def length(self) -> int:
        """How many lines its record has by now; that of the running game grows with time and begins anew at its end."""
        return len(self.played().batches)

    def state(self, at: int) -> Any:
        """The position after line `at`."""
        played = self.played()
        found = at // _SNAPSHOT
        state = played.snapshots[found]
        for batch in played.batches[found * _SNAPSHOT + 1 : at + 1]:
            state = self.referee.replay(state, batch.events)
        return state

    def changed_bonds(self) -> list[bool]:
        """For every line, whether an alliance or the like was made or ended by it."""
        played = self.played()
        show = self.game.shown
        with self.lock:
            if self._bonds is None or len(self._bonds) < len(played.batches):
                self._bonds = []
                state, before = played.snapshots[0], None
                for batch in played.batches:
                    if self._bonds:
                        state = self.referee.replay(state, batch.events)
                    after = tuple(one[:3] for one in show(state).bonds) if show is not None else ()
                    self._bonds.append(before is not None and after != before)
                    before = after
            return self._bonds


@lru_cache(maxsize=1)
def samples() -> dict[str, Sample]:
    """The sample games of every installed ruleset that plays whole games on a board, by id."""
    found = {}
    for game in games():
        if game.winners is None or game.shown is None:
            continue
        players = usual_players(game)
        for number, seed in enumerate(_SEEDS, 1):
            one = Sample(f"{game.id}-{number}", game, players, seed)
            found[one.id] = one
        live = Sample(f"{game.id}-running", game, players, _RUNNING, running=True)
        found[live.id] = live
    return found


class Line(NamedTuple):
    """A line of a record as it is shown."""

    number: int
    seat: str
    command: str
    notation: str
    said: tuple[Markup, ...]
    dice: tuple[int, ...]
    text: str
    """all of it, folded, for a search"""


@lru_cache(maxsize=20_000)
def _line(sample: str, number: int, language: str) -> Line:
    one = samples()[sample]
    batch = one.played().batches[number]
    speaker = Speaker(one.referee, language)
    sentences = [text for event in batch.events if (text := speaker.event(event))]
    command = capital(speaker.command(batch.command)) if batch.command is not None else ""
    notation = speaker.notation(batch.command) if batch.command is not None else ""
    seat = capital(speaker.value("seat", batch.seat)) if batch.seat >= 0 else ""
    dice = tuple(die for event in batch.events if isinstance(event, Rolled) and event.sides for die in event.result)
    return Line(
        number,
        seat,
        command,
        notation,
        tuple(said_event(one.game, text, language) for text in sentences),
        dice,
        fold(" ".join([seat, command, notation, *sentences])),
    )


def chosen_lines(sample: Sample, length: int, show: str, seat: str, words: str, language: str) -> list[int]:
    """The numbers of the lines that a reader wants to see."""
    batches = sample.played().batches[:length]
    wanted = range(len(batches))
    found: Sequence[int] = wanted
    if show == "bonds":
        changed = sample.changed_bonds()
        found = [n for n in wanted if changed[n]]
    elif show == "dice":
        found = [n for n in wanted if any(isinstance(one, Rolled) for one in batches[n].events)]
    names = list(sample.referee.world.names.get("seat", ()))
    if seat in names:
        found = [n for n in found if batches[n].seat == names.index(seat)]
    if words:
        parts = fold(words).split()
        found = [n for n in found if all(part in _line(sample.id, n, language).text for part in parts)]
    return list(found)


def _play_all() -> None:
    for one in samples().values():
        one.played()


@get("/samples", sync_to_thread=True)
def list_samples(request: AnyRequest) -> Response[Any]:
    """The sample games. Those that nobody has looked at yet are played meanwhile: the list does not wait for them."""
    language = language_of(request)
    if not all(one.ready for one in samples().values()):
        threading.Thread(target=_play_all, daemon=True).start()
    rows = []
    for one in samples().values():
        length, names = 0, list[str]()
        if one.ready:
            speaker, played = Speaker(one.referee, language), one.played()
            length = len(played.batches)
            if one.game.winners is not None and not one.running:
                names = [speaker.value("seat", winner) for winner in one.game.winners(played.state)]
        rows.append((one, title_of(one.game.id, language), length, names))
    return page(request, "samples.html", rows=rows)


def _number(text: str, most: int, otherwise: int) -> int:
    return min(int(text), most) if text.isascii() and text.isdigit() and len(text) < 8 else otherwise


@get("/samples/{sample_id:str}", sync_to_thread=True)
def show_sample(request: AnyRequest, sample_id: FromPath[str]) -> Response[Any]:
    """A sample game at one moment, with its record beside it."""
    sample = samples().get(sample_id)
    if sample is None:
        raise NotFoundException(sample_id[:80])
    language = language_of(request)
    query = request.query_params
    length = sample.length()
    at = _number(query.get("at", ""), length - 1, length - 1 if sample.running else 0)
    show = query.get("show", "all") if query.get("show") in _FILTERS else "all"
    seat, words = query.get("seat", "")[:20], query.get("q", "").strip()[:200]
    numbers = chosen_lines(sample, length, show, seat, words, language)
    before = [n for n in numbers if n < at]
    after = [n for n in numbers if n > at]
    here = next((i for i, n in enumerate(numbers) if n >= at), max(len(numbers) - 1, 0))
    first = max(0, min(here - _WINDOW // 3, len(numbers) - _WINDOW))
    kept = {
        key: value for key, value in (("show", show if show != "all" else ""), ("seat", seat), ("q", words)) if value
    }

    def to(number: int) -> str:
        return f"/samples/{sample.id}?{urlencode({**kept, 'at': number})}#now"

    state = sample.state(at)
    speaker = Speaker(sample.referee, language)
    names = sample.referee.world.names.get("seat", ())
    playing = getattr(sample.referee.world, "seats", range(len(names)))
    return page(
        request,
        "sample.html",
        sample=sample,
        title=title_of(sample.game.id, language),
        at=at,
        length=length,
        follows=sample.running and at == length - 1 and not kept,
        line=_line(sample.id, at, language),
        lines=[_line(sample.id, n, language) for n in numbers[first : first + _WINDOW]],
        count=len(numbers),
        to=to,
        before=before[-1] if before else None,
        after=after[0] if after else None,
        show=show,
        filters=_FILTERS[:3],
        seat=seat,
        seats=[(str(names[one]), capital(speaker.value("seat", one))) for one in playing],
        words=words,
        map=board_map(sample.referee, state, language),
        zoom=_number(query.get("zoom", ""), 3, 0),
        href=to(at).removesuffix("#now"),
        sheet=_status(sample.game, state, language),
        awaited=_awaited(sample.referee, state, speaker),
        ask=desk_link(sample.referee, state),
    )


def desk_link(referee: Referee, state: Any) -> str:
    """Where the desk can be asked about a position; "" if it cannot stand by itself."""
    question = question_about(referee, state)
    return address(referee.game, question.pairs()) if question is not None else ""


def _status(game: Game, state: Any, language: str) -> list[tuple[str, list[Markup]]]:
    if game.status is None:
        return []
    return [
        (heading, [linked(game, one, language) for one in lines]) for heading, lines in game.status(state, language)
    ]


def _awaited(referee: Referee, state: Any, speaker: Speaker) -> list[Markup]:
    try:
        found = referee.awaiting(state)
    except Unknown:
        return []
    return [linked(referee.game, said, speaker.language) for one in found if (said := speaker.decision(one))]


__all__ = ["ROUTES", "Sample", "desk_link", "samples"]
ROUTES = (list_samples, show_sample)
