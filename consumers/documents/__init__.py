"""Changes of documents gathered and ingested."""
