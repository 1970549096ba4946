"""Our memory in graphs of others: two nodes, a retriever, LangGraph's store."""

from graph.adapters.nodes import MemoryNodes as MemoryNodes
from graph.adapters.nodes import MemoryState as MemoryState
from graph.adapters.retriever import MemoryRetriever as MemoryRetriever
from graph.adapters.store import MemoryStore as MemoryStore
from graph.adapters.threads import opened_in_thread as opened_in_thread
