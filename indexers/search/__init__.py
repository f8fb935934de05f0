"""Searching a version as an audience sees it."""
