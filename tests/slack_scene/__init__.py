"""A company in the loopback Slack."""
