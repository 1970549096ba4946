"""Memory as tools of the Model Context Protocol, for one contact or for the owner."""
