"""What is derived of the ledger, and the one mechanism that keeps it in line with it."""
