"""Figures of whole answers on data whose answers are known."""
