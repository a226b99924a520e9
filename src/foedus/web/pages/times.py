"""Moments and spans as people read them."""

from __future__ import annotations

from datetime import UTC, datetime


def moment(seconds: float) -> str:
    """A moment, in universal time; a script may say it in the reader's own."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")


__all__ = ["moment"]
