"""The report of a turn, to paste elsewhere."""

from __future__ import annotations

from web.harness import Server
from web.test_notices import begun
from web.test_talks import ROMANS, ROME, Round, rest


def test_a_report_tells_what_a_viewer_knows(timed: Server) -> None:
    table = Round(timed, ROME, ROMANS, players=4, title="Rome [386]")
    seat = begun(table)
    table.say("ROM", table.open("ROM", "GAL"), "psst")
    path = f"{table.path}/report"
    text = timed.stranger().send("GET", path)
    assert text.headers["content-type"] == "text/plain; charset=utf-8"
    assert text.text.startswith("Rome [386]\n")
    assert "What has happened\n" in text.text
    assert "psst" not in table.players["ROM"].send("GET", f"{path}?seat=ROM").text
    coded = timed.stranger().send("GET", f"{path}?form=bbcode&lang=ru").text
    assert coded.startswith("[b]Rome (386)[/b]")
    assert "[b]Что произошло[/b]\n[list]\n[*]" in coded
    assert coded.count("[list]") == coded.count("[/list]")
    # an offer is known to two alone
    found = table.players[seat].ok("GET", f"{table.path}/choices?seat={seat}&most=500")["choices"]
    offer = next(one["command"] for one in found if one["command"]["do"] == "ProposeAlliance")
    before = {one: table.players[one].send("GET", f"{path}?seat={one}").text for one in ROMANS}
    table.players[seat].ok("POST", f"{table.path}/commands", {"seat": seat, "command": offer})
    after = {one: table.players[one].send("GET", f"{path}?seat={one}").text for one in ROMANS}
    assert {one for one in ROMANS if before[one] != after[one]} == {seat, seat_of(offer["to"])}
    assert timed.stranger().send("GET", path).text == text.text
    timed.stranger().refused(400, "GET", f"{path}?form=html")


def seat_of(power: str) -> str:
    return "ES" if power in ("ETR", "SAM") else power


def test_a_turn_begins_where_its_first_line_stands(timed: Server) -> None:
    table = Round(timed)
    path = f"{table.path}/report?seat=-"

    def told() -> int:
        return len(table.players["SA"].send("GET", path).text.splitlines())

    found = []
    for _ in range(4):
        rest(table)
        found.append(told())
    assert len(set(found[1:])) == 1  # only the lines that began this turn, however many came before
    last = table.players["SA"].send("GET", f"{path}&turn=last").text
    assert last.splitlines() != table.players["SA"].send("GET", path).text.splitlines()
