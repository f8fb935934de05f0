"""People who judge, and what people do not find."""
