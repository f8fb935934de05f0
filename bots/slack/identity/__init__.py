"""Who is who in Slack: accounts and the people they stand for, user groups, and who reads along."""
