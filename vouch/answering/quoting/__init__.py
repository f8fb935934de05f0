"""Quotations: what of a passage can be quoted, how much of it, and the writers that do nothing but quote."""
