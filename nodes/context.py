"""What a node is given: options that a caller may set, and the ports that bootstrap wired."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from langchain_core.language_models import BaseChatModel

from memory.ports import (
    Clock,
    Embedder,
    FactStore,
    Ids,
    Ledger,
    LexicalIndex,
    Outbox,
    Turns,
    VectorIndex,
)

ReplyPolicy = Literal["all", "mention_only", "off"]

DEFAULT_PERSONA = "You are Recollect, a warm and concise assistant who remembers people."


@dataclass(frozen=True, slots=True)
class Options:
    """The graph's context schema: what Studio and API callers may set for a run."""

    contact: str = field(
        default="me", metadata={"description": "Who is talking, where no channel says it."}
    )
    tenant: str = field(
        default="", metadata={"description": "Tenant of the memory; empty: as the server is set."}
    )
    persona: str = field(
        default=DEFAULT_PERSONA, metadata={"description": "Who the agent is and how it talks."}
    )
    reply_direct: ReplyPolicy = field(
        default="all", metadata={"description": "When to answer in direct chats."}
    )
    reply_group: ReplyPolicy = field(
        default="mention_only", metadata={"description": "When to answer in groups."}
    )
    window: int = field(
        default=20, metadata={"description": "Messages kept in working memory (10 to 50)."}
    )
    recall_limit: int = field(
        default=10, metadata={"description": "Recalled messages per prompt, at most."}
    )


@dataclass(frozen=True, slots=True)
class Context:
    """Everything a node may touch. Clock, ids and model come in, so that nodes stay testable."""

    options: Options
    ledger: Ledger
    turns: Turns
    outbox: Outbox
    lexical: LexicalIndex
    facts: FactStore
    vectors: VectorIndex
    embedder: Embedder
    model: BaseChatModel
    clock: Clock
    ids: Ids
