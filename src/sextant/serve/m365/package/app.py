"""What is said of an app: the nouns of its manifests. Knows no schema and no file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from sextant.errors import InvalidInput

_HOST = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?")
_VERSION = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)")
ACCENT = "#1F4E79"
"""The colour behind the icon, and beside it in Teams."""


@dataclass(frozen=True, slots=True)
class App:
    """An app for Teams and Copilot: which bot it is, where it is, and who offers it.

    Addresses for privacy and terms are the website where they are not given. The reference is what
    Teams' developer portal calls an OAuth registration; a declarative agent signs in by it.
    """

    id: str
    name: str
    url: str
    developer: str
    version: str = "1.0.0"
    website: str = ""
    privacy: str = ""
    terms: str = ""
    examples: tuple[str, ...] = ()
    oauth_reference: str = ""

    @property
    def host(self) -> str:
        """The host of the server."""
        return urlsplit(self.url).hostname or ""

    @property
    def home(self) -> str:
        """Where its website is."""
        return self.website or self.url


def check_app(app: App) -> None:
    """Refuse an app without what no schema can ask for in these words."""
    if not app.id:
        raise InvalidInput("The app has no id.", "Set m365.app_id, or give --app-id.")
    if not _is_server(app.url):
        raise InvalidInput(
            "The app needs the https address of the server.",
            "Set serve.public_url, or give --url, as in https://sextant.example.com.",
        )
    if not _VERSION.fullmatch(app.version):
        raise InvalidInput(
            f"The app's version is {app.version[:40]!r}.", "Give one such as 1.0.0: Teams asks so."
        )


def _is_server(url: str) -> bool:
    """Whether an address is of a server that Microsoft can call: paths are written behind it."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return False
    is_plain = "@" not in parts.netloc and not parts.query and not parts.fragment
    return parts.scheme == "https" and port != 0 and is_plain and bool(_HOST.fullmatch(host))
