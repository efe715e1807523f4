import asyncio

import pytest

from sextant.errors import ConfigError, ModelError
from sextant.llms.empty import open_model
from sextant.ports import ChatModel
from sextant.prompting.reply import whole
from sextant.settings import Settings
from sextant.testing.chat_model_suite.prompts import HELLO


def test_empty_model_is_one_and_says_that_nobody_is_there() -> None:
    model = open_model("", Settings())
    assert isinstance(model, ChatModel)
    assert str(model.identity) == "empty:"
    with pytest.raises(ModelError, match=r"no language model; agents only.*SEXTANT_LLM"):
        asyncio.run(whole(model, HELLO))


def test_closing_holds_nothing_up() -> None:
    asyncio.run(open_model("", Settings()).close())


def test_empty_model_has_no_name() -> None:
    with pytest.raises(ConfigError, match='"empty:"'):
        open_model("gpt", Settings())
