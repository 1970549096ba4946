"""Postgres adapters: ledger, turns, outbox, lexical index, facts, locks, migrations."""
