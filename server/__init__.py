"""Webhooks, API and worker: the agent as a service (W6, N1, N14)."""
