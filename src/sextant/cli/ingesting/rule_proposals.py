"""Proposed rules as they are pasted into the settings, and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from sextant.cli.shared.console import print_json
from sextant.cli.shared.rendering import line
from sextant.ingest.shaping.suggested_rules import SuggestedRule
from sextant.text.markdown import printable


def show_proposals(rules: Sequence[SuggestedRule], seen: int, *, as_json: bool) -> None:
    """Print rules; whoever pastes them finds out from comments why, and what each covers."""
    if as_json:
        print_json([_fields(rule) for rule in rules])
        return
    if not rules:
        line(f"# {seen:,} documents were read; none counts less than others. No rule is proposed.")
        return
    line(f"# Rules for sextant.toml, proposed for {seen:,} documents that were read.")
    line("# Without a rule such pages count less for questions about now alone.")
    for rule in rules:
        line()
        for own in _lines(rule):
            line(own)


def _lines(rule: SuggestedRule) -> Iterator[str]:
    yield f"# {rule.documents:,} document{'' if rule.documents == 1 else 's'}: {rule.why}."
    if rule.written:
        first, last = (moment.date().isoformat() for moment in rule.written)
        yield f"# Written {first}{'' if first == last else f' to {last}'}."
    if rule.authors:
        yield f"# By {printable(', '.join(rule.authors))}."
    yield "[[ingest.rules]]"
    yield f"match = {json.dumps(rule.match, ensure_ascii=False)}"
    yield f'source_type = "{rule.source_type}"'
    yield f"reputation = {rule.reputation:g}"


def _fields(rule: SuggestedRule) -> dict[str, Any]:
    return {
        "match": rule.match,
        "source_type": rule.source_type,
        "reputation": rule.reputation,
        "why": rule.why,
        "documents": rule.documents,
        "written": [moment.isoformat() for moment in rule.written or ()],
        "authors": list(rule.authors),
    }
