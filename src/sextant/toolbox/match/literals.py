"""What the literals in a request stand for: a path for a kind of file, an address for a page.

Encoders and tool descriptions know an Excel workbook; few know ``/srv/q3.xlsx``.
"""

from __future__ import annotations

import re

_URL = re.compile(r"\bhttps?://([^\s/\"'<>()]+)[^\s\"'<>()]*", re.IGNORECASE)
_MAIL = re.compile(r"\b[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+\b")
_FILE = re.compile(
    r"(?<![\w@.~/\\-])(?:[\w.~-]{0,100}[/\\])*([\w-][\w.-]{0,80}?)\.([A-Za-z]\w{1,4})\b(?![/@.\w])"
)
_FOLDER = re.compile(r"(?<![\w.])(?:~|[A-Za-z]:)?(?:[/\\][\w.-]+)+[/\\]?")
_KINDS = {
    "Excel spreadsheet": "xlsx xls xlsm ods",
    "Word document": "docx doc odt rtf",
    "PowerPoint presentation": "pptx ppt odp",
    "PDF document": "pdf",
    "CSV table file": "csv tsv",
    "Markdown file": "md markdown",
    "text file": "txt log",
    "JSON file": "json jsonl",
    "YAML file": "yaml yml",
    "XML file": "xml",
    "HTML web page file": "html htm",
    "image file": "png jpg jpeg gif webp svg bmp tiff",
    "audio file": "mp3 wav m4a flac ogg",
    "video file": "mp4 mov avi mkv webm",
    "Python script": "py ipynb",
    "source code file": "js ts java go rs cpp c h cs rb php sh",
    "database file": "db sqlite sql",
    "archive file": "zip tar gz rar 7z",
}
_KIND_OF = {ending: kind for kind, endings in _KINDS.items() for ending in endings.split()}


def spell_out(text: str) -> str:
    """Return a request with its paths and addresses said in words."""
    text = _URL.sub(r"web page URL \1", text)
    text = _MAIL.sub("email address", text)
    text = _FILE.sub(_spell_file, text)
    return _FOLDER.sub(_spell_folder, text)


def _spell_file(found: re.Match[str]) -> str:
    kind = _KIND_OF.get(found.group(2).lower())
    return f"{kind} {found.group(1)}" if kind else found.group()


def _spell_folder(found: re.Match[str]) -> str:
    steps = re.split(r"[/\\]", found.group())
    return f"folder {next((step for step in reversed(steps) if step), '')}"
