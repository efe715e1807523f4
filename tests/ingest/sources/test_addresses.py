import asyncio
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sextant.errors import Unreachable, UnsafeSource
from sextant.ingest.sources.web.addresses import is_public, numeric, system_resolve, vetted

PRIVATE = [
    "0.0.0.0",
    "10.1.2.3",
    "100.64.0.1",
    "127.0.0.1",
    "168.63.129.16",
    "169.254.169.254",
    "172.16.0.1",
    "192.0.0.192",
    "192.0.2.1",
    "192.168.1.1",
    "198.18.0.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::127.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::1",
    "100::1",
    "2001::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "2002:c0a8:101::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1",
    "not an address",
]
PUBLIC = ["1.1.1.1", "93.184.216.34", "2606:4700::1111", "64:ff9b::101:101", "::ffff:1.1.1.1"]


def addresses(host: str, answer: Sequence[str] = (), private: bool = False) -> Sequence[str]:
    async def resolve(_host: str, _port: int) -> Sequence[str]:
        return answer

    return asyncio.run(vetted(host, 80, resolve, private))


@pytest.mark.parametrize("address", PRIVATE)
def test_an_address_that_only_some_can_reach_is_private(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", PUBLIC)
def test_an_address_that_anybody_can_reach_is_public(address: str) -> None:
    assert is_public(address)


@given(st.ip_addresses(v=4, network="127.0.0.0/8") | st.ip_addresses(v=4, network="10.0.0.0/8"))
def test_a_private_address_stays_private_in_every_disguise(address: object) -> None:
    number = int(address)  # type: ignore[call-overload]
    assert not is_public(f"::ffff:{address}")
    assert not is_public(f"64:ff9b::{address}")
    assert not is_public(f"2002:{number >> 16:x}:{number & 0xFFFF:x}::1")
    for spelling in (str(number), hex(number), oct(number).replace("o", "")):
        assert numeric(spelling) == str(address)


@pytest.mark.parametrize(
    "host", ["2130706433", "0x7f000001", "0x7f.1", "0177.0.0.1", "127.1", "127.0.0.1", "::1", "0"]
)
def test_a_host_in_numbers_is_checked_whatever_the_resolver_says(host: str) -> None:
    with pytest.raises(UnsafeSource, match="private"):
        addresses(host, ["1.1.1.1"])


def test_one_private_address_among_public_ones_is_enough_to_refuse() -> None:
    with pytest.raises(UnsafeSource):
        addresses("two.example", ["1.1.1.1", "10.0.0.1"])
    assert addresses("two.example", ["1.1.1.1", "2606:4700::1111"]) == [
        "1.1.1.1",
        "2606:4700::1111",
    ]


def test_localhost_is_refused_by_default_and_allowed_on_demand() -> None:
    with pytest.raises(UnsafeSource):
        asyncio.run(vetted("localhost", 80, system_resolve, False))
    assert "127.0.0.1" in asyncio.run(vetted("localhost", 80, system_resolve, True))


def test_a_host_without_an_address_is_unreachable() -> None:
    async def fails(_host: str, _port: int) -> Sequence[str]:
        raise OSError("no such host")

    with pytest.raises(Unreachable):
        addresses("empty.example")
    with pytest.raises(Unreachable):
        asyncio.run(vetted("nowhere.example", 80, fails, True))
