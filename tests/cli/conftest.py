"""The command line as a person meets it: arguments in; text, complaints and an exit status out."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from foedus.cli import main
from foedus.kernel import game as games
from kernel import desk_game


@dataclass(frozen=True)
class Ran:
    status: int
    out: str
    err: str


Run = Callable[..., Ran]


class _Point:
    def __init__(self, game: Any) -> None:
        self.game = game

    def load(self) -> Any:
        return self.game


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs `foedus` with Caravans as the only game installed."""
    monkeypatch.setattr(games, "known_games", lambda: {"caravans": _Point(desk_game.GAME)})

    def go(*arguments: str | Path) -> Ran:
        with pytest.raises(SystemExit) as end:
            main.run([str(argument) for argument in arguments])
        told = capsys.readouterr()
        assert isinstance(end.value.code, int)
        return Ran(end.value.code, told.out, told.err)

    return go


Typed = Callable[..., Ran]


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Typed:
    """Runs `foedus` with the games that are installed, typing lines: `typed(["play", ...], "line", "line")`."""

    def go(arguments: Sequence[str | Path], *lines: str) -> Ran:
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        with pytest.raises(SystemExit) as end:
            main.run([str(argument) for argument in arguments])
        told = capsys.readouterr()
        assert isinstance(end.value.code, int)
        return Ran(end.value.code, told.out, told.err)

    return go


SKETCH = """# a position
game = "caravans"
active = "AMB"
pacts = [["AMB", "BIR"]]
gold = { AMB = 1, BIR = 1 }
closed = []
ford = 0
"""


@pytest.fixture
def sketch(tmp_path: Path) -> Path:
    path = tmp_path / "night.toml"
    path.write_text(SKETCH, encoding="utf-8")
    return path
