"""Importing exported chats: whose it is, what its entries become, batch by batch."""
