"""Nothing leaks: the same game is played twice with another seat's hand, offers and talks changed, and every byte that
reaches this seat and the spectators stays the same."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest

from foedus.kernel.dice import CommittedDice
from foedus.lab.simulate import made_up
from foedus.table import live as live_module
from foedus.table import tables as tables_module
from foedus.table.live import PLAYING, Draft, LiveTable
from web.harness import CARAVANS, Follower, Player, Server, seated, serving

ROME, QUEEN = "sword_of_rome", "virgin_queen"


class Played(NamedTuple):
    """How a game is played here: its seats, whose eyes are ours, whose hidden draws (by purpose) differ; which kinds of
    commands would come to light later, so that they are not done in one world only; how many steps."""

    seats: tuple[str, ...]
    me: str
    other: str
    draws: frozenset[str] = frozenset()
    later: frozenset[str] = frozenset()
    steps: int = 40


GAMES = {
    ROME: Played(("ROM", "GAL", "GRE", "ES"), "ROM", "GAL", frozenset({"draw, GAL"}), steps=48),
    CARAVANS: Played(("SA", "SB", "LN"), "SA", "LN"),
    # all draw from one deck: the last in order, so that nobody draws other cards because of it
    QUEEN: Played(
        ("OTT", "SPA", "ENG", "FRA", "HRE", "PRO"), "OTT", "PRO", frozenset({"draw: PRO"}), frozenset({"Sign"}), 48
    ),
}
NOON = 1_800_000_000.0


class Varied:
    """The dice of a table, but the draws that only one seat may see come out otherwise in the second world."""

    changed: frozenset[str] = frozenset()

    def __init__(self, secret: bytes, numbers: Any, counter: int = 0) -> None:
        self.second = secret[-1] == 2
        self.dice = CommittedDice(bytes(32), {"one": 1}, counter)

    def roll(self, purpose: str, count: int, sides: int = 6) -> tuple[int, ...]:
        return self.dice.roll(purpose, count, sides)

    def pick(self, purpose: str, count: int) -> int:
        found = self.dice.pick(purpose, count)
        return (found + 1) % count if self.second and purpose in self.changed else found

    @property
    def counter(self) -> int:
        return self.dice.counter

    @property
    def told(self) -> bool:
        return False


class World:
    """One of the two worlds: a server, everybody at its table, and whoever listens."""

    def __init__(self, server: Server, game: str) -> None:
        seats, self.me, self.other, *_, self.later, _ = GAMES[game]
        self.server = server
        self.players = {seat: server.person(f"Player {seat}") for seat in seats}
        self.told: list[str] = []
        host = self.players[self.me]
        spec = {} if game == CARAVANS else {"players": len(seats)}
        self.table = seated(server, host, self.players, game, settings={"spectators": True}, **spec)
        self.watcher = server.stranger()
        self.streams = [Follower(host, self.table, self.me), Follower(self.watcher, self.table, "-")]

    @property
    def live(self) -> LiveTable:
        found: LiveTable = self.server.do(self.server.site.tables.open(self.table))
        return found

    def choices(self, seat: str) -> dict[str, Any]:
        live = self.live
        found = live.referee.choices(live.view(seat), live.teller.viewers[seat] or 0)
        return {json.dumps(live.referee.codec.encode(one)): one for one in found}

    def hidden(self, seat: str, random: Random) -> str | None:
        """A command of a seat of which neither this seat nor a spectator may know, now or later."""
        live = self.live
        state = live.state
        found = list(self.choices(seat).items())
        random.shuffle(found)
        for told, command in found:
            if type(command).__name__ in self.later:
                continue
            try:
                events = live.referee.carry_out(state, command).events
            except Exception:
                continue
            if not any(live.referee.view_events(state, events, one) for one in (live.teller.viewers[self.me], None)):
                return told
        return None

    def act(self, seat: str, told: str) -> bool:
        return self.give(seat, json.loads(told))

    def give(self, seat: str, command: str | dict[str, Any], what: str = "commands") -> bool:
        path = f"/api/tables/{self.table}/{what}"
        data = {"seat": seat, "command": command, "seen": 1} if what == "commands" else {"seat": seat}
        answer = self.players[seat].send("POST", path, data)
        if seat == self.me:
            self.told.append(answer.text.replace(self.table, "TABLE"))
        return answer.is_success

    def gossip(self, seats: list[str]) -> None:
        """Something is said to some seats only."""

        def operation(draft: Draft) -> None:
            draft.tell(seats, {"what": "talk", "text": "psst"})

        self.server.do(self.live.do(operation))

    def awaited(self) -> list[str]:
        view = self.watcher.ok("GET", f"/api/tables/{self.table}/view?seat=-")
        return [one["seat"] for one in view["awaiting"] if one["seat"]]

    def all_i_get(self, random: Random) -> list[str]:
        """Every byte that reaches this seat and the spectators, by whatever way."""
        path = f"/api/tables/{self.table}"
        me, host = self.me, self.players[self.me]
        found = list(self.told)
        for player, seat in ((host, me), (self.watcher, "-")):
            for what in ("view", "choices", "lines", "record", "talks"):
                found.append(self.get(player, f"{path}/{what}?seat={seat}"))
            found.append(self.get(player, path))
        for line in self.wrong(random):
            for where, key in (("ask", "line"), ("commands", "command")):
                answer = host.send("POST", f"{path}/{where}", {key: line, "seat": me})
                if where == "commands" and answer.is_success:
                    pytest.fail(f"{line} was carried out")
                found.append(answer.text)
        found.append(host.send("POST", f"{path}/undo", {"seat": self.other}).text)
        return [one.replace(self.table, "TABLE") for one in found]

    def get(self, player: Player, path: str) -> str:
        answer = player.send("GET", path)
        kept = {name: value for name, value in answer.headers.items() if name not in ("date", "set-cookie")}
        return f"{answer.status_code} {sorted(kept.items())} {answer.text}"

    def wrong(self, random: Random) -> list[str]:
        """Lines that this seat may not do now: those of another power, and nonsense."""
        live = self.live
        powers = live.referee.world.names["power"]
        seat = live.teller.viewers[self.me]
        found = ["nonsense"]
        for _ in range(30):
            command = made_up(live.referee, random)
            if live.referee.game.seat_for(live.state, command) != seat and command.power < len(powers):
                try:
                    found.append(live.referee.game.notation.write(command, live.referee.world.names))
                except Exception:
                    continue
        return found[:4]

    def streamed(self) -> list[list[str]]:
        live = self.live
        found = []
        for follower, viewer in zip(self.streams, (self.me, ""), strict=True):
            follower.count(live.heads[viewer])
            found.append(list(follower.raw))
        return found


def masked(line: str) -> str:
    return line.replace(bytes(32).hex(), "SECRET").replace((bytes(31) + b"\x02").hex(), "SECRET")


@contextmanager
def two_worlds(game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[World, World]]:
    """The same table twice, with the same dice but for what one seat draws."""
    monkeypatch.setattr(live_module, "CommittedDice", Varied)
    monkeypatch.setattr(tables_module, "commitment", lambda secret: "c" * 64)
    secrets = iter([bytes(32), bytes(31) + b"\x02"])
    monkeypatch.setattr(os, "urandom", lambda count: next(secrets) if count == 32 else bytes(count))
    monkeypatch.setattr(Varied, "changed", GAMES[game].draws)
    with ExitStack() as stack:
        first, second = (
            World(stack.enter_context(serving(tmp_path / f"{name}.db", lambda: NOON)), game) for name in ("one", "two")
        )
        if GAMES[game].draws:
            assert first.live.state.hands != second.live.state.hands
        yield first, second


def must_be_alike(first: World, second: World) -> None:
    """What was streamed is equal, byte by byte; but the secrets that are published at the end differ."""
    for ours, alike in zip(first.streamed(), second.streamed(), strict=True):
        for line, same in zip(ours, alike, strict=True):
            assert masked(line) == masked(same)


def pick(random: Random, common: list[str]) -> str:
    """One of the commands; first of what kind, so that no kind drowns the others."""
    kinds = sorted({json.loads(one)["do"] for one in common})
    kind = random.choice(kinds)
    return random.choice([one for one in common if json.loads(one)["do"] == kind])


@pytest.mark.parametrize(("game", "seed"), [(ROME, 1), (CARAVANS, 1), (CARAVANS, 2), (QUEEN, 1)])
def test_what_others_hide_changes_nothing_here(
    game: str, seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seats, me, *_, steps = GAMES[game]
    random = Random(seed)
    secretly = 0
    with two_worlds(game, tmp_path, monkeypatch) as (first, second):
        for step in range(steps):
            awaited = first.awaited()
            assert awaited == second.awaited()
            if not awaited:
                break
            for seat in (one for one in seats if one != me):
                found = second.hidden(seat, random) if step % 3 == 0 and random.random() < 0.7 else None
                if found is not None:
                    secretly += second.act(seat, found)
            if step % 4 == 0:
                second.gossip([one for one in seats if one != me])
            seat = random.choice(awaited)
            theirs = second.choices(seat)
            common = [one for one in first.choices(seat) if one in theirs]
            if not common:
                break
            told = pick(random, common)
            assert first.act(seat, told) == second.act(seat, told)
            if step % 8 == 7 and first.live.info.status == PLAYING:  # once it is over anybody gets the whole record
                state = random.getstate()
                one = first.all_i_get(random)
                random.setstate(state)
                assert one == second.all_i_get(random)
        must_be_alike(first, second)
    assert secretly or game == ROME  # there next to nothing is secret but hands


BOTH_DO = (
    "OTT drafts agreement with FRA",
    'OTT writes: OTT promises FRA "galleys next year"',
    "OTT offers its draft",
    "ENG drafts agreement with SPA",
    "OTT signs agreement of SPA with FRA",
    "OTT withdraws agreement of FRA with SPA",
    "HRE has done negotiating",
    "FRA signs agreement of OTT with FRA",
    "OTT drafts agreement with SPA, FRA",
)
"""What is done in both worlds; some of it is refused, since it is not for the Ottomans to sign what is not theirs."""

ONE_DOES = (
    "SPA drafts agreement with FRA",
    "SPA writes: {term}",
    "SPA offers its draft",
    "FRA amends agreement of SPA with FRA",
    'FRA writes: FRA promises SPA "quiet"',
    "FRA offers its draft",
    "SPA signs agreement of FRA with SPA",
)


@pytest.mark.parametrize(
    ("term", "comes_to_light"), [("SPA allies with FRA", True), ('SPA promises FRA "no war"', False)]
)
def test_what_two_powers_sign_shows_to_nobody_before_it_is_announced(
    term: str, comes_to_light: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = Random(5)
    with two_worlds(QUEEN, tmp_path, monkeypatch) as (first, second):

        def alike() -> bool:
            state = random.getstate()
            found = first.all_i_get(random)
            random.setstate(state)
            return found == second.all_i_get(random)

        for step, line in enumerate(BOTH_DO):
            if step < len(ONE_DOES):
                assert second.give(ONE_DOES[step][:3], ONE_DOES[step].format(term=term))
            second.gossip(["SPA", "FRA"])
            assert first.give(line[:3], line) == second.give(line[:3], line)
            assert step % 2 or alike()
        assert first.give("OTT", "", "undo") == second.give("OTT", "", "undo")
        assert alike()
        must_be_alike(first, second)
        signed = [[one.status for one in world.live.state.offers].count("signed") for world in (first, second)]
        assert signed == [1, 2]
        for seat in first.awaited():
            for world in (first, second):
                assert world.give(seat, f"{seat} has done negotiating")
        assert alike() != comes_to_light
        if not comes_to_light:
            must_be_alike(first, second)
