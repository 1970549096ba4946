"""Layered long-term memory: domain types, ports, pure logic by topic, adapters by technology."""
