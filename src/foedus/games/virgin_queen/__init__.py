"""Virgin Queen: one module a chapter of its rules."""
