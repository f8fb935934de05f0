"""Builds what works with Slack: the bot, hand-overs, setting up, and the simulator."""
