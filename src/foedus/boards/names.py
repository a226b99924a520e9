"""Comparing names as people type them."""

import difflib
import unicodedata
from collections.abc import Iterable


def fold(text: str) -> str:
    """A name for comparing: letter case, ё for е, and the choice of space, `_` or `-` make no difference."""
    text = unicodedata.normalize("NFKC", text).casefold().replace("ё", "е")
    return " ".join(text.replace("_", " ").replace("-", " ").split())


def nearest(word: str, known: Iterable[str]) -> list[str]:
    """Up to three of the known words that look like the word, best first; none for a word too long to be a slip."""
    if not word or len(word) > 80:
        return []
    return difflib.get_close_matches(word, sorted(known), n=3, cutoff=0.6)


def shown(text: str, limit: int = 40) -> str:
    """The text fit for a message: without characters that cannot be shown, and no longer than the limit."""
    safe = "".join(char if unicodedata.category(char)[0] != "C" else "\ufffd" for char in text[: limit + 1])
    return safe if len(safe) <= limit else f"{safe[: limit - 1]}…"
