"""The Sword of Rome: one module a chapter of its rules."""
