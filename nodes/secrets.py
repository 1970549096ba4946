"""Keys and passwords of ours, which no reply may hold. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Secrets:
    """The secrets of a process; its `repr` shows none of them."""

    values: tuple[str, ...] = field(default=(), repr=False)

    def are_in(self, text: str) -> bool:
        """Tell whether a text holds a secret."""
        return any(secret in text for secret in self.values)

    def begins_in(self, text: str) -> int:
        """Return where the text's end may be the beginning of a secret; its length if nowhere."""
        longest = max((len(secret) for secret in self.values), default=0)
        for start in range(max(len(text) - longest + 1, 0), len(text)):
            if any(secret.startswith(text[start:]) for secret in self.values):
                return start
        return len(text)
