"""The scripted chat model, which tests share with the benchmarks."""

from evals.suite.scripted import ScriptedChatModel as ScriptedChatModel
