"""What others hold and have agreed on changes nothing that a seat is asked, offered or shown."""

from __future__ import annotations

import pytest

from foedus.games.virgin_queen import commands as c
from foedus.games.virgin_queen import events as e
from foedus.kernel.dice import FastDice

from .test_whole_games import other_secrets
from .whole_play import Step, play, referee_for

GAMES = [(2, 5), (4, 1), (6, 3)]


@pytest.mark.parametrize(("players", "seed"), GAMES)
def test_who_is_asked_and_what_he_may_do(players: int, seed: int) -> None:
    """The same, whatever the others hide; and a seat may do what the view it sees lets it do."""
    referee = referee_for(players)
    steps = [step for step in play(players, seed) if isinstance(step, Step)]
    for step in steps[::19]:
        state = step.before
        for seat in state.world.seats:
            other = other_secrets(state, seat)
            assert referee.awaiting(other) == referee.awaiting(state)
            choices = referee.choices(state, seat)
            assert referee.choices(other, seat) == choices
            assert referee.choices(referee.view(state, seat), seat) == choices


@pytest.mark.parametrize(("players", "seed"), GAMES)
def test_what_is_seen_of_what_happens(players: int, seed: int) -> None:
    """A command that is possible whatever the others hide looks the same to a seat, and so does who is asked next.

    Left out: the announcement of all agreements, and deals, whose cards the changed hands would take from the deck.
    """
    referee = referee_for(players)
    compared = 0
    for step in list(play(players, seed))[1::7]:
        assert isinstance(step, Step)
        if isinstance(step.command, c.DoneNegotiating) or any(isinstance(one, e.CardsDealt) for one in step.events):
            continue
        for seat in step.before.world.seats:
            other = other_secrets(step.before, seat)
            if not referee.permitted(other, step.command):
                continue  # it hangs on what the seat does not know, such as a card in another's hand
            one = referee.act(step.before, step.command, FastDice(5))
            two = referee.act(other, step.command, FastDice(5))
            seen = referee.view_events(step.before, one.events, seat)
            assert referee.view_events(other, two.events, seat) == seen
            assert referee.awaiting(two.state) == referee.awaiting(one.state)
            compared += 1
    assert compared > 100
