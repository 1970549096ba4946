"""Tests of the benchmark data: upstream formats, schemas, the command line."""
