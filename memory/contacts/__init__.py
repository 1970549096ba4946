"""What a contact is like."""
