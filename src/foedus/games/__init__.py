"""The games that come with Foedus, one folder each."""
