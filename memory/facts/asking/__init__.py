"""Facts read by a chat model: asked, checked, kept."""
