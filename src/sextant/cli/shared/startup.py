"""What a server says as it opens: where it is, who may come in, what it lacks, how to ask it."""

from __future__ import annotations

import json
import logging
import os
import shlex
import time
from typing import TYPE_CHECKING

from rich.markup import escape

from sextant.cli.shared.console import err, out
from sextant.serve.identity.metadata import listed
from sextant.serve.records.logs import is_json_log
from sextant.settings import TOKEN_VARIABLE, ServeSettings, Settings
from sextant.types import Scope, is_own

if TYPE_CHECKING:
    from sextant.serve.mcp.transports.single_server import Alone
    from sextant.serve.running import Running

_log = logging.getLogger(__name__)
_EVERYWHERE = frozenset({"0.0.0.0", "::"})  # noqa: S104 - to say so, not to listen there
_NEUTRAL = "What do you know?"
_LONGEST = 80
_USUAL = ServeSettings()
_PLACES = {"api-key": "KEY", "oidc": "TOKEN"}


async def show(server: Running, chosen: Settings, store: str | None) -> None:
    """Say where the doors are and how one comes in; the store is as an option named it."""
    own, again = chosen.serve, f" --store {shlex.quote(store)}" if store else ""
    # Read first: what cannot be read is refused before anything is promised.
    lacks_key = own.auth == "api-key" and not await _has_key(chosen)
    lack, question = await _lack(server, chosen), await _question(server, own)
    if own.auth == "none":
        _warn(
            "Nobody is asked for a token: every program on this machine can read, write and "
            "delete all knowledge. Use it for tests only."
        )
    _show_places(server, chosen)
    _warn_of_names(own)
    if lacks_key:
        _warn(f"There is no key yet: `sextant keys create --name NAME --role search{again}`.")
    if lack:
        whose = f" --tenant {shlex.quote(own.tenant)}" if own.tenant != _USUAL.tenant else ""
        how = f"`sextant ingest DOCS{whose}{again}` or POST /api/ingest"
        _warn(f"{lack}: take knowledge in by {how}.")
    _say("\nAsk it:")
    _say(escape(_curl(server, own, question)))
    _say("\nCtrl+C ends it.")


async def show_alone(server: Alone, which: str, own: ServeSettings) -> None:
    """Say where one of the three servers is, and what lets one in."""
    print(f"{which} answers at {_where(f'{server.url}/mcp', own)}", flush=True)
    if server.token and not _is_given():
        print(f"token {server.token}", flush=True)
    _warn_of_names(own)


def tell_closing() -> None:
    """Say that the server ends."""
    if is_json_log():
        _log.info("Closing.")
    else:
        err.print("Closing.", highlight=False)


def _where(url: str, own: ServeSettings) -> str:
    """Return the address of a server, and whether it has others."""
    is_everywhere = own.host.strip("[]") in _EVERYWHERE
    return f"{url} and at all other addresses of this machine" if is_everywhere else url


def _warn_of_names(own: ServeSettings) -> None:
    """Say under which names a server does not answer, where others may call it by them."""
    if own.host.strip("[]") in _EVERYWHERE and not (own.hosts or own.public_url):
        _warn(
            "It goes by localhost and its own addresses alone: whoever calls it by another name "
            "gets 421 until serve.hosts has that name (`sextant serve --hosts NAME,…`)."
        )


def _is_given() -> bool:
    """Whether whoever starts the server chose the token, and so need not see it."""
    return bool(os.environ.get(TOKEN_VARIABLE, "").strip())


def _show_places(server: Running, chosen: Settings) -> None:
    rows = [
        ("REST", f"{server.url}/api"),
        ("API", f"{server.url}/docs, {server.url}/openapi.json"),
        ("MCP", f"{server.url}/mcp"),
        ("copilot", f"{server.url}/copilotkit"),
        *_bot(server, chosen),
        ("health", f"{server.url}/health, {server.url}/ready, {server.url}/metrics"),
        _who(server, chosen),
    ]
    _say(f"[bold]Sextant answers at {escape(_where(server.url, chosen.serve))}[/bold]")
    for name, value in rows:
        _say(f"  {name:<7} {escape(value)}")


def _bot(server: Running, chosen: Settings) -> list[tuple[str, str]]:
    """Return where channels of Microsoft send activities, if they may."""
    is_open = "m365" in listed(chosen.serve.doors)
    return [("bot", f"{server.url}/api/messages")] if is_open else []


def _who(server: Running, chosen: Settings) -> tuple[str, str]:
    """Return what lets somebody in."""
    match chosen.serve.auth:
        case "none":
            return "open", "to everybody on this machine"
        case "api-key":
            return "keys", "whoever has one that `sextant keys list` shows"
        case "oidc":
            audience = chosen.oidc.audience or chosen.serve.public_url
            claim = chosen.oidc.roles_claim
            return "tokens", f"of {chosen.oidc.issuer} for {audience}, with roles in {claim}"
        case _:
            return "token", f"${TOKEN_VARIABLE}" if _is_given() else server.token


async def _has_key(chosen: Settings) -> bool:
    from sextant.serve.records.opening import server_records

    async with server_records(chosen) as records:
        keys = await (await records.open_keys()).list_keys()
    return any(one.state(time.time()) == "active" for one in keys)


async def _lack(server: Running, chosen: Settings) -> str:
    """Return what is to be said of a store that knows nothing; of one that does, nothing."""
    known = await server.house.sextant.store.admin.tenants()
    if not known:
        return f"The store {chosen.store} is empty"
    own = chosen.serve
    if own.auth in ("none", "local") and own.tenant not in known:
        return f"The store {chosen.store} has nothing of the tenant {own.tenant}"
    return ""


async def _question(server: Running, own: ServeSettings) -> str:
    """Return a question that this store has an answer to, if it says so itself."""
    if own.auth not in ("none", "local"):
        return _NEUTRAL
    found = await server.house.sextant.store.truth.documents(Scope(own.tenant), limit=10)
    titles = (one.title for one in found if one.title.isprintable() and not is_own(one.id))
    return next((f"What is {one}?" for one in titles if 0 < len(one) <= _LONGEST), _NEUTRAL)


def _curl(server: Running, own: ServeSettings, question: str) -> str:
    token = f"${TOKEN_VARIABLE}" if _is_given() else server.token or _PLACES.get(own.auth, "")
    proof = "" if own.auth == "none" else f'-H "Authorization: Bearer {token}" '
    body = shlex.quote(json.dumps({"query": question}, ensure_ascii=False))
    return f"curl {server.url}/api/ask {proof}-H 'Content-Type: application/json' -d {body}"


def _say(line: str) -> None:
    out.print(line, highlight=False, soft_wrap=True)


def _warn(line: str) -> None:
    if is_json_log():
        _log.warning("%s", line)
        return
    err.print("[bold yellow]warning:[/bold yellow]", escape(line), highlight=False, soft_wrap=True)
