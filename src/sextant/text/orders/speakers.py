"""Marks by which a page pretends that somebody else speaks from here on: nothing behind one counts.

Patterns are matched with small letters.
"""

from __future__ import annotations

from sextant.text.orders.rule import Rule

_LINE = r"(?:^|\n)[ \t>|*#{\[\"'`_-]{0,40}"
_TOLD = (
    r"(?:you\b|your\b|ignore\b|obey\b|reply\b|respond\b|answer\b|say\b|tell\b|state\b|write\b|"
    r"instructions?\b|praise\b|disregard\b|call the\b|the assistant\b)"
)

SPEAKERS = (
    Rule(
        "marks of a chat template",
        "",
        r"<[|\uff5c][\w/ \u2581-]{1,40}[|\uff5c]?>|\[/?inst\](?![(\[])|<</?sys>>"
        r"|</?(?:start_of_turn|end_of_turn|tool_call|tool_response|function_calls?|"
        r"function_results)\b",
    ),
    Rule(
        "a tag that opens or closes somebody's words",
        "system assistant human instruction important untrusted document source context passage "
        "chunk data user retrieved admin",
        rf"{_LINE}</?(?:system|assistant|human|instructions?|untrusted|system[-_]prompt)>"
        r"|<(?:important|system|instructions?|admin)>(?=\s*[a-z])"
        rf"|{_LINE}</(?:documents?|sources?|context|passages?|chunk|data|user|retrieved\w*)>"
        r"(?!\s*(?:<(?!system)|```|$))",
    ),
    Rule(
        "a line of another speaker",
        "system assistant developer human ai instruction role",
        r"(?:^|\n)[ \t>|*#{\[\"'`_-]{0,40}(?:system|assistant|developer|human|ai)(?: (?:message|"
        r"prompt|"
        r"note|override|update|instructions?))?[\]*]{0,3}\s{0,3}(?::|=?>)\*{0,2}(?:[ \t]+|"
        r"[ \t]*\n\s*)"
        rf"(?=[^\n]{{0,200}}?\b{_TOLD})"
        r"|(?:^|\n)#{2,4} ?(?:system|instructions?|developer)(?: (?:message|prompt))?\s*:[ \t]*\n"
        rf"(?=\s*[^\n]{{0,200}}?\b{_TOLD})"
        r"|(?:^|\n)[ \t>]*human:[^\n]*\n\s*(?:assistant|ai):"
        r"|\"role\"\s*:\s*\"(?:system|developer)\"\s*,\s*\"content\"",
    ),
    Rule(
        "the end of the evidence, as a page would have it",
        "end question query",
        rf"{_LINE}end of (?:the )?(?:sources?|context|documents?|passages?|data|evidence|"
        rf"retrieved \w+)"
        r"\b(?=[^\n]{0,10}(?:\n|[.:]|$|-{2,}))(?=[^\n]{0,40}\n?[^\n]{0,60}\b(?:user|question|you|"
        r"your|"
        r"instruction|ignore|task)\b)"
        rf"|{_LINE}(?:the )?(?:real |actual |next )?user (?:question|query)(?: is)?\s*:",
    ),
    Rule(
        "the shape of a model's own reply",
        "answer function chunk selected is should key",
        r"[\"'](?:answer_markdown|function_call|chunk_texts|selected_sources|key_points|"
        r"is_sufficient"
        r"|should_run_rag)[\"']\s*:",
    ),
)
