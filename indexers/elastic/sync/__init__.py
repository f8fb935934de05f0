"""Keeping the rows on the server in step with the versions."""
