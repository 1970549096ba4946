"""Train the embedder of memory search: `python -m scripts.embedder` (see `make embedder`)."""

from pathlib import Path

TOKENS_FILE = Path(__file__).with_name("tokens.npz")
"""Where token vectors point at first, and how rare pieces are (`scripts/fit_tokens.py`)."""
