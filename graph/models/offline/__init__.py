"""The chat model that is used when no other is set: it quotes memory and invents nothing."""

from graph.models.offline.answers import says_unknown, unsigned
from graph.models.offline.responder import OfflineResponder

__all__ = ["OfflineResponder", "says_unknown", "unsigned"]
