"""No tenant, persona, key, source or id looks like another one by characters that nobody sees."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from sextant.errors import InvalidInput
from sextant.limits import check_name
from sextant.serve.caller import Role
from sextant.testing.store_suite.checks import disguised_names
from tests.attacks.test_reputation import upsert
from tests.serve.identity.making import Keys
from tests.serve.jobs.working import in_loop
from tests.serve.rest.sending import api, ids, post, refused, upload

ANY_SCRIPT = ["Ünïcödé", "سلم", "می\u200cرود", "क्\u200dष", "👩\u200d👩\u200d👧", "a b", "e\u0301"]


@pytest.mark.parametrize("name", disguised_names())
def test_a_disguised_name_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="cannot be seen") as refusal:
        check_name("tenant", name)
    assert refusal.value.message.isascii()
    assert refusal.value.hint
    with closing(Keys(tmp_path)) as keys:
        for values in ((name, "acme", ()), ("ci", name, ()), ("ci", "acme", [name])):
            with pytest.raises(InvalidInput):
                keys.create(values[0], values[1], frozenset({Role.READ}), values[2])
        assert not keys.all()


@pytest.mark.parametrize("name", ANY_SCRIPT)
def test_a_name_in_any_script_is_taken(name: str) -> None:
    check_name("tenant", name)


@in_loop
async def test_no_disguised_name_comes_in_over_http(tmp_path: Path) -> None:
    async with api(tmp_path) as door, door.client(personas=["*"]) as writer:
        for name in disguised_names():
            sent: list[dict[str, Any]] = [
                {"documents": [{"id": f"docs/{name}", "text": "Mine."}]},
                {"documents": [{"id": "a", "text": "Mine."}], "name": name},
                {"documents": [{"id": "a", "text": "Mine."}], "personas": [name]},
            ]
            for body in sent:
                refused(await post(writer, body), 422, "invalid_input")
            refused(await upload(writer, {f"{name}.md": "# Mine"}), 422, "invalid_input")
            assert (await upsert(writer, f"docs/{name}")).get("isError")
            asked = await writer.get("/api/documents", params={"personaId": name})
            refused(asked, 422, "invalid_input")
        assert not await ids(writer)
