"""Commands of the owner (N6): carried out by code, answered where they were typed."""
