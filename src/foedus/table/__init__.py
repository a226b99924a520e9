"""People around a game. They take any game from the registry and know none by name."""
