"""The command line on real stores."""
