"""Homes with documents, how they change, and oracles of what must come of that."""
