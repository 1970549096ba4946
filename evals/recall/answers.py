"""`--answers`: the product answers each question as in a turn, and a judge scores the answer.

The product's own graph runs from behind its gate to its answer, so that retrieval, prompt, checks
and retries are those of a turn; the question itself is neither stored nor learned from. It is asked
in the case's own chat, a day after its end, with the chat's newest messages as the window.

Loaded by the flag only, after `evals.judges.libraries.load`.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from typing import Any

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import BaseMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver

from evals.judges.answers import Answer, AnswerJudge
from evals.judges.chat import Judge
from evals.recall.cases import Question, RecallCase
from evals.recall.product import Conversation, conversation
from evals.recall.scores import Answered
from evals.suite.requirements import PRODUCT
from evals.suite.run import Failure, Figures, Outcome, Request
from graph.build import build_graph
from graph.retry import reason_of
from graph.stores import Stores
from memory.domain.chats import Actor, Message, StoredMessage
from memory.recall.block import MemoryBlock
from nodes.context import Context, GivenOptions
from nodes.prompts import read_memory
from nodes.state import State, message_to_json
from nodes.window import window_update

QUESTIONS_AT_ONCE = 4
# Model calls of one question. Completeness takes one more for each intention that is seen in it.
CALLS = {
    "an answer": 1,
    "answer_correctness": 3,
    "faithfulness": 2,
    "answer_relevancy": 2,
    "completeness": 2,
}


def cost(questions: int, model: str) -> str:
    """Return what answering and judging so many questions will take, in a line."""
    parts = ", ".join(f"{calls} for {what}" for what, calls in CALLS.items())
    total = questions * sum(CALLS.values())
    return (
        f"--answers: {questions:,} questions, about {total:,} calls of {model}"
        f" ({parts}; {QUESTIONS_AT_ONCE} questions at a time)"
    )


@dataclass(frozen=True, slots=True)
class Given:
    """The product's answer, and every text that its prompt showed beside the question."""

    text: str
    contexts: tuple[str, ...]


@dataclass(slots=True)
class Answering:
    """Answers and judges the questions of one run. `given` holds the answers, for the JSON."""

    judge: Judge
    request: Request
    given: list[dict[str, str]] = field(default_factory=list)

    async def add(
        self, stores: Stores, case: RecallCase, answered: list[Answered], outcome: Outcome
    ) -> None:
        """Answer and judge a case's questions; its entries in `answered` gain their scores.

        Each as soon as it has them, so that Ctrl-C keeps it; failures go to `outcome`.
        """
        chat = conversation(stores.settings.tenant, case.case_id, case.turns)
        scorer = AnswerJudge(self.judge, stores.memory.embedder)
        few = asyncio.Semaphore(QUESTIONS_AT_ONCE)
        failed: dict[int, list[str]] = {}

        async def one(place: int) -> None:
            asked = answered[place]
            async with few:
                scores, failed[place] = await self._score(stores, scorer, chat, asked)
            answered[place] = replace(asked, judged={**asked.judged, **scores})
            self.request.progress.step(f"recall: answers on {case.case_id}")

        places = [
            place
            for place, asked in enumerate(answered)
            if asked.case_id == case.case_id and asked.question.reference
        ]
        try:
            await asyncio.gather(*(one(place) for place in places))
        finally:
            outcome.failed += [
                Failure(case.case_id, PRODUCT, f"question {answered[place].question.id}, {reason}")
                for place in sorted(failed)
                for reason in failed[place]
            ]

    def as_json(self) -> dict[str, Any]:  # Any: a JSON object
        """Return the part of the product's JSON that tells of the answers."""
        order = sorted(self.given, key=lambda each: (each["case"], each["question"]))
        return {"model": self.judge.name, "judge_calls": self.judge.calls, "given": order}

    async def _score(
        self, stores: Stores, scorer: AnswerJudge, chat: Conversation, asked: Answered
    ) -> tuple[Figures, list[str]]:
        try:
            given = await answer(stores, self.judge, chat, asked.question)
        # The outer loop of one question: what fails is listed with its reason.
        except Exception as error:  # noqa: BLE001
            return {}, [f"no answer: {reason_of(error)}"]
        self.given.append(
            {"case": asked.case_id, "question": asked.question.id, "answer": given.text}
        )
        judgement = await scorer.judge(
            Answer(asked.question.question, given.text, asked.question.reference, given.contexts)
        )
        return judgement.scores, [f"{name}: {why}" for name, why in judgement.failed.items()]


async def answer(stores: Stores, judge: Judge, chat: Conversation, question: Question) -> Given:
    """Answer a question as a turn does, after its gate; nothing is stored.

    Raises:
        Exception: what the graph raises when the model or a store fails.
    """

    async def wire(given: GivenOptions) -> Context:
        context = await stores.wire(given)
        return replace(context, model=judge.model, clock=lambda: chat.asked_at)

    graph = build_graph(wire, stores.settings.model_attempts).compile(
        InMemorySaver(), interrupt_after=["generate"]
    )
    seen = _Prompts()
    config: RunnableConfig = {"configurable": {"thread_id": question.id}, "callbacks": [seen]}
    state = await _behind_the_gate(await wire(GivenOptions()), chat, question)
    await graph.aupdate_state(config, state, as_node="policy_gate")
    result = await graph.ainvoke(None, config)
    return Given(result["messages"][-1].text, seen.texts())


async def _behind_the_gate(context: Context, chat: Conversation, question: Question) -> State:
    asked = _message(chat, question)
    policy = await context.memory.policies.resolve(asked.chat)
    newest = await context.memory.ledger.since(asked.chat, 0, context.options.window)
    window = [*newest, StoredMessage(asked, 0, 0, chat.asked_at)]
    return {
        "messages": window_update([], window, (), context.options.window),
        "recalled": [],
        "turn": {
            "turn_id": context.ids(),
            "message": message_to_json(asked),
            "decision": "respond",
            "claimed": [asked.uid],
            "query": question.question,
            "persona": policy.persona_file,
            "command_reply": "",
        },
    }


def _message(chat: Conversation, question: Question) -> Message:
    contacts = [message for message in chat.messages if message.actor is Actor.CONTACT]
    return replace(
        (contacts or chat.messages)[0],
        message_id=f"question {question.id}",
        actor=Actor.CONTACT,
        contact_id=chat.scope.contact_id,
        text=question.question,
        sent_at=chat.asked_at,
        from_me=False,
        mentions_agent=chat.scope.is_group,
    )


class _Prompts(BaseCallbackHandler):
    """Keeps the last prompt that the model was given."""

    def __init__(self) -> None:
        self._prompt: list[BaseMessage] = []

    def on_chat_model_start(
        self,
        serialized: dict[str, Any],  # Any: LangChain's signature
        messages: list[list[BaseMessage]],
        **kwargs: Any,  # Any: LangChain's signature
    ) -> None:
        del serialized, kwargs
        self._prompt = messages[0]

    def texts(self) -> tuple[str, ...]:
        """Return the memory's lines and the window's, without the question at its end."""
        if not self._prompt:
            return ()
        memory = read_memory(self._prompt[0].text)
        return (*_lines(memory), *(str(shown.text) for shown in self._prompt[1:-1]))


def _lines(memory: MemoryBlock) -> list[str]:
    facts = [f"{fact.key}: {fact.value} ({fact.said})" for fact in memory.facts]
    passages = [
        (line.before, f"{line.when} {line.speaker}: {line.text}", line.after)
        for line in [*memory.passages, *memory.quoted]
    ]
    return [*facts, *("\n".join(part for part in lines if part) for lines in passages)]
