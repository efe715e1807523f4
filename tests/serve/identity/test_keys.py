"""Keys of programs: what they open, and when they stop doing so."""

import asyncio
import re
import sqlite3
import stat
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sextant.errors import ConfigError, InvalidInput, NotFound, Overloaded, Unauthenticated
from sextant.serve.caller import Caller, Role
from sextant.serve.house import Identity
from sextant.serve.identity import open_identity
from sextant.serve.identity.keys import caller_of
from sextant.settings import ServeSettings, Settings
from sextant.stores.server_records.sqlite import KEYS as FILE
from tests.cli.commands import sextant
from tests.serve.identity.making import Keys


@pytest.fixture
def keys(tmp_path: Path) -> Iterator[Keys]:
    with closing(Keys(tmp_path)) as opened:
        yield opened


def chosen(folder: Path) -> Settings:
    return Settings(serve=ServeSettings(auth="api-key", folder=str(folder)))


async def came(folder: Path, text: str | None) -> Caller:
    identity = await open_identity(chosen(folder))
    try:
        return await identity.caller(text)
    finally:
        await identity.close()


def why_not(folder: Path, text: str | None) -> str:
    with pytest.raises(Unauthenticated) as raised:
        asyncio.run(came(folder, text))
    return raised.value.message


def test_a_key_opens_what_it_was_given(keys: Keys, tmp_path: Path) -> None:
    ends = time.time() + 60
    key, text = keys.create("ci", "acme", [Role.SEARCH, Role.READ], ["sre"], ends)
    assert asyncio.run(came(tmp_path, text)) == Caller(
        f"key:{key.id}",
        "acme",
        f"key:{key.id}",
        frozenset({"sre"}),
        frozenset({Role.SEARCH, Role.READ}),
        ends,
    )


def test_a_key_without_personas_sees_what_is_open_to_all(keys: Keys) -> None:
    assert caller_of(keys.create("", "acme", [Role.SEARCH])[0]).personas == frozenset()
    assert caller_of(keys.create("", "acme", [Role.SEARCH], ["*"])[0]).personas is None
    assert caller_of(keys.create("", "acme", [Role.ON_BEHALF])[0]).personas is None
    named = keys.create("", "acme", [Role.ON_BEHALF], ["sre"])[0]
    assert caller_of(named).personas == frozenset({"sre"})


def test_a_key_can_be_found_by_its_looks_and_is_kept_nowhere(keys: Keys, tmp_path: Path) -> None:
    key, text = keys.create("ci", "acme", [Role.SEARCH])
    assert re.fullmatch(rf"sxt_{key.id}_[0-9a-f]{{64}}", text)
    secret = text.rpartition("_")[2].encode()
    for file in tmp_path.iterdir():
        assert secret not in file.read_bytes()
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert secret.decode() not in repr(keys.all())


def test_an_unknown_key_and_a_wrong_one_hear_the_same(keys: Keys, tmp_path: Path) -> None:
    key, text = keys.create("ci", "acme", [Role.SEARCH])
    unknown = f"sxt_{'0' * 12}_{text.rpartition('_')[2]}"
    wrong = f"sxt_{key.id}_{'0' * 64}"
    said = {why_not(tmp_path, one) for one in (unknown, wrong, "x", "x" * 10**7, text + "0")}
    assert said == {"The token is not valid."}
    assert why_not(tmp_path, None) == "This needs a token."


def test_a_revoked_key_ends_at_the_next_request_of_a_running_server(
    keys: Keys, tmp_path: Path
) -> None:
    key, text = keys.create("ci", "acme", [Role.SEARCH])

    async def task() -> None:
        identity = await open_identity(chosen(tmp_path))
        assert (await identity.caller(text)).tenant == "acme"
        ended = await asyncio.to_thread(
            sextant, tmp_path, "keys", "revoke", key.id, SEXTANT_SERVE_FOLDER=str(tmp_path)
        )
        assert ended.returncode == 0, ended.stderr
        with pytest.raises(Unauthenticated, match="revoked"):
            await identity.caller(text)
        await identity.close()

    asyncio.run(task())


def test_a_key_made_while_the_server_runs_works_at_once(keys: Keys, tmp_path: Path) -> None:
    async def task() -> Caller:
        identity: Identity = await open_identity(chosen(tmp_path))
        try:
            return await identity.caller(keys.create("ci", "acme", [Role.SEARCH])[1])
        finally:
            await identity.close()

    assert asyncio.run(task()).tenant == "acme"


def test_a_key_works_until_its_end(keys: Keys, tmp_path: Path) -> None:
    _, ended = keys.create("old", "acme", [Role.SEARCH], expires=time.time() - 1)
    assert why_not(tmp_path, ended) == "The key is expired."


def test_revoking_twice_keeps_the_first_time_and_the_key_itself_names_it(keys: Keys) -> None:
    key, text = keys.create("ci", "acme", [Role.SEARCH])
    first = keys.revoke(text)
    assert first.id == key.id
    assert keys.revoke(key.id).revoked == first.revoked > 0
    with pytest.raises(NotFound):
        keys.revoke("nobody")


def test_the_last_use_is_written_down(keys: Keys, tmp_path: Path) -> None:
    before = time.time()
    _, text = keys.create("ci", "acme", [Role.SEARCH])
    assert keys.all()[0].used == 0
    asyncio.run(came(tmp_path, text))
    assert keys.all()[0].used >= before


@pytest.mark.parametrize(
    ("name", "tenant", "persona"),
    [("", "", "p"), ("", "t" * 257, "p"), ("", "t\n", "p"), ("", "t", ""), ("\x1b[31m", "t", "p")],
)
def test_a_key_for_what_cannot_be_is_not_made(
    keys: Keys, name: str, tenant: str, persona: str
) -> None:
    with pytest.raises(InvalidInput):
        keys.create(name, tenant, [Role.SEARCH], [persona])
    with pytest.raises(InvalidInput, match="allows nothing"):
        keys.create("", "t", [])
    assert keys.all() == []


def test_a_file_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"something else" * 100)
    with pytest.raises(ConfigError, match="cannot be opened"):
        Keys(tmp_path).all()
    assert (tmp_path / FILE).read_bytes() == b"something else" * 100


def test_keys_that_cannot_be_read_are_an_overload_and_no_refusal(
    keys: Keys, tmp_path: Path
) -> None:
    _, text = keys.create("ci", "acme", [Role.SEARCH])

    async def task() -> None:
        identity = await open_identity(chosen(tmp_path))
        try:
            with closing(sqlite3.connect(tmp_path / FILE)) as other:
                other.execute("DROP TABLE keys")
            with pytest.raises(Overloaded):
                await identity.caller(text)
        finally:
            await identity.close()

    asyncio.run(task())


def test_a_use_that_cannot_be_written_down_refuses_nobody(
    keys: Keys, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    _, text = keys.create("ci", "acme", [Role.SEARCH])
    with closing(sqlite3.connect(tmp_path / FILE)) as other:
        other.execute("CREATE TRIGGER t BEFORE UPDATE ON keys BEGIN SELECT raise(ABORT, ''); END")
    assert asyncio.run(came(tmp_path, text)).tenant == "acme"
    assert "used last is not written down" in caplog.text


@pytest.mark.parametrize(
    ("store", "records", "why"),
    [("memory:", "sqlite:", "no folder"), ("sqlite:s", "memory:", "nobody can make a key")],
)
def test_where_keys_would_not_last_nobody_is_let_in_by_one(
    store: str, records: str, why: str
) -> None:
    lost = Settings(store=store, serve=ServeSettings(auth="api-key", records=records))
    with pytest.raises(ConfigError, match=why):
        asyncio.run(open_identity(lost))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.data())
def test_a_key_with_any_letter_changed_is_none(keys: Keys, data: st.DataObject) -> None:
    _, text = keys.create("ci", "acme", [Role.SEARCH])
    at = data.draw(st.integers(0, len(text) - 1))
    letter = data.draw(st.sampled_from("0123456789abcdefABCDEF_٣") | st.characters())
    changed = text[:at] + letter + text[at + 1 :]
    found = keys.found(changed)
    assert (found is not None) == (changed == text)
