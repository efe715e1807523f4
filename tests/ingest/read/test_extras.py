"""Parts that are installed on demand say so when they are missing."""

import sys

import pytest

from sextant.errors import MissingExtra
from sextant.ingest.read import read

ZIP = b"PK\x03\x04"


@pytest.mark.parametrize(
    ("path", "data", "module", "extra"),
    [
        ("a.pdf", b"%PDF-1.4", "pypdfium2", "sextant[pdf]"),
        ("a.docx", ZIP, "docx", "sextant[office]"),
        ("a.pptx", ZIP, "pptx", "sextant[office]"),
        ("a.xlsx", ZIP, "openpyxl", "sextant[office]"),
    ],
)
def test_the_extra_to_install_is_named(
    monkeypatch: pytest.MonkeyPatch, path: str, data: bytes, module: str, extra: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtra) as caught:
        read(path, data)
    assert f'pip install "{extra}"' in caught.value.hint
