"""The steps that recipes are composed of: from a question to the passages that it is answered from."""
