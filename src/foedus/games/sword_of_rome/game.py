"""The Game object of The Sword of Rome: puts the chapters together; nothing else."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from types import ModuleType
from typing import Any

from msgspec.structs import replace

from foedus.boards import BoardError, check_file
from foedus.boards.board import Board
from foedus.games.sword_of_rome import (
    abilities,
    alliances,
    battle,
    cards,
    carthage,
    desperate,
    gallic_table,
    hands,
    ledger,
    movement,
    neutrals,
    plunder,
    powers,
    reactions,
    sea,
    sieges,
    standing,
    support,
    turn,
    unrest,
    voyages,
)
from foedus.games.sword_of_rome import commands as c
from foedus.games.sword_of_rome import ground as ground_chapter
from foedus.games.sword_of_rome import leaders as leaders_chapter
from foedus.games.sword_of_rome import questions as asking
from foedus.games.sword_of_rome.attable import AT_TABLE
from foedus.games.sword_of_rome.board import SWORD_OF_ROME_SCHEMA, load_board
from foedus.games.sword_of_rome.deck import cards_of, cards_of_toml, deck_data, read_deck
from foedus.games.sword_of_rome.deck import check_deck as deck_faults
from foedus.games.sword_of_rome.events import EVENTS, CardsDrawn, OfferEnded, OfferMade, Talked
from foedus.games.sword_of_rome.frames import FRAMES, Renewal, TurnFrame
from foedus.games.sword_of_rome.hands import DRAWS
from foedus.games.sword_of_rome.notation import NOTATION, typed_names
from foedus.games.sword_of_rome.remedies import assumptions, change, remedies, settle
from foedus.games.sword_of_rome.shown import FORM, shown
from foedus.games.sword_of_rome.sketch import KEYS, blank, read_sketch, write_sketch
from foedus.games.sword_of_rome.state import (
    CITY,
    ETR,
    IND,
    POWERS,
    SAM,
    SEATS,
    SETUP,
    CardFace,
    Force,
    LeaderCard,
    State,
    World,
)
from foedus.kernel.flow import FrameChanged, Group, Rolled, Sealed, SealedFrame
from foedus.kernel.game import Game, collect_carries, collect_flows
from foedus.kernel.notation import Names
from foedus.kernel.referee import Referee
from foedus.kernel.rulebook import read_rulebook
from foedus.kernel.rules import Rules
from foedus.kernel.standing import STANDING_EVENTS
from foedus.kernel.tables import replaced
from foedus.kernel.unknown import NONE, UNKNOWN
from foedus.kernel.values import Answer, Command, Event
from foedus.kernel.words import Words

PACKAGE = "foedus.games.sword_of_rome"
CHAPTERS: tuple[ModuleType, ...] = (ground_chapter, leaders_chapter, powers, alliances, neutrals, support, movement)
CHAPTERS += (reactions, battle, sieges, plunder, abilities, hands, cards, desperate, gallic_table, carthage, sea)
CHAPTERS += (voyages, unrest, turn, standing)


def _read(name: str) -> str:
    return (files(PACKAGE) / name).read_text(encoding="utf-8")


RULEBOOK = read_rulebook(_read("rulebook.toml"))
NAMES = tomllib.loads(_read("names.toml"))
TABLES = tomllib.loads(_read("tables.toml"))
CATALOGUE = tomllib.loads(_read("decks/catalogue.toml"))
DECKS = ("own", "plain", "none")
SEAT_DECKS = ("romans", "etruscans_samnites", "greeks", "gauls", "carthaginians")


def plain_cards() -> tuple[CardFace, ...]:
    """The cards without a deck of anybody's, for sketches; their places among all cards never change."""
    rows = tomllib.loads(_read("decks/plain.toml"))["cards"]
    return tuple(
        CardFace(
            row["id"],
            row["effect"],
            row["value"],
            copies=row.get("copies", 1),
            said=(("en", row["en"]), ("ru", row["ru"])),
        )
        for row in rows
    )


PLAIN_CARDS = plain_cards()
OWN_CARDS = tuple(
    card for name in SEAT_DECKS for card in cards_of_toml(_read(f"decks/{name}.toml"), CATALOGUE, f"{name}.toml")
)


def deck_of_the_table(told: Any) -> tuple[str, tuple[CardFace, ...]]:
    """The name of the deck that was asked for and its cards: ours, the plain one, one in a file or as data.

    A deck that serves some seats only leaves the others ours. Raises `ValueError` (`DeckError`).
    """
    if told is None or told in DECKS:
        return str(told or "own"), OWN_CARDS
    taken = [card.id for card in PLAIN_CARDS]
    if isinstance(told, Mapping):
        name, cards_ = "table", cards_of(told, CATALOGUE, "deck", taken)
    elif str(told).casefold().endswith((".toml", ".csv")):
        name, cards_ = str(told), read_deck(str(told), CATALOGUE, taken)
    else:
        raise ValueError(f"unknown deck '{str(told)[:80]}'; there is: {', '.join(DECKS)}, or a file .toml or .csv")
    served = {card.seat for card in cards_}
    ids = {card.id for card in cards_}
    return name, (*cards_, *(card for card in OWN_CARDS if card.seat not in served and card.id not in ids))


def deck_in_file(path: Any) -> Mapping[str, Any] | str:
    """A deck in a file as data for the option `deck`, so that a record holds the deck itself; one of ours by its name.

    Raises `ValueError`.
    """
    if path in DECKS:
        return str(path)
    return deck_data(read_deck(path, CATALOGUE, [card.id for card in PLAIN_CARDS]), CATALOGUE)


def board_in_file(path: Any) -> Mapping[str, Any]:
    """A board in a file as data, so that a record holds the board itself. Raises `BoardError`."""
    return load_board(path).data()


def check_deck(path: Any) -> list[str]:
    """The faults of a deck in a file, one a line; none if it can be played with."""
    return deck_faults(path, CATALOGUE, [card.id for card in PLAIN_CARDS])


SCENARIOS = {
    entry.name.removesuffix(".toml"): tomllib.loads(entry.read_text(encoding="utf-8"))
    for entry in sorted((files(PACKAGE) / "scenarios").iterdir(), key=lambda entry: entry.name)
    if entry.name.endswith(".toml")
}


def leaders() -> tuple[tuple[LeaderCard, ...], tuple[str, ...]]:
    """The leaders of the tables, named ones first, and the names they go by in notation."""
    cards_, names = [], []
    for code, row in TABLES["leaders"].items():
        cards_.append(LeaderCard(code, POWERS.index(row["power"]), True, row["tactics"], row["initiative"]))
        names.append(NAMES["leader"][code]["en"].removeprefix("the "))
    minor = TABLES["minor_leaders"]
    for power in minor["powers"]:
        for letter in "ABC":
            index = POWERS.index(power)
            cards_.append(
                LeaderCard(f"{power.lower()}_{letter.lower()}", index, False, minor["tactics"], minor["initiative"])
            )
            names.append(f"{power} {letter}")
    return tuple(cards_), tuple(names)


LEADERS, LEADER_NAMES = leaders()


def _make_referee(world: World) -> Referee:
    return Referee(GAME, world, {}, world.off)


def make_world(players: int | None = None, board: Any = None, options: Mapping[str, Any] | None = None) -> World:
    """The fixed things of one game: players, a board by name, path, data or object; the deck's name and own tables.

    Raises `ValueError` for a number of players, a deck or a table that there is not, `BoardError` for a wrong board.
    """
    if players is None:
        players = 4
    if players not in (2, 3, 4, 5):
        raise ValueError(f"players: The Sword of Rome is for two to five, not {players}")
    deck, dealt = deck_of_the_table((options or {}).get("deck"))
    real = board if isinstance(board, Board) else load_board(board or "italy-386")
    faces = (*PLAIN_CARDS, *dealt)
    tables = replaced(TABLES, (options or {}).get("tables") or {}, fixed=("leaders", "minor_leaders"))
    return World(
        real,
        players,
        RULEBOOK,
        LEADERS,
        faces,
        tables,
        LEADER_NAMES,
        SCENARIOS,
        deck,
        make_referee=_make_referee,
        space_words=() if real is load_board() else _space_words(real),
    )


def _default_names(world: World) -> Mapping[str, Names]:
    found: Mapping[str, Names] | None = world.cache.get("typed names")
    if found is None:
        found = world.cache["typed names"] = typed_names(world, NAMES)
    return found


def read(world: World, data: Mapping[str, Any], text: str = "") -> State:
    """A position from a sketch; see `sketch.read_sketch`."""
    scenario = SCENARIOS.get(str(data.get("scenario", "")))
    if scenario is not None:
        data = {**{key: scenario[key] for key in ("turn", "vp", "levies") if key in scenario}, "alliances": [], **data}
    return read_sketch(world, _default_names(world), data, text)


def start(world: World, rulings: tuple[int, ...]) -> State:
    """The position before the first turn: the set-up for so many players, else home spaces held."""
    state = blank(world, rulings)
    data: dict[str, Any] = {"alliances": [], "elsewhere": "home", "vp": {SEATS[seat]: 6 for seat in world.seats}}
    for name, scenario in SCENARIOS.items():
        if scenario["players"] == world.players:
            data = {"scenario": name}
    told = read(world, data)
    return replace(
        told,
        rulings=rulings,
        allies=state.allies,
        turn=0,
        round=0,
        phase=SETUP,
        active=NONE,
        sketched=False,
        hands=((),) * len(SEATS),
        desperate=tuple(int(TABLES["desperate"]["each"]) if seat in world.seats else 0 for seat in range(len(SEATS))),
        dealt=world.deck != "none",
        frames=(TurnFrame(()),),
    )


def assume(state: State, what: str, subject: tuple[tuple[str, int], ...], option: int) -> State:
    """The state with one unknown part filled in."""
    told = dict(subject)
    if what == "active":
        return replace(state, active=option)
    if what == "phase":
        return replace(state, phase=option)
    if what == "treaty":
        return replace(state, treaty=option)
    if what == "allied":
        a, b = told["power"], told["ally"]
        unsure, allies = list(state.unsure), list(state.allies)
        formal = list(state.formal)
        for one, two in ((a, b), (b, a)):
            unsure[one] &= ~(1 << two)
            if option:
                allies[one] |= 1 << two
                formal[one] |= 1 << two
        return replace(state, unsure=tuple(unsure), allies=tuple(allies), formal=tuple(formal))
    if what == "support":
        return replace(state, support=(option,) * len(POWERS))
    if what == "activated":
        return replace(state, activated=option << told["npp"])
    space = told["space"]

    def put(values: tuple[Any, ...], value: Any) -> tuple[Any, ...]:
        return (*values[:space], value, *values[space + 1 :])

    if what == "owner":
        state = replace(state, owner=put(state.owner, option))
        if option == IND and state.kinds[space] == CITY and state.loyalty[space] == UNKNOWN:
            state = replace(state, loyalty=put(state.loyalty, 1))
        return state
    if what == "loyalty":
        return replace(state, loyalty=put(state.loyalty, option))
    if what == "besieger":
        return replace(state, besieged_by=put(state.besieged_by, option))
    if what == "troops":
        if option == 0:
            return replace(state, forces=put(state.forces, ()))
        force = Force(option - 101, 0, 3) if option > 100 else Force(option - 1, 3, 0)
        return replace(state, forces=put(state.forces, (force,)))
    raise KeyError(what)


def seat_for(state: State, command: Command) -> int:
    """The seat that decides for the command's power now."""
    return neutrals.seat_deciding(state, command.power)


def beside(state: State, seat: int) -> Iterable[Group]:
    """Answers to the offers that wait for a seat, its own offers, and names that must come before sealed answers."""
    if state.frames and isinstance(state.frames[-1], SealedFrame):
        yield from reactions.window_names(state, seat)
    for offer in state.offers:
        if state.controller[offer.by] == seat:
            yield c.WithdrawOffer, offer.by, (c.WithdrawOffer(offer.by, offer.to),)
        if neutrals.seat_deciding(state, offer.to) == seat:
            yield c.AcceptAlliance, offer.to, (c.AcceptAlliance(offer.to, offer.by),)
            yield c.DeclineAlliance, offer.to, (c.DeclineAlliance(offer.to, offer.by),)


def _sees_offer(state: State, by: int, to: int, seat: int | None) -> bool:
    """15.1.1: talks may be secret, so an offer is seen by its two parties; by all where the table forbids secrecy.

    A power without a player keeps no secrets: its decider may change.
    """
    if state.ruling("secret_talks") == "forbidden" or NONE in (state.controller[by], state.controller[to]):
        return True
    return seat is not None and seat in (state.controller[by], state.controller[to])


def redact(state: State, seat: int | None) -> State:
    """The state as a seat (None: a spectator) may know it."""
    hands = tuple(hand if owner == seat else (UNKNOWN,) * len(hand) for owner, hand in enumerate(state.hands))
    offers = tuple(offer for offer in state.offers if _sees_offer(state, offer.by, offer.to, seat))
    frames = state.frames
    if any(isinstance(frame, (SealedFrame, Renewal)) for frame in frames):
        frames = tuple(_redact_frame(frame, seat) for frame in frames)
    said = standing.STANDING.seen(state, seat) if state.standing else ()
    return replace(state, hands=hands, offers=offers, frames=frames, standing=said)


def _redact_frame(frame: Any, seat: int | None) -> Any:
    if isinstance(frame, SealedFrame):
        return replace(frame, answers=tuple(_redact_answer(answer, seat) for answer in frame.answers))
    return frame


def _redact_answer(answer: Answer, seat: int | None) -> Answer:
    return answer if answer.seat == seat else replace(answer, command=None)


def redact_event(state: State, event: Event, seat: int | None) -> Event | None:
    """The event as a seat may know it, or None if it may not know of it at all."""
    if isinstance(event, Sealed):
        return replace(event, answer=_redact_answer(event.answer, seat))
    if isinstance(event, FrameChanged):
        return replace(event, frame=_redact_frame(event.frame, seat))
    if isinstance(event, OfferMade):
        return event if _sees_offer(state, event.offer.by, event.offer.to, seat) else None
    if isinstance(event, OfferEnded):
        return event if _sees_offer(state, event.by, event.to, seat) else None
    if isinstance(event, Talked):
        if not event.secret or state.ruling("secret_talks") == "forbidden":
            return event
        return event if seat is not None and seat in (state.controller[event.a], state.controller[event.b]) else None
    if isinstance(event, Rolled) and event.purpose in DRAWS:
        return event if seat is not None and event.purpose == DRAWS[seat] else replace(event, result=(UNKNOWN,))
    if isinstance(event, STANDING_EVENTS):
        return event if seat is not None and state.controller[event.standing.power] == seat else None
    if isinstance(event, CardsDrawn):
        return event if event.seat == seat else replace(event, cards=(UNKNOWN,) * len(event.cards))
    return event


def rewind(state: State, chosen: tuple[int, int]) -> State:
    """The state under another option of a ruling, as if the table had chosen it."""
    index, option = chosen
    rulings = (*state.rulings[:index], option, *state.rulings[index + 1 :])
    allies = state.allies
    if index == state.world.ruling_index["etruscans_and_samnites"]:
        table = list(allies)
        for one, two in ((ETR, SAM), (SAM, ETR)):
            if option == 0 or state.formal[one] >> two & 1:
                table[one] |= 1 << two
            else:
                table[one] &= ~(1 << two)
        allies = tuple(table)
    return replace(state, rulings=rulings, allies=allies)


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
    for key, row in NAMES["said"].items():
        templates[f"said/{key}"] = row
    names: dict[str, Sequence[Mapping[str, Mapping[str, str]]]] = {
        "power": [NAMES["power"][code] for code in POWERS],
        "actor": [NAMES["seat"]["ES"] if code in ("ETR", "SAM") else NAMES["power"][code] for code in POWERS],
        "seat": [NAMES["seat"][code] for code in SEATS],
        "space": _space_words(load_board()),
        "leader": [_leader_words(leader) for leader in LEADERS],
        "card": [{lang: {"nom": dict(card.said)[lang]} for lang in languages} for card in (*PLAIN_CARDS, *OWN_CARDS)],
        "phase": [{lang: {"nom": row[lang]} for lang in languages} for row in NAMES["phase"].values()],
        "treaty": [{lang: {"nom": name} for lang in languages} for name in ("none", "envoys", "signed", "ended")],
        "ruling": [{lang: {"nom": ruling.name} for lang in languages} for ruling in RULEBOOK.rulings],
    }
    kinds = {**told["facts"], "clause": "text", "question": "text"}
    return Words(names, kinds, templates)


def _space_words(board: Board) -> list[Mapping[str, Mapping[str, str]]]:
    """The names of a board's spaces with the forms that sentences need."""
    return [
        {lang: {"nom": space.name(lang), **NAMES["siege"][_siege_of(space.kind)][lang]} for lang in ("en", "ru")}
        for space in board.spaces
    ]


def _leader_words(leader: LeaderCard) -> Mapping[str, Mapping[str, str]]:
    if leader.named:
        row = NAMES["leader"][leader.id]
        return {lang: {"nom": row[lang], "fate": NAMES["fate"]["named"][lang]} for lang in ("en", "ru")}
    letter, power, row = leader.id[-1].upper(), NAMES["power"][POWERS[leader.power]], NAMES["minor_leader"]
    of = {"en": power["en"]["nom"], "ru": power["ru"]["gen"]}
    return {
        lang: {"nom": row[lang].format(letter=letter, power=of[lang]), "fate": NAMES["fate"]["minor"][lang]}
        for lang in ("en", "ru")
    }


def _siege_of(kind: str) -> str:
    """By which words a siege of such a place goes."""
    return "tribe" if kind == "tribe" else "city"


def check_board(path: Any) -> list[str]:
    """The faults of a board file, one a line; none if it can be played on."""
    try:
        return [str(fault) for fault in check_file(path, SWORD_OF_ROME_SCHEMA)]
    except BoardError as error:
        return [str(fault) for fault in error.faults]


def answer_tag(what: str, option: int) -> tuple[str, int]:
    """By which words an answer to an open question is said, and the value that fills them."""
    if what == "troops":
        if option == 0:
            return "nobody", NONE
        return ("inside", option - 101) if option > 100 else ("outside", option - 1)
    if what in ("allied", "activated"):
        return str(option), option
    return ("none" if option == NONE else "any"), option


GAME = Game(
    id="sword_of_rome",
    rulebook=RULEBOOK,
    rules=Rules.collect(CHAPTERS),
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
    beside=beside,
    redact=redact,
    redact_event=redact_event,
    remedies=remedies,
    change=change,
    settle=settle,
    rewind=rewind,
    sketch_keys=KEYS,
    entails={
        c.Activate: movement.entail_activate,
        c.Step: movement.entail_step,
        c.Halt: movement.entail_halt,
        c.Drop: movement.entail_leaving,
        c.LeaveLeader: movement.entail_leaving,
        c.Drop: movement.entail_drop,
        c.March: movement.entail_march,
        c.Intercept: reactions.entail_intercept,
        c.AvoidBattle: reactions.entail_avoid,
        c.SendUnits: movement.entail_send,
        c.Drop: movement.entail_left_behind,
        c.LeaveLeader: movement.entail_left_behind,
        c.AvoidBySea: reactions.entail_avoid_by_sea,
        c.RefuseBattle: reactions.entail_refuse,
        c.Retreat: battle.entail_retreat,
        c.Sortie: abilities.entail_sortie,
        c.Bribe: abilities.entail_bribe,
        c.PlayInBattle: abilities.entail_battle_card,
        c.FoundColony: abilities.entail_colony,
        c.Raid: plunder.entail_raid,
        c.GiveUpPlunder: plunder.entail_giving_up,
        c.PlayEvent: cards.entail_event,
        c.BeginEvent: cards.entail_begin_event,
        c.Respond: hands.entail_respond,
        c.PlayValue: cards.entail_value,
        c.ActivateNPP: cards.entail_activation,
        c.Sail: voyages.entail_sail,
        c.Hinder: voyages.entail_hinder,
        c.SailOn: voyages.entail_sail_on,
        c.AskPassage: voyages.entail_passage,
        c.Carry: voyages.entail_carry,
        c.Hire: carthage.entail_hire,
        c.PlaceHired: carthage.entail_place_hired,
        c.RaiseUnrest: unrest.entail_raise,
        c.Surrender: turn.entail_surrender,
        c.PlaceUnits: turn.entail_place_units,
    },
    parts={
        **dict.fromkeys((c.Attack, c.EndMovement, c.PassThrough, c.TakeControl), turn.only_as_a_part),
        c.RemoveMarker: plunder.only_as_a_part,
    },
    questions=asking.QUESTIONS,
    cases=lambda: _read("cases.txt"),
    typed_names=_default_names,
    assumptions=assumptions,
    answer_tag=answer_tag,
    decides=asking.decides,
    check=asking.check,
    status=asking.status,
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
        c.ProposeAlliance,
        c.AcceptAlliance,
        c.DeclineAlliance,
        c.WithdrawOffer,
        c.RenewAlliance,
        c.LetLapse,
        c.BreakAlliance,
        c.MakePromise,
        c.BreakPromise,
        c.Give,
    ),
    grave=(c.BreakAlliance, c.LetLapse, c.BreakPromise),
    at_table=AT_TABLE,
    standing=standing.STANDING,
    sorts=ledger.SORTS,
    read_board=board_in_file,
)
