"""Messages of vouch's own accord: they wait in the ledger, and each is posted once."""
