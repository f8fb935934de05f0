"""Ledgers, logs and deployments of the tests, and what works on them."""
