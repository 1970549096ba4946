"""Programs that drive the product from outside: kills, floods."""
