"""Several people at one keyboard, without a keyboard: whose turn it is, secrets, taking back, records."""

from __future__ import annotations

from typing import Any

import pytest

from foedus.kernel import record
from foedus.kernel.dice import CommittedDice, FastDice, commitment
from foedus.kernel.flow import Corrected, Rolled
from foedus.kernel.record import Header, RecordError
from foedus.kernel.referee import make_referee
from foedus.kernel.unknown import UNKNOWN
from foedus.kernel.verdict import NotYours
from foedus.table import acting
from foedus.table.acting import hidden_parts
from foedus.table.hotseat import HotSeat, NotAllowed
from foedus.table.journal import Journal
from kernel import desk_game, toy
from kernel.toy import A, B, L, N

GAME = desk_game.GAME
SECRET = bytes(range(32))
NUMBERS = {"SA": 1, "SB": 2, "LN": 3}
SA, SB, LN = range(3)


def begun(seed: int = 0) -> HotSeat:
    referee = make_referee(GAME)
    header = Header(GAME.id, commitment=commitment(SECRET), numbers=NUMBERS)
    journal = Journal(referee, header, GAME.start(referee.world, GAME.rulebook.choose({})))
    session = HotSeat(journal, CommittedDice(SECRET, NUMBERS, 0))
    session.begin()
    return session


def plain(session: HotSeat) -> Any:
    return session.referee.codec.encode(session.state)


def test_the_awaited_seat_is_asked() -> None:
    session = begun()
    turn = session.turn
    assert turn is not None
    assert (turn.seat, turn.beside) == (toy.SEAT_OF[session.state.active], False)
    assert [decision.what for decision in turn.decisions] == ["turn"]
    assert session.choices(turn.seat)


def test_an_offer_is_put_to_its_seat_first_and_may_wait() -> None:
    session = begun()
    assert session.state.active == A
    session.act(SA, toy.Propose(A, B))
    turn = session.turn
    assert turn is not None
    assert (turn.seat, turn.beside) == (SB, True)
    session.later(SB)
    turn = session.turn
    assert turn is not None
    assert turn.seat == SA
    session.act(SB, toy.Accept(B, A))
    assert session.state.allied(A, B)
    turn = session.turn
    assert turn is not None
    assert turn.seat == SA


def test_another_seat_may_not_act() -> None:
    session = begun()
    with pytest.raises(NotYours):
        session.act(SB, toy.Rest(A))
    with pytest.raises(NotAllowed) as refused:
        session.act(SA, toy.Send(A, L, (0, 0)))
    assert refused.value.ruling.verdict.clauses
    assert len(session.journal.lines) == 2


def test_a_seat_is_answered_by_what_it_may_know() -> None:
    session = begun()
    other = next(power for power in (B, L, N) if session.state.cards[power] != UNKNOWN)
    seat = SA
    said = session.ask(seat, f"{toy.POWERS[other]} ambushes AMB")
    assert said.ruling is not None
    assert said.ruling.state.cards[other] == UNKNOWN
    assert session.ask(seat, "whose turn is it").text == "It is the turn of AMB."


def test_what_happened_is_told_once_as_each_may_see_it() -> None:
    session = begun()
    for seat in range(3):
        drawn = [event for event in session.unseen(seat) if isinstance(event, toy.Drawn)]
        for event in drawn:
            assert (event.card == UNKNOWN) == (toy.SEAT_OF[event.power] != seat)
        assert session.unseen(seat) == []
    session.act(SA, toy.Rest(A))
    assert session.unseen(SA) == []
    assert session.unseen(SB)


# taking back


def test_ones_own_last_command_is_taken_back_freely() -> None:
    session = begun()
    before = plain(session)
    assert session.consent_of(SA) == (SB, LN)
    with pytest.raises(LookupError):
        session.undo(SA)
    session.act(SA, toy.Propose(A, B))
    assert session.is_free(SA)
    assert session.consent_of(SA) == ()
    session.undo(SA)
    assert plain(session) == before
    turn = session.turn
    assert turn is not None
    assert turn.seat == SA
    assert [type(event) for event in session.unseen(SB)][-1] is Corrected
    assert Corrected not in [type(event) for event in session.unseen(LN)]  # it never knew of the offer


def test_what_others_did_is_taken_back_by_consent_only() -> None:
    session = begun()
    session.act(SA, toy.Propose(A, B))
    before = plain(session)
    session.act(SB, toy.Decline(B, A))
    assert not session.is_free(SA)
    with pytest.raises(PermissionError, match="SB, LN"):
        session.undo(SA)
    with pytest.raises(PermissionError, match="LN"):
        session.undo(SA, (SB,))
    session.undo(SA, (SB, LN))
    assert plain(session) == before


def test_dice_and_what_was_revealed_are_not_taken_back_freely() -> None:
    referee = make_referee(GAME)
    position = {**desk_game.POSITION, "frames": []}
    position.pop("frames")
    header = Header(GAME.id, sketch=position)
    session = HotSeat(Journal(referee, header, referee.sketch(position)), FastDice(1))
    state = session.state
    entry = session.journal.note(state, (toy.Shown(B, 1),), command=toy.Rest(A), seat=SA)
    assert session.is_free(SA) == (not acting.has_shown(referee, entry, session.seats))
    shown = toy.Shown(B, 1).apply(state)
    entry = session.journal.note(shown, (toy.Shown(B, 1),), command=toy.Wait(B), seat=SB)
    assert acting.has_shown(referee, entry, session.seats)
    assert not session.is_free(SB)
    rolled = Rolled("duel", 0, 6, 1, (3,))
    session.journal.note(shown, (rolled,), command=toy.Fight(A), seat=SA)
    assert not session.is_free(SA)


def test_the_dice_never_go_back() -> None:
    session = begun()
    draws = session.journal.draws
    assert draws == session.dice.counter
    session.act(SA, toy.Rest(A))
    after = session.dice.counter
    session.undo(SA, (SB, LN))
    assert session.dice.counter == after == session.journal.draws


def test_hidden_parts_are_counted() -> None:
    session = begun()
    assert hidden_parts(session.view(-1)) > hidden_parts(session.view(SA)) > 0


# the record


def test_the_record_replays_to_the_same_position_after_taking_back() -> None:
    session = begun()
    session.act(SA, toy.Propose(A, B))
    session.act(SB, toy.Accept(B, A))
    session.undo(SB)
    session.act(SB, toy.Decline(B, A))
    _, state = record.replay(GAME, record.read_record(session.journal.lines))
    assert session.referee.codec.encode(state) == plain(session)
    again = Journal.load(GAME, session.journal.lines)
    assert [entry.number for entry in again.entries] == [0, 1, 4]
    assert [entry.line for entry in again.entries] == [entry.line for entry in session.journal.entries]
    assert again.draws == session.journal.draws
    again.note(again.state, ())
    assert record.read_record(again.lines).batches[-1].number == 5


def test_a_published_record_is_closed() -> None:
    session = begun()
    session.journal.publish(SECRET)
    assert record.read_record(session.journal.lines).secret == SECRET.hex()
    with pytest.raises(RecordError):
        session.journal.note(session.state, ())
    assert Journal.load(GAME, session.journal.lines).closed


def test_lines_go_out_as_they_are_written() -> None:
    out: list[str] = []
    referee = make_referee(GAME)
    state = GAME.start(referee.world, GAME.rulebook.choose({}))
    journal = Journal(referee, Header(GAME.id), state, sink=out.append, clock=lambda: "noon")
    journal.note(state, ())
    assert out == journal.lines
    assert '"time":"noon"' in out[-1]
