"""Answers as Slack shows them, how they get there, and what follows: told alone, or shared."""
