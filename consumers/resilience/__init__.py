"""Waiting out what is away, and ending in order."""
