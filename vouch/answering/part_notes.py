"""What an answer says of a part of its question that it leaves open."""

NOT_SEARCHED = "this part was not searched for by itself"
NOTHING = "nothing was found in the documents on this part"
NOT_SURE = "what was found on this part may not answer it"
NO_ROOM = "what was found on this part had no room in what the answer is made from"
NOT_QUOTED = "nothing that is quoted has these words of the question"
NOT_LINKED = "no name that is quoted links these words of the question to the rest"
NOT_SAID = "the answer quotes nothing that was found on this part"
