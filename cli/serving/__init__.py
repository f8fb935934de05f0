"""Commands that run until stopped: HTTP, assistants, Slack, workers and senders."""
