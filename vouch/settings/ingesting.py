"""How documents are read, cut and taken into the index, and when rules are refused."""

from typing import Annotated, Literal

from pydantic import Field

from vouch.settings.base import Group


class ChunkingSettings(Group):
    tokens: Annotated[int, Field(ge=32, le=8192, description="Largest chunk, in tokens of the encoder.")] = 180
    overlap: Annotated[int, Field(ge=0, le=4096, description="Tokens shared by neighboring chunks of one section.")] = 30
    profile: Annotated[Literal["usual", "papers", "topics"], Field(description="How documents are taken apart. `topics`: a chunk ends where the text goes on to another subject, told by its words (sources.md). `papers`, for academic texts: without references, acknowledgments and appendices, with [URL] for addresses, in chunks of 500 characters of which neighbors share up to 120, whatever `TOKENS` and `OVERLAP` say (sources.md).")] = "usual"


class IngestSettings(Group):
    max_removed_share: Annotated[float, Field(ge=0, le=1, description="A source that would lose more than this share of its documents in one step, removed or no longer readable, is left as it was unless allowed.")] = 0.2
    golden_loss: Annotated[float | None, Field(ge=0, le=1, description="The most that a new version may lose of the share of the home's golden questions whose passage is among the first five (evaluation.md); one that loses more is not served. Unset: nothing is asked. A purge is never held up.")] = None
    max_document_bytes: Annotated[int, Field(gt=0, description="Larger documents are quarantined.")] = 20_000_000
    batch_documents: Annotated[int, Field(ge=1, description="Documents prepared in one task of the flow.")] = 64
    starter: Annotated[Literal["in-process", "prefect"], Field(description="Who ingests announced changes: the worker itself, or a Prefect deployment.")] = "in-process"
    deployment: Annotated[str, Field(min_length=1, description="The deployment that is run for it, FLOW/NAME; Prefect's own variables say where its server is.")] = "ingest/every-quarter-hour"
    quiet_seconds: Annotated[float, Field(ge=0, description="After a change is announced, the ingest waits until the source has been quiet for this long.")] = 2.0
    longest_wait_seconds: Annotated[float, Field(ge=0, description="But no longer than this after the first announcement.")] = 30.0


class ParsingSettings(Group):
    seconds: Annotated[float, Field(ge=2, le=3600, description="Processor time that parsing one document may take; a document that needs more is quarantined.")] = 9.0
    memory_mb: Annotated[int, Field(ge=256, le=1_000_000, description="Memory that the process that parses documents may use; a document that needs more is quarantined.")] = 512
    pages: Annotated[int, Field(ge=1, description="Longer PDFs and slide decks are quarantined.")] = 5000


class AccessSettings(Group):
    watch: Annotated[bool, Field(description="Look at access files before each question, so that an edit counts at once.")] = True
    max_removed_share: Annotated[float, Field(ge=0, le=1, description="A directory that lacks more than this share of the current people, and at least three of them, is not loaded unless allowed.")] = 0.2
