"""Questions handed over to people, and what became of them."""
