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
Players = Annotated[int | None, typer.Option("--players", metavar="P", help="How many players.")]
GameOption = Annotated[str | None, typer.Option("--game", metavar="GAME", help="The game, if the file does not say.")]
DeckFile = Annotated[
    str | None, typer.Option("--deck", metavar="FILE", help="Play with the deck in this file, TOML or CSV.")
]
BoardFile = Annotated[
    str | None, typer.Option("--board", metavar="FILE", help="Play on the board in this file, TOML or CSV.")
]
TablesFile = Annotated[
    str | None, typer.Option("--tables", metavar="FILE", help="Tables of numbers of your own, in TOML.")
]

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
deck = typer.Typer(help="Decks of cards in files.", no_args_is_help=True, rich_markup_mode=None)
app.add_typer(deck, name="deck")

db = typer.Typer(help="The database of a server.", no_args_is_help=True, rich_markup_mode=None)
app.add_typer(db, name="db")


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


@app.command()
def sim(
    game: GameName,
    players: Players = None,
    games: Annotated[int, typer.Option("--games", metavar="N", help="How many games.")] = 10,
    seed: Annotated[int, typer.Option("--seed", metavar="S", help="The first game's seed; the next has the next.")] = 1,
    steps: Annotated[int, typer.Option("--steps", metavar="N", help="Break a game off after so many steps.")] = 20_000,
    style: Annotated[
        str, typer.Option("--style", help="How they play: plain, warlike, diplomatic, curious, or mixed.")
    ] = "plain",
    rulings: Annotated[
        str, typer.Option("--rulings", help="default, or mixed: some points settled otherwise in each game.")
    ] = "default",
    deck: DeckFile = None,
    board_file: BoardFile = None,
    tables: TablesFile = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
    lang: Lang = "en",
) -> None:
    """Play whole games at random and print what happened. Exit status: 1 if there was a fault."""
    from foedus.cli.simulating import Games, simulate

    wanted = Games(game, players, games, seed, steps, style, rulings, deck, board_file, tables)
    fine = simulate(wanted, as_json=as_json, language=lang)
    raise typer.Exit(OK if fine else NO)


@app.command()
def play(
    game: GameName,
    players: Players = None,
    ledger: Annotated[bool, typer.Option("--ledger", help="Keep the ledger of a game on a real board.")] = False,
    sketch: Annotated[
        str | None, typer.Option("--sketch", metavar="FILE", help="Where a ledger begins; else nothing is known.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", metavar="S", min=0, help="Dice that are the same each time, for trying out.")
    ] = None,
    save: Annotated[str | None, typer.Option("--save", metavar="FILE", help="Write the record here.")] = None,
    load: Annotated[str | None, typer.Option("--load", metavar="FILE", help="Go on with a record.")] = None,
    deck: DeckFile = None,
    board_file: BoardFile = None,
    tables: TablesFile = None,
    bots: Annotated[str, typer.Option("--bots", metavar="SEATS", help="Seats played at random, as GAL,GRE.")] = "",
    ruling: Annotated[
        list[str] | None, typer.Option("--ruling", metavar="NAME=OPTION", help="A ruling; may be repeated.")
    ] = None,
    lang: Lang = "en",
) -> None:
    """Play at one keyboard, or keep the ledger of a game that is played on a real board (--ledger)."""
    if ledger:
        from foedus.cli.ledger import keep

        keep(game, players, sketch, save, load, ruling or (), lang)
        return
    if sketch is not None:
        raise InputError("--sketch: is for a ledger (--ledger)")
    from foedus.cli.hotseat import play as play_game

    play_game(game, players, seed, save, load, bots, ruling or (), lang, deck, board_file, tables)


@app.command()
def verify(
    file: Annotated[str, typer.Argument(metavar="RECORD", help="A record (.jsonl).")],
    secret: Annotated[
        str | None, typer.Option("--secret", metavar="FILE", help="The secret of the dice, if not published yet.")
    ] = None,
    dice_only: Annotated[bool, typer.Option("--dice-only", help="Do not carry the commands out anew.")] = False,
    lang: Lang = "en",
) -> None:
    """Check a record: its lines, every roll and draw of its dice, and what followed from each command.

    Exit status: 0 if all holds, 1 if not.
    """
    from foedus.cli.verifying import verify_file

    raise typer.Exit(OK if verify_file(file, secret, lang, rules=not dice_only) else NO)


Database = Annotated[
    str, typer.Option("--db", metavar="ADDRESS", envvar="FOEDUS_DB", help="An SQLite file, or postgresql://...")
]


@app.command()
def serve(
    address: Database = "foedus.db",
    host: Annotated[str, typer.Option("--host", help="Where to listen; 0.0.0.0 for everywhere.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="The port; 0 takes a free one.")] = 8000,
    workers: Annotated[int, typer.Option("--workers", min=1, max=64, help="More than one needs PostgreSQL.")] = 1,
    url: Annotated[str, typer.Option("--url", help="How people reach the site, if a proxy stands before it.")] = "",
    logs: Annotated[str, typer.Option("--logs", help="json, text or none.")] = "text",
    notices: Annotated[
        str,
        typer.Option("--notices", help="The kinds of apprise addresses that people may use, such as tgram,mailtos."),
    ] = "",
) -> None:
    """Run a server: tables, pages and API."""
    from foedus.cli.serving import run_server

    run_server(address, host, port, workers, url, logs, notices)


@db.command("upgrade")
def upgrade_database(address: Database = "foedus.db") -> None:
    """Bring a database to the newest form."""
    from foedus.cli.serving import upgrade_database as upgrade

    upgrade(address)


@app.command()
def backup(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Where to, such as foedus-2026-11-30.gz.")],
    address: Database = "foedus.db",
) -> None:
    """Write a backup of a database while the server runs. It holds the secrets of the dice: keep it safe."""
    from foedus.cli.serving import make_backup

    make_backup(address, file)


@app.command()
def restore(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A backup.")], address: Database = "foedus.db"
) -> None:
    """Fill an empty database from a backup."""
    from foedus.cli.serving import restore_backup

    restore_backup(address, file)


@app.command("export")
def export_table(
    table: Annotated[str, typer.Argument(metavar="TABLE", help="The id of a table, as in its address.")],
    address: Database = "foedus.db",
) -> None:
    """Print the record of a table as it stands. Before the end it holds what the seats keep from each other, but not
    the secret of the dice."""
    from foedus.cli.serving import print_record

    print_record(address, table)


@app.command("import")
def import_table(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A record (.jsonl).")],
    title: Annotated[str, typer.Option("--title", help="How the table is called.")] = "",
    watch: Annotated[bool, typer.Option("--watch", help="Anybody may watch it.")] = False,
    address: Database = "foedus.db",
) -> None:
    """Make a table of a record, without a host: a ledger goes on, a game that was played can be looked at."""
    from foedus.cli.serving import import_file

    import_file(address, file, title, watch)


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


@deck.command("check")
def check_deck(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A deck: TOML or a CSV table.")],
    game: GameOption = None,
) -> None:
    """Check a deck and print every fault with its place. Exit status: 1 if there is any."""
    from foedus.cli.positions import game_named

    found = game_named(game, {}, file)
    if found.check_deck is None:
        raise InputError(f"the game '{found.id}' has no decks to check")
    faults = found.check_deck(file)
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
