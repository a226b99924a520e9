"""What the referee does in a second of processor time, beside python-chess in the same run.

make bench                      the whole table
python bench/run.py --seconds 1 longer runs; every figure is the median of alternating runs
"""

from __future__ import annotations

import argparse
import platform
import random
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import chess
import msgspec

from foedus.kernel.dice import FastDice
from foedus.kernel.game import find_game
from foedus.kernel.referee import Referee, make_referee
from foedus.kernel.values import Command

Work = Callable[[float], tuple[int, float]]
"""Does a thing again and again for so many seconds; gives how often, and the seconds it took."""


def repeat(once: Callable[[], Any], batch: int = 200) -> Work:
    """A piece of work as a `Work`: run in batches between looks at the clock."""

    def work(seconds: float) -> tuple[int, float]:
        done = 0
        start = time.process_time()
        while True:
            for _ in range(batch):
                once()
            done += batch
            passed = time.process_time() - start
            if passed >= seconds:
                return done, passed

    return work


def read(referee: Referee, line: str) -> Command:
    """A command from its notation."""
    return referee.game.notation.read(line, referee.names)


def midgame(referee: Referee) -> Any:
    """The four-player set-up with a few alliances, Rome to move."""
    state = referee.sketch(
        {"scenario": "four-players", "active": "ROM", "round": 2, "alliances": ["ROM-ETR", "GRE-SAM", "GRE-GAL"]}
    )
    return state


def segment(referee: Referee) -> Any:
    """Virgin Queen: the campaign's set-up in the negotiations of turn 2, with one alliance announced."""
    return referee.sketch({"scenario": "campaign", "turn": 2, "phase": "negotiation", "alliances": ["FRA-PRO"]})


def verdicts(referee: Referee, state: Any, line: str, wanted: str) -> Work:
    """Judging one command again and again, all reasons gathered."""
    command = read(referee, line)
    verdict = referee.judge(state, command)
    assert verdict.kind == wanted, verdict
    return repeat(lambda: referee.judge(state, command))


def political_lists(referee: Referee) -> Work:
    """Every permitted political command of the seat to move, early in a game without armies told."""
    state = referee.sketch({"alliances": ["ROM-ETR", "GRE-SAM"], "elsewhere": "home", "active": "ROM", "round": 2})
    assert len(referee.choices(state, state.active)) > 3
    return repeat(lambda: referee.choices(state, state.active))


def negotiation_lists(referee: Referee) -> Work:
    """Virgin Queen: every permitted command of a power in a negotiation, with nothing drafted yet."""
    state = referee.start(dice=FastDice(1)).state
    seat = referee.awaiting(state)[0].seat
    assert len(referee.choices(state, seat)) > 10
    return repeat(lambda: referee.choices(state, seat))


def chess_lists() -> Work:
    """python-chess: the list of legal moves on the opening position."""
    board = chess.Board()
    return repeat(lambda: list(board.legal_moves))


def chess_plies(seed: int) -> Work:
    """python-chess: random plies, chosen from the list of legal moves and pushed."""
    rng = random.Random(seed)

    def work(seconds: float) -> tuple[int, float]:
        board = chess.Board()
        done = 0
        start = time.process_time()
        while time.process_time() - start < seconds:
            for _ in range(50):
                moves = list(board.legal_moves)
                if not moves or len(board.move_stack) > 200:
                    board = chess.Board()
                    moves = list(board.legal_moves)
                board.push(rng.choice(moves))
                done += 1
        return done, time.process_time() - start

    return work


def chess_plies_drawn(seed: int) -> Work:
    """python-chess: random plies without the list: pseudo-legal moves are drawn until one is legal, and pushed."""
    rng = random.Random(seed).random

    def work(seconds: float) -> tuple[int, float]:
        board = chess.Board()
        done = 0
        start = time.process_time()
        while time.process_time() - start < seconds:
            for _ in range(50):
                if len(board.move_stack) > 200:
                    board = chess.Board()
                moves = list(board.pseudo_legal_moves)
                while moves:
                    at = int(rng() * len(moves))
                    if board.is_legal(moves[at]):
                        board.push(moves[at])
                        break
                    moves[at] = moves[-1]
                    moves.pop()
                else:
                    board = chess.Board()
                done += 1
        return done, time.process_time() - start

    return work


def political_play(referee: Referee, seed: int) -> Work:
    """Random play of the political layer: offers, answers, breaks, payments, renewals, passes; chosen and applied."""
    rng = random.Random(seed)
    dice = FastDice(seed)
    start_state = political_start(referee)

    def work(seconds: float) -> tuple[int, float]:
        state = start_state
        done = 0
        start = time.process_time()
        while time.process_time() - start < seconds:
            for _ in range(50):
                decision = referee.awaiting(state)[0]
                seat = decision.seat
                if state.turn > 3 or decision.what == "over":
                    state = start_state
                    continue
                if state.offers and rng.random() < 0.5:
                    seat = referee.world.controller[state.offers[-1].to]
                choices = referee.choices(state, seat) or referee.choices(state, decision.seat)
                state = referee.carry_out(state, rng.choice(choices), dice).state
                done += 1
        return done, time.process_time() - start

    return work


Choose = Callable[[Any, int], Command | None]
"""A random command of a seat in a state; None if it has no choice."""


def from_the_list(referee: Referee, rng: random.Random) -> Choose:
    """Chooses from the whole list of choices, as the plies of python-chess are chosen."""

    def choose(state: Any, seat: int) -> Command | None:
        choices = referee.choices(state, seat)
        return rng.choice(choices) if choices else None

    return choose


def drawn(referee: Referee, rng: random.Random) -> Choose:
    """Draws one of the choices, all equally likely, without the list of them."""
    return lambda state, seat: referee.pick(state, seat, rng.random)


def whole_games(referee: Referee, seed: int, how: Callable[[Referee, random.Random], Choose] = from_the_list) -> Work:
    """Random whole games with board, cards and battles: one choice after the other, carried out."""
    rng = random.Random(seed)
    dice = FastDice(seed)
    state = [referee.start(dice=dice).state]
    choose = how(referee, rng)

    def work(seconds: float) -> tuple[int, float]:
        done = 0
        start = time.process_time()
        while time.process_time() - start < seconds:
            for _ in range(20):
                state[0] = random_step(referee, state[0], rng, dice, choose)
                done += 1
        return done, time.process_time() - start

    return work


def random_step(referee: Referee, state: Any, rng: random.Random, dice: FastDice, choose: Choose) -> Any:
    """One random command of an awaited seat, or of one that an offer waits for; a finished game begins anew."""
    decisions = referee.awaiting(state)
    if not decisions or decisions[0].what == "over":
        return referee.start(dice=dice).state
    awaited = decisions[0].seat if len(decisions) == 1 else rng.choice(decisions).seat
    command = None
    if state.offers and referee.game.id == "sword_of_rome" and rng.random() < 0.3:
        command = choose(
            state, referee.world.controller[state.offers[-1].to]
        )  # elsewhere all who may answer are awaited
    command = command or choose(state, awaited)
    assert command is not None
    return referee.carry_out(state, command, dice).state


def whole_game(referee: Referee, seed: int) -> None:
    """Print what one random game costs: seconds, the last steps against the first, bytes of its record."""
    rng, dice = random.Random(seed), FastDice(seed)
    state = referee.start(dice=dice).state
    codec = referee.codec
    times: list[float] = []
    size = 0
    while True:
        decisions = referee.awaiting(state)
        if not decisions or decisions[0].what == "over":
            break
        start = time.process_time()
        seat = rng.choice(sorted({decision.seat for decision in decisions}))
        command = rng.choice(referee.choices(state, seat))
        outcome = referee.carry_out(state, command, dice)
        times.append(time.process_time() - start)
        size += sum(len(msgspec.json.encode(codec.encode(event))) for event in outcome.events)
        state = outcome.state
    tenth = max(1, len(times) // 10)
    first, last = statistics.median(times[:tenth]), statistics.median(times[-tenth:])
    print(f"{'a random game: steps':40} {len(times):12,}")
    print(f"{'a random game: games a second':40} {1 / sum(times):12.2f}")
    print(f"{'last tenth of its steps / first tenth':40} {last / first:12.2f} {1.1:12.2f}")
    print(f"{'bytes of its events as a record':40} {size:12,}")


def political_start(referee: Referee) -> Any:
    """A game in which only the political layer has choices: no armies, and nobody holds a reinforcement space."""
    board = referee.world.board
    spaces = {space.id: {"owner": "IND"} for space in board.spaces if "reinforce" in space.numbers}
    return referee.sketch(
        {
            "alliances": [],
            "elsewhere": "home",
            "spaces": spaces,
            "active": "ROM",
            "turn": 1,
            "round": 1,
            "vp": dict.fromkeys(VP, 6),
        }
    )


VP = ("ROM", "ES", "GRE", "GAL")


def size_of(value: Any, seen: set[int], skip: tuple[int, ...]) -> int:
    """Bytes of a value and all it holds, shared parts once."""
    if id(value) in seen or id(value) in skip:
        return 0
    seen.add(id(value))
    total = sys.getsizeof(value)
    if isinstance(value, tuple):
        total += sum(size_of(one, seen, skip) for one in value)
    elif hasattr(value, "__struct_fields__"):
        total += sum(size_of(getattr(value, name), seen, skip) for name in value.__struct_fields__)
    return total


def run(works: dict[str, Work], seconds: float, rounds: int) -> dict[str, float]:
    """The median of alternating runs, things a second of processor time: others on the machine count less so."""
    rates: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(rounds):
        for name, work in works.items():
            done, passed = work(seconds)
            rates[name].append(done / passed)
    return {name: statistics.median(values) for name, values in rates.items()}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    referee = make_referee(find_game("sword_of_rome"), 4)
    talkers = make_referee(find_game("sword_of_rome"), 4, None, {"deck": "none"})
    drawing = make_referee(find_game("sword_of_rome"), 4)
    queen, drawn_queen = (make_referee(find_game("virgin_queen"), 6) for _ in range(2))
    works: dict[str, Work] = {
        "verdicts allowed": verdicts(referee, midgame(referee), "ROM attacks SAM", "allowed"),
        "verdicts refused, all reasons": verdicts(referee, midgame(referee), "ROM attacks ETR", "refused"),
        "lists of political commands": political_lists(talkers),
        "python-chess lists": chess_lists(),
        "random steps of the political layer": political_play(talkers, 1),
        "random steps of whole games": whole_games(referee, 1),
        "the same, drawn without lists": whole_games(drawing, 1, drawn),
        "Virgin Queen: verdicts allowed": verdicts(queen, segment(queen), "ENG allies with SPA", "allowed"),
        "Virgin Queen: verdicts refused": verdicts(queen, segment(queen), "FRA allies with SPA", "refused"),
        "Virgin Queen: lists of a negotiation": negotiation_lists(queen),
        "Virgin Queen: steps of whole games": whole_games(queen, 1),
        "the same, drawn without lists (VQ)": whole_games(drawn_queen, 1, drawn),
        "python-chess random plies": chess_plies(1),
        "the same, drawn without lists (chess)": chess_plies_drawn(1),
    }
    found = run(works, options.seconds, options.rounds)
    bars = {
        "verdicts allowed": 100_000.0,
        "verdicts refused, all reasons": 50_000.0,
        "lists of political commands": found["python-chess lists"],
        "random steps of the political layer": 40_000.0,
        "random steps of whole games": found["python-chess random plies"],
        "the same, drawn without lists": found["python-chess random plies"],
        "Virgin Queen: verdicts allowed": 100_000.0,
        "Virgin Queen: verdicts refused": 50_000.0,
        "Virgin Queen: lists of a negotiation": found["python-chess lists"],
        "Virgin Queen: steps of whole games": found["python-chess random plies"],
        "the same, drawn without lists (VQ)": found["python-chess random plies"],
    }
    print(
        f"Python {platform.python_version()}, median of {options.rounds} alternating runs of {options.seconds} s "
        "of processor time"
    )
    print(f"{'what':40} {'a second':>12} {'bar':>12} {'ratio':>7}")
    for name, rate in found.items():
        bar = bars.get(name)
        tail = f"{bar:12,.0f} {rate / bar:7.2f}" if bar else ""
        print(f"{name:40} {rate:12,.0f} {tail}")
    for title, one, state in (
        ("The Sword of Rome", referee, midgame(referee)),
        ("Virgin Queen", queen, segment(queen)),
    ):
        print(title)
        whole_game(one, 1)
        print(f"{'bytes of a state':40} {size_of(state, set(), (id(state.world),)):12,} {20_000:12,}")


if __name__ == "__main__":
    main()
