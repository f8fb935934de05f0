"""Verification: citations that really are there, numbers and units held against it, documents that disagree."""
