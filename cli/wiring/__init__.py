"""Builds what the command works with, a file for each part of it. Only here this package reads settings."""
