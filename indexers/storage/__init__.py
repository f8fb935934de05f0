"""Immutable files: written durably, checked, mapped."""
