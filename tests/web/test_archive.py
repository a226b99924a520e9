"""Backups, and records that leave a table: on SQLite, on PostgreSQL, and from one to the other."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import NamedTuple

import pytest

from foedus.cli.main import run
from foedus.kernel import record
from foedus.kernel.game import find_game
from foedus.table.store.backup import backup, restore
from foedus.table.store.engine import StoreError, store_url
from foedus.table.store.upgrade import upgrade
from web.conftest import new_database
from web.harness import CARAVANS, Server, play, seated, serving

SEATS = ("SA", "SB", "LN")


def test_a_backup_is_restored_there_and_elsewhere(db: str, postgres: str, tmp_path: Path) -> None:
    """A game goes on after its server was moved from one kind of database to the other."""
    file = tmp_path / "backup.gz"
    other = new_database(postgres) if "://" not in db else str(tmp_path / "other.db")
    with serving(db) as server:
        players = {seat: server.person(f"Player {seat}") for seat in SEATS}
        table = seated(server, players["SA"], players)
        play(players, table, 8)
        lines = {seat: players[seat].lines(table, seat) for seat in SEATS}
        views = {seat: players[seat].ok("GET", f"/api/tables/{table}/view?seat={seat}") for seat in SEATS}
        rows = backup(store_url(db), file)
        assert rows > 30
        assert file.stat().st_mode & 0o077 == 0
        secret = server.do(server.site.tables.open(table)).secret
    upgrade(store_url(other))
    assert restore(store_url(other), file) == rows
    with serving(other) as server:
        again = {seat: server.person(f"Player {seat}") for seat in SEATS}
        for seat in SEATS:
            assert again[seat].lines(table, seat) == lines[seat]
            assert again[seat].ok("GET", f"/api/tables/{table}/view?seat={seat}") == views[seat]
        assert server.do(server.site.tables.open(table)).secret == secret
        play(again, table, 5, seed=2)
        again["SB"].ok("POST", "/api/tables", {"game": CARAVANS})  # new rows are numbered after the old ones
        server.person("Newcomer")
    with pytest.raises(StoreError, match="not empty"):
        restore(store_url(other), file)


def test_a_backup_that_is_not_whole_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "foedus.db"
    with serving(path) as server:
        server.person("Anna")
    file = tmp_path / "backup.gz"
    backup(store_url(str(path)), file)
    text = gzip.decompress(file.read_bytes())
    lines = text.splitlines(keepends=True)
    faults = {
        "short": b"".join(lines[:-1]),
        "gap": b"".join(lines[:1] + lines[2:]),
        "other": b'{"something": "else"}\n',
        "newer": lines[0].replace(b"0001", b"9999") + b"".join(lines[1:]),
    }
    for name, content in faults.items():
        wrong = tmp_path / f"{name}.gz"
        wrong.write_bytes(gzip.compress(content))
        url = store_url(str(tmp_path / f"{name}.db"))
        upgrade(url)
        with pytest.raises(StoreError):
            restore(url, wrong)
        upgrade(url)
        assert restore(url, file) > 0  # nothing of the broken one was kept


def test_what_a_viewer_exports_is_what_he_may_know(servers: Server) -> None:
    """A viewer's record is a record: replayed, it gives the viewer's view; and the secret of the dice is in none."""
    players = {seat: servers.person(f"Player {seat}") for seat in SEATS}
    table = seated(servers, players["SA"], players, settings={"spectators": True})
    play(players, table, 14)
    live = servers.do(servers.site.tables.open(table))
    last = live.journal.entries[-1]
    if last.command is not None:
        players[live.journal.seat_name(last.seat)].send(
            "POST", f"/api/tables/{table}/undo", {"seat": live.journal.seat_name(last.seat)}
        )
    live = servers.do(servers.site.tables.open(table))
    for viewer in (*SEATS, "-"):
        player = players.get(viewer, players["SA"])
        text = player.send("GET", f"/api/tables/{table}/record?seat={viewer}").text
        assert live.secret.hex() not in text
        referee, state = record.replay(find_game(CARAVANS), record.read_record(text.splitlines()))
        view = live.view("" if viewer == "-" else viewer)
        assert referee.codec.encode(state) == referee.codec.encode(view)


class Said(NamedTuple):
    """What a command of the terminal said."""

    returncode: int
    stdout: str
    stderr: str


def test_the_commands_of_whoever_runs_the_server(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def foedus(*words: str) -> Said:
        with pytest.raises(SystemExit) as end:
            run(list(words))
        return Said(int(end.value.code or 0), *capsys.readouterr())

    path, file = str(tmp_path / "foedus.db"), str(tmp_path / "record.jsonl")
    assert foedus("db", "upgrade", "--db", path).stdout == "empty -> 0001\n"
    with serving(path) as server:
        anna = server.person("Anna")
        made = anna.ok("POST", "/api/tables", {"game": "sword_of_rome", "kind": "ledger", "players": 4})
        anna.ok("POST", f"/api/tables/{made['id']}/seats/ROM")
        anna.ok("POST", f"/api/tables/{made['id']}/commands", {"seat": "ROM", "command": "set turn 3"})
    shown = foedus("export", made["id"], "--db", path)
    assert len(shown.stdout.splitlines()) == 2
    Path(file).write_text(shown.stdout, encoding="utf-8")
    assert foedus("replay", file).returncode == 0
    imported = foedus("import", file, "--title", "Again", "--watch", "--db", path).stdout.strip()
    with serving(path) as server:
        told = server.stranger().ok("GET", f"/api/tables/{imported}")
        assert (told["title"], told["kind"], told["status"], told["host"]) == ("Again", "ledger", "playing", None)
    for words in (
        ("export", "nothing", "--db", path),
        ("import", str(tmp_path / "nothing"), "--db", path),
        ("backup", str(tmp_path / "no" / "where.gz"), "--db", path),
        ("restore", file, "--db", str(tmp_path / "new.db")),
        ("serve", "--db", path, "--workers", "2"),
        ("serve", "--db", "mysql://x/y"),
    ):
        found = foedus(*words)
        assert found.returncode == 2, words
        assert found.stderr.startswith("foedus: "), words
        assert "Traceback" not in found.stderr
