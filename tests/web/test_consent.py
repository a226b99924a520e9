"""Taking back, correcting, settling anew, ending: alone where that is harmless, else by consent or by the host."""

from __future__ import annotations

from typing import Any

from foedus.kernel.audit import audit
from foedus.kernel.game import find_game
from web.harness import CARAVANS, Follower, Player, Server, play, seated, sit

ROME = "sword_of_rome"
SEATS = ("SA", "SB", "LN")


def begun(server: Server, **settings: Any) -> tuple[str, dict[str, Player]]:
    players = {seat: server.person(f"Player {seat}") for seat in SEATS}
    return seated(server, players["SA"], players, CARAVANS, settings=settings), players


def awaited(player: Player, table: str) -> str:
    seat: str = player.ok("GET", f"/api/tables/{table}/view")["awaiting"][0]["seat"]
    return seat


def choose(player: Player, table: str, seat: str, do: str) -> dict[str, Any]:
    found = player.ok("GET", f"/api/tables/{table}/choices?seat={seat}&most=500")["choices"]
    command: dict[str, Any] = next(one["command"] for one in found if one["command"]["do"] == do)
    return command


def act(player: Player, table: str, seat: str, command: Any) -> dict[str, Any]:
    found: dict[str, Any] = player.ok("POST", f"/api/tables/{table}/commands", {"seat": seat, "command": command})
    return found


def position(player: Player, table: str, seat: str) -> Any:
    return player.ok("GET", f"/api/tables/{table}/view?seat={seat}")["position"]


def test_ones_own_last_command_is_taken_back_alone(servers: Server) -> None:
    table, players = begun(servers)
    seat = awaited(players["SA"], table)
    player = players[seat]
    before = {one: position(players[one], table, one) for one in SEATS}
    offer = choose(player, table, seat, "Propose")
    counts = {one: len(players[one].lines(table, one)) for one in SEATS}
    act(player, table, seat, offer)
    knew = {one: len(players[one].lines(table, one)) > counts[one] for one in SEATS}
    assert knew[seat]
    assert not all(knew.values())  # an offer is a secret of two
    player.ok("POST", f"/api/tables/{table}/undo", {"seat": seat})
    assert {one: position(players[one], table, one) for one in SEATS} == before
    for one in SEATS:
        lines = players[one].lines(table, one)[counts[one] :]
        # who never knew of it does not hear that it was taken back
        assert [line["events"][0]["do"] for line in lines] == (["Offered", "Corrected"] if knew[one] else [])
        if knew[one]:
            assert lines[1]["events"][0]["dropped"] == [lines[0]["n"]]
    assert player.refused(409, "POST", f"/api/tables/{table}/undo", {"seat": seat})["type"] == "nothing_to_undo"


def test_what_others_did_in_secret_stays_and_is_not_told(servers: Server) -> None:
    """A takes back what it did before B did something in secret: A is not told that there was something."""
    table, players = begun(servers)
    first = awaited(players["SA"], table)
    player = players[first]
    others = [one for one in SEATS if one != first]
    found = player.ok("GET", f"/api/tables/{table}/choices?seat={first}&most=500")["choices"]
    offers = [one["command"] for one in found if one["command"]["do"] == "Propose"]
    by_power = {"AMB": "SA", "BIR": "SB", "LAK": "LN", "NOM": "LN"}
    to_one = next(one for one in offers if by_power[one["to"]] == others[0])
    to_two = next(one for one in offers if by_power[one["to"]] == others[1])
    act(player, table, first, to_two)
    act(player, table, first, to_one)
    # the other declines in secret from the third; the first knows of that, so it cannot be undone alone
    decline = choose(players[others[0]], table, others[0], "Decline")
    act(players[others[0]], table, others[0], decline)
    problem = player.refused(409, "POST", f"/api/tables/{table}/undo", {"seat": first})
    assert problem["type"] == "needs_consent"
    # but the third, who knows of none of that, sees nothing of it
    third = players[others[1]]
    offered = [line for line in third.lines(table, others[1]) if line.get("events", [{}])[0].get("do") == "Offered"]
    assert len(offered) == 1
    accept = choose(third, table, others[1], "Decline")
    act(third, table, others[1], accept)
    # the second takes back its answer, out of the midst: what the third did stays
    players[others[0]].ok("POST", f"/api/tables/{table}/undo", {"seat": others[0]})
    offers_now = [tuple(sorted(one.items())) for one in position(player, table, first)["offers"]]
    assert len(offers_now) == 1
    record = servers.do(servers.site.tables.open(table))
    servers.site.tables._open.clear()
    again = servers.do(servers.site.tables.open(table))
    assert again.state == record.state
    assert [entry.number for entry in again.journal.entries] == [entry.number for entry in record.journal.entries]


def test_what_was_rolled_needs_the_consent_of_all(servers: Server) -> None:
    table, players = begun(servers)
    host = players["SA"]
    play(players, table, 12)
    lines = host.lines(table, "SA")
    path = f"/api/tables/{table}/proposals"
    back_to = lines[len(lines) // 2]["n"]
    draws = servers.do(servers.site.tables.open(table)).journal.draws
    proposed = host.ok("POST", path, {"what": "undo", "seat": "SA", "line": back_to})
    assert proposed["status"] == "open"
    told = players["SB"].lines(table, "SB")[-1]
    assert (told["what"], told["by"], told["proposal"]) == ("proposal", "SA", "undo")
    number = proposed["id"]
    assert players["SB"].ok("POST", f"{path}/{number}", {"yes": True, "seat": "SB"})["status"] == "open"
    done = players["LN"].ok("POST", f"{path}/{number}", {"yes": True, "seat": "LN"})
    assert done["status"] == "done"
    for seat in SEATS:
        ends = players[seat].lines(table, seat)[-3:]
        assert [line["what"] for line in ends][-1] == "proposal_closed"
    live = servers.do(servers.site.tables.open(table))
    assert live.journal.draws == draws  # the counter of the dice never goes back
    play(players, table, 5, seed=3)
    assert host.refused(409, "POST", f"{path}/{number}", {"yes": True, "seat": "SA"})["type"] == "no_such_proposal"
    host.ok("POST", path, {"what": "end", "seat": "SA"})
    players["SB"].ok("POST", f"{path}/2", {"yes": True, "seat": "SB"})
    assert players["LN"].ok("POST", f"{path}/2", {"yes": True, "seat": "LN"})["status"] == "done"
    found = audit(host.send("GET", f"/api/tables/{table}/record").text.splitlines(), find_game)
    assert not found.faults
    assert found.published


def test_one_refusal_is_enough(server: Server) -> None:
    table, players = begun(server)
    path = f"/api/tables/{table}/proposals"
    stream = Follower(players["LN"], table, "LN")
    made = players["SA"].ok("POST", path, {"what": "end", "seat": "SA"})
    assert players["SB"].ok("POST", f"{path}/{made['id']}", {"yes": False, "seat": "SB"})["status"] == "refused"
    told = stream.until(lambda lines: bool(lines) and lines[-1]["what"] == "proposal_closed")
    assert [line["what"] for line in told[-3:]] == ["proposal", "vote", "proposal_closed"]
    assert players["SA"].ok("GET", f"/api/tables/{table}")["status"] == "playing"
    stream.close()


def test_corrections_of_a_full_game(server: Server) -> None:
    """An overruling of the referee, and a ruling settled anew, by consent; by the host where the table said so."""
    anna, boris = server.person("Anna"), server.person("Boris")
    people = {"ROM": anna, "GAL": boris, "GRE": boris, "ES": boris}
    for settings, asks in (({}, True), ({"corrections": "host", "rulings": "host"}, False)):
        table = seated(server, anna, people, ROME, players=2, settings=settings)
        path = f"/api/tables/{table}/proposals"
        for what, text in (("correct", "vp ROM 9"), ("ruling", "half_ally ignored")):
            made = anna.ok("POST", path, {"what": what, "text": text, "seat": "ROM"})
            if asks:
                assert made["status"] == "open"
                made = boris.ok("POST", f"{path}/{made['id']}", {"yes": True, "seat": "GAL"})
            assert made["status"] == "done"
        assert position(anna, table, "ROM")["vp"][0] == 9
        said = [line for line in boris.lines(table, "GAL") if line["what"] == "events"][-2:]
        assert [line["line"] for line in said] == ["set vp ROM 9", "ruling half_ally ignored"]
        wrong = anna.refused(422, "POST", path, {"what": "correct", "text": "vp XXX 9", "seat": "ROM"})
        assert wrong["type"] == "ledger"
        if not asks:
            refused = boris.refused(409, "POST", path, {"what": "correct", "text": "vp ROM 3", "seat": "GAL"})
            assert refused["type"] == "host_decides"


def test_a_ledger_is_kept(servers: Server) -> None:
    anna, boris = servers.person("Anna"), servers.person("Boris")
    made = anna.ok("POST", "/api/tables", {"game": ROME, "kind": "ledger", "players": 4})
    table, path = made["id"], f"/api/tables/{made['id']}/commands"
    assert made["status"] == "playing"
    sit(servers, anna, table, "ROM")
    sit(servers, boris, table, "GRE")

    def typed(player: Player, seat: str, line: str) -> dict[str, Any]:
        found: dict[str, Any] = player.ok("POST", path, {"seat": seat, "command": line})
        return found

    for line in ("set turn 2", "set round 4", "set vp ROM 6, GRE 7, GAL 6", "set alliances GRE-ETR", "set active GRE"):
        assert typed(anna, "ROM", line)["done"]
    asked = typed(boris, "GRE", "? GRE breaks ETR")
    assert not asked["done"]
    assert asked["text"]
    for line in (
        "set Syracusae owner GRE",
        "set Syracusae loyalty 3",
        "set Tarentum owner GRE",
        "set Tarentum loyalty 2",
    ):
        typed(boris, "GRE", line)
    assert typed(boris, "GRE", "GRE breaks ETR paying Syracusae 2, Tarentum 1")["done"]
    servers.site.tables._open.clear()
    lines = anna.lines(table, "ROM")
    assert lines[-1]["line"] == "GRE breaks ETR paying Syracusae 2, Tarentum 1"
    assert [line["n"] for line in lines] == list(range(1, len(lines) + 1))
    anna.ok("POST", f"/api/tables/{table}/undo", {"seat": "ROM"})
    assert not typed(anna, "ROM", "who may fight whom")["done"]
    assert anna.refused(422, "POST", path, {"seat": "ROM", "command": "set vp XXX 4"})["type"] == "ledger"
    assert anna.refused(422, "POST", path, {"seat": "ROM", "command": "dice 7x"})["type"] == "ledger"
    again = boris.ok("POST", "/api/tables/import", {"record": servers_record(servers, table)})
    assert (again["kind"], again["status"]) == ("ledger", "playing")
    sit(servers, boris, again["id"], "GRE")
    assert boris.ok("POST", f"/api/tables/{again['id']}/commands", {"seat": "GRE", "command": "set turn 3"})["done"]


def servers_record(server: Server, table: str) -> str:
    from foedus.table.archive import whole

    async def work() -> list[str]:
        return await whole(await server.site.tables.open(table))

    return "\n".join(server.do(work()))


def test_told_dice_wait_across_a_restart(servers: Server) -> None:
    anna = servers.person("Anna")
    made = anna.ok("POST", "/api/tables", {"game": ROME, "kind": "ledger", "players": 4})
    table = made["id"]
    sit(servers, anna, table, "ROM")
    path = f"/api/tables/{table}/commands"
    anna.ok("POST", path, {"seat": "ROM", "command": "dice 6 4"})
    servers.site.tables._open.clear()
    live = servers.do(servers.site.tables.open(table))
    assert live.beside["told"]["dice"] == [6, 4]
    anna.ok("POST", path, {"seat": "ROM", "command": "forget"})
    assert "told" not in servers.do(servers.site.tables.open(table)).beside
