"""Certificates that last as long as a test."""

import shutil
import ssl
import subprocess
from pathlib import Path

import pytest


def make_certificate(
    folder: Path, *names: str, addresses: tuple[str, ...] = ("127.0.0.1",)
) -> tuple[Path, ssl.SSLContext]:
    """Return a certificate that signs itself, and the server's side of it."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("missing: openssl, to make a certificate with")
    key, certificate = folder / "key.pem", folder / "cert.pem"
    known = ",".join([f"DNS:{name}" for name in names] + [f"IP:{one}" for one in addresses])
    subject = ["-subj", "/CN=sextant test", "-addext", f"subjectAltName={known}"]
    files = ["-keyout", str(key), "-out", str(certificate)]
    curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    command = [openssl, "req", "-x509", "-days", "2", *curve, *subject, *files]
    subprocess.run(command, check=True, capture_output=True)
    server_side = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server_side.load_cert_chain(certificate, key)
    return certificate, server_side
