"""What reaches a viewer of what has happened: one line of JSON a batch, of only what it may know.

A batch of which a viewer may know nothing gives that viewer no line, and every viewer counts its own lines: neither a
gap nor a number shows that something secret happened.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from foedus.kernel.desk import Speaker
from foedus.kernel.flow import Corrected
from foedus.kernel.referee import Referee
from foedus.kernel.values import Event
from foedus.table.journal import Entry

SPECTATOR: Final = ""
"""The viewer that is no seat."""
LANGUAGES: Final = ("en", "ru")

BackFor = Callable[[str, int], int]
"""(viewer, batch) -> the number of the viewer's last line that tells of that batch or of one before it."""


class Teller:
    """Tells the viewers of one table. `open`: commands are typed for all to see, as into a ledger."""

    def __init__(self, referee: Referee, seats: Mapping[str, int], *, open: bool = False) -> None:
        self.referee = referee
        self.open = open
        self.viewers: dict[str, int | None] = {**seats, SPECTATOR: None}
        self.speakers = {language: Speaker(referee, language) for language in LANGUAGES}

    def seen(self, entry: Entry, viewer: str) -> list[Event]:
        """The events of a batch as a viewer may know them; empty if it may not know of any."""
        return self.referee.view_events(entry.before, entry.events, self.viewers[viewer])

    def tell(
        self, entry: Entry, time: str, back: BackFor, undone: Sequence[Entry] = ()
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        """What each viewer is told of a batch, for those that may know of it. `undone` are the batches that it takes
        back, if it does."""
        command = None
        said: dict[int, dict[str, str]] = {}  # only of the events of the entry itself, which live as long as this
        originals = {id(event) for event in entry.events}
        for viewer in self.viewers:
            events = self.seen(entry, viewer)
            if undone and not any(self.seen(one, viewer) for one in undone):
                continue  # it never knew of them
            if not events and (entry.events or not self.open):
                continue
            if undone:
                events = [_numbered(one, viewer, back) for one in events]
            line: dict[str, Any] = {"what": "events", "time": time}
            # who did it by which command is for others told by the events, which hide what is to be hidden
            if entry.seat >= 0 and (undone or self.open or self.viewers[viewer] == entry.seat):
                line["by"] = str(self.referee.world.names["seat"][entry.seat])
            if entry.line and (undone or entry.command is None or self.open or self.viewers[viewer] == entry.seat):
                line["line"] = entry.line
            if entry.command is not None and (self.open or self.viewers[viewer] == entry.seat):
                if command is None:
                    command = self.referee.codec.encode(entry.command)
                line["command"] = command
            line["events"] = [self.referee.codec.encode(event) for event in events]
            sentences = []
            for event in events:
                if id(event) not in originals:
                    sentences.append(self._sentence(event))
                    continue
                if id(event) not in said:
                    said[id(event)] = self._sentence(event)
                sentences.append(said[id(event)])
            line["said"] = {language: [one[language] for one in sentences if one[language]] for language in LANGUAGES}
            yield viewer, line

    def _sentence(self, event: Event) -> dict[str, str]:
        return {language: one.event(event) for language, one in self.speakers.items()}


def _numbered(event: Event, viewer: str, back: BackFor) -> Event:
    """What is taken back, by the viewer's own numbers."""
    if not isinstance(event, Corrected):
        return event
    dropped = tuple(back(viewer, number) for number in event.dropped)
    return replace(event, back=back(viewer, event.back) if event.back >= 0 else -1, dropped=dropped)


def body_of(data: Mapping[str, Any]) -> str:
    """The JSON of a line but for its number."""
    return msgspec.json.encode(data).decode()


def numbered(number: int, body: str) -> str:
    """The JSON of a line, with its number in front."""
    return f'{{"n":{number},{body[1:]}'


__all__ = ["LANGUAGES", "SPECTATOR", "BackFor", "Teller", "body_of", "numbered"]
