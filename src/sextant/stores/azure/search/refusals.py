"""What AI Search refuses of what we send, as errors that say what to do."""

from __future__ import annotations

import re

from azure.core.exceptions import HttpResponseError

from sextant.errors import (
    ConfigError,
    EmbedderMismatch,
    IndexBehind,
    SextantError,
    StoreError,
    StoreUnwritable,
)

_INIT = (
    "Run `sextant azure check` to see what the index lacks, and `sextant azure init` to make it."
)
_WIDTH = re.compile(r"dimension.*?'(\d+)'.*length of '(\d+)'\.?\s*$", re.DOTALL)
_FIELD = re.compile(r"(?:property named|[Ff]ield|property) '([\w.]+)'")


def bad_request(error: HttpResponseError) -> SextantError:
    """Return what is wrong where the service does not understand a request of ours."""
    said = (error.message or "").strip()
    if "dimension" in said:
        widths = _WIDTH.search(said)
        sizes = f" of {widths[1]} numbers, not {widths[2]}" if widths else " of another width"
        return EmbedderMismatch(
            f"The index in AI Search takes vectors{sizes}.",
            "Use the embedder that the index was made for, or name a new index in "
            "azure.search_index and run `sextant azure init` and `sextant rebuild`.",
        )
    if field := _FIELD.search(said):
        return ConfigError(
            f"The index in AI Search has no field {field[1]} that can be used as it must be.", _INIT
        )
    return StoreError(f"AI Search refuses a call: {said[:200]}", _INIT)


def rows_refused(count: int, status: int) -> StoreError:
    """Some rows of a batch are not taken, now or later."""
    return StoreError(
        f"AI Search does not take {count} of the rows (status {status}).",
        "Its metrics say more; `sextant check` names what the index lacks.",
    )


def not_shown_yet() -> IndexBehind:
    """Earlier changes cannot be found yet, so the next ones have to wait."""
    return IndexBehind(
        "AI Search does not show the last changes yet.",
        "Try again: it takes seconds. azure.lag_seconds is how long is waited for it.",
    )


def other_definition(index: str, problems: list[str]) -> ConfigError:
    """The index that is there is not one that we can use."""
    return ConfigError(f"The index {index} in AI Search does not fit. {' '.join(problems)}", _INIT)


def no_records() -> ConfigError:
    """The index was opened alone: nobody keeps its position."""
    return ConfigError(
        "The index in AI Search has no store beside it.", 'Set index = "azure:" beside a store.'
    )


def index_read_only() -> StoreUnwritable:
    """Somebody else fills the index."""
    return StoreUnwritable(
        "The index in AI Search is read only here.",
        "Set azure.read_only to false, for an index of our own.",
    )
