"""What channels bring in, from webhooks and from polling."""
