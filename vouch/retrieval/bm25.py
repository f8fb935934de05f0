"""BM25's constants, Lucene's defaults.

The length norm uses a constant reference length instead of the collection's
mean, so that hidden documents cannot move a score; the setting
VOUCH_LEXICAL__REFERENCE_LENGTH begins with it.
"""

K1 = 1.2
B = 0.75
REFERENCE_LENGTH = 120.0                # terms in a passage of usual length
