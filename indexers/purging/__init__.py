"""Forgetting documents in every version."""
