"""Benchmarks that drive the product's own ingest and recall paths, with no key needed."""
