"""`python -m server --port P`: the server without the command line around it."""

from __future__ import annotations

import argparse
import logging
import sys

from graph.settings import load_settings
from memory.errors import RecollectError
from server.app import run_server


def main() -> int:
    """Serve as the settings say; return the exit status."""
    parser = argparse.ArgumentParser(description="Serve webhooks and the API.")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8080)
    arguments = parser.parse_args()
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    try:
        run_server(load_settings(), arguments.host, arguments.port)
    except RecollectError as error:
        print(f"recollect: {error}", file=sys.stderr)  # noqa: T201
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
