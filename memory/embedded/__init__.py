"""Embedded stores: Postgres and Chroma started on demand, shared by every process on a folder."""

from memory.embedded.errors import EmbeddedStoreError
from memory.embedded.launcher import EmbeddedStores, Lease, lease
from memory.embedded.layout import default_data_dir

__all__ = ["EmbeddedStoreError", "EmbeddedStores", "Lease", "default_data_dir", "lease"]
