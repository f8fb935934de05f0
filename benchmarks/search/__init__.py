"""Searches over a made-up company, against other engines and brute force."""
