"""Everything that can go wrong, in one tree.

VouchError
├── Usage              the person asked for something that cannot be done        exit 2
│   └── NothingToLearn a training without labels, or with none that say anything
├── NotFound           a named thing does not exist                              exit 3
├── Denied             the reader may not see it, or permissions are unknown     exit 4
│   └── Unidentified   who asks has not proven who they are
├── BadInput           a file or message cannot be understood                    exit 5
│   ├── BadAccess      an access or directory file
│   ├── BadMessage     a message on the log
│   └── Unreadable     a document: it is quarantined, the run goes on
│       └── Vanished   it is not where a scan found it; the next one looks again
├── Guarded            a safety limit stopped the work                           exit 6
│   ├── Held           a rollback is in force, until somebody releases it
│   └── FetchRefused   an address of the web that is not fetched, or too large a page
├── Busy               another process holds what this one needs                 exit 7
│   └── Overloaded     too much is asked for at once; told to whoever asks
├── Damaged            stored files do not match their checksums                 exit 8
├── Conflict           somebody else published first                             exit 9
│   └── Overtaken      what an answer was made from was purged meanwhile
├── ProcessEnded       what was handled ended its process, again and again       exit 1
└── Unavailable        a machine (model, server, disk) does not answer           exit 10
    ├── LedgerDown
    ├── LogDown
    ├── ModelDown
    ├── IndexDown
    ├── NothingIngested  there is no index to answer from; told to whoever asks
    ├── SurfaceDown
    ├── WebDown        the search service, or a page of the web
    └── TimedOut       a tool, within a question of several steps

Adapters turn their machine's exceptions into these. A message names what
failed, on what, and (`cure`) what to do about it.
"""


class VouchError(Exception):
    """Base of all errors a person may see: one line of cause, one of cure."""

    exit_code = 1

    def __init__(self, cause: str, *, cure: str = "") -> None:
        super().__init__(cause)
        self.cause = cause
        self.cure = cure

    def __str__(self) -> str:
        return f"{self.cause} ({self.cure})" if self.cure else self.cause


class Usage(VouchError):
    exit_code = 2


class NothingToLearn(Usage):
    """There are no labels, or none that tell one passage from another. Nothing failed: later there may be some."""


class NotFound(VouchError):
    exit_code = 3


class Denied(VouchError):
    exit_code = 4


class Unidentified(Denied):
    """No proof of who asks, or one that does not hold. It says no more: not to whom it would have been one."""


class BadInput(VouchError):
    exit_code = 5


class BadAccess(BadInput):
    """An access or directory file that cannot be understood; it grants nothing."""


class BadMessage(BadInput):
    """A message that goes to the dead topic with this as its reason."""


class Unreadable(BadInput):
    """A document that cannot be read; it is quarantined with this as its reason."""


class Vanished(Unreadable):
    """A document that is not where the scan found it. What its bytes were is not known any more."""


class Guarded(VouchError):
    exit_code = 6


class Held(Guarded):
    """Nothing is ingested over a rollback until it is released."""


class FetchRefused(Guarded):
    """The web says where this page is, or what it is, and vouch does not fetch such."""


class Busy(VouchError):
    exit_code = 7


class Overloaded(Busy):
    """Its cause tells of no document: people may read it."""


class Damaged(VouchError):
    exit_code = 8


class Conflict(VouchError):
    exit_code = 9


class Overtaken(Conflict):
    """A purge has begun to look for answers since this one was begun; it has to be made anew."""


class ProcessEnded(VouchError):
    """Whether it did so itself, or something beside it, is not known: nobody was left to tell."""

    def __init__(self, times: int, doing: str) -> None:
        super().__init__(f"the process ended {times} times while {doing}",
                         cure="see in the logs of vouch and of the system what ended it, then: vouch dead replay")


class Unavailable(VouchError):
    """A machine does not answer. Waiting and retrying may help; nothing was lost.

    `retry_after_s`: it said itself how long it wants to be left alone.
    """

    exit_code = 10

    def __init__(self, cause: str, *, cure: str = "", retry_after_s: float | None = None) -> None:
        super().__init__(cause, cure=cure)
        self.retry_after_s = retry_after_s


class LedgerDown(Unavailable):
    pass


class LogDown(Unavailable):
    pass


class ModelDown(Unavailable):
    pass


class IndexDown(Unavailable):
    pass


class NothingIngested(Unavailable):
    """There is no index to answer from. It tells of no document: people may read it."""

    def __init__(self) -> None:
        super().__init__("nothing has been ingested yet", cure="whoever runs vouch does so with: vouch ingest")


class SurfaceDown(Unavailable):
    """The receiver of answers; whether the last one arrived is not known."""


class ConversationDown(SurfaceDown):
    """One conversation of a receiver takes nothing for now; the others do."""

    def __init__(self, cause: str, conversation: str, *, cure: str, retry_after_s: float) -> None:
        super().__init__(cause, cure=cure, retry_after_s=retry_after_s)
        self.conversation = conversation


class WebDown(Unavailable):
    """The search service or a page did not answer, or answered nothing that can be used."""


class TimedOut(Unavailable):
    """A tool of a question of several steps did not come back in time; the question goes on without it."""
