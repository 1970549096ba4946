"""Telegram by its Bot API: updates in, calls out."""
