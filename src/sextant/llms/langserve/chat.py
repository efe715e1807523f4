"""A runnable that LangServe serves, over plain HTTP. Knows its two paths, no chain behind them.

``langserve:http://host/chain`` gives the runnable a list of messages; with ``#entry`` at the end,
an object that has them under this name.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import aclosing, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import httpx2

from sextant.errors import ConfigError, ModelError, ModelRejected
from sextant.llms.langserve.replies import Reading
from sextant.llms.statuses import broken, closed, error_for, unreachable
from sextant.llms.wire import as_utf8, base64_of
from sextant.prompting.network.trust import trusted
from sextant.prompting.secrets.keys import key_if_any
from sextant.settings import HTTP_KEY_VARIABLE
from sextant.types import Delta, Image, Message, ModelIdentity, Prompt, Schema, Speaker, TextDelta

if TYPE_CHECKING:
    from sextant.ports import ChatModel
    from sextant.settings import ModelSettings, Settings

_NAME = "LangServe"
_FORM = 'Write "langserve:http://host:port/path".'
_TYPES = {
    Speaker.SYSTEM: "system",
    Speaker.DEVELOPER: "system",
    Speaker.USER: "human",
    Speaker.ASSISTANT: "ai",
    Speaker.TOOL: "tool",
}


def open_model(rest: str, settings: Settings) -> ChatModel:
    """Open the runnable that ``langserve:URL`` names."""
    try:
        parts = urlsplit(rest.strip())
    except ValueError:
        raise ConfigError("The address after langserve: cannot be read.", _FORM) from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ConfigError("The llm langserve: has no address.", _FORM)
    if parts.username is not None or parts.query:
        raise ConfigError(
            "The address of the LangServe runnable has a user or a query in it.",
            f"A key belongs in {HTTP_KEY_VARIABLE}. {_FORM}",
        )
    # The key file is for the model that is set; another one, of a step, must not get to see it.
    is_set = settings.llm == f"langserve:{rest}"
    secret = key_if_any(
        (HTTP_KEY_VARIABLE,), settings.model if is_set else replace(settings.model, key_file="")
    )
    url = rest.strip().partition("#")[0].rstrip("/")
    return LangServe(url, parts.fragment, secret, settings.model)


class LangServe:
    """A runnable and the connections to it."""

    def __init__(self, url: str, entry: str, secret: str, settings: ModelSettings) -> None:
        self._url, self._entry = url, entry
        self._identity = ModelIdentity("langserve", url)
        self._client = httpx2.AsyncClient(
            timeout=httpx2.Timeout(settings.read_seconds, connect=settings.connect_seconds),
            verify=trusted(),
            headers={"Authorization": f"Bearer {secret}"} if secret else {},
        )

    @property
    def identity(self) -> ModelIdentity:
        """Who replies."""
        return self._identity

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Delta, None]:
        """Reply in pieces, the last of which is Ended."""
        if self._client.is_closed:
            raise closed()
        body = {"input": self._input(prompt), "config": {}, "kwargs": {}}
        reading = Reading(self._url, prompt.stop)
        with _translated():
            async with aclosing(self._pieces(body)) as pieces:
                async for piece in pieces:
                    if text := reading.take(piece):
                        yield TextDelta(text)
                    if reading.is_stopped:
                        break
            if text := reading.rest():
                yield TextDelta(text)
            yield reading.ended()

    async def close(self) -> None:
        """Let go of the connections."""
        await self._client.aclose()

    async def _pieces(self, body: dict[str, Any]) -> AsyncGenerator[Any, None]:
        async with self._client.stream("POST", f"{self._url}/stream", json=body) as response:
            if response.status_code != httpx2.codes.NOT_FOUND:
                await _check(response)
                is_events = "event-stream" in response.headers.get("content-type", "")
                async for piece in _events(response) if is_events else _lines(response):
                    yield piece
                return
        response = await self._client.post(f"{self._url}/invoke", json=body)
        await _check(response)
        yield response.json()["output"]

    def _input(self, prompt: Prompt) -> Any:
        if prompt.tools:
            raise ModelRejected(
                "A LangServe runnable takes no tools.", "Choose a model that calls tools."
            )
        messages = [_message(one) for one in prompt.messages]
        if prompt.schema is not None:
            messages.append({"type": "human", "content": _wanted(prompt.schema)})
        return {self._entry: messages} if self._entry else messages


def _message(message: Message) -> dict[str, Any]:
    content: Any = as_utf8(message.text)
    if message.images:
        content = [{"type": "text", "text": content}, *(_image(one) for one in message.images)]
    told = {"type": _TYPES[message.speaker], "content": content}
    return {**told, "tool_call_id": message.call_id} if message.call_id else told


def _image(image: Image) -> dict[str, Any]:
    url = image.url or f"data:{image.media_type};base64,{base64_of(image)}"
    return {"type": "image_url", "image_url": {"url": url}}


def _wanted(schema: Schema) -> str:
    return (
        "Reply with JSON alone, without any other text, that obeys this JSON schema:\n"
        f"{json.dumps(schema.schema)}"
    )


async def _check(response: httpx2.Response) -> None:
    if not response.is_success:
        said = (await response.aread()).decode("utf-8", "replace")
        raise error_for(response.status_code, _NAME, said, response.headers, HTTP_KEY_VARIABLE)
    if "html" in response.headers.get("content-type", ""):
        raise broken(_NAME)


async def _events(response: httpx2.Response) -> AsyncIterator[Any]:
    async for event in httpx2.EventSource(response):
        match event.event:
            case "data":
                yield json.loads(event.data)
            case "error":
                said = json.loads(event.data)
                raise error_for(int(said["status_code"]), _NAME, str(said["message"]))
            case "end":
                return
    raise broken(_NAME)


async def _lines(response: httpx2.Response) -> AsyncIterator[Any]:
    """Yield a piece for each line; the end of the response is the end of the reply."""
    async for line in response.aiter_lines():
        if line.strip():
            yield json.loads(line)


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except ModelError:
        raise
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise unreachable(error, _NAME) from None
    except (ValueError, LookupError, TypeError, RuntimeError):
        # What came is no JSON, or none of this protocol.
        raise broken(_NAME) from None
