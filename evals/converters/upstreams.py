"""The upstream data sets that there are. Adding one is a module and an entry here."""

from __future__ import annotations

from evals.converters.beam import BEAM
from evals.converters.deepset import DEEPSET
from evals.converters.dialseg711 import DIALSEG711
from evals.converters.goemotions import GOEMOTIONS
from evals.converters.locomo import LOCOMO
from evals.converters.longmemeval import LONGMEMEVAL
from evals.converters.reading import Upstream
from evals.converters.realtalk import REALTALK

_ALL = (LOCOMO, LONGMEMEVAL, BEAM, REALTALK, DIALSEG711, GOEMOTIONS, DEEPSET)
UPSTREAMS: dict[str, Upstream] = {one.name: one for one in _ALL}
