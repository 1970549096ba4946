"""A run as JSON, as tables for a terminal, as a page; and two runs compared."""
