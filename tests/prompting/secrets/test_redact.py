"""No key is told, whatever text it stands in; other texts stay as they are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sextant.prompting.secrets.redact import HIDDEN, redacted, remember

TELLING = [
    ("Incorrect API key provided: sk-1234*****6789.", "6789"),
    ("key sk-ant-api03-abcdefghijkl is wrong", "abcdefghijkl"),
    ("Authorization: Bearer abc.def123", "def123"),
    ("authorization: Basic dXNlcjpwYXNzd29yZA==", "dXNlc"),
    ('{"api_key": "hunter2222"}', "hunter2222"),
    ("POST /v1/x?api-key=hunter&v=1", "hunter"),
    ("?key=AIzaSyA1234567890abcdefghij&alt=sse", "AIza"),
    ("x-goog-api-key: AIzaSyA1234567890abcdefghij", "AIza"),
    ("The key 9f86d081884c7d659a2feaa0c55ad015 is wrong", "9f86"),
    ("invalid token 'kJ8sdf7SDFh3kjh4KJH5kjh3'", "kJ8sdf7"),
    ("http://bob:letmein@host/v1", "letmein"),
    ("token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc refused", "eyJzdWI"),
    ("client_secret=Zq8~abc", "Zq8"),
    ("password: correct1", "correct1"),
    ("gsk_abcdefghijklmnop", "abcdefghijklmnop"),
]
PLAIN = [
    "Bearer authentication required",
    "Unknown key: temperature",
    "max_tokens=4096 is too large; completion_tokens: 5000 of 8192 tokens",
    "The key in OPENAI_API_KEY may not use gpt-4o-mini-2024-07-18-preview",
    "Set OPENAI_API_KEY, or name a file that holds the key: SEXTANT_MODEL_KEY_FILE.",
    "You can find your API key at https://platform.openai.com/account/api-keys.",
    "A risk-assessment with sk-learn",
    "Write to team@example.org about http://host/v1#model",
    "",
]


@pytest.mark.parametrize(("text", "secret"), TELLING)
def test_what_looks_like_a_key_is_hidden(text: str, secret: str) -> None:
    assert secret not in redacted(text)
    assert HIDDEN in redacted(text)


@pytest.mark.parametrize("text", PLAIN)
def test_what_does_not_look_like_one_stays(text: str) -> None:
    assert redacted(text) == text


def test_a_known_secret_is_hidden_however_it_is_written() -> None:
    assert redacted("pass swordfish/2 on", ["swordfish/2"]) == f"pass {HIDDEN} on"
    assert redacted("a?k9=swordfish%2F2", ["swordfish/2"]) == f"a?k9={HIDDEN}"
    assert redacted("an ax", ["ax"]) == "an ax"
    remember("open sesame")
    assert redacted("say open sesame!") == f"say {HIDDEN}!"


SECRETS = st.text("abcdefgh-*[]hiden", min_size=4, max_size=12)
PIECES = st.one_of(
    SECRETS,
    st.sampled_from([*(text for text, _ in TELLING), *PLAIN, HIDDEN, "hidden", "key=", "Bearer "]),
    st.text(max_size=20),
)


@given(st.lists(PIECES, max_size=6), st.lists(SECRETS, max_size=3))
def test_redacting_twice_changes_nothing_more(pieces: list[str], secrets: list[str]) -> None:
    once = redacted("".join(pieces), secrets)
    assert redacted(once, secrets) == once


@given(st.text(), st.text(), st.text("abcdefgh0123456789_+/=-", min_size=8, max_size=60))
def test_no_known_secret_comes_through(before: str, after: str, secret: str) -> None:
    assert secret not in redacted(f"{before}{secret}{after}", [secret])
