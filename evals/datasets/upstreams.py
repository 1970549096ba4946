"""The upstream data sets that there are. Adding one is a module and an entry here."""

from __future__ import annotations

from evals.datasets.beam import BEAM
from evals.datasets.deepset import DEEPSET
from evals.datasets.dialseg711 import DIALSEG711
from evals.datasets.goemotions import GOEMOTIONS
from evals.datasets.locomo import LOCOMO
from evals.datasets.longmemeval import LONGMEMEVAL
from evals.datasets.reading import Upstream
from evals.datasets.realtalk import REALTALK

_ALL = (LOCOMO, LONGMEMEVAL, BEAM, REALTALK, DIALSEG711, GOEMOTIONS, DEEPSET)
UPSTREAMS: dict[str, Upstream] = {one.name: one for one in _ALL}
