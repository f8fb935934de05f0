"""Who may read what, and the number that every change of it raises."""
