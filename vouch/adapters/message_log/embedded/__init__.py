"""The embedded message log: one SQLite file, its readers and what leaves it."""
