"""How keys look on a terminal: a line for each that fits it, and a sentence on what one opens."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from sextant.types.serving import Key


def table(keys: Sequence[Key], *, every: bool = False) -> Table:
    """Return a line for each key, whose id is whole; all that do not work have their state, too."""
    made = Table(box=None, header_style="bold")
    made.add_column("id", no_wrap=True)
    for name in ("name", "tenant", "personas", "roles"):
        made.add_column(_cut(name))
    for name in ("expires", "used", *(["state"] if every else [])):
        made.add_column(name, no_wrap=True)
    for key in keys:
        made.add_row(*_cells(key, every=every))
    return made


def opens(key: Key) -> str:
    """Say what a key is good for."""
    from sextant.serve.identity.keys import caller_of

    personas = caller_of(key).personas
    who = "as anybody" if personas is None else f"as {' and '.join(sorted(personas))}"
    what = who if personas is None or personas else "as far as it is open to all"
    end = f"ends on {_day(key.expires)}" if key.expires else "never ends"
    return f"It opens the tenant {key.tenant}, {what}, for {', '.join(_roles(key))}. It {end}."


def _cells(key: Key, *, every: bool) -> list[str | Text]:
    words = (key.name, key.tenant, ", ".join(key.personas), ", ".join(_roles(key)))
    state = [key.state(datetime.now(UTC).timestamp())] if every else []
    return [key.id, *map(_cut, words), _day(key.expires), _day(key.used), *state]


def _cut(text: str) -> Text:
    return Text(text, no_wrap=True, overflow="ellipsis")


def _day(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).date().isoformat() if at else "never"


def _roles(key: Key) -> list[str]:
    """Return the roles of a key as they are typed here; such as nobody knows stay as they are."""
    from sextant.serve.caller import Role

    known = {role.value: role.short for role in Role}
    return [own for value, own in known.items() if value in key.roles] + [
        one for one in key.roles if one not in known
    ]
