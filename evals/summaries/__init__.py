"""The `summaries` suite: how much of what matters a summary still holds."""
