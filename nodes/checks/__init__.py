"""Checks around the model: of what goes in, of what comes out, and while it is written (N7)."""
