"""`recollect memory rules`: what is never kept, of everybody or of one contact."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from ui.cli.memory import AsJson, Tenant, settings_of
from ui.cli.whom import contact_of

if TYPE_CHECKING:
    from graph.stores import Stores
    from memory.facts.keeping import Keeper, Meant
    from memory.policy.keeping import Rule

rules_app = typer.Typer(help="See and make rules of what is never kept.", no_args_is_help=True)
_T = TypeVar("_T")

Number = Annotated[int, typer.Argument(metavar="NUMBER", help="Of the rule, as `list` shows it.")]


@rules_app.command("list")
def list_rules(tenant: Tenant = None, as_json: AsJson = False) -> None:
    """List the rules that hold: number, what is never kept, of whom."""

    async def read(keeper: Keeper, _: Stores) -> list[Rule]:
        return await keeper.corrector.memory.rules.of(keeper.corrector.tenant)

    rules = _on_keeper(tenant, read)
    if as_json:
        _write(json.dumps([_rule_json(each) for each in rules], ensure_ascii=False, indent=2))
    else:
        _write("\n".join(map(_line, rules)) or "Everything is kept: there are no rules.")


@rules_app.command()
def add(
    facts: Annotated[
        str, typer.Option("--facts", metavar="KIND", help="A kind of fact: health, employer, ...")
    ] = "",
    words: Annotated[
        str, typer.Option("--words", metavar="TEXT", help="A word or phrase, in any language.")
    ] = "",
    credentials: Annotated[
        bool, typer.Option("--credentials", help="Passwords, codes, keys, numbers of cards.")
    ] = False,
    contact: Annotated[
        str, typer.Option("--contact", "-c", metavar="ID", help="Of one contact alone.")
    ] = "",
    forget: Annotated[
        bool, typer.Option("--forget", help="Forget the facts that it would have kept out, too.")
    ] = False,
    tenant: Tenant = None,
) -> None:
    """Let something be kept no more. What is known already stays, unless it is forgotten, too.

    Facts of a kind go with the sentences that tell them; a message with the words, or with
    credentials, is answered and stays in the transcript alone.
    """
    from memory.policy.keeping import RuleKind

    given: dict[RuleKind, bool] = {
        "facts": bool(facts.strip()),
        "words": bool(words.strip()),
        "credentials": credentials,
    }
    kinds = [kind for kind, is_given in given.items() if is_given]
    if len(kinds) != 1:
        raise typer.BadParameter("say one of --facts, --words and --credentials")

    async def make(keeper: Keeper, stores: Stores) -> tuple[Rule, list[Meant]]:
        whom = await contact_of(stores, contact.strip()) if contact.strip() else ""
        rule = await keeper.add(kinds[0], facts or words, whom)
        meant = await keeper.meant(rule)
        if forget:
            await keeper.forget_meant(rule)
        return rule, meant

    rule, meant = _on_keeper(tenant, make)
    _write(f"Never kept from now on: {_line(rule)}")
    if meant:
        _write(_meant_text(meant, is_forgotten=forget))


@rules_app.command()
def remove(number: Number, tenant: Tenant = None) -> None:
    """Let a rule hold no more. What it kept out stays out."""
    rule = _on_keeper(tenant, lambda keeper, _: keeper.remove(number))
    _write(f"Kept again from now on: {_line(rule)}")


def _meant_text(meant: Sequence[Meant], *, is_forgotten: bool) -> str:
    from memory.facts.keeping import counted_of

    known = counted_of(meant)
    if is_forgotten:
        return f"Forgotten: {known} that it would have kept out. The Memory view can undo that."
    return f"It would have kept out {known} that are known: --forget forgets them, too."


def _on_keeper(tenant: str | None, work: Callable[[Keeper, Stores], Awaitable[_T]]) -> _T:
    settings = settings_of(tenant, None)

    async def run() -> _T:
        from graph.bootstrap import open_stores
        from memory.facts.corrector import Corrector
        from memory.facts.keeping import Keeper

        async with open_stores(settings) as stores:
            made = Corrector(stores.memory, stores.clock, stores.ids, stores.settings.tenant)
            return await work(Keeper(made), stores)

    return asyncio.run(run())


def _line(rule: Rule) -> str:
    from ui.cli.terminal import printable

    covers = f" ({', '.join(rule.keys)})" if rule.keys and rule.keys != (rule.what,) else ""
    whose = f", of {rule.contact_id}" if rule.contact_id else ""
    return printable(f"{rule.rule_id}  {rule.name}{covers}{whose}")


def _rule_json(rule: Rule) -> dict[str, Any]:  # Any: JSON
    return {
        "number": rule.rule_id,
        "kind": rule.kind,
        "what": rule.what,
        "covers": list(rule.keys),
        "contact_id": rule.contact_id,
        "since": rule.since.isoformat(),
    }


def _write(text: str) -> None:
    sys.stdout.write(f"{text}\n")
