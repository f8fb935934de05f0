"""Messages of vouch's own accord: they wait in the ledger, and each is posted once.

What one person alone is shown in a channel may come twice after a lost reply.
"""
