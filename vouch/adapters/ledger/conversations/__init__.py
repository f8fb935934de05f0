"""What people do with vouch in Slack: settings of channels, changed questions, and what Slack told."""
