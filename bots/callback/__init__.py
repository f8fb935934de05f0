"""Answers go to an address of a program, signed."""
