"""Builds what consumers work with, a file for each process or machine. Only here this room reads settings."""
