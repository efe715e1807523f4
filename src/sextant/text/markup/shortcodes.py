"""Shortcodes of Hugo, tags of Liquid, links of wikis, variables: what a reader sees of them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sextant.text.markup.saying import names_in, naming_value, says_something

CALL = re.compile(r"\{\{[<%](?P<hugo>[^{}]{0,2000}?)[>%]\}\}|\{%-?(?P<liquid>[^{}%]{0,2000}+)%\}")
"""https://gohugo.io/content-management/shortcodes/, https://shopify.github.io/liquid/"""

_WORD = re.compile(r"\s*+-?\s*+(?P<close>/?)\s*+(?P<name>[\w.-]++(?:/[\w.-]++)*+)")
_ARGUMENT = re.compile(
    r"(?:(?P<name>[\w-]++)\s*+[=:]\s*+)?+(?:\"(?P<double>[^\"]*+)\"|'(?P<single>[^']*+)'"
    r"|`(?P<raw>[^`]*+)`|(?P<bare>[^\s\"'`=]++))"
)
_CONTROL = names_in(
    """
    assign autoescape block blocktrans break call capture case comment continue cycle
    decrement elif else elsif extends filter for from highlight if import include
    include_relative increment layout link load macro page post_url raw render section set
    static tablerow trans unless url verbatim when with
    """
)
"""Words of Liquid, Jinja and their kin that show nothing by themselves."""

_LINKS = frozenset({"ref", "relref"})
_VARIABLES = frozenset({"param", "product", "site-param", "skew", "value", "var", "variable"})
_VARIABLE = re.compile(
    r"\[\[\s*+[\w-]++::(?P<name>[^\[\]|:\n]{1,100}+)(?:(?:\||::?)(?P<usual>[^\[\]\n]{0,200}+))?+\]\]"
)
_WIKI = re.compile(
    r"\[\[(?P<page>[^\W_][^\[\]|\n]{0,200}+)(?:\|(?P<said>[^\[\]\n]{1,200}+))?+\]\](?!\()"
)
_CUT_END = re.compile(r"\{(?:%|\{[<%])[^{}%]{0,500}+\Z")
_CUT_START = re.compile(r"\A[^\[\]{}()<>%]{0,300}+(?:%\}|[>%]\}\})")
"""What a passage ends in, or begins in, where it was cut."""

_REMARK = re.compile(r"\{%-?[ ]{0,9}comment\b[^{}%]{0,200}%\}")
_END_OF_REMARK = re.compile(r"\{%-?[ ]{0,9}endcomment\b[^{}%]{0,200}%\}")
_ATTRIBUTES = re.compile(r"\{[:#.][^{}\n]{0,300}+\}|\{!(?:[^{}\n!]{1,300}+)!\}")
"""Classes and names of kramdown and its kin, and files that are to be put in."""


def without_shortcodes(text: str) -> str:
    """Return text with what a reader sees of the shortcodes, variables and wiki links in it."""
    if "}" in text and (cut := _CUT_START.match(text)):
        text = text[cut.end() :].removeprefix(")")
    if "{" in text:
        text = CALL.sub(_called, _without_remarks(text))
        text = _CUT_END.sub("", text)
        text = _ATTRIBUTES.sub("", text)
    if "[[" in text:
        text = _VARIABLE.sub(lambda one: (one["usual"] or one["name"]).strip(), text)
        text = _WIKI.sub(lambda one: (one["said"] or one["page"]).strip(), text)
    return text


def call_name(call: re.Match[str]) -> str:
    """Return what a call calls, with a stroke before it where it closes."""
    found = _WORD.match(_body(call))
    return f"{found['close']}{found['name'].lower()}" if found else ""


def call_fields(call: re.Match[str]) -> Iterator[tuple[str, str]]:
    """Yield the arguments of a call, those without a name under none."""
    found = _WORD.match(_body(call))
    for one in _ARGUMENT.finditer(_body(call), found.end() if found else 0):
        yield one["name"] or "", one["double"] or one["single"] or one["raw"] or one["bare"] or ""


def _body(call: re.Match[str]) -> str:
    return call["hugo"] if call["hugo"] is not None else call["liquid"]


def _called(call: re.Match[str]) -> str:
    name = call_name(call)
    is_liquid = call["liquid"] is not None
    if name.startswith(("/", "end")) or name in _LINKS or (is_liquid and name in _CONTROL):
        return ""
    fields = list(call_fields(call))
    if value := naming_value(fields):
        return value
    body = call[0]
    bare = [value for field, value in fields if not field]
    if name in _VARIABLES:
        return bare[0] if bare else ""
    told = [value for value in bare if _is_quoted(value, body) and says_something(value)]
    return told[-1] if told else ""


def _is_quoted(value: str, body: str) -> bool:
    return f'"{value}"' in body or f"'{value}'" in body


def _without_remarks(text: str) -> str:
    at, kept = 0, []
    while opened := _REMARK.search(text, at):
        closed = _END_OF_REMARK.search(text, opened.end())
        if closed is None:
            break
        kept.append(text[at : opened.start()])
        at = closed.end()
    return "".join([*kept, text[at:]]) if kept else text
