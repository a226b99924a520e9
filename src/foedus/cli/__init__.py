"""The `foedus` command."""
