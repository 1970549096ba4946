"""Train the embedder of memory search: `python -m scripts.embedder` (see `make embedder`)."""
