"""The ground floor: clauses, verdicts, commands, events, frames, dice, records and the referee. It knows no game."""
