"""WhatsApp's "Export chat": a text file, alone or in a zip, in the phone's own language."""
