"""The Gemini API: streamGenerateContent as events, and batchEmbedContents."""

from __future__ import annotations

import base64
import json
import zlib
from itertools import pairwise
from typing import Any

from tests.llms.servers import http, mind
from tests.llms.servers.http import Answer, Request

MODEL, OLDER_MODEL = "gemini-3-scripted", "gemini-2-scripted"
EMBEDDERS = ("gemini-embedding-001", "gemini-embedding-2")
SIGNATURE = base64.b64encode(b"signed by the model").decode()
CACHED, THOUGHT = 3, 5
_KINDS = {
    400: "INVALID_ARGUMENT",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
}
_STOPS = {"stop": "STOP", "length": "MAX_TOKENS", "tools": "STOP", "refused": "SAFETY"}
_MODES = {"AUTO": "auto", "NONE": "none", "ANY": "required"}


class GeminiServer(http.Server):
    retry_delay: str = ""

    def answer(self, request: Request) -> Answer:
        if request.headers.get("x-goog-api-key") != http.RIGHT_KEY:
            return _wrong_key()
        _, _, name = request.path.rpartition("/")
        model, _, verb = name.partition(":")
        body = request.json
        if verb == "batchEmbedContents" and model in EMBEDDERS:
            return _embedded(model, body)
        if verb == "streamGenerateContent?alt=sse" and model in (MODEL, OLDER_MODEL):
            if wrong := _wrong(model, body):
                return _error(400, wrong)
            return Answer(200, http.EVENTS, _chunks(model, body))
        return self.error(404)

    def error(self, status: int) -> Answer:
        if status == 401:
            return _wrong_key()
        delay = {
            "@type": "type.googleapis.com/google.rpc.RetryInfo",
            "retryDelay": self.retry_delay,
        }
        return _error(status, "as the test wants it", *([delay] if self.retry_delay else []))

    def error_piece(self) -> bytes:
        return _chunk({"error": _told(503, "The model is overloaded.")})


def _told(status: int, message: str, *details: dict[str, Any]) -> dict[str, Any]:
    kind = _KINDS.get(status, "UNKNOWN")
    return {"code": status, "message": message, "status": kind, "details": list(details)}


def _error(status: int, message: str, *details: dict[str, Any]) -> Answer:
    return Answer.of({"error": _told(status, message, *details)}, status)


def _wrong_key() -> Answer:
    reason = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}
    return _error(400, "API key not valid. Please pass a valid API key.", reason)


def _wrong(model: str, body: dict[str, Any]) -> str:
    if not body.get("contents") or not all(one.get("parts") for one in body["contents"]):
        return "contents are required"
    turns = [*body["contents"], {"role": "user", "parts": []}]
    for turn, following in pairwise(turns):
        if turn["role"] == following["role"] and following["parts"]:
            return "Please ensure that roles alternate"
        calls = [one for one in turn["parts"] if "functionCall" in one]
        results = [one for one in following["parts"] if "functionResponse" in one]
        if len(calls) != len(results):
            return "the number of function response parts must equal that of function call parts"
        if model == MODEL and calls and "thoughtSignature" not in calls[0]:
            return "Function call is missing a thought_signature in functionCall parts."
    return ""


def _asked(body: dict[str, Any]) -> mind.Asked:
    parts = [part for turn in body["contents"] for part in turn["parts"]]
    texts = [one["text"] for one in parts if "text" in one]
    above = [one["text"] for one in body.get("systemInstruction", {}).get("parts", ())]
    config = body.get("generationConfig", {})
    calling = body.get("toolConfig", {}).get("functionCallingConfig", {})
    declared = [one for tool in body.get("tools", ()) for one in tool["functionDeclarations"]]
    results = [
        one["functionResponse"]
        for one in body["contents"][-1]["parts"]
        if "functionResponse" in one
    ]
    return mind.Asked(
        question=texts[-1] if texts else "",
        words=sum(len(text.split()) for text in [*texts, *above]),
        # Names may be written either way, and the SDK writes them both ways.
        tools={one["name"]: one["parameters_json_schema"] for one in declared},
        choice=next(
            iter(calling.get("allowedFunctionNames", ())), _MODES[calling.get("mode", "AUTO")]
        ),
        results=tuple(one["response"]["output"] for one in results),
        schema=config.get("responseJsonSchema"),
        stop=tuple(config.get("stopSequences", ())),
        max_tokens=config.get("maxOutputTokens", 0),
    )


def _chunks(model: str, body: dict[str, Any]) -> list[bytes]:
    asked = _asked(body)
    said = mind.reply(asked)
    usage = {
        "promptTokenCount": asked.words + CACHED,
        "cachedContentTokenCount": CACHED,
        "candidatesTokenCount": said.tokens,
        "thoughtsTokenCount": THOUGHT,
    }
    if "blocked" in asked.question:
        refused = {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}}
        return [_chunk({**refused, "usageMetadata": usage, "modelVersion": model})]
    parts: list[dict[str, Any]] = [{"text": "Let me see.", "thought": True}]
    if said.call:
        call = {"name": said.call[0], "args": said.call[1]}
        signed = {"thoughtSignature": SIGNATURE} if model == MODEL else {}
        parts.append({"functionCall": {"id": "call_1", **call} if signed else call, **signed})
    else:
        parts += [{"text": piece} for piece in said.pieces]
    contents = [{"content": {"role": "model", "parts": [part]}, "index": 0} for part in parts]
    contents[-1]["finishReason"] = _STOPS[said.reason]
    return [
        _chunk({"candidates": [one], "usageMetadata": usage, "modelVersion": model})
        for one in contents
    ]


def _chunk(body: dict[str, Any]) -> bytes:
    return f"data: {json.dumps(body)}\r\n\r\n".encode()


def _embedded(model: str, body: dict[str, Any]) -> Answer:
    if len(body["requests"]) > 100:
        return _error(400, "at most 100 requests can be in one batch")
    if model.endswith("2") and any("taskType" in one for one in body["requests"]):
        return _error(400, "taskType is not supported")
    texts = ["".join(part["text"] for part in one["content"]["parts"]) for one in body["requests"]]
    if not all(text.strip() for text in texts):
        return _error(400, "content is empty")
    width = body["requests"][0]["outputDimensionality"]
    return Answer.of({"embeddings": [{"values": _vector(text, width)} for text in texts]})


def _vector(text: str, width: int) -> list[float]:
    """Count words; the length is not 1, as with the real one where vectors are shortened."""
    values = [0.0] * width
    for word in text.rpartition(" | ")[2].lower().split():
        values[zlib.crc32(word.encode("utf-8", "replace")) % width] += 0.5
    return values
