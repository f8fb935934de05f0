"""Looks for rules, groups and people that do not mean what somebody thinks, and tells who may read what."""
