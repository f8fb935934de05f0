"""Plans searches of the web with a language model, which is told nothing of the documents."""

from vouch.adapters.language_model.dialect import Form
from vouch.adapters.language_model.models import LanguageModels
from vouch.answering.prompting.replies import last_object
from vouch.answering.spending import spent_apart
from vouch.correction.planning.web_prompt import WEB_SCHEMA, web_planner_messages
from vouch.ports.web import WebSituation

_REPLY_TOKENS = 200


class LanguageModelWebPlanner:
    """Implements ports.WebPlanner. Calls, time and tokens of an order are its own, and so is a model's rest.

    What was spent on the documents and how calls about them ended takes nothing from them, as what goes out must not
    depend on that. They are bounded all the same: by the searches of the web there may be, their time, and the size
    of what it is told.
    """

    def __init__(self, models: LanguageModels, *, seconds: float = 8.0) -> None:
        """`seconds`: of one order."""
        self._models, self._seconds = models.for_the_web, seconds
        self._form = Form("order", WEB_SCHEMA, _REPLY_TOKENS)

    @property
    def name(self) -> str:
        return f"language model {self._models.name}, web"[:200]

    def next_query(self, situation: WebSituation, problem: str = "") -> str:
        """What the model said, unchecked: whoever asks checks it. Raises ModelDown."""
        with spent_apart(self._seconds):
            return self._models.ask(web_planner_messages(situation, problem), self._form, last_object).value
