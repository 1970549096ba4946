"""Ports of the memory layers, each method scoped to one tenant unless it says otherwise (C8)."""
