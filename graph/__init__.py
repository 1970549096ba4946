"""The graph: topology, wiring, settings, checkpointer, models, and the agent that runs turns."""
