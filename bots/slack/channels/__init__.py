"""How vouch behaves in a channel: what it takes for a question, who may ask, what is searched, and who may say so."""
