"""Text in a document that speaks to a model instead of telling something. Knows many disguises.

Whoever obeys it says what nobody knows: such text, and what follows it, is no evidence. It need not
find every order: what a model makes up under one still has no source.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

_MACHINE = r"(?:assistants?|chat ?bots?|bots?|ai|llms?|gpt|copilots?|(?:language )?models?|agents?)"
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
    r"|new (?:instructions?|rules?|system prompt|task)|system prompt|developer mode|jailbreak"
    r"|as an ai)\b"
)
_DICTATES = (
    rf"\b(?:in|with|to|end|start|begin|of) {_REPLY}\b|\b{_REPLY}\b[^.\n]{{0,20}}\b{_MUST}\b"
    r"|\bwhen (?:asked|answering|summari[sz]ing|replying|responding"
    r"|you (?:answer|reply|respond|read|see|summari[sz]e))\b"
    r"|\b(?:say|tell (?:the|your|every|each|any) (?:user|reader|customer|person|asker)s?|reply"
    r"|respond|answer (?:only|that|with|the user)|output|print)\b(?: only| exactly| instead| back)?"
    r",? ?(?:that|with|this|the following|exactly|verbatim|:|[\"“'])"
    rf"|\b(?:the|every|each|any) (?:user|asker|reader)s? (?:{_MUST}|wants|asked)\b"
)
_TEMPLATES = (
    r"<\|[\w/ -]{1,40}\|?>|\[/?(?:inst|sys|system|user|assistant)\b[^\]]{0,20}\]|<</?sys>>"
    r"|</?(?:s|start_of_turn|end_of_turn|bos|eos|human|assistant|system|user|tool_call"
    r"|tool_response|function_calls?|function_results|instructions?|untrusted|document|sources?"
    r"|data|chunk|passage|context|invoke|admin|developer)\b[^<>\n]{0,80}>"
)
_ROLES = (
    r"(?:^|\n|\"|\*|#|\|)\s*(?:system|assistant|developer|human|tool|function|ai)"
    r"(?: (?:message|prompt|note|override|update|instructions?))?\s*\*{0,2}\s*(?::|=?>)\*{0,2}"
    r"(?=[ \t]*\n|(?:[ \t]+\S+){3})"
)
_SHAPES = (
    r"[\"']?\b(?:answer_markdown|tool_calls?|function_call|chunk_texts|selected_sources|key_points"
    r"|is_sufficient|should_run_rag|recipient_name|tool_choice|role)\b[\"']?\s*[:=]"
)
_TONGUES = (
    r"\b(?:ignorier\w*|vergiss|missachte)\b.{0,40}\b(?:anweisung\w*|regel\w*)"
    r"|\bignore[zr]?\b.{0,40}\b(?:instructions|consignes|règles|instruções|regras)"
    r"|\b(?:ignor|olvid|dimentic|omit)\w*\b.{0,40}\b(?:instrucciones|istruzioni|reglas|regole)"
    r"|\bигнориру\w+|忽略|無視|无视|忘记|무시|تجاهل|अनदेखा|zignoruj|negeer"  # noqa: RUF001 - letters of other tongues
)
_ORDER = re.compile(
    "|".join(
        (_OVERRULES, _ADDRESSES, _PERSUADES, _DICTATES, _TEMPLATES, _ROLES, _SHAPES, _TONGUES)
    ),
    re.IGNORECASE,
)


def first_order(text: str) -> int:
    """Return where a text begins to speak to a model, or its length if it never does."""
    read, places = (text, range(len(text))) if text.isascii() else _as_read(text)
    found = _ORDER.search(read)
    return places[found.start()] if found else len(text)


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
