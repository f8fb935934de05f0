"""Questions asked and answered in Slack. It holds no model and no index: events become messages on the log."""
