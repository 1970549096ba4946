"""The playground: chat in the browser beside what the agent remembers."""
