from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sextant.errors import (
    BrokenStream,
    ModelAuthentication,
    ModelError,
    ModelNotFound,
    ModelRateLimited,
    ModelRejected,
    ModelTimeout,
    ModelUnavailable,
)
from sextant.llms.statuses import error_for, retry_after, unreachable


@pytest.mark.parametrize(
    ("status", "wanted"),
    [
        (0, BrokenStream),
        (200, BrokenStream),
        (301, ModelNotFound),
        (400, ModelRejected),
        (401, ModelAuthentication),
        (402, ModelRejected),
        (403, ModelAuthentication),
        (404, ModelNotFound),
        (408, ModelTimeout),
        (409, ModelUnavailable),
        (413, ModelRejected),
        (422, ModelRejected),
        (429, ModelRateLimited),
        (500, ModelUnavailable),
        (502, ModelUnavailable),
        (529, ModelUnavailable),
        (999, ModelUnavailable),
    ],
)
def test_status_means_an_error(status: int, wanted: type[ModelError]) -> None:
    assert type(error_for(status, "Somebody")) is wanted


@given(st.integers(0, 999), st.text())
def test_every_status_gives_a_sentence_and_what_to_do(status: int, said: str) -> None:
    error = error_for(status, "Somebody", said)
    assert error.message.startswith("Somebody")
    assert error.hint
    assert len(error.message) < 450


def test_what_is_said_is_told_without_keys_and_pages() -> None:
    said = "Incorrect API key provided: sk-abcdefgh12345678."
    assert "sk-abcdefgh" not in error_for(401, "Somebody", said).message
    assert "Incorrect API key" in error_for(401, "Somebody", said).message
    assert "html" not in error_for(502, "Somebody", "<html>Bad Gateway</html>").message


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, 0),
        ({"Retry-After": "17"}, 17),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "1"}, 0.25),
        ({"retry-after": "-5"}, 0),
        ({"retry-after": "inf"}, 0),
        ({"retry-after": "nan"}, 0),
        ({"retry-after": "soon"}, 0),
        ({"retry-after": "Sun, 06 Nov 1994 08:49:37 GMT"}, 0),
    ],
)
def test_wait_is_read_from_headers(headers: dict[str, str], seconds: float) -> None:
    assert retry_after(headers) == seconds


def test_wait_may_be_a_date() -> None:
    then = datetime.now(UTC) + timedelta(hours=1)
    assert 3_000 < retry_after({"retry-after": format_datetime(then, usegmt=True)}) <= 3_600


@pytest.mark.parametrize(
    ("error", "wanted"),
    [
        (httpx2.ConnectTimeout("slow"), ModelTimeout),
        (httpx2.ReadTimeout("slow"), ModelTimeout),
        (httpx2.PoolTimeout("slow"), ModelTimeout),
        (httpx2.ConnectError("refused"), ModelUnavailable),
        (httpx2.ProxyError("refused"), ModelUnavailable),
        (httpx2.UnsupportedProtocol("gopher"), ModelNotFound),
        (httpx2.RemoteProtocolError("cut"), BrokenStream),
        (httpx2.ReadError("cut"), BrokenStream),
        (httpx2.DecodingError("junk"), BrokenStream),
    ],
)
def test_failing_connection_means_an_error(error: Exception, wanted: type[ModelError]) -> None:
    assert type(unreachable(error, "Somebody")) is wanted
