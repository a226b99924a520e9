"""Several workers on one PostgreSQL serve one table: one history, and everybody hears of everything."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack
from random import Random
from typing import Any

import pytest

from foedus.table.live import TableState
from foedus.table.store.engine import Store, StoreError, store_url
from foedus.table.store.schema import metadata
from foedus.table.store.upgrade import config, upgrade
from web.conftest import new_database
from web.harness import Follower, Player, Server, play, seated, serving

SEATS = ("SA", "SB", "LN")


@pytest.fixture
def pair(postgres: str) -> Iterator[tuple[Server, Server]]:
    """Two servers on one database, as two workers are."""
    address = new_database(postgres)
    with ExitStack() as stack:
        first = stack.enter_context(serving(address))
        yield first, stack.enter_context(serving(address))


def twin(player: Player, other: Server) -> Player:
    """The same person at the other server."""
    found = other.stranger()
    found.client.cookies.update(player.client.cookies)
    return found


def test_one_table_on_two_workers(pair: tuple[Server, Server]) -> None:
    first, second = pair
    players = {seat: first.person(f"Player {seat}") for seat in SEATS}
    table = seated(first, players["SA"], players)
    others = {seat: second.person(f"Player {seat}") for seat in SEATS}
    streams = [Follower(one, table, "SA") for one in (players["SA"], others["SA"])]
    random = Random(5)
    for _ in range(16):
        play(random.choice((players, others)), table, 1, seed=random.randrange(1000))
    here, there = players["SA"].lines(table, "SA"), others["SA"].lines(table, "SA")
    assert here == there
    for stream in streams:
        assert stream.count(len(here)) == here
        stream.close()
    assert (
        first.do(first.site.tables.open(table)).journal.state.turn
        == second.do(second.site.tables.open(table)).journal.state.turn
    )


def test_commands_that_come_at_once_are_one_history(pair: tuple[Server, Server]) -> None:
    """Many write the same ledger through both workers at the same time: every line is there once, in one order."""
    first, second = pair
    anna = first.person("Anna")
    made = anna.ok("POST", "/api/tables", {"game": "sword_of_rome", "kind": "ledger", "players": 4})
    table = made["id"]
    anna.ok("POST", f"/api/tables/{table}/seats/ROM")
    failed: list[str] = []

    def typing(number: int) -> None:
        player = (first if number % 2 else second).person("Anna")
        for turn in range(6):
            line = f"set turn {1 + (number + turn) % 9}"
            told: dict[str, Any] = {"seat": "ROM", "command": line}
            answer = player.send(
                "POST", f"/api/tables/{table}/commands", told, **{"Idempotency-Key": f"{number} {turn}"}
            )
            if not answer.is_success:
                failed.append(answer.text)

    threads = [threading.Thread(target=typing, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not failed
    here = anna.lines(table, "ROM")
    assert [line["n"] for line in here] == list(range(1, len(here) + 1))
    assert here == second.person("Anna").lines(table, "ROM")
    record = anna.send("GET", f"/api/tables/{table}/record").text.splitlines()
    again = anna.ok("POST", "/api/tables/import", {"record": "\n".join(record)})
    assert again["status"] == "playing"


def test_one_key_at_both_workers_is_done_once(pair: tuple[Server, Server]) -> None:
    first, second = pair
    anna, same = first.person("Anna"), second.person("Anna")
    made = anna.ok("POST", "/api/tables", {"game": "sword_of_rome", "kind": "ledger", "players": 4})
    table = made["id"]
    anna.ok("POST", f"/api/tables/{table}/seats/ROM")
    for number in range(5):
        told = {"seat": "ROM", "command": f"set vp ROM {number + 1}"}
        answers: list[dict[str, Any]] = []

        def send(player: Player, told: dict[str, Any], key: str, found: list[dict[str, Any]]) -> None:
            found.append(player.ok("POST", f"/api/tables/{table}/commands", told, **{"Idempotency-Key": key}))

        key = f"k{number}"
        threads = [threading.Thread(target=send, args=(player, told, key, answers)) for player in (anna, same)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
        assert answers[0] == answers[1]
    assert sum(line["what"] == "events" for line in anna.lines(table, "ROM")) == 5


def test_the_migrations_give_the_tables_as_they_are(db: str) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    from foedus.table.store.engine import sync_engine

    url = store_url(db)
    assert upgrade(url) == (None, "0001")
    assert upgrade(url) == ("0001", "0001")
    engine = sync_engine(url)
    with engine.connect() as connection:
        assert config(connection)
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
    engine.dispose()


def test_an_address_that_is_none_is_named() -> None:
    for address in ("mysql://localhost/foedus", "sqlite://", "nonsense://x"):
        with pytest.raises(StoreError):
            Store(store_url(address))


def test_a_table_opens_alike_however_long_it_is(tmp_path: Any) -> None:
    """What is read to open a table does not grow with its record."""
    with serving(tmp_path / "foedus.db") as server:
        anna = server.person("Anna")
        made = anna.ok("POST", "/api/tables", {"game": "sword_of_rome", "kind": "ledger", "players": 4})
        table = made["id"]

        async def note(count: int) -> None:
            live = await server.site.tables.open(table)
            for _ in range(count):
                await live.do(lambda draft: draft.playing.note(draft.state, (), line="nothing"))

        read = []
        for _ in range(3):
            server.do(note(150))
            server.site.tables._open.clear()
            live = server.do(server.site.tables.open(table))
            read.append(len(live.journal.entries))
        assert max(read) <= 64 + 16
        assert live.journal.number == 451
        server.do(live.deepen())
        assert len(live.journal.entries) == 450
        with pytest.raises(TableState):
            live.seat_index("nobody")
