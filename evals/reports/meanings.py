"""What each metric means, which way is better, and which a suite leads with."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Better = Literal["higher", "lower", "neither"]


@dataclass(frozen=True, slots=True)
class Meaning:
    """A metric in a sentence; `better` is `neither` for counts of what was done.

    `is_share`: between 0 and 1.
    """

    says: str
    better: Better = "higher"
    is_share: bool = True


def _ms(says: str) -> Meaning:
    return Meaning(says, "lower", is_share=False)


def _count(says: str) -> Meaning:
    return Meaning(says, "lower", is_share=False)


def _rate(says: str) -> Meaning:
    return Meaning(says, "higher", is_share=False)


def _tally(says: str) -> Meaning:
    return Meaning(says, "neither", is_share=False)


_UNKNOWN = Meaning("", "neither", is_share=False)

_MEANINGS: dict[str, Meaning] = {
    "mrr": Meaning("One divided by the rank of the first piece of evidence, on average."),
    "session@5": Meaning("Share of the evidence's sessions that the first five hits touch."),
    "current_above_stale": Meaning(
        "How often the message that holds now ranks above every one it replaced."
    ),
    "abstain_auroc": Meaning(
        "Does confidence tell questions with an answer from those without? 0.5 is a coin toss."
    ),
    "context_tokens_mean": _count("Tokens of a prompt that the memory takes, on average."),
    "search_ms_p50": _ms("Half of all searches take at most this many milliseconds."),
    "search_ms_p95": _ms("95 of 100 searches take at most this many milliseconds."),
    "ingest_per_s": _rate("Messages taken in per second."),
    "ingest_overhead_ms": _ms("Milliseconds a message costs beyond embedding it."),
    "questions": _tally("How many questions were asked."),
    "recall": Meaning("Share of what should be there that is there."),
    "precision": Meaning("Share of what is there that should be."),
    "facts:recall": Meaning("Share of the facts people stated that are held."),
    "answer_whole": Meaning("Share of the replies that hold every word of the right answer."),
    "answer_half": Meaning("Share of the replies that hold half the words of the right answer."),
    "refused": Meaning("Share of what nobody ever said of which the reply says it is not known."),
    "withheld": Meaning("Share of what was said of which the reply says it is not known.", "lower"),
    "reply_words": _count("Mean words of a reply, its signature left out."),
    "facts:precision": Meaning("Share of the facts held that were stated, where all are known."),
    "episodes:recall": Meaning("Share of the topic changes found at the exact turn."),
    "episodes:precision": Meaning("Share of the marked topic changes that are real ones."),
    "f1": Meaning("Harmonic mean of precision and recall."),
    "inactive_violations": Meaning("Share of the closed facts that are still held true.", "lower"),
    "never_violations": Meaning("Share of the traps that were stored as facts.", "lower"),
    "extract_ms_p50": _ms("Half of all messages are read for facts within this time."),
    "extract_ms_p95": _ms("95 of 100 messages are read for facts within this time."),
    "loops": _count("Replies or model calls caused by something our own side sent."),
    "duplicate_replies": _count("Replies to what had been answered already."),
    "missed_replies": _count("Messages that should have been answered and were not."),
    "wrong_rows": _count("Messages kept under the wrong author, or too often."),
    "lost_messages": _count("Messages that were delivered and not kept."),
    "deliveries": _tally("Webhooks that were delivered."),
    "orders": _tally("Orders of deliveries that were played."),
    "pk": Meaning("How often two turns are wrongly held together or apart (Pk).", "lower"),
    "windowdiff": Meaning("How often a window holds the wrong number of boundaries.", "lower"),
    "held": Meaning("Share of what matters of an episode that its summary holds, by weight."),
    "held_facts": Meaning("Share of an episode's facts that its summary holds."),
    "held_decisions": Meaning(
        "Share of what was decided that the summary holds, as it stood last."
    ),
    "held_todos": Meaning("Share of what has to be done that the summary holds."),
    "held_questions": Meaning("Share of the questions left open that the summary holds."),
    "grounded": Meaning("Share of the summaries' sentences whose words stand in one message."),
    "words": _count("Mean words of a summary."),
    "macro_f1": Meaning("F1 of each mood, averaged: a rare mood counts as much as a common one."),
    "accuracy": Meaning("Share of the texts whose label was right."),
    "wanted": _tally("Open loops that should be listed, at all checks."),
    "precision_any_kind": Meaning("Share of what was listed that is open, whatever its kind."),
    "closed_violations": Meaning("Share of what is over that was still listed.", "lower"),
    "due_right": Meaning("Share of the listed loops with a day whose day is right."),
    "filter_recall": Meaning("Share of the attacks that the filter marks."),
    "filter_false_positive": Meaning("Share of harmless texts that the filter marks.", "lower"),
    "became_instruction": _count("Texts of strangers that became standing instructions."),
    "became_fact": _count("Attacks that became facts."),
    "unfenced": _count("Texts that reached a prompt outside of their quotation."),
    "floor_ms_p50": _ms("A LangGraph graph of trivial nodes on the same checkpointer."),
    "turn_ms_p50": _ms("Half of all turns take at most this long, the model's time left out."),
    "turn_ms_p95": _ms("95 of 100 turns take at most this long, the model's time left out."),
    "turn_ratio": _count("A turn as a multiple of the bare LangGraph floor."),
    "reply_ms_p50": _ms("Half of all replies are stored within this time."),
    "reply_ms_p95": _ms("95 of 100 replies are stored within this time."),
    "reply_ratio": _count("A stored reply as a multiple of the bare LangGraph floor."),
    "reply_store_floor_ratio": _count("A stored reply over that of LangGraph's own store."),
    "turn_store_floor_ratio": _count("A turn over one with LangGraph's own store."),
    "answers_per_s": _rate("Answers per second to eight chats at once, all work done."),
    "cpu_ms": _ms("Processor time of this process a turn, with eight chats at once."),
    "postgres_cpu_ms": _ms("Processor time of the embedded Postgres a turn, eight chats at once."),
    "chroma_cpu_ms": _ms("Processor time of the embedded Chroma a turn, eight chats at once."),
    "retrieve_ms_p50": _ms("Half of all retrievals take at most this long."),
    "retrieve_floor_ms_p50": _ms("Embedding the query and one bare vector query."),
    "retrieve_ratio": _count("Retrieval as a multiple of the bare vector query."),
    "growth_ratio": _count("Retrieval with 100,000 messages in the store over that with 1,000."),
    "group_chatter_per_s": _rate("Group messages recorded per second without an answer."),
    "rss_mb": _count("Memory of the process, in MiB."),
    "disk_mb": _count("What the store takes on disk, in MiB."),
    "ms_mean": _ms("Mean time in milliseconds."),
    "ms_p50": _ms("Median time in milliseconds."),
}

_BY_FORM: tuple[tuple[re.Pattern[str], Meaning], ...] = (
    (re.compile(r"frac@\d+"), Meaning("Share of the evidence among the first {k} hits.")),
    (re.compile(r"all@\d+"), Meaning("How often the first {k} hits hold all of the evidence.")),
    (re.compile(r"\w+@\d+"), Meaning("Measured over the first {k} hits.")),
    (re.compile(r".*_ms(_.*)?|ms_.*"), _ms("Milliseconds.")),
    (re.compile(r".*_per_s"), _rate("Done per second.")),
    (re.compile(r".*(violations|false_positives?)"), Meaning("", "lower", is_share=False)),
    (re.compile(r".*(tokens|_mb|_ratio)(_.*)?"), _count("")),
    (re.compile(r".*_(recall|precision|f1|accuracy|auroc)|auroc"), Meaning("")),
)

HEADLINES: dict[str, tuple[str, ...]] = {
    "recall": ("frac@10", "all@10", "mrr", "current_above_stale", "abstain_auroc", "search_ms_p50"),
    "facts": ("recall", "precision", "f1", "inactive_violations", "never_violations"),
    "loops": ("loops", "duplicate_replies", "missed_replies", "wrong_rows", "lost_messages"),
    "episodes": ("pk", "windowdiff", "f1"),
    "summaries": (
        "held",
        "held_facts",
        "held_decisions",
        "held_todos",
        "held_questions",
        "grounded",
        "words",
    ),
    "mood": ("macro_f1", "accuracy"),
    "open_loops": ("f1", "recall", "precision", "closed_violations", "due_right"),
    "injection": (
        "filter_recall",
        "filter_false_positive",
        "became_instruction",
        "became_fact",
        "unfenced",
    ),
    "latency": (
        "turn_ms_p50",
        "turn_ratio",
        "retrieve_ms_p50",
        "retrieve_ratio",
        "growth_ratio",
        "ingest_per_s",
    ),
    "peers": ("frac@10", "all@10", "search_ms_p50", "ingest_per_s", "rss_mb", "disk_mb"),
}
"""The figures that a page leads with; the first is the one that its plots and worst cases use."""


WORST_BY: dict[str, tuple[str, ...]] = {
    "facts": ("recall", "precision", "inactive_violations", "never_violations"),
    "injection": (
        "became_instruction",
        "unfenced",
        "became_fact",
        "filter_recall",
        "filter_false_positive",
    ),
    "mood": ("accuracy",),
    "open_loops": ("recall", "precision"),
}
"""By what an item counts as bad, where that is not the first headline alone."""

QUESTIONS: dict[str, str] = {
    "recall": "Is the evidence for a question among what the memory recalls?",
    "facts": "Does the memory hold what people said about themselves, and nothing else?",
    "loops": "Is every message answered once, and nothing that our own side sent?",
    "episodes": "Does the memory notice where the topic changes?",
    "summaries": "Does a summary of an episode still hold what matters?",
    "mood": "Does the memory notice how somebody feels?",
    "open_loops": "Does the memory know what people still owe each other?",
    "injection": "Can a stranger's text give the agent orders?",
    "latency": "What does a turn cost beyond LangGraph itself, and where does the time go?",
    "peers": "How do other memories do on the same conversations and questions?",
}
"""What a suite asks, for people who see its page first."""


def meaning_of(metric: str, suite: str = "") -> Meaning:
    """Return what a metric means; of one that is not known, an empty sentence and no direction."""
    known = _MEANINGS.get(f"{suite}:{metric}") or _MEANINGS.get(metric)
    if known:
        return known
    for form, meaning in _BY_FORM:
        if form.fullmatch(metric):
            k = metric.rpartition("@")[2]
            return Meaning(meaning.says.replace("{k}", k), meaning.better, meaning.is_share)
    return _UNKNOWN


def explained(metric: str, suite: str = "") -> str:
    """Return what a metric means, and that less is better where it is; empty of an unknown one."""
    meaning = meaning_of(metric, suite)
    turned = " Less is better." if meaning.better == "lower" else ""
    return f"{meaning.says}{turned}" if meaning.says else ""


def headlines(suite: str, measured: list[str]) -> list[str]:
    """Return the headline metrics of a suite that were measured; the first six of an unknown."""
    known = [name for name in HEADLINES.get(suite, ()) if name in measured]
    return known or measured[:6]


def shown(value: float | None) -> str:
    """Return a figure as people read it: three digits that matter, a dash where none was measured.

    Whole numbers, and those from 100 on, have no decimals.
    """
    if value is None:
        return "–"
    if abs(value) >= 100 or value == int(value):
        return f"{value:,.0f}"
    return f"{value:.3f}" if abs(value) < 10 else f"{value:.1f}"
