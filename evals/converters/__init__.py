"""Benchmark data: where upstream sets are, their formats turned into case files, JSON Schemas."""
