"""What messages tell, read as the product reads them by rules."""

from __future__ import annotations

from memory.domain.chats import Message
from memory.domain.facts import Observation
from memory.domain.readings import Heard
from memory.facts.learning import Learner


async def observations_of(message: Message) -> tuple[Observation, ...]:
    """Return what a message tells of its sender."""
    (reading,) = await Learner().read([Heard(message)])
    return reading.observations
