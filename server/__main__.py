"""`python -m server --port P`: server or worker without the command line around it."""

from __future__ import annotations

import argparse
import logging
import sys

from graph.settings import load_settings
from memory.errors import RecollectError
from server.app import run_server, run_worker


def main() -> int:
    """Serve as the settings say; return the exit status."""
    parser = argparse.ArgumentParser(description="Serve webhooks and the API.")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8080)
    parts = parser.add_mutually_exclusive_group()
    parts.add_argument("--no-worker", action="store_true", help="Leave the turns to workers.")
    parts.add_argument("--no-web", action="store_true", help="Run turns only.")
    arguments = parser.parse_args()
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    try:
        if arguments.no_web:
            run_worker(load_settings())
        else:
            with_worker = not arguments.no_worker
            run_server(load_settings(), arguments.host, arguments.port, with_worker=with_worker)
    except RecollectError as error:
        print(f"recollect: {error}", file=sys.stderr)  # noqa: T201
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
