"""Players that are programs. They take any game from the registry and know none by name."""
