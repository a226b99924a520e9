"""`foedus sim`."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from foedus.cli.output import say, say_json
from foedus.cli.owned import board_of, options_of
from foedus.cli.positions import game_named
from foedus.cli.reading import InputError
from foedus.kernel.referee import make_referee

MOST_GAMES = 1_000_000
RULINGS = ("default", "mixed")


@dataclass(frozen=True)
class Games:
    """Which games are to be played, and how; `style` and `rulings` as on the command line."""

    game: str
    players: int | None = None
    games: int = 10
    seed: int = 1
    steps: int = 20_000
    style: str = "plain"
    rulings: str = "default"
    deck: str | None = None
    board: str | None = None
    tables: str | None = None


def simulate(wanted: Games, *, as_json: bool, language: str) -> bool:
    """Play random games and print the summary; False if there was a fault."""
    from foedus.bots.players import STYLES
    from foedus.lab.fired import counting
    from foedus.lab.simulate import MAX_SEED, Simulation, mixed_rulings
    from foedus.lab.summary import Summary

    seed, games = wanted.seed, wanted.games
    if not 0 <= seed < MAX_SEED:
        raise InputError(f"--seed: a whole number from 0 below {MAX_SEED} is needed, not {seed}")
    if not 1 <= games <= MOST_GAMES:
        raise InputError(f"--games: a whole number from 1 to {MOST_GAMES} is needed, not {games}")
    if wanted.steps < 1:
        raise InputError(f"--steps: a whole number above 0 is needed, not {wanted.steps}")
    if wanted.style not in STYLES:
        raise InputError(f"--style: one of {', '.join(STYLES)} is needed, not '{wanted.style[:40]}'")
    if wanted.rulings not in RULINGS:
        raise InputError(f"--rulings: one of {', '.join(RULINGS)} is needed, not '{wanted.rulings[:40]}'")
    named = game_named(wanted.game, {}, wanted.game)
    with counting(named) as (game, fired):
        try:
            options = options_of(named, wanted.deck, wanted.tables)
            referee = make_referee(game, wanted.players, board_of(named, wanted.board), options)
            game.start(referee.world, game.rulebook.defaults)
        except (ValueError, LookupError) as error:
            raise InputError(str(error)) from error
        count = wanted.players if wanted.players is not None else int(getattr(referee.world, "players", 0))
        summary = Summary(named, count, seed, wanted.steps, fired=fired, style=wanted.style)
        began = time.perf_counter()
        with _progress(games, hidden=as_json) as advance:
            for number in range(games):
                chosen = mixed_rulings(referee, seed + number) if wanted.rulings == "mixed" else None
                one = Simulation(
                    referee, seed + number, max_steps=wanted.steps, rulings=chosen, style=wanted.style, every=True
                )
                try:
                    report = one.run(lambda step, number=number: advance(number, step))  # type: ignore[misc]
                except KeyboardInterrupt:
                    break
                summary.reports.append(report)
                advance(number + 1, 0)
        summary.seconds = time.perf_counter() - began
    if as_json:
        say_json(summary.data)
    else:
        say(summary.text(language))
    return not summary.faults


@contextmanager
def _progress(games: int, *, hidden: bool) -> Iterator[Callable[[int, int], Any]]:
    """A bar on the standard error, where that is a terminal."""
    if hidden or not sys.stderr.isatty():
        yield lambda done, step: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), TextColumn("{task.fields[step]}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=games, step="")
        yield lambda done, step: bar.update(task, completed=done, step=f"step {step}" if step else "")
