"""The message log on Kafka."""
