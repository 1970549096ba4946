"""Train the reader of facts: `python -m scripts.reader` (see `make reader`)."""
