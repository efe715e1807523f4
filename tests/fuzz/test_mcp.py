"""Whatever is sent to MCP, a message or not, is answered by a message that tells no secrets."""

from __future__ import annotations

from typing import Any

from tests.fuzz.mcp import call_everything
from tests.fuzz.mcp_door import GARBAGE, mcp_door
from tests.fuzz.serving import Serving

CASES = 750  # with twenty tools, as many for each as 500 were for fourteen


def test_no_arguments_and_no_message_break_the_server_or_its_word(server: Serving) -> None:
    outcome = call_everything(server, CASES)
    assert outcome.failures == []
    assert outcome.cases >= CASES
    # Records that are thrown are hardly ever some that can be taken in.
    assert set(outcome.never("done")) <= {GARBAGE, "knowledge_ingest"}
    assert GARBAGE in outcome.never("done")
    assert server.log == ""


def test_every_whole_number_that_a_tool_takes_has_limits_that_a_client_can_read(
    server: Serving,
) -> None:
    with mcp_door(server) as door:
        schemas = {name: tool["inputSchema"] for name, tool in door.tools().items()}
    numbers = [one for schema in schemas.values() for one in _whole_numbers(schema)]
    assert len(numbers) > 5
    for one in numbers:
        assert {"minimum", "exclusiveMinimum"} & set(one), one
        assert {"maximum", "exclusiveMaximum"} & set(one), one


def _whole_numbers(value: Any) -> list[dict[str, Any]]:
    """Return the schemas of whole numbers within a schema."""
    if isinstance(value, list):
        return [found for one in value for found in _whole_numbers(one)]
    if not isinstance(value, dict):
        return []
    own = [value] if value.get("type") == "integer" else []
    return own + [found for one in value.values() for found in _whole_numbers(one)]
