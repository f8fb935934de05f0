"""Trains an evaluator and calibrates it."""
