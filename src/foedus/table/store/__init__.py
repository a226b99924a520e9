"""The store of the tables: what is kept, in SQLite or PostgreSQL, and how it is written."""
