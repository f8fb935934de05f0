"""Commands that measure quality: vouch evaluate, and a company's own questions."""
