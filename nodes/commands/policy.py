"""`/policy`: show what holds in a chat, and change it (N6). Owner's own chat only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from memory.domain.chats import ChatRef, Message
from memory.policy.file import edited
from memory.policy.rules import (
    ALL_TOOLS,
    DEFAULT_PERSONA_FILE,
    EVERYONE,
    BadPolicy,
    Layer,
    Pause,
    Policy,
    parse_scope,
    scopes_of,
)
from nodes.context import Context

HELP = """\
/policy [SCOPE]                     what holds
/policy [SCOPE] set KEY VALUE       reply, reply_direct, reply_group (all, mention_only, off),
                                    debounce_ms, debounce_max_ms, takeover_s,
                                    from_others (plain, refused),
                                    learns_from (everyone, owner); VALUE default takes it back
/policy [SCOPE] block ID            never answer a sender, nor learn from them
/policy [SCOPE] unblock ID
/policy [SCOPE] allow ID            answer nobody but the allowed; everyone ends that
/policy [SCOPE] persona FILE        a file of the persona folder, or default
/policy [SCOPE] tools A,B           or all
SCOPE is CHANNEL or CHANNEL/ACCOUNT/CHAT_ID. Without it: this chat; for block, unblock and allow
its whole channel."""

_SETTABLE = (
    "reply",
    "reply_direct",
    "reply_group",
    "debounce_ms",
    "debounce_max_ms",
    "takeover_s",
    "from_others",
    "learns_from",
)
_OF_CHANNEL = frozenset({"block", "unblock", "allow"})
Edit = Callable[[Layer], Layer]


@dataclass(frozen=True, slots=True)
class Order:
    """What `/policy` is to do: a verb, its operands, and the scope if one was named."""

    verb: str
    operands: tuple[str, ...]
    scope: str


def parse_order(args: str) -> Order:
    """Read what follows `/policy`.

    Raises:
        BadPolicy: the scope is none.
    """
    words = args.split()
    scope = ""
    if words and (words[0].lower() not in _VERBS):
        scope = parse_scope(words.pop(0))
    return Order(words[0].lower() if words else "show", tuple(words[1:]), scope)


async def answer_policy(args: str, message: Message, context: Context) -> str:
    """Carry out `/policy ...` and return what it shows; what is wrong is said in one line."""
    try:
        order = parse_order(args)
        if order.verb == "help":
            return HELP
        if order.verb == "show":
            return await _show(order.scope, message.chat, context)
        edit = await _edit(order, context)
    except BadPolicy as error:
        return f"Not done: {error}. /policy help shows how."
    channel, chat = scopes_of(message.chat)
    scope = order.scope or (channel if order.verb in _OF_CHANNEL else chat)
    try:
        made = await context.memory.policies.change(
            message.chat.tenant, {scope: edit}, message.sender_id, context.clock(), message.uid
        )
    except BadPolicy as error:
        return f"Not done: {error}. /policy help shows how."
    if not made:
        return f"{scope} is so already."
    return f"Done: {scope} is version {made[0].version} now.\n{layer_text(made[0].layer)}"


async def _edit(order: Order, context: Context) -> Edit:
    verb, operands = order.verb, order.operands
    if verb == "set":
        if len(operands) != 2 or operands[0] not in _SETTABLE:
            raise BadPolicy(f"write set KEY VALUE, with one of {', '.join(_SETTABLE)}")
        name, value = operands
        return lambda layer: edited(layer, {name: None if value == "default" else value})
    if verb not in _VERBS:
        raise BadPolicy(f"there is no {verb}")
    if len(operands) != 1:
        raise BadPolicy(f"{verb} needs exactly one word after it")
    word = operands[0]
    if verb == "persona" and word != DEFAULT_PERSONA_FILE:
        await context.memory.personas.text(word)
    return lambda layer: edited(layer, _changes(verb, word, layer))


def _changes(verb: str, word: str, layer: Layer) -> dict[str, object]:
    blocked = layer.blocked or frozenset()
    match verb:
        case "block":
            return {"blocked": sorted(blocked | {word})}
        case "unblock":
            if word not in blocked:
                raise BadPolicy(f"{word} is not blocked there; its blocks: {_ids(blocked)}")
            return {"blocked": sorted(blocked - {word}) or None}
        case "allow":
            if word == EVERYONE:
                return {"allowed": EVERYONE}
            allowed = layer.allowed if isinstance(layer.allowed, frozenset) else frozenset()
            return {"allowed": sorted(allowed | {word})}
        case "persona":
            return {"persona_file": word}
        case _:
            names = [name.strip() for name in word.split(",") if name.strip()]
            return {"tools": ALL_TOOLS if word == ALL_TOOLS else names}


_VERBS = frozenset(
    {"show", "help", "set", "block", "unblock", "allow", "persona", "tools"},
)


async def _show(scope: str, chat: ChatRef, context: Context) -> str:
    target = _chat_of(scope, chat) if scope else chat
    if target is None:
        found = await context.memory.policies.newest(chat.tenant, [scope])
        return f"{scope}:\n" + (layer_text(found[0].layer) if found else "- nothing of its own")
    policy = await context.memory.policies.resolve(target)
    its_scopes = scopes_of(target)
    now = context.clock()
    pauses = await context.memory.pauses.lasting(target.tenant, its_scopes[-1], now)
    layers = await context.memory.policies.newest(target.tenant, its_scopes)
    versions = ", ".join(f"{each.scope} version {each.version}" for each in layers)
    return "\n".join(
        [
            f"{its_scopes[-1]}:",
            *policy_lines(policy),
            f"- {pause_text(pauses)}",
            f"- from: the settings{', ' + versions if versions else ''}",
        ]
    )


def _chat_of(scope: str, chat: ChatRef) -> ChatRef | None:
    parts = scope.split("/", 2)
    return ChatRef(chat.tenant, *parts) if len(parts) == 3 else None


def policy_lines(policy: Policy) -> list[str]:
    """Return an effective policy, a line for each rule."""
    return [
        f"- reply: direct {policy.reply_direct}, groups {policy.reply_group}",
        f"- blocked: {_ids(policy.blocked)}",
        f"- allowed: {EVERYONE if policy.allowed is None else _ids(policy.allowed)}",
        f"- tools: {ALL_TOOLS if policy.tools is None else _ids(policy.tools)}",
        f"- persona: {policy.persona_file}",
        f"- debounce: {policy.debounce_ms} ms, at most {policy.debounce_max_ms} ms",
        f"- takeover: {policy.takeover_s} s",
        f"- commands of others: {policy.from_others}",
        f"- facts from: {policy.learns_from}",
    ]


def pause_text(pauses: Sequence[Pause]) -> str:
    """Return in one line whether the agent keeps out of a chat, why, and until when."""
    if not pauses:
        return "paused: no"
    if any(pause.ends_at is None for pause in pauses):
        return "paused: until /resume"
    ends = max(pause.ends_at for pause in pauses if pause.ends_at is not None)
    return f"paused: the owner took over, until {ends:%Y-%m-%d %H:%M:%S} UTC"


def layer_text(layer: Layer) -> str:
    """Return what a layer sets itself, a line for each rule."""
    given = layer.model_dump(exclude_none=True)
    if not given:
        return "- nothing of its own"
    return "\n".join(
        f"- {name}: {_ids(value) if isinstance(value, frozenset) else value}"
        for name, value in given.items()
    )


def _ids(values: frozenset[str]) -> str:
    return ", ".join(sorted(values)) or "none"
