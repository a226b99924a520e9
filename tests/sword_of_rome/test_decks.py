"""Decks: ours, those of a table in files, what is wrong with them; drawing, and what of it others see."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from foedus.games.sword_of_rome import events as e
from foedus.games.sword_of_rome.battle import BATTLE_EFFECTS
from foedus.games.sword_of_rome.cards import AIMED, FOR_ONESELF
from foedus.games.sword_of_rome.deck import (
    cards_of,
    cards_of_csv,
    cards_of_toml,
    check_deck,
    deck_data,
    read_deck,
)
from foedus.games.sword_of_rome.game import CATALOGUE, GAME, OWN_CARDS, PLAIN_CARDS, SEAT_DECKS
from foedus.games.sword_of_rome.hands import DRAWS, RESPONSES, remaining
from foedus.games.sword_of_rome.sea import TRANSPORTS
from foedus.games.sword_of_rome.state import CAR, POWERS, S_CAR, S_ES, S_GAL, S_GRE, S_ROM, SEATS, TRA, VOL
from foedus.kernel.decks import DeckError
from foedus.kernel.desk import Speaker
from foedus.kernel.dice import FastDice
from foedus.kernel.flow import Rolled
from foedus.kernel.referee import make_referee
from foedus.kernel.unknown import UNKNOWN

from .whole_play import Plan, play, referee_for

HERE = Path(__file__).parents[2] / "src/foedus/games/sword_of_rome/decks"

GOOD = """
seat = "ROM"
cards = [
  { id = "legion", effect = "reinforce", value = 3, amount = 2, copies = 6, en = "A Legion", ru = "Легион" },
  { id = "envoy", effect = "activation", value = 2, reach = ["CAR", "TRA"], copies = 4, marks = ["reshuffle"] },
]
"""
COLUMNS = ("id", "seat", "effect", "value", "copies", "amount", "reach", "powers", "players", "marks", "en", "ru")
TABLE = """id,seat,effect,value,copies,amount,reach,marks,en,ru
legion,ROM,reinforce,3,6,2,,,A Legion,Легион
envoy,ROM,activation,2,4,,CAR TRA,reshuffle,,
"""


# ours


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_every_deck_of_ours_has_39_cards(players: int) -> None:
    world = referee_for(players).world
    for seat in world.seats:
        assert len(world.decks[seat]) == 39, SEATS[seat]
    plain = make_referee(GAME, players, options={"deck": "plain"}).world
    assert {len(deck) for deck in plain.decks} == {39}


@pytest.mark.parametrize("name", SEAT_DECKS)
def test_our_decks_have_no_fault(name: str) -> None:
    assert check_deck(HERE / f"{name}.toml", CATALOGUE) == []


def test_every_effect_of_our_decks_is_one_that_is_carried_out() -> None:
    known = {*AIMED, *FOR_ONESELF, *RESPONSES.values(), *BATTLE_EFFECTS, *TRANSPORTS, "activation", "none"}
    assert {card.effect for card in OWN_CARDS} <= known
    assert {name for name, facts in CATALOGUE.items() if not facts.get("desk")} <= known


def test_ids_and_names_are_there_once() -> None:
    ids = [card.id for card in (*PLAIN_CARDS, *OWN_CARDS)]
    assert len(ids) == len(set(ids))
    for card in OWN_CARDS:
        assert set(dict(card.said)) == {"en", "ru"}


def test_whom_the_activations_of_each_deck_reach() -> None:
    """Facts 16.15: each deck leaves out its owner's traditional enemy; only the Etruscan/Samnite one has all three."""
    reached: dict[int, set[int]] = {}
    for card in OWN_CARDS:
        if card.effect == "activation":
            reached.setdefault(card.seat, set()).update(card.reach)
    assert reached == {
        S_ROM: {CAR, TRA},
        S_ES: {CAR, VOL, TRA},
        S_GRE: {VOL, TRA},
        S_GAL: {CAR, VOL},
        S_CAR: {VOL, TRA},
    }
    assert all(card.value == 2 for card in OWN_CARDS if card.effect == "activation")


def test_each_deck_has_an_event_that_desperate_times_may_fetch() -> None:
    assert {card.seat for card in OWN_CARDS if card.named} == set(range(len(SEATS)))


# in files


def test_a_table_says_the_same_as_toml() -> None:
    assert cards_of_csv(TABLE, CATALOGUE) == cards_of_toml(GOOD, CATALOGUE)
    assert cards_of_csv(TABLE.replace(",", ";"), CATALOGUE) == cards_of_toml(GOOD, CATALOGUE)


def test_our_decks_can_be_written_as_a_table() -> None:
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(
        ["id", "seat", "effect", "value", "copies", "amount", "reach", "powers", "players", "marks", "en", "ru"]
    )
    for card in OWN_CARDS:
        keys = CATALOGUE[card.effect]["keys"]
        marks = [m for m, on in (("reshuffle", card.reshuffle), ("remove", card.remove), ("named", card.named)) if on]
        said = dict(card.said)
        writer.writerow(
            (
                card.id,
                SEATS[card.seat],
                card.effect,
                card.value,
                card.copies,
                card.amount if "amount" in keys else "",
                " ".join(POWERS[power] for power in card.reach),
                " ".join(POWERS[power] for power in card.powers),
                " ".join(map(str, card.players)),
                " ".join(marks),
                said["en"],
                said["ru"],
            )
        )
    assert cards_of_csv(out.getvalue(), CATALOGUE) == OWN_CARDS


def _faults(text: str, table: bool = False) -> list[str]:
    with pytest.raises(DeckError) as found:
        (cards_of_csv if table else cards_of_toml)(text, CATALOGUE, "my.csv" if table else "my.toml")
    return list(found.value.faults)


def test_all_faults_are_told_at_once_with_their_lines_and_the_nearest_names() -> None:
    text = GOOD.replace('"reinforce"', '"reinforse"').replace("value = 2", "value = 4").replace('"TRA"', '"TRR"')
    faults = _faults(text.replace("marks", "mark"))
    assert any("my.toml:4: card legion: unknown effect 'reinforse'; did you mean reinforce?" in one for one in faults)
    assert any(one.startswith("my.toml:5: card envoy: value: a whole number from 1 to 3") for one in faults)
    assert any("unknown power 'TRR'; did you mean TRA?" in one for one in faults)
    assert any("unknown key 'mark'; did you mean marks?" in one for one in faults)
    assert len(faults) == 4


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("cards = 3", "a list of cards is needed"),
        ("cards = [", "not TOML"),
        ('cards = [ "x" ]', "a table is needed"),
        ('colour = 1\ncards = [ { id = "a", effect = "none", value = 1, seat = "ROM", copies = 8 } ]', "unknown key"),
        ('seat = "ROMA"\ncards = [ { id = "a", effect = "none", value = 1, copies = 8 } ]', "did you mean ROM?"),
        ('cards = [ { id = "a", effect = "none", value = 1, copies = 8 } ]', "whose card is it"),
        ('seat = "ROM"\ncards = [ { id = "A b", effect = "none", value = 1, copies = 8 } ]', "small letters"),
        ('seat = "ROM"\ncards = [ { id = "a", effect = "none", value = 1, copies = 7 } ]', "a hand needs at least 8"),
        ('seat = "ROM"\ncards = [ { id = "a", effect = "none", copies = 8 } ]', "value: a whole number"),
        ('seat = "ROM"\ncards = [ { id = "a", effect = "none", value = true, copies = 8 } ]', "value: a whole number"),
        ('seat = "ROM"\ncards = [ { id = "a", effect = "none", value = 1, reach = ["CAR"] } ]', "has no reach"),
        ('seat = "ROM"\ncards = [ { id = "a", effect = "activation", value = 2, copies = 8 } ]', "which non-player"),
        ('seat = "ROM"\ncards = [ { id = "a", effect = "glory", value = 2, copies = 8 } ]', "is only for GAL"),
        ('seat = "ROM"\ncards = [ { id = "a", effect = "treaty", value = 2, copies = 8 } ]', "players = [2, 3, 4]"),
        ('seat = "ROM"\ncards = [ { id = "a", effect = "harm", value = 2, copies = 8 } ]', "unknown effect"),
        ('seat = "ROM"\ncards = [ { id = "a", effect = "none", value = 1, players = [6] } ]', "2, 3, 4 or 5"),
        ('seat = "ROM"\ncards = [ { id = "a", effect = "none", value = 1, marks = "remove" } ]', "a list is needed"),
    ],
)
def test_what_is_wrong_is_told(text: str, told: str) -> None:
    assert any(told in one for one in _faults(text))


def test_an_id_that_stands_twice_is_told_with_both_lines() -> None:
    text = GOOD.replace('"envoy"', '"legion"')
    assert any("my.toml:5: card legion: the id is used twice (line 4)" in one for one in _faults(text))


def test_faults_of_a_table_name_the_line_of_the_row() -> None:
    faults = _faults(TABLE.replace("CAR TRA", "CAR TRR").replace("legion,ROM", 'legion,"ROM\n"'), table=True)
    assert any(one.startswith("my.csv:4: card envoy: unknown power 'TRR'") for one in faults)
    assert any("unknown column 'colour'" in one for one in _faults(TABLE.replace("marks", "colour"), table=True))
    assert _faults("", table=True)


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    assert "cannot be read" in check_deck(tmp_path / "none.toml", CATALOGUE)[0]
    (tmp_path / "latin.csv").write_bytes(b"id,effect\n\xff,none\n")
    assert "not UTF-8" in check_deck(tmp_path / "latin.csv", CATALOGUE)[0]


def test_the_ids_of_plain_cards_are_taken(tmp_path: Path) -> None:
    path = tmp_path / "deck.toml"
    path.write_text(GOOD.replace('"legion"', '"campaign"'), encoding="utf-8")
    assert GAME.check_deck is not None
    assert any("taken" in one for one in GAME.check_deck(path))


def test_a_table_plays_with_its_own_deck(tmp_path: Path) -> None:
    path = tmp_path / "deck.toml"
    path.write_text(GOOD, encoding="utf-8")
    referee = make_referee(GAME, 4, options={"deck": str(path)})
    world = referee.world
    assert sorted({world.cards[card].id for card in world.decks[S_ROM]}) == ["envoy", "legion"]
    assert len(world.decks[S_GRE]) == 39
    state = referee.start(dice=FastDice(1)).state
    assert {world.cards[card].id for card in state.hands[S_ROM]} <= {"envoy", "legion"}
    card = next(i for i, face in enumerate(world.cards) if face.id == "legion")
    assert Speaker(referee, "ru").value("card", card) == "Легион"
    assert read_deck(path, CATALOGUE) == world.cards[len(PLAIN_CARDS) : len(PLAIN_CARDS) + 2]


def test_a_deck_in_a_file_goes_into_a_record_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "deck.csv"
    path.write_text(TABLE, encoding="utf-8")
    assert GAME.read_deck is not None
    data = GAME.read_deck(path)
    assert not isinstance(data, str)
    assert cards_of(data, CATALOGUE) == cards_of_csv(TABLE, CATALOGUE)
    assert cards_of(deck_data(OWN_CARDS, CATALOGUE), CATALOGUE) == OWN_CARDS
    world = make_referee(GAME, 4, options={"deck": data}).world
    assert sorted({world.cards[card].id for card in world.decks[S_ROM]}) == ["envoy", "legion"]


def test_a_deck_that_there_is_not() -> None:
    with pytest.raises(ValueError, match="unknown deck 'fancy'; there is: own, plain"):
        make_referee(GAME, 4, options={"deck": "fancy"})


def test_the_cards_may_lie_on_the_real_table() -> None:
    referee = make_referee(GAME, 4, options={"deck": "none"})
    state = referee.start(dice=FastDice(1)).state
    assert not any(state.hands)
    assert not state.dealt


def test_the_decks_of_the_page_are_good_and_its_catalogue_is_whole() -> None:
    page = (Path(__file__).parents[2] / "docs/decks.md").read_text(encoding="utf-8")
    (toml,) = re.findall(r"^```toml\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    (table,) = re.findall(r"^```csv\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    assert [card.id for card in cards_of_toml(toml, CATALOGUE)] == ["legions", "envoy", "appian_way", "census"]
    assert [card.id for card in cards_of_csv(table, CATALOGUE)] == ["legions", "envoy", "census"]
    listed = re.findall(r"^\| `(\w+)` \|", page.split("## The catalogue")[1], re.MULTILINE)
    assert sorted(listed) == sorted(name for name, facts in CATALOGUE.items() if not facts.get("desk"))


# drawing


def test_only_the_drawer_sees_what_is_drawn() -> None:
    referee = referee_for(4)
    begun = GAME.start(referee.world, GAME.rulebook.choose({}))
    outcome = referee.start(dice=FastDice(5))
    for seat in (*referee.world.seats, None):
        seen = referee.view_events(begun, outcome.events, seat)
        for event in seen:
            if isinstance(event, e.CardsDrawn):
                assert (UNKNOWN in event.cards) == (event.seat != seat)
            if isinstance(event, Rolled) and event.purpose in DRAWS:
                assert (event.result == (UNKNOWN,)) == (DRAWS.index(event.purpose) != seat)
        assert referee.replay(referee.view(begun, seat), seen) == referee.view(outcome.state, seat)


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_no_card_is_lost_and_none_comes_twice(players: int) -> None:
    state: Any = None
    reshuffled = False
    for step in play(Plan(players, 7)):
        state = step.after
        for seat in state.world.seats:
            piles = [pile[seat] for pile in (state.hands, state.discards, state.removed) if seat < len(pile)]
            cards = Counter(card for pile in piles for card in pile if state.world.cards[card].effect != "desperate")
            assert cards + Counter(remaining(state, seat)) == Counter(state.world.decks[seat]), step.command
            assert len(state.hands[seat]) <= 10
        reshuffled |= any(isinstance(event, e.DeckShuffled) for event in step.events)
    assert reshuffled
