"""`foedus rules` and `foedus cases`."""

from __future__ import annotations

import textwrap

from foedus.cli.output import say
from foedus.cli.positions import game_named
from foedus.cli.reading import InputError, read_text
from foedus.kernel import game as games
from foedus.kernel.faults import fault_of
from foedus.kernel.game import Game
from foedus.kernel.rulebook import Clause, RulebookError, Ruling

_WIDTH = 100
_KINDS = {
    "en": {"P": "permits", "F": "forbids", "D": "is so", "M": "left open", "-": "only named"},
    "ru": {"P": "разрешает", "F": "запрещает", "D": "так и есть", "M": "не решено", "-": "только названо"},
}
_WORDS = {
    "en": {"source": "source", "ruling": "Ruling", "default": "default", "code": "claimed by", "why": "Why"},
    "ru": {
        "source": "источник",
        "ruling": "Решение стола",
        "default": "по умолчанию",
        "code": "в коде",
        "why": "Почему",
    },
}


def show(name: str, clause: str | None, language: str, *, coverage: bool, rulings: bool) -> bool:
    """Print what was asked of a rulebook; False if there is a hole in its coverage."""
    game = game_named(name, {}, name)
    if coverage:
        return _coverage(game, clause)
    if clause is not None:
        try:
            _clause(game, game.rulebook.clause(clause), language)
        except RulebookError as error:
            raise InputError(fault_of(error)) from error
    elif rulings:
        for ruling in game.rulebook.rulings:
            _ruling(ruling, language)
    else:
        wide = max((len(one) for one in game.rulebook.clauses), default=0)
        for one in game.rulebook.clauses.values():
            say(f"{one.id.ljust(wide)}  {one.kind}  {one.title[language]}")
    return True


def _paragraph(text: str) -> None:
    say(textwrap.fill(text, _WIDTH, initial_indent="  ", subsequent_indent="  "))


def _clause(game: Game, clause: Clause, language: str) -> None:
    words = _WORDS[language]
    say(f"{clause.id}  {clause.title[language]}")
    say(f"  [{_KINDS[language][clause.kind]}; {words['source']}: {clause.source}]")
    _paragraph(clause.text[language])
    claims = game.rules.claims.get(clause.id, ())
    if claims:
        _paragraph(f"({words['code']}: {', '.join(claims)})")
    for ruling in game.rulebook.rulings:
        if ruling.clause == clause.id:
            _ruling(ruling, language)


def _ruling(ruling: Ruling, language: str) -> None:
    words = _WORDS[language]
    say(f"{words['ruling']} {ruling.name} ({ruling.clause})")
    _paragraph(ruling.question[language])
    for option in ruling.options:
        mark = f" ({words['default']})" if option == ruling.default else ""
        say(f"  - {option}{mark}: {ruling.words[option][language]}")
    _paragraph(f"{words['why']}: {ruling.reason[language]}")


def _coverage(game: Game, clause: str | None) -> bool:
    from foedus.kernel.cases import CaseError, cases_of, coverage, holes, table

    try:
        only = None if clause is None else [game.rulebook.clause(clause).id]
        rows = coverage(game, cases_of(game), only)
    except RulebookError as error:
        raise InputError(fault_of(error)) from error
    except CaseError as error:
        raise InputError(f"the cases of {game.id}: {error}") from error
    say(table(rows))
    return not holes(rows)


def run_cases(name: str | None, file: str | None) -> bool:
    """Run the cases of one game or all, or those in a file; False if any fails."""
    from foedus.kernel.cases import CaseError, Runner, cases_of, read_cases

    if file is not None:
        chosen = [game_named(name, {}, file)]
    elif name is not None:
        chosen = [game_named(name, {}, name)]
    else:
        chosen = [games.find_game(one) for one in games.known_games()]
    passed = True
    for game in chosen:
        try:
            found = read_cases(read_text(file)) if file is not None else cases_of(game)
        except CaseError as error:
            raise InputError(f"{file or f'the cases of {game.id}'}: {error}") from error
        runner = Runner(game)
        failed = 0
        for case in found:
            failures = runner.run(case).failures
            if failures:
                failed += 1
                say(f"FAILED {', '.join(case.ids)}  {case.title}")
                for failure in failures:
                    say(f"  {failure}")
        passed = passed and not failed
        say(f"{game.id}: {len(found)} cases, {len(found) - failed} pass, {failed} fail")
    return passed
