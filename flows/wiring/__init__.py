"""Builds what flows work with. The one place of this package that reads settings."""
