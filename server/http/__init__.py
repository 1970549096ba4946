"""Routes: webhooks, the API, health, and errors in one line."""
