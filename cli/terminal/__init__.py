"""What people and programs see of a command: output, progress, help and completion."""
