"""What people did with answers, and what is learned from it."""
