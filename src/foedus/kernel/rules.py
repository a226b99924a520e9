"""Rules as small functions beside their clause ids.

A chapter decorates plain functions with `forbids`, `permits`, `excepts` and `effect`; the game's `game.py` hands
its chapters to `Rules.collect`. Nothing registers itself on import.

    @forbids("15.2.2c", act=Besiege)
    def besieging_an_ally(state, siege):
        owner = state.owner_of(siege.space)
        if state.are_allied(siege.power, owner):
            return facts(space=siege.space, owner=owner)

`None` means that the rule does not bite. A rule that needs what is not known raises `Unknown`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any, Generic, ParamSpec, TypeVar

Facts = tuple[tuple[str, Any], ...]
"""What made a rule bite: (name, value) pairs. The game's words say of what kind a name is."""

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")
RuleFunction = Callable[[Any, Any], Facts | None]


def facts(**found: Any) -> Facts:
    """The facts of a bite, in the order given."""
    return tuple(found.items())


@dataclass(frozen=True)
class Guard:
    """A prohibition: `function(state, act)` gives facts when the act is forbidden by `clause`, else None.

    A `wide` guard reads nothing of the act but its power, so lists of choices ask it once for many commands. One that
    can only bite `under` some options of a ruling (its name, then the options) is not asked under the others.
    """

    clause: str
    acts: tuple[type, ...]
    function: RuleFunction
    wide: bool = False
    under: tuple[str, ...] = ()

    def __call__(self, state: Any, act: Any) -> Facts | None:
        """What the function finds."""
        return self.function(state, act)


@dataclass(frozen=True)
class Permission:
    """A permission that is cited when it applies; with `to` it is an exception to those prohibitions."""

    clause: str
    acts: tuple[type, ...]
    function: RuleFunction
    to: tuple[str, ...] = ()

    def __call__(self, state: Any, act: Any) -> Facts | None:
        """What the function finds."""
        return self.function(state, act)


class Effect(Generic[P, R]):
    """What the program must do by itself. While its clause is knocked out the effect gives `otherwise`.

    The first argument of the function is always the state; the `off` of its world names the clauses knocked out.
    """

    __slots__ = ("__wrapped__", "clause", "function", "otherwise")

    def __init__(self, clause: str, function: Callable[P, R], otherwise: R) -> None:
        self.clause = clause
        self.function = function
        self.otherwise = otherwise
        self.__wrapped__ = function

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """What the function gives, or `otherwise`."""
        off: frozenset[str] = args[0].world.off  # type: ignore[attr-defined]
        if off and self.clause in off:
            return self.otherwise
        return self.function(*args, **kwargs)


def forbids(
    clause: str, *, act: type | tuple[type, ...], wide: bool = False, under: tuple[str, ...] = ()
) -> Callable[[RuleFunction], Guard]:
    """Make a prohibition of `clause` on `act` (or several acts); see `Guard`."""
    acts = act if isinstance(act, tuple) else (act,)
    return lambda function: Guard(clause, acts, function, wide, under)


def permits(clause: str, *, act: type | tuple[type, ...]) -> Callable[[RuleFunction], Permission]:
    """Make a permission of `clause`, cited with an allowed act for which the function gives facts."""
    acts = act if isinstance(act, tuple) else (act,)
    return lambda function: Permission(clause, acts, function)


def excepts(
    clause: str, *, to: str | tuple[str, ...], act: type | tuple[type, ...]
) -> Callable[[RuleFunction], Permission]:
    """Make an exception of `clause` to the prohibitions `to`; cited when it made the difference."""
    acts = act if isinstance(act, tuple) else (act,)
    return lambda function: Permission(clause, acts, function, (to,) if isinstance(to, str) else to)


def effect(clause: str, otherwise: T) -> Callable[[Callable[P, R]], Effect[P, R | T]]:
    """Make an effect of `clause`; `otherwise` is what the function gives while the clause is knocked out."""

    def make(function: Callable[P, R]) -> Effect[P, R | T]:
        return Effect(clause, function, otherwise)

    return make


@dataclass(frozen=True)
class Rules:
    """All rules of a game by the act they speak about."""

    guards: tuple[Guard, ...]
    permissions: tuple[Permission, ...]
    claims: Mapping[str, tuple[str, ...]]
    """clause id to the functions ("module.name") that claim it"""
    effects: tuple[Effect[..., Any], ...] = ()

    @classmethod
    def collect(cls, chapters: Iterable[ModuleType], extra: Mapping[str, tuple[str, ...]] | None = None) -> Rules:
        """Gather the rules that stand in `chapters` (modules), in their order."""
        guards: list[Guard] = []
        permissions: list[Permission] = []
        effects: list[Effect[..., Any]] = []
        claims: dict[str, list[str]] = {clause: list(places) for clause, places in (extra or {}).items()}
        for chapter in chapters:
            for name, value in vars(chapter).items():
                if isinstance(value, (Guard, Permission, Effect)):
                    function = value.function
                    if getattr(function, "__module__", None) != chapter.__name__:
                        continue  # imported from another chapter
                    if isinstance(value, Guard):
                        guards.append(value)
                    elif isinstance(value, Permission):
                        permissions.append(value)
                    else:
                        effects.append(value)
                    place = f"{chapter.__name__.rsplit('.', 1)[-1]}.{name}"
                    claims.setdefault(value.clause, []).append(place)
        found = {clause: tuple(places) for clause, places in claims.items()}
        return cls(tuple(guards), tuple(permissions), found, tuple(effects))

    def without(self, off: frozenset[str]) -> Rules:
        """The same rules with the clauses of `off` knocked out."""
        return replace(
            self,
            guards=tuple(g for g in self.guards if g.clause not in off),
            permissions=tuple(p for p in self.permissions if p.clause not in off),
        )

    def by_act(
        self,
    ) -> tuple[
        dict[type, tuple[Guard, ...]],
        dict[tuple[type, str], tuple[Permission, ...]],
        dict[type, tuple[Permission, ...]],
    ]:
        """Tables for the referee: guards, wide ones first; exceptions by (act, clause); plain permissions."""
        guards: dict[type, list[Guard]] = {}
        exceptions: dict[tuple[type, str], list[Permission]] = {}
        plain: dict[type, list[Permission]] = {}
        for permission in self.permissions:
            for act in permission.acts:
                if permission.to:
                    for clause in permission.to:
                        exceptions.setdefault((act, clause), []).append(permission)
                else:
                    plain.setdefault(act, []).append(permission)
        for guard in sorted(self.guards, key=lambda guard: not guard.wide):
            for act in guard.acts:
                guards.setdefault(act, []).append(guard)
        return (
            {k: tuple(v) for k, v in guards.items()},
            {k: tuple(v) for k, v in exceptions.items()},
            {k: tuple(v) for k, v in plain.items()},
        )
