"""Text: its sentences, its tables, and the marks that its format writes for itself."""
