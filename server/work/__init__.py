"""What workers do: turns, follow-ups, upkeep."""
