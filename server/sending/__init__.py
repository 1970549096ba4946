"""Replies on their way out, and how each channel sends."""
