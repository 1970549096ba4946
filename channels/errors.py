"""Errors of the channel adapters. The docstring is the default message."""

from __future__ import annotations

from memory.errors import RecollectError, Transient


class MalformedPayload(RecollectError):
    """A webhook does not have the shape its channel documents."""

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(f"malformed webhook: {field} {problem}")
        self.field = field


class BadSignature(RecollectError):
    """A webhook is not signed with the configured key; compare it with the gateway's settings."""


class GatewayError(RecollectError):
    """A call to the channel's gateway failed."""


class GatewayUnavailable(GatewayError, Transient):
    """The gateway did not carry out a call that may be repeated at will."""


class SendRefused(GatewayError):
    """The message was certainly not sent; it may be sent again.

    `retry_after_s` is how long the channel asks us to wait, 0 when it does not say; `is_final`
    tells that another try cannot succeed (the chat is gone, or we were blocked).
    """

    def __init__(self, message: str, *, retry_after_s: float = 0.0, is_final: bool = False) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s
        self.is_final = is_final


class ChatHasMoved(SendRefused):
    """The chat has another id now; nothing was sent."""

    def __init__(self, new_chat_id: str) -> None:
        super().__init__("send: the chat has another id now")
        self.new_chat_id = new_chat_id


class SendUncertain(GatewayError):
    """The message may have been sent; look it up in the chat before sending it again."""
