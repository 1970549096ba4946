"""What happens to messages: they come in, are indexed, change, and are joined."""
