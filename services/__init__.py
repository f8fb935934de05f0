"""What vouch does for people, whatever they use: asking, searching, looking at documents, rules and versions.

Nothing here prints or parses what people type; that is done where it is typed.
"""
