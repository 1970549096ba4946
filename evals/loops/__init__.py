"""The `loops` suite: webhooks against the real server, and no answer too many or too few."""
