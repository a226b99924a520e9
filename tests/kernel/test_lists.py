"""How the referee makes lists: parts that are kept, guards asked once, and commands drawn at random."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from msgspec.structs import replace as put

from foedus.kernel.dice import ToldDice
from foedus.kernel.flow import Group, Kept, spread
from foedus.kernel.referee import Referee
from foedus.kernel.rules import Facts, Guard, facts, forbids

from . import toy
from .toy import A

REFEREE = toy.referee()


def dealt(*cards: int) -> toy.State:
    state: toy.State = REFEREE.start(dice=ToldDice(picks=cards)).state
    return state


def with_guards(*guards: Guard) -> Referee:
    """The toy game with more guards."""
    rules = replace(toy.GAME.rules, guards=(*toy.GAME.rules.guards, *guards))
    return Referee(replace(toy.GAME, rules=rules), toy.make_world(), toy.NAMES)


def keeping(asked: list[str]) -> Referee:
    """The toy game with the sends of a turn kept by the gold alone; `asked` counts how often they were made anew."""

    def parts(state: toy.State, frame: Any, seat: int) -> Iterator[Kept | Group]:
        for group in toy.TURN.candidates(state, frame, seat):
            if group[0] is toy.Send:
                yield Kept(("send", seat), (frame, state.gold), sends, (group,))
            else:
                yield group

    def sends(group: Group) -> Iterator[Group]:
        asked.append("sends")
        yield group

    flow = replace(toy.TURN, candidates=spread(parts), parts=parts)
    game = replace(toy.GAME, flows={**toy.GAME.flows, toy.Turn: flow})
    return Referee(game, toy.make_world(), toy.NAMES)


def test_a_part_is_taken_again_while_its_key_is_the_same() -> None:
    asked: list[str] = []
    referee, state = keeping(asked), dealt(0, 0, 0, 0)
    first = referee.choices(state, 0)
    assert first == REFEREE.choices(state, 0)
    first.clear()  # who gets a list may do with it what he likes
    assert referee.choices(put(state), 0) == REFEREE.choices(state, 0)
    assert asked == ["sends"]
    poor = put(state, gold=(0,) * 4)
    assert referee.choices(poor, 0) == REFEREE.choices(poor, 0) != REFEREE.choices(state, 0)
    assert len(asked) == 2
    assert referee.choices(put(poor, world=toy.make_world()), 0) == REFEREE.choices(poor, 0)
    assert len(asked) == 3  # another world


def test_a_flow_in_parts_gives_its_groups() -> None:
    state = dealt(0, 0, 0, 0)
    flow = keeping([]).game.flows[toy.Turn]
    frame = state.frames[-1]
    told = [(kind, power, tuple(commands)) for kind, power, commands in flow.candidates(state, frame, 0)]
    assert told == [(kind, power, tuple(commands)) for kind, power, commands in toy.TURN.candidates(state, frame, 0)]


def test_a_guard_is_asked_only_under_the_options_it_names() -> None:
    ruling = toy.GAME.rulebook.rulings[0]
    asked: list[int] = []

    def never(option: str) -> Guard:
        @forbids("9", act=toy.Rest, under=(ruling.name, option))
        def guard(state: toy.State, act: toy.Rest) -> Facts | None:
            asked.append(act.power)
            return facts(power=act.power)

        return guard

    state = dealt(0, 0, 0, 0)
    for option in ruling.options:
        referee = with_guards(never(option))
        for chosen, name in enumerate(ruling.options):
            asked.clear()
            at = put(state, rulings=(chosen, *state.rulings[1:]))
            rests = [one for one in referee.choices(at, 0) if isinstance(one, toy.Rest)]
            assert bool(asked) == (name == option)
            assert (toy.Rest(A) in rests) == (name != option)
            assert referee.permitted(at, toy.Rest(A)) == (name != option)


def test_a_command_is_drawn_evenly_from_those_that_are_allowed() -> None:
    chance = random.Random(4)
    for referee in (REFEREE, keeping([])):
        for state in (dealt(0, 0, 0, 0), put(dealt(1, 1, 1, 1), gold=(1, 1, 1, 1))):
            choices = referee.choices(state, 0)
            count = 400 * len(choices)
            drawn = Counter(referee.pick(state, 0, chance.random) for _ in range(count))
            assert set(drawn) == set(choices)
            assert all(abs(drawn[one] - 400) < 5 * 20 for one in choices), drawn  # five standard deviations
    assert REFEREE.pick(dealt(0, 0, 0, 0), 1, chance.random) is None
    assert REFEREE.pick(put(dealt(0, 0, 0, 0), frames=()), 0, chance.random) is None
