"""A made-up company to try vouch with: its story in a terminal, and its people in a simulated Slack."""
