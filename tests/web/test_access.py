"""Authorisation as a matrix: every endpoint of the API by everybody there is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from msgspec.structs import replace

from web.harness import Player, Server, seated, serving

ROLES: Final = ("stranger", "unrelated", "other", "holder", "substitute", "host")
MEMBERS: Final = {"other", "holder", "substitute", "host"}

# operation: (what it needs, method, path, body). Needs: "all" anybody, "signed" anybody signed in, "know" and "watch"
# of the table ("known": and signed in), "look", "play", "keep" and "step back" with the seat SA, "host"; "link" and
# "signed link": a link that opens nothing.
OPERATIONS: Final[dict[str, tuple[str, str, str, Any]]] = {
    "health": ("all", "GET", "/api/health", None),
    "sign_up": ("all", "POST", "/api/people", {"name": "", "password": "x"}),
    "sign_in": ("all", "POST", "/api/session", {"name": "x"}),
    "who_am_i": ("all", "GET", "/api/session", None),
    "sign_out": ("all", "DELETE", "/api/session", None),
    "list_games": ("all", "GET", "/api/games", None),
    "ask_desk": ("all", "POST", "/api/desk", {"game": "sword_of_rome", "lines": ["who may fight whom"]}),
    "make_table": ("signed", "POST", "/api/tables", {"game": "caravans", "players": 77}),
    "import_record": ("signed", "POST", "/api/tables/import", {"record": "nonsense"}),
    "list_tables": ("signed", "GET", "/api/tables", None),
    "see_table": ("know", "GET", "/api/tables/TABLE", None),
    "begin_game": ("host", "POST", "/api/tables/TABLE/begin", None),
    "take_seat": ("host", "POST", "/api/tables/TABLE/seats/SA", None),
    "give_number": ("play", "PUT", "/api/tables/TABLE/seats/SA/number", {"number": "1"}),
    "command": ("play", "POST", "/api/tables/TABLE/commands", {"seat": "SA", "command": "nonsense"}),
    "undo": ("play", "POST", "/api/tables/TABLE/undo", {"seat": "SA"}),
    "propose": ("play", "POST", "/api/tables/TABLE/proposals", {"seat": "SA", "what": "ruling", "text": "x y"}),
    "vote": ("play", "POST", "/api/tables/TABLE/proposals/99", {"seat": "SA", "yes": True}),
    "ask_at_table": ("look", "POST", "/api/tables/TABLE/ask", {"seat": "SA", "line": "nonsense"}),
    "view_table": ("look", "GET", "/api/tables/TABLE/view?seat=SA", None),
    "list_choices": ("look", "GET", "/api/tables/TABLE/choices?seat=SA", None),
    "list_lines": ("look", "GET", "/api/tables/TABLE/lines?seat=SA", None),
    "export_record": ("look", "GET", "/api/tables/TABLE/record?seat=SA", None),
    "follow_table": ("look", "GET", "/api/tables/TABLE/stream?seat=SA", None),
    "change_me": ("signed", "PUT", "/api/me", {"language": "en"}),
    "change_password": ("signed", "PUT", "/api/me/password", {"old": "x", "new": "correct horse"}),
    "sign_out_everywhere": ("signed", "DELETE", "/api/me/sessions", None),
    "see_notices": ("signed", "GET", "/api/me/notices", None),
    "change_notices": ("signed", "PUT", "/api/me/notices", {}),
    "try_notices": ("signed", "POST", "/api/me/notices/test", None),
    "change_table": ("host", "PATCH", "/api/tables/TABLE", {"title": "Salt road"}),
    "leave_seat": ("keep", "DELETE", "/api/tables/TABLE/seats/SA", None),
    "end_substitute": ("step back", "DELETE", "/api/tables/TABLE/seats/SA/substitute", None),
    "invite": ("keep", "POST", "/api/tables/TABLE/invitations", {"what": "substitute", "seat": "SA"}),
    "list_invitations": ("known", "GET", "/api/tables/TABLE/invitations", None),
    "revoke_invitation": ("known", "DELETE", "/api/tables/TABLE/invitations/0123456789abcdef", None),
    "see_invitation": ("link", "GET", "/api/invitations/nonsense", None),
    "accept_invitation": ("signed link", "POST", "/api/invitations/nonsense", None),
    "list_talks": ("look", "GET", "/api/tables/TABLE/talks?seat=SA", None),
    "open_talk": ("play", "POST", "/api/tables/TABLE/talks", {"seat": "SA", "others": ["SB"]}),
    "list_messages": ("look", "GET", "/api/tables/TABLE/talks/0?seat=SA", None),
    "say": ("play", "POST", "/api/tables/TABLE/talks/0", {"seat": "SA", "text": "Hear, hear!"}),
    "mark_read": ("play", "PUT", "/api/tables/TABLE/talks/0/read", {"seat": "SA", "number": 1}),
    "list_clocks": ("watch", "GET", "/api/tables/TABLE/clocks", None),
    "decide_clock": ("host", "POST", "/api/tables/TABLE/clocks", {"clock": "phase", "do": "pass"}),
    "report_turn": ("look", "GET", "/api/tables/TABLE/report?seat=SA", None),
    "see_standing": ("look", "GET", "/api/tables/TABLE/seats/SA/standing", None),
    "set_standing": ("play", "PUT", "/api/tables/TABLE/seats/SA/standing", {"lines": ["pass"]}),
}
WATCHING: Final = ("view", "choices", "lines", "record", "stream", "talks", "talks/0")


@pytest.fixture(scope="module")
def around(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, dict[str, Player], dict[str, str]]]:
    """A server, somebody in each role, and the ids of a closed table and one that anybody may watch."""
    with pytest.MonkeyPatch.context() as patch:
        from web.harness import quick_passwords, with_caravans

        quick_passwords(patch)
        with_caravans(patch)
        folder: Path = tmp_path_factory.mktemp("access")
        with serving(folder / "foedus.db") as server:
            people = {role: server.person(role) for role in ROLES if role != "stranger"}
            people["stranger"] = server.stranger()
            tables = {}
            for kind in ("closed", "open"):
                sitting = {"SA": people["holder"], "SB": people["other"]}
                table = seated(server, people["host"], sitting, settings={"spectators": kind == "open"})
                tables[kind] = table
                person = people["substitute"].ok("GET", "/api/session")["person"]["id"]

                holder = people["holder"].ok("GET", "/api/session")["person"]["id"]
                sit_again(server, table, holder, person)
            yield server, people, tables


def sit_again(server: Server, table: str, holder: int, substitute: int) -> None:
    """The seat SA as it is at the beginning, whatever was done to it."""

    async def work() -> None:
        live = await server.site.tables.open(table)
        await live.do(lambda draft: draft.sit(replace(draft.seats["SA"], holder=holder, substitute=substitute)))

    server.do(work())


def expected(need: str, role: str, kind: str) -> int:
    """The status with which somebody is turned away; 0: he is not."""
    if need in ("all", "signed"):
        return 401 if need == "signed" and role == "stranger" else 0
    if need in ("link", "signed link"):
        return 401 if need == "signed link" and role == "stranger" else 404
    if kind == "closed" and role not in MEMBERS:
        return 404
    if need in ("know", "watch"):
        return 0
    if need == "known":
        return 401 if role == "stranger" else 0
    may = {
        "look": {"holder", "substitute"},
        "play": {"substitute"},
        "keep": {"holder", "host"},
        "step back": {"holder", "substitute", "host"},
        "host": {"host"},
    }[need]
    if role in may:
        return 0
    return 401 if role == "stranger" and need != "host" else 403


def status(player: Player, method: str, path: str, body: Any) -> int:
    with player.client.stream(
        method, path, json=body, headers={"x-csrftoken": player.client.cookies.get("csrftoken") or ""}
    ) as answer:
        return answer.status_code


def test_every_operation_is_in_the_matrix(around: tuple[Server, dict[str, Player], dict[str, str]]) -> None:
    schema = around[1]["stranger"].ok("GET", "/api/schema/openapi.json")
    found = {one["operationId"] for path in schema["paths"].values() for one in path.values()}
    assert found - {"metrics"} == set(OPERATIONS)


@pytest.mark.parametrize("operation", sorted(OPERATIONS))
def test_who_may_do_what(operation: str, around: tuple[Server, dict[str, Player], dict[str, str]]) -> None:
    server, people, tables = around
    need, method, path, body = OPERATIONS[operation]
    holder, substitute = (people[one].ok("GET", "/api/session")["person"]["id"] for one in ("holder", "substitute"))
    for kind, table in tables.items():
        for role in ROLES:
            player = people[role]
            if operation in ("sign_out", "sign_out_everywhere"):
                player = server.stranger() if role == "stranger" else server.person("Passing by")
            found = status(player, method, path.replace("TABLE", table), body)
            turned_away = found if found in (401, 403, 404) else 0
            assert turned_away == expected(need, role, kind), f"{operation} by {role} at the {kind} table: {found}"
            assert found < 500
            if need in ("keep", "step back") and not turned_away:
                sit_again(server, table, holder, substitute)


@pytest.mark.parametrize("what", WATCHING)
def test_who_may_watch(what: str, around: tuple[Server, dict[str, Player], dict[str, str]]) -> None:
    _, people, tables = around
    for kind, table in tables.items():
        for role in ROLES:
            found = status(people[role], "GET", f"/api/tables/{table}/{what}?seat=-", None)
            assert found == (expected("watch", role, kind) or 200), f"{what} by {role} at the {kind} table"


def test_a_write_needs_the_token(around: tuple[Server, dict[str, Player], dict[str, str]]) -> None:
    """Another site cannot write in somebody's name."""
    _, people, tables = around
    for operation, (_, method, path, body) in OPERATIONS.items():
        if method == "GET":
            continue
        found = people["host"].client.request(method, path.replace("TABLE", tables["open"]), json=body)
        assert found.status_code == 403, operation
        assert found.headers["content-type"] == "application/problem+json"


def test_cookies_are_for_this_site_alone(around: tuple[Server, dict[str, Player], dict[str, str]]) -> None:
    server, _, _ = around
    player = server.stranger()
    answer = player.send("POST", "/api/people", {"name": "Cookie", "password": "correct horse"})
    cookie = next(one for one in answer.headers.get_list("set-cookie") if one.startswith("foedus_session="))
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
