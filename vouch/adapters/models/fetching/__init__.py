"""Encoders that do not come along, but are fetched by name: what is known of them, download, conversion."""
