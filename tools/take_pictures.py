"""Take the pictures of the main pages for the README: `make pictures` writes docs/pictures/*.jpeg.

Needs the system's Chromium. A site of its own is started on a new database, and a game is played into its first turns
at random.
"""

from __future__ import annotations

import shutil
import socket
import sys
import tempfile
import threading
import time
from pathlib import Path
from random import Random
from typing import Any

import httpx
import uvicorn
from playwright.sync_api import Browser, sync_playwright

from foedus.web.app import create_app
from foedus.web.settings import Settings

FOLDER = Path(__file__).parent.parent / "docs" / "pictures"
GAME = "sword_of_rome"
SEATS = ("ROM", "ES", "GRE", "GAL")
STEPS = 150
SCREEN, PHONE = (1280, 860), (390, 844)
LANGUAGES = ("en", "ru")
ON_A_PHONE = ("front", "desk", "table", "ledger")
QUESTION = "base=setup&active=ROM&alliances=ROM-ETR&alliances=GRE-SAM&ask=ROM+besieges+Tarquinii"


def pages(table: str, ledger: str) -> dict[str, str]:
    """The pages to show, by the names of their pictures."""
    return {
        "front": "/",
        "desk": f"/desk/{GAME}?{QUESTION}#answer",
        "rules": f"/rules/{GAME}/15.2.2c",
        "sample": f"/samples/{GAME}-1?at=700",
        "queen": "/samples/virgin_queen-1?at=500",
        "table": f"/tables/{table}",
        "diplomacy": f"/tables/{table}/diplomacy",
        "record": f"/tables/{table}/record",
        "ledger": f"/tables/{ledger}",
        "host": f"/tables/{table}/host",
    }


def serve(folder: str) -> tuple[uvicorn.Server, str]:
    """A site in a thread of its own, and its address."""
    app = create_app(Settings(db=str(Path(folder) / "foedus.db"), rate=0, logs="none", metrics=False))
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    listening.listen(64)
    server = uvicorn.Server(uvicorn.Config(app, log_level="critical", access_log=False))
    threading.Thread(target=server.run, args=([listening],), daemon=True).start()
    while not server.started:
        time.sleep(0.02)
    return server, f"http://127.0.0.1:{listening.getsockname()[1]}"


class Person:
    """Somebody who is signed in."""

    def __init__(self, url: str, name: str) -> None:
        self.client = httpx.Client(base_url=url, timeout=30)
        self.client.get("/api/session")
        self.send("/api/people", {"name": name, "password": "long enough"})

    def send(self, path: str, data: Any = None) -> Any:
        """Send something; what comes back must be well."""
        told = {"x-csrftoken": self.client.cookies.get("csrftoken") or ""}
        return self.client.post(path, json=data, headers=told).raise_for_status().json()


def prepare(url: str) -> tuple[Person, str, str]:
    """A person with a game under way and a ledger."""
    anna = Person(url, "Anna")
    spec = {"game": GAME, "title": "Thursday night", "settings": {"spectators": True}}
    table = anna.send("/api/tables", spec)["id"]
    for seat in SEATS:
        anna.send(f"/api/tables/{table}/seats/{seat}")
    anna.send(f"/api/tables/{table}/begin")
    random = Random(3)
    for _ in range(STEPS):
        for seat in SEATS:
            choices = anna.client.get(f"/api/tables/{table}/choices?seat={seat}&most=500").json()["choices"]
            if choices:
                told = {"seat": seat, "command": choices[int(random.random() * len(choices))]["line"]}
                anna.send(f"/api/tables/{table}/commands", told)
                break
    sketch = 'turn = 3\nround = 2\nactive = "ROM"\nelsewhere = "home"\nalliances = ["ROM-ETR", "GRE-SAM"]\n'
    points = "vp = { ROM = 6, ES = 5, GRE = 7, GAL = 4 }\n"
    ledger = anna.send(
        "/api/tables", {"game": GAME, "kind": "ledger", "title": "Beside our board", "sketch": sketch + points}
    )["id"]
    anna.send(f"/api/tables/{ledger}/seats/ROM")
    anna.send(f"/api/tables/{ledger}/commands", {"seat": "ROM", "command": "ROM proposes alliance to GAL"})
    return anna, table, ledger


def take(browser: Browser, url: str, person: Person, shown: dict[str, str], only: list[str]) -> None:
    """The pages in both languages, as on a screen, and some as on a phone."""
    for language in LANGUAGES:
        for kind, (width, height) in (("", SCREEN), ("-phone", PHONE)):
            window = browser.new_context(viewport={"width": width, "height": height}, device_scale_factor=1)
            cookies = {**dict(person.client.cookies), "language": language}
            window.add_cookies([{"name": name, "value": value, "url": url} for name, value in cookies.items()])
            page = window.new_page()
            for name, path in shown.items():
                if (only and name not in only) or (kind and name not in ON_A_PHONE):
                    continue
                page.goto(url + path, wait_until="load")
                page.wait_for_timeout(900)
                page.screenshot(path=FOLDER / f"{name}{kind}-{language}.jpeg", type="jpeg", quality=80)
            window.close()


def main() -> None:
    """Take them all, or only those that are named."""
    found = next(
        (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
    )
    if found is None:
        sys.exit("Chromium is needed: apt-get install chromium")
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        server, url = serve(folder)
        person, table, ledger = prepare(url)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
            take(browser, url, person, pages(table, ledger), sys.argv[1:])
            browser.close()
        server.should_exit = True


if __name__ == "__main__":
    main()
