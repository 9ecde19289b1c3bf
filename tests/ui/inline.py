"""Workers without processes: what crosses to a worker and back is pickled, and documents live on the other side."""

from __future__ import annotations

import pickle

from planviz.ui import worker


class Inline:
    """Answers in the thread that asks."""

    asked = 0

    def answer(self, question: worker.Question, near: str) -> worker.Reply:
        self.asked += 1
        reply = worker.answer(pickle.loads(pickle.dumps(question)), None)
        answered: worker.Reply = pickle.loads(pickle.dumps(reply))
        return answered
