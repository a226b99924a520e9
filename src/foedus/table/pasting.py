"""Headings and lines as they are pasted into mail or a forum."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

Form = Literal["text", "bbcode"]


def plain(text: str) -> str:
    """Text that BBCode cannot mistake for a tag."""
    return text.replace("[", "(").replace("]", ")")


def sheet(blocks: Iterable[tuple[str, Sequence[str]]], form: Form = "text") -> str:
    """Headings with their lines, as text or BBCode."""
    found = []
    for heading, lines in blocks:
        if form == "bbcode":
            listed = "\n".join(f"[*]{plain(line)}" for line in lines)
            found.append(f"[b]{plain(heading)}[/b]" + (f"\n[list]\n{listed}\n[/list]" if lines else ""))
        else:
            found.append("\n".join([heading, *(f"  {line}" for line in lines)]))
    return "\n".join(found) if form == "bbcode" else "\n\n".join(found)


__all__ = ["Form", "plain", "sheet"]
