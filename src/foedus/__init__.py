"""Foedus: a referee for the diplomacy of multi-power board wargames."""
