"""The command line: `recollect`."""
