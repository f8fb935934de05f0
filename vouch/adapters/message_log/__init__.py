"""The log of messages, embedded or on Kafka."""
