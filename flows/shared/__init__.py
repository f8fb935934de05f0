"""What every run works with, and how it tells of itself."""
