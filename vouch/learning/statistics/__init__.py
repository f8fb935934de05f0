"""Fits, figures and splits that learn from no particular thing."""
