"""`foedus ask`."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from foedus.cli import output
from foedus.kernel import game as games

from .conftest import SKETCH, Run

REFUSED = "AMB sends salt 2 to LAK"
ALLOWED = "AMB sends salt 2 to BIR"


def test_an_allowed_command(run: Run, sketch: Path) -> None:
    ran = run("ask", "caravans", ALLOWED, "--sketch", sketch)
    assert ran.status == 0
    assert ran.out.startswith("Allowed: Amber sends a caravan to Birch.\n")
    assert ran.err == ""


def test_one_refused_among_several(run: Run, sketch: Path) -> None:
    ran = run("ask", "caravans", ALLOWED, REFUSED, "--sketch", sketch)
    assert ran.status == 1
    allowed, refused = ran.out.split("\n\n")
    assert allowed.startswith("Allowed")
    assert refused.startswith("Refused: Amber sends a caravan to the Lake.\n  2  Amber has no pact")


def test_without_a_sketch_it_depends(run: Run) -> None:
    ran = run("ask", "caravans", "NOM ambushes LAK")
    assert ran.status == 1
    assert ran.out.startswith("It depends: ")


def test_json_is_always_a_list(run: Run, sketch: Path) -> None:
    ran = run("ask", "caravans", REFUSED, "whose turn is it", "--sketch", sketch, "--json")
    assert ran.status == 1
    first, second = json.loads(ran.out)
    assert set(first) == {"command", "verdict", "reasons", "rulings", "assumed", "follows", "remedies"}
    assert first["verdict"] == "refused"
    assert second["verdict"] == "allowed"


def test_russian(run: Run, sketch: Path) -> None:
    ran = run("ask", "caravans", REFUSED, "--sketch", sketch, "--lang", "ru")
    assert ran.out.startswith("Нельзя: Янтарь посылает караван")
    ran = run("ask", "caravans", REFUSED, "--sketch", sketch, "--json", "--lang", "ru")
    assert "не связан договором" in json.loads(ran.out)[0]["reasons"][0]["text"]


def test_questions(run: Run, sketch: Path) -> None:
    ran = run("ask", "caravans", "whose turn is it", "--sketch", sketch)
    assert (ran.status, ran.out) == (0, "It is the turn of AMB.\n")
    assert run("ask", "caravans", "whose turn is it").status == 1


def test_a_sketch_from_standard_input(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(SKETCH.encode())))
    assert run("ask", "caravans", ALLOWED, "--sketch", "-").status == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["ask", "caravan", "AMB rests"], "unknown game 'caravan'; did you mean caravans?"),
        (["ask", "caravans", "ABM rests"], "'ABM rests': unknown power 'ABM'"),
        (["ask", "caravans", "AMB rests", "AMB dances"], "command 2: 'AMB dances': 'dances' is not understood"),
        (["ask", "caravans", "whose turn comes"], "goes on 'is it'"),
        (["ask", "caravans", ""], "the line is empty"),
        (["ask", "caravans", "AMB " * 1000], "longer than 500 characters"),
        (["ask", "caravans", *["AMB rests"] * 1001], "more than 1000 commands"),
        (["ask", "caravans", "AMB \udce9"], "is not UTF-8 text"),
        (["ask", "caravans", "AMB rests", "--sketch", "nowhere.toml"], "nowhere.toml: cannot be read: No such file"),
        (["ask", "caravans", "AMB rests", "--sketch", "bad\0name"], "cannot be read"),
    ],
)
def test_wrong_input_is_one_message(run: Run, arguments: list[str], message: str) -> None:
    ran = run(*arguments)
    assert ran.status == 2
    assert ran.out == ""
    assert ran.err.startswith("foedus: ")
    assert message in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["ask", "caravan", "AMB rests"], "foedus: неизвестная игра «caravan»; может быть, caravans?"),
        (["ask", "caravans", "ABM rests"], "foedus: «ABM rests»: неизвестное имя «ABM» (держава)"),
        (["ask", "caravans", "AMB rests", ""], "foedus: команда 2: «»: строка пуста"),
        (["ask", "caravans", "AMB ambushes"], "строка обрывается; дальше ожидается держава"),
        (["ask", "caravans", "AMB " * 1000], "строка длиннее 500 символов"),
        (["ask", "caravans", "AMB rests", "--sketch", "nowhere.toml"], "nowhere.toml: не читается: "),
        (["rules", "caravans", "3.N"], "неизвестное имя «3.N» (правило); может быть, 3.M"),
    ],
)
def test_wrong_input_is_told_in_russian(run: Run, arguments: list[str], message: str) -> None:
    ran = run(*arguments, "--lang", "ru")
    assert ran.status == 2
    assert message in ran.err
    assert "строка" not in run("ask", "caravans", "").err  # the next one has not asked for Russian


@pytest.mark.parametrize(
    "arguments", [["ask"], ["ask", "caravans"], ["ask", "caravans", "x", "--lang", "la"], ["nope"]]
)
def test_wrong_use(run: Run, arguments: list[str]) -> None:
    assert run(*arguments).status == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("active = ", "line 1: this is not TOML: Invalid value"),
        ('a = 1\nb = 2\nactive == "AMB"\n', "line 3: this is not TOML"),
        ("a = " + "[" * 5000, "not TOML|nested too deeply"),
        ("game = 3", "'game' must be a text"),
        ('game = "chess"', "is a position of the game 'chess', not of 'caravans'"),
        ('players = "four"', "players: a whole number is needed"),
        ("nonsense = 1", "unknown key 'nonsense'"),
        ('rulings = { far_end = "never" }', "has no option 'never'"),
    ],
)
def test_a_wrong_sketch_is_named_with_its_file(run: Run, tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "night.toml"
    path.write_text(text)
    ran = run("ask", "caravans", "AMB rests", "--sketch", path)
    assert ran.status == 2
    assert str(path) in ran.err
    assert any(part in ran.err for part in message.split("|"))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is empty"),
        (b"  \n\n", "is empty"),
        (b"\x7fELF\0\0\0", "is binary, not text"),
        (b"a = 1\nb = '\xff\xfe'\n", "line 2: is not UTF-8 text"),
        (b"# " + b"x" * 50_000_000, "has 50000002 bytes; at most 1000000 are read"),
    ],
    ids=["empty", "blank", "binary", "latin", "huge"],
)
def test_files_that_cannot_be_read(run: Run, tmp_path: Path, data: bytes, message: str) -> None:
    path = tmp_path / "night.toml"
    path.write_bytes(data)
    for arguments in (["ask", "caravans", "AMB rests", "--sketch", path], ["replay", path], ["status", path]):
        ran = run(*arguments)
        assert ran.status == 2
        assert message in ran.err


@pytest.mark.skipif(os.name != "posix", reason="devices and pipes of POSIX")
def test_what_is_no_plain_file(run: Run, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path, message in ((tmp_path, "is a directory"), (Path("/dev/zero"), "plain file"), (pipe, "plain file")):
        ran = run("ask", "caravans", "AMB rests", "--sketch", path)
        assert ran.status == 2
        assert message in ran.err


def test_an_endless_standard_input_is_read_within_bounds(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    class Endless(io.RawIOBase):
        given = 0

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
            buffer[:] = b"#" * len(buffer)
            Endless.given += len(buffer)
            return len(buffer)

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(Endless())))  # type: ignore[type-var]
    ran = run("ask", "caravans", "AMB rests", "--sketch", "-")
    assert ran.status == 2
    assert "standard input: more than 1000000 bytes" in ran.err
    assert Endless.given < 3_000_000


def test_byte_order_marks_and_line_ends_of_windows(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "night.toml"
    path.write_bytes(b"\xef\xbb\xbf" + SKETCH.replace("\n", "\r\n").encode())
    assert run("ask", "caravans", ALLOWED, "--sketch", path).status == 0


def test_json_is_ascii_where_the_terminal_is_not_utf8(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="latin-1")
    output.prepare(stream)
    monkeypatch.setattr(sys, "stdout", stream)
    output.say_json(["Рим"])
    output.say("Рим")
    stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    text = buffer.getvalue().decode("ascii")
    assert json.loads(text[: text.index("]") + 1]) == ["Рим"]
    assert text.endswith("???\n")


def test_the_terminal_is_not_steered(capsys: pytest.CaptureFixture[str]) -> None:
    output.say("a\x1b[31mb\x9bc\td")
    output.complain("a\x1bb")
    told = capsys.readouterr()
    assert told.out == "a\ufffd[31mb\ufffdc\td\n"
    assert told.err == "foedus: a\ufffdb\n"


def test_only_one_game_need_not_be_named(
    run: Run, tmp_path: Path, sketch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "bare.toml"
    path.write_text('active = "AMB"\n')
    assert run("status", path).status == 0
    known = games.known_games()
    monkeypatch.setattr(games, "known_games", lambda: {**known, "other": None})
    ran = run("status", path)
    assert ran.status == 2
    assert "which game? name it by --game or the key 'game'; caravans, other" in ran.err
    assert run("status", path, "--game", "caravans").status == 0


# the command itself, in a process of its own


def foedus(*arguments: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "foedus.cli.main", *arguments],
        capture_output=True,
        env={**os.environ, **environment},
        timeout=60,
        check=False,
    )


def test_the_process_exits_with_the_status() -> None:
    ran = foedus("ask", "nonsense", "x")
    assert ran.returncode == 2
    assert ran.stderr.decode().startswith("foedus: unknown game 'nonsense'")
    assert ran.stdout == b""
    ran = foedus("--version")
    assert ran.returncode == 0
    assert ran.stdout.startswith(b"foedus ")


def test_help_does_not_load_what_is_heavy() -> None:
    code = (
        "import sys\n"
        "from foedus.cli import main\n"
        "assert not [m for m in sys.modules if m.startswith(('foedus.kernel', 'foedus.games', 'rich.'))], sys.modules\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60, check=False)
    assert ran.returncode == 0, ran.stderr.decode()


def test_a_reader_that_goes_away_is_no_error() -> None:
    code = (
        "import sys, os\n"
        "from foedus.cli import main, output\n"
        "def work():\n"
        "    for _ in range(100000): output.say('x' * 80)\n"
        "raise SystemExit(main._guarded(work))\n"
    )
    reader, writer = os.pipe()
    with subprocess.Popen([sys.executable, "-c", code], stdout=writer, stderr=subprocess.PIPE) as process:
        os.close(writer)
        os.read(reader, 100)
        os.close(reader)
        assert process.stderr is not None
        assert process.stderr.read() == b""
        assert process.wait(60) == 1
