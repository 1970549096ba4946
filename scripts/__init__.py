"""Scripts of the workshop: servers for tests, builds."""
