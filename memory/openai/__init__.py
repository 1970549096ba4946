"""Adapters for OpenAI-compatible endpoints."""
