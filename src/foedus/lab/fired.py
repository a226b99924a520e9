"""How often each rule fired while games were played: counted by the rules themselves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from foedus.kernel.game import Game
from foedus.kernel.rules import Effect, Guard, Permission


@dataclass
class Fired:
    """By clause: how often a prohibition or a permission bit, and how often an effect made a difference."""

    bit: Counter[str] = field(default_factory=Counter)
    done: Counter[str] = field(default_factory=Counter)


@contextmanager
def counting(game: Game) -> Iterator[tuple[Game, Fired]]:
    """A game like this whose rules count how often they fire, and the counts. Make its referee from it, and inside.

    An effect counts as fired when it gives something else than it would with its clause knocked out. Not for two
    threads at once: the effects of a game are functions of its chapters, and one and the same for all.
    """
    fired = Fired()
    effects = game.rules.effects
    functions = [effect.function for effect in effects]
    rules = replace(
        game.rules,
        guards=tuple(_biting(one, fired.bit) for one in game.rules.guards),
        permissions=tuple(_biting(one, fired.bit) for one in game.rules.permissions),
    )
    try:
        for effect in effects:
            effect.function = _differing(effect, fired.done)
        yield replace(game, rules=rules), fired
    finally:
        for effect, function in zip(effects, functions, strict=True):
            effect.function = function


def _biting(rule: Any, counts: Counter[str]) -> Any:
    function, clause = rule.function, rule.clause

    def counted(state: Any, act: Any) -> Any:
        found = function(state, act)
        if found is not None:
            counts[clause] += 1
        return found

    assert isinstance(rule, (Guard, Permission))
    return replace(rule, function=counted)


def _differing(effect: Effect[..., Any], counts: Counter[str]) -> Callable[..., Any]:
    function, clause, otherwise = effect.function, effect.clause, effect.otherwise

    def counted(*args: Any, **kwargs: Any) -> Any:
        found = function(*args, **kwargs)
        if found != otherwise:
            counts[clause] += 1
        return found

    return counted
