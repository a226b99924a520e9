"""`foedus sim`."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from foedus.cli.output import say, say_json
from foedus.cli.positions import game_named
from foedus.cli.reading import InputError
from foedus.kernel.referee import make_referee

MOST_GAMES = 1_000_000


def simulate(
    name: str, players: int | None, games: int, seed: int, *, max_steps: int, as_json: bool, language: str
) -> bool:
    """Play random games and print the summary; False if there was a fault."""
    from foedus.lab.simulate import MAX_SEED, Simulation
    from foedus.lab.summary import Summary

    if not 0 <= seed < MAX_SEED:
        raise InputError(f"--seed: a whole number from 0 below {MAX_SEED} is needed, not {seed}")
    if not 1 <= games <= MOST_GAMES:
        raise InputError(f"--games: a whole number from 1 to {MOST_GAMES} is needed, not {games}")
    if max_steps < 1:
        raise InputError(f"--steps: a whole number above 0 is needed, not {max_steps}")
    game = game_named(name, {}, name)
    try:
        referee = make_referee(game, players)
    except (ValueError, LookupError) as error:
        raise InputError(str(error)) from error
    count = players if players is not None else int(getattr(referee.world, "players", 0))
    summary = Summary(game, count, seed, max_steps)
    began = time.perf_counter()
    with _progress(games, hidden=as_json) as advance:
        for number in range(games):
            try:
                report = Simulation(referee, seed + number, max_steps=max_steps).run(
                    lambda step, number=number: advance(number, step)  # type: ignore[misc]
                )
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
