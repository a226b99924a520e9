"""The pages as they come over the wire, without a browser and without scripts."""

from __future__ import annotations

import gzip
import re
from html import unescape
from html.parser import HTMLParser
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from foedus.boards import write_toml
from foedus.games.sword_of_rome.board import load_board
from foedus.kernel.game import find_game
from foedus.web.pages.asking import question_of, read_question, sketch_of
from foedus.web.pages.site import SECURITY_HEADERS, texts
from web.harness import CARAVANS, Player, Server, seated
from web.pages.conftest import GAME, HOSTILE, SEATS, awaited, play_until


def text_of(html: str) -> str:
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html)))


class Links(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: set[str] = set()
        self.inline: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        told = dict(attributes)
        self.inline += [f"{tag} {name}" for name in told if name == "style" or name.startswith("on")]
        if tag == "script" and "src" not in told:
            self.inline.append("script")
        if tag == "style":
            self.inline.append("style")
        href = told.get("href") if tag == "a" else None
        if href and href.startswith("/"):
            self.found.add(href.split("#")[0])


def test_every_page_that_links_lead_to_is_there_and_obeys_its_own_policy(person: Player, table: str) -> None:
    play_until(person, table, lambda choices: len(choices) > 3)
    waiting = ["/", "/tables", f"/tables/{table}", "/sign-in"]
    seen: set[str] = set()
    kinds: dict[str, int] = {}
    while waiting and len(seen) < 110:
        path = waiting.pop(0)
        # a few of each kind are enough
        kind = re.sub(r"\d+|=[^&]*", "", re.sub(r"(/rules/\w+/).*", r"\1", path))
        if path in seen or kinds.get(kind, 0) >= 3:
            continue
        seen.add(path)
        kinds[kind] = kinds.get(kind, 0) + 1
        answer = person.client.get(path)
        assert answer.status_code == 200, f"{path}: {answer.status_code}"
        assert answer.headers["content-security-policy"] == SECURITY_HEADERS["Content-Security-Policy"], path
        links = Links(answer.text)
        assert not links.inline, path
        waiting += sorted(links.found - seen)
    assert len(kinds) > 15


def test_the_language_is_switched_by_the_address_and_remembered(visitor: Player) -> None:
    assert 'lang="en"' in visitor.client.get("/rules", headers={"accept-language": "de, en"}).text
    assert "Правила" in visitor.client.get(f"/rules/{GAME}?lang=ru").text
    again = visitor.client.get("/", headers={"accept-language": "en"})
    assert '<html lang="ru">' in again.text
    assert "Спросить судью" in again.text
    assert again.headers["content-language"] == "ru"


def test_a_strange_language_changes_nothing(visitor: Player) -> None:
    answer = visitor.client.get("/?lang=<script>")
    assert '<html lang="en">' in answer.text
    assert "<script>" not in answer.text.replace('<script type="module"', "")


@pytest.mark.parametrize("path", ["/nowhere", "/desk/chess", f"/rules/{GAME}/99.9", "/samples/none", "/tables/none"])
def test_what_is_not_there_is_said_by_a_page(visitor: Player, path: str) -> None:
    answer = visitor.client.get(path)
    assert answer.status_code == 404
    assert "There is no such page" in answer.text
    assert "Traceback" not in answer.text


# the desk


def test_a_ruling_with_its_clause(visitor: Player) -> None:
    html = visitor.client.get(
        f"/desk/{GAME}",
        params={"base": "home", "alliances": "ROM-ETR", "active": "ROM", "ask": "ROM besieges Tarquinii"},
    ).text
    assert "Refused: Rome besieges Tarquinii." in html
    assert f'href="/rules/{GAME}/15.2.2c"' in html
    russian = visitor.client.get(
        f"/desk/{GAME}",
        params={"base": "home", "alliances": "ROM-ETR", "active": "ROM", "ask": "ROM besieges Tarquinii", "lang": "ru"},
    ).text
    assert "Нельзя: Рим осаждает" in russian


def test_the_address_is_the_question_in_its_shortest_form(visitor: Player) -> None:
    sent: list[tuple[str, str | int | float | bool | None]] = [
        ("players", ""),
        ("base", "home"),
        ("active", "GRE"),
        ("phase", ""),
        ("turn", ""),
        ("round", ""),
        ("vp.ROM", "7"),
        ("vp.ES", ""),
        ("alliances", "ROM-GRE"),
        ("alliances", "ETR-GRE"),
        ("row.place", "Capua"),
        ("row.owner", "ROM"),
        ("row.loyalty", ""),
        ("row.forces", "ROM 2; GRE 3 inside"),
        ("row.siege.by", ""),
        ("row.place", ""),
        ("row.owner", ""),
        ("row.loyalty", ""),
        ("row.forces", ""),
        ("row.siege.by", ""),
        ("first", ""),
        ("more", ""),
        ("ask", "who may fight whom"),
    ]
    answer = visitor.client.get(f"/desk/{GAME}", params=sent)
    assert answer.status_code == 200
    asked = parse_qsl(urlsplit(str(answer.url)).query)
    assert asked == [
        ("base", "home"),
        ("active", "GRE"),
        ("vp.ROM", "7"),
        ("alliances", "ROM-GRE"),
        ("alliances", "ETR-GRE"),
        ("at", "Capua|ROM||ROM 2; GRE 3 inside"),
        ("ask", "who may fight whom"),
    ]
    again = visitor.client.get(str(answer.url))
    assert not again.history
    assert again.text.count(" checked aria-label") + again.text.count("checked>") >= 2


def test_what_is_wrong_stands_beside_the_field_and_what_was_typed_is_kept(visitor: Player) -> None:
    answer = visitor.client.get(
        f"/desk/{GAME}",
        params=[
            ("active", "XYZ"),
            ("at", "Kapua|ROM||ROM two"),
            ("more", "trun = 3"),
            ("ask", "ROM besieges Tarquini"),
        ],
    )
    assert answer.status_code == 422
    html = answer.text
    for field in ("fault-active", "fault-row0", "fault-more"):
        assert f'id="{field}"' in html, field
    for typed in ("XYZ", "Kapua", "ROM two", "trun = 3", "ROM besieges Tarquini"):
        assert typed in html
    assert "did you mean" in html


def test_a_misspelt_question_is_told_beside_it(visitor: Player) -> None:
    answer = visitor.client.get(f"/desk/{GAME}", params={"base": "home", "ask": "ROM besieges Tarqinii"})
    assert answer.status_code == 422
    assert 'id="fault-ask"' in answer.text
    assert "did you mean Tarquinii" in answer.text


def test_what_was_done_before_is_carried_out_first(visitor: Player) -> None:
    first = "ROM proposes alliance to GRE\nGRE accepts ROM"
    position = {"base": "home", "alliances.none": "1", "active": "ROM"}
    asked = {**position, "first": first, "ask": "ROM attacks GRE at Neapolis"}
    html = visitor.client.get(f"/desk/{GAME}", params=asked).text
    assert "15.2.2a" in html
    refused = visitor.client.get(f"/desk/{GAME}", params={**position, "first": "GRE accepts ROM", "ask": "ROM passes"})
    assert refused.status_code == 422
    assert 'id="fault-first"' in refused.text


def test_too_much_is_refused_without_a_fault(visitor: Player) -> None:
    for query in ("more=" + "a" * 30_000, "ask=" + "я" * 3_000, "&".join(f"at=Roma|{n}" for n in range(900))):
        answer = visitor.client.get(f"/desk/{GAME}?{query}")
        assert answer.status_code in (200, 414, 422, 431)


def test_a_question_survives_the_way_into_an_address_and_back() -> None:
    game = find_game(GAME)
    sketch = {
        "game": GAME,
        "players": 4,
        "elsewhere": "home",
        "active": "ROM",
        "vp": {"ROM": 3},
        "alliances": ["ROM-ETR"],
        "rulings": {"half_ally": "ignored"},
        "spaces": {
            "Capua": {"owner": "ROM", "forces": ["ROM 2 Camillus"], "siege": "none"},
            "Roma": {"siege": {"by": "GAL", "points": 2}},
        },
        "activated": ["VOL"],
    }
    question = question_of(game, sketch, "ROM passes", "dice 6 4")
    again = read_question(game, question.pairs())
    assert again.tidy
    assert again.pairs() == question.pairs()
    assert sketch_of(again, {"home": {"elsewhere": "home"}}) == sketch


def test_completion_speaks_the_notation(visitor: Player) -> None:
    lines = visitor.client.get(f"/desk/{GAME}/complete", params={"line": "ROM besieges Tarq"}).json()["lines"]
    assert "ROM besieges Tarquinii" in lines
    assert visitor.client.get(f"/desk/{GAME}/complete", params={"line": "ROM zzz"}).json()["lines"] == []


# rules


def test_clauses_are_found_in_either_language(visitor: Player) -> None:
    for words in ("союзник оса", "SIEGE ally"):
        html = visitor.client.get(f"/rules/{GAME}", params={"q": words}).text
        assert f"/rules/{GAME}/15.2.2c" in html
        assert "<mark>" in html
    nothing = visitor.client.get(f"/rules/{GAME}", params={"q": "zeppelin"}).text
    assert "No clause says that" in nothing


def test_every_clause_has_a_page_and_its_cases_can_be_played(visitor: Player) -> None:
    game = find_game(GAME)
    listed = visitor.client.get(f"/rules/{GAME}").text
    assert all(f'/rules/{GAME}/{clause}"' in listed for clause in game.rulebook.clauses)
    html = visitor.client.get(f"/rules/{GAME}/15.1").text
    plays = [unescape(one) for one in re.findall(r'href="(/desk/[^"]+)"', html)]
    assert len(plays) > 5
    for href in plays[:6]:
        assert 'class="verdict' in visitor.client.get(href.split("#")[0]).text, href


# samples


def test_the_time_machine_steps_through_a_finished_game(visitor: Player) -> None:
    begin = visitor.client.get(f"/samples/{GAME}-1").text
    assert 'rel="next"' in begin
    assert 'rel="prev"' not in begin
    middle = visitor.client.get(f"/samples/{GAME}-1?at=500&show=bonds").text
    following = re.search(r'rel="next"[^>]*href="([^"]+)"', middle)
    assert following is not None
    at = visitor.client.get(unescape(following[1]))
    assert "alli" in text_of(at.text).lower()
    assert int(dict(parse_qsl(urlsplit(str(at.url)).query))["at"]) > 500


# people


def test_signing_up_in_and_out(visitor: Player) -> None:
    def send(path: str, **data: str) -> str:
        data["_csrf_token"] = visitor.client.cookies["csrftoken"]
        answer = visitor.client.post(path, data=data)
        return answer.text

    visitor.client.get("/")
    short = send("/sign-in", name="Ada", password="short", new="1")
    assert 'id="fault-password"' in short
    assert 'value="Ada"' in short
    assert "Ada" in send("/sign-in", name="Ada", password="long enough", new="1", next="/tables")
    assert "<bdi>Ada</bdi>" in visitor.client.get("/me").text
    assert "Sign in" in send("/sign-out")
    assert 'id="fault-password"' in send("/sign-in", name="Ada", password="not that one")


def test_a_form_without_the_token_is_refused(person: Player) -> None:
    answer = person.client.post("/sign-out", data={"x": "1"})
    assert answer.status_code == 403
    assert "<bdi>" in person.client.get("/me").text


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("Bo", "//evil.example"),
        ("Cy", "https://evil.example"),
        ("Di", "/\\evil.example"),
        ("Ed", "javascript:alert(1)"),
    ],
)
def test_nobody_is_sent_elsewhere_after_signing_in(visitor: Player, name: str, told: str) -> None:
    visitor.client.get("/")
    visitor.client.follow_redirects = False
    data = {"name": name, "password": "long enough", "new": "1", "next": told}
    answer = visitor.client.post("/sign-in", data={**data, "_csrf_token": visitor.client.cookies["csrftoken"]})
    assert answer.headers["location"] == "/tables"


# tables


def test_a_table_is_made_played_and_read_without_scripts(person: Player) -> None:
    def send(path: str, **data: str) -> str:
        data["_csrf_token"] = person.client.cookies["csrftoken"]
        answer = person.client.post(path, data=data)
        assert answer.status_code == 200, text_of(answer.text)[:400]
        return str(answer.url)

    wrong = person.client.post(
        "/tables/new",
        data={
            "game": GAME,
            "kind": "ledger",
            "sketch": "vp = {",
            "title": "Kept",
            "_csrf_token": person.client.cookies["csrftoken"],
        },
    )
    assert wrong.status_code == 422
    assert 'id="fault-sketch"' in wrong.text
    assert 'value="Kept"' in wrong.text

    table = send("/tables/new", game=GAME, kind="full", title="Evening").rsplit("/", 1)[1]
    for seat in ("ROM", "ES", "GRE", "GAL"):
        send(f"/tables/{table}/take", seat=seat)
    send(f"/tables/{table}/begin")
    seat, choices = awaited(person, table)
    html = person.client.get(f"/tables/{table}").text
    assert "You decide" in html
    for choice in choices:
        assert unescape(choice["text"])[1:] in unescape(html)
    url = send(f"/tables/{table}/command", seat=seat, line=choices[0]["line"], key="one")
    assert f"/tables/{table}" in url
    assert choices[0]["text"][1:] in unescape(person.client.get(f"/tables/{table}/record?seat={seat}").text)


def test_a_refused_command_keeps_the_line_and_says_why(person: Player, table: str) -> None:
    seat, _ = awaited(person, table)
    data = {"seat": seat, "line": "ROM attacks GRE at Neapolis", "_csrf_token": person.client.cookies["csrftoken"]}
    answer = person.client.post(f"/tables/{table}/command", data=data)
    assert answer.status_code in (403, 422)
    assert "ROM attacks GRE at Neapolis" in unescape(answer.text)
    assert 'class="verdict refused"' in answer.text
    misread = person.client.post(f"/tables/{table}/command", data={**data, "line": "ROM atacks GRE"})
    assert misread.status_code == 422
    assert 'id="fault-line"' in misread.text


def test_a_spectator_sees_the_table_and_no_hand_and_no_choices(visitor: Player, person: Player, table: str) -> None:
    play_until(person, table, lambda choices: True)
    html = visitor.client.get(f"/tables/{table}").text
    assert "You look as a spectator" in html
    assert 'id="hand"' not in html
    assert 'id="choices"' not in html
    for seat in ("ROM", "GAL"):
        view = person.ok("GET", f"/api/tables/{table}/view?seat={seat}")
        for card in view.get("hand", []):
            assert card["text"] not in text_of(html)


def test_a_hidden_table_looks_as_if_it_were_not_there(visitor: Player, person: Player) -> None:
    id = person.ok("POST", "/api/tables", {"game": GAME})["id"]
    for page in ("", "/diplomacy", "/record", "/host"):
        assert visitor.client.get(f"/tables/{id}{page}").status_code == 404


def test_a_grave_step_is_looked_at_before_the_last_word(person: Player, table: str) -> None:
    html = person.client.get(f"/tables/{table}/consider", params={"line": "ROM breaks GRE", "seat": "ROM"}).text
    assert "Nothing has been done yet" in html
    assert 'class="verdict refused"' in html
    assert "Do it:" not in html


def test_names_full_of_markup_are_shown_as_they_are(person: Player, table: str) -> None:
    html = person.client.get(f"/tables/{table}").text
    assert "<script>alert" not in html
    assert HOSTILE in unescape(html)


def test_a_ledger_hears_a_line_and_answers(person: Player) -> None:
    id = person.ok(
        "POST",
        "/api/tables",
        {"game": GAME, "kind": "ledger", "sketch": 'active = "ROM"\nelsewhere = "home"\nalliances = []'},
    )["id"]
    person.ok("POST", f"/api/tables/{id}/seats/ROM")
    data = {"seat": "ROM", "line": "ROM proposes alliance to GRE", "_csrf_token": person.client.cookies["csrftoken"]}
    html = person.client.post(f"/tables/{id}/command", data=data).text
    assert "Allowed: Rome offers the Greeks an alliance" in text_of(html)
    wrong = person.client.post(f"/tables/{id}/command", data={**data, "line": "ROM flies to Mars"})
    assert wrong.status_code == 422
    assert "ROM flies to Mars" in wrong.text


# words and weight


def test_every_text_of_the_pages_is_there_in_both_languages() -> None:
    for key, row in texts().items():
        assert set(row) == {"en", "ru"}, key


def wire(answer: object) -> int:
    """How many bytes a body is when it is sent zipped."""
    content: bytes = answer.content  # type: ignore[attr-defined]
    return len(gzip.compress(content, 6))


def test_pages_stay_small(person: Player, table: str) -> None:
    front = person.client.get("/")
    assets = re.findall(r'(?:href|src)="(/static/[^"]+)"', front.text)
    files = [*assets, *(f"{assets[0].rsplit('/', 1)[0]}/{name}.js" for name in ("map", "live", "desk", "completion"))]
    whole = wire(front) + sum(wire(person.client.get(one)) for one in files)
    assert whole < 100_000
    play_until(person, table, lambda choices: len(choices) > 8)
    board = person.client.get(f"/tables/{table}")
    assert wire(board) + whole < 300_000


def test_taking_back_is_asked_for_where_the_others_must_agree(person: Player, table: str) -> None:
    seat, choices = awaited(person, table)
    token = person.client.cookies["csrftoken"]
    before = person.ok("GET", f"/api/tables/{table}/view?seat={seat}")["n"]
    person.ok("POST", f"/api/tables/{table}/commands", {"seat": seat, "command": choices[0]["line"]})
    answer = person.client.post(f"/tables/{table}/undo", data={"seat": seat, "_csrf_token": token})
    if answer.status_code == 422:
        assert "Ask the others" in answer.text
        answer = person.client.post(f"/tables/{table}/undo", data={"seat": seat, "ask": "1", "_csrf_token": token})
    assert answer.status_code == 200
    assert "Taken back" in text_of(person.client.get(f"/tables/{table}/record?seat={seat}").text)
    assert person.ok("GET", f"/api/tables/{table}/view?seat={seat}")["n"] > before


def test_a_correction_is_proposed_and_a_wrong_one_keeps_what_was_typed(person: Player, table: str) -> None:
    data = {"seat": "ROM", "what": "correct", "_csrf_token": person.client.cookies["csrftoken"]}
    wrong = person.client.post(f"/tables/{table}/propose", data={**data, "text": "vp ROM 77"})
    assert wrong.status_code == 422
    assert 'id="fault-correct"' in wrong.text
    assert 'value="vp ROM 77"' in wrong.text
    right = person.client.post(f"/tables/{table}/propose", data={**data, "text": "vp ROM 7"})
    assert right.status_code == 200
    assert "the Roman player: 7" in text_of(person.client.get(f"/tables/{table}").text)


def test_proposals_wait_for_the_others(site: Server, person: Player) -> None:
    other = site.person("The other one")
    other.client.follow_redirects = True
    id = seated(site, person, {"ROM": person, "ES": person, "GRE": person, "GAL": other}, GAME)
    data = {"seat": "ROM", "what": "ruling", "ruling": "half_ally", "option": "ignored"}
    person.client.post(f"/tables/{id}/propose", data={**data, "_csrf_token": person.client.cookies["csrftoken"]})
    html = other.client.get(f"/tables/{id}").text
    assert "half_ally ignored" in html
    assert "I agree" in html
    number = re.search(r'name="id" value="(\d+)"', html)
    assert number is not None
    vote = {"seat": "GAL", "id": number[1], "yes": "1", "_csrf_token": other.client.cookies["csrftoken"]}
    assert "I agree" not in other.client.post(f"/tables/{id}/vote", data=vote).text
    assert "The table says: ruling half_ally ignored" in text_of(
        person.client.get(f"/tables/{id}/record?seat=ROM").text
    )


def test_a_report_to_paste_shows_what_anybody_may_know(person: Player, table: str) -> None:
    play_until(person, table, lambda choices: len(choices) > 3)
    html = unescape(person.client.get(f"/tables/{table}/report").text)
    assert "[b]" in html
    assert "the Roman player: 6" in html
    for seat in ("ROM", "GRE"):
        for card in person.ok("GET", f"/api/tables/{table}/view?seat={seat}")["hand"]:
            assert card["text"] not in html


def test_a_board_of_ones_own_is_checked_and_shown(person: Player) -> None:
    board = write_toml(load_board()).replace("Italy 386 BC", "Our Italy")
    data = {"game": GAME, "kind": "full", "look": "1", "_csrf_token": person.client.cookies["csrftoken"]}
    files = {"board_file": ("ours.toml", board.encode(), "text/plain")}
    good = person.client.post("/tables/new", data=data, files=files)
    assert good.status_code == 200, re.findall('class="fault">([^<]*)', good.text)
    assert "No fault found" in good.text
    assert "Map: Our Italy" in good.text
    broken = board.replace('kind = "city"', 'kind = "citadel"', 1)
    bad = person.client.post("/tables/new", data=data, files={"board_file": ("x.toml", broken.encode(), "text/plain")})
    assert bad.status_code == 422
    assert 'id="fault-board"' in bad.text
    assert "citadel" in text_of(bad.text)
    for name, content in (("x.exe", b"MZ"), ("x.toml", b"\xff\xfe"), ("x.toml", b"[" * 5000)):
        answer = person.client.post("/tables/new", data=data, files={"board_file": (name, content, "text/plain")})
        assert answer.status_code == 422
        assert 'id="fault-board"' in answer.text


def test_a_wrong_deck_of_ones_own_is_told_beside_it(person: Player) -> None:
    data = {"game": GAME, "kind": "full", "_csrf_token": person.client.cookies["csrftoken"]}
    answer = person.client.post(
        "/tables/new", data=data, files={"deck_file": ("d.csv", b"id,value\nx,9\n", "text/csv")}
    )
    assert answer.status_code == 422
    assert 'id="fault-deck"' in answer.text


def form(player: Player, path: str, **data: str) -> Any:
    """Send a form; gives the answer after redirects."""
    return player.client.post(path, data={**data, "_csrf_token": player.client.cookies["csrftoken"]})


def test_an_invitation_is_followed_once(site: Server, person: Player, visitor: Player) -> None:
    id = person.ok("POST", "/api/tables", {"game": GAME, "title": "Join us"})["id"]
    made = form(person, f"/tables/{id}/invite", what="seat", seat="GAL")
    link = re.search(r'id="link"[^>]*value="[^"]*(/join/[^"]+)"', made.text)
    assert link is not None
    asked = visitor.client.get(link[1])
    assert "Join us" in asked.text
    assert "Sign in to accept" in asked.text
    friend = site.person("A friend")
    friend.client.follow_redirects = True
    assert "Accept" in friend.client.get(link[1]).text
    assert "Join us" in form(friend, link[1]).text
    assert "no longer good" in friend.client.get(link[1]).text
    again = form(site.person("Too late"), link[1])
    assert again.status_code == 409
    assert "<bdi>A friend</bdi>" in person.client.get(f"/tables/{id}/host").text
    form(person, f"/tables/{id}/leave", seat="GAL")
    assert "<bdi>A friend</bdi>" not in person.client.get(f"/tables/{id}/host").text


def test_what_only_the_host_does_is_refused_to_others(site: Server, person: Player) -> None:
    other = site.person("Not the host")
    id = seated(site, person, {"ROM": person, "ES": person, "GRE": person, "GAL": other}, GAME)
    for path, data in (
        ("settings", {"title": "Mine"}),
        ("take", {"seat": "ROM"}),
        ("begin", {}),
        ("invite", {"what": "host"}),
        ("invite", {"what": "seat", "seat": "ROM"}),
        ("leave", {"seat": "ROM"}),
    ):
        assert form(other, f"/tables/{id}/{path}", **data).status_code == 403, path


def test_the_host_settles_how_the_table_is_run(person: Player) -> None:
    id = person.ok("POST", "/api/tables", {"game": GAME, "title": "Old"})["id"]
    wrong = form(person, f"/tables/{id}/settings", title="New", decision="soon", secret="limited", minutes="20")
    assert wrong.status_code == 422
    assert 'id="fault-decision"' in wrong.text
    assert 'value="soon"' in wrong.text
    assert 'value="New"' in wrong.text
    right = form(
        person, f"/tables/{id}/settings", title="New", decision="1.5", at_end="pass", secret="limited", minutes="20"
    )
    assert right.status_code == 200
    assert "<bdi>New</bdi>" in right.text
    settings = person.ok("GET", f"/api/tables/{id}")["settings"]
    assert settings["clocks"]["decision"] == 5400
    assert settings["talks"]["minutes"] == 20


def test_words_reach_only_those_they_are_for(site: Server, person: Player) -> None:
    gaul, greek = site.person("A Gaul"), site.person("A Greek")
    for one in (gaul, greek):
        one.client.follow_redirects = True
    id = seated(site, person, {"ROM": person, "ES": person, "GRE": greek, "GAL": gaul}, GAME)
    opened = form(person, f"/tables/{id}/talks", seat="ROM", open="1", **{"with": "GAL"})
    channel = dict(parse_qsl(urlsplit(str(opened.url)).query))["channel"]
    words = 'Meet me at "Clusium" <b>now</b> \u202e 🗡' + "!" * 50
    said = form(person, f"/tables/{id}/talks", seat="ROM", channel=channel, text=words, key="k1")
    assert words in unescape(said.text)
    assert "1 unread" in text_of(gaul.client.get(f"/tables/{id}/talks").text)
    assert words in unescape(gaul.client.get(f"/tables/{id}/talks?channel={channel}").text)
    assert "unread" not in text_of(gaul.client.get(f"/tables/{id}/talks").text)
    assert greek.client.get(f"/tables/{id}/talks?channel={channel}").status_code == 404
    for page in ("", "/talks", "/record", "/diplomacy"):
        assert "Clusium" not in re.sub(
            "<svg.*?</svg>|<dl.*?</dl>", "", greek.client.get(f"/tables/{id}{page}").text, flags=re.S
        )
    long = form(person, f"/tables/{id}/talks", seat="ROM", channel=channel, text="я" * 10_000)
    assert long.status_code == 422
    assert 'id="fault-text"' in long.text
    assert "я" * 10_000 in long.text
    alone = form(person, f"/tables/{id}/talks", seat="ROM", open="1")
    assert alone.status_code == 422
    assert 'id="fault-with"' in alone.text


def test_clocks_are_shown_and_the_host_gives_more_time(person: Player) -> None:
    id = person.ok("POST", "/api/tables", {"game": GAME})["id"]
    for seat in SEATS:
        person.ok("POST", f"/api/tables/{id}/seats/{seat}")
    assert form(person, f"/tables/{id}/settings", title="Slow", decision="48", at_end="standing").status_code == 200
    person.ok("POST", f"/api/tables/{id}/begin")
    html = person.client.get(f"/tables/{id}").text
    assert "Time for the decision of" in text_of(html)
    assert "data-due" in html
    clock = re.search(r'name="clock" value="([^"]+)"', html)
    assert clock is not None
    assert form(person, f"/tables/{id}/clock", clock=clock[1], do="extend").status_code == 200
    assert form(person, f"/tables/{id}/clock", clock="none", do="extend").status_code == 422


def test_what_is_said_beforehand_is_kept_and_seen_by_its_seat_alone(site: Server, person: Player) -> None:
    other = site.person("Somebody else at it")
    id = seated(site, person, {"ROM": person, "ES": person, "GRE": person, "GAL": other}, GAME)
    wrong = form(person, f"/tables/{id}/standing", seat="ROM", lines="ROM dances")
    assert wrong.status_code == 422
    assert 'id="fault-standing"' in wrong.text
    assert "ROM dances" in wrong.text
    assert form(person, f"/tables/{id}/standing", seat="ROM", lines="ROM breaks ETR\npass").status_code == 200
    assert "ROM breaks ETR" in person.client.get(f"/tables/{id}?seat=ROM").text
    assert "ROM breaks ETR" not in other.client.get(f"/tables/{id}").text
    assert form(other, f"/tables/{id}/standing", seat="ROM", lines="pass").status_code == 403


def test_notices_and_passwords_are_settled_on_ones_own_page(person: Player) -> None:
    html = person.client.get("/me").text
    if "This site sends no notices" not in html:
        wrong = form(person, "/me", what="notices", to="nonsense", begin="25:00", end="07:00")
        assert wrong.status_code == 422
        assert "nonsense" in wrong.text
        assert 'class="fault"' in wrong.text
    assert form(person, "/me", what="password", old="not it", new="another one").status_code == 422
    assert form(person, "/me", what="password", old="correct horse", new="another one").status_code == 200
    assert "<bdi>" in person.client.get("/me").text
    assert 'lang="ru"' in form(person, "/me", what="language", language="ru").text
    assert "Войти" in form(person, "/me", what="everywhere").text


@pytest.mark.parametrize("language", ["en", "ru"])
def test_a_game_that_no_page_has_heard_of_has_pages_too(site: Server, person: Player, language: str) -> None:
    seats = [str(one["seat"]) for one in person.ok("GET", f"/api/tables/{caravans(person)}")["seats"]]
    id = seated(site, person, dict.fromkeys(seats, person), CARAVANS)
    paths = [f"/desk/{CARAVANS}", f"/desk/{CARAVANS}?ask=nonsense", f"/rules/{CARAVANS}", f"/rules/{CARAVANS}/rulings"]
    paths += [f"/tables/{id}{one}" for one in ("", "/diplomacy", "/talks", "/record?at=1", "/report", "/host")]
    for path in [*paths, "/", "/samples", "/tables/new", "/rules", "/desk"]:
        answer = person.client.get(path, params={"lang": language} if "?" not in path else None)
        assert answer.status_code in (200, 422), path
    seat, line = next((s, c[0]["line"]) for s in seats if (c := choices_at(person, id, s)))
    assert form(person, f"/tables/{id}/command", seat=seat, line=line).status_code == 200


def caravans(person: Player) -> str:
    return str(person.ok("POST", "/api/tables", {"game": CARAVANS})["id"])


def choices_at(person: Player, table: str, seat: str) -> list[dict[str, Any]]:
    return list(person.ok("GET", f"/api/tables/{table}/choices?seat={seat}")["choices"])


def test_colours_are_chosen_without_an_account_and_remembered(visitor: Player) -> None:
    visitor.client.get("/")
    answer = form(visitor, "/colours", colours="grey", back=f"/rules/{GAME}")
    assert str(answer.url).endswith(f"/rules/{GAME}")
    assert 'class="colours-grey"' in answer.text
    assert 'class="colours-grey"' in visitor.client.get("/").text
    assert form(visitor, "/colours", colours='"><script>', back="/").status_code == 404
    visitor.client.follow_redirects = False
    assert form(visitor, "/colours", colours="usual", back="//evil.example").headers["location"] == "/tables"


@pytest.mark.parametrize("game", ["sword_of_rome", "virgin_queen"])
@pytest.mark.parametrize("language", ["en", "ru"])
def test_the_examples_of_the_desk_are_understood(visitor: Player, game: str, language: str) -> None:
    html = visitor.client.get(f"/desk/{game}", params={"lang": language}).text
    examples = [unescape(one) for one in re.findall(r'<li><a href="(/desk/[^"]+)#answer"', html)]
    assert len(examples) >= 3
    for href in examples:
        answer = visitor.client.get(href)
        assert answer.status_code == 200, href
        assert 'class="verdict' in answer.text, href
