"""What happens in Slack becomes messages on the log: questions, their changes, and votes."""
