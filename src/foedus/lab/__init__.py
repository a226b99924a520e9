"""The lab: whole games played by programs, and reports on them."""
