"""Searches for what is left of a document after a purge."""
