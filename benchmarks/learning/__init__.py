"""What learning from use gains."""
