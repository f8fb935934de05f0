"""The tables of the ledger, by what they are about; `schema.py` beside has all of them."""
