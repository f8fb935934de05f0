"""What a process and its machines are seen to do."""
