"""Trains a fusion: from questions with known answers, and from labels."""
