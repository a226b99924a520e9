"""A group plays The Sword of Rome on a real board; Foedus keeps the diplomacy of one turn, over HTTP.

    python examples/ledger_turn.py [ADDRESS]

Without an address a server is started for as long as the script runs. What is typed is ruled on at once; what the
rules do not allow is refused with the clause that decides, and nothing of it is written down.
"""

from __future__ import annotations

import sys
from typing import Any

from client import Client, server

TURN = (
    "set turn 3",
    "set vp ROM 6, ES 8, GRE 7, GAL 6, CAR 5",
    "set alliances GRE-CAR, ROM-ETR",
    "set Syracusae owner GRE",
    "set Syracusae loyalty 3",
    "set Tarentum owner GRE",
    "set Tarentum loyalty 2",
    "set active CAR",
    "? CAR hinders ships of GRE",
    "set active GRE",
    "GRE breaks CAR paying Syracusae 2, Tarentum 1",
    "? CAR hinders ships of GRE",
    "set phase alliances",
    "ROM lets ETR lapse",
    "who may fight whom",
    "ETR lets ROM lapse",
)


def keep(client: Client) -> str:
    """Keep the ledger; gives the id of the table."""
    made = client.post("/api/tables", {"game": "sword_of_rome", "kind": "ledger", "players": 5, "title": "Tuesday"})
    table: str = made["id"]
    client.post(f"/api/tables/{table}/seats/ROM")
    for line in TURN:
        said: dict[str, Any] = client.command(table, "ROM", line)
        print(f"> {line}\n{said['text']}\n")
    print(f"> undo, and once more\n{client.post(f'/api/tables/{table}/undo', {'seat': 'ROM'})}\n")
    client.command(table, "ROM", TURN[-1])
    for block in client.get(f"/api/tables/{table}/view?seat=ROM")["status"]:
        print("\n  ".join([block["heading"], *block["lines"]]))
    return table


def main() -> None:
    """Keep a ledger at the server and save its record."""
    with server(sys.argv[1] if len(sys.argv) > 1 else None) as address:
        client = Client(address, "Anna")
        table = keep(client)
        record = client.send("GET", f"/api/tables/{table}/record?seat=ROM").decode()
        print(f"\n{len(record.splitlines())} lines of record; the first batch:\n{record.splitlines()[1][:200]}")


if __name__ == "__main__":
    main()
