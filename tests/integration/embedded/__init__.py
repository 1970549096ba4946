"""The embedded store launcher."""
