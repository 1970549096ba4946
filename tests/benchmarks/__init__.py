"""Scripts that measure a running server; CI runs none of them for its figures."""
