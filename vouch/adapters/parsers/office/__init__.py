"""Documents of word processors and slides."""
