"""Embedded stores: Postgres and Chroma started on demand, shared by every process on a folder."""

from memory.embedded.errors import EmbeddedStoreError
from memory.embedded.launcher import EmbeddedStores, Lease, lease
from memory.embedded.layout import data_folder, default_data_dir

__all__ = [
    "EmbeddedStoreError",
    "EmbeddedStores",
    "Lease",
    "data_folder",
    "default_data_dir",
    "lease",
]
