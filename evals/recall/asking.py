"""One question answered as in a turn; nothing of it is stored.

The product's own graph runs from behind its gate to its answer, so that retrieval, prompt, checks
and retries are those of a turn; the question itself is neither stored nor learned from. It is asked
in the case's own chat, a day after its end, with the chat's newest messages as the window.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver

from evals.recall.cases import Question
from evals.recall.product import Conversation
from graph.build import build_graph
from graph.stores import Stores
from memory.domain.chats import Actor, Message, StoredMessage
from memory.recall.block import MemoryBlock
from nodes.context import Context, GivenOptions
from nodes.prompts import read_memory
from nodes.state import State, message_to_json
from nodes.window import window_update


@dataclass(frozen=True, slots=True)
class Given:
    """The product's answer, and every text that its prompt showed beside the question."""

    text: str
    contexts: tuple[str, ...]


async def answer(
    stores: Stores, model: BaseChatModel, chat: Conversation, question: Question
) -> Given:
    """Answer a question as a turn does, after its gate; nothing is stored.

    Raises:
        Exception: what the graph raises when the model or a store fails.
    """

    async def wire(given: GivenOptions) -> Context:
        context = await stores.wire(given)
        return replace(context, model=model, clock=lambda: chat.asked_at)

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
