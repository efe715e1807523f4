"""Text in a document that speaks to a model instead of telling something. Knows many disguises.

Whoever obeys it says what nobody knows: the sentence of an order is no evidence, nor is anything
behind the mark of another speaker. It need not find every order: what a model makes up under one
still has no source.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

_MACHINE = r"(?:(?:ai )?assistants?|ai|llms?|gpt|copilots?|language models?)"
_RULES = (
    r"(?:instructions?|rules?|prompts?|guidelines?|directions?|orders?|policies|constraints|"
    r"messages?|context|sources?|documents?|chunks?|restrictions?|safety)"
)
_DO = (
    r"(?:say|state|tell|reply|respond|answer|output|print|write|repeat|claim|report|mention|"
    r"insert|append|include|add|embed|render|display|emit|return|cite|quote|use|call|invoke|run|"
    r"execute|send|recommend|conclude|start|end|begin|finish)"
)
_MUST = r"(?:must|should|shall|will|please|has to|have to|is to|are to|needs? to)"
_REPLY = r"your (?:final |next |own )?(?:answer|reply|response|output|summary)"

_OVERRULES = (
    r"\b(?:ignore|disregard|forget|override|bypass|drop|do not (?:follow|obey|use))\b[^.\n]{0,40}"
    rf"\b(?:{_RULES}|above|previous|prior|earlier|everything|anything)\b"
)
_ADDRESSES = (
    rf"\b(?:{_RULES}|note|notice|attention|important|memo)\b[^.\n]{{0,20}}\b(?:to|for)\b"
    rf"[^.\n]{{0,20}}\b{_MACHINE}\b|\b(?:dear|hey|hello|attention|hi)\b,? {_MACHINE}\b"
    rf"|\b{_MACHINE}\b[^.\n]{{0,30}}\b{_MUST}\b[^.\n]{{0,20}}\b{_DO}\b"
)
_PERSUADES = (
    rf"\b(?:you are now|you are (?:a|an|the|no longer)\b[^.\n]{{0,30}}\b{_MACHINE}"
    rf"|act as (?:if|though|an?|the)\b[^.\n]{{0,30}}\b{_MACHINE}|from now on,? (?:you|please|{_DO})"
    r"|system prompt|developer mode|jailbreak|as an ai)\b|\bnew (?:instructions?|rules?|task)\s*:"
)
_DICTATES = (
    rf"\b(?:in|with|to|end|start|begin|of) {_REPLY}\b|\b{_REPLY}\b[^.\n]{{0,20}}\b{_MUST}\b"
    r"|\bwhen you (?:answer|reply|respond|summari[sz]e)\b"
    r"|(?:^|[\n.!?:;,(\"'>|*#]\s{0,3}|\b(?:and|then|please|to|must|should) )"
    r"(?:say|tell (?:the|your|every|each|any) (?:user|reader|customer|person|asker)s?|reply"
    r"|respond|answer (?:only|that|with|the user)|output|print)\b(?: only| exactly| instead| back)?"
    r",? ?(?:that|with|this|the following|exactly|verbatim|:|[\"“'])"
)
_TONGUES = (
    r"\b(?:ignorier\w*|vergiss|missachte)\b.{0,40}\b(?:anweisung\w*|regel\w*)"
    r"|\bignore[zr]?\b.{0,40}\b(?:instructions|consignes|règles|instruções|regras)"
    r"|\b(?:ignor|olvid|dimentic|omit)\w*\b.{0,40}\b(?:instrucciones|istruzioni|reglas|regole)"
    r"|\bигнориру\w+|忽略|無視|无视|忘记|무시|تجاهل|अनदेखा|zignoruj|negeer"  # noqa: RUF001 - letters of other tongues
)
_BEGIN = r"(?:^|\n)[ \t>|*#{\[\"'`_-]{0,40}"
_TEMPLATES = (
    r"<\|[\w/ -]{1,40}\|?>|\[/?(?:inst|sys)\b[^\]]{0,20}\]|<</?sys>>"
    r"|</?(?:start_of_turn|end_of_turn|tool_call|tool_response|function_calls?|function_results)\b"
    rf"|{_BEGIN}(?:<|</|\[/?)(?:s|bos|eos|human|assistant|system|user|instructions?|untrusted"
    r"|document|sources?|data|chunk|passage|context|invoke|admin|developer)\b[^<>\[\]\n]{0,80}[>\]]"
)
_ROLES = (
    rf"{_BEGIN}(?:system|assistant|developer|human|tool|function|ai)"
    r"(?: (?:message|prompt|note|override|update|instructions?))?\s*\*{0,2}\s*(?::|=?>)\*{0,2}"
    r"(?=[ \t]*\n|(?:[ \t]+\S+){3})"
)
_SHAPES = (
    rf"{_BEGIN}(?:answer_markdown|tool_calls?|function_call|chunk_texts|selected_sources|key_points"
    r"|is_sufficient|should_run_rag|recipient_name|tool_choice)\b[\"']?\s*[:=]"
)
_ORDER = re.compile(
    "|".join((_OVERRULES, _ADDRESSES, _PERSUADES, _DICTATES, _TONGUES)), re.IGNORECASE
)
_SPEAKER = re.compile("|".join((_TEMPLATES, _ROLES, _SHAPES)), re.IGNORECASE)
_STOP = re.compile(
    r"[.!?;](?=\s)|[。！？]|\n(?=[ \t]{0,8}(?:\n|[-*+•|#>]|\d{1,3}[.)]|[\w -]{1,30}:\s))"  # noqa: RUF001 - stops of other scripts
)


def orders_in(text: str) -> Iterator[tuple[int, int]]:
    """Yield where a text speaks to a model: from where to where nothing in it is evidence."""
    read, places = (text, range(len(text))) if text.isascii() else _as_read(text)
    other = _SPEAKER.search(read)
    end = other.start() if other else len(read)
    stops = [0, *(stop.end() for stop in _STOP.finditer(read)), len(read)]
    told = 0
    for found in _ORDER.finditer(read, 0, end):
        if found.end() <= told:
            continue
        first = found.end() - len(found.group().lstrip("\n.!?:;, "))
        start = stops[bisect_right(stops, first) - 1]
        told = stops[bisect_left(stops, found.end())]
        yield _place(places, start, text), _place(places, told, text)
    if other:
        yield places[end], len(text)


def _place(places: Sequence[int], at: int, text: str) -> int:
    return places[at] if at < len(places) else len(text)


def _as_read(text: str) -> tuple[str, Sequence[int]]:
    """Return a text as a model would read it, and where each of its signs stands."""
    signs, places = [], []
    for at, sign in enumerate(text):
        if unicodedata.category(sign) not in _UNSEEN:
            plain = unicodedata.normalize("NFKC", sign)
            signs.append(plain)
            places += [at] * len(plain)
    return "".join(signs), places


_UNSEEN = frozenset({"Cf", "Mn", "Co", "Cn"})
