"""Versions of the index: opened, kept open, compared, limited."""
