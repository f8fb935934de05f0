"""Builds what consumers work with, a file for each process or machine. Only here this package reads settings."""
