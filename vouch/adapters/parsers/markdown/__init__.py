"""Markdown, and what writes it for formats that are read through it."""
