"""Telegram Desktop's machine-readable export, `result.json`."""
