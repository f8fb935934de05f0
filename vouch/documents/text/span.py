"""Where something stands in a text."""

Span = tuple[int, int]
"""Its first character, and the one after its last."""
