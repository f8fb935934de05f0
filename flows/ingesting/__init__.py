"""One step of an ingest: what it would change, and doing it."""
