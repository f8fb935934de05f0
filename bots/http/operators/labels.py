"""Passages to judge one after another, as with vouch label: each grade is a button."""

import re
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from fastapi.responses import RedirectResponse, Response

from bots.http.identity.caller import Caller
from bots.http.operator_backend import Administrators
from bots.http.operators.documents import Words
from bots.http.page.browser import MISTAKES, BrowserPages, Fields, refusal

MOST = 500
Skipped = Annotated[int, Query(ge=0, le=MOST)]
CHANGED = "the passage is not what was shown, or may not be read any more"

_Passage = tuple[str, str] | None       # the keys of its question and of itself


def add_labels(pages: APIRouter, administrators: Administrators, browser: BrowserPages, who: object) -> None:
    def _shown(
        request: Request, caller: Caller, skipped: int, *, same: _Passage = None, last: _Passage = None, **told: Any
    ) -> Response:  # fmt: skip
        """Only what this operator and each reader of the question may read: this passage, or the first that is left.
        The page looks again at what it shows, so that no other passage comes under a hand that is about to judge."""
        labels = administrators.labels
        one = labels.same(caller.tag, *same) if same else labels.next(caller.tag, skipped)
        shown = (one["key"], one["chunk_id"]) if one else same
        return browser.page(request, caller, "operate/labels.html", one=one, skipped=skipped, gone=same and not one,
                            again=_again(skipped, shown, last) if shown else "", further=min(skipped + 1, MOST),
                            last=last, **told)

    @pages.get("/labels")
    def labels(
        request: Request, caller: Annotated[Caller, who], skipped: Skipped = 0, question: Words = "", chunk: Words = "",
        asked: Words = "", passage: Words = "",
    ) -> Response:  # fmt: skip
        """`question` and `chunk` name what was judged last, which may be taken back; `asked` and `passage` what is
        shown."""
        return _shown(request, caller, skipped, same=(asked, passage) if asked and passage else None,
                      last=(question, chunk) if question and chunk else None)

    @pages.post("/labels")
    def judge(
        request: Request, caller: Annotated[Caller, who], fields: Annotated[Fields, browser.filled]
    ) -> Response:
        skipped = min(int(fields["skipped"]), MOST) if re.fullmatch("[0-9]{1,9}", fields.get("skipped", "")) else 0
        question, chunk_id, text_hash, relevance = (
            fields.get(name, "") for name in ("question", "chunk", "hash", "relevance"))
        try:
            if fields.get("back") == "yes":
                administrators.labels.take_back(caller.tag, question, chunk_id)
                return RedirectResponse(f"/operate/labels?skipped={skipped}", 303)
            saved = administrators.labels.judge(caller.tag, question, chunk_id, text_hash, relevance)
        except MISTAKES as error:
            return _shown(request, caller, skipped, **refusal(error))
        if not saved:
            return _shown(request, caller, skipped, refused=CHANGED, status=409)
        last = urlencode({"skipped": skipped, "question": question, "chunk": chunk_id})
        return RedirectResponse(f"/operate/labels?{last}", 303)


def _again(skipped: int, shown: tuple[str, str], last: _Passage) -> str:
    """Where the same is given."""
    judged = {"question": last[0], "chunk": last[1]} if last else {}
    return "/operate/labels?" + urlencode({"skipped": skipped, **judged, "asked": shown[0], "passage": shown[1]})
