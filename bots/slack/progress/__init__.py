"""How far a question is, shown in its thread until the answer is there. All of it may be lost without harm."""
