"""The site: its API, its streams and its pages."""
