"""The `episodes` suite: where topics begin."""
