"""Any ids make a key that AI Search takes, and no two the same."""

import re

from hypothesis import given
from hypothesis import strategies as st

from sextant.stores.azure.search.keys import chunk_id_in, decode_key, encode_key, keys_of

_LEGAL = re.compile(r"[A-Za-z0-9\-=][A-Za-z0-9_\-=]{0,1023}")
_parts = st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=40), max_size=3)


@given(_parts)
def test_a_key_tells_what_it_was_made_of(parts: list[str]) -> None:
    key = encode_key("chunk", *parts)
    assert _LEGAL.fullmatch(key)
    assert decode_key(key) == ("chunk", *parts)


@given(_parts, _parts)
def test_other_parts_make_another_key(one: list[str], other: list[str]) -> None:
    assert (encode_key("chunk", *one) == encode_key("chunk", *other)) == (one == other)


def test_a_key_that_would_be_too_long_is_a_digest() -> None:
    long = "\U0010ffff" * 1_000
    key = encode_key("chunk", "acme", long)
    assert _LEGAL.fullmatch(key)
    assert decode_key(key) is None
    assert key != encode_key("chunk", "acme", f"{long}!")
    assert key != encode_key("document", "acme", long)


@given(st.text())
def test_no_text_but_a_key_is_read_as_one(text: str) -> None:
    parts = decode_key(text)
    assert parts is None or encode_key(*parts) == text


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=30).filter(str.isprintable))
def test_keys_of_others_that_are_a_chunk_id_in_base64_are_read_as_that(name: str) -> None:
    chunk_id = f"doc{name}#c1"
    assert {chunk_id_in(key) for key in keys_of(chunk_id)} == {chunk_id}
    assert all(_LEGAL.fullmatch(key) for key in keys_of(chunk_id))


def test_any_other_key_of_others_is_the_id_itself() -> None:
    for key in ("runbook_12", "ZG9jMQ", "abc=", "doc1-c12", "____"):
        assert chunk_id_in(key) == key
        assert key in keys_of(key)
