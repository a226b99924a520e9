"""The Game object of Virgin Queen: puts the chapters together; nothing else."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from types import ModuleType
from typing import Any

from msgspec.structs import replace

from foedus.boards.board import Board
from foedus.games.virgin_queen import (
    actions,
    agreements,
    alliances,
    battle,
    cards,
    declarations,
    ground,
    ledger,
    loans,
    movement,
    naval,
    placing,
    powers,
    questions,
    ransom,
    reactions,
    seafights,
    sieges,
    status,
    terms,
    turn,
)
from foedus.games.virgin_queen import commands as c
from foedus.games.virgin_queen.attable import AT_TABLE
from foedus.games.virgin_queen.board import check_board, load_board
from foedus.games.virgin_queen.cards import DRAW
from foedus.games.virgin_queen.deck import cards_of, cards_of_toml, deck_data, read_deck
from foedus.games.virgin_queen.deck import check_deck as deck_faults
from foedus.games.virgin_queen.events import EVENTS, CardsDealt
from foedus.games.virgin_queen.frames import FRAMES, TurnFrame
from foedus.games.virgin_queen.notation import NOTATION, UNITS, typed_names
from foedus.games.virgin_queen.remedies import assumptions, change, remedies
from foedus.games.virgin_queen.shown import FORM, shown
from foedus.games.virgin_queen.sketch import KEYS, read_sketch, write_sketch
from foedus.games.virgin_queen.state import (
    FLAGS,
    LAND_KINDS,
    NAVAL_KINDS,
    POWERS,
    SEATS,
    SETUP,
    UNTOLD,
    CardFace,
    Force,
    LeaderCard,
    RoyalCard,
    State,
    World,
    pair,
    put,
)
from foedus.games.virgin_queen.terms import drawers
from foedus.kernel.faults import Fault
from foedus.kernel.flow import Rolled
from foedus.kernel.game import Game, collect_carries, collect_flows
from foedus.kernel.notation import Names
from foedus.kernel.referee import Referee
from foedus.kernel.rulebook import read_rulebook
from foedus.kernel.rules import Rules
from foedus.kernel.sketch import SketchError
from foedus.kernel.tables import replaced
from foedus.kernel.unknown import NONE, UNKNOWN
from foedus.kernel.values import Command, Event
from foedus.kernel.words import Words

PACKAGE = "foedus.games.virgin_queen"
CHAPTERS: tuple[ModuleType, ...] = (powers, alliances, loans, placing, terms, agreements, ransom, declarations, cards)
CHAPTERS += (actions, ground, battle, reactions, sieges, movement, seafights, naval, turn)


def _read(name: str) -> str:
    return (files(PACKAGE) / name).read_text(encoding="utf-8")


RULEBOOK = read_rulebook(_read("rulebook.toml"))
NAMES = tomllib.loads(_read("names.toml"))
TABLES = tomllib.loads(_read("tables.toml"))
CATALOGUE = tomllib.loads(_read("decks/catalogue.toml"))
SCENARIOS = {
    entry.name.removesuffix(".toml"): tomllib.loads(entry.read_text(encoding="utf-8"))
    for entry in sorted((files(PACKAGE) / "scenarios").iterdir(), key=lambda entry: entry.name)
    if entry.name.endswith(".toml")
}
DECKS = ("own", "none")
OWN_CARDS = cards_of_toml(_read("decks/own.toml"), CATALOGUE, "own.toml")

LEADERS = tuple(
    LeaderCard(
        code,
        POWERS.index(row["power"]),
        row["kind"],
        TABLES["leaders"][code]["battle"],
        TABLES["leaders"][code]["command"],
    )
    for code, row in NAMES["leader"].items()
)
ROYALS = tuple(RoyalCard(code, POWERS.index(row["power"])) for code, row in NAMES["royal"].items())


def deck_of_the_table(told: Any) -> tuple[str, tuple[CardFace, ...]]:
    """The name of the deck that was asked for and its cards: ours, none dealt, one in a file or as data.

    Raises `ValueError` (`DeckError`).
    """
    if told is None or told in DECKS:
        return str(told or "own"), OWN_CARDS
    if isinstance(told, Mapping):
        return "table", cards_of(told, CATALOGUE, "deck")
    if str(told).casefold().endswith((".toml", ".csv")):
        return str(told), read_deck(str(told), CATALOGUE)
    raise ValueError(f"unknown deck '{str(told)[:80]}'; there is: {', '.join(DECKS)}, or a file .toml or .csv")


def deck_in_file(path: Any) -> Mapping[str, Any]:
    """A deck in a file as data for the option `deck`, so that a record holds the deck itself. Raises `ValueError`."""
    return deck_data(read_deck(path, CATALOGUE), CATALOGUE)


def board_in_file(path: Any) -> Mapping[str, Any]:
    """A board in a file as data, so that a record holds the board itself. Raises `BoardError`."""
    return load_board(path).data()


def check_deck(path: Any) -> list[str]:
    """The faults of a deck in a file, one a line; none if it can be played with."""
    return deck_faults(path, CATALOGUE)


def _make_referee(world: World) -> Referee:
    return Referee(GAME, world, {}, world.off)


def make_world(players: int | None = None, board: Any = None, options: Mapping[str, Any] | None = None) -> World:
    """The fixed things of one game: players, a board by name, path or object; the deck's name and own tables.

    Raises `ValueError` for a number of players, a deck or a table that there is not, `BoardError` for a wrong board.
    """
    if players is None:
        players = 6
    if players not in (2, 3, 4, 5, 6):
        raise ValueError(f"players: Virgin Queen is for two to six, not {players}")
    deck, dealt = deck_of_the_table((options or {}).get("deck"))
    real = board if isinstance(board, Board) else load_board(board or "europe-1559")
    return World(
        real,
        players,
        RULEBOOK,
        LEADERS,
        ROYALS,
        dealt,
        replaced(TABLES, (options or {}).get("tables") or {}, fixed=("leaders",)),
        tuple(NAMES["leader"][leader.id]["en"].removeprefix("the ") for leader in LEADERS),
        tuple(NAMES["royal"][royal.id]["en"].removeprefix("the ") for royal in ROYALS),
        SCENARIOS,
        deck,
        real is not load_board(),
        make_referee=_make_referee,
    )


def _typed_names(world: World) -> Mapping[str, Names]:
    found: Mapping[str, Names] | None = world.cache.get("typed names")
    if found is None:
        found = world.cache["typed names"] = typed_names(world, NAMES)
    return found


def read(world: World, data: Mapping[str, Any], text: str = "") -> State:
    """A position from a sketch, or from a scenario that it names; see `sketch.read_sketch`."""
    name = data.get("scenario")
    if name is None:
        return read_sketch(world, _typed_names(world), data, text)
    if name not in SCENARIOS:
        raise SketchError((Fault("unknown", what="scenario", word=str(name)[:80], near=tuple(SCENARIOS)),))
    return read_sketch(world, _typed_names(world), {**scenario_data(SCENARIOS[name], world.players), **data}, text)


def scenario_data(scenario: Mapping[str, Any], players: int) -> dict[str, Any]:
    """The sketch of a scenario for so many players: what holds for all, and what holds for these."""
    own = scenario.get("players", {}).get(str(players), {})
    return {**{key: value for key, value in scenario.items() if key not in ("players", "title", "note")}, **own}


def start(world: World, rulings: tuple[int, ...]) -> State:
    """The position before the first turn."""
    told = read(world, {"scenario": "campaign"})
    return replace(
        told,
        rulings=rulings,
        turn=0,
        phase=SETUP,
        active=NONE,
        sketched=False,
        hands=((),) * len(POWERS),
        dealt=world.deck != "none",
        frames=(TurnFrame(),),
    )


def assume(state: State, what: str, subject: tuple[tuple[str, int], ...], option: int) -> State:
    """The state with one unknown part filled in."""
    told = dict(subject)
    if what == "phase":
        return replace(state, phase=option)
    if what == "turn":
        return replace(state, turn=option)
    if what == "allied":
        a, b = told["power"], told["ally"]
        return replace(state, allies=pair(state.allies, a, b, bool(option)), unsure=pair(state.unsure, a, b, False))
    if what == "war":
        a, b = told["power"], told["target"]
        return replace(
            state, wars=pair(state.wars, a, b, bool(option)), unsure_wars=pair(state.unsure_wars, a, b, False)
        )
    if what == "patron":
        return replace(state, minor_ally=put(state.minor_ally, told["power"], option))
    if what == "flag":
        bit = 1 << told["flag"]
        flags = state.flags | bit if option else state.flags & ~bit
        return replace(state, flags=flags, unsure_flags=state.unsure_flags & ~bit)
    if what == "active":
        return replace(state, active=option)
    space = told["space"]
    if what == "owner":
        return replace(state, owner=put(state.owner, space, option))
    if what == "besieger":
        return replace(state, besieged_by=put(state.besieged_by, space, option))
    if what == "troops":
        forces = () if option == 0 else (Force(option - 1, 2),)
        return replace(state, land=put(state.land, space, forces))
    raise KeyError(what)


def seat_for(state: State, command: Command) -> int:
    """The seat that decides for the command's power now."""
    return state.seat_of(command.power)


def redact(state: State, seat: int | None) -> State:
    """The state as a seat (None: a spectator) may know it."""
    hands = tuple(
        hand if hand == UNTOLD or _sees_hand(state, power, seat) else (UNKNOWN,) * len(hand)
        for power, hand in enumerate(state.hands)
    )
    state = replace(state, hands=hands)
    return agreements.redact_offers(state, seat)


def _sees_hand(state: State, power: int, seat: int | None) -> bool:
    """A seat sees the hands of its powers, and of a great power that it has activated."""
    return seat is not None and seat in agreements.seats_of(state, 1 << power)


def redact_event(state: State, event: Event, seat: int | None) -> Event | None:
    """The event as a seat may know it, or None if it may not know of it at all."""
    if isinstance(event, Rolled):
        return event if _knows_draw(state, event.purpose, seat) else replace(event, result=(UNKNOWN,))
    if isinstance(event, CardsDealt):
        return event if _sees_hand(state, event.power, seat) else replace(event, cards=(UNKNOWN,) * len(event.cards))
    return agreements.redact_agreement_event(state, event, seat)


def _knows_draw(state: State, purpose: str, seat: int | None) -> bool:
    """Dice are open; of a draw only those know who draw, or from whose hand it is drawn."""
    if purpose.startswith(DRAW):
        return _sees_hand(state, POWERS.index(purpose.removeprefix(DRAW)), seat)
    two = drawers(purpose)
    return two is None or any(_sees_hand(state, power, seat) for power in two)


def rewind(state: State, chosen: tuple[int, int]) -> State:
    """The state under another option of a ruling, as if the table had chosen it."""
    index, option = chosen
    return replace(state, rulings=put(state.rulings, index, option))


def words() -> Words:
    """The names and templates of the game."""
    told = tomllib.loads(_read("words.toml"))
    languages = ("en", "ru")
    templates: dict[str, Mapping[str, str]] = {}
    for section, rows in told.items():
        if section == "facts":
            continue
        for key, row in rows.items():
            if isinstance(row, dict) and set(languages) <= set(row):
                templates[f"{section}/{key}"] = row
            else:
                for tag, inner in row.items():
                    templates[f"{section}/{key}/{tag}"] = inner
    board = load_board()

    def plain(rows: Iterable[Mapping[str, str]]) -> list[dict[str, dict[str, str]]]:
        return [{language: {"nom": row[language]} for language in languages} for row in rows]

    spaces = plain({language: space.name(language) for language in languages} for space in board.spaces)
    seas = plain({language: dict(sea.names)[language] for language in languages} for sea in board.seas)
    names: dict[str, Sequence[Mapping[str, Mapping[str, str]]]] = {
        "power": [NAMES["power"][code] for code in POWERS],
        "seat": [NAMES["seat"][code] for code in SEATS],
        "space": spaces,
        "place": [*spaces, *seas],
        "leader": plain(NAMES["leader"][leader.id] for leader in LEADERS),
        "royal": plain(NAMES["royal"][royal.id] for royal in ROYALS),
        "card": plain(dict(card.said) for card in OWN_CARDS),
        "naval": [NAMES["unit"][UNITS[kind]] for kind in NAVAL_KINDS],
        "land": [NAMES["unit"][UNITS[kind]] for kind in LAND_KINDS],
        "flag": plain(NAMES["flag"][flag] for flag in FLAGS),
        "phase": plain(NAMES["phase"].values()),
        "ruling": [{language: {"nom": ruling.name} for language in languages} for ruling in RULEBOOK.rulings],
    }
    kinds = {**told["facts"], "clause": "text", "question": "text"}
    return Words(names, kinds, templates)


def answer_tag(what: str, option: int) -> tuple[str, int]:
    """By which words an answer to an open question is said, and the value that fills them."""
    if what == "troops":
        return ("nobody", NONE) if option == 0 else ("any", option - 1)
    if what in ("allied", "war", "flag"):
        return str(option), option
    return ("none" if option == NONE else "any"), option


GAME = Game(
    id="virgin_queen",
    rulebook=RULEBOOK,
    rules=Rules.collect(CHAPTERS, {"f8.16": ("state.State.at_war",)}),
    notation=NOTATION,
    words=words(),
    commands=tuple(
        value
        for value in vars(c).values()
        if isinstance(value, type) and issubclass(value, Command) and value is not Command
    ),
    events=EVENTS,
    frames=FRAMES,
    handlers=collect_carries(CHAPTERS),
    flows=collect_flows(CHAPTERS),
    state_type=State,
    make_world=make_world,
    start=start,
    read_sketch=read,
    write_sketch=write_sketch,
    assume=assume,
    seat_for=seat_for,
    beside=agreements.beside,
    redact=redact,
    redact_event=redact_event,
    remedies=remedies,
    change=change,
    rewind=rewind,
    sketch_keys=KEYS,
    entails={
        **agreements.ENTAILS,
        c.Move: movement.entail_move,
        c.MoveOn: movement.entail_move_on,
        c.Intercept: reactions.entail_intercept,
    },
    parts={c.Enter: ground.only_by_moves, c.Attack: ground.only_by_moves, c.Besiege: ground.only_by_moves},
    questions=questions.QUESTIONS,
    cases=lambda: _read("cases.txt"),
    typed_names=_typed_names,
    assumptions=assumptions,
    answer_tag=answer_tag,
    check=questions.check,
    status=status.status,
    check_board=check_board,
    check_deck=check_deck,
    read_deck=deck_in_file,
    tallies=ledger.TALLIES,
    winners=ledger.winners,
    onward=ledger.onward,
    hand=ledger.hand,
    shown=shown,
    form=FORM,
    diplomacy=(
        c.Draft,
        c.AddTerm,
        c.DropTerm,
        c.OfferDraft,
        c.Discard,
        c.Amend,
        c.Sign,
        c.Decline,
        c.Withdraw,
        c.MarkWord,
        c.Ransom,
        c.Consent,
        c.RefuseConsent,
        c.DeclareWar,
        c.EndAlliance,
        c.DoneNegotiating,
        c.DoneRansoming,
        c.DoneDeclaring,
    ),
    grave=(c.DeclareWar, c.EndAlliance, c.Sign),
    at_table=AT_TABLE,
    read_board=board_in_file,
    sorts=ledger.SORTS,
)
