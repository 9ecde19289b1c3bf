"""Workers without processes: what crosses to a worker and back is pickled, and documents live on the other side."""

from __future__ import annotations

import pickle

from planviz.ui import worker
from planviz.ui.questions import Question, Reply
from planviz.ui.workers import supplied


class Inline:
    """Answers in the thread that asks."""

    asked = 0

    def answer(self, question: Question, near: str) -> Reply:
        self.asked += 1
        return supplied(question, self._answer)

    def look(self) -> None:
        """Whoever asks waits here."""

    @staticmethod
    def _answer(question: Question) -> Reply:
        reply = worker.answer(pickle.loads(pickle.dumps(question)), None)
        answered: Reply = pickle.loads(pickle.dumps(reply))
        return answered
