"""Planning of steps: the parts of a question, the planners, what they are told and may order."""
