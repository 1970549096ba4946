"""The six nodes of a turn, with their state, context and prompts. Nodes know ports, no adapters."""
