"""From what the ledger recorded to a model that shadows."""
