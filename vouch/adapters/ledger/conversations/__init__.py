"""How vouch behaves in conversations, and what became of questions there."""
