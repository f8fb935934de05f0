"""A file of change events, which git histories are folded like."""
