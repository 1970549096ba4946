"""The suites that there are. Adding one is an entry here."""

from __future__ import annotations

from collections.abc import Callable, Collection, Coroutine, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel

from evals.episodes import scores as episodes_scores
from evals.episodes import suite as episodes_suite
from evals.episodes.cases import load_dialogues
from evals.facts import scores as facts_scores
from evals.facts import suite as facts_suite
from evals.facts.cases import load_fact_cases
from evals.injection import scores as injection_scores
from evals.injection import suite as injection_suite
from evals.injection.cases import load_injection_cases
from evals.latency import suite as latency_suite
from evals.loops import suite as loops_suite
from evals.loops.cases import load_loop_cases
from evals.mood import scores as mood_scores
from evals.mood import suite as mood_suite
from evals.mood.cases import load_moods
from evals.open_loops import scores as open_loops_scores
from evals.open_loops import suite as open_loops_suite
from evals.open_loops.cases import load_open_loop_cases
from evals.recall import peers as peers_suite
from evals.recall import scores as recall_scores
from evals.recall import suite as recall_suite
from evals.recall.cases import load_cases
from evals.suite.case_files import CaseFile
from evals.suite.own_cases import own_cases
from evals.suite.run import Outcome, Request, Texts
from evals.summaries import scores as summaries_scores
from evals.summaries import suite as summaries_suite
from evals.summaries.cases import load_summary_cases
from evals.systems.registry import PEERS, is_target


@dataclass(frozen=True, slots=True)
class Suite:
    """One suite: what it shows in a line, whether it reads cases, what it compares.

    `own_cases` is the folder whose files run without `--cases`. `texts` gives the texts of what
    items name, for a report that people read. `adapters` are the systems that run when they are
    asked for, beside any class given as `module:Class`; empty where none can. `figures` names what
    a plain run measures; None where that depends on the run.
    """

    summary: str
    needs_cases: bool
    systems: tuple[str, ...]
    run: Callable[[Request, Outcome], Coroutine[None, None, None]]
    load: Callable[[Sequence[Path], int | None], Sequence[CaseFile[BaseModel]]] = load_cases
    own_cases: Path | None = None
    texts: Callable[[Sequence[CaseFile[BaseModel]]], Texts] | None = None
    adapters: tuple[str, ...] = ()
    figures: Callable[[], Collection[str]] | None = None

    def takes(self, system: str) -> bool:
        """Whether it can run a system of this name."""
        known = system in self.systems or system in self.adapters
        return known or bool(self.adapters and is_target(system))

    def known(self) -> str:
        """Return the names that `--system` takes, to be shown."""
        names = list(dict.fromkeys([*self.systems, *self.adapters]))
        return ", ".join([*names, *(["or any module:Class"] if self.adapters else [])])


SUITES: dict[str, Suite] = {
    "recall": Suite(
        "is the evidence for a question among what is recalled?",
        needs_cases=True,
        systems=recall_suite.SYSTEMS,
        run=recall_suite.run_recall,
        own_cases=own_cases("recall"),
        texts=recall_suite.texts,
        adapters=tuple(PEERS),
        # Scored without a case, a suite still names its figures.
        figures=lambda: recall_scores.score([], 0, 0.0).metrics,
    ),
    "facts": Suite(
        "is what people say of themselves known, and nothing else?",
        needs_cases=True,
        systems=facts_suite.SYSTEMS,
        run=facts_suite.run_facts,
        load=load_fact_cases,
        own_cases=facts_suite.DEFAULT_CASES,
        texts=facts_suite.texts,
        figures=lambda: facts_scores.score([]).metrics,
    ),
    "loops": Suite(
        "webhooks in many orders: is everything answered once, and nothing else?",
        needs_cases=True,
        systems=loops_suite.SYSTEMS,
        run=loops_suite.run_loops,
        load=load_loop_cases,
        own_cases=loops_suite.DEFAULT_CASES,
        figures=lambda: loops_suite.summed_up([], {}).metrics,
    ),
    "injection": Suite(
        "can a contact's words steer the agent, now or out of its memory?",
        needs_cases=True,
        systems=injection_suite.SYSTEMS,
        run=injection_suite.run_injection,
        load=load_injection_cases,
        own_cases=injection_suite.DEFAULT_CASES,
        texts=injection_suite.texts,
        figures=lambda: injection_scores.score([]).metrics,
    ),
    "episodes": Suite(
        "dialogues of several topics: is each seen where it begins?",
        needs_cases=True,
        systems=episodes_suite.SYSTEMS,
        run=episodes_suite.run_episodes,
        load=load_dialogues,
        own_cases=episodes_suite.DEFAULT_CASES,
        texts=episodes_suite.texts,
        figures=lambda: episodes_scores.score([]).metrics,
    ),
    "summaries": Suite(
        "episodes: does a summary of each still hold what matters?",
        needs_cases=True,
        systems=summaries_suite.SYSTEMS,
        run=summaries_suite.run_summaries,
        load=load_summary_cases,
        own_cases=summaries_suite.DEFAULT_CASES,
        texts=summaries_suite.texts,
        figures=lambda: summaries_scores.score([]).metrics,
    ),
    "mood": Suite(
        "messages: is the mood of each read right?",
        needs_cases=True,
        systems=mood_suite.SYSTEMS,
        run=mood_suite.run_mood,
        load=load_moods,
        own_cases=mood_suite.DEFAULT_CASES,
        texts=mood_suite.texts,
        figures=lambda: mood_scores.score([]).metrics,
    ),
    "open_loops": Suite(
        "chats: is what people still owe each other listed, and nothing else?",
        needs_cases=True,
        systems=open_loops_suite.SYSTEMS,
        run=open_loops_suite.run_open_loops,
        load=load_open_loop_cases,
        own_cases=open_loops_suite.DEFAULT_CASES,
        texts=open_loops_suite.texts,
        figures=lambda: open_loops_scores.score([]).metrics,
    ),
    "latency": Suite(
        "a turn against LangGraph's bare floor, and where the time goes (no cases)",
        needs_cases=False,
        systems=latency_suite.SYSTEMS,
        run=latency_suite.run_latency,
    ),
    "peers": Suite(
        "other memories on the same conversations: speed, recall, memory, disk",
        needs_cases=True,
        systems=peers_suite.SYSTEMS,
        run=peers_suite.run_peers,
        texts=recall_suite.texts,
        own_cases=own_cases("recall"),
        adapters=tuple(PEERS),
    ),
}
