"""Tests of what ragas and deepeval score for us."""
