"""`foedus verify`."""

from __future__ import annotations

from foedus.cli.output import say
from foedus.cli.reading import MAX_RECORD, InputError, read_text
from foedus.kernel.game import find_game

_WORDS = {
    "en": {
        "chain": "lines chained: {n}",
        "unchained": "the lines are not chained: a changed or missing line may not show",
        "draws": "draws recomputed: {n}",
        "none": "no draws of the table's own dice",
        "told": "told by the players, not rolled: {n}",
        "fine": "the record holds",
        "wrong": "the record does not hold: {n} found",
    },
    "ru": {
        "chain": "записей в цепочке: {n}",
        "unchained": "записи не связаны в цепочку: изменённая или пропавшая может остаться незамеченной",
        "draws": "пересчитано бросков: {n}",
        "none": "бросков самого стола нет",
        "told": "сообщено игроками, а не брошено: {n}",
        "fine": "запись верна",
        "wrong": "запись неверна, найдено: {n}",
    },
}


def verify_file(path: str, secret: str | None, language: str, *, rules: bool) -> bool:
    """Check a record and say what was found; False if something does not hold."""
    from foedus.kernel.audit import audit

    text = read_text(path, MAX_RECORD)
    key = None
    if secret is not None:
        try:
            key = bytes.fromhex(read_text(secret).strip())
        except ValueError:
            raise InputError(f"{secret}: is no secret: hex digits are needed") from None
    found = audit(text.split("\n"), find_game, secret=key, rules=rules)
    words = _WORDS[language]
    for fault in found.faults:
        say(f"{path}: {fault}")
    for line, draw in found.told:
        result = " ".join(map(str, draw.result))
        say(f"{path}: line {line}: {words['told'].format(n=f'{result} ({draw.purpose})')}")
    say(words["chain"].format(n=found.chained) if found.chained else words["unchained"])
    say(words["draws"].format(n=found.draws) if found.draws else words["none"])
    say(words["wrong"].format(n=len(found.faults)) if found.faults else words["fine"])
    return not found.faults
