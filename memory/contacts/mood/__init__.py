"""How a message feels: frustrated, sad, anxious, excited, confused, or neutral (C1, C3)."""

from memory.contacts.mood.reading import LABELS, Mood, MoodReader, load_reader, read_mood

__all__ = ["LABELS", "Mood", "MoodReader", "load_reader", "read_mood"]
