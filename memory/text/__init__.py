"""Texts taken apart for search and for the embedder, in bounded time. Pure."""
