"""Under which threads LangGraph keeps the checkpoints of a chat."""

from __future__ import annotations

from typing import Final

from memory.domain.chats import STUDIO

ON_A_SERVER: Final = f"(s.channel, s.account) = ('{STUDIO[0]}', '{STUDIO[1]}')"
"""Whether a chat `s` is a LangGraph server's."""
THREADS_OF: Final = f"""unnest(array[s.thread_id::text] || case
  when {ON_A_SERVER} then array[s.chat_id] else '{{}}' end)"""
"""The threads of each chat `s`, as text: a set. A LangGraph server goes by ids of its own."""
