"""What people wait for: commands, HTTP, Slack, Kafka."""
