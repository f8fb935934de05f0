"""Asking, searching and looking at answers."""
