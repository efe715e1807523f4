"""How the Markdown of an answer looks on a terminal. Text of documents is shown, never obeyed."""

from __future__ import annotations

import re

from rich.text import Text

from sextant.cli.shared.console import out
from sextant.text.markdown import printable


class AnswerLines:
    """Prints an answer line by line: points in bold, headings in italics, code as it is.

    What is not read in a terminal stays Markdown.
    """

    def __init__(self) -> None:
        self._is_code = False

    def show(self, lines: str, end: str = "") -> None:
        """Print the next lines."""
        text = Text()
        for own in lines.splitlines(keepends=True):
            text.append_text(self._styled(own))
        out.print(text, end=end, highlight=False, soft_wrap=True)

    def _styled(self, own: str) -> Text:
        is_fence = own.lstrip().startswith(_FENCE)
        self._is_code ^= is_fence
        shown = "\n".join(map(printable, own.split("\n")))
        if is_fence or self._is_code or not out.is_terminal:
            return Text(shown)
        if heading := _HEADING.fullmatch(shown):
            return Text.assemble((_unescaped(heading[1]), "italic"), heading[2])
        text, at = Text(), 0
        for point in _POINT.finditer(shown):
            text.append(_unescaped(shown[at : point.start()])).append(_unescaped(point[1]), "bold")
            at = point.end()
        return text.append(_unescaped(shown[at:]))


def _unescaped(text: str) -> str:
    """Return Markdown without the signs that keep others from doing something; code has none."""
    return "".join(
        part if number % 2 else _ESCAPED.sub(r"\1", part)
        for number, part in enumerate(_INLINE.split(text))
    )


_INLINE = re.compile(r"(`[^`]+`)")
_ESCAPED = re.compile(r"\\([\\`*_\[\]<>~!#|+=.)(-])")


_FENCE = "`" * 3
_POINT = re.compile(r"\*\*(?=\S)(.+?)(?<=\S)\*\*")
_HEADING = re.compile(r"\*([^*\n]+)\*(\n?)")
