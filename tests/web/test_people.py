"""People and seats: passwords and sessions, invitations by link, handing over, substitutes, leaving and coming back."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from foedus.table.people import SESSION_DAYS
from web.harness import CARAVANS, Clock, Follower, Player, Server, play, seated

DAY = 86_400.0


def made(server: Server, host: Player, **spec: Any) -> str:
    return str(host.ok("POST", "/api/tables", {"game": CARAVANS, **spec})["id"])


def invited(host: Player, table: str, **told: Any) -> str:
    found = host.ok("POST", f"/api/tables/{table}/invitations", told)
    assert found["link"].endswith(f"/join/{found['token']}")
    return str(found["token"])


def holder(player: Player, table: str, seat: str) -> dict[str, Any]:
    seats = player.ok("GET", f"/api/tables/{table}")["seats"]
    found: dict[str, Any] = next(one for one in seats if one["seat"] == seat)
    return found


def me(player: Player) -> Any:
    return player.ok("GET", "/api/session")["person"]


# people


def test_a_session_ends_by_itself(timed: Server, clock: Clock) -> None:
    anna = timed.person("Anna")
    assert me(anna)["name"] == "Anna"
    clock.now += SESSION_DAYS * DAY - 10
    assert me(anna)["name"] == "Anna"
    clock.now += 20
    assert me(anna) is None


def test_a_new_password_ends_the_other_sessions(server: Server) -> None:
    anna, phone = server.person("Anna"), server.person("Anna")
    told = {"old": "wrong horse", "new": "battery staple"}
    assert anna.refused(422, "PUT", "/api/me/password", told)["type"] == "wrong_password"
    assert anna.refused(422, "PUT", "/api/me/password", {"old": "correct horse", "new": "x"})["field"] == "password"
    anna.ok("PUT", "/api/me/password", {**told, "old": "correct horse"})
    assert me(anna)["name"] == "Anna"
    assert me(phone) is None
    again = server.stranger()
    again.refused(422, "POST", "/api/session", {"name": "Anna", "password": "correct horse"})
    again.sign_in("Anna", "battery staple")
    again.ok("DELETE", "/api/me/sessions")
    assert me(again) is None
    assert me(anna) is None


def test_passwords_are_not_guessed_for_long(timed: Server, clock: Clock) -> None:
    timed.person("Guessed")
    thief = timed.stranger()
    wrong = {"name": "guessed", "password": "let me in"}
    for _ in range(10):
        assert thief.refused(422, "POST", "/api/session", wrong)["type"] == "wrong_password"
    # not even the right one is looked at now; of other names nothing changes
    right = {"name": "Guessed", "password": "correct horse"}
    assert thief.refused(429, "POST", "/api/session", right)["type"] == "too_many_tries"
    timed.person("Boris")
    clock.now += 901
    thief.ok("POST", "/api/session", right)


def test_the_store_has_neither_passwords_nor_tokens(server: Server, tmp_path: Path) -> None:
    anna = server.person("Anna")
    token = invited(anna, made(server, anna), seat="SA")
    anna.ok("PUT", "/api/me", {"language": "ru"})
    assert me(anna)["language"] == "ru"
    stored = b"".join(one.read_bytes() for one in tmp_path.iterdir())
    assert b"$argon2id$" in stored
    for secret in ("correct horse", anna.client.cookies["foedus_session"], token):
        assert secret.encode() not in stored


# seats


def test_an_invitation_dies_when_it_is_used(timed: Server) -> None:
    anna, boris, clara = (timed.person(name) for name in ("Anna", "Boris", "Clara"))
    table = made(timed, anna, title="Salt road")
    token = invited(anna, table, seat="SB")
    boris.refused(404, "GET", f"/api/tables/{table}")
    seen = timed.stranger().ok("GET", f"/api/invitations/{token}")
    assert (seen["table"]["title"], seen["seat"], seen["by"], seen["open"]) == ("Salt road", "SB", "Anna", True)
    timed.stranger().refused(401, "POST", f"/api/invitations/{token}")
    boris.ok("POST", f"/api/invitations/{token}")
    assert holder(boris, table, "SB")["holder"] == "Boris"
    assert clara.refused(409, "POST", f"/api/invitations/{token}")["type"] == "invitation_over"
    assert not clara.ok("GET", f"/api/invitations/{token}")["open"]
    clara.refused(404, "POST", "/api/invitations/nonsense")
    clara.refused(404, "GET", f"/api/tables/{table}")


def test_of_two_who_follow_one_link_one_sits(servers: Server) -> None:
    anna = servers.person("Anna")
    table = made(servers, anna)
    anna.ok("POST", f"/api/tables/{table}/seats/SA")
    for what in ("seat", "substitute"):  # of a substitute only the link itself can be used up
        token = invited(anna, table, what=what, seat="SB" if what == "seat" else "SA")
        people = [servers.person(f"{what} {number}") for number in range(4)]
        with ThreadPoolExecutor(len(people)) as pool:
            answers = list(pool.map(Player.send, people, ["POST"] * 4, [f"/api/invitations/{token}"] * 4))
        statuses = [one.status_code for one in answers]
        assert sorted(statuses) == [200, 409, 409, 409]


def test_an_invitation_ends_with_its_days_or_when_it_is_revoked(timed: Server, clock: Clock) -> None:
    anna, boris = timed.person("Anna"), timed.person("Boris")
    table = made(timed, anna)
    path = f"/api/tables/{table}/invitations"
    old = invited(anna, table, seat="SA", valid=2)
    found = anna.ok("GET", path)["invitations"]
    assert [(one["seat"], one["what"]) for one in found] == [("SA", "seat")]
    clock.now += 2 * DAY + 1
    assert boris.refused(409, "POST", f"/api/invitations/{old}")["type"] == "invitation_over"
    assert anna.ok("GET", path)["invitations"] == []
    token = invited(anna, table, seat="SA")
    number = anna.ok("GET", path)["invitations"][0]["id"]
    anna.ok("DELETE", f"{path}/{number}")
    anna.refused(409, "DELETE", f"{path}/{number}")
    boris.refused(404, "POST", f"/api/invitations/{token}")
    for _ in range(40):
        invited(anna, table, seat="SA")
    assert anna.refused(409, "POST", path, {"seat": "SA"})["type"] == "too_many_invitations"


def test_a_seat_is_handed_over_with_all_that_is_its_own(timed: Server) -> None:
    anna, boris, clara = (timed.person(name) for name in ("Anna", "Boris", "Clara"))
    table = seated(timed, anna, {"SA": anna, "SB": boris, "LN": anna})
    play({"SA": anna, "SB": boris, "LN": anna}, table, 6)
    before = boris.lines(table, "SB")
    view = boris.ok("GET", f"/api/tables/{table}/view?seat=SB")
    with_link = invited(boris, table, seat="SB")
    clara.ok("POST", f"/api/invitations/{with_link}")
    boris.refused(404, "GET", f"/api/tables/{table}")  # he has nothing to do with it any more
    assert clara.lines(table, "SB")[: len(before)] == before
    now = clara.ok("GET", f"/api/tables/{table}/view?seat=SB")
    assert now["position"] == view["position"]
    play({"SA": anna, "SB": clara, "LN": anna}, table, 6, seed=2)


def test_a_seat_is_left_and_taken_again(servers: Server) -> None:
    anna, boris, clara = (servers.person(name) for name in ("Anna", "Boris", "Clara"))
    table = made(servers, anna)
    anna.ok("POST", f"/api/tables/{table}/seats/SA")
    boris.ok("POST", f"/api/invitations/{invited(anna, table, seat='SB')}")
    boris.ok("PUT", f"/api/tables/{table}/seats/SB/number", {"number": "77"})
    # nobody invites to the seat of another
    assert anna.refused(409, "POST", f"/api/tables/{table}/invitations", {"seat": "SB"})["type"] == "seat_taken"
    given = invited(boris, table, seat="SB")
    boris.ok("DELETE", f"/api/tables/{table}/seats/SB")
    boris.refused(404, "GET", f"/api/tables/{table}/view?seat=SB")
    assert clara.refused(409, "POST", f"/api/invitations/{given}")["type"] == "invitation_over"
    assert holder(anna, table, "SB") == {"seat": "SB", "holder": None, "substitute": None, "number": True}
    anna.refused(409, "DELETE", f"/api/tables/{table}/seats/SB")
    anna.ok("POST", f"/api/tables/{table}/begin")
    play({"SA": anna}, table, 1)
    lines = len(anna.lines(table, "SA"))
    clara.ok("POST", f"/api/invitations/{invited(anna, table, seat='SB')}")
    told = clara.lines(table, "SB")
    assert [line["how"] for line in told if line["what"] == "seat"] == ["taken", "taken", "vacated", "taken"]
    assert next(line for line in told if line["what"] == "begun")["numbers"]["SB"] == "77"
    assert len(anna.lines(table, "SA")) == lines + 1
    # the host makes it vacant again: he who sat there is out at once
    anna.ok("DELETE", f"/api/tables/{table}/seats/SB")
    clara.refused(404, "POST", f"/api/tables/{table}/commands", {"seat": "SB", "command": "x"})


def test_a_stream_ends_when_its_seat_is_left(timed: Server) -> None:
    anna, boris = timed.person("Anna"), timed.person("Boris")
    table = seated(timed, anna, {"SA": anna, "SB": boris})
    follower = Follower(boris, table, "SB")
    follower.count(1)
    boris.ok("DELETE", f"/api/tables/{table}/seats/SB")
    play({"SA": anna}, table, 1)
    follower._thread.join(5)
    assert not follower._thread.is_alive()
    follower.close()
    assert follower.lines[-1]["what"] != "seat"


def test_a_substitute_acts_for_some_days(timed: Server, clock: Clock) -> None:
    anna, boris = timed.person("Anna"), timed.person("Boris")
    table = seated(timed, anna, {"SA": anna, "SB": anna, "LN": anna}, settings={"spectators": False})
    path = f"/api/tables/{table}"
    told = {"seat": "SA", "command": "nonsense"}
    boris.ok("POST", f"/api/invitations/{invited(anna, table, what='substitute', seat='SA', days=3)}")
    assert holder(anna, table, "SA")["substitute"] == "Boris"
    assert boris.ok("GET", path)["playing"] == ["SA"]
    anna.refused(403, "POST", f"{path}/commands", told)
    anna.ok("GET", f"{path}/view?seat=SA")  # his seat he may look at
    boris.refused(422, "POST", f"{path}/commands", told)
    boris.refused(403, "GET", f"{path}/view?seat=SB")
    boris.refused(403, "POST", f"{path}/invitations", {"seat": "SA"})
    boris.refused(403, "DELETE", f"{path}/seats/SA")
    clock.now += 3 * DAY + 1
    boris.refused(404, "GET", path)
    anna.refused(422, "POST", f"{path}/commands", told)
    assert holder(anna, table, "SA")["substitute"] is None
    # he may step back himself, or be told to
    for who in (boris, anna):
        boris.ok("POST", f"/api/invitations/{invited(anna, table, what='substitute', seat='SA')}")
        clock.now += 300 * DAY  # nobody said for how long
        for player, name in ((anna, "Anna"), (boris, "Boris")):
            player.sign_in(name)
        boris.refused(422, "POST", f"{path}/commands", told)
        who.ok("DELETE", f"{path}/seats/SA/substitute")
        boris.refused(404, "GET", path)
    anna.refused(409, "DELETE", f"{path}/seats/SA/substitute")


def test_one_person_holds_two_seats(timed: Server) -> None:
    anna, boris = timed.person("Anna"), timed.person("Boris")
    table = made(timed, anna)
    for seat in ("SA", "SB"):
        boris.ok("POST", f"/api/invitations/{invited(anna, table, seat=seat)}")
    assert boris.ok("GET", f"/api/tables/{table}")["playing"] == ["SA", "SB"]
    token = invited(boris, table, seat="SA")
    assert boris.refused(409, "POST", f"/api/invitations/{token}")["type"] == "seat_yours"


def test_the_host_hands_the_table_over(timed: Server) -> None:
    anna, boris = timed.person("Anna"), timed.person("Boris")
    table = made(timed, anna)
    boris.ok("POST", f"/api/invitations/{invited(anna, table, what='host')}")
    assert boris.ok("GET", f"/api/tables/{table}")["hosting"]
    anna.refused(404, "GET", f"/api/tables/{table}")


def test_the_host_changes_how_the_table_is_run(timed: Server) -> None:
    anna, boris = timed.person("Anna"), timed.person("Boris")
    table = seated(timed, anna, {"SA": anna, "SB": boris})
    path = f"/api/tables/{table}"
    since = len(boris.lines(table, "SB"))
    boris.refused(403, "PATCH", path, {"title": "Mine"})
    timed.stranger().refused(404, "GET", f"{path}/view")
    anna.ok("PATCH", path, {"title": " Salt  road ", "spectators": True, "clocks": {"decision": 60}})
    assert boris.ok("GET", path)["title"] == "Salt road"
    timed.stranger().ok("GET", f"{path}/view")
    told = boris.lines(table, "SB", since)
    assert [(line["what"], line["title"], line["spectators"]) for line in told] == [("settings", "Salt road", True)]
    # how secret talks are limited is for all to settle
    assert anna.refused(409, "PATCH", path, {"talks": {"messages": 3}})["type"] == "needs_consent"
    for wrong in ({"title": " "}, {"clocks": {"decision": 0}}, {"corrections": "host"}):
        assert anna.send("PATCH", path, wrong).status_code in (400, 409)
    assert len(boris.lines(table, "SB", since)) == 1
