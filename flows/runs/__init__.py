"""Whole runs, under the locks of their sources or of the home."""
