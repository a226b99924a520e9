"""Caravans with everything the desk asks of a game: words, questions, assumptions, cases, a status sheet."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from msgspec.structs import replace as put

from foedus.kernel.attable import AtTable, News, Stage
from foedus.kernel.desk import Answer
from foedus.kernel.dice import FastDice
from foedus.kernel.game import Game
from foedus.kernel.notation import Names, NotationError
from foedus.kernel.record import Header, write_batch, write_header
from foedus.kernel.referee import Referee, make_referee
from foedus.kernel.rules import Facts, facts
from foedus.kernel.unknown import UNKNOWN
from foedus.kernel.values import Command, Event
from foedus.kernel.words import Words

from . import toy

WORDS = {
    "command/Send": {
        "en": "{power} {power|sends|send} a caravan to {to}",
        "ru": "{power} {power|посылает|посылает|посылает|посылают} караван, цель — {to}",
    },
    "command/Propose": {"en": "{power} {power|offers|offer} {to} a pact", "ru": "{power} предлагает договор: {to}"},
    "command/Propose+gold": {
        "en": "{power} {power|offers|offer} {to} a pact and {gold} gold",
        "ru": "{power} предлагает договор и золото ({gold}): {to}",
    },
    "command/Ambush": {"en": "{power} {power|ambushes|ambush} {on}", "ru": "{power}: засада, цель — {on}"},
    "event/Allied": {"en": "{a} and {b} have a pact now.", "ru": "{a} и {b} теперь связаны договором."},
    "event/OfferGone/accepted": {"en": "{to} took {by:gen} offer.", "ru": "{to}: предложение принято ({by})."},
    "event/OfferGone": {"en": "{by:gen} offer is gone.", "ru": "Предложения больше нет."},
    "event/BorderSet": {"en": "", "ru": ""},
    "event/Paid": {"en": "{power} has {gold} more gold.", "ru": "Золото: {power} {gold}."},
    "decision/turn": {"en": "it is for {power} to act", "ru": "ходит {power}"},
    "decision/fight or flee": {"en": "{power} must fight or flee", "ru": "{power}: бой или бегство"},
    "question/pacts": {"en": "with whom {power} has pacts", "ru": "с кем договор у {power:gen}"},
    "question/card": {"en": "which card {power} has", "ru": "какая карта у {power:gen}"},
    "question/active": {"en": "whose turn it is", "ru": "чей сейчас ход"},
    "answer/active/any": {"en": "it is the turn of {whom}", "ru": "ходит {whom}"},
    "answer/card/1": {"en": "it is the shield", "ru": "это щит"},
    "answer/card/any": {"en": "it is card number {option}", "ru": "это карта номер {option}"},
    "remedy/spear": {"en": "if {power} had a spear", "ru": "если бы {power} имел копьё"},
    "assumed/active": {"en": "that it is the turn of {power}", "ru": "что сейчас ход {power:gen}"},
}
KINDS = {
    "power": "power",
    "to": "power",
    "gold": "number",
    "whom": "power",
    "active": "power",
    "card": "card",
    "option": "number",
    "turn": "number",
}
BOOK = toy.RULEBOOK


@dataclass(frozen=True)
class Turn:
    """Whose turn is it?"""


class Questions:
    def read(self, line: str, names: Mapping[str, Names], language: str) -> Turn | None:
        if line.startswith("whose turn"):
            if line.rstrip("?") != "whose turn is it":
                raise NotationError("'whose turn' goes on 'is it'")
            return Turn()
        return None

    def answer(self, referee: Referee, state: Any, question: Turn, language: str) -> Answer:
        data = {"command": "whose turn is it", "verdict": "allowed", "reasons": [{"clause": "1"}]}
        if state.active == UNKNOWN:
            return Answer({**data, "verdict": "depends"}, "It depends.", ok=False)
        return Answer(data, f"It is the turn of {toy.POWERS[state.active]}.")


def assumptions(state: toy.State, command: Command) -> tuple[toy.State, Sequence[tuple[str, Facts]]]:
    if state.active == UNKNOWN and isinstance(command, (toy.Send, toy.Propose, toy.Rest)):
        return put(state, active=command.power), [("active", facts(power=command.power))]
    return state, ()


def read_sketch(world: Any, data: Mapping[str, Any], text: str = "") -> toy.State:
    return toy.read_sketch(world, {k: v for k, v in data.items() if k not in ("game", "players", "turn")}, text)


def decides(state: toy.State, name: str) -> tuple[str, str, Sequence[str]]:
    return "SA", "1", ("SA", "SB")


def check(state: toy.State, words: Sequence[str]) -> str | None:
    if words[0] == "gold":
        has = state.gold[toy.POWERS.index(words[1])]
        return None if str(has) == words[2] else f"{words[1]} has {has} gold, not {words[2]}"
    raise KeyError(words[0])


def status(state: toy.State, language: str) -> Iterable[tuple[str, Sequence[str]]]:
    turn = "nobody knows" if state.active == UNKNOWN else toy.POWERS[state.active]
    yield {"en": "Turn", "ru": "Ход"}[language], [turn]
    yield "Gold", [f"{name}: {state.gold[i]} [gold]" for i, name in enumerate(toy.POWERS)]
    yield "Nothing", []


def stage(state: toy.State) -> Stage:
    """A turn is a segment of negotiations as long as nobody is under way."""
    negotiating = type(toy.top(state)) is toy.Turn
    return Stage(state.turn, (state.turn,), (state.turn,), negotiating)


def news(state: toy.State, event: Event) -> Iterable[News]:
    if isinstance(event, toy.Offered):
        yield News("offer", toy.SEAT_OF[event.offer.to])
    if isinstance(event, toy.OfferGone) and event.how == "withdrawn":
        yield News("broken", toy.SEAT_OF[event.to])


CASES = """
# the cases of Caravans
position plain
    active = "AMB"
    pacts = [["AMB", "BIR"]]
    gold = { AMB = 1, BIR = 1 }
    closed = []
    ford = 0

case 2.1, T1  Goods go to friends
    from plain
  ask AMB sends salt, salt to LAK
    refused 2
    remedy AMB offers LAK a pact
  ask AMB sends salt, salt to BIR
    allowed

case 2e.1  A gift goes to anyone
    from plain
  ask AMB sends salt to LAK
    allowed 2e

case 3.M.1  The far end
    from plain
    active = "BIR"
    cards = { LAK = "spear" }
  ask LAK ambushes BIR
    allowed
"""

GAME: Game = replace(
    toy.GAME,
    words=Words(toy.FORMS, KINDS, WORDS),
    read_sketch=read_sketch,
    questions=Questions(),
    typed_names=lambda world: toy.NAMES,
    assumptions=assumptions,
    decides=decides,
    check=check,
    status=status,
    check_board=lambda path: [] if str(path).endswith("good.toml") else [f"{path}:3: way: leads nowhere"],
    cases=lambda: CASES,
    at_table=AtTable(stage, news, (toy.Rest, toy.Wait, toy.Flee)),
)

POSITION: Mapping[str, Any] = {
    "active": "AMB",
    "pacts": [["AMB", "BIR"]],
    "gold": {"AMB": 1, "BIR": 1, "LAK": 2, "NOM": 0},
    "closed": [],
    "ford": 0,
    "cards": {"AMB": "spear", "BIR": "shield", "LAK": "shield", "NOM": "spear"},
}


def referee(*knocked_out: str) -> Referee:
    return make_referee(GAME, knocked_out=knocked_out)


def played(steps: int = 30, seed: int = 3) -> tuple[list[str], Any]:
    """A game of some steps as lines, and the state it came to."""
    referee = make_referee(GAME)
    dice = FastDice(seed)
    outcome = referee.start({}, dice)
    header = Header(GAME.id, 3, seats={"SA": "Anna"}, rulings={"far_end": "ignored"}, commitment="abc")
    lines = [write_header(header), write_batch(referee, 0, outcome.events)]
    state = outcome.state
    for number in range(1, steps):
        awaited = referee.awaiting(state)
        if not awaited:
            break
        seat = awaited[number % len(awaited)].seat
        choices = referee.choices(state, seat)
        command = choices[(number * 7) % len(choices)]
        outcome = referee.act(state, command, dice)
        lines.append(
            write_batch(
                referee,
                number,
                outcome.events,
                command=command,
                by=toy.SEATS[seat],
                line=GAME.notation.write(command, referee.world.names),
                time="2024-01-01T00:00:00Z",
            )
        )
        state = outcome.state
    return lines, state
