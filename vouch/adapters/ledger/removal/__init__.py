"""What is deleted: by age, by wish, and for good."""
