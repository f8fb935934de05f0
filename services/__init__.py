"""What vouch does for people, whatever they use: asking, searching, looking at documents, rules and versions.

Nothing here prints or parses words; the command line and the surfaces do that.
"""
