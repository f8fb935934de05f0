"""How tests run commands, scripts and processes, and read pages of commands."""
