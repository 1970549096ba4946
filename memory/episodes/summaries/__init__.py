"""What a stretch of a chat comes down to, out of its own words (T3). Pure, no I/O.

Sentences are cut into clauses, scored, chosen by what they add for their length, and told in the
third person, in the order of time. The same for the same messages.
"""

from memory.episodes.summaries.summary import MADE_BY, MAX_WORDS, summarize

__all__ = ["MADE_BY", "MAX_WORDS", "summarize"]
