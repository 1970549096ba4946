"""Loading ragas and deepeval: only when asked for, without their telemetry, in one clear line.

Each takes CPU seconds to import, which no run without them shall pay.
"""

from __future__ import annotations

import importlib
import logging
import os

from evals.errors import BadInputError


def quieten() -> None:
    """Opt out of what the libraries send and read by themselves; before they are imported.

    deepeval's switches stay where the user has set them.
    Source: ragas' `_analytics.do_not_track`, which knows the word `true` alone, and deepeval's
    documentation of its environment.
    """
    os.environ["RAGAS_DO_NOT_TRACK"] = "true"
    os.environ.setdefault("DEEPEVAL_TELEMETRY_OPT_OUT", "YES")
    os.environ.setdefault("DEEPEVAL_DISABLE_DOTENV", "1")
    # A question for which nothing was found is no news on stderr; it is a figure that is absent.
    logging.getLogger("ragas").setLevel(logging.ERROR)


def load(flag: str, *names: str) -> None:
    """Import the libraries that a flag needs.

    Raises:
        BadInputError: one cannot be imported; it names the flag and the extra to install.
    """
    quieten()
    # What is judged here may be anybody's messages: it leaves for the model's endpoint only, also
    # where the user is logged in to deepeval's service.
    os.environ["CONFIDENT_TRACING_ENABLED"] = "NO"
    for name in names:
        try:
            importlib.import_module(name)
        except ImportError as error:
            what = "is not installed" if error.name == name else f"cannot be imported ({error})"
            raise BadInputError(
                f"{flag} needs {name}, which {what}: make setup, or pip install '.[evals]'"
            ) from error
