"""Random sessions with the real games: nothing crashes, the record replays to the position, and it verifies."""

from __future__ import annotations

from random import Random

import pytest

from foedus.bots.players import RandomBot
from foedus.kernel import record
from foedus.kernel.audit import audit
from foedus.kernel.desk import Speaker
from foedus.kernel.dice import CommittedDice, WrongDice, commitment
from foedus.kernel.game import find_game
from foedus.kernel.notation import NotationError
from foedus.kernel.record import Header
from foedus.kernel.referee import make_referee
from foedus.lab.simulate import made_up
from foedus.table.hotseat import HotSeat
from foedus.table.journal import Journal
from foedus.table.ledger import Ledger, LedgerError

GAME = find_game("sword_of_rome")
SECRET = bytes(range(32))


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_a_table_that_keeps_changing_its_mind(players: int) -> None:
    random, bot = Random(players), RandomBot(players)
    referee = make_referee(GAME, players)
    numbers = {str(referee.world.names["seat"][seat]): 7 for seat in referee.world.seats}
    header = Header(GAME.id, players, commitment=commitment(SECRET), numbers=numbers)
    journal = Journal(referee, header, GAME.start(referee.world, GAME.rulebook.choose({})))
    session = HotSeat(journal, CommittedDice(SECRET, numbers))
    session.begin()
    for _ in range(120):
        turn = session.turn
        assert turn is not None
        if session.last is not None and random.random() < 0.15:
            free = session.is_free(turn.seat)
            before = session.last.before
            session.undo(turn.seat, () if free else session.consent_of(turn.seat))
            assert referee.codec.encode(session.state) == referee.codec.encode(before)
            continue
        choices = session.choices(turn.seat)
        assert choices
        assert GAME.hand is not None
        view = session.view(turn.seat)
        assert not any(GAME.hand(view, other) for other in session.playing if other != turn.seat)
        if turn.beside and random.random() < 0.3:
            session.later(turn.seat)
            continue
        session.act(turn.seat, bot.choose(session.view(turn.seat), turn.seat, choices))
    _, state = record.replay(GAME, record.read_record(journal.lines))
    assert referee.codec.encode(state) == referee.codec.encode(session.state)
    journal.publish(SECRET)
    found = audit(journal.lines, lambda name: GAME)
    assert not found.faults, [str(fault) for fault in found.faults]
    again = Journal.load(GAME, journal.lines)
    assert [entry.number for entry in again.entries] == [entry.number for entry in journal.entries]


SETS = (
    "turn 3", "round 2", "active ROM", "active GRE", "active none", "phase alliances", "phase action", "phase scoring",
    "alliances []", "alliances ROM-GRE, GAL-ETR", "vp ROM 6, ES 5, GRE 7, GAL 4", "elsewhere home", "Roma owner ROM",
    "Tarquinii owner ETR", "Tarquinii loyalty 2", "Tarquinii forces ETR 3 A", "Bovianum forces ROM 5 Camillus",
    "Antium siege none", "treaty signed", "nonsense 1", "activated = []",
)  # fmt: skip


@pytest.mark.parametrize("seed", range(6))
def test_a_ledger_takes_whatever_is_typed(seed: int) -> None:
    random = Random(seed)
    players = (2, 3, 4, 5)[seed % 4]
    referee = make_referee(GAME, players)
    speaker = Speaker(referee, "en")
    sketch = {"players": players}
    ledger = Ledger(Journal(referee, Header(GAME.id, players, sketch=sketch), referee.sketch(sketch)))
    for _ in range(150):
        chance = random.random()
        try:
            if chance < 0.25:
                ledger.correct(random.choice(SETS))
            elif chance < 0.35:
                ledger.onward()
            elif chance < 0.42:
                ledger.undo()
            elif chance < 0.5:
                ledger.tell([random.randint(1, 6) for _ in range(random.randint(1, 4))])
            elif chance < 0.55:
                ledger.dice.forget()
            else:
                ledger.line(speaker.notation(made_up(referee, random)))
        except (NotationError, LedgerError, WrongDice):
            pass
        assert isinstance(ledger.awaited, list)
        assert isinstance(ledger.unsettled, list)
    _, state = record.replay(GAME, record.read_record(ledger.journal.lines))
    assert referee.codec.encode(state) == referee.codec.encode(ledger.state)
