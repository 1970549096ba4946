"""What every fact store does, whatever it is made of."""

from __future__ import annotations

from tests.contract.facts.ending import Ending
from tests.contract.facts.hostile import Hostile
from tests.contract.facts.replaying import Replaying
from tests.contract.facts.stating import Stating


class FactStoreContract(Stating, Ending, Replaying, Hostile):
    """Subclasses give the fixture `backend`."""
