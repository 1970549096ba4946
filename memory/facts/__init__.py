"""What is known of people: read from what they say, and kept with its history."""
