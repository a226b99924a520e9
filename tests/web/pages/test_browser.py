"""The pages in a real browser: for everybody, by keyboard, on a phone, live, and with scripts switched off."""

from __future__ import annotations

import json
import re
import time
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]

from web.harness import Player, Server, seated
from web.pages.conftest import GAME, HOSTILE, SEATS, Look, awaited, play_until

PUBLIC = (
    "/",
    f"/desk/{GAME}",
    f"/desk/{GAME}?base=setup&alliances=ROM-ETR&active=ROM&ask=ROM+besieges+Tarquinii",
    f"/desk/{GAME}?active=nobody-at-all&ask=foo",
    f"/rules/{GAME}?q=siege",
    f"/rules/{GAME}/15.2.2c",
    f"/rules/{GAME}/rulings",
    f"/rules/{GAME}/situations",
    "/rules/virgin_queen?q=loan",
    "/desk/virgin_queen?base=setup&phase=war&ask=HRE+declares+war+on+SCO",
    "/samples/virgin_queen-1?at=200",
    "/join/nowhere",
    "/samples",
    f"/samples/{GAME}-1?at=300",
    "/sign-in",
    "/sign-in?new=1",
    "/tables",
    "/nowhere",
)
OF_A_TABLE = ("", "/diplomacy", "/talks", "/report", "/record?at=5", "/host", "/consider?line=ROM+breaks+GRE&seat=ROM")


WIDEST = """() => [...document.querySelectorAll("main *")].filter((one) => !one.closest(".map-pane, .scroll, pre"))
  .filter((one) => one.getBoundingClientRect().right > window.innerWidth).map((one) => one.outerHTML.slice(0, 120))"""


def violations(page: Any, board: bool = False) -> list[str]:
    """What axe finds; a board is slow to look at, and all boards are alike."""
    context = None if board else {"exclude": [[".board"]]}
    found = Axe().run(page, context).response["violations"]
    return [f"{one['id']}: {one['nodes'][0]['html'][:200]}" for one in found]


def until(page: Any, expression: str, seconds: float = 8) -> None:
    """Wait for something to be so on the page; its policy lets nobody evaluate texts in it."""
    end = time.monotonic() + seconds
    while not page.evaluate(expression):
        assert time.monotonic() < end, expression
        page.wait_for_timeout(50)


def is_wide(page: Any) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth > window.innerWidth"))


@pytest.mark.parametrize(("language", "width"), [("en", 1280), ("ru", 1280), ("en", 360), ("ru", 360)])
def test_no_page_shuts_anybody_out(look: Look, person: Player, table: str, language: str, width: int) -> None:
    play_until(person, table, lambda choices: len(choices) > 8)
    page = look(None, language, width)
    signed = look(person, language, width)
    for path in PUBLIC:
        page.goto(path)
        assert not violations(page, path == "/"), path
        assert not is_wide(page), path
    for path in ("/tables/new", "/me", *(f"/tables/{table}{one}" for one in OF_A_TABLE)):
        signed.goto(path)
        assert not violations(signed), path
        assert not is_wide(signed), path


def test_the_desk_by_keyboard_alone(look: Look) -> None:
    page = look()
    page.goto(f"/desk/{GAME}")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    for _ in range(30):
        if page.evaluate("document.activeElement.id") == "ask":
            break
        page.keyboard.press("Tab")
    page.keyboard.type("ROM besieges Tarq")
    page.wait_for_selector("[data-suggest] button")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.textContent") == "ROM besieges Tarquinii"
    page.keyboard.press("Enter")
    until(page, "document.activeElement.id === 'ask'")
    page.keyboard.press("Enter")
    page.wait_for_selector(".verdict")
    assert "ask=ROM+besieges+Tarquinii" in page.url


def test_a_place_chosen_on_the_map_gets_a_row(look: Look) -> None:
    page = look()
    page.goto(f"/desk/{GAME}?base=home")
    page.locator('.board [data-place="Capua"]').first.click()
    row = page.locator("[data-row]", has=page.locator("input[name='row.place']")).first
    assert row.locator("input[name='row.place']").input_value() == "Capua"
    row.locator("select[name='row.owner']").select_option("GRE")
    page.locator("#ask").fill("who may fight whom")
    page.locator("button.main").first.click()
    page.wait_for_selector(".verdict")
    assert "at=Capua%7CGRE" in page.url


def test_the_matrix_answers_in_both_languages(look: Look) -> None:
    for language, word in (("en", "Refused"), ("ru", "Нельзя")):
        page = look(None, language)
        page.goto(f"/desk/{GAME}?base=home&active=ROM")
        page.locator("input[name=alliances][value='ROM-GRE']").check()
        page.locator("#ask").fill("ROM attacks GRE")
        page.locator("button.main").first.click()
        page.wait_for_selector(".verdict")
        assert word in page.locator(".verdict-word").inner_text()
        assert page.locator(".verdict a[href$='/15.2.2a']").count() == 1


def test_the_map_comes_closer_by_keys_and_links(look: Look) -> None:
    page = look()
    page.goto(f"/samples/{GAME}-1?at=300")
    wide = "document.querySelector('.map-pane svg').getBoundingClientRect().width"
    before = page.evaluate(wide)
    page.locator(".map-pane").focus()
    page.keyboard.press("+")
    assert page.evaluate(wide) > before * 1.2
    page.locator("[data-zoom='3']").click()
    assert page.evaluate(wide) > before * 2.9
    assert page.url.endswith("at=300")


def test_the_time_machine_goes_by_arrow_keys(look: Look) -> None:
    page = look()
    page.goto(f"/samples/{GAME}-1?at=300")
    page.keyboard.press("ArrowRight")
    page.wait_for_url(re.compile("at=301"))
    page.keyboard.press("ArrowLeft")
    page.wait_for_url(re.compile("at=300"))


def test_a_table_by_keyboard_alone(look: Look, person: Player, table: str) -> None:
    seat, choices = awaited(person, table)
    page = look(person)
    page.goto(f"/tables/{table}?seat={seat}")
    button = page.locator("#choices button", has_text=choices[0]["text"][1:]).first
    for _ in range(160):
        if button.evaluate("one => one === document.activeElement"):
            break
        page.keyboard.press("Tab")
    assert button.evaluate("one => one === document.activeElement")
    before = person.ok("GET", f"/api/tables/{table}/view?seat={seat}")["n"]
    with page.expect_navigation():
        page.keyboard.press("Enter")
    assert person.ok("GET", f"/api/tables/{table}/view?seat={seat}")["n"] > before


def test_the_map_and_the_list_offer_the_same(look: Look, person: Player, table: str) -> None:
    seat = play_until(person, table, lambda choices: any("space" in json.dumps(one["command"]) for one in choices))
    page = look(person)
    page.goto(f"/tables/{table}?seat={seat}")
    lit = set(page.locator(".board .choice").evaluate_all("all => all.map(one => one.dataset.place)"))
    assert lit
    listed = " ".join(page.locator("#choices form input[name=line]").evaluate_all("all => all.map(one => one.value)"))
    for place in lit:
        assert place in listed
    place = sorted(lit)[0]
    page.locator(f'.board [data-place="{place}"]').first.click()
    page.wait_for_url(re.compile("find="))
    for text in page.locator("#choices form input[name=line]").evaluate_all("all => all.map(one => one.value)"):
        assert place in text


def test_what_others_do_comes_by_itself_and_a_cut_stream_is_resumed(look: Look, person: Player, table: str) -> None:
    page = look(person)
    page.goto(f"/tables/{table}?seat=ROM")
    until(page, "document.querySelector('[data-state]').textContent === 'live'")

    def act() -> int:
        seat, choices = awaited(person, table)
        person.ok("POST", f"/api/tables/{table}/commands", {"seat": seat, "command": choices[0]["line"]})
        return int(person.ok("GET", f"/api/tables/{table}/view?seat=ROM")["n"])

    first = act()
    until(page, f"document.querySelector('#last .when')?.textContent === '{first}'")
    page.context.set_offline(True)
    until(page, "document.querySelector('[data-state]').classList.contains('cut')")
    act()
    last = act()
    page.context.set_offline(False)
    until(page, f"document.querySelector('#last .when')?.textContent === '{last}'", 15)
    until(page, "document.querySelector('[data-state]').textContent === 'live'")
    assert page.locator("#announce").inner_text()


def test_a_hostile_name_does_nothing_anywhere(look: Look, person: Player, table: str) -> None:
    page = look(person)
    for path in ("", "/diplomacy", "/record", "/host"):
        page.goto(f"/tables/{table}{path}")
        assert page.locator("h1").inner_text() == HOSTILE
    page.goto("/tables")
    assert page.locator("bdi", has_text=HOSTILE).count() >= 1


def test_everything_works_with_scripts_switched_off(look: Look, person: Player, table: str) -> None:
    page = look(person, java_script_enabled=False)
    page.goto(f"/desk/{GAME}?base=home&active=ROM")
    page.locator("input[name=alliances][value='ROM-GRE']").check()
    page.locator("#ask").fill("ROM attacks GRE")
    with page.expect_navigation():
        page.locator("button.main").first.click()
    assert "Refused" in page.locator(".verdict-word").inner_text()
    with page.expect_navigation():
        page.locator('.board a:has([data-place="Capua"])').first.click()
    assert "add=Capua" in page.url or "at=Capua" in page.url
    assert page.locator("input[name='row.place']").first.input_value() == "Capua"
    seat, choices = awaited(person, table)
    page.goto(f"/tables/{table}?seat={seat}")
    with page.expect_navigation():
        page.locator("#choices button", has_text=choices[0]["text"][1:]).first.click()
    assert page.locator("#last .record li").count() >= 1
    page.locator("#line").fill("who may fight whom")
    with page.expect_navigation():
        page.locator("button[name=ask]").click()
    assert page.locator(".verdict").count() == 1


def test_four_windows_see_what_each_may_see(look: Look, site: Server, person: Player, table: str) -> None:
    play_until(person, table, lambda choices: len(choices) > 3)
    hands = {}
    for seat in SEATS:
        page = look(person)
        page.goto(f"/tables/{table}?seat={seat}")
        shown = page.locator("#hand li").all_inner_texts()
        told = person.ok("GET", f"/api/tables/{table}/view?seat={seat}")["hand"]
        assert len(shown) == len(told)
        hands[seat] = shown
    watcher = look()
    watcher.goto(f"/tables/{table}")
    assert watcher.locator("#hand").count() == 0


def test_the_page_reflows_at_four_hundred_percent(look: Look) -> None:
    page = look(None, "ru", 320)
    for path in ("/", f"/desk/{GAME}?base=home", f"/rules/{GAME}/15.1", f"/samples/{GAME}-1?at=300"):
        page.goto(path)
        assert not is_wide(page), (path, page.evaluate(WIDEST))


def test_nothing_moves_for_whom_it_should_not(look: Look) -> None:
    page = look(None, reduced_motion="reduce")
    page.goto("/")
    assert page.evaluate("getComputedStyle(document.documentElement).scrollBehavior") == "auto"


def test_an_alliance_is_made_used_broken_and_renewed_in_one_turn(look: Look, site: Server) -> None:
    people = {seat: site.person(f"Player of {seat}") for seat in SEATS}
    host = people["ROM"]
    table = seated(site, host, people, GAME, title="A whole turn")

    def choices(seat: str) -> list[str]:
        found = people[seat].ok("GET", f"/api/tables/{table}/choices?seat={seat}&most=500")["choices"]
        return [one["line"] for one in found]

    def do(seat: str, line: str) -> None:
        people[seat].ok("POST", f"/api/tables/{table}/commands", {"seat": seat, "command": line})

    def go_on(until_: str, avoid: tuple[str, ...] = ("alliance", "breaks", "lapse")) -> tuple[str, str]:
        """Play on without dealings until some seat may say a line with these words in it."""
        for step in range(400):
            for seat in SEATS:
                lines = choices(seat)
                wanted = next((line for line in lines if re.search(until_, line)), None)
                if wanted:
                    return seat, wanted
                plain = [line for line in lines if not any(word in line for word in avoid)]
                quick = [
                    line for line in plain if re.search("passes|is done|stays|respond|no |keeps|ends|stands", line)
                ]
                if quick or plain:
                    do(seat, (quick or plain)[step % len(quick or plain)])
                    break
            else:
                raise AssertionError("nobody may do anything")
        raise AssertionError(f"it did not come to '{until_}'")

    def click(page: Any, name: str, scope: str = "#answers") -> None:
        with page.expect_navigation():
            page.locator(f"{scope} button, {scope} a.button", has_text=name).first.click()

    # made: one offers on the page of diplomacy, the other sees it come and accepts
    seat, line = go_on(r"^(ROM|GRE|GAL) proposes alliance to (ROM|GRE|GAL)$")
    a, b = re.findall("ROM|GRE|GAL", line)
    names = {"ROM": "Rome", "GRE": "the Greeks", "GAL": "the Gauls"}
    mine, other = look(people[seat]), look(people[b])
    mine.goto(f"/tables/{table}/diplomacy")
    other.goto(f"/tables/{table}/diplomacy")
    until(other, "document.querySelector('[data-state]').textContent === 'live'")
    click(mine, f"offer {names[b]} an alliance" if a != "ROM" else f"offers {names[b]} an alliance")
    until(other, "document.querySelector('#offers li') !== null")
    click(other, "accept")
    mine.goto(f"/tables/{table}/diplomacy")
    assert "allied since turn 1" in mine.locator("#bonds").inner_text()

    # used: what was allowed against a stranger is refused against an ally, with the clause
    mine.locator("#line").fill(f"{a} attacks {b}")
    with mine.expect_navigation():
        mine.locator("button[name=ask]").click()
    assert mine.locator(".verdict.refused a[href$='/15.2.2a']").count() == 1

    # broken: every consequence first, then the last word
    seat, line = go_on(f"^({a} breaks {b}|{b} breaks {a})$")
    breaker = look(people[seat])
    breaker.goto(f"/tables/{table}/diplomacy")
    click(breaker, "break the alliance" if not line.startswith("ROM") else "breaks the alliance")
    assert "Nothing has been done yet" in breaker.locator("main").inner_text()
    assert breaker.locator(".verdict.allowed").count() == 1
    with breaker.expect_navigation():
        breaker.locator("button.danger").click()
    breaker.goto(f"/tables/{table}/diplomacy")
    assert "alliance broken this turn" in breaker.locator("#bonds").inner_text()

    # made anew, and renewed by both at the turn's end
    seat, line = go_on(r"^(ROM|GRE|GAL) proposes alliance to (ROM|GRE|GAL)$", ("breaks", "lapse", "proposes"))
    do(seat, line)
    c, d = re.findall("ROM|GRE|GAL", line)
    do(d, f"{d} accepts alliance with {c}")
    for _ in range(2):
        seat, line = go_on("renews")
        page = look(people[seat])
        page.goto(f"/tables/{table}/diplomacy")
        click(page, "stay allied")
    lines = host.lines(table, "ROM")
    said = " ".join(text for one in lines for text in one.get("said", {}).get("en", ()))
    assert re.search("renew|stay allied|remain", said)


def test_a_line_is_judged_as_one_writes(look: Look, person: Player, table: str) -> None:
    page = look(person)
    page.goto(f"/tables/{table}/diplomacy?seat=ROM")
    page.locator("#line").press_sequentially("ROM attacks")
    page.wait_for_timeout(600)
    assert page.locator("[data-verdict]").is_hidden()
    page.locator("#line").press_sequentially(" GRE at Neapolis")
    page.wait_for_selector("[data-verdict].refused")
    assert "f5.1" in page.locator("[data-verdict]").inner_text() or "15." in page.locator("[data-verdict]").inner_text()


def test_six_windows_hold_a_diplomacy_phase_of_virgin_queen(look: Look, site: Server) -> None:
    seats = ("OTT", "SPA", "ENG", "FRA", "HRE", "PRO")
    people = {seat: site.person(f"{seat} at the queen's") for seat in seats}
    table = seated(site, people["ENG"], people, "virgin_queen", title="Six at a table")
    windows = {seat: look(people[seat]) for seat in seats}

    def choices(seat: str, find: str = "") -> list[str]:
        found = people[seat].ok("GET", f"/api/tables/{table}/choices?seat={seat}&most=500&find={find}")["choices"]
        return [one["line"] for one in found]

    def say(seat: str, line: str) -> None:
        """Write a line into the page, see it judged, send it."""
        page = windows[seat]
        page.locator("#line").fill(line)
        page.wait_for_selector("[data-verdict].allowed")
        with page.expect_navigation():
            page.locator("#entry button.main").click()

    for _ in range(20):  # on to the negotiations
        if any("drafts agreement" in line for line in choices("ENG")):
            break
        seat = next(one for one in seats if choices(one))
        line = choices(seat)[0]
        people[seat].ok("POST", f"/api/tables/{table}/commands", {"seat": seat, "command": line})
    for seat, page in windows.items():
        page.goto(f"/tables/{table}/diplomacy")
        until(page, "document.querySelector('[data-state]').textContent === 'live'")
        assert "egotiat" in page.locator("#awaited").inner_text(), seat

    # England drafts an agreement with France and Spain, term by term; what is impossible is refused as one writes
    drafts = next(line for line in choices("ENG", "drafts") if "FRA" in line and line.count(",") == 0)
    assert drafts == "ENG drafts agreement with FRA"
    say("ENG", "ENG drafts agreement with FRA, SPA")
    windows["ENG"].goto(f"/tables/{table}/diplomacy")
    windows["ENG"].locator("#line").fill("ENG writes: OTT allies with SPA")
    windows["ENG"].wait_for_selector("[data-verdict].refused")
    term = next(line for line in choices("ENG", "writes") if re.search("(ENG|FRA|SPA) (allies|makes peace)", line))
    say("ENG", term)
    windows["ENG"].goto(f"/tables/{table}/diplomacy")
    say("ENG", next(line for line in choices("ENG") if line.startswith("ENG offers")))

    # its parties see it come, nobody else does
    for seat in ("FRA", "SPA"):
        until(windows[seat], "document.querySelector('#offers li') !== null")
    for seat in ("OTT", "HRE", "PRO"):
        windows[seat].goto(f"/tables/{table}/diplomacy")
        assert windows[seat].locator("#offers li").count() == 0
        record = windows[seat].request.get(f"/tables/{table}/record").text()
        assert "agreement" not in record[record.index('<ol class="record"') :].lower()

    # they sign, each after seeing what follows
    for seat in ("FRA", "SPA"):
        page = windows[seat]
        page.goto(f"/tables/{table}/diplomacy")
        with page.expect_navigation():
            page.locator("#answers a.button", has_text="sign").first.click()
        assert "Nothing has been done yet" in page.locator("main").inner_text()
        with page.expect_navigation():
            page.locator("button.danger").click()

    # all are done negotiating; what was signed is announced to everybody
    for seat in seats:
        windows[seat].goto(f"/tables/{table}/diplomacy")
        say(seat, f"{seat} is done negotiating" if f"{seat} is done negotiating" in choices(seat) else choices(seat)[0])
    windows["PRO"].goto(f"/tables/{table}/diplomacy")
    assert windows["PRO"].locator("#offers li").count() >= 1
    assert "announced" in windows["PRO"].locator("#offers").inner_text()
