"""The kernel, proved with a game it has never heard of: see `toy.py`."""

from __future__ import annotations

import ast
import json
import random
import types
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace as put

import foedus
from foedus.kernel.dice import FastDice, NeedDice, ToldDice, WrongDice
from foedus.kernel.flow import Flow, FrameChanged, FramePopped, FramePushed, Rolled, RulingChanged, Sealed, SealedFrame
from foedus.kernel.game import UnknownGame, collect_carries, collect_flows, find_game
from foedus.kernel.referee import EndlessFlow, Outcome, Referee
from foedus.kernel.rulebook import RulebookError
from foedus.kernel.rules import Facts, Guard, Permission, Rules, facts, forbids
from foedus.kernel.unknown import UNKNOWN, Unknown
from foedus.kernel.values import Answer, Command, Event
from foedus.kernel.verdict import ALLOWED, DEPENDS, REFUSED, Consequences, NotYours, Refused, Remedy, Verdict

from . import toy
from .toy import A, B, L, N

REFEREE = toy.referee()
UNIVERSE = toy.universe()
EVERYBODY = (0, 1, 2, None)
calm = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck), database=None)
seeds = st.integers(0, 2**32)


def options(state: toy.State) -> list[Command]:
    return [command for seat in range(3) for command in REFEREE.choices(state, seat)]


def play(seed: int, rulings: dict[str, str] | None = None) -> Iterator[tuple[toy.State, Command, Outcome]]:
    """A whole game of random commands: each state, the command chosen in it, and what came of it."""
    dice, chance = FastDice(seed), random.Random(seed)
    state = REFEREE.start(rulings, dice).state
    while state.frames:
        command = chance.choice(options(state))
        outcome = REFEREE.act(state, command, dice)
        yield state, command, outcome
        state = outcome.state


def some_state(seed: int, rulings: dict[str, str] | None = None) -> toy.State:
    """A position somewhere in a random game."""
    states = [state for state, _, _ in play(seed, rulings)]
    return random.Random(seed).choice(states)


def data(state: toy.State) -> Any:
    return REFEREE.codec.encode(state)


def dealt(*cards: int) -> toy.State:
    """The first turn, Amber's, with these cards in the hands."""
    state: toy.State = REFEREE.start(dice=ToldDice(picks=cards)).state
    return state


def after(state: toy.State, *commands: Command, dice: ToldDice | None = None) -> toy.State:
    for command in commands:
        state = REFEREE.act(state, command, dice).state
    return state


def judge(state: toy.State, command: Command) -> tuple[str, tuple[str, ...]]:
    verdict = REFEREE.judge(state, command)
    return verdict.kind, verdict.clauses


# judging


def test_every_reason_is_given() -> None:
    state = put(dealt(1, 1, 1, 1), gold=(0, 0, 0, 0))
    assert set(REFEREE.judge(state, toy.Send(A, A, (2, 2))).clauses) == {"5", "2", "13"}
    assert set(REFEREE.judge(state, toy.Send(B, B, (2, 2))).clauses) == {"1", "5", "2", "13"}
    assert REFEREE.judge(state, toy.Send(B, B, (2, 2))).reasons[0].facts == (("power", B),)


def test_every_reason_is_given_of_acts_at_one_position() -> None:
    state = put(dealt(0, 0, 0, 0), closed=1 << B | 1 << L)
    verdict = REFEREE.judge(state, toy.Tour(A, B, L))
    assert [dict(reason.facts)["to"] for reason in verdict.reasons] == [B, L]
    assert set(REFEREE.judge(state, toy.Tour(N, B, L)).clauses) == {"1", "12"}


def test_acts_that_would_never_come_are_not_judged() -> None:
    def acts(state: toy.State, tour: toy.Tour) -> Iterator[tuple[toy.State, Any]]:
        yield state, toy.Cross(tour.power, tour.first)
        yield put(state, turn=state.turn + 1), toy.Cross(tour.power, tour.second)

    referee = toy.referee()
    referee.game = replace(toy.GAME, entails={toy.Tour: acts})
    state = put(dealt(0, 0, 0, 0), closed=1 << B | 1 << L)
    assert [dict(one.facts)["to"] for one in referee.judge(state, toy.Tour(A, B, L)).reasons] == [B]
    assert [dict(one.facts)["to"] for one in referee.judge(state, toy.Tour(A, N, L)).reasons] == [L]


def test_an_exception_is_cited_when_it_made_the_difference() -> None:
    state = dealt(0, 0, 0, 0)
    assert judge(state, toy.Send(A, B, (0,))) == (ALLOWED, ("2e",))
    assert judge(state, toy.Send(A, B, (0, 0, 3))) == (REFUSED, ("2",))
    friends = toy.Allied(A, B).apply(state)
    assert judge(friends, toy.Send(A, B, (0,))) == (ALLOWED, ())
    assert judge(put(friends, gold=(0, 0, 0, 0)), toy.Send(A, B, (0,))) == (ALLOWED, ("5e",))
    assert judge(put(friends, gold=(0, 0, 0, 0)), toy.Send(A, B, (0, 0, 3))) == (REFUSED, ("5",))


def test_a_permission_is_cited_with_what_it_permits() -> None:
    state = after(dealt(0, 0, 0, 0), toy.Send(A, B, (0,)))
    assert judge(state, toy.Wait(L)) == (ALLOWED, ("9",))
    assert judge(state, toy.Wait(A)) == (REFUSED, ("10",))


@calm
@given(seeds, st.sampled_from(UNIVERSE))
def test_judging_changes_nothing(seed: int, command: Command) -> None:
    state = some_state(seed)
    before = json.dumps(data(state))
    verdict = REFEREE.judge(state, command)
    assert (verdict.rulings, verdict.follows, verdict.remedies) is not None
    assert json.dumps(data(state)) == before


# what is not known


def sketch(**known: Any) -> toy.State:
    state: toy.State = REFEREE.sketch(known)
    return state


def test_it_depends_on_a_hidden_card() -> None:
    state = sketch(pacts=[])
    verdict = REFEREE.judge(state, toy.Ambush(B, A))
    assert (verdict.kind, verdict.clauses) == (DEPENDS, ("4",))
    (question,) = verdict.open
    assert (question.what, question.subject) == ("card", (("power", B),))
    assert question.options == (toy.SPEAR, toy.SHIELD)
    assert question.biting == (toy.SHIELD,)
    assert question.facts == (("power", B),)


def test_a_known_card_settles_it() -> None:
    assert judge(sketch(pacts=[], cards={"BIR": "spear"}), toy.Ambush(B, A)) == (ALLOWED, ())
    assert judge(sketch(pacts=[], cards={"BIR": "shield"}), toy.Ambush(B, A)) == (REFUSED, ("4",))


def test_a_refusal_that_is_known_beats_what_is_not() -> None:
    assert judge(sketch(pacts=[("AMB", "BIR")]), toy.Ambush(B, A)) == (REFUSED, ("3",))


def test_allowed_when_all_answers_agree() -> None:
    # whether there is a pact does not matter to a gift: the exception covers what the pact would not
    assert judge(sketch(active="AMB", gold={"AMB": 1}), toy.Send(A, B, (0,))) == (ALLOWED, ())


def test_depends_when_nobody_can_list_the_answers() -> None:
    verdict = REFEREE.judge(sketch(active="AMB", pacts=[("AMB", "BIR")]), toy.Send(A, B, (2, 2)))
    assert (verdict.kind, verdict.clauses) == (DEPENDS, ("5",))
    assert verdict.open[0].what == "gold"
    assert verdict.open[0].options == ()


def test_an_exception_that_needs_what_is_unknown() -> None:
    # the purse is known to be empty; only whether there is a pact is not, and only the exception asks
    verdict = REFEREE.judge(sketch(active="AMB", gold={"AMB": 0}), toy.Send(A, B, (0,)))
    assert (verdict.kind, verdict.clauses) == (DEPENDS, ("5",))
    assert verdict.open[0].what == "pacts"


def test_refused_when_all_answers_agree() -> None:
    # whoever is active: neither Amber's tour through a closed border nor anybody's
    state = sketch(closed=["BIR"], ford=False)
    assert judge(state, toy.Tour(A, B, L)) == (REFUSED, ("12",))
    assert judge(put(state, active=B), toy.Tour(A, L, L)) == (REFUSED, ("1",))


def hanging_on_a_card(*cards: int) -> Referee:
    """A referee under whom Rest is forbidden by clauses 4 and 9, each with one of the cards in hand."""

    def with_card(clause: str, card: int) -> Guard:
        @forbids(clause, act=toy.Rest)
        def guard(state: toy.State, act: toy.Rest) -> Facts | None:
            if state.cards[act.power] == UNKNOWN:
                raise Unknown("card", (("power", act.power),), (0, 1))
            return facts(power=act.power) if state.cards[act.power] == card else None

        return guard

    guards = tuple(with_card(clause, card) for clause, card in zip(("4", "9"), cards, strict=True))
    game = replace(toy.GAME, rules=replace(toy.GAME.rules, guards=guards))
    return Referee(game, toy.make_world(), toy.NAMES)


def test_two_clauses_that_hang_on_one_question_may_refuse_whatever_the_answer() -> None:
    referee = hanging_on_a_card(0, 1)
    verdict = referee.judge(sketch(), toy.Rest(A))
    assert verdict.kind == REFUSED
    assert set(verdict.clauses) == {"4", "9"}
    assert not referee.permitted(sketch(), toy.Rest(A))


def test_two_clauses_that_hang_on_one_answer_leave_it_open() -> None:
    verdict = hanging_on_a_card(1, 1).judge(sketch(), toy.Rest(A))
    assert (verdict.kind, verdict.clauses, verdict.reasons) == (DEPENDS, ("4", "9"), ())
    assert {one.biting for one in verdict.open} == {(1,)}


@pytest.mark.parametrize("bites, kind", [(lambda cards: True, REFUSED), (lambda cards: False, ALLOWED)])
def test_a_rule_may_ask_many_questions(bites: Any, kind: str) -> None:
    @forbids("4", act=toy.Rest)
    def guard(state: toy.State, act: toy.Rest) -> Facts | None:
        for power in range(4):
            if state.cards[power] == UNKNOWN:
                raise Unknown("card", (("power", power),), (0, 1))
        return facts(power=act.power) if bites(state.cards) else None

    game = replace(toy.GAME, rules=replace(toy.GAME.rules, guards=(guard,)))
    verdict = Referee(game, toy.make_world(), {}).judge(sketch(), toy.Rest(A))
    assert (verdict.kind, verdict.open) == (kind, ())


def test_a_permission_is_cited_if_it_permits_whatever_the_answer() -> None:
    def referee(clause: str, act: type) -> Referee:
        permission = Permission(clause, (act,), lambda state, act: facts(power=act.power))
        rules = replace(toy.GAME.rules, permissions=(permission,))
        return Referee(replace(toy.GAME, rules=rules), toy.make_world(), {})

    state, tour = sketch(active="AMB", closed=[]), toy.Tour(A, B, L)
    assert referee("9", toy.Cross).judge(put(state, ford=0), tour).clauses == ("9",)
    assert referee("9", toy.Cross).judge(state, tour).clauses == ()
    assert referee("9", toy.Tour).judge(state, tour).clauses == ("9",)


def test_every_question_is_told_where_each_answer_leaves_others_open() -> None:
    verdict = REFEREE.judge(sketch(closed=["BIR"]), toy.Tour(A, L, L))
    assert verdict.kind == DEPENDS
    assert [one.what for one in verdict.open] == ["ford", "active"]


def test_a_course_with_more_unknown_parts_than_can_be_tried_depends() -> None:
    def acts(state: toy.State, tour: toy.Tour) -> Iterator[tuple[toy.State, Any]]:
        for power in range(4):
            toy.ambushing_a_friend(state, toy.Ambush(power, (power + 1) % 4))
        yield state, tour

    assert judge(sketch(active="AMB", closed=[], ford=True), toy.Tour(A, B, L)) == (ALLOWED, ())
    referee = Referee(replace(toy.GAME, entails={toy.Tour: acts}), toy.make_world(), toy.NAMES)
    verdict = referee.judge(sketch(active="AMB", closed=[], ford=True), toy.Tour(A, B, L))
    assert verdict.kind == DEPENDS


def test_a_course_that_depends_on_what_is_unknown() -> None:
    # through the ford no border is crossed: whether it is open decides, unless all borders are open anyway
    assert judge(sketch(active="AMB", closed=[]), toy.Tour(A, B, L)) == (ALLOWED, ())
    verdict = REFEREE.judge(sketch(active="AMB", closed=["LAK"]), toy.Tour(A, B, L))
    assert (verdict.kind, verdict.clauses) == (DEPENDS, ("12",))
    assert [(one.what, one.options, one.biting) for one in verdict.open] == [("ford", (0, 1), (0,))]
    assert judge(sketch(active="BIR", closed=["LAK"]), toy.Tour(A, B, L)) == (REFUSED, ("1",))
    # neither the ford nor the borders: it hangs on both
    verdict = REFEREE.judge(sketch(active="AMB"), toy.Tour(A, B, B))
    assert verdict.kind == DEPENDS
    assert "ford" in [one.what for one in verdict.open]


@calm
@given(seeds, st.sampled_from(UNIVERSE))
def test_a_verdict_from_less_knowledge_never_contradicts_one_from_more(seed: int, command: Command) -> None:
    state = some_state(seed)
    full = REFEREE.judge(state, command)
    for seat in EVERYBODY:
        seen = REFEREE.judge(put(REFEREE.view(state, seat), offers=state.offers), command)
        if seen.kind != DEPENDS:
            assert seen.kind == full.kind
            assert set(seen.clauses) <= set(full.clauses)


# choices


@calm
@given(seeds)
def test_choices_are_what_judge_allows(seed: int) -> None:
    for state, _, _ in play(seed):
        for seat in range(3):
            listed = REFEREE.choices(state, seat)
            allowed = [one for one in UNIVERSE if toy.SEAT_OF[one.power] == seat and REFEREE.judge(state, one).allowed]
            assert len(set(listed)) == len(listed)
            assert set(listed) == set(allowed)
            for command in listed:
                assert REFEREE.permitted(state, command)


@calm
@given(seeds)
def test_choices_need_only_what_the_seat_knows(seed: int) -> None:
    for state, _, _ in play(seed):
        for seat in range(3):
            view = REFEREE.view(state, seat)
            assert REFEREE.choices(view, seat) == REFEREE.choices(state, seat)
            for command in REFEREE.choices(view, seat):
                known, full = REFEREE.judge(view, command), REFEREE.judge(state, command)
                assert (known.kind, known.reasons) == (full.kind, full.reasons)


@calm
@given(seeds)
def test_choices_agree_with_judge_where_much_is_unknown(seed: int) -> None:
    chance = random.Random(seed)
    state = some_state(seed)
    gaps: dict[str, Any] = {"cards": (UNKNOWN,) * 4, "pacts": (UNKNOWN,) * 4, "gold": (UNKNOWN,) * 4}
    gaps |= {"closed": UNKNOWN, "ford": UNKNOWN}
    state = put(state, **{key: gaps[key] for key in gaps if chance.random() < 0.4})
    for seat in range(3):
        listed = REFEREE.choices(state, seat)
        allowed = {one for one in UNIVERSE if toy.SEAT_OF[one.power] == seat and REFEREE.judge(state, one).allowed}
        assert set(listed) == allowed
        assert len(listed) == len(allowed)


def test_a_wide_guard_with_an_exception_is_asked_for_each_command() -> None:
    state = put(toy.Allied(A, L).apply(dealt(0, 0, 0, 0)), gold=(0, 0, 0, 0))
    sends = [one for one in REFEREE.choices(state, 0) if isinstance(one, toy.Send)]
    assert sends == [toy.Send(A, L, (0,)), toy.Send(A, L, (3,))]


def test_a_list_that_meets_the_unknown_half_way_names_nothing_twice() -> None:
    state = put(toy.Allied(A, B).apply(dealt(0, 0, 0, 0)), pacts=(1 << B, 1 << A, 0, UNKNOWN))
    sends = [one for one in REFEREE.choices(state, 0) if isinstance(one, toy.Send)]
    assert [(one.to, one.load) for one in sends] == [
        *((B, load) for load in toy.LOADS),
        *((to, load) for to in (L, N) for load in toy.LOADS if len(load) == 1),
    ]


def test_a_sketch_outside_any_step_awaits_nobody() -> None:
    state = sketch(active="AMB")
    assert REFEREE.awaiting(state) == ()
    assert REFEREE.choices(state, 0) == []


# acting


@calm
@given(seeds, st.data())
def test_what_is_refused_does_not_happen(seed: int, more: st.DataObject) -> None:
    state = some_state(seed)
    command = more.draw(st.sampled_from(UNIVERSE))
    verdict = REFEREE.judge(state, command)
    if verdict.allowed:
        return
    before = json.dumps(data(state))
    dice = FastDice(1)
    with pytest.raises(Refused) as refused:
        REFEREE.act(state, command, dice)
    assert refused.value.verdict.clauses == verdict.clauses
    assert dice.counter == 0
    assert json.dumps(data(state)) == before


def test_what_depends_is_not_carried_out_either() -> None:
    state = after(dealt(0, 0, 0, 0), toy.Send(A, B, (0,)))
    with pytest.raises(Refused, match="depends"):
        REFEREE.act(REFEREE.view(state, 0), toy.Ambush(L, A))


@calm
@given(seeds)
def test_replay_equals_play(seed: int) -> None:
    first = REFEREE.start(dice=FastDice(seed))
    start = toy.start(toy.make_world(), toy.GAME.rulebook.defaults)
    start = put(start, world=first.state.world)
    assert REFEREE.replay(start, first.events) == first.state
    record = [*first.events]
    end = first.state
    for state, _, outcome in play(seed):
        assert REFEREE.replay(state, outcome.events) == outcome.state
        record += outcome.events
        end = outcome.state
    codec = REFEREE.codec
    lines = [json.dumps(codec.encode(event), ensure_ascii=False) for event in record]
    again = [codec.decode(json.loads(line), Event) for line in lines]
    assert again == record
    assert data(REFEREE.replay(start, again)) == data(end)


def test_replay_asks_no_rules() -> None:
    state, _, outcome = next(iter(play(1)))
    deaf = replace(toy.GAME, handlers={}, flows={}, rules=replace(toy.GAME.rules, guards=()))
    assert Referee(deaf, toy.make_world(), {}).replay(state, outcome.events) == outcome.state


def duel(*cards: int) -> toy.State:
    """Amber's caravan to Birch, ambushed by the Lake; the Nomads wait."""
    return after(dealt(*cards), toy.Send(A, B, (0,)), toy.Ambush(L, A), toy.Wait(N))


def test_an_interruption_resumes_what_it_interrupted() -> None:
    state = duel(0, 0, 0, 0)
    assert [type(frame) for frame in state.frames] == [toy.Turn, toy.Road, toy.Duel]
    (asked,) = REFEREE.awaiting(state)
    assert (asked.seat, asked.power, asked.clause) == (0, A, "11")
    state = after(state, toy.Flee(A))
    assert [type(frame) for frame in state.frames] == [toy.Turn]
    assert (state.active, state.turn) == (B, 2)
    assert state.gold[A] == 1 - 1 + 1  # fled, and the caravan came all the same


def test_an_interruption_may_come_twice() -> None:
    state = after(dealt(0, 0, 0, 0), toy.Send(A, B, (0,)), toy.Ambush(N, A), toy.Ambush(L, A))
    assert [frame.duels for frame in state.frames if isinstance(frame, toy.Road)] == [1 << N]
    state = after(state, toy.Flee(A))
    assert [type(frame) for frame in state.frames] == [toy.Turn, toy.Road, toy.Duel]
    assert after(state, toy.Flee(A)).active == B


def test_an_act_happens_whole_or_not_at_all() -> None:
    state = duel(0, 0, 0, 0)
    before = json.dumps(data(state))
    dice = ToldDice((6,))
    for told in ((), (1,)):
        dice.tell(told)
        with pytest.raises(NeedDice):  # the second die is missing, and then the card drawn
            REFEREE.act(state, toy.Fight(A), dice)
        assert dice.counter == 0
        assert dice.unused().dice == (6, *told)
        assert json.dumps(data(state)) == before
    dice.tell_picks((1,))
    outcome = REFEREE.act(state, toy.Fight(A), dice)
    assert not dice.unused()
    assert [event.result for event in outcome.events if isinstance(event, Rolled)] == [(6,), (1,), (1,)]
    assert [event.counter for event in outcome.events if isinstance(event, Rolled)] == [0, 1, 2]
    assert all(event.told for event in outcome.events if isinstance(event, Rolled))


def test_wrong_dice_leave_everything_as_it_was() -> None:
    dice = ToldDice((6, 7), (0,))
    with pytest.raises(WrongDice):
        REFEREE.act(duel(0, 0, 0, 0), toy.Fight(A), dice)
    assert dice.unused() == ((6, 7), (0,))
    assert not dice.told


def test_a_flow_that_never_ends_is_found_out() -> None:
    def stays(action: Any, frame: Any) -> None:
        action.change(done=True)

    flows = {**toy.GAME.flows, toy.Turn: Flow(toy.Turn, lambda s, f: (), toy.TURN.candidates, stays)}
    with pytest.raises(EndlessFlow, match="caravans"):
        Referee(replace(toy.GAME, flows=flows), toy.make_world(), {}).start(dice=FastDice(1))


# what is sealed


def sealed_view(state: toy.State, seat: int | None) -> list[Answer]:
    frame = REFEREE.view(state, seat).frames[-1]
    assert isinstance(frame, SealedFrame)
    return list(frame.answers)


def test_sealed_answers_are_seen_by_their_own_seat_only() -> None:
    state = after(dealt(0, 0, 0, 0), toy.Send(A, L, (0,)), toy.Ambush(N, A))
    assert sealed_view(state, 2) == [Answer(N, 2, toy.Ambush(N, A))]
    for seat in (0, 1, None):
        assert sealed_view(state, seat) == [Answer(N, 2, None)]
    assert state.frames[-1].missing() == 1 << B  # type: ignore[attr-defined]


def test_whatever_was_sealed_others_see_the_same() -> None:
    asked = after(dealt(0, 0, 0, 0), toy.Send(A, L, (0,)))
    ambush, wait = REFEREE.act(asked, toy.Ambush(N, A)), REFEREE.act(asked, toy.Wait(N))
    for seat in (0, 1, None):
        assert data(REFEREE.view(ambush.state, seat)) == data(REFEREE.view(wait.state, seat))
        assert REFEREE.view_events(asked, ambush.events, seat) == REFEREE.view_events(asked, wait.events, seat)
        assert REFEREE.awaiting(ambush.state) == REFEREE.awaiting(wait.state)
    for seat in (0, 1):
        assert REFEREE.choices(ambush.state, seat) == REFEREE.choices(wait.state, seat)


def test_sealed_answers_come_out_when_all_are_in() -> None:
    asked = after(dealt(0, 0, 0, 0), toy.Send(A, L, (0,)), toy.Ambush(N, A))
    outcome = REFEREE.act(asked, toy.Wait(B))
    seen = REFEREE.view_events(asked, outcome.events, None)
    assert seen[0] == Sealed(Answer(B, 1, None))
    assert toy.Answered(1 << N) in seen
    assert outcome.state.frames[-1] == toy.Duel(N, A)


def test_nobody_answers_twice_nor_for_a_power_that_is_not_asked() -> None:
    state = after(dealt(0, 0, 0, 0), toy.Send(A, L, (0,)), toy.Wait(N))
    for command in (toy.Wait(N), toy.Ambush(N, A), toy.Wait(L), toy.Wait(A)):
        assert judge(state, command) in ((REFUSED, ("10",)), (REFUSED, ("3", "10")))
    assert {one.power for one in REFEREE.awaiting(state)} == {B}


def test_what_waits_beside_is_not_taken_for_a_sealed_answer() -> None:
    state = after(dealt(0, 0, 0, 0), toy.Propose(A, B, 1), toy.Send(A, L, (0,)))
    verdict = REFEREE.judge(state, toy.Accept(B, A))
    outcome = REFEREE.act(state, toy.Accept(B, A))
    assert [type(event) for event in outcome.events] == [toy.OfferGone, toy.Allied]
    assert verdict.follows is not None
    assert verdict.follows.events == outcome.events
    assert outcome.state.frames == state.frames
    assert judge(outcome.state, toy.Ambush(B, A)) == (REFUSED, ("3",))


def test_a_trial_of_the_last_answer_does_not_open_the_others() -> None:
    state = after(dealt(0, 0, 0, 0), toy.Send(A, L, (0,)), toy.Ambush(N, A))
    follows = REFEREE.judge(state, toy.Wait(B)).follows
    assert follows == Consequences(())


def test_frames_within_events_are_veiled_too() -> None:
    frame = toy.Caravan(1 << B | 1 << N, (Answer(N, 2, toy.Wait(N)), Answer(B, 1, toy.Wait(B))), A, L, (0,))
    veiled = put(frame, answers=(Answer(N, 2, None), Answer(B, 1, toy.Wait(B))))
    state = dealt(0, 0, 0, 0)
    for event in (FramePushed, FrameChanged):
        assert REFEREE.view_events(state, [event(frame)], 1) == [event(veiled)]
        assert REFEREE.view_events(state, [event(toy.Turn())], 1) == [event(toy.Turn())]


# offers


def test_an_offer_blocks_nobody() -> None:
    state = dealt(0, 0, 0, 0)
    offered = after(state, toy.Propose(A, B, 1))
    assert REFEREE.awaiting(offered) == REFEREE.awaiting(state)
    assert set(REFEREE.choices(offered, 1)) == {toy.Accept(B, A), toy.Decline(B, A)}
    others = set(REFEREE.choices(state, 0)) - {toy.Propose(A, B), toy.Propose(A, B, 1)}
    assert set(REFEREE.choices(offered, 0)) == others | {toy.Withdraw(A, B)}
    assert judge(offered, toy.Propose(A, B)) == (REFUSED, ("6",))


def test_an_offer_is_answered_whenever_its_time_allows() -> None:
    state = after(dealt(0, 0, 0, 0), toy.Propose(A, B), toy.Propose(A, L), toy.Propose(A, N), toy.Send(A, B, (0,)))
    state = after(state, toy.Ambush(L, A), toy.Decline(N, A), toy.Wait(N), toy.Withdraw(A, L))
    assert isinstance(state.frames[-1], toy.Duel)
    state = after(state, toy.Accept(B, A))
    assert isinstance(state.frames[-1], toy.Duel)
    assert state.offers == ()
    assert state.pacts == (1 << B, 1 << A, 0, 0)
    assert judge(state, toy.Accept(B, A)) == (REFUSED, ("7",))


def test_an_offer_dies_as_the_game_says_and_lives_on_without_the_rule() -> None:
    state = after(dealt(0, 0, 0, 0), toy.Propose(A, B), toy.Rest(A))
    assert len(state.offers) == 1
    outcome = REFEREE.act(state, toy.Rest(B))
    assert toy.OfferGone(A, B, "dead") in outcome.events
    assert outcome.state.offers == ()
    lawless = toy.referee("8")
    state = lawless.start(dice=ToldDice(picks=(0, 0, 0, 0))).state
    for command in (toy.Propose(A, B), toy.Rest(A), toy.Rest(B)):
        state = lawless.act(state, command).state
    assert len(state.offers) == 1


# views


@calm
@given(seeds)
def test_redacting_and_applying_may_change_places(seed: int) -> None:
    first = REFEREE.start(dice=FastDice(seed))
    steps: list[tuple[toy.State, tuple[Event, ...]]] = []
    steps.append((put(toy.start(first.state.world, first.state.rulings)), first.events))
    steps += [(state, outcome.events) for state, _, outcome in play(seed)]
    for state, events in steps:
        for seat in EVERYBODY:
            at, seen = state, REFEREE.view(state, seat)
            for event in events:
                shown = REFEREE.view_events(at, [event], seat)
                at, seen = event.apply(at), REFEREE.replay(seen, shown)
                assert data(REFEREE.view(at, seat)) == data(seen)
            assert REFEREE.view_events(state, events, seat) == [
                one
                for index, event in enumerate(events)
                for one in REFEREE.view_events(REFEREE.replay(state, events[:index]), [event], seat)
            ]


@calm
@given(seeds)
def test_a_view_of_a_view_is_the_view(seed: int) -> None:
    for state, _, outcome in play(seed):
        for seat in EVERYBODY:
            view = REFEREE.view(state, seat)
            assert REFEREE.view(view, seat) == view
            shown = REFEREE.view_events(state, outcome.events, seat)
            assert REFEREE.view_events(view, shown, seat) == shown


@calm
@given(seeds)
def test_a_hidden_card_is_in_nobody_elses_view_nor_events(seed: int) -> None:
    for state, _, outcome in play(seed):
        for seat in EVERYBODY:
            view = REFEREE.view(state, seat)
            for power in range(4):
                known = toy.SEAT_OF[power] == seat or state.shown >> power & 1
                assert view.cards[power] == (state.cards[power] if known else UNKNOWN)
            for event in REFEREE.view_events(state, outcome.events, seat):
                if isinstance(event, toy.Drawn) and toy.SEAT_OF[event.power] != seat:
                    assert event.card == UNKNOWN
                if isinstance(event, Rolled) and event.sides == 0:
                    assert event.result == ()


@calm
@given(seeds)
def test_nothing_hidden_shows_in_a_byte(seed: int) -> None:
    """Change the hidden part of another seat: every byte this seat is given stays the same."""
    for state, _, _ in play(seed):
        for seat in EVERYBODY:
            others = [power for power in range(4) if toy.SEAT_OF[power] != seat and not state.shown >> power & 1]
            changed = state
            for power in others:
                changed = put(changed, cards=toy._with(changed.cards, power, 1 - changed.cards[power]))
            assert json.dumps(data(REFEREE.view(state, seat))) == json.dumps(data(REFEREE.view(changed, seat)))
            assert REFEREE.awaiting(state) == REFEREE.awaiting(changed)
            if seat is not None:
                assert REFEREE.choices(state, seat) == REFEREE.choices(changed, seat)


@calm
@given(seeds)
def test_who_is_asked_is_public(seed: int) -> None:
    for state, _, _ in play(seed):
        for seat in EVERYBODY:
            assert REFEREE.awaiting(REFEREE.view(state, seat)) == REFEREE.awaiting(state)


@calm
@given(seeds)
def test_who_is_awaited_has_a_choice(seed: int) -> None:
    for state, _, _ in play(seed):
        asked = REFEREE.awaiting(state)
        assert asked
        for decision in asked:
            assert any(one.power == decision.power for one in REFEREE.choices(state, decision.seat))


# what a verdict says further


@calm
@given(seeds, st.sampled_from(("ignored", "binds")))
def test_rulings_are_listed_exactly_when_they_decide(seed: int, option: str) -> None:
    state = some_state(seed, {"far_end": option})
    for command in UNIVERSE:
        verdict = REFEREE.judge(state, command)
        other = REFEREE.judge(toy.rewind(state, (0, 1 - state.rulings[0])), command)
        decides = (verdict.kind, verdict.clauses) != (other.kind, other.clauses)
        assert verdict.rulings == ((("far_end", option),) if decides else ())


def test_a_ruling_that_decides() -> None:
    first = REFEREE.start({"far_end": "binds"}, ToldDice(picks=(0, 0, 0, 0))).state
    state = toy.Allied(B, L).apply(first)
    state = after(state, toy.Send(A, L, (0,)))
    verdict = REFEREE.judge(state, toy.Ambush(B, A))
    assert (verdict.kind, verdict.clauses, verdict.rulings) == (REFUSED, ("3.M",), (("far_end", "binds"),))
    assert REFEREE.judge(state, toy.Ambush(N, A)).rulings == ()


@calm
@given(seeds)
def test_what_follows_is_what_happens(seed: int) -> None:
    for state, command, outcome in play(seed):
        follows = REFEREE.judge(state, command).follows
        assert follows is not None
        frame = state.frames[-1]
        if isinstance(frame, SealedFrame) and isinstance(command, (toy.Ambush, toy.Wait)):
            assert follows == Consequences(())
            continue
        assert outcome.events[: len(follows.events)] == follows.events
        assert (follows.until == "dice") == any(isinstance(event, Rolled) for event in outcome.events)
        if follows.until:
            assert isinstance(follows.needs, NeedDice)
        else:
            assert follows.events == outcome.events


def test_what_follows_from_an_unknown_position_stops_there() -> None:
    state = put(REFEREE.view(duel(0, 0, 0, 0), 0), gold=(1, 1, 1, 1))
    follows = REFEREE.judge(state, toy.Fight(A)).follows
    assert follows is not None
    assert follows.until == "dice"
    assert REFEREE.judge(state, toy.Fight(B)).follows is None


@calm
@given(seeds)
def test_a_remedy_turns_the_verdict(seed: int) -> None:
    state = some_state(seed)
    for command in UNIVERSE:
        verdict = REFEREE.judge(state, command)
        for remedy in verdict.remedies:
            changed = toy.change(state, remedy) if remedy.change else state
            assert REFEREE.judge(after(changed, *remedy.commands), command).allowed
        if verdict.kind != REFUSED:
            assert verdict.remedies == ()


def test_only_what_would_help_is_shown() -> None:
    state = dealt(0, 0, 0, 0)
    verdict = REFEREE.judge(state, toy.Send(A, B, (2, 2)))
    assert verdict.remedies == (Remedy((toy.Propose(A, B), toy.Accept(B, A))),)
    poor = put(state, gold=(0, 0, 0, 0))
    assert REFEREE.judge(poor, toy.Send(A, B, (2, 2))).remedies == ()
    asked = after(dealt(0, 1, 0, 0), toy.Send(A, L, (0,)))
    assert [one.change for one in REFEREE.judge(asked, toy.Ambush(B, A)).remedies] == ["spear"]


# clauses


def claimed() -> list[str]:
    return sorted(toy.GAME.rules.claims)


def test_every_clause_is_claimed() -> None:
    assert set(claimed()) == set(toy.GAME.rulebook.clauses)


@pytest.mark.parametrize("clause", [one for one in claimed() if one != "8"])
def test_knocking_a_clause_out_changes_a_verdict(clause: str) -> None:
    without = toy.referee(clause)

    def said(verdict: Verdict) -> tuple[str, tuple[str, ...]]:
        return verdict.kind, verdict.clauses

    for seed in range(40):
        for state, _, _ in play(seed, {"far_end": "binds"}):
            for command in UNIVERSE:
                before, later = REFEREE.judge(state, command), without.judge(state, command)
                assert clause not in later.clauses
                if said(before) != said(later):
                    return
    pytest.fail(f"nothing changes without clause {clause}")


# what the ground floor may not do

NEVER = {
    "random",
    "time",
    "datetime",
    "os",
    "socket",
    "secrets",
    "uuid",
    "subprocess",
    "threading",
    "asyncio",
    "sqlite3",
}
FILES = {"pathlib", "io", "shutil", "tempfile", "glob"}
MAY = {("kernel/dice.py", "random")}


def imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (one.name.split(".")[0] for one in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = {one.name for one in node.names}
            if (node.module, names) != ("os", {"PathLike"}):  # a type, no more
                yield node.module.split(".")[0]


def sources(*floors: str) -> list[Path]:
    root = Path(foedus.__file__).parent
    return sorted(path for floor in floors for path in (root / floor).rglob("*.py"))


@pytest.mark.parametrize("path", sources("kernel", "games"), ids=lambda path: "/".join(path.parts[-2:]))
def test_no_clock_no_chance_no_files(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    place = "/".join(path.parts[-2:])
    found = {name for name in imported(tree) if name in NEVER | FILES and (place, name) not in MAY}
    assert not found
    calls = {
        node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    } & {"open", "print", "input", "exec", "eval", "__import__"}
    assert not calls


@pytest.mark.parametrize("path", sources("kernel"), ids=lambda path: path.name)
def test_the_kernel_names_no_game(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    modules = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module}
    assert not {name for name in modules if name.startswith("foedus.") and not name.startswith("foedus.kernel")}
    for word in ("sword_of_rome", "virgin_queen"):
        strings = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and node.value == word}
        assert not strings


def test_what_is_shown_of_an_event_goes_by_the_position_it_happened_in() -> None:
    def shown(state: toy.State, event: Event, seat: int | None) -> Event | None:
        return event if state.turn == 2 else None

    referee = Referee(replace(toy.GAME, redact_event=shown), toy.make_world(), {})
    events = [toy.Paid(A, 1), toy.Began(2, B), toy.Paid(A, 2), toy.Began(3, L), toy.Paid(A, 3)]
    assert referee.view_events(dealt(0, 0, 0, 0), events, None) == [toy.Paid(A, 2), toy.Began(3, L)]


def test_kernel_events_do_what_they_say() -> None:
    assert RulingChanged(0, 1).apply(dealt(0, 0, 0, 0)).rulings == (1,)
    state = dealt(0, 0, 0, 0)
    pushed = FramePushed(toy.Duel(A, B)).apply(state)
    assert pushed.frames == (*state.frames, toy.Duel(A, B))
    assert FramePopped().apply(pushed) == state


def test_a_start_that_lacks_dice_takes_none() -> None:
    dice = ToldDice(picks=(0, 1))
    with pytest.raises(NeedDice, match="deal: LAK"):
        REFEREE.start(dice=dice)
    assert dice.unused().picks == (0, 1)
    dice.tell_picks((1, 1))
    assert REFEREE.start(dice=dice).state.cards == (0, 1, 1, 1)


# games


def chapter(**values: Any) -> types.ModuleType:
    module = types.ModuleType(toy.__name__)
    vars(module).update(values)
    return module


def test_two_that_do_the_same_are_a_fault_of_the_game() -> None:
    with pytest.raises(RulebookError, match="two functions carry out Rest"):
        collect_carries([chapter(one=toy.rest, two=toy.rest)])
    with pytest.raises(RulebookError, match="two flows lead Turn"):
        collect_flows([chapter(one=toy.TURN, two=toy.TURN)])
    assert collect_carries([chapter(one=toy.rest)]) == {toy.Rest: toy.rest.function}


def test_rules_borrowed_from_another_chapter_count_once() -> None:
    borrowed = types.ModuleType("elsewhere")
    vars(borrowed).update(guard=toy.without_gold, effect=toy.dying, flow=toy.TURN, carries=toy.rest)
    rules = Rules.collect([borrowed])
    assert (rules.guards, rules.claims) == ((), {})
    assert collect_flows([borrowed]) == {}
    assert collect_carries([borrowed]) == {}


def test_claims_name_their_places() -> None:
    assert toy.GAME.rules.claims["8"] == ("toy.dying",)
    assert toy.GAME.rules.claims["7"] == ("toy.nothing_offered", "toy.nothing_to_withdraw")
    extra = Rules.collect([], {"99": ("elsewhere.rule",)})
    assert extra.claims == {"99": ("elsewhere.rule",)}


def test_an_unknown_game_is_told_with_the_nearest() -> None:
    with pytest.raises(UnknownGame, match="unknown game 'sword_of_rom'; did you mean sword_of_rome"):
        find_game("sword_of_rom")
    with pytest.raises(UnknownGame, match="unknown game 'zzz'; installed: "):
        find_game("zzz")


@calm
@given(seeds)
def test_nobody_commands_a_power_for_which_another_seat_decides(seed: int) -> None:
    state = some_state(seed)
    command = random.Random(seed).choice(options(state))
    decides = REFEREE.game.seat_for(state, command)
    for seat in range(3):
        if seat == decides:
            assert REFEREE.act(state, command, FastDice(1), seat=seat).events
        else:
            with pytest.raises(NotYours) as wrong:
                REFEREE.act(state, command, FastDice(1), seat=seat)
            assert (wrong.value.seat, wrong.value.decides) == (seat, decides)


@calm
@given(seeds)
def test_a_verdict_for_a_seat_reads_only_what_it_knows(seed: int) -> None:
    state = some_state(seed)
    for seat in range(3):
        for command in REFEREE.choices(state, seat):
            told = REFEREE.judge_for(state, command, seat)
            assert told.kind == REFEREE.judge(REFEREE.view(state, seat), command).kind
            assert told.allowed
