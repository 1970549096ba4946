"""Wire formats of the chat channels: typed at the edge, one domain message inside."""
