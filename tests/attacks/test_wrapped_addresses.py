"""An IPv4 address of this machine or its network is known in every form that IPv6 gives it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from sextant.ingest.sources.web.addresses import is_public
from sextant.settings import IngestSettings
from tests.serve.jobs.working import in_loop
from tests.serve.rest.sending import api, post
from tests.serve.running import small

FORMS = {
    "mapped": "::ffff:{}",
    "translated": "::ffff:0:{}",
    "compatible": "::{}",
    "NAT64": "64:ff9b::{}",
    "NAT64 of a network": "64:ff9b:1::{}",
    "ISATAP": "2606:4700::5efe:{}",
    "ISATAP, universal": "2606:4700::200:5efe:{}",
}
OWN = ["127.0.0.1", "10.0.0.8", "169.254.169.254", "192.168.1.1", "0.0.0.0", "100.64.0.1"]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("address", OWN)
def test_an_own_address_is_own_in_every_form(form: str, address: str) -> None:
    assert not is_public(FORMS[form].format(address))


@pytest.mark.parametrize(
    "address", ["2002:7f00:1::", "2002:a00:8::1", "2002:a9fe:a9fe::", "2001::1"]
)
def test_an_own_address_is_own_within_6to4_and_teredo(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize(
    "address", ["1.1.1.1", "::ffff:1.1.1.1", "::ffff:0:1.1.1.1", "64:ff9b::1.1.1.1", "2606:4700::1"]
)
def test_an_address_of_others_is_public_in_every_form(address: str) -> None:
    assert is_public(address)


@in_loop
async def test_nobody_fetches_from_the_servers_own_network_by_such_a_form(tmp_path: Path) -> None:
    settings = replace(small(tmp_path), ingest=IngestSettings(private_addresses=False))
    async with api(tmp_path, settings) as door, door.client() as writer:
        for form in FORMS.values():
            url = f"http://[{form.format('127.0.0.1')}]:{door.server.port}/health"
            job = (await post(writer, {"url": url})).json()
            assert (job["state"], job["problem"]["code"]) == ("failed", "unsafe_source"), url
