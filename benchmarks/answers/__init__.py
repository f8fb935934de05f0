"""What answers cost and find: the loop itself, questions held together, several steps."""
