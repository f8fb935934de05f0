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


def add_labels(pages: APIRouter, administrators: Administrators, browser: BrowserPages, who: object) -> None:
    def _shown(request: Request, caller: Caller, skipped: int, **told: Any) -> Response:
        """Only what this operator and each reader of the question may read."""
        one = administrators.labels.next(caller.tag, skipped)
        return browser.page(request, caller, "operate/labels.html", one=one, skipped=skipped,
                            further=min(skipped + 1, MOST), **told)

    @pages.get("/labels")
    def labels(
        request: Request, caller: Annotated[Caller, who], skipped: Skipped = 0, question: Words = "", chunk: Words = ""
    ) -> Response:
        """`question` and `chunk` name what was judged last, which may be taken back."""
        return _shown(request, caller, skipped, last=(question, chunk) if question and chunk else None)

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
