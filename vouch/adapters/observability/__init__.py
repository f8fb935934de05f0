"""What others see of a process: logs, traces, health, and whether it stands still."""
