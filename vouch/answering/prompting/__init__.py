"""Prompting: what language models are told, and how what they reply is read."""
