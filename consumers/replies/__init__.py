"""Answers brought to the surfaces they were asked on."""
