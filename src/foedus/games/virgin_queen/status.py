"""The status sheet, the Diplomatic Status Display among it (ally.9)."""

from __future__ import annotations

from foedus.games.virgin_queen.state import (
    MAJORS,
    MINORS,
    NAVAL_KINDS,
    POWERS,
    Fleet,
    State,
)
from foedus.kernel.desk import Speaker
from foedus.kernel.unknown import NONE, UNKNOWN
from foedus.kernel.values import bits
from foedus.kernel.words import capital


def cell(state: State, a: int, b: int) -> str:
    """What lies in the cell of two powers: W at war, A allied, M the minor ally of the other, ? unknown, . nothing."""
    if state.wars[a] >> b & 1:
        return "W"
    if state.allies[a] >> b & 1:
        return "A"
    if state.minor_ally[a] == b:
        return "M"
    if state.minor_ally[b] == a:
        return "M"
    if (
        state.unsure_wars[a] >> b & 1
        or state.unsure[a] >> b & 1
        or UNKNOWN in (state.minor_ally[a], state.minor_ally[b])
    ):
        return "?"
    return "."


def display(state: State) -> list[str]:
    """The Diplomatic Status Display as lines of text: a row a great power, a column each power."""
    columns = (*MAJORS, *MINORS)
    lines = ["    " + " ".join(POWERS[power] for power in columns)]
    for row in MAJORS:
        cells = ("-" if row == column else cell(state, row, column) for column in columns)
        lines.append(f"{POWERS[row]} " + " ".join(f" {one} " for one in cells).rstrip())
    return lines


def status(state: State, language: str) -> list[tuple[str, list[str]]]:
    """A status sheet: (heading, lines), as far as known."""
    speaker = Speaker(state.world.referee, language)
    say, value = speaker.say, speaker.value
    sheet: list[tuple[str, list[str]]] = []
    moment = []
    if state.turn > 0:
        moment.append(f"{say('ui/turn', {})} {state.turn}")
    if state.phase >= 0:
        moment.append(value("phase", state.phase))
    if state.active >= 0:
        moment.append(f"{say('ui/active', {})}: {value('power', state.active)}")
    if moment:
        sheet.append((say("ui/position", {}), moment))
    if state.winners:
        sheet.append((say("ui/victory", {}), [value("seat", seat) for seat in state.winners]))
    sheet.append((say("ui/display", {}), [*display(state), say("ui/legend", {})]))
    for key, masks, unsure in (("alliances", state.allies, state.unsure), ("wars", state.wars, state.unsure_wars)):
        pairs = [(a, b) for a in range(len(masks)) for b in bits(masks[a]) if a < b]
        lines = [capital(say("ui/allied", {"a": a, "b": b})) for a, b in pairs]
        if any(unsure):
            lines.append(say("ui/unknown", {}))
        sheet.append((say(f"ui/{key}", {}), lines or [say(f"ui/no_{key}", {})]))
    minors = []
    for power in (*MINORS, *state.world.inactive):
        patron = state.minor_ally[power]
        if patron != UNKNOWN:
            said = say("ui/neutral", {}) if patron == NONE else value("power", patron)
            minors.append(capital(f"{value('power', power)}: {said}"))
    if minors:
        sheet.append((say("ui/minors", {}), minors))
    loans = [
        capital(
            f"{value('power', fleet.owner)} → {value('power', fleet.holder)}: "
            f"{_ships(fleet, speaker)}, {value('place', place)}"
        )
        for place, fleets in enumerate(state.fleets)
        for fleet in fleets
        if fleet.owner >= 0 and fleet.owner != fleet.holder
    ]
    if loans:
        sheet.append((say("ui/loans", {}), loans))
    captives = [
        capital(f"{value('leader', leader)}: {value('power', captor)}")
        for leader, captor in enumerate(state.captor)
        if captor >= 0
    ]
    if captives:
        sheet.append((say("ui/captives", {}), captives))
    sieges = [
        capital(f"{value('space', space)}: {value('power', power)}")
        for space, power in enumerate(state.besieged_by)
        if power >= 0
    ]
    if sieges:
        sheet.append((say("ui/siege", {}), sieges))
    keys = [f"{capital(value('power', power))}: {state.vp[power]}" for power in MAJORS if state.vp[power] != UNKNOWN]
    if keys:
        sheet.append((say("ui/vp", {}), keys))
    return sheet


def _ships(fleet: Fleet, speaker: Speaker) -> str:
    """So many naval units of a kind; a Russian name does not bend with the number, so the number stands behind it."""
    if speaker.language == "en":
        return f"{fleet.count} {NAVAL_KINDS[fleet.kind]}"
    return f"{speaker.value('naval', fleet.kind)} × {fleet.count}"
