"""How Microsoft's Agents Playground is kept on this machine: by itself it listens everywhere.

Knows Node's way to load a file first; knows no bot.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from urllib.parse import quote

_LOOPBACK = """
import net from "node:net";
const listen = net.Server.prototype.listen;
net.Server.prototype.listen = function (first, ...rest) {
  const isPort = typeof first === "number" || (typeof first === "string" && /^\\d+$/.test(first));
  if (isPort && typeof rest[0] !== "string") return listen.call(this, first, "127.0.0.1", ...rest);
  if (first && typeof first === "object" && first.port !== undefined && !first.host)
    return listen.call(this, { ...first, host: "127.0.0.1" }, ...rest);
  return listen.call(this, first, ...rest);
};
"""
_KEPT = ("HOME", "PATH", "LANG", "DISPLAY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR", "TMPDIR", "TEMP")
_KEPT_PREFIXES = ("NODE_", "NPM_", "npm_", "HTTPS_", "HTTP_", "NO_", "SSL_", "APPDATA", "SYSTEM")


def playground_variables(environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment of the playground: what Node needs, and no secret of ours."""
    given = os.environ if environment is None else environment
    kept = {
        name: value
        for name, value in given.items()
        if name in _KEPT or name.startswith(_KEPT_PREFIXES)
    }
    loaded = f"--import data:text/javascript,{quote(_LOOPBACK)}"
    return {**kept, "NODE_OPTIONS": f"{kept.get('NODE_OPTIONS', '')} {loaded}".strip()}
