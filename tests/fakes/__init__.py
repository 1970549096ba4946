"""Test doubles that speak real HTTP, each shipped once."""
