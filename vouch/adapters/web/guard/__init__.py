"""Fetches pages that strangers name, and reaches no machine but those of the public internet."""
