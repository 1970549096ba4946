"""Imported histories on real stores."""
