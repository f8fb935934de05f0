"""The constants of BM25 are defined once, and the settings begin with them."""

from vouch.retrieval import bm25
from vouch.settings.stores import ElasticLexical, EmbeddedLexical


def test_the_settings_begin_with_the_reference_length_that_evidence_and_training_use() -> None:
    lengths = {model.model_fields["reference_length"].default for model in (EmbeddedLexical, ElasticLexical)}
    assert lengths == {bm25.REFERENCE_LENGTH}


def test_the_constants_are_lucenes() -> None:
    assert (bm25.K1, bm25.B) == (1.2, 0.75)
