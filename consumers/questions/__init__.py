"""Questions answered and votes counted."""
