"""Vector index on a Chroma server."""
