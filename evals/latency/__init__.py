"""The `latency` suite: what a turn and a retrieval cost over the bare floor below them."""
