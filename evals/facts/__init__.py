"""The `facts` suite: what is known of people after each turn of a conversation."""
