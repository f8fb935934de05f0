"""What a learned model is, as a file and in use."""
