"""Questions handed over to people in Slack, their answers, and whether these become documents."""
