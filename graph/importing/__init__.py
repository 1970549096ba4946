"""Taking an exported chat history in: whose it is, what its entries become, batch by batch."""
