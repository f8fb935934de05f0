"""What one person alone sees of vouch in Slack: the home tab, prompts, and how an own question was answered."""
