"""Facts read by a chat model, over HTTP and on real stores."""
