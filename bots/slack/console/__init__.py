"""A person at a terminal in the workspace of the loopback Slack."""
