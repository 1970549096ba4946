"""Whether memory can be trusted: what is derived of the ledger is checked, and made anew."""
