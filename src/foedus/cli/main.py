"""The commands of `foedus`. Each does little but read, hand over to the kernel, and print."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Annotated, Any, Literal

import typer

from foedus.cli.output import complain, prepare, say, say_json, speak
from foedus.cli.reading import InputError, checked_lines, read_text, read_toml

OK, NO, WRONG = 0, 1, 2

Language = Literal["en", "ru"]
Lang = Annotated[Language, typer.Option("--lang", callback=speak, is_eager=True, help="The language of the answer.")]
GameName = Annotated[str, typer.Argument(metavar="GAME", help="The game, such as sword_of_rome.")]
GameOption = Annotated[str | None, typer.Option("--game", metavar="GAME", help="The game, if the file does not say.")]

app = typer.Typer(
    name="foedus",
    help="A referee for the diplomacy of multi-power board wargames.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
board = typer.Typer(help="Boards in files.", no_args_is_help=True, rich_markup_mode=None)
app.add_typer(board, name="board")


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        say(f"foedus {version('foedus')}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """A referee for the diplomacy of multi-power board wargames."""


@app.command()
def ask(
    game: GameName,
    commands: Annotated[list[str], typer.Argument(metavar="COMMAND...", help="A command or a question, one each.")],
    sketch: Annotated[str | None, typer.Option("--sketch", metavar="FILE", help="The position; - reads it.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the rulings as JSON.")] = False,
    lang: Lang = "en",
) -> None:
    """Rule on commands in a position: one ruling each, with the clauses that decide.

    Exit status: 0 if all are allowed, 1 if any is refused or depends, 2 if the input is wrong.
    """
    from foedus.cli.positions import game_named, sketched
    from foedus.kernel import desk
    from foedus.kernel.faults import Fault, fault_of
    from foedus.kernel.notation import NotationError

    lines = checked_lines(commands)
    place = sketch or ""
    text = read_text(sketch) if sketch is not None else ""
    data = read_toml(text, place) if text else {}
    referee, state = sketched(game_named(game, data, place), data, text, place)
    asked = []
    for number, line in enumerate(lines, 1):
        try:
            asked.append(desk.read_line(referee, line, lang))
        except NotationError as error:
            which = "command" if len(lines) > 1 else "the_command"
            raise InputError(Fault(which, number=number, line=line[:200], fault=fault_of(error))) from error
    said = [desk.ask(referee, state, one, lang) for one in asked]
    if as_json:
        say_json([one.data for one in said])
    else:
        say("\n\n".join(one.text for one in said))
    raise typer.Exit(OK if all(one.ok for one in said) else NO)


@app.command()
def replay(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A record (.jsonl) or a script (.foedus).")],
    judge: Annotated[bool, typer.Option("--judge", help="Also judge the commands of a record.")] = False,
    every: Annotated[bool, typer.Option("--all", help="Go on after a refusal.")] = False,
    game: GameOption = None,
    lang: Lang = "en",
) -> None:
    """Play a record or a script through.

    A record is applied; a script is judged line by line, up to the first refusal. Exit status: 0 if all went through,
    1 if something was refused or depends, 2 if the input is wrong.
    """
    from foedus.cli.playing import replay_file

    raise typer.Exit(OK if replay_file(file, game, lang, judge=judge, every=every) else NO)


@app.command()
def rules(
    game: GameName,
    clause: Annotated[str | None, typer.Argument(metavar="[CLAUSE]", help="One clause, such as 15.2.2c.")] = None,
    coverage: Annotated[bool, typer.Option("--coverage", help="How code and cases cover the clauses.")] = False,
    rulings: Annotated[bool, typer.Option("--rulings", help="The points a table may settle for itself.")] = False,
    lang: Lang = "en",
) -> None:
    """Show the clauses of a game, one clause, its rulings, or how well all are covered.

    With --coverage the exit status is 1 if there is a hole.
    """
    from foedus.cli import rulebooks

    raise typer.Exit(OK if rulebooks.show(game, clause, lang, coverage=coverage, rulings=rulings) else NO)


@app.command()
def cases(
    game: Annotated[str | None, typer.Argument(metavar="[GAME]", help="The game; all if none is named.")] = None,
    file: Annotated[str | None, typer.Option("--file", metavar="FILE", help="Cases of your own.")] = None,
) -> None:
    """Run the test cases of a game and print what fails. Exit status: 1 if any fails."""
    from foedus.cli import rulebooks

    raise typer.Exit(OK if rulebooks.run_cases(game, file) else NO)


@app.command()
def status(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A sketch (.toml), a script or a record.")],
    bbcode: Annotated[bool, typer.Option("--bbcode", help="In BBCode, for forums.")] = False,
    game: GameOption = None,
    lang: Lang = "en",
) -> None:
    """Print a status sheet to paste into mail, a forum or a chat."""
    from foedus.cli.playing import status_sheet

    say(status_sheet(file, game, lang, bbcode=bbcode))


@board.command("check")
def check_board(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A board: TOML, or a folder or table of CSV.")],
    game: GameOption = None,
) -> None:
    """Check a board and print every fault with its place. Exit status: 1 if there is any."""
    from foedus.cli.positions import game_named

    found = game_named(game, {}, file)
    if found.check_board is None:
        raise InputError(f"the game '{found.id}' has no boards to check")
    faults = found.check_board(file)
    for fault in faults:
        say(fault)
    if not faults:
        say(f"{file}: no fault found")
    raise typer.Exit(NO if faults else OK)


def run(arguments: list[str] | None = None) -> None:
    """The entry point: runs the command and turns wrong input into one message and exit status 2."""
    prepare(sys.stdout)
    prepare(sys.stderr)
    speak("en")
    sys.exit(_guarded(lambda: app(args=arguments, standalone_mode=True)))


def _guarded(work: Callable[[], Any]) -> int:
    try:
        work()
    except InputError as error:
        complain(error)
        return WRONG
    except BrokenPipeError:
        # whoever read us has gone; nothing may be written at exit either
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return NO
    except KeyboardInterrupt:
        return 130
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else OK if end.code is None else WRONG
    finally:
        _flush()
    return OK


def _flush() -> None:
    try:
        sys.stdout.flush()
    except (BrokenPipeError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    run()
