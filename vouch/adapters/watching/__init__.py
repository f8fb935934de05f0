"""Who tells that a source changed."""
