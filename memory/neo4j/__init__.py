"""Neo4j adapter: facts as a graph of contacts and what is known about them."""
