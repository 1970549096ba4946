"""Memories under test: the product, baselines, and adapters to others, in processes apart."""
