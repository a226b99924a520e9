"""What a game gives to the kernel: one explicit `Game` object, found by the entry point `foedus.games`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import entry_points
from types import ModuleType
from typing import Any, Protocol

from foedus.kernel.attable import AtTable
from foedus.kernel.codec import Codec
from foedus.kernel.faults import Fault
from foedus.kernel.flow import KERNEL_EVENTS, Carries, Flow, Group, Handler, Kept, SealedFrame
from foedus.kernel.form import DeskForm
from foedus.kernel.notation import Names, Notation
from foedus.kernel.rulebook import Rulebook, RulebookError, nearest
from foedus.kernel.rules import Facts, Rules
from foedus.kernel.shown import Shown
from foedus.kernel.standing import StandingAnswers
from foedus.kernel.unknown import NONE, Unknown
from foedus.kernel.values import Command, Event, Frame
from foedus.kernel.verdict import Reason, Remedy
from foedus.kernel.words import Words

ENTRY_POINT = "foedus.games"


class World(Protocol):
    """What stays fixed while one game is played: board, seats, cards, names, and the clauses knocked out."""

    @property
    def off(self) -> frozenset[str]:
        """The clauses knocked out."""
        ...

    @property
    def names(self) -> Mapping[str, Sequence[str]]:
        """Names by small integer, for each kind."""
        ...

    def without(self, clauses: frozenset[str]) -> World:
        """The same world with clauses knocked out."""
        ...


@dataclass(frozen=True)
class Game:
    """A ruleset. The functions take states of the game's own type.

    `make_world(players, board, options)` fixes what does not change; `start(world, rulings)` is the position before
    the first decision. `assume(state, what, subject, option)` fills one unknown part. `seat_for(state, command)`
    is the seat that decides for the command's power now. `beside(state, seat)` are candidates that answer what waits
    beside the flow, such as offers. `redact` and `redact_event` leave what one seat (None: a spectator) may know.
    `remedies(state, command, clause, facts)` are changes worth trying; `change(state, remedy)` is the state with one.
    `settle(state)` is the state once what the commands of a remedy leave owed has been paid, before it is judged.

    `entails[command](state, command)` are the acts that a command entails, each with the state at that moment.
    `parts[command](state, command)` is the reason why a command, itself a part of what others bring about, may not be
    given by itself now; acts that are entailed are not asked.

    For the desk: `questions` reads and answers questions (`foedus.kernel.desk.Questions`); `typed_names(world)` are the
    names people may type, by kind; `assumptions(state, command)` is the state with what the desk may take for granted
    and says so, as (key of the words, facts); `answer_tag(what, option)` by which words an answer to an open question
    is said (`answer/WHAT/TAG`) and the value in them; `status(state, language)` the (heading, lines) of a status sheet;
    `check_board(path)` the faults of a board in files, `check_deck(path)` those of a deck; `read_board(path)` and
    `read_deck(path)` either as data for `make_world` (raise `ValueError`). For cases: `cases` is their text,
    `decides(state, npp)` who decides for a power (seat, clause, among whom), `check(state, words)` an assertion of the
    game's own: None if it holds, what is wrong if not; it raises `KeyError` for words that are no assertion.

    For whole games: `tallies` names events worth counting, by class ("AllianceMade") or class and `how`
    ("AllianceEnded/broken"), in each language; `winners(state)` are the seats that have won, none while the game goes
    on; `onward(state)` what going on by one step of the turn could mean in a ledger: commands, or facts of a sketch,
    the first that can be carried out is meant; `hand(state, seat)` what a seat holds for itself, each by its kind, its
    number and what else stands on it, such as a card's value; `standing` what answers given beforehand mean;
    `sorts` the commands that are of one sort, for players that are programs: "war", "peace", "idle".

    For pictures and lists of the board: `shown(state)` is the position as it is drawn (`foedus.kernel.shown`);
    `form` is what the form of the desk asks of a position (`foedus.kernel.form`).
    `diplomacy` are the commands by which powers deal with each other, `grave` those of them that are looked at twice.
    `at_table` is what clocks, talks and notices build on (`foedus.kernel.attable`).
    """

    id: str
    rulebook: Rulebook
    rules: Rules
    notation: Notation
    words: Words
    commands: tuple[type[Command], ...]
    events: tuple[type[Event], ...]
    frames: tuple[type[Frame], ...]
    handlers: Mapping[type, Handler]
    flows: Mapping[type, Flow]
    state_type: type
    make_world: Callable[..., Any]
    start: Callable[..., Any]
    read_sketch: Callable[..., Any]
    write_sketch: Callable[[Any], dict[str, Any]]
    assume: Callable[[Any, str, tuple[tuple[str, int], ...], int], Any]
    seat_for: Callable[[Any, Command], int]
    beside: Callable[[Any, int], Iterable[Kept | Group]]
    redact: Callable[[Any, int | None], Any]
    redact_event: Callable[[Any, Event, int | None], Event | None]
    remedies: Callable[[Any, Command, str, Mapping[str, Any]], Iterable[Remedy]]
    change: Callable[[Any, Remedy], Any]
    rewind: Callable[[Any, Any], Any]
    sketch_keys: tuple[str, ...]
    entails: Mapping[type, Callable[[Any, Any], Iterable[tuple[Any, Any]]]] = field(default_factory=dict)
    parts: Mapping[type, Callable[[Any, Any], Reason | None]] = field(default_factory=dict)
    questions: Any = None
    cases: str | Callable[[], str] = ""
    typed_names: Callable[[Any], Mapping[str, Names]] = lambda world: {}
    assumptions: Callable[[Any, Command], tuple[Any, Sequence[tuple[str, Facts]]]] = lambda state, command: (state, ())
    answer_tag: Callable[[str, int], tuple[str, int]] = lambda what, option: (
        "none" if option == NONE else "any",
        option,
    )
    decides: Callable[[Any, str], tuple[str, str, Sequence[str]]] | None = None
    check: Callable[[Any, Sequence[str]], str | None] | None = None
    status: Callable[[Any, str], Iterable[tuple[str, Sequence[str]]]] | None = None
    check_board: Callable[[Any], Sequence[str]] | None = None
    check_deck: Callable[[Any], Sequence[str]] | None = None
    read_deck: Callable[[Any], Mapping[str, Any] | str] | None = None
    tallies: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    winners: Callable[[Any], Sequence[int]] | None = None
    onward: Callable[[Any], Iterable[Command | Mapping[str, Any]]] | None = None
    hand: Callable[[Any, int], Sequence[tuple[str, int, str]]] | None = None
    settle: Callable[[Any], Any] = lambda state: state
    shown: Callable[[Any], Shown] | None = None
    form: DeskForm = field(default_factory=DeskForm)
    diplomacy: tuple[type[Command], ...] = ()
    grave: tuple[type[Command], ...] = ()
    at_table: AtTable | None = None
    standing: StandingAnswers | None = None
    sorts: Mapping[type[Command], str] = field(default_factory=dict)
    read_board: Callable[[Any], Mapping[str, Any]] | None = None

    def codec(self, world: World) -> Codec:
        """The codec between this game's structs and plain data."""
        return Codec(
            world.names,
            {Command: self.commands, Event: (*KERNEL_EVENTS, *self.events), Frame: (SealedFrame, *self.frames)},
            {"world": world},
            self.state_type,
        )


def collect_carries(chapters: Iterable[ModuleType]) -> dict[type, Handler]:
    """The handlers that stand in the chapters, by command. Raises `RulebookError` for two of one command."""
    found: dict[type, Handler] = {}
    for chapter in chapters:
        for value in vars(chapter).values():
            if isinstance(value, Carries) and value.function.__module__ == chapter.__name__:
                if value.command in found:
                    raise RulebookError(f"two functions carry out {value.command.__name__}")
                found[value.command] = value.function
    return found


def collect_flows(chapters: Iterable[ModuleType]) -> dict[type, Flow]:
    """The flows that stand in the chapters, by frame. Raises `RulebookError` for two of one frame."""
    found: dict[type, Flow] = {}
    for chapter in chapters:
        for value in vars(chapter).values():
            if isinstance(value, Flow) and value.proceed.__module__ == chapter.__name__:
                if value.frame in found:
                    raise RulebookError(f"two flows lead {value.frame.__name__}")
                found[value.frame] = value
    return found


def known_games() -> dict[str, Any]:
    """The games that are installed: name -> entry point."""
    return {point.name: point for point in entry_points(group=ENTRY_POINT)}


class UnknownGame(LookupError):
    """No game of that name is installed."""


def find_game(name: str) -> Game:
    """The installed game of that name. Raises `UnknownGame` naming the nearest."""
    points = known_games()
    if name not in points:
        raise UnknownGame(Fault("unknown_game", word=name[:80], near=nearest(name, points), known=tuple(points)))
    game: Game = points[name].load()
    return game


__all__ = [
    "Game",
    "Unknown",
    "UnknownGame",
    "World",
    "collect_carries",
    "collect_flows",
    "find_game",
    "known_games",
]
