"""A site for the tests of the pages, and a browser to look at it with."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from web.harness import Player, Server, seated, serving

GAME = "sword_of_rome"
HOSTILE = "<script>alert(1)</script>\"'&amp; الرومان 👑"
SEATS = ("ROM", "ES", "GRE", "GAL")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server for the tests of one file; people of different tests have different names."""
    with serving(tmp_path_factory.mktemp("site") / "foedus.db", heartbeat=1.0) as found:
        yield found


@pytest.fixture
def visitor(site: Server) -> Player:
    """Somebody who is not signed in, whose redirects are followed."""
    player = site.stranger()
    player.client.follow_redirects = True
    return player


@pytest.fixture
def person(site: Server, request: pytest.FixtureRequest) -> Player:
    """Somebody who is signed in."""
    player = site.person(request.node.name[:40])
    player.client.follow_redirects = True
    return player


@pytest.fixture
def table(site: Server, person: Player) -> str:
    """A whole game that has begun, all seats held by one person."""
    return seated(site, person, dict.fromkeys(SEATS, person), GAME, title=HOSTILE, settings={"spectators": True})


def awaited(player: Player, table: str) -> tuple[str, list[dict[str, Any]]]:
    """A seat that has something to choose, and its choices."""
    for seat in SEATS:
        choices = player.ok("GET", f"/api/tables/{table}/choices?seat={seat}&most=500")["choices"]
        if choices:
            return seat, choices
    raise AssertionError("nobody has anything to choose")


def play_until(player: Player, table: str, wanted: Callable[[list[dict[str, Any]]], bool], most: int = 80) -> str:
    """Play on, always the first choice, until a seat has choices as wanted; gives the seat."""
    for _ in range(most):
        seat, choices = awaited(player, table)
        if wanted(choices):
            return seat
        player.ok("POST", f"/api/tables/{table}/commands", {"seat": seat, "command": choices[0]["line"]})
    raise AssertionError("it did not come to that")


def chromium() -> str | None:
    """Where the system's browser is."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        found = shutil.which(name)
        if found:
            return found
    return None


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """The system's Chromium."""
    path = chromium()
    if path is None:
        pytest.skip("NO BROWSER: apt-get install chromium, or these tests say nothing")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield found
        found.close()


Look = Callable[..., Any]


@pytest.fixture
def look(site: Server, browser: Any) -> Iterator[Look]:
    """Opens windows: `look(player, language="en", width=1280, **more)` gives a page that fails on any fault of a script
    or of the Content Security Policy."""
    faults: list[str] = []
    windows: list[Any] = []

    def opened(player: Player | None = None, language: str = "en", width: int = 1280, **more: Any) -> Any:
        window = browser.new_context(viewport={"width": width, "height": 900}, base_url=site.url, **more)
        window.set_default_timeout(8000)
        windows.append(window)
        cookies = [{"name": "language", "value": language, "url": site.url}]
        if player is not None:
            cookies += [{"name": key, "value": value, "url": site.url} for key, value in player.client.cookies.items()]
        window.add_cookies(cookies)
        page = window.new_page()
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda told: faults.append(told.text) if "Content Security" in told.text else None)
        page.on("dialog", lambda dialog: faults.append(f"a dialog: {dialog.message}"))
        return page

    yield opened
    for window in windows:
        window.close()
    assert not faults
